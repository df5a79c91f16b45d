"""The rate at which each restriction was followed, and the scores over all prompts with their errors."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from lm_eval_ifeval_pt.analysis.clusters import clusters
from lm_eval_ifeval_pt.results import Instruction, Item
from lm_eval_ifeval_pt.statistics import NORMAL, Estimate, Interval, detectable_difference, rate

ASSUMED_CORRELATION = 0.5
"""Of two models' outcomes on one prompt, where only one model is looked at."""


@dataclass(frozen=True, slots=True)
class InstructionRate:
    """A row of the table.

    Attributes:
        name: The restriction, or what the row sums up.
        kind: `active` or `passive`; empty where the row has both.
        n: How many instructions.
        strict: How many were followed strictly.
        loose: How many were followed loosely.
        interval: The 95 % interval of the strict rate, for other prompts like these: Wilson's, with instructions of one
            prompt taken together.
        repeated: Of the strictly followed ones, those that rest on what the answer repeats of its prompt (`rests_on`);
            None where the task does not look for that.
    """

    name: str
    kind: str
    n: int
    strict: int
    loose: int
    interval: Interval
    repeated: int | None


@dataclass(frozen=True, slots=True)
class Level:
    """A score with the standard errors that different clusters give it.

    Attributes:
        name: `prompt strict`, `prompt loose`, `instruction strict` or `instruction loose`.
        independent: As if all prompts were independent; how the harness computes it.
        by_task: Clustered by base task (or conversation; or document, where no two share a base task).
        by_restriction: Clustered by restriction; None where prompts have several.
        by_both: Clustered by both at once; None as above.
    """

    name: str
    independent: Estimate
    by_task: Estimate
    by_restriction: Estimate | None
    by_both: Estimate | None

    @property
    def honest(self) -> Estimate:
        """The one to report: by both where that is known."""
        return self.by_both or self.by_task


MANY_ECHOES = 0.1
"""The share of answers that repeat their prompts from which it must be said."""


@dataclass(frozen=True, slots=True)
class Echoes:
    """Answers that repeat their prompts.

    Attributes:
        share: The share of answers that are mostly their prompt.
        own_words: The share of prompts that are followed without what answers repeat.
        followed: Followed strict verdicts that have evidence.
        resting: Those of them all of whose evidence is repeated from the prompt.
    """

    share: float
    own_words: float
    followed: int
    resting: int


def echoes(items: Sequence[Item]) -> Echoes | None:
    """The answers of a run that repeat their prompts; None where the task does not look for them."""
    rates = [item.metrics.get("echo_rate") for item in items]
    own = [item.metrics.get("ifeval_pt_own_words") for item in items]
    known = [rate for rate in rates if isinstance(rate, float)]
    if not known or len(known) < len(items):
        return None
    followed = [
        (item, instruction)
        for item in items
        for instruction in item.instructions
        if instruction.strict.followed and instruction.strict.evidence
    ]
    resting = sum(is_repeated(item, instruction) for item, instruction in followed)
    followed_own = [value for value in own if isinstance(value, float)]
    return Echoes(
        sum(known) / len(known), sum(followed_own) / max(len(followed_own), 1), len(followed), resting
    )


def rests_on(evidence: Sequence[Sequence[int]], spans: Sequence[Sequence[int]]) -> bool:
    """Whether there is evidence and all of it lies within some stretches of the answer, as those of an echo."""
    within = (any(first <= start and end <= last for first, last in spans) for start, end in evidence)
    return bool(evidence) and all(within)


def is_repeated(item: Item, instruction: Instruction) -> bool:
    """Whether an instruction is strictly followed by what the answer repeats of its prompt alone."""
    return instruction.strict.followed and rests_on(instruction.strict.evidence, item.doc.get("echo") or ())


def rates(items: Sequence[Item]) -> list[InstructionRate]:
    """A row per restriction, in the order of the documents."""
    groups: dict[tuple[str, str], list[Asked]] = defaultdict(list)
    for item in items:
        for instruction in item.instructions:
            groups[instruction.restriction, instruction.kind].append((item, instruction))
    return [_rate(name, kind, group) for (name, kind), group in groups.items()]


Asked = tuple[Item, Instruction]
"""An instruction with its document."""


def totals(items: Sequence[Item]) -> list[InstructionRate]:
    """The rows that sum up: all active, all passive, all."""
    every = [(item, instruction) for item in items for instruction in item.instructions]
    by_kind = [(kind, [asked for asked in every if asked[1].kind == kind]) for kind in ("active", "passive")]
    return [_rate(f"all {kind}", kind, group) for kind, group in by_kind if group] + [_rate("all", "", every)]


def _rate(name: str, kind: str, group: Sequence[Asked]) -> InstructionRate:
    strict = [float(instruction.strict.followed) for _, instruction in group]
    loose = sum(instruction.loose.followed for _, instruction in group)
    interval = rate(strict, [item.doc_id for item, _ in group]).interval()
    repeated = sum(is_repeated(item, instruction) for item, instruction in group)
    is_known = any("echo" in item.doc for item, _ in group)
    return InstructionRate(
        name, kind, len(group), int(sum(strict)), loose, interval, repeated if is_known else None
    )


def levels(items: Sequence[Item]) -> list[Level]:
    """Prompt level, and instruction level where it is another number; strict, then loose."""
    tasks = clusters(items)
    is_single = all(len(item.instructions) == 1 for item in items)
    asked = [item.instructions[0].restriction for item in items] if is_single else None
    scores = []
    for how in ("strict", "loose"):
        values = [float(all(getattr(instruction, how).followed for instruction in item.instructions)) for item in items]
        scores.append(_level(f"prompt {how}", values, tasks, asked))
    if not is_single:
        pairs = [
            (task, instruction) for task, item in zip(tasks, items, strict=True) for instruction in item.instructions
        ]
        for how in ("strict", "loose"):
            values = [float(getattr(instruction, how).followed) for _, instruction in pairs]
            by_task = [task for task, _ in pairs]
            by_restriction = [instruction.restriction for _, instruction in pairs]
            scores.append(_level(f"instruction {how}", values, by_task, by_restriction))
    return scores


def _level(
    name: str, values: Sequence[float], tasks: Sequence[Hashable], asked: Sequence[Hashable] | None
) -> Level:
    return Level(
        name,
        independent=rate(values),
        by_task=rate(values, tasks),
        by_restriction=rate(values, asked) if asked else None,
        by_both=rate(values, tasks, asked) if asked else None,
    )


def _error(rate: Estimate) -> float:
    """A standard error that is not 0 where all outcomes are alike: that of a normal interval as wide as the rate's."""
    if rate.stderr > 0:
        return rate.stderr
    low, high = rate.interval()
    return (high - low) / 2 / NORMAL


def detectable(level: Level) -> float:
    """The difference of two models on the same prompts that would be found with 80 % chance, roughly.

    The standard error of the difference follows from that of the score if both models have it and their outcomes are
    correlated by `ASSUMED_CORRELATION`; `lm-eval-pt diff` measures it instead. Restrictions count as fixed: how much
    harder one is than another concerns both models alike.
    """
    error = max(map(_error, (level.independent, level.by_task)))
    variance = 2 * (1 - ASSUMED_CORRELATION) * error**2
    return math.nan if math.isnan(variance) else detectable_difference(1, variance)
