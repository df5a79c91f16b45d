"""The processes that run the tests of programs, which other processes run.

One server, started once, makes a fresh process for every program: a fork costs a tenth of a start.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
from typing import Any

from .confine import limit
from .wire import Unreadable, WireError, decode, encode, receive, send


class Candidate:
    """The function under test, as the tests call it: arguments go to the candidate, and a value comes back."""

    def __init__(self, responses: int, requests: int, limit: int) -> None:
        self._responses, self._requests, self._left = responses, requests, limit

    def load(self, code: str, name: str) -> None:
        """Have the program executed.

        Raises:
            Failure: it did not run to its end.
        """
        self._ask([code, name])

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the function.

        Raises:
            Failure: it did not return a plain value.
        """
        return decode(self._ask(encode((arguments, keywords))))

    def _ask(self, request: Any) -> Any:
        try:
            send(self._requests, request)
            response, size = receive(self._responses, self._left)
        except WireError as error:
            ended = "ended before it answered" if str(error) == "closed" else f"sent {error}"
            raise Failure(f"the program {ended}") from None
        self._left -= size
        match response:
            case ["ready" | "value", content]:
                return content
            case ["raised", str(message)]:
                raise Failure(f"the program raised {message}")
            case ["unreadable", str(kind)]:
                raise Failure(f"the program returned no plain value: {kind}")
        raise Failure("the program sent no answer")


class Failure(Exception):
    """The program failed; the message says how."""


def check(job: dict[str, Any], responses: int, requests: int, output: int) -> dict[str, Any]:
    """Run the tests of a job and say whether the program passes them, and if not, why.

    `setup` are the definitions that the tests may use; they come from the task, never from the program.
    """
    candidate = Candidate(responses, requests, output)
    names: dict[str, Any] = {"__name__": "tests"}
    try:
        candidate.load(job["code"], job["entry_point"])
        exec(compile(job["setup"], "<setup>", "exec"), names)
        names[job["entry_point"]] = candidate
        exec(compile(job["tests"], "<tests>", "exec"), names)
        names["check"](candidate)
    except Failure as failure:
        return {"passed": False, "reason": str(failure)}
    except AssertionError as error:
        return {"passed": False, "reason": f"wrong answer {error}"[:300].strip()}
    except (WireError, Unreadable) as error:
        return {"passed": False, "reason": f"no plain value: {error}"}
    except Exception as error:  # the tests met a value of a kind they did not expect
        return {"passed": False, "reason": f"the tests raised {type(error).__name__}: {error}"[:300]}
    return {"passed": True, "reason": ""}


def serve(limits: dict[str, Any]) -> None:
    """Take jobs from the socket on standard input, each by a process of its own that writes its verdict.

    A job comes with four descriptors: the job itself (JSON), the candidate's answers, the calls it gets, the verdict.
    """
    for module in ("decimal", "fractions"):
        importlib.import_module(module)  # once, not in every process
    null = os.open(os.devnull, os.O_RDWR)
    jobs = socket.socket(fileno=os.dup(0))
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nothing to wait for
    while True:
        message, fds, _, _ = socket.recv_fds(jobs, 16, 4)
        if not message:
            return
        if os.fork() == 0:
            try:
                jobs.close()
                _take(fds, limits)
            finally:
                os._exit(0)
        for fd in fds:
            os.close(fd)


def _take(fds: list[int], limits: dict[str, Any]) -> None:
    """Do one job."""
    job_fd, responses, requests, verdict = fds
    signal.alarm(int(limits["wall"]) + 1)
    limit(limits)
    with os.fdopen(job_fd, "rb") as file:
        job = json.load(file)
    os.write(verdict, json.dumps(check(job, responses, requests, limits["output"])).encode())
