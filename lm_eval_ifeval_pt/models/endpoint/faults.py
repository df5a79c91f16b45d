"""What went wrong with an endpoint, and what that means for the run."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import regex

from lm_eval_ifeval_pt.models.endpoint.messages import Language, say

Handling = Literal["stop", "reject", "retry", "wait"]
"""`stop`: every request will fail so; `reject`: this one will; `retry`: it may pass; `wait`: it will."""


class EndpointError(Exception):
    """A run cannot go on. `text(language)` is the message for a person.

    Attributes:
        key: The message (`messages`), also the kind of the fault.
        handling: What the fault means for this and other requests.
        wait: Seconds the server asks to wait, where it says so.
    """

    def __init__(self, key: str, /, *, handling: Handling = "stop", wait: float | None = None, **values: Any) -> None:
        """`values` fill the message; one that is an EndpointError is spelled out in the same language."""
        super().__init__(key)
        self.key, self.handling, self.wait, self.values = key, handling, wait, values

    def text(self, language: Language) -> str:
        """The message for a person."""
        values = {
            name: value.text(language) if isinstance(value, EndpointError) else value
            for name, value in self.values.items()
        }
        return say(self.key, language, **values)

    def __str__(self) -> str:
        """The message in English."""
        return self.text("en")


def of_response(
    url: str, status: int, headers: Mapping[str, str], body: str, model: str, offered: Sequence[str]
) -> EndpointError:
    """The fault that an answer other than 200 reports.

    Args:
        url: The address asked.
        status: HTTP status.
        headers: Those of the answer (case-insensitive mapping).
        body: The text of the answer.
        model: The model asked for.
        offered: The models the server lists; empty where it lists none.
    """
    common: dict[str, Any] = {"url": url, "status": str(status), "said": said(body)}
    wait = _retry_after(headers.get("Retry-After", ""))
    if 300 <= status < 400:
        return EndpointError("moved", location=headers.get("Location", "?"), **common)
    if status == 401:
        return EndpointError("unauthorized", **common)
    about_model = "model_not_found" in body or (model in body if status == 404 else model not in offered != ())
    if about_model and status in (400, 403, 404, 422) and ("model" in body.lower() or f"'{model}'" in body):
        return EndpointError("unknown_model", model=model, offered=listed(offered), **common)
    if status == 404:
        return EndpointError("not_found", **common)
    if status == 403:
        return EndpointError("unauthorized", handling="reject", **common)
    if status == 402 or "insufficient_quota" in body:
        return EndpointError("rejected", **common)
    if status == 429 or (wait is not None and status >= 500):
        return EndpointError("rate_limited", handling="wait", wait=wait, **common)
    if status >= 500 or status in (408, 409, 425):
        return EndpointError("server_error", handling="retry", **common)
    return EndpointError("rejected", handling="reject", **common)


def status_of(status: int, body: str) -> int:
    """The status of an answer; some gateways send errors with status 200 and the true one inside."""
    reply = _parsed(body) if status == 200 and '"error"' in body else None
    if not isinstance(reply, dict) or not reply.get("error") or reply.get("choices"):
        return status
    code = reply["error"].get("code") if isinstance(reply["error"], dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 502


def unsupported(status: int, body: str, payload: Mapping[str, Any]) -> str | None:
    """The parameter, of those the harness always sends, that a refusal names and a run can do without."""
    if status not in (400, 422):
        return None
    if "max_tokens" in payload and regex.search(r"max_completion_tokens\W+instead", body):
        return "max_tokens"
    # a temperature that was asked for stays: the run must not pretend to have used it
    removable = [name for name in ("seed", "stop", "temperature") if name in payload]
    if payload.get("temperature"):
        removable.remove("temperature")
    return next((name for name in removable if regex.search(rf"[\"'`]{name}\\?[\"'`]", body)), None)


def said(body: str, limit: int = 300) -> str:
    """The server's own words, in one line."""
    told = _parsed(body) or body
    for name in ("error", "message", "detail"):
        if isinstance(told, dict) and told.get(name):
            told = told[name]
    words = " ".join((told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)).split())
    words = words if len(words) <= limit else f"{words[:limit]}…"
    return words.rstrip(".") or "-"


def sentence(error: BaseException) -> str:
    """The message of an exception, in one line that ends without a full stop."""
    words = " ".join(str(error.args[0] if isinstance(error, KeyError) and error.args else error).split())
    plain = type(error) is ValueError or type(error).__module__.startswith(__package__.partition(".")[0])
    words = words if plain and words else f"{type(error).__name__}: {words}"
    return words.rstrip(".: ")


def _parsed(body: str) -> Any:
    """The JSON value, None where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def listed(models: Sequence[str], limit: int = 20) -> str:
    """Model names for a message."""
    more = f", … ({len(models)})" if len(models) > limit else ""
    return ", ".join(models[:limit]) + more if models else "?"


def _retry_after(value: str) -> float | None:
    """Seconds from now: the header holds seconds or a date."""
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
