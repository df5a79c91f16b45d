"""Markdown marks, quotation marks and surplus white space: what the loose score looks through."""

from __future__ import annotations

from collections.abc import Iterator

import regex

_MARKS = regex.compile(r"[*_`#\"“”«»]+")


def marks(text: str) -> Iterator[tuple[int, int]]:
    """The spans to drop for the loose score, ordered and not overlapping."""
    for match in _MARKS.finditer(text):
        yield match.span()
