"""Number of sentences and words."""

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import BadKwargs
from lm_eval_ifeval_pt.constraints.relations import holds

SENTENCES = "length_constraints:number_sentences"
WORDS = "length_constraints:number_words"
TWO_SENTENCES = "O Sr. Silva veio. Depois saiu."


@pytest.mark.parametrize(
    ("relation", "allowed"),
    [
        ("at least", {3, 4}),
        ("at most", {2, 3}),
        ("less than", {2}),
        ("more than", {4}),
        ("exactly", {3}),
    ],
)
def test_relations(relation, allowed):
    """Each relation allows the counts that its name says, here around 3."""
    assert {count for count in (2, 3, 4) if holds(count, relation, 3)} == allowed


def test_sentences():
    """The evidence are the sentences, the detail gives both numbers."""
    verdict = verify(SENTENCES, TWO_SENTENCES, num_sentences=3, relation="at least")
    assert not verdict.followed
    assert verdict.evidence == ((0, 17), (18, 30))
    assert verdict.detail == "A resposta tem 2 frases; pediam-se pelo menos 3."


@pytest.mark.parametrize(
    ("relation", "target", "followed", "excess"),
    [
        ("at most", 3, False, ["quatro cinco"]),
        ("less than", 3, False, ["três quatro cinco"]),
        ("exactly", 4, False, ["cinco"]),
        ("exactly", 6, False, []),
        ("more than", 5, False, []),
        ("at least", 6, False, []),
        ("at most", 5, True, []),
        ("at least", 1, True, []),
    ],
)
def test_words(relation, target, followed, excess):
    """Where there are too many words, the evidence is the part in excess."""
    text = "Um, dois, três quatro cinco."
    verdict = verify(WORDS, text, num_words=target, relation=relation)
    assert verdict.followed is followed
    assert [text[start:end] for start, end in verdict.evidence] == excess


def test_singular():
    """Details and wordings agree with their number."""
    verdict = verify(SENTENCES, "Sim.", num_sentences=1, relation="more than")
    assert verdict.detail == "A resposta tem 1 frase; pedia-se mais de 1."
    assert verify(WORDS, "…", num_words=2, relation="at least").detail == (
        "A resposta não tem nenhuma palavra; pediam-se pelo menos 2."
    )
    bound = registry.get(SENTENCES).bind({"num_sentences": 1, "relation": "exactly"})
    assert bound.wording == "Responda em exatamente 1 frase."
    bound = registry.get(WORDS).bind({"num_words": 50, "relation": "at most"})
    assert bound.wording == "Responda em no máximo 50 palavras."


@pytest.mark.parametrize(
    ("relation", "kind"),
    [
        ("at least", "active"),
        ("more than", "active"),
        ("exactly", "active"),
        ("at most", "passive"),
        ("less than", "passive"),
    ],
)
def test_kind(relation, kind):
    """An upper limit is met by a short answer, so it is passive."""
    assert registry.get(WORDS).bind({"num_words": 3, "relation": relation}).kind == kind


def test_unknown_relation():
    """A relation that is not one of the five is an error that lists them."""
    with pytest.raises(BadKwargs, match=r"'at least' \| 'at most'"):
        verify(WORDS, "Sim.", num_words=1, relation="around")


def test_ranges():
    """Both limits of a range are allowed; what exceeds the upper one is the evidence."""
    text = "Um, dois. Três."
    for low, high, followed in ((1, 2, False), (3, 3, True), (2, 5, True), (4, 5, False)):
        assert verify("count:word_count_range", text, min_words=low, max_words=high).followed is followed
    assert verify("count:word_count_range", text, min_words=1, max_words=2).evidence == ((10, 14),)
    for low, high, followed in ((1, 1, False), (2, 2, True), (3, 4, False)):
        verdict = verify("count:sentence_count_range", text, min_sentences=low, max_sentences=high)
        assert verdict.followed is followed
    assert verdict.detail == "A resposta tem 2 frases; pediam-se de 3 a 4."
