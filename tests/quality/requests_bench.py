"""CPU time before the model's first token: `python -m tests.quality.requests_bench`.

First what `--tasks tucano2_suite` adds to the start of lm_eval. Then the building of 5-shot requests: this
package's definitions beside the published ones, whose Jinja the harness compiles for every document, on
synthetic rows, as many as MMLU has and about as long. Last the ten tasks of the suite, loaded and built on as many rows
as their data sets have on the Hub, in a process of its own: CPU seconds, and the most memory that it held.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import pkgutil
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.paths import bundled
from tests.quality.row import Row, at_most, in_loops

ROWS = 14_042
FEWER = 300
HUB = {
    "Polygl0t/CALAME-PT": {"test": 2076},
    "Polygl0t/LAMBADA-poly": {"test": 5153},
    "mrlbenchmarks/global-piqa-nonparallel": {"test": 100},
    "Polygl0t/ARC-poly": {"train": 1119, "validation": 299, "test": 1170},
    "Polygl0t/Hellaswag-poly": {"validation": 9229},
    "eduagarcia/enem_challenge": {"train": 1432},
    "eduagarcia-temp/BLUEX_without_images": {"train": 724},
    "eduagarcia/oab_exams": {"train": 2210},
    "facebook/belebele": {"test": 900},
    "Polygl0t/MMLU-poly": {"dev": 285, "test": 14_042},
}
"""Rows of each split."""
LONGER = {"question": 45, "flores_passage": 80, "text": 20, "ctx_a": 25, "ctx_b": 4, "prompt": 8}
"""Words by which the synthetic samples are made longer, on average, by column."""
VOCABULARY = """
água casa tempo lei país número corpo força língua história mercado célula energia direito cidade ordem obra
fonte guerra campo rio planta texto valor idade grupo forma ciência região trabalho de da em que e para
"""


def main() -> None:
    """Print CPU seconds, and whether both ways give the same requests."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    start_up()
    import datasets
    from lm_eval.api.task import ConfigurableTask

    from tests.quality import published

    datasets.disable_progress_bars()
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder, _working_in(Path(folder)):
        datasets.config.HF_DATASETS_CACHE = folder
        make_rows(Path(folder))
        for name, split in (("mmlu_poly_pt", "dev"), ("belebele_pt", "evaluated")):
            print(f"{name}, {ROWS:,} rows, 5 shots from the {split} split")
            load, ours = timed(lambda name=name: our_task(name))
            build, requests = timed(lambda task=ours: build_requests(task))
            print(f"  ours         load {load:6.1f} CPU-s, requests {build:6.1f} CPU-s")
            load, theirs = timed(lambda name=name: ConfigurableTask(config=published.config(name)))
            build, few = timed(lambda task=theirs: build_requests(task, FEWER))
            print(
                f"  Jinja        load {load:6.1f} CPU-s, requests {build * ROWS / FEWER:6.1f} CPU-s "
                f"(extrapolated from {FEWER} documents: {build:.1f} CPU-s)"
            )
            print(f"  same requests on these {FEWER}: {'yes' if few == requests[: len(few)] else 'NO'}")
    suite = in_process()
    print(
        f"ten tasks at Hub sizes: {suite['requests']:,} requests, {suite['seconds']:.1f} CPU-s, "
        f"{suite['memory']:.0f} MiB at most, {suite['before']:.0f} of them before the first task"
    )


def bench_rows() -> list[Row]:
    """Loading and building the ten tasks of the suite at the sizes of the Hub."""
    suite, work = in_process(), "the suite's ten tasks at Hub sizes, loaded and built"
    return [
        in_loops(work, suite["seconds"], 5.0),
        at_most(f"{work}: memory", suite["memory"], "MiB", "before the first task", suite["before"]),
        at_most(f"{work}: memory, whole", suite["memory"], "MiB", "one MiB", 1.0, 350),
    ]


def in_process() -> dict[str, float]:
    """The figures of `whole_suite`, in a process of its own; of the second, since the first converts from JSON."""
    with tempfile.TemporaryDirectory() as folder:
        make_hub_rows(Path(folder))
        command = [sys.executable, "-m", "tests.quality.requests_bench", folder]
        for _ in range(2):
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    figures: dict[str, float] = json.loads(printed.splitlines()[-1])
    return figures


def whole_suite(folder: str) -> None:
    """Print, as JSON, what loading and building the ten tasks takes, on the rows in a folder."""
    os.environ["LM_EVAL_IFEVAL_PT_HOOK"] = "0"
    import datasets

    from lm_eval_ifeval_pt import definitions

    datasets.disable_progress_bars()
    logging.disable(logging.WARNING)
    datasets.config.HF_DATASETS_CACHE = f"{folder}/cache"
    our_task("calame_pt", folder=bundled("data") / "samples")  # imports
    before = most_memory()
    with _working_in(Path(folder)):
        built: list[Any] = []
        seconds, _ = timed(lambda: built.extend(map(_built, definitions.members("tucano2_suite"))))
    requests = sum(len(task.instances) for task in built)
    print(json.dumps({"requests": requests, "seconds": seconds, "memory": most_memory(), "before": before}))


def _built(name: str) -> Any:
    task = our_task(name)
    build_requests(task)
    return task


def most_memory() -> float:
    """The most memory that this process has held, in MiB (of Linux: `resource` would count its parent too)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def make_hub_rows(folder: Path) -> None:
    """Write data sets of the sizes of the Hub: the samples over and over, each time with more words at their ends."""
    draw, vocabulary = random.Random(0), VOCABULARY.split()
    samples = bundled("data") / "samples"

    def longer(text: str, words: int) -> str:
        return f"{text} {' '.join(draw.choices(vocabulary, k=draw.randint(words // 2, 2 * words)))}"

    def grown(row: dict[str, Any], number: int) -> dict[str, Any]:
        row = {name: longer(value, LONGER[name]) if name in LONGER else value for name, value in row.items()}
        for name in ("choices", "endings"):
            if isinstance(options := row.get(name), dict):
                row[name] = options | {"text": [longer(text, 6) for text in options["text"]]}
            elif isinstance(options, list):
                row[name] = [longer(text, 8) for text in options]
        return row | ({"id": f"x_{number}"} if "id" in row else {})

    for hub_id, splits in HUB.items():
        for source in (path for path in (samples / hub_id).rglob("*") if path.is_file()):
            target = folder / source.relative_to(samples)
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.suffix != ".jsonl":
                shutil.copy(source, target)
                continue
            rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
            with target.open("w", encoding="utf-8") as file:
                for number in range(splits[source.stem]):
                    row = rows[number % len(rows)]
                    row = row if number < len(rows) else grown(row, number)
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")


def start_up() -> None:
    """Print what listing our definitions and importing what they name adds to the harness's own start."""
    os.environ["LM_EVAL_IFEVAL_PT_HOOK"] = "0"
    imported, _ = timed(lambda: importlib.import_module("lm_eval.tasks"))
    from lm_eval.tasks import TaskManager
    from lm_eval.tasks._index import TaskIndex

    listed, _ = timed(TaskManager)
    ours_listed, _ = timed(lambda: TaskIndex.build([bundled("tasks")]))
    package = "lm_eval_ifeval_pt.benchmarks"
    folder = importlib.import_module(package).__path__
    modules = [f"{package}.{module.name}" for module in pkgutil.iter_modules(folder)]
    ours_imported, _ = timed(lambda: [importlib.import_module(module) for module in modules])
    added, whole = ours_listed + ours_imported, imported + listed
    print(f"start of lm_eval {whole:.2f} CPU-s, our tasks add {added:.3f} ({added / whole:.1%})")


def our_task(name: str, folder: Path | None = None) -> Any:
    """One task of this package, its rows read from a folder, by default the working directory."""
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(bundled("tasks")), include_defaults=False)
    with _working_in(folder or Path.cwd()):
        return manager.load([name])["tasks"][name]


def build_requests(task: Any, limit: int | None = None) -> list[tuple[str, str]]:
    """The context and continuation of every request, with the harness's default seed."""
    task.set_fewshot_seed(1234)
    with Path(os.devnull).open("w", encoding="utf-8") as quiet, contextlib.redirect_stderr(quiet):
        task.build_all_requests(limit=limit)
    return [instance.args for instance in task.instances]


def timed(work: Any) -> tuple[float, Any]:
    """CPU seconds of a call, and what it returned."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def make_rows(folder: Path) -> None:
    """Write data sets of the size of MMLU where the definitions look for theirs."""
    draw, vocabulary = random.Random(0), VOCABULARY.split()

    def words(low: int, high: int) -> str:
        return " ".join(draw.choices(vocabulary, k=draw.randint(low, high)))

    def mmlu(split: str, size: int) -> Iterator[dict[str, Any]]:
        for number in range(size):
            options = [words(1, 15) for _ in range(4)]
            yield {
                "id": f"subject/{split}/{number}",
                "question": words(10, 80),
                "choices": options,
                "answer": draw.choice("ABCD"),
            }

    def belebele(size: int) -> Iterator[dict[str, Any]]:
        for number in range(size):
            yield {
                "link": f"https://pt.example.org/{number}",
                "question_number": 1,
                "flores_passage": words(60, 100),
                "question": words(8, 15),
                **{f"mc_answer{option}": words(1, 10) for option in range(1, 5)},
                "correct_answer_num": draw.choice("1234"),
                "dialect": "por_Latn",
                "ds": "2023-05-03",
            }

    files = {
        "Polygl0t/MMLU-poly/pt/dev.jsonl": mmlu("dev", 285),
        "Polygl0t/MMLU-poly/pt/test.jsonl": mmlu("test", ROWS),
        "facebook/belebele/por_Latn/test.jsonl": belebele(ROWS),
    }
    for name, rows in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    for hub_id in ("Polygl0t/MMLU-poly", "facebook/belebele"):
        shutil.copy(bundled("data") / "samples" / hub_id / "README.md", folder / hub_id)


@contextlib.contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


if __name__ == "__main__":
    whole_suite(sys.argv[1]) if len(sys.argv) > 1 else main()
