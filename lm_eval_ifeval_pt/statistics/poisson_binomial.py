"""The number of successes among trials that differ in their chance."""

from __future__ import annotations

from collections.abc import Sequence


def upper_tail(probabilities: Sequence[float], observed: int) -> float:
    """The probability of at least `observed` successes, one trial per probability.

    The sum of the probabilities of each number from there on: 1 - cdf, as scipy's `sf` has it, loses all digits of
    a small tail.
    """
    from scipy.stats import poisson_binom

    numbers = range(max(observed, 0), len(probabilities) + 1)
    return min(1.0, float(poisson_binom(list(probabilities)).pmf(numbers).sum()))
