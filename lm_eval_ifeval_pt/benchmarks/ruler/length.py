"""How long a text is in tokens, by parts.

A tokenizer that splits at blanks and line ends before anything else gives a text as many tokens as its parts, if each
part is counted where it stands: after the end of what precedes it. So a prompt is counted by adding what its parts add,
each encoded once; whether a tokenizer does add up is for `samples` to check.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from lm_eval_ifeval_pt.benchmarks.ruler.errors import RulerError

_KEYS = ("tokenizer", "pretrained", "model")
_ARGUMENTS = {
    "revision": "revision",
    "subfolder": "subfolder",
    "trust_remote_code": "trust_remote_code",
    "use_fast_tokenizer": "use_fast",
    "gguf_file": "gguf_file",
    "add_bos_token": "add_bos_token",
}
_ENDLESS = 10**12
_BATCH = 1_000_000
"""Characters that are encoded at once."""
_WAY_OUT = """name one that counts tokens as the model does: --metadata '{"tokenizer": "<Hub id or folder>"}'"""


class TokenCounter:
    """Counts tokens with one tokenizer.

    Attributes:
        template: The tokens that the tokenizer's chat template puts around a prompt; 0 if it has none.
        window: The tokens that tokenizer and model take at most, as far as is known.
    """

    def __init__(self, tokenizer: Any, window: int | None = None, rendering: Mapping[str, Any] | None = None) -> None:
        """Counts of this tokenizer.

        Args:
            tokenizer: Called as those of `transformers` are.
            window: The tokens that the model takes at most, where they are known.
            rendering: What the chat template is given besides the messages, such as `enable_thinking`.

        Raises:
            RulerError: it makes no tokens of a text.
        """
        self._tokenizer = tokenizer
        self._backend = _backend(tokenizer)
        self._alone: dict[str, int] = {}
        self._rendering = dict(rendering or {})
        self.window: int = min(window or _ENDLESS, getattr(tokenizer, "model_max_length", None) or _ENDLESS)
        if not self.added(["Um texto."], after=""):
            raise RulerError(f"the tokenizer {tokenizer!r} makes no tokens of a text; {_WAY_OUT}")
        self.template = self._template()

    def count(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, those included that the tokenizer adds at its ends."""
        return self._sizes(list(texts), special=True)

    def added(self, pieces: Sequence[str], after: str) -> list[int]:
        """The tokens that each piece adds to a text which ends with `after`."""
        if after not in self._alone:
            (self._alone[after],) = self._sizes([after], special=False)
        base = self._alone[after]
        return [size - base for size in self._sizes([after + piece for piece in pieces], special=False)]

    def _sizes(self, texts: list[str], special: bool) -> list[int]:
        # In batches, since encodings take a hundred times the memory of their texts.
        sizes: list[int] = []
        size = max(1, _BATCH // max(1, max(map(len, texts), default=1)))
        for start in range(0, len(texts), size):
            if self._backend is not None:
                encodings = self._backend.encode_batch_fast(texts[start : start + size], add_special_tokens=special)
                sizes += map(len, encodings)
                continue
            encoded = self._tokenizer(
                texts[start : start + size],
                add_special_tokens=special,
                return_attention_mask=False,
                return_token_type_ids=False,
                verbose=False,
            )
            sizes += map(len, encoded["input_ids"])
        return sizes

    def _template(self) -> int:
        if not getattr(self._tokenizer, "chat_template", None):
            return 0
        text = "Um texto."
        try:
            rendered = self._tokenizer.apply_chat_template(
                [{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True, **self._rendering
            )
        except Exception:  # templates raise what they like; a run that needs this one will fail with its message
            return 0
        # A model whose template writes the token that begins a text is not given a second one.
        begin = getattr(self._tokenizer, "bos_token", None)
        (whole,) = self._sizes([rendered], special=not (begin and rendered.startswith(begin)))
        (bare,) = self.count([text])
        return max(0, whole - bare)


def _backend(tokenizer: Any) -> Any:
    """The encoder behind a tokenizer of `transformers`, for counts without copies in Python; None if it has none.

    Nor where a class changes how texts are encoded.
    """
    from transformers import PreTrainedTokenizerFast

    calls = ("__call__", "_call_one", "_encode_plus", "_batch_encode_plus")
    if not isinstance(tokenizer, PreTrainedTokenizerFast) or any(
        getattr(type(tokenizer), call, None) is not getattr(PreTrainedTokenizerFast, call, None) for call in calls
    ):
        return None
    tokenizer(["Um texto."], truncation=False, padding=False)  # which its file may ask for
    backend = tokenizer.backend_tokenizer
    return backend if hasattr(backend, "encode_batch_fast") else None


def counter(metadata: dict[str, Any]) -> TokenCounter:
    """The counter for the tokenizer of the evaluated model.

    Args:
        metadata: What the harness passes to a task: the model's arguments and the user's `--metadata`. Of
            `tokenizer`, `pretrained` and `model` the first that is given names the tokenizer; arguments such as
            `revision`, `chat_template_args` and `enable_thinking` are used as the harness does, `max_length` is the
            model's window.

    Raises:
        RulerError: none is named, or it cannot be loaded.
    """
    named = next(((key, metadata[key]) for key in _KEYS if metadata.get(key)), None)
    if named is None:
        raise RulerError(f"RULER fills prompts by tokens, and no tokenizer is known: {_WAY_OUT}")
    key, value = named
    rendering = dict(metadata.get("chat_template_args") or {})
    if metadata.get("enable_thinking") is not None:
        rendering["enable_thinking"] = metadata["enable_thinking"]
    if not isinstance(value, str):
        if callable(value):
            return TokenCounter(value, metadata.get("max_length"), rendering)
        raise RulerError(f'metadata "{key}" is {value!r}, not the name of a tokenizer; {_WAY_OUT}')
    arguments = {theirs: metadata[ours] for ours, theirs in _ARGUMENTS.items() if metadata.get(ours) is not None}
    loading, rendered = (json.dumps(each, sort_keys=True) for each in (arguments, rendering))
    return _loaded(key, value, loading, metadata.get("max_length"), rendered)


@lru_cache(maxsize=2)
def _loaded(key: str, name: str, arguments: str, window: int | None, rendering: str) -> TokenCounter:
    """The counter for a named tokenizer; what its loading and its chat template are given comes as JSON."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name, **json.loads(arguments))
    except Exception as error:  # of many kinds; the person needs the name and a way out
        reason = (str(error).splitlines() or [""])[0]
        raise RulerError(
            f"RULER fills prompts by tokens, and the tokenizer {name!r} (from {key!r}) cannot be loaded "
            f"({type(error).__name__}: {reason}); {_WAY_OUT}"
        ) from error
    return TokenCounter(tokenizer, window, json.loads(rendering))
