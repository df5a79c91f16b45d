"""`lm-eval-pt tasks-dir`."""

from __future__ import annotations

import click

from lm_eval_ifeval_pt.paths import bundled


@click.command("tasks-dir", short_help="Print the tasks' folder, for --include_path.")
def command() -> None:
    """Print the folder of the task definitions, for the harness's --include_path."""
    click.echo(bundled("tasks"))
