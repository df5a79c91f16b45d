"""Belebele: questions on a passage, with 4 options."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.benchmarks.choices import lettered, letters, position, question, scorer
from lm_eval_ifeval_pt.benchmarks.docs import Row, derive

_NUMBERS = ("1", "2", "3", "4")


def mcf(row: Row) -> Row | None:
    """Multiple-choice format."""
    options = _options(row)
    return question(f"{_passage(row)}\n{lettered(options, ':')}\nAnswer:", letters(options), _gold(row))


def cf(row: Row) -> Row | None:
    """Cloze format."""
    return question(f"{_passage(row)}\nAnswer:", _options(row), _gold(row))


def _passage(row: Row) -> str:
    return f"P: {row['flores_passage']}\nQ: {row['question'].strip()}"


def _options(row: Row) -> list[str]:
    return [row[f"mc_answer{number}"] for number in _NUMBERS]


def _gold(row: Row) -> int | None:
    return position(str(row["correct_answer_num"]), _NUMBERS)


docs = partial(derive, columns=mcf)
docs_cf = partial(derive, columns=cf)

process_results = scorer("belebele_pt")
process_results_cf = scorer("belebele_pt_cf")
