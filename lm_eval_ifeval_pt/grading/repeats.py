"""Several outputs for one input: how often they say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lm_eval_ifeval_pt.grading.normalisation import WORDS, Normalisation
from lm_eval_ifeval_pt.statistics import pairwise_agreement


def same_answers(outputs: Sequence[str], normalisation: Normalisation = WORDS) -> float:
    """The share of pairs of outputs that are the same words, 0 to 1.

    Raises:
        ValueError: there is one output, which is no repeat.
    """
    if isinstance(outputs, str) or len(outputs) < 2:
        raise ValueError(
            "consistency needs two or more outputs of each document: `repeats` in the task, and `keep_all`"
        )
    counts = Counter(tuple(normalisation.tokens(output)) for output in outputs)
    return pairwise_agreement([list(counts.values())])
