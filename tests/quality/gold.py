"""The external data that figures are measured on. It is no part of this repository; checks say so when it is absent."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

GOLD = Path(os.environ.get("IFEVAL_PT_GOLD", Path(__file__).parents[3] / "shared" / "data"))
"""Folder with `gold/`, `capitu/`, `bench/` and `ifeval_cases.jsonl`; `IFEVAL_PT_GOLD` names another one."""

TREEBANKS = ("Bosque", "GSD", "PetroGold", "Porttinari", "PUD", "DANTEStocks")

needs_gold = pytest.mark.skipif(
    not GOLD.is_dir(), reason=f"no external gold in {GOLD} (set IFEVAL_PT_GOLD)"
)


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of one JSON-lines file below the gold folder."""
    with (GOLD / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def sentences(treebank: str) -> Iterator[dict[str, Any]]:
    """The annotated sentences of one treebank."""
    return rows(f"gold/sent_{treebank}.jsonl")
