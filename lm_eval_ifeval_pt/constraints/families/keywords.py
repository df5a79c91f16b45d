"""Words that must, or must not, occur."""

from __future__ import annotations

from lm_eval_ifeval_pt.constraints.registry import Example, Kind, constraint
from lm_eval_ifeval_pt.constraints.relations import Relation, asked, holds, is_limit, spell
from lm_eval_ifeval_pt.constraints.verdict import Verdict, has
from lm_eval_ifeval_pt.text import MAX_EVIDENCE, Text
from lm_eval_ifeval_pt.text.terms import occurrences


def _listed(terms: list[str], opening: str, closing: str) -> str:
    """Terms as Portuguese lists them: 'a', 'b' e 'c'."""
    *rest, last = [f"{opening}{term}{closing}" for term in terms]
    return f"{', '.join(rest)} e {last}" if rest else last


def _named(terms: list[str]) -> str:
    if len(terms) > 1:
        return f"as palavras {_listed(terms, *_STRAIGHT)}"
    return f"{'a expressão' if len(terms[0].split()) > 1 else 'a palavra'} {_listed(terms, *_STRAIGHT)}"


_STRAIGHT = ("'", "'")
_CURLY = ("“", "”")


def _existence(*, keywords: list[str]) -> str:
    return f"Use {_named(keywords)} na resposta."


def _forbidden(*, forbidden_words: list[str]) -> str:
    return f"Não use {_named(forbidden_words)} na resposta."


@constraint(
    "keywords:existence",
    wording=_existence,
    kind="active",
    follows=[
        Example("A SAÚDE é um direito.", {"keywords": ["saúde"]}),
        Example("Programo em C++ e em\nJava.", {"keywords": ["C++", "em java"]}),
        Example("O chá está na _mesa_; ajuda-me.", {"keywords": ["mesa", "chá", "ajuda"]}),
    ],
    breaks=[
        Example("Ela faz parte do grupo.", {"keywords": ["arte"]}),
        Example("A saude vem primeiro.", {"keywords": ["saúde"]}),
        Example("Levei o guarda-chuva e o chá.", {"keywords": ["chá", "chuva"]}),
    ],
)
def existence(text: Text, *, keywords: list[str]) -> Verdict:
    """Each keyword or phrase occurs, literally and as whole words; capitals do not matter, accents do.

    The parts of a hyphenated compound are no words of their own, a verb and the pronoun joined to it are. The
    words of a phrase may stand apart by any white space, line breaks included.
    """
    firsts = {term: occurrences(text, term)[:1] for term in keywords}
    missing = [term for term, spans in firsts.items() if not spans]
    if missing:
        detail = f"{'Falta' if len(missing) == 1 else 'Faltam'} {_listed(missing, *_CURLY)}."
    else:
        detail = f"A resposta contém {_listed(keywords, *_CURLY)}."
    evidence = sorted(span for spans in firsts.values() for span in spans)
    return Verdict(not missing, tuple(evidence[:MAX_EVIDENCE]), detail)


def _frequency(*, keyword: str, frequency: int, relation: Relation) -> str:
    return f"Use {_named([keyword])} {spell(relation, frequency)} {'vez' if frequency == 1 else 'vezes'}."


def _kind(*, relation: Relation, **_: str | int) -> Kind:
    return "passive" if is_limit(relation) else "active"


@constraint(
    "keywords:frequency",
    wording=_frequency,
    kind=_kind,
    follows=[
        Example("Sol, sol e mais SOL!", {"keyword": "sol", "frequency": 3, "relation": "at least"}),
        Example("O mar de março é amargo.", {"keyword": "mar", "frequency": 2, "relation": "less than"}),
        Example("Bom dia! Foi um bom\ndia.", {"keyword": "bom dia", "frequency": 2, "relation": "exactly"}),
    ],
    breaks=[
        Example("A solução veio do sol.", {"keyword": "sol", "frequency": 2, "relation": "at least"}),
        Example("O pais pediu ajuda ao país.", {"keyword": "país", "frequency": 2, "relation": "at least"}),
        Example("_Sol_, **sol** e sol.", {"keyword": "sol", "frequency": 3, "relation": "less than"}),
    ],
)
def frequency(text: Text, *, keyword: str, frequency: int, relation: Relation) -> Verdict:
    """The number of occurrences of a word or phrase stands in the relation to `frequency`.

    It occurs as for `keywords:existence`: literally, as whole words, in any case; other forms of it, such as
    its plural, are other words.
    """
    occurring = occurrences(text, keyword)
    times = has(len(occurring), "ocorrência", "ocorrências")
    return Verdict(
        holds(len(occurring), relation, frequency),
        tuple(occurring[:MAX_EVIDENCE]),
        f"“{keyword}” {times} na resposta; {asked(relation, frequency)}.",
    )


@constraint(
    "keywords:forbidden_words",
    wording=_forbidden,
    kind="passive",
    follows=[
        Example("Minha avó chegou cedo.", {"forbidden_words": ["avô"]}),
        Example("O país é grande.", {"forbidden_words": ["pais"]}),
        Example("Sol e mar.", {"forbidden_words": ["é"]}),
        Example("O lixão da cidade fechou.", {"forbidden_words": ["lixo", "cidad"]}),
    ],
    breaks=[
        Example("Voce pode ajudar a cidade.", {"forbidden_words": ["você"]}),
        Example("Arroz, feijão, etc.", {"forbidden_words": ["etc."]}),
        Example("Gosto de _ARTE_ moderna.", {"forbidden_words": ["música", "arte"]}),
    ],
)
def forbidden_words(text: Text, *, forbidden_words: list[str]) -> Verdict:
    """None of the words or phrases occurs, with or without its accents; literally, as whole words, in any
    case.

    A word without accents forbids no accented one ("pais", "país"), an accent no other ("avô", "avó"), and an
    accented word no word of grammar that differs by the accent only ("é", "e"). The parts of hyphenated
    compounds are no words.
    """
    occurring = sorted({span for term in forbidden_words for span in occurrences(text, term, accents=False)})
    return Verdict(
        not occurring,
        tuple(occurring[:MAX_EVIDENCE]),
        f"A resposta {has(len(occurring), 'ocorrência', 'ocorrências')} do que foi proibido.",
    )
