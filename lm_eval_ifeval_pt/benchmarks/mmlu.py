"""MMLU. Every question, of whatever subject, gets the same 5 shots, and no line names the subject."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.benchmarks.choices import index, lettered, letters, position, question, scorer
from lm_eval_ifeval_pt.benchmarks.docs import Row, derive


def mcf(row: Row) -> Row | None:
    """Multiple-choice format."""
    options = row["choices"]
    query = f"{row['question'].strip()}\n{lettered(options)}\nAnswer:"
    return question(query, letters(options), _gold(row))


def cf(row: Row) -> Row | None:
    """Cloze format."""
    return question(f"{row['question'].strip()}\nAnswer:", row["choices"], _gold(row))


def _gold(row: Row) -> int | None:
    """The key is a letter or, in other editions of the data set, a position."""
    options = row["choices"]
    letter = position(row["answer"], letters(options))
    return index(row["answer"], len(options)) if letter is None else letter


docs = partial(derive, columns=mcf)
docs_cf = partial(derive, columns=cf)

process_results = scorer("mmlu_poly_pt")
process_results_cf = scorer("mmlu_poly_pt_cf")
