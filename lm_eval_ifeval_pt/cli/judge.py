"""`lm-eval-pt judge`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis.ranking import labels
from lm_eval_ifeval_pt.cli import endpoint, printing, rank, writing
from lm_eval_ifeval_pt.judge import asking, outcomes, people, questions, trust
from lm_eval_ifeval_pt.judge.asking import Usage
from lm_eval_ifeval_pt.judge.outcomes import JudgedAnswer
from lm_eval_ifeval_pt.judge.rubric import Rubric, RubricError, read_rubric
from lm_eval_ifeval_pt.judge.trust import Agreement, Share
from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError
from lm_eval_ifeval_pt.models.endpoint.messages import Language
from lm_eval_ifeval_pt.report import numbers
from lm_eval_ifeval_pt.results import Run
from lm_eval_ifeval_pt.results import writing as results_writing
from lm_eval_ifeval_pt.statistics import Estimate, mean, spearman

UNKNOWN = Estimate(math.nan, math.nan, 0, 0)


@dataclass(frozen=True)
class JudgeOptions:
    """The options of the command line."""

    paths: tuple[Path, ...]
    rubric: Path
    url: str | None
    model: str | None
    output: Path | None
    tasks: tuple[str, ...]
    limit: int | None
    baseline: str | None
    human: Path | None
    price_in: float | None
    price_out: float | None
    currency: str
    concurrency: int
    timeout: int
    retries: int
    accept_failures: bool
    retry_empty: bool
    dry_run: bool
    as_json: bool
    api_key: str | None

    @property
    def folder(self) -> Path:
        """The folder into which everything is written."""
        return self.output or Path(f"judged_{self.rubric.stem}")


@click.command("judge", short_help="Let a model judge answers: scores, pairs, faithfulness.", cls=endpoint.Bilingual)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULTS...")
@click.option(
    "--rubric",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What is asked: a YAML or JSON file, see docs/judging.md.",
)
@click.option("--url", help="Address of the judge's server, e.g. http://localhost:8000/v1")
@click.option("--model", "--modelo", help="Name of the judge there.")
@click.option(
    "--output",
    "--saida",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for verdicts and results.  [default: judged_RUBRIC, here]",
)
@click.option("--task", "--tarefa", "tasks", multiple=True, help="Only this task; may be repeated.")
@click.option(
    "--limit", "--limite", type=click.IntRange(1), help="Only so many documents of each task, the first ones."
)
@click.option("--baseline", help="Of pairs: only those with this model.")
@click.option(
    "--human",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="""People's verdicts, .jsonl: {"doc_id": 3, "score": 4}; {"doc_id": 3, "model_a": …, "winner": …} of pairs.""",
)
@endpoint.prices()
@endpoint.concurrency
@endpoint.timeout("Seconds for one verdict.")
@endpoint.retries
@endpoint.accept_failures("Count a request that keeps failing as an unreadable verdict.")
@endpoint.retry_empty("Ask again where the verdict was empty.")
@click.option("--dry-run", is_flag=True, help="Say how many verdicts would be asked for, show one question, ask none.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@endpoint.api_key
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Let a model judge answers, and say how far to trust it.

    RESULTS are output folders of lm_eval, results_*.json or samples_*.jsonl files of runs with --log_samples. The
    rubric asks for a score of each answer, for the better one of two models' answers (in both orders), or for the
    claims that a context supports. Every verdict is stored as it arrives: the same command asks for the missing ones
    only. Scores become metrics of a copy of the run; verdicts on pairs are a file for rank --verdicts.
    """
    options, language = JudgeOptions(**given), ctx.obj
    try:
        _judge(options, ctx)
    except (EndpointError, RubricError, results.ResultsError) as error:
        raise click.ClickException(error.text(language) if isinstance(error, EndpointError) else str(error)) from error
    except KeyboardInterrupt:
        endpoint.teller(language)("interrupted")
        ctx.exit(130)


def _judge(options: JudgeOptions, ctx: click.Context) -> None:
    rubric = read_rubric(options.rubric)
    reading = results.read(options.paths)
    printing.notes(reading.notes)
    others = results_writing.not_written_to(reading.runs, options.paths, options.folder)
    runs = [run for run in others if not options.tasks or run.task in options.tasks]
    if not runs:
        raise results.ResultsError(
            f"no run of {', '.join(options.tasks)}; there are: {', '.join(sorted({run.task for run in reading.runs}))}"
        )
    for run in runs:
        most = max((len(item.responses) for item in run.items), default=0)
        if most > 1:
            printing.notes([f"{run.path}: of {most} answers to a document the first one is judged"])
    if rubric.mode == "pairwise":
        _judge_pairs(options, rubric, runs, ctx)
    else:
        _judge_answers(options, rubric, runs, ctx.obj)


def _judge_answers(options: JudgeOptions, rubric: Rubric, runs: Sequence[Run], language: Language) -> None:
    asked = questions.of_answers(runs, rubric, options.limit)
    if not asked:
        raise results.ResultsError("there is no answer to judge: the runs hold log-likelihoods only")
    human = _human_scores(options, rubric, asked)
    messages = [question.message for question in asked if question.message is not None]
    said, usage = _ask(options, rubric, messages, language)
    if said is None or usage is None:
        return
    verdicts = outcomes.judged(asked, said, rubric)
    about = _about(options, rubric, usage)
    written = [
        outcomes.write_run(options.folder, run, of_run, rubric, about)
        for run in runs
        if (of_run := [verdict for verdict in verdicts if verdict.asked.run is run])
    ]
    _write_lines(options.folder / "verdicts.jsonl", outcomes.verdict_rows(verdicts, rubric))
    level: trust.Level = "interval" if rubric.mode == "faithfulness" else "ordinal"
    agreement = trust.agreement(_values(verdicts), human, level) if human else None
    length = spearman(*_score_and_length(verdicts)) if len(verdicts) > 2 else math.nan
    unreadable = Share(sum(not verdict.reading.is_readable for verdict in verdicts), len(verdicts))
    findings = {"agreement": agreement, "length": length, "unreadable": unreadable, "people": bool(human)}
    _finish(options, about, findings)
    if options.as_json:
        printing.as_json({**about, **_plain(findings), "runs": [_row_of(run, verdicts, rubric) for run in runs]})
    else:
        _print_scores(printing.console(), runs, verdicts, rubric)
        _print_trust(printing.console(), options, about, findings)
    click.echo(f"written: {options.folder}/ ({len(written)} runs, verdicts.jsonl, judge.json)", err=True)
    _stop_if_unreadable(unreadable, verdicts[0].reading.reason, options.folder)


def _judge_pairs(options: JudgeOptions, rubric: Rubric, runs: Sequence[Run], ctx: click.Context) -> None:
    models = sorted({run.model for run in runs})
    if options.baseline and options.baseline not in models:
        raise results.ResultsError(f"--baseline {options.baseline}: no such model; there are: {', '.join(models)}")
    pairs = questions.of_pairs(runs, rubric, options.limit, options.baseline)
    if not pairs:
        raise results.ResultsError(
            "there is no pair to judge: two models' answers to the same documents of one task are needed; there are: "
            + ", ".join(f"{run.model} on {run.task}" for run in runs)
        )
    human = people.read_winners(options.human, sorted({run.task for run in runs})) if options.human else {}
    asked = [message for pair in pairs if pair.messages for message in pair.messages]
    said, usage = _ask(options, rubric, asked, ctx.obj)
    if said is None or usage is None:
        return
    named = {id(run): label for run, label in zip(runs, labels(runs), strict=True)}
    names = [(named[id(pair.first[0])], named[id(pair.second[0])]) for pair in pairs]
    verdicts = outcomes.compared(pairs, names, said)
    about = _about(options, rubric, usage)
    path = options.folder / "verdicts.jsonl"
    _write_lines(path, outcomes.duel_rows(verdicts))
    judge = {verdict.item: value for verdict in verdicts if (value := verdict.result_by_name) is not None}
    readings = [reading for verdict in verdicts for reading in verdict.readings]
    unreadable = Share(sum(not reading.is_readable for reading in readings), len(readings))
    findings: dict[str, Any] = {
        "agreement": trust.agreement(judge, human, "nominal") if human else None,
        **outcomes.biases(verdicts),
        "unreadable": unreadable,
        "people": bool(human),
    }
    _finish(options, about, findings)
    readable = any(verdict.orders is not None for verdict in verdicts)
    if options.as_json:
        printing.as_json({**about, **_plain(findings), "verdicts": path, "pairs": len(verdicts)})
    else:
        if readable:
            ctx.invoke(rank.command, verdicts=(path,))
        _print_trust(printing.console(), options, about, findings)
    click.echo(f"written: {options.folder}/ (verdicts.jsonl for rank --verdicts, judge.json)", err=True)
    _stop_if_unreadable(unreadable, verdicts[0].readings[0].reason, options.folder)


def _ask(
    options: JudgeOptions, rubric: Rubric, messages: Sequence[str], language: Language
) -> tuple[dict[str, str], Usage] | tuple[None, None]:
    """The judge's text for each message; None on a dry run."""
    if options.dry_run:
        different = list(dict.fromkeys(messages))
        signs = sum(map(len, different))
        click.echo(f"{len(different)} verdicts to ask for, of {signs} characters in all. The first question:\n")
        click.echo(different[0] if different else "(none)")
        return None, None
    if not options.url or not options.model:
        raise click.UsageError("name the judge: --url and --model")
    endpoint.check_packages()
    tell = endpoint.teller(language)
    server, headers = endpoint.connect(options.url, options.model, options.api_key, tell)
    with endpoint.answer_file(options.folder / "answers.jsonl", tell) as answers:
        from lm_eval_ifeval_pt.models.endpoint.model import Endpoint

        lm = Endpoint(
            server,
            options.model,
            headers,
            answers,
            tell,
            concurrency=options.concurrency,
            attempts=options.retries,
            timeout=options.timeout,
            retry_empty=options.retry_empty,
            accept_failures=options.accept_failures,
        )
        return asking.ask(lm, rubric, messages)


def _human_scores(options: JudgeOptions, rubric: Rubric, asked: Sequence[questions.Question]) -> people.People:
    """People's scores, from a file and from a column of the documents."""
    runs = {id(question.run): question.run for question in asked}.values()
    said = (
        people.read_scores(options.human, [run.model for run in runs], [run.task for run in runs])
        if options.human
        else {}
    )
    if rubric.human:
        column: dict[Any, float] = {}
        for question in asked:
            value = question.item.columns.get(rubric.human)
            if isinstance(value, str):
                try:
                    value = float(value.replace(",", "."))
                except ValueError:
                    value = None
            if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
                column[question.run.model, question.run.task, question.item.doc_id] = float(value)
        if not column:
            raise RubricError(f"human: no document has a number in the column {rubric.human!r}")
        said[rubric.human] = column
    return said


def _values(verdicts: Sequence[JudgedAnswer]) -> dict[Any, float]:
    return {verdict.item: value for verdict in verdicts if (value := verdict.reading.value) is not None}


def _score_and_length(verdicts: Sequence[JudgedAnswer]) -> tuple[list[float], list[float]]:
    pairs = [
        (value, float(len(questions.shown_answer(verdict.asked.item))))
        for verdict in verdicts
        if (value := verdict.reading.value) is not None and verdict.asked.message is not None
    ]
    return [value for value, _ in pairs], [length for _, length in pairs]


def _about(options: JudgeOptions, rubric: Rubric, usage: Usage) -> dict[str, Any]:
    about: dict[str, Any] = {
        "judge": options.model,
        "url": options.url,
        "rubric": asdict(rubric),
        "usage": usage._asdict(),
    }
    if options.price_in is not None or options.price_out is not None:
        cost = asking.cost(usage.prompt_tokens, usage.completion_tokens, options.price_in, options.price_out)
        prices = {"price_in": options.price_in, "price_out": options.price_out, "currency": options.currency}
        about["cost"] = {"value": cost, **prices}
    plain: dict[str, Any] = printing.plain(about)
    return plain


def _plain(findings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"share": value.value, "interval": value.interval, "count": value.count, "of": value.of}
        if isinstance(value, Share)
        else value
        for name, value in findings.items()
        if name != "people"
    }


def _finish(options: JudgeOptions, about: Mapping[str, Any], findings: Mapping[str, Any]) -> None:
    data = printing.plain({**about, **_plain(findings)})
    writing.lines_to(options.folder / "judge.json", [json.dumps(data, ensure_ascii=False, indent=2)])


def _write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    writing.lines_to(path, (json.dumps(row, ensure_ascii=False) for row in rows))


def _stop_if_unreadable(unreadable: Share, first: str, folder: Path) -> None:
    if unreadable.of and unreadable.count == unreadable.of:
        shown = " ".join(first.split())[:200] or "(nothing)"
        raise results.ResultsError(
            f"none of {unreadable.of} verdicts can be read; the first one says: {shown}. They are kept in "
            f"{folder / 'answers.jsonl'}; another judge, or a longer max_tokens in the rubric, may help"
        )


def _row_of(run: Run, verdicts: Sequence[JudgedAnswer], rubric: Rubric) -> dict[str, Any]:
    own = [verdict for verdict in verdicts if verdict.asked.run is run]
    shares = list(outcomes.shares(own, rubric).values())
    values = [verdict.reading.value for verdict in own if verdict.reading.value is not None]
    estimate = mean(shares) if shares else UNKNOWN
    return {
        "model": run.model,
        "task": run.task,
        "n": len(shares),
        "share": estimate.value,
        "stderr": estimate.stderr,
        "score": sum(values) / len(values) if values else math.nan,
        "unreadable": sum(not verdict.reading.is_readable for verdict in own),
        "unasked": sum(verdict.asked.message is None for verdict in own),
        "without_claims": sum(verdict.reading.is_readable and verdict.reading.value is None for verdict in own),
    }


def _print_scores(console: Console, runs: Sequence[Run], verdicts: Sequence[JudgedAnswer], rubric: Rubric) -> None:
    is_score = rubric.mode == "score"
    table = printing.table(
        f"{rubric.name}",
        *("model", "task", "n", f"{rubric.name} %", "± SE, other documents"),
        *(["score"] if is_score else ["no claims"]),
        *("unreadable", "empty"),
        left=2,
    )
    for run in runs:
        row = _row_of(run, verdicts, rubric)
        table.add_row(
            *(run.model, run.task, str(row["n"]), numbers.percent(row["share"]), numbers.percent(row["stderr"])),
            f"{row['score']:.2f}" if is_score else str(row["without_claims"]),
            *(str(row["unreadable"]), str(row["unasked"])),
        )
    console.print(table)
    scale = rubric.scale
    what = f"scores from {scale.min:g} to {scale.max:g}, as a share of the way" if is_score else "supported claims"
    console.print(f"{rubric.name} %: {what}; SE: one standard error. Empty answers were not asked about.", style="dim")


def _print_trust(
    console: Console, options: JudgeOptions, about: Mapping[str, Any], findings: Mapping[str, Any]
) -> None:
    """Print unreadable verdicts, biases, agreement with people and cost."""
    lines = [f"unreadable verdicts: {_share(findings['unreadable'])}"]
    if "winner_changes_with_order" in findings:
        lines += [
            f"position: the winner changes with the order in {_share(findings['winner_changes_with_order'])} of pairs; "
            f"the first answer wins {_share(findings['first_wins'])} of decided verdicts (half without bias)",
            f"length: the longer answer wins {_share(findings['longer_wins'])} of decided pairs",
        ]
    elif not math.isnan(findings["length"]):
        lines.append(f"length: Spearman's correlation of score and length of the answer is {findings['length']:+.2f}")
    agreement: Agreement | None = findings["agreement"]
    if agreement is not None:
        lines.append(_agreement(agreement))
    elif findings["people"]:
        lines.append("people: none of their verdicts is on a judged answer")
    else:
        lines.append(
            "people: no verdicts of people are given (--human), so that nothing says whether the judge is right"
        )
    usage = about["usage"]
    took = (
        f"tokens: {usage['prompt_tokens']} read, {usage['completion_tokens']} written, in {usage['verdicts']} verdicts"
    )
    if cost := about.get("cost"):
        took += f": {cost['value']:.4f} {cost['currency']}"
    lines.append(took)
    if usage["truncated"]:
        lines.append(
            f"{usage['truncated']} verdicts were cut at max_tokens: raise it in the rubric; only those are asked again"
        )
    console.print(f"Judge: {options.model}", style="bold")
    for line in lines:
        console.print(line)


def _agreement(agreement: Agreement) -> str:
    alpha = "needs pip install 'lm_eval_ifeval_pt[metrics]'" if agreement.alpha is None else _number(agreement.alpha)
    text = (
        f"people: the same verdict on {100 * agreement.same:.1f} % of {agreement.n}; Cohen's kappa "
        f"{_number(agreement.kappa)}; Krippendorff's alpha {alpha}"
    )
    return text + ("" if math.isnan(agreement.correlation) else f"; Spearman {agreement.correlation:+.2f}")


def _number(value: float) -> str:
    return "undefined (no variation)" if math.isnan(value) else f"{value:.2f}"


def _share(share: Share) -> str:
    if not share.of:
        return "– (of none)"
    low, high = share.interval
    return f"{100 * share.value:.1f} % ({share.count} of {share.of}; 95 % CI {100 * low:.1f} to {100 * high:.1f})"
