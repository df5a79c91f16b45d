"""The command line `lm-eval-pt`: one module per command, imported when the command is called."""

from __future__ import annotations

import importlib
import io
import os
import sys
from typing import Any, NamedTuple

import click


class _Listed(NamedTuple):
    """A command as `--help` lists it: its module, which is not imported for that, and its short help."""

    module: str
    help: str


COMMANDS = {
    "contamination": _Listed("contamination", "Find benchmark items in a training corpus."),
    "curves": _Listed("curves", "Scores over training, and which of them are signal."),
    "demo": _Listed("demo", "Train a tiny Portuguese model and evaluate it, offline."),
    "diff": _Listed("diff", "Compare two models on the same documents."),
    "doctor": _Listed("doctor", "Check that the harness finds our tasks."),
    "explain": _Listed("explain", "Show a constraint: rule, arguments, examples."),
    "export": _Listed("export", "Write results in other formats."),
    "filter": _Listed("filter", "Keep the answers that follow, to train on."),
    "judge": _Listed("judge", "Let a model judge answers: scores, pairs, faithfulness."),
    "ls": _Listed("ls", "List the constraints and the tasks of this package."),
    "npm": _Listed("npm", "Rank models by NPM from result files."),
    "power": _Listed("power", "How many items a difference needs."),
    "prompts": _Listed("prompts", "Make prompts with verifiable instructions, to train on."),
    "rank": _Listed("rank", "Rank models item by item, with ties."),
    "report": _Listed("report", "Write one HTML file that shows some runs."),
    "run": _Listed("run", "Evaluate a model behind an OpenAI-like API."),
    "score": _Listed("score", "Verify responses that already exist."),
    "stats": _Listed("stats", "Describe the scores and repeats of any task."),
    "suite": _Listed("suite", "Your own evaluation, from one file."),
    "sweep": _Listed("sweep", "Evaluate many checkpoints, resumably."),
    "table": _Listed("table", "Show which restrictions were followed."),
    "tasks-dir": _Listed("tasks_dir", "Print the tasks' folder, for --include_path."),
    "verify": _Listed("verify", "Check one text against one constraint."),
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"{__name__}.{COMMANDS[name].module}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, listed.help) for name, listed in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever is wrong with its input exits with 2, since 1 is what a gate says."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            error.exit_code = 2  # type: ignore[misc]  # click reads it of the instance
            raise
        except BrokenPipeError:  # whoever reads has read enough (`| head`)
            with open(os.devnull, "w", encoding="utf-8") as nowhere:
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
            ctx.exit(0)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lm_eval_ifeval_pt")
def main() -> None:
    """Portuguese evaluation for EleutherAI's lm-evaluation-harness.

    The tasks themselves are run by the harness: lm_eval --tasks ifeval_pt --model hf --model_args pretrained=...
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a sign shows "?" instead of failing
            stream.reconfigure(errors="replace")
