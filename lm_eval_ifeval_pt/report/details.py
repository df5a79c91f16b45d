"""Scores of a task by a field of its documents, by letter, by length of the answer, by what a corpus holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lm_eval_ifeval_pt.analysis import contaminated, fields
from lm_eval_ifeval_pt.analysis.contaminated import SeenCounts, SplitScore
from lm_eval_ifeval_pt.analysis.lengths import LengthProfile, length_profile
from lm_eval_ifeval_pt.analysis.letters import LetterBias, letter_bias
from lm_eval_ifeval_pt.analysis.pairing import NotComparable
from lm_eval_ifeval_pt.contamination.findings import Findings
from lm_eval_ifeval_pt.results import ResultsError, Run
from lm_eval_ifeval_pt.statistics import Estimate

_MOST_FIELDS = 6  # of one task


@dataclass(frozen=True, slots=True)
class FieldTable:
    """The scores of a task by the values of a field of its documents.

    Attributes:
        task: The task.
        metric: What is measured.
        field: The field.
        documents: How many documents have each value, in the order of the values.
        scores: For each model, the score on each value.
    """

    task: str
    metric: str
    field: str
    documents: Mapping[str, int]
    scores: Mapping[str, Mapping[str, Estimate]]


@dataclass(frozen=True, slots=True)
class LetterTable:
    """Which options of a task the models choose, by label, against which are right."""

    task: str
    biases: Mapping[str, LetterBias]

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the options."""
        return max((tuple(option.letter for option in bias.options) for bias in self.biases.values()), key=len)


@dataclass(frozen=True, slots=True)
class LengthTable:
    """The score of each model on a task by the length of its answers, by label."""

    task: str
    metric: str
    profiles: Mapping[str, LengthProfile]


@dataclass(frozen=True, slots=True)
class SeenItems:
    """What a corpus holds of the tasks, and the scores on that.

    Attributes:
        threshold: The share of a question's words from which an item counts as seen.
        counts: How many documents of each task the corpus holds, at several thresholds.
        scores: Each model's scores on seen and clean items; of two models their difference too.
        shares: For each task, how much of each document's question the corpus holds, by its index.
    """

    threshold: float
    counts: tuple[SeenCounts, ...]
    scores: tuple[SplitScore, ...]
    shares: Mapping[str, Mapping[int, float]]


def fields_of(runs: Mapping[str, Run]) -> list[str]:
    """The fields of the documents of one task by which scores are worth showing."""
    first = next(iter(runs.values()))
    return fields.worth_showing(first.under(first.filters[0]))[:_MOST_FIELDS]


def by_field(task: str, runs: Mapping[str, Run], metric: str) -> list[FieldTable]:
    """A table for each field of the documents of a task by which scores are worth showing.

    Args:
        task: The task.
        runs: The run of each model, by label.
        metric: What is measured.
    """
    tables = []
    for field in fields_of(runs):
        documents: dict[str, int] = {}
        scores = {}
        for label, run in runs.items():
            try:
                rows = fields.by_field(run.under(run.filters[0]), metric, field)
            except ResultsError:  # other documents, which do not have it
                continue
            scores[label] = {row.value: row.score for row in rows}
            for row in rows:
                documents[row.value] = max(row.documents, documents.get(row.value, 0))
        tables.append(FieldTable(task, metric, field, documents, scores))
    return tables


def by_letter(task: str, runs: Mapping[str, Run]) -> LetterTable | None:
    """Which options the models choose; None where a task has none."""
    biases = {label: letter_bias(run.under(run.filters[0])) for label, run in runs.items()}
    known = {label: bias for label, bias in biases.items() if bias is not None and len(bias.options) > 1}
    return LetterTable(task, known) if known else None


def by_length(task: str, runs: Mapping[str, Run], metric: str) -> LengthTable | None:
    """The scores by length of the answers; None where nothing was written, or all answers are as long."""
    profiles = {label: length_profile(run.under(run.filters[0]), metric) for label, run in runs.items()}
    known = {label: profile for label, profile in profiles.items() if profile is not None and len(profile.bins) > 1}
    return LengthTable(task, metric, known) if known else None


def seen_items(
    runs: Mapping[str, Mapping[str, Run]], findings: Findings, threshold: float
) -> tuple[SeenItems, list[str]]:
    """The scores on seen and clean items of each model, and why some tasks have none.

    Args:
        runs: The runs of each task, by label.
        findings: Of a scan.
        threshold: The share of a question's words from which an item counts as seen.
    """
    scores: list[SplitScore] = []
    notes: list[str] = []
    for of_task in runs.values():
        groups = [[label] for label in of_task] + ([list(of_task)] if len(of_task) == 2 else [])
        for labels in groups:
            try:
                scores.append(
                    contaminated.split_score([of_task[label] for label in labels], findings, threshold, labels=labels)
                )
            except (ResultsError, NotComparable) as error:
                notes.append(str(error))
    shares = {task: findings.shares(task) for task in runs}
    counts = tuple(contaminated.seen_counts(findings, task) for task in runs if shares[task])
    return SeenItems(threshold, counts, tuple(scores), shares), list(dict.fromkeys(notes))
