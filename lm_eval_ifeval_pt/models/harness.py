"""What our own commands ask of the harness: to find tasks, to evaluate in silence, to put files where they belong."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lm_eval_ifeval_pt.paths import bundled

if TYPE_CHECKING:
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager


class UnknownTaskError(LookupError):
    """There is no task, group or tag of this name.

    Attributes:
        name: The name.
        known: All names that there are.
    """

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"there is no task {name!r}")
        self.name, self.known = name, known


def task_index(
    names: Iterable[str],
    include_path: Sequence[str | Path],
    metadata: dict[str, Any],
    before_all: Callable[[], None] = lambda: None,
    needs_all: bool = False,
) -> TaskManager:
    """The index of our tasks and of further folders, or of all of the harness's too where these do not do.

    Args:
        names: Of tasks, groups and tags that it must have.
        include_path: Folders of further task definitions.
        metadata: As the harness's --metadata.
        before_all: Called before the harness reads all its definitions, which takes it seconds.
        needs_all: Whether it must have the harness's own tasks in any case.

    Raises:
        UnknownTaskError: one of the names is nowhere.
    """
    from lm_eval.tasks import TaskManager

    wanted, folders = list(names), [bundled("tasks"), *map(Path, include_path)]
    if not needs_all:
        ours = TaskManager(include_path=folders, include_defaults=False, metadata=metadata)
        if all(name in ours.all_tasks for name in wanted):
            return ours
    before_all()
    every = TaskManager(include_path=folders, metadata=metadata)
    for name in wanted:
        if name not in every.all_tasks:
            raise UnknownTaskError(name, every.all_tasks)
    return every


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the harness's warnings: what must be said to a person is said by the command."""
    logger = logging.getLogger("lm_eval")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def save(results: dict[str, Any], tracker: EvaluationTracker, folder: Path, output: Path) -> list[Path]:
    """Let the harness write a result and its samples into `folder`, then move them to their place, the result last.

    Args:
        results: The harness's result; its samples are taken out.
        tracker: A tracker whose output path is a `result.json` in `folder`.
        folder: An empty folder on the disk of `output`.
        output: Where the result belongs; the samples of an earlier run in the folder of its name are replaced.

    Returns:
        The sample files.
    """
    samples: dict[str, Sequence[Any]] = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    for task, rows in samples.items():
        tracker.save_results_samples(task_name=task, samples=rows)
    written, (result,) = sorted(folder.glob("samples_*.jsonl")), folder.glob("result_*.json")
    beside = folder_of(output)
    beside.mkdir(exist_ok=True)
    for old in beside.glob("samples_*.jsonl"):
        old.unlink()
    moved = [path.replace(beside / path.name) for path in written]
    os.replace(result, output)
    return moved


def folder_of(output: Path) -> Path:
    """The folder of samples and answers: `resultado/` beside `resultado.json`."""
    return output.with_suffix("")
