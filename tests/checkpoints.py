"""Checkpoints of a model too small to know anything: for tests of what is done with many of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[1] / "data/samples"


TEXT = ["A casa da rua é azul, e a rua da casa também."] * 4


def write(
    folder: Path,
    steps: Iterable[int],
    *,
    width: int = 32,
    vocabulary: int = 300,
    seed: int = 0,
    texts: Iterable[str] = TEXT,
) -> list[Path]:
    """Folders `step_N` of a random Llama, whose weights move with the step, and a tokenizer of bytes and some pairs.

    Args:
        folder: Where to put them.
        steps: Of each checkpoint.
        width: Of the model; other widths are other configurations.
        vocabulary: Of the tokenizer.
        seed: Of the weights.
        texts: What the tokenizer's pairs are taken from.
    """
    import torch
    import transformers

    tokens = _tokenizer(vocabulary, texts)
    config = transformers.LlamaConfig(
        vocab_size=len(tokens), hidden_size=width, intermediate_size=2 * width, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=4096, bos_token_id=0, eos_token_id=1, tie_word_embeddings=True,
    )  # fmt: skip
    torch.manual_seed(seed)
    start = transformers.LlamaForCausalLM(config).state_dict()
    end = transformers.LlamaForCausalLM(config).state_dict()
    made = []
    for step in steps:
        model = transformers.LlamaForCausalLM(config)
        share = step / 1000
        model.load_state_dict({name: (1 - share) * start[name] + 5 * share * end[name] for name in start})
        path = folder / f"step_{step}"
        model.save_pretrained(path)
        tokens.save_pretrained(path)
        made.append(path)
    return made


def _tokenizer(vocabulary: int, texts: Iterable[str]) -> Any:
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(texts, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", pad_token="</s>"
    )
