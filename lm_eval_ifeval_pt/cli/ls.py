"""`lm-eval-pt ls`."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import click

from lm_eval_ifeval_pt.cli import options
from lm_eval_ifeval_pt.constraints import catalogue, registry
from lm_eval_ifeval_pt.definitions import Definition, DefinitionError, tasks
from lm_eval_ifeval_pt.ifeval import dialects

_NARROWEST = 36  # columns of the wording; where a terminal leaves less, it stands below the names
_INDENT = 4


@click.command("ls", short_help="List the constraints and the tasks of this package.")
@click.argument("what", type=click.Choice(["all", "constraints", "tasks"]), default="all")
@click.option(
    "--dialect",
    type=click.Choice(list(dict.fromkeys(dialect.name for dialect in dialects.DIALECTS))),
    help="List the ids by which a data set knows constraints that are called otherwise here.",
)
@options.task
@options.include_path
@click.pass_context
def command(
    ctx: click.Context, what: str, dialect: str | None, task: str | None, include_path: tuple[Path, ...]
) -> None:
    """List the constraints and the tasks of this package, and the tasks of other folders."""
    if dialect is not None or task is not None:
        try:
            _print_names(options.spoken(ctx, include_path, task, dialect or ""))
        except registry.ConstraintError as error:  # an alias of a task for a constraint that is not there
            raise click.UsageError(str(error)) from error
        return
    try:
        definitions = tasks(include_path) if what != "constraints" else []
    except DefinitionError as error:
        raise click.UsageError(str(error)) from error
    if what != "tasks":
        _print(
            ("instruction id", "kind", "wording"),
            [
                (constraint.id, catalogue.kind(constraint), catalogue.wording(constraint))
                for constraint in registry.constraints().values()
            ],
        )
    if what != "constraints":
        _print(
            ("task", "data set", "n-shot"),
            [
                (_name(task), str(task.get("dataset_path", "")), str(task.get("num_fewshot", "")))
                for task in definitions
            ],
        )


def _name(definition: Definition) -> str:
    return definition["task"] if isinstance(definition.get("task"), str) else f"{definition['group']} (group)"


def _print_names(dialect: dialects.Dialect) -> None:
    names = [
        (id, "the same" if id == own else own, catalogue.wording(dialect.constraint(id)))
        for id, own in dialect.names.items()
    ]
    own_ids = ("(the package's own ids)", "", "Other ids are read by their words: max_palavras, comeca_com, …")
    _print((f"instruction id ({dialect.name})", "constraint", "wording"), names or [own_ids])


def _print(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Rows under their headers: names, which people copy, are never cut; the last column wraps on a terminal."""
    widths = [max(len(row[column]) for row in (headers, *rows)) for column in range(len(headers) - 1)]
    left = sum(widths) + 2 * len(widths)
    is_narrow = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    columns = shutil.get_terminal_size().columns if is_narrow else sys.maxsize
    longest = max(len(row[-1]) for row in (headers, *rows))
    is_beside = columns - left >= min(_NARROWEST, longest)
    is_one_line = left - 2 <= columns  # else each name has a line of its own
    indent = left if is_beside else _INDENT
    click.echo()
    for row in (headers, *rows):
        names = "".join(f"{cell:<{size + 2}}" for cell, size in zip(row[:-1], widths, strict=True)).rstrip()
        lines = [names] if is_one_line else [row[0], *(" " * indent + name for name in row[1:-1])]
        wording = [" " * indent + line for line in textwrap.wrap(row[-1], columns - indent, break_on_hyphens=False)]
        if is_beside and wording:
            wording[0] = lines.pop().ljust(indent) + wording[0].lstrip()
        click.secho("\n".join((*lines, *wording)), bold=row is headers)
    click.echo()
