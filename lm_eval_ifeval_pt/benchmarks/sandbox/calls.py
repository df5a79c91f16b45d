"""A function of a program called many times, in one confined process: what reads rows and grades answers.

It is somebody's program, not a model's, and its values are not verdicts on itself. So one process holds it, this
one calls it over two pipes, and reads nothing but JSON.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lm_eval_ifeval_pt.benchmarks.sandbox.isolation import Isolation, SandboxError
from lm_eval_ifeval_pt.benchmarks.sandbox.judge import scratch, unused_uid
from lm_eval_ifeval_pt.benchmarks.sandbox.limits import Limits, MiB
from lm_eval_ifeval_pt.benchmarks.sandbox.processes import hidden
from lm_eval_ifeval_pt.benchmarks.sandbox.syscalls import Permissions

Answer = Callable[[str, dict[str, Any]], Any]
"""Answers what a function asks through `ctx`: the method and its arguments. What it raises is told to the function."""

_START = 15.0
"""Seconds for a process to start."""
_ROWS, _BYTES = 256, MiB
"""How much is sent at once."""
_DEATHS = 5
"""How many calls may end the process, before it is started no more."""
_LENGTH = 4
DEEPEST = 100
"""Levels of lists and objects in a value."""

LIMITS = Limits(cpu=86_400, output=256 * MiB)
"""The time of a call is limited from outside."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gave.

    Attributes:
        value: What the function returned, as JSON has it.
        error: Why it returned nothing: its exception with its own lines, or how it ended; else empty.
    """

    value: Any = None
    error: str = ""


def is_deep(value: Any) -> bool:
    """Whether a value of JSON has so many levels that whoever copies or writes it might fail."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return any(isinstance(value, (dict, list)) for value in level)


def returned(value: Any) -> Result:
    """What a function returned."""
    return Result(error=f"it returned a value of more than {DEEPEST} levels") if is_deep(value) else Result(value)


class Budget:
    """What calls may ask.

    Args:
        answer: Answers it; without it, a call may ask nothing.
        most: How much one call may ask.
    """

    def __init__(self, answer: Answer | None, most: int) -> None:
        self._answer, self._most, self._left = answer, most, most

    def begin(self) -> None:
        """A new call begins."""
        self._left = self._most

    def __call__(self, method: str, arguments: dict[str, Any]) -> Any:
        """The answer.

        Raises:
            CallRefused: there is none; why.
        """
        if self._answer is None:
            raise CallRefused(f"ctx.{method} is not for this program: its contract is not model_backed")
        if not self._left:
            raise CallRefused(f"max_model_calls is {self._most}, which this call has asked")
        self._left -= 1
        return self._answer(method, arguments)


class _Ended(Exception):
    """The process is gone, or has to go."""


class Calls:
    """A program in its process, which is started when it is called. A context manager.

    Args:
        isolation: See `find`.
        source: The program.
        names: The first of these functions that it defines is called.
        file: What the program is called in reports.
        seconds: For one call.
        offered: What else a call may have; see `inside.program`.
        answer: Answers what the function asks; without it, it may ask nothing.
        questions: How much one call may ask.
        limits: What the process may use.
    """

    def __init__(
        self,
        isolation: Isolation,
        source: str,
        names: Sequence[str],
        file: str,
        seconds: float,
        offered: Sequence[str] = (),
        answer: Answer | None = None,
        questions: int = 0,
        limits: Limits = LIMITS,
    ) -> None:
        self._isolation, self._limits = isolation, limits
        self._budget = Budget(answer, questions)
        self._load = ["load", source, file, list(names), list(offered)]
        self._seconds = seconds
        self._deaths = 0
        self._running: contextlib.ExitStack | None = None

    def __enter__(self) -> Calls:
        """Keep the program away from this process, where nothing else does."""
        self._stack = contextlib.ExitStack()
        if self._isolation.is_weak:
            self._stack.enter_context(hidden())
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._end()
        self._stack.close()

    def load(self) -> None:
        """Start the process and execute the program.

        Raises:
            ProgramError: the program fails.
        """
        if self._running is None:
            self._start()

    def call_all(self, arguments: Iterable[Sequence[Any]]) -> Iterator[Result]:
        """Call the function with each list of arguments, in order.

        A call that takes too long or ends the process fails alone; the process is started anew for the next one, a
        few times. Nothing that the program does raises.
        """
        for chunk in _chunks(arguments):
            waiting = list(chunk)
            while waiting:
                for result in self._call(tuple(waiting)):
                    waiting.pop(0)
                    yield result

    def _call(self, rows: Sequence[bytes]) -> Iterator[Result]:
        """The results of some calls, at least of one, up to the first that ends the process."""
        if self._deaths >= _DEATHS:
            yield from (Result(error=f"not called: the program had to be ended {_DEATHS} times") for _ in rows)
            return
        try:
            self.load()
            self._send(b'["call",[' + b",".join(rows) + b"]]", time.monotonic() + self._seconds)
            for _ in rows:
                yield self._result(time.monotonic() + self._seconds)
        except ProgramError as error:
            self._deaths = _DEATHS
            yield Result(error=str(error))
        except _Ended as error:
            self._deaths += 1
            self._end()
            yield Result(error=str(error))

    def _result(self, deadline: float) -> Result:
        self._budget.begin()
        while True:
            match self._receive(deadline):
                case ["value", value]:
                    return returned(value)
                case ["raised", str(reason)]:
                    return Result(error=reason)
                case ["ask", str(method), dict(arguments)]:
                    begun = time.monotonic()
                    answered = json.dumps(self._answered(method, arguments)).encode()
                    deadline += time.monotonic() - begun  # the time of the model is not the program's
                    self._send(answered, deadline)
                case _:
                    raise _Ended("the program sent what is no answer")

    def _answered(self, method: str, arguments: dict[str, Any]) -> list[Any]:
        try:
            return ["answer", self._budget(method, arguments)]
        except CallRefused as error:
            return ["refused", str(error)]

    # The process

    def _start(self) -> None:
        requests, responses = os.pipe(), os.pipe()  # (read, write)
        stack = contextlib.ExitStack()
        uid = unused_uid() if self._isolation.as_root else None
        limits = {**asdict(self._limits)}
        settings = {"limits": limits, "is_weak": self._isolation.is_weak, "part": "program", "uid": uid}
        permissions = Permissions(forks=False, signals=not self._isolation.is_weak)
        said = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # the stack closes it
        try:
            stack.enter_context(
                self._isolation.running(
                    settings,
                    self._limits.file,
                    stack.enter_context(scratch(self._isolation)),
                    requests[0],
                    responses[1],
                    permissions,
                    stderr=said.fileno(),
                )
            )
        except (OSError, subprocess.SubprocessError) as error:
            stack.close()
            for fd in (requests[1], responses[0]):
                os.close(fd)
            raise SandboxError(f"the sandbox does not start: {error}") from error
        finally:
            os.close(requests[0])
            os.close(responses[1])
        for fd in (requests[1], responses[0]):
            os.set_blocking(fd, False)
            stack.callback(os.close, fd)
        self._running, self._out, self._in, self._buffer = stack, requests[1], responses[0], bytearray()
        deadline = time.monotonic() + _START + self._seconds
        try:
            self._send(json.dumps(self._load).encode(), deadline)
            match self._receive(deadline):
                case ["ready", _]:
                    return
                case ["raised", str(reason)]:
                    raise ProgramError(reason)
            raise _Ended("the program sent what is no answer")
        except _Ended as error:
            said.seek(0)
            reason = said.read(1 << 16).decode(errors="replace").strip()[-300:]
            self._end()
            raise ProgramError(f"{error}{': ' if reason else ''}{reason}") from None
        except ProgramError:
            self._end()
            raise

    def _end(self) -> None:
        if self._running is not None:
            self._running.close()
            self._running = None

    # The pipes

    def _send(self, body: bytes, deadline: float) -> None:
        data = memoryview(len(body).to_bytes(_LENGTH, "big") + body)
        poll = select.poll()
        poll.register(self._out, select.POLLOUT)
        while data:
            self._wait(poll, deadline)
            try:
                data = data[os.write(self._out, data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise _Ended(_GONE) from None

    def _receive(self, deadline: float) -> Any:
        size = int.from_bytes(self._take(_LENGTH, deadline), "big")
        if size > self._limits.output:
            raise _Ended(f"the program returned {size >> 20} MiB, {self._limits.output >> 20} are allowed")
        try:
            return json.loads(self._take(size, deadline))
        except (ValueError, RecursionError, MemoryError) as error:
            raise _Ended(f"the program sent what is no answer: {type(error).__name__}") from None

    def _take(self, size: int, deadline: float) -> bytes:
        poll = select.poll()
        poll.register(self._in, select.POLLIN)
        while len(self._buffer) < size:
            self._wait(poll, deadline)
            try:
                part = os.read(self._in, 1 << 20)
            except BlockingIOError:
                continue
            if not part:
                raise _Ended(_GONE)
            self._buffer += part
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _wait(self, poll: select.poll, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(1000 * left):
            raise _Ended(f"the program takes longer than {self._seconds:g} s")


_GONE = "the program ended before it answered (it left, or exceeded its memory)"


class ProgramError(RuntimeError):
    """A program that cannot be called."""


class CallRefused(Exception):
    """What a function asks is not answered; the message is told to it."""


def _chunks(arguments: Iterable[Sequence[Any]]) -> Iterator[list[bytes]]:
    """Calls as JSON, in portions."""
    rows = (json.dumps(list(call), default=str).encode() for call in arguments)
    chunk: list[bytes] = []
    size = 0
    for row in rows:
        chunk.append(row)
        size += len(row)
        if len(chunk) == _ROWS or size > _BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def call_all(make: Callable[[], Calls], arguments: Sequence[Sequence[Any]], processes: int = 1) -> list[Result]:
    """Call a function with each list of arguments, in several processes where calls wait for something outside.

    Args:
        make: Makes a program ready to be called.
        arguments: Of each call.
        processes: How many.

    Returns:
        The results, in order.
    """
    from concurrent.futures import ThreadPoolExecutor

    def some(part: Sequence[Sequence[Any]]) -> list[Result]:
        with make() as program:
            return list(program.call_all(part))

    count = max(1, min(processes, len(arguments)))
    with ThreadPoolExecutor(count) as pool:
        parts = list(pool.map(some, [arguments[start::count] for start in range(count)]))
    woven = itertools.chain.from_iterable(itertools.zip_longest(*parts))
    return [result for result in woven if result is not None]
