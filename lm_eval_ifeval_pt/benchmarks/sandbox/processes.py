"""What is seen of processes from outside: whether they sleep, and whether others may look into this one."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path

_GET_DUMPABLE, _SET_DUMPABLE = 3, 4  # <linux/prctl.h>
_LOOKS = 4
"""How many looks in a row must find a program asleep."""
_FEW = 3
"""Clock ticks (usually of 10 ms) that a sleeper may use between the first of them and the last."""


@contextlib.contextmanager
def hidden() -> Iterator[None]:
    """Keep other processes of this user away from this one's memory and descriptors meanwhile (Linux).

    A process that is not dumpable can be neither traced nor read through `/proc/<pid>`.
    """
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is None:
        yield
        return
    before = prctl(_GET_DUMPABLE, 0, 0, 0, 0)
    prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_SET_DUMPABLE, before, 0, 0, 0)


class Rest:
    """Watches one process and its descendants, and calls back once when all of them sleep.

    Args:
        pid: The process.
        on_sleep: What to call; without it there is nothing to watch.
    """

    def __init__(self, pid: int, on_sleep: Callable[[], None] | None) -> None:
        self._pid, self._on_sleep = pid, on_sleep
        self._quiet: list[int] = []

    @property
    def interval(self) -> float:
        """Seconds from one look to the next."""
        return 0.1 if self._on_sleep else 3600.0

    def look(self) -> None:
        """Look whether they sleep, now and at the last few looks."""
        if self._on_sleep is None:
            return
        ticks = _ticks_asleep(self._pid)
        self._quiet = [] if ticks is None else [*self._quiet[1 - _LOOKS :], ticks]
        if len(self._quiet) == _LOOKS and self._quiet[-1] - self._quiet[0] <= _FEW:
            self._on_sleep()
            self._on_sleep = None


def _ticks_asleep(pid: int) -> int | None:
    """The clock ticks that a process and its descendants have used; None where one runs, waits to run, or is unseen."""
    try:
        # After the name in brackets, which may hold anything: the state is field 3, times are fields 14 and 15.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_bytes().split()
    except OSError:
        return None
    if fields[0] not in (b"S", b"D"):
        return None
    ticks = [int(fields[11]) + int(fields[12]), *(_ticks_asleep(int(child)) for child in children)]
    return None if None in ticks else sum(filter(None, ticks))
