"""`lm-eval-pt run`."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from lm_eval_ifeval_pt.cli import endpoint, printing, suite_run
from lm_eval_ifeval_pt.cli.suite_run import SuiteFlags
from lm_eval_ifeval_pt.cli.table import render
from lm_eval_ifeval_pt.models.endpoint.address import Address
from lm_eval_ifeval_pt.models.endpoint.answers import AnswerFile
from lm_eval_ifeval_pt.models.endpoint.evaluation import evaluate
from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError
from lm_eval_ifeval_pt.models.endpoint.gate import Tell
from lm_eval_ifeval_pt.models.endpoint.stops import STOPS, Stops
from lm_eval_ifeval_pt.models.harness import folder_of
from lm_eval_ifeval_pt.results import read
from lm_eval_ifeval_pt.suite.generation import Generation


@click.command("run", short_help="Evaluate a model behind an OpenAI-like API.", cls=endpoint.Bilingual)
@click.option("--url", required=True, help="Address of the server, e.g. http://localhost:8000/v1")
@click.option("--model", "--modelo", required=True, help="Name of the model there.")
@click.option(
    "--output",
    "--saida",
    required=True,
    type=click.Path(path_type=Path),
    help="Result file, *.json; samples and answers go into a folder of the same name. Of a suite also a folder.",
)
@click.option(
    "--task",
    "--tarefa",
    help="A generation task, a group of them, or the definition of one, *.yaml.  [default: ifeval_pt]",
)
@suite_run.options
@click.option(
    "--include-path",
    "--include_path",
    "--pasta-de-tarefas",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of further task definitions; as often as needed.",
)
@click.option("--limit", "--limite", type=float, help="Only so many documents (below 1: that share of them).")
@endpoint.concurrency
@click.option("--max-tokens", type=click.IntRange(1), help="Tokens per answer, in place of the task's own.")
@click.option("--temperature", type=click.FloatRange(0), help="In place of the task's own (ifeval_pt: 0).")
@click.option("--system", "--sistema", help="System message.")
@click.option(
    "--stops",
    "--paradas",
    type=click.Choice(STOPS),
    default="answer",
    show_default=True,
    help="Where the task's stop strings, mostly written for base models, end an answer: after its thought and its "
    "first line, anywhere (they are sent to the server), or nowhere.",
)
@click.option("--source", "--fonte", help="Rows: bundled, hub, another Hub id or a .jsonl file.")
@click.option("--metadata", default="{}", help="Metadata of the task, a JSON object, as of lm_eval.")
@endpoint.timeout("Seconds to wait for one answer.")
@endpoint.retries
@click.option("--fresh", "--do-zero", is_flag=True, help="Ask for all answers again; old ones are kept.")
@endpoint.retry_empty("Ask again where the answer was empty.")
@endpoint.accept_failures("Count a request that keeps failing as an empty answer.")
@click.option(
    "--confirm-run-unsafe-code",
    "--confirm_run_unsafe_code",
    "--aceitar-codigo",
    is_flag=True,
    help="Run programs that the model writes, as humaneval_pt does (in a sandbox where there is one).",
)
@click.option("--traceback", is_flag=True, help="Show where in the code a task fails.")
@endpoint.api_key
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Evaluate a model behind an OpenAI-compatible address, through lm_eval's local-chat-completions.

    Every answer is stored as it arrives. An interrupted run goes on with the same command: no answer is
    asked for twice. In tasks of several turns the model sees its own earlier answers. Portuguese flags give
    Portuguese messages.
    """
    explicit = frozenset(name for name in given if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE)
    flags = SuiteFlags(**{name: given.pop(name) for name in SuiteFlags.names()})
    options, tell = RunOptions(**given, suite_flags=flags, explicit=explicit), endpoint.teller(ctx.obj)
    try:
        _run(options, tell)
    except EndpointError as error:
        if options.traceback:
            raise
        endpoint.say_above_progress(error.text(ctx.obj))
        ctx.exit(2)
    except KeyboardInterrupt:
        tell("interrupted")
        ctx.exit(130)


@dataclass(frozen=True)
class RunOptions:
    """The settings of the command line."""

    url: str
    model: str
    output: Path
    task: str | None
    limit: float | None
    concurrency: int
    max_tokens: int | None
    temperature: float | None
    system: str | None
    source: str | None
    metadata: str
    timeout: int
    retries: int
    fresh: bool
    retry_empty: bool
    accept_failures: bool
    include_path: tuple[Path, ...]
    stops: Stops
    confirm_run_unsafe_code: bool
    traceback: bool
    api_key: str | None
    suite: Path | None
    suite_flags: SuiteFlags
    explicit: frozenset[str]


def _run(options: RunOptions, tell: Tell) -> None:
    """Check what can be checked at once, then ask."""
    endpoint.check_packages()
    if options.suite is not None:
        _run_suite(options, options.suite, tell)
        return
    if given := sorted(options.explicit.intersection(SuiteFlags.names())):
        raise click.UsageError(f"--{given[0].replace('_', '-')} belongs to --suite")
    if options.output.suffix != ".json":
        raise EndpointError("bad_output", path=options.output)
    _ask(options, Generation(), tell)


def _run_suite(options: RunOptions, path: Path, tell: Tell) -> None:
    """Evaluate the tasks of a manifest."""
    if options.source:
        raise click.UsageError("--source is that of our own tasks; a manifest names its data itself")
    suite = suite_run.read(path, options.task, options.suite_flags)
    output = suite_run.result_file(options.output, options.model, suite)
    asked = _as_generated(dataclasses.replace(options, task=suite.task, output=output), suite.generation)
    with suite_run.built(suite, output, asked.concurrency, asked.timeout, tell) as folder:
        folders = (*asked.include_path, folder)
        _ask(dataclasses.replace(asked, include_path=folders), suite.generation, tell)


def _as_generated(options: RunOptions, generation: Generation) -> RunOptions:
    """The options with what generation settings say in place of defaults; what the command line says stays."""
    said: dict[str, Any] = {
        "timeout": generation.timeout,
        "retries": generation.attempts,
        "concurrency": generation.concurrency,
        "fresh": generation.is_fresh or None,
        "stops": "server" if generation.settings.get("until") else None,
    }
    replaced = {name: value for name, value in said.items() if value is not None and name not in options.explicit}
    return dataclasses.replace(options, **replaced)


def _ask(options: RunOptions, generation: Generation, tell: Tell) -> None:
    """Find the server, evaluate, print and explain the result."""
    metadata = _metadata(options)
    server, headers = endpoint.connect(options.url, options.model, options.api_key, tell)
    path = folder_of(options.output) / "answers.jsonl"
    if options.fresh and path.exists():
        path.rename(path.with_suffix(f".{datetime.now():%Y%m%dT%H%M%S%f}.jsonl"))
    with endpoint.answer_file(path, tell) as answers:
        _evaluate(options, server, headers, metadata, answers, generation.empty_retries, tell)


def _evaluate(
    options: RunOptions,
    server: Address,
    headers: dict[str, str],
    metadata: dict[str, Any],
    answers: AnswerFile,
    empty_retries: int,
    tell: Tell,
) -> None:
    from lm_eval_ifeval_pt.models.endpoint.conversing import ConversingEndpoint

    lm = ConversingEndpoint(
        server,
        options.model,
        headers,
        answers,
        tell,
        concurrency=options.concurrency,
        attempts=options.retries,
        timeout=options.timeout,
        retry_empty=options.retry_empty,
        empty_retries=empty_retries,
        accept_failures=options.accept_failures,
        stops=options.stops,
    )
    results, samples = evaluate(
        lm,
        options.task or "ifeval_pt",
        options.output,
        tell=tell,
        metadata=metadata,
        gen_kwargs=_gen_kwargs(options),
        limit=options.limit,
        system=options.system,
        include_path=options.include_path,
        confirm_run_unsafe_code=options.confirm_run_unsafe_code,
    )
    _show(results, samples)
    _explain(results["answers"], answers.path, tell)
    tell("saved", result=options.output, folder=folder_of(options.output))


def _metadata(options: RunOptions) -> dict[str, Any]:
    example = '{"source": "hub"}'
    try:
        metadata = json.loads(options.metadata)
    except ValueError as error:
        raise EndpointError("bad_metadata", said=error, example=example) from error
    if not isinstance(metadata, dict):
        raise EndpointError("bad_metadata", said=options.metadata, example=example)
    return metadata | ({"source": options.source} if options.source else {})


def _gen_kwargs(options: RunOptions) -> dict[str, Any]:
    kwargs: dict[str, Any] = {}
    if options.max_tokens is not None:
        kwargs["max_gen_toks"] = options.max_tokens
    if options.temperature is not None:
        kwargs |= {"temperature": options.temperature, "do_sample": options.temperature > 0}
    return kwargs


def _show(results: dict[str, Any], samples: Sequence[Path]) -> None:
    """The harness's tables, and the one by restriction for tasks of ours."""
    from lm_eval.utils import make_table

    click.echo(make_table(results))
    if "groups" in results:
        click.echo(make_table(results, "groups"))
    console = printing.console()
    for run in read(samples).runs:
        if run.is_verified:
            console.print(render(run, "strict"))


def _explain(summary: dict[str, Any], path: Path, tell: Tell) -> None:
    """Say what weakens the result, and what to do about it."""
    for fault in ("failed", "empty", "only_reasoning", "truncated"):
        if summary[fault]:
            tell(fault, path=path, **summary)
    if 2 * summary["empty"] > summary["total"] and summary["stops"] == "server":
        tell("mostly_empty", **summary)
    if 2 * summary["at_stop"] > summary["total"]:
        tell("at_stop", path=path, **summary)
