"""Numbers in words."""

import pytest

from lm_eval_ifeval_pt.text.number_words import numbers_in_words


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("dezoito", [18]),
        ("Cento e vinte e três mil quatrocentos e cinquenta e seis reais", [123_456]),
        ("dois milhões e trezentos mil", [2_300_000]),
        ("mil e uma noites, duzentas e duas páginas", [1001, 202]),
        ("dezesseis ou dezasseis, quatorze ou catorze", [16, 16, 14, 14]),
        ("cem, cento e um", [100, 101]),
        ("dois três", [2, 3]),
        ("um ovo, uma pata e vinte e um patos", [21]),
        ("só um. Ou uma?", [1, 1]),
        ("dezoitos, sextos e milhares", []),
    ],
)
def test_the_value_is_what_the_words_say(text, values):
    """As the grammar has them (Bechara); "um" and "uma" before a word may be articles."""
    assert [number.value for number in numbers_in_words(text)] == values


def test_places_lead_to_the_words():
    """Offsets and words are those of the text."""
    (number,) = numbers_in_words("São vinte e um patos")
    assert "São vinte e um patos"[number.start : number.end] == number.digits == "vinte e um"
