"""Output of all commands: one kind of table, notes on stderr, JSON without NaN."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text as Styled

from lm_eval_ifeval_pt.cli.layout import Table
from lm_eval_ifeval_pt.text.span import Span

_UNLIMITED = 100_000
"""Columns of an output that is no terminal: a pipe or a file has no width, so that nothing is shortened."""


def table(title: str, *columns: str, left: int = 1, spare: Sequence[str | tuple[str, ...]] = ()) -> Table:
    """An empty table whose first `left` columns hold names, the others numbers; see `layout` for `spare`."""
    return Table(title, columns, left, spare)


class _Console(Console):
    """Says that a pipe is closed, where rich would exit with 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(stderr: bool = False) -> Console:
    """The console of tables and texts. Names and answers are no markup; long lines are only broken on a terminal.

    The width is the terminal's, or what `COLUMNS` says.
    """
    made = _Console(highlight=False, markup=False, emoji=False, stderr=stderr)
    if made.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return made
    return _Console(highlight=False, markup=False, emoji=False, stderr=stderr, width=_UNLIMITED, soft_wrap=True)


def named(metric: str, filter: str) -> str:
    """A metric with its filter, as the harness writes both; the filter `none` is none."""
    return metric if filter == "none" else f"{metric},{filter}"


def notes(messages: Iterable[str]) -> None:
    """Say on stderr what a reader of the output must know."""
    for message in messages:
        click.echo(f"note: {message}", err=True)


def marked(text: str, evidence: Iterable[Span], plain: bool, keep: int = 300) -> Styled:
    """A text with its evidence in colour, or between ⟦ ⟧ where there are no colours; long stretches left out.

    Args:
        text: The text.
        evidence: What to mark, in order.
        plain: Whether there are no colours.
        keep: How many characters to show on either side of a mark.
    """
    text = visible(text)
    styled, done = Styled(), 0
    for start, end in evidence:
        if start < done:
            continue
        styled.append(_shortened(text[done:start], keep))
        styled.append(f"⟦{text[start:end]}⟧" if plain else text[start:end], style="bold reverse")
        done = end
    styled.append(_shortened(text[done:], keep))
    styled.rstrip()
    return styled


def visible(text: str) -> str:
    """A text whose control characters, which a terminal would obey, are shown as symbols; of the same length."""
    return text.translate(_SYMBOLS)


_SYMBOLS = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"},
    **dict.fromkeys(range(127, 160), 0xFFFD),
}


def _shortened(between: str, keep: int) -> str:
    return between if len(between) <= 2 * keep else f"{between[:keep]} […] {between[-keep:]}"


def as_json(data: Any) -> None:
    """Print as JSON; NaN is null."""
    click.echo(json.dumps(plain(data), ensure_ascii=False, indent=2))


def plain(data: Any) -> Any:
    """Records as mappings, estimates with their 95 % intervals, paths as strings, NaN as None."""
    if hasattr(data, "as_dict"):
        return plain(data.as_dict())
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        return {field.name: plain(getattr(data, field.name)) for field in dataclasses.fields(data)}
    if isinstance(data, Mapping):
        return {str(key): plain(value) for key, value in data.items()}
    if hasattr(data, "_asdict"):
        return plain(data._asdict())
    if isinstance(data, (list, tuple)):
        return [plain(value) for value in data]
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    return str(data) if isinstance(data, Path) else data
