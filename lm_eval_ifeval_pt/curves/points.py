"""From result files of any origin to points: a training, a step, a task, a score."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.npm import leaderboard
from lm_eval_ifeval_pt.npm.baselines import ALIASES, BASELINES, THEIRS, Baseline
from lm_eval_ifeval_pt.npm.formula import AVERAGES, average
from lm_eval_ifeval_pt.results import Measure, ResultsError, TaskScore, origin, result_files, scores_in
from lm_eval_ifeval_pt.sweep import status
from lm_eval_ifeval_pt.sweep.checkpoints import Checkpoint, named_progress, run_names, with_tokens
from lm_eval_ifeval_pt.sweep.folder import Folder

NPM = "NPM"
_USUAL = ("acc_norm", "acc", "exact_match", "f1", "pass@1")
_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class Point:
    """One checkpoint on one task.

    Attributes:
        checkpoint: Its name in the training.
        step: Optimiser steps.
        tokens: Training tokens, where they are known.
        score: As a share; of an average, NPM / 100.
        stderr: Its standard error over items, in the same units; None where unknown.
        items: How many items it comes from; None where unknown.
        path: The result file.
    """

    checkpoint: str
    step: int
    tokens: float | None
    score: float
    stderr: float | None
    items: int | None
    path: Path

    def x(self, by_tokens: bool) -> float | None:
        """Its place on the horizontal axis: tokens or steps."""
        return self.tokens if by_tokens else float(self.step)


@dataclass(frozen=True, slots=True)
class Curve:
    """One task over one training.

    Attributes:
        run: The training.
        task: The task, or the name of an average.
        metric: What is measured.
        chance: What guessing scores; None where that is not known.
        points: By step.
        is_average: Whether it is NPM over several tasks.
        part: Why its scores are none on the whole task; empty where they are.
    """

    run: str
    task: str
    metric: str
    chance: float | None
    points: tuple[Point, ...]
    is_average: bool = False
    part: str = ""

    @property
    def scores(self) -> list[float]:
        """By step."""
        return [point.score for point in self.points]

    @property
    def steps(self) -> list[int]:
        """The steps."""
        return [point.step for point in self.points]


@dataclass(frozen=True, slots=True)
class Curves:
    """The curves of some folders.

    Attributes:
        curves: By training and task, averages last.
        notes: What a reader must know.
        files: How many files were read.
    """

    curves: tuple[Curve, ...]
    notes: tuple[str, ...]
    files: int

    @property
    def runs(self) -> list[str]:
        """The trainings."""
        return list(dict.fromkeys(curve.run for curve in self.curves))

    @property
    def tasks(self) -> list[str]:
        """Tasks and averages, in the order of the files, averages first."""
        averages = dict.fromkeys(curve.task for curve in self.curves if curve.is_average)
        return list(averages | dict.fromkeys(curve.task for curve in self.curves))

    def of(self, task: str) -> list[Curve]:
        """The curves of a task, one for each training."""
        return [curve for curve in self.curves if curve.task == task]


@dataclass(frozen=True, slots=True)
class _File:
    """A result file, and whose it is."""

    path: Path
    checkpoint: Checkpoint


def read(
    paths: Iterable[Path],
    *,
    own: Mapping[str, Baseline] | None = None,
    tokens_per_step: float | None = None,
    token_table: Mapping[str, float] | None = None,
) -> Curves:
    """The curves of trainings, from folders of sweeps or of any results of the harness.

    Args:
        paths: Folders of sweeps, folders of results, result files.
        own: Baselines of the user's own tasks.
        tokens_per_step: Training tokens of a step, where no file says how many were seen.
        token_table: Tokens by checkpoint or step (`sweep.checkpoints.token_table`).

    Raises:
        ResultsError: nothing can be read, or no checkpoint has a step.
    """
    notes: list[str] = []
    files: list[_File] = []
    for path in paths:
        files += _of_a_sweep(path, notes) if is_sweep(path) else _of_any(path, notes)
    given = with_tokens([file.checkpoint for file in files], tokens_per_step, token_table or {})
    files = [replace(file, checkpoint=checkpoint) for file, checkpoint in zip(files, given, strict=True)]
    if without := sorted({file.checkpoint.label for file in files if file.checkpoint.step is None}):
        notes.append(f"no step is known of {', '.join(without[:3])}{' …' if len(without) > 3 else ''}: left out")
    curves = _curves([file for file in files if file.checkpoint.step is not None], own or {}, notes)
    if not curves:
        why = "; ".join(notes) or "nothing says of which step"
        raise ResultsError(f"no point of a curve ({why}); names say it: step_1000, checkpoint-1000, revision=step1000")
    return Curves(tuple(curves), tuple(dict.fromkeys(notes)), len(files))


# ---- whose a result is


def is_sweep(path: Path) -> bool:
    """Whether a path is the folder of a sweep."""
    return (path / "plans").is_dir()


def _of_a_sweep(folder: Path, notes: list[str]) -> list[_File]:
    """The results of a sweep; checkpoints with equal weights share one."""
    lines = status.lines(Folder(folder))
    files = []
    for line in lines:
        if line.state.result is not None:
            written = sorted(line.state.result.glob("results_*.json"))
            files += [_File(path, line.cell.checkpoint) for path in written]
    if left := sum(line.state.status != "done" for line in lines):
        notes.append(f"{folder}: {left} of {len(lines)} cells have no result yet")
    return files


def _of_any(path: Path, notes: list[str]) -> list[_File]:
    """Results of the harness, whose training and step their model's name or revision says."""
    said: list[tuple[Path, str, str, Mapping[str, Any]]] = []
    for file in result_files([str(path)]):
        try:
            data = origin.parse(file)
        except ResultsError as error:
            notes.append(f"{error}; skipped")
            continue
        sweep = origin.mapping(data.get("sweep"))
        revision = origin.variant(data).get("revision", "")
        name = origin.model_name(data, file).rstrip("/")
        parent, _, last = (name, "", revision) if revision else name.rpartition("/")
        said.append((file, parent, last, sweep))
    names = run_names([Path(parent) for _, parent, _, sweep in said if not sweep])
    files = []
    for file, parent, last, sweep in said:
        if sweep:
            checkpoint = Checkpoint(str(sweep.get("run", "")), str(sweep.get("checkpoint", "")), str(file),
                                    step=sweep.get("step"), tokens=sweep.get("tokens"))  # fmt: skip
        else:
            step, tokens = named_progress(last)
            checkpoint = Checkpoint(names[Path(parent)], last, str(file), step=step, tokens=tokens)
        files.append(_File(file, checkpoint))
    return files


# ---- which score counts


def _curves(files: Sequence[_File], own: Mapping[str, Baseline], notes: list[str]) -> list[Curve]:
    checkpoints: dict[str, Checkpoint] = {}
    known: list[TaskScore] = []
    points: dict[tuple[str, str, str], dict[int, tuple[str, Point]]] = defaultdict(dict)  # run, task, metric -> step
    parts: dict[str, str] = {}
    items: dict[tuple[Path, str], int] = {}
    for file in files:
        try:
            scores = scores_in(file.path)
        except ResultsError as error:
            notes.append(f"{error}; skipped")
            continue
        label = f"{file.checkpoint.run}{_SEPARATOR}{file.checkpoint.step}"
        checkpoints.setdefault(label, file.checkpoint)
        for score in scores:
            if score.documents.answered is not None:
                items[score.path, score.task] = score.documents.answered
            if score.part:
                parts[score.task] = score.part
            if _has_baseline(score, own):
                known.append(replace(score, model=label))
            elif metric := next((name for name in _USUAL if _measure(score, name)), None):
                measure = _measure(score, metric)
                assert measure is not None
                checkpoint = file.checkpoint
                assert checkpoint.step is not None
                point = Point(checkpoint.name, checkpoint.step, checkpoint.tokens, measure.value, measure.stderr,
                              items.get((score.path, score.task)), score.path)  # fmt: skip
                by_step = points[checkpoint.run, score.task, metric]
                if checkpoint.step not in by_step or by_step[checkpoint.step][0] < score.date:
                    by_step[checkpoint.step] = score.date, point
            else:
                has = ", ".join(list(score.measures)[:5])
                notes.append(f"task {score.task} has no metric that is a share and is left out; it has: {has}")
    board = leaderboard.build(known, own)
    notes += [note for note in board.notes if "was run on parts" not in note]
    if parts:
        told = "; ".join(f"{task}: {part}" for task, part in list(parts.items())[:3])
        notes.append(f"scores on parts of tasks, no scores on the tasks ({told}{' …' if len(parts) > 3 else ''})")
    baselines: dict[str, Baseline] = {}
    for label, entries in board.entries.items():
        checkpoint = checkpoints[label]
        assert checkpoint.step is not None
        for task, entry in entries.items():
            baseline = baselines.setdefault(task, _baseline(task, own, known))
            point = Point(checkpoint.name, checkpoint.step, checkpoint.tokens, entry.score, entry.stderr,
                          next((items[entry.path, name] for name in _names(task) if (entry.path, name) in items), None),
                          entry.path)  # fmt: skip
            points[checkpoint.run, task, baseline.metric][checkpoint.step] = "", point
    made = [
        Curve(run, task, metric, baselines[task].random if task in baselines else None,
              tuple(point for _, (_, point) in sorted(by_step.items())), part=parts.get(task, ""))
        for (run, task, metric), by_step in points.items()
    ]  # fmt: skip
    return made + _averages(board, checkpoints)


def _averages(board: leaderboard.Leaderboard, checkpoints: Mapping[str, Checkpoint]) -> list[Curve]:
    """NPM over training, where all tasks of an average are there."""
    by_run: dict[tuple[str, str], list[Point]] = defaultdict(list)
    for label, entries in board.entries.items():
        checkpoint = checkpoints[label]
        assert checkpoint.step is not None
        for name, tasks in AVERAGES.items():
            estimate = average({task: entry.npm for task, entry in entries.items()}, tasks).estimate
            if estimate is not None:
                path = entries[tasks[0]].path
                stderr = None if estimate.stderr is None else estimate.stderr / 100
                point = Point(checkpoint.name, checkpoint.step, checkpoint.tokens, estimate.value / 100, stderr, None,
                              path)  # fmt: skip
                by_run[checkpoint.run, name].append(point)
    return [
        Curve(run, f"{NPM} {name}", "npm", 0.0, tuple(sorted(points, key=lambda point: point.step)), is_average=True)
        for (run, name), points in by_run.items()
    ]


def _has_baseline(score: TaskScore, own: Mapping[str, Baseline]) -> bool:
    return score.task in own or bool(score.npm) or ALIASES.get(score.task, score.task) in BASELINES


def _baseline(task: str, own: Mapping[str, Baseline], known: Sequence[TaskScore]) -> Baseline:
    if (baseline := own.get(task) or BASELINES.get(task)) is not None:
        return baseline
    stated = next(score.npm for score in known if score.task == task)
    return Baseline(str(stated["metric"]), float(stated["random"]), float(stated.get("max", 1.0)))


def _names(task: str) -> list[str]:
    return [task, *(theirs for theirs, ours in (*ALIASES.items(), *THEIRS.items()) if ours == task)]


def _measure(score: TaskScore, metric: str) -> Measure | None:
    """A metric under any filter, if it is a share."""
    for key, measure in score.measures.items():
        if key.partition(",")[0] == metric and 0 <= measure.value <= 1:
            return measure
    return None


def table(curves: Curves) -> list[tuple[Any, ...]]:
    """All points as rows: training, task, metric, checkpoint, step, tokens, score, stderr, items, chance, file."""
    return [
        (curve.run, curve.task, curve.metric, point.checkpoint, point.step, point.tokens, point.score, point.stderr,
         point.items, curve.chance, str(point.path))
        for curve in curves.curves
        for point in curve.points
    ]  # fmt: skip


HEADER = ("run", "task", "metric", "checkpoint", "step", "tokens", "score", "stderr", "items", "chance", "file")
"""The columns of `table`."""


def write_csv(curves: Curves, path: Path) -> None:
    """Write all points as CSV.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(table(curves))
