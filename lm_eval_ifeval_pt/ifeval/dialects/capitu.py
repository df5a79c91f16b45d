"""CAPITU's 83 instruction ids: 59 verifiers, 24 of which have a second id, and arguments of several names.

Its prompts are what a model is asked, so in mode `pt` they win where its checker reads them otherwise: "use a
palavra 'porque' pelo menos 2 vezes" (`words:word_frequency`) is followed by three of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import Constraint, UnknownConstraint
from lm_eval_ifeval_pt.ifeval.compat.capitu import RULES
from lm_eval_ifeval_pt.ifeval.dialects.dialect import Dialect
from lm_eval_ifeval_pt.ifeval.dialects.eight_texts import eight_texts
from lm_eval_ifeval_pt.ifeval.dialects.source import Row, Source, turns
from lm_eval_ifeval_pt.ifeval.rows import RowsError

ALIASES = {
    "constraint:exact_paragraphs": "count:exact_paragraph_count",
    "constraint:max_sentence_length": "count:max_sentence_length",
    "constraint:min_paragraphs": "count:min_paragraph_count",
    "content:direct_quote": "punctuation:include_quote",
    "count:conjunctions": "words:conjunction_count",
    "count:numbers": "count:exact_number_count",
    "count:pronouns": "words:use_third_person",
    "forbidden:exclamations": "forbidden:no_exclamations",
    "forbidden:first_person": "forbidden:no_first_person",
    "forbidden:questions": "forbidden:no_questions",
    "format:list": "format:bullet_list",
    "sentence:contrastive": "words:contrast_marker",
    "sentence:keyword": "words:include_word",
    "sentence:temporal_markers": "words:temporal_marker",
    "words:adverb_mente_limit": "pattern:terminacao_mente_limit",
    "words:augmentative": "pattern:terminacao_ao_oes_min",
    "words:connectives": "words:connective",
    "words:diminutive": "pattern:terminacao_inho_inha_min",
    "words:gerund_limit": "pattern:terminacao_ando_endo_indo_limit",
    "words:min_adverb_mente": "pattern:terminacao_mente_min",
    "words:min_gerund": "pattern:terminacao_ando_endo_indo_min",
    "words:no_adverb_mente": "pattern:terminacao_mente_proibido",
    "words:no_diminutive": "pattern:terminacao_inho_inha_proibido",
    "words:repeats": "words:max_word_repeat",
}
"""CAPITU's second ids of a verifier."""

# Further names of an argument in CAPITU's rows and checkers, by the name that its checkers store.
_NAMES = {
    "count:exact_line_count": {"N": "num_lines"},
    "count:exact_number_count": {"N": "num_numbers"},
    "count:exact_sentence_count": {"N": "num_sentences"},
    "count:exact_word_count": {"target_words": "num_words"},
    "count:min_number_count": {"N": "min_numbers"},
    "count:min_sentence_count": {"N": "min_sentences"},
    "count:unique_word_count": {"N": "min_unique"},
    "pattern:terminacao_ando_endo_indo_limit": {"max_gerunds": "max_count"},
    "pattern:terminacao_ando_endo_indo_min": {"min_gerunds": "min_count"},
    "pattern:terminacao_ao_oes_min": {"min_augmentatives": "min_count"},
    "pattern:terminacao_inho_inha_min": {"min_diminutives": "min_count"},
    "pattern:terminacao_mente_limit": {"max_adverbs": "max_count"},
    "pattern:terminacao_mente_min": {"min_adverbs": "min_count"},
    "structure:each_line_starts_with": {"prefix": "char"},
    "structure:end_with_word": {"end_word": "word"},
    "structure:start_with_word": {"start_word": "word"},
    "words:conjunction_count": {"N": "min_count", "small_n": "min_count"},
    "words:include_word": {"keyword": "word"},
    "words:max_word_repeat": {"N": "max_repeats", "small_n": "max_repeats"},
}
_LISTS = ("forbidden_words", "words")  # arguments of which one word may stand bare

_EXACTLY, _AT_LEAST, _AT_MOST = ({"relation": relation} for relation in ("exactly", "at least", "at most"))
_NONE = _AT_MOST | {"num_words": 0}

# Constraints of the registry that ask for the same: their id, their names of the arguments, what the id
# implies.
_SAME: dict[str, tuple[str, dict[str, str], dict[str, Any]]] = {
    "count:exact_number_count": ("count:number_count", {}, _EXACTLY),
    "count:exact_paragraph_count": ("count:paragraph_count", {}, _EXACTLY),
    "count:exact_sentence_count": ("length_constraints:number_sentences", {}, _EXACTLY),
    "count:exact_word_count": ("length_constraints:number_words", {}, _EXACTLY),
    "count:max_word_count": ("length_constraints:number_words", {"max_words": "num_words"}, _AT_MOST),
    "count:min_number_count": ("count:number_count", {"min_numbers": "num_numbers"}, _AT_LEAST),
    "count:min_paragraph_count": ("count:paragraph_count", {"min_paragraphs": "num_paragraphs"}, _AT_LEAST),
    "count:min_sentence_count": (
        "length_constraints:number_sentences",
        {"min_sentences": "num_sentences"},
        _AT_LEAST,
    ),
    "count:min_word_count": ("length_constraints:number_words", {"min_words": "num_words"}, _AT_LEAST),
    "forbidden:no_numbers": ("ptbr:sem_digito", {}, {}),
    "forbidden:words_list": ("keywords:forbidden_words", {}, {}),
    "format:all_caps": ("change_case:capital", {}, {}),
    "format:all_lowercase": ("change_case:lowercase", {}, {}),
    "pattern:terminacao_ando_endo_indo_limit": (
        "pattern:terminacao_ando_endo_indo",
        {"max_count": "num_words"},
        _AT_MOST,
    ),
    "pattern:terminacao_ando_endo_indo_min": (
        "pattern:terminacao_ando_endo_indo",
        {"min_count": "num_words"},
        _AT_LEAST,
    ),
    "pattern:terminacao_ao_oes_min": ("pattern:terminacao_ao_oes", {"min_count": "num_words"}, _AT_LEAST),
    "pattern:terminacao_inho_inha_min": (
        "pattern:terminacao_inho_inha",
        {"min_count": "num_words"},
        _AT_LEAST,
    ),
    "pattern:terminacao_inho_inha_proibido": ("pattern:terminacao_inho_inha", {}, _NONE),
    "pattern:terminacao_mente_limit": ("pattern:terminacao_mente", {"max_count": "num_words"}, _AT_MOST),
    "pattern:terminacao_mente_min": ("pattern:terminacao_mente", {"min_count": "num_words"}, _AT_LEAST),
    "pattern:terminacao_mente_proibido": ("pattern:terminacao_mente", {}, _NONE),
    "structure:end_with_word": ("startend:end_checker", {"word": "end_phrase"}, {}),
    "structure:start_with_word": ("ptbr:comeca_com", {"word": "start_phrase"}, {}),
    "words:include_words": ("keywords:existence", {"words": "keywords"}, {}),
    "words:min_word_frequency": (
        "keywords:frequency",
        {"word": "keyword", "min_count": "frequency"},
        _AT_LEAST,
    ),
}


def _first_names(id: str, kwargs: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The first id of a verifier and the first name of each of its arguments."""
    id = ALIASES.get(id, id)
    names = _NAMES.get(id, {})
    arguments: dict[str, Any] = {}
    for name, value in kwargs.items():
        listed = [value] if name in _LISTS and isinstance(value, str) else value
        arguments.setdefault(names.get(name, name), listed)
    return id, arguments


def canonical(id: str, kwargs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The registry's id and arguments for an instruction of a CAPITU row; unchanged where it means nothing.

    Args:
        id: Instruction id as the row writes it.
        kwargs: Its arguments, without absent ones.
    """
    id, arguments = _first_names(id, kwargs)
    match id, arguments:
        case "words:include_word", {"word": word}:
            return "keywords:existence", {"keywords": [word]}
        case "forbidden:word", {"forbidden_word": word}:
            return "keywords:forbidden_words", {"forbidden_words": [word]}
        case "words:word_frequency", {"word": word, "count": count}:
            return "keywords:frequency", {"keyword": word, "frequency": count, **_EXACTLY}
        case "words:word_frequency", {"word": word, "min_count": count}:
            return "keywords:frequency", {"keyword": word, "frequency": count, **_AT_LEAST}
    if id not in _SAME:
        return id, arguments
    own_id, names, implied = _SAME[id]
    return own_id, {names.get(name, name): value for name, value in arguments.items()} | implied


def _published(id: str, kwargs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    id, arguments = _first_names(id, kwargs)
    if id == "words:word_frequency" and "min_count" in arguments:
        arguments.setdefault("count", arguments.pop("min_count"))
    return id, arguments


_ARGUMENTS_DECIDE = {
    "forbidden:word": "keywords:forbidden_words",
    "words:include_word": "keywords:existence",
    "words:word_frequency": "keywords:frequency",
}
"""The registry's ids of the instructions whose arguments decide what `canonical` makes of them."""


def _names() -> dict[str, str]:
    """The registry's id of each of CAPITU's."""
    own = {id: _SAME[id][0] if id in _SAME else _ARGUMENTS_DECIDE.get(id, id) for id in RULES}
    return {id: own[ALIASES.get(id, id)] for id in (*RULES, *ALIASES)}


@cache
def _rule(id: str) -> Constraint:
    """The published rule with this id; wording and kind are those of what asks for the same in mode `pt`."""
    if id not in RULES:
        raise UnknownConstraint(f"unknown constraint {id!r}; CAPITU's checker has: {', '.join(RULES)}")
    return registry.define(
        id,
        RULES[id],
        wording=lambda **kwargs: CAPITU.bind(id, kwargs).wording,
        kind=lambda **kwargs: CAPITU.bind(id, kwargs).kind,
    )


CAPITU = Dialect("capitu", "pt", canonical, eight_texts, names=_names())
"""maritaca-ai/capitu, verdicts right for Portuguese."""

CAPITU_COMPAT = Dialect("capitu", "compat", _published, eight_texts, _rule, ALIASES)
"""maritaca-ai/capitu, verdicts of its own checker (see `compat.capitu`)."""


def rows_of_turns(published: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The conversations of CAPITU, one row a turn; a turn asks for what earlier ones did, and more.

    Prompts are made as for Multi-IF.
    """
    for row in published:
        contents = row.get("turns")
        if not isinstance(contents, list) or not all(isinstance(content, dict) for content in contents):
            raise RowsError(f"key {row.get('key')!r}: turns must be a list of objects, they are {contents!r}")
        yield from turns(row.get("key"), contents)


_PLACE = "https://raw.githubusercontent.com/maritaca-ai/capitu/HEAD/data/"

SINGLE_TURN = Source("capitu", f"{_PLACE}input_questions.jsonl")
"""Its 200 prompts."""

MULTI_TURN = Source("capitu_multiturn", f"{_PLACE}input_questions_multiturn.jsonl", rows_of_turns)
"""Its 100 conversations."""
