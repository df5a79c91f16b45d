"""What `nox` has tested, as a table: `python -m tests.quality.matrix`, or `make matrix` to test it first."""

from __future__ import annotations

import json
from pathlib import Path

RESULTS = Path(__file__).parents[2] / "build" / "matrix"
_COLUMNS = ("python", "set", "lm_eval", "datasets", "transformers", "numpy", "torch", "result")


def table(records: list[dict[str, str]]) -> str:
    """A row per session, by Python's version and the set's name."""
    rows = sorted(records, key=lambda record: ([int(part) for part in record["python"].split(".")], record["set"]))
    cells = [_COLUMNS, *(tuple(record[column].strip("= ") for column in _COLUMNS) for record in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_COLUMNS))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)


def main() -> None:
    """Print the table, or that nothing was tested."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in RESULTS.glob("*.json")]
    print(table(records) if records else f"nothing was tested yet ({RESULTS}); run `make matrix`")


if __name__ == "__main__":
    main()
