"""A response within quotation marks."""

import pytest

from lm_eval_ifeval_pt import verify


@pytest.mark.parametrize(
    "response",
    [
        '"Vou à feira."',
        "“Vou à feira.”",
        ' \n"Vou.\n\nVolto."\n',
        "„Vou”",
        '"Ela disse "vou" e foi."',
        "“Ela disse “vou” e foi.”",
        '"— "Vou", disse ela. — Disse "vou"."',
    ],
)
def test_double_quotation_marks_around_all_of_it(response):
    """Straight or curly; quotations inside it are opened and closed."""
    assert verify("startend:quotation", response).followed


@pytest.mark.parametrize(
    "response",
    [
        "Vou à feira.",
        '"Vou à feira.',
        'Vou à feira."',
        '"Vou", disse ela, "à feira."',
        "“Vou”, disse ela, “à feira.”",
        '"Vou."\n\n"Volto."',
        '"Vou".',
        "'Vou.'",
        "«Vou.»",
        '**"Vou."**',
        '"',
        '""',
        '" "',
    ],
)
def test_quotation_marks_that_are_not_around_all_of_it(response):
    """They close before the end, are missing at one, are others, or hold nothing."""
    assert not verify("startend:quotation", response).followed


@pytest.mark.parametrize("response", ["'Vou.'", "‘A d’água.’", "«Vou.»", "‹Vou›", '"Vou."'])
def test_any_quotation_marks(response):
    """Where a data set takes single ones and guillemets too; an apostrophe closes nothing."""
    assert verify("startend:quotation", response, marks="any").followed


def test_marks_of_two_kinds_are_no_pair():
    """What opens as a guillemet does not close as a quote."""
    assert not verify("startend:quotation", '«Vou."', marks="any").followed
