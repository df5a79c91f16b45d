"""Forward calls over rows of subtrees, by any transformers model that takes a 4-D mask and a cache."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import DynamicCache

from lm_eval_ifeval_pt.models.shared_prefix.masks import Masks, additive
from lm_eval_ifeval_pt.models.shared_prefix.plan import Row

KeysValues = dict[int, tuple[torch.Tensor, torch.Tensor]]


@dataclass(frozen=True)
class TokenScores:
    """The scores of a call, one entry for each token scored.

    Attributes:
        requests: Indices of the requests.
        log_likelihoods: Of the tokens, in nats.
        greedy: Whether the token is the most likely one.
    """

    requests: NDArray[np.int64]
    log_likelihoods: NDArray[np.float64]
    greedy: NDArray[np.bool_]


class PrefixCache(DynamicCache):  # type: ignore[misc]  # transformers is not checked here
    """Hands every row the keys and values of the kept prefixes before its own, and stores none of them.

    Attributes:
        own: The keys and values of this call by layer, if they are to be kept.
    """

    def __init__(self, prefixes: Sequence[KeysValues], length: int, keep: bool) -> None:
        super().__init__()
        self.prefixes, self.length, self.keep = prefixes, length, keep
        self.own: KeysValues = {}

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return all keys and values that this layer is to see."""
        if self.keep:
            self.own[layer_idx] = (key_states.clone(), value_states.clone())
        rows = key_states.shape[0]
        before = [prefix[layer_idx] for prefix in self.prefixes]
        keys, values = (
            torch.cat([*(pair[which].expand(rows, -1, -1, -1) for pair in before), states], dim=-2)
            if before
            else states
            for which, states in enumerate((key_states, value_states))
        )
        return keys, values

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Return the number of tokens kept."""
        return self.length


class Forward:
    """Calls one model; keeps the keys and values of a chain of prefixes.

    Args:
        model: A causal transformers model, perhaps within an adapter.
        autocast: Returns the context in which the model is called.
        softmax_dtype: That of the log-softmax, None for the logits' own.
        masks: Makes the model's masks out of that of the tree, see `masks.masks`.
    """

    def __init__(
        self,
        model: Any,
        autocast: Callable[[], contextlib.AbstractContextManager[Any]],
        softmax_dtype: torch.dtype | None,
        masks: Masks,
    ) -> None:
        self.model, self.autocast, self.softmax_dtype, self.masks = model, autocast, softmax_dtype, masks
        base = model.get_base_model() if hasattr(model, "get_base_model") else model
        parameters = inspect.signature(base.forward).parameters
        self.cache_name = "past_key_values" if "past_key_values" in parameters else "cache"
        self.prefixes: list[tuple[int, KeysValues]] = []
        self.tokens = 0

    def __call__(self, rows: Sequence[Row], kept: int, keep: bool = False) -> TokenScores:
        """Compute the rows behind the first `kept` prefixes; keep their keys and values if asked to."""
        del self.prefixes[kept:]
        length = sum(length for length, _ in self.prefixes)
        device = self.model.device
        tokens = _padded([row.tokens for row in rows], 0).to(device)
        positions = _padded([row.positions for row in rows], 0).to(device)
        self.tokens += tokens.numel()
        arguments: dict[str, Any] = {"input_ids": tokens, "use_cache": keep or length > 0}
        if length or any((row.last != len(row.tokens)).any() for row in rows):
            arguments["position_ids"] = positions
            arguments["attention_mask"] = self._mask(rows, positions, length)
        cache = PrefixCache([pair for _, pair in self.prefixes], length, keep)
        if arguments["use_cache"]:
            arguments[self.cache_name] = cache
        asked = np.concatenate([row.slots + index * tokens.shape[1] for index, row in enumerate(rows)])
        slots, inverse = np.unique(asked, return_inverse=True)
        logits = self._logits(arguments, torch.from_numpy(slots if len(slots) else np.zeros(1, np.int64)))
        if keep:
            self.prefixes.append((tokens.shape[1], cache.own))
        return self._scores(rows, logits, torch.from_numpy(inverse))

    def _mask(self, rows: Sequence[Row], positions: torch.Tensor, length: int) -> Any:
        """Return the mask by which each token sees its ancestors, itself and the kept prefix."""
        width = positions.shape[1]
        index = torch.arange(width, device=positions.device)
        last = _padded([row.last for row in rows], -1).to(positions.device)
        last = torch.where(last < 0, index + 1, last)  # padding sees itself: a row of no key would be NaN
        seen = (index[None, :] <= index[:, None]) & (index[:, None] < last[:, None, :])
        prefix = torch.arange(length, device=positions.device).expand(len(rows), -1)
        allowed = torch.cat([seen.new_ones(len(rows), width, length), seen], dim=-1)
        mask = self.masks(allowed, positions, torch.cat([prefix, positions], dim=-1))
        return additive(mask, self.model.dtype)

    def _logits(self, arguments: dict[str, Any], slots: torch.Tensor) -> torch.Tensor:
        """Return the logits [slots, vocabulary] of these slots of the flattened rows, and compute no others.

        The head gets the hidden states of these slots alone, so that whatever the model does to its logits
        (soft caps, scales) is done.
        """
        head = self.model.get_output_embeddings()
        count = len(slots)

        def select(_: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
            hidden = args[0]
            return (hidden.flatten(0, 1)[slots.to(hidden.device)][None], *args[1:])

        hook = head.register_forward_pre_hook(select)
        try:
            with torch.no_grad(), self.autocast():
                logits = self.model(**arguments).logits
        finally:
            hook.remove()
        if logits.shape[:2] != (1, count):
            raise ValueError(f"the model's head gave logits of shape {tuple(logits.shape)}")
        return logits[0]

    def _scores(self, rows: Sequence[Row], logits: torch.Tensor, inverse: torch.Tensor) -> TokenScores:
        requests = np.concatenate([row.requests for row in rows])
        if not len(requests):
            return TokenScores(requests, np.empty(0), np.empty(0, np.bool_))
        targets = torch.from_numpy(np.concatenate([row.targets for row in rows])).to(logits.device)
        inverse = inverse.to(logits.device)
        logits = torch.log_softmax(logits, dim=-1, dtype=self.softmax_dtype)
        log_likelihoods = logits[inverse, targets]
        greedy = logits.argmax(dim=-1)[inverse] == targets
        return TokenScores(requests, log_likelihoods.double().cpu().numpy(), greedy.cpu().numpy())


def _padded(parts: Sequence[NDArray[np.int64]], value: int) -> torch.Tensor:
    padded = np.full((len(parts), max(map(len, parts))), value, np.int64)
    for index, part in enumerate(parts):
        padded[index, : len(part)] = part
    return torch.from_numpy(padded)
