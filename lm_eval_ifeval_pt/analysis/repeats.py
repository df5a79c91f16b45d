"""Several answers of one model to the same documents: how consistent they are, and what k of them achieve."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.analysis import pairing
from lm_eval_ifeval_pt.grading.normalisation import WORDS
from lm_eval_ifeval_pt.results import Item, ResultsError, Run
from lm_eval_ifeval_pt.statistics import fleiss_kappa, majority_at_k, pairwise_agreement, pass_at_k, pass_to_the_k


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to one document.

    Attributes:
        texts: The answers as words in lower case; empty where the model chose instead of writing.
        verdicts: Which of them are right.
    """

    texts: tuple[str, ...]
    verdicts: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Consistency:
    """The consistency of several answers to each document, and what k of them achieve.

    Attributes:
        documents: How many documents.
        repeats: Answers to each.
        identical: The share of documents all of whose answers are the same words; None where nothing was written.
        same_text: The share of pairs of answers that are the same words; None as above.
        same_verdict: The share of pairs of answers with the same verdict.
        kappa: Fleiss' kappa of the verdicts.
        within: The share of the variance of verdicts that lies between answers to one document; more answers reduce
            this part of the error, more documents the other.
        pass_at: For each k, the chance that one of k answers is right.
        pass_all: For each k, the chance that all are (pass^k).
        majority: For each k, the chance that the most frequent answer is right, ties drawn by lot; None as above.
    """

    documents: int
    repeats: int
    identical: float | None
    same_text: float | None
    same_verdict: float
    kappa: float
    within: float
    pass_at: Mapping[int, float]
    pass_all: Mapping[int, float]
    majority: Mapping[int, float] | None


class NotRepeatable(ResultsError):
    """The sample file does not say which of the answers to a document are right."""


def of_items(items: Sequence[Item]) -> list[Answers]:
    """The repeats that the harness logged with each document (`repeats: 5` in the task).

    Verdicts: every instruction followed strictly, for documents of this package; else whether an answer is the words of
    the target, if that is what the task's own metric says of each first answer.

    Raises:
        NotRepeatable: the task scores answers in its own way, which the file shows of no answer but the first.
    """
    if not all(item.instructions for item in items) and not _are_whole_answers_compared(items):
        raise NotRepeatable(
            "the task scores answers in its own way, and the file has its verdict on none but the first: pass@k, "
            "majority and consistency are left out. Run the model several times and give all runs"
        )
    return [Answers(tuple(map(_words, item.responses)), tuple(_verdicts(item))) for item in items]


def _verdicts(item: Item) -> list[bool]:
    if not item.instructions:
        return [_words(response) == _words(item.target) for response in item.responses]
    from lm_eval_ifeval_pt.ifeval.documents import graded, instructions  # which need all verifiers

    bound = instructions(item.doc)
    texts = [graded(item.doc, response) for response in item.responses]
    return [all(instruction.verify(text).followed for instruction in bound) for text in texts]


def _are_whole_answers_compared(items: Sequence[Item]) -> bool:
    """Whether some metric of the task is 1 where the first answer is the words of the target, and 0 elsewhere."""
    expected = [float(_words(item.response) == _words(item.target)) for item in items]
    names = dict.fromkeys(name for item in items for name in item.metrics)
    return any([item.metrics.get(name) for item in items] == expected for name in names)


def of_runs(runs: Sequence[Run], metric: str | None = None, filter: str | None = None) -> list[Answers]:
    """Several runs of one model on one task as repeats; right is what scores at least 1/2.

    Raises:
        ResultsError: some run lacks the metric or filter.
        NotComparable: they share no document.
    """
    shared = pairing.share(runs, metric, filter)
    scores: dict[int, list[Sequence[float]]] = defaultdict(list)
    for unit, index in enumerate(shared.unit_of):
        scores[index].append([of_run[unit] for of_run in shared.scores])
    answers = []
    for index, row in enumerate(shared.items):
        texts = tuple(_words(item.response) for item in row) if all(item.responses for item in row) else ()
        right = np.array(scores[index]).mean(axis=0) >= 0.5
        answers.append(Answers(texts, tuple(right.tolist())))
    return answers


def _words(text: str) -> str:
    return " ".join(WORDS.tokens(text))


def consistency(answers: Sequence[Answers], ks: Sequence[int] = (1,)) -> Consistency:
    """The consistency of the answers; every document needs the same number of them, two or more.

    Args:
        answers: One entry per document.
        ks: How many answers to look at together; those above the number of answers are left out.
    """
    repeats = len(answers[0].verdicts)
    ks = [k for k in ks if k <= repeats]
    right = np.array([sum(to_document.verdicts) for to_document in answers])
    is_text = all(to_document.texts for to_document in answers)
    verdicts = np.column_stack([right, repeats - right])
    return Consistency(
        documents=len(answers),
        repeats=repeats,
        identical=float(np.mean([len(set(to_document.texts)) == 1 for to_document in answers])) if is_text else None,
        same_text=float(np.mean([_same(to_document.texts) for to_document in answers])) if is_text else None,
        same_verdict=pairwise_agreement(verdicts),
        kappa=fleiss_kappa(verdicts),
        within=_within(right, repeats),
        pass_at={k: float(np.mean([pass_at_k(repeats, int(count), k) for count in right])) for k in ks},
        pass_all={k: float(np.mean([pass_to_the_k(repeats, int(count), k) for count in right])) for k in ks},
        majority={k: float(np.mean([_majority(to_document, k) for to_document in answers])) for k in ks}
        if is_text
        else None,
    )


def _same(texts: Sequence[str]) -> float:
    return pairwise_agreement([list(Counter(texts).values())])


def _within(right: npt.NDArray[Any], repeats: int) -> float:
    """The variance between answers to one document, as a share of the whole (unbiased, by analysis of variance)."""
    rates = right / repeats
    within = float((rates * (1 - rates)).mean() * repeats / (repeats - 1))
    between = max(float(rates.var(ddof=1)) - within / repeats, 0.0) if len(rates) > 1 else 0.0
    return within / (within + between) if within + between else 0.0


def _majority(answers: Answers, k: int) -> float:
    """The chance that a right answer wins the vote; right answers of different words are rivals too."""
    counts = Counter(answers.texts)
    right = {text for text, verdict in zip(answers.texts, answers.verdicts, strict=True) if verdict}
    return sum(
        majority_at_k(counts[text], [count for other, count in counts.items() if other != text], k) for text in right
    )
