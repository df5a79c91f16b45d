"""Answers that follow what was asked, out of many: for best of n and rejection sampling.

An answer is an object with the columns of its row, `instruction_id_list` and `kwargs`, and its text under "response"
(or "completion"), several under "responses"; or a line of samples_*.jsonl of the harness.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lm_eval_ifeval_pt.constraints.registry import instruction_name
from lm_eval_ifeval_pt.ifeval.checking import named
from lm_eval_ifeval_pt.ifeval.rows import RowsError
from lm_eval_ifeval_pt.rewards import InstructionReward
from lm_eval_ifeval_pt.rewards.reward import Adherence, answer_of


@dataclass
class Counts:
    """The numbers of answers read, followed and kept.

    Attributes:
        answers: How many could be verified.
        followed: How many of them follow all that was asked.
        kept: How many were kept.
        prompts: How many prompts they answer.
        answered: How many prompts have an answer that was kept.
        gamed: How many follow something in letter only, by trick (`rewards.gaming`).
        asked: How often each constraint was asked for.
        met: How often each was followed.
        invalid: What is wrong with the rows that could not be verified.
    """

    answers: int = 0
    followed: int = 0
    kept: int = 0
    prompts: int = 0
    answered: int = 0
    gamed: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    invalid: list[str] = field(default_factory=list)

    def add(self, judged: Adherence) -> None:
        """Count an answer."""
        self.answers += 1
        self.followed += all(judged.followed)
        self.gamed.update(judged.tricks)
        names = [instruction_name(instruction.constraint.id, instruction.kwargs) for instruction in judged.instructions]
        self.asked.update(names)
        self.met.update(name for name, followed in zip(names, judged.followed, strict=True) if followed)


@dataclass(frozen=True, slots=True)
class AnsweredRow:
    """An answer with the row that it answers.

    Attributes:
        row: The row, with the answer under "response" as what is kept is written.
        asked: The columns that say what was asked.
        response: The answer.
        where: Its place, for messages.
    """

    row: Mapping[str, Any]
    asked: Mapping[str, Any]
    response: Any
    where: str

    @property
    def prompt(self) -> str:
        """The identity of the prompt: its text, else the key of its row, else the place of the answer."""
        return str(self.asked.get("prompt") or self.asked.get("key") or self.where)


def candidates(rows: Iterable[Mapping[str, Any]], source: str) -> Iterator[AnsweredRow]:
    """The answers of some rows, one by one."""
    for number, row in enumerate(rows, 1):
        where = f"{source}, row {number}"
        if isinstance(row.get("doc"), Mapping) and "resps" in row:
            for response in _flat(row["resps"]):
                yield AnsweredRow({**_columns(row["doc"]), "response": response}, row["doc"], response, where)
        elif isinstance(row.get("responses"), list):
            rest = {name: value for name, value in row.items() if name != "responses"}
            for nth, response in enumerate(row["responses"], 1):
                yield AnsweredRow({**rest, "response": response}, row, response, f"{where}, response {nth}")
        else:
            name = next((name for name in ("response", "completion") if name in row), None)
            yield AnsweredRow(row, row, None if name is None else row[name], where)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


_LOGGED = frozenset({"verdicts", "echo", "rows_left_out"})


def _columns(doc: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a logged document that are those of its row."""
    return {name: value for name, value in doc.items() if name not in _LOGGED}


def kept(
    given: Iterable[AnsweredRow], reward: InstructionReward, all_followed: bool, best: bool, counts: Counts
) -> Iterator[Mapping[str, Any]]:
    """The rows of the answers that are kept, in their order.

    Args:
        given: Answers.
        reward: How they are judged.
        all_followed: Keep those that follow all that was asked.
        best: Keep of each prompt one, the first of those that follow most. With `all_followed`, of those only.
        counts: Is told what became of all.
    """
    prompts: dict[str, tuple[float, Mapping[str, Any]] | None] = {}
    for candidate in given:
        try:
            where = named(candidate.where, candidate.asked)
            judged = reward.judge(candidate.asked, answer_of(candidate.response, where), candidate.where)
        except RowsError as error:
            counts.invalid.append(str(error))
            continue
        counts.add(judged)
        before = prompts.setdefault(candidate.prompt, None)
        if all_followed and not all(judged.followed):
            continue
        if not best:
            prompts[candidate.prompt] = (judged.share, {})
            counts.kept += 1
            yield candidate.row
        elif before is None or judged.share > before[0]:
            prompts[candidate.prompt] = (judged.share, candidate.row)
    counts.prompts = len(prompts)
    chosen = [entry[1] for entry in prompts.values() if entry is not None]
    counts.answered = len(chosen)
    if best:
        counts.kept = len(chosen)
        yield from chosen
