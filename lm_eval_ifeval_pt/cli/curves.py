"""`lm-eval-pt curves`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.curves import points
from lm_eval_ifeval_pt.curves.figures import LAST
from lm_eval_ifeval_pt.npm.leaderboard import read_baselines
from lm_eval_ifeval_pt.report import curves as report
from lm_eval_ifeval_pt.report.numbers import in_points, number, p_value
from lm_eval_ifeval_pt.report.strings import Language
from lm_eval_ifeval_pt.results import ResultsError
from lm_eval_ifeval_pt.sweep.checkpoints import token_table
from lm_eval_ifeval_pt.sweep.errors import SweepError
from lm_eval_ifeval_pt.writing import replacing


@click.command("curves", short_help="Scores over training, and which of them are signal.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FOLDERS...")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write one HTML file.")
@click.option("--x", "axis", type=click.Choice(["steps", "tokens"]), default="steps", show_default=True)
@click.option("--tokens-per-step", type=float, help="Training tokens of a step.")
@click.option("--tokens", "token_file", type=click.Path(path_type=Path, dir_okay=False), help="CSV: checkpoint,tokens.")
@click.option(
    "--last", type=click.IntRange(2), default=LAST, show_default=True,
    help="Checkpoints at the end: their spread is noise, and did they change anything?",
)  # fmt: skip
@click.option("--baselines", type=click.Path(path_type=Path, dir_okay=False), help="Chance levels of your own tasks.")
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False, path_type=Path), help="Write all points as CSV.")
@click.option("--figures", type=click.Path(file_okay=False, path_type=Path), help="A folder for SVG and PNG (`plots`).")
@click.option("--language", type=click.Choice(["pt", "en"]), default="pt", show_default=True, help="The page opens in.")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
def command(
    paths: tuple[Path, ...], output: Path | None, axis: str, tokens_per_step: float | None, token_file: Path | None,
    last: int, baselines: Path | None, csv_file: Path | None, figures: Path | None, language: Language, as_json: bool,
) -> None:  # fmt: skip
    """Show scores over training, with the figures that say which of it is signal.

    FOLDERS are those of `lm-eval-pt sweep`, or any output folders of lm_eval whose models' names say the step
    (step_1000, checkpoint-1000, revision=step1000).
    """
    try:
        curves = points.read(
            paths,
            own=read_baselines(baselines) if baselines else None,
            tokens_per_step=tokens_per_step,
            token_table=token_table(token_file) if token_file else None,
        )
        contents = report.gather(curves, last, axis == "tokens")
    except (ResultsError, SweepError) as error:
        raise click.ClickException(str(error)) from error
    if not contents.curves.curves:
        raise click.ClickException("; ".join(contents.notes))
    if as_json:
        printing.as_json(data(contents))
    else:
        _print(contents)
    printing.notes(contents.notes)
    try:
        if csv_file is not None:
            points.write_csv(contents.curves, csv_file)
        if output is not None:
            html = report.page(contents, language)
            with replacing(output) as file:
                file.write(html)
            click.echo(f"{output}: {len(html.encode()) / 1e6:.2f} MB, {len(contents.figures)} curves", err=as_json)
        if figures is not None:
            files = report.pictures(contents, figures, language)
            click.echo(f"{figures}: {len(files)} files", err=as_json)
    except ImportError as error:
        raise click.ClickException(f"{error}; --figures needs: pip install 'lm_eval_ifeval_pt[plots]'") from error
    except OSError as error:
        raise click.ClickException(f"cannot be written: {error}") from error


def data(contents: report.CurvePage) -> dict[str, Any]:
    """Everything as `printing.as_json` takes it; scores are shares, steps as in the files."""
    figures = [
        {"task": each.curve.task, "run": each.curve.run}
        | {field.name: getattr(each, field.name) for field in dataclasses.fields(each) if field.name != "curve"}
        for each in contents.figures
    ]
    return {
        "curves": contents.curves.curves,
        "figures": figures,
        "usefulness": contents.useful,
        "between": contents.between,
        "changes": contents.changes,
        "last": contents.last,
        "notes": contents.notes,
    }


def _print(contents: report.CurvePage) -> None:
    console = printing.console()
    useful = {task.task: task for task in contents.useful}
    position = {task: index for index, task in enumerate(useful)}
    columns = ("task", "training", "points", "first", "last", "SE, other items", "SD, other steps",
               "gain", "separable", "Spearman", "above chance from")  # fmt: skip
    table = printing.table("Curves, the most useful task first (in points)", *columns, left=2)
    for figures in sorted(contents.figures, key=lambda each: (position[each.curve.task], each.curve.run)):
        table.add_row(
            figures.curve.task, figures.curve.run, str(len(figures.curve.points)),
            *(in_points(share) for share in (figures.first, figures.last, figures.item_error, figures.detrended_noise,
                                             figures.gain)),
            number(figures.separable, 1), number(figures.spearman, 2),
            "–" if figures.above_chance is None else str(figures.above_chance),
        )  # fmt: skip
    console.print(table)
    if contents.between:
        table = printing.table("Between trainings", "task", "steps", "spread", "spread / noise", "early as in the end")
        for task in contents.between:
            table.add_row(task.task, str(len(task.steps)), in_points(task.spread), number(task.ratio, 2),
                          f"{100 * useful[task.task].decision:.0f} %")  # fmt: skip
        console.print(table)
    if contents.changes:
        title = f"Did the last checkpoints (up to {contents.last}) change anything? (paired over items, in points)"
        table = printing.table(title, "task", "training", "steps", "items", "trend", "95 % CI, other items", "p (Holm)",
                               left=2)  # fmt: skip
        for change in contents.changes:
            low, high = change.trend.interval()
            table.add_row(
                change.task, change.run, f"{change.steps[0]}–{change.steps[-1]}", str(change.items),
                in_points(change.trend.value), f"{in_points(low)}; {in_points(high)}", p_value(change.p_value),
            )  # fmt: skip
        console.print(table)
