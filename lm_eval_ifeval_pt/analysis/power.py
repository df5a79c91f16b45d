"""The variance of paired differences and the design effect of clusters, which decide how many items are needed."""

from __future__ import annotations

from lm_eval_ifeval_pt.analysis.pairing import Shared
from lm_eval_ifeval_pt.statistics import design_effect, mean


def assumed(rate: float, correlation: float, cluster_size: int, icc: float) -> tuple[float, float]:
    """The variance of the differences of two models on one item, and the design effect, without measurements.

    Args:
        rate: The score of either model, a share.
        correlation: Of the two outcomes on one item.
        cluster_size: Items per base task.
        icc: The correlation of differences within a base task.

    Source: Kish 1965, Survey Sampling, section 5.4 (design effect).
    """
    return 2 * rate * (1 - rate) * (1 - correlation), 1 + (cluster_size - 1) * icc


def measured(shared: Shared) -> tuple[float, float, int]:
    """The variance of the differences, the design effect of base tasks, and the number of clusters of two runs."""
    changes = [of_b - of_a for of_a, of_b in zip(*shared.scores, strict=True)]
    independent, clustered = mean(changes), mean(changes, shared.base_task)
    variance = independent.stderr**2 * independent.n
    return variance, design_effect(clustered, independent), clustered.df + 1
