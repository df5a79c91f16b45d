"""ARC-Challenge. Questions have 3 to 5 options, labelled with letters or digits."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.benchmarks.choices import lettered, letters, position, question, scorer
from lm_eval_ifeval_pt.benchmarks.docs import Row, derive


def cf(row: Row) -> Row | None:
    """Cloze format."""
    return question(f"Question: {row['question']}\nAnswer:", row["choices"]["text"], _gold(row))


def mcf(row: Row) -> Row | None:
    """Multiple-choice format; the options are named by letters, whatever their labels."""
    options = row["choices"]["text"]
    query = f"Question: {row['question']}\n{lettered(options)}\nAnswer:"
    return question(query, letters(options), _gold(row))


def _gold(row: Row) -> int | None:
    return position(row["answerKey"], row["choices"]["label"])


docs = partial(derive, columns=cf)
docs_mcf = partial(derive, columns=mcf)

process_results = scorer("arc_challenge_poly_pt")
process_results_mcf = scorer("arc_challenge_poly_pt_mcf")
