"""Programs that a model wrote, run where they can do no harm, and judged where they cannot cheat.

A program is tested by two processes of their own. The *candidate* runs the program; the *checker* runs the tests, and
what the tests call as the function under test sends its arguments to the candidate and takes back the value, as data.
No object of the program, only built-in values, reaches the tests, so nothing that a program prints, raises, overrides
or exits with can pass them: it has to return the right values. The verdict comes from the checker alone, on a pipe that
the candidate does not have.

Both are confined by `bubblewrap` where it works: no network, no file of the machine but Python's own and read-only, a
small scratch folder, no view of other processes, no environment. Without it, only limits remain (see `isolation`).
"""

from lm_eval_ifeval_pt.benchmarks.sandbox.calls import (
    DEEPEST,
    Answer,
    Budget,
    CallRefused,
    Calls,
    ProgramError,
    Result,
    call_all,
    is_deep,
    returned,
)
from lm_eval_ifeval_pt.benchmarks.sandbox.find import find
from lm_eval_ifeval_pt.benchmarks.sandbox.isolation import Isolation, SandboxError
from lm_eval_ifeval_pt.benchmarks.sandbox.judge import Outcome, ProgramUnderTest, judge, judge_all
from lm_eval_ifeval_pt.benchmarks.sandbox.limits import Limits

__all__ = [
    "DEEPEST",
    "Answer",
    "Budget",
    "CallRefused",
    "Calls",
    "Isolation",
    "Limits",
    "Outcome",
    "ProgramError",
    "ProgramUnderTest",
    "Result",
    "SandboxError",
    "call_all",
    "find",
    "is_deep",
    "judge",
    "judge_all",
    "returned",
]
