"""Accents, tilde and cedilla: the marks that letters carry; and the crase."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

import regex

ACUTE = "\u0301"
CIRCUMFLEX = "\u0302"
TILDE = "\u0303"

_ALPHABETS = (range(0xC0, 0x530), range(0x1E00, 0x2000))  # Latin, Greek and Cyrillic letters
_MARKS = "\u0300-\u036f"

# French, as in "à la carte" and "tête à tête": no article is contracted there. An "à" before the name "La
# Nación" is.
_FRENCH = r"(?:la|LA|(?i:la\s+carte|clef|clé|deux|point|porter|propos|t[êe]te|trois|vis))(?![\p{L}\p{M}])"
_CRASE = regex.compile(
    r"(?<![\p{L}\p{N}\p{M}])(?<![\p{L}\p{N}\p{M}]-)"
    r"(?i:às?|àquel[ae]s?|àquilo)(?![\p{L}\p{N}\p{M}])"
    rf"(?!(?:\s+|-){_FRENCH})"
)


def marked(text: str, mark: str | None = None) -> Iterator[tuple[int, int]]:
    """The letters of a normalised text that carry a mark; any mark at all when none is named.

    Of a letter that has no composed form with its mark (q̃), the mark.
    Signs that stand alone (`~`, `^`, `´`, `º`) and strokes through a letter (`ø`) are no marks; `ñ`, `ü` and
    `è` have one.
    """
    for match in _carrying(mark).finditer(text):
        yield match.span()


def count_marked(text: str, mark: str | None = None) -> int:
    """The number of letters that `marked` gives."""
    return len(_carrying(mark).findall(text))


@cache
def _carrying(mark: str | None) -> re.Pattern[str]:
    letters = (chr(code) for alphabet in _ALPHABETS for code in alphabet if chr(code).isalpha())
    composed = "".join(
        letter
        for letter in letters
        if (marks := unicodedata.normalize("NFD", letter)[1:]) and (mark is None or mark in marks)
    )
    return re.compile(f"[{composed}{mark or _MARKS}][{_MARKS}]*")


def crases(text: str) -> Iterator[tuple[int, int]]:
    """The crases of a normalised text: à, às, àquele(s), àquela(s), àquilo, in any case."""
    for match in _CRASE.finditer(text) if "à" in text or "À" in text else ():
        yield match.span()
