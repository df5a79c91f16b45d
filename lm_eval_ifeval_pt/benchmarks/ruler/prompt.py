"""A prompt and what makes some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample.

    Attributes:
        text: What the user says.
        outputs: What the answer must contain.
        prefix: The beginning of the answer, which the model continues.
        tokens: How many tokens text, delimiter and prefix should have, by addition.
    """

    text: str
    outputs: list[str]
    prefix: str
    tokens: int


Maker = Callable[[Random, int], Sample]
"""Makes a prompt of at most so many tokens, by addition; what it draws depends on the generator alone.

Raises `TooShort` where they do not suffice.
"""
