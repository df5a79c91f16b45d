"""`lm-eval-pt demo`: train a tiny Portuguese model, offline, and evaluate it as one would any model."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from lm_eval_ifeval_pt.demo import commands
from lm_eval_ifeval_pt.demo.commands import DemoError
from lm_eval_ifeval_pt.demo.recipe import Recipe, Training
from lm_eval_ifeval_pt.paths import bundled

__all__ = ["DemoError", "Recipe", "run"]


def run(out: Path, recipe: Recipe | None, console: Console, tasks: Iterable[str] = ("ifeval_pt",)) -> None:
    """Train in `out/checkpoints`, unless done before, and evaluate the last checkpoint.

    Results go into `out/results`; those of the suite, on a few rows made for this, into `out/suite`.

    Args:
        out: Where everything goes; nothing in it is overwritten.
        recipe: What to train; None takes the training that is there, whatever its recipe, or the default one.
        console: Where to tell what happens.
        tasks: The harness's tasks to run.

    Raises:
        DemoError: the folder cannot be used, or a command failed.
    """
    if "," in str(out):
        raise DemoError(f"{out}: lm_eval's --model_args cannot name a folder with a comma; choose another --out")
    checkpoints, results = out / "checkpoints", out / "results"
    training = obtain(checkpoints, recipe, console)
    console.print(summary(training))
    console.print(
        "loss: nats per token since the row above\n"
        "order: held-out sentences told from 3 with two neighbouring words swapped (chance 25 %)\n"
        "agreement: right gender and number told from wrong (chance 50 %)\n",
        style="dim",
    )
    last = checkpoints / f"step_{training.checkpoints[-1].step}"
    console.print("Now the harness evaluates the last checkpoint; it takes some seconds to start.")
    commands.show(commands.evaluate(last, tasks, results), console)
    console.print("\nWhich restrictions were followed:")
    commands.show(commands.table(results), console)
    console.print(
        "\nThe Tucano 2 suite, on 8 rows of each benchmark made for this: the table is the one you will get, "
        "its numbers mean nothing.",
        soft_wrap=True,
    )
    commands.show(commands.suite(last, out / "suite"), console, bundled("data") / "samples")
    early = checkpoints / f"step_{training.checkpoints[0].step}"
    console.print(next_steps(early, results), markup=False, highlight=False, soft_wrap=True)


def obtain(checkpoints: Path, recipe: Recipe | None, console: Console) -> Training:
    """The training in this folder: found there, or done now with a progress bar.

    Raises:
        DemoError: the folder cannot be used.
    """
    if checkpoints.exists():
        try:
            training = Training.read(checkpoints)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise DemoError(f"{checkpoints} holds no training of this demo; choose another --out") from error
        if recipe and training.recipe != recipe:
            raise DemoError(
                f"{checkpoints} holds another training, of {training.recipe.steps} steps; choose another --out"
            )
        console.print(f"{checkpoints} holds a finished training; it is used again.\n", soft_wrap=True)
        return training
    recipe = recipe or Recipe()
    console.print(
        "Training a tiny Llama on Portuguese that a grammar generates: it will write sentences, and know\n"
        "nothing. Some prompts, none of them the benchmark's, ask for lower case, a number of sentences,\n"
        "crase or none, próclise, ênclise or mesóclise."
    )
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("training", total=recipe.steps, loss="-")
        try:
            from lm_eval_ifeval_pt.demo.training import train

            return train(
                checkpoints,
                recipe,
                lambda step, loss: progress.update(bar, completed=step, loss=f"{loss:.2f}"),
            )
        except OSError as error:
            raise DemoError(f"the checkpoints could not be saved: {error}") from error


def summary(training: Training) -> Table:
    """A row per checkpoint."""
    title = f"{training.parameters / 1e6:.2f} M parameters, trained in {training.seconds:.0f} s"
    table = Table(title=title, title_justify="left")
    table.add_column("checkpoint")
    for column in ("loss", "order", "agreement"):
        table.add_column(column, justify="right")
    for checkpoint in training.checkpoints:
        table.add_row(
            f"step_{checkpoint.step}",
            f"{checkpoint.loss:.2f}",
            f"{checkpoint.order:.0%}",
            f"{checkpoint.agreement:.0%}",
        )
    return table


def next_steps(early: Path, results: Path) -> str:
    """What to try after the demo, as commands."""
    return "\n".join(
        (
            "\nTry next:",
            f"  {shlex.join(commands.evaluate(early, ('ifeval_pt',), results))}",
            "      the earliest checkpoint, which writes no sentence yet; then "
            f"`{shlex.join(commands.table(results))}` shows both",
            "  lm-eval-pt explain ptbr:mesoclise",
            "      what a restriction verifies",
            "  lm_eval --tasks ifeval_pt --model hf --model_args pretrained=YOUR_MODEL --apply_chat_template "
            "--output_path results --log_samples",
            "      your own model, a folder or a Hub id",
        )
    )
