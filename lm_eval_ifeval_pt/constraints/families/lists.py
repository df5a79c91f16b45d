"""Lists: with bullets, with numerals."""

from __future__ import annotations

from lm_eval_ifeval_pt.constraints import amounts
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.relations import Relation
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.lines import items

_ITEMS = ("item", "itens")


@constraint(
    "format:bullet_list",
    wording=lambda *, min_items=1: (
        "Formate a resposta como lista com marcadores (• ou - no início de cada item)"
        + (f", com pelo menos {min_items} itens." if min_items > 1 else ".")
    ),
    kind="active",
    follows=[
        Example("- arroz\n- feijão"),
        Example("Compre:\n• arroz\n•feijão\n\n* sal", {"min_items": 3}),
    ],
    breaks=[
        Example("— Olá!\n-5 graus\n---"),
        Example("**Arroz** e *feijão*\n*Sal*"),
        Example("1. arroz\n- feijão", {"min_items": 2}),
    ],
)
def bullet_list(text: Text, *, min_items: int = 1) -> Verdict:
    """At least so many lines that start with a bullet and say something: -, *, + with a blank, • and signs like it.

    Negative numbers, rules, the dash of a dialogue and asterisks for emphasis are no bullets.
    """
    return amounts.compare(text, list(items(text.text, "bullet")), _ITEMS, "at least", min_items)


@constraint(
    "format:numbered_list",
    wording=lambda *, min_items=1: (
        "Formate a resposta como lista numerada (1., 2., 3., etc.)"
        + (f", com pelo menos {min_items} itens." if min_items > 1 else ".")
    ),
    kind="active",
    follows=[
        Example("1. arroz\n2. feijão"),
        Example("Compre:\n  1) arroz\n\n**2.** feijão", {"min_items": 2}),
    ],
    breaks=[
        Example("1.500 reais\n2,5 quilos"),
        Example("- 1 quilo de arroz\n- 2 de feijão"),
        Example("1. \n2."),
    ],
)
def numbered_list(text: Text, *, min_items: int = 1) -> Verdict:
    """At least so many lines that start with a numeral and a stop or bracket and say something."""
    return amounts.compare(text, list(items(text.text, "numbered")), _ITEMS, "at least", min_items)


@constraint(
    "br:n_marcadores",
    wording=lambda *, num_items, relation: (
        f"Apresente a resposta como uma lista com {amounts.spelled(relation, num_items, _ITEMS)} com marcadores."
    ),
    kind=amounts.kind,
    follows=[
        Example("- arroz\n• feijão\n3. sal", {"num_items": 3, "relation": "at least"}),
        Example("1) arroz\n---\n2) sal", {"num_items": 2, "relation": "exactly"}),
    ],
    breaks=[
        Example("- arroz\n-5 graus", {"num_items": 2, "relation": "at least"}),
        Example("— Oi.\n**Arroz**", {"num_items": 1, "relation": "at least"}),
    ],
)
def list_items(text: Text, *, num_items: int, relation: Relation) -> Verdict:
    """The number of items of lists, with bullets or numerals, stands in the relation to `num_items`."""
    return amounts.compare(text, list(items(text.text, "any")), _ITEMS, relation, num_items)
