"""`lm-eval-pt doctor`."""

from __future__ import annotations

import sys

import click

from lm_eval_ifeval_pt import doctor


@click.command("doctor", short_help="Check that the harness finds our tasks.")
def command() -> None:
    """Say whether the harness finds the tasks of this package here, and what to do if not.

    ✓ as it should be; ✗ the tasks cannot be run; ! worth knowing. The exit code is 1 if there is a ✗.
    """
    findings = doctor.diagnose()
    for finding in findings:
        mark = "✓" if finding.ok else "✗" if finding.required else "!"
        click.echo(f"{mark} {finding.name}: {finding.found}")
        if finding.advice:
            click.echo(f"    {finding.advice}")
    sys.exit(0 if doctor.healthy(findings) else 1)
