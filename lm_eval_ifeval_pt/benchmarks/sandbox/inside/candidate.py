"""The process that runs a program: it executes the code, then answers calls of one function."""

from __future__ import annotations

import sys
import types
from typing import Any

from .wire import Unreadable, WireError, decode, encode, receive, send, withheld


def serve(limit: int) -> None:
    """Take code and calls from standard input and answer on standard output, which the program does not get."""
    requests, responses = withheld()
    (code, name), _ = receive(requests, limit)
    function: Any = None
    try:
        module = types.ModuleType("candidate")  # registered, since some library code looks for it
        sys.modules["candidate"] = module
        exec(compile(code, "<candidate>", "exec"), module.__dict__)
        function = module.__dict__[name]
        send(responses, ["ready", None])
    except BaseException as error:
        send(responses, ["raised", _said(error)])
        return
    while True:
        try:
            request, _ = receive(requests, limit)
        except WireError:
            return
        arguments, keywords = decode(request)
        send(responses, _answer(function, arguments, keywords))


def _answer(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
    try:
        return ["value", encode(function(*arguments, **keywords))]
    except Unreadable as error:
        return ["unreadable", str(error)]
    except BaseException as error:
        return ["raised", _said(error)]


def _said(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:300]
    except BaseException:
        return "an exception without a message"
