"""Rates of instructions and of conversations that the harness can average, with a standard error."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any


class Rate(float):
    """A ratio of sums over documents, which remembers the mean number of instructions per document."""

    per_document: float

    def __new__(cls, value: float, per_document: float = math.nan) -> Rate:  # noqa: D102
        rate = super().__new__(cls, value)
        rate.per_document = per_document
        return rate


class Outcomes(list[bool]):
    """One document's outcomes, one per instruction (possibly none): `[True, False]` in sample files, as
    upstream.

    The harness has no standard error for a custom aggregation; it has one for its `mean`. So these lists
    define the four operations that `mean` and `mean_stderr` use, such that the mean of the lists is the
    flattened mean over all instructions, R = sum(followed) / sum(instructions), and its stderr is the
    linearised one of a ratio estimator with the document as the cluster: the sample deviation of (followed_d
    - R * instructions_d) / mean(instructions), over the root of the number of documents (Cochran, Sampling
    Techniques, 1977, section 6.4).
    """

    def __radd__(self, zero: int) -> _Total:
        return _Total(0, 0) + self

    def __sub__(self, mean: Rate) -> float:
        return (sum(self) - mean * len(self)) / mean.per_document if mean.per_document else math.nan


class _Total:
    """The running sum of some `Outcomes`."""

    __slots__ = ("followed", "instructions")

    def __init__(self, followed: int, instructions: int) -> None:
        self.followed = followed
        self.instructions = instructions

    def __add__(self, other: Iterable[bool]) -> _Total:
        outcomes = list(other)
        return _Total(self.followed + sum(outcomes), self.instructions + len(outcomes))

    def __truediv__(self, documents: int) -> Rate:
        value = self.followed / self.instructions if self.instructions else math.nan
        return Rate(value, self.instructions / documents)


class ConversationRate(float):
    """The share of conversations followed in every turn; remembers which, and how many turns each has."""

    followed: dict[str, bool]
    turns: Counter[str]

    def __new__(cls, followed: dict[str, bool], turns: Counter[str]) -> ConversationRate:  # noqa: D102
        rate = super().__new__(cls, sum(followed.values()) / len(followed))
        rate.followed, rate.turns = followed, turns
        return rate

    def deviation(self, conversation: str) -> float:
        """The part of one turn in the sample deviation over all turns.

        It is such that the harness's stderr, the root of sum(deviation²) / ((turns - 1) * turns), is that of
        a mean over conversations, the root of sum((followed - rate)²) / ((conversations - 1) *
        conversations).
        """
        turns, conversations = self.turns.total(), len(self.followed)
        if conversations < 2:
            return math.nan
        scale = (turns - 1) * turns / ((conversations - 1) * conversations * self.turns[conversation])
        return (self.followed[conversation] - self) * math.sqrt(scale)


class Turn(float):
    """Whether a turn of a conversation was followed, as 0 or 1; the mean of some is a `ConversationRate`."""

    conversation: str

    def __new__(cls, conversation: str, followed: bool) -> Turn:  # noqa: D102
        turn = super().__new__(cls, followed)
        turn.conversation = conversation
        return turn

    def __reduce__(self) -> tuple[type[Turn], tuple[str, bool]]:
        return Turn, (self.conversation, bool(self))

    def __radd__(self, zero: float) -> _Turns:  # type: ignore[misc, override]
        return _Turns() + self

    def __sub__(self, mean: float) -> float:
        return mean.deviation(self.conversation) if isinstance(mean, ConversationRate) else float(self) - mean


class _Turns:
    """The running sum of some `Turn`s."""

    def __init__(self) -> None:
        self.followed: dict[str, bool] = {}
        self.turns = Counter[str]()

    def __add__(self, turn: Turn) -> _Turns:
        self.followed[turn.conversation] = self.followed.get(turn.conversation, True) and bool(turn)
        self.turns[turn.conversation] += 1
        return self

    def __truediv__(self, turns: int) -> ConversationRate:
        return ConversationRate(self.followed, self.turns)


class CorrectedRate(float):
    """A score corrected for accident (`crossing.overall`); NaN where the documents are not crossed."""

    deviation: float

    def __new__(cls, value: float, deviation: float = math.nan) -> CorrectedRate:  # noqa: D102
        rate = super().__new__(cls, value)
        rate.deviation = deviation
        return rate


class Asked(float):
    """Whether one prompt of a crossed design was followed, as 0 or 1; the mean of some is a `CorrectedRate`."""

    doc: Mapping[str, Any]
    response: str
    in_own_words = False
    """Whether what an answer repeats of its prompt is left out (`echo.own_words`)."""

    def __new__(cls, doc: Mapping[str, Any], response: str, followed: bool) -> Asked:  # noqa: D102
        asked = super().__new__(cls, followed)
        asked.doc, asked.response = doc, response
        return asked

    def __reduce__(self) -> tuple[type[Asked], tuple[Mapping[str, Any], str, bool]]:
        return type(self), (self.doc, self.response, bool(self))

    def __radd__(self, zero: float) -> _Crossing:  # type: ignore[misc, override]
        return _Crossing(self.in_own_words) + self

    def __sub__(self, mean: float) -> float:
        return mean.deviation if isinstance(mean, CorrectedRate) else float(self) - mean


class AskedInOwnWords(Asked):
    """The same of what is left of the answers without what they repeat of their prompts."""

    in_own_words = True


class _Crossing:
    """The running sum of some `Asked`s."""

    def __init__(self, in_own_words: bool) -> None:
        self.in_own_words = in_own_words
        self.answered: list[tuple[Mapping[str, Any], str]] = []

    def __add__(self, asked: Asked) -> _Crossing:
        self.answered.append((asked.doc, asked.response))
        return self

    def __truediv__(self, documents: int) -> CorrectedRate:
        from lm_eval_ifeval_pt.ifeval import crossing

        try:
            score = crossing.overall(crossing.cells_of(self.answered, self.in_own_words))
        except crossing.NotCrossed:
            return CorrectedRate(math.nan)
        # Such that the harness's stderr, the root of sum(deviation²) / ((documents - 1) * documents), is the score's.
        return CorrectedRate(score.value, score.stderr * math.sqrt(documents - 1))
