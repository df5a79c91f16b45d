"""Pronouns, personal and possessive, by their grammatical person; told from what only looks like one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lm_eval_ifeval_pt.text import address
from lm_eval_ifeval_pt.text.clitics import Clitic
from lm_eval_ifeval_pt.text.proclisis import is_plural_in_mos, objects_of_subjects
from lm_eval_ifeval_pt.text.verbs import is_verb

Span = tuple[int, int]

# eu, me, mim, comigo, meu(s), minha(s), nós, nos, conosco, connosco, nosso(s), nossa(s)
_FIRST = re.compile(
    rf"[emnc]{address.STARTED}"
    r"(?:(?<=e)u|(?<=m)(?:e|im|eus?|inhas?)|(?<=n)(?:[óo]s|oss[oa]s?)|(?<=c)o(?:migo|nn?osco))" + address.END
)
# vós, vos, vosso(s), vossa(s), convosco
_VOS = re.compile(rf"[vc]{address.STARTED}" r"(?:(?<=v)(?:[óo]s|oss[oa]s?)|(?<=c)onvosco)" + address.END)
# ele(s), ela(s), dele, nela …, lhe(s), si, consigo, seu(s), sua(s)
_THIRD = re.compile(
    rf"[ednlsc]{address.STARTED}"
    r"(?:(?<=e)l[ea]s?|(?<=[dn])el[ea]s?|(?<=l)hes?|(?<=s)(?:i|eus?|uas?)|(?<=c)onsigo)" + address.END
)
_OBJECTS = frozenset({"o", "a", "os", "as"})
_JOINED_FIRST = frozenset({"me", "nos", "mo", "ma", "mos", "mas"})
_JOINED_SECOND = frozenset({"vos"})
_JOINED_THIRD = _OBJECTS | {"lo", "la", "los", "las", "no", "na", "nas", "lhe", "lhes", "lho", "lha", "lhos", "lhas"}

_BEFORE = re.compile(r"(\w+)[\s*_“\"‘']{1,4}\Z")
_AFTER = re.compile(r"[\s*_“\"‘'«(]{1,4}(\w+)")
_ACRONYMS = frozenset({"eu", "me", "nos"})
_REACH = 24  # characters looked at before a pronoun
_AROUND = 12  # characters on either side that tell capitals for emphasis from an acronym

# "o eu", "esse eu": a noun; "os nós", "dois nós": knots.
_SINGULAR = frozenset(
    {"o", "do", "no", "ao", "pelo", "um", "num", "dum", "este", "esse", "aquele", "seu", "próprio", "outro"}
)
_PLURAL = frozenset(
    {"os", "dos", "nos", "aos", "pelos", "uns", "alguns", "estes", "esses", "seus", "muitos", "vários", "dois", "três"}
)
_OF_POETRY = frozenset({"lírico", "poético", "poemático", "enunciador"})  # "eu lírico": who speaks in a poem
_NUMERALS = frozenset(
    {"quatro", "cinco", "sete", "oito", "nove", "dez", "onze", "doze", "treze", "catorze", "quinze", "vinte", "trinta"}
)
_TIES = re.compile(
    r"(?:des)?at(?:ar|a|am|ou|aram|ando|e|em)|d(?:ar|á|ão|eu|eram|ando)|des?fa(?:z|zer|zem|ça|çam|zendo)|faz|fazer|fazem"
    r"|fazendo|des?fez|t[eê]m|tinham?|cem|mil|há|houve"
)
_OF_ROPES = re.compile(
    r" (?:de (?:marinheir|escot|cord|gravat|arvor|árvor|pescad|madeir|forc|trânsito|correr|dados)"
    r"|(?:d[aeo]s? )?(?:rede|corda|cadarço|gravata|laço|grafo|madeira|dedos)"
    r"|(?:cegos|náuticos|apertados|frouxos|corrediços|soltos|na garganta|por hora)(?!\w)"
    r"|e (?:arestas|laços|voltas|cordas))"
)
_FULL_OF = re.compile(r"(?:chei|replet|plen)[oa]s? de\s\Z")
_WITH_US = re.compile(
    r"\s(?:mesm[oa]s|própri[oa]s|tod[oa]s|outr[oa]s|ambos|só|que|os|as|\d|dois|duas|três|quatro|cinco|brasileir[oa]s)(?!\w)"
)
_PARTICIPLE = re.compile(r"\w{2,}(?:ado|[ií]do)")
_IN_S = re.compile(r"quis|\w*pôs")  # verbs in -s that are no plural


def first(text: str, lower: str, clitics: Iterable[Clitic]) -> Iterator[Span]:
    """The pronouns of the first person in a normalised text: eu, me, mim, comigo, meu, nós, nos, conosco, nosso.

    The contraction nos (em + os), knots (os nós), the "eu lírico" and Nossa Senhora are none.
    """
    spans = [match.span() for match in _FIRST.finditer(lower) if _is_first(text, lower, *match.span())]
    return iter(sorted(spans + list(_joined(lower, clitics, _JOINED_FIRST))))


def second(text: str, lower: str, clitics: Iterable[Clitic]) -> Iterator[Span]:
    """The pronouns of the second person in a normalised text: tu, você and vós with all their forms."""
    vos = [match.span() for match in _VOS.finditer(lower)]
    spans = {*address.tu(text, lower), *address.voce(lower), *vos, *_joined(lower, clitics, _JOINED_SECOND)}
    return iter(sorted(spans))


def third(text: str, lower: str, clitics: Iterable[Clitic]) -> Iterator[Span]:
    """The pronouns of the third person in a normalised text: ele, o, lhe, si, consigo, seu, dele, with all forms.

    Before a verb, o, a, os and as are told from articles (see `clitics`). "Se" is left out: it has no person.
    """
    clitics = list(clitics)
    spans = {match.span() for match in _THIRD.finditer(lower)} | set(_joined(lower, clitics, _JOINED_THIRD))
    for clitic in clitics:
        if clitic.position == "proclitic" and lower[clitic.start : clitic.end].split()[-2] in _OBJECTS:
            spans.add((clitic.start, clitic.end))
    ends = {end for _, end in spans}  # "não o viu" has an attractor, "Capitu não o viu" is one pronoun
    spans |= {span for span in objects_of_subjects(text, lower) if span[1] not in ends}
    return iter(sorted(spans))


def _joined(lower: str, clitics: Iterable[Clitic], pronouns: frozenset[str]) -> Iterator[Span]:
    """The verbs that have one of these pronouns behind or inside."""
    for clitic in clitics:
        if clitic.position == "proclitic":
            continue
        _, *pieces = lower[clitic.start : clitic.end].split("-")
        if pieces[:1] == ["no"] and len(pieces) > 1:  # deu-no-lo: nos + o
            pieces[0] = "nos"
        if not pronouns.isdisjoint(pieces):
            yield clitic.start, clitic.end


def _is_first(text: str, lower: str, start: int, end: int) -> bool:
    word, written = lower[start:end], text[start:end]
    if word in _ACRONYMS and written.isupper():
        around = (text[max(start - _AROUND, 0) : start], text[end : end + _AROUND])
        if not any(side.isupper() and sum(map(str.isalpha, side)) > 1 for side in around):
            return False
    before = _BEFORE.search(lower[max(start - _REACH, 0) : start])
    after = _AFTER.match(lower, end)
    match word:
        case "eu":
            return not (before and before[1] in _SINGULAR) and not (after and after[1] in _OF_POETRY)
        case "nós":
            return not _is_knot(lower[max(start - _REACH, 0) : start], lower[end : end + _REACH])
        case "nos":
            return after is not None and _takes_nos(after[1], text[after.start(1) : after.end(1)])
        case "nossa" | "nosso" if written.istitle() and after:
            return text[after.start(1) : after.end(1)] not in ("Senhora", "Senhor")
    return True


def _is_knot(before: str, after: str) -> bool:
    """Whether "nós" is the plural of nó: "a 20 nós", "desatar nós", "nós de marinheiro", "nós apertados"."""
    last = _BEFORE.search(before)
    word = last[1] if last else ""
    if word.isdigit() or word in _PLURAL or word in _NUMERALS or _TIES.fullmatch(word) or _FULL_OF.search(before):
        return True
    if word == "com" and not _WITH_US.match(after):  # with us is "conosco", but for "com nós dois"
        return True
    return _OF_ROPES.match(after) is not None


def _takes_nos(word: str, written: str) -> bool:
    """Whether "nos" before a word is the pronoun: a verb follows it, and not the plural that em + os needs."""
    if word in _NUMERALS or not word[0].isalpha() or (written.isupper() and len(word) > 1):
        return False
    if word.endswith("mos"):
        return is_verb(word) and not is_plural_in_mos(word)
    if word.endswith("s"):
        return _IN_S.fullmatch(word) is not None
    return is_verb(word) or _PARTICIPLE.fullmatch(word) is not None
