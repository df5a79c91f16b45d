"""The system calls that a program may not make, as a seccomp filter (Linux; x86_64 and aarch64).

A limit on address space does not see memory that belongs to no process: segments of System V, files in memory, rings of
io_uring. Nor do namespaces bound every kind of socket. What can get round a limit is therefore refused by the kernel;
whatever is newer than this list does not exist for the program.
"""

from __future__ import annotations

import platform
import struct
from dataclasses import dataclass

_EPERM, _EAGAIN, _EACCES, _ENOSYS = 1, 11, 13, 38

# Name: number on x86_64, on aarch64 (None: the machine has no such call). <asm/unistd.h>
_FORBIDDEN: dict[str, tuple[int | None, int | None]] = {
    # memory outside of the address space's limit
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197),
    "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192),
    "msgget": (68, 186), "msgctl": (71, 187), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "mq_open": (240, 180), "memfd_create": (319, 279), "memfd_secret": (447, 447), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    # other namespaces, mounts and roots
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "statmount": (457, 457), "listmount": (458, 458),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "perf_event_open": (298, 241),
    # the kernel itself
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "personality": (135, 92), "acct": (163, 89), "syslog": (103, 116), "reboot": (169, 142), "swapon": (167, 224),
    "swapoff": (168, 225), "sethostname": (170, 161), "setdomainname": (171, 162), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "fanotify_init": (300, 262), "open_by_handle_at": (304, 265),
    "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266), "vhangup": (153, 58),
    "landlock_restrict_self": (446, 446),
}  # fmt: skip
_SOCKET = (41, 198)
_SIGNALS: dict[str, tuple[int, int]] = {
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424),
}  # fmt: skip
_CLONE, _FORK, _VFORK, _CLONE3 = (56, 220), (57, None), (58, None), (435, 435)
_NEWER = 463
"""The first number that this list does not know. From 424 on, both machines have the same ones."""

_NAMESPACES = 0x7E020080
"""The flags of `clone` that make a namespace: CLONE_NEW*."""

# <linux/audit.h>: AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

# <linux/bpf_common.h>, <linux/seccomp.h>
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_AT_NUMBER, _AT_ARCHITECTURE, _AT_FIRST_ARGUMENT = 0, 4, 16
_X32 = 0x40000000


@dataclass(frozen=True)
class Permissions:
    """What a process may do besides computing.

    Attributes:
        forks: Whether it may make processes and threads.
        signals: Whether it may send signals, to others or to itself.
    """

    forks: bool
    signals: bool


def seccomp_filter(permissions: Permissions, machine: str = "") -> bytes:
    """The program of the filter, as `bwrap --seccomp` and `prctl(PR_SET_SECCOMP)` take it.

    Args:
        permissions: What is allowed besides.
        machine: As `platform.machine()` names it; by default, this one.

    Returns:
        An array of `struct sock_filter`; empty where the machine's system calls are not known.
    """
    machine = machine or platform.machine()
    if platform.system() != "Linux" or machine not in _MACHINES:
        return b""
    column, architecture = _MACHINES[machine]
    refused: list[tuple[int | None, int]] = [(numbers[column], _EPERM) for numbers in _FORBIDDEN.values()]
    refused += [(_SOCKET[column], _EACCES), (_CLONE3[column], _ENOSYS)]  # without clone3, libraries take clone
    if not permissions.signals:
        refused += [(numbers[column], _EPERM) for numbers in _SIGNALS.values()]
    if not permissions.forks:
        refused += [(call[column], _EAGAIN) for call in (_CLONE, _FORK, _VFORK)]
    lines = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _AT_NUMBER),
    ]
    if machine == "x86_64":
        lines += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    lines += [(_AT_LEAST, 0, 1, _NEWER), (_RETURN, 0, 0, _ERROR | _ENOSYS)]
    for number, error in refused:
        if number is not None:
            lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | error)]
    lines += [
        (_EQUAL, 0, 3, _CLONE[column]),
        (_LOAD, 0, 0, _AT_FIRST_ARGUMENT),
        (_ANY_BIT, 0, 1, _NAMESPACES),
        (_RETURN, 0, 0, _ERROR | _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
