"""Common words: a numbered list in which ten words stand more often than the others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, islice
from random import Random

from lm_eval_ifeval_pt.benchmarks.ruler import templates
from lm_eval_ifeval_pt.benchmarks.ruler.errors import TooShort
from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter
from lm_eval_ifeval_pt.benchmarks.ruler.prompt import Maker, Sample
from lm_eval_ifeval_pt.benchmarks.ruler.words import vocabulary

_COMMON = 10
DELIMITER = "\n\n"
"""Between the question and the beginning of the answer, as published."""


def maker(counter: TokenCounter, length: int) -> Maker:
    """What makes the prompts: the ten words 6 times and the others once, from 4,096 tokens on 30 times and 3 times.

    Where a length needs more words than there are, all stand a multiple of that.
    """
    words = vocabulary()
    word_tokens = dict(zip(words, counter.added([f" {word}" for word in words], after="."), strict=True))
    (head,) = counter.count([templates.CWE_HEAD])
    (tail,) = counter.added([f"{templates.CWE_QUESTION}{DELIMITER}{templates.CWE_PREFIX}"], after="a")
    ordinals = counter.added([f" {number}." for number in range(1, length // 2)], after="a")
    bare, spaced = counter.added(["1."], after="\n")[0], ordinals[0]
    numbers = [0, *accumulate(ordinals)]
    often, seldom = (30, 3) if length >= 4096 else (6, 1)
    while _COMMON * often * numbers[1] + seldom * sum(word_tokens.values()) < length / 2:
        often, seldom = 2 * often, 2 * seldom
    most = min(len(words), _COMMON + length // (2 * seldom))

    def make(rng: Random, budget: int) -> Sample:
        drawn = rng.sample(words, most)
        common = list(islice(_apart(drawn), _COMMON))
        others = [word for word in drawn if word not in common]
        room = budget - head - tail - (bare - spaced) - often * sum(word_tokens[word] for word in common)
        reach = [0, *(seldom * total for total in accumulate(word_tokens[word] for word in others))]

        def tokens(count: int) -> int:
            return numbers[_COMMON * often + seldom * count] + reach[count]

        highest = min(len(others), (len(ordinals) - _COMMON * often) // seldom)
        count = bisect_right(range(highest + 1), room, key=tokens) - 1
        if count < 1:
            raise TooShort("no room for more than the common words")
        listed = common * often + others[:count] * seldom
        rng.shuffle(listed)
        context = " ".join(f"{number}. {word}" for number, word in enumerate(listed, 1))
        text = f"{templates.CWE_HEAD}{context}{templates.CWE_QUESTION}"
        return Sample(text, common, templates.CWE_PREFIX, budget - room + tokens(count))

    return make


def _apart(words: Iterable[str]) -> Iterator[str]:
    """Those words of which none contains an earlier one or the reverse, since an answer is searched for each."""
    kept: list[str] = []
    for word in words:
        if not any(word in other or other in word for other in kept):
            kept.append(word)
            yield word
