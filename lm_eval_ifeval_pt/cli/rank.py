"""`lm-eval-pt rank`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import click
from rich.console import Console

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import duels, judges, ranking, weighted
from lm_eval_ifeval_pt.analysis.duels import Duel, PlayerStrengths, Strength
from lm_eval_ifeval_pt.analysis.pairing import NotComparable
from lm_eval_ifeval_pt.analysis.ranking import Ranking
from lm_eval_ifeval_pt.analysis.weighted import Weighted
from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.report import numbers


@click.command("rank", short_help="Rank models item by item, with ties.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[RESULTS]...")
@click.option(
    "--verdicts",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of a judge's verdicts on pairs of answers; may be repeated.",
)
@click.option("--weights", help="Rank by several metrics at once: exact_match=1,token_f1=.5,judge=2")
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
    weights: str | None,
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

    With --weights every metric decides duels on every document, which count by its weight; `judge` is that metric of
    the runs or, where they have none, the verdicts. The table shows how the weights change the places.
    """
    if not paths and not verdicts:
        raise click.UsageError("name RESULTS, or --verdicts")
    if weights is not None:
        how = {"filter": filter_, "cluster": cluster, "resamples": resamples, "seed": seed}
        _by_weights(paths, verdicts, weights, tasks, metric, how, as_json)
        return
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


def _by_weights(
    paths: Sequence[Path],
    verdicts: Sequence[Path],
    text: str,
    tasks: Sequence[str],
    metric: str | None,
    how: Mapping[str, Any],
    as_json: bool,
) -> None:
    if not paths or metric:
        raise click.UsageError("--weights: name RESULTS, and metrics by --weights alone, without --metric")
    try:
        weights = weighted.parse_weights(text)
    except ValueError as error:
        raise click.UsageError(f"--weights: {error}") from error
    try:
        reading = results.read(paths)
        made = weighted.weigh(reading.runs, _read_duels(verdicts), weights, tasks=tasks, **how)
    except (results.ResultsError, NotComparable) as error:
        raise click.ClickException(str(error)) from error
    printing.notes((*reading.notes, *made.notes))
    if as_json:
        printing.as_json({"weighted": made, "seed": how["seed"], "resamples": how["resamples"]})
    else:
        _print_weighted(printing.console(), made, how["resamples"], how["seed"])


def _print_weighted(console: Console, made: Weighted, resamples: int, seed: int) -> None:
    equal, *alone = (name for name in made.places if name != "weighted")
    table = printing.table(
        "By weighted metrics",
        *("model", "place", "rank", "ties", *_strength(made.population), equal, *alone),
        spare=(_ELO, *alone),
    )
    letters = _letters(made.judged.ties)
    for model, strength in made.judged.strengths.items():
        now = made.places["weighted"][model]
        value, interval, *_ = _cells(strength)
        table.add_row(
            *(model, str(now), str(made.judged.ranks.get(model, "–")), letters.get(model, "–"), value, interval),
            *(f"{ratings[model]:.0f}" for ratings in made.elo),
            *(_moved(made.places[name].get(model), now) for name in (equal, *alone)),
        )
    console.print(table)
    given = ", ".join(f"{name} {weight:g} ({made.duels[name]} duels)" for name, weight in made.weights.items())
    console.print(
        f"Weights: {given}. Place: by strength; rank: 1 + the models that are significantly stronger (Holm, 5 %). The "
        "last columns are places if all metrics count the same, and by each alone; ▲ and ▼: how far the weights move a "
        "model up or down from there.\n" + _about(resamples, seed),
        style="dim",
    )


def _moved(before: int | None, now: int) -> str:
    """A place, and how far the weights move a model from it."""
    if before is None:
        return "–"
    return str(before) + (f" ▲{before - now}" if before > now else f" ▼{now - before}" if before < now else "")


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


def _judge(paths: Sequence[Path], resamples: int, seed: int) -> PlayerStrengths:
    return duels.judge(_read_duels(paths), resamples, seed)


def _read_duels(paths: Sequence[Path]) -> list[Duel]:
    verdicts: list[Duel] = []
    for path in paths:
        read, notes = judges.read_duels(path)
        printing.notes(notes)
        verdicts.extend(read)
    return verdicts


def _print(console: Console, ranked: Ranking, resamples: int, seed: int) -> None:
    several = len(ranked.documents) > 1
    shown = list(ranked.documents) if several else []
    columns = ("model", "rank", "ties", "NPM", f"95 % CI, {ranked.population}", *shown, *_strength(ranked.population))
    table = printing.table("", *columns, spare=(_ELO, tuple(shown)))
    letters = _letters(ranked.ties)
    for standing in ranked.standings:
        table.add_row(
            *(standing.model, str(standing.rank or "–"), letters.get(standing.model, "–")),
            *(f"{standing.score.value:.2f}", numbers.between(standing.score.interval(), ".1f")),
            *(f"{standing.tasks[task].value:.2f}" for task in shown),
            *_cells(standing.strength),
        )
    console.print(table)
    counts = ", ".join(f"{task} ({count} documents)" for task, count in ranked.documents.items())
    console.print(
        f"{counts}. NPM: 0 is chance, 100 the maximum. Rank: 1 + the models that are significantly better "
        "(paired, Holm, 5 %). Models that share a letter cannot be told apart.\n" + _about(resamples, seed),
        style="dim",
    )


def _print_judged(console: Console, judged: PlayerStrengths, resamples: int, seed: int) -> None:
    columns = ("model", "rank", "ties", "won", "of", *_strength("other questions"))
    table = printing.table("Verdicts", *columns, spare=(_ELO,))
    letters = _letters(judged.ties)
    for model, strength in judged.strengths.items():
        numbers = (f"{strength.wins:g}", f"{strength.duels:g}")
        table.add_row(model, str(judged.ranks[model]), letters[model], *numbers, *_cells(strength))
    console.print(table)
    console.print(_about(resamples, seed), style="dim")


_ELO = ("Elo, in order", "Elo, reversed")


def _strength(population: str) -> tuple[str, ...]:
    return ("strength", f"95 % CI, {population}", *_ELO)


def _cells(strength: Strength) -> tuple[str, ...]:
    value = f"{strength.value:+.2f}" if strength.is_finite else "not finite"
    low, high = strength.interval
    interval = f"{low:+.2f} to {high:+.2f}" if strength.is_finite else "–"
    return value, interval, f"{strength.elo:.0f}", f"{strength.elo_reversed:.0f}"


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
    return {
        "standings": ranked.standings,
        "ties": ranked.ties,
        "pairs": pairs,
        "documents": ranked.documents,
        "population": ranked.population,
    }
