"""Frequent words: a coded text in which the words are as frequent as the zeta distribution has it."""

from __future__ import annotations

import math
from bisect import bisect_right
from random import Random
from string import ascii_lowercase

import numpy as np

from lm_eval_ifeval_pt.benchmarks.ruler import templates
from lm_eval_ifeval_pt.benchmarks.ruler.draws import sample, shuffle
from lm_eval_ifeval_pt.benchmarks.ruler.errors import TooShort
from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter
from lm_eval_ifeval_pt.benchmarks.ruler.modes import Mode
from lm_eval_ifeval_pt.benchmarks.ruler.prompt import Maker, Sample

_ALPHA = 2.0
_ZETA = math.pi**2 / 6
_NOISE = "..."
"""What is most frequent, and not to be counted."""
_LETTERS = 6
_POOL = 8192
_PER_WORD = 50
"""Tokens of the prompt for each word of its vocabulary."""
_STEPS = 32
"""The published text starts with a word for every six tokens and grows by this part of the length."""


def maker(counter: TokenCounter, length: int, mode: Mode) -> Maker:
    """What makes the prompts."""
    size = max(5, length // _PER_WORD)
    pool = _coded(Random("coded words"), max(_POOL, 4 * size))
    pool_tokens = counter.added([f" {word}" for word in pool], after=".")
    (noise_tokens,) = counter.added([f" {_NOISE}"], after=".")
    (head,) = counter.count([templates.FWE_HEAD])
    (tail,) = counter.added([f"{templates.FWE_QUESTION} {templates.FWE_PREFIX}"], after="a")
    shares = np.arange(1, size + 1) ** -_ALPHA / _ZETA

    def make(rng: Random, budget: int) -> Sample:
        drawn = sample(rng, range(len(pool)), size - 1)
        words = [_NOISE, *(pool[index] for index in drawn)]
        each = np.array([noise_tokens, *(pool_tokens[index] for index in drawn)])
        room = budget - head - tail

        def counts(total: int) -> np.ndarray:
            return (total * shares).astype(int)

        def tokens(total: int) -> int:
            return int(counts(total) @ each)

        total = bisect_right(range(2 * length), room, key=tokens) - 1
        first = length // _LETTERS
        total = first + mode.stepped(total - first, length // _STEPS)
        frequencies = counts(max(total, 0)).tolist()
        if not frequencies[3] > frequencies[4]:
            raise TooShort("no room for three words more frequent than the others")
        text = [word for word, frequency in zip(words, frequencies, strict=True) for _ in range(frequency)]
        shuffle(rng, text)
        return Sample(
            f"{templates.FWE_HEAD} {' '.join(text)}{templates.FWE_QUESTION}",
            words[1:4],
            templates.FWE_PREFIX,
            head + tail + tokens(total),
        )

    return make


def _coded(rng: Random, size: int) -> list[str]:
    """Words of six letters, all different."""
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(rng.choices(ascii_lowercase, k=_LETTERS))] = None
    return list(words)
