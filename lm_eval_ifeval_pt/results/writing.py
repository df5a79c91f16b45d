"""Runs written again with more metrics, so that every command reads them: what was answered stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_ifeval_pt.results import origin
from lm_eval_ifeval_pt.results.errors import ResultsError
from lm_eval_ifeval_pt.results.records import Run
from lm_eval_ifeval_pt.results.samples import rows_of
from lm_eval_ifeval_pt.writing import replacing

Row = dict[str, Any]
_BY_TASK = ("configs", "versions", "n-shot", "n-samples", "higher_is_better")


class Total(NamedTuple):
    """A metric over all documents.

    Attributes:
        value: The number.
        stderr: Its standard error; None where it has none.
        higher_is_better: Its direction.
    """

    value: float
    stderr: float | None = None
    higher_is_better: bool = True


Key = tuple[str, int]
"""A row: its filter and document."""


def not_written_to(runs: Iterable[Run], paths: Iterable[Path], folder: Path) -> list[Run]:
    """The runs without those of an output folder that lies inside one of the paths: they are copies made before."""
    inside = folder.resolve()
    if any(path.resolve().is_relative_to(inside) for path in paths):
        return list(runs)  # it was named, to be extended in place
    return [run for run in runs if not run.path.resolve().is_relative_to(inside)]


def extended(run: Run, added: Mapping[Key, Mapping[str, float]]) -> list[Row]:
    """The rows of a run's sample file with more metrics; a row that `added` does not name stays as it is.

    Raises:
        ResultsError: the sample file cannot be read as rows.
    """
    if run.path.suffix == ".parquet":
        raise ResultsError(f"{run.path}: a Parquet file has no rows to extend; name the samples_*.jsonl it was made of")
    rows = []
    for number, row in enumerate(rows_of(run.path)):
        scores = added.get((str(row.get("filter", "none")), int(row.get("doc_id", number))), {})
        known = row.get("metrics")
        names = {"metrics": list(dict.fromkeys([*known, *scores]))} if isinstance(known, list) else {}
        rows.append({**row, **scores, **names})
    return rows


def result_of(run: Run) -> dict[str, Any]:
    """The result file of a run, with the parts of its task alone."""
    result = origin.parse(run.result) if run.result else {}
    for part in ("results", *_BY_TASK):
        result[part] = {run.task: origin.mapping(result.get(part)).get(run.task, {})}
    for part in ("groups", "group_subtasks"):
        result.pop(part, None)
    return result | {"model_name": run.model}


def empty_result(task: str, model: str) -> dict[str, Any]:
    """The result file of answers that no run of the harness gave."""
    return {part: {task: {}} for part in ("results", *_BY_TASK)} | {
        "model_name": model,
        "config": {"model": "recorded"},
    }


def write(
    folder: Path,
    task: str,
    date: str,
    rows: Sequence[Row],
    result: dict[str, Any],
    totals: Mapping[tuple[str, str], Total],
) -> Path:
    """Write the sample and the result file of one model on one task; both are replaced as a whole.

    Args:
        folder: Where each model has a folder, and each task one in it.
        task: The task.
        date: For the names of the files.
        rows: The samples.
        result: The result file's content, with `model_name`; `totals` are added.
        totals: By (metric, filter).

    Returns:
        The result file.

    Raises:
        ResultsError: a file cannot be written.
    """
    inside = folder / _file_name(result["model_name"]) / _file_name(task)
    scores = result["results"][task] = {"alias": task, **result["results"].get(task, {})}
    directions = result["higher_is_better"][task] = dict(result["higher_is_better"].get(task) or {})
    for (metric, filter), total in totals.items():
        scores[f"{metric},{filter}"] = total.value
        scores[f"{metric}_stderr,{filter}"] = "N/A" if total.stderr is None else total.stderr
        directions[metric] = total.higher_is_better
    try:
        inside.mkdir(parents=True, exist_ok=True)
        with replacing(inside / f"samples_{task}_{date}.jsonl", errors="replace") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        path = inside / f"results_{date}.json"
        with replacing(path, errors="replace") as file:
            file.write(json.dumps(result, ensure_ascii=False, indent=2))
    except OSError as error:
        raise ResultsError(f"{inside}: cannot be written: {error.strerror}") from error
    return path


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.=-]+", "__", name).strip(".") or "_"
