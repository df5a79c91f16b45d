"""The attention masks that a model's configuration asks for, and what it says cannot be masked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import torch

FULL, SLIDING = "full_attention", "sliding_attention"
MASKED = {"sdpa", "eager"}  # attention implementations that take a 4-D mask
LENGTH_DEPENDENT = {"dynamic", "longrope"}  # rotary embeddings that change with the longest input of a call
LIMIT = re.compile("window|local|chunk|block|sparse")

Masks = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], Any]


class Unsupported(Exception):
    """A model cannot be computed by shared prefixes; the text says why."""


def masks(config: Any, longest: int) -> Masks:
    """Return what makes the model's masks for inputs of up to `longest` tokens.

    It gets what is allowed by the tree [rows, queries, keys] and the positions of queries [rows, queries] and
    keys [rows, keys] in their inputs. A sliding window is counted in positions, as siblings lie between a
    token and its ancestors.

    Raises:
        Unsupported: By its configuration, the model takes no such mask.
    """
    text = config.get_text_config()
    attention = getattr(config, "_attn_implementation", None) or "eager"
    if attention not in MASKED:
        raise Unsupported(f"attention implementation {attention} takes no tree mask")
    types = set(getattr(text, "layer_types", None) or ())
    if types - {FULL, SLIDING}:
        raise Unsupported(f"layers of type {', '.join(sorted(types - {FULL, SLIDING}))}")
    for kind, limit in _rotary_limits(config):
        if longest > limit:
            raise Unsupported(f"{kind} rotary embeddings change beyond {limit} tokens")
    window = getattr(text, "sliding_window", None)
    if not window or window >= longest or types == {FULL}:
        return lambda allowed, queries, keys: allowed
    if types == {FULL, SLIDING}:
        return lambda allowed, queries, keys: {
            FULL: allowed,
            SLIDING: allowed & within(window, queries, keys),
        }
    return lambda allowed, queries, keys: allowed & within(window, queries, keys)


def within(window: int, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """Return which keys [rows, keys] are in the window of which queries [rows, queries]."""
    return queries[:, :, None] - keys[:, None, :] < window


def additive(mask: Any, dtype: torch.dtype) -> Any:
    """Return a mask, or each of several, as numbers to add to attention weights, [rows, 1, queries, keys]."""
    if isinstance(mask, dict):
        return {kind: additive(each, dtype) for kind, each in mask.items()}
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(~mask, torch.finfo(dtype).min)[:, None]


def limits(config: Any, longest: int, widest: int) -> frozenset[int]:
    """Return the lengths at which, by its configuration, a model's attention may change.

    Args:
        config: The model's configuration.
        longest: The longest input. It tells for what is counted in positions, as by our masks.
        widest: The number of tokens that a row and its prefix may have. It tells for all else, as a model
            that makes windows of its own may count siblings.
    """
    limits = [limit for _, limit in _rotary_limits(config) if limit < longest]
    for key, value, _ in _entries(config.to_dict()):
        if LIMIT.search(key) and type(value) is int:
            length = longest if key == "sliding_window" else widest
            limits += [value] if 1 < value < length else []
    return frozenset(limits)


def _rotary_limits(config: Any) -> Iterator[tuple[str, int]]:
    """Yield each kind of rotary embeddings that depends on the length of a call, and from what length on."""
    for key, value, owner in _entries(config.to_dict()):
        if key in {"rope_type", "type"} and value in LENGTH_DEPENDENT:
            limit = owner.get("original_max_position_embeddings")
            yield value, limit or config.get_text_config().max_position_embeddings


def _entries(values: dict[str, Any]) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield each key, its value and the dictionary that it is in."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _entries(value)
        else:
            yield str(key), value, values
