"""Sweeps on a real Slurm, where one answers; `.ci/slurm` starts one on a machine that has its packages."""

import json
import re
import subprocess
import sys
import time

import pytest

from lm_eval_ifeval_pt.sweep import slurm
from lm_eval_ifeval_pt.sweep.errors import SweepError
from lm_eval_ifeval_pt.sweep.folder import CELL
from lm_eval_ifeval_pt.sweep.plan import Plan
from lm_eval_ifeval_pt.sweep.settings import Settings
from tests import checkpoints as written

OPTIONS = ["--tasks", "calame_pt,ifeval_pt", "--model", "hf", "--batch_size", "4", "--device", "cpu", "--limit", "4",
           "--gen_kwargs", "max_gen_toks=8"]  # fmt: skip
PLAN = Plan(("ifeval_pt",), Settings(), {"ifeval_pt": {}}, workplace="/data/runs")


# The script


def test_the_script_is_an_array_of_workers_that_a_person_can_edit(tmp_path):
    """Options of sbatch as given, time-out signal, requeue, and the plain command of a worker; bash reads it."""
    text = slurm.script(tmp_path / "my sweep", PLAN, "partition=gpu,time=04:00:00,gres=gpu:1,exclusive", 16)
    for line in ("--array=0-15", "--partition=gpu", "--time=04:00:00", "--gres=gpu:1", "--exclusive", "--requeue",
                 "--signal=B:USR1@120"):  # fmt: skip
        assert f"#SBATCH {line}\n" in text
    assert f"-m lm_eval_ifeval_pt.sweep.worker '{tmp_path / 'my sweep'}' {PLAN.id} &" in text
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0


def test_options_that_the_script_sets_are_refused(tmp_path):
    """Given twice, sbatch would take one of them silently."""
    with pytest.raises(SweepError, match="array"):
        slurm.script(tmp_path, PLAN, "array=0-3", 2)


def test_without_slurm_the_script_is_written_all_the_same(tmp_path, monkeypatch):
    """And the message says where it is."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SweepError, match=r"no sbatch on this machine; the script is written: .*\.sh"):
        slurm.submit(slurm.write(tmp_path, PLAN, slurm.script(tmp_path, PLAN, "", 1)))


# A real one


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A training with six checkpoints."""
    folder = tmp_path_factory.mktemp("trainings") / "run"
    written.write(folder, range(100, 700, 100))
    return folder


def submit(run, sweep, *options):
    """Submit; the number of the job."""
    command = [sys.executable, "-m", "lm_eval_ifeval_pt", "sweep", str(run), *OPTIONS, "--output", str(sweep)]
    command += ["--executor", "slurm", *options]
    done = subprocess.run(command, cwd=written.SAMPLES, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return re.search(r"Submitted batch job (\d+)", done.stdout)[1]


def jobs(number):
    """The states of the tasks of an array that are not over, by task."""
    command = ["squeue", "--noheader", "--array", f"--jobs={number}", "--format=%i %T %r"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return {line.split()[0]: line.split()[1:] for line in said.splitlines()}


def wait(number, until=lambda states: not states, seconds=300):
    """Wait for a state of the jobs."""
    end = time.monotonic() + seconds
    while not until(jobs(number)):
        assert time.monotonic() < end, jobs(number)
        time.sleep(0.5)


def evaluated(sweep):
    """The `cell.json` of each result, each cell once."""
    cells = [json.loads(path.read_text()) for path in sweep.glob(f"results/**/{CELL}")]
    assert len({cell["key"] for cell in cells}) == len(cells)
    return cells


def status(sweep):
    """Exit code of --status."""
    return subprocess.run(
        [sys.executable, "-m", "lm_eval_ifeval_pt", "sweep", "--status", str(sweep)], check=False, capture_output=True
    ).returncode


@pytest.mark.slow
@pytest.mark.usefixtures("answering_slurm")
def test_workers_share_the_cells_and_killed_jobs_lose_none(run, tmp_path):
    """Two jobs; one is killed at work, as by pre-emption. The same command again completes it, each cell once."""
    number = submit(run, tmp_path / "sweep", "--workers", "2")
    wait(number, lambda _: len(evaluated(tmp_path / "sweep")) >= 2)
    subprocess.run(["scancel", "--signal=KILL", "--full", f"{number}_0"], check=True)
    subprocess.run(["scancel", number], check=True)
    wait(number)
    before = evaluated(tmp_path / "sweep")
    assert len(before) < 12
    assert status(tmp_path / "sweep") == 4
    wait(submit(run, tmp_path / "sweep", "--workers", "2"))
    cells = evaluated(tmp_path / "sweep")
    assert len(cells) == 12
    assert status(tmp_path / "sweep") == 0
    assert {cell["key"] for cell in before} <= {cell["key"] for cell in cells}
    assert len({cell["owner"]["job"] for cell in cells}) >= 2
    assert len({cell["requests"] for cell in cells}) == 2, "one for each task"


@pytest.mark.slow
@pytest.mark.usefixtures("answering_slurm")
def test_before_the_time_limit_the_cell_is_given_back_and_the_job_queued_again(run, tmp_path):
    """As Slurm's signal asks: nothing counts as failed, and the job that comes back goes on."""
    number = submit(run, tmp_path / "sweep", "--slurm", "time=5")
    wait(number, lambda _: len(evaluated(tmp_path / "sweep")) >= 1)
    subprocess.run(["scancel", "--signal=USR1", "--batch", f"{number}_0"], check=True)
    wait(number, lambda states: [state for state, _ in states.values()] == ["PENDING"])
    first = len(evaluated(tmp_path / "sweep"))
    assert first < 12
    subprocess.run(["scontrol", "update", f"JobId={number}", "StartTime=now"], check=False)
    wait(number)
    assert len(evaluated(tmp_path / "sweep")) == 12
    ended = [json.loads(path.read_text()) for path in tmp_path.glob("sweep/attempts/*/*.ended.json")]
    assert {attempt["kind"] for attempt in ended} <= {"released"}
