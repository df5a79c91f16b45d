"""How well words and sentences are found, measured on treebanks: `python -m tests.quality.segmentation`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from lm_eval_ifeval_pt.text import Text
from tests.quality import gold

DOCUMENTS = "gold/docs.jsonl"


@dataclass(frozen=True)
class Figures:
    """How counts compare with those of the gold.

    Attributes:
        n: Texts counted.
        exact: Share of texts whose count is right.
        error: Mean absolute error of the count.
        bias: Mean error of the count, positive where too many are found.
    """

    n: int
    exact: float
    error: float
    bias: float


def words() -> dict[str, Figures]:
    """Words of a sentence, by treebank and in all, against its orthographic words."""
    differences = {
        treebank: [
            len(Text(row["text"]).words) - row["n_orthographic_words"] for row in gold.sentences(treebank)
        ]
        for treebank in gold.TREEBANKS
    }
    differences["all"] = [difference for treebank in gold.TREEBANKS for difference in differences[treebank]]
    return {treebank: _figures(found) for treebank, found in differences.items()}


SENTENCE_SETS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "clean real": lambda row: row["kind"] != "synthetic" and row["clean"],
    "clean synthetic": lambda row: row["kind"] == "synthetic" and row["clean"],
    "all real": lambda row: row["kind"] == "real",
}
"""Sets of documents. Real ones are whole or, in the clean set, also the longest clean run of a document that
is not clean; synthetic ones are sentences of a treebank in a row. In a clean one every sentence ends with a
stop."""


def sentences() -> dict[str, Figures]:
    """Sentences of a document of 3 to 20, by set of documents."""
    rows = list(gold.rows(DOCUMENTS))
    return {
        name: _figures(len(Text(row["text"]).sentences) - row["n_sentences"] for row in rows if belongs(row))
        for name, belongs in SENTENCE_SETS.items()
    }


def _figures(differences: Iterable[int]) -> Figures:
    found = list(differences)
    n = len(found)
    return Figures(n, found.count(0) / n, sum(map(abs, found)) / n, sum(found) / n)


def report() -> None:
    """Print the figures."""
    console = Console()
    for title, figures in (("Words of a sentence", words()), ("Sentences of a document", sentences())):
        table = Table("set", "n", "exact", "mean abs. error", "bias", title=title)
        for name, row in figures.items():
            table.add_row(name, str(row.n), f"{row.exact:.4f}", f"{row.error:.3f}", f"{row.bias:+.3f}")
        console.print(table)


if __name__ == "__main__":
    if gold.GOLD.is_dir():
        report()
    else:
        print(f"no external gold in {gold.GOLD}")
