"""How many sentences and words."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.registry import Example, Kind, constraint
from lm_eval_ifeval_pt.relations import Relation, holds, is_limit, spell
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.verdict import Verdict


def _kind(relation: Relation, **_: int) -> Kind:
    return "passive" if is_limit(relation) else "active"


def _wording(parameter: str, singular: str, plural: str, *, relation: Relation, **kwargs: int) -> str:
    target = kwargs[parameter]
    return f"Responda em {spell(relation, target)} {singular if target == 1 else plural}."


def _detail(count: int, singular: str, plural: str, relation: Relation, target: int) -> str:
    counted = f"tem {count} {singular if count == 1 else plural}" if count else f"não tem nenhuma {singular}"
    asked = "pedia-se" if target == 1 else "pediam-se"
    return f"A resposta {counted}; {asked} {spell(relation, target)}."


@constraint(
    "length_constraints:number_sentences",
    wording=partial(_wording, "num_sentences", "frase", "frases"),
    kind=_kind,
    follows=[
        Example("O Sr. Silva chegou. Trouxe frutas, etc.", {"num_sentences": 2, "relation": "exactly"}),
        Example("1. Separe o lixo.\n2. Lave as latas.", {"num_sentences": 2, "relation": "at least"}),
        Example("— Você vem? — perguntou Ana.", {"num_sentences": 2, "relation": "less than"}),
    ],
    breaks=[
        Example("Bem... talvez chova hoje.", {"num_sentences": 2, "relation": "at least"}),
        Example("Como assim?! Não acredito!", {"num_sentences": 1, "relation": "at most"}),
    ],
)
def number_sentences(text: Text, *, num_sentences: int, relation: Relation) -> Verdict:
    """The number of sentences stands in the relation to `num_sentences`.

    A title, a heading and each item of a list is a sentence of its own; an abbreviation ends none.
    """
    count = len(text.sentences)
    return Verdict(
        holds(count, relation, num_sentences),
        text.evidence(text.sentences),
        _detail(count, "frase", "frases", relation, num_sentences),
    )


@constraint(
    "length_constraints:number_words",
    wording=partial(_wording, "num_words", "palavra", "palavras"),
    kind=_kind,
    follows=[
        Example("Dar-lhe-ei o guarda-chuva amanhã cedo.", {"num_words": 5, "relation": "exactly"}),
        Example("São 1.234,56 quilos de arroz.", {"num_words": 6, "relation": "less than"}),
    ],
    breaks=[
        Example("Ele veio — disse Ana — e saiu.", {"num_words": 6, "relation": "more than"}),
        Example("- arroz\n- feijão", {"num_words": 3, "relation": "at least"}),
    ],
)
def number_words(text: Text, *, num_words: int, relation: Relation) -> Verdict:
    """The number of words stands in the relation to `num_words`.

    A hyphenated form and a number are one word each; dashes, list marks and code blocks are none. Where there
    are too many words, the evidence is the part in excess.
    """
    count = len(text.words)
    followed = holds(count, relation, num_words)
    allowed = max(num_words - (relation == "less than"), 0)
    in_excess = not followed and count > allowed
    excess = [(text.words[allowed][0], text.words[-1][1])] if in_excess else []
    return Verdict(
        followed, text.evidence(excess), _detail(count, "palavra", "palavras", relation, num_words)
    )
