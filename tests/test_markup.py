"""What the loose score looks through."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_ifeval_pt.constraints.registry import constraints
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


@pytest.mark.slow
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


EMPHASISED = {
    "each word": (r"[^\W\d_]{2,}", r"**\g<0>**"),
    "a part of each word": (r"[^\W\d_]{2,}(?=[^\W\d_]{2})", r"**\g<0>**"),
    "words that follow": (r"(?<=[^\W\d_] )[^\W\d_]{2,}", r"*\g<0>*"),
    "first words of compounds": (r"[^\W\d_]{2,}(?=-)", r"_\g<0>_"),
    "code": (r"(?<!`)\b[^\W\d_]{2,}\b(?![`_])", r"`\g<0>`"),
}
READ_WORDS = [id for id, each in constraints().items() if each.reads_words or id.startswith("keywords:")]


@pytest.mark.parametrize("name", EMPHASISED)
@pytest.mark.parametrize("id", READ_WORDS)
def test_emphasis_around_and_inside_words_changes_no_verdict(id, name):
    """What looks for words looks through emphasis, strictly too: "**lix**o" is lixo, "não **me** diga" a próclise."""
    each = constraints()[id]
    for example in (*each.follows, *each.breaks):
        if set("*_`") & set(example.text):  # marks within marks are other marks
            continue
        marked = re.sub(*EMPHASISED[name], example.text)
        assert each.bind(example.kwargs).verify(Text(marked)).followed == (example in each.follows), marked


@pytest.mark.parametrize("signs", ["2 * 3 * 4", "snake_case", "~5 km", "a*b*c", "2**3", "* item"])
def test_signs_are_no_emphasis(signs):
    """A product, a name of code and the mark of a list stay."""
    assert str(Text(signs).plain) == signs


def test_evidence_under_emphasis_leads_to_the_response():
    """Spans of the text without emphasis are spans of the response as it came."""
    text = "Ele não **me** *disse*."
    (span,) = constraints()["ptbr:proclise"].bind({}).verify(Text(text)).evidence
    assert text[slice(*span)] == "não **me** *disse"
