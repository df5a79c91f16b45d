"""M-IFEval in Spanish, French and Catalan: google/IFEval's ids with a prefix, and special ones.

EuroEval and the harness's ifeval_es and ifeval_ca write the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import regex

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.ifeval.dialects import google
from lm_eval_ifeval_pt.ifeval.dialects.dialect import Dialect
from lm_eval_ifeval_pt.ifeval.dialects.eight_texts import eight_texts

_PREFIX = regex.compile(r"(?:es|fr|ca):")
_RELATIONS = {
    "al menos": "at least",
    "como máximo": "at most",
    "menos de": "less than",
    "au moins": "at least",
    "moins de": "less than",
    "almenys": "at least",
    "com a màxim": "at most",
    "menys de": "less than",
}
_IDS = {
    "detectable_content:no_digits": "ptbr:sem_digito",
    "special_character:no_accents": "ptbr:sem_diacritico",
}


def canonical(id: str, kwargs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The registry's id and arguments for an instruction of M-IFEval; unchanged where it means nothing here.

    Args:
        id: Instruction id as the row writes it.
        kwargs: Its arguments, without absent ones.
    """
    if not _PREFIX.match(id) and not id.startswith("special_character:"):
        return google.canonical(id, _translated(kwargs))
    bare = _PREFIX.sub("", id, count=1)
    if bare == "special_character:ethel_or_cedilla":
        forbidden = {"letter": kwargs.get("forbidden_char"), "let_frequency": 1, "let_relation": "less than"}
        return "keywords:letter_frequency", forbidden
    for known in (id, f"es:{bare}"):  # Catalan has the special ones of Spanish
        if known in registry.constraints():
            return google.canonical(known, _translated(kwargs))
    return google.canonical(_IDS.get(bare, bare), _translated(kwargs))


def _translated(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _RELATIONS.get(" ".join(value.lower().split()), value)
        if name.endswith("relation") and isinstance(value, str)
        else value
        for name, value in kwargs.items()
    }


_NAMES = {
    **google.NAMES,
    **_IDS,
    **{f"{language}:{bare}": id for bare, id in _IDS.items() for language in ("es", "fr", "ca")},
    "fr:special_character:ethel_or_cedilla": "keywords:letter_frequency",
}

M_IFEVAL = Dialect("m_ifeval", "pt", canonical, eight_texts, names=_NAMES)
"""M-IFEval and what follows it, in Spanish, French and Catalan."""
