"""Programs judged by their tests."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial

from lm_eval_ifeval_pt.benchmarks.sandbox.isolation import ENVIRONMENT, Isolation, SandboxError
from lm_eval_ifeval_pt.benchmarks.sandbox.limits import Limits

_NOBODIES = 61184, 65519
"""Users that exist nowhere: systemd's range for dynamic ones."""


@dataclass(frozen=True)
class Program:
    """A program and what tests it.

    Attributes:
        code: The program. It must define `entry_point`.
        entry_point: The function under test.
        tests: Trusted code that defines `check(candidate)`, which raises where the function is wrong.
        setup: Trusted code that runs before the tests, whose names they may use.
    """

    code: str
    entry_point: str
    tests: str
    setup: str = ""


@dataclass(frozen=True)
class Outcome:
    """Whether a program passed all its tests; if not, why."""

    passed: bool
    reason: str


_CHECK = "def check(candidate):\n    assert candidate(2) == 4\n"
_RIGHT = Program("def double(x):\n    return 2 * x\n", "double", _CHECK)
_WRONG = Program("def double(x):\n    return 3 * x\n", "double", _CHECK)


def judge_all(
    programs: Sequence[Program],
    isolation: Isolation,
    limits: Limits | None = None,
    workers: int | None = None,
    progress: bool = True,
) -> list[Outcome]:
    """Judge many programs at once, with a progress bar.

    Args:
        programs: What to judge.
        isolation: See `find`.
        limits: What each may use.
        workers: How many at a time; by default as many as there are processors to use.
        progress: Whether to show the bar.

    Raises:
        SandboxError: a known program does not get its known verdict here, so that no verdict could be trusted.
    """
    from tqdm import tqdm

    limits = limits or Limits()
    for program, expected in ((_RIGHT, True), (_WRONG, False)):
        outcome = judge(program, isolation, limits)
        if outcome.passed != expected:
            raise SandboxError(f"a program that is known to be {'right' if expected else 'wrong'} gets: {outcome}")
    run = partial(judge, isolation=isolation, limits=limits)
    with ThreadPoolExecutor(workers or _processors()) as pool:
        judged = [pool.submit(run, program, number=number) for number, program in enumerate(programs, 1)]
        try:
            bar = tqdm(judged, "Running programs", disable=not progress, unit="program")
            return [future.result() for future in bar]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def judge(program: Program, isolation: Isolation, limits: Limits | None = None, number: int = 0) -> Outcome:
    """Run a program and its tests, each in a fresh process. All of them are gone when this returns.

    Args:
        program: What to judge.
        isolation: See `find`.
        limits: What it may use.
        number: Programs that are judged at the same time have different ones.
    """
    limits = limits or Limits()
    deadline = time.monotonic() + limits.wall
    first, last = _NOBODIES
    users = [first + (2 * (os.getpid() + number) + part) % (last - first) for part in (0, 1)]
    uids = users if isolation.as_root else [None, None]
    requests, responses = os.pipe(), os.pipe()  # (read, write)
    ours = {"responses": responses[0], "requests": requests[1]}
    settings = {"limits": asdict(limits), "is_weak": isolation.is_weak}
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(_scratch(isolation))
        try:
            part = {**settings, "part": "candidate", "uid": uids[0]}
            command = isolation.command(json.dumps(part), limits.file)
            stack.enter_context(_running(command, folder, stdin=requests[0], stdout=responses[1]))
            part = {**settings, "part": "checker", "uid": uids[1], **ours}
            command = isolation.command(json.dumps(part), limits.file)
            checker = stack.enter_context(_running(command, folder, pass_fds=tuple(ours.values())))
        finally:
            for fd in (*requests, *responses):
                os.close(fd)
        job = json.dumps(asdict(program)).encode()
        try:
            said, _ = checker.communicate(job, timeout=max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return Outcome(False, f"not done after {limits.wall:g} s")
    return Outcome(**json.loads(said)) if said else Outcome(False, "the tests ran into a limit")


@contextlib.contextmanager
def _scratch(isolation: Isolation) -> Iterator[str | None]:
    """The working folder of a process that is not isolated; bubblewrap makes one in memory."""
    if not isolation.is_weak:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        if isolation.as_root:  # the process becomes another user
            os.chmod(folder, 0o777)
        yield folder


@contextlib.contextmanager
def _running(
    command: Sequence[str],
    folder: str | None,
    stdin: int = subprocess.PIPE,
    stdout: int = subprocess.PIPE,
    pass_fds: Sequence[int] = (),
) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own, all of which is killed at the end."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=ENVIRONMENT,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        pass_fds=pass_fds,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        process.wait()
