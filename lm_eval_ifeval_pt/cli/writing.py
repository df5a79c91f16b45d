"""Files that commands write: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click


def lines_to(path: Path | None, lines: Iterable[str]) -> None:
    """Write lines to a file, which appears when all are written, or to standard output.

    Raises:
        click.UsageError: the file cannot be written.
    """
    if path is None:
        for line in lines:
            click.echo(line)
        return
    try:
        descriptor, scratch = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    except OSError as error:
        raise click.UsageError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(scratch, 0o666 & ~mask)  # what a file that is simply opened would get
        os.replace(scratch, path)
    except BaseException:
        os.unlink(scratch)
        raise
