"""Means of items that are not independent: several instructions of one document, documents of one base task."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.statistics.intervals import Interval, wilson

_NORMAL = 1.959963984540054  # the 97.5 % quantile
Numbers = Sequence[float] | npt.NDArray[Any]


class Estimate(NamedTuple):
    """A value with its standard error.

    Attributes:
        value: The value.
        stderr: Its standard error; NaN where it cannot be known (one item, one cluster).
        df: Degrees of freedom: the smallest number of clusters, less one.
        n: How many items it comes from.
        bounds: Its 95 % interval where that is not the t interval, as of a rate.
    """

    value: float
    stderr: float
    df: int
    n: int
    bounds: Interval | None = None

    def interval(self, confidence: float = 0.95) -> Interval:
        """The interval: `bounds` at 95 %, else the t interval, which is NaN where the standard error is."""
        if self.bounds is not None and confidence == 0.95:
            return self.bounds
        margin = self.stderr * _t(0.5 + confidence / 2, self.df)
        return Interval(self.value - margin, self.value + margin)

    @property
    def p_value(self) -> float:
        """The two-sided p-value of "the value is 0" (t test); NaN where the standard error is.

        Items that are all alike leave a standard error of 0, which says that they are few or easy and not that there
        is no error: nothing is claimed then, unless the value is 0.
        """
        if math.isnan(self.stderr) or (self.stderr == 0 and self.value != 0):
            return math.nan
        if self.stderr == 0:
            return 1.0
        from scipy.special import stdtr

        return float(2 * stdtr(self.df, -abs(self.value) / self.stderr))


def mean(values: Numbers, *clusterings: Sequence[Hashable]) -> Estimate:
    """The mean with a standard error that respects clusters.

    No clustering: s / sqrt(n). One: the root of G/(G-1) * sum over clusters of (sum of residuals)² / n² (CR1). Two
    that cross: the variance by the one, plus that by the other, less that by both at once; where this is negative, the
    larger of the first two. With t intervals of the smallest G - 1 degrees of freedom.

    Args:
        values: One number per item, at least one.
        *clusterings: The cluster of each item, in none, one or two ways.

    Source: Miller 2024, arXiv:2411.00640, section 2; Cameron, Gelbach and Miller 2011, Journal of Business &
    Economic Statistics 29:238.
    """
    numbers = np.asarray(values, dtype=float)
    n = len(numbers)
    residuals = numbers - numbers.mean()
    if not clusterings:
        variance, groups = _variance(residuals, range(n))
    elif len(clusterings) == 1:
        variance, groups = _variance(residuals, clusterings[0])
    else:
        one, other = clusterings
        (by_one, g_one), (by_other, g_other) = _variance(residuals, one), _variance(residuals, other)
        by_both, _ = _variance(residuals, list(zip(one, other, strict=True)))
        variance, groups = by_one + by_other - by_both, min(g_one, g_other)
        if variance <= 0:
            variance = max(by_one, by_other)
    return Estimate(float(numbers.mean()), math.sqrt(variance) if groups > 1 else math.nan, groups - 1, n)


def rate(values: Numbers, *clusterings: Sequence[Hashable]) -> Estimate:
    """The mean of outcomes that are 0 or 1, as `mean`, with a score interval instead of the t interval.

    It is Wilson's for the number of independent items that would have the same standard error: p (1 - p) / stderr²,
    at most n. Clusters are estimates themselves, which widens it by the ratio of the t to the normal quantile (Korn and
    Graubard). Where all outcomes are alike no error can be measured; then each cluster counts as one item.

    Source: Korn and Graubard 1998, Survey Methodology 24:193; Franco et al. 2019, Journal of Survey Statistics and
    Methodology 7:334.
    """
    estimate = mean(values, *clusterings)
    if math.isnan(estimate.stderr):
        return estimate
    share = estimate.value
    effective = min(share * (1 - share) / estimate.stderr**2, estimate.n) if estimate.stderr else estimate.df + 1
    if estimate.df + 1 < estimate.n:
        effective *= (_NORMAL / _t(0.975, estimate.df)) ** 2
    return estimate._replace(bounds=wilson(share * effective, effective))


def difference_of_rates(changes: Numbers, *clusterings: Sequence[Hashable]) -> Estimate:
    """The mean of paired differences of outcomes that are 0 or 1, with an error that few items cannot make vanish.

    Half a pair is added to each of the four cells of the paired table (Agresti and Min), which draws the difference to
    0 a little and leaves no table without variance; the standard error is that, or the clustered one if it is larger.

    Args:
        changes: -1, 0 or 1 per item.
        *clusterings: As of `mean`.

    Source: Agresti and Min 2005, Statistics in Medicine 24:729.
    """
    numbers = np.asarray(changes, dtype=float)
    n = len(numbers)
    value = float(numbers.sum()) / (n + 2)
    variance = (float((numbers**2).sum()) + 1) / (n + 2) - value**2
    clustered = mean(numbers, *clusterings)
    stderr = max(math.sqrt(variance / (n + 2)), 0.0 if math.isnan(clustered.stderr) else clustered.stderr)
    return Estimate(value, stderr, max(clustered.df, 1), n)


def _variance(residuals: npt.NDArray[Any], clusters: Sequence[Hashable]) -> tuple[float, int]:
    """The variance of the mean by one clustering, and how many clusters there are."""
    number: dict[Hashable, int] = {}
    index = [number.setdefault(cluster, len(number)) for cluster in clusters]
    sums = np.bincount(index, weights=residuals)
    groups = len(number)
    correction = groups / (groups - 1) if groups > 1 else 1.0
    return float(correction * (sums**2).sum() / len(residuals) ** 2), groups


def design_effect(clustered: Estimate, independent: Estimate) -> float:
    """How many times more items the clusters cost: the ratio of the two variances."""
    return (clustered.stderr / independent.stderr) ** 2 if independent.stderr else math.nan


def jackknife(statistic: Callable[[npt.NDArray[Any]], float], rows: npt.NDArray[Any]) -> Estimate:
    """A statistic of independent rows, its standard error by leaving out one row at a time.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 11.2.
    """
    n = len(rows)
    without = np.array([statistic(np.delete(rows, row, axis=0)) for row in range(n)])
    variance = (n - 1) / n * ((without - without.mean()) ** 2).sum()
    return Estimate(statistic(rows), math.sqrt(variance) if n > 1 else math.nan, n - 1, n)


def _t(probability: float, df: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, probability)) if df > 0 else math.nan
