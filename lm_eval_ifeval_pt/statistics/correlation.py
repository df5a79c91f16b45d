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
    from scipy.stats import spearmanr

    return float(spearmanr(x, y).statistic)
