"""The baselines of NPM: preferred metric, chance level and maximum of every task, as its definition states them.

A definition states them under `metadata: npm`, so that result files carry them; nobody else does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, TypeVar

from lm_eval_ifeval_pt import definitions

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Baseline:
    """The metric, chance level and maximum that turn scores of one task into NPM.

    Attributes:
        metric: The preferred metric, as the task names it.
        random: What guessing scores, as a share (0 to 1).
        max: The best possible score, as a share.
        set: The half of the Tucano 2 suite that counts the task; None where neither does.
    """

    metric: str
    random: float
    max: float = 1.0
    set: Literal["easy", "hard"] | None = None


class FromDefinitions(Mapping[str, _Value]):
    """A mapping that is made of the task definitions when it is first looked into."""

    def __init__(self, make: Callable[[], dict[str, _Value]]) -> None:
        self._make = make

    @cached_property
    def _entries(self) -> dict[str, _Value]:
        return self._make()

    def __getitem__(self, key: str) -> _Value:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _baselines() -> dict[str, Baseline]:
    stated = (task for task in definitions.tasks() if "npm" in task.get("metadata", {}))
    return {task["task"]: Baseline(**task["metadata"]["npm"]) for task in stated}


def _formats() -> dict[str, tuple[str, str]]:
    folders = definitions.folders()
    cloze, choice = (
        {folders[task]: task for task in definitions.members(f"tucano2_suite_{form}")} for form in ("cf", "mcf")
    )
    return {benchmark: (task, choice[benchmark]) for benchmark, task in cloze.items() if benchmark in choice}


BASELINES: Mapping[str, Baseline] = FromDefinitions(_baselines)
"""The baseline of each task of this package that has one."""

FORMATS: Mapping[str, tuple[str, str]] = FromDefinitions(_formats)
"""The cloze (CF) and the multiple-choice format (MCF) of the same rows: `tucano2_suite_cf` and `tucano2_suite_mcf`."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        # Open Portuguese LLM Leaderboard, which Tucano 2 used for ENEM, BLUEX and OAB
        "enem_challenge": "enem",
        # The harness; the first name until 0.4.12, the second since
        "global_piqa_completions_por_latn_braz": "global_piqa_pt_br",
        "global_piqa_nonparallel_cloze_por_latn_braz": "global_piqa_pt_br",
        "belebele_por_Latn": "belebele_pt",
        "humaneval": "humaneval_pt",
    }
)
"""The names under which others publish the same rows with the same protocol, to ours."""

THEIRS: Mapping[str, str] = MappingProxyType({"ifeval_pt": "ifeval_pt_300"})
"""Names of ours under which others publish the rows of another task of ours (Polygl0t: their own 300 prompts)."""
