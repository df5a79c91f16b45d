"""What a word is."""

import pytest

from lm_eval_ifeval_pt.text import Text


def words(raw: str) -> list[str]:
    """The words of a text, as they stand in it."""
    text = Text(raw)
    return [str(text)[start:end] for start, end in text.words]


@pytest.mark.parametrize(
    "word",
    [
        "dar-lhe-ei",
        "guarda-chuva",
        "d'água",
        "d’água",
        "1.234,56",
        "20h30",
        "10:30",
        "12/05/2024",
        "2010–2015",
        "e/ou",
        "km/h",
        "5.º",
        "p.ex",
        "snake_case",
        "ação",
        "CO2",
        "m²",
        "https://exemplo.com.br/a?b=c,d",
        "www.exemplo.com.br",
        "ana.silva@exemplo.com.br",
    ],
)
def test_one_word(word):
    """Hyphens, apostrophes, separators of numbers and slashes stay inside a word."""
    assert words(f"Eis {word} aqui") == ["Eis", word, "aqui"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ele veio — disse Ana — e saiu.", ["Ele", "veio", "disse", "Ana", "e", "saiu"]),
        ("Ele veio—disse Ana--e saiu", ["Ele", "veio", "disse", "Ana", "e", "saiu"]),
        ("Um - dois – três", ["Um", "dois", "três"]),
        ("fim.Depois começou", ["fim", "Depois", "começou"]),
        ("sim,não;talvez!já", ["sim", "não", "talvez", "já"]),
        ("Bem...talvez…sim", ["Bem", "talvez", "sim"]),
        ("Custa R$ 10,50", ["Custa", "R", "10,50"]),
        ("Custa R$10,50", ["Custa", "R", "10,50"]),
        ("ele “disse”algo", ["ele", "disse", "algo"]),
        ("bom😀dia 🎉", ["bom", "dia"]),
        ("A ação é rápida.", ["A", "ação", "é", "rápida"]),
        ("soft\u00adware", ["software"]),
        ("", []),
        (" … — *** \n", []),
    ],
)
def test_where_words_end(text, expected):
    """Blanks, dashes, ellipses, quotation marks, pictographs and signs of currency separate words."""
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- arroz\n* feijão\n+ milho\n• sal", ["arroz", "feijão", "milho", "sal"]),
        ("1. Lave\n2) Seque\n   10. Guarde", ["Lave", "Seque", "Guarde"]),
        ("**1.** Lave\n**2. Seque**", ["Lave", "Seque"]),
        ("- [ ] Lavar\n- [x] Secar", ["Lavar", "Secar"]),
        ("## 2. Título\n> citação", ["Título", "citação"]),
        ("**muito** _bom_ ~~ruim~~ `ls`", ["muito", "bom", "ruim", "ls"]),
        ("des**con**tente", ["des**con**tente"]),
        ("| Nome | Idade |\n|------|:-----:|\n| Ana | 30 |", ["Nome", "Idade", "Ana", "30"]),
        ("a\n---\nb\n***\nc", ["a", "b", "c"]),
        ("Leia [o guia](https://exemplo.com/guia).", ["Leia", "o", "guia"]),
        ("Antes\n```python\nprint('oi mundo')\n```\nDepois", ["Antes", "Depois"]),
        ("````python\n```\nx = 1\n```\n````\nDepois", ["Depois"]),
        ("Antes\n```python\nprint('sem fim')", ["Antes"]),
        ("```\nOlá, mundo.\n```", ["Olá", "mundo"]),
        ("```markdown\nOlá\n```", ["Olá"]),
        ("3.5 reais\n2024. Um ano", ["3.5", "reais", "2024", "Um", "ano"]),
    ],
)
def test_markdown(text, expected):
    """Marks, numerals of lists, link targets and code in a fence with a language are no words."""
    assert words(text) == expected
