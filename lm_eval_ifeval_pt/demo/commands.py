"""The commands that the demo shows and runs: the harness's and this package's own."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

_MODULES = {"lm_eval": "lm_eval", "lm-eval-pt": "lm_eval_ifeval_pt"}  # where the scripts are not installed
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",  # the checkpoint is a folder; nothing has to be asked of the Hub
    "TOKENIZERS_PARALLELISM": "false",
}


class DemoError(RuntimeError):
    """The demo cannot go on. The message says why and what to do."""


def evaluate(checkpoint: Path, tasks: Iterable[str], results: Path) -> list[str]:
    """The harness's command that runs tasks on a checkpoint."""
    return [
        *("lm_eval", "--tasks", ",".join(tasks), "--model", "hf", "--model_args", f"pretrained={checkpoint}"),
        *("--device", "cpu", "--batch_size", "64", "--gen_kwargs", "max_gen_toks=256"),
        *("--output_path", str(results), "--log_samples"),
    ]


def suite(checkpoint: Path, results: Path) -> list[str]:
    """The harness's command that runs the Tucano 2 suite; in `data/samples` it reads the rows that lie there."""
    return [
        *("lm_eval", "--tasks", "tucano2_suite", "--model", "hf"),
        *("--model_args", f"pretrained={checkpoint.resolve()}", "--device", "cpu", "--batch_size", "8"),
        *("--limit", "8", "--output_path", str(results.resolve())),
    ]


def table(results: Path) -> list[str]:
    """The command that prints a run by restriction."""
    return ["lm-eval-pt", "table", str(results)]


def show(command: list[str], console: Console, folder: Path | None = None) -> None:
    """Print a command as one would type it, and run it.

    Raises:
        DemoError: it failed.
    """
    line = f"cd {shlex.quote(str(folder))} && HF_HUB_OFFLINE=1 {shlex.join(command)}" if folder else shlex.join(command)
    console.print(f"\n$ {line}", style="bold", markup=False, highlight=False, soft_wrap=True)
    console.file.flush()
    call(command, folder)


def call(command: list[str], folder: Path | None = None) -> None:
    """Run a command of this Python's environment, in a folder, its output where ours goes.

    Raises:
        DemoError: it failed.
    """
    name, *arguments = command
    script = shutil.which(name, path=sysconfig.get_path("scripts"))
    start = [script] if script else [sys.executable, "-m", _MODULES[name]]
    code = subprocess.run([*start, *arguments], env=_ENVIRONMENT | os.environ, cwd=folder, check=False).returncode
    if code:
        raise DemoError(
            f"exit status {code} of: {shlex.join(command)}\n"
            "The checkpoints are kept. `lm-eval-pt doctor` says whether the harness finds our tasks."
        )
