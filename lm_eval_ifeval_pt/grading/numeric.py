"""Numbers compared by value: "R$ 1.234,50" is "1234.5"."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from lm_eval_ifeval_pt.text import numbers
from lm_eval_ifeval_pt.text.numbers import Number
from lm_eval_ifeval_pt.text.reasoning import answer


def number_in(output: str) -> Number | None:
    """The number that an answer gives, read as `gsm8k_pt` reads it; None where it gives none.

    In this order: after `####`; in the last `\\boxed{}`; after the last "a resposta … é" or "Resposta:"; the last
    number. Reasoning (`<think>`) is left out.
    """
    from lm_eval_ifeval_pt.benchmarks.gsm8k import flexible  # the one metric that needs so many patterns

    return flexible(answer(output).text)


def expected(target: str, row: Mapping[str, Any]) -> Fraction | None:
    """The value of a target; None where it holds no number.

    It is read as Portuguese writes numbers, "1.234" being 1234, unless it is a number of the row as JSON writes it:
    3.125 in a JSON row is no thousand.
    """
    written = target.strip()
    given = (value for value in row.values() if type(value) in (int, float) and math.isfinite(value))
    if any(json.dumps(value) == written for value in given):
        return Fraction(written)
    number = numbers.last(written)
    return None if number is None else number.value


def numeric(
    output: str, target: str, row: Mapping[str, Any], tolerance: float = 0.0, relative_tolerance: float = 0.0
) -> dict[str, float]:
    """Whether the number an output gives is the expected one, and whether it gives any.

    Args:
        output: The answer.
        target: The expected number.
        row: The row of the data set, see `expected`.
        tolerance: How far both may be apart, in their unit.
        relative_tolerance: The same as a share of the expected number; the wider of both tolerances holds.

    Returns:
        `numeric`, 0 or 1, and `numeric_unread`, 1 where the output gives no number.

    Raises:
        ValueError: the target holds no number.
    """
    from lm_eval_ifeval_pt.benchmarks.gsm8k import values

    wanted = expected(target, row)
    if wanted is None:
        raise ValueError(f"the target {target[:60]!r} holds no number")
    number = number_in(output)
    if number is None:
        return {"numeric": 0.0, "numeric_unread": 1.0}
    allowed = max(Fraction(str(tolerance)), Fraction(str(relative_tolerance)) * abs(wanted))  # .03 as it is written
    is_within = any(abs(value - wanted) <= allowed for value in values(number))
    return {"numeric": float(is_within), "numeric_unread": 0.0}
