"""`lm-eval-pt explain`."""

from __future__ import annotations

from pathlib import Path

import click

from lm_eval_ifeval_pt.cli import options
from lm_eval_ifeval_pt.constraints import catalogue
from lm_eval_ifeval_pt.constraints.registry import ConstraintError
from lm_eval_ifeval_pt.ifeval import dialects


@click.command("explain", short_help="Show a constraint: rule, arguments, examples.")
@click.argument("instruction_id")
@options.dialect
@options.task
@options.include_path
@click.pass_context
def command(
    ctx: click.Context, instruction_id: str, dialect: str, task: str | None, include_path: tuple[Path, ...]
) -> None:
    """Print a constraint: its rule, kind, arguments, and texts that follow and break it."""
    spoken = options.spoken(ctx, include_path, task, dialect)
    try:
        constraint = dialects.constraint(instruction_id, spoken)
    except ConstraintError as error:
        raise click.UsageError(str(error)) from error
    if constraint.id != instruction_id:
        click.echo(f"{instruction_id} in {task or 'dialect ' + dialect} asks for the same as:\n")
    click.echo(catalogue.describe(constraint), nl=False)
