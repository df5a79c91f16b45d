"""How a run generates answers: the settings of MKA1's runs, some under two names, and what they are to the harness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lm_eval_ifeval_pt.suite import schemas
from lm_eval_ifeval_pt.suite.errors import Fault, ManifestError

_ALIASES = {"max_output_tokens": "max_gen_toks", "stop": "until"}
_SENT = (
    *("temperature", "top_p", "max_gen_toks", "until", "presence_penalty", "frequency_penalty", "service_tier"),
    *("top_k", "min_p", "repetition_penalty", "do_sample", "chat_template_kwargs"),
)
_UNSAFE = frozenset(
    {
        *("model", "messages", "prompt", "input", "instructions", "stream", "stream_options", "n", "best_of", "echo"),
        *("max_tokens", "max_completion_tokens", "stop", "seed", "temperature", "logprobs"),
        *("user", "store", "metadata"),
        *("tools", "tool_choice", "functions", "function_call", "parallel_tool_calls", "max_tool_calls"),
    }
)
"""What `extra_body` may not say: it is said elsewhere, or would change what is asked or answered."""


@dataclass(frozen=True)
class Generation:
    """How answers are generated.

    Attributes:
        settings: What `building.build` takes: lm-eval's generation_kwargs, `description` and `gen_prefix`.
        attempts: How often a request is sent before it counts as failed; None: as the command says.
        timeout: Seconds for one answer; None likewise.
        concurrency: Requests at the same time; None likewise.
        empty_retries: How often an empty answer is asked for again.
        is_fresh: Whether answers of earlier runs are not taken.
        left_out: The keys of `extra_body` that are not sent.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    attempts: int | None = None
    timeout: int | None = None
    concurrency: int | None = None
    empty_retries: int = 0
    is_fresh: bool = False
    left_out: tuple[str, ...] = ()


def generation(given: Any, where: str = "generation") -> Generation:
    """The settings that an object describes; generation.schema.json has them all.

    Args:
        given: The object.
        where: What it is called in faults.

    Raises:
        ManifestError: with everything that is wrong.
    """
    faults = schemas.faults(given, schemas.GENERATION)
    if not faults:
        faults = [
            Fault(alias, f"is another value than {name}, which is the same setting; give one of them")
            for name, alias in _ALIASES.items()
            if name in given and alias in given and given[name] != given[alias]
        ]
    if faults:
        raise ManifestError(where, faults)
    renamed = {_ALIASES.get(name, name): value for name, value in given.items()}
    extra = renamed.get("extra_body", {})
    retries = renamed.get("max_retries")
    return Generation(
        settings=_settings(renamed, {key: value for key, value in extra.items() if key not in _UNSAFE}),
        attempts=None if retries is None else retries + 1,
        timeout=renamed.get("timeout_seconds"),
        concurrency=renamed.get("concurrency"),
        empty_retries=renamed.get("max_empty_retries", 0),
        is_fresh=not renamed.get("use_cache", True),
        left_out=tuple(key for key in extra if key in _UNSAFE),
    )


def _settings(given: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    settings = {**extra, **{name: given[name] for name in _SENT if name in given}}
    if isinstance(settings.get("until"), str):
        settings["until"] = [settings["until"]]
    if "temperature" in given:
        settings.setdefault("do_sample", given["temperature"] > 0)
    if "effort" in given.get("reasoning", {}):
        settings["reasoning_effort"] = given["reasoning"]["effort"]
    if "format" in given.get("text", {}):
        settings["response_format"] = response_format(given["text"]["format"])
    if "instructions" in given:
        settings["description"] = given["instructions"]
    if prefix := given.get("prefill_think"):
        settings["gen_prefix"] = "<think>" if prefix is True else prefix
    return settings


def response_format(format: Mapping[str, Any]) -> dict[str, Any]:
    """A `text.format` of OpenAI's responses as the `response_format` of its chats."""
    if format["type"] != "json_schema":
        return {"type": format["type"]}
    return {"type": "json_schema", "json_schema": {key: value for key, value in format.items() if key != "type"}}
