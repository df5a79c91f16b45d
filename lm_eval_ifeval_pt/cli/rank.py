"""`lm-eval-pt rank`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase

import click
from rich.console import Console

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import duels, judges, ranking
from lm_eval_ifeval_pt.analysis.duels import Judged, Strength
from lm_eval_ifeval_pt.analysis.pairing import NotComparable
from lm_eval_ifeval_pt.analysis.ranking import Ranking
from lm_eval_ifeval_pt.cli import printing


@click.command("rank", short_help="Rank models item by item, with ties.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[RESULTS]...")
@click.option(
    "--verdicts",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of a judge's verdicts on pairs of answers; may be repeated.",
)
@click.option("--task", "tasks", multiple=True, help="Only this task; may be repeated.  [default: all that all have]")
@click.option("--metric", help="What to compare.  [default: each task's preferred metric]")
@click.option("--filter", "filter_", help="Under which filter.  [default: the first]")
@click.option("--cluster", help="Field of the documents to cluster by, e.g. subject.")
@click.option("--resamples", default=1000, show_default=True, type=click.IntRange(100), help="Of the bootstrap.")
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(
    paths: tuple[Path, ...],
    verdicts: tuple[Path, ...],
    tasks: tuple[str, ...],
    metric: str | None,
    filter_: str | None,
    cluster: str | None,
    resamples: int,
    seed: int,
    as_json: bool,
) -> None:
    """Rank models item by item, with ties where the items cannot tell them apart.

    RESULTS are output folders of lm_eval, results_*.json or samples_*.jsonl files of runs with --log_samples.
    Verdicts are rows like {"model_a": …, "model_b": …, "winner": "model_a", "question_id": …}.
    """
    if not paths and not verdicts:
        raise click.UsageError("name RESULTS, or --verdicts")
    try:
        ranked = _rank(paths, tasks, metric, filter_, cluster, resamples, seed) if paths else None
        judged = _judge(verdicts, resamples, seed) if verdicts else None
    except (results.ResultsError, NotComparable) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        printing.as_json({"items": ranked and _data(ranked), "verdicts": judged, "seed": seed, "resamples": resamples})
        return
    console = printing.console()
    if ranked:
        _print(console, ranked, resamples, seed)
    if judged:
        _print_judged(console, judged, resamples, seed)


def _rank(
    paths: Sequence[Path],
    tasks: Sequence[str],
    metric: str | None,
    filter_: str | None,
    cluster: str | None,
    resamples: int,
    seed: int,
) -> Ranking:
    reading = results.read(paths)
    ranked = ranking.rank(
        reading.runs, tasks=tasks, metric=metric, filter=filter_, cluster=cluster, resamples=resamples, seed=seed
    )
    printing.notes((*reading.notes, *ranked.notes))
    return ranked


def _judge(paths: Sequence[Path], resamples: int, seed: int) -> Judged:
    found = []
    for path in paths:
        read, notes = judges.read_duels(path)
        printing.notes(notes)
        found.extend(read)
    return duels.judge(found, resamples, seed)


def _print(console: Console, ranked: Ranking, resamples: int, seed: int) -> None:
    several = len(ranked.documents) > 1
    shown = list(ranked.documents) if several else []
    table = printing.table("", "model", "rank", "ties", "NPM", "± base tasks", *shown, *_STRENGTH, spare=(_ELO,))
    letters = _letters(ranked.ties)
    for one in ranked.standings:
        table.add_row(
            *(one.model, str(one.rank), letters[one.model]),
            *(f"{one.score.value:.2f}", f"{one.score.stderr:.2f}"),
            *(f"{one.tasks[task].value:.2f}" for task in shown),
            *_cells(one.strength),
        )
    console.print(table)
    counts = ", ".join(f"{task} ({count} documents)" for task, count in ranked.documents.items())
    console.print(
        f"{counts}. NPM ± standard error, clustered by base task. Rank: 1 + the models that are significantly better "
        "(paired, Holm, 5 %). Models that share a letter cannot be told apart.\n" + _about(resamples, seed),
        style="dim",
    )


def _print_judged(console: Console, judged: Judged, resamples: int, seed: int) -> None:
    table = printing.table("Verdicts", "model", "rank", "ties", "won", "of", *_STRENGTH, spare=(_ELO,))
    letters = _letters(judged.ties)
    for model, one in judged.strengths.items():
        numbers = (f"{one.wins:g}", f"{one.duels:g}")
        table.add_row(model, str(judged.ranks[model]), letters[model], *numbers, *_cells(one))
    console.print(table)
    console.print(_about(resamples, seed), style="dim")


_ELO = ("Elo, in order", "Elo, reversed")
_STRENGTH = ("strength", "95 % CI", *_ELO)


def _cells(one: Strength) -> tuple[str, ...]:
    value = f"{one.value:+.2f}" if one.is_finite else "not finite"
    low, high = one.interval
    interval = f"{low:+.2f} to {high:+.2f}" if one.is_finite else "–"
    return value, interval, f"{one.elo:.0f}", f"{one.elo_reversed:.0f}"


def _about(resamples: int, seed: int) -> str:
    return (
        "Strength: Bradley-Terry (logit of the chance to beat another, the mean is 0), ties count half; interval by a "
        f"bootstrap over clusters ({resamples} resamples, seed {seed}).\n"
        "Elo (K = 32) depends on the order of the documents, as its two columns show: it is no estimate."
    )


def _letters(ties: Sequence[Sequence[str]]) -> Mapping[str, str]:
    """The letters of the groups that each model is in: a, ab, b."""
    models = dict.fromkeys(model for group in ties for model in group)
    return {
        model: "".join(
            ascii_lowercase[number] if len(ties) <= len(ascii_lowercase) else f"{number + 1} "
            for number, group in enumerate(ties)
            if model in group
        ).strip()
        for model in models
    }


def _data(ranked: Ranking) -> dict[str, object]:
    pairs = [
        {"better": better, "worse": worse, "p_value": p_value} for (better, worse), p_value in ranked.p_values.items()
    ]
    return {"standings": ranked.standings, "ties": ranked.ties, "pairs": pairs, "documents": ranked.documents}
