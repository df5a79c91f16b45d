"""What a model knows of Portuguese, told from how likely it finds right and wrong sentences."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from lm_eval_ifeval_pt.corpus import dialogues as corpus

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

HELD_OUT = 1_000_003
"""A seed that no corpus is made with."""
_PROMPT = "Escreva uma frase."


def log_likelihoods(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> list[float]:
    """The log-probability of each text, as a whole document, in nats."""
    import torch

    end = tokenizer.eos_token or ""
    batch = tokenizer([end + text + end for text in texts], padding=True, padding_side="right", return_tensors="pt")
    model.eval()
    with torch.inference_mode():
        logits = model(input_ids=batch.input_ids, attention_mask=batch.attention_mask).logits[:, :-1]
    targets = batch.input_ids[:, 1:]
    each = torch.log_softmax(logits, -1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    summed: list[float] = (each * batch.attention_mask[:, 1:]).sum(-1).tolist()
    return summed


def order(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, count: int = 100) -> float:
    """The share of sentences found likelier than each of three with two neighbours swapped (chance: .25)."""
    rng = Random(HELD_OUT)
    rows = [[sentence, *_swapped(sentence, rng)] for sentence in corpus.sentences(HELD_OUT, count)]
    return _first_is_likeliest(model, tokenizer, rows)


def agreement(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, count: int = 100) -> float:
    """The share of pairs of which the sentence with the right agreement is likelier (chance: .5)."""
    return _first_is_likeliest(model, tokenizer, [list(pair) for pair in corpus.agreement_pairs(HELD_OUT, count)])


def _swapped(sentence: str, rng: Random) -> list[str]:
    """Three versions, each with two neighbouring words swapped; capital and full stop do not give it away."""
    words = sentence.removesuffix(".").split(" ")
    words[0] = words[0].lower()
    versions = []
    for index in rng.sample(range(len(words) - 1), 3):
        version = " ".join([*words[:index], words[index + 1], words[index], *words[index + 2 :]]) + "."
        versions.append(version[0].upper() + version[1:])
    return versions


def _first_is_likeliest(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, rows: list[list[str]]) -> float:
    scores = iter(log_likelihoods(model, tokenizer, [text for row in rows for text in row]))
    ranked = [[next(scores) for _ in row] for row in rows]
    return sum(row[0] > max(row[1:]) for row in ranked) / len(ranked)
