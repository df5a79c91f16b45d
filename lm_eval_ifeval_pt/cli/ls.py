"""`lm-eval-pt ls`."""

from __future__ import annotations

import click
from rich import box
from rich.table import Table

from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.constraints import catalogue, registry
from lm_eval_ifeval_pt.definitions import tasks
from lm_eval_ifeval_pt.ifeval import dialects


@click.command("ls")
@click.argument("what", type=click.Choice(["all", "constraints", "tasks"]), default="all")
@click.option(
    "--dialect",
    type=click.Choice(list(dict.fromkeys(dialect.name for dialect in dialects.DIALECTS))),
    help="List the ids by which a data set knows constraints that are called otherwise here.",
)
def command(what: str, dialect: str | None) -> None:
    """List the constraints and the tasks of this package."""
    console = printing.console()
    if dialect is not None:
        console.print(_names(dialects.get(dialect)))
        return
    if what != "tasks":
        table = _table("instruction id", "kind", "wording")
        for constraint in registry.constraints().values():
            table.add_row(constraint.id, catalogue.kind(constraint), catalogue.wording(constraint))
        console.print(table)
    if what != "constraints":
        table = _table("task", "data set", "n-shot")
        for task in tasks():
            table.add_row(
                task.get("task") if isinstance(task.get("task"), str) else f"{task['group']} (group)",
                str(task.get("dataset_path", "")),
                str(task.get("num_fewshot", "")),
            )
        console.print(table)


def _names(dialect: dialects.Dialect) -> Table:
    table = _table(f"instruction id ({dialect.name})", "constraint", "wording")
    table.columns[1].no_wrap = True
    for id, own in dialect.names.items():
        table.add_row(id, "the same" if id == own else own, catalogue.wording(dialect.constraint(id)))
    if not dialect.names:
        table.add_row("(the package's own ids)", "", "Other ids are read by their words: max_palavras, comeca_com, …")
    return table


def _table(name: str, *columns: str) -> Table:
    """A table whose first column, which people copy from, is never cut."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(name, no_wrap=True)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
