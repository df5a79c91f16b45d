"""What a sentence is. Each case is written with ‖ where a sentence ends."""

import pytest

from lm_eval_ifeval_pt.text import Text


def sentences(raw: str) -> list[str]:
    """The sentences of a text, as they stand in it."""
    text = Text(raw)
    return [str(text)[start:end] for start, end in text.sentences]


def divided(case: str) -> tuple[str, list[str]]:
    """A case as text and as its sentences."""
    parts = case.split(" ‖ ")
    return " ".join(parts), parts


@pytest.mark.parametrize(
    "case",
    [
        # titles and forms of address
        "O Sr. Silva e a Sra. Souza chegaram. ‖ A Dra. Ana e o Prof. João saíram.",
        "A profa. Lia e a Profª. Bia falaram. ‖ O Exmo. Sr. Min. Costa ouviu.",
        "A V. Exa. Agradecemos muito. ‖ D. Pedro e Dom João também.",
        "O SR. SILVA CHEGOU. ‖ A DRA. ANA SAIU.",
        # laws, works, places
        "O art. 5.º e o art. 12, inc. II, da Lei n. 8.112 valem. ‖ Leia o § 2.º do texto.",
        "Veja as págs. 10 a 12, fig. 3 e cap. IV, vol. II. ‖ Cf. Souza, op. cit., p. 12.",
        "Segundo Silva et al. (2010), isso muda. ‖ Lima et al. 2012 discordam.",
        "Moro na Av. Brasil, nº. 10, apto. 32, ed. Central. ‖ O tel. 3333-1234 é meu.",
        "Na pág. 3 há um mapa (132 págs.). ‖ Foi feito por alunos.",
        # time, eras and measures
        "O séc. XIX acabou. ‖ Em 44 a.C. César morreu. ‖ Em 200 d.C. tudo mudou.",
        "Nasceu em 3 jan. 1999. ‖ Funciona de seg. a sex. e no dom. à tarde.",
        "A casa fica a 5 km. ‖ Chegou às 21 h. ‖ Parou aos 44min. ‖ Pesava 3 kg.",
        # initials and acronyms
        "J. K. Rowling escreve. ‖ Rodrigo S. M. narra. ‖ Machado, J. M. publicou.",
        "A vitamina C. ‖ O plano B. ‖ Na Série B. ‖ Depois subiu.",
        "O R.E.M. é uma banda. ‖ Moro nos E.U.A. ‖ Aqui é bom.",
        "A Cia. Paulista comprou a Foo Ltda. ‖ O preço é alto. ‖ A Foo S.A. ‖ Ela cresceu.",
        # etc. and the like
        "Comprei pão, leite, etc. ‖ Paulo riu. ‖ Há maçãs, peras etc. na mesa.",
        "Separe, p. ex. papel e vidro. ‖ Use, p.ex. Brasil ou Chile. ‖ Obs.: é fácil.",
        # numbers
        "Custa R$ 1.234,56 ou 3.5 mil. ‖ Foi em 1994. ‖ Nota 10. ‖ Sobrou 1,5.",
        "Chegou em 3.º lugar, no 15º. posto. ‖ Fim.",
        # addresses
        "Visite https://exemplo.com.br/a?b=c!d. ‖ Escreva a ana.Silva@exemplo.com. ‖ Veja www.x.com.",
        # runs of stops and ellipses
        "Como assim?! ‖ Não!!! ‖ Será?? ‖ Sim.",
        "Bem... talvez chova. ‖ Hum… sei lá. ‖ Não sei… ‖ Vou pensar... ‖ Depois digo.",
        "Ele disse (...) que vinha. ‖ Ela […] não veio. ‖ Ela (...) Maria não.",
        # quotations, brackets, dialogue
        "Ela disse: «Vou embora.» ‖ Depois saiu. ‖ Ele leu “Fim.” ‖ Acabou.",
        '"Você vem?" perguntou Ana. ‖ "Vou!", disse ele. ‖ "Que bom." ‖ Ela riu.',
        "Vem? perguntou ela. ‖ Não! respondeu ele. ‖ Ele (quem diria?) veio. ‖ (Não foi.) ‖ Acabou.",
        "— Você vem? — perguntou Ana. ‖ — Vou sim! — disse ele. ‖ — Que bom…",
        "P. — O que houve? ‖ R. — Nada. ‖ P. — E agora?",
        "Que bom. ‖ “P.” — O que houve? ‖ Parágrafo 4º. — A taxa muda. ‖ Fim.",
        "É. ‖ Isso mesmo. ‖ Vi. ‖ Gostei. ‖ Foram 10 min. de espera e 2 kg. de arroz.",
        "Ele cita “Souza et al.” ‖ Maria leu.",
        # lists in a line
        "Faça assim: 1. lave; 2. seque. ‖ Depois guarde.",
        "(SILVA, 2010) disse isso. ‖ Souza também. (SOUZA, 2011). ‖ Fim.",
        # sloppy text
        "oi. ‖ tudo bem? ‖ que bom! ‖ vou pra casa. ‖ tb. fico feliz.",
        "Olá! ‖ 😊 Tudo bem?",
        "**Título.** ‖ O texto *vem.* ‖ _Fim._",
        "mandei pelo WhatsApp. ‖ ela leu. ‖ comi no bar. ‖ vi o par.",
    ],
)
def test_where_sentences_end(case):
    """A stop ends a sentence unless it belongs to something smaller or the sentence goes on."""
    text, expected = divided(case)
    opener = expected[0].removeprefix("— ") if expected[0].startswith("— ") else expected[0]
    assert sentences(text) == [opener, *expected[1:]]


def test_a_missing_blank():
    """A sentence ends where only the blank is missing, but not inside names with a stop."""
    assert sentences("Chegou ao fim.Depois começou.Sério?Sim.") == [
        "Chegou ao fim.",
        "Depois começou.",
        "Sério?",
        "Sim.",
    ]
    assert sentences("Use Node.js, a.b e exemplo.com hoje.") == ["Use Node.js, a.b e exemplo.com hoje."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Como reciclar\n\nSepare. Lave.", ["Separe.", "Lave."]),
        ("## Materiais:\n- papel\n- vidro;\n* metal.", ["papel", "vidro;", "metal."]),
        ("1. Separe o lixo.\n2. Lave as latas. Seque.", ["Separe o lixo.", "Lave as latas.", "Seque."]),
        ("1. Lave. 2. Seque. 3. Guarde.", ["Lave.", "2. Seque.", "3. Guarde."]),
        ("1) Um\n2) Dois", ["Um", "Dois"]),
        ("a. Um\nb. Dois", ["a. Um", "b. Dois"]),
        ("I. Introdução\nII. Método", ["I. Introdução", "II. Método"]),
        ("**1. Separar**\nJunte tudo.", ["Separar**", "Junte tudo."]),
        ("> Citação.\n> Outra.", ["Citação.", "Outra."]),
        ("Um.\n\n---\n\nDois.", ["Um.", "Dois."]),
        ("| Nome | Idade |\n|---|---|\n| Ana | 30 |", ["| Nome | Idade |", "| Ana | 30 |"]),
        ("Veja:\n```python\nprint('oi. tchau.')\n```\nFim.", ["Veja:", "Fim."]),
        ("```\nOlá. Tudo bem?\n```", ["Olá.", "Tudo bem?"]),
        ("— Vem? — perguntou ela.\n— Vou.", ["Vem? — perguntou ela.", "Vou."]),
        ("Um título\nUm parágrafo.", ["Um título", "Um parágrafo."]),
        ("Sim\n\nnão", ["Sim", "não"]),
        ("🎉🎉\n***\n...\n", []),
        ("", []),
    ],
)
def test_lines(text, expected):
    """A line ends a sentence: titles, items and rows are sentences, without what opens them."""
    assert sentences(text) == expected


def test_broken_lines():
    """A line that was broken for its length, or that ends with a comma, ends no sentence."""
    wrapped = "Este parágrafo foi quebrado por ser longo demais\npara uma linha só. Acabou."
    assert len(sentences(wrapped)) == 2
    item = "- Este item de lista também ficou longo demais\n  para uma linha só.\n- Outro."
    assert len(sentences(item)) == 2
    assert len(sentences("Batatinha quando nasce,\nEspalha a rama pelo chão.")) == 1
    assert len(sentences("Prezada senhora,\nVenho agradecer.")) == 2
    assert len(sentences("UM TÍTULO TODO EM CAIXA ALTA E BASTANTE LONGO\ntexto")) == 2
    assert len(sentences("Ingredientes\narroz\nfeijão")) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tome vitamina C. Tome vitamina D. Só isso.", 3),
        ("Nasceu no século V. Morreu no VI.", 2),
        ("Aperte Ctrl + V. Pronto!", 2),
        ("Gabarito: C. Parabéns.", 2),
        ("Marque a letra B. Passe para a próxima.", 2),
        ("Ele tem hepatite C. Faz tratamento.", 2),
        ("Ficou no grupo A. Ganhou dois jogos.", 2),
        ("O livro é de J. Silva. Vale a pena.", 2),
        ("João G. Rosa nasceu em Minas.", 1),
        ("O romance de J. R. R. Tolkien vendeu muito.", 1),
        ("A sala D. João V fica no museu.", 1),
        ("Autor: M. Souza e P. Lima.", 1),
    ],
)
def test_a_letter_that_names_a_thing_ends_a_sentence_and_an_initial_does_not(text, expected):
    """An initial stands before a name; a letter after a noun that takes letters is the noun's name."""
    assert len(Text(text).sentences) == expected
