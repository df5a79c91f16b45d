"""What a confined process sees: Python, its standard library, NumPy and the shared libraries that these load."""

from __future__ import annotations

import compileall
import importlib.util
import os
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

INSIDE = Path(__file__).with_name("inside")
_MAPPED = """
import importlib, os, sys
sys.path += sys.argv[2:]
folders = filter(os.path.isdir, sys.argv[1].split(os.pathsep))
for name in sorted(name for folder in folders for name in os.listdir(folder)):
    if not name.startswith(("_test", "_tkinter", "xx", "_xx")):
        try:
            importlib.import_module(name.partition(".")[0])
        except BaseException:
            pass
try:
    import numpy.fft, numpy.linalg, numpy.random
except BaseException:
    pass
print("\\n".join({line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if ".so" in line}))
"""
"""Imports all extension modules and prints the files that are then mapped."""


def python() -> str:
    """The interpreter that runs programs: the one behind this virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def numpy_folders() -> Sequence[Path]:
    """The folders of NumPy, the one package that programs may import besides the standard library."""
    spec = importlib.util.find_spec("numpy")
    if spec is None or spec.origin is None:
        return ()
    package = Path(spec.origin).parent
    libraries = package.with_name("numpy.libs")
    return (package, libraries) if libraries.is_dir() else (package,)


@dataclass(frozen=True)
class View:
    """Files for confined processes, in a temporary folder that goes when this object does.

    Attributes:
        files: Options of bubblewrap that show them.
        folder: Holds what was copied.
    """

    files: Sequence[str]
    folder: tempfile.TemporaryDirectory[str]


def view() -> View:
    """Collect what confined processes need to see.

    Shared libraries are copied, by every name they have, into a folder of their own: the system's folders hold much
    else. So is what runs inside, compiled.
    """
    folder = tempfile.TemporaryDirectory(prefix="sandbox-")
    root = Path(folder.name)
    root.chmod(0o755)
    (root / "empty").mkdir()
    (root / "libraries").mkdir()
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}  # not those of a virtual environment
    standard = sorted({sysconfig.get_path(name, vars=base) for name in ("stdlib", "platstdlib")})
    numpy = numpy_folders()
    for library in _libraries([Path(path) / "lib-dynload" for path in standard], numpy):
        for name in _names(library):
            shutil.copyfile(library, root / "libraries" / name)
            (root / "libraries" / name).chmod(0o755)
    shutil.copytree(INSIDE, root / "inside", ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(root / "inside", quiet=2)
    shown = [(python(), python()), *((path, path) for path in standard)]
    for path in standard:
        packages = Path(path) / "site-packages"
        if packages.is_dir():
            shown.append((str(root / "empty"), str(packages)))
    if loader := _loader(Path(python())):
        shown.append((os.path.realpath(loader), loader))
    parents = {str(parent) for _, path in shown for parent in Path(path).parents[:-1]}
    shown += [(str(root / "inside"), "/sandbox/inside"), (str(root / "libraries"), "/libraries")]
    shown += [(str(package), f"/packages/{package.name}") for package in numpy]
    options = []
    for parent in (*sorted(parents), "/dev", "/sandbox", "/packages", "/scratch"):
        options += ["--perms", "0755", "--dir", parent]
    for source, target in shown:
        options += ["--ro-bind", source, target]
    for device in ("/dev/null", "/dev/urandom"):
        options += ["--dev-bind", device, device]
    return View((*options, "--setenv", "LD_LIBRARY_PATH", "/libraries"), folder)


def _libraries(extensions: Sequence[Path], numpy: Sequence[Path]) -> Iterator[Path]:
    """The shared libraries of the system that Python, its extension modules and NumPy load."""
    folders = [os.pathsep.join(map(str, extensions)), *(str(path.parent) for path in numpy[:1])]
    command = [python(), "-s", "-S", "-B", "-c", _MAPPED, *folders]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    known = (*extensions, *numpy)
    for line in done.stdout.splitlines():
        path = Path(line)
        if path.is_file() and not any(path.is_relative_to(folder) for folder in known):
            yield path


def _names(library: Path) -> Iterator[str]:
    """The names under which a library may be looked for: its own, and those of links to it."""
    yield library.name
    stem = library.name.partition(".so")[0].partition("-")[0]
    for path in library.parent.glob(f"{stem}*"):
        if path.is_symlink() and path.name != library.name and os.path.realpath(path) == os.path.realpath(library):
            yield path.name


def _loader(program: Path) -> str:
    """The dynamic loader that an executable names (PT_INTERP of ELF); empty where there is none."""
    with program.open("rb") as file:
        head = file.read(64)
        if head[:5] != b"\x7fELF\x02":
            return ""
        order = "<" if head[5] == 1 else ">"
        (offset,) = struct.unpack_from(f"{order}Q", head, 32)
        size, count = struct.unpack_from(f"{order}HH", head, 54)
        file.seek(offset)
        table = file.read(size * count)
        for start in range(0, size * count, size):
            (kind,) = struct.unpack_from(f"{order}I", table, start)
            position, _, _, length = struct.unpack_from(f"{order}QQQQ", table, start + 8)
            if kind == 3:
                file.seek(position)
                return file.read(length).rstrip(b"\0").decode()
    return ""
