"""Needles in a haystack: values by key, hidden in a text, among repeated sentences, or among other needles."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from lm_eval_ifeval_pt.benchmarks.ruler import templates
from lm_eval_ifeval_pt.benchmarks.ruler.draws import sample
from lm_eval_ifeval_pt.benchmarks.ruler.errors import RulerError, TooShort
from lm_eval_ifeval_pt.benchmarks.ruler.haystack import Haystack
from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter
from lm_eval_ifeval_pt.benchmarks.ruler.modes import Mode, lines_per_step
from lm_eval_ifeval_pt.benchmarks.ruler.needles import SETTINGS, Draw, Needles, Pairs, pair_tokens
from lm_eval_ifeval_pt.benchmarks.ruler.prompt import Maker, Sample

_DEPTHS = [round(step * 100 / 39) for step in range(40)]
"""Where needles may lie in a text, in percent of its sentences."""
_WORDS_PER_STEP = 500
"""The published step of a text."""
_GAP = 0.01
"""The share of a prompt that may be left empty rather than change the lengths of its lines."""


def maker(
    task: str,
    version: templates.Version,
    counter: TokenCounter,
    length: int,
    haystack: Haystack | None,
    mode: Mode,
    keys: Sequence[str] | None = None,
) -> Maker:
    """What makes the prompts of one of the eight tasks; `haystack` is needed where needles lie in a text.

    `keys` are drawn from in place of adjectives with nouns.
    """
    needles = Needles(SETTINGS[task], version, counter, length, keys)
    match needles.setting.where:
        case "text":
            assert haystack is not None
            return _in_text(needles, haystack, mode)
        case "repeat":
            return _in_repeated_lines(needles, length, mode)
        case "needles":
            return _in_needles(needles, length, mode)


def _in_text(needles: Needles, haystack: Haystack, mode: Mode) -> Maker:
    counter, setting = needles.counter, needles.setting
    # The first sentence has no blank before it: the tokens that this adds, where it is a needle or the text's.
    starts = [needles.wording.needle, haystack.sentences[0]]
    bare = counter.added(starts, after="\n")
    spaced = counter.added([f" {start}" for start in starts], after=".")
    first_needle, first_sentence = (alone - after for alone, after in zip(bare, spaced, strict=True))

    def make(rng: Random, budget: int) -> Sample:
        keys = sample(rng, needles.keys, setting.needles)
        values = sample(rng, needles.values, setting.needles * setting.values)
        draw = needles.draw(rng, keys, values)
        depths = sorted(sample(rng, _DEPTHS, len(draw.needles)))
        fixed = needles.head + sum(counter.added([f" {needle}" for needle in draw.needles], after="."))
        tail = f"\n{draw.tail}"
        room = budget - fixed - max(first_needle, first_sentence, 0)
        room -= max(counter.added([tail], after=end)[0] for end in ("a", "."))
        whole = bisect_right(haystack.reach, room) - 1
        if whole < len(draw.needles):
            raise TooShort("no room for a text around the needles")
        parts = haystack.words(whole)
        part = bisect_right(parts, room - haystack.reach[whole]) - 1
        if mode.in_steps:
            whole, part = haystack.prefix(mode.stepped(haystack.reach_words[whole] + part, _WORDS_PER_STEP))
            parts = haystack.words(whole)
            if whole < len(draw.needles):
                raise TooShort(f"no room for a text of {_WORDS_PER_STEP} words around the needles")
        text = haystack.sentences[:whole]
        if part:
            text.append(" ".join(haystack.sentences[whole].split(" ")[:part]))
        positions = [int(len(text) * depth / 100) for depth in depths]
        for position, needle in zip(reversed(positions), reversed(draw.needles), strict=True):
            text.insert(position, needle)
        tokens = fixed + haystack.reach[whole] + parts[part] + (first_sentence if positions[0] else first_needle)
        tokens += counter.added([tail], after=text[-1].rpartition(" ")[2])[0]
        return _prompt(needles, " ".join(text) + "\n", draw, tokens)

    return make


def _in_repeated_lines(needles: Needles, length: int, mode: Mode) -> Maker:
    counter, setting = needles.counter, needles.setting
    repeated = f"{templates.REPEATED}\n"
    (each,) = counter.added([repeated], after="\n")

    def make(rng: Random, budget: int) -> Sample:
        keys = sample(rng, needles.keys, setting.needles)
        values = sample(rng, needles.values, setting.needles * setting.values)
        draw = needles.draw(rng, keys, values)
        hidden = [f"{needle}\n" for needle in draw.needles]
        fixed = needles.head + sum(counter.added([*hidden, draw.tail], after="\n"))
        count = mode.stepped((budget - fixed) // each, lines_per_step(length))
        if count < len(hidden):
            raise TooShort("no room for lines around the needles")
        lines = [repeated] * count
        for position, line in zip(sorted(sample(rng, range(count), len(hidden)), reverse=True), hidden, strict=True):
            lines.insert(position, line)
        return _prompt(needles, "".join(lines), draw, fixed + count * each)

    return make


def _in_needles(needles: Needles, length: int, mode: Mode) -> Maker:
    counter = needles.counter
    (start,) = counter.added([needles.wording.needle], after="\n")
    key_tokens = (
        pair_tokens(counter)
        if isinstance(needles.keys, Pairs)
        else counter.added([f" {key}" for key in needles.keys], after="para")
    )
    value_tokens = counter.added([f" é: {value}.\n" for value in needles.values], after="a")
    most = length // (start + min(key_tokens) + min(value_tokens)) + 2
    if most > len(needles.keys):
        raise RulerError(f"{length} tokens may need {most} keys, and there are {len(needles.keys)}")
    key_sizes, value_sizes = _by_tokens(key_tokens), _by_tokens(value_tokens)

    def adjust(rng: Random, keys: list[int], values: list[int], count: int, left: int) -> int:
        left = _adjust(rng, values, count, left, value_tokens, value_sizes)
        return _adjust(rng, keys, count, left, key_tokens, key_sizes)

    def make(rng: Random, budget: int) -> Sample:
        keys = sample(rng, range(len(needles.keys)), most)
        values = sample(rng, range(len(needles.values)), most)
        draw = needles.draw(rng, [needles.keys[keys[0]]], [needles.values[values[0]]])
        room = budget - needles.head - counter.added([draw.tail], after="\n")[0]
        each = (start + key_tokens[key] + value_tokens[value] for key, value in zip(keys, values, strict=True))
        reach = list(accumulate(each))
        count = 1 + mode.stepped(bisect_right(reach, room) - 1, lines_per_step(length))
        if count < 2:
            raise TooShort("no room for lines around the needle")
        left = room - reach[count - 1]
        shorter = keys.copy(), values.copy()
        if not mode.in_steps:
            left = adjust(rng, keys, values, count, left)
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
    """The indices of those that have so many tokens, by tokens."""
    indices: dict[int, list[int]] = {size: [] for size in sorted(set(tokens))}
    for index, size in enumerate(tokens):
        indices[size].append(index)
    return indices


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
    for index in range(1, count):
        if not left:
            break
        size = tokens[chosen[index]]
        nearer = [other for other in by_tokens if 0 < (other - size) * left <= left * left]
        for other in sorted(nearer, key=lambda other: abs(size + left - other)):
            candidate = rng.choice(by_tokens[other])
            if candidate not in used:
                used.add(candidate)
                left -= other - size
                chosen[index] = candidate
                break
    return left


def _prompt(needles: Needles, context: str, draw: Draw, tokens: int) -> Sample:
    return Sample(f"{needles.wording.head}{context}{draw.question}", draw.outputs, draw.prefix, tokens)
