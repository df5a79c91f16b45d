"""A sweep's folder: the only state that its workers share.

    plans/<plan>/plan.json              tasks and settings of a call of `sweep`
    plans/<plan>/checkpoints/*.json     its checkpoints
    attempts/<key>/<n>.json             who works on a cell (a lease), for the n-th time
    attempts/<key>/<n>.ended.json       how the attempt ended, if not with a result
    attempts/<key>/<n>.log              what was printed meanwhile
    results/<run>/<checkpoint>/<task>/<key>/   the harness's files and cell.json, renamed to here when complete
    tokens/*.npz                        tokenised requests, for workers that start later
    .scratch/<key>-<n>/                 where attempt n writes them

A lease is the exclusive creation of the next attempt, which only one can succeed in; it is never deleted or renamed,
so that no two can take it over. An attempt is over when it has a result, has ended, or its owner is known to be gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import regex

from lm_eval_ifeval_pt.sweep.checkpoints import Checkpoint, Weights, digest
from lm_eval_ifeval_pt.sweep.errors import SweepError
from lm_eval_ifeval_pt.sweep.owner import Owner
from lm_eval_ifeval_pt.sweep.plan import Cell, Plan
from lm_eval_ifeval_pt.writing import replacing, usual_mode

CELL = "cell.json"
FOR_GOOD = frozenset(["unreadable", "names", "gone", "changed", "unsupported"])
"""Kinds of failure after which another try would fail too."""

FORGIVEN = "forgiven"
"""Kind of an attempt that only says: what failed before does not count."""

_SCRATCH = ".scratch"
_KEY = 16  # characters of a key in names of files


@dataclass(frozen=True)
class State:
    """How far a cell is.

    Attributes:
        status: `done`, `running`, `failed` or `missing`.
        attempt: Number of the latest attempt, 0 if there was none.
        owner: Who had or has it.
        failures: How the attempts ended that failed, oldest first.
        result: The folder of its result.
    """

    status: str
    attempt: int = 0
    owner: Owner | None = None
    failures: tuple[Mapping[str, Any], ...] = ()
    result: Path | None = None

    @property
    def halvings(self) -> int:
        """How often the batch has been halved for want of memory."""
        return sum(failure["kind"] == "memory" for failure in self.failures)


class Folder:
    """Reads and writes a sweep's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._results: dict[str, Path] = {}

    # ---- plans

    def add(self, plan: Plan, checkpoints: Iterable[Checkpoint]) -> None:
        """Store a plan and checkpoints for it; those that are there stay.

        Raises:
            SweepError: the folder cannot be written to.
        """
        home = self.path / "plans" / plan.id
        try:
            (home / "checkpoints").mkdir(parents=True, exist_ok=True)
            write_json(home / "plan.json", plan.plain())
            for checkpoint in checkpoints:
                data = asdict(checkpoint)
                write_json(home / "checkpoints" / f"{_safe(checkpoint.label)}-{digest(data)[:8]}.json", data)
        except OSError as error:
            raise SweepError(f"{self.path}: cannot be written to: {error}") from error

    def plan(self, id: str) -> Plan:
        """A stored plan."""
        return Plan.read(_read_json(self.path / "plans" / id / "plan.json"))

    def plans(self) -> list[Plan]:
        """All plans, the latest first.

        Raises:
            SweepError: there is none.
        """
        files = sorted(self.path.glob("plans/*/plan.json"), key=lambda path: -path.stat().st_mtime)
        if not files:
            raise SweepError(f"{self.path}: no sweep there (no plans/*/plan.json)")
        return [Plan.read(_read_json(path)) for path in files]

    def checkpoints(self, plan: Plan) -> list[Checkpoint]:
        """The checkpoints of a plan; of two states of one checkpoint the one stored last."""
        latest: dict[tuple[str, str], Checkpoint] = {}
        files = (self.path / "plans" / plan.id / "checkpoints").glob("*.json")
        for path in sorted(files, key=lambda path: path.stat().st_mtime_ns):
            data = _read_json(path)
            weights = data.pop("weights")
            checkpoint = Checkpoint(**data, weights=Weights(**weights) if weights else None)
            latest[checkpoint.origin] = checkpoint
        return sorted(latest.values(), key=lambda checkpoint: checkpoint.order)

    # ---- cells

    def state(self, cell: Cell, retries: int) -> State:
        """How far a cell is."""
        if (result := self.result(cell)) is not None:
            return State("done", result=result)
        attempts = self._attempts(cell)
        if not attempts:
            return State("missing")
        failures: list[Mapping[str, Any]] = []
        for number in attempts:
            ended = self._file(cell, number, "ended.json")
            if not ended.exists() or (data := _read_json(ended))["kind"] == "released":
                continue
            failures = [] if data["kind"] == FORGIVEN else [*failures, data]
        last = attempts[-1]
        owner = self._owner(cell, last)
        counted = sum(failure["kind"] != "memory" for failure in failures)
        if not self._file(cell, last, "ended.json").exists() and owner is not None and not owner.is_gone():
            status = "running"
        elif counted > retries or any(failure["kind"] in FOR_GOOD for failure in failures):
            status = "failed"
        else:
            status = "missing"
        return State(status, last, owner, tuple(failures))

    def take(self, cell: Cell, state: State, owner: Owner) -> int | None:
        """Begin the next attempt at a cell. None if another took it; the attempt's number otherwise."""
        number = state.attempt + 1
        self._home(cell).mkdir(parents=True, exist_ok=True)
        lease = self._file(cell, number, "json")
        if not create_exclusively(lease, {**asdict(owner), "time": time.time(), "cell": cell.label}):
            return None
        self._results.pop(cell.key, None)
        if self.result(cell) is not None:  # finished between our look and our lease
            self.end(cell, number, "released", "the result was there")
            return None
        return number

    def end(self, cell: Cell, attempt: int, kind: str, message: str, **more: Any) -> None:
        """Say that an attempt is over without a result: `released`, or with a kind of failure."""
        said = {"kind": kind, "message": message, "time": time.time()}
        write_json(self._file(cell, attempt, "ended.json"), said | more)

    def log(self, cell: Cell, attempt: int) -> Path:
        """Where an attempt prints to."""
        return self._file(cell, attempt, "log")

    def held(self, cells: Iterable[Cell], pid: int) -> Iterator[tuple[Cell, int]]:
        """The cells of which a process of this machine has the lease."""
        this = Owner.this()
        for cell in cells:
            if self.result(cell) is None and (attempts := self._attempts(cell)):
                owner = self._owner(cell, attempts[-1])
                ended = self._file(cell, attempts[-1], "ended.json").exists()
                if owner is None or ended:
                    continue
                if (owner.host, owner.boot, owner.pid) == (this.host, this.boot, pid):
                    yield cell, attempts[-1]

    def result(self, cell: Cell) -> Path | None:
        """The folder of a cell's result; of another checkpoint's with equal weights as well."""
        if (known := self._results.get(cell.key)) is not None:
            return known
        own = self._result(cell)
        if (own / CELL).is_file():
            self._results[cell.key] = own
            return own
        return None

    def index(self) -> None:
        """Learn all results by key, so that equal weights under two names are evaluated once."""
        for path in self.path.glob(f"results/*/*/*/*/{CELL}"):
            with contextlib.suppress(SweepError):
                self._results[_read_json(path)["key"]] = path.parent

    @contextlib.contextmanager
    def storing(self, cell: Cell, attempt: int) -> Iterator[Path]:
        """An empty folder for a cell's files, which becomes its result if nothing is raised.

        Raises:
            OSError: it cannot be written, as on a full disk.
        """
        scratch = self.path / _SCRATCH / f"{cell.key[:_KEY]}-{attempt}"
        scratch.mkdir(parents=True)
        try:
            yield scratch
            for path in scratch.iterdir():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
            target = self._result(cell)
            target.parent.mkdir(parents=True, exist_ok=True)
            scratch.rename(target)  # fails if another has written it: a folder that is not empty is never replaced
            self._results[cell.key] = target
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def clean_up(self, states: Iterable[tuple[Cell, State]]) -> None:
        """Remove what attempts that are over left half-written."""
        latest = {cell.key[:_KEY]: state for cell, state in states}
        for scratch in self.path.glob(f"{_SCRATCH}/*-*"):
            key, _, attempt = scratch.name.partition("-")
            state = latest.get(key)
            if state and (state.status != "running" or attempt != str(state.attempt)):
                shutil.rmtree(scratch, ignore_errors=True)

    def others(self, cell: Cell) -> list[Mapping[str, Any]]:
        """The `cell.json` of results of the same checkpoint and task under other keys."""
        folders = self._result(cell).parent.glob(f"*/{CELL}")
        return [data for path in folders if (data := _read_json(path))["key"] != cell.key]

    def _result(self, cell: Cell) -> Path:
        checkpoint = cell.checkpoint
        names = map(_safe, (checkpoint.run, checkpoint.name, cell.task))
        return self.path.joinpath("results", *names, cell.key[:_KEY])

    def _home(self, cell: Cell) -> Path:
        return self.path / "attempts" / cell.key[:_KEY]

    def _file(self, cell: Cell, attempt: int, end: str) -> Path:
        return self._home(cell) / f"{attempt}.{end}"

    def _attempts(self, cell: Cell) -> list[int]:
        try:
            names = os.listdir(self._home(cell))
        except OSError:
            return []
        return sorted(int(name[:-5]) for name in names if name.endswith(".json") and name[:-5].isdigit())

    def _owner(self, cell: Cell, attempt: int) -> Owner | None:
        try:
            data = _read_json(self._file(cell, attempt, "json"))
            return Owner(**{name: data[name] for name in Owner.__dataclass_fields__})
        except (SweepError, KeyError):
            return None

    # ---- requests

    def agree(self, name: str, requests: str) -> str:
        """The hash of a task's requests that the whole sweep uses: this one, if it is the first."""
        path = self.path / "requests" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        create_exclusively(path, {"requests": requests})
        agreed: str = _read_json(path)["requests"]
        return agreed


def read_cell(folder: Path) -> dict[str, Any]:
    """The `cell.json` of a result.

    Raises:
        SweepError: it cannot be read.
    """
    return _read_json(folder / CELL)


def write_json(path: Path, data: Any) -> None:
    """Write a file that is there as a whole or not at all."""
    with replacing(path, is_durable=True) as file:
        json.dump(data, file, ensure_ascii=False, indent=1, default=str)


def create_exclusively(path: Path, data: Any) -> bool:
    """Create a file with its contents in one step. False if it is there; whoever reads it never sees half of it."""
    handle, name = tempfile.mkstemp(prefix=".lease-", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(data, file, ensure_ascii=False, default=str)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, usual_mode())
        try:
            os.link(name, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links: exclusive, though a reader may see it empty for a moment
            try:
                with open(path, "x", encoding="utf-8") as file:
                    json.dump(data, file, ensure_ascii=False, default=str)
            except FileExistsError:
                return False
    finally:
        os.unlink(name)
    return True


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SweepError(f"{path}: cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise SweepError(f"{path}: a JSON object is expected")
    return data


def _safe(name: str) -> str:
    """A name that can be a folder's, as the harness makes them."""
    return regex.sub(r"[\"<>:/|\\?*\[\]\s]+", "__", name).strip(".") or "_"
