"""What a response is made of: paragraphs, sections, two answers, a postscript."""

from __future__ import annotations

from functools import lru_cache

import regex

from lm_eval_ifeval_pt.constraints.families.edges import opening
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.relations import asked
from lm_eval_ifeval_pt.constraints.verdict import Verdict, count, has
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.markup import LINE_OPENER
from lm_eval_ifeval_pt.text.normal import normalise
from lm_eval_ifeval_pt.text.terms import source

_DIVIDER = regex.compile(r"(?<!\S)\*{3}(?!\S)")
_SIX = regex.compile(r"(?<!\*)\*{6}(?!\*)")
_MARKED = rf"(?:{LINE_OPENER}|^)[ \t]*+[*_~`\"“(<\[]*+[ \t]*+"
"""The start of a line, with any Markdown, quotation mark or bracket."""
_NUMBER = r"(?:\d+|[IVXLC]+)(?![\p{L}\p{N}])"


def _divided(text: Text, divider: regex.Pattern[str]) -> list[tuple[int, int]]:
    """The spans between dividers, without outer white space; blank first and last ones are left out."""
    parts, done = [], 0
    for start, end in (*(match.span() for match in divider.finditer(text.text)), (len(text.text),) * 2):
        part = text.text[done:start]
        left = done + len(part) - len(part.lstrip())
        parts.append((left, max(left, done + len(part.rstrip()))))
        done = end
    inner = slice(parts[0][0] == parts[0][1], len(parts) - (parts[-1][0] == parts[-1][1]))
    return parts[inner]


@constraint(
    "length_constraints:number_paragraphs",
    wording=lambda *, num_paragraphs: (
        f"A resposta deve ter exatamente {count(num_paragraphs, 'parágrafo', 'parágrafos')}. "
        "Separe os parágrafos com o divisor de Markdown: ***"
    ),
    kind=lambda *, num_paragraphs: "active" if num_paragraphs != 1 else "passive",
    follows=[
        Example("Um.\n***\nDois.", {"num_paragraphs": 2}),
        Example("***Atenção***: leia.\n\n***\n\nFim.", {"num_paragraphs": 2}),
        Example("***\nUm, *ainda* um.\n\nUm.\n***", {"num_paragraphs": 1}),
    ],
    breaks=[
        Example("Um.\n\nDois.", {"num_paragraphs": 2}),
        Example("Um.\n***\n***\nDois.", {"num_paragraphs": 2}),
        Example("Um.\n******\nDois.", {"num_paragraphs": 2}),
    ],
)
def number_paragraphs(text: Text, *, num_paragraphs: int) -> Verdict:
    """Exactly so many paragraphs, divided by three asterisks that stand by themselves.

    A divider may also stand before the first or after the last one; between two there must be a paragraph.
    Asterisks next to a word are emphasis.
    """
    paragraphs = _divided(text, _DIVIDER)
    if any(start == end for start, end in paragraphs):
        return Verdict(False, text.evidence(paragraphs), "Há um parágrafo vazio entre dois divisores ***.")
    detail = f"A resposta {has(len(paragraphs), 'parágrafo', 'parágrafos')}; {asked('exactly', num_paragraphs)}."
    return Verdict(len(paragraphs) == num_paragraphs, text.evidence(paragraphs), detail)


@constraint(
    "length_constraints:nth_paragraph_first_word",
    wording=lambda *, num_paragraphs, nth_paragraph, first_word: (
        f"A resposta deve ter {count(num_paragraphs, 'parágrafo', 'parágrafos')}, separados por uma linha em branco. "
        f"O {nth_paragraph}º parágrafo deve começar com '{first_word}'."
    ),
    kind="active",
    follows=[
        Example("“Justiça é cega”, dizem.", {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "justiça"}),
        Example(
            "Oi, Ana.\n\n\n\nVerdade: é hoje.",
            {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "verdade"},
        ),
    ],
    breaks=[
        Example("Um.\n\nDois.", {"num_paragraphs": 3, "nth_paragraph": 2, "first_word": "dois"}),
        Example("Solar.\n\nMar.", {"num_paragraphs": 2, "nth_paragraph": 1, "first_word": "sol"}),
        Example("Um.\nDois.", {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "dois"}),
    ],
)
def nth_paragraph_first_word(text: Text, *, num_paragraphs: int, nth_paragraph: int, first_word: str) -> Verdict:
    """So many paragraphs, with empty lines between them, of which the n-th starts with a word, in any case.

    Opening quotes and brackets and the dash of a dialogue may come before the word; Markdown may not.
    """
    paragraphs = text.paragraphs
    if len(paragraphs) != num_paragraphs:
        number = has(len(paragraphs), "parágrafo", "parágrafos")
        detail = f"A resposta {number}; {asked('exactly', num_paragraphs)}."
        return Verdict(False, text.evidence(paragraphs), detail)
    if not 1 <= nth_paragraph <= num_paragraphs:
        return Verdict(False, (), f"Não há {nth_paragraph}º parágrafo em {num_paragraphs}.")
    start, end = paragraphs[nth_paragraph - 1]
    if match := opening(first_word).match(text.lower, start, end):
        detail = f"O {nth_paragraph}º parágrafo começa com “{first_word}”."
        return Verdict(True, text.evidence([match.span(1)]), detail)
    detail = f"O {nth_paragraph}º parágrafo não começa com “{first_word}”."
    return Verdict(False, text.evidence([(start, end)]), detail)


@lru_cache(maxsize=1024)
def _section(splitter: str) -> regex.Pattern[str]:
    return regex.compile(rf"{_MARKED}(?i:{source(splitter)})[^\S\n]*+({_NUMBER})", regex.M)


@constraint(
    "detectable_format:multiple_sections",
    wording=lambda *, section_spliter, num_sections: (
        f"A resposta deve ter {count(num_sections, 'seção', 'seções')}. Marque o início de cada seção com "
        f"{section_spliter} X, como em '{section_spliter} 1'."
    ),
    kind="active",
    follows=[
        Example("## Seção 1\nA.\n\n**Seção 2:** B.", {"section_spliter": "Seção", "num_sections": 2}),
        Example("DIA I\nSol.\nDia II\nChuva.", {"section_spliter": "Dia", "num_sections": 2}),
    ],
    breaks=[
        Example(
            "Seção 1\nReciclar ajuda. Como dito na Seção 2, é fácil.",
            {"section_spliter": "Seção", "num_sections": 2},
        ),
        Example("Seção 1\nA.\nSeção 1\nB.", {"section_spliter": "Seção", "num_sections": 2}),
        Example("Seção A\nSessão 2", {"section_spliter": "Seção", "num_sections": 1}),
    ],
    reads_words=True,
)
def multiple_sections(text: Text, *, section_spliter: str, num_sections: int) -> Verdict:
    """At least so many sections: lines that start with the word, in any case, and an Arabic or Roman numeral.

    Headings, emphasis and list marks may come before it. A number that comes again is no further section.
    """
    first_of_number: dict[str, tuple[int, int]] = {}
    for match in _section(section_spliter).finditer(text.text):
        first_of_number.setdefault(match[1], match.span())
    detail = f"A resposta {has(len(first_of_number), 'seção', 'seções')}; {asked('at least', num_sections)}."
    return Verdict(len(first_of_number) >= num_sections, text.evidence(first_of_number.values()), detail)


@constraint(
    "combination:two_responses",
    wording="Dê duas respostas diferentes. Separe-as com 6 asteriscos: ******.",
    kind="active",
    follows=[
        Example("Verão.\n******\nInverno."),
        Example("É o *verão*. ****** É o inverno."),
    ],
    breaks=[
        Example("Verão.\n***\nInverno."),
        Example("Verão.\n******\nVERÃO."),
        Example("Verão.\n******\nInverno.\n******\nOutono."),
        Example("Verão.\n******\n"),
    ],
)
def two_responses(text: Text) -> Verdict:
    """Two answers with six asterisks between them that differ in more than case and white space."""
    parts = _divided(text, _SIX)
    if len(parts) != 2 or any(start == end for start, end in parts):
        return Verdict(False, text.evidence(parts), "A resposta não tem duas partes separadas por ******.")
    first, second = (text.lower[start:end].split() for start, end in parts)
    if first == second:
        return Verdict(False, text.evidence(parts), "As duas respostas são iguais.")
    return Verdict(True, text.evidence(parts), "A resposta tem duas partes diferentes separadas por ******.")


@lru_cache(maxsize=256)
def _postscript(marker: str) -> regex.Pattern[str]:
    """A marker at the start of a line and what follows it; of "P.S." also after a sentence on the same line."""
    initials = [letter.strip() for letter in normalise(marker)[0].split(".") if letter.strip()]
    if len(initials) > 1 and all(len(letter) == 1 for letter in initials):
        written = r"\.[^\S\n]*+".join(map(regex.escape, initials)) + r"(?:\.|(?=[^\S\n]*+[:—–-]))"
        return regex.compile(rf"(?i)(?:{_MARKED}|(?<=[.!?…][\"”’)]?\s{{1,3}})){written}\W*+\w++", regex.M)
    return regex.compile(rf"{_MARKED}(?i:{source(marker.rstrip(' .:'))})(?!-)\W*+\w++", regex.M)


@constraint(
    "detectable_content:postscript",
    wording="No fim da resposta, acrescente um pós-escrito que comece com {postscript_marker}",
    kind="active",
    follows=[
        Example("Abraços.\n\nP.S. Volto logo.", {"postscript_marker": "P.S."}),
        Example("Abraços. P. S.: volto logo.", {"postscript_marker": "P.S."}),
        Example("Abraços.\n**P.P.S.** Volto logo.", {"postscript_marker": "P.P.S"}),
        Example("Fim.\nObs: volto logo.", {"postscript_marker": "OBS."}),
    ],
    breaks=[
        Example("O I.N.P.S. foi extinto em 1990.", {"postscript_marker": "P.S."}),
        Example("Abraços.\nP.P.S. Não esqueça o bolo.", {"postscript_marker": "P.S."}),
        Example("Fiz uma anotação.\nNota-se que é tarde.", {"postscript_marker": "Nota"}),
        Example("Abraços.\nP.S.", {"postscript_marker": "P.S."}),
    ],
    reads_words=True,
)
def postscript(text: Text, *, postscript_marker: str) -> Verdict:
    """A postscript: the marker, in any case, at the start of a line, and something after it.

    Initials ("P.S.") have a stop each, or a colon at the end, and may stand after a sentence on the same line
    too; "P.P.S." is no "P.S.". Of a word ("OBS.") the stop may be left out. Markdown may surround the marker.
    """
    match = _postscript(postscript_marker).search(text.text)
    if not match:
        return Verdict(False, (), f"A resposta não tem pós-escrito com “{postscript_marker}”.")
    return Verdict(True, text.evidence([match.span()]), f"A resposta tem um pós-escrito com “{postscript_marker}”.")
