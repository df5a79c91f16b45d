"""The programs of a manifest, called in HumanEval's sandbox or, where a person says so, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lm_eval_ifeval_pt.benchmarks import sandbox
from lm_eval_ifeval_pt.benchmarks.sandbox.inside import program as inside
from lm_eval_ifeval_pt.suite.errors import SuiteError

SECONDS = 120
"""For one call, where the manifest does not say."""


@dataclass(frozen=True)
class Programs:
    """How programs are called.

    Attributes:
        isolation: What confines them; None: nothing.
    """

    isolation: sandbox.Isolation | None

    def call(
        self,
        program: dict[str, Any],
        names: Sequence[str],
        file: str,
        arguments: Sequence[Sequence[Any]],
        offered: Sequence[str] = (),
        answer: sandbox.Answer | None = None,
        questions: int = 0,
        processes: int = 1,
    ) -> list[sandbox.Result]:
        """Call a function of a program with each list of arguments.

        Args:
            program: Its `source` and its `timeout_seconds`, which are for one call.
            names: The first of these functions that it defines is called.
            file: What it is called in reports.
            arguments: Of each call.
            offered: `ctx` and further names of parameters that a call may have.
            answer: Answers what a call asks through `ctx`.
            questions: How much one call may ask.
            processes: How many calls may wait for answers at the same time.

        Returns:
            The results, in order. No call raises.
        """
        if self.isolation is None:
            return _trusted(program["source"], names, file, arguments, offered, answer, questions)
        make = partial(
            sandbox.Calls,
            self.isolation,
            program["source"],
            names,
            file,
            float(program.get("timeout_seconds", SECONDS)),
            offered,
            answer,
            questions,
        )
        return sandbox.call_all(make, arguments, processes)


def programs(trust_code: bool) -> Programs:
    """How this machine calls programs.

    Args:
        trust_code: Whether a person trusts them, so that nothing confines them.

    Raises:
        SuiteError: nothing can confine them here.
    """
    if trust_code:
        return Programs(None)
    try:
        return Programs(sandbox.find())
    except sandbox.SandboxError as error:
        raise SuiteError(f"{error}. If you trust the programs of this manifest: --trust-code") from error


def _trusted(
    source: str,
    names: Sequence[str],
    file: str,
    arguments: Sequence[Sequence[Any]],
    offered: Sequence[str],
    answer: sandbox.Answer | None,
    questions: int,
) -> list[sandbox.Result]:
    budget = sandbox.Budget(answer, questions)
    program = inside.Program(budget)
    kind, content = program.load(source, file, names, offered)
    if kind == "raised":
        return [sandbox.Result(error=content) for _ in arguments]
    results = []
    for given in arguments:
        budget.begin()
        kind, content = program.call(given)
        results.append(sandbox.returned(content) if kind == "value" else sandbox.Result(error=content))
    return results
