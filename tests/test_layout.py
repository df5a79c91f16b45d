"""Lists, highlights, titles, placeholders, JSON."""

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.ifeval.dialects.google import GOOGLE_PT
from lm_eval_ifeval_pt.ifeval.scoring import score


def shown(response, verdict):
    """The evidence of a verdict as text."""
    return [response[start:end] for start, end in verdict.evidence]


@pytest.mark.parametrize(
    ("response", "items"),
    [
        ("* a\n* b", 2),
        ("- a\r\n- b\r\n", 2),
        ("  - a\n    * b\n+ c", 3),
        ("> - a\n> - b", 2),
        ("- [ ] a\n- [x] b", 2),
        ("* **Água**: beba.\n* *Sol*: use chapéu.", 2),
        ("- a\n- - -\n* * *\n---\n***", 1),
        ("-5 graus\n*Atenção*: leia\n**Fim**", 0),
        ("— Vem?\n– Vou.\n• a\n1. b", 0),
        ("-\n*\n- ", 0),
        ("```python\n- a\n```\n- b", 1),
    ],
)
def test_bullets_are_lines_that_markdown_shows_as_items(response, items):
    """A mark, a blank and something after it; rules, dashes, signs and code are none."""
    for number in (items - 1, items, items + 1):
        if number >= 0:
            verdict = verify("detectable_format:number_bullet_lists", response, num_bullets=number)
            assert verdict.followed == (number == items), verdict


@pytest.mark.parametrize(
    ("response", "highlights"),
    [
        ("*a*", ["*a*"]),
        ("**a b** e *c*, ***d***.", ["**a b**", "*c*", "***d***"]),
        ("* item com *a*\n* outro", ["*a*"]),
        ("(*a*) “*b*” *c*!", ["*a*", "*b*", "*c*"]),
        ("2 * 3 * 4, 5*6*7 e x*y*z", []),
        ("* a\n* b", []),
        ("** a ** e *a\nb*", []),
        ("*** e ****", []),
        (r"\*a\* e _b_", []),
        ("**Seção:** texto", ["**Seção:**"]),
    ],
)
def test_highlights_are_what_markdown_shows_so(response, highlights):
    """The asterisks hug what they mark, on one line; multiplications and list marks do not."""
    verdict = verify("detectable_format:number_highlighted_sections", response, num_highlights=max(len(highlights), 1))
    assert shown(response, verdict) == highlights
    assert verdict.followed == bool(highlights)


@pytest.mark.parametrize(
    ("response", "placeholders"),
    [
        ("[nome] [e-mail] [2 vias]", ["[nome]", "[e-mail]", "[2 vias]"]),
        ("[[nome]]", ["[nome]"]),
        ("**[nome]**: [ endereço ]", ["[nome]", "[ endereço ]"]),
        ("[ ] [] [1] [...]", []),
        ("[site](http://a.b) ![foto](c.png)", []),
        ("- [x] feito\n1. [X] feito", []),
        ("[no\nme]", []),
        ('["a", "b"]', []),
    ],
)
def test_placeholders_are_filled_brackets_that_are_nothing_else(response, placeholders):
    """Links, boxes, references and JSON lists have brackets too."""
    verdict = verify("detectable_content:number_placeholders", response, num_placeholders=max(len(placeholders), 1))
    assert shown(response, verdict) == placeholders
    assert verdict.followed == bool(placeholders)


@pytest.mark.parametrize(
    ("response", "followed"),
    [
        ("<<Título>>", True),
        ("**<<O 1º título>>**\n\nTexto", True),
        ("<<>>", False),
        ("<<...>>", False),
        ("< <a> >", False),
        ("«a»", False),
        ("<<a\nb>>", False),
        ("1 << 2", False),
    ],
)
def test_a_title_stands_in_double_angle_brackets(response, followed):
    """With something to read in them."""
    assert verify("detectable_format:title", response).followed == followed


@pytest.mark.parametrize(
    ("response", "followed"),
    [
        ('{"a": [1, 2.5, null, true, "é"]}', True),
        ("  [ ]\n", True),
        ('```json\n{"a": 1}\n```', True),
        ('```JSON\n{"a": 1}\n```\n', True),
        ('````\n{"a": "```"}\n````', True),
        ('\ufeff{"a": 1}', True),
        ('```python\n{"a": 1}\n```', False),
        ('{"a": 1} fim', False),
        ("{'a': 1}", False),
        ('{"a": Infinity}', False),
        ('{"a": -Infinity}', False),
        ("[" * 100_000, False),
        ("1" * 5_000, False),
        ("sim", False),
    ],
)
def test_json_is_what_the_standard_says(response, followed):
    """RFC 8259: no comments, no single quotes, no NaN; a fenced block around all of it is allowed."""
    assert verify("detectable_format:json_format", response).followed == followed


def test_loosely_a_line_of_prose_before_the_block_does_not_matter():
    """google/IFEval's loose texts leave out the first line."""
    bound = GOOGLE_PT.bind("detectable_format:json_format", {})
    (result,) = score('Aqui está:\n```json\n{"a": 1}\n```', [bound], GOOGLE_PT.variants)
    assert (result.strict.followed, result.loose.followed) == (False, True)
