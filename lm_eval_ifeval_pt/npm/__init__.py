"""Normalised Preferred Metric: the formula, the baselines of the tasks, and the leaderboard made with them."""

from lm_eval_ifeval_pt.npm.baselines import BASELINES, Baseline
from lm_eval_ifeval_pt.npm.formula import (
    AVERAGES,
    Average,
    NpmEstimate,
    average,
    mean_npm,
    normalised,
    npm_ranks,
    task_npm,
)

__all__ = [
    "AVERAGES",
    "BASELINES",
    "Average",
    "Baseline",
    "NpmEstimate",
    "average",
    "mean_npm",
    "normalised",
    "npm_ranks",
    "task_npm",
]
