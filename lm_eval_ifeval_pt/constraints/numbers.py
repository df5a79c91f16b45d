"""How many numbers, and which."""

from __future__ import annotations

import regex

from lm_eval_ifeval_pt import amounts
from lm_eval_ifeval_pt.registry import Example, constraint
from lm_eval_ifeval_pt.relations import Relation
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.verdict import Verdict

_NUMBER = regex.compile(r"\d++(?:[.,:/]\d++)*+")
_NUMBERS = ("número", "números")
# A number that stands for itself: no part of a word, of another number or of a date.
_WHOLE = regex.compile(r"(?<![\p{L}\p{N}_])(?<!\d[.,:/])\d++(?:\.\d{3})*+(?:,0++)?+(?![\p{L}\p{N}_]|[.,:/]\d)")
_THOUSANDS = regex.compile(r"\d{1,3}(?:\.\d{3})*+(?:,0++)?+|\d++(?:,0++)?+")


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
    found = [match.span() for match in _NUMBER.finditer(text.text)]
    return amounts.compare(text, found, _NUMBERS, relation, num_numbers)


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
    """The number occurs in digits, as a number of its own; 1.500 and 1.500,00 are 1500."""
    found = [match.span() for match in _WHOLE.finditer(text.text) if _value(match[0]) == number]
    detail = f"A resposta {'menciona' if found else 'não menciona'} o número {number}."
    return Verdict(bool(found), text.evidence(found), detail)


def _value(written: str) -> int | None:
    digits = written.partition(",")[0].replace(".", "")
    plausible = _THOUSANDS.fullmatch(written) and len(digits) < 30 and digits.isdecimal()
    return int(digits) if plausible else None
