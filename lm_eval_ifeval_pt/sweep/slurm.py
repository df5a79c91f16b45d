"""The engine of a cluster: a script for `sbatch --array` whose jobs are workers; Slurm's accounting is not needed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from lm_eval_ifeval_pt.sweep.errors import SweepError
from lm_eval_ifeval_pt.sweep.plan import Plan

_OURS = ("array", "job-name", "output", "signal", "requeue", "open-mode")
_REQUEUES = 20

_SCRIPT = """\
#!/bin/bash
# {cells}: {workers} workers, which take cells from
# {folder}
# until none is left. Written by `lm-eval-pt sweep --executor slurm`; edit it as your cluster needs, then: sbatch {name}
#SBATCH --job-name=lm-eval-pt-sweep
#SBATCH --array=0-{last}
#SBATCH --output={logs}/%A_%a.log
#SBATCH --open-mode=append
#SBATCH --requeue
{signal}{options}
# module load ...; a container goes in front of "$PYTHON" below

PYTHON={python}
export HF_HUB_OFFLINE="${{HF_HUB_OFFLINE:-{offline}}}"
cd {workplace} || exit 1

# Before the time limit Slurm sends USR1 to this shell: the worker gives its cell back, and the job is queued again.
out_of_time() {{
  kill -TERM "$worker" 2>/dev/null
  wait "$worker"
  if [ "${{SLURM_RESTART_COUNT:-0}}" -lt {requeues} ]; then
    scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}"
  fi
  exit 0
}}
trap out_of_time USR1

"$PYTHON" -m lm_eval_ifeval_pt.sweep.worker {folder} {plan} &
worker=$!
wait "$worker"
"""


def script(folder: Path, plan: Plan, options: str, workers: int) -> str:
    """The script.

    Args:
        folder: Of the sweep.
        plan: What to evaluate.
        options: Options of sbatch, `partition=gpu,time=04:00:00,gres=gpu:1`; a name alone is a flag.
        workers: Jobs of the array.

    Raises:
        SweepError: an option is one that the script itself sets.
    """
    given = [option.strip().lstrip("-") for option in options.split(",") if option.strip()]
    for option in given:
        if (name := option.partition("=")[0]) in _OURS and name != "signal":
            raise SweepError(f"--slurm {name}: the script sets it; --print writes the script, to be edited")
    has_signal = any(option.startswith("signal=") for option in given)
    return _SCRIPT.format(
        cells=f"{len(plan.tasks)} tasks",
        workers=workers,
        folder=shlex.quote(str(folder)),
        name=shlex.quote(str(_path(folder, plan))),
        last=workers - 1,
        logs=folder / "slurm",
        signal="" if has_signal else "#SBATCH --signal=B:USR1@120\n",
        options="\n".join(f"#SBATCH --{option}" for option in given),
        python=shlex.quote(sys.executable),
        offline=os.environ.get("HF_HUB_OFFLINE", "0"),
        workplace=shlex.quote(plan.workplace or str(folder)),
        requeues=_REQUEUES,
        plan=plan.id,
    )


def write(folder: Path, plan: Plan, text: str) -> Path:
    """Write the script into the sweep's folder."""
    path = _path(folder, plan)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def submit(path: Path) -> str:
    """Hand the script to Slurm. Returns what it says.

    Raises:
        SweepError: there is no Slurm, or it refuses.
    """
    if shutil.which("sbatch") is None:
        raise SweepError(f"there is no sbatch on this machine; the script is written: {path}")
    said = subprocess.run(["sbatch", str(path)], capture_output=True, text=True, check=False)
    if said.returncode:
        raise SweepError(f"sbatch refuses {path}: {said.stderr.strip() or said.stdout.strip()}")
    return said.stdout.strip()


def _path(folder: Path, plan: Plan) -> Path:
    return folder / "slurm" / f"{plan.id}.sh"
