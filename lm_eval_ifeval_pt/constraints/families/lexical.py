"""Connectives, conjunctions, markers of time and of contrast: the words and phrases of our lists."""

from __future__ import annotations

import re
from functools import partial

from lm_eval_ifeval_pt.constraints.amounts import NounForms
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.relations import asked
from lm_eval_ifeval_pt.constraints.verdict import Verdict, has
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.markers import markers

_SHOWN = 5


def _different(text: Text, name: str, noun: NounForms, least: int) -> Verdict:
    """Whether the text has at least so many different entries of a list."""
    first_of_entry: dict[str, tuple[int, int]] = {}
    for start, end, entry in markers(text.lower, text.words, name):
        first_of_entry.setdefault(entry, (start, end))
    shown = f"{', '.join(list(first_of_entry)[:_SHOWN])}{'…' if len(first_of_entry) > _SHOWN else ''}"
    listed = f" ({shown})" if first_of_entry else ""
    detail = f"A resposta {has(len(first_of_entry), *noun)}{listed}; {asked('at least', least)}."
    return Verdict(len(first_of_entry) >= least, text.evidence(first_of_entry.values()), detail)


def _wording(parameter: str, noun: NounForms, such_as: str, **kwargs: int) -> str:
    least = kwargs[parameter]
    return f"Use pelo menos {least} {noun[least != 1]} na resposta ({such_as}, etc.)."


_CONNECTIVES = ("conectivo diferente", "conectivos diferentes")
_TEMPORAL = ("marcador temporal diferente", "marcadores temporais diferentes")
_CONTRAST = ("marcador de contraste", "marcadores de contraste")
_CONJUNCTIONS = ("conjunção coordenativa", "conjunções coordenativas")


@constraint(
    "words:connective",
    wording=partial(_wording, "min_connectives", _CONNECTIVES, "portanto, assim, além disso"),
    kind="active",
    follows=[
        Example("Além disso, chove; portanto, fico.", {"min_connectives": 2}),
        Example("Fico, apesar\nda chuva. AINDA ASSIM, gosto.", {"min_connectives": 2}),
    ],
    breaks=[
        Example("O catálogo e o diálogo são longos.", {"min_connectives": 1}),
        Example("Assim é, assim foi.", {"min_connectives": 2}),
        Example("Desde então, logo cedo, ele vai embora.", {"min_connectives": 1}),
    ],
    reads_words=True,
)
def connective(text: Text, *, min_connectives: int) -> Verdict:
    """At least so many different connectives of our list (`data/lexicon/connectives.txt`), as whole words.

    Discourse markers (portanto, além disso), conjunctions and locutions that join clauses (mas, embora, apesar de).
    The longest counts: "ainda assim" is one, not two. What only looks like one ("desde então") does not.
    """
    return _different(text, "connectives", _CONNECTIVES, min_connectives)


@constraint(
    "words:temporal_marker",
    wording=partial(_wording, "min_markers", _TEMPORAL, "primeiro, depois, então, finalmente"),
    kind="active",
    follows=[
        Example("Primeiro ele leu; depois, dormiu.", {"min_markers": 2}),
        Example("Então ele partiu para o sertão.", {"min_markers": 1}),
    ],
    breaks=[
        Example("São personagens importantes e elegantes.", {"min_markers": 1}),
        Example("Depois veio, depois foi.", {"min_markers": 2}),
        Example("É o primeiro romance do autor.", {"min_markers": 1}),
    ],
    reads_words=True,
)
def temporal_marker(text: Text, *, min_markers: int) -> Verdict:
    """At least so many different temporal markers of our list (`data/lexicon/temporal_markers.txt`), as whole words."""
    return _different(text, "temporal_markers", _TEMPORAL, min_markers)


@constraint(
    "words:contrast_marker",
    wording="Use pelo menos um marcador de contraste na resposta (porém, contudo, no entanto, por outro lado, etc.).",
    kind="active",
    follows=[
        Example("O livro é curto; no entanto, pesa."),
        Example("É bom, mas longo."),
        Example("APESAR DE tudo, gostei."),
    ],
    breaks=[
        Example("Não só é bom, mas também curto."),
        Example("Ele foi embora."),
        Example("Portanto, gostei."),
    ],
    reads_words=True,
)
def contrast_marker(text: Text) -> Verdict:
    """A marker of contrast of our list (`data/lexicon/contrast_markers.txt`), as a whole word."""
    return _different(text, "contrast_markers", _CONTRAST, 1)


# "Penso, logo existo": so; not "logo depois", "logo cedo", "logo na entrada".
_SO = re.compile(
    r"[,;]\s+(logo)\s+(?!(?:após|depois|mais|que|cedo|ali|aqui|lá|ao|aos|à|às|n[oa]s?|em|de|d[oa]s?|adiante|abaixo|acima"
    r"|atrás|antes|então|logo|se)\b)\w"
)


@constraint(
    "words:conjunction_count",
    wording=partial(_wording, "min_count", _CONJUNCTIONS, "e, mas, ou, porém, contudo"),
    kind="active",
    follows=[
        Example("Leu e releu, mas não entendeu.", {"min_count": 2}),
        Example("Vá ou fique; portanto, decida e pronto.", {"min_count": 3}),
    ],
    breaks=[
        Example("É bonito, ou seja, é belo.", {"min_count": 1}),
        Example("Não entendeu nem leu.", {"min_count": 2}),
    ],
    reads_words=True,
)
def conjunction_count(text: Text, *, min_count: int) -> Verdict:
    """At least so many coordinating conjunctions of our list, each time that one occurs."""
    conjunctions = [(start, end) for start, end, _ in markers(text.lower, text.words, "coordinating_conjunctions")]
    conjunctions = sorted({*conjunctions, *(match.span(1) for match in _SO.finditer(text.lower))})
    detail = f"A resposta {has(len(conjunctions), *_CONJUNCTIONS)}; {asked('at least', min_count)}."
    return Verdict(len(conjunctions) >= min_count, text.evidence(conjunctions), detail)
