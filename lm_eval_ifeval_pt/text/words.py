"""What a word is."""

from __future__ import annotations

from collections.abc import Iterator

import regex

_WORD = regex.compile(r"[\p{L}\p{N}]+(?:[-'’.,:/][\p{L}\p{N}]+)*")


def words(text: str) -> Iterator[tuple[int, int]]:
    """The words of a normalised text, as `(start, end)`."""
    for match in _WORD.finditer(text):
        yield match.span()
