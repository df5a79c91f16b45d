"""A heading at the start; parts between separators."""

from __future__ import annotations

import regex

from lm_eval_ifeval_pt.constraints import amounts
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.normal import normalise

_HEADING = regex.compile(r"\s*+(?P<marks>#{1,6})[ \t]++[^\n\p{L}\p{N}]*+[\p{L}\p{N}][^\n]*+")
_TEXT = regex.compile(r"[\p{L}\p{N}]")
_PARTS = ("parte", "partes")


@constraint(
    "br:tem_titulo_markdown",
    wording=lambda *, level=None: (
        f"Comece a resposta com um título em Markdown (usando {'#' * level if level else '#'})."
    ),
    kind="active",
    follows=[
        Example("# Reciclagem\n\nRecicle."),
        Example("\n## Reciclagem", {"level": 2}),
    ],
    breaks=[
        Example("#Reciclagem"),
        Example("Recicle.\n\n# Fim"),
        Example("# Reciclagem", {"level": 2}),
        Example("# \nRecicle."),
    ],
)
def markdown_title(text: Text, *, level: int | None = None) -> Verdict:
    """The first line that is not blank is a heading (`# …`) with words; of that level, where one is given."""
    match = _HEADING.match(text.text)
    followed = match is not None and level in (None, len(match["marks"]))
    detail = f"A resposta {'começa' if followed else 'não começa'} com o título pedido."
    return Verdict(followed, text.evidence([match.span()] if match else []), detail)


@constraint(
    "br:n_secoes",
    wording="Divida a resposta em pelo menos {num_sections} partes, separadas por '{separator}'.",
    kind="active",
    follows=[
        Example("Um\n---\nDois\n---\nTrês", {"separator": "---", "num_sections": 3}),
        Example("Um ### Dois", {"separator": "###", "num_sections": 2}),
    ],
    breaks=[
        Example("Um\n---\nDois", {"separator": "---", "num_sections": 3}),
        Example("Um ### ### ", {"separator": "###", "num_sections": 2}),
    ],
)
def separated_parts(text: Text, *, separator: str, num_sections: int) -> Verdict:
    """At least so many parts with letters or digits between separators, which are taken literally."""
    between, done = [], 0
    divider = normalise(separator)[0].strip()
    for match in regex.finditer(regex.escape(divider), text.text):
        between.append((done, match.start()))
        done = match.end()
    between.append((done, len(text.text)))
    parts = [span for span in between if _TEXT.search(text.text, *span)]
    return amounts.compare(text, parts, _PARTS, "at least", num_sections)
