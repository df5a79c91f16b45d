"""How well grammar is found: treebanks, word forms, sentence pairs; `python -m tests.quality.grammar`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from rich.console import Console
from rich.table import Table

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.text import Text, address
from lm_eval_ifeval_pt.text.porques import porques
from tests.quality import gold

Detector = Callable[[Text], bool]


@dataclass(frozen=True)
class Counts:
    """Agreement with the gold on some sentences: has the phenomenon, or has it not."""

    tp: int
    fp: int
    fn: int

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        """Share of the sentences found that have it; 1 when none is found."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 1.0

    @property
    def recall(self) -> float:
        """Share of the sentences with it that are found; 1 when there is none."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.tp / (2 * self.tp + self.fp + self.fn) if self.tp + self.fp + self.fn else 1.0


def _followed(id: str) -> Detector:
    return lambda text: registry.get(id).bind({}).verify(text).followed


def _porque(*forms: str) -> Detector:
    return lambda text: any(porque.form in forms for porque in porques(text.lower))


@dataclass(frozen=True)
class Phenomenon:
    """What is looked for in a sentence: our detector, the gold's field, its field for unclear annotation."""

    detect: Detector
    field: str
    unclear: str | None = None


PHENOMENA = {
    "crase": Phenomenon(_followed("ptbr:crase"), "has_crase", "amb_crase"),
    "mesóclise": Phenomenon(_followed("ptbr:mesoclise"), "has_mesoclise", "amb_mesoclise"),
    "ênclise": Phenomenon(_followed("ptbr:enclise"), "has_enclise", "amb_enclise"),
    "próclise after attractor": Phenomenon(_followed("ptbr:proclise"), "has_proclise_after_attractor", "amb_proclise"),
    "por que": Phenomenon(_porque("por que", "por quê"), "has_por_que"),
    "porque": Phenomenon(_porque("porque", "porquê", "porquês"), "has_porque", "amb_porque"),
    "você": Phenomenon(lambda text: any(address.voce(text.lower)), "has_voce"),
    "tu": Phenomenon(lambda text: any(address.tu(text.text, text.lower)), "has_tu"),
}


@cache
def figures(phenomenon: str) -> dict[str, Counts]:
    """Sentences with a phenomenon, found and missed, by treebank and in `all`."""
    looked_for = PHENOMENA[phenomenon]
    found = {}
    for treebank in gold.TREEBANKS:
        rows = [row for row in gold.sentences(treebank) if not row.get(looked_for.unclear or "")]
        pairs = [(row[looked_for.field], looked_for.detect(Text(row["text"]))) for row in rows]
        outcomes = (True, True), (False, True), (True, False)  # tp, fp, fn
        found[treebank] = Counts(*map(pairs.count, outcomes))
    return found | {"all": sum(found.values(), Counts(0, 0, 0))}


FORMS = "gold/forms_morphobr.jsonl"
LOOKALIKES = "gold/forms_hunspell_lookalikes.jsonl"

PRONOMINAL = {
    "antená-lo", "aprazer-se", "atreves-te", "dixe-me", "praz-me", "tir-te", "vão-nos", "vê-lo-emos",
}  # fmt: skip
"""Forms that a spelling dictionary lists with its compounds and that are a verb with its pronoun."""


def form_errors() -> list[str]:
    """Single forms whose clitics are not those of the gold: verbs with a pronoun, and compounds."""
    wrong = []
    for row in gold.rows(FORMS):
        found = [clitic.position for clitic in Text(row["form"]).clitics] or ["none"]
        if found != [row["position"]]:
            wrong.append(row["form"])
    return wrong


def lookalike_errors() -> list[str]:
    """Compounds taken for a verb with its pronoun; infinitives with -se are what they seem, and left out."""
    return [
        row["form"]
        for row in gold.rows(LOOKALIKES)
        if Text(row["form"]).clitics and not row["form"].endswith("r-se") and row["form"] not in PRONOMINAL
    ]


NOT_ADJACENT = "the attractor stands further off, the rule asks for one right before the pronoun"
EXCEPTIONS = {
    "cogroo:63:1": NOT_ADJACENT,
    "cogroo:63:2": NOT_ADJACENT,
    "cogroo:69:0": NOT_ADJACENT,
    "cogroo:69:1": NOT_ADJACENT,
    "cogroo:70:0": NOT_ADJACENT,
    "cogroo:70:1": NOT_ADJACENT,
    "lt:GENERAL_PRONOMIAL_COLOCATIONS:4": NOT_ADJACENT,
    "lt:GENERAL_PRONOMIAL_COLOCATIONS:6": NOT_ADJACENT,
}
"""Grammar pairs with an expectation that is not met, each with the reason."""

EXPECTED = {
    "has_enclise": "ptbr:enclise",
    "has_proclise_after_attractor": "ptbr:proclise",
    "has_proclise_after_attractor_clause": "ptbr:proclise",
}


def unmet() -> Iterator[tuple[str, str, str]]:
    """The expectations of grammar pairs (right and wrong sentences) that fail: pair, sentence, field."""
    for pair in gold.rows("gold/pairs_grammar.jsonl"):
        for side, fields in pair.get("expect", {}).items():
            for field, expected in fields.items():
                if _followed(EXPECTED[field])(Text(pair[side])) != expected:
                    yield pair["id"], pair[side], field


def report() -> None:
    """Print the figures."""
    columns = ("phenomenon", "set", "TP", "FP", "FN", "precision", "recall", "F1")
    table = Table(*columns, title="Sentences of treebanks")
    for phenomenon in PHENOMENA:
        for name, counts in figures(phenomenon).items():
            numbers = (str(counts.tp), str(counts.fp), str(counts.fn))
            rates = (f"{rate:.3f}" for rate in (counts.precision, counts.recall, counts.f1))
            table.add_row(phenomenon, name, *numbers, *rates, end_section=name == "all")
    console = Console()
    console.print(table)
    console.print(f"Wrong on single forms: {form_errors()}; on compounds: {lookalike_errors()}")
    for id, sentence, field in unmet():
        console.print(f"Not met: {field} of “{sentence}” ({id}): {EXCEPTIONS.get(id, 'an error')}")


if __name__ == "__main__":
    if gold.GOLD.is_dir():
        report()
    else:
        print(f"no external gold in {gold.GOLD}")
