"""What is wrong with a manifest, its data or its programs, for the person who wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        path: Where in the manifest, as `tasks[2].output_extraction.pattern`; empty for the whole.
        problem: What is wrong and what is allowed.
    """

    path: str
    problem: str

    def __str__(self) -> str:
        """Both in one line."""
        return f"{self.path}: {self.problem}" if self.path else self.problem


class ManifestError(ValueError):
    """A manifest that cannot be used.

    Attributes:
        faults: All that is wrong with it.
    """

    def __init__(self, where: str, faults: Sequence[Fault]) -> None:
        """`where` is the file."""
        super().__init__("\n".join(f"{where}: {fault}" for fault in faults))
        self.faults = tuple(faults)


class SuiteError(RuntimeError):
    """A task that cannot be run: its data, a program of it, or what it needs is not as it must be."""
