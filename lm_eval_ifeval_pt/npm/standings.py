"""A leaderboard in order: the averages of every model, and ranks that claim no more than the scores allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from lm_eval_ifeval_pt.npm import formula as npm
from lm_eval_ifeval_pt.npm.formula import Average, NpmEstimate
from lm_eval_ifeval_pt.npm.leaderboard import Entry, Leaderboard


@dataclass(frozen=True, slots=True)
class LeaderboardLine:
    """One model of the leaderboard.

    Attributes:
        rank: 1 + the number of models that are significantly better; None where the model cannot be ranked.
        model: The model.
        averages: Its averages, by name.
        tasks: The NPM of each of its tasks.
        part: Why a score is none on its whole task; empty where all are.
        asked: How some task was asked otherwise than of other models; empty where none was.
    """

    rank: int | None
    model: str
    averages: Mapping[str, Average]
    tasks: Mapping[str, NpmEstimate]
    part: str = ""
    asked: str = ""

    @property
    def label(self) -> str:
        """The model, with a mark where a run was on a part of its task, or asked otherwise."""
        marks = [mark for mark in (self.part and f"only {self.part}", self.asked) if mark]
        return f"{self.model} ({'; '.join(marks)})" if marks else self.model


_WORTH_SHOWING = 0.5
"""Share of its tasks from which an average is shown, be it to say what it lacks."""


def relevant(board: Leaderboard, averages: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The averages to show, with their tasks: those of which some model has all tasks first, Total before the others.

    An average of which half of the tasks are there is shown too, to be withheld with the missing tasks named; but those
    of post-training only where a task is there that no average of base models has. Where no average is that far, each
    task stands for itself.
    """
    present = {task for entries in board.entries.values() for task in entries}
    beyond = present - set(averages.get("Total", ()))
    shares = {
        name: max(len(set(entries) & set(tasks)) / len(tasks) for entries in board.entries.values())
        for name, tasks in averages.items()
        if present & set(tasks) and (beyond & set(tasks) or set(tasks) <= set(averages.get("Total", ())))
    }
    shown = [name for name in shares if shares[name] >= _WORTH_SHOWING]
    if not shown:
        return {task: (task,) for entries in board.entries.values() for task in entries}
    return {name: averages[name] for name in sorted(shown, key=lambda name: (-shares[name], name != "Total"))}


def differences(board: Leaderboard) -> dict[str, str]:
    """The models that were asked otherwise than most on some task, and how, e.g. "shots 0 on enem".

    Only what both files state is compared. Where a task has no way of asking that more models share than any other,
    all are named. Named too is a model of which some tasks were asked with a chat template or a system instruction and
    others without: halves of two protocols are no whole.
    """
    odd: dict[str, dict[str, list[str]]] = {}
    for model, entries in board.entries.items():
        for name in ("chat template", "system instruction"):
            by_value: dict[str, list[str]] = {}
            for task, entry in entries.items():
                if name in entry.protocol:
                    by_value.setdefault(entry.protocol[name], []).append(task)
            if len(by_value) > 1:
                odd[model] = {f"{name} {value}": tasks for value, tasks in by_value.items()}
    for task in dict.fromkeys(task for entries in board.entries.values() for task in entries):
        protocols = {model: entries[task].protocol for model, entries in board.entries.items() if task in entries}
        for name in dict.fromkeys(name for protocol in protocols.values() for name in protocol):
            said = Counter(protocol[name] for protocol in protocols.values() if name in protocol)
            ((most, count), *others) = said.most_common()
            is_tied = bool(others) and others[0][1] == count
            for model, protocol in protocols.items():
                if name in protocol and len(said) > 1 and (is_tied or protocol[name] != most):
                    tasks = odd.setdefault(model, {}).setdefault(f"{name} {protocol[name]}", [])
                    if task not in tasks:
                        tasks.append(task)
    return {
        model: ", ".join(f"{what} on {_some(tasks)}" for what, tasks in of_model.items())
        for model, of_model in odd.items()
    }


def _some(tasks: list[str]) -> str:
    return ", ".join(tasks) if len(tasks) <= 2 else f"{len(tasks)} tasks"


def lines(
    board: Leaderboard,
    averages: Mapping[str, tuple[str, ...]],
    partial: bool = False,
    any_protocol: bool = False,
) -> list[LeaderboardLine]:
    """The models from the best; the first average ranks them.

    Args:
        board: The scores that count.
        averages: The tasks of each average.
        partial: Whether to give the mean of the present tasks when some are missing.
        any_protocol: Whether to rank models together that were asked otherwise (`differences`).
    """
    asked = differences(board)
    tasks = {
        model: {task: entry.npm for task, entry in entries.items()} for model, entries in board.entries.items()
    }
    by_model = {
        model: {name: npm.average(estimates, wanted, partial) for name, wanted in averages.items()}
        for model, estimates in tasks.items()
    }
    part = {model: _part(entries) for model, entries in board.entries.items()}
    first = next(iter(averages))
    ranked = {
        model: of_model[first].estimate
        for model, of_model in by_model.items()
        if of_model[first].estimate is not None and not of_model[first].is_partial and not part[model]
        and (any_protocol or model not in asked)
    }
    ranks = npm.npm_ranks({model: estimate for model, estimate in ranked.items() if estimate is not None})
    unsorted = [
        LeaderboardLine(ranks.get(model), model, by_model[model], tasks[model], part[model], asked.get(model, ""))
        for model in by_model
    ]
    return sorted(unsorted, key=lambda line: _order(line.averages[first]))


def _part(entries: Mapping[str, Entry]) -> str:
    """The parts of tasks that a model was run on, in words; empty where all its tasks were run whole."""
    by_part: dict[str, list[str]] = {}
    for task, entry in entries.items():
        if entry.part:
            by_part.setdefault(entry.part, []).append(task)
    return ", ".join(part if len(entries) == 1 else f"{part} of {_some(tasks)}" for part, tasks in by_part.items())


def _order(average: Average) -> tuple[bool, bool, float]:
    """Complete averages first, then partial ones, then withheld ones; from the highest."""
    value = average.estimate.value if average.estimate else 0.0
    return average.estimate is None, average.is_partial, -value
