"""Means of items that are not independent: several instructions of one document, documents of one base task."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.statistics.intervals import NORMAL, Interval, wilson

_FEW = 5  # clusters, whose spread says little
_ROUNDING = 1e-12  # sums of residuals below this share of all are 0, but for rounding
Numbers = Sequence[float] | npt.NDArray[Any]
Clusters = Sequence[Hashable] | npt.NDArray[np.intp]
"""The cluster of each item, by any name; or by the numbers of `numbered`, which saves counting them again."""


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
        """The interval: `bounds` at 95 %, else the t interval.

        It is NaN where the standard error is, or is 0: items that are all alike do not say how far others would lie.
        """
        if self.bounds is not None and confidence == 0.95:
            return self.bounds
        if self.stderr == 0:
            return Interval(math.nan, math.nan)
        margin = self.stderr * _t(0.5 + confidence / 2, self.df)
        return Interval(self.value - margin, self.value + margin)

    def as_dict(self) -> dict[str, Any]:
        """The numbers with the 95 % interval, as JSON output shows them."""
        return {"value": self.value, "stderr": self.stderr, "df": self.df, "n": self.n, "interval": self.interval()}

    def scaled(self, factor: float, offset: float = 0.0) -> Estimate:
        """The same on another scale: `factor` times the value, plus `offset`."""
        bounds = None if self.bounds is None else sorted(factor * bound + offset for bound in self.bounds)
        return self._replace(
            value=factor * self.value + offset,
            stderr=abs(factor) * self.stderr,
            bounds=None if bounds is None else Interval(*bounds),
        )

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


def mean(values: Numbers, *clusterings: Clusters) -> Estimate:
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
        variance, groups = _variance(residuals, np.arange(n))
    elif len(clusterings) == 1:
        variance, groups = _variance(residuals, clusterings[0])
    else:
        first, second = clusterings
        (by_first, g_first), (by_second, g_second) = _variance(residuals, first), _variance(residuals, second)
        by_both, _ = _variance(residuals, numbered(zip(first, second, strict=True)))
        variance, groups = by_first + by_second - by_both, min(g_first, g_second)
        if variance <= 0:
            variance = max(by_first, by_second)
    return Estimate(float(numbers.mean()), math.sqrt(variance) if groups > 1 else math.nan, groups - 1, n)


def rate(values: Numbers, *clusterings: Clusters) -> Estimate:
    """The mean of outcomes that are 0 or 1, as `mean`, with a score interval instead of the t interval.

    It is Wilson's, of clustered items for as many independent ones as have that standard error: p (1 - p) / stderr².
    Clusters are estimates themselves, which widens it by the ratio of the t to the normal quantile (Korn and Graubard).
    In a crossed design they may well vary less than independent items would; fewer than five of them are not believed
    when they say so. Where all outcomes are alike no error can be measured; then, and where there is one cluster, each
    cluster counts as one item. Clusters that all have the same share although the items within differ show no
    spread, which does not say that others have none: then the items count as independent.

    Source: Korn and Graubard 1998, Survey Methodology 24:193; Franco et al. 2019, Journal of Survey Statistics and
    Methodology 7:334.
    """
    estimate = mean(values, *clusterings)
    share, clusters = estimate.value, estimate.df + 1
    effective: float = clusters
    if clusters < estimate.n and estimate.stderr > 0:
        effective = share * (1 - share) / estimate.stderr**2 * (NORMAL / _t(0.975, estimate.df)) ** 2
        if clusters < _FEW:
            effective = min(effective, estimate.n)
    elif 0 < share < 1 and estimate.stderr == 0:
        effective = estimate.n
    return estimate._replace(bounds=wilson(share * effective, effective))


def mean_score(values: Numbers, *clusterings: Clusters) -> Estimate:
    """The mean of any score: `rate` where all values are 0 or 1, else `mean`."""
    return (rate if set(values) <= {0.0, 1.0} else mean)(values, *clusterings)


def difference_of_rates(changes: Numbers, *clusterings: Clusters) -> Estimate:
    """The mean of paired differences of outcomes that are 0 or 1, with an error that few items cannot make vanish.

    Half a pair is added to each of the four cells of the paired table (Agresti and Min), which draws the difference to
    0 a little and leaves no table without variance; the standard error is that, or the clustered one if it is larger.
    The interval is normal, or of clusters the t interval.

    Args:
        changes: -1, 0 or 1 per item.
        *clusterings: As of `mean`.

    Source: Agresti and Min 2005, Statistics in Medicine 24:729.
    """
    return _difference_of_rates(changes, mean(changes, *clusterings))


def _difference_of_rates(changes: Numbers, clustered: Estimate) -> Estimate:
    numbers = np.asarray(changes, dtype=float)
    n = len(numbers)
    value = float(numbers.sum()) / (n + 2)
    variance = (float((numbers**2).sum()) + 1) / (n + 2) - value**2
    stderr = max(math.sqrt(variance / (n + 2)), 0.0 if math.isnan(clustered.stderr) else clustered.stderr)
    df = max(clustered.df, 1)
    margin = stderr * (NORMAL if clustered.df + 1 == n else _t(0.975, df))
    return Estimate(value, stderr, df, n, Interval(max(value - margin, -1.0), min(value + margin, 1.0)))


def paired_difference(changes: Numbers, *clusterings: Clusters) -> Estimate:
    """The mean of paired differences as it is, with the interval of `difference_of_rates` where outcomes are 0 or 1.

    Args:
        changes: One per item; of outcomes that are 0 or 1 they are -1, 0 or 1.
        *clusterings: As of `mean`.
    """
    numbers = np.asarray(changes, dtype=float)
    estimate = mean(numbers, *clusterings)
    if not ((numbers == 0) | (np.abs(numbers) == 1)).all():
        return estimate
    of_rates = _difference_of_rates(numbers, estimate)
    return estimate._replace(stderr=of_rates.stderr, bounds=of_rates.bounds)


def mean_of_estimates(estimates: Sequence[Estimate]) -> Estimate:
    """The unweighted mean of independent estimates, with degrees of freedom after Satterthwaite.

    Where all of them have intervals of their own, so has the mean: its distance to a bound is the root of the sum of
    squares of theirs (method of variance estimates recovery).

    Source: Satterthwaite 1946, Biometrics Bulletin 2:110; Zou and Donner 2008, Statistics in Medicine 27:1693.
    """
    k = len(estimates)
    value, n = sum(estimate.value for estimate in estimates) / k, sum(estimate.n for estimate in estimates)
    known = [(estimate.value, *estimate.bounds) for estimate in estimates if estimate.bounds is not None]
    bounds = None
    if len(known) == k:
        downward = math.sqrt(sum((middle - low) ** 2 for middle, low, _ in known)) / k
        upward = math.sqrt(sum((high - middle) ** 2 for middle, _, high in known)) / k
        bounds = Interval(value - downward, value + upward)
    total = sum(estimate.stderr**2 for estimate in estimates)
    if math.isnan(total):  # an estimate of one item, or of one cluster
        return Estimate(value, math.nan, 0, n, bounds)
    squares = sum(estimate.stderr**4 / estimate.df for estimate in estimates if estimate.df)
    df = round(total**2 / squares) if squares > 0 else min(estimate.df for estimate in estimates)
    return Estimate(value, math.sqrt(total) / k, df, n, bounds)


def numbered(clusters: Iterable[Hashable]) -> npt.NDArray[np.intp]:
    """Clusters as numbers from 0 in the order in which they occur, which `mean` and the others need not count."""
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(cluster, len(number)) for cluster in clusters], np.intp)


def _variance(residuals: npt.NDArray[Any], clusters: Clusters) -> tuple[float, int]:
    """The variance of the mean by one clustering, and how many clusters there are."""
    index = clusters if isinstance(clusters, np.ndarray) else numbered(clusters)
    sums = np.bincount(index, weights=residuals)
    sums[np.abs(sums) < _ROUNDING * np.abs(residuals).sum()] = 0.0
    groups = len(sums)
    correction = groups / (groups - 1) if groups > 1 else 1.0
    return float(correction * (sums**2).sum() / len(residuals) ** 2), groups


def design_effect(clustered: Estimate, independent: Estimate) -> float:
    """The ratio of the two variances: how many times more items the clusters cost."""
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
