"""What our own commands ask of the harness: to evaluate in silence and to write its files where they belong."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lm_eval.loggers import EvaluationTracker


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
