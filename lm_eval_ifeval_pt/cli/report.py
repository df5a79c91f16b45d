"""`lm-eval-pt report`."""

from __future__ import annotations

from pathlib import Path

import click

from lm_eval_ifeval_pt import report, results
from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.report.contents import Contents
from lm_eval_ifeval_pt.report.figures import write as write_figures
from lm_eval_ifeval_pt.report.strings import Language


@click.command("report", short_help="Write one HTML file that shows some runs.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULTS...")
@click.option(
    "-o",
    "--output",
    default="report.html",
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write.",
)
@click.option("--language", type=click.Choice(["pt", "en"]), default="pt", show_default=True, help="It opens in.")
@click.option("--no-text", is_flag=True, help="Leave out prompts and answers, as of data that must not be published.")
@click.option(
    "--figures",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for the same figures as SVG and PNG (needs the extra `plots`).",
)
def command(
    paths: tuple[Path, ...], output: Path, language: Language, no_text: bool, figures: Path | None
) -> None:
    """Write one HTML file that shows everything about some runs, and opens from disk without network.

    RESULTS are output folders of lm_eval, results_*.json or samples_*.jsonl files of runs with --log_samples.
    """
    try:
        reading = results.read(paths)
    except results.ResultsError as error:
        raise click.ClickException(str(error)) from error
    contents = report.gather(reading)
    printing.notes(contents.notes)
    if figures is not None:
        _write_figures(contents, figures, language)
    html = report.page(contents, language, with_text=not no_text)
    try:
        output.write_text(html, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{output}: cannot be written: {error}") from error
    click.echo(f"{output}: {len(html.encode()) / 1e6:.2f} MB, {len(contents.labels)} model(s)")


def _write_figures(contents: Contents, folder: Path, language: Language) -> None:
    try:
        files = write_figures(contents, folder, language)
    except ImportError as error:
        raise click.ClickException(
            f"{error}; --figures needs: pip install 'lm_eval_ifeval_pt[plots]'"
        ) from error
    except OSError as error:
        raise click.ClickException(f"{folder}: cannot be written: {error}") from error
    click.echo(f"{folder}: {len(files)} files")
