"""What graders ask of models: answers and embeddings of the endpoint that the run names."""

from __future__ import annotations

import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.benchmarks.sandbox import CallRefused
from lm_eval_ifeval_pt.models.endpoint import address, faults
from lm_eval_ifeval_pt.models.endpoint.answers import Answer, AnswerFile, Request, read_reply
from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError
from lm_eval_ifeval_pt.suite.generation import response_format

_TOKENS = 2048
"""Of an answer, where the grader does not say."""
_ATTEMPTS = 6
_FAILURES = 3
"""Questions in a row that may fail before nothing more is asked."""
_LONGEST_WAIT = 60.0
_COPIED = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "service_tier")
_UNUSED = ("model", "store", "metadata", "user")


class Judge:
    """The models that graders ask. Called from several threads, one question each.

    Args:
        url: An OpenAI-compatible address.
        model: Who answers questions; None: nobody.
        embedding_model: Who makes embeddings; None: nobody.
        headers: Those of every request, the key included.
        answers: Where answers are kept, so that none is paid twice; None: nowhere.
        concurrency: How many questions are asked at a time.
        timeout: Seconds to wait for one answer.
    """

    def __init__(
        self,
        url: str,
        model: str | None,
        embedding_model: str | None = None,
        headers: Mapping[str, str] | None = None,
        answers: Path | None = None,
        concurrency: int = 8,
        timeout: float = 300.0,
    ) -> None:
        self.concurrency = concurrency
        self._chat = address.candidates(url)[0] + "/chat/completions"
        self._embeddings = address.candidates(url)[0] + "/embeddings"
        self._model, self._embedding_model = model, embedding_model
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", **(headers or {})}
        self._path, self._timeout = answers, timeout
        self._file: AnswerFile | None = None
        self._lock = threading.Lock()
        self._asking = defaultdict[str, threading.Lock](threading.Lock)
        self._asked = Counter[str]()
        self._failures = 0
        self._ended: EndpointError | None = None
        self.faults: list[EndpointError] = []
        """Why questions have no answer, one each."""

    def __call__(self, method: str, arguments: dict[str, Any]) -> Any:
        """Answer what a grader asks.

        Raises:
            CallRefused: there is no answer; why.
        """
        ask = {"responses_create": self._response, "embeddings_create": self._embed}.get(method)
        if ask is None:
            raise CallRefused(f"there is no ctx.{method}; there are responses_create and embeddings_create")
        try:
            return ask(arguments)
        except EndpointError as error:
            with self._lock:
                self.faults.append(error)
            raise CallRefused(str(error)) from error

    def told(self) -> str:
        """What a person must know of questions without an answer; empty if there are none."""
        if not self.faults:
            return ""
        count = len(self.faults)
        return (
            f"{count} question{'s' * (count > 1)} of graders had no answer, the last for this reason: "
            f"{self.faults[-1]} The answers that came are kept; a run of the same asks for the others only."
        )

    def close(self) -> None:
        """Let go of the file of answers."""
        with self._lock:
            if self._file is not None:
                self._file.__exit__(None, None, None)
                self._file = None

    def _response(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if not self._model:
            raise CallRefused("ctx.responses_create: this run has no model for it; see --judge-model")
        payload = chat(arguments, self._model)
        answer = self._answer(self._chat, payload, lambda body: read_reply(self._chat, body))
        return response(answer, self._model)

    def _embed(self, arguments: Mapping[str, Any]) -> Any:
        if not self._embedding_model:
            raise CallRefused("ctx.embeddings_create: this run has no model for it; see --embedding-model")
        unknown = sorted(set(arguments) - {"input", "dimensions", "encoding_format", *_UNUSED})
        if "input" not in arguments or unknown:
            raise CallRefused(
                f"ctx.embeddings_create takes input and dimensions, not {', '.join(unknown) or 'nothing'}"
            )
        payload = {"model": self._embedding_model, "input": arguments["input"]}
        payload |= {"dimensions": arguments["dimensions"]} if "dimensions" in arguments else {}
        answer = self._answer(self._embeddings, payload, lambda body: _read_embeddings(self._embeddings, body))
        return json.loads(answer.text)

    def _answer(self, url: str, payload: dict[str, Any], read: Callable[[str], Answer]) -> Answer:
        """The answer that is stored or comes now. Equal questions get one, unless answers are drawn.

        Raises:
            EndpointError: none comes.
        """
        key = Request(url, payload).key
        with self._lock:
            occurrence = self._asked[key] if payload.get("temperature") else 0
            self._asked[key] += 1
            request = Request(url, payload, occurrence)
            asking = self._asking[request.key]
        with asking:
            with self._lock:
                if self._file is None and self._path is not None:
                    self._file = AnswerFile(self._path)
                stored = self._file.find(request) if self._file is not None else None
            if stored is not None:
                return stored
            answer = self._exchange(url, payload, read)
            with self._lock:
                if self._file is not None:  # an empty one is false
                    self._file.add(request, answer)
            return answer

    def _exchange(self, url: str, payload: dict[str, Any], read: Callable[[str], Answer]) -> Answer:
        """Ask; of a server that fails for good nothing more is asked.

        Raises:
            EndpointError: there is no answer.
        """
        if self._ended is not None:
            raise self._ended
        try:
            answer = self._post(url, payload, read)
        except EndpointError as error:
            with self._lock:
                self._failures += 1
                if error.handling == "stop" or self._failures >= _FAILURES:
                    self._ended = error
            raise
        with self._lock:
            self._failures = 0
        return answer

    def _post(self, url: str, payload: dict[str, Any], read: Callable[[str], Answer]) -> Answer:
        """What a good reply says; what may pass is tried again.

        Raises:
            EndpointError: it does not pass.
        """
        body = json.dumps(payload).encode()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                request = urllib.request.Request(url, body, self._headers)
                with urllib.request.build_opener(address.NoRedirect).open(request, timeout=self._timeout) as reply:
                    text: str = reply.read().decode("utf-8", "replace")
                status = faults.status_of(200, text)
                if status == 200:
                    return read(text)
                fault = faults.of_response(url, status, {}, text, payload["model"], ())
            except EndpointError as error:  # the reply says nothing
                fault = error
            except urllib.error.HTTPError as error:
                text = error.read().decode("utf-8", "replace")
                fault = faults.of_response(url, error.code, dict(error.headers), text, payload["model"], ())
            except (urllib.error.URLError, OSError) as error:
                reason = getattr(error, "reason", None) or error
                fault = EndpointError("lost", handling="retry", url=url, reason=reason)
            if fault.handling not in ("retry", "wait") or attempt == _ATTEMPTS:
                raise fault
            time.sleep(min(_LONGEST_WAIT, fault.wait if fault.wait is not None else 0.5 * 2**attempt))
        raise AssertionError("unreachable")


def headers(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The header with the key of the judge, of the first of these that is set.

    They are LM_EVAL_PT_JUDGE_API_KEY, LM_EVAL_PT_API_KEY and OPENAI_API_KEY.
    """
    names = ("LM_EVAL_PT_JUDGE_API_KEY", "LM_EVAL_PT_API_KEY", "OPENAI_API_KEY")
    key = next((environment[name].strip() for name in names if environment.get(name, "").strip()), "")
    return {"Authorization": f"Bearer {key}"} if key else {}


def chat(arguments: Mapping[str, Any], model: str) -> dict[str, Any]:
    """The body for /chat/completions that asks what `responses.create` would.

    Raises:
        CallRefused: it has no counterpart there.
    """
    known = {"input", "instructions", "max_output_tokens", "text", "reasoning", *_COPIED, *_UNUSED}
    unknown = sorted(set(arguments) - known)
    if unknown:
        raise CallRefused(
            f"ctx.responses_create: {', '.join(unknown)} cannot be asked; it takes {', '.join(sorted(known))}"
        )
    messages = []
    if arguments.get("instructions"):
        messages.append({"role": "system", "content": str(arguments["instructions"])})
    given = arguments.get("input")
    if isinstance(given, str):
        messages.append({"role": "user", "content": given})
    elif isinstance(given, list):
        messages += [_message(message) for message in given]
    if not any(message["role"] == "user" for message in messages):
        raise CallRefused("ctx.responses_create needs input, a text or messages with one of the user's")
    payload: dict[str, Any] = {"model": model, "messages": messages}
    payload["max_tokens"] = int(arguments.get("max_output_tokens") or _TOKENS)
    payload["temperature"] = 0.0
    payload |= {name: arguments[name] for name in _COPIED if arguments.get(name) is not None}
    format = (arguments.get("text") or {}).get("format", {})
    if format.get("type", "text") != "text":
        payload["response_format"] = response_format(format)
    if (arguments.get("reasoning") or {}).get("effort"):
        payload["reasoning_effort"] = arguments["reasoning"]["effort"]
    return payload


def _message(message: Any) -> dict[str, str]:
    if not isinstance(message, dict) or "content" not in message:
        raise CallRefused("ctx.responses_create: input must be a text or a list of messages with role and content")
    content = message["content"]
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    role = "system" if message.get("role") == "developer" else str(message.get("role", "user"))
    return {"role": role, "content": str(content)}


def _read_embeddings(url: str, body: str) -> Answer:
    """The reply of /embeddings, whole, as the text of an answer.

    Raises:
        EndpointError: it holds none; asking again may help.
    """
    try:
        reply = json.loads(body)
        _ = [len(item["embedding"]) for item in reply["data"]]
        return Answer(json.dumps(reply), prompt_tokens=int(reply.get("usage", {}).get("prompt_tokens", 0)))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise EndpointError("malformed", handling="retry", url=url, said=faults.said(body, 120)) from error


def response(answer: Answer, model: str) -> dict[str, Any]:
    """An answer as `responses.create` gives it."""
    text = {"type": "output_text", "text": answer.text, "annotations": []}
    return {
        "object": "response",
        "status": "incomplete" if answer.is_truncated else "completed",
        "model": model,
        "output_text": answer.text,
        "output": [{"type": "message", "role": "assistant", "status": "completed", "content": [text]}],
        "usage": {"input_tokens": answer.prompt_tokens, "output_tokens": answer.completion_tokens},
    }
