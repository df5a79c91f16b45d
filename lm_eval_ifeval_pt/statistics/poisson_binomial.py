"""The number of successes among trials that differ in their chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def upper_tail(probabilities: Sequence[float], observed: int) -> float:
    """The probability of at least `observed` successes, one trial per probability.

    The sum of the probabilities of each number from there on: 1 - cdf, as scipy's `sf` has it, loses all digits of
    a small tail.
    """
    chances = np.ones(1)
    for probability in probabilities:  # sums of what is positive: no digit is lost
        chances = np.convolve(chances, [1 - probability, probability])
    return min(1.0, float(chances[max(observed, 0) :].sum()))
