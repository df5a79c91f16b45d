"""`lm-eval-pt run --suite`: the definitions of a manifest for as long as a run takes."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from lm_eval_ifeval_pt.cli import endpoint
from lm_eval_ifeval_pt.cli.suite import (
    files_of,
    files_option,
    generation_of,
    generation_option,
    judge_of,
    judge_options,
    trust_option,
)
from lm_eval_ifeval_pt.judge.asking import cost
from lm_eval_ifeval_pt.models.endpoint import address
from lm_eval_ifeval_pt.models.endpoint.answers import AnswerFile
from lm_eval_ifeval_pt.models.endpoint.faults import listed
from lm_eval_ifeval_pt.models.endpoint.gate import Tell
from lm_eval_ifeval_pt.models.harness import folder_of
from lm_eval_ifeval_pt.suite import manifest, model
from lm_eval_ifeval_pt.suite.building import build
from lm_eval_ifeval_pt.suite.errors import ManifestError, SuiteError
from lm_eval_ifeval_pt.suite.generation import Generation
from lm_eval_ifeval_pt.suite.manifest import Manifest

JUDGE_ANSWERS = "judge.jsonl"
"""The file with what the judge answered, beside the model's answers."""


def options(command: Any) -> Any:
    """The options of a run of a manifest."""
    own = click.option(
        "--suite",
        "--avaliacao",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A manifest, in place of a task; --task then names one of its tasks, --output a folder.",
    )
    judge_prices = endpoint.prices(prefix="judge-", suffix="-do-juiz")
    return own(files_option(trust_option(judge_options(judge_prices(generation_option(command))))))


@dataclass(frozen=True)
class SuiteFlags:
    """The flags of a run that mean something beside --suite only.

    Attributes:
        files: Where the file of a file_id lies, NAME=PATH.
        generation: How answers are generated: a JSON object, or a file that holds one.
        trust_code: Whether the manifest's programs run in this process.
        judge_url: Where the models are that graders ask; None: there are none.
        judge_model: Who answers there.
        embedding_model: Who makes embeddings there.
        judge_price_in: Of a million tokens that a judge reads; None: not known.
        judge_price_out: Of a million tokens that it writes; None: not known.
        currency: Of both.
    """

    files: tuple[str, ...]
    generation: str | None
    trust_code: bool
    judge_url: str | None
    judge_model: str | None
    embedding_model: str | None
    judge_price_in: float | None
    judge_price_out: float | None
    currency: str

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The parameters of the command that these are."""
        return tuple(field.name for field in dataclasses.fields(cls))


@dataclass(frozen=True)
class AskedSuite:
    """A manifest as a command line asks for it.

    Attributes:
        manifest: What it says.
        generation: How answers are generated.
        only: The id of the one task that is asked for; None: all.
        flags: The rest of what the command line says.
    """

    manifest: Manifest
    generation: Generation
    only: str | None
    flags: SuiteFlags

    @property
    def task(self) -> str:
        """What the harness calls it: a task, or the group of all."""
        return self.only or self.manifest.name

    @property
    def asks_judge(self) -> bool:
        """Whether a grader asks a model."""
        return any(task.asks_judge for task in self.manifest.tasks if self.only in (None, task.id))


def read(path: Path, only: str | None, flags: SuiteFlags) -> AskedSuite:
    """The manifest and the generation settings of a command line.

    Args:
        path: Of the manifest.
        only: `--task`.
        flags: What else belongs to it.

    Raises:
        click.ClickException: with all that is wrong.
    """
    try:
        return AskedSuite(manifest.load(path, files_of(flags.files)), generation_of(flags.generation), only, flags)
    except ManifestError as error:
        raise click.ClickException(str(error)) from error


def result_file(output: Path, name: str, suite: AskedSuite) -> Path:
    """Where the result goes: `output` itself if it is called *.json, else into a folder of the model's name in it.

    Args:
        output: `--output`.
        name: Of the model.
        suite: What is run.
    """
    if output.suffix == ".json":
        return output
    from lm_eval.utils import sanitize_model_name

    return output / str(sanitize_model_name(name)) / f"{suite.task}.json"


@contextlib.contextmanager
def built(suite: AskedSuite, output: Path, concurrency: int, timeout: int, tell: Tell) -> Iterator[Path]:
    """A folder with the definitions of a suite, which is gone afterwards.

    Args:
        suite: What is run.
        output: The result file; the judge's answers are kept in the folder of its name.
        concurrency: Questions to the judge at the same time.
        timeout: Seconds for one answer of the judge.
        tell: What says to a person that something happens.

    Raises:
        click.ClickException: there is no such task.
        click.UsageError: a flag of the judge lacks another one.
        EndpointError: the judge does not answer.
    """
    answers = str((folder_of(output) / JUDGE_ANSWERS).resolve())
    judge = judge_of(suite.flags.judge_url, suite.flags.judge_model, suite.flags.embedding_model, answers)
    if judge and suite.asks_judge:
        judge |= {"url": _reached(suite, tell), "concurrency": concurrency, "timeout": timeout}
    elif judge:
        click.echo(f"note: no grader of {suite.task} asks a model; --judge-url is not used", err=True)
    if suite.generation.left_out:
        said = ", ".join(suite.generation.left_out)
        click.echo(f"note: generation.extra_body: {said} is said elsewhere and left out", err=True)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".lm-eval-pt-suite-") as folder:
        try:
            build(
                suite.manifest,
                Path(folder),
                suite.flags.trust_code,
                judge,
                suite.generation.settings,
                [suite.only] if suite.only else (),
            )
        except SuiteError as error:
            raise click.ClickException(str(error)) from error
        yield Path(folder)
    if judge and suite.asks_judge:
        click.echo(_asked(Path(answers), suite), err=True)


def _asked(path: Path, suite: AskedSuite) -> str:
    """What the graders of a run, and of those before it, asked of the judge, and what it cost."""
    with AnswerFile(path) as stored:
        answers = list(stored)
    read = sum(answer.prompt_tokens for answer in answers)
    written = sum(answer.completion_tokens for answer in answers)
    said = f"graders: {len(answers)} answers of the judge, {read} tokens read, {written} written"
    flags = suite.flags
    if flags.judge_price_in is not None or flags.judge_price_out is not None:
        said += f": {cost(read, written, flags.judge_price_in, flags.judge_price_out):.4f} {flags.currency}"
    return f"{said}; {path}"


def _reached(suite: AskedSuite, tell: Tell) -> str:
    """The address of the judge, which answers there."""
    server = address.find(str(suite.flags.judge_url), model.headers())
    for name in (suite.flags.judge_model, suite.flags.embedding_model):
        if name and server.models and name not in server.models:
            tell("not_listed", model=name, offered=listed(server.models))
    return server.chat
