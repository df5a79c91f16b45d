"""The harness model `hf-shared`: `hf` with log-likelihoods computed once per shared prefix."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import torch
from lm_eval import utils
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from tqdm import tqdm

from lm_eval_ifeval_pt.models.shared_prefix import plan, probe
from lm_eval_ifeval_pt.models.shared_prefix.encoding import Encoder, splits_words
from lm_eval_ifeval_pt.models.shared_prefix.forward import Forward
from lm_eval_ifeval_pt.models.shared_prefix.masks import Unsupported, limits, masks
from lm_eval_ifeval_pt.models.shared_prefix.run import Computation, complete
from lm_eval_ifeval_pt.models.shared_prefix.trie import ScoredSequence

log = logging.getLogger(__name__)

Encoded = tuple[tuple[str, str] | None, list[int], list[int]]

Asked = tuple[tuple[str, str], ...]
"""Contexts and continuations of all requests of a call."""

TRIAL = 24  # tokens of the input on which a model is tried
UNREADABLE = frozenset({-1})  # in place of the lengths of a configuration that cannot be read
MEASURED = 128  # tokens of the call that is timed
SAME_CALL = 1024.0  # the cost of a call where all processes have to plan the same
AUTO_CPU, AUTO = 4096, 65536  # tokens of a call for batch_size=auto; on memory errors they are halved


class StoredRequests(Protocol):
    """Where tokenised requests outlive a process."""

    def read(self, texts: Asked, max_length: int) -> list[ScoredSequence] | None:
        """The requests of these texts, or None."""

    def write(self, texts: Asked, max_length: int, sequences: list[ScoredSequence]) -> None:
        """Store the requests of these texts."""


class SharedPrefixLM(HFLM):  # type: ignore[misc]  # the harness is untyped, and what it returns below
    """`hf`, except that log-likelihoods of one call are computed over the tree of their inputs.

    A model whose numbers on a trial are not those of its plain calls is computed as `hf` does.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._generates = False
        plain = partial(self.tok_encode, add_special_tokens=False)
        by_parts = splits_words(self.tokenizer, self.tok_encode, plain)
        self._encoder = Encoder(super()._encode_pair, self.tok_encode, plain, by_parts)
        self._tried: dict[frozenset[int], str] = {}  # why not, empty if it works
        self._cost: plan.Cost | None = None
        self._tokens = dict.fromkeys(("computed", "distinct", "hf"), 0)
        self._kept: dict[Asked, Computation] | None = None
        self._stored: StoredRequests | None = None
        self._asked: Asked | None = None  # whose computation is to be kept
        self._contexts: dict[Any, Any] | None = None  # tokens of what is generated from

    def keep(self, stored: StoredRequests | None = None) -> None:
        """Keep what is prepared of requests, tokens and calls, for the next time that the same ones are asked.

        For a model whose weights change while its inputs stay: they are compared by their texts.

        Args:
            stored: Where other processes find the tokens, and this one theirs.
        """
        self._stored = stored if self.world_size == 1 else None
        self._kept = {}
        self._contexts = {}

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """Generate as `hf` does, from the tokens that were kept of the same contexts."""
        self._generates = self._contexts is not None
        try:
            return super().generate_until(requests, disable_tqdm)  # type: ignore[no-any-return]
        finally:
            self._generates = False

    def tok_encode(
        self, string: str, add_special_tokens: bool | None = None, left_truncate_len: int | None = None, **kwargs: Any
    ) -> list[int]:
        """Encode as `hf` does."""
        if not self._generates or self._contexts is None:
            return super().tok_encode(string, add_special_tokens, left_truncate_len, **kwargs)  # type: ignore[no-any-return]
        key = string, add_special_tokens, left_truncate_len
        if (kept := self._contexts.get(key)) is None:
            kept = array("q", super().tok_encode(string, add_special_tokens, left_truncate_len, **kwargs))
            self._contexts[key] = kept
        return list(kept)

    def tok_batch_encode(
        self,
        strings: Sequence[str],
        padding_side: str = "left",
        left_truncate_len: int | None = None,
        truncation: bool = False,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Encode a batch as `hf` does."""
        key = tuple(strings), padding_side, left_truncate_len, truncation
        if self._generates and self._contexts is not None and (kept := self._contexts.get(key)) is not None:
            return kept[0].clone(), kept[1].clone()
        made: tuple[torch.Tensor, torch.Tensor]
        made = super().tok_batch_encode(strings, padding_side, left_truncate_len, truncation)
        if self._generates and self._contexts is not None:
            self._contexts[key] = made[0].clone(), made[1].clone()
        return made

    def count_anew(self) -> None:
        """Count the tokens of `get_model_info` from here on."""
        self._tokens = dict.fromkeys(self._tokens, 0)

    def loglikelihood(self, requests: list[Instance], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """Score continuations, from what was kept of the same requests."""
        if self._kept is None or not requests:
            return super().loglikelihood(requests, disable_tqdm)  # type: ignore[no-any-return]
        asked = tuple(request.args for request in requests)
        if (run := self._kept.get(asked)) is not None:
            run.restart()
            return self._answers(run, asked, disable_tqdm)
        sequences = self._stored.read(asked, self.max_length) if self._stored and self.backend == "causal" else None
        if sequences is not None and not self._refusal(sequences):
            return self._answers(self._keep(asked, sequences), asked, disable_tqdm)
        self._asked = asked
        try:
            return super().loglikelihood(requests, disable_tqdm)  # type: ignore[no-any-return]
        finally:
            self._asked = None

    def _encode_pair(self, context: str, continuation: str) -> tuple[list[int], list[int]]:
        """Encode as `hf` does, what pairs have in common once."""
        if self.backend != "causal":
            separate: tuple[list[int], list[int]] = super()._encode_pair(context, continuation)
            return separate
        return self._encoder.pair(context, continuation)

    def loglikelihood_rolling(self, requests: list[Instance], disable_tqdm: bool = False) -> list[float]:
        """Score whole texts, in windows as `hf` does."""
        windows = [
            [
                (None, *utils.make_disjoint_window(window))
                for window in utils.get_rolling_token_windows(
                    token_list=self.tok_encode(request.args[0]),
                    prefix_token=self.prefix_token_id,
                    max_seq_len=self.max_length,
                    context_len=1,
                )
            ]
            for request in requests
        ]
        encoded = [window for each in windows for window in each]
        made = [self._request(each) for each in encoded] if self.backend == "causal" else []
        if self._agreed(not made or bool(self._refusal(made))):
            return super().loglikelihood_rolling(requests, disable_tqdm)  # type: ignore[no-any-return]
        scores = iter(self._loglikelihood_tokens(encoded, disable_tqdm))
        sums = [sum(next(scores)[0] for _ in each) for each in windows]
        for request, total in zip(requests, sums, strict=True):
            self.cache_hook.add_partial("loglikelihood_rolling", request.args, total)
        return sums

    def _loglikelihood_tokens(
        self, requests: Sequence[Encoded], disable_tqdm: bool = False, override_bs: int | None = None
    ) -> list[tuple[float, bool]]:
        """Return the log-likelihood and whether it is greedy, of each continuation."""
        made = [self._request(each) for each in requests] if self.backend == "causal" else []
        refused = not made or bool(self._refusal(made))
        if self._agreed(refused) if self.batch_size == "auto" else refused:
            plain: list[tuple[float, bool]] = super()._loglikelihood_tokens(requests, disable_tqdm, override_bs)
            return plain
        self._report_truncated(requests)
        if self._asked is None:
            run = Computation(made)
        else:
            if self._stored is not None:
                self._stored.write(self._asked, self.max_length, made)
            run = self._keep(self._asked, made)
        return self._answers(run, [pair for pair, _, _ in requests], disable_tqdm)

    def _keep(self, asked: Asked, sequences: Sequence[ScoredSequence]) -> Computation:
        """The computation of these requests, for the next time that they are asked."""
        run = Computation(sequences)
        run.keep()
        assert self._kept is not None
        self._kept[asked] = run
        return run

    def _answers(
        self, run: Computation, pairs: Sequence[tuple[str, str] | None], disable_tqdm: bool
    ) -> list[tuple[float, bool]]:
        """Compute all of a computation; `pairs` are the texts that the harness's cache knows requests by."""
        forward = self._forward(run.longest)
        cost = self._cost_of(forward, run.requests)
        show = not disable_tqdm and self.rank == 0
        answers: dict[int, tuple[float, bool]] = {}
        with tqdm(total=len(pairs), disable=not show, desc="Running loglikelihood requests") as bar:
            for finished in complete(run, forward, cost, self._room(run.longest)):
                bar.update(len(finished))
                for index in finished:
                    answers[index] = answer = run.answer(index)
                    if (pair := pairs[index]) is not None:
                        self.cache_hook.add_partial("loglikelihood", pair, answer)
        self._count(computed=forward.tokens, distinct=run.distinct, hf=run.plain)
        return [answers[index] for index in range(len(pairs))]

    def get_model_info(self) -> dict[str, Any]:
        """Return what `hf` tells, the backend and the input tokens of all log-likelihoods.

        `computed` are the tokens of all calls, padding and trials included; `distinct` is the least possible
        and `hf` what `hf` computes, without its padding.
        """
        refusals = [each for each in self._tried.values() if each]
        if self.backend != "causal":
            refusals = ["encoder and decoder have no prefix in common"]
        backend = f"hf: {refusals[0]}" if refusals else "shared prefixes"
        return {
            **super().get_model_info(),
            "loglikelihood_backend": backend,
            "loglikelihood_tokens": dict(self._tokens),
        }

    def _request(self, encoded: Encoded) -> ScoredSequence:
        _, context, continuation = encoded
        assert context
        assert 0 < len(continuation) <= self.max_length
        tokens = (context + continuation)[-(self.max_length + 1) :]
        return ScoredSequence(np.array(tokens, np.int64), len(continuation))

    def _report_truncated(self, requests: Sequence[Encoded]) -> None:
        cut = sum(len(context) + len(rest) > self.max_length + 1 for _, context, rest in requests)
        if cut:
            log.warning("%d inputs were cut from the left to the model's %d tokens", cut, self.max_length)

    def _forward(self, longest: int) -> Forward:
        def autocast() -> torch.autocast:
            dtype = self.mixed_precision_dtype
            return torch.autocast(self.device.type, dtype=dtype, enabled=dtype is not None)

        return Forward(self.model, autocast, self.softmax_dtype, masks(self.config, longest))

    def _refusal(self, requests: Sequence[ScoredSequence]) -> str:
        """Return why these cannot be computed by shared prefixes, empty if they can; say it once."""
        longest = max(requests, key=len)
        try:
            reached = limits(self.config, len(longest), len(longest) + self._room(len(longest)))
        except Exception as surprise:  # configurations are of many hands: some raise for what they do not have
            return self._refuse(UNREADABLE, surprise)
        if reached in self._tried:
            return self._tried[reached]
        limit = max(reached, default=0)
        length = min(limit + TRIAL, self.max_length - 8)
        try:
            if length < limit + 8:
                raise Unsupported(f"max_length {self.max_length} allows no trial beyond {limit} tokens")
            tokens = np.resize(longest.tokens, length)
            forward = self._forward(max(len(longest), length + 8))
            probe.check(forward, self._model_call_on_device, tokens)
            self._count(computed=forward.tokens)
            self._cost_of(forward, requests)
            self._tried[reached] = ""
        except torch.cuda.OutOfMemoryError:
            raise
        except Exception as reason:
            return self._refuse(reached, reason)
        return ""

    def _refuse(self, reached: frozenset[int], reason: Exception) -> str:
        """Remember and say why inputs that reach these limits are computed as by `hf`."""
        if reached not in self._tried:
            said = str(reason) if isinstance(reason, Unsupported) else f"{type(reason).__name__}: {reason}"
            self._tried[reached] = " ".join(said.split())[:200]
            log.warning(
                "hf-shared: %s is computed as by hf, each request by itself (%s)",
                type(self.model).__name__,
                self._tried[reached],
            )
        return self._tried[reached]

    def _agreed(self, refused: bool) -> bool:
        """Return whether any process refuses, for paths of `hf` on which processes wait for each other."""
        if self.world_size == 1:
            return refused
        return bool(self.all_gather(torch.tensor([refused], device=self.device)).any())

    def _model_call_on_device(self, tokens: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self._model_call(tokens.to(self.device))
        return logits

    def _cost_of(self, forward: Forward, requests: Sequence[ScoredSequence]) -> plan.Cost:
        """Return the model's costs, measured at the first use."""
        if self._cost is None:
            self._cost = probe.measure(forward, max(requests, key=len).tokens[:-1][:MEASURED])
            distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
            if distributed and self.world_size == 1:  # tensor parallel: the processes share one model
                self._cost = replace(self._cost, call=SAME_CALL)
        return self._cost

    def _count(self, **tokens: int) -> None:
        for kind, number in tokens.items():
            self._tokens[kind] += number

    def _room(self, longest: int) -> int:
        """Return how many tokens a call may have: those of `hf` at this batch size."""
        if self.batch_size != "auto":
            return int(self.batch_size) * longest
        cap = AUTO_CPU if self.device.type == "cpu" else AUTO
        return max(longest, min(cap, int(self.max_batch_size) * longest))
