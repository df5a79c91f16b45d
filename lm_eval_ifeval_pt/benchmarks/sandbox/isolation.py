"""What keeps a process away from the machine: bubblewrap and a filter of system calls, or next to nothing."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_ifeval_pt.benchmarks.sandbox.syscalls import Permissions, seccomp_filter
from lm_eval_ifeval_pt.benchmarks.sandbox.view import INSIDE, View, numpy_folders, python

_BOOT = (
    "import sys; sys.path[0] = sys.argv[1]; sys.path += sys.argv[3:]; from inside.run import main; main(sys.argv[2])"
)
ENVIRONMENT = {
    "HOME": "/scratch",
    "LC_ALL": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",  # the order of a set is the same in every run
    "PYTHONNOUSERSITE": "1",
}
"""All that a process finds in its environment, besides where shared libraries are."""

_NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")


class SandboxError(RuntimeError):
    """Programs cannot be run safely here, or not at all."""


@dataclass(frozen=True)
class Isolation:
    """One way to start a confined process.

    Attributes:
        bubblewrap: The path of `bwrap`. None is the weak fallback: limits, a filter of system calls and a process group
            that is killed. There a program can read and write what its user can.
        scratch: Whether bubblewrap can bound a scratch folder (0.7 and newer); without one, nothing is writable.
        as_root: Whether the process starts as root. It then becomes a user that owns nothing.
        view: What bubblewrap shows.
        no_namespaces: Whether bubblewrap can forbid further user namespaces (0.8 and newer).
    """

    bubblewrap: str | None
    scratch: bool
    as_root: bool
    view: View | None = None
    no_namespaces: bool = False

    @property
    def is_weak(self) -> bool:
        """Whether there are only limits."""
        return self.bubblewrap is None

    @contextlib.contextmanager
    def running(
        self,
        settings: Mapping[str, Any],
        size: int,
        folder: str | None,
        stdin: int,
        stdout: int,
        permissions: Permissions,
        stderr: int = subprocess.DEVNULL,
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A process in a group of its own, all of which is killed at the end.

        Args:
            settings: Its part, its limits and its user.
            size: Bytes of the scratch folder.
            folder: The working folder where bubblewrap does not make one.
            stdin: Its standard input.
            stdout: Its standard output.
            permissions: What its system calls may do.
            stderr: Its standard error.
        """
        rules = seccomp_filter(permissions)
        with contextlib.ExitStack() as stack:
            filter_fd = stack.enter_context(_readable(rules)) if rules and not self.is_weak else None
            process = subprocess.Popen(
                self._command(settings, size, filter_fd, rules),
                cwd=folder,
                env=ENVIRONMENT,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=() if filter_fd is None else (filter_fd,),
                start_new_session=True,
            )
        try:
            yield process
        finally:
            for kill, target in ((os.killpg, process.pid), (os.kill, process.pid)):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    if process.poll() is None:
                        kill(target, signal.SIGKILL)
            process.wait()

    def _command(self, settings: Mapping[str, Any], size: int, filter_fd: int | None, rules: bytes) -> list[str]:
        start = [python(), "-s", "-S", "-B", "-c", _BOOT]
        if self.bubblewrap is None:
            packages = [str(package.parent) for package in numpy_folders()[:1]]
            settings = {**settings, "filter": rules.hex()}
            return [*start, str(INSIDE.parent), json.dumps(settings), *packages]
        if self.as_root:
            user = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        else:
            user = ["--unshare-user", "--cap-drop", "ALL", "--uid", "65534", "--gid", "65534"]
            user += ["--disable-userns"] if self.no_namespaces else []
        options = [*_NAMESPACES, "--die-with-parent", *user]
        options += () if filter_fd is None else ("--seccomp", str(filter_fd))
        options += self.view.files if self.view else ()
        if self.scratch:
            options += ["--perms", "1777", "--size", str(size), "--tmpfs", "/scratch"]
        options += ["--remount-ro", "/", "--chdir", "/scratch"]
        return [self.bubblewrap, *options, *start, "/sandbox", json.dumps(settings), "/packages"]


@contextlib.contextmanager
def _readable(content: bytes) -> Iterator[int]:
    """A descriptor that gives some bytes, fewer than a pipe holds."""
    reading, writing = os.pipe()
    try:
        with os.fdopen(writing, "wb") as file:
            file.write(content)
        yield reading
    finally:
        os.close(reading)


def identity_maps() -> Sequence[Sequence[int]]:
    """The rows of `/proc/self/uid_map`: the users that exist in this user namespace; empty where there is none."""
    try:
        with open("/proc/self/uid_map", encoding="ascii") as file:
            return [[int(number) for number in line.split()] for line in file]
    except OSError:
        return ()
