"""The reward of an answer, with the signature that TRL's `GRPOTrainer` takes as `reward_funcs`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.ifeval.checking import Checker, named
from lm_eval_ifeval_pt.ifeval.rows import RowsError
from lm_eval_ifeval_pt.ifeval.scoring import score
from lm_eval_ifeval_pt.rewards import gaming
from lm_eval_ifeval_pt.text import Text

Level = Literal["strict", "loose"]
Credit = Literal["share", "all"]
Reasoning = Literal["remove", "keep"]


@dataclass(frozen=True)
class InstructionReward:
    """Rewards answers by the instructions that they follow; callable as TRL calls a reward function.

    Columns `instruction_id_list` and `kwargs` of the data set say what is asked, as in google/IFEval; arguments may be
    JSON strings, as data sets hold them whose rows have different ones.

    Attributes:
        level: `strict`: the answer as it came; `loose`: also its loose texts.
        credit: `share`: the share of the instructions that were followed; `all`: 1 where all were, else 0.
        penalty: What an empty answer, or one in another language than Portuguese although none was asked for, loses.
        refuse_gaming: Whether an instruction that is followed in letter only (see `gaming`) counts as not followed. The
            benchmark's verdicts know no such thing.
        reasoning: `remove` or `keep` what a model thinks before its answer.
        dialect: How rows write their instructions; by default as a row's `dialect` says, else `capitu`.
        mode: `pt` or `compat`; by default as a row's `mode` says, else `pt`.
        name: Under which name TRL logs the reward.
    """

    level: Level = "strict"
    credit: Credit = "share"
    penalty: float = 0.0
    refuse_gaming: bool = True
    reasoning: Reasoning = "remove"
    dialect: str | None = None
    mode: str | None = None
    name: str = "instructions_followed"
    _checker: Checker = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, allowed in (("level", Level), ("credit", Credit), ("reasoning", Reasoning)):
            value, options = getattr(self, name), get_args(allowed)
            if value not in options:
                raise ValueError(f"{name} is {value!r}; it must be one of: {', '.join(options)}")
        object.__setattr__(self, "_checker", Checker(self.dialect, self.mode, self.reasoning))

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        **columns: Any,
    ) -> list[float]:
        """The rewards of some completions.

        Args:
            prompts: The prompts, as texts or messages.
            completions: The answers, as texts or lists of messages, of which the last one of the assistant counts.
            **columns: The columns of the data set, a value per completion; others, such as TRL's own, are not looked
                at.

        Raises:
            RowsError: naming the completion and, where there is one, the key of its row.
        """
        columns = {name: values for name, values in columns.items() if name in _READ}
        _check_lengths({"prompts": prompts, **columns}, len(completions))
        rewards = []
        for number, completion in enumerate(completions):
            row = {name: values[number] for name, values in columns.items()}
            if "prompt" not in row and prompts is not None:
                row["prompt"] = _prompt(prompts[number])
            where = f"completion {number + 1}"
            rewards.append(self.of(row, answer_of(completion, named(where, row)), where))
        return rewards

    def of(self, row: Mapping[str, Any], response: str, where: str = "row") -> float:
        """The reward of one answer.

        Args:
            row: What was asked: `instruction_id_list`, `kwargs` and, where it is known, `prompt`.
            response: The answer, as the model wrote it.
            where: Its place, for messages.

        Raises:
            RowsError: the row does not say what it asks for, or the answer is no text.
        """
        judged = self.judge(row, response, where)
        if judged.text.is_blank:
            return -self.penalty
        earned = judged.share if self.credit == "share" else float(all(judged.followed))
        if self.penalty and gaming.is_foreign(judged.text, judged.instructions):
            earned -= self.penalty
        return earned

    def judge(self, row: Mapping[str, Any], response: str, where: str = "row") -> Adherence:
        """The instructions of a row that an answer follows, as they count for its reward; see `of`.

        Raises:
            RowsError: the row does not say what it asks for, or the answer is no text.
        """
        instructions = self._checker.instructions(row, where)
        text = self._checker.text(row, response, where)
        scores = score(text, instructions, self._checker.spoken(row, where).variants)
        followed = [getattr(scored, self.level).followed for scored in scores]
        tricks: tuple[gaming.Trick, ...] = ()
        if self.refuse_gaming and any(followed):
            asked = {**row, "kwargs": [instruction.kwargs for instruction in instructions]}
            read = gaming.readings(asked, text, instructions)
            if read.tricks:
                honest = [
                    in_letter and gaming.is_honest(instruction, read)
                    for in_letter, instruction in zip(followed, instructions, strict=True)
                ]
                tricks = tuple(read.tricks) if honest != followed else ()
                followed = honest
        return Adherence(text, tuple(instructions), tuple(followed), tricks)


@dataclass(frozen=True, slots=True)
class Adherence:
    """The instructions of a row, and whether an answer follows each.

    Attributes:
        text: What of the answer was graded.
        instructions: The verifiers of the row.
        followed: Whether each was followed.
        tricks: What kept some that were followed in letter from counting.
    """

    text: Text
    instructions: tuple[Bound, ...]
    followed: tuple[bool, ...]
    tricks: tuple[gaming.Trick, ...]

    @property
    def share(self) -> float:
        """The share of the instructions that were followed."""
        return sum(self.followed) / len(self.followed)


_READ = ("key", "prompt", "instruction_id_list", "kwargs", "dialect", "mode")


def _check_lengths(given: Mapping[str, Any], expected: int) -> None:
    for name, values in given.items():
        if values is None:
            continue
        if isinstance(values, (str, Mapping)) or not hasattr(values, "__len__"):
            raise RowsError(f"{name} must be a list with a value per completion, it is {values!r}")
        if len(values) != expected:
            raise RowsError(f"there are {expected} completions and {len(values)} {name}: one per completion is needed")
    for name in ("instruction_id_list", "kwargs"):
        if given.get(name) is None:
            have = ", ".join(name for name, values in given.items() if values is not None) or "none"
            raise RowsError(f"no column {name!r}, which says what is asked; of those that are read there are: {have}")


def answer_of(completion: Any, where: str) -> str:
    """The text of a completion; of messages, the last one of the assistant."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence) and all(isinstance(message, Mapping) for message in completion):
        said = [message for message in completion if message.get("role", "assistant") == "assistant"]
        text = _content(said[-1].get("content")) if said else None
        if text is not None:
            return text
    raise RowsError(f"{where}: a completion must be a text or a list of messages, it is {completion!r}")


def _prompt(prompt: Any) -> str:
    """The text of a prompt; of messages, all that the user says."""
    if isinstance(prompt, str) or not isinstance(prompt, Sequence):
        return prompt if isinstance(prompt, str) else ""
    said = (message for message in prompt if isinstance(message, Mapping) and message.get("role") == "user")
    return "\n".join(_content(message.get("content")) or "" for message in said)


def _content(content: Any) -> str | None:
    """The text of a message, which may come in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and all(isinstance(part, Mapping) for part in content):
        return "".join(str(part.get("text") or "") for part in content)
    return None
