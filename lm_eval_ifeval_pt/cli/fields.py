"""Scores by a field of the documents, for `table --by` and `diff --by`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lm_eval_ifeval_pt.analysis import fields, pairing
from lm_eval_ifeval_pt.analysis.clusters import population
from lm_eval_ifeval_pt.analysis.comparison import Comparison
from lm_eval_ifeval_pt.analysis.fields import FieldChange, FieldScore
from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.cli.layout import Table
from lm_eval_ifeval_pt.report.numbers import between, p_value, percent, span
from lm_eval_ifeval_pt.results import ResultsError, Run


def print_scores(runs: Sequence[Run], field: str, as_json: bool) -> None:
    """Print the scores of each task by the values of a field, all its models together.

    Raises:
        ResultsError: no run's documents have the field.
    """
    by_task: dict[str, list[tuple[Run, list[FieldScore]]]] = {}
    lacking: list[str] = []
    for run in runs:
        items, metric = run.under(run.filters[0]), pairing.metric_of([run])
        try:
            rows = fields.by_field(items, metric, field)
        except ResultsError as error:
            lacking.append(f"{run.task}: left out, {error}")
        else:
            by_task.setdefault(run.task, []).append((run, rows))
    if not by_task:
        raise ResultsError("; ".join(dict.fromkeys(lacking)))
    printing.notes(dict.fromkeys(lacking))
    if as_json:
        printing.as_json([_data(run, field, rows) for scores in by_task.values() for run, rows in scores])
        return
    for task, scores in by_task.items():
        printing.console().print(_scores(task, field, scores))


def _scores(task: str, field: str, scores: Sequence[tuple[Run, Sequence[FieldScore]]]) -> Table:
    """A row per value and model."""
    run = scores[0][0]
    metric = printing.named(pairing.metric_of([run]), run.filters[0])
    others = population(run.under(run.filters[0]))
    header = (field, "model", "documents", f"{metric} %", f"95 % CI, {others}")
    table = printing.table(f"{task} by {field}", *header, left=2)
    values = dict.fromkeys(row.value for _, rows in scores for row in rows)
    for value in values:
        for run, rows in scores:
            for row in rows:
                if row.value == value:
                    interval = span(*row.interval, digits=1)
                    table.add_row(value, run.model, str(row.documents), percent(row.score.value), interval)
    return table


def _data(run: Run, field: str, rows: Sequence[FieldScore]) -> dict[str, Any]:
    return {
        "model": run.model,
        "task": run.task,
        "part": run.part or None,
        "path": run.path,
        "metric": pairing.metric_of([run]),
        "filter": run.filters[0],
        "by": field,
        "population": population(run.under(run.filters[0])),
        "values": rows,
    }


def changes(comparisons: Sequence[Comparison], field: str) -> dict[str, list[FieldChange]]:
    """What changed from A to B by the values of a field, by task; a task without the field is left out, with a note.

    Raises:
        ResultsError: no task's documents have the field.
    """
    by_task: dict[str, list[FieldChange]] = {}
    lacking: list[str] = []
    for compared in comparisons:
        try:
            by_task[compared.a.task] = fields.changes_by_field(compared.pairs, field)
        except ResultsError as error:
            lacking.append(f"{compared.a.task}: not shown by {field}, {error}")
    if not by_task:
        raise ResultsError("; ".join(lacking))
    printing.notes(lacking)
    return by_task


def changes_table(compared: Comparison, field: str, changes: Sequence[FieldChange]) -> Table:
    """A row per value."""
    table = printing.table(
        f"{compared.a.task} by {field}",
        *(field, "n", "A %", "B %", "better by", f"95 % CI, {compared.population}", "improved", "regressed", "p", "q"),
        spare=("p", "n"),
    )
    for row in changes:
        table.add_row(
            *(row.value, str(row.n), percent(row.a), percent(row.b), f"{100 * row.difference.value:+.1f}"),
            between(row.difference.scaled(100).interval(), "+.1f"),
            *(str(row.improved), str(row.regressed), p_value(row.p_value), p_value(row.q_value)),
        )
    return table
