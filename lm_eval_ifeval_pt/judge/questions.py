"""Which questions a judge is asked about the answers of runs, and which need none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lm_eval_ifeval_pt.judge.prompts import user_message
from lm_eval_ifeval_pt.judge.rubric import Rubric, RubricError
from lm_eval_ifeval_pt.results import Item, Run, asked_of, by_identity
from lm_eval_ifeval_pt.text.reasoning import answer


@dataclass(frozen=True, slots=True)
class Question:
    """One answer to be judged alone.

    Attributes:
        run: Whose.
        item: The document with the answer.
        message: What the judge reads; None for an empty answer, which gets the least score unasked.
    """

    run: Run
    item: Item
    message: str | None


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two answers to be compared.

    Attributes:
        first: The run of the first answer, and its item.
        second: The same of the second.
        messages: What the judge reads: the first answer as A, then as B; none where both are the same text, which is
            a tie unasked.
    """

    first: tuple[Run, Item]
    second: tuple[Run, Item]
    messages: tuple[str, str] | None


def shown_answer(item: Item) -> str:
    """A response without its reasoning, as the judge sees it."""
    return answer(item.response).text.strip()


def of_answers(runs: Sequence[Run], rubric: Rubric, limit: int | None = None) -> list[Question]:
    """A question for each answer.

    Args:
        runs: The runs.
        rubric: What is asked.
        limit: Only so many documents of each run, the first ones.

    Raises:
        RubricError: a document lacks a column.
    """
    return [
        Question(run, item, user_message(rubric, _material(run, item, rubric) | {"resposta": text}) if text else None)
        for run in runs
        for item in _items(run)[:limit]
        for text in [shown_answer(item)]
    ]


def of_pairs(
    runs: Sequence[Run], rubric: Rubric, limit: int | None = None, baseline: str | None = None
) -> list[AnswerPair]:
    """A question, in both orders, for each two answers to one document of a task.

    Args:
        runs: The runs.
        rubric: What is asked.
        limit: Only so many documents of each task, the first ones.
        baseline: Only pairs with this model.

    Raises:
        RubricError: a document lacks a column.
    """
    pairs = []
    for index, first in enumerate(runs):
        for second in runs[index + 1 :]:
            is_wanted = first.task == second.task and (baseline is None or baseline in (first.model, second.model))
            for mine, theirs in list(_shared(first, second))[:limit] if is_wanted else ():
                pairs.append(AnswerPair((first, mine), (second, theirs), _both_orders(first, mine, theirs, rubric)))
    return pairs


def _both_orders(run: Run, mine: Item, theirs: Item, rubric: Rubric) -> tuple[str, str] | None:
    material = _material(run, mine, rubric)
    first, second = shown_answer(mine), shown_answer(theirs)
    if first == second:
        return None
    return (
        user_message(rubric, material | {"resposta_a": first, "resposta_b": second}),
        user_message(rubric, material | {"resposta_a": second, "resposta_b": first}),
    )


def _items(run: Run) -> list[Item]:
    """The answered documents, under the first filter: a judge reads responses, which are the same under all."""
    return [item for item in run.under(run.filters[0]) if item.responses]


def _shared(first: Run, second: Run) -> Iterator[tuple[Item, Item]]:
    theirs = by_identity(_items(second))
    for identity, item in by_identity(_items(first)).items():
        if identity in theirs:
            yield item, theirs[identity]


def _material(run: Run, item: Item, rubric: Rubric) -> dict[str, str]:
    """The texts shown beside the answer: question, context and reference, by placeholder."""
    material = {"pergunta": _column(run, item, rubric.question) if rubric.question else asked_of(item.prompt)}
    if rubric.context:
        material["contexto"] = _column(run, item, rubric.context)
    if rubric.reference:
        material["referencia"] = item.target
    return material


def _column(run: Run, item: Item, name: str) -> str:
    if name not in item.columns:
        raise RubricError(
            f"{run.path}, document {item.doc_id}: no column {name!r}; there are: {', '.join(item.columns) or 'none'}"
        )
    value = item.columns[name]
    return "\n\n".join(map(str, value)) if isinstance(value, list) else str(value)
