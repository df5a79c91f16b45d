"""Digits."""

import pytest

from lm_eval_ifeval_pt import verify
from tests.quality.gold import TREEBANKS, needs_gold, sentences


@pytest.mark.parametrize(
    "text", ["3", "a1", "m²", "½", "①", "٣", "３", "1\ufe0f\u20e3", "R$ 5,00", "x₂", "http://a.b/2"]
)
def test_digits_of_any_kind_break_sem_digito(text):
    """On the line or not, of any script, inside words and addresses."""
    assert not verify("ptbr:sem_digito", text).followed


@pytest.mark.parametrize("text", ["três", "século XXI", "Ⅳ", "primeiro lugar", "IV", "dois terços", "百"])
def test_numbers_in_letters_follow_sem_digito(text):
    """Numbers in words and Roman numerals are letters."""
    assert verify("ptbr:sem_digito", text).followed


def test_a_number_is_shown_whole():
    """Separators inside a number belong to it; the stop after it does not."""
    text = "São R$ 1.234,56 às 20:30, em 3."
    verdict = verify("ptbr:sem_digito", text)
    assert [text[start:end] for start, end in verdict.evidence] == ["1.234,56", "20:30", "3"]
    assert verdict.detail == "A resposta tem 3 números em algarismos."


@needs_gold
@pytest.mark.parametrize("treebank", TREEBANKS)
def test_digits_agree_with_the_treebanks(treebank):
    """The treebanks' own mark of sentences with a digit."""
    for row in sentences(treebank):
        assert verify("ptbr:sem_digito", row["text"]).followed != row["has_digit"], row["text"]
