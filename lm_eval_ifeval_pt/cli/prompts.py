"""`lm-eval-pt prompts`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import click

from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.cli.writing import lines_to
from lm_eval_ifeval_pt.definitions import tasks
from lm_eval_ifeval_pt.ifeval import sources
from lm_eval_ifeval_pt.ifeval.rows import RowsError
from lm_eval_ifeval_pt.training import prompts


@click.command("prompts", short_help="Make prompts with verifiable instructions, to train on.")
@click.option("--n", "count", type=click.IntRange(min=1), default=1000, show_default=True, help="How many.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same bytes.")
@click.option(
    "--exclude",
    default="ifeval_pt",
    show_default=True,
    metavar="TASK,…",
    help="Benchmarks with which no prompt shares eight words in a row: IFEval tasks of this package, each also as "
    "TASK=FILE with its rows in a local file; or .jsonl files with prompts.",
)
@click.option(
    "--base",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Base tasks of your own, a .jsonl file with texts under "prompt".  [default: the bundled ones]',
)
@click.option("--ids", metavar="ID,…", help="Ask for these instructions only.  [default: all]")
@click.option("--most", type=click.IntRange(1, prompts.MOST), default=prompts.MOST, show_default=True,
              help="Instructions of one prompt, at most.")  # fmt: skip
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A .jsonl file.  [default: standard output]",
)
def command(
    count: int, seed: int, exclude: str, base: Path | None, ids: str | None, most: int, output: Path | None
) -> None:
    """Write rows with the columns of google/IFEval to train on: base tasks with one to four instructions each.

    Instructions that exclude each other are never asked for together. Neither tasks nor wordings are those of a
    benchmark.
    """
    try:
        given = None if base is None else prompts.read_tasks(base)
        excluded = prompts.grams_of(text for name in _split(exclude) for text in _excluded(name))
        available = prompts.base_tasks() if given is None else given
        left_out = len(dict.fromkeys(available)) - len(prompts.allowed(available, excluded))
        rows = prompts.prompts(count, seed, given, excluded, _split(ids) if ids else None, most)
        first = list(islice(rows, 1))
        lines_to(output, _lines(first, rows))
    except (prompts.PromptsError, RowsError) as error:
        raise click.UsageError(str(error)) from error
    notes = [f"{left_out} base tasks share eight words in a row with a benchmark and are left out"] if left_out else []
    printing.notes(notes)
    if output is not None:
        click.echo(f"written: {count} prompts to {output}", err=True)


def _lines(first: Iterable[Mapping[str, Any]], rest: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    for row in (*first, *rest):
        yield json.dumps(row, ensure_ascii=False)


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _excluded(name: str) -> Iterator[str]:
    """The prompts of a benchmark: a task, a task with a local file, or a file."""
    task, _, source = name.partition("=")
    known = {
        definition["task"]: definition["metadata"]
        for definition in tasks()
        if "dialect" in (definition.get("metadata") or {})
    }
    if task in known:
        metadata = known[task]
        location = source or str(metadata.get("source", "bundled"))
        try:
            yield from prompts.texts_of(sources.read(str(metadata.get("dataset", "ifeval_pt")), location))
        except RowsError as error:
            reason, *_ = str(error).partition(" Offline, ")
            raise RowsError(f"--exclude {name}: {reason} A local copy is named with --exclude {task}=FILE.") from error
    elif task.endswith(".jsonl") and not source:
        yield from prompts.read_tasks(Path(task))
    else:
        raise RowsError(f"--exclude {name}: no .jsonl file and no IFEval task of this package: {', '.join(known)}")
