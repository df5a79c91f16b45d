"""The numbers of a report, computed from runs: no text, no markup."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lm_eval_ifeval_pt.analysis import accidental, restrictions
from lm_eval_ifeval_pt.analysis.accidental import Accident
from lm_eval_ifeval_pt.analysis.clusters import clusters
from lm_eval_ifeval_pt.analysis.pairing import metric_of, scores_of
from lm_eval_ifeval_pt.analysis.restrictions import Echoes, InstructionRate, Level
from lm_eval_ifeval_pt.constraints.registry import ConstraintError
from lm_eval_ifeval_pt.contamination.findings import Findings
from lm_eval_ifeval_pt.ifeval.crossing import NotCrossed, overall
from lm_eval_ifeval_pt.npm import leaderboard, standings
from lm_eval_ifeval_pt.npm.formula import AVERAGES
from lm_eval_ifeval_pt.npm.standings import LeaderboardLine
from lm_eval_ifeval_pt.report import details
from lm_eval_ifeval_pt.report.details import FieldTable, LengthTable, LetterTable, SeenItems
from lm_eval_ifeval_pt.report.pairs import Paired, pair
from lm_eval_ifeval_pt.results import Item, Reading, ResultsError, Run, read_scores
from lm_eval_ifeval_pt.statistics import Estimate, Interval, mean_score, wilson

if TYPE_CHECKING:
    from lm_eval_ifeval_pt.report.curves import CurvePage

SEEN_FROM = 0.5
"""The share of a question's words in a corpus from which an item counts as seen."""


@dataclass(frozen=True, slots=True)
class ModelResult:
    """One model on a task with verdicts.

    Attributes:
        label: The model, as short as the other models allow.
        run: Its run.
        levels: The scores, by name.
        rates: Per restriction.
        totals: Per kind, and of all.
        accidents: Per restriction, how often it is met unasked; empty where the documents are not crossed.
        corrected: The score beyond accident; None as above.
        echoes: The answers that repeat their prompts; None where the task does not look for them.
    """

    label: str
    run: Run
    levels: Mapping[str, Level]
    rates: Mapping[tuple[str, str], InstructionRate]
    totals: Mapping[str, InstructionRate]
    accidents: Mapping[tuple[str, str], Accident]
    corrected: Estimate | None
    echoes: Echoes | None


@dataclass(frozen=True, slots=True)
class Verified:
    """A task with verdicts.

    Attributes:
        task: The task.
        entries: The models, from the highest strict score.
        restrictions: Restriction and kind, in the order of the documents.
    """

    task: str
    entries: tuple[ModelResult, ...]
    restrictions: tuple[tuple[str, str], ...]

    @property
    def is_crossed(self) -> bool:
        """Whether it is known how often restrictions are met unasked."""
        return any(entry.accidents for entry in self.entries)

    @property
    def has_echoes(self) -> bool:
        """Whether it is known how many answers repeat their prompts."""
        return any(entry.echoes for entry in self.entries)


@dataclass(frozen=True, slots=True)
class TaskMeans:
    """A task without verdicts: its metric, and the mean of each model."""

    task: str
    metric: str
    means: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Suite:
    """The NPM leaderboard: the names of its averages, the first of which ranks, and its lines."""

    averages: tuple[str, ...]
    tasks: tuple[str, ...]
    lines: tuple[LeaderboardLine, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a report shows.

    Attributes:
        labels: The models, in the order of the leaderboard.
        runs: The runs of each task, by label.
        verified: The tasks with verdicts.
        scored: The tasks without.
        paired: The models of each task against each other.
        suite: NPM; None where no model has two tasks with a baseline.
        notes: What a reader must know.
        fields: The scores of tasks by fields of their documents.
        letters: The options that models choose.
        lengths: The scores of tasks by length of the answers.
        seen: What a corpus holds of the tasks; None where none was looked at.
        curves: Scores over training; None where there are none.
    """

    labels: tuple[str, ...]
    runs: Mapping[str, Mapping[str, Run]]
    verified: tuple[Verified, ...]
    scored: tuple[TaskMeans, ...]
    paired: Mapping[str, Paired]
    suite: Suite | None
    notes: tuple[str, ...]
    fields: tuple[FieldTable, ...] = ()
    letters: tuple[LetterTable, ...] = ()
    lengths: tuple[LengthTable, ...] = ()
    seen: SeenItems | None = None
    curves: CurvePage | None = None


def gather(
    reading: Reading,
    result_files: Iterable[Path] = (),
    findings: Findings | None = None,
    seen_from: float = SEEN_FROM,
    curves: CurvePage | None = None,
) -> Contents:
    """The contents of a report on some runs.

    Args:
        reading: The runs.
        result_files: Result files for the NPM, besides those that go with the runs.
        findings: What a scan has found of the tasks in a corpus.
        seen_from: The share of a question's words from which an item counts as seen.
        curves: Scores over training, to be shown too.
    """
    named = display_names(reading.runs)
    by_task: dict[str, dict[str, Run]] = {}
    for run in reading.runs:
        by_task.setdefault(run.task, {})[named[run.path]] = run
    verified = tuple(_verified(task, runs) for task, runs in by_task.items() if _are_verified(runs))
    metrics = {task: metric for task, runs in by_task.items() if (metric := _metric(runs)) is not None}
    scored = tuple(
        _scored(task, by_task[task], metric) for task, metric in metrics.items() if not _are_verified(by_task[task])
    )
    shown = [entry.label for task in verified for entry in task.entries]
    order = tuple(dict.fromkeys([*shown, *named.values()]))
    ordered = {
        task: {label: runs[label] for label in order if label in runs} for task, runs in by_task.items()
    }
    paths = [run.result for run in reading.runs if run.result is not None]
    suite, notes = _suite(dict.fromkeys([*paths, *result_files]), _short({run.model for run in reading.runs}))
    paired = {task: pair(runs) for task, runs in ordered.items()}
    remarks = [
        f"{task}: {note.removeprefix(f'{task}: ')}" for task, of_task in paired.items() for note in of_task.notes
    ]
    seen, unsought = details.seen_items(ordered, findings, seen_from) if findings else (None, [])
    return Contents(
        labels=order,
        runs=ordered,
        verified=verified,
        scored=scored,
        paired=paired,
        suite=suite,
        notes=(*reading.notes, *notes, *remarks, *unsought, *(curves.notes if curves else ())),
        fields=tuple(
            table for task, metric in metrics.items() for table in details.by_field(task, ordered[task], metric)
        ),
        letters=tuple(letters for task, runs in ordered.items() if (letters := details.by_letter(task, runs))),
        lengths=tuple(
            lengths for task, metric in metrics.items() if (lengths := details.by_length(task, ordered[task], metric))
        ),
        seen=seen,
        curves=curves,
    )


def display_names(runs: Sequence[Run]) -> dict[Path, str]:
    """The name under which each run's model is shown: its last name where that tells it apart, with the folder
    where a model is there twice on one task."""
    short = _short({run.model for run in runs})
    for detail in ("{}", "{} · {folder}", "{} · {folder} · {run.date}"):
        names = {run.path: detail.format(short[run.model], run=run, folder=run.path.parent.name) for run in runs}
        if max(Counter((run.task, names[run.path]) for run in runs).values(), default=0) <= 1:
            return names
    return {run.path: f"{short[run.model]} · {run.path}" for run in runs}


def _short(models: Iterable[str]) -> dict[str, str]:
    last = {model: model.rstrip("/").rsplit("/", 1)[-1] or model for model in models}
    is_clear = len(set(last.values())) == len(last)
    return last if is_clear else {model: model for model in last}


def _are_verified(runs: Mapping[str, Run]) -> bool:
    return all(run.is_verified for run in runs.values())


def _verified(task: str, runs: Mapping[str, Run]) -> Verified:
    entries = [_entry(label, run) for label, run in runs.items()]
    entries.sort(key=lambda entry: -entry.levels["prompt strict"].independent.value)
    asked = dict.fromkeys(key for entry in entries for key in entry.rates)
    return Verified(task, tuple(entries), tuple(asked))


def _entry(label: str, run: Run) -> ModelResult:
    items = run.under(run.filters[0])
    try:
        cells = accidental.cells(items)
    except (NotCrossed, ConstraintError):  # the second in files of another version
        cells = []
    return ModelResult(
        label,
        run,
        {level.name: level for level in restrictions.levels(items)},
        {(rate.name, rate.kind): rate for rate in restrictions.rates(items)},
        {rate.kind: rate for rate in restrictions.totals(items)},
        {(accident.restriction, accident.kind): accident for accident in accidental.by_restriction(cells)},
        overall(cells) if cells else None,
        restrictions.echoes(items),
    )


def loose_interval(rate: InstructionRate) -> Interval:
    """The Wilson interval of the loose rate."""
    return wilson(rate.loose, rate.n)


def _metric(runs: Mapping[str, Run]) -> str | None:
    """The metric of a task; None where its models have none in common."""
    try:
        return metric_of(list(runs.values()))
    except ResultsError:
        return None


def _scored(task: str, runs: Mapping[str, Run], metric: str) -> TaskMeans:
    """The means of the task's metric."""
    return TaskMeans(task, metric, {label: _mean(run.under(run.filters[0]), metric) for label, run in runs.items()})


def _mean(items: Sequence[Item], metric: str) -> Estimate:
    scores = [
        (cluster, score)
        for cluster, item in zip(clusters(items), items, strict=True)
        if metric in item.metrics
        for score in scores_of(metric, item.metrics[metric])
    ]
    if not scores:
        return Estimate(math.nan, math.nan, 0, 0)
    return mean_score([score for _, score in scores], [cluster for cluster, _ in scores])


def _suite(paths: Iterable[Path], short: Mapping[str, str]) -> tuple[Suite | None, tuple[str, ...]]:
    """The NPM of the models of some result files; one task is no suite."""
    if not (files := list(paths)):
        return None, ()
    read = read_scores(files)
    board = leaderboard.build(read.scores)
    if max(map(len, board.entries.values()), default=0) < 2:
        return None, read.notes
    averages = standings.relevant(board, AVERAGES)
    names = tuple(averages)
    lines = standings.lines(board, averages)
    named = [replace(line, model=short.get(line.model, line.model)) for line in lines]
    tasks = tuple(dict.fromkeys(task for line in lines for task in line.tasks))
    return Suite(names, tasks, tuple(named)), (*read.notes, *board.notes)
