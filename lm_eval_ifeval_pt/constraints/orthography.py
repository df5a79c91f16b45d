"""Accents, cedilla, tilde and crase."""

from __future__ import annotations

import regex

from lm_eval_ifeval_pt.registry import Example, constraint
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.verdict import Verdict, count

# "à la carte", "vis-à-vis" and "prêt-à-porter" are French: no article is contracted there.
_CRASE = regex.compile(r"(?<![\w-])(?:às?|àquel[ae]s?|àquilo)(?![\w-])(?!\s+la\s)")


@constraint(
    "ptbr:crase",
    wording="Use crase pelo menos uma vez na resposta.",
    kind="active",
    follows=[Example("Fui à feira ontem."), Example("Refiro-me àquela praça.")],
    breaks=[Example("Fui á feira ontem."), Example("Conversamos vis-à-vis."), Example("Pedi um prato à la carte.")],
)
def crase(text: Text) -> Verdict:
    """At least one crase: the contraction à, às, àquele(s), àquela(s), àquilo, in any case."""
    found = [match.span() for match in _CRASE.finditer(text.lower)]
    if not found:
        return Verdict(False, (), "Nenhuma crase na resposta.")
    return Verdict(True, text.evidence(found), f"A resposta tem {count(len(found), 'crase', 'crases')}.")
