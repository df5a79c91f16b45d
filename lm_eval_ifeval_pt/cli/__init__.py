"""The command line `lm-eval-pt`: one module per command, imported when the command is called."""

from __future__ import annotations

import importlib
import io
import sys

import click

_COMMANDS = {
    "contamination": "contamination",
    "curves": "curves",
    "demo": "demo",
    "diff": "diff",
    "doctor": "doctor",
    "explain": "explain",
    "export": "export",
    "filter": "filter",
    "judge": "judge",
    "ls": "ls",
    "npm": "npm",
    "power": "power",
    "prompts": "prompts",
    "rank": "rank",
    "report": "report",
    "run": "run",
    "score": "score",
    "stats": "stats",
    "suite": "suite",
    "sweep": "sweep",
    "table": "table",
    "tasks-dir": "tasks_dir",
    "verify": "verify",
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"{__name__}.{_COMMANDS[name]}").command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lm_eval_ifeval_pt")
def main() -> None:
    """Portuguese evaluation for EleutherAI's lm-evaluation-harness.

    The tasks themselves are run by the harness: lm_eval --tasks ifeval_pt --model hf --model_args pretrained=...
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a sign shows "?" instead of failing
            stream.reconfigure(errors="replace")
