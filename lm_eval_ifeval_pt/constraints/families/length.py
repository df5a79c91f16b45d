"""How many sentences and words."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.constraints.registry import Example, Kind, constraint
from lm_eval_ifeval_pt.constraints.relations import Relation, asked, holds, is_limit, spell
from lm_eval_ifeval_pt.constraints.verdict import Verdict, has
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.span import Span


def _kind(relation: Relation, **_: int) -> Kind:
    return "passive" if is_limit(relation) else "active"


def _wording(parameter: str, singular: str, plural: str, *, relation: Relation, **kwargs: int) -> str:
    target = kwargs[parameter]
    return f"Responda em {spell(relation, target)} {singular if target == 1 else plural}."


def _excess(text: Text, allowed: int) -> tuple[Span, ...]:
    """The part of a text beyond its first `allowed` words."""
    beyond = text.words[max(allowed, 0) :]
    return text.evidence([(beyond[0][0], beyond[-1][1])] if beyond else [])


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
    reads_words=True,
)
def number_sentences(text: Text, *, num_sentences: int, relation: Relation) -> Verdict:
    """The number of sentences stands in the relation to `num_sentences`.

    A title, a heading and each item of a list is a sentence of its own; an abbreviation ends none.
    """
    count = len(text.sentences)
    detail = f"A resposta {has(count, 'frase', 'frases')}; {asked(relation, num_sentences)}."
    return Verdict(holds(count, relation, num_sentences), text.evidence(text.sentences), detail)


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
    reads_words=True,
)
def number_words(text: Text, *, num_words: int, relation: Relation) -> Verdict:
    """The number of words stands in the relation to `num_words`.

    A hyphenated form and a number are one word each; dashes, list marks and code blocks are none. Where there
    are too many words, the evidence is the part in excess.
    """
    count = text.number_of_words
    followed = holds(count, relation, num_words)
    allowed = num_words - (relation == "less than")
    detail = f"A resposta {has(count, 'palavra', 'palavras')}; {asked(relation, num_words)}."
    return Verdict(followed, () if followed else _excess(text, allowed), detail)


@constraint(
    "count:sentence_count_range",
    wording="Responda em {min_sentences} a {max_sentences} frases.",
    kind="active",
    follows=[
        Example("Sim. Vou amanhã.", {"min_sentences": 2, "max_sentences": 3}),
        Example("Não sei… Talvez. Veremos.", {"min_sentences": 2, "max_sentences": 3}),
    ],
    breaks=[
        Example("O séc. XIX acabou.", {"min_sentences": 2, "max_sentences": 3}),
        Example("Sim. Sim. Sim. Sim.", {"min_sentences": 2, "max_sentences": 3}),
    ],
    reads_words=True,
)
def sentence_count_range(text: Text, *, min_sentences: int, max_sentences: int) -> Verdict:
    """The number of sentences is at least `min_sentences` and at most `max_sentences`."""
    count = len(text.sentences)
    detail = f"A resposta {has(count, 'frase', 'frases')}; pediam-se de {min_sentences} a {max_sentences}."
    return Verdict(min_sentences <= count <= max_sentences, text.evidence(text.sentences), detail)


@constraint(
    "count:word_count_range",
    wording="Responda em {min_words} a {max_words} palavras.",
    kind="active",
    follows=[
        Example("Disse-me que viria.", {"min_words": 3, "max_words": 4}),
        Example("Custa R$ 1.500,00 hoje.", {"min_words": 3, "max_words": 4}),
    ],
    breaks=[
        Example("Far-se-á — amanhã.", {"min_words": 3, "max_words": 4}),
        Example("Um, dois, três, quatro, cinco.", {"min_words": 3, "max_words": 4}),
    ],
    reads_words=True,
)
def word_count_range(text: Text, *, min_words: int, max_words: int) -> Verdict:
    """The number of words is at least `min_words` and at most `max_words`.

    Where there are too many words, the evidence is the part in excess.
    """
    count = text.number_of_words
    detail = f"A resposta {has(count, 'palavra', 'palavras')}; pediam-se de {min_words} a {max_words}."
    return Verdict(min_words <= count <= max_words, _excess(text, max_words), detail)
