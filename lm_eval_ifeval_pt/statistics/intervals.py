"""Intervals for rates of independent items."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

NORMAL = NormalDist().inv_cdf(0.975)
"""The 97.5 % quantile of the normal distribution: the standard errors from the middle to the end of a 95 % interval."""


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def agresti_coull_error(share: float, n: int) -> float:
    """The standard error of a rate of independent items that is not 0 where all are right or all wrong.

    Two items that are right and two that are wrong are added.

    Source: Agresti and Coull 1998, The American Statistician 52:119.
    """
    middle = (share * n + 2) / (n + 4)
    return math.sqrt(middle * (1 - middle) / (n + 4))


def wilson(followed: float, n: float, confidence: float = 0.95) -> Interval:
    """The Wilson score interval, which stays honest for few items and for rates near 0 and 1.

    Args:
        followed: How many of them; with an effective number of items, the rate times that number.
        n: How many items, or an effective number of them.
        confidence: The nominal coverage.

    Source: Wilson 1927; Newcombe 1998, Statistics in Medicine 17:857.
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate = followed / n
    middle = (rate + z * z / (2 * n)) / (1 + z * z / n)
    margin = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    low, high = middle - margin, middle + margin
    return Interval(0.0 if followed == 0 else low, 1.0 if followed == n else high)
