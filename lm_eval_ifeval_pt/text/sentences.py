"""What a sentence is."""

from __future__ import annotations

from collections.abc import Iterator

import regex

_SENTENCE = regex.compile(r"[^.!?…\n]*[\p{L}\p{N}][^.!?…\n]*[.!?…]*")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a normalised text, as `(start, end)`."""
    for match in _SENTENCE.finditer(text):
        yield match.span()
