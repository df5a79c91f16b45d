"""`lm-eval-pt filter`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Literal

import click

from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.cli.writing import lines_to
from lm_eval_ifeval_pt.ifeval.dialects import DialectError
from lm_eval_ifeval_pt.ifeval.rows import RowsError, read_jsonl
from lm_eval_ifeval_pt.rewards import InstructionReward
from lm_eval_ifeval_pt.training import filtering
from lm_eval_ifeval_pt.training.filtering import Counts

_SHOWN = 5  # rows that cannot be verified


@click.command("filter", short_help="Keep the answers that follow, to train on.")
@click.argument("answers", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="ANSWERS")
@click.option("--all-followed", is_flag=True, help="Keep the answers that follow all that was asked.")
@click.option("--best", is_flag=True, help="Keep one answer a prompt: the first of those that follow most.")
@click.option("--loose", is_flag=True, help="Take the loose verdicts.")
@click.option(
    "--refuse-gaming/--allow-gaming",
    default=True,
    show_default=True,
    help="What is followed in letter only (hidden text, lists of words, the prompt again) does not count.",
)
@click.option("--dialect", help="How ids and arguments are written.  [default: as each row says, else capitu]")
@click.option("--mode", help="pt or compat.  [default: as each row says, else pt]")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A .jsonl file.  [default: standard output]"
)
def command(
    answers: Path,
    all_followed: bool,
    best: bool,
    loose: bool,
    refuse_gaming: bool,
    dialect: str | None,
    mode: str | None,
    output: Path | None,
) -> None:
    """Keep the answers that follow their instructions, and count what was followed.

    ANSWERS is a .jsonl file of rows with instruction_id_list, kwargs and, where it is known, prompt; the answer stands
    under "response" or "completion", several under "responses". samples_*.jsonl of the harness are read too.

    Exits with 2 where rows could not be verified; the others are kept all the same.
    """
    if not (all_followed or best):
        raise click.UsageError("say what to keep: --all-followed, --best, or both")
    level: Literal["strict", "loose"] = "loose" if loose else "strict"
    counts = Counts()
    try:
        reward = InstructionReward(level=level, refuse_gaming=refuse_gaming, dialect=dialect, mode=mode)
        candidates = filtering.candidates(read_jsonl(answers), str(answers))
        rows = filtering.kept(candidates, reward, all_followed, best, counts)
        lines_to(output, (json.dumps(row, ensure_ascii=False) for row in rows))
    except (RowsError, DialectError) as error:
        raise click.UsageError(str(error)) from error
    _say(counts)
    if output is not None:
        click.echo(f"written: {counts.kept} answers to {output}", err=True)
    sys.exit(2 if counts.invalid else 0)


def _say(counts: Counts) -> None:
    """The counts, on standard error, since the answers may go to standard output."""
    table = printing.table("", "constraint", "asked", "followed", "%")
    for name, asked in sorted(counts.asked.items(), key=lambda item: (counts.met[item[0]] / item[1], item[0])):
        table.add_row(name, str(asked), str(counts.met[name]), f"{100 * counts.met[name] / asked:.1f}")
    printing.console(stderr=True).print(table)
    notes = [
        f"{counts.followed} of {counts.answers} answers follow all that was asked; {counts.kept} are kept, to "
        f"{counts.answered} of {counts.prompts} prompts"
    ]
    if counts.gamed:
        listed = ", ".join(f"{trick} ({count})" for trick, count in counts.gamed.most_common())
        notes.append(f"followed in letter only, and not counted: {listed}")
    notes += counts.invalid[:_SHOWN]
    if len(counts.invalid) > _SHOWN:
        notes.append(f"{len(counts.invalid) - _SHOWN} more rows could not be verified")
    printing.notes(notes)
