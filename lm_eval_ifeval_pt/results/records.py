"""The records: scores of tasks, runs, and the answered documents of a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_ifeval_pt.constraints.registry import instruction_name
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text.span import Span

Value = float | tuple[float, ...]
"""A metric of one document: a number, or several (one per instruction; or a log-likelihood and a length)."""


class Measure(NamedTuple):
    """A metric as a file states it, with its standard error where there is one; in the file's own scale."""

    value: float
    stderr: float | None


class DocumentCount(NamedTuple):
    """The numbers of answered documents and of the task's documents; None where nothing states them."""

    answered: int | None
    whole: int | None


_UNKNOWN = DocumentCount(None, None)


def part_of(documents: DocumentCount, limit: float | None) -> str:
    """Why scores are no scores on a whole task, in words; empty where they are.

    Args:
        documents: What was answered.
        limit: The `--limit` of the run, which decides only where the documents are not known.
    """
    answered, whole = documents
    if answered is not None and whole is not None:
        return f"{answered} of {whole} documents" if answered < whole else ""
    if limit is None:
        return ""
    return f"--limit {limit:g}" + (f", {answered} documents" if answered is not None else "")


@dataclass(frozen=True, slots=True)
class TaskScore:
    """The scores of one task in one result file.

    Attributes:
        model: The model as the file names it.
        task: The task as the file names it.
        measures: `metric` or `metric,filter` to its value.
        path: The file.
        date: When the run was made, sortable; empty where nothing says it.
        npm: The task's own `metadata: npm` (metric, random, max), where the file carries it.
        limit: The `--limit` of the run, if any.
        documents: How many documents were answered, and how many there are.
        protocol: What else changes the prompts or the scoring (`origin.protocol`).
        variant: What besides its name decides the model's scores (`origin.variant`); empty where `model` says it.
    """

    model: str
    task: str
    measures: Mapping[str, Measure]
    path: Path
    date: str = ""
    npm: Mapping[str, Any] = field(default_factory=dict)
    limit: float | None = None
    documents: DocumentCount = _UNKNOWN
    protocol: Mapping[str, str] = field(default_factory=dict)
    variant: Mapping[str, str] = field(default_factory=dict)

    @property
    def part(self) -> str:
        """Why this is no score on the whole task, in words; empty where it is one."""
        return part_of(self.documents, self.limit)


class Choice(NamedTuple):
    """A continuation of which the model gave the log-likelihood (natural logarithm)."""

    text: str
    loglikelihood: float


@dataclass(frozen=True, slots=True)
class Instruction:
    """One verified instruction of an answered document.

    Attributes:
        id: Instruction id, as the registry has it.
        kwargs: Its arguments, without absent ones.
        kind: `active` or `passive`.
        strict: The verdict on the response as it came.
        loose: The verdict that also looks through markup.
    """

    id: str
    kwargs: Mapping[str, Any]
    kind: str
    strict: Verdict
    loose: Verdict

    @property
    def restriction(self) -> str:
        """The id, with its relation where the same id asks for different things."""
        return instruction_name(self.id, self.kwargs)


@dataclass(frozen=True)
class Item:
    """One answered document under one filter: a row of the item table.

    Attributes:
        doc_id: The document's index in its split.
        filter: The filter, `none` where the task has none.
        doc_hash: SHA-256 of the document.
        prompt_hash: SHA-256 of the prompt as sent; empty where an old version did not log it.
        target_hash: SHA-256 of the target; empty as above.
        prompt: The prompt as sent (of several requests, the first).
        target: What the task expects, as the harness logs it.
        responses: What the model wrote, one per repeat; empty where it wrote nothing (log-likelihood tasks).
        answer: What the filter made of the first response.
        choices: The continuations of log-likelihood tasks.
        metrics: The numeric metrics by name.
        doc_json: The document as JSON, with the verdicts that our tasks add.
    """

    doc_id: int
    filter: str
    doc_hash: str
    prompt_hash: str
    target_hash: str
    prompt: str
    target: str
    responses: tuple[str, ...]
    answer: str
    choices: tuple[Choice, ...]
    metrics: Mapping[str, Value]
    doc_json: str

    @cached_property
    def doc(self) -> Mapping[str, Any]:
        """The document."""
        doc = json.loads(self.doc_json)
        return doc if isinstance(doc, dict) else {}

    @property
    def row(self) -> Mapping[str, Any]:
        """The row from which a task of a manifest made the document; empty for other tasks."""
        row = self.doc.get("row")
        return row if isinstance(row, dict) and "extracted_output" in self.doc else {}

    @cached_property
    def columns(self) -> Mapping[str, Any]:
        """What the document says of itself, by name: its fields, with those of its `row` in the row's place."""
        if not (row := self.row):
            return self.doc
        return {**row, **{name: value for name, value in self.doc.items() if name != "row"}}

    @property
    def response(self) -> str:
        """The first response; empty where there is none."""
        return self.responses[0] if self.responses else ""

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """The verified instructions; empty for documents that no task of this package has verified."""
        return tuple(
            Instruction(
                verdict["instruction_id"],
                {name: value for name, value in (kwargs or {}).items() if value is not None},
                verdict["kind"],
                _verdict(verdict["strict"]),
                _verdict(verdict["loose"]),
            )
            for verdict, kwargs in zip(self.doc.get("verdicts", ()), self.doc.get("kwargs", ()), strict=False)
        )


Identity = tuple[str, int]
"""A document: its hash, and which of several equal documents it is."""


def by_identity(items: Iterable[Item]) -> dict[Identity, Item]:
    """Documents by what identifies them in every run, whatever the order of a file."""
    seen: Counter[str] = Counter()
    by_key = {}
    for item in items:
        by_key[item.doc_hash, seen[item.doc_hash]] = item
        seen[item.doc_hash] += 1
    return by_key


def _verdict(data: Mapping[str, Any]) -> Verdict:
    return Verdict(data["followed"], tuple(Span(*span) for span in data["evidence"]), data["detail"])


@dataclass(frozen=True, slots=True)
class Run:
    """One model on one task.

    Attributes:
        model: The model, as the result file names it.
        task: The task.
        path: The sample file.
        items: The item table, ordered by filter and document.
        date: When the result was written, sortable; empty where nothing says it.
        result: The result file that goes with it, if there is one.
        groups: The groups that the task was run in.
        limit: The `--limit` of the run, if any.
        documents: How many documents were answered, and how many the whole split has.
        protocol: What else changes the prompts or the scoring (`origin.protocol`).
        settings: As the result file has them: `n-shot`, the task's `metadata` and the hash of the `chat_template`.
        measures: The task's scores as the result file states them: `metric` or `metric,filter` to its value.
        higher_is_better: By metric, where the result file says so.
        variant: What besides its name decides the model's scores (`origin.variant`); empty where `model` says it.
        bad_rows: Which rows were left out of the items, and why.
        left_out: What was left out of how many rows.
    """

    model: str
    task: str
    path: Path
    items: tuple[Item, ...]
    date: str = ""
    result: Path | None = None
    groups: tuple[str, ...] = ()
    limit: float | None = None
    documents: DocumentCount = _UNKNOWN
    protocol: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    higher_is_better: Mapping[str, bool] = field(default_factory=dict)
    variant: Mapping[str, str] = field(default_factory=dict)
    bad_rows: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def part(self) -> str:
        """Why this is no run on the whole task, in words; empty where it is one."""
        if self.documents.whole is None and self.limit is None and self.bad_rows:
            return f"{self.documents.answered} documents, rows that cannot be read left out"
        return part_of(self.documents, self.limit)

    @property
    def title(self) -> str:
        """Task and model, marked where it is no run on the whole task."""
        return f"{self.task}  {self.model}" + (f"  (only {self.part})" if self.part else "")

    @property
    def filters(self) -> tuple[str, ...]:
        """The filters, in the order of the file."""
        if self.items and self.items[0].filter == self.items[-1].filter:  # they are ordered by it
            return (self.items[0].filter,)
        return tuple(dict.fromkeys(item.filter for item in self.items))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The numeric metrics that some item has."""
        alike = dict.fromkeys(tuple(item.metrics) for item in self.items)
        return tuple(dict.fromkeys(name for names in alike for name in names))

    @property
    def is_verified(self) -> bool:
        """Whether the documents carry verdicts of this package."""
        return any("verdicts" in item.doc for item in self.items[:1])

    def under(self, filter: str) -> tuple[Item, ...]:
        """The items of one filter."""
        if self.filters == (filter,):
            return self.items
        return tuple(item for item in self.items if item.filter == filter)
