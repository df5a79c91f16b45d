"""Who works on a cell, and whether they are known to be gone."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

GONE_STATES = frozenset(
    ["BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"]
)


@dataclass(frozen=True)
class Owner:
    """A process, told from all others there were and will be.

    Attributes:
        host: The machine's name.
        boot: Which start of the machine.
        namespace: In which process ids mean something: containers have their own.
        pid: Process id.
        started: When the process started, in the kernel's ticks since the boot.
        job: Slurm job id; empty outside Slurm.
        restarts: How often Slurm has requeued the job.
    """

    host: str
    boot: str
    namespace: str
    pid: int
    started: str
    job: str = ""
    restarts: int = 0

    @classmethod
    def this(cls) -> Owner:
        """This process."""
        pid = os.getpid()
        return cls(
            socket.gethostname(),
            _read("/proc/sys/kernel/random/boot_id"),
            _namespace(),
            pid,
            started(pid),
            os.environ.get("SLURM_JOB_ID", ""),
            int(os.environ.get("SLURM_RESTART_COUNT", "0") or 0),
        )

    def is_gone(self) -> bool:
        """Whether the process is known not to run any more; in doubt it is not."""
        this = Owner.this()
        if self.host == this.host and self.boot:
            if self.boot != this.boot:
                return True
            if self.namespace == this.namespace:
                return not self.started or started(self.pid) != self.started
        if not self.job:
            return False
        if self.job == this.job:
            return self.restarts < this.restarts
        return _job_is_gone(self.job)

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}" + (f", Slurm job {self.job}" if self.job else "")


def started(pid: int) -> str:
    """The kernel's start time of a process, empty if there is none (a zombie is none)."""
    stat = _read(f"/proc/{pid}/stat")
    fields = stat[stat.rfind(")") + 2 :].split()
    if len(fields) > 19:
        return "" if fields[0] in "ZX" else fields[19]
    if Path("/proc/self/stat").exists():
        return ""
    try:  # no Linux: a process with this id is taken for the same one
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return "?"


def _job_is_gone(job: str) -> bool:
    """Whether Slurm says that the job is over; where it cannot be asked, it is not known to be."""
    if shutil.which("squeue") is None:
        return False
    command = ["squeue", "--noheader", "--format=%T", f"--jobs={job}"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    if said.returncode:
        return "Invalid job id" in said.stderr
    states = said.stdout.split()
    return all(state in GONE_STATES for state in states)


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
