"""Letters and signs that are counted one by one."""

from __future__ import annotations

import regex

from lm_eval_ifeval_pt.constraints.registry import Example, Kind, constraint
from lm_eval_ifeval_pt.constraints.relations import Relation, asked, holds, is_limit, spell
from lm_eval_ifeval_pt.constraints.verdict import Verdict, has
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.normal import lower, normalise

_COMMA = regex.compile("[,，]")


def _wording(*, letter: str, let_frequency: int, let_relation: Relation) -> str:
    noun = f"a letra '{letter}'" if letter.isalpha() else f"o caractere '{letter}'"
    return f"Use {noun} {spell(let_relation, let_frequency)} {'vez' if let_frequency == 1 else 'vezes'}."


def _kind(*, let_relation: Relation, **_: str | int) -> Kind:
    return "passive" if is_limit(let_relation) else "active"


@constraint(
    "keywords:letter_frequency",
    wording=_wording,
    kind=_kind,
    follows=[
        Example("A Praça e a AÇÃO.", {"letter": "ç", "let_frequency": 2, "let_relation": "at least"}),
        Example("#sol e #mar hoje", {"letter": "#", "let_frequency": 2, "let_relation": "at least"}),
        Example("Fé e pé.", {"letter": "e", "let_frequency": 2, "let_relation": "less than"}),
    ],
    breaks=[
        Example("A praça.", {"letter": "ç", "let_frequency": 2, "let_relation": "at least"}),
        Example("Chá, avó, lã.", {"letter": "a", "let_frequency": 2, "let_relation": "at least"}),
        Example("Zebra, ZERO, azar.", {"letter": "Z", "let_frequency": 3, "let_relation": "less than"}),
    ],
)
def letter_frequency(text: Text, *, letter: str, let_frequency: int, let_relation: Relation) -> Verdict:
    """The number of occurrences of a letter, or of any other sign, stands in the relation to `let_frequency`.

    In any case. Letters with a mark are letters of their own: neither "á" nor "ã" is an "a", and "ç" is no
    "c".
    """
    wanted = lower(normalise(letter)[0]).strip()
    occurrences = [match.span() for match in regex.finditer(regex.escape(wanted), text.lower)]
    return Verdict(
        holds(len(occurrences), let_relation, let_frequency),
        text.evidence(occurrences),
        f"A resposta {has(len(occurrences), 'ocorrência', 'ocorrências')} de “{letter}”; "
        f"{asked(let_relation, let_frequency)}.",
    )


@constraint(
    "keywords:cedilha_frequency",
    wording=lambda *, count: f"Use a letra 'ç' exatamente {count} {'vez' if count == 1 else 'vezes'}.",
    kind=lambda *, count: "active" if count else "passive",
    follows=[
        Example("A força da dança.", {"count": 2}),
        Example("ATENÇÃO!", {"count": 1}),
        Example("Nada a declarar.", {"count": 0}),
    ],
    breaks=[
        Example("A força da dança na praça.", {"count": 2}),
        Example("A forca da danca.", {"count": 2}),
        Example("Atenção!", {"count": 0}),
    ],
    reads_words=True,
)
def cedilha_frequency(text: Text, *, count: int) -> Verdict:
    """Exactly so many ç, in any case: letters, not words."""
    return letter_frequency(text, letter="ç", let_frequency=count, let_relation="exactly")


@constraint(
    "punctuation:no_comma",
    wording="Não use nenhuma vírgula na resposta.",
    kind="passive",
    follows=[
        Example("Hoje fez sol; amanhã chove."),
        Example("O texto tem ponto. E ponto e vírgula;"),
    ],
    breaks=[
        Example("Arroz, feijão e ovo."),
        Example("A taxa foi de 3,5 por cento."),
        Example("`f(a, b)`"),
    ],
)
def no_comma(text: Text) -> Verdict:
    """No comma at all: that of a decimal number and those in code count too."""
    commas = [match.span() for match in _COMMA.finditer(text.text)]
    return Verdict(not commas, text.evidence(commas), f"A resposta {has(len(commas), 'vírgula', 'vírgulas')}.")
