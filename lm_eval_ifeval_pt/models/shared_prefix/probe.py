"""Whether a model, computed by shared prefixes, gives its own numbers; and what its calls cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from lm_eval_ifeval_pt.models.shared_prefix import trie
from lm_eval_ifeval_pt.models.shared_prefix.forward import Forward, TokenScores
from lm_eval_ifeval_pt.models.shared_prefix.masks import Unsupported
from lm_eval_ifeval_pt.models.shared_prefix.plan import Cost, Segment, row
from lm_eval_ifeval_pt.models.shared_prefix.trie import ScoredSequence, Tokens

BRANCHES = (0, (1, 2, 3, 4, 5)), (0, (6, 7, 8)), (4, (9, 1, 2, 3, 4, 5))  # tokens dropped and added
SCORED = 32
# Nats by which one token may differ. A mask or cache that is not honoured costs a trained model far more.
ROUNDING = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 0.05, torch.bfloat16: 0.4}
PER_BYTE_CPU, PER_BYTE = 3, 100  # multiply-adds that a machine does while it copies a byte


def check(forward: Forward, plain: Callable[[torch.Tensor], torch.Tensor], tokens: Tokens) -> None:
    """Compare a small tree on these tokens with the model's plain calls.

    It is computed behind a kept prefix, in rows of different length, and again as one row: all that
    `Forward` does.

    Raises:
        Unsupported: The numbers differ, or the model raises an error.
    """
    try:
        requests = [_branch(tokens[: len(tokens) - drop], np.array(tail)) for drop, tail in BRANCHES]
        expected = np.concatenate([_plain(plain, request, forward.softmax_dtype) for request in requests])
        measured = [_sorted(each) for each in (_kept(forward, requests), _whole(forward, requests))]
    except torch.cuda.OutOfMemoryError:
        raise
    except Exception as error:
        raise Unsupported(" ".join(f"{type(error).__name__}: {error}".split())[:200]) from error
    finally:
        forward.prefixes.clear()
    difference = max(float(np.abs(each - expected).max()) for each in measured)
    if not difference <= ROUNDING.get(forward.model.dtype, 0.4):
        raise Unsupported(f"log-likelihoods of a trial differ by {difference:.2g} nats")


def measure(forward: Forward, tokens: Tokens) -> Cost:
    """Time a call of one token and one of many, and count the rest from the model's shape.

    Raises:
        Unsupported: The model's configuration does not state its shape in the usual way.
    """
    few, many = (_seconds(forward, tokens[:length]) for length in (1, len(tokens)))
    try:
        text = forward.model.config.get_text_config()
        weights = sum(each.numel() for each in forward.model.parameters())
        embeddings = forward.model.get_input_embeddings(), forward.model.get_output_embeddings()
        weights -= sum({id(each.weight): each.weight.numel() for each in embeddings}.values())
        heads = text.num_attention_heads
        head = getattr(text, "head_dim", None) or text.hidden_size // heads
        key_heads = getattr(text, "num_key_value_heads", None) or heads
        layers = text.num_hidden_layers
    except Exception as error:  # configurations are of many hands: some raise for what other layers have
        raise Unsupported(" ".join(f"{type(error).__name__}: {error}".split())[:200]) from error
    cpu = forward.model.device.type == "cpu"
    per_byte = PER_BYTE_CPU if cpu else PER_BYTE
    per_token = max((many - few) / (len(tokens) - 1), few / 4096) if len(tokens) > 1 else few
    return Cost(
        pair=2 * heads * head * layers / weights,
        copy=2 * key_heads * head * layers * forward.model.dtype.itemsize * per_byte / weights,
        call=2 * few / per_token,
        row=128 if cpu else 512,
    )


def _branch(start: Tokens, tail: Tokens) -> ScoredSequence:
    tokens = np.concatenate([start, tail])
    return ScoredSequence(tokens, min(SCORED, len(tokens) - 1))


def _plain(
    plain: Callable[[torch.Tensor], torch.Tensor], request: ScoredSequence, dtype: torch.dtype | None
) -> np.ndarray[Any, Any]:
    logits = plain(torch.from_numpy(request.tokens[None, :-1]))[0, -request.scored :]
    targets = torch.from_numpy(request.tokens[-request.scored :]).to(logits.device)
    log_likelihoods = torch.log_softmax(logits, dim=-1, dtype=dtype).gather(1, targets[:, None])[:, 0]
    return np.asarray(log_likelihoods.double().cpu())


def _kept(forward: Forward, requests: list[ScoredSequence]) -> list[TokenScores]:
    (top,) = trie.build(requests).children
    done: set[trie.Node] = set()
    prefix = row([Segment(top, 0, below=False)], requests, done)
    rows = [row([Segment(child, top.end)], requests, done) for child in top.children]
    return [forward([prefix], kept=0, keep=True), forward(rows, kept=1)]


def _whole(forward: Forward, requests: list[ScoredSequence]) -> list[TokenScores]:
    return [forward([row([Segment(trie.build(requests).children[0], 0)], requests, set())], kept=0)]


def _sorted(scores: list[TokenScores]) -> np.ndarray[Any, Any]:
    """Return all log-likelihoods by request and position; calls go from the top of the tree down."""
    requests = np.concatenate([each.requests for each in scores])
    log_likelihoods = np.concatenate([each.log_likelihoods for each in scores])
    return log_likelihoods[np.argsort(requests, kind="stable")]


def _seconds(forward: Forward, tokens: Tokens) -> float:
    requests = [ScoredSequence(np.append(tokens, 0), 1)]
    (leaf,) = trie.build(requests).children
    clock = time.process_time if forward.model.device.type == "cpu" else time.perf_counter
    start = clock()
    forward([row([Segment(leaf, 0)], requests, set())], kept=0)
    return clock() - start
