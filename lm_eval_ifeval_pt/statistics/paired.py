"""Two models on the same items."""

from __future__ import annotations


def mcnemar(improved: int, regressed: int) -> float:
    """The exact two-sided p-value of McNemar's test; items on which both models agree say nothing.

    Of the items that changed, as many are expected to improve as to regress.

    Source: McNemar 1947, Psychometrika 12:153; Agresti 2002, Categorical Data Analysis, section 10.1.
    """
    from scipy.special import bdtr

    changed = improved + regressed
    return min(1.0, 2 * float(bdtr(min(improved, regressed), changed, 0.5))) if changed else 1.0
