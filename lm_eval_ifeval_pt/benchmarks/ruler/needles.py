"""What is hidden and asked for: needles by setting, and the keys and values that they are drawn from."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, overload

from lm_eval_ifeval_pt.benchmarks.ruler import templates, words
from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter

_POOL = 8192
"""Numbers or UUIDs to draw from, at least."""
_SHORTEST_LINE = 8
"""Tokens: no line with a needle is shorter."""

Where = Literal["text", "repeat", "needles"]


@dataclass(frozen=True)
class Setting:
    """What distinguishes the eight tasks.

    Attributes:
        where: What the needles are hidden in: a text, one line repeated, or needles that nobody asks for.
        keys: What the keys are: two words, or a UUID.
        kind: What the values are.
        needles: How many keys have values.
        values: How many values each of these keys has.
        queries: How many keys are asked for.
    """

    where: Where
    keys: Literal["words", "uuids"] = "words"
    kind: templates.Kind = templates.NUMBERS
    needles: int = 1
    values: int = 1
    queries: int = 1


SETTINGS = {
    "niah_single_1": Setting("repeat"),
    "niah_single_2": Setting("text"),
    "niah_single_3": Setting("text", kind=templates.UUIDS),
    "niah_multikey_1": Setting("text", needles=4),
    "niah_multikey_2": Setting("needles"),
    "niah_multikey_3": Setting("needles", keys="uuids", kind=templates.UUIDS),
    "niah_multivalue": Setting("text", values=4),
    "niah_multiquery": Setting("text", needles=4, queries=4),
}


@dataclass(frozen=True)
class Draw:
    """What a sample hides and asks for."""

    needles: list[str]
    outputs: list[str]
    question: str
    prefix: str

    @property
    def tail(self) -> str:
        """The end of the prompt, after the text: the question and the beginning of the answer."""
        return f"{self.question} {self.prefix}"


class Needles:
    """Draws needles, and what is asked about them.

    Attributes:
        wording: What is said.
        head: The tokens of what is said first.
        keys: Those to draw from.
        values: Those to draw from.
    """

    def __init__(
        self,
        setting: Setting,
        version: templates.Version,
        counter: TokenCounter,
        length: int,
        keys: Sequence[str] | None = None,
    ) -> None:
        self.setting = setting
        self.counter = counter
        self.wording = templates.niah(version, setting.kind, many=setting.values * setting.queries > 1)
        (self.head,) = counter.count([self.wording.head])
        size = max(_POOL, length // _SHORTEST_LINE)
        rng = Random("needles")
        self.keys = uuids(rng, size) if setting.keys == "uuids" else Pairs() if keys is None else keys
        self.values = numbers(rng, size) if setting.kind is templates.NUMBERS else uuids(rng, size)

    def line(self, key: str, value: str) -> str:
        """One needle."""
        return f"{self.wording.needle} {key} é: {value}."

    def draw(self, rng: Random, keys: Sequence[str], values: Sequence[str]) -> Draw:
        """Needles with these keys and values, and a question for some."""
        setting = self.setting
        count = setting.values
        of = {key: values[number * count : (number + 1) * count] for number, key in enumerate(keys)}
        needles = [self.line(key, value) for key, group in of.items() for value in group]
        rng.shuffle(needles)
        asked = rng.sample(list(of), setting.queries)
        query = templates.enumeration(asked)
        question = self.wording.question.format(query=query)
        prefix = self.wording.prefix.format(query=query)
        return Draw(needles, [value for key in asked for value in of[key]], question, prefix)


class Pairs(Sequence[str]):
    """Every adjective with every noun, in agreement: "bom-livro", "boa-casa"; made as they are asked for."""

    def __init__(self) -> None:
        self._adjectives, self._nouns = words.adjectives(), words.nouns()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._adjectives) * len(self._nouns)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        """The pair, or the pairs, of this place."""
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        adjective, noun = divmod(range(len(self))[index], len(self._nouns))
        return f"{self._adjectives[adjective].form(self._nouns[noun].feminine)}-{self._nouns[noun].singular}"


def pair_tokens(counter: TokenCounter) -> list[int]:
    """How many tokens each of `Pairs` adds, after a word and a blank."""
    nouns = words.nouns()
    second = counter.added([f"-{noun.singular}" for noun in nouns], after="o")
    masculine = counter.added([f" {word.masculine}" for word in words.adjectives()], after="para")
    feminine = counter.added([f" {word.feminine}" for word in words.adjectives()], after="para")
    return [
        (her if noun.feminine else his) + tokens
        for his, her in zip(masculine, feminine, strict=True)
        for noun, tokens in zip(nouns, second, strict=True)
    ]


def numbers(rng: Random, size: int) -> list[str]:
    """Numbers of seven digits."""
    return [str(number) for number in rng.sample(range(10**6, 10**7), size)]


def uuids(rng: Random, size: int) -> list[str]:
    """UUIDs (version 4)."""
    return [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(size)]
