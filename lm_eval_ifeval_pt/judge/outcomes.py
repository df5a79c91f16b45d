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
        """What people's scores are found by."""
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
        """What people's verdicts are found by."""
        (run, item), (_, _) = self.pair.one, self.pair.other
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
    return [JudgedAnswer(one, nothing if one.message is None else _read(said[one.message], rubric)) for one in asked]


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
    found = {}
    for one in of_run:
        value = one.reading.value
        if value is not None:
            share = value if rubric.mode == "faithfulness" else rubric.scale.share(value)
            found[one.asked.item.filter, one.asked.item.doc_id] = share
    return found


def write_run(folder: Path, run: Run, of_run: Sequence[JudgedAnswer], rubric: Rubric, about: Mapping[str, Any]) -> Path:
    """Write a run again with its verdicts as metrics: the rubric's name (0 to 1), `…_score` and `…_unreadable`.

    Raises:
        ResultsError: it cannot be written.
    """
    of = shares(of_run, rubric)
    added: dict[Key, dict[str, float]] = {}
    for one in of_run:
        key = one.asked.item.filter, one.asked.item.doc_id
        scores = added[key] = {f"{rubric.name}_unreadable": float(not one.reading.is_readable)}
        if key in of:
            scores[rubric.name] = of[key]
            if rubric.mode == "score" and one.reading.value is not None:
                scores[f"{rubric.name}_score"] = one.reading.value
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
            "task": one.asked.run.task,
            "model": one.asked.run.model,
            "doc_id": one.asked.item.doc_id,
            "score": one.reading.value,
            "reason": one.reading.reason,
            **({"claims": [{"claim": claim, "supported": supported} for claim, supported in one.reading.claims]}
               if rubric.mode == "faithfulness" else {}),
            "readable": one.reading.is_readable,
            "asked": one.asked.message is not None,
        }
        for one in verdicts
    ]  # fmt: skip


_WINNER = {1.0: "model_a", 0.5: "tie", 0.0: "model_b"}


def duel_rows(verdicts: Sequence[JudgedPair]) -> list[dict[str, Any]]:
    """One row per pair, as `rank --verdicts` reads them; without a winner where one order's verdict is unreadable."""
    rows = []
    for one in verdicts:
        (run, item), (_, theirs) = one.pair.one, one.pair.other
        orders = one.orders
        first, second = (None, None) if orders is None else (_WINNER[orders[0]], _WINNER[orders[1]])
        rows.append(
            {
                "question_id": f"{run.task}/{item.doc_id}",
                "task": run.task,
                "doc_id": item.doc_id,
                "model_a": one.names[0],
                "model_b": one.names[1],
                "g1_winner": first,
                "g2_winner": second,
                "reason_1": one.readings[0].reason,
                "reason_2": one.readings[1].reason,
                "length_a": len(shown_answer(item)),
                "length_b": len(shown_answer(theirs)),
                "asked": one.pair.messages is not None,
            }
        )
    return rows


def biases(verdicts: Sequence[JudgedPair]) -> dict[str, trust.Share]:
    """What sways a judge of pairs; only pairs that were asked and can be read count."""
    asked = [(one, orders) for one in verdicts if one.pair.messages is not None and (orders := one.orders) is not None]
    lengths = [
        (result, len(shown_answer(one.pair.one[1])), len(shown_answer(one.pair.other[1])))
        for one, _ in asked
        if (result := one.result) is not None
    ]
    results = [orders for _, orders in asked]
    return {
        "winner_changes_with_order": trust.changes_with_order(results),
        "first_wins": trust.first_wins(results),
        "longer_wins": trust.longer_wins(lengths),
    }
