"""Which texts are taken for Portuguese: `python -m tests.quality.language`.

Portuguese: the sentences of the treebanks, six of them, tweets and technical reports included. Spanish, Galician and
English: sentences written for this package. Whole, their first words only, and in capitals.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.language import find
from tests.quality.gold import GOLD, TREEBANKS, sentences

OWN = Path(__file__).parents[1] / "data" / "sentences_by_language.jsonl"


def own(language: str) -> list[str]:
    """The sentences written for this package in one language."""
    rows = map(json.loads, OWN.read_text(encoding="utf-8").splitlines())
    return [row["text"] for row in rows if row["language"] == language]


def first(words: int) -> Callable[[str], str]:
    """Cuts a text to its first words."""
    return lambda text: " ".join(text.split()[:words])


FORMS: dict[str, Callable[[str], str]] = {
    "whole": str,
    "5 words": first(5),
    "3 words": first(3),
    "capitals": str.upper,
}


def share(texts: Iterable[str], language: str = "pt") -> float:
    """The share of texts that count as being in a language."""
    found = [find(Text(text), language) for text in texts]
    return sum(finding is not None and finding.holds for finding in found) / len(found)


def main() -> None:
    """Print the share that is taken for Portuguese, by origin and form."""
    origins = {language: own(language) for language in ("pt", "es", "gl", "en")}
    if GOLD.is_dir():
        for treebank in TREEBANKS:
            texts = [row["text"] for row in sentences(treebank)]
            origins[treebank] = [text for text in texts if len(text.split()) > 3]
    print(f"{'taken for Portuguese':22}{'n':>7}", *(f"{form:>10}" for form in FORMS))
    for origin, texts in origins.items():
        shares = (share(map(cut, texts)) for cut in FORMS.values())
        print(f"{origin:22}{len(texts):7}", *(f"{value:10.3f}" for value in shares))


if __name__ == "__main__":
    main()
