"""What the loose score looks through."""


import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_ifeval_pt.text import Text
from tests import timing


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**muito** *bom* __sim__ _não_ ***já*** ~~nunca~~", "muito bom sim não já nunca"),
        ("## Título\nTexto", "Título\nTexto"),
        ("- um\n* dois\n+ três\n• quatro", "um\ndois\ntrês\nquatro"),
        ("1. um\n2) dois\n**3.** três", "um\ndois\ntrês"),
        ("- [ ] um\n- [x] dois", "um\ndois"),
        ("> citação\n> > outra", "citação\noutra"),
        ("um\n\n---\n\ndois\n* * *\ntrês", "um\n\ndois\ntrês"),
        ("Use `ls -l` já", "Use ls -l já"),
        ("```\nOlá\n```", "Olá"),
        ("```markdown\n# Olá\n```\nFim", "Olá\nFim"),
        ('Leia [o **guia**](https://a.b/c_(d) "Guia") e ![foto](f.png).', "Leia o guia e foto."),
        ("| Nome | Idade |\n|:--|--:|\n| Ana | 30 |", "Nome Idade\nAna 30"),
        ("“Sim”, «não», \"já\", ‘ou’ 'nunca'", "Sim, não, já, ou nunca"),
        ("  um \t  dois  \n\n\n\n  três  \n", "um dois\n\ntrês"),
        ("** - **", "-"),
    ],
)
def test_marks_go(text, expected):
    """Marks, quotation marks and surplus white space go; the text stays."""
    assert str(Text(text).unmarked) == expected


@pytest.mark.parametrize(
    "text",
    [
        "snake_case e x__y",
        "copo d'água, d’água",
        "2 * 3 e 2*3 e 2**3",
        "f*da-se",
        'ele disse"oi"já',
        "a|b",
        'Folha/"Estado',
        "cerca de ~10",
        "#hashtag e C#",
        "-5 graus",
        "3.5 reais",
        "1994. Um ano",
        "um [texto] entre colchetes",
        "— Vem? — perguntou ela.",
        "um\n\ndois\ntrês",
        "```python\nx = 'a'  # _b_ **c**\n```",
    ],
)
def test_what_is_no_mark_stays(text):
    """Nothing goes that is part of a word, arithmetic, punctuation, paragraphs or code."""
    assert str(Text(text).unmarked) == text


def test_emphasis_inside_a_word():
    """Marks of emphasis inside a word go without splitting it."""
    assert str(Text("des**con**tente").unmarked) == "descontente"


def test_offsets_lead_back():
    """A span of the unmarked text leads to what the model wrote, marks aside."""
    raw = "- “A **casa** caiu”"
    unmarked = Text(raw).unmarked
    start = str(unmarked).index("casa")
    span = unmarked.span(start, start + 4)
    assert raw[span.start : span.end] == "casa"


@given(st.text(alphabet="ab1é *_`~\"'“#>-.,|[]()!\n/"))
def test_no_words_are_joined(raw):
    """Two letters or digits come together only where emphasis inside a word stood between them."""
    unmarked = Text(raw).unmarked
    text = str(unmarked)
    for at in range(len(text) - 1):
        if text[at].isalnum() and text[at + 1].isalnum():
            between = raw[unmarked.span(at, at + 1).end : unmarked.span(at + 1, at + 2).start]
            assert set(between) <= set("*~`")


@pytest.mark.parametrize(
    "unit",
    [
        *(".", "a. ", '"', '" ', "Sr. ", "\n", "— ", "*a", "[a](b", "](a ", "| ", "- ", "```\n", "```py\n"),
        *("1. ", "http://", "a--", "(a 2000", ". ( ", "a,\n", "… ", " ", "~~~", "A.", "# "),
    ],
)
def test_hostile_text_takes_linear_time(unit):
    """Segmenting twice as many repeats takes about twice as long."""

    def segment(raw):
        text = Text(raw)
        return text.words, text.sentences, text.unmarked

    timing.assert_linear(timing.repeated(unit), segment, 50_000)
