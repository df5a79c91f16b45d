"""Files that are there as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO


@contextlib.contextmanager
def replacing(path: Path, errors: str = "strict", is_durable: bool = False) -> Iterator[TextIO]:
    """A text file that takes the place of another when it is whole; where something is raised, nothing has changed.

    Args:
        path: The file; its folder is there.
        errors: What becomes of signs that UTF-8 has no code for, as of `open`.
        is_durable: Whether it must be on the disk before it takes the place.

    Raises:
        OSError: it cannot be written.
    """
    descriptor, scratch = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors=errors) as file:
            yield file
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(scratch, usual_mode())
        os.replace(scratch, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        raise


def usual_mode() -> int:
    """The permissions of a file that is simply opened, which one of `tempfile` does not have."""
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask
