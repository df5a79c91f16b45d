"""Few-shot samplers that never show a document its own answer. Only task definitions name this module.

The harness tells a sampler which document is evaluated where the shots come from the evaluated split.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, TypeVar

from lm_eval.api.samplers import ContextSampler

from lm_eval_ifeval_pt.benchmarks.docs import Row

_T = TypeVar("_T")


class LeakFree(ContextSampler):  # type: ignore[misc]  # the harness is untyped
    """The draws of the published protocol; where the evaluated row is drawn, the next row stands in for it.

    The harness's own way out, drawing one row more, would change the shots of every other document too.
    """

    def sample(self, n: int, eval_doc: Row | None = None, **_: Any) -> list[Row]:
        """Draw `n` rows other than `eval_doc`."""
        rows = self.df
        drawn = self.rnd.sample(range(len(rows)), n)
        for turn, index in enumerate(drawn):
            if rows[index] == eval_doc:
                following = (i % len(rows) for i in range(index + 1, index + len(rows)))
                others = (i for i in following if i not in drawn and rows[i] != eval_doc)
                (drawn[turn],) = _first(others, 1)
        return [rows[index] for index in drawn]


class FirstOthers(ContextSampler):  # type: ignore[misc]  # the harness is untyped
    """The first rows but the evaluated one: the harness's `first_n` without its pass over all rows."""

    def sample(self, n: int, eval_doc: Row | None = None, **_: Any) -> list[Row]:
        """Take the first `n` rows other than `eval_doc`."""
        return _first((row for row in self.df if row != eval_doc), n)


def _first(others: Iterable[_T], n: int) -> list[_T]:
    rows = list(islice(others, n))
    if len(rows) < n:
        raise ValueError("more shots are asked for than there are rows other than the evaluated one")
    return rows
