"""Instruction-level rates that the harness can average, with a standard error."""

from __future__ import annotations

import math
from collections.abc import Iterable


class Rate(float):
    """A ratio of sums over documents, which remembers the mean number of instructions per document."""

    per_document: float

    def __new__(cls, value: float, per_document: float = math.nan) -> Rate:
        rate = super().__new__(cls, value)
        rate.per_document = per_document
        return rate


class Outcomes(list[bool]):
    """One document's outcomes, one per instruction (possibly none): `[True, False]` in sample files, as upstream.

    The harness has no standard error for a custom aggregation; it has one for its `mean`. So these lists define the
    four operations that `mean` and `mean_stderr` use, such that the mean of the lists is the flattened mean over all
    instructions, R = sum(followed) / sum(instructions), and its stderr is the linearised one of a ratio estimator with
    the document as the cluster: the sample deviation of (followed_d - R * instructions_d) / mean(instructions), over
    the root of the number of documents (Cochran, Sampling Techniques, 1977, section 6.4).
    """

    def __radd__(self, zero: int) -> _Total:
        return _Total(0, 0) + self

    def __sub__(self, mean: Rate) -> float:
        return (sum(self) - mean * len(self)) / mean.per_document if mean.per_document else math.nan


class _Total:
    """The running sum of some `Outcomes`."""

    __slots__ = ("followed", "instructions")

    def __init__(self, followed: int, instructions: int) -> None:
        self.followed = followed
        self.instructions = instructions

    def __add__(self, other: Iterable[bool]) -> _Total:
        outcomes = list(other)
        return _Total(self.followed + sum(outcomes), self.instructions + len(outcomes))

    def __truediv__(self, documents: int) -> Rate:
        value = self.followed / self.instructions if self.instructions else math.nan
        return Rate(value, self.instructions / documents)
