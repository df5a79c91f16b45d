"""What ENEM, BLUEX and OAB share: the protocol of the Open Portuguese LLM Leaderboard.

The model writes its answer after three fixed examples, and a letter is read from what it wrote.
Source: eduagarcia/lm-evaluation-harness-pt at e44c7e26, the harness that Tucano 2 used for these three.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from lm_eval_ifeval_pt.benchmarks.benchmark import TUCANO2, Format, Metric, Shots
from lm_eval_ifeval_pt.benchmarks.choices import cloze, position
from lm_eval_ifeval_pt.benchmarks.docs import Row
from lm_eval_ifeval_pt.text.reasoning import answer

Filter = Callable[[Iterable[Sequence[str]], Iterable[Row]], list[list[str]]]
"""A filter of the harness, over the responses of each document."""

INVALID = "[invalid]"
"""What stands for an answer that names no letter. It counts as wrong."""

_WORDS = "[Ll]etra|[Aa]lternativa|[Rr]esposta|[Rr]esposta [Cc]orreta|[Rr]esposta [Cc]orreta e|[Oo]pcao"
_PATTERNS = (rf"(?:{_WORDS}):? (%s)\b", r"\b(%s)\.", r"\b(%s) ?[.):-]", r"\b(%s)$", r"\b(%s)\b")


@dataclass(frozen=True)
class Exam:
    """One data set of exam questions.

    Attributes:
        about: What its prompts say first, up to "selecione".
        word: What its prompts call a question.
        letters: The letters that an answer may name.
        shots: Ids of the fixed examples, in the order of the prompt.
        unscored: Further ids that the protocol leaves out of the scored rows.
        max_gen_toks: How long an answer may be.
    """

    about: str
    word: str
    letters: str
    shots: tuple[str, ...]
    unscored: tuple[str, ...] = ()
    max_gen_toks: int = 256

    @property
    def listed(self) -> tuple[str, ...]:
        """All ids that are never scored, the fixed examples first."""
        return self.shots + self.unscored

    @property
    def description(self) -> str:
        """The text before the first question."""
        *others, last = (f'"{letter}"' for letter in self.letters)
        return (
            f"{self.about}, selecione a única alternativa correta e responda apenas com as letras "
            f"{', '.join(others)} ou {last}.\n\n"
        )

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """The patterns that are searched in an answer, in this order."""
        return tuple(re.compile(pattern % f"[{self.letters}]") for pattern in _PATTERNS)

    def scored(self, docs: Sequence[Row]) -> list[Row]:
        """The documents that are scored: all but the listed ones."""
        return [doc for doc in docs if doc["id"] not in self.listed]

    def pool(self, docs: Sequence[Row]) -> list[Row]:
        """The rows that shots are taken from, in this order: the fixed examples, the other listed ones, all others.

        The protocol ends with the third; `--num_fewshot` may ask for more.

        Raises:
            ValueError: a fixed example is missing.
        """
        with_key = {doc["id"]: doc for doc in docs if _gold(doc) is not None}
        missing = [id for id in self.shots if id not in with_key]
        if missing:
            raise ValueError(f"the fixed examples {', '.join(missing)} of the exam are missing in its rows")
        first = [with_key.pop(id) for id in self.listed if id in with_key]
        return [*first, *with_key.values()]


def count(flags: Sequence[float]) -> float:
    """How many documents have the flag set."""
    return sum(flags)


SHOTS = Shots(3, split="train", sampler="FirstOthers")
SOURCE = f"{TUCANO2}; prompts and scoring of eduagarcia/lm-evaluation-harness-pt"

_FEWER_SHOTS = Metric("fewer_shots", count, higher_is_better=False)
_SHOWN = """\
WORD:
{{question}}
Alternativas:
{% set options %}{% for text in choices.text %}{{choices.label[loop.index0]}}. {{text}}
{% endfor %}{% endset %}{{options.strip()}}
Resposta correta:"""
_HIDDEN = "WORD:\n{{question}}\nResposta correta:"


def formats(task: str, exam: Exam, read_letters: Filter) -> tuple[Format, Format, Format]:
    """The three formats of an exam: the model writes its answer, as published; cloze; multiple-choice.

    Args:
        task: The name of the first one's task.
        exam: The exam.
        read_letters: The filter that reads its answers, as the exam's module names it.
    """
    shown, hidden = (prompt.replace("WORD", exam.word) for prompt in (_SHOWN, _HIDDEN))
    written = Format(
        task=task,
        prompt=shown,
        columns=lambda row: {"annulled": row["answerKey"] not in tuple(exam.letters)},
        score=score,
        metrics=(
            Metric("acc"),
            Metric("invalid", higher_is_better=False),
            Metric("annulled", count, higher_is_better=False),
        ),
        metric="acc",
        output_type="generate_until",
        target="answerKey",
        settings={
            "generation_kwargs": {
                "until": ["\n\n"],
                "do_sample": False,
                "temperature": 0.0,
                "max_gen_toks": exam.max_gen_toks,
            },
            "filter_list": [
                {
                    "name": "none",
                    "filter": [{"function": "custom", "filter_fn": read_letters}, {"function": "take_first"}],
                }
            ],
        },
    )
    cf = cloze(f"{task}_cf", hidden, _texts, _gold)
    mcf = replace(cloze(f"{task}_mcf", shown, _labels, _gold), metric="acc", form="mcf")
    described = {"description": exam.description}
    written, mcf = (replace(form, settings={**described, **form.settings}) for form in (written, mcf))
    written, cf, mcf = (
        replace(form, scored=exam.scored, pool=exam.pool, fits=True, metrics=(*form.metrics, _FEWER_SHOTS))
        for form in (written, cf, mcf)
    )
    return written, cf, mcf


def _texts(row: Row) -> list[str]:
    """The options without the blanks around them."""
    return [text.strip() for text in row["choices"]["text"]]


def _labels(row: Row) -> list[str]:
    """The letters of the options, which are not A, B, C … in every exam."""
    return list(row["choices"]["label"])


def _gold(row: Row) -> int | None:
    return position(row["answerKey"], row["choices"]["label"])


def read_letters(exam: Exam, responses: Iterable[Sequence[str]], docs: Iterable[Row]) -> list[list[str]]:
    """A filter of the harness: the letter that each response of each document names."""
    return [[read_letter(exam, response) for response in repeated] for repeated in responses]


def read_letter(exam: Exam, response: str) -> str:
    """The letter that a response names, or `INVALID`.

    Reasoning before `</think>` is not read. White space is collapsed and accents are removed first.
    """
    from unidecode import unidecode

    text = unidecode(" ".join(answer(response).text.split())).strip()
    matches = (pattern.search(text) for pattern in exam.patterns)
    return next((match.group(1) for match in matches if match), INVALID)


def score(doc: Row, results: Sequence[str]) -> dict[str, float]:
    """The metrics of a document and the letter read from its response.

    `acc`, `invalid` (1 where no letter was read) and `annulled` (1 where the exam board annulled the question, so that
    its key is no letter). As published, every row is scored, and right is what names the key: nothing in an annulled
    one, and E where a row of four options has that key.
    """
    (letter,) = results
    return {
        "acc": float(letter == doc["answerKey"]),
        "invalid": float(letter == INVALID),
        "annulled": float(doc["annulled"]),
    }
