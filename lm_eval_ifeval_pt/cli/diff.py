"""`lm-eval-pt diff`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import comparison
from lm_eval_ifeval_pt.analysis.comparison import Comparison
from lm_eval_ifeval_pt.analysis.fields import FieldChange
from lm_eval_ifeval_pt.analysis.pairing import NotComparable
from lm_eval_ifeval_pt.cli import evidence, fields, printing
from lm_eval_ifeval_pt.cli.layout import Table
from lm_eval_ifeval_pt.report import numbers
from lm_eval_ifeval_pt.report.numbers import p_value, percent
from lm_eval_ifeval_pt.results import Run, identity
from lm_eval_ifeval_pt.statistics import holm


@click.command("diff", short_help="Compare two models on the same documents.")
@click.argument("a", type=click.Path(path_type=Path), metavar="A")
@click.argument("b", type=click.Path(path_type=Path), metavar="B")
@click.option("--task", "tasks", multiple=True, help="Only this task; may be repeated.  [default: all that both have]")
@click.option("--metric", help="What to compare.  [default: the task's preferred metric]")
@click.option("--filter", "filter_", help="Under which filter.  [default: the first]")
@click.option("--cluster", help="Field of the documents to cluster by, e.g. subject.")
@click.option("--by", "field", help="Also what changed by the values of this field of the documents, e.g. subject.")
@click.option("--show", default=3, show_default=True, help="Documents to show of those that got worse, and better.")
@click.option("--force", is_flag=True, help="Compare also what was asked differently, by place if need be.")
@click.option("--fail-on-regression", is_flag=True, help="Exit with 1 if B is worse than A beyond doubt on some task.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(
    a: Path,
    b: Path,
    tasks: tuple[str, ...],
    metric: str | None,
    filter_: str | None,
    cluster: str | None,
    field: str | None,
    show: int,
    force: bool,
    fail_on_regression: bool,
    as_json: bool,
) -> None:
    """Compare two models on the same documents: what got better, what worse, and whether that is more than chance.

    A and B are output folders of lm_eval, results_*.json or samples_*.jsonl files of runs with --log_samples, of any
    task. The exit code is 0, 1 for a regression if --fail-on-regression is given, 2 if they cannot be compared.
    """
    try:
        of_a, of_b = _tell_apart(_by_task(a), _by_task(b))
        shared = [task for task in of_a if task in of_b and (not tasks or task in tasks)]
        if not shared:
            raise NotComparable(f"no task in common; A has {', '.join(of_a)}, B has {', '.join(of_b)}")
        printing.notes(
            f"{task}: only {name} has it; left out"
            for name, mine, theirs in (("A", of_a, of_b), ("B", of_b, of_a))
            for task in mine
            if task not in theirs
        )
        comparisons = [
            comparison.compare(of_a[task], of_b[task], metric=metric, filter=filter_, cluster=cluster, force=force)
            for task in shared
        ]
        by_field = fields.changes(comparisons, field) if field else {}
    except (results.ResultsError, NotComparable) as error:
        raise click.UsageError(str(error)) from error
    adjusted = holm([compared.p_value for compared in comparisons])
    for compared in comparisons:
        printing.notes(f"{compared.a.task}: {remark}" for remark in (*compared.reasons, *compared.remarks))
    if as_json:
        printing.as_json(
            [
                _data(compared, p, field, by_field.get(compared.a.task, []))
                for compared, p in zip(comparisons, adjusted, strict=True)
            ]
        )
    else:
        _print(printing.console(), comparisons, adjusted, show, field or "", by_field)
    worse = [
        compared.a.task
        for compared, p in zip(comparisons, adjusted, strict=True)
        if compared.is_different(p) and compared.difference.value < 0
    ]
    if fail_on_regression and worse:
        click.echo(f"regression: {', '.join(worse)}", err=True)
        sys.exit(1)


def _tell_apart(of_a: dict[str, Run], of_b: dict[str, Run]) -> tuple[dict[str, Run], dict[str, Run]]:
    """The runs of both sides, named so that two checkpoints of one model are two names."""
    named = identity.tell_apart([*of_a.values(), *of_b.values()])
    return dict(zip(of_a, named, strict=False)), dict(zip(of_b, named[len(of_a) :], strict=True))


def _by_task(path: Path) -> dict[str, Run]:
    reading = results.read([path])
    printing.notes(reading.notes)
    if len(models := {run.model for run in reading.runs}) > 1:
        raise NotComparable(f"{path} holds several models: {', '.join(sorted(models))}; name the folder of one")
    return {run.task: run for run in reading.runs}


def _print(
    console: Console,
    comparisons: Sequence[Comparison],
    adjusted: Sequence[float],
    show: int,
    field: str,
    by_field: Mapping[str, Sequence[FieldChange]],
) -> None:
    sides = zip(*((compared.a, compared.b) for compared in comparisons), strict=True)
    for letter, runs in zip("AB", sides, strict=True):
        parts = [run.part if len(runs) == 1 else f"{run.part} of {run.task}" for run in runs if run.part]
        console.print(f"{letter}  {runs[0].model}" + (f"  (only {', '.join(parts)})" if parts else ""), style="bold")
    console.print(_summary(comparisons, adjusted))
    for compared, p in zip(comparisons, adjusted, strict=True):
        console.print(_verdict(compared, p))
    for compared in comparisons:
        if changes := by_field.get(compared.a.task):
            console.print(fields.changes_table(compared, field, changes))
        _print_restrictions(console, comparison.by_restriction(compared.pairs))
        for name, pairs in (("worse", compared.regressed), ("better", compared.improved)):
            for pair in pairs[:show]:
                console.print(evidence.shown(compared, name, pair, plain=not console.is_terminal))
            if len(pairs) > show:
                console.print(f"… and {len(pairs) - show} more that got {name}: --show {len(pairs)}, or --json\n")


def _summary(comparisons: Sequence[Comparison], adjusted: Sequence[float]) -> Table:
    others = " or ".join(dict.fromkeys(compared.population for compared in comparisons))
    table = printing.table(
        "",
        *("task", "metric", "n", "A %", "B %", "better by", f"95 % CI, {others}", "improved", "regressed", "p"),
        *("p (Holm)", "detectable"),
        left=2,
        spare=("detectable", "p", "metric", "n"),
    )
    for compared, p in zip(comparisons, adjusted, strict=True):
        table.add_row(
            compared.a.task,
            printing.named(compared.metric, compared.filter),
            str(len(compared.pairs)),
            *(percent(compared.a_mean), percent(compared.b_mean), f"{100 * compared.difference.value:+.1f}"),
            numbers.between(compared.difference.scaled(100).interval(), "+.1f"),
            *(str(len(compared.improved)), str(len(compared.regressed)), p_value(compared.p_value), p_value(p)),
            percent(compared.detectable),
        )
    return table


def _verdict(compared: Comparison, p: float) -> str:
    """The comparison in words."""
    task, test = compared.a.task, "McNemar's exact test" if compared.is_binary else "the paired t test"
    if compared.is_different(p):
        better = "B" if compared.difference.value > 0 else "A"
        agree = f"{task}: {better} is better; {test} and the interval for {compared.population} agree."
        return agree + _elsewhere(compared)
    if not compared.improved and not compared.regressed:
        return f"{task}: nothing changed."
    return (
        f"{task}: A and B cannot be told apart. On these documents a difference of {percent(compared.detectable)} "
        "points would be found with 80 % chance."
    )


def _elsewhere(compared: Comparison) -> str:
    """The interval of the difference for restrictions that were not asked, in words."""
    if compared.elsewhere is None:
        return ""
    low, high = interval = compared.elsewhere.scaled(100).interval()
    but = "" if low > 0 or high < 0 else "so much depends on these restrictions that "
    return f" For other restrictions of the kind: {but}{numbers.between(interval, '+.1f')} points."


def _print_restrictions(console: Console, changes: Sequence[comparison.RestrictionChange]) -> None:
    changed = [change for change in changes if change.improved or change.regressed]
    if not changed:
        return
    table = printing.table("", "restriction", "n", "A", "B", "improved", "regressed", "p", "q")
    for change in sorted(changed, key=lambda change: (change.p_value, change.improved - change.regressed)):
        counts = (change.n, change.a, change.b, change.improved, change.regressed)
        table.add_row(change.restriction, *map(str, counts), p_value(change.p_value), p_value(change.q_value))
    console.print(table)
    console.print(f"{len(changes) - len(changed)} restrictions are as before. q: p for {len(changes)} restrictions.\n")


def _side(run: Run, mean: float) -> dict[str, Any]:
    return {"model": run.model, "mean": mean, "part": run.part or None, "path": run.path}


def _data(compared: Comparison, p: float, field: str | None, changes: Sequence[FieldChange]) -> dict[str, Any]:
    return {
        "task": compared.a.task,
        "metric": compared.metric,
        "filter": compared.filter,
        "a": _side(compared.a, compared.a_mean),
        "b": _side(compared.b, compared.b_mean),
        "n": len(compared.pairs),
        "difference": compared.difference,
        "population": compared.population,
        "elsewhere": compared.elsewhere,
        "p_value": compared.p_value,
        "p_value_holm": p,
        "is_different": compared.is_different(p),
        "detectable": compared.detectable,
        "improved": [pair.a.doc_id for pair in compared.improved],
        "regressed": [pair.a.doc_id for pair in compared.regressed],
        "restrictions": comparison.by_restriction(compared.pairs),
        **({"by": field, "values": changes} if field else {}),
        "reasons": compared.reasons,
        "remarks": compared.remarks,
    }
