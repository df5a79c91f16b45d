"""Intervals for rates of independent items."""

from __future__ import annotations

import math
from typing import NamedTuple


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def wilson(followed: int, n: int, confidence: float = 0.95) -> Interval:
    """The Wilson score interval, which stays honest for few items and for rates near 0 and 1.

    Source: Wilson 1927; Newcombe 1998, Statistics in Medicine 17:857.
    """
    return _proportion(followed, n, confidence, "wilson")


def clopper_pearson(followed: int, n: int, confidence: float = 0.95) -> Interval:
    """The exact interval, which covers at least as often as it says, mostly more often.

    Source: Clopper and Pearson 1934, Biometrika 26:404.
    """
    return _proportion(followed, n, confidence, "exact")


def newcombe(followed: tuple[int, int], n: tuple[int, int], confidence: float = 0.95) -> Interval:
    """The interval for the difference of two independent rates, first minus second.

    Source: Newcombe 1998, Statistics in Medicine 17:873, method 10.
    """
    one, other = (wilson(k, size, confidence) for k, size in zip(followed, n, strict=True))
    rate, second = followed[0] / n[0], followed[1] / n[1]
    difference = rate - second
    return Interval(
        difference - math.hypot(rate - one.low, other.high - second),
        difference + math.hypot(one.high - rate, second - other.low),
    )


def _proportion(followed: int, n: int, confidence: float, method: str) -> Interval:
    from scipy.stats import binomtest

    interval = binomtest(followed, n).proportion_ci(confidence, method=method)
    return Interval(float(interval.low), float(interval.high))
