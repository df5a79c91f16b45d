"""Options that several commands have."""

from __future__ import annotations

import click

from lm_eval_ifeval_pt.ifeval import dialects
from lm_eval_ifeval_pt.ifeval.checking import DIALECT, MODE

dialect = click.option(
    "--dialect",
    type=click.Choice(list(dict.fromkeys(dialect.name for dialect in dialects.DIALECTS))),
    default=DIALECT,
    show_default=True,
    help="How ids and arguments are written: as this data set writes them. Each reads the package's own too.",
)
"""How a data set writes its instructions."""

mode = click.option(
    "--mode",
    type=click.Choice(list(dict.fromkeys(dialect.mode for dialect in dialects.DIALECTS))),
    default=MODE,
    show_default=True,
    help="Verdicts right for Portuguese, or those of the published checker (dialect capitu).",
)
"""Which verdicts."""
