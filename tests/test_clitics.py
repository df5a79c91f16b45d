"""Where weak pronouns stand: grammar's own examples, look-alikes, typography, hostile text."""


import pytest

from lm_eval_ifeval_pt.text import Text
from tests import timing


def places(raw):
    """Position and form of every clitic of a text."""
    text = Text(raw)
    return [(clitic.position, text.text[clitic.start : clitic.end]) for clitic in text.clitics]


def attracted(raw):
    """The próclises of a text that have an attractor."""
    text = Text(raw)
    return [text.text[clitic.start : clitic.end] for clitic in text.clitics if clitic.attractor]


@pytest.mark.parametrize(
    "form",
    [
        *("diga-me", "viu-te", "fala-se", "deu-lhe", "contamos-lhes", "vê-nos", "digo-vos"),
        *("vi-o", "tem-na", "dão-nos", "põe-no", "fazê-lo", "pô-las", "construí-los", "tem-lo"),
        *("deu-mo", "disse-to", "enviaram-lhas", "apresenta-se-lhe", "dá-no-lo", "vamo-nos", "é-lhe"),
        *("auto-excluiu-se", "Diga-me", "DIGA-ME", "FAZÊ-LO", "recandidatar-se"),
    ],
)
def test_enclises(form):
    """A pronoun, or two, joined to the end of a verb, in any case and with the verb's change of form."""
    assert places(f"Ontem, {form}.") == [("enclitic", form)]


@pytest.mark.parametrize(
    "form",
    [
        *("dar-lhe-ei", "far-se-á", "dir-me-ás", "encontrá-lo-emos", "pô-la-íamos", "construí-lo-ão", "ver-vos-eis"),
        *("dar-lho-ia", "dar-no-lo-á", "queixar-se-me-ia", "ir-me-ei", "Dir-se-ia", "DAR-LHE-EI"),
    ],
)
def test_mesoclises(form):
    """A pronoun, or two, before the ending of a future or conditional."""
    assert places(f"Amanhã {form} decerto.") == [("mesoclitic", form)]


@pytest.mark.parametrize(
    "word",
    [
        *("bem-te-vi", "bem-me-quer", "louva-a-deus", "maria-vai-com-as-outras", "deus-nos-acuda", "dia-a-dia"),
        *("disse-me-disse", "faz-de-conta", "vir-a-ser", "salve-se-quem-puder", "ver-se-te-avias", "pisa-mansinho"),
        *("Trás-os-Montes", "Não-Me-Toque", "Entre-os-Rios", "Montemor-o-Velho", "Vaison-la-Romaine"),
        *("Aracaju-SE", "TV-A", "Souza-ME", "T-R-I-F-Á-S-I-C-A", "PER-FEI-TO", "follow-me", "ping-pong"),
        *("professor-a", "cansado-a", "não-me", "ex-a", "socorro-se", "a-a-a-o"),
    ],
)
def test_compounds_are_no_clitics(word):
    """Compounds, towns with their state, initials, syllables and doubled genders have no pronoun."""
    assert places(f"Vimos {word} ali.") == []


@pytest.mark.parametrize(
    "phrase",
    [
        *("Não me diga", "Nunca te vi", "Ninguém se feriu", "nada lhe falta", "nem se fala"),
        *("que se chama", "quando nos vimos", "se o encontrar", "como se faz", "porque a conhece", "caso as veja"),
        *("quem o viu", "onde se realça", "qual se trata", "quanto lhe devo"),
        *("tudo se resolve", "alguém me chamou", "poucos a venceram", "todos os viram"),
        *("já o fez", "ainda se recupera", "também me disse", "só nos resta", "raramente a vemos", "mais se fala"),
        *(
            "em se tratando",
            "que o não disse",
            "não se lhe aplica",
            "que no-lo disse",
            "não mo deu",
            "que me auto-avalie",
        ),
        *("NÃO ME DIGA", "não\nme diga", "**não** me diga", "não *me* diga", "que os tornam", "que nos torna"),
        *("que o receia", "que as nomeie", "que a siga", "que a conheça", "quem o distribua", "que os traduz"),
    ],
)
def test_proclises_after_an_attractor(phrase):
    """Negation, conjunction, relative, indefinite, adverb, em + gerund: then pronoun and verb."""
    found = attracted(f"“{phrase} assim.")
    assert len(found) == 1
    assert found[0].replace("*", "") == phrase.replace("*", "")


@pytest.mark.parametrize(
    "text",
    [
        "Dizem que o governo, que a compra, que os preços e que as vendas subiram.",
        "Já nos anos trinta, já nos bairros, também nos Estados Unidos.",
        "Só o uso, nem a venda, nunca o trabalho, mais a procura.",
        "Só se chover. Talvez se o tempo virar; nem se fosse domingo.",
        "Corria como se fosse voar, como se estivesse livre.",
        "Disse que se houver sol, que se as pessoas quiserem, virá.",
        "Há muito a fazer, nada a comentar, e logo a seguir, já a partir de hoje.",
        "Conforme o combinado, se A é maior, que os cerca de mil e como a esta hora.",
        "Não, me diga você. Mas se mudou, para se lavar, ela nos viu, isso me agrada.",
        "Sei que, se o rio subir, eu me mudo.",
        "Já to indo, não a partir de hoje.",
        "O livro Quem Me Dera e o filme Não Me Deixe.",
        "Quem\n\nme chamou?",
    ],
)
def test_no_proclisis_after_an_attractor(text):
    """Articles, em + os, the conjunction se, the preposition a, titles, and pronouns without an attractor before."""
    assert attracted(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *("Ponha sal apenas se achar pouco.", "Abra só se esquentar."),
        *("Então se cansar, pare.", "Amanhã se esfriar, fico."),
        *("O bolo rende mais se descansar.", "Peça outra se quebrar.", "Não assine nada se desconfiarem."),
        *("Saiba que se errar, pode voltar.", "Corra, porque se demorar, acaba.", "Certeza de que se treinar, passa."),
        *("Um bom lugar, especialmente se aprecia calma."),
        *("Ligue já se procura emprego.", "Não leve nada se viaja só."),
        *("Ficaria melhor se chovesse.", "Vou apenas se fizer sol."),
        *("Não sei bem se vale a pena.", "Vá embora se cansar."),
    ],
)
def test_the_conjunction_se_is_no_pronoun(text):
    """After an adverb, an indefinite, que or porque, "se" before a subjunctive or a request's reason is "if"."""
    assert attracted(text) == []


@pytest.mark.parametrize(
    "phrase",
    [
        *("para melhor se proteger", "para nunca mais se perder"),
        *("deve também se apresentar", "não quis mais se mudar", "tente sempre se alongar"),
        *("é importante também se alimentar", "tem que se dedicar", "o aluno que se atrasar", "tudo que se plantar"),
        *("quando tudo se acalmar", "se ninguém se opuser", "para todos se divertirem", "assim que se formar"),
        *("como se proteger", "onde se inscrever", "por que se preocupar", "quem se esforçar"),
        *("só se fala", "aqui apenas se vendem", "pediu que sempre se lembrasse", "talvez se tornasse", "só se ver"),
    ],
)
def test_se_before_an_infinitive_that_something_governs(phrase):
    """A preposition, an auxiliary, "ter que", a relative or another conjunction call for the pronoun."""
    assert attracted(f"{phrase} assim.") == [" ".join(phrase.split()[-3:])]


@pytest.mark.parametrize(
    "text",
    [
        *("O bem e o mal se confundem.", "Nesse caso se aplica a regra."),
        *("O segundo me obedece.", "Meu bem me espera."),
        *("Uma tarde nos separa.", "O amanhã nos reserva festas."),
        *("O nada nos espera.", "Saiu embora me deixando a conta."),
    ],
)
def test_nouns_attract_no_pronoun(text):
    """A word that attracts as an adverb or conjunction does not after an article, nor embora after a verb."""
    assert attracted(text) == []


@pytest.mark.parametrize("phrase", ["Pelo menos se aprende", "Mais tarde se arrependeu", "Caso se sinta", "Mal me viu"])
def test_adverbial_phrases_attract(phrase):
    """The same words as adverbs and conjunctions."""
    assert attracted(f"{phrase} assim.") == [" ".join(phrase.split()[-3:])]


@pytest.mark.parametrize(
    "text",
    [
        *("Quando a zebra corre, some.", "Sei que a arara voa."),
        *("Hoje a amarela venceu.", "Quando a colher cai, espanta."),
        *("Também o veto caiu.", "Hoje o suspeito fala.", "Sei que o parafuso solta.", "Só o rascunho ajuda."),
        *("Sei que nos termos da lei vale.", "Ainda nos ritmos do sertão há vida."),
    ],
)
def test_nouns_that_look_like_verbs(text):
    """After o, a and nos stands a noun."""
    assert attracted(text) == []


@pytest.mark.parametrize(
    "phrase",
    ["Também o convido", "Hoje a agradeço", "Já o conheço", "Porque o amo", "Não a perca", "que a diferencia"],
)
def test_verbs_after_o_and_a(phrase):
    """First persons and imperatives that are no nouns."""
    assert attracted(f"{phrase} assim.") == [phrase]


@pytest.mark.parametrize(
    "word",
    [
        *("você-me", "isso-lhe", "amanhã-te", "sempre-se", "talvez-me", "pra-te", "até-me", "gato-te", "janela-me"),
        *("aluno-a", "brasileiro-a", "psicólogo-as", "candidato-a", "querido-a", "opção-a", "vitamina-a", "item-a"),
        *("convite-los", "ajudo-los", "livro-lo", "história-me", "canção-me"),
    ],
)
def test_a_pronoun_is_joined_to_verbs_only(word):
    """Nouns, adverbs, pronouns, doubled genders and labels take none, nor do first persons take -lo."""
    assert places(f"Vimos {word} ali.") == []


@pytest.mark.parametrize(
    "form",
    [
        *("levo-a", "chamo-as", "caso-me", "conformo-te", "fi-lo", "parti-lo", "compramo-lo", "dize-lo", "são-lhe"),
        *("averígua-o", "planejo-a", "Vende-Se"),
    ],
)
def test_verbs_that_resemble_other_words(form):
    """First persons before a, forms before lo, a heading in Title Case."""
    assert places(f"Ontem {form} ali.") == [("enclitic", form)]


def test_paired_conjunctions_attract():
    """Each of two "ou" attracts, with or without a comma between; a single one does not, nor one that joins."""
    assert attracted("Ou se cala, ou fala. Fala ou se cala. Fica ou se muda, ou some.") == ["Ou se cala"]
    assert attracted("Ou me ajudas ou te vais. Ora se deita, ora se levanta.") == [
        "Ou me ajudas",
        "ou te vais",
        "Ora se deita",
        "ora se levanta",
    ]


def test_plain_pronouns_are_reported_without_an_attractor():
    """A loose próclise is seen, and known to be loose."""
    text = Text("Me diga: ela lhe contou?")
    assert [(clitic.position, clitic.attractor) for clitic in text.clitics] == [("proclitic", None)] * 2


def test_all_in_order():
    """The clitics of a text come as they stand in it."""
    assert places("Disse-me que não o viu; dir-lhe-ei que se foi.") == [
        ("enclitic", "Disse-me"),
        ("proclitic", "não o viu"),
        ("mesoclitic", "dir-lhe-ei"),
        ("proclitic", "que se foi"),
    ]


def test_typographic_hyphens():
    """U+2010 and U+2011 join a pronoun as the plain hyphen does."""
    assert places("Dar\u2011lhe\u2011ei. Diga\u2010me.") == [("mesoclitic", "Dar-lhe-ei"), ("enclitic", "Diga-me")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        *("que me ", "-a", "a", " ", "a-", "não se ", "ou se cala, ", "não *", "a_", "\n", "que o não ", "*"),
        *("dar-lhe-", "que se\n", "à-o ", "se-", "ndo"),
    ],
)
def test_linear_on_hostile_text(unit):
    """Twice as many of one unit take about twice as long."""
    timing.assert_linear(
        lambda size: Text("que se" + unit * (size // len(unit))), lambda text: text.clitics, 200_000
    )
