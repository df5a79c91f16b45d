"""`lm-eval-pt score --metrics`: answers that exist, by any of the metrics that have a name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import descriptions
from lm_eval_ifeval_pt.analysis.clusters import clusters, population
from lm_eval_ifeval_pt.analysis.descriptions import Summary
from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.grading import TO_100, Grader, builtin, existing, needs_target
from lm_eval_ifeval_pt.grading.existing import Graded
from lm_eval_ifeval_pt.grading.labels import UNMATCHED, Confusion, confusion
from lm_eval_ifeval_pt.report import numbers
from lm_eval_ifeval_pt.results import Item, Run, writing
from lm_eval_ifeval_pt.results.writing import Total

_SHOWN = 3  # reasons for which documents were not graded
_WIDEST = 12  # labels of a confusion matrix that is printed


def run(
    responses: Path,
    metrics: Sequence[str],
    output: Path | None,
    task: str | None,
    model: str | None,
    response: str,
    target: str,
    threshold: float,
    as_json: bool,
) -> None:
    """Grade, print, and write the runs again with the new metrics.

    Raises:
        click.ClickException: with what is wrong and where.
    """
    graders = [grader for spec in metrics for grader in graders_of(spec)]
    folder = output or Path(f"{responses.stem}_metrics")
    if folder.suffix == ".json":
        raise click.UsageError(f"--output {folder}: with --metrics a folder is written")
    data = []
    try:
        for graded_run in _runs(responses, graders, folder, task, model, response, target):
            graded = existing.grade(graded_run.items, graders)
            path = _write(graded_run, graded, graders, folder)
            printing.notes(_notes(graded_run, graded, graders))
            if as_json:
                data.append(_data(graded_run, graded, graders, threshold, path))
            else:
                _print(printing.console(), graded_run, graded, graders, threshold)
            click.echo(f"written: {path.parent}/", err=True)
    except results.ResultsError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        printing.as_json(data)


def graders_of(spec: str) -> list[Grader]:
    """The graders that one `--metrics` names.

    Raises:
        click.UsageError: one is unknown, or an option of it.
    """
    try:
        parsed = json.loads(spec) if spec.lstrip().startswith(("{", "[")) else spec.split(",")
    except ValueError as error:
        raise click.UsageError(f"--metrics {spec}: no JSON: {error}") from error
    made = []
    for entry in parsed if isinstance(parsed, list) else [parsed]:
        options = {"id": entry.strip()} if isinstance(entry, str) else entry
        if not isinstance(options, dict) or not isinstance(options.get("id", ""), str):
            raise click.UsageError(f'--metrics {spec}: a name or {{"id": …}} with options is expected, not {entry!r}')
        if "constraint" in options:
            options = {"id": "constraint", **options}
        elif ":" in options.get("id", ""):
            options = {**options, "constraint": options["id"], "id": "constraint"}
        try:
            made.append(builtin(**{"id": "", **options}))
        except (ValueError, ImportError) as error:
            raise click.UsageError(f"--metrics: {error}") from error
    return made


def _runs(
    path: Path,
    graders: Sequence[Grader],
    folder: Path,
    task: str | None,
    model: str | None,
    response: str,
    target: str,
) -> Sequence[Run]:
    """The runs behind a path, or the one that a file of rows stands for."""
    written = None
    if path.is_file() and path.suffix == ".jsonl" and not _are_samples(path):
        needed = target if any(needs_target(grader.id) for grader in graders) else None
        rows = existing.as_samples(path, response, needed, "prompt")
        task, model = task or path.stem, model or path.stem
        # That of the answers, so that scoring them again replaces what is there.
        date = datetime.fromtimestamp(path.stat().st_mtime).strftime("%Y-%m-%dT%H-%M-%S.%f")
        written = writing.write(folder, task, date, rows, writing.empty_result(task, model), {})
        reading = results.read([written])
    else:
        reading = results.read([path])
    printing.notes(reading.notes)
    named = written.parent if written else path
    runs = [run for run in writing.not_written_to(reading.runs, [named], folder) if task is None or run.task == task]
    if not runs:
        raise results.ResultsError(
            f"{path}: no run of {task}; there are: {', '.join(run.task for run in reading.runs)}"
        )
    return runs


def _are_samples(path: Path) -> bool:
    """Whether a file holds what the harness logs."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        first = next((line for line in lines if line.strip()), "{}")
    try:
        row = json.loads(first)
    except ValueError:
        return False
    return isinstance(row, dict) and "doc" in row and "resps" in row


def _write(run: Run, graded: Graded, graders: Sequence[Grader], folder: Path) -> Path:
    result = writing.result_of(run)
    result["metrics"] = [
        {"id": grader.id, **grader.options, **({"signature": grader.signature} if grader.signature else {})}
        for grader in graders
    ]
    date = run.date or datetime.now().strftime("%Y-%m-%dT%H-%M-%S.%f")
    return writing.write(folder, run.task, date, writing.extended(run, graded.scores), result, graded.totals())


def _notes(run: Run, graded: Graded, graders: Sequence[Grader]) -> list[str]:
    notes = [
        f"{run.task}: not graded: {reason}" + (f" ({count}x)" if count > 1 else "")
        for reason, count in list(graded.ungraded.items())[:_SHOWN]
    ]
    if (rest := sum(graded.ungraded.values()) - sum(list(graded.ungraded.values())[:_SHOWN])) > 0:
        notes.append(f"{run.task}: not graded: {rest} more")
    for metric, kind in (("label_unmatched", "label"), ("numeric_unread", "number")):
        for filter in run.filters:
            column = graded.column(metric, filter)
            if column and all(column):
                first: Item = run.under(filter)[0]
                shown = " ".join((first.answer or first.response).split())[:60]
                notes.append(
                    f"{run.task}: no answer names a {kind}, so that all count as wrong; the first is {shown!r}"
                )
    return notes


def _summaries(run: Run, graded: Graded, threshold: float) -> list[tuple[Total, Summary]]:
    """Each metric under each filter: what it comes to, and how its values lie."""
    summaries = []
    for (metric, filter), total in graded.totals().items():
        items = [item for item in run.under(filter) if metric in graded.scores.get((item.filter, item.doc_id), {})]
        units = list(zip(graded.column(metric, filter), clusters(items), strict=True))
        summaries.append((total, descriptions.summary(metric, filter, units, threshold)))
    return summaries


def _data(run: Run, graded: Graded, graders: Sequence[Grader], threshold: float, path: Path) -> dict[str, Any]:
    matrices = _confusions(run, graded) if any(grader.id == "label" for grader in graders) else {}
    return {
        "model": run.model,
        "task": run.task,
        "path": path,
        "metrics": [
            {"score": total.value, "higher_is_better": total.higher_is_better, **printing.plain(summary)}
            for total, summary in _summaries(run, graded, threshold)
        ],
        "signatures": {grader.id: grader.signature for grader in graders if grader.signature},
        "ungraded": graded.ungraded,
        "confusion": {
            filter: [
                {"expected": expected, "answered": answered, "count": count}
                for (expected, answered), count in matrix.counts.items()
            ]
            for filter, matrix in matrices.items()
        },
    }


def _print(console: Console, run: Run, graded: Graded, graders: Sequence[Grader], threshold: float) -> None:
    others = population(run.under(run.filters[0]))
    table = printing.table(
        f"{run.task}  {run.model}",
        *("metric", "n", "score", f"± SE, {others}", f"95 % CI, {others}", "median", "sd", "min", "max"),
        f"≥ {threshold:g} %",
        spare=("min", "max", "median", "sd", f"± SE, {others}"),
    )
    for total, summary in _summaries(run, graded, threshold):
        is_mean = total.stderr is not None or summary.mean.n == 1
        table.add_row(
            *(printing.named(summary.metric, summary.filter), str(summary.mean.n), f"{total.value:.3f}"),
            f"{summary.mean.stderr:.3f}" if is_mean else "–",
            numbers.between(summary.mean.interval(), ".3f") if is_mean else "–",
            *(f"{value:.3f}" for value in (summary.median, summary.deviation, summary.low, summary.high)),
            "–" if summary.metric in TO_100 else numbers.percent(summary.passed),
        )
    console.print(table)
    for grader in graders:
        if grader.signature:
            console.print(f"{grader.id}: {grader.signature}", style="dim")
        if grader.id == "label":
            for matrix in _confusions(run, graded).values():
                _print_confusion(console, matrix)


def _confusions(run: Run, graded: Graded) -> dict[str, Confusion]:
    """The confusion matrix of the labels, by filter."""
    return {filter: confusion(graded.column("macro_f1", filter)) for filter in run.filters}


def _print_confusion(console: Console, matrix: Confusion) -> None:
    shown = matrix.labels[:_WIDEST]
    unmatched = [UNMATCHED] if any(output == UNMATCHED for _, output in matrix.counts) else []
    table = printing.table("Confusion: expected ↓, answered →", "label", *shown, *(["none"] if unmatched else []), "F1")
    for label in shown:
        cells: list[Any] = [matrix.counts.get((label, output), 0) for output in (*shown, *unmatched)]
        table.add_row(label, *map(str, cells), f"{matrix.f1(label):.3f}")
    console.print(table)
    if len(matrix.labels) > _WIDEST:
        console.print(f"{len(matrix.labels) - _WIDEST} more labels are not shown", style="dim")
