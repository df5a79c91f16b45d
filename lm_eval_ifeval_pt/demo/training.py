"""A tiny causal language model, trained on the generated corpus and saved for the harness to load."""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lm_eval_ifeval_pt.corpus import dialogues as corpus
from lm_eval_ifeval_pt.demo import probes
from lm_eval_ifeval_pt.demo.recipe import Recipe, SavedStep, Training

if TYPE_CHECKING:
    import torch
    from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

END = "<|fim|>"
PAD = "<|pad|>"
# A prompt is a line, its answer the next: what the model reads without --apply_chat_template too.
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ message.content }}"
    "{{ eos_token if message.role == 'assistant' else '\\n' }}{% endfor %}"
)


def train(folder: Path, recipe: Recipe, progress: Callable[[int, float], None] = lambda step, loss: None) -> Training:
    """Train a model and leave its checkpoints in a new folder, as `step_*`, beside `training.json`.

    The folder appears when all is written; an interrupted training leaves nothing.

    Args:
        folder: To make; its parents are made too.
        recipe: What to train.
        progress: Called after each step with the number of steps done and the loss in nats per token.

    Raises:
        OSError: the folder exists and is not empty, or cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix=".training-", dir=folder.parent) as scratch,
        _threads(),
        _no_bars(),
    ):
        unfinished = Path(scratch) / folder.name
        unfinished.mkdir()
        start = time.monotonic()
        dialogues = list(corpus.dialogues(recipe.seed, recipe.dialogues))
        tokenizer = train_tokenizer(dialogues, recipe.vocabulary)
        model = _new_model(recipe, tokenizer)
        checkpoints, losses = [], []
        for step, loss in enumerate(_steps(model, _windows(dialogues, tokenizer, recipe), recipe), 1):
            losses.append(loss)
            if step in recipe.saved:
                for part in (model, tokenizer):
                    part.save_pretrained(unfinished / f"step_{step}")
                order, agreement = probes.order(model, tokenizer), probes.agreement(model, tokenizer)
                checkpoints.append(SavedStep(step, sum(losses) / len(losses), order, agreement))
                losses.clear()
            progress(step, loss)
        training = Training(recipe, model.num_parameters(), time.monotonic() - start, tuple(checkpoints))
        training.write(unfinished)
        unfinished.rename(folder)
    return training


def train_tokenizer(dialogues: list[tuple[str, str]], vocabulary: int) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer that begins and ends documents with the same token."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        ("\n".join(dialogue) for dialogue in dialogues),
        trainers.BpeTrainer(
            vocab_size=vocabulary, special_tokens=[END, PAD], initial_alphabet=alphabet, show_progress=False
        ),
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, bos_token=END, eos_token=END, pad_token=PAD, chat_template=CHAT_TEMPLATE
    )


def _new_model(recipe: Recipe, tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=recipe.width,
        intermediate_size=4 * recipe.width,
        num_hidden_layers=recipe.layers,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=2048,  # ifeval_pt lets a model write 1280
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        return LlamaForCausalLM(config)


def _windows(
    dialogues: list[tuple[str, str]], tokenizer: PreTrainedTokenizerFast, recipe: Recipe
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Endless batches of token ids and labels, cut at random places from the dialogues laid end to end.

    Only the answers are to be learnt: the labels of the prompts are -100, which the loss leaves out.
    """
    import torch

    prompts = tokenizer([prompt for prompt, _ in dialogues]).input_ids
    answers = tokenizer([f"\n{answer}{tokenizer.eos_token}" for _, answer in dialogues]).input_ids
    pairs = list(zip(prompts, answers, strict=True))
    ids = torch.tensor([id for prompt, answer in pairs for id in (*prompt, *answer)])
    labels = torch.tensor([id for prompt, answer in pairs for id in (*[-100] * len(prompt), *answer)])
    generator = torch.Generator().manual_seed(recipe.seed)
    reach = torch.arange(recipe.window)
    while True:
        starts = torch.randint(len(ids) - recipe.window, (recipe.batch, 1), generator=generator)
        yield ids[starts + reach], labels[starts + reach]


def _steps(
    model: LlamaForCausalLM, windows: Iterator[tuple[torch.Tensor, torch.Tensor]], recipe: Recipe
) -> Iterator[float]:
    """Train; yields the loss of each step."""
    import torch

    matrices = [parameter for parameter in model.parameters() if parameter.dim() > 1]
    gains = [parameter for parameter in model.parameters() if parameter.dim() == 1]
    optimiser = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": gains, "weight_decay": 0.0}], betas=(0.9, 0.95)
    )
    warm_up = max(1, min(40, recipe.steps // 10))
    for step, (ids, labels) in zip(range(1, recipe.steps + 1), windows, strict=False):
        falling = 0.5 * (1 + math.cos(math.pi * step / recipe.steps))
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * min(step / warm_up, 0.05 + 0.95 * falling)
        model.train()
        loss = model(input_ids=ids, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        yield float(loss.detach())


@contextmanager
def _threads() -> Iterator[None]:
    """At most four threads, unless OMP_NUM_THREADS says how many: more gain nothing for so small a model."""
    import torch

    before = torch.get_num_threads()
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(min(before, 4))
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _no_bars() -> Iterator[None]:
    """No progress bars from transformers amid ours."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
