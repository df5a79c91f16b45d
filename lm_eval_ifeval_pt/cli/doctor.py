"""`lm-eval-pt doctor`."""

from __future__ import annotations

import sys

import click

from lm_eval_ifeval_pt import doctor


@click.command("doctor")
def command() -> None:
    """Say whether the harness finds the tasks of this package here, and what to do if not."""
    findings = doctor.diagnose()
    for finding in findings:
        click.echo(f"{'✓' if finding.ok else '✗'} {finding.name}: {finding.found}")
        if finding.advice:
            click.echo(f"    {finding.advice}")
    sys.exit(0 if all(finding.ok for finding in findings) else 1)
