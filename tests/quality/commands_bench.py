"""CPU seconds of commands, from start to end of their process: `python -m tests.quality.bench --only commands`.

Start-up stands beside `import numpy`, of which each of the other commands needs at least that.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import runs
from tests.quality.row import Row, in_loops

MODELS, DOCUMENTS = 9, 200
_PASSES = 3

START = {"--help": ["--help"], "ls": ["ls"], "explain": ["explain", "ptbr:crase"]}
"""Commands that a person waits for at every call."""


def child_seconds(command: list[str]) -> float:
    """CPU seconds of a command of this Python's and its children, the best of some."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    return min(once() for _ in range(_PASSES))


def bench_rows() -> list[Row]:
    """The start of what only prints, and what reads the results of nine models."""
    ours = ["-m", "lm_eval_ifeval_pt"]
    rows = [in_loops(f"lm-eval-pt {name}", child_seconds(ours + arguments), 0.15) for name, arguments in START.items()]
    imports = "from lm_eval_ifeval_pt.ifeval import load_dataset, process_results"
    rows.append(in_loops("import the task's functions", child_seconds(["-c", imports]), 0.15))
    rows.append(in_loops("import numpy, for comparison", child_seconds(["-c", "import numpy"])))
    with tempfile.TemporaryDirectory() as name:
        folders = [
            runs.write(Path(name), f"acme/modelo-{number}", runs.careful(0.3 + 0.07 * number, number), DOCUMENTS)
            for number in range(MODELS)
        ]
        for command in ("table", "rank", "stats"):
            seconds = child_seconds([*ours, command, name])
            rows.append(in_loops(f"{command} of {MODELS} models x {DOCUMENTS} answers", seconds, 1.0))
        seconds = child_seconds([*ours, "diff", *map(str, folders[-2:])])
        rows.append(in_loops(f"diff of two models x {DOCUMENTS} answers", seconds, 1.0))
    return rows
