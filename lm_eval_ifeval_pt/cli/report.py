"""`lm-eval-pt report`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lm_eval_ifeval_pt import report, results
from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.report.contents import SEEN_FROM, Contents
from lm_eval_ifeval_pt.report.figures import write as write_figures
from lm_eval_ifeval_pt.report.strings import Language
from lm_eval_ifeval_pt.writing import replacing

if TYPE_CHECKING:
    from lm_eval_ifeval_pt.contamination.findings import Findings
    from lm_eval_ifeval_pt.report.curves import CurvePage


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
    "--curves",
    "trainings",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Results by step (step_1000, checkpoint-1000): their curves become a part of the report.",
)
@click.option("--contamination", type=click.Path(path_type=Path), help="Findings of a scan: seen items beside clean.")
@click.option(
    "--seen-from",
    default=SEEN_FROM,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of a question's words from which an item is seen.",
)
@click.option(
    "--figures",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for the same figures as SVG and PNG (needs the extra `plots`).",
)
def command(
    paths: tuple[Path, ...],
    output: Path,
    language: Language,
    no_text: bool,
    trainings: tuple[Path, ...],
    contamination: Path | None,
    seen_from: float,
    figures: Path | None,
) -> None:
    """Write one HTML file that shows everything about some runs, and opens from disk without network.

    RESULTS are output folders of lm_eval, results_*.json or samples_*.jsonl files of runs with --log_samples. The
    folder of a sweep shows its curves too.
    """
    findings = _findings(contamination) if contamination is not None else None
    try:
        reading = results.read(paths)
    except results.ResultsError as error:
        raise click.ClickException(str(error)) from error
    curves = _curves(list(dict.fromkeys((*trainings, *_sweeps(paths)))))
    with results.without_collection():
        contents = report.gather(reading, findings=findings, seen_from=seen_from, curves=curves)
        html = report.page(contents, language, with_text=not no_text)
    printing.notes(contents.notes)
    if figures is not None:
        _write_figures(contents, figures, language)
    try:
        with replacing(output) as file:
            file.write(html)
    except OSError as error:
        raise click.ClickException(f"{output}: cannot be written: {error}") from error
    click.echo(f"{output}: {len(html.encode()) / 1e6:.2f} MB, {len(contents.labels)} model(s)")


def _findings(folder: Path) -> Findings:
    from lm_eval_ifeval_pt.contamination import findings

    try:
        return findings.read(folder)
    except findings.ContaminationError as error:
        raise click.ClickException(str(error)) from error


def _sweeps(paths: Sequence[Path]) -> list[Path]:
    """The folders of sweeps among the results."""
    from lm_eval_ifeval_pt.curves import points

    return [path for path in paths if points.is_sweep(path)]


def _curves(folders: Sequence[Path]) -> CurvePage | None:
    if not folders:
        return None
    from lm_eval_ifeval_pt.curves import points
    from lm_eval_ifeval_pt.report import curves
    from lm_eval_ifeval_pt.sweep.errors import SweepError

    try:
        return curves.gather(points.read(folders))
    except (results.ResultsError, SweepError) as error:
        raise click.ClickException(f"--curves: {error}") from error


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
