"""`lm-eval-pt explain`."""

from __future__ import annotations

import click

from lm_eval_ifeval_pt.constraints import catalogue, registry
from lm_eval_ifeval_pt.constraints.registry import ConstraintError


@click.command("explain", short_help="Show a constraint: rule, arguments, examples.")
@click.argument("instruction_id")
def command(instruction_id: str) -> None:
    """Print a constraint: its rule, kind, arguments, and texts that follow and break it."""
    try:
        constraint = registry.get(instruction_id)
    except ConstraintError as error:
        raise click.UsageError(str(error)) from error
    click.echo(catalogue.describe(constraint), nl=False)
