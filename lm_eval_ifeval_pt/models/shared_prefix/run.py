"""The scores of many requests, summed up over the calls that compute them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from lm_eval_ifeval_pt.models.shared_prefix import plan, trie
from lm_eval_ifeval_pt.models.shared_prefix.forward import Forward, Scores
from lm_eval_ifeval_pt.models.shared_prefix.trie import ScoredSequence


class Computation:
    """Computes requests together.

    Args:
        requests: What to score.

    Attributes:
        longest: Number of input tokens of the longest request.
        distinct: Number of distinct input tokens, the least that can be computed.
        plain: Number of input tokens of the distinct requests, which is what `hf` computes.
    """

    def __init__(self, requests: Sequence[ScoredSequence]) -> None:
        self.requests = requests
        self.longest = max(map(len, requests))
        self.distinct = trie.build(requests).size
        self.plain = sum({each.tokens[:-1].tobytes(): len(each) for each in requests}.values())
        self._waiting = np.array([each.scored for each in requests])
        self._sums = np.zeros(len(requests))
        self._greedy = np.ones(len(requests), np.bool_)

    def answer(self, request: int) -> tuple[float, bool]:
        """Return the log-likelihood of a finished request, in nats, and whether it is the greedy answer."""
        return float(self._sums[request]), bool(self._greedy[request])

    def compute(self, forward: Forward, cost: plan.Cost, room: int) -> Iterator[list[int]]:
        """Compute what is not finished and yield, call by call, the requests finished by it.

        Args:
            forward: The model.
            cost: What its calls cost.
            room: The number of tokens a call may have, at least `longest`. If it turns out to be too much for
                the memory, calling this again with less goes on.
        """
        left = np.flatnonzero(self._waiting)
        requests = [self.requests[int(index)] for index in left]
        self._waiting[left] = [each.scored for each in requests]
        self._sums[left], self._greedy[left] = 0, True
        done: set[trie.Node] = set()
        try:
            for step in plan.steps(trie.build(requests), cost, room) if requests else ():
                rows = [plan.row(items, requests, done) for items in step.items]
                yield self._add(left, forward(rows, step.kept, step.keep))
        finally:
            forward.prefixes.clear()

    def _add(self, left: np.ndarray[tuple[int], np.dtype[np.intp]], scores: Scores) -> list[int]:
        asked = left[scores.requests]
        np.add.at(self._sums, asked, scores.log_likelihoods)
        np.logical_and.at(self._greedy, asked, scores.greedy)
        np.subtract.at(self._waiting, asked, 1)
        asked = np.unique(asked)
        return [int(index) for index in asked[self._waiting[asked] == 0]]


def complete(run: Computation, forward: Forward, cost: plan.Cost, room: int) -> Iterator[list[int]]:
    """Compute all of a run, halving the room whenever the device's memory is exhausted."""
    while True:
        try:
            yield from run.compute(forward, cost, room)
            return
        except torch.cuda.OutOfMemoryError:
            if room == run.longest:
                raise
            room = max(room // 2, run.longest)
        torch.cuda.empty_cache()
