"""Paragraphs, lines and how they start."""

from __future__ import annotations

import regex

from lm_eval_ifeval_pt.constraints import amounts
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.relations import Relation
from lm_eval_ifeval_pt.constraints.verdict import Verdict, count
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.lines import lines
from lm_eval_ifeval_pt.text.normal import lower, normalise

_HEADING = regex.compile(r"#{1,6}[ \t][^\n]*")
_TEXT = regex.compile(r"[\p{L}\p{N}]")
_LETTER = regex.compile(r"[\s\"'\p{Pi}\p{Ps}¡¿—–]*(\p{L})")  # the first one, beyond opening quotes and a dash
_PARAGRAPHS = ("parágrafo", "parágrafos")
_SHOWN = 40


@constraint(
    "count:paragraph_count",
    wording=lambda *, num_paragraphs, relation: (
        f"Responda em {amounts.spelled(relation, num_paragraphs, _PARAGRAPHS)}, separados por uma linha em branco."
    ),
    kind=amounts.kind,
    follows=[
        Example("Um.\nAinda um.\n\nDois.", {"num_paragraphs": 2, "relation": "exactly"}),
        Example("# Título\n\nUm.\n\n---\n\nDois.", {"num_paragraphs": 2, "relation": "exactly"}),
        Example("Um.\r\n \r\nDois.\r\n\r\n\r\nTrês.", {"num_paragraphs": 3, "relation": "at least"}),
    ],
    breaks=[
        Example("Um.\nDois.\nTrês.", {"num_paragraphs": 2, "relation": "at least"}),
        Example("## Um\n\nTexto.\n\n## Dois", {"num_paragraphs": 2, "relation": "exactly"}),
    ],
)
def paragraph_count(text: Text, *, num_paragraphs: int, relation: Relation) -> Verdict:
    """The number of paragraphs stands in the relation to `num_paragraphs`.

    Empty lines part them. A heading (`## …`) that stands alone and a rule (`---`) are none; a list is one, and so is
    each of its items that empty lines part.
    """
    of_text = [
        (start, end)
        for start, end in text.paragraphs
        if _TEXT.search(text.text, start, end) and not _HEADING.fullmatch(text.text, start, end)
    ]
    return amounts.compare(text, of_text, _PARAGRAPHS, relation, num_paragraphs)


@constraint(
    "count:exact_line_count",
    wording="A resposta deve ter exatamente {num_lines} linhas.",
    kind="active",
    follows=[
        Example("Rosas\nna mesa\n\nda sala", {"num_lines": 3}),
        Example("```\nCasa\nVazia\n```\n---\n", {"num_lines": 2}),
    ],
    breaks=[
        Example("Rosas na mesa\nda sala", {"num_lines": 3}),
        Example("Um\r\n\r\nDois\r\nTrês", {"num_lines": 4}),
    ],
)
def exact_line_count(text: Text, *, num_lines: int) -> Verdict:
    """Exactly so many lines with something on them; rules and fence lines are none."""
    return amounts.compare(text, list(lines(text.text)), ("linha", "linhas"), "exactly", num_lines)


@constraint(
    "structure:each_line_starts_with",
    wording="Cada linha deve começar com '{char}'.",
    kind="active",
    follows=[
        Example("→ Um\n→ Dois", {"char": "→"}),
        Example("  - arroz\n\n  - feijão", {"char": "-"}),
    ],
    breaks=[
        Example("Compre:\n- arroz\n- feijão", {"char": "-"}),
        Example("• arroz\n- feijão", {"char": "•"}),
    ],
)
def each_line_starts_with(text: Text, *, char: str) -> Verdict:
    """Each line with something on it starts with the sign or word, beyond blanks; in any case."""
    start = lower(normalise(char)[0]).strip()
    all_lines = list(lines(text.text))
    others = [span for span in all_lines if not text.lower.startswith(start, span[0])]
    number = count(len(others), "linha que não começa", "linhas que não começam")
    detail = f"A resposta tem {number} com “{char[:_SHOWN]}”." if others else "Todas as linhas começam assim."
    return Verdict(bool(all_lines) and not others, text.evidence(others), detail)


@constraint(
    "structure:acrostic",
    wording="Escreva um acróstico: a primeira letra de cada linha forma a palavra '{word}'.",
    kind="active",
    follows=[
        Example("Areia fina\nMar sem fim\nOnda\nRede", {"word": "amor"}),
        Example("“Como vai?\n\n— É cedo.”\nUm dia\nPassa", {"word": "CÉU"}),
    ],
    breaks=[
        Example("**S**ertão\n**O**lhos\n**L**uz", {"word": "SOL"}),
        Example("Cedo\nE tarde\nUm dia", {"word": "CÉU"}),
        Example("Poema\nSertão\nOlhos\nLuz", {"word": "SOL"}),
        Example("Sertão\nOlhos", {"word": "SOL"}),
    ],
)
def acrostic(text: Text, *, word: str) -> Verdict:
    """The first letters of the first lines spell the word, in any case; accents matter, more lines may follow.

    Blanks, opening quotes and the dash of a dialogue may come before a letter; markdown may not.
    """
    letters = [letter for letter in lower(normalise(word)[0]) if letter.isalpha()]
    first = list(lines(text.text))[: len(letters)]
    initials = [match.span(1) for span in first if (match := _LETTER.match(text.text, *span))]
    read = "".join(text.text[slice(*span)] for span in initials)
    detail = f"As primeiras letras das linhas formam “{read[:_SHOWN]}”; pedia-se “{word[:_SHOWN]}”."
    return Verdict(len(initials) == len(first) and list(lower(read)) == letters, text.evidence(initials), detail)
