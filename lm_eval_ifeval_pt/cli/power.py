"""`lm-eval-pt power`."""

from __future__ import annotations

import math
from pathlib import Path

import click

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import pairing, power
from lm_eval_ifeval_pt.analysis.pairing import NotComparable, Shared
from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.report.numbers import percent
from lm_eval_ifeval_pt.statistics import detectable_difference, items_needed, mcnemar_items_needed

_POWERS = (0.5, 0.8, 0.9)
_SHARE = click.FloatRange(0, 1)
_POINTS = click.FloatRange(0, 100, min_open=True)


@click.command("power", short_help="How many items a difference needs.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[A B]")
@click.option("--difference", default=5.0, show_default=True, type=_POINTS, help="To be found, in points.")
@click.option("--items", type=click.IntRange(2), help="Items at hand.  [default: 308, or those of A and B]")
@click.option("--rate", default=0.5, show_default=True, type=_SHARE, help="Score of either model, as a share.")
@click.option("--correlation", default=0.5, show_default=True, type=_SHARE, help="Of two models' outcomes on one item.")
@click.option("--cluster-size", default=1, show_default=True, type=click.IntRange(1), help="Items per base task.")
@click.option("--icc", default=0.0, show_default=True, type=_SHARE, help="Correlation of differences in a base task.")
@click.option("--repeats", default=1, show_default=True, type=click.IntRange(1), help="Answers per item.")
@click.option("--within", default=0.0, show_default=True, type=_SHARE, help="Share of variance within an item.")
@click.option("--task", help="Of A and B.")
@click.option("--metric", help="Of A and B.")
@click.option("--alpha", default=0.05, show_default=True, type=_SHARE, help="Two-sided error rate.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(
    paths: tuple[Path, ...],
    difference: float,
    items: int | None,
    rate: float,
    correlation: float,
    cluster_size: int,
    icc: float,
    repeats: int,
    within: float,
    task: str | None,
    metric: str | None,
    alpha: float,
    as_json: bool,
) -> None:
    """Say how many items a difference needs, and what difference some items can show.

    Two models answer the same items. Without A and B the variance follows from --rate and --correlation, and what
    clusters cost from --cluster-size and --icc; two results of a run (folders or files, as of `diff`) measure both.
    """
    if paths:
        if len(paths) != 2:
            raise click.UsageError("name two results to measure the variance by, or none")
        try:
            shared = _share(paths, task, metric)
        except (results.ResultsError, NotComparable) as error:
            raise click.ClickException(str(error)) from error
        variance, effect, clusters = power.measured(shared)
        measured = f"Measured on {len(shared.unit_of)} items in {clusters} clusters of A and B"
        is_binary = shared.is_binary
        items = items or len(shared.unit_of)
    else:
        variance, effect = power.assumed(rate, correlation, cluster_size, icc)
        is_binary = True
        measured = f"Models near {percent(rate)} %, whose outcomes on one item are correlated by {correlation:g}"
        items = items or 308
    share = difference / 100
    between, of_one = effect * variance * (1 - within), effect * variance * within / 2
    discordant = min(variance + share**2, 1.0) if is_binary and repeats == 1 else None
    rows = [
        {
            "power": power,
            "items": math.ceil(items_needed(share, between, (of_one, of_one), (repeats, repeats), alpha, power)),
            "items_mcnemar": discordant and math.ceil(effect * mcnemar_items_needed(discordant, share, alpha, power)),
            "detectable": detectable_difference(items, between, (of_one, of_one), (repeats, repeats), alpha, power),
        }
        for power in _POWERS
    ]
    if as_json:
        printing.as_json({"variance": variance, "design_effect": effect, "items": items, "rows": rows})
        return
    columns = (f"items for {difference:g} points", "by McNemar's test", f"points with {items} items")
    table = printing.table("", "chance to find it", *columns, left=0)
    for row in rows:
        counts = (str(row["items"]), str(row["items_mcnemar"] or "–"))
        table.add_row(f"{percent(row['power'] or 0, 0)} %", *counts, percent(row["detectable"] or 0))
    console = printing.console()
    console.print(table)
    console.print(
        f"{measured}; two-sided error rate {alpha:g}, both models on the same items.\n"
        f"Design effect {effect:.2f}: clusters need so many times the items that independent ones do.",
        style="dim",
    )


def _share(paths: tuple[Path, ...], task: str | None, metric: str | None) -> Shared:
    runs = []
    for path in paths:
        reading = results.read([path])
        printing.notes(reading.notes)
        runs.append({run.task: run for run in reading.runs if task in (None, run.task)})
    common = [name for name in runs[0] if name in runs[1]]
    if len(common) != 1:
        raise NotComparable(f"tasks in common: {', '.join(common) or 'none'}; name one with --task")
    return pairing.share([by_task[common[0]] for by_task in runs], metric)
