"""People's scores and verdicts on the same answers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt import jsonl
from lm_eval_ifeval_pt.judge.rubric import RubricError

_RESULTS = {"a": 1.0, "model_a": 1.0, "b": 0.0, "model_b": 0.0, "tie": 0.5, "empate": 0.5}
People = dict[str, dict[Hashable, float]]
"""By person, what each said of an item."""


def read_scores(path: Path, models: list[str], tasks: list[str]) -> People:
    """Scores of people, by (model, task, document).

    A row is `{"doc_id": 3, "score": 4}`, with `"model"` and `"task"` where there are several, and `"rater"` where
    several people rated.

    Raises:
        RubricError: the file cannot be read, or a row lacks something.
    """
    people: People = defaultdict(dict)
    for where, row in _rows(path):
        score = row.get("score")
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
            raise RubricError(f'{where}: no number under \'score\'; a row looks like {{"doc_id": 3, "score": 4}}')
        item = (_only(row, "model", models, where), _only(row, "task", tasks, where), _document(row, where))
        people[str(row.get("rater", "human"))][item] = float(score)
    return people


def read_winners(path: Path, tasks: list[str]) -> People:
    """Verdicts of people on pairs, by (task, document, the two models in alphabetical order): 1 if the first won.

    A row is `{"doc_id": 3, "model_a": …, "model_b": …, "winner": "model_a", "model_b" or "tie"}`, or the model's name.

    Raises:
        RubricError: the file cannot be read, or a row lacks something.
    """
    people: People = defaultdict(dict)
    for where, row in _rows(path):
        first, second, winner = (row.get(name) for name in ("model_a", "model_b", "winner"))
        result = 1.0 if winner == first else 0.0 if winner == second else _RESULTS.get(str(winner).lower())
        if not first or not second or result is None:
            raise RubricError(f"{where}: model_a, model_b and winner (model_a, model_b or tie) are expected: {row}")
        item = pair_key(_only(row, "task", tasks, where), _document(row, where), str(first), str(second))
        people[str(row.get("rater", "human"))][item] = result if str(first) <= str(second) else 1 - result
    return people


def pair_key(task: str, document: int, first: str, second: str) -> Hashable:
    """The key of a comparison, whichever model is named first."""
    return task, document, min(first, second), max(first, second)


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RubricError(f"{path}: cannot be read: {error}") from error
    try:
        yield from jsonl.objects(lines, str(path))
    except jsonl.JsonlError as error:
        raise RubricError(str(error)) from error


def _only(row: Mapping[str, Any], name: str, known: list[str], where: str) -> str:
    """The value that a row states, or else the only known one."""
    if name in row:
        return str(row[name])
    if len(set(known)) != 1:
        raise RubricError(f"{where}: say which {name}: {', '.join(dict.fromkeys(known))}")
    return known[0]


def _document(row: Mapping[str, Any], where: str) -> int:
    if type(row.get("doc_id")) is not int:
        raise RubricError(f"{where}: no whole number under 'doc_id', the document's place in its split")
    return int(row["doc_id"])
