"""CALAME-PT and LAMBADA: the last word of a text, predicted from what stands before it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lm_eval_ifeval_pt.benchmarks.benchmark import (
    DRAWN_BUT_FOR_ITSELF,
    TUCANO2,
    Benchmark,
    Format,
    Metric,
    Rows,
    Shots,
)
from lm_eval_ifeval_pt.benchmarks.docs import Row


def last_word(row: Row) -> Row:
    """`target`: a blank and what follows the last blank of the text.

    The harness adds a blank before it in the shots, though not in the scored document: as published.
    """
    return {"target": " " + row["text"].rpartition(" ")[2]}


def perplexity(likelihoods: Sequence[float]) -> float:
    """Perplexity of the targets. The harness's own would spend CPU-minutes on a bootstrapped stderr."""
    return math.exp(-sum(likelihoods) / len(likelihoods))


def score(doc: Row, results: Sequence[tuple[float, bool]]) -> dict[str, float]:
    """`acc` (the target is the greedy choice), and the log-likelihood that makes `perplexity`."""
    ((likelihood, is_greedy),) = results
    return {"acc": float(is_greedy), "perplexity": likelihood}


def _benchmark(task: str, rows: Rows) -> Benchmark:
    form = Format(
        task=task,
        prompt="{{text.split(' ')[:-1]|join(' ')}}",
        columns=last_word,
        score=score,
        metrics=(Metric("acc"), Metric("perplexity", perplexity, higher_is_better=False)),
        metric="acc",
        output_type="loglikelihood",
        target="target",
    )
    shots = Shots(5, split="test", sampler="LeakFree", about=DRAWN_BUT_FOR_ITSELF)
    return Benchmark(rows, 0.0, shots, (form,), TUCANO2, suite="easy")


CALAME = _benchmark("calame_pt", Rows("Polygl0t/CALAME-PT", licence="MIT", name="pt"))
LAMBADA = _benchmark("lambada_poly_pt", Rows("Polygl0t/LAMBADA-poly", licence="not stated", name="pt"))

(calame,), (lambada,) = CALAME.tasks, LAMBADA.tasks
docs = calame.docs
lambada_docs = lambada.docs
calame_results = calame.process_results
lambada_results = lambada.process_results
