"""CALAME-PT and LAMBADA: the last word of a text, predicted from what stands before it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from lm_eval_ifeval_pt.benchmarks.docs import Row, derive
from lm_eval_ifeval_pt.npm.baselines import BASELINES
from lm_eval_ifeval_pt.npm.formula import normalised


def last_word(row: Row) -> Row:
    """`query`: the text up to its last blank; `target`: a blank and what follows it.

    The harness adds a blank between the two in the shots, though not in the scored document: as published.
    """
    query, _, word = row["text"].rpartition(" ")
    return {"query": query, "target": f" {word}"}


def perplexity(likelihoods: Sequence[float]) -> float:
    """Perplexity of the targets. The harness's own would spend CPU-minutes on a bootstrapped stderr."""
    return math.exp(-sum(likelihoods) / len(likelihoods))


def scorer(task: str) -> Callable[[Row, Sequence[tuple[float, bool]]], dict[str, float]]:
    """The `process_results` of one task: `acc` (the target is the greedy choice), `perplexity` and `npm`."""
    baseline = BASELINES[task]

    def process_results(doc: Row, results: Sequence[tuple[float, bool]]) -> dict[str, float]:
        ((likelihood, is_greedy),) = results
        acc = float(is_greedy)
        return {"acc": acc, "perplexity": likelihood, "npm": normalised(acc, baseline.random, baseline.max)}

    return process_results


docs = partial(derive, columns=last_word)

calame_results = scorer("calame_pt")
lambada_results = scorer("lambada_poly_pt")
