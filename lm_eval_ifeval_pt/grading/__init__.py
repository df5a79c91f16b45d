"""Metrics of answers, by name, with options: for a manifest, a task definition of anyone, and answers that exist.

    builtin("token_f1", ignore_accents=True)("A capital é Brasília.", "brasilia", {})    ->  {"token_f1": 0.5}

`aggregation` says what makes one number of all samples; `harness` holds the functions that YAML names. What each
metric does, with examples: docs/metrics.md.
"""

from __future__ import annotations

from lm_eval_ifeval_pt.grading.builtins import (
    BUILTINS,
    LOWER_IS_BETTER,
    OF_THE_WHOLE,
    TO_100,
    Grader,
    aggregation,
    builtin,
    needs_target,
)
from lm_eval_ifeval_pt.grading.normalisation import Normalisation

__all__ = [
    "BUILTINS",
    "LOWER_IS_BETTER",
    "OF_THE_WHOLE",
    "TO_100",
    "Grader",
    "Normalisation",
    "aggregation",
    "builtin",
    "needs_target",
]
