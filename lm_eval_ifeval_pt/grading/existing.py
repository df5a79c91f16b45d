"""Graders on answers that exist: the samples of a run, or rows with an answer and a target."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.grading.builtins import LOWER_IS_BETTER, Grader, aggregation
from lm_eval_ifeval_pt.ifeval.rows import RowsError, read_jsonl
from lm_eval_ifeval_pt.results import Item, ResultsError
from lm_eval_ifeval_pt.results.writing import Key, Total


@dataclass(frozen=True, slots=True)
class Graded:
    """The scores that graders give to answers.

    Attributes:
        scores: By filter and document, then by metric.
        ungraded: Why documents could not be graded, and how many; the target or row is at fault.
        count: How many documents there are.
    """

    scores: Mapping[Key, Mapping[str, float]]
    ungraded: Mapping[str, int]
    count: int

    def column(self, metric: str, filter: str) -> list[float]:
        """The scores of one metric under one filter."""
        return [scores[metric] for (of, _), scores in self.scores.items() if of == filter and metric in scores]

    def totals(self) -> dict[tuple[str, str], Total]:
        """The total of each metric, by metric and filter; a mean with its standard error (s / √n)."""
        filters = dict.fromkeys(filter for filter, _ in self.scores)
        metrics = dict.fromkeys(name for scores in self.scores.values() for name in scores)
        return {
            (metric, filter): _total(metric, column)
            for filter in filters
            for metric in metrics
            if (column := self.column(metric, filter))
        }


def _total(metric: str, column: Sequence[float]) -> Total:
    from lm_eval.api.metrics import mean, mean_stderr

    aggregate = aggregation(metric)
    is_mean = aggregate is mean and len(column) > 1
    return Total(aggregate(column), mean_stderr(column) if is_mean else None, metric not in LOWER_IS_BETTER)


def grade(items: Sequence[Item], graders: Sequence[Grader]) -> Graded:
    """Grade every answer; the answer is what the filter made of the first response.

    Raises:
        ResultsError: no answer could be graded, or two graders give a metric of the same name.
    """
    names = Counter(metric for grader in graders for metric in grader.metrics)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ResultsError(f"two of the metrics are called {twice[0]}; score them one after the other")
    scores: dict[Key, dict[str, float]] = {}
    ungraded: Counter[str] = Counter()
    for item in items:
        if not item.responses:
            ungraded["the model wrote no text (a log-likelihood task)"] += 1
            continue
        of_item = scores.setdefault((item.filter, item.doc_id), {})
        for grader in graders:
            try:
                of_item |= grader(item.answer or item.response, _targets(item.target), item.doc)
            except ValueError as error:
                ungraded[f"{grader.id}: {error} (document {item.doc_id})"] += 1
    if not any(scores.values()):
        raise ResultsError(f"none of {len(items)} answers could be graded: {next(iter(ungraded), 'there is none')}")
    return Graded(scores, ungraded, len(items))


def _targets(target: str) -> str | list[str]:
    """The expected text, or texts: sample files hold a list as JSON."""
    if not target.startswith("["):
        return target
    try:
        listed = json.loads(target)
    except ValueError:
        return target
    return listed if listed and all(isinstance(text, str) for text in listed) else target


def as_samples(path: Path, response: str, target: str | None, prompt: str) -> list[dict[str, Any]]:
    """The rows of a .jsonl file, each with an answer in it, as the harness logs samples.

    Args:
        path: The file.
        response: The column of the answer.
        target: The column of what is expected; None where nothing is.
        prompt: The column of the prompt, if there is one.

    Raises:
        ResultsError: the file cannot be read, or a row lacks a column.
    """
    samples = []
    try:
        for number, row in enumerate(read_jsonl(path)):
            for column in (response, target):
                if column is not None and column not in row:
                    raise ResultsError(
                        f"{path}, row {number + 1}: no column {column!r} (it has {', '.join(row)}); "
                        "--response and --target name them"
                    )
            samples.append(_sample(number, row, response, target, prompt))
    except RowsError as error:
        raise ResultsError(str(error)) from error
    return samples


def _sample(number: int, row: Mapping[str, Any], response: str, target: str | None, prompt: str) -> dict[str, Any]:
    answer = row[response]
    answer = answer if isinstance(answer, str) else "" if answer is None else str(answer)
    doc = {name: value for name, value in row.items() if name != response}
    wanted = row[target] if target is not None else ""
    # What was asked, by which `diff` and `rank` pair two models: their files may have further columns of their own.
    asked = [row[prompt], wanted] if prompt in row else doc
    return {
        "doc_id": number,
        "doc": doc,
        "doc_hash": hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest(),
        "target": wanted,
        "arguments": {"gen_args_0": {"arg_0": str(row.get(prompt, "")), "arg_1": {}}},
        "resps": [[answer]],
        "filtered_resps": [answer],
        "filter": "none",
        "metrics": [],
    }
