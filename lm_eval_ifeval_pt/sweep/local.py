"""The engine of one machine: a worker for each GPU, or so many on the CPU, as processes of the standard library."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from lm_eval_ifeval_pt.sweep import status
from lm_eval_ifeval_pt.sweep.folder import Folder
from lm_eval_ifeval_pt.sweep.plan import Plan
from lm_eval_ifeval_pt.sweep.worker import unique

_POLL = 0.5  # seconds
_GRACE = 30.0  # seconds that workers have to give their cells back


@dataclass(frozen=True)
class Slot:
    """Where a worker runs: on these GPUs, or on the CPU with so many threads (0: as the libraries choose)."""

    name: str
    gpus: tuple[str, ...] = ()
    threads: int = 0

    def environment(self) -> dict[str, str]:
        """The environment of a worker there."""
        added = {"TOKENIZERS_PARALLELISM": "false"}
        if self.gpus:
            added["CUDA_VISIBLE_DEVICES"] = ",".join(self.gpus)
        if self.threads and "OMP_NUM_THREADS" not in os.environ:
            added["OMP_NUM_THREADS"] = str(self.threads)
        return dict(os.environ) | added


def slots(number: int | None, gpus: Sequence[str], each: int) -> list[Slot]:
    """The places for workers: one for every `each` GPUs, at most `number`; without GPUs `number` on the CPU, or one.

    Raises:
        ValueError: there are fewer GPUs than one worker needs.
    """
    if gpus:
        groups = [tuple(gpus[start : start + each]) for start in range(0, len(gpus) - each + 1, each)]
        if not groups:
            raise ValueError(f"--gpus-per-worker {each}, and there are {len(gpus)} GPUs")
        return [Slot(f"gpu-{'-'.join(group)}", group) for group in groups[:number]]
    count = number or 1
    threads = max(1, (os.cpu_count() or 1) // count) if count > 1 else 0
    return [Slot(f"cpu-{index}", (), threads) for index in range(count)]


def run(folder: Folder, plan: Plan, places: Sequence[Slot], tick: Callable[[], None], stay: bool = False) -> bool:
    """Run workers until every cell is done or has failed. A worker that dies costs its cell one try, and is replaced.

    Args:
        folder: Of the sweep.
        plan: What to evaluate.
        places: A worker for each.
        tick: Called between looks at the workers.
        stay: Whether workers wait for more checkpoints when no cell is left.

    Returns:
        Whether it ended by itself; False when a worker would not start.
    """
    logs = folder.path / "workers"
    logs.mkdir(parents=True, exist_ok=True)
    running: dict[Slot, subprocess.Popen[bytes]] = {}
    fruitless = 0
    try:
        while True:
            tick()
            if not running:
                left = {line.state.status for line in status.of_plan(folder, plan)}
                if "missing" in left or stay:
                    running = {slot: _start(folder, plan, slot, logs, stay) for slot in places}
                elif "running" not in left:
                    return True
            time.sleep(_POLL)  # with nothing of our own running: for cells that workers of another call have
            for slot, process in list(running.items()):
                code = process.poll()
                if code is None:
                    continue
                del running[slot]
                crashed = _record_crash(folder, plan, process.pid, code)
                if code == 0:
                    continue
                fruitless = 0 if crashed else fruitless + 1
                if code == 2 or fruitless > len(places):  # it cannot work, with or without another try
                    return False
                running[slot] = _start(folder, plan, slot, logs, stay)
    finally:
        _stop(running.values())


def _start(folder: Folder, plan: Plan, slot: Slot, logs: Path, stay: bool) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "lm_eval_ifeval_pt.sweep.worker", str(folder.path), plan.id]
    with (logs / f"{slot.name}.log").open("ab") as log:
        return subprocess.Popen(
            [*command, *(["--stay"] if stay else [])],
            env=slot.environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def _record_crash(folder: Folder, plan: Plan, pid: int, code: int) -> bool:
    """Write down for the cell of a dead worker that the try failed. Whether there was such a cell."""
    crashed = False
    for cell, attempt in list(folder.held(unique(plan.cells(folder.checkpoints(plan))), pid)):
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        hint = " (the system's memory may have run out)" if how == "signal SIGKILL" else ""  # Windows knows none
        log = str(folder.log(cell, attempt))
        folder.end(cell, attempt, "crash", f"the worker ended with {how}{hint}", log=log)
        crashed = True
    return crashed


def _stop(processes: Collection[subprocess.Popen[bytes]]) -> None:
    alive = [process for process in processes if process.poll() is None]
    for process in alive:
        process.terminate()
    end = time.monotonic() + _GRACE
    for process in alive:
        try:
            process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()

