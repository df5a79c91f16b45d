"""Programs judged by their tests."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from lm_eval_ifeval_pt.benchmarks.sandbox.isolation import Isolation, SandboxError
from lm_eval_ifeval_pt.benchmarks.sandbox.limits import Limits
from lm_eval_ifeval_pt.benchmarks.sandbox.processes import Rest, hidden
from lm_eval_ifeval_pt.benchmarks.sandbox.syscalls import Permissions

_NOBODIES = 61184, 65519
"""Users that exist nowhere: systemd's range for dynamic ones. The first is the checkers', the others candidates'."""
_SLEEPERS = 64
"""How many programs may sleep beside those that run."""
_VERDICT = 1 << 16
"""Bytes of the longest verdict."""


@dataclass(frozen=True)
class ProgramUnderTest:
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
RIGHT = ProgramUnderTest("def double(x):\n    return 2 * x\n", "double", _CHECK)
_WRONG = ProgramUnderTest("def double(x):\n    return 3 * x\n", "double", _CHECK)


def judge_all(
    programs: Sequence[ProgramUnderTest],
    isolation: Isolation,
    limits: Limits | None = None,
    workers: int | None = None,
    progress: bool = True,
) -> list[Outcome]:
    """Judge many programs at once, with a progress bar.

    A program that sleeps gives its turn to the next one, so that it holds nobody up until its time is over.

    Args:
        programs: What to judge.
        isolation: See `find`.
        limits: What each may use.
        workers: How many run at a time; by default as many as there are processors to use.
        progress: Whether to show the bar.

    Returns:
        The outcomes, in the order of the programs.

    Raises:
        SandboxError: a known program does not get its known verdict here, so that no verdict could be trusted.
    """
    from tqdm import tqdm

    workers = workers or _processors()
    with Court(isolation, limits or Limits()) as court:
        for program, expected in ((RIGHT, True), (_WRONG, False)):
            outcome = court.judge(program)
            if outcome.passed != expected:
                raise SandboxError(f"a program that is known to be {'right' if expected else 'wrong'} gets: {outcome}")
        turns = threading.Semaphore(workers)

        def in_turn(program: ProgramUnderTest) -> Outcome:
            turns.acquire()
            given_up = False

            def give_up() -> None:
                nonlocal given_up
                given_up = True
                turns.release()

            try:
                return court.judge(program, give_up)
            finally:
                if not given_up:
                    turns.release()

        with ThreadPoolExecutor(workers + _SLEEPERS) as pool:
            outcomes = [pool.submit(in_turn, program) for program in programs]
            try:
                bar = tqdm(outcomes, "Running programs", disable=not progress, unit="program")
                return [outcome.result() for outcome in bar]
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def judge(program: ProgramUnderTest, isolation: Isolation, limits: Limits | None = None) -> Outcome:
    """Run a program and its tests, each in a fresh process. All of them are gone when this returns."""
    with Court(isolation, limits or Limits()) as court:
        return court.judge(program)


class Court:
    """Judges programs one by one or from several threads. A context manager: at its end no process is left.

    Args:
        isolation: See `find`.
        limits: What each program may use.
        stderr: Where processes say why they cannot start.
    """

    def __init__(self, isolation: Isolation, limits: Limits, stderr: int = subprocess.DEVNULL) -> None:
        self._isolation, self._limits, self._stderr = isolation, limits, stderr
        self._settings = {"limits": asdict(limits), "is_weak": isolation.is_weak}
        self._lock = threading.Lock()
        self._checkers: subprocess.Popen[bytes] | None = None
        self._jobs: socket.socket | None = None

    def __enter__(self) -> Court:
        """Keep programs away from this process, where nothing else does."""
        self._stack = contextlib.ExitStack()
        if self._isolation.is_weak:
            self._stack.enter_context(hidden())
        return self

    def __exit__(self, *_: object) -> None:
        """End the checkers."""
        self._stack.close()

    def judge(self, program: ProgramUnderTest, on_sleep: Callable[[], None] | None = None) -> Outcome:
        """Run a program and its tests.

        Args:
            program: What to judge.
            on_sleep: Called once, when the program is found asleep.

        Returns:
            The verdict. Nothing that the program does raises.
        """
        deadline = time.monotonic() + self._limits.wall
        requests, responses = os.pipe(), os.pipe()  # (read, write)
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(scratch(self._isolation))
            try:
                candidate = stack.enter_context(self._candidate(folder, requests[0], responses[1]))
                verdict = self._submit(program, responses[0], requests[1])
            finally:
                for fd in (*requests, *responses):
                    os.close(fd)
            stack.callback(os.close, verdict)
            said = _read(verdict, deadline, Rest(candidate.pid, on_sleep))
        return Outcome(False, f"not done after {self._limits.wall:g} s") if said is None else _outcome(said)

    def _candidate(
        self, folder: str | None, stdin: int, stdout: int
    ) -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
        uid = unused_uid() if self._isolation.as_root else None
        settings = {**self._settings, "part": "candidate", "uid": uid}
        permissions = Permissions(forks=self._limits.processes > 1, signals=not self._isolation.is_weak)
        return self._isolation.running(
            settings, self._limits.file, folder, stdin, stdout, permissions, stderr=self._stderr
        )

    def _submit(self, program: ProgramUnderTest, responses: int, requests: int) -> int:
        """Give a job to a checker. The result is the descriptor that its verdict comes from, which no program has."""
        job, verdict = os.pipe(), os.pipe()
        try:
            with self._lock:
                if self._checkers is None or self._checkers.poll() is not None:
                    self._start()
                assert self._jobs is not None
                with contextlib.suppress(OSError):  # the checkers ended: there will be no verdict
                    socket.send_fds(self._jobs, [b"job"], [job[0], responses, requests, verdict[1]])
        finally:
            os.close(job[0])
            os.close(verdict[1])
        with contextlib.suppress(OSError), os.fdopen(job[1], "wb") as file:
            file.write(json.dumps(asdict(program)).encode())
        return verdict[0]

    def _start(self) -> None:
        """Start the process that makes the checkers."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        uid = _NOBODIES[0] if self._isolation.as_root else None
        folder = self._stack.enter_context(scratch(self._isolation))
        with theirs:
            running = self._isolation.running(
                {**self._settings, "part": "checkers", "uid": uid},
                self._limits.file,
                folder,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                permissions=Permissions(forks=True, signals=True),
                stderr=self._stderr,
            )
            self._checkers = self._stack.enter_context(running)
        self._jobs = self._stack.enter_context(ours)


def _read(fd: int, deadline: float, rest: Rest) -> bytes | None:
    """All that a pipe gives until it is closed; None where that takes too long."""
    said = b""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while (left := deadline - time.monotonic()) > 0:
        if not poll.poll(1000 * min(left, rest.interval)):
            rest.look()
            continue
        part = os.read(fd, _VERDICT)
        said += part
        if not part or len(said) > _VERDICT:
            return said
    return None


def _outcome(said: bytes) -> Outcome:
    """What a checker wrote, of which nothing is believed but a whole verdict."""
    try:
        content = json.loads(said)
    except (ValueError, RecursionError):
        content = None
    match content:
        case {"passed": bool(passed), "reason": str(reason)} if len(content) == len(Outcome.__annotations__):
            return Outcome(passed, reason)
    return Outcome(False, "its verdict was disturbed" if said else "the tests ran into a limit")


_NUMBERS = itertools.count(1)


def unused_uid() -> int:
    """A user that exists nowhere, another one for each program, so that none may touch another's processes."""
    first, last = _NOBODIES
    return first + 1 + (os.getpid() + next(_NUMBERS)) % (last - first)


@contextlib.contextmanager
def scratch(isolation: Isolation) -> Iterator[str | None]:
    """The working folder of a process that is not isolated; bubblewrap makes one in memory."""
    if not isolation.is_weak:
        yield None
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if isolation.as_root:  # the process becomes another user
            os.chmod(folder, 0o777)
        yield folder
