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


@needs_gold
def test_sentences_of_newspapers_say_vos_nearly_never():
    """In 26,000 sentences of today's prose a form of vós is a rarity: what is found is mostly something else."""
    texts = [row["text"] for treebank in TREEBANKS for row in sentences(treebank)]
    found = sum(verify(ID, text).followed for text in texts)
    verbs = sum(1 for text in texts for _ in vos.verbs(text.lower()))
    assert found <= 3
    assert verbs / len(texts) < 0.001
