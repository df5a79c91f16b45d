"""`lm-eval-pt stats`."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import descriptions, lengths, letters, repeats
from lm_eval_ifeval_pt.analysis.clusters import population
from lm_eval_ifeval_pt.analysis.descriptions import Corpus, Summary
from lm_eval_ifeval_pt.analysis.lengths import LengthProfile
from lm_eval_ifeval_pt.analysis.letters import LetterBias
from lm_eval_ifeval_pt.analysis.pairing import NotComparable, metric_of
from lm_eval_ifeval_pt.analysis.repeats import Consistency
from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.report import numbers
from lm_eval_ifeval_pt.results import Run


@click.command("stats", short_help="Describe the scores and repeats of any task.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULTS...")
@click.option("--threshold", default=0.5, show_default=True, help="What a value must reach to pass.")
@click.option("--cluster", help="Field of the documents to cluster by, e.g. subject.")
@click.option("--repeats", "all_runs", is_flag=True, help="Take all runs of a model on a task as repeats.")
@click.option("-k", "ks", multiple=True, type=click.IntRange(1), default=(1, 2, 5), help="Of pass@k, pass^k and maj@k.")
@click.option("--letters", "with_letters", is_flag=True, help="Which options are chosen, against which are right.")
@click.option("--lengths", "with_lengths", is_flag=True, help="Scores against the length of the answers.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(
    paths: tuple[Path, ...],
    threshold: float,
    cluster: str | None,
    all_runs: bool,
    ks: tuple[int, ...],
    with_letters: bool,
    with_lengths: bool,
    as_json: bool,
) -> None:
    """Describe the scores of any task, and the consistency of repeated answers.

    RESULTS are output folders of lm_eval, results_*.json or samples_*.jsonl files of runs with --log_samples. Repeats
    are several answers to a document in one sample file (`repeats` in a task's YAML), or with --repeats several runs.
    """
    try:
        reading = results.read(paths, every_run=all_runs)
        printing.notes(reading.notes)
        described = [
            (run, descriptions.describe(run, threshold, cluster), descriptions.of_corpus(run)) for run in reading.runs
        ]
        repeated = _repeated(reading.runs, all_runs, ks)
    except (results.ResultsError, NotComparable) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        printing.as_json(
            {
                "runs": [
                    _data(run, summaries, corpus, cluster)
                    | ({"letters": _letter_bias(run)} if with_letters else {})
                    | ({"lengths": _length_profile(run)} if with_lengths else {})
                    for run, summaries, corpus in described
                ],
                "repeats": [
                    {"model": model, "task": task, "filter": filter, "consistency": consistency}
                    for model, task, filter, consistency in repeated
                ],
            }
        )
        return
    console = printing.console()
    for run, summaries, corpus in described:
        _print(console, run, summaries, corpus, threshold, population(run.under(run.filters[0]), cluster))
        if with_letters:
            _print_letters(console, run)
        if with_lengths:
            _print_lengths(console, run)
    if repeated:
        _print_repeats(console, repeated)


Repeated = tuple[str, str, str, Consistency]


def _repeated(runs: Sequence[Run], all_runs: bool, ks: Sequence[int]) -> list[Repeated]:
    """The consistency of what was answered more than once, by model, task and filter."""
    repeated: list[Repeated] = []
    for run in runs:
        items = run.under(run.filters[0])
        counts = {len(item.responses) for item in items}
        if len(counts) == 1 and counts.pop() > 1:
            try:
                answers = repeats.of_items(items)
            except repeats.NotRepeatable as error:
                printing.notes([f"{run.path}: {error}"])
                continue
            repeated.append((run.model, run.task, run.filters[0], repeats.consistency(answers, ks)))
    if all_runs:
        groups: dict[tuple[str, str], list[Run]] = defaultdict(list)
        for run in runs:
            groups[run.model, run.task].append(run)
        for (model, task), group in groups.items():
            if len(group) > 1:
                filter = group[0].filters[0]
                answers = repeats.of_runs(group, filter=filter)
                repeated.append((model, f"{task}, {len(group)} runs", filter, repeats.consistency(answers, ks)))
    return repeated


def _print(
    console: Console, run: Run, summaries: Sequence[Summary], corpus: Sequence[Corpus], threshold: float, others: str
) -> None:
    table = printing.table(
        run.title,
        *("metric", "n", "mean", f"95 % CI, {others}", "median", "sd", "min", "max", f"≥ {threshold:g} %"),
        spare=("min", "max", "median", "sd"),
    )
    for summary in summaries:
        table.add_row(
            *(printing.named(summary.metric, summary.filter), str(summary.mean.n), f"{summary.mean.value:.3f}"),
            numbers.between(summary.mean.interval(), ".3f"),
            *(f"{value:.3f}" for value in (summary.median, summary.deviation, summary.low, summary.high)),
            numbers.percent(summary.passed),
        )
    for whole in corpus:
        table.add_row(printing.named(whole.metric, whole.filter), str(whole.n), f"{whole.value:.3f}")
    console.print(table)


def _letter_bias(run: Run) -> LetterBias | None:
    return letters.letter_bias(run.under(run.filters[0]))


def _print_letters(console: Console, run: Run) -> None:
    bias = _letter_bias(run)
    if bias is None:
        printing.notes([f"{run.task}: its documents have no options, so that no letters are chosen"])
        return
    table = printing.table("Letters", "option", "right", "chosen", "both", "accuracy % where right")
    for option in bias.options:
        accuracy = numbers.percent(option.hits / option.right) if option.right else "–"
        table.add_row(option.letter, str(option.right), str(option.chosen), str(option.hits), accuracy)
    console.print(table)
    console.print(
        f"{bias.documents} documents whose key and choice are known. {numbers.percent(bias.distance)} % of the choices "
        "would have to be others for letters to be chosen as often as they are right.",
        style="dim",
    )


def _length_profile(run: Run) -> LengthProfile | None:
    return lengths.length_profile(run.under(run.filters[0]), metric_of([run]))


def _print_lengths(console: Console, run: Run) -> None:
    profile, others = _length_profile(run), population(run.under(run.filters[0]))
    if profile is None:
        printing.notes([f"{run.task}: no answers were written, so that there are no lengths"])
        return
    header = ("words", "documents", f"{metric_of([run])} %", f"95 % CI, {others}")
    table = printing.table("Score against length", *header)
    for part in profile.bins:
        words = str(part.shortest) if part.shortest == part.longest else f"{part.shortest} to {part.longest}"
        interval = numbers.span(*part.score.interval(), digits=1)
        table.add_row(words, str(part.documents), numbers.percent(part.score.value), interval)
    console.print(table)
    rho = "not known, since one of them is the same everywhere" if math.isnan(profile.rho) else f"{profile.rho:+.2f}"
    console.print(f"Median {profile.median:g} words. Spearman's correlation of words and score: {rho}.", style="dim")


def _print_repeats(console: Console, repeated: Sequence[Repeated]) -> None:
    ks = sorted({k for *_, consistency in repeated for k in consistency.pass_at})
    table = printing.table(
        "Repeats (%)",
        *("model", "task", "documents", "repeats", "identical", "same text", "same verdict", "kappa", "within"),
        *(f"{name}{k}" for name in ("pass@", "pass^", "maj@") for k in ks),
        left=2,
        spare=("identical", "same text", "within"),
    )
    for model, task, _, consistency in repeated:
        by_k = (consistency.pass_at, consistency.pass_all, consistency.majority or {})
        table.add_row(
            *(model, task, str(consistency.documents), str(consistency.repeats)),
            *(_percent(value) for value in (consistency.identical, consistency.same_text, consistency.same_verdict)),
            *(_percent(value) for value in (consistency.kappa, consistency.within)),
            *(_percent(values.get(k)) for values in by_k for k in ks),
        )
    console.print(table)
    console.print(
        "Identical: all answers to a document are the same words; same text, same verdict: of two answers to it.\n"
        "Kappa: Fleiss, of verdicts. Within: the variance that more answers per document would reduce; the rest needs "
        "more documents.\npass^k: all of k are right; maj@k: the most frequent of k is.",
        style="dim",
    )


def _percent(value: float | None) -> str:
    return "–" if value is None else numbers.percent(value)


def _data(run: Run, summaries: Sequence[Summary], corpus: Sequence[Corpus], cluster: str | None) -> dict[str, Any]:
    about = {"model": run.model, "task": run.task, "part": run.part or None, "path": run.path}
    others = population(run.under(run.filters[0]), cluster)
    return about | {"population": others, "metrics": summaries, "corpus": corpus}
