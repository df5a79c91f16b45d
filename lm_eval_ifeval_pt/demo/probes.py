"""What a model knows of Portuguese, told from how likely it finds right and wrong sentences."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from lm_eval_ifeval_pt.demo import corpus

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

HELD_OUT = 1_000_003
"""A seed that no corpus is made with."""
_PROMPT = "Escreva uma frase."


def log_likelihoods(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, texts: list[str]
) -> list[float]:
    """The log-probability of each text, as a whole document, in nats."""
    import torch

    end = tokenizer.eos_token or ""
    batch = tokenizer(
        [end + text + end for text in texts], padding=True, padding_side="right", return_tensors="pt"
    )
    model.eval()
    with torch.inference_mode():
        logits = model(input_ids=batch.input_ids, attention_mask=batch.attention_mask).logits[:, :-1]
    targets = batch.input_ids[:, 1:]
    each = torch.log_softmax(logits, -1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    summed: list[float] = (each * batch.attention_mask[:, 1:]).sum(-1).tolist()
    return summed


def order(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, count: int = 100) -> float:
    """The share of sentences found likelier than each of three shuffles of their words (chance: .25)."""
    rng = Random(HELD_OUT)
    rows = [
        [sentence, *(_shuffled(sentence, rng) for _ in range(3))]
        for sentence in corpus.sentences(HELD_OUT, count)
    ]
    return _first_is_likeliest(model, tokenizer, rows)


def agreement(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, count: int = 100) -> float:
    """The share of pairs of which the sentence with the right agreement is likelier (chance: .5)."""
    return _first_is_likeliest(
        model, tokenizer, [list(pair) for pair in corpus.agreement_pairs(HELD_OUT, count)]
    )


def _shuffled(sentence: str, rng: Random) -> str:
    """Its words in another order; capital and full stop stay where they belong, lest they give it away."""
    first, *rest = sentence.removesuffix(".").split(" ")
    words = [first.lower(), *rest]
    while True:
        shuffled = " ".join(rng.sample(words, len(words))) + "."
        shuffled = shuffled[0].upper() + shuffled[1:]
        if shuffled != sentence:
            return shuffled


def _first_is_likeliest(
    model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, rows: list[list[str]]
) -> float:
    scores = iter(log_likelihoods(model, tokenizer, [text for row in rows for text in row]))
    ranked = [[next(scores) for _ in row] for row in rows]
    return sum(row[0] > max(row[1:]) for row in ranked) / len(ranked)
