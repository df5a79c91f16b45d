"""What CAPITU's checker takes for a word, a sentence, a paragraph."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator

from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text

PUNCTUATION = string.punctuation
"""ASCII only: a curly quote stays part of the word that it touches."""

_NUMERAL = re.compile(r"^[^\S\n]*\d+\.\s*", re.M)
_BULLET = re.compile(r"^[^\S\n]*[•*-]\s*", re.M)
# Not anchored: the "p." of "WhatsApp." is one too.
_ABBREVIATION = re.compile(r"(?:Dra?|Sra?|Profa?|S\.M|S\.A|Ltda|etc|vol|p|pp|ed|org|coord)\.|n\.º", re.I)
_ENDS = re.compile(r"[.!?]+")
_SENTENCE_GAP = re.compile(r"(?<=[.!?])\s+")
_PARAGRAPH_GAP = re.compile(r"\n\s*\n")
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"\w+")


def words(text: Text) -> list[str]:
    """The runs of characters between blanks: a dash and a list mark are words."""
    return text.text.split()


def bare_words(text: Text) -> list[str]:
    """Words in lower case without the ASCII punctuation around them; empty ones left out."""
    return [bare for word in text.lower.split() if (bare := word.strip(PUNCTUATION))]


def word_spans(text: Text) -> list[tuple[int, int]]:
    """Runs of letters, digits and underscores."""
    return [match.span() for match in _WORD.finditer(text.text)]


def sentence_count(text: Text) -> int:
    """Parts between stops longer than two characters, once list marks and abbreviations are gone."""
    plain = _ABBREVIATION.sub("___", _BULLET.sub("", _NUMERAL.sub("", text.text)))
    return sum(len(part.strip()) > 2 for part in _ENDS.split(plain))


def clauses(text: Text) -> list[list[str]]:
    """The words of each part between stops; "1.500" is two parts."""
    return [part.split() for part in _ENDS.split(text.text) if part.strip()]


def sentences(text: Text) -> list[str]:
    """Parts that end in a stop before white space."""
    return [part for part in _SENTENCE_GAP.split(text.text.strip()) if part.strip()]


def paragraph_count(text: Text) -> int:
    """Parts between empty lines."""
    return sum(bool(part.strip()) for part in _PARAGRAPH_GAP.split(text.text))


def lines(text: Text) -> list[str]:
    """Lines that are not blank, without the blanks around them."""
    return [line.strip() for line in text.text.split("\n") if line.strip()]


def numbers(text: Text) -> list[tuple[int, int]]:
    """Runs of digits; "1.500" is two."""
    return [match.span() for match in _NUMBER.finditer(text.text)]


def occurrences(text: Text, terms: Iterable[str]) -> Iterator[tuple[int, int]]:
    """The occurrences of terms as words: no letter, digit or underscore touches them."""
    for term in terms:
        for match in re.finditer(rf"\b{re.escape(term.lower())}\b", text.lower):
            yield match.span()


def counted(
    text: Text,
    number: int,
    unit: tuple[str, str],
    least: int = 0,
    most: float = float("inf"),
    spans: Iterable[tuple[int, int]] = (),
) -> Verdict:
    """Whether a number lies between two bounds; `unit` is its noun in singular and plural."""
    detail = f"O verificador publicado conta {number} {unit[number != 1]}."
    return Verdict(least <= number <= most, text.evidence(sorted(spans)), detail)
