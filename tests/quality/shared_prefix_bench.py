"""`hf-shared` beside `hf`, in one run: `python -m tests.quality.shared_prefix_bench`.

A Llama of 20 million random weights, on one thread, in CPU seconds; requests of the length and shape of 5-shot
ARC (cloze) and MMLU (letters), with the same shots for all documents or with shots of their own. Then, on a
smaller model, how the gain grows, what bfloat16 changes, and the whole of tucano2_suite on the bundled samples.

On a GPU, in wall seconds, with a model of yours:

    python -m tests.quality.shared_prefix_bench --device cuda --dtype bfloat16 --documents 500 --batch-size 32 \
        --pretrained Polygl0t/Tucano2-qwen-0.5B-Base
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import multiprocessing
import os
import random
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lm_eval
import numpy as np
import torch
import transformers
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager

from lm_eval_ifeval_pt.models.shared_prefix.model import SharedPrefixLM
from lm_eval_ifeval_pt.paths import bundled
from tests.quality.row import Row, cheaper

WORDS = 16_000
SHAPES = {"small": (192, 512, 4, 6), "20M": (384, 1024, 8, 6)}  # width, width of the MLP, layers, heads


@dataclass(frozen=True)
class Task:
    """Documents in tokens: shots, then a question, then each of the choices."""

    name: str
    fixed: bool
    shots: int
    question: int
    choices: int
    choice: int
    documents: int

    def pairs(self) -> list[tuple[str, str]]:
        """Return contexts and continuations; lengths vary by a quarter."""
        chance = random.Random(self.name)

        def words(count: int) -> str:
            return " ".join(f"w{chance.randrange(WORDS)}" for _ in range(count))

        def about(count: int) -> int:
            return chance.randint(count - count // 4, count + count // 4)

        shots = words(self.shots)
        letters = [f"w{letter}" for letter in range(self.choices)]
        made = []
        for _ in range(self.documents):
            context = f"{shots if self.fixed else words(about(self.shots))} {words(about(self.question))}"
            answers = letters if self.choice == 1 else [words(about(self.choice)) for _ in letters]
            made += [(context.strip(), f" {answer}") for answer in answers]
        return made


@dataclass(frozen=True)
class Measured:
    """What one backend did: seconds, memory above that of the model in MB, answers, tokens if it tells."""

    seconds: float
    memory: float
    answers: list[tuple[float, bool]]
    tokens: dict[str, int]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=16)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--pretrained", help="a model, instead of random weights")
    parser.add_argument("--no-growth", action="store_true", help="the first table only")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for name in ("lm_eval", "transformers"):
        logging.getLogger(name).setLevel(logging.ERROR)

    def backends(shape: str, dtype: str = options.dtype) -> tuple[HFLM, SharedPrefixLM]:
        if options.pretrained:
            settings = {"pretrained": options.pretrained, "device": options.device, "dtype": dtype}
        else:
            made = random_model(shape).to(options.device, getattr(torch, dtype))
            settings = {"pretrained": made, "tokenizer": word_tokenizer(), "max_length": 2048}
        return tuple(kind(batch_size=options.batch_size, **settings) for kind in (HFLM, SharedPrefixLM))

    number = options.documents
    compare(backends("20M"), tasks_of(number))
    if options.no_growth:
        return
    print("\nGrowth: cloze with fixed shots, smaller model")
    compare(backends("small"), growth())
    print("\nbfloat16: largest difference of a log-likelihood, in nats, and answers that change")
    low_precision(backends("small", "float32"), backends("small", "bfloat16"), number)
    if not options.pretrained:
        suite()


def tasks_of(documents: int) -> list[Task]:
    """Tasks of the length and shape of 5-shot ARC and MMLU, with the same shots for all documents or with their own."""
    return [
        Task("cloze, fixed shots", True, 535, 85, 4, 16, documents),
        Task("cloze, own shots", False, 535, 85, 4, 16, documents),
        Task("letters, fixed shots", True, 890, 145, 4, 1, documents),
        Task("letters, own shots", False, 890, 145, 4, 1, documents),
    ]


def bench_rows(documents: int = 16) -> list[Row]:
    """`hf-shared` beside `hf` on one thread of the CPU."""
    torch.set_num_threads(1)
    settings = {"pretrained": random_model("20M"), "tokenizer": word_tokenizer(), "max_length": 2048}
    backends = [kind(batch_size=8, **settings) for kind in (HFLM, SharedPrefixLM)]
    rows = []
    for task in tasks_of(documents):
        plain, shared = (measured(backend, task) for backend in backends)
        rows.append(cheaper(f"hf-shared: {task.name}", shared.seconds, "CPU-s", "hf", plain.seconds))
    return rows


def growth() -> Iterator[Task]:
    """Yield tasks of more and more shots, choices and documents."""
    for shots in (0, 1, 5, 10):
        yield Task(f"{shots} shots", True, 107 * shots, 85, 4, 16, 16)
    for choices in (2, 4, 8):
        yield Task(f"{choices} choices", True, 535, 85, choices, 16, 16)
    for documents in (4, 16, 64):
        yield Task(f"{documents} documents", True, 535, 85, 4, 16, documents)


def compare(backends: tuple[HFLM, SharedPrefixLM], tasks: Any) -> None:
    """Print both backends side by side, one task a line."""
    print(
        f"{'':22}{'docs/s':>14}{'':>8}{'tokens':>24}{'computed/':>11}{'peak MB':>14}{'largest':>10}{'greedy':>8}\n"
        f"{'':22}{'hf':>7}{'shared':>7}{'gain':>8}{'hf':>8}{'shared':>8}{'distinct':>8}{'distinct':>11}"
        f"{'hf':>7}{'shared':>7}{'|diff|':>10}{'flips':>8}"
    )
    for task in tasks:
        plain, shared = (measured(backend, task) for backend in backends)
        difference, flips = apart(plain, shared)
        tokens = shared.tokens
        print(
            f"{task.name:22}{task.documents / plain.seconds:7.2f}{task.documents / shared.seconds:7.2f}"
            f"{plain.seconds / shared.seconds:7.1f}x{tokens['hf']:8}{tokens['computed']:8}{tokens['distinct']:8}"
            f"{tokens['computed'] / tokens['distinct']:11.2f}{plain.memory:7.0f}{shared.memory:7.0f}"
            f"{difference:10.1e}{flips:8}",
            flush=True,
        )


def low_precision(exact: Any, rounded: Any, documents: int) -> None:
    """Print how far both backends are from each other and from float32."""
    task = Task("cloze, own shots", False, 535, 85, 4, 16, documents)
    reference = measured(exact[0], task)
    plain, shared = (measured(backend, task) for backend in rounded)
    for name, pair in {
        "hf, from float32": (plain, reference),
        "hf-shared, from float32": (shared, reference),
        "hf-shared, from hf": (shared, plain),
    }.items():
        difference, _ = apart(*pair)
        best = [np.reshape([each for each, _ in one.answers], (documents, -1)).argmax(1) for one in pair]
        print(f"{name:26}{difference:8.3f}{int((best[0] != best[1]).sum()):5} of {documents}")


def suite() -> None:
    """Print what the whole suite takes, and whether every metric is the same."""
    made = random_model("small")
    before = Path.cwd()
    with contextlib.ExitStack() as stack:
        stack.callback(os.chdir, before)
        os.chdir(bundled("data") / "samples")
        tasks = TaskManager(include_path=str(bundled("tasks")), include_defaults=False)
        settings = {"pretrained": made, "tokenizer": text_tokenizer(), "max_length": 2048, "batch_size": 8}
        print("\ntucano2_suite on the samples")
        found = {}
        for name, kind in (("hf", HFLM), ("hf-shared", SharedPrefixLM)):
            start, wall = time.process_time(), time.perf_counter()
            done = lm_eval.simple_evaluate(
                model=kind(**settings), tasks=["tucano2_suite"], task_manager=tasks, bootstrap_iters=0
            )
            seconds, wall = time.process_time() - start, time.perf_counter() - wall
            print(f"{name:12}{seconds:7.1f} CPU-s {wall:7.1f} s {done['config'].get('loglikelihood_tokens', '')}")
            found[name] = {
                (task, metric): value
                for task, metrics in done["results"].items()
                for metric, value in metrics.items()
                if isinstance(value, float)
            }
    other = [each for each, value in found["hf"].items() if not close(value, found["hf-shared"][each])]
    print(f"{len(found['hf'])} metrics, of which differ: {', '.join(map(str, other)) or 'none'}")


def close(one: float, other: float) -> bool:
    """Return whether a metric is the same: a perplexity as its logarithm is, all others exactly."""
    return one == other or abs(np.log(one / other)) < 1e-5 < one


def text_tokenizer() -> Any:
    """Make a tokenizer of merged pairs of bytes, trained on the samples in the working directory."""
    import tokenizers

    made = tokenizers.ByteLevelBPETokenizer()
    texts = (path.read_text() for path in sorted(Path().rglob("*.jsonl")))
    made.train_from_iterator(texts, 4096, special_tokens=["<s>", "</s>"], show_progress=False)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made._tokenizer, bos_token="<s>", eos_token="</s>"
    )


def apart(one: Measured, other: Measured) -> tuple[float, int]:
    """Return the largest difference in nats, and how many greedy flags differ."""
    pairs = list(zip(one.answers, other.answers, strict=True))
    return max(abs(a[0] - b[0]) for a, b in pairs), sum(a[1] != b[1] for a, b in pairs)


def measured(backend: Any, task: Task) -> Measured:
    """Run the task, on a CPU in a process of its own, for its memory."""
    pairs = task.pairs()
    requests = [Instance("loglikelihood", {}, pair, index) for index, pair in enumerate(pairs)]
    if backend.device.type == "cpu":
        return in_child(lambda: run(backend, requests, time.process_time, resident))
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    return run(backend, requests, time.perf_counter, lambda: (torch.cuda.max_memory_allocated() - before) / 2**20)


def run(
    backend: Any, requests: list[Instance], clock: Callable[[], float], memory: Callable[[], float]
) -> Measured:
    """Time the backend; what it tells of its tokens is counted from here on."""
    before, start, told = memory(), clock(), tokens_of(backend)
    answers = backend.loglikelihood(requests, disable_tqdm=True)
    seconds = clock() - start
    counted = {kind: count - told[kind] for kind, count in tokens_of(backend).items()}
    return Measured(seconds, memory() - before, answers, counted)


def tokens_of(backend: Any) -> dict[str, int]:
    """Return the tokens that the backend has counted so far, none if it counts none."""
    return dict(backend.get_model_info().get("loglikelihood_tokens", {}))


def resident() -> float:
    """Return this process's peak memory in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def in_child(work: Callable[[], Measured]) -> Measured:
    """Return what the work returns in a fork of this process."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=lambda: theirs.send(work()))
    child.start()
    found: Measured = ours.recv()
    child.join()
    return found


def random_model(shape: str) -> Any:
    """Make a Llama of random weights."""
    width, inner, layers, heads = SHAPES[shape]
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=WORDS + 3,
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=1,
    )
    return transformers.AutoModelForCausalLM.from_config(config).eval()


def word_tokenizer() -> Any:
    """Make a tokenizer of which each token is a word."""
    import tokenizers

    names = ["<s>", "</s>", "<unk>", *(f"w{number}" for number in range(WORDS))]
    words = tokenizers.models.WordLevel({name: index for index, name in enumerate(names)}, unk_token="<unk>")
    made = tokenizers.Tokenizer(words)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


if __name__ == "__main__":
    main()
