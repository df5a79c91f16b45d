"""Perplexities, and the log-likelihood of the right answer where a model chose among several."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from lm_eval_ifeval_pt.results import Choice, Item

PERPLEXITIES = ("word_perplexity", "byte_perplexity", "bits_per_byte")
"""Metrics of the harness that are a log-likelihood (natural logarithm) and a number of words or bytes."""


def over_units(metric: str, pairs: Iterable[Sequence[float]]) -> float:
    """The perplexity of a whole task: exp(-sum of log-likelihoods / sum of units); in bits for `bits_per_byte`.

    Args:
        metric: One of `PERPLEXITIES`.
        pairs: Log-likelihood and number of units of each document.
    """
    known = list(pairs)
    units = sum(pair[1] for pair in known)
    if not units:
        return math.nan
    nats = -sum(pair[0] for pair in known) / units
    return nats / math.log(2) if metric == "bits_per_byte" else math.exp(nats)


def right_choice(item: Item) -> Choice | None:
    """The continuation that the task expects: its place, or its text, is the target; None where neither fits."""
    if len(item.choices) == 1:
        return item.choices[0]
    target = item.target.strip()
    if target.isdecimal() and int(target) < len(item.choices):
        return item.choices[int(target)]
    return next((choice for choice in item.choices if choice.text.strip() == target), None)


def bits_per_byte(items: Iterable[Item]) -> float:
    """Bits per byte of UTF-8 of the right answers; NaN where there is none.

    Source: Heineman et al. 2025, arXiv:2508.13144, section 5.
    """
    right = [choice for item in items if (choice := right_choice(item)) is not None and choice.text]
    return over_units("bits_per_byte", ((choice.loglikelihood, len(choice.text.encode())) for choice in right))
