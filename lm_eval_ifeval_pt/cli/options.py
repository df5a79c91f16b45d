"""Options of `verify`, `explain` and `ls`: how instructions are written, by a data set or by a task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from lm_eval_ifeval_pt import definitions
from lm_eval_ifeval_pt.ifeval import dialects
from lm_eval_ifeval_pt.ifeval.checking import DIALECT, MODE
from lm_eval_ifeval_pt.ifeval.dialects import Dialect

dialect = click.option(
    "--dialect",
    type=click.Choice(list(dict.fromkeys(dialect.name for dialect in dialects.DIALECTS))),
    default=DIALECT,
    show_default=True,
    help="How ids and arguments are written: as this data set writes them. Each reads the package's own too.",
)
"""How a data set writes its instructions."""

mode = click.option(
    "--mode",
    type=click.Choice(list(dict.fromkeys(dialect.mode for dialect in dialects.DIALECTS))),
    default=MODE,
    show_default=True,
    help="Verdicts right for Portuguese, or those of the published checker (dialect capitu).",
)
"""Which verdicts."""

task = click.option(
    "--task",
    metavar="NAME|FILE",
    help="Dialect, mode and aliases of this task: its name, or its definition, *.yaml.",
)
"""The task whose instructions are meant."""

include_path = click.option(
    "--include-path",
    "--include_path",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of further task definitions; as often as needed.",
)
"""Folders of tasks besides the package's own."""


def spoken(
    ctx: click.Context, include_path: Sequence[Path], task: str | None, dialect: str, mode: str = MODE
) -> Dialect:
    """The dialect that the options name, that of a task where one is given.

    Raises:
        click.UsageError: both are given, or there is no such task, dialect or mode.
    """
    try:
        if task is None:
            return dialects.get(dialect, mode)
        if any(ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in ("dialect", "mode")):
            raise click.UsageError("--task says dialect and mode; leave --dialect and --mode out")
        definition = definitions.find(task, include_path)
        if "dialect" not in (definition.get("metadata") or {}):
            raise click.UsageError(f"{task} asks for no constraints: its metadata names no dialect")
        return dialects.of_task(definition["metadata"])
    except (dialects.DialectError, definitions.DefinitionError) as error:
        raise click.UsageError(str(error)) from error
