"""Verdicts of judges, who compared two answers, as duels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.analysis.duels import Duel
from lm_eval_ifeval_pt.results import ResultsError

_PAIRS = (("model_a", "model_b"), ("model_1", "model_2"), ("generator_1", "generator_2"), ("a", "b"))
_WINNERS = ("winner", "g1_winner", "g2_winner")
_DOCUMENTS = ("question_id", "doc_id", "key", "id", "instruction", "prompt", "question")
_FIRST = frozenset({"a", "1", "[[a]]", "model_a", "model_1", "generator_1"})
_SECOND = frozenset({"b", "2", "[[b]]", "model_b", "model_2", "generator_2"})
_NEITHER = frozenset({"tie", "tie (bothbad)", "c", "[[c]]", "both", "neither", "draw", "empate"})


def read_duels(path: Path) -> tuple[list[Duel], list[str]]:
    """The duels of a verdict file, and what was left out of it.

    Read are JSON lines, or one JSON list, of objects that name two models (`model_a` and `model_b`, `model_1` and
    `model_2`, `generator_1` and `generator_2`, or `a` and `b`) and who won: `winner` is one of these names, the model,
    "A" or "B", or "tie" (Chatbot Arena); `g1_winner` and `g2_winner` are verdicts on both orders (MT-Bench), of which
    the mean counts; `preference` is a number from 1 (the first) to 2 (AlpacaEval). `weight` may say how much a verdict
    counts. Verdicts on one document (`question_id`, `doc_id`, `key`, `instruction`, `prompt` …) are one cluster.

    Raises:
        ResultsError: the file cannot be read, or holds no verdict.
    """
    left_out: Counter[str] = Counter()
    duels = []
    for number, row in enumerate(_rows(path), 1):
        names = next((pair for pair in _PAIRS if all(name in row for name in pair)), None)
        if names is None:
            left_out["no two models named"] += 1
            continue
        first, second = str(row[names[0]]), str(row[names[1]])
        result = _result(row, first, second)
        if result is None:
            left_out["no verdict"] += 1
        elif first == second:
            left_out["a model against itself"] += 1
        else:
            document = next((row[name] for name in _DOCUMENTS if row.get(name) is not None), number)
            duels.append(Duel(first, second, result, str(document), float(row.get("weight", 1.0))))
    notes = [f"{path}: {count} rows left out: {reason}" for reason, count in left_out.items()]
    if not duels:
        wanted = '{"model_a": …, "model_b": …, "winner": "model_a" or "model_b" or "tie"}'
        raise ResultsError("; ".join([f"{path}: no verdict in it; a row looks like {wanted}", *notes]))
    return duels, notes


def _rows(path: Path) -> list[Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
        is_list = text.lstrip().startswith("[")
        rows = json.loads(text) if is_list else [json.loads(line) for line in text.split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from error
    return [row for row in rows if isinstance(row, dict)]


def _result(row: Mapping[str, Any], first: str, second: str) -> float | None:
    """1 if the first won, 0 if the second did, something in between, or None."""
    preference = row.get("preference")
    if isinstance(preference, (int, float)):
        return 2 - preference if 1 <= preference <= 2 else 0.5
    results = [_winner(row[name], first, second) for name in _WINNERS if name in row]
    known = [result for result in results if result is not None]
    return sum(known) / len(known) if known and len(known) == len(results) else None


def _winner(value: Any, first: str, second: str) -> float | None:
    if value in (first, second):
        return float(value == first)
    name = str(value).strip().lower()
    return 1.0 if name in _FIRST else 0.0 if name in _SECOND else 0.5 if name in _NEITHER else None
