"""What a paragraph is."""

from __future__ import annotations

from collections.abc import Iterator

import regex

_BLOCK = regex.compile(r"\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+")


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """The paragraphs of a normalised text, as `(start, end)`: what stands between empty lines.

    A line of nothing but white space is empty; headings, lists and rules are paragraphs like others.
    """
    for match in _BLOCK.finditer(text):
        yield match.start(), match.start() + len(match[0].rstrip())
