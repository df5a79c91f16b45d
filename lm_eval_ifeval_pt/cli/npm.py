"""`lm-eval-pt npm`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from lm_eval_ifeval_pt.cli import layout, printing
from lm_eval_ifeval_pt.npm import leaderboard, standings
from lm_eval_ifeval_pt.npm.baselines import FORMATS
from lm_eval_ifeval_pt.npm.formula import AVERAGES, GROUPS, Average, NpmEstimate
from lm_eval_ifeval_pt.npm.leaderboard import Scale
from lm_eval_ifeval_pt.npm.standings import LeaderboardLine
from lm_eval_ifeval_pt.report import tables as rendering
from lm_eval_ifeval_pt.results import ResultsError, read_scores


@click.command("npm", short_help="Rank models by NPM from result files.")
@click.argument("results", nargs=-1, required=True, metavar="RESULT...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "markdown", "latex"]),
    default="table",
    show_default=True,
    help="How to print the leaderboard.",
)
@click.option("--json", "form", flag_value="json", help="Print as JSON; the same as --format json.")
@click.option(
    "--average",
    "shown",
    type=click.Choice(list(GROUPS)),
    multiple=True,
    help="Averages to show; the first one ranks. Default: those of which a model has a task that only they have.",
)
@click.option("--tasks", "with_tasks", is_flag=True, help="Show the NPM of every task too.")
@click.option("--partial", is_flag=True, help="Average what is present where tasks are missing, marked with *.")
@click.option("--any-protocol", is_flag=True, help="Rank models together that were asked in different ways.")
@click.option(
    "--baselines",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Your own tasks: JSON or YAML, {"my_task": {"metric": "acc", "random": 0.25, "max": 1.0}}; '
    "their mean is shown as the average Own.",
)
@click.option("--scale", type=click.Choice(["share", "percent"]), help="Scale of all scores: 0-1 or 0-100.")
def command(
    results: tuple[str, ...],
    form: str,
    shown: tuple[str, ...],
    with_tasks: bool,
    partial: bool,
    any_protocol: bool,
    baselines: Path | None,
    scale: Scale | None,
) -> None:
    """Rank models by NPM from result files (files, folders or glob patterns).

    NPM = 100 * (score - chance) / (maximum - chance), averaged over tasks, unclipped. A rank is 1 + the number of
    models that are significantly better (Holm, 5 %): models that the data cannot separate share it.
    """
    try:
        own = leaderboard.read_baselines(baselines) if baselines else {}
        read = read_scores(results, own)
    except ResultsError as error:
        raise click.ClickException(str(error)) from error
    board = leaderboard.build(read.scores, own, scale)
    printing.notes((*read.notes, *board.notes))
    if not board.entries:
        raise click.ClickException("no score of a known task")
    averages = {**AVERAGES, **({"Own": tuple(own)} if own else {})}
    wanted = {name: averages[name] for name in shown} or standings.relevant(board, averages)
    names = list(wanted)
    lines = standings.lines(board, wanted, partial, any_protocol)
    printing.notes(_asked(lines, any_protocol))
    tasks = list(dict.fromkeys(task for line in lines for task in line.tasks)) if with_tasks else []
    _FORMATS[form](lines, names, tasks)


def _asked(lines: list[LeaderboardLine], any_protocol: bool) -> list[str]:
    """The note on models that were asked in different ways."""
    if not any(line.asked for line in lines):
        return []
    if any_protocol:
        return ["models that were asked in different ways (beside their names) are ranked together, as asked for"]
    return ["models that were asked otherwise than most (beside their names) are not ranked; --any-protocol ranks them"]


def _cell(average: Average) -> str:
    """A value with its standard error; `*` marks a partial one, a withheld one says what it lacks."""
    if average.estimate is None:
        return average.coverage
    return _number(average.estimate) + (f" * ({average.coverage})" if average.is_partial else "")


def _number(estimate: NpmEstimate | None) -> str:
    if estimate is None:
        return "–"
    return f"{estimate.value:.2f}" + ("" if estimate.stderr is None else f" ± {estimate.stderr:.2f}")


def _rows(lines: list[LeaderboardLine], names: list[str], tasks: list[str]) -> list[list[str]]:
    return [
        [
            "–" if line.rank is None else str(line.rank),
            line.label,
            *(_cell(line.averages[name]) for name in names),
            *(_number(line.tasks.get(task)) for task in tasks),
        ]
        for line in lines
    ]


def _formats(lines: list[LeaderboardLine]) -> layout.Table:
    """The eight benchmarks in both formats: a row per model and benchmark."""
    table = printing.table("Cloze (CF) and multiple-choice format (MCF) of the same rows", *_FORMAT_COLUMNS, left=2)
    for line in lines:
        for benchmark, (cloze, choice) in FORMATS.items():
            of_cloze, of_choice = line.tasks.get(cloze), line.tasks.get(choice)
            gain = "–" if of_cloze is None or of_choice is None else f"{of_choice.value - of_cloze.value:+.2f}"
            table.add_row(benchmark, line.model, _number(of_cloze), _number(of_choice), gain)
    return table


_ERROR = "± SE, other documents"  # as result files state it: for other documents of the same tasks
_FORMAT_COLUMNS = ("benchmark", "model", f"CF {_ERROR}", f"MCF {_ERROR}", "MCF - CF")
_NAMED = 1  # missing task that a cell names
_SIDE_BY_SIDE = 4  # models, each a column beside the others; more of them are rows


def _table(lines: list[LeaderboardLine], names: list[str], tasks: list[str]) -> None:
    console = printing.console()
    board = printing.table("", "rank", "model", *(f"{name} {_ERROR}" for name in names), left=2)
    for line in lines:
        rank, label, *cells = _rows([line], names, [])[0]
        brief = (_brief(line.averages[name], cell) for name, cell in zip(names, cells, strict=True))
        board.add_row(rank, label, *brief)
    console.print(board)
    if not any(line.averages[name].estimate for line in lines for name in names):
        tasks = list(dict.fromkeys(task for line in lines for task in line.tasks))
    if {"CF", "MCF"} <= set(names):
        console.print(_formats(lines))
    if tasks:
        console.print(_by_task(lines, tasks))
    console.print(f"Ranks by {names[0]}; models that the data cannot separate share a rank. SE: one standard error.")
    for name in names:
        if missing := _missing(lines, name):
            console.print(f"{name} lacks: {missing}.")
    if any(line.averages[name].is_partial and line.averages[name].estimate for line in lines for name in names):
        console.print("* some tasks are missing: not comparable with complete averages, not ranked.")
    elif any(line.averages[name].estimate is None for line in lines for name in names):
        console.print("Averages with missing tasks are withheld; --partial shows them, marked.")


def _by_task(lines: list[LeaderboardLine], tasks: list[str]) -> layout.Table:
    """The NPM of each task: a row per task where models are few enough to stand side by side, else a row per model."""
    title = f"NPM of each task {_ERROR}"
    if len(lines) <= _SIDE_BY_SIDE:
        table = printing.table(title, "task", *(line.label for line in lines))
        for task in tasks:
            table.add_row(task, *(_number(line.tasks.get(task)) for line in lines))
        return table
    table = printing.table(title, "model", *tasks)
    for line in lines:
        table.add_row(line.label, *(_number(line.tasks.get(task)) for task in tasks))
    return table


def _brief(average: Average, cell: str) -> str:
    """A cell in which many missing tasks are counted; a line below the table names them."""
    if len(average.missing) <= _NAMED:
        return cell
    count = f"{average.present}/{average.present + len(average.missing)} tasks"
    return cell.replace(average.coverage, count)


def _missing(lines: list[LeaderboardLine], name: str) -> str:
    """The tasks that an average lacks, with the models without them, where their cells only count them."""
    lacking: dict[str, list[str]] = {}
    for line in lines:
        if len(line.averages[name].missing) <= _NAMED:
            continue
        for task in line.averages[name].missing:
            lacking.setdefault(task, []).append(line.label)
    alike: dict[tuple[str, ...], list[str]] = {}
    for task, models in lacking.items():
        alike.setdefault(tuple(models), []).append(task)
    return "; ".join(
        ", ".join(tasks) if len(models) == len(lines) else f"{', '.join(tasks)} ({', '.join(models)})"
        for models, tasks in alike.items()
    )


def _header(names: list[str], tasks: list[str]) -> list[str]:
    return ["rank", "model", *(f"{name} {_ERROR}" for name in (*names, *tasks))]


def _markdown(lines: list[LeaderboardLine], names: list[str], tasks: list[str]) -> None:
    header = _header(names, tasks)
    click.echo(rendering.markdown(header, _rows(lines, names, tasks)), nl=False)


def _latex(lines: list[LeaderboardLine], names: list[str], tasks: list[str]) -> None:
    header = _header(names, tasks)
    click.echo(rendering.latex(header, _rows(lines, names, tasks), f"rl{'r' * (len(header) - 2)}"), nl=False)


def _csv(lines: list[LeaderboardLine], names: list[str], tasks: list[str]) -> None:
    columns = [f"{name}{suffix}" for name in names for suffix in ("", "_stderr", "_coverage")]
    header = ["rank", "model", *columns, *(f"{task}{suffix}" for task in tasks for suffix in ("", "_stderr"))]
    rows = []
    for line in lines:
        row: list[Any] = [line.rank, line.label]
        for name in names:
            row.extend([*_pair(line.averages[name].estimate), line.averages[name].coverage])
        for task in tasks:
            row.extend(_pair(line.tasks.get(task)))
        rows.append(row)
    click.echo(rendering.comma_separated(header, rows), nl=False)


def _pair(estimate: NpmEstimate | None) -> tuple[float | None, float | None]:
    if estimate is None:
        return None, None
    return round(estimate.value, 6), None if estimate.stderr is None else round(estimate.stderr, 6)


def _json(lines: list[LeaderboardLine], names: list[str], _tasks: list[str]) -> None:
    models = [
        {
            "rank": line.rank,
            "model": line.model,
            "part": line.part or None,
            "asked": line.asked or None,
            "averages": {
                name: {
                    **dict(zip(("npm", "stderr"), _pair(line.averages[name].estimate), strict=True)),
                    "partial": line.averages[name].is_partial,
                    "present": line.averages[name].present,
                    "missing": list(line.averages[name].missing),
                }
                for name in names
            },
            "tasks": {
                task: {"npm": estimate.value, "stderr": estimate.stderr} for task, estimate in line.tasks.items()
            },
        }
        for line in lines
    ]
    printing.as_json({"ranked_by": names[0], "population": "other documents", "models": models})


_FORMATS: Mapping[str, Callable[[list[LeaderboardLine], list[str], list[str]], None]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
