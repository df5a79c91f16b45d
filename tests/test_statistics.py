"""Intervals against published values."""

import pytest
from lm_eval_ifeval_pt.statistics import wilson


@pytest.mark.parametrize(
    ("followed", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_are_those_of_newcombe(followed, n, low, high):
    """Newcombe 1998, table I, method 3."""
    assert wilson(followed, n) == pytest.approx((low, high), abs=5e-5)
