"""The four porquês: por que, por quê, porque, porquê."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex

# "por" and "que" may stand on two lines, but not in two paragraphs.
_PORQUE = regex.compile(
    r"(?<![\p{L}\p{N}\p{M}-])por((?=\s)[^\S\n]*+\n?[^\S\n]*+)?(que|quês?)(?![\p{L}\p{N}\p{M}])"
)


class Porque(NamedTuple):
    """One of the porquês: `por que`, `por quê`, `porque`, `porquê` or `porquês`, and where it stands."""

    form: str
    start: int
    end: int


def porques(lower: str) -> Iterator[Porque]:
    """The porquês of a normalised text in lower case."""
    for match in _PORQUE.finditer(lower):
        space, ending = match.groups()
        yield Porque(f"por {ending}" if space else f"por{ending}", *match.span())
