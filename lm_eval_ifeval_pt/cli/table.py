"""`lm-eval-pt table`."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Literal

import click
from rich import box
from rich.console import Console
from rich.table import Table

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.results import Item, Run
from lm_eval_ifeval_pt.statistics import wilson

Order = Literal["strict", "loose", "name"]


@click.command("table")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULTS...")
@click.option(
    "--sort",
    "order",
    type=click.Choice(["strict", "loose", "name"]),
    default="strict",
    show_default=True,
    help="Order of the restrictions; rates from the lowest.",
)
def command(paths: tuple[Path, ...], order: Order) -> None:
    """Print which restrictions were followed.

    RESULTS are output folders of lm_eval, results_*.json or samples_*.jsonl files of a run with --log_samples.
    """
    console = Console()
    try:
        files = results.sample_files(paths)
        runs = [run for path in files if (run := results.read_run(path)) is not None]
    except results.ResultsError as error:
        raise click.ClickException(str(error)) from error
    for path in set(files) - {run.path for run in runs}:
        click.echo(f"{path}: skipped, its documents carry no verdicts (no IFEval task of this package)", err=True)
    if not runs:
        raise click.ClickException("no verdicts to show")
    for run in runs:
        console.print(render(run, order))
        console.print(
            "Read it by restriction: passive ones (do not …) are met by accident when the answer is short.\n"
            "CI: Wilson 95 % interval of the strict rate."
        )


def render(run: Run, order: Order) -> Table:
    """The table of one run: a row per restriction, then the means by kind and over all."""
    table = Table(
        title=f"{run.task}  [dim]{run.path.parent.name}[/dim]", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    table.add_column("restriction")
    table.add_column("kind")
    for column in ("n", "strict %", "95 % CI", "loose %"):
        table.add_column(column, justify="right")
    groups: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in run.items:
        groups[item.restriction, item.kind].append(item)
    for (name, kind), items in sorted(groups.items(), key=lambda group: _sort_key(group, order)):
        table.add_row(name, kind, *_cells(items))
    table.add_section()
    for kind in ("active", "passive"):
        if chosen := [item for item in run.items if item.kind == kind]:
            table.add_row(f"all {kind}", kind, *_cells(chosen), style="bold")
    table.add_row("all", "", *_cells(list(run.items)), style="bold")
    return table


def _sort_key(group: tuple[tuple[str, str], list[Item]], order: Order) -> tuple[float, str]:
    (name, _), items = group
    if order == "name":
        return 0.0, name
    return sum(getattr(item, order) for item in items) / len(items), name


def _cells(items: list[Item]) -> list[str]:
    n, strict = len(items), sum(item.strict for item in items)
    low, high = wilson(strict, n)
    loose = sum(item.loose for item in items)
    return [str(n), f"{100 * strict / n:.1f}", f"{100 * low:.0f}–{100 * high:.0f}", f"{100 * loose / n:.1f}"]
