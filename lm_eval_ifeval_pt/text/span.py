"""A piece of a text, and where it stands."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A piece of a response: `response[start:end]`, offsets in code points of the text as the model wrote it."""

    start: int
    end: int
