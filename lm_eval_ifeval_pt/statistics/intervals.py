"""Intervals for rates of independent items."""

from __future__ import annotations

from typing import NamedTuple


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def wilson(followed: int, n: int, confidence: float = 0.95) -> Interval:
    """The Wilson score interval, which stays honest for few items and for rates near 0 and 1.

    Source: Wilson 1927; Newcombe 1998, Statistics in Medicine 17:857.
    """
    from scipy.stats import binomtest

    interval = binomtest(followed, n).proportion_ci(confidence, method="wilson")
    return Interval(float(interval.low), float(interval.high))
