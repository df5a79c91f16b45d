"""The tables that can be exported: long and numeric for CSV, wide and formatted for a text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_ifeval_pt.analysis.clusters import clusters
from lm_eval_ifeval_pt.analysis.pairing import scores_of
from lm_eval_ifeval_pt.analysis.restrictions import is_repeated
from lm_eval_ifeval_pt.report.contents import Contents, ModelResult
from lm_eval_ifeval_pt.report.numbers import percent, span
from lm_eval_ifeval_pt.statistics import Estimate


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table.

    Attributes:
        header: The columns.
        rows: The cells: numbers, strings or None where they go to a spreadsheet, strings where people read them.
        names: How many columns hold names, the others numbers.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    names: int = 1


def items(contents: Contents) -> ExportTable:
    """Every score of every document: a row per model, document, filter, restriction and metric.

    Verified restrictions have the metrics `strict` and `loose`, and where the task looks for it `repeated`: whether a
    followed one rests on words that the answer repeats from its prompt. Other metrics have no restriction. `cluster`
    numbers what standard errors must respect: the base task, or the conversation.
    """
    header = (
        *("model", "task", "part", "filter", "doc_id", "doc_hash", "cluster"),
        *("restriction", "kind", "metric", "value"),
    )
    return ExportTable(header, tuple(_item_rows(contents)), names=10)


def _item_rows(contents: Contents) -> Iterator[tuple[Any, ...]]:
    for task, runs in contents.runs.items():
        for label, run in runs.items():
            for name in run.filters:
                answered = run.under(name)
                numbers: dict[str, int] = {}
                for item, cluster in zip(answered, clusters(answered), strict=True):
                    number = numbers.setdefault(cluster, len(numbers))
                    about = (label, task, run.part or None, name, item.doc_id, item.doc_hash, number)
                    for asked in item.instructions:
                        yield (*about, asked.restriction, asked.kind, "strict", int(asked.strict.followed))
                        yield (*about, asked.restriction, asked.kind, "loose", int(asked.loose.followed))
                        if "echo" in item.doc:
                            repeated = int(is_repeated(item, asked))
                            yield (*about, asked.restriction, asked.kind, "repeated", repeated)
                    for metric, value in item.metrics.items():
                        if isinstance(value, float) or not item.instructions:
                            yield from ((*about, None, None, metric, score) for score in scores_of(metric, value))


def restrictions(contents: Contents) -> ExportTable:
    """A row per model, task and restriction; what is met unasked where the documents are crossed."""
    header = (
        *("model", "task", "part", "restriction", "kind", "n", "strict", "strict_low", "strict_high", "loose"),
        *("accidental", "lift", "lift_stderr", "corrected", "p", "q"),
    )
    rows = []
    for task in contents.verified:
        for entry in task.entries:
            for key, rate in entry.rates.items():
                about = (entry.label, task.task, entry.run.part or None, *key)
                shares = (rate.strict / rate.n, *rate.interval, rate.loose / rate.n)
                rows.append((*about, rate.n, *shares, *_accident(entry, key)))
    return ExportTable(header, tuple(rows), names=5)


def _accident(entry: ModelResult, key: tuple[str, str]) -> tuple[float | None, ...]:
    accident = entry.accidents.get(key)
    if accident is None:
        return (None,) * 6
    corrected = accident.corrected.value if accident.corrected else None
    lift, lift_stderr = accident.lift.value, _known(accident.lift.stderr)
    return accident.accidental, lift, lift_stderr, corrected, accident.p_value, accident.q_value


def restrictions_by_model(contents: Contents) -> ExportTable:
    """A row per restriction, a column per model: strict rate in percent and its Wilson 95 % interval."""
    rows = []
    for task in contents.verified:
        by_label = {entry.label: entry for entry in task.entries}
        for key in task.restrictions:
            rates = [by_label[label].rates.get(key) if label in by_label else None for label in contents.labels]
            n = " / ".join(dict.fromkeys(str(rate.n) for rate in rates if rate)) or "–"
            cells = (
                f"{percent(rate.strict / rate.n)} ({span(*rate.interval)})" if rate else "–" for rate in rates
            )
            rows.append((task.task, *key, n, *cells))
    return ExportTable(("task", "restriction", "kind", "n", *_marked(contents)), tuple(rows), names=3)


def _marked(contents: Contents) -> list[str]:
    """The models, those marked that have answered parts of tasks only."""
    marked = []
    for label in contents.labels:
        parts = {task: runs[label].part for task, runs in contents.runs.items() if label in runs and runs[label].part}
        told = [part if len(contents.runs) == 1 else f"{part} of {task}" for task, part in parts.items()]
        marked.append(f"{label} (only {', '.join(told)})" if told else label)
    return marked


def scores(contents: Contents) -> ExportTable:
    """A row per model, task and score, with its standard error and 95 % interval; `part` says of what it is none on the
    whole task."""
    header = ("model", "task", "part", "metric", "n", "value", "stderr", "low", "high")
    rows = (_score_row(contents, *score) for score in _scores(contents))
    return ExportTable(header, tuple(rows), names=4)


def scores_by_model(contents: Contents) -> ExportTable:
    """A row per task and score, a column per model: the score and its 95 % interval."""
    by_score: dict[tuple[str, str], dict[str, Estimate]] = {}
    for label, task, metric, estimate in _scores(contents):
        by_score.setdefault((task, metric), {})[label] = estimate
    rows = [
        (*key, *(_cell(by_label[label]) if label in by_label else "–" for label in contents.labels))
        for key, by_label in by_score.items()
    ]
    return ExportTable(("task", "metric", *_marked(contents)), tuple(rows), names=2)


def _scores(contents: Contents) -> Iterator[tuple[str, str, str, Estimate]]:
    """Model, task, metric and score; of verified tasks with the standard error by base task and restriction."""
    for task in contents.verified:
        for entry in task.entries:
            for name, level in entry.levels.items():
                yield entry.label, task.task, name, level.honest
            if entry.corrected is not None:
                yield entry.label, task.task, "corrected", entry.corrected
    for means in contents.scored:
        for label, estimate in means.means.items():
            yield label, means.task, means.metric, estimate


def _score_row(contents: Contents, label: str, task: str, metric: str, estimate: Estimate) -> tuple[Any, ...]:
    low, high = estimate.interval()
    part = contents.runs[task][label].part or None
    return label, task, part, metric, estimate.n, estimate.value, _known(estimate.stderr), _known(low), _known(high)


def _cell(estimate: Estimate) -> str:
    low, high = estimate.interval()
    is_share = 0 <= estimate.value <= 1
    if math.isnan(low):
        return percent(estimate.value) if is_share else f"{estimate.value:.2f}"
    if is_share:
        return f"{percent(estimate.value)} ({span(low, min(high, 1.0), 1)})"
    return f"{estimate.value:.2f} ({low:.2f}–{high:.2f})"


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def as_strings(rows: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Numbers as a text shows them."""
    return [[_string(cell) for cell in row] for row in rows]


def _string(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
