"""What a checkpoint costs beyond the model: `python -m tests.quality.sweep_bench`.

First `tucano2_suite` on the bundled samples: a loop of `lm_eval` processes beside one sweep of the same checkpoints.
Then rows of the real number (synthetic, short) for the same suite: CPU seconds of each checkpoint in all and in calls
of the model, which is small (0.3 million weights), so that what is not the model shows.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests import checkpoints as written
from tests.quality.row import Row, cheaper, in_loops

SUITE = "tucano2_suite"
SHORT = {"max_gen_toks": 4}
BEYOND = "a sweep, each checkpoint after the first, beyond its model's calls"
OPTIONS = ["--tasks", SUITE, "--model", "hf-shared", "--batch_size", "8", "--device", "cpu"]
ROWS = {
    "CALAME-PT": 2076, "LAMBADA-poly": 5153, "global-piqa-nonparallel": 100, "ARC-poly": 1170, "Hellaswag-poly": 9229,
    "enem_challenge": 1430, "BLUEX_without_images": 724, "oab_exams": 2210, "belebele": 900, "MMLU-poly": 14042,
}  # fmt: skip


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkpoints", type=int, default=8, help="of the first part")
    parser.add_argument("--share", type=float, default=1.0, help="of the real number of rows, in the second part")
    parser.add_argument("--only", choices=["samples", "rows"])
    options = parser.parse_args()
    with offline_folder() as folder:
        if options.only != "rows":
            samples(folder, options.checkpoints)
        if options.only != "samples":
            rows(folder, options.share)


def bench_rows(count: int = 4) -> list[Row]:
    """A sweep beside a loop of processes, and what a later checkpoint costs beyond the calls of its model."""
    with offline_folder() as folder:
        loop, sweep, later = loop_and_sweep(folder, count)
        on_samples = in_own_process(folder / "few", written.SAMPLES, folder / "b", {})[-1]
        on_rows = in_own_process(*many(folder, 1.0), folder / "c", SHORT)[-1]
    beside = "a loop of lm_eval"
    return [
        cheaper(f"a sweep of {count} checkpoints, each", sweep, "CPU-s", beside, loop),
        cheaper("a sweep, each checkpoint after the first", later, "CPU-s", beside, loop, goal=8),
        cheaper(BEYOND, on_samples.beyond, "CPU-s", f"{beside}, beyond the same calls", loop - on_samples.model),
        in_loops(f"{BEYOND}, samples", on_samples.beyond, goal=0.5),
        in_loops(f"{BEYOND}, {sum(ROWS.values()):,} rows", on_rows.beyond, goal=3.0),
    ]


@contextlib.contextmanager
def offline_folder() -> Iterator[Path]:
    """A folder for all that is made, with the cache of `datasets` in it; this process and its children ask no Hub."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_WAIT_POLICY": "passive"}
    with tempfile.TemporaryDirectory() as name:
        os.environ["HF_DATASETS_CACHE"] = f"{name}/cache"
        yield Path(name)


def samples(folder: Path, count: int) -> None:
    """Print a loop of processes beside a sweep, on the bundled samples."""
    loop, sweep, later = loop_and_sweep(folder, count)
    print(f"{SUITE} on the samples, {count} checkpoints, CPU-s")
    print(f"  a loop of lm_eval     {loop:6.1f} per checkpoint")
    print(f"  one sweep             {sweep:6.1f} per checkpoint, {loop / sweep:.1f} times less")
    print(f"  each after the first  {later:6.1f}, {loop / later:.1f} times less")


def loop_and_sweep(folder: Path, count: int) -> tuple[float, float, float]:
    """CPU seconds per checkpoint: of a loop of processes, of a sweep, and of the sweep after its first checkpoint."""
    paths = written.write(folder / "few", range(100, 100 * count + 1, 100), width=64, vocabulary=1200)
    loop = sum(
        child_seconds(["lm_eval", *OPTIONS, "--model_args", f"pretrained={path}", "--output_path", str(folder / "loop"),
                       "--log_samples"]) for path in paths[:2]
    ) / 2  # fmt: skip
    sweep = child_seconds(["lm_eval_ifeval_pt", "sweep", str(folder / "few"), *OPTIONS, "--output", str(folder / "a")])
    seconds = by_checkpoint(folder / "a")
    later = seconds[1:]
    return loop, sweep / count, sum(later) / len(later)


def child_seconds(command: list[str]) -> float:
    """CPU seconds of a command of this Python's, and all its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", *command], check=True, cwd=written.SAMPLES, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def by_checkpoint(sweep: Path) -> list[float]:
    """CPU seconds of the worker for each checkpoint, in the order of evaluation."""
    cells = [json.loads(path.read_text()) for path in sweep.glob("results/**/cell.json")]
    cells.sort(key=lambda cell: cell["finished"])
    seconds: dict[str, float] = {}
    for cell in cells:
        name = cell["checkpoint"]["name"]
        seconds[name] = seconds.get(name, 0.0) + cell["cpu_seconds"]
    return list(seconds.values())


def rows(folder: Path, share: float) -> None:
    """Print what the checkpoints of a sweep cost over as many rows as the benchmarks have."""
    checkpoints = in_own_process(*many(folder, share), folder / "c", SHORT)
    print(f"{SUITE} on {sum(ROWS.values()) * share:,.0f} rows, CPU-s of each checkpoint")
    print("                    all   model  beyond")
    for each in checkpoints:
        print(f"  {each.name:12} {each.seconds:9.1f}{each.model:8.1f}{each.beyond:8.1f}")
    for task, (seconds, model) in checkpoints[-1].by_task.items():
        print(f"    {task:24}{seconds:8.1f}{model:8.1f}{seconds - model:8.2f}")


@dataclass(frozen=True)
class Spent:
    """CPU seconds that a checkpoint took.

    Attributes:
        name: The checkpoint.
        by_task: In all, and in calls of the model.
    """

    name: str
    by_task: dict[str, tuple[float, float]]

    @property
    def seconds(self) -> float:
        """In all."""
        return sum(seconds for seconds, _ in self.by_task.values())

    @property
    def model(self) -> float:
        """In calls of the model."""
        return sum(model for _, model in self.by_task.values())

    @property
    def beyond(self) -> float:
        """Beyond the calls of the model."""
        return self.seconds - self.model


def many(folder: Path, share: float) -> tuple[Path, Path]:
    """Two checkpoints, and the folder of data sets with so large a share of the real number of rows."""
    data = folder / "data"
    for name, count in ROWS.items():
        grow(name, data, max(12, round(share * count)))
    made_of = (line for path in sorted(written.SAMPLES.rglob("*.jsonl")) for line in path.open(encoding="utf-8"))
    written.write(folder / "many", (100, 200), width=64, vocabulary=4096, texts=made_of)
    return folder / "many", data


def in_own_process(models: Path, data: Path, output: Path, gen_kwargs: dict[str, Any]) -> list[Spent]:
    """What `evaluated` measures, with a cache of its own: `datasets` takes rows of one name for the same rows."""
    os.environ["HF_DATASETS_CACHE"] = f"{output}-cache"
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(evaluated, models, data, output, gen_kwargs).result()


def evaluated(models: Path, data: Path, output: Path, gen_kwargs: dict[str, Any]) -> list[Spent]:
    """What the checkpoints cost in one worker, in the order of evaluation."""
    from lm_eval_ifeval_pt.sweep import checkpoints, plan
    from lm_eval_ifeval_pt.sweep.folder import Folder
    from lm_eval_ifeval_pt.sweep.settings import Settings
    from lm_eval_ifeval_pt.sweep.worker import Worker

    with working_in(data):
        planned, _ = checkpoints.discover([models])
        planned = [replace(each, weights=checkpoints.fingerprint(Path(each.source))) for each in planned]
        settings = Settings(model="hf-shared", batch_size=8, device="cpu", gen_kwargs=gen_kwargs)
        made = plan.make([SUITE], settings, planned[0], 0, str(data))
        home = Folder(output)
        home.add(made, planned)
        with forward_seconds() as spent:
            Worker(home, made).run()
    cells = [json.loads(path.read_text()) for path in home.path.glob("results/**/cell.json")]
    by_checkpoint: dict[str, dict[str, tuple[float, float]]] = {}
    for cell in sorted(cells, key=lambda cell: cell["finished"]):
        name, task = cell["checkpoint"]["name"], cell["task"]
        by_checkpoint.setdefault(name, {})[task] = cell["cpu_seconds"], spent[name, task]
    return [Spent(name, by_task) for name, by_task in by_checkpoint.items()]


def grow(name: str, data: Path, count: int) -> None:
    """Copy a data set of the samples, its evaluated split repeated to so many rows that differ by a number."""
    (source,) = [path for path in written.SAMPLES.glob("*/*") if path.name == name]
    target = data / source.relative_to(written.SAMPLES)
    shutil.copytree(source, target)
    files = [path for path in target.rglob("*.jsonl") if path.stem == "test"] or list(target.rglob("*.jsonl"))
    (file,) = files
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    with file.open("w", encoding="utf-8") as out:
        for number in range(count):
            row = dict(lines[number % len(lines)])
            longest = max((key for key in row if isinstance(row[key], str)), key=lambda key: len(row[key]))
            row[longest] = f"{number} {row[longest]}"
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """With another working directory."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def forward_seconds() -> Iterator[dict[tuple[str, str], float]]:
    """CPU seconds in calls of the model, by checkpoint and task."""
    from lm_eval.models.huggingface import HFLM

    from lm_eval_ifeval_pt.models.shared_prefix.forward import Forward
    from lm_eval_ifeval_pt.sweep.worker import Worker

    spent: dict[tuple[str, str], float] = {}
    current = [("", "")]

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            start = time.process_time()
            try:
                return function(*arguments, **more)
            finally:
                spent[current[0]] = spent.get(current[0], 0.0) + time.process_time() - start

        return call

    def named(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, cell: Any, *arguments: Any) -> Any:
            current[0] = cell.checkpoint.name, cell.task
            spent.setdefault(current[0], 0.0)
            return function(self, cell, *arguments)

        return call

    kept = Forward.__call__, HFLM._model_generate, Worker._evaluate
    Forward.__call__ = timed(kept[0])  # type: ignore[method-assign]
    HFLM._model_generate = timed(kept[1])
    Worker._evaluate = named(kept[2])  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        Forward.__call__, HFLM._model_generate, Worker._evaluate = kept  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
