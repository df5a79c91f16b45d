"""Multiple-choice questions scored by log-likelihood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Any

from lm_eval_ifeval_pt.benchmarks.docs import Row
from lm_eval_ifeval_pt.npm.baselines import BASELINES
from lm_eval_ifeval_pt.npm.formula import normalised

_SIZES: dict[str, Callable[[str], int]] = {
    "acc": lambda option: 1,
    "acc_norm": len,
    "acc_bytes": lambda option: len(option.encode()),
}


def letters(options: Sequence[str]) -> list[str]:
    """The letters that name these options: A, B, C, ..."""
    return list(ascii_uppercase[: len(options)])


def lettered(options: Sequence[str], mark: str = ".") -> str:
    """The options one a line, each after its letter and this mark."""
    named = zip(letters(options), options, strict=True)
    return "\n".join(f"{letter}{mark} {option}" for letter, option in named)


def question(query: str, options: Sequence[str], gold: int | None) -> Row | None:
    """The columns of one document: the prompt, what may follow it, and which of these is right.

    None where there is no key.
    """
    return None if gold is None else {"query": query, "options": list(options), "gold": gold}


def position(key: Any, labels: Sequence[str]) -> int | None:
    """Where the key stands among the labels; None where it is no label."""
    return list(labels).index(key) if key in labels else None


def index(key: Any, size: int) -> int | None:
    """The key as a position below `size`: an integer, or a string of one; None for anything else."""
    text = str(key).strip()
    return int(text) if text in map(str, range(size)) else None


def scorer(
    task: str, metrics: Sequence[str] = ("acc", "acc_norm")
) -> Callable[[Row, Sequence[tuple[float, bool]]], dict[str, float]]:
    """The `process_results` of one task.

    Args:
        task: A name in `BASELINES`; its preferred metric is one of `metrics`.
        metrics: `acc`: the likeliest option is the right one. `acc_norm`: the same after dividing each
            log-likelihood by the number of characters of its option; `acc_bytes`: of its UTF-8 bytes. As in
            the harness, the blank before an option is not counted, and the first of equal values wins.

    Returns:
        A function of a document and the (log-likelihood, is greedy) pair of each option. It gives these
        metrics (0 or 1) and `npm`.
    """
    baseline = BASELINES[task]

    def process_results(doc: Row, results: Sequence[tuple[float, bool]]) -> dict[str, float]:
        likelihoods = [likelihood for likelihood, _ in results]
        best = {metric: _best(likelihoods, doc["options"], _SIZES[metric]) for metric in metrics}
        scores = {metric: float(best[metric] == doc["gold"]) for metric in metrics}
        return {**scores, "npm": normalised(scores[baseline.metric], baseline.random, baseline.max)}

    return process_results


def _best(likelihoods: Sequence[float], options: Sequence[str], size: Callable[[str], int]) -> int:
    """The place of the option with the highest log-likelihood per unit of size; an empty one never has it."""
    sizes = [size(option) for option in options]
    values = [
        likelihood / size if size else float("-inf")
        for likelihood, size in zip(likelihoods, sizes, strict=True)
    ]
    return values.index(max(values))
