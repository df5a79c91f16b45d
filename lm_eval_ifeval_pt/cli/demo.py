"""`lm-eval-pt demo`."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.console import Console


@click.command("demo")
@click.option(
    "--out",
    default="ifeval_pt_demo",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for checkpoints and results; a training that is there is used again.",
)
@click.option("--steps", type=click.IntRange(min=20), help="Training steps.  [default: 500]")
@click.option("--quick", is_flag=True, help="A quarter of the training.")
@click.option("--real", is_flag=True, help="Train nothing: evaluate SmolLM2-135M-Instruct, which a wheel brings.")
def command(out: Path, steps: int | None, quick: bool, real: bool) -> None:
    """Train a tiny Portuguese model and evaluate it, offline.

    It takes some two minutes on two cores, downloads nothing, and shows the commands that evaluate any model. With
    --real, a published model is evaluated on all that comes with this package, in about an hour on two cores.
    """
    if bool(steps) + quick + real > 1:
        raise click.UsageError("--quick, --steps and --real exclude each other")
    # Where cores are shared, threads that spin while they wait slow so small a model tenfold. OpenMP reads
    # this when torch is imported, here and in the harness.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise click.ClickException(f"{error}; the demo needs: pip install 'lm_eval_ifeval_pt[hf]'") from error
    from lm_eval_ifeval_pt import demo
    from lm_eval_ifeval_pt.demo import real as published

    steps = demo.Recipe.steps // 4 if quick else steps
    try:
        if real:
            published.run(out, Console())
            return
        demo.run(out, demo.Recipe(steps=steps) if steps else None, Console())
    except demo.DemoError as error:
        raise click.ClickException(str(error)) from error
