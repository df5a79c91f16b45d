"""Ênclise and mesóclise: weak pronouns joined to their verb by a hyphen, told from compounds that look so.

What decides: the last piece (before a future ending the last but one) is a pronoun of the closed set, in the
letter case of its verb or in the Title Case of headings ("Vende-Se"), and the piece before can end so before
this pronoun (a nasal before no, no consonant before o, an infinitive without its r before lo) and is no noun
or pronoun ("gato-me", "aluno-a"). So "bem-te-vi", "Trás-os-Montes", "Aracaju-SE" are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from lm_eval_ifeval_pt.text import lexicon
from lm_eval_ifeval_pt.text.verbs import is_verb

# Hyphenated letters; two hyphens in a row are a dash, an underscore marks emphasis. They are looked for from their
# first hyphen, since most words have none.
_HYPHEN = re.compile(r"-(?<=[^\W\d_]-)(?=[^\W\d_])")
_LETTERS = re.compile(r"[^\W\d_]+")
_OTHER_PIECES = re.compile(r"(?:-[^\W\d_]+)+(?!-?[^\W_])")
_STRIDE = 64  # characters

_PERSONS = frozenset({"me", "te", "se", "lhe", "lhes", "nos", "vos"})
_OBJECTS = frozenset({"o", "a", "os", "as"})
_AFTER_LOST_CONSONANT = frozenset({"lo", "la", "los", "las"})  # fazer + o: fazê-lo
_AFTER_NASAL = frozenset({"no", "na", "nas"})  # dão + o: dão-no; "nos" is also a person
# me + o, te + o, lhe + o
_CONTRACTED = frozenset({"mo", "ma", "mos", "mas", "to", "ta", "tos", "tas", "lho", "lha", "lhos", "lhas"})
_PRONOUNS = _PERSONS | _OBJECTS | _AFTER_LOST_CONSONANT | _AFTER_NASAL | _CONTRACTED
_FUTURE = frozenset({"ei", "ás", "á", "emos", "eis", "ão", "ia", "ias", "íamos", "íeis", "iam"})

# The first of two pronouns: apresenta-se-lhe, dá-no-lo.
_FIRST_OF_TWO = {
    "se": ("se", _PERSONS),
    "no": ("nos", _AFTER_LOST_CONSONANT),
    "vo": ("vos", _AFTER_LOST_CONSONANT),
}

# How the verb can end before a pronoun; "follow-me" does not.
_BEFORE_PERSON = re.compile(r"(?:[aeioáéêíóô]|[aeio]i|[aeioí]u|m|ão|õe|[aeiouáéêíóô][rsz])$")
_BEFORE_OBJECT = re.compile(r"(?:[aeioáéêíóô]|[aeio]i|[aeioí]u|m)$")
_BEFORE_LO = re.compile(r"(?:[aeiouáêíôm]|[aeiou]r)$")  # "fazer-lo" is a common slip
_BEFORE_LO_UNACCENTED = re.compile(r"(?:[^o]|mo)$")  # compramo-lo; a first person keeps its o
_UNKNOWN_BEFORE_LO = re.compile(r"(?:[^e]|(?:[cgdz]|st|r)e)$")
_BEFORE_NO = re.compile(r"(?:m|ão|õe)$")
_PARTICIPLE = re.compile(r"(?:ad|id|íd)[oa]$")
_SURELY_VERB = re.compile(r"\w{2,}(?:[aei]ram|avam?|[aei]ssem?|ndo|[aei]r(?:em|mos)?|[oei]u|iam?|[ei]|[aei]mos?)$")

# How no verb ends: história, estância; João, feijão; cidade.
_NOUN = re.compile(r"(?:[áéíóúâêô][^\W_]*i[ao]s?|[ie]dade|(?<!r)(?<!^[vdshtc])(?<!^est)ão)$")
# médico, brasileiro, vizinho
_MASCULINE = re.compile(r"(?:[áéíóúâêô][^\W_]*|eir|ian|[aeiou]nh|ilh|str|log|tor|ct|et)o$")
# Before a or as these are nouns, of two genders ("candidato-a", "amigo-a") or with a letter ("vitamina-A").
_NOUNS_BEFORE_A = frozenset({
    "amigo", "candidato", "ministro", "noivo", "primo", "plano", "vitamina", "item", "turma", "classe", "sala", "grupo",
    "tipo", "lado", "hepatite",
})  # fmt: skip


@cache
def _other_words() -> frozenset[str]:
    """Nouns, pronouns, prepositions and adverbs: before a hyphen they are verbs only if they look like a known one."""
    nouns = (form for line in lexicon.lines("nouns") for form in line.split()[1:])
    return frozenset({*nouns, *lexicon.groups("attractors"), *lexicon.words("function_words")}) - {"onde"}  # ondar


@cache
def _adjectives() -> frozenset[str]:
    return frozenset(form for line in lexicon.lines("adjectives") for form in line.split())


def hyphenated(text: str, lower: str) -> Iterator[tuple[Literal["enclitic", "mesoclitic"], int, int]]:
    """Position, start and end of the verbs of a normalised text that have a pronoun behind or inside."""
    for start, end in _hyphenated_words(lower):
        position = pronoun_position(text[start:end], lower[start:end])
        if position:
            yield position, start, end


def _hyphenated_words(lower: str) -> Iterator[tuple[int, int]]:
    """The words of letters with a hyphen that no digit, and no further hyphen with a letter or digit, touches."""
    end = 0
    for hyphen in _HYPHEN.finditer(lower):
        if hyphen.start() < end:
            continue
        start = _start_of_letters(lower, hyphen.start())
        before = lower[max(start - 2, 0) : start]
        if before[-1:].isalnum() or (before[-1:] == "-" and before[0].isalnum()):
            continue
        if others := _OTHER_PIECES.match(lower, hyphen.start()):
            end = others.end()
            yield start, end


def _start_of_letters(lower: str, end: int) -> int:
    """The start of the letters that end at `end`."""
    start = end
    while start and (letters := _LETTERS.match(lower[max(start - _STRIDE, 0) : start][::-1])):
        start -= letters.end()
        if letters.end() < _STRIDE:
            break
    return start


def pronoun_position(written: str, lower: str) -> Literal["enclitic", "mesoclitic"] | None:
    """The position of the pronoun in a hyphenated word, given as written and in lower case; None without one."""
    pieces = lower.split("-")
    ending = len(pieces) > 2 and pieces[-1] in _FUTURE
    at = len(pieces) - 2 if ending else len(pieces) - 1
    pronoun = pieces[at]
    if pronoun not in _PRONOUNS:
        return None  # “guarda-chuva”
    if at > 1 and pieces[at - 1] in _FIRST_OF_TWO:
        first, seconds = _FIRST_OF_TWO[pieces[at - 1]]
        if pronoun in seconds:
            pronoun, at = first, at - 1
    verb, prefixes = pieces[at - 1], pieces[: at - 1]
    if any(piece in _PRONOUNS for piece in (verb, *prefixes)) or verb in lexicon.words("no_verbs_before_hyphen"):
        return None  # “já-o”
    if (verb in _other_words() and not is_verb(_full(verb, pronoun))) or _NOUN.search(verb):
        return None  # “gato-me”
    shouted = written.isupper()
    if not shouted and not all(part.islower() or part[1:].islower() for part in written.split("-")[at:]):
        return None  # “Aracaju-SE”
    if ending:
        return "mesoclitic" if _is_future_stem(verb, pronoun) else None  # “dar-lhe-ei”
    # Acronyms, split syllables and words with prefixes look like anything: there the verb must be known.
    if (shouted or prefixes or pronoun in _CONTRACTED) and not _is_known(verb, pronoun, prefixes):
        return None  # “TV-A”
    return "enclitic" if _can_precede(verb, pronoun) else None  # “diga-me”


def _is_future_stem(verb: str, pronoun: str) -> bool:
    """dar-lhe-ei, dir-me-ás; fá-lo-á, construí-lo-ia: an infinitive, whose r falls before lo."""
    if len(verb) < 2 or pronoun in _OBJECTS or pronoun in _AFTER_NASAL:
        return False  # “dar-o-á”
    return verb[-1] in "áêíôi" if pronoun in _AFTER_LOST_CONSONANT else verb.endswith("r")  # “fá-lo-á”


def _is_known(verb: str, pronoun: str, prefixes: list[str]) -> bool:
    """Whether the verb is in the lexicon or, without a prefix, ends as only verbs do."""
    return is_verb(_full(verb, pronoun)) or (not prefixes and bool(_SURELY_VERB.match(verb)))


def _full(verb: str, pronoun: str) -> str:
    """The form without the change that the pronoun brings: faze for fazê-lo is fazer, vamo for vamo-nos is vamos."""
    if pronoun in _AFTER_LOST_CONSONANT:
        return verb[:-1] + {"á": "a", "ê": "e", "í": "i"}.get(verb[-1], verb[-1]) + "r"  # “FAZÊ-LO”
    return verb + "s" if pronoun == "nos" and verb.endswith("mo") else verb  # “VAMO-NOS”


def _can_precede(verb: str, pronoun: str) -> bool:
    """Whether a form that ends like this can be followed by the pronoun."""
    if len(verb) == 1:
        return verb == "é"  # “é-me”
    if pronoun in _AFTER_LOST_CONSONANT:
        if not (_BEFORE_LO.search(verb) and _BEFORE_LO_UNACCENTED.search(verb)):
            return False  # “follow-lo”
        return bool(_UNKNOWN_BEFORE_LO.search(verb)) or any(is_verb(verb + lost) for lost in "rs")  # “fazê-lo”
    if pronoun in _AFTER_NASAL:
        return bool(_BEFORE_NO.search(verb))  # “dão-no”
    if pronoun in _OBJECTS:
        if not _BEFORE_OBJECT.search(verb):
            return False  # “blog-a”
        if pronoun in ("a", "as") and (verb in _NOUNS_BEFORE_A or _is_masculine(verb)):  # "aluno-a" shows two genders
            return False  # “candidato-a”
        return not _PARTICIPLE.search(verb) or is_verb(verb)  # “separe-as”
    if pronoun == "se" and verb.endswith("o") and not verb.endswith(("ndo", "ão")):
        return False  # “SOCORRO-SE”: a first person takes no "se": Socorro-SE is a town
    return bool(_BEFORE_PERSON.search(verb))  # “diga-me”


def _is_masculine(word: str) -> bool:
    """Whether a word is a noun or adjective in -o, and no verb."""
    if not word.endswith("o") or word.endswith("ndo") or is_verb(word):
        return False  # “separe-as”
    # “faxineiro-a”
    return word in _adjectives() or _PARTICIPLE.search(word) is not None or _MASCULINE.search(word) is not None
