"""Verdicts joined with what they are about, and written where other commands read them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.judge import trust
from lm_eval_ifeval_pt.judge.people import pair_key
from lm_eval_ifeval_pt.judge.questions import AnswerPair, Question, shown_answer
from lm_eval_ifeval_pt.judge.readings import JudgeVerdict, read_claims, read_score, read_winner
from lm_eval_ifeval_pt.judge.rubric import Rubric
from lm_eval_ifeval_pt.results import Run, writing
from lm_eval_ifeval_pt.results.writing import Key, Total
from lm_eval_ifeval_pt.statistics import mean


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer with its verdict."""

    asked: Question
    reading: JudgeVerdict

    @property
    def item(self) -> Hashable:
        """The key under which people's scores of the same answer stand."""
        return self.asked.run.model, self.asked.run.task, self.asked.item.doc_id


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair with its verdicts, the first answer standing first, then second."""

    pair: AnswerPair
    names: tuple[str, str]
    readings: tuple[JudgeVerdict, JudgeVerdict]

    @property
    def orders(self) -> tuple[float, float] | None:
        """The first answer's result in both orders; None where one verdict cannot be read."""
        first, second = (reading.value for reading in self.readings)
        return None if first is None or second is None else (first, 1 - second)

    @property
    def result(self) -> float | None:
        """1 if the first answer won in both orders or once with a tie; 0.5 where the orders disagree."""
        orders = self.orders
        if orders is None:
            return None
        total = sum(orders)
        return 1.0 if total > 1 else 0.0 if total < 1 else 0.5

    @property
    def item(self) -> Hashable:
        """The key under which people's verdicts on the same pair stand."""
        (run, item), (_, _) = self.pair.first, self.pair.second
        return pair_key(run.task, item.doc_id, *self.names)

    @property
    def result_by_name(self) -> float | None:
        """The result of the model whose name comes first in the alphabet, as people's verdicts have it."""
        result = self.result
        return result if result is None or self.names[0] <= self.names[1] else 1 - result


def judged(asked: Sequence[Question], said: Mapping[str, str], rubric: Rubric) -> list[JudgedAnswer]:
    """Every answer with its verdict; an empty one has the least score, and claims nothing."""
    nothing = (
        JudgeVerdict(None, "") if rubric.mode == "faithfulness" else JudgeVerdict(rubric.scale.min, "(resposta vazia)")
    )
    return [
        JudgedAnswer(question, nothing if question.message is None else _read(said[question.message], rubric))
        for question in asked
    ]


def _read(said: str, rubric: Rubric) -> JudgeVerdict:
    return read_claims(said) if rubric.mode == "faithfulness" else read_score(said, rubric.scale)


def compared(
    pairs: Sequence[AnswerPair], names: Sequence[tuple[str, str]], said: Mapping[str, str]
) -> list[JudgedPair]:
    """Every pair with its verdicts; two answers of the same text tie."""
    tie = JudgeVerdict(0.5, "(respostas iguais)")
    return [
        JudgedPair(
            pair,
            named,
            (tie, tie) if pair.messages is None else _both(said, pair.messages),
        )
        for pair, named in zip(pairs, names, strict=True)
    ]


def _both(said: Mapping[str, str], messages: tuple[str, str]) -> tuple[JudgeVerdict, JudgeVerdict]:
    first, second = messages
    return read_winner(said[first]), read_winner(said[second])


def shares(of_run: Sequence[JudgedAnswer], rubric: Rubric) -> dict[Key, float]:
    """The readable scores of one run from 0 to 1, by filter and document."""
    by_key = {}
    for verdict in of_run:
        value = verdict.reading.value
        if value is not None:
            share = value if rubric.mode == "faithfulness" else rubric.scale.share(value)
            by_key[verdict.asked.item.filter, verdict.asked.item.doc_id] = share
    return by_key


def write_run(folder: Path, run: Run, of_run: Sequence[JudgedAnswer], rubric: Rubric, about: Mapping[str, Any]) -> Path:
    """Write a run again with its verdicts as metrics: the rubric's name (0 to 1), `…_score` and `…_unreadable`.

    Raises:
        ResultsError: it cannot be written.
    """
    of = shares(of_run, rubric)
    added: dict[Key, dict[str, float]] = {}
    for verdict in of_run:
        key = verdict.asked.item.filter, verdict.asked.item.doc_id
        scores = added[key] = {f"{rubric.name}_unreadable": float(not verdict.reading.is_readable)}
        if key in of:
            scores[rubric.name] = of[key]
            if rubric.mode == "score" and verdict.reading.value is not None:
                scores[f"{rubric.name}_score"] = verdict.reading.value
    totals: dict[tuple[str, str], Total] = {}
    filter = run.filters[0]
    for name in (rubric.name, f"{rubric.name}_score", f"{rubric.name}_unreadable"):
        column = [scores[name] for scores in added.values() if name in scores]
        if column:
            estimate = mean(column)
            stderr = None if math.isnan(estimate.stderr) else estimate.stderr
            totals[name, filter] = Total(estimate.value, stderr, not name.endswith("_unreadable"))
    result = writing.result_of(run) | {"judge": dict(about)}
    return writing.write(folder, run.task, run.date or "judged", writing.extended(run, added), result, totals)


def verdict_rows(verdicts: Sequence[JudgedAnswer], rubric: Rubric) -> list[dict[str, Any]]:
    """One row per answer: to read, and for other programs."""
    return [
        {
            "task": verdict.asked.run.task,
            "model": verdict.asked.run.model,
            "doc_id": verdict.asked.item.doc_id,
            "score": verdict.reading.value,
            "reason": verdict.reading.reason,
            **({"claims": [{"claim": claim, "supported": supported} for claim, supported in verdict.reading.claims]}
               if rubric.mode == "faithfulness" else {}),
            "readable": verdict.reading.is_readable,
            "asked": verdict.asked.message is not None,
        }
        for verdict in verdicts
    ]  # fmt: skip


_WINNER = {1.0: "model_a", 0.5: "tie", 0.0: "model_b"}


def duel_rows(verdicts: Sequence[JudgedPair]) -> list[dict[str, Any]]:
    """One row per pair, as `rank --verdicts` reads them; without a winner where one order's verdict is unreadable."""
    rows = []
    for verdict in verdicts:
        (run, item), (_, theirs) = verdict.pair.first, verdict.pair.second
        orders = verdict.orders
        first, second = (None, None) if orders is None else (_WINNER[orders[0]], _WINNER[orders[1]])
        rows.append(
            {
                "question_id": f"{run.task}/{item.doc_id}",
                "task": run.task,
                "doc_id": item.doc_id,
                "model_a": verdict.names[0],
                "model_b": verdict.names[1],
                "g1_winner": first,
                "g2_winner": second,
                "reason_1": verdict.readings[0].reason,
                "reason_2": verdict.readings[1].reason,
                "length_a": len(shown_answer(item)),
                "length_b": len(shown_answer(theirs)),
                "asked": verdict.pair.messages is not None,
            }
        )
    return rows


def biases(verdicts: Sequence[JudgedPair]) -> dict[str, trust.Share]:
    """The position and length bias of a judge of pairs; only pairs that were asked and can be read count."""
    asked = [
        (verdict, orders)
        for verdict in verdicts
        if verdict.pair.messages is not None and (orders := verdict.orders) is not None
    ]
    lengths = [
        (result, len(shown_answer(verdict.pair.first[1])), len(shown_answer(verdict.pair.second[1])))
        for verdict, _ in asked
        if (result := verdict.result) is not None
    ]
    results = [orders for _, orders in asked]
    return {
        "winner_changes_with_order": trust.changes_with_order(results),
        "first_wins": trust.first_wins(results),
        "longer_wins": trust.longer_wins(lengths),
    }
