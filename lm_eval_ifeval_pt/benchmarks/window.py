"""What fits into a model: the tokens that it takes, counted with its tokenizer."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lm_eval_ifeval_pt.benchmarks.ruler.errors import RulerError
from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter, counter

log = logging.getLogger(__name__)

_NAMES = ("max_length", "max_model_len")
_LOADING = ("revision", "subfolder", "trust_remote_code")
_FEW = 8
"""Tokens that a tokenizer may add at the ends of a text."""


@dataclass(frozen=True)
class Window:
    """How many tokens a model takes, and how they are counted."""

    size: int
    counter: TokenCounter

    def holds(self, text: str, room: int) -> bool:
        """Whether a text fits, and leaves room for so many tokens; no token is less than a byte."""
        limit = self.size - room
        return len(text.encode()) + _FEW <= limit or self.counter.count([text])[0] <= limit


def window(metadata: Mapping[str, Any]) -> Window | None:
    """The window of the evaluated model; None where neither a model nor a tokenizer is named.

    Args:
        metadata: What the harness passes to a task: the model's arguments and the user's `--metadata`.
    """
    given = {name: value for name, value in metadata.items() if name != "model"}
    named = next((int(given[name]) for name in _NAMES if given.get(name)), None)
    if not given.get("pretrained") and not (named and given.get("tokenizer")):
        return None
    try:
        tokens = counter(given)
        return Window(named or _of_model(given), tokens)
    except (RulerError, OSError, ValueError) as error:
        reason = (str(error.__cause__ or error).splitlines() or [""])[0]
        log.warning("whether prompts fit the model cannot be told: %s", reason)
        return None


def _of_model(given: Mapping[str, Any]) -> int:
    """The window of a model that `transformers` loads, as the harness takes it."""
    from lm_eval.models.utils import resolve_max_length
    from transformers import AutoConfig, AutoTokenizer

    model = given["pretrained"]
    arguments = {name: given[name] for name in _LOADING if given.get(name) is not None}
    config = AutoConfig.from_pretrained(model, **arguments) if isinstance(model, str) else model.config
    tokenizer = given.get("tokenizer") or model
    if isinstance(tokenizer, str):
        tokenizer = AutoTokenizer.from_pretrained(tokenizer, **arguments)
    return int(resolve_max_length(config, tokenizer))
