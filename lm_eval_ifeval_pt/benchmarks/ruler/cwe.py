"""Common words: a numbered list in which ten words stand more often than the others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from random import Random

from lm_eval_ifeval_pt.benchmarks.ruler import templates
from lm_eval_ifeval_pt.benchmarks.ruler.draws import sample, shuffle
from lm_eval_ifeval_pt.benchmarks.ruler.errors import TooShort
from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter
from lm_eval_ifeval_pt.benchmarks.ruler.modes import Mode
from lm_eval_ifeval_pt.benchmarks.ruler.prompt import Maker, Sample

_COMMON = 10
DELIMITER = "\n\n"
"""Between the question and the beginning of the answer, as published."""


_WORDS_PER_STEP = 10


def maker(words: Sequence[str], counter: TokenCounter, length: int, mode: Mode) -> Maker:
    """What makes the prompts: the ten words 6 times and the others once, from 4,096 tokens on 30 times and 3 times.

    Where a length needs more words than there are, all stand a multiple of that, if the mode says so.
    """
    word_tokens = dict(zip(words, counter.added([f" {word}" for word in words], after="."), strict=True))
    (head_alone,) = counter.count([templates.CWE_HEAD])
    (head_after_example,) = counter.added([templates.CWE_HEAD], after="\n")
    (tail,) = counter.added([f"{templates.CWE_QUESTION}{DELIMITER}{templates.CWE_PREFIX}"], after="a")
    ordinals = counter.added([f" {number}." for number in range(1, length // 2)], after="a")
    bare, spaced = counter.added(["1."], after="\n")[0], ordinals[0]
    numbers = [0, *accumulate(ordinals)]
    often, seldom = (30, 3) if length >= 4096 else (6, 1)
    while mode.repeats_grow and _COMMON * often * numbers[1] + seldom * sum(word_tokens.values()) < length / 2:
        often, seldom = 2 * often, 2 * seldom
    most = min(len(words), _COMMON + length // (2 * seldom))

    def example(rng: Random) -> tuple[str, int]:
        """The solved example of NVIDIA's RULER, and the tokens that it needs."""
        drawn = sample(rng, words, 40 if length >= 4096 else 20)
        common = list(islice(_apart(drawn), _COMMON))
        others = [word for word in drawn if word not in common]
        often, seldom = (10, 3) if length >= 4096 else (3, 1)
        text = (
            f"{_question(rng, common * often + others * seldom)}{DELIMITER}{templates.CWE_PREFIX} {_numbered(common)}\n"
        )
        return text, counter.count([text])[0]

    def make(rng: Random, budget: int) -> Sample:
        before, example_tokens = example(rng) if mode.cwe_example != "none" else ("", 0)
        given = mode.cwe_example == "given"
        head = head_after_example + example_tokens if given else head_alone
        drawn = sample(rng, words, most)
        common = list(islice(_apart(drawn), _COMMON))
        others = [word for word in drawn if word not in common]
        room = budget - head - tail - (bare - spaced) - often * sum(word_tokens[word] for word in common)
        reach = [0, *(seldom * total for total in accumulate(word_tokens[word] for word in others))]
        kept_free = (
            0 if given or not example_tokens else example_tokens + counter.added([f" {_numbered(common)}"], ":")[0]
        )

        def tokens(count: int) -> int:
            return numbers[_COMMON * often + seldom * count] + reach[count]

        highest = min(len(others), (len(ordinals) - _COMMON * often) // seldom)
        count = mode.stepped(bisect_right(range(highest + 1), room - kept_free, key=tokens) - 1, _WORDS_PER_STEP)
        if count < 1:
            raise TooShort("no room for more than the common words")
        text = f"{before if given else ''}{_question(rng, common * often + others[:count] * seldom)}"
        return Sample(text, common, templates.CWE_PREFIX, budget - room + tokens(count))

    return make


def _question(rng: Random, listed: list[str]) -> str:
    """What the user says of these words, which are put in random order."""
    shuffle(rng, listed)
    return f"{templates.CWE_HEAD}{_numbered(listed)}{templates.CWE_QUESTION}"


def _numbered(words: Iterable[str]) -> str:
    return " ".join(f"{number}. {word}" for number, word in enumerate(words, 1))


def _apart(words: Iterable[str]) -> Iterator[str]:
    """Those words of which none contains an earlier one or the reverse, since an answer is searched for each."""
    kept: list[str] = []
    for word in words:
        if not any(word in other or other in word for other in kept):
            kept.append(word)
            yield word
