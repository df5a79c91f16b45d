"""HellaSwag: how a described scene goes on."""

from __future__ import annotations

import re
from functools import partial

from lm_eval_ifeval_pt.benchmarks.choices import index, lettered, letters, question, scorer
from lm_eval_ifeval_pt.benchmarks.docs import Row, derive

_MARK = re.compile(r"\[.*?\]")


def cf(row: Row) -> Row | None:
    """Cloze format."""
    endings = _endings(row)
    return question(_context(row), endings, index(row["label"], len(endings)))


def mcf(row: Row) -> Row | None:
    """Multiple-choice format."""
    endings = _endings(row)
    query = f"{_context(row)}\n{lettered(endings)}\nResposta:"
    return question(query, letters(endings), index(row["label"], len(endings)))


def clean(text: str) -> str:
    """The text without the marks that WikiHow pages left in it: `[title]` ends a sentence, the others go."""
    return _MARK.sub("", text.strip().replace(" [title]", ". ")).replace("  ", " ")


def _context(row: Row) -> str:
    return clean(f"{row['activity_label']}: {row['ctx_a']} {row['ctx_b'].capitalize()}")


def _endings(row: Row) -> list[str]:
    return [clean(ending) for ending in row["endings"]]


docs = partial(derive, columns=cf)
docs_mcf = partial(derive, columns=mcf)

process_results = scorer("hellaswag_poly_pt")
process_results_mcf = scorer("hellaswag_poly_pt_mcf")
