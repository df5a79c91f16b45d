"""Draws as `random.Random` makes them, in a third of the time: samples are of thousands of them, each a call there.

Every draw is CPython's `Random._randbelow`: as many bits as the number has, again where they exceed it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

_T = TypeVar("_T")


def shuffle(rng: Random, items: list[Any]) -> None:
    """What `rng.shuffle(items)` does."""
    bits = rng.getrandbits
    for last in range(len(items) - 1, 0, -1):
        size = (last + 1).bit_length()
        index = bits(size)
        while index > last:
            index = bits(size)
        items[last], items[index] = items[index], items[last]


def sample(rng: Random, population: Sequence[_T], count: int) -> list[_T]:
    """What `rng.sample(population, count)` gives."""
    among = len(population)
    # Where `Random.sample` copies the population, it is too small for the time to matter.
    copied = 21 + (4 ** math.ceil(math.log(count * 3, 4)) if count > 5 else 0)
    if not 0 <= count <= among or among <= copied:
        return rng.sample(population, count)
    bits, size = rng.getrandbits, among.bit_length()
    drawn: dict[int, None] = {}
    while len(drawn) < count:
        index = bits(size)
        if index < among:
            drawn[index] = None
    return [population[index] for index in drawn]
