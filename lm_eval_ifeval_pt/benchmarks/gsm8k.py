"""GSM8K-PT: word problems of primary school, answered with a number after the way to it.

Every task scores four readings of a response, none of which sees its reasoning up to `</think>`. Strict and flexible
are the published kinds of extraction: the number after the marker that the shots show, and the one that is given as
the answer in whatever form. Each is made twice: with numbers as Portuguese writes them, and by the published patterns
(`compat`), which make "1.23450" of "1.234,50".
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import regex

from lm_eval_ifeval_pt.benchmarks.docs import Row, derive
from lm_eval_ifeval_pt.npm.baselines import BASELINES
from lm_eval_ifeval_pt.npm.formula import normalised
from lm_eval_ifeval_pt.paths import bundled
from lm_eval_ifeval_pt.text import numbers
from lm_eval_ifeval_pt.text.numbers import Number
from lm_eval_ifeval_pt.text.reasoning import answer

_ENGLISH = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+")

INVALID = "[invalid]"
"""What the published patterns make of a response without a number."""

HASHES = "####"
SENTENCE = "A resposta é"

_GAP = r"[^\p{L}\p{N}\n]{0,12}+"
# The number that a marker announces: marks, a currency and few words may stand between them, nothing else.
_ANNOUNCED = {
    marker: regex.compile(rf"{pattern}{_GAP}(?:(?:(?:R|US)\\?\$|menos|de|igual a){_GAP})?+(?=[0-9¼½¾])", regex.I)
    for marker, pattern in ((HASHES, "(?<!#)####(?!#)"), (SENTENCE, r"\ba resposta é\b"))
}
_SAID = regex.compile(r"\bresposta(?: \p{L}++){0,3}[ *_]*+(?::|=|\b(?:é|são|será|seria)\b)", regex.I)
# What a numbered heading has after its number, up to the end of the line; and text anywhere below.
_HEADING = regex.compile(r"[0-9]{1,2}[.)][*_]*+[ \t]++[*_]*+\p{L}[^\n]*+")
_TEXT = regex.compile(r"[\p{L}\p{N}]")
_LATEX = (
    (regex.compile(r"(?<=[0-9])\{([.,])\}(?=[0-9])"), r"\1"),
    (regex.compile(r"(?<=[0-9])\\[,;:! ](?=[0-9]{3}(?![0-9]))"), "\u202f"),
    (regex.compile(r"\\[dt]?frac\{ ?([0-9]{1,20}) ?\}\{ ?([0-9]{1,20}) ?\}"), r"\1/\2"),
)
_NEAR = 200
"""How many characters after a marker an answer may stand in."""


# Documents


def gold(row: Row) -> str | None:
    """What stands after the last `####`: the answer as the data set writes it; None where that is no number."""
    written: str = row["answer"].rpartition(HASHES)[2].strip()
    return written if HASHES in row["answer"] and gold_value(written) is not None else None


def gold_value(written: str) -> Fraction | None:
    """The value of a key. Whichever mark stands before three digits parts thousands: the rows come from English."""
    number = numbers.first(written)
    if number is None:
        return None
    if re.fullmatch(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3})+", number.digits):
        size = Fraction(re.sub("[.,]", "", number.digits))
        return size if number.value > 0 else -size
    return number.value


def _columns(row: Row, template: str, whole: bool) -> Row | None:
    key = gold(row)
    target = row["answer"] if whole else key
    return None if key is None else {"query": template.format(row["question"]), "target": target, "gold": key}


_COT = "P: {}\nR:"

docs = partial(derive, columns=partial(_columns, template="Pergunta: {}\nResposta:", whole=True))
docs_cot = partial(derive, columns=partial(_columns, template=_COT, whole=False))
docs_zeroshot = partial(
    derive, columns=partial(_columns, template=_COT + " Vamos pensar passo a passo.", whole=False)
)


def shots_cot() -> list[Row]:
    """The eight fixed examples, written for this package. Each ends with "A resposta é N."."""
    lines = (bundled("data") / "gsm8k_pt" / "cot_shots.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [{"query": _COT.format(row["question"]), "target": row["answer"]} for row in rows]


# Readings


def plain(response: str) -> str:
    """A response with LaTeX's signs within numbers as text has them: `12{,}5`, `1\\,200`, `\\frac{1}{2}`."""
    for pattern, replacement in _LATEX:
        response = pattern.sub(replacement, response)
    return response


def strict(response: str, marker: str) -> Number | None:
    """The number that follows the first marker with one; nothing but marks and a currency stand between them.

    A numbered heading ("#### 1. Somar", with text below it) is no answer. Of an equation, what it comes to is.
    """
    response = plain(response)
    for announced in _ANNOUNCED[marker].finditer(response):
        heading = _HEADING.match(response, announced.end()) if marker == HASHES else None
        if not (heading and _TEXT.search(response, heading.end())):
            clause = response[announced.start() : announced.end()] + _line(response, announced.end())
            return _result(clause)
    return None


def _result(clause: str) -> Number | None:
    """The number after the last equals sign, else the first one."""
    after_equals = clause.rpartition("=")[1:]
    found = numbers.first("".join(after_equals)) if any(after_equals) and "=" in clause else None
    return found if found is not None else numbers.first(clause)


def flexible(response: str) -> Number | None:
    """The number that a response gives as its answer, in whatever form.

    In this order: after `####`; in the last `\\boxed{}`; after the last "a resposta … é" or "Resposta:" (past the last
    equals sign of its line); the last number of the response.
    """
    response = plain(response)
    if (number := strict(response, HASHES)) is not None:
        return number
    boxed = response.rfind("\\boxed{")
    if boxed >= 0 and (number := _result(response[boxed : boxed + _NEAR].partition("}")[0])) is not None:
        return number
    for said in deque(_SAID.finditer(response), maxlen=1):
        if (number := _result(said[0] + _line(response, said.end()))) is not None:
            return number
    return numbers.last(response)


def _line(response: str, start: int) -> str:
    """The text from here to the end of the line, or of the next line with something on it."""
    near = response[start : start + _NEAR]
    blank = len(near) - len(near.lstrip("#*_ \n\t:"))
    return near[: blank + len(near[blank:].partition("\n")[0])]


_COMPAT_STRICT = {
    HASHES: re.compile(r"#### (\-?[0-9\.\,]+)"),
    # As published, one more character must follow: "42" without a full stop is read as 4.
    SENTENCE: re.compile(r"A resposta é (\-?[0-9\.\,]+)."),
}
_COMPAT_FLEXIBLE = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
_COMPAT_IGNORED = tuple(map(re.compile, (",", r"\$", r"\.$")))


def compat_strict(response: str, marker: str) -> str:
    """The published extraction of the number after the marker."""
    found = _COMPAT_STRICT[marker].search(response)
    return found[1] if found else INVALID


def compat_flexible(response: str) -> str:
    """The published extraction of the last number."""
    found = INVALID
    for match in _COMPAT_FLEXIBLE.finditer(response):
        found = match[0]
    return found


def compat_equal(extracted: str, answer: str) -> bool:
    """The published comparison with the answer as the data set has it: equal without what the patterns ignore."""
    return _compat_plain(extracted) == _compat_plain(answer)


def _compat_plain(text: str) -> str:
    text = text.rpartition("#### ")[2]
    for pattern in _COMPAT_IGNORED:
        text = pattern.sub("", text)
    return text.lower()


# Scores


def is_right(number: Number | None, key: str) -> bool:
    """Whether a number is the key: the same value, written in the same way, or the same value in English notation.

    "1,200" is 1.2 in Portuguese and 1200 in English, as the keys and many shots have it. Where the key is 1200 it is
    right, which the published readings also say; no key of GSM8K has three decimals.
    """
    if number is None:
        return False
    return gold_value(key) in (number.value, english_value(number)) or number.digits == key.lstrip("-")


def english_value(number: Number) -> Fraction | None:
    """The value of digits whose commas part thousands in English ("1,200"); None of any others."""
    size = gold_value(number.digits) if _ENGLISH.fullmatch(number.digits) else None
    return None if size is None else size if number.value > 0 else -size


@dataclass(frozen=True)
class Scorer:
    """The `process_results` of one task, as a callable of a document and its response.

    Attributes:
        marker: What stands before the answer in the shots.
        preferred: The metric that `npm` is made of.
    """

    marker: str
    preferred: str = "exact_match"

    def __call__(self, doc: Row, results: Sequence[str]) -> dict[str, float]:
        """Score the first response: `exact_match`, `flexible_match`, both `_compat`, `invalid` and `npm`."""
        response = answer(results[0]).text
        found = flexible(response)
        scores = {
            "exact_match": float(is_right(strict(response, self.marker), doc["gold"])),
            "flexible_match": float(is_right(found, doc["gold"])),
            "exact_match_compat": float(compat_equal(compat_strict(response, self.marker), doc["answer"])),
            "flexible_match_compat": float(compat_equal(compat_flexible(response), doc["answer"])),
            "invalid": float(found is None),
        }
        return {**scores, "npm": _npm(scores[self.preferred])}


def _npm(score: float) -> float:
    baseline = BASELINES["gsm8k_pt"]  # of all variants: no answer is right by chance
    return normalised(score, baseline.random, baseline.max)


process_results = Scorer(HASHES)
process_results_cot = Scorer(SENTENCE)
process_results_zeroshot = Scorer(SENTENCE, preferred="flexible_match")


def majority(found: Iterable[Number | None]) -> Number | None:
    """The number with the most common value, the earliest of equals; responses without one have no vote."""
    voters = [number for number in found if number is not None]
    if not voters:
        return None
    ((value, _),) = Counter(number.value for number in voters).most_common(1)
    return next(number for number in voters if number.value == value)


def process_results_votes(doc: Row, results: Sequence[Sequence[str]]) -> dict[str, float]:
    """Score repeated responses: `exact_match` of the first, `maj@8`, `maj@64`, and `npm` of `maj@64`."""
    (responses,) = results
    found = [strict(answer(response).text, SENTENCE) for response in responses]
    scores = {f"maj@{k}": float(is_right(majority(found[:k]), doc["gold"])) for k in (8, 64)}
    return {"exact_match": float(is_right(found[0], doc["gold"])), **scores, "npm": _npm(scores["maj@64"])}


def keep_all(responses: Iterable[Sequence[str]], docs: Iterable[Row]) -> list[list[str]]:
    """A filter of the harness that keeps every response of a document; without one it keeps the first."""
    return [list(repeated) for repeated in responses]
