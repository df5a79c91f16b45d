"""Global PIQA: which of two solutions goes with the prompt."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.benchmarks.choices import index, lettered, letters, question, scorer
from lm_eval_ifeval_pt.benchmarks.docs import Row, derive


def cf(row: Row) -> Row | None:
    """Cloze format."""
    return question(row["prompt"], _options(row), index(row["label"], 2))


def mcf(row: Row) -> Row | None:
    """Multiple-choice format."""
    options = _options(row)
    query = f"{row['prompt']}\n{lettered(options)}\nResposta:"
    return question(query, letters(options), index(row["label"], 2))


def _options(row: Row) -> list[str]:
    return [row["solution0"], row["solution1"]]


docs = partial(derive, columns=cf)
docs_mcf = partial(derive, columns=mcf)

METRICS = ("acc", "acc_norm", "acc_bytes")
process_results = scorer("global_piqa_pt_br", METRICS)
process_results_mcf = scorer("global_piqa_pt_br_mcf", METRICS)
