"""Normalisation: what verifiers see of a response, and the way back to what the model wrote."""

from __future__ import annotations

import sys
import unicodedata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.normal import lower, normalise
from tests import timing

MIXED = st.text(
    st.one_of(
        st.sampled_from("aeocq ção\u0301\u0302\u0303\u0327\u0323\u200b\u00ad\ufe0f\u034f\u1100\u1161\u11a8\uac00"),
        st.sampled_from("\u212b\u0958\u0344\u1ee3\u0dd9\u0dcf\u0dca\u09c7\u09be\r\n\u2010\u2011-\ud800\U00016d63"),
        st.characters(codec=None),
    ),
    max_size=30,
)


def spelled_out(raw: str) -> str:
    """The rule in its plainest form: rewrite, drop, compose."""
    rewritten = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\u2010", "-").replace("\u2011", "-")
    return unicodedata.normalize("NFC", regex.sub(r"[\p{Cf}\p{DI}]", "", rewritten))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("plain text\n", "plain text\n"),
        ("a\u0301gua", "água"),
        ("um\r\ndois\rtrês", "um\ndois\ntrês"),
        ("dar\u2011lhe\u2010ei", "dar-lhe-ei"),
        ("vo\u00adcê\u200b!", "você!"),
        ("vo\u200bc\u200be\u200b\u0302", "você"),
        ("♻\ufe0f", "♻"),
        ("\u212b e \u2126", "Å e Ω"),
        ("q\u0301\u0323", "q\u0323\u0301"),
        ("\u1112\u1161\u11ab", "한"),
        ("\ud800\0", "\ud800\0"),
        ("", ""),
    ],
)
def test_the_text_is_composed_and_without_invisible_characters(raw: str, text: str) -> None:
    """Marks are composed, line ends and hyphens made plain, invisible characters dropped."""
    assert str(Text(raw)) == text


@given(MIXED)
@settings(derandomize=True, max_examples=500, deadline=None)
def test_normalisation_is_nfc_of_the_rewritten_text(raw: str) -> None:
    """Working piece by piece gives what composing the whole text at once would give."""
    assert normalise(raw)[0] == spelled_out(raw)


@given(MIXED)
@settings(derandomize=True, max_examples=500, deadline=None)
def test_normalisation_is_idempotent_and_blind_to_the_normal_form(raw: str) -> None:
    """A normalised text stays as it is, and NFC and NFD of a response give the same text."""
    text = normalise(raw)[0]
    assert normalise(text)[0] == text
    assert normalise(unicodedata.normalize("NFD", raw))[0] == text
    assert normalise(unicodedata.normalize("NFC", raw))[0] == text


@given(MIXED)
@settings(derandomize=True, max_examples=500, deadline=None)
def test_each_character_leads_back_to_what_it_was_made_of(raw: str) -> None:
    """Normalising the raw span of a character gives that character; spans keep the order of the text."""
    text, offsets = normalise(raw)
    before = 0
    for index, character in enumerate(text):
        start, end = offsets.raw([(index, index + 1)])[0]
        assert 0 <= start < end <= len(raw)
        assert start >= before or raw[start:end] == raw[before:end]
        assert character in spelled_out(raw[start:end])
        before = start
    assert spelled_out(raw[slice(*offsets.raw([(0, len(text))])[0])]) == text


def test_no_character_fuses_outside_the_runs_that_are_looked_at() -> None:
    """Whatever Unicode character has a decomposition, it is composed as the whole text would be."""
    for code in range(sys.maxunicode + 1):
        decomposition = unicodedata.decomposition(chr(code))
        if decomposition and not decomposition.startswith("<"):
            decomposed = "".join(chr(int(part, 16)) for part in decomposition.split())
            assert normalise(f"x{decomposed}x")[0] == unicodedata.normalize("NFC", f"x{decomposed}x"), hex(code)
            assert normalise(chr(code))[0] == unicodedata.normalize("NFC", chr(code)), hex(code)


def test_evidence_covers_letters_with_their_marks() -> None:
    """The span of a composed letter covers its decomposed spelling, marks included."""
    text = Text("A ac\u0327a\u0303o.")
    start = str(text).index("ação")
    assert text.raw[slice(*text.span(start, start + 4))] == "ac\u0327a\u0303o"
    assert text.raw[slice(*text.span(start + 1, start + 2))] == "c\u0327"


def test_a_text_without_some_spans_leads_back_to_the_raw_text() -> None:
    """Removing spans, twice over, keeps the way back."""
    text = Text("Diga **a\u0301gua** e “mel”.")
    once = text.without([(5, 7), (11, 13)])
    assert str(once) == "Diga água e “mel”."
    twice = once.without([(12, 13), (16, 17)])
    assert str(twice) == "Diga água e mel."
    assert twice.raw[slice(*twice.span(5, 9))] == "a\u0301gua"
    assert twice.raw[slice(*twice.span(12, 15))] == "mel"
    assert twice.raw[slice(*twice.span(10, 15))] == "e “mel"


def test_the_span_of_nothing_is_empty() -> None:
    """An empty span leads to an empty span, in an empty text too."""
    assert Text("").span(0, 0) == (0, 0)
    assert Text("a\u0301b").span(1, 1) == (2, 2)
    assert Text("ab").span(2, 2) == (2, 2)


def test_lower_case_keeps_the_length() -> None:
    """`İ` would become two characters in lower case and stays."""
    assert lower("İSTO É ÇÃO") == "İsto é ção"


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "\u0301",
        "\u0301\u0323",
        "\u200b",
        "a\u200b",
        "a\u0301",
        "\u1100",
        "\u1100\u1161\u11a8",
        "\ud800",
        "\0",
        "\u2126",
        "\r",
    ],
    ids=ascii,
)
def test_hostile_repeats_take_linear_time(unit: str) -> None:
    """Twice as many of one unit take about twice as long."""
    timing.assert_linear(timing.repeated(unit), normalise, 200_000)


@pytest.mark.slow
def test_marks_in_reversed_order_are_sorted_in_linear_time() -> None:
    """Half a text of marks that canonical order puts after those of its other half."""
    timing.assert_linear(lambda size: "\u0301" * (size // 2) + "\u0323" * (size // 2), normalise, 200_000)
