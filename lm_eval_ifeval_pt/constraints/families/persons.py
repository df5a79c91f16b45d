"""Pronouns of the first, second and third person."""

from __future__ import annotations

from lm_eval_ifeval_pt.constraints import amounts
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text, persons

_FIRST = ("pronome de primeira pessoa", "pronomes de primeira pessoa")
_SECOND = ("pronome de segunda pessoa", "pronomes de segunda pessoa")
_THIRD = ("pronome de terceira pessoa", "pronomes de terceira pessoa")


@constraint(
    "forbidden:no_first_person",
    wording="Não use pronomes de primeira pessoa (eu, me, mim, nós, meu, nosso, etc.).",
    kind="passive",
    follows=[
        Example("A fama da obra cresceu nos jovens leitores."),
        Example("O eu lírico desata os nós da rede."),
        Example("Foi lido nos EUA e nos 50 anos seguintes."),
    ],
    breaks=[
        Example("O autor nos mostra o cortiço."),
        Example("Disseram-me que sim."),
        Example("Entre nós, a obra é boa."),
        Example("Em MINHA opinião, é bom."),
    ],
    reads_words=True,
)
def no_first_person(text: Text) -> Verdict:
    """No pronoun of the first person, also joined to a verb (`text.persons.first`); verbs are not looked at.

    The contraction nos (em + os), knots, the "eu lírico" and Nossa Senhora are no pronouns of the first person.
    """
    return amounts.none(text, list(persons.first(text.text, text.lower, text.clitics)), _FIRST)


@constraint(
    "forbidden:no_second_person",
    wording="Não use pronomes de segunda pessoa (tu, te, você, vocês, teu, vosso, etc.).",
    kind="passive",
    follows=[
        Example("O leitor vê o rio Tua."),
        Example("Vejam a obra."),
    ],
    breaks=[
        Example("Você vê a obra."),
        Example("Digo-te que sim."),
        Example("Peço a Vossa Excelência."),
        Example("Eu vos digo: lede."),
    ],
    reads_words=True,
)
def no_second_person(text: Text) -> Verdict:
    """No pronoun of tu, você or vós, also joined to a verb (`text.persons.second`); verbs are not looked at."""
    return amounts.none(text, list(persons.second(text.text, text.lower, text.clitics)), _SECOND)


@constraint(
    "words:use_first_person",
    wording="Use pelo menos {min_count} pronomes de primeira pessoa (eu, me, meu, nós, nosso, etc.).",
    kind="active",
    follows=[
        Example("Eu li meu livro.", {"min_count": 2}),
        Example("Contou-nos que nos viu conosco.", {"min_count": 3}),
    ],
    breaks=[
        Example("Li nos livros sobre os nós.", {"min_count": 1}),
        Example("Minha casa caiu.", {"min_count": 2}),
    ],
    reads_words=True,
)
def use_first_person(text: Text, *, min_count: int) -> Verdict:
    """At least so many pronouns of the first person (`text.persons.first`), each time that one occurs."""
    pronouns = list(persons.first(text.text, text.lower, text.clitics))
    return amounts.compare(text, pronouns, _FIRST, "at least", min_count)


@constraint(
    "words:use_third_person",
    wording="Use pelo menos {min_count} pronomes de terceira pessoa (ele, ela, seu, sua, etc.).",
    kind="active",
    follows=[
        Example("Ela leu seu livro e o deu a ele.", {"min_count": 3}),
        Example("Não o viram; chamaram-na consigo.", {"min_count": 3}),
    ],
    breaks=[
        Example("O livro e a casa, os dois.", {"min_count": 1}),
        Example("Ela saiu.", {"min_count": 2}),
    ],
    reads_words=True,
)
def use_third_person(text: Text, *, min_count: int) -> Verdict:
    """At least so many pronouns of the third person (`text.persons.third`), each time that one occurs.

    Articles (o, a) are none; "se" is not counted.
    """
    pronouns = list(persons.third(text.text, text.lower, text.clitics))
    return amounts.compare(text, pronouns, _THIRD, "at least", min_count)
