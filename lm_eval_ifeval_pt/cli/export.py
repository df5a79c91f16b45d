"""`lm-eval-pt export`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from lm_eval_ifeval_pt import report, results
from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.report import Contents
from lm_eval_ifeval_pt.report import tables as rendering
from lm_eval_ifeval_pt.report.export import every_eval_ever, tables
from lm_eval_ifeval_pt.report.export.every_eval_ever import Relationship
from lm_eval_ifeval_pt.report.export.model_index import model_index
from lm_eval_ifeval_pt.report.export.tables import ExportTable
from lm_eval_ifeval_pt.results import Reading

_LONG: Mapping[str, Callable[[Contents], ExportTable]] = {
    "restrictions": tables.restrictions,
    "items": tables.items,
    "scores": tables.scores,
}
_WIDE: Mapping[str, Callable[[Contents], ExportTable]] = {
    "restrictions": tables.restrictions_by_model,
    "items": tables.items,
    "scores": tables.scores_by_model,
}


@click.command("export")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULTS...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "markdown", "latex", "model-index", "eee"]),
    required=True,
    help="model-index: YAML for a model card; eee: records of every_eval_ever 0.3.0.",
)
@click.option(
    "--table",
    "which",
    type=click.Choice(list(_LONG)),
    default="restrictions",
    show_default=True,
    help="What csv, markdown and latex hold. csv has a row per number, the others a column per model.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file; for eee a folder.  [default: print]")
@click.option("--organization", default="unknown", show_default=True, help="eee: who provides the data.")
@click.option(
    "--relationship",
    type=click.Choice(["first_party", "third_party", "collaborative", "other"]),
    default="other",
    show_default=True,
    help="eee: between whoever evaluated and the model.",
)
def command(
    paths: tuple[Path, ...],
    form: str,
    which: str,
    output: Path | None,
    organization: str,
    relationship: Relationship,
) -> None:
    """Write results in other formats.

    RESULTS are output folders of lm_eval, results_*.json or samples_*.jsonl files of runs with --log_samples.
    """
    try:
        reading = results.read(paths)
        printing.notes(reading.notes)
        if form == "eee":
            if output is None:
                raise click.UsageError("--format eee needs -o FOLDER")
            files = [
                file
                for run in reading.runs
                for file in every_eval_ever.write(run, output, time.time(), organization, relationship)
            ]
            click.echo(f"{output}: {len(files)} files")
            return
        if form != "model-index" and which == "restrictions" and not any(run.is_verified for run in reading.runs):
            printing.notes(["no documents carry verdicts, so that the table is empty; --table scores has these runs"])
        text = model_index(reading.runs) if form == "model-index" else _table(reading, form, which)
        if output is None:
            click.echo(text, nl=False)
        else:
            output.write_text(text, encoding="utf-8")
    except results.ResultsError as error:
        raise click.ClickException(str(error)) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.ClickException(f"{output}: cannot be written: {error}") from error


def _table(reading: Reading, form: str, which: str) -> str:
    contents = report.gather(reading)
    if form == "csv":
        table = _LONG[which](contents)
        return rendering.comma_separated(table.header, table.rows)
    table = _WIDE[which](contents)
    rows = tables.as_strings(table.rows)
    if form == "markdown":
        return rendering.markdown(table.header, rows)
    return rendering.latex(table.header, rows, "l" * table.names + "r" * (len(table.header) - table.names))
