"""How many numbers, and which."""

from __future__ import annotations

import regex

from lm_eval_ifeval_pt.constraints import amounts
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.relations import Relation
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.numbers import numbers

_NUMBER = regex.compile(r"\d++(?:[.,:/]\d++)*+")
_RANK_OR_TIME = regex.compile(
    r"\.?[ºª]|°(?!\s?[CFK]\b)(?=\s+\p{Ll}{2})|\.[oa]s?(?!\p{L})|:\d|[ \u00a0\u202f]?h(?!\p{L})"
)  # 7.º, 7° lugar, 7:00, 7 h
_TIME_BEFORE = regex.compile(r"\d:$")
# "às 7 horas", "das 7 às 9", while "dura 7 horas" and "às 7 irmãs" are amounts
_CLOCK = regex.compile(r"(?i)(?<!\p{L})(?:às|das|pelas|(?:até|após|desde) as)\s+$")
_HOURS = regex.compile(
    r"\s+(?:horas?(?!\p{L})|d[ae] (?:manhã|tarde|noite|madrugada)|em ponto|às?|e (?:meia|um|\d|quinze|vinte|trinta)"
    r"|até|ou)(?!\p{L})|\s*(?:[.;!?)”\"]|\Z|$)"
)
_NUMBERS = ("número", "números")


@constraint(
    "count:number_count",
    wording=lambda *, num_numbers, relation: (
        f"Use {amounts.spelled(relation, num_numbers, _NUMBERS)} em algarismos na resposta."
    ),
    kind=amounts.kind,
    follows=[
        Example("Em 1899, vendeu 1.500,75 exemplares.", {"num_numbers": 2, "relation": "exactly"}),
        Example("Das 8:30 às 10h, no dia 2.", {"num_numbers": 3, "relation": "at least"}),
    ],
    breaks=[
        Example("Custou R$ 1.500.", {"num_numbers": 2, "relation": "at least"}),
        Example("No século XIX, em dois volumes.", {"num_numbers": 1, "relation": "at least"}),
    ],
)
def number_count(text: Text, *, num_numbers: int, relation: Relation) -> Verdict:
    """The number of numbers in digits stands in the relation to `num_numbers`.

    Digits that separators join ("1.500,75", "8:30", "12/10/1931") are one number. Numbers in words and Roman numerals
    are none; the numeral of a list is one.
    """
    spans = [match.span() for match in _NUMBER.finditer(text.text)]
    return amounts.compare(text, spans, _NUMBERS, relation, num_numbers)


@constraint(
    "count:include_specific_number",
    wording="Mencione o número {number} na resposta.",
    kind="active",
    follows=[
        Example("Tinha 7 anos.", {"number": 7}),
        Example("Custou R$1.500,00.", {"number": 1500}),
        Example("Publicado em 1899.", {"number": 1899}),
    ],
    breaks=[
        Example("O livro saiu em 1977.", {"number": 7}),
        Example("Pesa 7,5 quilos e mede 1.7.", {"number": 7}),
        Example("Foi em 12/7/1931, no B7.", {"number": 7}),
    ],
)
def include_specific_number(text: Text, *, number: int) -> Verdict:
    """The number occurs in digits, as a number of its own (see `text.numbers`); 1.500 and 1.500,00 are 1500.

    As part of a word, an ordinal, a time or a fraction it does not.
    """
    mentions = [
        (occurring.start, occurring.end)
        for occurring in numbers(text.text)
        if occurring.value == number and _stands_alone(text.text, occurring.start, occurring.end)
    ]
    detail = f"A resposta {'menciona' if mentions else 'não menciona'} o número {number}."
    return Verdict(bool(mentions), text.evidence(mentions), detail)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether digits are no part of a word, a fraction, an ordinal or a time."""
    if "/" in text[start:end] or text[end : end + 1].isalpha() or _RANK_OR_TIME.match(text, end):
        return False
    before = text[max(start - 12, 0) : start]
    return not (_TIME_BEFORE.search(before) or (_CLOCK.search(before) and _HOURS.match(text, end)))
