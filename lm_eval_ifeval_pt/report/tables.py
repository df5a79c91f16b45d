"""Tables of strings as Markdown, LaTeX and CSV: one place for every command that prints them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "&": r"\&", "%": r"\%",
        "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "–": "--", "±": r"$\pm$", "\n": " ",
    }
)  # fmt: skip


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; pipes and line breaks in cells are kept from breaking it."""

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |\n"

    return line(header) + f"|{'---|' * len(header)}\n" + "".join(line(row) for row in rows)


def latex(header: Sequence[str], rows: Iterable[Sequence[str]], columns: str) -> str:
    r"""A LaTeX tabular with the rules of booktabs.

    Args:
        header: The names of the columns.
        rows: The cells; characters that mean something to LaTeX are escaped.
        columns: How columns are aligned, e.g. `rlrr`.
    """

    def line(cells: Iterable[str]) -> str:
        return " & ".join(cell.translate(_LATEX) for cell in cells) + " \\\\\n"

    body = "".join(line(row) for row in rows)
    return (
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{line(header)}\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n"
    )


def comma_separated(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A CSV table (RFC 4180, but with line feeds); None is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()
