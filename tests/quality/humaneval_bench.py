"""Time to judge HumanEval in the sandbox: `python -m tests.quality.humaneval_bench`.

Needs the rows of HumanEval among the external data (see `gold`). Their own solutions must pass, and the same functions
without a body must fail.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import Any

from lm_eval_ifeval_pt.benchmarks import sandbox
from lm_eval_ifeval_pt.benchmarks.sandbox import ProgramUnderTest
from tests.quality.gold import GOLD, rows
from tests.quality.row import NotMeasured, Row, in_loops


def bench_rows() -> list[Row]:
    """HumanEval's own solutions, in wall seconds: programs mostly wait for processes."""
    if not (GOLD / "bench" / "humaneval.jsonl").is_file():
        raise NotMeasured(f"no rows of HumanEval in {GOLD} (set IFEVAL_PT_GOLD)")
    programs = programs_of(rows("bench/humaneval.jsonl"))
    start = time.monotonic()
    sandbox.judge_all(programs, sandbox.find(weak=True))
    seconds = (time.monotonic() - start) / len(programs)
    return [in_loops("a program of HumanEval in the sandbox", seconds, 1 / 20, unit="wall s")]


def programs_of(docs: Iterable[dict[str, Any]], body: str | None = None) -> list[ProgramUnderTest]:
    """A program for each row: its prompt with this body, else with its own solution."""
    return [
        ProgramUnderTest(
            doc["prompt"] + (body or doc["canonical_solution"]), doc["entry_point"], doc["test"], doc["prompt"]
        )
        for doc in docs
    ]


def main() -> None:
    """Print how many programs passed, and the seconds that took."""
    if not (GOLD / "bench" / "humaneval.jsonl").is_file():
        print(f"HumanEval in the sandbox: no rows in {GOLD}")
        return
    docs = list(rows("bench/humaneval.jsonl"))
    isolation = sandbox.find(weak=True)
    kind = "limits alone" if isolation.is_weak else "bubblewrap"
    print(f"HumanEval in the sandbox ({kind}, {len(os.sched_getaffinity(0))} processors)")
    for name, body in (("own solutions", None), ("body `pass`", "    pass\n")):
        programs = programs_of(docs, body)
        start = time.monotonic()
        passed = sum(outcome.passed for outcome in sandbox.judge_all(programs, isolation))
        print(f"  {name:14} {passed:3} of {len(docs)} pass, {time.monotonic() - start:5.1f} s (bar 60)")


if __name__ == "__main__":
    main()
