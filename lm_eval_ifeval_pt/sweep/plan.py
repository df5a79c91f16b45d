"""The plan of a sweep: its cells, what their keys are made of, and in which order they are evaluated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lm_eval_ifeval_pt.sweep import tasks as task_definitions
from lm_eval_ifeval_pt.sweep.checkpoints import Checkpoint, Weights, digest
from lm_eval_ifeval_pt.sweep.settings import Settings

Parts = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """One checkpoint on one task.

    Attributes:
        checkpoint: The checkpoint.
        task: The task.
        parts: All that can change a number, by names for a person.
    """

    checkpoint: Checkpoint
    task: str
    parts: Parts

    @cached_property
    def key(self) -> str:
        """Hash of the parts: equal keys, equal numbers."""
        return digest([self.task, self.parts])

    @property
    def label(self) -> str:
        """How logs call it."""
        return f"{self.checkpoint.label} × {self.task}"


@dataclass(frozen=True)
class Plan:
    """What one call of `sweep` wants evaluated, except on which checkpoints.

    Attributes:
        wanted: Tasks, groups and tags as given.
        settings: How.
        tasks: What of each task can change a number.
        retries: How often a failed cell is tried again.
        workplace: The working directory, to which paths in task definitions are relative.
        tokenizer: Of the checkpoint for which the tasks were loaded: rows of some are made for a tokenizer.
    """

    wanted: tuple[str, ...]
    settings: Settings
    tasks: Mapping[str, Parts]
    retries: int = 2
    workplace: str = ""
    tokenizer: str = ""

    @property
    def id(self) -> str:
        """Short name of the plan: the same for the same tasks and settings."""
        return digest([self.settings.parts(), self.tasks])[:12]

    def plain(self) -> dict[str, Any]:
        """As data that JSON can hold."""
        return {
            "wanted": list(self.wanted),
            "settings": self.settings.plain(),
            "tasks": {name: dict(parts) for name, parts in self.tasks.items()},
            "retries": self.retries,
            "workplace": self.workplace,
            "tokenizer": self.tokenizer,
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Plan:
        """From what `plain` gives."""
        settings = Settings.read(data["settings"])
        return cls(**{**data, "wanted": tuple(data["wanted"]), "settings": settings})

    def cells(self, checkpoints: Sequence[Checkpoint]) -> list[Cell]:
        """The cells in the order in which they are to be evaluated; of equal keys each."""
        shared = self.settings.parts()
        return [
            Cell(checkpoint, task, {**shared, **parts, "weights": _of_weights(checkpoint.weights)})
            for checkpoint in in_order(checkpoints)
            for task, parts in self.tasks.items()
        ]


def make(
    wanted: Sequence[str], settings: Settings, first: Checkpoint | None, retries: int, workplace: str
) -> Plan:
    """A plan: the tasks are loaded for it, as for the first checkpoint.

    Raises:
        SweepError: a task cannot be loaded.
    """
    loaded = task_definitions.load(wanted, settings, first.source if first else "")
    parts = {name: task_definitions.parts(task) for name, task in loaded.items()}
    tokenizer = first.weights.tokenizer if first and first.weights else ""
    return Plan(tuple(wanted), settings, parts, retries, workplace, tokenizer)


def in_order(checkpoints: Iterable[Checkpoint]) -> list[Checkpoint]:
    """The checkpoints so that the shape of the curve is there early: ends first, then halves; runs take turns."""
    runs: dict[str, list[Checkpoint]] = {}
    for checkpoint in sorted(checkpoints, key=lambda other: other.order):
        runs.setdefault(checkpoint.run, []).append(checkpoint)
    queues = [[run[index] for index in halving(len(run))] for run in runs.values()]
    longest = max(map(len, queues), default=0)
    return [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]


def halving(count: int) -> list[int]:
    """Indices from 0 to count - 1: first, last, middle, then the middle of each gap, widest first."""
    if count < 3:
        return list(range(count))
    order, gaps = [0, count - 1], [(0, count - 1)]
    while gaps:
        halves = []
        for low, high in gaps:
            if high - low > 1:
                middle = (low + high) // 2
                order.append(middle)
                halves += [(low, middle), (middle, high)]
        gaps = halves
    return order


def differing(wanted: Parts, present: Parts) -> dict[str, tuple[Any, Any]]:
    """The parts in which two keys differ, as (present, wanted)."""
    wanted = json.loads(json.dumps(wanted, default=str))  # as those of a result were stored
    names = dict.fromkeys((*wanted, *present))
    return {name: (present.get(name), wanted.get(name)) for name in names if present.get(name) != wanted.get(name)}


def _of_weights(weights: Weights | None) -> str:
    return "" if weights is None else weights.content
