"""The cost of aggregating many result files (`python -m tests.quality.aggregation`)."""

from __future__ import annotations

import json
import resource
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from lm_eval_ifeval_pt import npm
from lm_eval_ifeval_pt.npm import leaderboard
from lm_eval_ifeval_pt.npm.baselines import BASELINES
from lm_eval_ifeval_pt.npm.formula import AVERAGES
from lm_eval_ifeval_pt.results import result_files, scores_in
from tests.quality.row import Row, in_loops

FILES = 200


def _result_file(index: int) -> str:
    """A result file as large as the harness writes them for the ten tasks: configs, versions, environment."""
    tasks = {task: BASELINES[task] for task in AVERAGES["Total"]}
    return json.dumps(
        {
            "results": {
                task: {
                    "alias": task,
                    f"{baseline.metric},none": baseline.random + (1 - baseline.random) * index / FILES,
                    f"{baseline.metric}_stderr,none": 0.01,
                    "npm,none": 100 * index / FILES,
                }
                for task, baseline in tasks.items()
            },
            "configs": {task: {"task": task, "description": "x" * 2000, "metadata": {}} for task in tasks},
            "config": {"model": "hf", "model_args": {"pretrained": f"org/model-{index}"}, "limit": None},
            "model_name": f"org/model-{index}",
            "pretty_env_info": "x" * 4000,
        },
        indent=2,
    )


class Cost(NamedTuple):
    """CPU seconds, the most memory and the memory for the work, in MB, and how many models were ranked."""

    seconds: float
    peak: float
    own: float
    models: int


def measure() -> Cost:
    """The cost of ranking 200 models."""
    with tempfile.TemporaryDirectory() as folder:
        for index in range(FILES):
            path = Path(folder) / f"model-{index}" / "results_2026-01-01T00-00-00.000000.json"
            path.parent.mkdir()
            path.write_text(_result_file(index), encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        found = [score for path in result_files([folder]) for score in scores_in(path)]
        board = leaderboard.build(found)
        totals = {
            model: estimate
            for model, entries in board.entries.items()
            if (
                estimate := npm.average(
                    {task: entry.npm for task, entry in entries.items()}, AVERAGES["Total"]
                ).estimate
            )
        }
        npm.npm_ranks(totals)
        seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Cost(seconds, peak / 1024, (peak - before) / 1024, len(totals))


def bench_rows() -> list[Row]:
    """Reading and ranking all result files."""
    return [in_loops(f"NPM of {FILES} result files", measure().seconds, 2.0)]


def main() -> None:
    """Print the seconds and the peak memory of ranking 200 models."""
    cost = measure()
    print(
        f"aggregating {FILES} result files ({cost.models} models ranked): {cost.seconds:.2f} CPU-s (bar 2), "
        f"peak {cost.peak:.0f} MB, {cost.own:.0f} MB of it for the work (bar 300)"
    )


if __name__ == "__main__":
    main()
