"""`lm-eval-pt score`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text as Styled

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.cli import printing, scoring_by_metrics, table
from lm_eval_ifeval_pt.definitions import tasks
from lm_eval_ifeval_pt.ifeval import rescoring
from lm_eval_ifeval_pt.ifeval.dialects import DialectError
from lm_eval_ifeval_pt.ifeval.rescoring import Rescored, VerdictChange
from lm_eval_ifeval_pt.ifeval.responses import How, ResponsesError
from lm_eval_ifeval_pt.ifeval.rows import RowsError
from lm_eval_ifeval_pt.models import harness
from lm_eval_ifeval_pt.nearest import did_you_mean
from lm_eval_ifeval_pt.results import origin

_SHOWN = 3  # pieces of evidence of one verdict, and responses that answer nothing


@click.command("score", short_help="Verify responses that already exist.")
@click.argument("responses", type=click.Path(exists=True, path_type=Path), metavar="RESPONSES")
@click.option("--task", help="An IFEval task of this package.")
@click.option(
    "--metrics",
    multiple=True,
    help="Score any answers by these instead: names, joined by commas, or JSON with options; may be repeated. "
    "See docs/metrics.md.",
)
@click.option("--response", default="response", show_default=True, help="Of --metrics: the column of the answer.")
@click.option("--target", default="target", show_default=True, help="Of --metrics: the column of what is expected.")
@click.option("--threshold", default=0.5, show_default=True, help="Of --metrics: what a score must reach to pass.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Result file, *.json; samples go into a folder of the same name.  [default: RESPONSES_TASK.json, here]  "
    "With --metrics a folder.  [default: RESPONSES_metrics, here]",
)
@click.option("--metadata", default="{}", help="""Metadata of the task, a JSON object: '{"mode": "compat"}'.""")
@click.option("--source", help="Rows: bundled, hub, another Hub id or a .jsonl file; as in --metadata.")
@click.option("--model", help="Whose responses these are.  [default: the name of the file]")
@click.option(
    "--stored",
    type=click.Choice(["strict", "loose"]),
    help="How a follow_instruction_list was reached.  [default: as the file's name says, else strict]",
)
@click.option("--diff", is_flag=True, help="List every verdict that is not the one stored with the responses.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    responses: Path,
    task: str | None,
    metrics: tuple[str, ...],
    response: str,
    target: str,
    threshold: float,
    output: Path | None,
    metadata: str,
    source: str | None,
    model: str | None,
    stored: How | None,
    diff: bool,
    as_json: bool,
) -> None:
    """Verify responses that already exist; print and write what a run would.

    RESPONSES is a .jsonl file: {"prompt", "response"} as of google/IFEval, also with its verdicts
    ("follow_instruction_list"); CAPITU's runs and conversations; or samples_*.jsonl of the harness. Responses are
    joined with the rows of the task by key or prompt. A file that names the instructions and arguments of all
    responses needs no other rows.

    With --metrics RESPONSES are the samples of any generation task (a folder, a result file or samples_*.jsonl), or
    a .jsonl file with the columns of --response and --target.
    """
    if metrics:
        scoring_by_metrics.run(responses, metrics, output, task, model, response, target, threshold, as_json)
        return
    if task is None or responses.is_dir():
        raise click.UsageError("name --task, an IFEval task of this package, and a file; or --metrics")
    output = output or Path(f"{responses.stem}_{task}.json")
    _check(task, responses, output)
    try:
        about = _metadata(metadata, source)
        rescored = rescoring.rescore(responses, task, output, about, model, stored, _whole(responses))
    except (ResponsesError, RowsError, DialectError) as error:
        raise click.ClickException(str(error)) from error
    printing.notes(_notes(rescored))
    if as_json:
        printing.as_json(_data(rescored, output, diff))
    else:
        _print(rescored)
        ctx.invoke(table.command, paths=(output,), order="strict", as_json=False)
        if diff:
            _print_changes(rescored, printing.console())
    click.echo(f"written: {output} and {harness.folder_of(output)}/", err=True)


def _check(task: str, responses: Path, output: Path) -> None:
    known = [str(definition["task"]) for definition in tasks() if "dialect" in (definition.get("metadata") or {})]
    if task not in known:
        hint = did_you_mean(task, known) or f"there are {', '.join(known)}"
        raise click.UsageError(f"--task {task}: no IFEval task of this package; {hint}")
    if output.suffix != ".json":
        raise click.UsageError(f"--output {output}: the name of a result file ends in .json")
    if not output.parent.is_dir():
        raise click.UsageError(f"--output {output}: there is no folder {output.parent}")
    if responses.resolve().parent == harness.folder_of(output).resolve():
        raise click.UsageError(f"--output {output}: its samples would replace {responses}")


def _whole(responses: Path) -> int | None:
    """The number of documents of a sample file's task, from its result file."""
    try:
        (file,) = results.sample_files([responses])
        return origin.documents(origin.parse(file.result), file.task).whole if file.result else None
    except (results.ResultsError, ValueError):  # no sample file
        return None


def _metadata(metadata: str, source: str | None) -> dict[str, Any]:
    try:
        given = json.loads(metadata)
    except ValueError as error:
        raise click.UsageError(f"--metadata is no JSON: {error}") from error
    if not isinstance(given, dict):
        raise click.UsageError(f"--metadata must be a JSON object, it is {metadata}")
    return given | ({"source": source} if source else {})


def _notes(rescored: Rescored) -> list[str]:
    notes = []
    if rescored.left:
        shown = ", ".join(response.where for response in rescored.left[:_SHOWN])
        notes.append(f"{len(rescored.left)} responses answer no document of the task: {shown}, …")
    if rescored.unanswered:
        notes.append(f"{rescored.unanswered} documents of the task have no response and are left out")
    return notes


def _print(rescored: Rescored) -> None:
    from lm_eval.utils import make_table

    click.echo(make_table(rescored.results))


def _data(rescored: Rescored, output: Path, with_changes: bool) -> dict[str, Any]:
    return {
        "results": rescored.results["results"],
        "runs": table.data(results.read([output]).runs),
        "compared": rescored.compared,
        **({"changes": rescored.changes} if with_changes else {}),
    }


def _print_changes(rescored: Rescored, console: Console) -> None:
    if not rescored.compared:
        printing.notes(["--diff: no verdict came with these responses"])
        return
    console.print(f"\n{len(rescored.changes)} verdicts have changed, of {rescored.compared} instructions", style="bold")
    for change in rescored.changes:
        console.print(_change(change))


def _change(change: VerdictChange) -> Styled:
    lines = [f"{change.key}  {change.instruction_id}  {change.level}"]
    for name, verdict in (("before", change.before), ("now", change.after)):
        mark = "✓" if verdict["followed"] else "✗"
        lines.append(f"    {name:6} {mark} {verdict['detail'] or '(no evidence came with it)'}")
        pieces = rescoring.quoted(change.response, verdict)[:_SHOWN]
        lines.extend(f"             {' '.join(piece.split())}" for piece in pieces)
    return Styled("\n".join(lines))
