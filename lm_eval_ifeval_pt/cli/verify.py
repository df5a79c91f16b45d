"""`lm-eval-pt verify`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, BinaryIO

import click
from rich.text import Text as Styled

from lm_eval_ifeval_pt.cli import options, printing
from lm_eval_ifeval_pt.constraints.registry import ConstraintError
from lm_eval_ifeval_pt.ifeval import dialects, scoring


@click.command("verify", short_help="Check one text against one constraint.")
@click.argument("instruction_id")
@click.argument("file", type=click.File("rb"), default="-")
@click.option(
    "-k",
    "--kwarg",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="An argument of the constraint; VALUE is JSON or plain text. May be repeated.",
)
@options.dialect
@options.mode
@options.task
@options.include_path
@click.option("--loose", is_flag=True, help="Verify the loose texts of the dialect too, as of a text without marks.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    instruction_id: str,
    file: BinaryIO,
    pairs: tuple[str, ...],
    dialect: str,
    mode: str,
    task: str | None,
    include_path: tuple[Path, ...],
    loose: bool,
    as_json: bool,
) -> None:
    """Check one text, from FILE or standard input, against one constraint.

    Exits with 0 if the text follows it, with 1 if it does not, with 2 if the question makes no sense.
    """
    spoken = options.spoken(ctx, include_path, task, dialect, mode)
    try:
        bound = dialects.bind(instruction_id, dict(_pair(pair) for pair in pairs), spoken)
    except ConstraintError as error:
        raise click.UsageError(str(error)) from error
    try:
        text = file.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"the text is not UTF-8 ({error}); convert it first, e.g. with iconv") from error
    (score,) = scoring.score(text, [bound], spoken.variants)
    verdict = score.loose if loose else score.strict
    if as_json:
        click.echo(json.dumps(verdict.as_dict(), ensure_ascii=False))
    else:
        console = printing.console()
        mark, style = ("✓ seguiu", "green") if verdict.followed else ("✗ não seguiu", "red")
        console.print(Styled.assemble((mark, f"bold {style}"), f"  {instruction_id}  {verdict.detail}"))
        if verdict.evidence:
            console.print(printing.marked(text, verdict.evidence, plain=not console.is_terminal))
    sys.exit(0 if verdict.followed else 1)


def _pair(pair: str) -> tuple[str, Any]:
    name, equals, value = pair.partition("=")
    if not equals:
        raise click.UsageError(f"--kwarg {pair!r}: NAME=VALUE is expected")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value
