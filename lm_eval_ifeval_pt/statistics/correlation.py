"""Rank correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = Sequence[float] | npt.NDArray[Any]


def spearman(x: Numbers, y: Numbers) -> float:
    """Spearman's rank correlation, ties at their mean rank; NaN where a side does not vary or has one value.

    Source: Spearman 1904, American Journal of Psychology 15:72.
    """
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    return float(np.corrcoef(_mean_ranks(x), _mean_ranks(y))[0, 1])


def _mean_ranks(values: Numbers) -> npt.NDArray[np.float64]:
    """Ranks from 1, ties at the mean of theirs; to import `scipy.stats` for it takes longer than whole tables do."""
    _, value_of, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: npt.NDArray[np.float64] = np.cumsum(counts) - (counts - 1) / 2
    return means[value_of]
