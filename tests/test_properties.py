"""What holds for every constraint on any text."""

import unicodedata
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_ifeval_pt.constraints.registry import constraints
from lm_eval_ifeval_pt.ifeval.dialects import unmarked
from lm_eval_ifeval_pt.ifeval.scoring import score
from lm_eval_ifeval_pt.text import MAX_EVIDENCE, Text
from tests import timing
from tests.quality.speed import HOSTILE, hostile, worst

FRAGMENTS = [
    *(
        "não ",
        "me diga ",
        "dar-lhe-ei ",
        "diga-me ",
        "que ",
        "se ",
        "Você ",
        "tu ",
        "o ",
        "a ",
        "à ",
        "às vezes ",
    ),
    *(
        "àquela ",
        "por ",
        "que",
        "por que ",
        "porque ",
        "porquê",
        "praça ",
        "coração ",
        "ç",
        "São ",
        "avô ",
        "água",
    ),
    *(
        "Sr. ",
        "etc.",
        "1.234,56",
        "R$ 5",
        "p.ex. ",
        "fim",
        "Fim!",
        "… ",
        ". ",
        "! ",
        "? ",
        ": ",
        ", ",
        "— ",
        "- ",
    ),
    *(
        "**",
        "_",
        "`",
        "```\n",
        "# ",
        "> ",
        "1. ",
        "“",
        "”",
        '"',
        "'",
        "(",
        ")",
        "[a](http://b.c)",
        "\n",
        "\r\n",
        " ",
    ),
    *(
        "\u0301",
        "\u0303",
        "\u0327",
        "\u200b",
        "\u00ad",
        "\ufe0f",
        "\u2011",
        "\u00a0",
        "\ud800",
        "\udfff",
        "\0",
    ),
    *("*", "* ", "***", "******", "<<", ">>", "[", "]", "{", "}", "Seção 1", "Nota: ", "P.S. ", "P.P.S. "),
    *("vós ", "sabeis ", "Minha resposta é sim.", "BRASIL ", "#", "the house "),
    *("😊", "1\ufe0f\u20e3", "²", "½", "İ", "ǅ", "ñ", "ﬁ", "º", "\u212b", "\u1100\u1161", "가", "日本"),
]
RESPONSES = st.lists(st.sampled_from(FRAGMENTS) | st.characters(exclude_categories=()), max_size=25).map("".join)
BOUNDS = [
    constraint.bind(example.kwargs)
    for constraint in constraints().values()
    for example in (constraint.follows[0], constraint.breaks[0])
]
BOUNDED = settings(derandomize=True, max_examples=400, deadline=None)

# What the evidence of a verdict still shows when it is read by itself: that a constraint is followed, or not.
SHOWS_FOLLOWED = {"ptbr:crase", "ptbr:cedilha", "ptbr:agudo_e_circunflexo", "ptbr:porque_ambos"}
SHOWS_FOLLOWED |= {"ptbr:mesoclise", "ptbr:proclise", "ptbr:enclise"}
SHOWS_FOLLOWED |= {"keywords:existence", "ptbr:comeca_com", "startend:end_checker"}
SHOWS_FOLLOWED |= {"detectable_format:title", "detectable_format:number_highlighted_sections"}
SHOWS_FOLLOWED |= {"detectable_content:number_placeholders", "detectable_content:postscript"}
SHOWS_BROKEN = {"ptbr:sem_crase", "ptbr:sem_til", "ptbr:sem_diacritico", "ptbr:sem_digito"}
SHOWS_BROKEN |= {"keywords:forbidden_words", "change_case:lowercase", "change_case:capital", "punctuation:no_comma"}


def pieces(response, verdict):
    """The evidence of a verdict as text."""
    return [response[start:end] for start, end in verdict.evidence]


@pytest.mark.slow
@given(response=RESPONSES)
@BOUNDED
def test_loose_is_never_stricter_than_strict(response):
    """Whatever follows a constraint as it came follows it loosely."""
    for result in score(response, BOUNDS, unmarked):
        assert result.loose.followed >= result.strict.followed, result


@pytest.mark.slow
@given(response=RESPONSES)
@BOUNDED
def test_evidence_lies_in_the_response(response):
    """Spans are in order, within the response and at most so many, for the strict and the loose verdict."""
    for result in score(response, BOUNDS, unmarked):
        for verdict in (result.strict, result.loose):
            assert len(verdict.evidence) <= MAX_EVIDENCE, result
            assert list(verdict.evidence) == sorted(verdict.evidence), result
            assert all(0 <= start <= end <= len(response) for start, end in verdict.evidence), result
            assert verdict.detail, result


@pytest.mark.slow
@given(response=RESPONSES)
@BOUNDED
def test_the_normal_form_does_not_matter(response):
    """NFC and NFD of a response have the same verdict, and evidence that reads the same."""
    composed, decomposed = (unicodedata.normalize(form, response) for form in ("NFC", "NFD"))
    text, other_text = Text(composed), Text(decomposed)
    for bound in BOUNDS:
        one, other = bound.verify(text), bound.verify(other_text)
        assert (one.followed, one.detail) == (other.followed, other.detail), bound
        read = [str(Text(piece)) for piece in pieces(composed, one)]
        assert read == [str(Text(piece)) for piece in pieces(decomposed, other)], bound


@pytest.mark.slow
@given(response=RESPONSES)
@BOUNDED
def test_evidence_alone_leads_to_the_same_verdict(response):
    """What a verdict shows is what decided it: the evidence without the rest is judged alike."""
    text = Text(response)
    for bound in BOUNDS:
        verdict = bound.verify(text)
        shows = SHOWS_FOLLOWED if verdict.followed else SHOWS_BROKEN
        if verdict.evidence and bound.constraint.id in shows:
            alone = Text(" ".join(pieces(response, verdict)))
            assert bound.verify(alone).followed == verdict.followed, (bound, verdict)


@pytest.mark.slow
@given(response=RESPONSES)
@BOUNDED
def test_sem_crase_is_the_opposite_of_crase(response):
    """Of a response that says anything, exactly one of the two holds."""
    if not Text(response).is_blank:
        crase, sem_crase = (constraints()[id].bind({}) for id in ("ptbr:crase", "ptbr:sem_crase"))
        with_, without = crase.verify(Text(response)), sem_crase.verify(Text(response))
        assert with_.followed != without.followed
        assert with_.evidence == without.evidence


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_no_verifier_is_slow_on_a_hostile_response(name):
    """Twice the text takes about twice the time; what looks otherwise at first is measured with care."""
    short, long = Text(hostile(name, 50_000)), Text(hostile(name, 100_000))
    for bound in BOUNDS:
        once, twice = (timing.seconds(partial(score, text, [bound], unmarked)) for text in (short, long))
        if twice > timing.LINEAR * once:
            timing.assert_linear(partial(hostile, name), lambda raw, bound=bound: score(raw, [bound], unmarked), 50_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["prose", "prose in one line", "one word", "blank lines", "abbreviations", "pronouns", "table", "combining marks"],
)
def test_a_megabyte_takes_the_slowest_verifier_no_longer_than_a_loop_over_it(name):
    """A plain loop of the interpreter, sixty steps per character."""
    limit = 60 * min(timing.seconds(timing.loop) for _ in range(3))
    spent, bound = worst(name)
    if spent >= limit:  # once more: a neighbour may have filled the caches
        spent, bound = worst(name)
    assert spent < limit, bound.constraint.id
