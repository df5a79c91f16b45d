"""The reward with the signature of the verifiers of allenai/open-instruct (`open_instruct/ground_truth_utils.py`).

A verifier there is an object with `name` and `weight`, called with the tokens of an answer, the answer, its label and
the query, that returns a result with `score`, `cost` and `reasoning`. The label of an instruction-following row is a
list of one object, `{"instruction_id": […], "kwargs": […]}`, written as a string of JSON or Python.
"""

from __future__ import annotations

import ast
import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lm_eval_ifeval_pt.ifeval.rows import RowsError
from lm_eval_ifeval_pt.rewards.reward import InstructionReward


@dataclass(frozen=True)
class VerificationResult:
    """A reward with its cost and its reason, as a verifier of open-instruct gives it.

    Attributes:
        score: The reward, 0 to 1 (less where there is a penalty).
        cost: What asking cost, in dollars: nothing.
        reasoning: Why.
    """

    score: float
    cost: float = 0.0
    reasoning: str | None = None


@dataclass
class OpenInstructVerifier:
    """A verifier for open-instruct; its registry wants a subclass of its own `VerifierFunction` to hand on to this.

    Attributes:
        name: The data set name (`dataset` column) whose rows are verified.
        weight: Of the reward among others.
        reward: How an answer is rewarded.
    """

    name: str = "ifeval_pt"
    weight: float = 1.0
    reward: InstructionReward = field(default_factory=InstructionReward)

    def __call__(
        self, tokenized_prediction: Sequence[int] | None, prediction: str, label: Any, query: str | None = None
    ) -> VerificationResult:
        """The reward of one answer.

        Args:
            tokenized_prediction: Not looked at.
            prediction: The answer.
            label: What was asked, as a list of one object, an object, or a string of either.
            query: The prompt, for what the answer repeats of it.

        Raises:
            RowsError: the label does not say what was asked, or the answer is no text.
        """
        row = _row(label)
        return VerificationResult(self.reward.of({**row, "prompt": query} if query else row, prediction, "label"))

    async def async_call(
        self, tokenized_prediction: Sequence[int] | None, prediction: str, label: Any, query: str | None = None
    ) -> VerificationResult:
        """As `__call__`, beside others, in a thread."""
        return await asyncio.to_thread(self, tokenized_prediction, prediction, label, query)


def _row(label: Any) -> dict[str, Any]:
    """A row with the columns of google/IFEval of a label."""
    asked = _parsed(label)
    while isinstance(asked, list) and len(asked) == 1:
        asked = _parsed(asked[0])
    if not isinstance(asked, Mapping):
        raise RowsError(f'label: an object with "instruction_id" and "kwargs" is expected, it is {label!r}')
    row = dict(asked)
    if "instruction_id" in row:
        ids = row.pop("instruction_id")
        row.setdefault("instruction_id_list", [ids] if isinstance(ids, str) else ids)
    return row


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    raise RowsError(f"label: neither JSON nor a Python literal: {value[:200]!r}")
