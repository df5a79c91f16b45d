"""Statistics of evaluations: few items, correlated items, many comparisons. Pure functions of numbers.

What scipy has is scipy's; the rest is here, each with its source and tested against published values.
"""

from __future__ import annotations

from lm_eval_ifeval_pt.statistics.agreement import (
    fleiss_kappa,
    majority_at_k,
    pairwise_agreement,
    pass_at_k,
    pass_to_the_k,
)
from lm_eval_ifeval_pt.statistics.bradley_terry import Strengths, bradley_terry, clustered_covariance, elo
from lm_eval_ifeval_pt.statistics.clustered import (
    Estimate,
    design_effect,
    difference_of_rates,
    jackknife,
    mean,
    mean_of_estimates,
    mean_score,
    numbered,
    paired_difference,
    rate,
)
from lm_eval_ifeval_pt.statistics.correlation import spearman
from lm_eval_ifeval_pt.statistics.intervals import NORMAL, Interval, agresti_coull_error, wilson
from lm_eval_ifeval_pt.statistics.multiplicity import benjamini_hochberg, holm, ranks, tie_groups
from lm_eval_ifeval_pt.statistics.paired import mcnemar
from lm_eval_ifeval_pt.statistics.poisson_binomial import upper_tail
from lm_eval_ifeval_pt.statistics.power import detectable_difference, items_needed, mcnemar_items_needed

__all__ = [
    "NORMAL",
    "Estimate",
    "Interval",
    "Strengths",
    "agresti_coull_error",
    "benjamini_hochberg",
    "bradley_terry",
    "clustered_covariance",
    "design_effect",
    "detectable_difference",
    "difference_of_rates",
    "elo",
    "fleiss_kappa",
    "holm",
    "items_needed",
    "jackknife",
    "majority_at_k",
    "mcnemar",
    "mcnemar_items_needed",
    "mean",
    "mean_of_estimates",
    "mean_score",
    "numbered",
    "paired_difference",
    "pairwise_agreement",
    "pass_at_k",
    "pass_to_the_k",
    "ranks",
    "rate",
    "spearman",
    "tie_groups",
    "upper_tail",
    "wilson",
]
