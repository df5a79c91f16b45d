"""The limits that a process sets on itself before it runs anything of others. They cannot be raised again."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping


def confine(limits: Mapping[str, int], uid: int | None) -> None:
    """Set the limits, and become the user `uid` where the process is root (whom the kernel exempts from some)."""
    for which, value in (
        (resource.RLIMIT_CPU, limits["cpu"]),
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_FSIZE, limits["file"]),
        (resource.RLIMIT_NPROC, limits["processes"]),
        (resource.RLIMIT_NOFILE, limits["files"]),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(which)
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (lowest, lowest))
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)


def hide() -> None:
    """Keep other processes of the same user away from the memory and the open files of this one (Linux)."""
    import ctypes

    set_dumpable = 4  # PR_SET_DUMPABLE, <linux/prctl.h>
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(set_dumpable, 0, 0, 0, 0)
