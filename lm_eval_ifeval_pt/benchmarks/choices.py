"""Multiple-choice questions scored by log-likelihood, in both formats of Tucano 2 (arXiv:2603.03543, section 5.3).

Cloze format (CF): the options are not shown, and the text of each is scored. Multiple-choice format (MCF): they are
shown with letters, and the letters are scored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from string import ascii_uppercase
from typing import Any

from lm_eval_ifeval_pt.benchmarks.benchmark import Format, Metric
from lm_eval_ifeval_pt.benchmarks.docs import Row

Options = Callable[[Row], Sequence[str]]
"""The texts of the options of a row."""
Gold = Callable[[Row], "int | None"]
"""The place of the right option of a row; None where it has no valid key."""

METRICS = ("acc", "acc_norm")
_SIZES: dict[str, Callable[[str], int]] = {
    "acc": lambda option: 1,
    "acc_norm": len,
    "acc_bytes": lambda option: len(option.encode()),
}


def cloze(task: str, prompt: str, options: Options, gold: Gold, metrics: Sequence[str] = METRICS) -> Format:
    """The cloze format, whose preferred metric is `acc_norm`.

    Args:
        task: The name of the task.
        prompt: The question, a Jinja template over the columns of a row.
        options: What may follow it.
        gold: Which of these is right.
        metrics: What is measured; see `score`.
    """
    return Format(
        task=task,
        prompt=prompt,
        columns=partial(_columns, options=options, gold=gold),
        score=partial(score, metrics=metrics),
        metrics=tuple(Metric(name) for name in metrics),
        metric="acc_norm",
        output_type="multiple_choice",
        form="cf",
        settings={"doc_to_choice": "options"},
    )


def lettered(task: str, prompt: str, options: Options, gold: Gold, metrics: Sequence[str] = METRICS) -> Format:
    """The multiple-choice format, whose preferred metric is `acc`: the prompt shows the options after A, B, C, ...

    Args:
        task: The name of the task.
        prompt: The question with its options, a Jinja template over the columns of a row.
        options: The options.
        gold: Which of these is right.
        metrics: What is measured; see `score`.
    """
    by_letter = cloze(task, prompt, lambda row: letters(options(row)), gold, metrics)
    return replace(by_letter, metric="acc", form="mcf")


def letters(options: Sequence[str]) -> list[str]:
    """The letters that name these options: A, B, C, ..."""
    return list(ascii_uppercase[: len(options)])


def _columns(row: Row, options: Options, gold: Gold) -> Row | None:
    right = gold(row)
    return None if right is None else {"options": list(options(row)), "gold": right}


def position(key: Any, labels: Sequence[str]) -> int | None:
    """The index of the key among the labels; None where it is no label."""
    return list(labels).index(key) if key in labels else None


def index(key: Any, size: int) -> int | None:
    """The key as a position below `size`: an integer, or a string of one; None for anything else."""
    text = str(key).strip()
    return int(text) if text in map(str, range(size)) else None


def score(doc: Row, results: Sequence[tuple[float, bool]], metrics: Sequence[str] = METRICS) -> dict[str, float]:
    """Which metrics (0 or 1) find the right option likeliest.

    Args:
        doc: A document with `options` and `gold`.
        results: The (log-likelihood, is greedy) pair of each option.
        metrics: `acc`: by log-likelihood. `acc_norm`: after dividing each log-likelihood by the number of characters
            of its option; `acc_bytes`: of its UTF-8 bytes. As in the harness, the blank before an option is not
            counted, and the first of equal values wins. An option of no characters, which cleaning may leave, never
            wins: it would be the likeliest where nothing is asked of it.
    """
    likelihoods = [likelihood for likelihood, _ in results]
    return {metric: float(_best(likelihoods, doc["options"], _SIZES[metric]) == doc["gold"]) for metric in metrics}


def _best(likelihoods: Sequence[float], options: Sequence[str], size: Callable[[str], int]) -> int:
    """The place of the option with the highest log-likelihood per unit of size; one of no characters never has it."""
    values = [
        likelihood / size(option) if option else float("-inf")
        for likelihood, option in zip(likelihoods, options, strict=True)
    ]
    return values.index(max(values))
