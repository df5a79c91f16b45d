"""Whether a text says vós to its reader: the pronoun and the verb forms of the second person plural."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import regex

from lm_eval_ifeval_pt.text import lexicon

_PRONOUN = regex.compile(
    r"(?<![\w-])(?:vós|convosco|vossos?)(?![\w-])|(?<!\w)vos(?!\w)"
    r"|(?<![\w-])vossas?(?![\w-])(?!\s+(?:exc|senhori|majest|altez|santid|eminên|rever|magnif|mercê|paternid))"
)
_WORD = regex.compile(r"[^\W\d_]+")

# Endings that hardly another word has on the stem of a verb, and those of many nouns and adjectives (animais, sutis).
_CERTAIN = {
    "ar": ("eis", "astes", "áreis", "areis", "aríeis", "ásseis", "ardes", "ai"),
    "er": ("eis", "estes", "íeis", "êreis", "ereis", "eríeis", "êsseis", "erdes", "ei"),
    "ir": ("istes", "íeis", "íreis", "ireis", "iríeis", "ísseis", "irdes"),
    "or": ("ondes", "usestes", "únheis", "usésseis", "uséreis", "oreis", "oríeis", "userdes"),
}
_UNCERTAIN = {"ar": ("ais", "áveis"), "er": ("ais",), "ir": ("ais", "is")}
_NO_VERBS = frozenset({"alugueis", "papai", "papais", "papeis"})
# "sede felizes": be; "a sede", "sede de água", "com sede": thirst, or a seat.
_BE = regex.compile(
    r"(?:^|[.!?;:,\n“\"]\s*|\b(?:e|mas|pois|portanto|não)\s)(sede)\s"
    r"(?!d[aeo]s?\b)(?:\w+mente\s|bem\s|muito\s|mais\s)?[\w-]+s\b"
)
# Strong preterites, with their prefixes: fizestes, contradisséreis, compuserdes, obtivésseis.
_STRONG = regex.compile(
    r"(?:(?:des|re|satis|per)?fiz|(?:contra|des|mal|ben|ben?|pre)?diss|quis|(?:re)?troux|soub|pud|coub|houv|estiv"
    r"|(?:con|de|man|ob|re|sus|abs|entre)?tiv|(?:con|pro|inter|ad|so|re)?vi|\w{0,6}pus)"
    r"(?:estes|éreis|ésseis|erdes)|d(?:éreis|ésseis|erdes)"
)
_BEFORE_VERB = frozenset({"vós", "não", "nunca", "já", "também", "se", "quando", "me", "nos", "vos", "lhe", "lhes"})

# Spelling that depends on the next vowel: chegueis ~ chegar, forceis ~ forçar; esqueçais ~ esquecer, finjais ~ fingir.
_RESPELT = {"e": {"qu": "c", "gu": "g", "c": "ç"}, "a": {"ç": "c", "j": "g", "g": "gu"}}


def pronouns(lower: str) -> Iterator[tuple[int, int]]:
    """The spans of vós, vos, convosco, vosso(s), vossa(s) in a normalised text in lower case; no "Vossa Excelência"."""
    for match in _PRONOUN.finditer(lower):
        yield match.span()


def verbs(lower: str) -> Iterator[tuple[int, int]]:
    """The verb forms of vós in a normalised text in lower case: sabeis, visitastes, ides, vinde.

    Forms that nouns or adjectives share ("amais", "partis") are taken for verbs right after vós, a negation, a weak
    pronoun and the like only.
    """
    previous = ""
    for match in _WORD.finditer(lower):
        word = match[0]
        if is_verb(word, certainly=previous not in _BEFORE_VERB):
            yield match.span()
        previous = word if lower[match.end() : match.end() + 1].isspace() else ""


def commands_to_be(lower: str) -> Iterator[tuple[int, int]]:
    """The "sede" of "sede felizes", told from thirst and seats by the plural that follows and what stands before."""
    for match in _BE.finditer(lower):
        yield match.span(1)


@lru_cache(maxsize=4096)
def is_verb(word: str, certainly: bool = False) -> bool:
    """Whether a word in lower case is a verb form of vós; `certainly`: that nothing else looks like."""
    if word in _NO_VERBS:
        return False
    if word in lexicon.words("vos_forms") or _is_form(word, _CERTAIN):
        return True
    return not certainly and _is_form(word, _UNCERTAIN)


def _is_form(word: str, endings: Mapping[str, tuple[str, ...]]) -> bool:
    if endings is _CERTAIN and _STRONG.fullmatch(word):
        return True
    infinitives = lexicon.words("verbs")
    for conjugation, listed in endings.items():
        for ending in listed:
            stem = word.removesuffix(ending)
            if len(stem) < 2 or stem == word or (ending == "ei" and stem + "ar" in infinitives):  # contei ~ contar
                continue
            if stem + conjugation in infinitives or _respelt(stem, ending[0]) + conjugation in infinitives:
                return True
    return False


def _respelt(stem: str, vowel: str) -> str:
    for written, plain in _RESPELT.get(vowel, {}).items():
        if stem.endswith(written):
            return stem.removesuffix(written) + plain
    return stem
