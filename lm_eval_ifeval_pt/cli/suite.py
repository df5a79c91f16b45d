"""`lm-eval-pt suite`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import regex

from lm_eval_ifeval_pt.suite import data, starting
from lm_eval_ifeval_pt.suite.building import build
from lm_eval_ifeval_pt.suite.errors import ManifestError, SuiteError
from lm_eval_ifeval_pt.suite.generation import Generation
from lm_eval_ifeval_pt.suite.generation import generation as settings_of
from lm_eval_ifeval_pt.suite.manifest import Manifest, ManifestTask, load, read
from lm_eval_ifeval_pt.suite.trying import Trial, attempt
from lm_eval_ifeval_pt.writing import replacing

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group("suite", short_help="Your own evaluation, from one file.")
def command() -> None:
    """Your own evaluation: a manifest in JSON or YAML becomes tasks of the harness. See docs/own-evaluations.md."""


files_option = click.option(
    "--files",
    "--arquivos",
    multiple=True,
    metavar="NAME=PATH",
    help="Where the file of a file_id lies; once for each.",
)
trust_option = click.option(
    "--trust-code",
    "--confiar-no-codigo",
    is_flag=True,
    help="Run the manifest's programs in this process, where nothing confines them.",
)


generation_option = click.option(
    "--generation", "--geracao", metavar="JSON|FILE", help="How answers are generated, see docs/own-evaluations.md."
)


def judge_options(command: Any) -> Any:
    """The flags of the models that graders ask."""
    for option in (
        click.option("--embedding-model", "--modelo-de-embeddings", help="The model that makes embeddings there."),
        click.option("--judge-model", "--modelo-do-juiz", help="The model that answers there."),
        click.option(
            "--judge-url",
            "--url-do-juiz",
            help="Address of the models that graders ask; their key: LM_EVAL_PT_JUDGE_API_KEY.",
        ),
    ):
        command = option(command)
    return command


@command.command("check", short_help="Schema, data, prompts and extraction, before anything is run.")
@click.argument("manifest", type=_FILE)
@files_option
@trust_option
@click.option("--show", type=click.IntRange(0), default=2, show_default=True, help="Prompts to show of each task.")
@click.option("--output", "outputs", multiple=True, help="A sample output to extract from and grade; once for each.")
def check(manifest: Path, files: Sequence[str], trust_code: bool, show: int, outputs: Sequence[str]) -> None:
    """Check a manifest: its schema, its data; show the first prompts, and try extraction and grader on outputs."""
    loaded = _loaded(manifest, files)
    click.echo(f"{manifest}: {len(loaded.tasks)} task{'s' * (len(loaded.tasks) > 1)}, group {loaded.name}")
    failed = False
    for index, task in enumerate(loaded.tasks):
        try:
            _show(task, attempt(task, trust_code, show, outputs), show)
        except SuiteError as error:
            failed = True
            click.echo(f"\n{manifest}: tasks[{index}] ({task.id}): {error}", err=True)
    if failed:
        raise click.exceptions.Exit(2)


@command.command("build", short_help="Write the harness's task definitions.")
@click.argument("manifest", type=_FILE)
@click.option(
    "-o", "--output", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder to write them to."
)
@files_option
@trust_option
@generation_option
@judge_options
def build_command(
    manifest: Path,
    output: Path,
    files: Sequence[str],
    trust_code: bool,
    generation: str | None,
    judge_url: str | None,
    judge_model: str | None,
    embedding_model: str | None,
) -> None:
    """Write the harness's definitions of a manifest's tasks: YAML to read, change and keep.

    Then: lm_eval --include_path FOLDER --tasks TASK …
    """
    loaded = _loaded(manifest, files)
    judge = judge_of(judge_url, judge_model, embedding_model, f"{loaded.name}_judge.jsonl")
    try:
        written = build(loaded, output, trust_code, judge, generation_of(generation).settings)
    except (SuiteError, ManifestError, OSError) as error:
        raise click.ClickException(str(error)) from error
    for path in written:
        click.echo(path)
    click.echo(f"run: lm_eval --include_path {output} --tasks {loaded.name} …", err=True)


@command.command("new", short_help="A commented manifest to start from.")
@click.argument("data_file", metavar="DATA", type=_FILE)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The manifest, *.yaml.  [default: beside DATA, with its name]",
)
@click.option("--type", "kind", type=click.Choice(list(starting.METRICS)), help="What kind of task it is.")
@click.option("--question", metavar="COLUMN", help="The column with what is asked.")
@click.option("--target", metavar="COLUMN", help="The column with what is expected.")
@click.option(
    "--metric", type=click.Choice([*starting.BUILTINS, *starting.PROGRAMS]), help="By default the type's own."
)
def new(data_file: Path, output: Path | None, **flags: str | None) -> None:
    """Write a commented manifest for a data file, JSONL or CSV, as a start.

    What no flag says is asked, if there is a terminal. Nothing is overwritten.
    """
    output = output or data_file.with_suffix(".yaml")
    folder, file = output.parent.resolve(), data_file.resolve()
    if output.suffix not in (".yaml", ".yml"):
        raise click.UsageError(f"--output {output}: the name must end in .yaml")
    if output.exists():
        raise click.ClickException(f"{output} is there already; choose another --output")
    if not file.is_relative_to(folder):
        raise click.ClickException(f"{output}: a manifest lies beside its data, or above it; {data_file} does not")
    try:
        rows = data.rows({"file": str(file), "format": data.format_of(file.name) or "jsonl"}, folder)
        said = _answers(flags, data.columns_of(rows))
        id = regex.sub(r"[^A-Za-z0-9_.-]+", "_", data_file.stem)
        written = starting.text(starting.Start(id=id, file=str(file.relative_to(folder)), **said), rows)
        with replacing(output) as opened:
            opened.write(written)
    except (SuiteError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(output)
    click.echo(f"next: lm-eval-pt suite check {output}", err=True)


def _answers(flags: Mapping[str, str | None], columns: Sequence[str]) -> dict[str, str]:
    """Type, columns and metric: as flags say, or as a person answers.

    Raises:
        click.UsageError: something is not said, and nobody is there to ask; or there is no such column.
    """
    asked = {
        "kind": ("What kind of task is it", list(starting.METRICS), "qa"),
        "question": ("Which column holds what is asked", columns, columns[0]),
        "target": ("Which column holds what is expected", columns, columns[-1]),
    }
    lacking = [name for name in asked if flags[name] is None]
    if lacking and not _is_terminal():
        names = ", ".join("--type" if name == "kind" else f"--{name}" for name in lacking)
        raise click.UsageError(f"{names} is not said, and there is no terminal to ask; columns: {', '.join(columns)}")
    said = dict(flags)
    for name in ("question", "target"):
        if flags[name] is not None and flags[name] not in columns:
            raise click.UsageError(f"--{name}: there is no column {flags[name]!r}; there are {', '.join(columns)}")
    for name in lacking:
        question, choices, default = asked[name]
        said[name] = click.prompt(question, type=click.Choice(list(choices)), default=default)
    kind = str(said.pop("kind"))
    metric = said.pop("metric")
    if metric is None and lacking:
        metrics = [*starting.BUILTINS, *starting.PROGRAMS]
        metric = click.prompt("Which metric", type=click.Choice(metrics), default=starting.METRICS[kind])
    return {"type": kind, "metric": metric or starting.METRICS[kind], **{name: str(said[name]) for name in said}}


def _is_terminal() -> bool:
    """Whether somebody is there to answer."""
    return sys.stdin.isatty()


def judge_of(url: str | None, model: str | None, embedding: str | None, answers: str) -> dict[str, Any] | None:
    """The judge as definitions hold it, from the flags.

    Args:
        url: Its address; None: there is no judge.
        model: Who answers.
        embedding: Who makes embeddings.
        answers: The file that keeps its answers.

    Raises:
        click.UsageError: a flag lacks another one.
    """
    if url is None:
        if model or embedding:
            raise click.UsageError("--judge-model and --embedding-model need --judge-url")
        return None
    if not (model or embedding):
        raise click.UsageError("--judge-url needs --judge-model or --embedding-model")
    return {"url": url, "model": model, "embedding_model": embedding, "answers": answers}


def files_of(given: Sequence[str]) -> dict[str, Path]:
    """The file of each name that `--files` maps.

    Raises:
        click.UsageError: one is not NAME=PATH.
    """
    pairs = [pair.partition("=") for pair in given]
    if wrong := next((name for name, mark, path in pairs if not (mark and name and path)), None):
        raise click.UsageError(f"--files {wrong}: it must be NAME=PATH")
    return {name: Path(path) for name, _, path in pairs}


def generation_of(given: str | None) -> Generation:
    """What `--generation` says.

    Raises:
        click.UsageError: it is no JSON.
        ManifestError: with everything that is wrong with the settings.
    """
    if given is None:
        return Generation()
    if not given.lstrip().startswith("{"):
        return settings_of(read(Path(given)), given)
    try:
        return settings_of(json.loads(given))
    except json.JSONDecodeError as error:
        raise click.UsageError(f"--generation is no JSON object: {error}") from error


def _loaded(manifest: Path, files: Sequence[str]) -> Manifest:
    mapped: Mapping[str, Path] = files_of(files)
    try:
        return load(manifest, mapped)
    except ManifestError as error:
        click.echo(str(error), err=True)
        raise click.exceptions.Exit(2) from error


def _show(task: ManifestTask, trial: Trial, show: int) -> None:
    click.secho(f"\n{task.id}", bold=True, nl=False)
    click.echo(f"  {len(trial.docs)} documents, version {task.version}")
    per = len(trial.samples) // show if show else 0
    for index, doc in enumerate(trial.docs[:show]):
        click.secho(f"--- prompt {index + 1}", dim=True)
        click.echo(doc["prompt"])
        click.secho(f"--- target {index + 1}", dim=True)
        click.echo(doc["target"] or "(none)")
        click.secho("--- sample outputs", dim=True)
        for sample in trial.samples[index * per : (index + 1) * per]:
            scores = ", ".join(f"{name} {score:g}" for name, score in sample.scores.items())
            outcome = sample.error or scores or ("asks a model" if task.asks_judge else "")
            click.echo(f"{sample.output[:60]!r} -> {sample.extracted!r}{'  ' if outcome else ''}{outcome}")
    if trial.whole:
        click.echo("all sample outputs: " + ", ".join(f"{name} {score:g}" for name, score in trial.whole.items()))
    empty = sum(not doc["prompt"].strip() for doc in trial.docs)
    if empty:
        click.echo(f"note: {empty} prompts are empty", err=True)
    targets = task.entry.get("output_extraction", {}).get("labels")
    if targets:
        strange = sorted({doc["target"] for doc in trial.docs} - set(targets))
        if strange and task.documents["target_template"]:
            shown = ", ".join(map(repr, strange[:5]))
            click.echo(f"note: targets that are none of the labels: {shown}", err=True)
    for number, problem in trial.unusable[:3]:
        click.echo(f"note: row {number} would have no score: {problem}", err=True)
    if len(trial.unusable) > 3:
        click.echo(f"note: … and {len(trial.unusable) - 3} further rows", err=True)
