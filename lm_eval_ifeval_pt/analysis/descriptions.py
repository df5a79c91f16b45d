"""The scores of one run, described: every metric of any task of the harness."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from lm_eval_ifeval_pt.analysis import restrictions
from lm_eval_ifeval_pt.analysis.clusters import clusters
from lm_eval_ifeval_pt.analysis.likelihood import PERPLEXITIES, bits_per_byte, over_units
from lm_eval_ifeval_pt.grading import OF_THE_WHOLE, overlap, similarity
from lm_eval_ifeval_pt.grading.normalisation import WORDS
from lm_eval_ifeval_pt.grading.scores import Compared
from lm_eval_ifeval_pt.results import Item, Run
from lm_eval_ifeval_pt.statistics import Estimate, mean_score

CORRECTED = {"ifeval_pt_corrected": False, "ifeval_pt_corrected_own_words": True}
"""Scores corrected for accident, and whether they leave out what answers repeat.

Sample files have, under these names, what a document contributes; the score is that of all documents together.
"""


@dataclass(frozen=True, slots=True)
class Summary:
    """One metric under one filter.

    Attributes:
        metric: The metric.
        filter: The filter.
        mean: The mean, its error clustered as `clusters` says; of lists, over all their numbers.
        median: The median.
        deviation: The sample standard deviation.
        low: The least value.
        high: The greatest.
        passed: The share of values that reach the threshold.
    """

    metric: str
    filter: str
    mean: Estimate
    median: float
    deviation: float
    low: float
    high: float
    passed: float


@dataclass(frozen=True, slots=True)
class Corpus:
    """A number that belongs to the task as a whole, not to its documents."""

    metric: str
    filter: str
    value: float
    n: int


def describe(run: Run, threshold: float = 0.5, cluster: str | None = None) -> list[Summary]:
    """A row per metric and filter; what is computed here is called `exact_match (words)`, `token_f1`, `token_set_f1`.

    Args:
        run: The run.
        threshold: What a value must reach to pass.
        cluster: The field of the documents to cluster by; see `clusters.clusters`.

    Raises:
        ResultsError: a document does not have that field.
    """
    summaries = []
    for filter in run.filters:
        items = run.under(filter)
        groups = clusters(items, cluster)
        for metric in run.metrics:
            if metric in (*PERPLEXITIES, *CORRECTED):
                continue
            units = [
                (value, group)
                for item, group in zip(items, groups, strict=True)
                for value in _numbers(item, metric)
            ]
            if units:
                name = f"{metric} (per sample)" if metric in OF_THE_WHOLE else metric
                summaries.append(summary(name, filter, units, threshold))
        for metric, scores in _overlaps(run, items).items():
            summaries.append(summary(metric, filter, list(zip(scores, groups, strict=True)), threshold))
    return summaries


def _numbers(item: Item, metric: str) -> Sequence[float]:
    value = item.metrics.get(metric, ())
    return value if isinstance(value, tuple) else (value,)


def summary(metric: str, filter: str, units: Sequence[tuple[float, str]], threshold: float) -> Summary:
    """One metric under one filter, described; `units` are values with their clusters."""
    values = np.array([value for value, _ in units])
    return Summary(
        metric,
        filter,
        mean_score([value for value, _ in units], [group for _, group in units]),
        float(np.median(values)),
        float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
        float(values.min()),
        float(values.max()),
        float((values >= threshold).mean()),
    )


def _overlaps(run: Run, items: Sequence[Item]) -> dict[str, list[float]]:
    """Scores against the expected text, where the model wrote one and the task expects one.

    Where the task has such a score of its own, or expects a log-likelihood, ours say nothing.
    """
    written = all(item.responses and item.target.strip() and not item.choices for item in items)
    if run.is_verified or not written or set(run.metrics) & {*PERPLEXITIES}:
        return {}
    measures: dict[str, Callable[[str, str], float]] = {
        "exact_match (words)": partial(overlap.exact_match, normalisation=WORDS),
        "token_f1": overlap.token_f1,
        "token_set_f1": overlap.token_set_f1,
    }
    return {
        name: [measure(item.answer or item.response, item.target) for item in items]
        for name, measure in measures.items()
        if name not in run.metrics
    }


def _corrected(filter: str, items: Sequence[Item], names: Sequence[str]) -> list[Corpus]:
    """The scores of these names that are corrected for accident; none where the documents are not crossed."""
    if not names:
        return []
    from lm_eval_ifeval_pt.analysis.accidental import cells  # which verifies anew, and so needs all verifiers
    from lm_eval_ifeval_pt.ifeval.crossing import NotCrossed, overall

    with contextlib.suppress(NotCrossed):
        whole = overall(cells(items))
        repeat = any(item.doc.get("echo") != [] for item in items)  # where nothing does, own words are all words
        own_words = overall(cells(items, in_own_words=True)) if repeat else whole
        return [Corpus(name, filter, (own_words if CORRECTED[name] else whole).value, len(items)) for name in names]
    return []


def of_corpus(run: Run) -> list[Corpus]:
    """Perplexities, bits per byte of the right answers, BLEU, and IFEval-pt corrected for accident, where possible."""
    numbers = []
    for filter in run.filters:
        items = run.under(filter)
        for metric in PERPLEXITIES:
            pairs = [value for item in items if isinstance(value := item.metrics.get(metric), tuple)]
            if pairs and all(len(pair) == 2 for pair in pairs):
                numbers.append(Corpus(metric, filter, over_units(metric, pairs), len(pairs)))
        numbers += _corrected(filter, items, [name for name in CORRECTED if name in run.metrics])
        echoes = restrictions.echoes(items)
        if echoes is not None and echoes.resting:
            share = echoes.resting / echoes.followed
            numbers.append(Corpus("verdicts on repeated words", filter, share, echoes.followed))
        if any(item.choices for item in items):
            numbers.append(Corpus("bits_per_byte (right answer)", filter, bits_per_byte(items), len(items)))
        if _overlaps(run, items[:1]) and all(item.responses for item in items):
            compared = [Compared(0.0, item.answer or item.response, [item.target]) for item in items]
            numbers.append(Corpus("bleu", filter, similarity.corpus_bleu(compared), len(items)))
    return [number for number in numbers if not math.isnan(number.value)]
