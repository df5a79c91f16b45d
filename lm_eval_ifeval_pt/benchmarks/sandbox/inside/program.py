"""The process that calls a function of a program many times: rows go in, values come out, as JSON.

While it runs, a function may ask something of the process outside: see `Context`. Nothing else leads out.
"""

from __future__ import annotations

import inspect
import json
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from .wire import Unreadable, WireError, receive, send, withheld

_TOLD = 2000
"""Characters of the longest report of a failure."""


def serve(limit: int) -> None:
    """Take a program and calls from standard input and answer on standard output, which the program does not get."""
    requests, responses = withheld()

    def ask(method: str, arguments: dict[str, Any]) -> Any:
        send(responses, ["ask", method, json.loads(as_json(arguments))])
        (kind, answer), _ = receive(requests, limit)
        if kind != "answer":
            raise RuntimeError(answer)
        return answer

    program = Program(ask)
    while True:
        try:
            (kind, *content), _ = receive(requests, limit)
            if kind == "load":
                send(responses, program.load(*content))
            else:
                for arguments in content[0]:
                    send(responses, program.call(arguments))
        except WireError:
            return


class Program:
    """A program with the function that is called.

    Args:
        ask: What `Context` asks.
    """

    def __init__(self, ask: Callable[[str, dict[str, Any]], Any]) -> None:
        self._context = Context(ask)
        self._function: Any = None
        self._source, self._file = "", ""
        self._extra: tuple[str, ...] = ()

    def load(self, source: str, file: str, names: Sequence[str], offered: Sequence[str]) -> list[Any]:
        """Execute a program and look for the first of some functions.

        Args:
            source: The program.
            file: What it is called in reports.
            names: The functions.
            offered: What a call may have beyond its arguments, if the function takes a parameter of that name: `ctx`,
                or "items", the last of the arguments.
        """
        self._source, self._file = source, file
        module = types.ModuleType("program")  # registered, since some library code looks for it
        sys.modules["program"] = module
        try:
            exec(compile(source, file, "exec"), module.__dict__)
            self._function = next(
                (module.__dict__[name] for name in names if callable(module.__dict__.get(name))), None
            )
            if self._function is None:
                return ["raised", f"it defines no function {' or '.join(names)}"]
            self._extra = tuple(name for name in offered if takes(self._function, name))
        except BaseException as error:
            return ["raised", self._told(error)]
        return ["ready", self._function.__name__]

    def call(self, arguments: Sequence[Any]) -> list[Any]:
        """The outcome of one call: a value or the report of a failure."""
        try:
            given = {"ctx": self._context}
            value = self._function(*arguments, **{name: given[name] for name in self._extra})
            if inspect.iscoroutine(value):
                value = finished(value)
            return ["value", json.loads(as_json(value))]
        except Unreadable as error:
            return ["raised", str(error)]
        except BaseException as error:
            return ["raised", self._told(error)]

    def _told(self, error: BaseException) -> str:
        """The message of an error and the program's own lines that led to it, the last one last."""
        try:
            said = f"{type(error).__name__}: {error}"[:_TOLD]
            lines: list[str] = []
            trace = error.__traceback__
            source = self._source.splitlines()
            while trace is not None and len(lines) < 50:
                code = trace.tb_frame.f_code
                if code.co_filename == self._file and 0 < trace.tb_lineno <= len(source):
                    text = source[trace.tb_lineno - 1].strip()[:200]
                    lines.append(f"line {trace.tb_lineno}, in {code.co_name}: {text}")
                trace = trace.tb_next
            if isinstance(error, SyntaxError) and error.lineno:
                lines.append(f"line {error.lineno}: {(error.text or '').strip()[:200]}")
            return "\n".join([said, *lines[-8:]])[:_TOLD]
        except BaseException:
            return "an exception without a message"


def as_json(value: Any) -> str:
    """A value as JSON: tuples and sets as lists, numbers of NumPy, fractions and decimals as numbers.

    Raises:
        Unreadable: it is, or holds, something else.
    """
    try:
        return json.dumps(value, default=_plain)
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise Unreadable(f"it returned no plain value: {error}"[:300]) from None


def _plain(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    module = type(value).__module__
    if module == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    if module in ("fractions", "decimal"):
        return float(value)
    raise TypeError(type(value).__name__)


def takes(function: Any, name: str) -> bool:
    """Whether a function has a parameter of that name that it can be given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(
        parameter.name == name and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        for parameter in parameters
    )


def finished(coroutine: Any) -> Any:
    """The result of a coroutine that waits for nothing but `Context`.

    Raises:
        RuntimeError: it waits for something else.
    """
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    coroutine.close()
    raise RuntimeError("it waits for something else than ctx; asyncio does not run here")


class Reply(dict[str, Any]):
    """An object of an answer, whose entries are attributes too, and which can be awaited."""

    def __getattr__(self, name: str) -> Any:
        try:
            value = self[name]
        except KeyError:
            raise AttributeError(name) from None
        if isinstance(value, list):
            return [Reply(item) if isinstance(item, dict) else item for item in value]
        return Reply(value) if isinstance(value, dict) else value

    def __await__(self) -> Any:
        return self
        yield  # a generator


class Context:
    """What a function that asks models gets as `ctx`.

    Args:
        ask: Sends a question out and waits for the answer.
    """

    def __init__(self, ask: Callable[[str, dict[str, Any]], Any]) -> None:
        self._ask = ask

    def responses_create(self, **arguments: Any) -> Reply:
        """Ask the judge, as OpenAI's `responses.create`: `input`, `instructions` …; the answer is its `output_text`."""
        return Reply(self._ask("responses_create", arguments))

    def embeddings_create(self, **arguments: Any) -> Reply:
        """Ask for embeddings, as OpenAI's `embeddings.create`: of `input`; they are `data[i].embedding`."""
        return Reply(self._ask("embeddings_create", arguments))
