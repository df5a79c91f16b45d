"""What ENEM, BLUEX and OAB share: the protocol of the Open Portuguese LLM Leaderboard.

The model writes its answer after three fixed examples, and a letter is read from what it wrote.
Source: eduagarcia/lm-evaluation-harness-pt at e44c7e26, the harness that Tucano 2 used for these three.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lm_eval_ifeval_pt.benchmarks.choices import position, question
from lm_eval_ifeval_pt.benchmarks.docs import Row, derive
from lm_eval_ifeval_pt.npm.baselines import BASELINES
from lm_eval_ifeval_pt.npm.formula import normalised
from lm_eval_ifeval_pt.text.reasoning import answer

if TYPE_CHECKING:
    from datasets import Dataset

INVALID = "[invalid]"
"""What stands for an answer that names no letter. It counts as wrong."""

_WORDS = "[Ll]etra|[Aa]lternativa|[Rr]esposta|[Rr]esposta [Cc]orreta|[Rr]esposta [Cc]orreta e|[Oo]pcao"
_PATTERNS = (rf"(?:{_WORDS}):? (%s)\b", r"\b(%s)\.", r"\b(%s) ?[.):-]", r"\b(%s)$", r"\b(%s)\b")


@dataclass(frozen=True)
class Exam:
    """One data set of exam questions.

    Attributes:
        word: What its prompts call a question.
        letters: The letters that an answer may name.
        shots: Ids of the fixed examples, in the order of the prompt.
        unscored: Further ids that the protocol leaves out of the scored rows.
    """

    word: str
    letters: str
    shots: tuple[str, ...]
    unscored: tuple[str, ...] = ()

    @property
    def listed(self) -> tuple[str, ...]:
        """All ids that are never scored, the fixed examples first."""
        return self.shots + self.unscored

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """What to look for in an answer, in this order."""
        return tuple(re.compile(pattern % f"[{self.letters}]") for pattern in _PATTERNS)


Format = Callable[[Exam, Row], "Row | None"]
"""Makes the columns of one row in one of the three formats; None without a valid key."""


def generative(exam: Exam, row: Row) -> Row:
    """The options are shown, and the model writes its answer. Rows without a valid key stay: see `scorer`."""
    return {"query": _prompt(exam, row), "annulled": _gold(row) is None}


def mcf(exam: Exam, row: Row) -> Row | None:
    """The same prompt as in the generative format, with the letters scored."""
    return question(_prompt(exam, row), row["choices"]["label"], _gold(row))


def cf(exam: Exam, row: Row) -> Row | None:
    """The options are not shown, and their texts are scored, without the blanks around them."""
    options = [text.strip() for text in row["choices"]["text"]]
    return question(f"{exam.word}:\n{row['question']}\nResposta correta:", options, _gold(row))


def _prompt(exam: Exam, row: Row) -> str:
    choices = zip(row["choices"]["label"], row["choices"]["text"], strict=True)
    options = "\n".join(f"{label}. {text}" for label, text in choices).strip()
    return f"{exam.word}:\n{row['question']}\nAlternativas:\n{options}\nResposta correta:"


def _gold(row: Row) -> int | None:
    return position(row["answerKey"], row["choices"]["label"])


def scored(exam: Exam, form: Format, rows: Dataset) -> Dataset:
    """The documents that are scored: all rows but the listed ones."""
    kept = [place for place, id in enumerate(rows["id"]) if id not in exam.listed]
    return derive(rows.select(kept), lambda row: form(exam, row))


def pool(exam: Exam, form: Format, rows: Dataset) -> Dataset:
    """Where shots are taken from, in this order: the fixed examples, the other listed rows, all other rows.

    The protocol ends with the third; `--num_fewshot` may ask for more.

    Raises:
        ValueError: a fixed example is missing.
    """
    places = {row["id"]: place for place, row in enumerate(rows.to_list()) if _gold(row) is not None}
    missing = [id for id in exam.shots if id not in places]
    if missing:
        name = rows.info.dataset_name or "data set"
        raise ValueError(f"{name}: the fixed examples {', '.join(missing)} are missing")
    first = [places.pop(id) for id in exam.listed if id in places]
    return derive(rows.select([*first, *places.values()]), lambda row: form(exam, row))


def read_letters(exam: Exam, responses: Iterable[Sequence[str]], docs: Iterable[Row]) -> list[list[str]]:
    """A filter of the harness: the letter that each response of each document names."""
    return [[read_letter(exam, response) for response in repeated] for repeated in responses]


def read_letter(exam: Exam, response: str) -> str:
    """The letter that a response names, or `INVALID`.

    Reasoning before `</think>` is not read. White space is collapsed and accents are removed first.
    """
    from unidecode import unidecode

    text = unidecode(" ".join(answer(response).text.split())).strip()
    found = (pattern.search(text) for pattern in exam.patterns)
    return next((match.group(1) for match in found if match), INVALID)


def scorer(task: str) -> Callable[[Row, Sequence[str]], dict[str, float]]:
    """The `process_results` of the generative format.

    Returns:
        A function of a document and the letter read from its response. It gives `acc`, `npm`, `invalid` (1
        where no letter was read) and `annulled` (1 where the exam board annulled the question: the published
        protocol scores such a row, and no answer to it is right).
    """
    baseline = BASELINES[task]

    def process_results(doc: Row, results: Sequence[str]) -> dict[str, float]:
        (letter,) = results
        acc = float(letter == doc["answerKey"] and not doc["annulled"])
        return {
            "acc": acc,
            "invalid": float(letter == INVALID),
            "annulled": float(doc["annulled"]),
            "npm": normalised(acc, baseline.random, baseline.max),
        }

    return process_results


def count(flags: Sequence[float]) -> float:
    """How many documents have the flag set."""
    return sum(flags)
