"""What a response looks like: lists, highlights, titles, placeholders, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NoReturn

import regex

from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.relations import asked
from lm_eval_ifeval_pt.constraints.verdict import Verdict, count, has
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.markup import outside_fences

# "---" and "* * *" are rules.
_BULLET = regex.compile(r"^[ \t>]*+(?!(?:-[ \t]*+){3,}+$|(?:\*[ \t]*+){3,}+$)[-*+][ \t]++(?=\S)[^\n]*+", regex.M)
_HIGHLIGHT = regex.compile(r"(?<![\w*\\])(\*{1,3}+)(?=[^\s*])[^*\n]*+(?<=\S)\1(?![\w*])")
_PLACEHOLDER = regex.compile(r"(?<!!)\[[^\S\n]*+(?=[^\[\]\n]*\p{L})(?![\"'“])[^\[\]\n]++\](?!\()")
_CHECKBOX = regex.compile(r"^[ \t>]*+(?:[-*+]|\d{1,3}[.)])[ \t]++(\[[xX]\])(?=[ \t])", regex.M)
_TITLE = regex.compile(r"<<(?=[^<>\n]*[\p{L}\p{N}])[^<>\n]++>>")
_JSON_FENCE = regex.compile(r"(`{3,})[ \t]*+(?:json)?[ \t]*+\n", regex.I)


def _spans(pattern: regex.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """The matches of a pattern outside of code blocks."""
    for start, end in outside_fences(text):
        for match in pattern.finditer(text, start, end):
            yield match.span()


@constraint(
    "detectable_format:number_bullet_lists",
    wording=lambda *, num_bullets: (
        f"Sua resposta deve ter exatamente {count(num_bullets, 'marcador', 'marcadores')} de lista em Markdown, "
        "como '* Este é um ponto.'"
    ),
    kind=lambda *, num_bullets: "active" if num_bullets else "passive",
    follows=[
        Example("Compre:\n* arroz\n* feijão", {"num_bullets": 2}),
        Example("- arroz\n---\n- feijão\n  - preto", {"num_bullets": 3}),
        Example("* Frio em Gramado:\n-5 graus\n— Nossa!", {"num_bullets": 1}),
    ],
    breaks=[
        Example("* arroz\n* feijão\n* ovo", {"num_bullets": 2}),
        Example("1. arroz\n2. feijão", {"num_bullets": 2}),
        Example("**Arroz** e *feijão*\n* * *", {"num_bullets": 1}),
    ],
)
def number_bullet_lists(text: Text, *, num_bullets: int) -> Verdict:
    """Exactly so many items of Markdown lists: lines that start with -, * or + and a blank.

    Items within items count. Numbered items, rules (---), dashes of dialogue and negative numbers do not, nor
    does the sign •, which is no Markdown.
    """
    bullets = list(_spans(_BULLET, text.text))
    return Verdict(
        len(bullets) == num_bullets,
        text.evidence(bullets),
        f"A resposta {has(len(bullets), 'marcador', 'marcadores')} de lista; {asked('exactly', num_bullets)}.",
    )


@constraint(
    "detectable_format:number_highlighted_sections",
    wording=lambda *, num_highlights: (
        f"Destaque pelo menos {num_highlights} {'trecho' if num_highlights == 1 else 'trechos'} da resposta com "
        "Markdown, isto é, *trecho destacado*."
    ),
    kind="active",
    follows=[
        Example("Leve *água* e **protetor solar**.", {"num_highlights": 2}),
        Example("* Um item com *destaque*", {"num_highlights": 1}),
        Example("***Atenção***: leia.", {"num_highlights": 1}),
    ],
    breaks=[
        Example("Calcule 2 * 3 * 4 e 5*6*7.", {"num_highlights": 1}),
        Example("* arroz\n* feijão", {"num_highlights": 1}),
        Example("Leve *água* e ** sol **.", {"num_highlights": 2}),
        Example("****\n_água_", {"num_highlights": 1}),
    ],
)
def number_highlighted_sections(text: Text, *, num_highlights: int) -> Verdict:
    """At least so many pieces between asterisks, one, two or three on each side, on one line.

    As Markdown has it, no blank follows the opening asterisks nor precedes the closing ones; no letter or
    digit precedes the former nor follows the latter.
    """
    highlights = list(_spans(_HIGHLIGHT, text.text))
    return Verdict(
        len(highlights) >= num_highlights,
        text.evidence(highlights),
        f"A resposta {has(len(highlights), 'destaque', 'destaques')}; {asked('at least', num_highlights)}.",
    )


@constraint(
    "detectable_format:title",
    wording="A resposta deve ter um título entre colchetes angulares duplos, como <<poema de alegria>>.",
    kind="active",
    follows=[
        Example("<<Poema de alegria>>\nTexto."),
        Example("# << O Sertão >>"),
    ],
    breaks=[
        Example("«O Sertão»\nTexto."),
        Example("<< >> Texto."),
        Example("<O Sertão>"),
        Example("<<O\nSertão>>"),
    ],
)
def title(text: Text) -> Verdict:
    """A title in double angle brackets on one line, with a letter or digit in it; guillemets (« ») are none."""
    match = _TITLE.search(text.text)
    if not match:
        return Verdict(False, (), "A resposta não tem título entre << e >>.")
    return Verdict(True, text.evidence([match.span()]), "A resposta tem um título entre << e >>.")


@constraint(
    "detectable_content:number_placeholders",
    wording=lambda *, num_placeholders: (
        f"A resposta deve ter pelo menos {num_placeholders} "
        f"{'espaço reservado' if num_placeholders == 1 else 'espaços reservados'} entre colchetes, como [endereço]."
    ),
    kind="active",
    follows=[
        Example("Eu, [nome], moro em [cidade].", {"num_placeholders": 2}),
        Example("Em [data de 2026]: [ valor ]", {"num_placeholders": 2}),
    ],
    breaks=[
        Example("Nome: [ ] Endereço: []", {"num_placeholders": 1}),
        Example("Visite [o site](https://exemplo.com.br) e [nome].", {"num_placeholders": 2}),
        Example("- [x] Feito [1]\n- [ ] A fazer", {"num_placeholders": 1}),
        Example('{"frutas": ["caju", "umbu"]}', {"num_placeholders": 1}),
    ],
)
def number_placeholders(text: Text, *, num_placeholders: int) -> Verdict:
    """At least so many pieces in square brackets, on one line, with a letter in them.

    Links and images, ticked boxes of a list, references such as [1] and lists of quoted strings are none.
    """
    boxes = {match.span(1) for match in _CHECKBOX.finditer(text.text)}
    placeholders = [span for span in _spans(_PLACEHOLDER, text.text) if span not in boxes]
    number = has(len(placeholders), "espaço reservado", "espaços reservados")
    return Verdict(
        len(placeholders) >= num_placeholders,
        text.evidence(placeholders),
        f"A resposta {number}; {asked('at least', num_placeholders)}.",
    )


@constraint(
    "detectable_format:json_format",
    wording="Toda a resposta deve estar em formato JSON; ela pode vir em um bloco de código Markdown, como ```.",
    kind="active",
    follows=[
        Example('{"nome": "Ana", "idade": 30}'),
        Example('``` json\n{"a": 1}\n```'),
        Example("```\n[1, 2]\n```\n"),
    ],
    breaks=[
        Example("{“nome”: “Ana”}"),
        Example('Aqui está:\n```json\n{"nome": "Ana"}\n```'),
        Example('{"a": 1,}'),
        Example("NaN"),
    ],
)
def json_format(text: Text) -> Verdict:
    """The whole response is a JSON value, possibly in one fenced block; NaN and Infinity are none."""
    value = text.text.strip()
    if fence := _JSON_FENCE.match(value):
        value = value[fence.end() :].removesuffix(fence[1]).strip()
    try:
        json.loads(value, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        where = f"linha {error.lineno}, coluna {error.colno}"
        return Verdict(False, (), f"A resposta não é JSON válido ({where} do conteúdo).")
    except (ValueError, RecursionError):
        return Verdict(False, (), "A resposta não é JSON válido.")
    return Verdict(True, (), "A resposta é JSON válido.")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
