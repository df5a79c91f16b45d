"""The one reader of what the harness writes: results_*.json and samples_*.jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

_SAMPLES = regex.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")


class ResultsError(ValueError):
    """A result or sample file cannot be read as such. The message names the file, the line and what to do."""


@dataclass(frozen=True, slots=True)
class Item:
    """One verified instruction of one answered document.

    Attributes:
        key: The document's key.
        restriction: The instruction with what makes it another one, e.g. its relation.
        kind: `active` or `passive`.
        strict: Whether it was followed on the response as it came.
        loose: Whether it was followed strictly or without markup.
    """

    key: Any
    restriction: str
    kind: str
    strict: bool
    loose: bool


@dataclass(frozen=True, slots=True)
class Run:
    """The verified instructions of one task in one sample file."""

    path: Path
    task: str
    items: tuple[Item, ...]


def sample_files(paths: Iterable[Path]) -> list[Path]:
    """The sample files named by files and folders; of several runs in one folder, the latest of each task.

    A result file stands for the sample files in the folder of its name (`lm-eval-pt run`) or beside it.

    Raises:
        ResultsError: a path does not exist, or leads to no sample file.
    """
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise ResultsError(f"{path}: no such file or folder")
        if path.suffix == ".jsonl":
            found.append(path)
            continue
        own = path.with_suffix("")
        folder = path if path.is_dir() else own if own.is_dir() else path.parent
        latest: dict[tuple[Path, str], Path] = {}
        for candidate in sorted(folder.rglob("samples_*.jsonl") if path.is_dir() else folder.glob("samples_*.jsonl")):
            match = _SAMPLES.fullmatch(candidate.name)
            latest[candidate.parent, match["task"] if match else candidate.stem] = candidate
        if not latest:
            raise ResultsError(f"{path}: no samples_*.jsonl there; run lm_eval with --output_path and --log_samples")
        found.extend(latest.values())
    return found


def samples(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a sample file.

    Raises:
        ResultsError: a line is no JSON object (a torn last line of an interrupted run included).
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise ResultsError(f"{path}, line {number}: no valid JSON ({error})") from error
            if not isinstance(row, dict):
                raise ResultsError(f"{path}, line {number}: an object is expected")
            yield row


def read_run(path: Path) -> Run | None:
    """The verified instructions of a sample file; None where its documents carry no verdicts of this package."""
    match = _SAMPLES.fullmatch(path.name)
    items: list[Item] = []
    for row in samples(path):
        doc = row.get("doc", {})
        if "verdicts" not in doc:
            return None
        items.extend(
            Item(
                key=doc.get("key"),
                restriction=restriction(verdict["instruction_id"], kwargs or {}),
                kind=verdict["kind"],
                strict=verdict["strict"]["followed"],
                loose=verdict["loose"]["followed"],
            )
            for verdict, kwargs in zip(doc["verdicts"], doc["kwargs"], strict=True)
        )
    return Run(path, match["task"] if match else path.stem, tuple(items))


def restriction(instruction_id: str, kwargs: dict[str, Any]) -> str:
    """A row of the table: the instruction id, with its relation where the same id asks for different things."""
    relation = kwargs.get("relation")
    return f"{instruction_id} ({relation})" if relation else instruction_id
