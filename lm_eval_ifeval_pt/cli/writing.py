"""Files that commands write: whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from lm_eval_ifeval_pt.writing import replacing


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
        with replacing(path) as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise click.UsageError(f"{path}: cannot be written: {error.strerror}") from error
