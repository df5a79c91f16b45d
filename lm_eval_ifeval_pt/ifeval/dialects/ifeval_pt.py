"""The generic restrictions of IFEval-pt under whatever Portuguese or English name and arguments a row gives
them.

The ids of the ten generic restrictions on the Hub are not documented. Their meaning is (number of sentences,
number of words, required word, forbidden word, starts with, ends with, lower case), so an id is read by the
words it is made of: `ptbr:max_palavras {"max": 50}`, `ptbr:no_maximo_50_palavras {}` and
`length:words_at_most {"num_words": 50}` all ask for at most 50 words. To teach a new spelling, add its words
to `_MEANINGS` or `_RELATIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import regex
from unidecode import unidecode

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import BadKwargs
from lm_eval_ifeval_pt.ifeval.dialects.dialect import Dialect, unmarked
from lm_eval_ifeval_pt.ifeval.dialects.source import Source

_CANONICAL = {
    "lower case": "change_case:lowercase",
    "starts with": "ptbr:comeca_com",
    "ends with": "startend:end_checker",
    "forbidden word": "keywords:forbidden_words",
    "required word": "keywords:existence",
    "sentences": "length_constraints:number_sentences",
    "words": "length_constraints:number_words",
}
_MEANING_OF = {id: meaning for meaning, id in _CANONICAL.items()}

# The first match wins: the "word" of "forbidden word" is not a number of words, the "sentence" of "ends with
# this sentence" is not a number of sentences.
_MEANINGS = (
    ("lower case", r"\b(minuscul|lower|caixa baixa)"),
    ("starts with", r"\b(comec|inici|start|begin|prefix)"),
    ("ends with", r"\b(termin|final|fim|finish|end|suffix)"),
    (
        "forbidden word",
        r"\b(proib|forbid|banned|evit|avoid|exclu|sem (a )?palavra|without (the )?word|nao (us|cont|inclu))",
    ),
    (
        "required word",
        r"\b(obrigat|requer|requir|exig|inclu|cont[ae]|existence|must|deve|use?|usar|com (a )?palavra"
        r"|keyword)",
    ),
    ("sentences", r"\b(frase|sentenc)"),
    ("words", r"\b(palavra|word)"),
)
_RELATIONS = (
    ("at least", r"\b(min|pelo menos|ao menos|at least)|>="),
    ("at most", r"\b(max|ate\b|at most)|<="),
    ("exactly", r"\b(exat|exact|equal|igual)|="),
    ("less than", r"\b(menos|menor|less|fewer|under)|<"),
    ("more than", r"\b(mais|maior|more|over)|>"),
)


def canonical(id: str, kwargs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The registry's id and arguments for an instruction of an IFEval-pt row; unchanged where it means
    nothing here.

    Args:
        id: Instruction id as the row writes it.
        kwargs: Its arguments, without absent ones.

    Raises:
        BadKwargs: the id is understood, its arguments are not.
    """
    if id in registry.constraints() and id not in _MEANING_OF:
        return id, kwargs
    meaning = _MEANING_OF.get(id) or _first(_MEANINGS, id)
    match meaning:
        case None:
            return id, kwargs
        case "lower case":
            arguments: Mapping[str, Any] = {}
        case "starts with":
            arguments = {"start_phrase": " ".join(_strings(id, kwargs))}
        case "ends with":
            arguments = {"end_phrase": " ".join(_strings(id, kwargs))}
        case "forbidden word":
            arguments = {"forbidden_words": _strings(id, kwargs)}
        case "required word":
            arguments = {"keywords": _strings(id, kwargs)}
        case _:
            return _amount(id, meaning, kwargs)
    return _CANONICAL[meaning], arguments


def _first(patterns: tuple[tuple[str, str], ...], name: str) -> str | None:
    """The first entry whose pattern occurs in a name, which is read as unaccented words in lower case."""
    plain = regex.sub(r"[^a-z0-9<>=]+", " ", unidecode(name).lower())
    return next((entry for entry, pattern in patterns if regex.search(pattern, plain)), None)


def _strings(id: str, kwargs: Mapping[str, Any]) -> list[str]:
    """The one string, or list of strings, among the arguments."""
    texts = [value for value in kwargs.values() if isinstance(value, (str, list)) and value]
    if len(texts) != 1:
        raise BadKwargs(f"{id}: one word, phrase or list of words is needed; the row has {dict(kwargs)!r}")
    return [texts[0]] if isinstance(texts[0], str) else texts[0]


def _amount(id: str, unit: str, kwargs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The number of sentences or words that is asked for, with its relation."""
    name_of_id = id.rpartition(":")[2]
    amounts = {
        name: value for name, value in kwargs.items() if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    if not amounts and (digits := regex.search(r"\d+", name_of_id)):
        amounts = {name_of_id: int(digits[0])}
    bounds = {_first(_RELATIONS, name): value for name, value in amounts.items()}
    if bounds.keys() == {"at least", "at most"}:
        return f"count:{unit.removesuffix('s')}_count_range", {
            f"min_{unit}": bounds["at least"],
            f"max_{unit}": bounds["at most"],
        }
    if len(amounts) != 1:
        raise BadKwargs(f"{id}: one number, or a minimum and a maximum, is needed; the row has {dict(kwargs)!r}")
    ((name, value),) = amounts.items()
    texts = [text for text in kwargs.values() if isinstance(text, str)]
    relation = next(filter(None, (_first(_RELATIONS, source) for source in (*texts, name, name_of_id))), None)
    if relation is None:
        raise BadKwargs(f"{id}: neither the id nor {dict(kwargs)!r} says minimum, maximum or exact")
    return _CANONICAL[unit], {f"num_{unit}": value, "relation": relation}


IFEVAL_PT = Dialect("ifeval_pt", "pt", canonical, unmarked)
"""Magurofg/ifeval-pt: twelve `ptbr:` ids, and generic ones whose spelling on the Hub is read tolerantly."""

PUBLISHED = Source("ifeval_pt", "Magurofg/ifeval-pt", bundled="ifeval_pt/ifeval_pt_input_data.jsonl")
"""Its rows, and those that stand in for them."""
