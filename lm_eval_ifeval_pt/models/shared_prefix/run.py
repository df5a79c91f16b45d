"""The scores of many requests, summed up over the calls that compute them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from lm_eval_ifeval_pt.models.shared_prefix import plan, trie
from lm_eval_ifeval_pt.models.shared_prefix.forward import Forward, TokenScores
from lm_eval_ifeval_pt.models.shared_prefix.trie import ScoredSequence


@dataclass(frozen=True)
class Call:
    """One forward call with its rows laid out: behind the first `kept` prefixes, to be kept themselves or not."""

    rows: Sequence[plan.Row]
    kept: int
    keep: bool

    def compact(self) -> Call:
        """Half the memory; the forward pass copies these arrays into wider ones."""
        small = [
            replace(row, **{name: getattr(row, name).astype(np.int32) for name in ("tokens", "positions", "last")})
            for row in self.rows
        ]
        return Call(small, self.kept, self.keep)


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
        self._keeps = False
        self._kept: tuple[plan.Cost, int, list[Call]] | None = None

    def answer(self, request: int) -> tuple[float, bool]:
        """Return the log-likelihood of a finished request, in nats, and whether it is the greedy answer."""
        return float(self._sums[request]), bool(self._greedy[request])

    def keep(self) -> None:
        """Keep the calls of the next computation, which depend on the requests alone, to make them again."""
        self._keeps = True

    def restart(self) -> None:
        """Forget the answers, as for other weights."""
        self._waiting[:] = [each.scored for each in self.requests]
        self._sums[:], self._greedy[:] = 0, True

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
        is_whole = len(left) == len(self.requests)
        try:
            for call in self._calls(requests, cost, room, is_whole):
                yield self._add(left, forward(call.rows, call.kept, call.keep))
        finally:
            forward.prefixes.clear()

    def _calls(
        self, requests: Sequence[ScoredSequence], cost: plan.Cost, room: int, is_whole: bool
    ) -> Iterator[Call]:
        """Yield the calls that compute these requests: those that were kept, where all are to be computed."""
        if is_whole and self._kept is not None and self._kept[:2] == (cost, room):
            yield from self._kept[2]
            return
        done: set[trie.Node] = set()
        kept: list[Call] = []
        for step in plan.steps(trie.build(requests), cost, room) if requests else ():
            call = Call([plan.row(items, requests, done) for items in step.items], step.kept, step.keep)
            if self._keeps and is_whole:
                kept.append(call.compact())
            yield call
        if self._keeps and is_whole:
            self._kept = cost, room, kept

    def _add(self, left: np.ndarray[tuple[int], np.dtype[np.intp]], scores: TokenScores) -> list[int]:
        asked = left[scores.requests]
        np.add.at(self._sums, asked, scores.log_likelihoods)
        np.logical_and.at(self._greedy, asked, scores.greedy)
        np.subtract.at(self._waiting, asked, 1)
        return [*dict.fromkeys(asked[self._waiting[asked] == 0].tolist())]


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
