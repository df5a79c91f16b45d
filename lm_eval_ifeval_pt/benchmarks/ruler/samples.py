"""The samples of a task at one length: as long as they may be, and not longer."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from lm_eval_ifeval_pt.benchmarks.ruler.errors import RulerError, TooShort
from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter
from lm_eval_ifeval_pt.benchmarks.ruler.prompt import Maker, Sample

log = logging.getLogger(__name__)

_PROBES = 8
_FILL = 0.97
"""The share of the limit that is filled where lengths have to be corrected one by one."""
_ATTEMPTS = 12


@dataclass(frozen=True)
class Shape:
    """What a task asks for, whatever its length.

    Attributes:
        name: The task.
        answer: The tokens that are left for the answer.
        delimiter: What stands between a prompt and the beginning of its answer.
    """

    name: str
    answer: int
    delimiter: str = " "

    def whole(self, prompt: Sample) -> str:
        """The prompt as the model gets it, without a chat template."""
        return prompt.text + (self.delimiter + prompt.prefix if prompt.prefix else "")


class Sampler:
    """Draws samples. Each has a random generator of its own, so that it does not depend on which others are drawn."""

    def __init__(self, shape: Shape, length: int, make: Maker, counter: TokenCounter, seed: int = 0) -> None:
        """Probes some samples: whether their tokens are what addition gives, or that and a constant.

        Args:
            shape: The task.
            length: The tokens of prompt, answer and the tokenizer's chat template, at most.
            make: Makes a prompt.
            counter: Counts tokens.
            seed: The same seed gives the same samples.

        Raises:
            RulerError: the length is too short for the task.
        """
        self._shape, self._length, self._make, self._counter = shape, length, make, counter
        self._seed = f"{seed}/{shape.name}/{length}"
        self._limit = length - shape.answer - counter.template
        if counter.window < length:
            log.warning("%s: a model with a window of %d is given %d tokens", shape.name, counter.window, length)
        probes = [self._draw(f"probe {number}", self._limit) for number in range(_PROBES)]
        errors = {
            exact - probe.tokens for exact, probe in zip(counter.count(self._wholes(probes)), probes, strict=True)
        }
        self._error = max(errors)
        self.adds_up = len(errors) == 1
        """Whether the tokenizer adds up. If not, every sample is encoded and corrected."""

    def sample(self, index: int) -> dict[str, Any]:
        """The columns of one sample; `length` is the tokens of prompt and answer, without a chat template."""
        budget = self._limit - self._error
        prompt = self._draw(f"sample {index}", budget)
        tokens = prompt.tokens + self._error
        if not self.adds_up:
            prompt, tokens = self._corrected(f"sample {index}", budget, prompt)
        return {
            "index": index,
            "input": prompt.text,
            "outputs": prompt.outputs,
            "length": tokens + self._shape.answer,
            "max_length": self._length,
            "gen_prefix": prompt.prefix,
        }

    def _corrected(self, name: str, budget: int, prompt: Sample) -> tuple[Sample, int]:
        """The prompt of a name, made again until it fits and fills, with its exact tokens."""
        best: tuple[Sample, int] | None = None
        fits, exceeds = 0, 2 * self._limit  # budgets
        for _ in range(_ATTEMPTS):
            (tokens,) = self._counter.count(self._wholes([prompt]))
            if tokens > self._limit:
                exceeds = min(exceeds, budget)
            else:
                fits = max(fits, budget)
                if best is None or tokens > best[1]:
                    best = prompt, tokens
                if tokens >= _FILL * self._limit:
                    break
            budget += self._limit - tokens
            if not fits < budget < exceeds:
                budget = (fits + exceeds) // 2
            prompt = self._draw(name, budget)
        if best is None:
            raise RulerError(f"{self._shape.name}: no sample of {self._length} tokens fits with this tokenizer")
        return best

    def _draw(self, name: str, budget: int) -> Sample:
        try:
            return self._make(Random(f"{self._seed}/{name}"), budget)
        except TooShort as error:
            raise RulerError(
                f"{self._shape.name}: a length of {self._length} tokens, {self._shape.answer} of them for the answer, "
                f"is too short: {error}"
            ) from error

    def _wholes(self, prompts: Sequence[Sample]) -> list[str]:
        return [self._shape.whole(prompt) for prompt in prompts]


def rows(samples: Sequence[Sampler], count: int) -> Iterator[dict[str, Any]]:
    """So many samples of each length, the lengths in turn, so that the first rows have all of them."""
    for index in range(count):
        for length in samples:
            yield length.sample(index)
