"""Normalised Preferred Metric (NPM): scores of benchmarks with different chance levels, on one scale."""

from __future__ import annotations


def normalised(score: float, random: float, maximum: float = 1.0) -> float:
    """A score on the NPM scale: 0 is chance, 100 is the maximum, below chance is negative (no clipping).

    Args:
        score: The preferred metric, in the units of `random` and `maximum`.
        random: What guessing scores.
        maximum: The best possible score.

    Source: Pires et al. 2023 (Sabiá), as used in Tucano 2 (arXiv:2603.03543), section 5.2.
    """
    return 100 * (score - random) / (maximum - random)
