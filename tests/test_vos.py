"""The reader addressed as vós."""

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.text import vos
from tests.quality.gold import TREEBANKS, needs_gold, sentences

ID = "detectable_content:vos_address_verification"


@pytest.mark.parametrize(
    "response",
    [
        "Vós sabeis a verdade.",
        "Se quiserdes, podeis subir; vossos pés agradecerão.",
        "Visitai a serra, e que Deus vos guarde.",
        "DIZEI-ME, Ó AMIGOS, SE VÓS VIESTES.",
        "Convosco iremos, se partirdes cedo.",
        "Vós amais a terra e não partis.",
        "Chegastes tarde, e vosso jantar esfriou.",
        "Esperamos que chegueis bem, vós e os vossos.",
    ],
)
def test_pronoun_and_verb_of_vos(response):
    """Present, preterite, future, subjunctive, infinitive and imperative, of regular and irregular verbs."""
    assert verify(ID, response).followed


@pytest.mark.parametrize(
    "response",
    [
        "Vós e os animais, leais amigos.",
        "Vossos papéis legais e vossos ideais sociais.",
        "Vós, os mais fiéis; os demais, jamais.",
        "Visitai a serra.",
        "Vossa Excelência sabeis disso.",
        "Vós sois bons, mas você é mau.",
        "Vós sois bons, e os teus também.",
        "Eu vos digo: a verdade liberta.",
        "Nós sabemos e eles sabem.",
    ],
)
def test_what_only_looks_like_vos(response):
    """Plurals of nouns and adjectives are no verbs, a pronoun alone is no verb, você and tu are others."""
    assert not verify(ID, response).followed


@pytest.mark.slow
@needs_gold
def test_sentences_of_newspapers_say_vos_nearly_never():
    """In 26,000 sentences of today's prose a form of vós is a rarity: what is found is mostly something else."""
    texts = [row["text"] for treebank in TREEBANKS for row in sentences(treebank)]
    found = sum(verify(ID, text).followed for text in texts)
    verbs = sum(1 for text in texts for _ in vos.verbs(text.lower()))
    assert found <= 3
    assert verbs / len(texts) < 0.001


@pytest.mark.parametrize(
    "text",
    [
        "Vós poríeis a mesa.",
        "Vós poreis a mesa.",
        "Vós compusestes o hino.",
        "Se vós quiserdes.",
        "Segui o vosso coração e sede felizes.",
        "Sede fortes, ó vós que lutais.",
    ],
)
def test_verbs_in_por_and_the_imperative_of_ser(text):
    """pôr and its compounds, quisérdes, and "sede" before a plural are forms of vós."""
    assert verify("detectable_content:vos_address_verification", text).followed


@pytest.mark.parametrize("text", ["Vós e a sede da empresa.", "A vossa sede de justiça.", "Tinha sede, disse a vós."])
def test_thirst_and_seats_are_no_verbs(text):
    """"sede" after an article or before "de" is a noun."""
    assert not verify("detectable_content:vos_address_verification", text).followed
