"""brcampidelli/llm-ptbr IFEval-PT: 21 kinds of instructions (`tipo`), which rows write with or without "br:".

Numbers may be written as 3, "3" or "três". Where a prompt asks for more than its checker looks at ("comece com um
título"), the prompt wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from unidecode import unidecode

from lm_eval_ifeval_pt.constraints.registry import BadKwargs
from lm_eval_ifeval_pt.ifeval.dialects.dialect import Dialect
from lm_eval_ifeval_pt.ifeval.dialects.eight_texts import eight_texts
from lm_eval_ifeval_pt.ifeval.dialects.source import Row, Source
from lm_eval_ifeval_pt.ifeval.rows import RowsError
from lm_eval_ifeval_pt.text import lexicon

_SPELLED = {"uma": 1, "duas": 2, "catorze": 14, "trinta": 30, "quarenta": 40, "cinquenta": 50, "cem": 100}
_NUMBERS = ("minimo", "maximo", "exato", "vezes", "nivel")
_NO_BOUND = 1_000_000  # characters; longer than any response

# Kinds that ask for the same as a constraint of the registry: its id, and its names of the arguments.
_SAME: dict[str, tuple[str, dict[str, str]]] = {
    "comeca_com": ("ptbr:comeca_com", {"texto": "start_phrase"}),
    "e_json_valido": ("detectable_format:json_format", {}),
    "nao_contem": ("keywords:forbidden_words", {"palavras": "forbidden_words"}),
    "repete_pedido": ("combination:repeat_prompt", {"pedido": "prompt_to_repeat"}),
    "sem_numeros": ("ptbr:sem_digito", {}),
    "sem_palavra_proibida_inicio": ("br:sem_palavra_proibida_inicio", {"palavra": "word"}),
    "sem_virgula": ("punctuation:no_comma", {}),
    "tem_titulo_markdown": ("br:tem_titulo_markdown", {"nivel": "level"}),
    "termina_com": ("startend:end_checker", {"texto": "end_phrase"}),
    "tudo_maiusculo": ("change_case:capital", {}),
    "tudo_minusculo": ("change_case:lowercase", {}),
}
# Kinds that count: the constraint on one bound with the name of its number, the one on two bounds with theirs.
_AMOUNTS: dict[str, tuple[str, str, str | None, str]] = {
    "n_frases": ("length_constraints:number_sentences", "num_sentences", "count:sentence_count_range", "sentences"),
    "n_marcadores": ("br:n_marcadores", "num_items", None, ""),
    "n_palavras": ("length_constraints:number_words", "num_words", "count:word_count_range", "words"),
    "n_paragrafos": ("count:paragraph_count", "num_paragraphs", None, ""),
}
_RELATIONS = {"exato": "exactly", "minimo": "at least", "maximo": "at most"}


def canonical(id: str, kwargs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The registry's id and arguments for an instruction; unchanged where it means nothing here.

    Args:
        id: `br:` and the `tipo`, or the `tipo` alone.
        kwargs: Its arguments, without absent ones.

    Raises:
        BadKwargs: the id is understood, its arguments are not.
    """
    kind = id.removeprefix("br:")
    given = {name: _number(id, value) if name in _NUMBERS else value for name, value in kwargs.items()}
    match kind:
        case _ if kind in _AMOUNTS and not given.keys() - _RELATIONS.keys():
            return _amount(id, kind, given)
        case "n_caracteres":
            bounds = {"min_chars": given.get("minimo", 0), "max_chars": given.get("maximo", _NO_BOUND)}
            return "count:character_count_range", bounds
        case "contem_palavra":
            arguments = {"keyword": given.get("palavra"), "frequency": given.get("vezes", 1), "relation": "at least"}
            return "keywords:frequency", arguments
        case "n_secoes" if "separador" in given:
            return "br:n_secoes", {"separator": given["separador"], "num_sections": given.get("minimo", 2)}
        case "duas_respostas":
            if given.get("separador", "******") != "******":
                raise BadKwargs(f"{id}: the separator {given['separador']!r} is not supported; it must be ******")
            return "combination:two_responses", {}
        case "envolvido_em_aspas":
            return "startend:quotation", {"marks": "any"}
        case "idioma_portugues":
            return "language:response_language", {"language": "pt"}
    if kind not in _SAME:
        return id, kwargs
    own_id, names = _SAME[kind]
    arguments = {names.get(name, name): value for name, value in given.items()}
    if isinstance(words := arguments.get("forbidden_words"), str):
        arguments["forbidden_words"] = [words]
    return own_id, arguments


def _number(id: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    plain = unidecode(value).strip().lower()
    if plain.isdecimal():
        return int(plain)
    if plain in lexicon.lines("numerals"):
        return lexicon.lines("numerals").index(plain)
    if plain not in _SPELLED:
        raise BadKwargs(f"{id}: {value!r} is no number that is understood")
    return _SPELLED[plain]


def _amount(id: str, kind: str, given: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    one_bound, name, two_bounds, unit = _AMOUNTS[kind]
    if two_bounds and given.keys() == {"minimo", "maximo"}:
        return two_bounds, {f"min_{unit}": given["minimo"], f"max_{unit}": given["maximo"]}
    if not given and kind == "n_marcadores":
        given = {"minimo": 1}
    if len(given) != 1:
        raise BadKwargs(f"{id}: one of {', '.join(_RELATIONS)} is needed; the row has {dict(given)!r}")
    ((bound, number),) = given.items()
    return one_bound, {name: number, "relation": _RELATIONS[bound]}


_KINDS = {
    **{kind: id for kind, (id, _) in _SAME.items()},
    **{kind: id for kind, (id, *_) in _AMOUNTS.items()},
    "contem_palavra": "keywords:frequency",
    "duas_respostas": "combination:two_responses",
    "envolvido_em_aspas": "startend:quotation",
    "idioma_portugues": "language:response_language",
    "n_caracteres": "count:character_count_range",
    "n_secoes": "br:n_secoes",
}

BR = Dialect("br", "pt", canonical, eight_texts, names={f"br:{kind}": id for kind, id in _KINDS.items()})
"""brcampidelli/llm-ptbr IFEval-PT."""


def rows_of(published: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Rows of brcampidelli's IFEval-PT: a list of `instrucoes`, each with its `tipo` and arguments."""
    for row in published:
        instructions = row.get("instrucoes")
        if not isinstance(instructions, list) or not all(isinstance(entry, dict) for entry in instructions):
            raise RowsError(f"key {row.get('id')!r}: instrucoes must be a list of objects, they are {instructions!r}")
        yield {
            "key": row.get("id"),
            "prompt": row.get("prompt"),
            "instruction_id_list": [f"br:{entry.get('tipo')}" for entry in instructions],
            "kwargs": [{name: value for name, value in entry.items() if name != "tipo"} for entry in instructions],
        }


BRCAMPIDELLI = Source(
    "brcampidelli",
    "https://raw.githubusercontent.com/brcampidelli/llm-ptbr/HEAD/comeia/eval/benchmarks/ifeval_pt.jsonl",
    rows_of,
)
"""Its published rows."""
