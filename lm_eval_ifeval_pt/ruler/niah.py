"""Needles in a haystack: values by key, hidden in a text, among repeated sentences, or among other needles."""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Literal

from lm_eval_ifeval_pt.ruler import templates, words
from lm_eval_ifeval_pt.ruler.errors import TooShort
from lm_eval_ifeval_pt.ruler.haystack import Haystack
from lm_eval_ifeval_pt.ruler.length import TokenCounter
from lm_eval_ifeval_pt.ruler.prompt import Maker, Prompt

_DEPTHS = [round(step * 100 / 39) for step in range(40)]
"""Where needles may lie in a text, in percent of its sentences."""
_POOL = 8192
_SHORTEST_LINE = 8
"""Tokens: no line with a needle is shorter."""
_GAP = 0.01
"""The share of a prompt that may be left empty rather than change the lengths of its lines."""

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
class _Draw:
    """What a sample hides and asks for."""

    needles: list[str]
    outputs: list[str]
    question: str
    prefix: str

    @property
    def tail(self) -> str:
        """What comes after the text: the question and the beginning of the answer."""
        return f"{self.question} {self.prefix}"


class _Needles:
    """Draws needles, and what is asked about them."""

    def __init__(self, setting: Setting, version: templates.Version, counter: TokenCounter, length: int) -> None:
        self.setting = setting
        self.counter = counter
        self.wording = templates.niah(version, setting.kind, many=setting.values * setting.queries > 1)
        (self.head,) = counter.count([self.wording.head])
        size = max(_POOL, length // _SHORTEST_LINE)
        rng = Random("needles")
        self.keys = _pairs() if setting.keys == "words" else _uuids(rng, size)
        self.values = _numbers(rng, size) if setting.kind is templates.NUMBERS else _uuids(rng, size)

    def line(self, key: str, value: str) -> str:
        return f"{self.wording.needle} {key} é: {value}."

    def draw(self, rng: Random, keys: Sequence[str], values: Sequence[str]) -> _Draw:
        """Needles with these keys and values, and a question for some."""
        setting = self.setting
        count = setting.values
        of = {key: values[place * count : (place + 1) * count] for place, key in enumerate(keys)}
        needles = [self.line(key, value) for key, group in of.items() for value in group]
        rng.shuffle(needles)
        asked = rng.sample(list(of), setting.queries)
        query = templates.enumeration(asked)
        question = self.wording.question.format(query=query)
        prefix = self.wording.prefix.format(query=query)
        return _Draw(needles, [value for key in asked for value in of[key]], question, prefix)


def maker(
    task: str, version: templates.Version, counter: TokenCounter, length: int, haystack: Haystack | None
) -> Maker:
    """What makes the prompts of one of the eight tasks; `haystack` is needed where needles lie in a text."""
    needles = _Needles(SETTINGS[task], version, counter, length)
    match needles.setting.where:
        case "text":
            assert haystack is not None
            return _in_text(needles, haystack)
        case "repeat":
            return _in_repeated_lines(needles)
        case "needles":
            return _in_needles(needles, length)


def _in_text(needles: _Needles, haystack: Haystack) -> Maker:
    counter, setting = needles.counter, needles.setting
    # What the first sentence has no blank before costs or saves: of a needle, of the text.
    starts = [needles.wording.needle, haystack.sentences[0]]
    bare = counter.added(starts, after="\n")
    spaced = counter.added([f" {start}" for start in starts], after=".")
    first_needle, first_sentence = (one - other for one, other in zip(bare, spaced, strict=True))

    def make(rng: Random, budget: int) -> Prompt:
        keys = rng.sample(needles.keys, setting.needles)
        values = rng.sample(needles.values, setting.needles * setting.values)
        draw = needles.draw(rng, keys, values)
        depths = sorted(rng.sample(_DEPTHS, len(draw.needles)))
        fixed = needles.head + sum(counter.added([f" {needle}" for needle in draw.needles], after="."))
        tail = f"\n{draw.tail}"
        room = budget - fixed - max(first_needle, first_sentence, 0)
        room -= max(counter.added([tail], after=end)[0] for end in ("a", "."))
        whole = bisect_right(haystack.reach, room) - 1
        if whole < len(draw.needles):
            raise TooShort("no room for a text around the needles")
        parts = haystack.words(whole)
        part = bisect_right(parts, room - haystack.reach[whole]) - 1
        text = haystack.sentences[:whole]
        if part:
            text.append(" ".join(haystack.sentences[whole].split(" ")[:part]))
        places = [int(len(text) * depth / 100) for depth in depths]
        for place, needle in zip(reversed(places), reversed(draw.needles), strict=True):
            text.insert(place, needle)
        tokens = fixed + haystack.reach[whole] + parts[part] + (first_sentence if places[0] else first_needle)
        tokens += counter.added([tail], after=text[-1].rpartition(" ")[2])[0]
        return _prompt(needles, " ".join(text) + "\n", draw, tokens)

    return make


def _in_repeated_lines(needles: _Needles) -> Maker:
    counter, setting = needles.counter, needles.setting
    repeated = f"{templates.REPEATED}\n"
    (each,) = counter.added([repeated], after="\n")

    def make(rng: Random, budget: int) -> Prompt:
        keys = rng.sample(needles.keys, setting.needles)
        values = rng.sample(needles.values, setting.needles * setting.values)
        draw = needles.draw(rng, keys, values)
        hidden = [f"{needle}\n" for needle in draw.needles]
        fixed = needles.head + sum(counter.added([*hidden, draw.tail], after="\n"))
        count = (budget - fixed) // each
        if count < len(hidden):
            raise TooShort("no room for lines around the needles")
        lines = [repeated] * count
        for place, line in zip(sorted(rng.sample(range(count), len(hidden)), reverse=True), hidden, strict=True):
            lines.insert(place, line)
        return _prompt(needles, "".join(lines), draw, fixed + count * each)

    return make


def _in_needles(needles: _Needles, length: int) -> Maker:
    counter, setting = needles.counter, needles.setting
    (start,) = counter.added([needles.wording.needle], after="\n")
    key_tokens = (
        _pair_tokens(counter)
        if setting.keys == "words"
        else counter.added([f" {key}" for key in needles.keys], after="para")
    )
    value_tokens = counter.added([f" é: {value}.\n" for value in needles.values], after="a")
    most = length // (start + min(key_tokens) + min(value_tokens)) + 2
    key_sizes, value_sizes = _by_tokens(key_tokens), _by_tokens(value_tokens)

    def adjust(rng: Random, keys: list[int], values: list[int], count: int, left: int) -> int:
        left = _adjust(rng, values, count, left, value_tokens, value_sizes)
        return _adjust(rng, keys, count, left, key_tokens, key_sizes)

    def make(rng: Random, budget: int) -> Prompt:
        keys = rng.sample(range(len(needles.keys)), most)
        values = rng.sample(range(len(needles.values)), most)
        draw = needles.draw(rng, [needles.keys[keys[0]]], [needles.values[values[0]]])
        room = budget - needles.head - counter.added([draw.tail], after="\n")[0]
        each = (start + key_tokens[key] + value_tokens[value] for key, value in zip(keys, values, strict=True))
        reach = list(accumulate(each))
        count = bisect_right(reach, room)
        if count < 2:
            raise TooShort("no room for lines around the needle")
        shorter = keys.copy(), values.copy()
        left = adjust(rng, keys, values, count, room - reach[count - 1])
        if left > _GAP * budget and not adjust(rng, *shorter, count + 1, room - reach[count]):
            (keys, values), count, left = shorter, count + 1, 0
        lines = [
            needles.line(needles.keys[key], needles.values[value])
            for key, value in zip(keys[1:count], values[1:count], strict=True)
        ]
        lines.insert(rng.randrange(count), draw.needles[0])
        return _prompt(needles, "\n".join(lines) + "\n", draw, budget - left)

    return make


def _by_tokens(tokens: Sequence[int]) -> dict[int, list[int]]:
    """Which places have how many tokens."""
    places: dict[int, list[int]] = {size: [] for size in sorted(set(tokens))}
    for place, size in enumerate(tokens):
        places[size].append(place)
    return places


def _adjust(
    rng: Random, chosen: list[int], count: int, left: int, tokens: Sequence[int], by_tokens: dict[int, list[int]]
) -> int:
    """Put longer ones in place of some, or shorter ones, since a line may be too long to be added or left out.

    Args:
        rng: Draws them.
        chosen: What is chosen now, changed in place; the first is kept.
        count: How many of these count.
        left: The tokens that are to be added; negative if they are to be saved.
        tokens: Of each that may be chosen.
        by_tokens: The same, by tokens.

    Returns:
        The tokens that are left then, of the same sign.
    """
    used = set(chosen)
    for place in range(1, count):
        if not left:
            break
        size = tokens[chosen[place]]
        nearer = [other for other in by_tokens if 0 < (other - size) * left <= left * left]
        for other in sorted(nearer, key=lambda other: abs(size + left - other)):
            candidate = rng.choice(by_tokens[other])
            if candidate not in used:
                used.add(candidate)
                left -= other - size
                chosen[place] = candidate
                break
    return left


def _prompt(needles: _Needles, context: str, draw: _Draw, tokens: int) -> Prompt:
    return Prompt(f"{needles.wording.head}{context}{draw.question}", draw.outputs, draw.prefix, tokens)


def _pairs() -> list[str]:
    """Every adjective with every noun, in agreement: "bom-livro", "boa-casa"."""
    return [
        f"{adjective.form(noun.feminine)}-{noun.singular}" for adjective in words.adjectives() for noun in words.nouns()
    ]


def _pair_tokens(counter: TokenCounter) -> list[int]:
    """How many tokens each of `_pairs` adds, after a word and a blank."""
    nouns = words.nouns()
    second = counter.added([f"-{noun.singular}" for noun in nouns], after="o")
    masculine = counter.added([f" {word.masculine}" for word in words.adjectives()], after="para")
    feminine = counter.added([f" {word.feminine}" for word in words.adjectives()], after="para")
    return [
        (her if noun.feminine else his) + tokens
        for his, her in zip(masculine, feminine, strict=True)
        for noun, tokens in zip(nouns, second, strict=True)
    ]


def _numbers(rng: Random, size: int) -> list[str]:
    """Numbers of seven digits."""
    return [str(number) for number in rng.sample(range(10**6, 10**7), size)]


def _uuids(rng: Random, size: int) -> list[str]:
    """UUIDs (version 4)."""
    return [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(size)]
