"""One row of `make bench`: work of ours beside a peer's or a calibration of the same run, and their ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests import timing

REFERENCE_LOOP = 0.04
"""CPU seconds of the calibration loop on the machine on which the seconds of the goals were set, when it is idle."""


class NotMeasured(Exception):
    """The work cannot be measured here; the message says what is missing."""


@dataclass(frozen=True)
class Row:
    """What one piece of work costs.

    Attributes:
        work: What is done.
        ours: What it costs here, in `unit`.
        unit: E.g. `CPU-s`, or `a CPU-s` where more is better.
        beside: The peer or the calibration.
        theirs: What that costs in this run, in the same unit.
        ratio: How many times better than the peer, or how many times the calibration.
        goal: What the ratio should be; None where there is none.
        is_least: Whether the goal is the least ratio that is good enough, as beside a peer; else it is the most.
    """

    work: str
    ours: float
    unit: str
    beside: str
    theirs: float
    ratio: float
    goal: float | None = None
    is_least: bool = False

    @property
    def is_met(self) -> bool | None:
        """Whether the goal is met; None where there is none."""
        if self.goal is None:
            return None
        return self.ratio >= self.goal if self.is_least else self.ratio <= self.goal

    @classmethod
    def read(cls, data: dict[str, Any]) -> Row:
        """The row that `dataclasses.asdict` made a mapping of."""
        return cls(**data)


def faster(work: str, ours: float, unit: str, peer: str, theirs: float, goal: float | None = None) -> Row:
    """A row of work whose speed is a rate: how many times the peer's it is, at least `goal`."""
    return Row(work, ours, unit, peer, theirs, ours / theirs, goal, is_least=True)


def cheaper(work: str, ours: float, unit: str, peer: str, theirs: float, goal: float | None = None) -> Row:
    """A row of work that costs something: how many times less than the peer, at least `goal` times."""
    return Row(work, ours, unit, peer, theirs, theirs / ours, goal, is_least=True)


def at_most(work: str, ours: float, unit: str, calibration: str, theirs: float, goal: float | None = None) -> Row:
    """A row of work that costs so many times what the calibration does, at most `goal` times."""
    return Row(work, ours, unit, calibration, theirs, ours / theirs, goal)


def in_loops(work: str, seconds: float, goal: float | None = None, unit: str = "CPU-s") -> Row:
    """A row of work beside the calibration loop of `tests.timing`.

    Args:
        work: What is done.
        seconds: What it takes.
        goal: The seconds that it may take where the loop takes `REFERENCE_LOOP`.
        unit: CPU or wall seconds.
    """
    loop = min(timing.seconds(timing.loop) for _ in range(5))
    return at_most(work, seconds, unit, "a million steps of a plain loop", loop, goal and goal / REFERENCE_LOOP)
