"""The measure that other tests rely on tells linear from quadratic work."""

import pytest

from tests import timing


def pairs(text):
    """Quadratic work."""
    return sum(1 for first in text for second in text if first == second)


@pytest.mark.slow
def test_linear_work_is_linear():
    """A loop over the input, the built-in `lower`, and work that takes no time at all."""
    for work in (lambda text: [ord(character) for character in text], str.lower, len):
        timing.assert_linear(timing.repeated("ab "), work, 20_000)


@pytest.mark.slow
def test_quadratic_work_is_not():
    """Every pair of characters: four times the work for twice the input."""
    with pytest.raises(AssertionError, match="not linear"):
        timing.assert_linear(timing.repeated("ab "), pairs, 500)
