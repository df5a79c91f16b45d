"""A worker: takes cells from a sweep's folder until none is left.

    python -m lm_eval_ifeval_pt.sweep.worker FOLDER PLAN

It imports, loads tasks, builds their requests and makes a model once; between checkpoints only weights change.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import logging
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

from lm_eval_ifeval_pt.sweep import tasks
from lm_eval_ifeval_pt.sweep.checkpoints import Checkpoint, digest
from lm_eval_ifeval_pt.sweep.errors import CellError, SweepError
from lm_eval_ifeval_pt.sweep.folder import CELL, FOR_GOOD, Folder, State, write_json
from lm_eval_ifeval_pt.sweep.model import StandingModel, is_out_of_memory, model_args
from lm_eval_ifeval_pt.sweep.owner import Owner
from lm_eval_ifeval_pt.sweep.plan import Cell, Plan
from lm_eval_ifeval_pt.sweep.samples import KeptSamples, WrittenInto
from lm_eval_ifeval_pt.sweep.settings import version
from lm_eval_ifeval_pt.sweep.tasks import KeptTask

_BOOTSTRAP = 100_000  # iterations for standard errors, as the harness's command line has it
_POLL = 5.0  # seconds between looks for new cells, under --stay

Rows = KeptSamples | list[dict[str, Any]]
"""Of a sample file: kept, or as the harness logs them."""


class Stopped(BaseException):
    """Someone asks this worker to stop: the cell in flight is given back."""


class Worker:
    """Evaluates cells of one plan."""

    def __init__(self, folder: Folder, plan: Plan) -> None:
        self.folder, self.plan = folder, plan
        self.owner = Owner.this()
        self.model = StandingModel(plan.settings, folder.path / "tokens")
        self._tasks: dict[str, dict[str, KeptTask]] = {}  # by tokenizer, on which prompts may depend
        self._environment: dict[str, Any] = {}
        self._broken: dict[str, CellError] = {}  # checkpoints that cannot be loaded, by their weights
        self._next: Checkpoint | None = None  # which probably comes after the one that stands

    def run(self, stay: bool = False) -> int:
        """Work until no cell is left, or for good. Returns the number of cells evaluated."""
        self.folder.index()
        parent, evaluated = os.getppid(), 0
        while os.getppid() == parent:
            taken = self._take()
            if taken is not None:
                evaluated += self._attempt(*taken)
            elif not stay:
                break
            else:
                time.sleep(_POLL)
        return evaluated

    def _take(self) -> tuple[Cell, int, State] | None:
        """The lease of the next cell: of the checkpoint that stands, else of one that no other works on."""
        cells = unique(self.plan.cells(self.folder.checkpoints(self.plan)))
        while True:
            states = [(cell, self.folder.state(cell, self.plan.retries)) for cell in cells]
            free = [(cell, state) for cell, state in states if state.status == "missing"]
            busy = {cell.checkpoint for cell, state in states if state.status == "running"}
            if not free:
                return None
            standing = self.model.checkpoint
            free.sort(key=lambda pair: _urgency(pair[0], pair[1], standing, busy))
            cell, state = free[0]
            number = self.folder.take(cell, state, self.owner)
            if number is not None:
                after = (other.checkpoint for other, _ in free if other.checkpoint not in (cell.checkpoint, *busy))
                self._next = next(after, None)
                return cell, number, state

    def _attempt(self, cell: Cell, number: int, state: State) -> bool:
        """Evaluate one cell and store its result, or how it failed."""
        log = self.folder.log(cell, number)
        try:
            with _printing_to(log):
                self._evaluate(cell, number, state)
            return True
        except Stopped:
            self.folder.end(cell, number, "released", "stopped")
            raise
        except Exception as error:
            kind = _kind(error)
            if kind == "memory" and _halved(self.plan.settings.batch_size, state.halvings) in (None, 1):
                kind = "error"  # a batch of one was too much
            told = str(error) if isinstance(error, CellError) else f"{type(error).__name__}: {error}"
            with contextlib.suppress(OSError), log.open("a", encoding="utf-8") as lines:
                traceback.print_exc(file=lines)
            self.folder.end(cell, number, kind, told, log=str(log))
            return False

    def _evaluate(self, cell: Cell, number: int, state: State) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        weights = cell.checkpoint.weights
        assert weights is not None
        if weights.content in self._broken:
            raise self._broken[weights.content]
        batch_size = _halved(self.plan.settings.batch_size, state.halvings) or self.plan.settings.batch_size
        try:
            self.model.load(cell.checkpoint, batch_size)
        except CellError as error:
            if error.kind in FOR_GOOD:
                self._broken[weights.content] = error
            raise
        self.model.read_ahead(self._next)
        kept = self._kept(cell)
        is_new = not kept.requests
        results, rows = self._harness(cell, kept, batch_size)
        agreed = self.folder.agree(f"{cell.task}-{self._shared_key(cell)}", kept.requests)
        if agreed != kept.requests:
            raise CellError(
                "changed", f"{cell.task}: its requests are others ({kept.requests[:12]}) than on the rest of the curve "
                f"({agreed[:12]}): rows, or packages that write prompts, differ between workers",
            )  # fmt: skip
        record = {
            "key": cell.key,
            "task": cell.task,
            "checkpoint": asdict(cell.checkpoint),
            "parts": dict(cell.parts),
            "requests": kept.requests,
            "bits_per_byte": self.model.bits_per_byte,
            "batch_size": batch_size,
            "attempt": number,
            "owner": asdict(self.owner),
            "swapped": self.model.swapped,
            "torch": version("torch"),
            "transformers": version("transformers"),
        }
        with self.folder.storing(cell, number) as scratch:
            self._save(results, rows, cell, scratch)
            seconds = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
            write_json(scratch / CELL, record | seconds | {"finished": time.time()})
        if is_new:  # what is kept is never garbage: looking through it again and again takes longer than all the rest
            del results, rows
            gc.collect()
            gc.freeze()

    def _kept(self, cell: Cell) -> KeptTask:
        """The task, loaded once for each tokenizer."""
        weights = cell.checkpoint.weights
        assert weights is not None
        if weights.tokenizer not in self._tasks:
            loaded = tasks.load(self.plan.wanted, self.plan.settings, cell.checkpoint.source)
            self._tasks[weights.tokenizer] = {name: KeptTask(task) for name, task in loaded.items()}
        kept = self._tasks[weights.tokenizer][cell.task]
        metadata = kept.task.config.metadata if isinstance(kept.task.config.metadata, dict) else {}
        if not kept.requests:
            now, planned = tasks.parts(kept.task), self.plan.tasks[cell.task]
            parts = [name for name in now if now[name] != planned[name]]
            if weights.tokenizer != self.plan.tokenizer:  # the key has the tokenizer, as part of the weights
                parts = [name for name in parts if name != "rows"]
            if parts:
                told = ", ".join(parts)
                raise CellError("changed", f"{cell.task}: {told} differs from what was planned; call sweep again")
        if "pretrained" in metadata:
            metadata["pretrained"] = cell.checkpoint.source
        return kept

    def _shared_key(self, cell: Cell) -> str:
        """What all points of a curve share, on which the requests depend."""
        assert cell.checkpoint.weights is not None
        parts = {name: value for name, value in cell.parts.items() if name != "weights"}
        return digest([parts, cell.checkpoint.weights.tokenizer])[:16]

    def _harness(self, cell: Cell, kept: KeptTask, batch_size: int | str) -> tuple[dict[str, Any], Rows]:
        """One evaluation by the harness, with what `simple_evaluate` adds to it; and the rows of its sample file."""
        from lm_eval.loggers.utils import add_env_info, add_tokenizer_info, get_git_commit_hash

        settings, lm, started = self.plan.settings, self.model.lm, time.time()
        try:
            results = self._evaluated(cell, kept)
        except WrittenInto:
            kept.drop_samples()
            results = self._evaluated(cell, kept)
        rows: Rows
        if kept.samples is not None:
            rows = kept.samples
        else:
            rows = logged = results.pop("samples")[cell.task]
            kept.keep_samples(logged)
        results["config"] = {
            "model": settings.model,
            "model_args": model_args(settings, cell.checkpoint),
            **(lm.get_model_info() if hasattr(lm, "get_model_info") else {}),
            "batch_size": batch_size,
            "batch_sizes": list(lm.batch_sizes.values()) if hasattr(lm, "batch_sizes") else [],
            "device": settings.device,
            "use_cache": None,
            "limit": settings.limit,
            "bootstrap_iters": _BOOTSTRAP,
            "gen_kwargs": dict(settings.gen_kwargs) or None,
            "random_seed": settings.seeds[0],
            "numpy_seed": settings.seeds[1],
            "torch_seed": settings.seeds[2],
            "fewshot_seed": settings.seeds[3],
        }
        results["date"] = started
        if not self._environment:
            add_env_info(self._environment)
            self._environment["git_hash"] = get_git_commit_hash()
        results |= self._environment
        add_tokenizer_info(results, lm)
        results["sweep"] = {"run": cell.checkpoint.run, "checkpoint": cell.checkpoint.name,
                            "step": cell.checkpoint.step, "tokens": cell.checkpoint.tokens}  # fmt: skip
        return results, rows

    def _evaluated(self, cell: Cell, kept: KeptTask) -> dict[str, Any]:
        """What the harness's `evaluate` returns: with the logged rows as long as they are not kept."""
        import numpy as np
        from lm_eval.evaluator import evaluate
        from lm_eval.utils import set_torch_seed

        from lm_eval_ifeval_pt.models.shared_prefix.model import SharedPrefixLM

        settings, lm = self.plan.settings, self.model.lm
        random.seed(settings.seeds[0])
        np.random.seed(settings.seeds[1])
        set_torch_seed(settings.seeds[2])
        kept.task.set_fewshot_seed(seed=settings.seeds[3])
        if isinstance(lm, SharedPrefixLM):
            lm.count_anew()
        results: dict[str, Any] = evaluate(
            lm,
            {"tasks": {cell.task: kept.task}, "groups": {}},
            limit=settings.limit,
            bootstrap_iters=_BOOTSTRAP,
            log_samples=kept.samples is None,
            system_instruction=settings.system_instruction,
            apply_chat_template=settings.apply_chat_template,
            fewshot_as_multiturn=settings.as_multiturn,
            confirm_run_unsafe_code=settings.confirm_run_unsafe_code,
        )
        return results

    def _save(self, results: dict[str, Any], rows: Rows, cell: Cell, folder: Path) -> None:
        """Let the harness write its files, and make sure that it did: it only logs what goes wrong.

        Raises:
            OSError: a file is missing or cut short, as on a full disk.
        """
        tracker = self._tracker(cell)
        tracker.output_path = str(folder / "results.json")
        hashed = rows.hashes() if isinstance(rows, KeptSamples) else rows
        tracker.save_results_aggregated(results=results, samples={cell.task: hashed})
        written = list(folder.glob("results_*.json"))
        try:
            (result,) = written
            json.loads(result.read_text(encoding="utf-8"))
        except ValueError as error:
            raise OSError(f"{folder}: the harness did not write its result whole: {error}") from error
        if isinstance(rows, KeptSamples):
            rows.write(folder / f"samples_{cell.task}_{tracker.date_id}.jsonl")
            return
        tracker.save_results_samples(task_name=cell.task, samples=rows)
        _require_lines(folder, len(rows))

    def _tracker(self, cell: Cell) -> Any:
        from lm_eval.loggers import EvaluationTracker

        tracker, settings = EvaluationTracker(), self.plan.settings
        tracker.general_config_tracker.log_experiment_args(
            model_source=settings.model,
            model_args=model_args(settings, cell.checkpoint),
            system_instruction=settings.system_instruction,
            chat_template=self.model.lm.chat_template(settings.apply_chat_template)
            if settings.apply_chat_template
            else None,
            fewshot_as_multiturn=settings.as_multiturn,
        )
        return tracker


def _urgency(cell: Cell, state: State, standing: Checkpoint | None, busy: set[Checkpoint]) -> tuple[int, bool, bool]:
    """Sorts what is free: first what never failed, then the checkpoint that stands, then one that no other works on."""
    return len(state.failures), cell.checkpoint != standing, cell.checkpoint in busy


def unique(cells: Sequence[Cell]) -> list[Cell]:
    """The cells without those whose weights, and so whose numbers, an earlier one has."""
    first: dict[str, Cell] = {}
    for cell in cells:
        first.setdefault(cell.key, cell)
    return list(first.values())


def _require_lines(folder: Path, count: int) -> None:
    """Make sure that a sample file has so many rows.

    Raises:
        OSError: it has not.
    """
    try:
        (path,) = folder.glob("samples_*.jsonl")
    except ValueError as error:
        raise OSError(f"{folder}: the harness did not write its samples: {error}") from error
    with path.open("rb") as lines:
        complete = sum(line.endswith(b"\n") for line in lines)
    if complete != count:
        raise OSError(f"{path}: {complete} rows of {count} were written; is the disk full?")


def _kind(error: Exception) -> str:
    if isinstance(error, CellError):
        return error.kind
    if isinstance(error, NotImplementedError):
        return "unsupported"
    return "memory" if is_out_of_memory(error) else "error"


def _halved(batch_size: int | str, halvings: int) -> int | None:
    """The batch size after so many halvings; None where it is no number."""
    try:
        return max(1, int(batch_size) >> halvings)
    except ValueError:
        return None


@contextlib.contextmanager
def _printing_to(path: Path) -> Iterator[None]:
    """Send all that this process prints, in whatever language it is written, into a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        for stream in (1, 2):
            os.dup2(log, stream)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, old in zip((1, 2), kept, strict=True):
            os.dup2(old, stream)
            os.close(old)
        os.close(log)


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped


def main(arguments: Sequence[str] | None = None) -> int:
    """Work on a plan; what `sweep` and its Slurm script call."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("plan")
    parser.add_argument("--stay", action="store_true", help="wait for more checkpoints when no cell is left")
    options = parser.parse_args(arguments)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TQDM_MININTERVAL", "10")
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    logging.basicConfig(level=logging.WARNING)
    folder = Folder(options.folder.resolve())
    try:
        plan = folder.plan(options.plan)
        if plan.workplace:
            os.chdir(plan.workplace)
        evaluated = Worker(folder, plan).run(options.stay)
    except Stopped:
        print("stopped; the cell in flight was given back")
        return 0
    except (SweepError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{evaluated} cells evaluated, none left")
    return 0


if __name__ == "__main__":
    sys.exit(main())
