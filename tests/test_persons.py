"""Pronouns by their grammatical person."""

import pytest

from lm_eval_ifeval_pt.text import Text, persons
from tests.quality import gold


def found(person, response):
    """The pronouns of a person, as written."""
    text = Text(response)
    spans = (
        persons.third(str(text), text.lower, text.clitics)
        if person == "third"
        else getattr(persons, person)(text.text, text.lower, text.clitics)
    )
    return [text.text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("response", "pronouns"),
    [
        ("Eu vi meu pai comigo.", ["Eu", "meu", "comigo"]),
        ("Nós lemos nosso livro; leia-o conosco.", ["Nós", "nosso", "conosco"]),
        ("Conte-me: ele nos viu? Deu-no-lo.", ["Conte-me", "nos", "Deu-no-lo"]),
        ("Dir-me-ão que é para mim.", ["Dir-me-ão", "mim"]),
        ("Ele nos disse e me disse.", ["nos", "me"]),
        ("O autor nos faz ver, nos diz, nos fez rir.", ["nos", "nos", "nos"]),
        ("Quando nos vemos, nos tem ajudado.", ["nos", "nos"]),
        ("Está nos livros, nos últimos anos, nos dois, nos quais, nos 50, nos EUA.", []),
        ("Vive nos termos da lei e nos extremos.", []),
        ("O seu eu, o eu lírico e o eu-lírico.", []),
        ("Desatou os nós; entre nós, sim.", ["nós"]),
        ("Reza a Nossa Senhora pela nossa senhora.", ["nossa"]),
        ("A ME e a EU são siglas; EU NÃO SOU.", ["EU"]),
        ("Bem-me-quer em Trás-os-Montes.", []),
    ],
)
def test_first_person(response, pronouns):
    """Nos is told from em + os by what follows; nouns that look so are none."""
    assert found("first", response) == pronouns


@pytest.mark.parametrize(
    ("response", "pronouns"),
    [
        ("Você e tu, vocês e vós.", ["Você", "tu", "vocês", "vós"]),
        ("Digo-te e digo-vos: eu vos vi contigo.", ["Digo-te", "digo-vos", "vos", "contigo"]),
        ("Vossa Excelência e o teu livro.", ["Vossa", "teu"]),
        ("O leitor vê-o no rio Tua.", []),
    ],
)
def test_second_person(response, pronouns):
    """Tu, você and vós in all their forms."""
    assert found("second", response) == pronouns


@pytest.mark.parametrize(
    ("response", "pronouns"),
    [
        ("Ela leu seu livro e dele falou consigo.", ["Ela", "seu", "dele", "consigo"]),
        ("Viu-o e deu-lhe; vão comprá-las e dão-na.", ["Viu-o", "deu-lhe", "comprá-las", "dão-na"]),
        ("Não o vi, que a vejam.", ["Não o vi", "que a vejam"]),
        ("O livro e a casa; os dois se foram.", []),
        ("Nunca nos viram nem me ouviram.", []),
    ],
)
def test_third_person(response, pronouns):
    """Objects are told from articles; "se" has no person."""
    assert found("third", response) == pronouns


@gold.needs_gold
def test_nos_in_treebanks():
    """Pronoun or contraction: both precision and recall of the pronoun, on six treebanks, of at least 0.85."""
    right = guessed = real = 0
    for treebank in gold.TREEBANKS:
        for row in gold.sentences(treebank):
            if row["amb_proclise"] or "nos" not in row["text"].lower():
                continue
            annotated = [one for one in row.get("clitics", []) if one["form"].lower() == "nos"]
            expected = sum(one["position"] == "proclitic" for one in annotated)
            ours = sum(piece.lower() == "nos" for piece in found("first", row["text"]))
            right, guessed, real = right + min(ours, expected), guessed + ours, real + expected
    assert real > 50
    assert right / guessed >= 0.85
    assert right / real >= 0.85
