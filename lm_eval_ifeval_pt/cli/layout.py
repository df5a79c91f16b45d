"""Tables that fit the terminal without cutting a number: the one layout of every command's table.

From wide to narrow: names are shortened in the middle; columns that the command can spare are dropped, with a note;
each row becomes a block of its own, with all columns.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text as Styled

_SHORTEST = 16  # cells of a shortened name; more where fewer would make two names alike
_GAP = 2  # cells between columns
_BETWEEN = " · "  # between the numbers of a block


@dataclass
class Table:
    """Rows of names and numbers.

    Attributes:
        title: What is written above; may be empty.
        columns: The headers.
        left: How many columns hold names; the others hold numbers.
        spare: Columns that may go where the terminal is narrow, the first one first; a group goes together.
        rows: The cells and the style of each row.
        sections: Before which rows a line is left empty.
    """

    title: str
    columns: Sequence[str]
    left: int = 1
    spare: Sequence[str | tuple[str, ...]] = ()
    rows: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    sections: set[int] = field(default_factory=set)

    def add_row(self, *cells: str, style: str = "") -> None:
        """Add a row; cells that are not given are empty."""
        self.rows.append((cells + ("",) * (len(self.columns) - len(cells)), style))

    def add_section(self) -> None:
        """Leave a line empty before the next row."""
        self.sections.add(len(self.rows))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table as wide as the console allows."""
        yield from self._fitted(options.max_width)

    def _fitted(self, width: int) -> Iterator[RenderableType]:
        every = list(range(len(self.columns)))
        for kept, is_wrapped in self._attempts(every):
            names = [column for column in kept if column < self.left]
            others = sum(self._width(column, is_wrapped) for column in kept if column >= self.left)
            room = width - others - _GAP * (len(kept) - 1)
            sizes = self._sizes(names, room)
            if sizes is not None:
                yield Styled("")
                if self.title:
                    yield Styled(_fitting(self.title, width), style="bold")
                yield from self._lines(kept, sizes, is_wrapped)
                yield Styled("")
                if dropped := [self.columns[column] for column in every if column not in kept]:
                    yield Styled(
                        f"Not shown, for want of width: {', '.join(dropped)}. A wider terminal and --json have them.\n",
                        style="dim",
                    )
                return
        yield from self._blocks(width)

    def _attempts(self, every: Sequence[int]) -> Iterator[tuple[list[int], bool]]:
        """The columns to show and whether headers may take several lines, the fullest first."""
        yield list(every), False
        kept = list(every)
        yield kept, True
        for spare in self.spare:
            gone = (spare,) if isinstance(spare, str) else spare
            fewer = [column for column in kept if self.columns[column] not in gone]
            if len(self._named(fewer)) == len(self._named(kept)):  # rows that look alike would tell nothing
                kept = fewer
                yield kept, True

    def _named(self, kept: Sequence[int]) -> set[tuple[str, ...]]:
        """The different names of rows."""
        return {tuple(cells[column] for column in kept if column < self.left) for cells, _ in self.rows}

    def _cells(self, column: int) -> list[str]:
        return [cells[column] for cells, _ in self.rows]

    def _width(self, column: int, is_wrapped: bool) -> int:
        """The cells that a column of numbers takes."""
        header = self.columns[column]
        parts = header.split() if is_wrapped else [header]
        return max(map(cell_len, [*parts, *self._cells(column)]), default=0)

    def _sizes(self, names: Sequence[int], room: int) -> dict[int, int] | None:
        """The width of each column of names, the longest shortened first; None where there is no room."""
        whole = {column: max(map(cell_len, [self.columns[column], *self._cells(column)])) for column in names}
        least = {column: min(whole[column], self._least(column)) for column in names}
        if sum(least.values()) > room:
            return None
        sizes = dict(whole)
        while sum(sizes.values()) > room:
            column = max((name for name in names if sizes[name] > least[name]), key=lambda name: sizes[name])
            sizes[column] -= 1
        return sizes

    def _least(self, column: int) -> int:
        """The shortest width at which the header is whole and different names still look different."""
        names = set(self._cells(column))
        low, high = cell_len(self.columns[column]), max(map(cell_len, names), default=0)
        for size in range(max(_SHORTEST, low), high):
            if len({shortened(name, size) for name in names}) == len(names):
                return size
        return max(low, high)

    def _lines(self, kept: Sequence[int], sizes: dict[int, int], is_wrapped: bool) -> Iterator[Styled]:
        """The headers, a line, and the rows: whole lines, since rich's own tables measure every cell several times."""
        widths = [sizes[column] if column < self.left else self._width(column, is_wrapped) for column in kept]
        headers = [
            textwrap.wrap(self.columns[column], width, break_long_words=False) if is_wrapped else [self.columns[column]]
            for column, width in zip(kept, widths, strict=True)
        ]
        height = max(map(len, headers))
        bottom = [[""] * (height - len(lines)) + lines for lines in headers]
        for cells in zip(*bottom, strict=True):
            yield self._line(kept, widths, cells, "bold")
        yield _unbroken("─" * (sum(widths) + _GAP * (len(widths) - 1)))
        for number, (row, style) in enumerate(self.rows):
            if number in self.sections:
                yield Styled("")
            shown = [shortened(row[column], sizes[column]) if column in sizes else row[column] for column in kept]
            yield self._line(kept, widths, shown, style)

    def _line(self, kept: Sequence[int], widths: Sequence[int], cells: Sequence[str], style: str) -> Styled:
        """Names on the left of their columns, numbers on the right."""
        padded = []
        for column, width, cell in zip(kept, widths, cells, strict=True):
            space = " " * (width - cell_len(cell))
            padded.append(cell + space if column < self.left else space + cell)
        return _unbroken((" " * _GAP).join(padded).rstrip(), style)

    def _blocks(self, width: int) -> Iterator[Styled]:
        """Each row as its names and, below, every number after the name of its column."""
        if self.title:
            yield Styled(_fitting(self.title, width), style="bold")
        yield Styled("")
        for cells, style in self.rows:
            names = [cell for cell in cells[: self.left] if cell]
            if names:
                yield Styled("  ".join(names), style=style or "bold", overflow="fold")
            pairs = [
                f"{header} {cell}".strip()
                for header, cell in zip(self.columns[self.left :], cells[self.left :], strict=True)
                if cell
            ]
            yield from map(Styled, _filled(pairs, width))
        yield Styled("")


def _unbroken(line: str, style: str = "") -> Styled:
    return Styled(line, style=style, no_wrap=True, overflow="ignore")


def _filled(pairs: Sequence[str], width: int) -> Iterator[str]:
    """Lines of a width that break between pairs; a pair that is longer breaks between its words."""
    line = ""
    for pair in pairs:
        if line and cell_len(line) + cell_len(_BETWEEN) + cell_len(pair) + 2 > width:
            yield f"  {line}"
            line = ""
        line = f"{line}{_BETWEEN}{pair}" if line else pair
    if line:
        yield f"  {line}"


def _fitting(title: str, width: int) -> str:
    """A title whose words, as long names of models, are none of them wider than a line."""
    return re.sub(r"\S+", lambda word: shortened(word[0], width), title)


def shortened(name: str, size: int) -> str:
    """A name of at most some cells: its beginning and its end, which tell names apart, around a `…`."""
    if cell_len(name) <= size:
        return name
    end = (size - 1) // 2
    beginning = set_cell_size(name, size - 1 - end).rstrip()
    ending = name[len(name) - end :]
    while cell_len(ending) > end:
        ending = ending[1:]
    return f"{beginning}…{ending}"
