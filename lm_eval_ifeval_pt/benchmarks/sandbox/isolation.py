"""What keeps a process away from the machine: bubblewrap, or next to nothing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_INSIDE = Path(__file__).with_name("inside")
_BOOT = (
    "import sys; sys.path[0] = sys.argv[1]; sys.path += sys.argv[3:]; "
    "from inside.run import main; main(sys.argv[2])"
)
ENVIRONMENT = {
    "HOME": "/scratch",
    "LC_ALL": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",  # the order of a set is the same in every run
    "PYTHONNOUSERSITE": "1",
}
"""All that a process finds in its environment."""

_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache")
_NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")


class SandboxError(RuntimeError):
    """Programs cannot be run safely here, or not at all."""


@dataclass(frozen=True)
class Isolation:
    """One way to start a confined process.

    Attributes:
        bubblewrap: The path of `bwrap`. None is the weak fallback: limits and a process group that is killed, no
            isolation. There a program can read and write what its user can, open connections, and send signals.
        scratch: Whether bubblewrap can bound a scratch folder (0.7 and newer); without one, nothing is writable.
        as_root: Whether the process starts as root. It then becomes a user that owns nothing.
    """

    bubblewrap: str | None
    scratch: bool
    as_root: bool

    @property
    def is_weak(self) -> bool:
        """Whether there are only limits."""
        return self.bubblewrap is None

    def command(self, settings: str, size: int) -> list[str]:
        """The command that starts one of the two processes.

        Args:
            settings: Its part, its limits and its user, as JSON.
            size: Bytes of the scratch folder.
        """
        python = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
        if self.bubblewrap is None:
            packages = [str(package.parent) for package in _numpy()[:1]]
            return [python, "-s", "-S", "-B", "-c", _BOOT, str(_INSIDE.parent), settings, *packages]
        start = [python, "-s", "-S", "-B", "-c", _BOOT, "/sandbox", settings, "/packages"]
        return [self.bubblewrap, *self._view(size), *start]

    def _view(self, size: int) -> list[str]:
        """What bubblewrap shows to the process: Python, read-only, and an empty folder."""
        prefix = Path(sys.base_prefix).resolve()
        numpy = _numpy()
        capabilities = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        view = [*_NAMESPACES, "--die-with-parent", *(capabilities if self.as_root else ["--unshare-user"])]
        parents = [] if prefix.is_relative_to("/usr") else [str(parent) for parent in reversed(prefix.parents[:-1])]
        for folder in (*parents, "/etc", "/dev", "/sandbox", "/packages", "/scratch"):
            view += ["--perms", "0755", "--dir", folder]
        for path in _SYSTEM:
            view += ["--ro-bind-try", path, path]
        if parents:
            view += ["--ro-bind", str(prefix), str(prefix)]
        view += ["--ro-bind", str(_INSIDE), "/sandbox/inside"]
        for package in numpy:
            view += ["--ro-bind", str(package), f"/packages/{package.name}"]
        for device in ("/dev/null", "/dev/urandom"):
            view += ["--dev-bind", device, device]
        if self.scratch:
            view += ["--perms", "1777", "--size", str(size), "--tmpfs", "/scratch"]
        return [*view, "--remount-ro", "/", "--chdir", "/scratch"]


def _numpy() -> Sequence[Path]:
    """The folders of NumPy, the one package that programs may import besides the standard library."""
    spec = importlib.util.find_spec("numpy")
    if spec is None or spec.origin is None:
        return ()
    package = Path(spec.origin).parent
    libraries = package.with_name("numpy.libs")
    return (package, libraries) if libraries.is_dir() else (package,)


def find(weak: bool = False) -> Isolation:
    """The best isolation that works on this machine.

    Args:
        weak: Whether limits alone will do where bubblewrap does not work.

    Raises:
        SandboxError: there is none.
    """
    problem = "it is not installed (Debian, Ubuntu: apt-get install bubblewrap)"
    if bubblewrap := shutil.which("bwrap"):
        has_size = "--size" in _output(bubblewrap, "--help")
        for as_root in (True, False) if os.geteuid() == 0 else (False,):
            isolation = Isolation(bubblewrap, has_size, as_root)
            problem = _problem(isolation)
            if not problem:
                return isolation
    if not weak:
        raise SandboxError(f"bubblewrap is needed to run programs, but {problem}")
    closed = [folder for folder in Path(os.__file__).resolve().parents if not folder.stat().st_mode & 0o001]
    if os.geteuid() == 0 and closed:
        raise SandboxError(
            f"bubblewrap is needed to run programs, but {problem}. Limits alone need another user than root, or a "
            f"Python that every user may read: {closed[0]} is closed to them"
        )
    return Isolation(None, scratch=False, as_root=os.geteuid() == 0)


def _problem(isolation: Isolation) -> str:
    """Why bubblewrap does not work here; empty where it does."""
    command = isolation.command("{}", 1 << 20)
    command[command.index("-c") + 1] = "print('works')"
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=30, check=False)
    return "" if done.stdout == "works\n" else f"it fails here: {done.stderr.strip()[-300:]}"


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stdout
