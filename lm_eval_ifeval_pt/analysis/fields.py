"""Scores by what the documents say of themselves: subject, year, exam, book."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lm_eval_ifeval_pt.analysis.clusters import clusters
from lm_eval_ifeval_pt.analysis.comparison import Pair
from lm_eval_ifeval_pt.analysis.pairing import scores_of
from lm_eval_ifeval_pt.results import Item, ResultsError
from lm_eval_ifeval_pt.statistics import Estimate, Interval, benjamini_hochberg, mcnemar, mean_score, paired_difference

_MOST = 20  # values of a field that is worth a table of its own
_EACH = 5  # documents of each value, on average
_KEYS = frozenset(
    (
        *("label", "answer", "answerKey", "gold", "target", "id", "key", "idx", "index", "correct"),
        *("correct_answer_num", "extracted_output", "grader_error"),
    )
)
"""Fields that hold the key, an identifier or what scoring found, by which a score says nothing of the model."""


@dataclass(frozen=True, slots=True)
class FieldScore:
    """The score on the documents of one value of a field.

    Attributes:
        value: The value; a dash for documents without the field.
        documents: How many documents.
        score: The mean of their scores, clustered as the whole task is.
    """

    value: str
    documents: int
    score: Estimate

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the score."""
        return self.score.interval()


@dataclass(frozen=True, slots=True)
class FieldChange:
    """Two models on the documents of one value of a field; `difference` is how much better B is.

    Attributes:
        value: The value; a dash for documents without the field.
        n: How many scores.
        a: The mean of A.
        b: The mean of B.
        difference: Paired and clustered.
        improved: Scores that are better in B.
        regressed: Scores that are better in A.
        p_value: McNemar's exact test where all scores are 0 or 1, else the paired t test.
        q_value: After Benjamini and Hochberg, for all values of the field.
    """

    value: str
    n: int
    a: float
    b: float
    difference: Estimate
    improved: int
    regressed: int
    p_value: float
    q_value: float


def by_field(items: Sequence[Item], metric: str, field: str) -> list[FieldScore]:
    """The scores by the values of a field, numbers in their order and words in theirs.

    Args:
        items: Documents of one task under one filter.
        metric: The metric; documents without it are left out.
        field: The field of the documents.

    Raises:
        ResultsError: no document has the field.
    """
    _check(items, field)
    scores: dict[str, list[tuple[float, Hashable]]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for item, cluster in zip(items, clusters(items), strict=True):
        if metric in item.metrics:
            value = value_of(item, field)
            counts[value] += 1
            scores[value].extend((number, cluster) for number in scores_of(metric, item.metrics[metric]))
    return [
        FieldScore(value, counts[value], _mean(scores[value]))
        for value in sorted(scores, key=_order)
        if scores[value]
    ]


def _mean(scores: Sequence[tuple[float, Hashable]]) -> Estimate:
    return mean_score([score for score, _ in scores], [cluster for _, cluster in scores])


def changes_by_field(pairs: Sequence[Pair], field: str) -> list[FieldChange]:
    """The change from A to B for each value of a field.

    Args:
        pairs: Of `comparison.compare`.
        field: The field of the documents.

    Raises:
        ResultsError: no document has the field.
    """
    items = [pair.a for pair in pairs]
    _check(items, field)
    groups: dict[str, list[tuple[Hashable, Pair]]] = defaultdict(list)
    for pair, cluster in zip(pairs, clusters(items), strict=True):
        groups[value_of(pair.a, field)].append((cluster, pair))
    rows = [_change(value, groups[value]) for value in sorted(groups, key=_order)]
    q_values = benjamini_hochberg([row[-1] for row in rows])
    return [FieldChange(*row, q_value) for row, q_value in zip(rows, q_values, strict=True)]


def _change(
    value: str, group: Sequence[tuple[Hashable, Pair]]
) -> tuple[str, int, float, float, Estimate, int, int, float]:
    pairs = [pair for _, pair in group]
    changes = np.array([pair.change for pair in pairs])
    difference = paired_difference(changes, [cluster for cluster, _ in group])
    improved, regressed = int((changes > 0).sum()), int((changes < 0).sum())
    is_binary = all(score in (0, 1) for pair in pairs for score in (pair.a_score, pair.b_score))
    p_value = mcnemar(improved, regressed) if is_binary else difference.p_value
    a, b = (float(np.mean(scores)) for scores in zip(*(pair[2:4] for pair in pairs), strict=True))
    return value, len(pairs), a, b, difference, improved, regressed, 1.0 if np.isnan(p_value) else p_value


def worth_showing(items: Sequence[Item]) -> list[str]:
    """The fields with few values and many documents of each: subject, year, exam."""
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        for name, value in item.columns.items():
            if name not in _KEYS and isinstance(value, (str, int, bool)) and len(str(value)) <= 80:
                values[name][str(value)] += 1
    most = min(_MOST, len(items) // _EACH)
    return [name for name, counts in values.items() if 2 <= len(counts) <= most and counts.total() == len(items)]


def _check(items: Sequence[Item], field: str) -> None:
    if not any(field in item.columns for item in items):
        has = ", ".join(items[0].columns) if items else "nothing"
        raise ResultsError(f"no document has the field {field!r}; they have: {has}")


def value_of(item: Item, field: str) -> str:
    """The value of a field of a document as text; a dash where the document has none."""
    value: Any = item.columns.get(field)
    if value is None or value == "":
        return "–"
    return " + ".join(map(str, value)) if isinstance(value, list) else str(value)


def _order(value: str) -> tuple[bool, float, str]:
    """Numbers first, by size."""
    try:
        return False, float(value), value
    except ValueError:
        return True, 0.0, value.casefold()
