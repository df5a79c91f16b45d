"""How much a program may use."""

from __future__ import annotations

from dataclasses import dataclass

MiB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What each of the two processes of a test may use. Beyond a limit the test fails; nothing outlives the wall limit.

    Attributes:
        wall: Seconds from start to end.
        cpu: Seconds of processor time.
        memory: Bytes of address space.
        file: Bytes of any file, and of the whole scratch folder.
        processes: Processes and threads, the one that runs the program included.
        files: Open files.
        output: Bytes of all values that the program returns. What it prints is thrown away as it is written.
    """

    wall: float = 15.0
    cpu: int = 5
    memory: int = 1024 * MiB
    file: int = 16 * MiB
    processes: int = 1
    files: int = 64
    output: int = 4 * MiB
