"""Patterns that match at few offsets of a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import regex


def matches_at(
    pattern: regex.Pattern[str], text: str, starts: Iterable[int], end: int | None = None
) -> Iterator[regex.Match[str]]:
    """The matches of a pattern that do not overlap, in order, tried only at some offsets.

    They are those of `pattern.finditer` where `starts` holds each offset at which a match can begin, and are found
    faster where those are few. No match is begun inside the one before: read from each of its characters, a long one
    would take quadratic time.

    Args:
        pattern: The pattern. It must not match the empty string.
        text: A text.
        starts: Offsets, in order.
        end: Where the text is taken to end; None for its own end.
    """
    end, done = len(text) if end is None else end, 0
    for start in starts:
        if start >= done and (match := pattern.match(text, start, end)):
            yield match
            done = match.end()
