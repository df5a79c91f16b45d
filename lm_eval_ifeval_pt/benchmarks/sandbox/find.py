"""The best isolation of a machine, found by judging a program with each."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lm_eval_ifeval_pt.benchmarks.sandbox.isolation import Isolation, SandboxError, identity_maps
from lm_eval_ifeval_pt.benchmarks.sandbox.judge import RIGHT, Court
from lm_eval_ifeval_pt.benchmarks.sandbox.limits import Limits
from lm_eval_ifeval_pt.benchmarks.sandbox.syscalls import Permissions, seccomp_filter
from lm_eval_ifeval_pt.benchmarks.sandbox.view import python, view

logger = logging.getLogger(__name__)


def find(weak: bool = False) -> Isolation:
    """The best isolation that works on this machine. What is worse than the best possible is logged as a warning.

    Args:
        weak: Whether limits alone will do where bubblewrap does not work.

    Raises:
        SandboxError: there is none.
    """
    if sys.platform == "win32":  # nor can limits be set there
        raise SandboxError("programs cannot be confined on Windows; run this in WSL 2 or in a Linux container")
    problem = "it is not installed (Debian, Ubuntu: apt-get install bubblewrap)"
    if sys.platform != "linux":
        problem = "it is for Linux alone; run this in a Linux container or virtual machine"
    for isolation in _confined():
        problem = _problem(isolation)
        if not problem:
            if not seccomp_filter(Permissions(forks=False, signals=True)):
                logger.warning("No filter of system calls for this machine: memory shared by System V is not limited")
            return isolation
        problem = f"it fails here: {problem}"
    if not weak:
        raise SandboxError(f"bubblewrap is needed to run programs, but {problem}")
    unreachable = ""
    for isolation in _limited():
        closed = [folder for folder in Path(python()).parents if not folder.stat().st_mode & 0o001]
        unreachable = f"{closed[0]} is closed to them" if isolation.as_root and closed else _problem(isolation)
        if not unreachable:
            logger.warning(
                "Programs run WITHOUT isolation, with limits alone: they can read and write what %s can. "
                "bubblewrap is needed to keep them away, but %s",
                "a user that owns nothing" if isolation.as_root else "you",
                problem,
            )
            return isolation
    raise SandboxError(
        f"bubblewrap is needed to run programs, but {problem}. Limits alone need another user than root, or a "
        f"Python that every user may read: {unreachable}"
    )


def _confined() -> Iterator[Isolation]:
    """The ways of bubblewrap, the best first."""
    bubblewrap = shutil.which("bwrap")
    if not bubblewrap:
        return
    options = subprocess.run([bubblewrap, "--help"], capture_output=True, text=True, timeout=30, check=False).stdout
    scratch, shown = "--size" in options, view()
    if os.geteuid() == 0:
        yield Isolation(bubblewrap, scratch, as_root=True, view=shown)
    if "--disable-userns" in options:
        yield Isolation(bubblewrap, scratch, as_root=False, view=shown, no_namespaces=True)
    yield Isolation(bubblewrap, scratch, as_root=False, view=shown)


def _limited() -> Iterator[Isolation]:
    """The ways without bubblewrap, the best first. Programs never run as the machine's root."""
    if os.geteuid() == 0:
        yield Isolation(None, scratch=False, as_root=True)
    if os.geteuid() != 0 or _is_alone():
        yield Isolation(None, scratch=False, as_root=False)


def _is_alone() -> bool:
    """Whether root is another user's name here, the only one: that of a container without further users."""
    maps = identity_maps()
    return len(maps) == 1 and maps[0][2] == 1


def _problem(isolation: Isolation) -> str:
    """Why a right program does not pass here; empty where it does."""
    with tempfile.TemporaryFile() as said, Court(isolation, Limits(), stderr=said.fileno()) as court:
        outcome = court.judge(RIGHT)
        said.seek(0)
        reason = said.read(1 << 16).decode(errors="replace").strip()[-300:]
    return "" if outcome.passed else reason or outcome.reason
