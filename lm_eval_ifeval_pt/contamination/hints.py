"""What log-likelihoods hint at where the corpus is not at hand.

They are hints and no proofs: a model may like an order or a wording for other reasons, and one that has read an item
among many others may show nothing.

- Order of options: data sets list options in an order that means nothing. A model that prefers the published order to
  random ones has read it. Source: Oren et al. 2023, arXiv:2310.17623 (exchangeability), there on the rows of a set,
  which `rows` tests in the same way.
- Completion: the second half of a question, given the first, against the second half of a rewriting of it given the
  rewriting's first. Source: Shi et al. 2024, arXiv:2310.16789; Golchin and Surdeanu 2024, arXiv:2308.08493 (whether the
  half is continued word by word).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from lm_eval_ifeval_pt.contamination.parts import Part

if TYPE_CHECKING:
    from lm_eval.api.model import LM

SHUFFLES = 4
"""Random orders that the published one is compared with."""
ROWS = 5
"""Questions in a row, for the order of rows."""


@dataclass(frozen=True, slots=True)
class Hint:
    """One comparison over a task.

    Attributes:
        task: The task.
        kind: `options`, `rows` or `completion`.
        n: How many were compared: documents, or stretches of rows.
        preference: The mean of what the published form has more, in nats per character.
        p_value: One-sided, of "no preference" (t test over documents); NaN for fewer than two.
        continued: `completion` only: the share of documents whose second half greedy decoding gives word by word.
    """

    task: str
    kind: str
    n: int
    preference: float
    p_value: float
    continued: float | None = None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A text as published, and others it is compared with: contexts and continuations."""

    published: tuple[str, str]
    others: tuple[tuple[str, str], ...]


def hints(
    model: LM, parts: Sequence[Part], rewrites: Mapping[str, str] | None = None, seed: int = 0
) -> list[Hint]:
    """All hints that the parts of some tasks allow.

    Args:
        model: A model of the harness that gives log-likelihoods.
        parts: Of any tasks.
        rewrites: For questions, another wording of the same; completion is only compared for those that have one.
        seed: Of the random orders.
    """
    gathered = []
    for task in dict.fromkeys(part.task for part in parts):
        own = [part for part in parts if part.task == task]
        rng = Random(f"{seed} {task}")
        kinds = {
            "options": list(_options(own, rng)),
            "rows": list(_rows(own, rng)),
            "completion": list(_completions(own, rewrites or {})),
        }
        gathered += [_hint(model, task, kind, comparisons) for kind, comparisons in kinds.items() if comparisons]
    return gathered


def _options(parts: Sequence[Part], rng: Random) -> Iterator[_Comparison]:
    for _, group in itertools.groupby(parts, lambda part: part.doc_id):
        document = list(group)
        question = next((part.text for part in document if part.role == "question"), None)
        options = [part.text for part in document if part.role == "options"]
        if question is not None and len(set(options)) >= 3:
            orders = [_other_order(options, rng) for _ in range(SHUFFLES)]
            yield _Comparison((question, _listed(options)), tuple((question, _listed(order)) for order in orders))


def _rows(parts: Sequence[Part], rng: Random) -> Iterator[_Comparison]:
    questions = list(dict.fromkeys(part.text for part in parts if part.role == "question"))
    for start in range(0, len(questions) - ROWS + 1, ROWS):
        rows = questions[start : start + ROWS]
        orders = [_other_order(rows, rng) for _ in range(SHUFFLES)]
        yield _Comparison(("", "\n\n".join(rows)), tuple(("", "\n\n".join(order)) for order in orders))


def _completions(parts: Sequence[Part], rewrites: Mapping[str, str]) -> Iterator[_Comparison]:
    for part in parts:
        if part.role == "question" and part.text in rewrites:
            yield _Comparison(_halves(part.text), (_halves(rewrites[part.text]),))


def _other_order(texts: Sequence[str], rng: Random) -> list[str]:
    order = list(texts)
    while order == list(texts):
        rng.shuffle(order)
    return order


def _listed(options: Sequence[str]) -> str:
    return "".join(f"\n- {option}" for option in options)


def _halves(text: str) -> tuple[str, str]:
    words = text.split()
    middle = len(words) // 2
    return " ".join(words[:middle]), " " + " ".join(words[middle:])


def _hint(model: LM, task: str, kind: str, comparisons: Sequence[_Comparison]) -> Hint:
    pairs = [pair for comparison in comparisons for pair in (comparison.published, *comparison.others)]
    answers = iter(_loglikelihoods(model, pairs))
    preferences, continued = [], []
    for comparison in comparisons:
        value, is_greedy = next(answers)
        others = [next(answers)[0] / len(other[1]) for other in comparison.others]
        preferences.append(value / len(comparison.published[1]) - sum(others) / len(others))
        continued.append(is_greedy)
    share = sum(continued) / len(continued) if kind == "completion" else None
    mean = sum(preferences) / len(preferences)
    return Hint(task, kind, len(preferences), mean, _one_sided(preferences), share)


def _loglikelihoods(model: LM, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, bool]]:
    from lm_eval.api.instance import Instance

    requests = [Instance("loglikelihood", {}, pair, number) for number, pair in enumerate(pairs)]
    answers: list[tuple[float, bool]] = model.loglikelihood(requests)
    return answers


def _one_sided(values: Sequence[float]) -> float:
    n = len(values)
    if n < 2:
        return math.nan
    mean = sum(values) / n
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    if variance == 0:
        return math.nan
    from scipy.special import stdtr

    return float(stdtr(n - 1, -mean / math.sqrt(variance / n)))


def model_of(name: str, arguments: str, batch_size: str, device: str | None = None) -> Any:
    """A model of the harness, as `lm_eval --model NAME --model_args ARGUMENTS` makes it."""
    import lm_eval.models  # noqa: F401  fills the registry
    from lm_eval.api.registry import get_model

    return get_model(name).create_from_arg_string(arguments, {"batch_size": batch_size, "device": device})
