"""google/IFEval and the data sets that follow it: Polygl0t, Multi-IF, Marco-Bench-MIF, amalia, akawaai, gap-ufg.

They share 25 ids and their arguments, and differ in the prefix of ids, in the words of relations and, under the
same id, in what is meant: `change_case:english_capital` asks for Portuguese in gap-ufg's own set, for English
everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import regex

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.ifeval.dialects.dialect import Dialect
from lm_eval_ifeval_pt.ifeval.dialects.eight_texts import eight_texts
from lm_eval_ifeval_pt.ifeval.dialects.source import JSON_COLUMNS, Row, Source, turns
from lm_eval_ifeval_pt.ifeval.rows import parsed
from lm_eval_ifeval_pt.text import language

RELATIONS = {
    "at least": "at least",
    "ao menos": "at least",
    "pelo menos": "at least",
    "no mínimo": "at least",
    "at most": "at most",
    "no máximo": "at most",
    "less than": "less than",
    "menos que": "less than",
    "menos de": "less than",
    "menos do que": "less than",
    "menor que": "less than",
    "menor do que": "less than",
    "more than": "more than",
    "mais que": "more than",
    "mais de": "more than",
    "mais do que": "more than",
    "maior que": "more than",
    "maior do que": "more than",
    "exactly": "exactly",
    "exatamente": "exactly",
}
"""The relations of `relations.Relation` by the words of data sets."""

_CASE = regex.compile(r"change_case:(english|portuguese|spanish|french|catalan)_(capital|lowercase)")

# Ids of Multi-IF and EuroEval that ask for the same: our id, our names of the arguments.
_SAME: dict[str, tuple[str, dict[str, str]]] = {
    "change_case:capital_letters": ("change_case:capital", {}),
    "change_case:lowercase_letters": ("change_case:lowercase", {}),
    "detectable_format:constrained_response_with_argument": ("detectable_format:constrained_response", {}),
    "length_constraints:number_sentences_with_language": ("length_constraints:number_sentences", {"language": ""}),
    "multi-turn:constrained_start": ("ptbr:comeca_com", {"starter": "start_phrase"}),
}

_GAP_UFG_IDS = {
    "change_case:english_capital": "change_case:portuguese_capital",
    "change_case:english_lowercase": "change_case:portuguese_lowercase",
    "detectable_content:mesoclise_verification": "ptbr:mesoclise",
    "punctuation:crase_presence": "ptbr:crase",
    "punctuation:no_tilde": "ptbr:sem_til",
}
_GAP_UFG_OPTIONS = ["Sim.", "Não.", "Talvez."]

# Machine translation went over ids and arguments too.
_PT_EN_IDS = {
    "combinação:duas_respostas": "combination:two_responses",
    "formato_detectável:múltiplas_seções": "detectable_format:multiple_sections",
    "idioma:idioma_de_resposta": "language:response_language",
    "palavras-chave:existência": "keywords:existence",
    "palavras-chave:frequência": "keywords:frequency",
    "palavras-chave:letra_frequência": "keywords:letter_frequency",
    "palavras-chave:palavras_proibidas": "keywords:forbidden_words",
    "pontuação:sem_vírgula": "punctuation:no_comma",
}
_PT_EN_LANGUAGES = {"sabe": "kn", "pai": "pa"}


def canonical(id: str, kwargs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The registry's id and arguments for an instruction of google/IFEval; unchanged where it means nothing here.

    Args:
        id: Instruction id as the row writes it.
        kwargs: Its arguments, without absent ones. Empty ones that the constraint does not take are absent too.
    """
    id, names = _SAME.get(id, (id, {}))
    arguments = {name: value for given, value in kwargs.items() if (name := names.get(given, given))}
    if match := _CASE.fullmatch(id):
        id = f"change_case:{match[2]}"
        arguments.setdefault("language", match[1])
    constraint = registry.constraints().get(id)
    return id, {
        name: _argument(name, value)
        for name, value in arguments.items()
        if value or constraint is None or name in constraint.parameters
    }


def _argument(name: str, value: Any) -> Any:
    if isinstance(value, str):
        if name.endswith("relation"):
            return RELATIONS.get(" ".join(value.lower().split()), value)
        if name == "language":
            return language.code(value)
    return value


def _gap_ufg(id: str, kwargs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    id = id.removeprefix("pt:")
    if id == "detectable_format:constrained_response":
        kwargs = {"options": _GAP_UFG_OPTIONS, **kwargs}
    return canonical(_GAP_UFG_IDS.get(id, id), kwargs)


def _pt_en(id: str, kwargs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    id = id.removeprefix("pt:")
    if "language" in kwargs:
        kwargs = {**kwargs, "language": _PT_EN_LANGUAGES.get(kwargs["language"], kwargs["language"])}
    return canonical(_PT_EN_IDS.get(id, id), kwargs)


_CASES = {
    f"change_case:{language}_{case}": f"change_case:{case}"
    for language in ("english", "portuguese", "spanish", "french", "catalan")
    for case in ("capital", "lowercase")
}
NAMES = {**_CASES, **{id: ours for id, (ours, _) in _SAME.items()}}
"""The registry's ids by those that these data sets write otherwise."""


def _prefixed(names: Mapping[str, str]) -> dict[str, str]:
    """Names with the prefix of gap-ufg, which the 25 ids of google/IFEval and CAPITU-like ones may have too."""
    plain = (*names, *names.values(), *(id for id in registry.constraints() if not id.startswith(_OWN)))
    return {**names, **{f"pt:{id}": names.get(id, id) for id in plain}}


_OWN = ("ptbr:", "br:", "es:", "fr:")
_GAP_UFG_NAMES = {**NAMES, **{id: NAMES.get(same, same) for id, same in _GAP_UFG_IDS.items()}}

GOOGLE_PT = Dialect("google_pt", "pt", canonical, eight_texts, names=NAMES)
"""Polygl0t/IFEval-PT, amalia-llm/IFEval-mt-pt, akawaai/Portuguese-IFEval, Marco-Bench-MIF, Multi-IF."""

GAP_UFG = Dialect("gap_ufg", "pt", _gap_ufg, eight_texts, names=_prefixed(_GAP_UFG_NAMES))
"""gap-ufg/Portuguese-IFEval, its own set ("PT")."""

PT_EN = Dialect("pt_en", "pt", _pt_en, eight_texts, names=_prefixed({**NAMES, **_PT_EN_IDS}))
"""gap-ufg/Portuguese-IFEval, the translation of google/IFEval ("PT_EN")."""


def rows_of_turns(published: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The Portuguese conversations of Multi-IF, one row a turn; a turn asks for what earlier ones did, and
    more.

    The data have no answers, so the prompt of a turn is all that the user has said up to there: the turns
    with an empty line between them.
    """
    for row in published:
        if row.get("language", "Portuguese") != "Portuguese":
            continue
        contents, where = [], f"key {row.get('key')!r}"
        for turn in (1, 2, 3):
            message = parsed(row.get(f"turn_{turn}_prompt"), where)
            if not isinstance(message, dict):  # some conversations end after two turns
                break
            columns = {name: parsed(row.get(f"turn_{turn}_{name}"), where) for name in JSON_COLUMNS}
            contents.append({"prompt": message.get("content"), **columns})
        yield from turns(row.get("key"), contents)


_GAP_UFG_PLACE = "https://raw.githubusercontent.com/gap-ufg/Portuguese-IFEval/HEAD/data/"

POLYGL0T = Source("polygl0t", "Polygl0t/IFEval-PT", split="train")
AMALIA = Source("amalia", "amalia-llm/IFEval-mt-pt")
AKAWAAI = Source("akawaai", "akawaai/Portuguese-IFEval")
MARCO_MIF = Source("marco_mif", "AIDC-AI/Marco-Bench-MIF", files="**/pt.jsonl")
MULTI_IF = Source("multi_if", "facebook/Multi-IF", rows_of_turns, split="train")
GAP_UFG_OWN = Source("gap_ufg", f"{_GAP_UFG_PLACE}pt_input_data_FINAL_CLEAN.jsonl")
GAP_UFG_TRANSLATED = Source("gap_ufg_translated", f"{_GAP_UFG_PLACE}pten_input_data.jsonl")
