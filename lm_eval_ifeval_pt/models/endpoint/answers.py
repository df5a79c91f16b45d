"""The answers of an endpoint: read from its replies, kept in a file that outlives the run."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError, said
from lm_eval_ifeval_pt.text.reasoning import answer_start

try:
    import fcntl
except ImportError:  # not on Windows, where two runs on one file are not told apart
    fcntl = None  # type: ignore[assignment]


AT_STOP = "stop string"
"""Why an answer ends that was cut here."""

_STREAM = re.compile(r"\s*(?:data|event|id|retry|):")
_LINE = re.compile(r"\r\n|\r|\n")
_MESSAGE = ("content", "reasoning_content", "reasoning")


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a model.

    Attributes:
        text: What the model answered; "" for null content.
        finish_reason: As the server says: "stop", "length" (cut at the token limit), …; or `AT_STOP`.
        reasoning: What it thought, where the server tells that apart from the answer.
        prompt_tokens: As billed, where the server says so.
        completion_tokens: As billed, where the server says so.
    """

    text: str
    finish_reason: str | None = None
    reasoning: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to verify: no word, or none after the thought."""
        return not self.text[answer_start(self.text) :].strip()

    @property
    def is_thought(self) -> bool:
        """Whether there is a thought and no answer."""
        return self.is_empty and bool(self.reasoning or self.text.strip())

    @property
    def is_truncated(self) -> bool:
        """Whether the token limit cut it."""
        return self.finish_reason == "length"


def read_reply(url: str, body: str) -> Answer:
    """The answer in the reply of /chat/completions, which some servers send as a stream though none was asked for.

    Raises:
        EndpointError: it holds none; asking again may help.
    """
    try:
        reply = _whole(body) if _STREAM.match(body) else json.loads(body)
        choice = reply["choices"][0]
        message = choice["message"]
        return Answer(
            text=_text(message.get("content")),
            finish_reason=choice.get("finish_reason"),
            reasoning=_text(message.get("reasoning_content") or message.get("reasoning")),
            prompt_tokens=_tokens(reply, "prompt_tokens"),
            completion_tokens=_tokens(reply, "completion_tokens"),
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise EndpointError("malformed", handling="retry", url=url, said=said(body, 120)) from error


def _whole(body: str) -> dict[str, Any]:
    """The reply whose chunks are the events of a stream (https://html.spec.whatwg.org/#event-stream-interpretation).

    Raises:
        ValueError: it breaks off.
    """
    events = [line.removeprefix("data:").strip() for line in _LINE.split(body) if line.startswith("data:")]
    chunks = [json.loads(event) for event in events if event != "[DONE]"]
    choices = [choice for chunk in chunks for choice in chunk["choices"][:1]]
    deltas = [choice.get("delta") or {} for choice in choices]
    reason = next((choice["finish_reason"] for choice in reversed(choices) if choice.get("finish_reason")), None)
    if reason is None and events[-1:] != ["[DONE]"]:
        raise ValueError("the stream has no end")
    # joined before `_text` sees them, since a surrogate pair may be parted between two events
    parts = {name: [delta.get(name) or "" for delta in deltas] for name in _MESSAGE}
    message = {
        name: "".join(part if isinstance(part, str) else _text(part) for part in given) for name, given in parts.items()
    }
    usage = next((chunk["usage"] for chunk in reversed(chunks) if chunk.get("usage")), None)
    return {"choices": [{"message": message, "finish_reason": reason}], "usage": usage}


def _text(content: Any) -> str:
    """The text of a message's content: a string, null, or a list of parts."""
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    # half a surrogate pair, as cut emoji leave it, cannot be written to any file
    return (content or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _tokens(reply: dict[str, Any], name: str) -> int:
    usage = reply.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) else 0


@dataclass(frozen=True, eq=False)
class Request:
    """One request: the body of a request to /chat/completions or /embeddings, and which of equal ones this is."""

    url: str
    payload: Mapping[str, Any]
    occurrence: int = 0

    @functools.cached_property
    def key(self) -> str:
        """Equal for requests that differ in nothing but the token limit."""
        asked = {name: value for name, value in self.payload.items() if name != "max_tokens"}
        identity = json.dumps([self.url, asked, self.occurrence], sort_keys=True)
        return hashlib.sha256(identity.encode()).hexdigest()

    @property
    def max_tokens(self) -> int:
        """The token limit; 0 where an answer has no tokens (embeddings)."""
        return int(self.payload.get("max_tokens", 0))

    @property
    def prompt(self) -> Any:
        """What is asked, to read: the last message or, of embeddings, their input."""
        return self.payload["messages"][-1]["content"] if "messages" in self.payload else self.payload.get("input")


class AnswerFile:
    """A JSON-lines file to which every answer is added, and synced to disk, as it arrives.

    A line holds the key and the token limit of the request, the answer and, to read, model and prompt.
    A line torn by a crash is skipped. One process at a time may hold the file.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file and read what it holds.

        Raises:
            EndpointError: another run holds it, or it cannot be written.
        """
        self.path = path
        self._answers: dict[str, dict[int, Answer]] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b", buffering=0)
        except OSError as error:
            raise EndpointError("unwritable", path=path, reason=error.strerror) from error
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                self._file.close()
                raise EndpointError("in_use", path=path) from error
        self._file.seek(0)
        content = self._file.read()
        for line in content.split(b"\n"):
            self._read(line)
        if content and not content.endswith(b"\n"):
            self._file.write(b"\n")

    def __enter__(self) -> AnswerFile:
        """The file itself."""
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | types.TracebackType | None) -> None:
        """Close the file."""
        self._file.close()

    def __len__(self) -> int:
        """How many requests have an answer."""
        return len(self._answers)

    def __iter__(self) -> Iterator[Answer]:
        """The answers, those that a token limit cut too."""
        return (answer for by_limit in self._answers.values() for answer in by_limit.values())

    def _read(self, line: bytes) -> None:
        try:
            row = json.loads(line)
            answer = Answer(**row["answer"])
            self._answers.setdefault(row["key"], {})[row["max_tokens"]] = answer
        except (ValueError, LookupError, TypeError):
            return

    def find(self, request: Request, retry_empty: bool = False) -> Answer | None:
        """The stored answer to a request, if any.

        Without sampling, an answer that ended by itself below a smaller token limit is also the one below a
        larger limit: after --max-tokens is raised, only truncated answers are asked for again.

        Args:
            request: What would be asked.
            retry_empty: Whether an empty answer counts as none.
        """
        stored = self._answers.get(request.key, {})
        answer = stored.get(request.max_tokens)
        if answer is None and not request.payload.get("temperature"):
            ended = (stored[limit] for limit in sorted(stored) if limit < request.max_tokens)
            answer = next((shorter for shorter in ended if not shorter.is_truncated), None)
        return None if answer and answer.is_empty and retry_empty else answer

    def add(self, request: Request, answer: Answer) -> None:
        """Store an answer, on disk before this returns.

        Raises:
            EndpointError: it cannot be written.
        """
        row = {
            "key": request.key,
            "max_tokens": request.max_tokens,
            "model": request.payload["model"],
            "prompt": request.prompt,
            "answer": dataclasses.asdict(answer),
        }
        try:
            self._file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            os.fsync(self._file.fileno())
        except OSError as error:
            raise EndpointError("unwritable", path=self.path, reason=error.strerror) from error
        self._answers.setdefault(request.key, {})[request.max_tokens] = answer
