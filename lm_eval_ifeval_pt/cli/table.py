"""`lm-eval-pt table`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from rich.console import Console

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import restrictions
from lm_eval_ifeval_pt.analysis.clusters import population
from lm_eval_ifeval_pt.analysis.restrictions import InstructionRate, Level
from lm_eval_ifeval_pt.cli import fields, printing
from lm_eval_ifeval_pt.cli.layout import Table
from lm_eval_ifeval_pt.report.numbers import p_value, percent, span
from lm_eval_ifeval_pt.results import Run
from lm_eval_ifeval_pt.statistics import Estimate, wilson

if TYPE_CHECKING:
    from lm_eval_ifeval_pt.analysis.accidental import Accident

Order = Literal["strict", "loose", "name"]


@click.command("table", short_help="Show which restrictions were followed.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULTS...")
@click.option(
    "--sort",
    "order",
    type=click.Choice(["strict", "loose", "name"]),
    default="strict",
    show_default=True,
    help="Order of the restrictions; rates from the lowest.",
)
@click.option("--by", "field", help="Scores of any task by this field of the documents instead, e.g. subject.")
@click.option("--accidental", "with_accidents", is_flag=True, help="Also how often each is met unasked.")
@click.option("--contamination", type=click.Path(path_type=Path), help="Findings of a scan: seen items beside clean.")
@click.option("--seen-from", default=0.5, show_default=True, type=click.FloatRange(0, 1), help="Share that is seen.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(
    paths: tuple[Path, ...],
    order: Order,
    field: str | None,
    with_accidents: bool,
    contamination: Path | None,
    seen_from: float,
    as_json: bool,
) -> None:
    """Print which restrictions were followed, and how sure the score is; with --by the scores of any task by a field.

    RESULTS are output folders of lm_eval, results_*.json or samples_*.jsonl files of runs with --log_samples.
    """
    try:
        reading = results.read(paths)
        if field is not None:
            printing.notes(reading.notes)
            fields.print_scores(reading.runs, field, as_json)
            return
    except results.ResultsError as error:
        raise click.ClickException(str(error)) from error
    if contamination is not None:
        from lm_eval_ifeval_pt.cli.contamination import print_scores

        printing.notes(reading.notes)
        print_scores(reading.runs, contamination, seen_from, as_json)
        return
    runs = [run for run in reading.runs if run.is_verified]
    printing.notes(reading.notes)
    printing.notes(_without_verdicts(run for run in reading.runs if not run.is_verified))
    if not runs:
        raise click.ClickException("no verdicts to show")
    if as_json:
        printing.as_json(data(runs, with_accidents))
        return
    console = printing.console()
    for run in runs:
        table = render(run, order)
        console.print(table)
        if "repeated" in table.columns:
            console.print(_REPEATED, style="dim")
        levels = restrictions.levels(run.items)
        tasks = population(run.items)
        console.print(_levels(levels, tasks))
        console.print(honest(run, levels[0], tasks), style="dim")
        if (echoes := restrictions.echoes(run.items)) is not None and echoes.share > restrictions.MANY_ECHOES:
            console.print(_echoes(run, echoes), style="bold")
        if with_accidents:
            _print_accidents(console, run, order)


def _without_verdicts(runs: Iterable[Run]) -> list[str]:
    """Notes on runs without verdicts: the command that shows them or gives them some; once a task."""
    told: dict[str, str] = {}
    for run in runs:
        if any("instruction_id_list" in item.doc for item in run.items[:1]):
            told.setdefault(
                run.task,
                f"{run.task}: left out, its answers have no verdicts yet (--predict_only?); `lm-eval-pt score "
                f"--task {run.task} {run.path}` gives them",
            )
        else:
            told.setdefault(
                run.task, f"{run.task}: left out, its documents carry no verdicts; `lm-eval-pt stats` shows it"
            )
    return list(told.values())


def render(run: Run, order: Order) -> Table:
    """The table of one run: a row per restriction, then the sums."""
    totals = restrictions.totals(run.items)
    repeated = ["repeated"] if any(rate.repeated for rate in totals) else []
    table = printing.table(
        run.title,
        *("restriction", "kind", "n", "strict %", "95 % CI, other prompts", "loose %", *repeated),
        left=2,
        spare=("kind",),
    )
    for rate in sorted(restrictions.rates(run.items), key=lambda rate: _sort_key(rate, order)):
        table.add_row(*_cells(rate)[: len(table.columns)])
    table.add_section()
    for rate in totals:
        table.add_row(*_cells(rate)[: len(table.columns)], style="bold")
    return table


def _sort_key(rate: InstructionRate, order: Order) -> tuple[float, str]:
    followed = {"strict": rate.strict, "loose": rate.loose, "name": 0}[order]
    return followed / rate.n, rate.name


def _cells(rate: InstructionRate) -> list[str]:
    strict, loose = percent(rate.strict / rate.n), percent(rate.loose / rate.n)
    return [rate.name, rate.kind, str(rate.n), strict, span(*rate.interval), loose, str(rate.repeated or 0)]


def _levels(levels: list[Level], tasks: str) -> Table:
    table = printing.table(
        "How far the scores may be off: 95 % intervals, by what else might have been asked",
        *("score", "n", "%", "other prompts", tasks, "other restrictions", "both"),
        spare=("n", "other prompts"),
    )
    for level in levels:
        scores = [level.independent, level.by_task, level.by_restriction, level.by_both]
        table.add_row(
            level.name,
            str(level.independent.n),
            percent(level.independent.value),
            *("–" if score is None else span(*score.interval(), digits=1) for score in scores),
        )
    return table


def honest(run: Run, level: Level, tasks: str) -> str:
    """The difference that the prompts can tell apart, in words."""
    design = f"{level.independent.n} prompts, {level.by_task.df + 1} {tasks.removeprefix('other ')}"
    if level.by_restriction:
        design += f", {level.by_restriction.df + 1} restrictions"
    sizes = sorted(rate.n for rate in restrictions.rates(run.items))
    n = sizes[len(sizes) // 2]
    return (
        f"{design}.\n"
        f"Two models on the same prompts are told apart from about {percent(restrictions.detectable(level))} points on "
        f"(80 % power, outcomes correlated by {restrictions.ASSUMED_CORRELATION}); `lm-eval-pt diff A B` measures it.\n"
        f"A restriction with n = {n}, the median, has a Wilson interval up to {_widest(n)} points wide: only extremes "
        "differ.\n"
        "Passive restrictions (do not …) are met by accident when the answer is short: --accidental shows how often."
    )


_REPEATED = "Repeated: verdicts counted as strict all of whose evidence the answer repeats from its prompt."


def _echoes(run: Run, echoes: restrictions.Echoes) -> str:
    return (
        f"{percent(echoes.share, 0)} % of the answers mostly repeat their prompt, which holds the words it asks for: "
        f"{echoes.resting} of {echoes.followed} followed verdicts rest on repeated words.\n"
        f"Without these words {percent(echoes.own_words)} % of the prompts are followed ({run.task}_own_words): trust "
        "that, and the corrected score on own words, rather than the scores above."
    )


def _widest(n: int) -> str:
    low, high = wilson(n // 2, n)
    return f"{100 * (high - low):.0f}"


def _print_accidents(console: Console, run: Run, order: Order) -> None:
    from lm_eval_ifeval_pt.analysis import accidental  # which verifies anew, and so needs all verifiers
    from lm_eval_ifeval_pt.ifeval.crossing import NotCrossed, overall

    try:
        cells = accidental.cells(run.items)
    except NotCrossed as error:
        console.print(f"No accidental rates: {error}.")
        return
    console.print(_accidents(accidental.by_restriction(cells), order))
    score = overall(cells)
    low, high = score.interval()
    console.print(
        f"{run.task}_corrected = {percent(score.value)} % ({percent(low)} to {percent(high)} at 95 %): the share of "
        "what accident leaves to gain that asking gains.\n"
        "Accidental: the answers to the other prompts of the same base task, which did not ask for it.\n"
        "Corrected: (asked - accidental) / (1 - accidental); – where the restriction can hardly be failed.\n"
        f"p: exact, one-sided; q: for {len({cell.restriction for cell in cells})} restrictions at once "
        "(Benjamini-Hochberg).",
        style="dim",
    )


def _accidents(accidents: Sequence[Accident], order: Order) -> Table:
    table = printing.table(
        "Asked and not asked",
        *("restriction", "kind", "n", "asked %", "accidental %", "lift", _CI_OF_LIFT, "corrected %"),
        "its 95 % CI, other base tasks",
        *("p", "q"),
        left=2,
        spare=("kind", _CI_OF_LIFT, "p", "lift", "n"),
    )
    by_rate = order != "name"
    for accident in sorted(accidents, key=lambda row: (row.asked if by_rate else 0.0, row.restriction)):
        corrected = ("–", "–") if accident.corrected is None else _with_interval(accident.corrected)
        table.add_row(
            *(accident.restriction, accident.kind, str(accident.n)),
            *(percent(accident.asked), percent(accident.accidental)),
            *(*_with_interval(accident.lift), *corrected, p_value(accident.p_value), p_value(accident.q_value)),
        )
    return table


_CI_OF_LIFT = "95 % CI of lift, other base tasks"


def _with_interval(score: Estimate) -> tuple[str, str]:
    return percent(score.value), span(*score.interval())


def _accidental_data(run: Run) -> dict[str, Any] | None:
    from lm_eval_ifeval_pt.analysis import accidental  # which verifies anew, and so needs all verifiers
    from lm_eval_ifeval_pt.ifeval.crossing import NotCrossed, overall

    try:
        cells = accidental.cells(run.items)
    except NotCrossed:
        return None
    return {"corrected": overall(cells), "restrictions": accidental.by_restriction(cells)}


def data(runs: Sequence[Run], with_accidents: bool = False) -> list[dict[str, Any]]:
    """The tables of runs as JSON shows them."""
    return [_data(run, with_accidents) for run in runs]


def _data(run: Run, with_accidents: bool) -> dict[str, Any]:
    return {
        "model": run.model,
        "task": run.task,
        "part": run.part or None,
        "path": run.path,
        "restrictions": restrictions.rates(run.items),
        "totals": restrictions.totals(run.items),
        "levels": restrictions.levels(run.items),
        **({"accidental": _accidental_data(run)} if with_accidents else {}),
    }
