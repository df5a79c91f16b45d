"""Nine models' published answers with the verdicts of CAPITU's own checker."""

from functools import cache

import pytest

from tests.quality import capitu, gold

pytestmark = [gold.needs_gold, pytest.mark.slow]


@cache
def answers():
    """All of them, scored in both modes."""
    return list(capitu.answers())


def test_mode_compat_gives_the_published_strict_verdicts():
    """All but those on bullet lists, where the published ones are random (see `capitu.RANDOM`)."""
    total, agreed, differing = capitu.agreement(answers())
    assert total > 3000
    assert agreed == total
    assert set(differing) == {capitu.RANDOM}


def test_the_published_accuracies_are_reproduced():
    """Of each model, bullet lists left out of both sides; with them, of each model whose draws did no harm."""
    found = capitu.accuracies(answers())
    assert len(found) == 9
    for here in found.values():
        assert here["compat strict without lists"] == here["published strict without lists"]
        assert here["compat strict"] >= here["published strict"]
    near = [here for here in found.values() if here["compat strict"] - here["published strict"] <= 0.5]
    assert len(near) >= 6


def test_no_loose_verdict_is_stricter_than_the_strict_one():
    """In either mode; of the published ones many are."""
    assert capitu.stricter(answers()) == 0


def test_mode_pt_differs_where_it_should():
    """In few verdicts, each with what both sides saw."""
    other = list(capitu.disagreements(answers()))
    assert 20 < len(other) < 100
    for one in other:
        assert one["pt_detail"]
        assert one["published_detail"]
