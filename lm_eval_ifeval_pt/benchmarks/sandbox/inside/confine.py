"""What a process takes from itself before it runs anything of others. It cannot get it back."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping


def limit(limits: Mapping[str, int]) -> None:
    """Set the limits."""
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


def become(uid: int | None) -> None:
    """Become a user, where the process is root (whom the kernel exempts from some limits)."""
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)


def hide() -> None:
    """Keep other processes of the same user away from the memory and the open files of this one (Linux)."""
    _prctl(4, 0)  # PR_SET_DUMPABLE, <linux/prctl.h>


def drop_capabilities() -> None:
    """Give up all that root of a container may do (Linux)."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "capset"):
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
        if libc.capset(header, (ctypes.c_uint32 * 6)()) != 0:
            raise OSError(ctypes.get_errno(), "capset")


def filter_calls(rules: bytes) -> None:
    """Have the kernel refuse system calls (Linux).

    Args:
        rules: An array of `struct sock_filter`; nothing is refused where it is empty.
    """
    import ctypes

    if not rules:
        return
    content = ctypes.create_string_buffer(rules, len(rules))

    class Program(ctypes.Structure):
        """`struct sock_fprog`."""

        _fields_ = (("length", ctypes.c_ushort), ("rules", ctypes.c_void_p))

    program = Program(len(rules) // 8, ctypes.addressof(content))
    for option, *arguments in ((38, 1, 0), (22, 2, ctypes.addressof(program))):  # NO_NEW_PRIVS, SECCOMP
        if _prctl(option, *arguments) != 0:
            raise OSError(f"prctl({option}) is refused")


def _prctl(option: int, first: int, second: int = 0) -> int:
    import ctypes

    libc = ctypes.CDLL(None)
    if not hasattr(libc, "prctl"):
        return 0
    return int(libc.prctl(option, *(ctypes.c_ulong(value) for value in (first, second, 0, 0))))
