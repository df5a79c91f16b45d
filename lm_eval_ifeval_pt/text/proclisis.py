"""Próclise: a weak pronoun before its verb, told from the article, preposition or conjunction it looks like.

What decides: the word before (an attractor, of a closed class), the form of the word after (`verbs.is_verb`),
and for o, a, os, as, nos whether that word can be a noun which agrees with the pronoun read as an article.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from lm_eval_ifeval_pt.text import lexicon, vos
from lm_eval_ifeval_pt.text.condition import OPENERS, is_condition
from lm_eval_ifeval_pt.text.verbs import is_infinitive, is_irregular, is_surely_verb, is_verb, may_be_verb


class Proclisis(NamedTuple):
    """Attractor (if any), pronoun and verb: `text[start:end]`."""

    start: int
    end: int
    attractor: str | None


# A pronoun, and one with the character before it, which is looked at first, since most characters are letters.
_FORMS = r"([mts]e|[oa]s?|lhes?|[nv]os|m[oa]|to|lh[oa]s?|[nv]o-l[oa]s?)(?=[*_]{0,3}\s)"
_PRONOUN = re.compile(_FORMS)
_LATER_PRONOUN = re.compile(rf"[^a-zà-öø-ÿ0-9](?=[aolmnstv])(?<![^\W_])(?<!-){_FORMS}")
_PLAIN = frozenset({"me", "te", "lhe", "lhes"})  # pronouns that look like nothing else
_DATIVES = _PLAIN | {"nos", "vos"}
_OBJECTS = frozenset({"o", "a", "os", "as"})

_SUBJECTS = frozenset({"eu", "tu", "ele", "ela", "nós", "vós", "eles", "elas", "você", "vocês"})
# "para o", "com a": what opens a clause is no name, whatever its capital.
_NO_SUBJECTS = frozenset(
    {"para", "a", "o", "os", "as", "como", "entre", "sobre", "contra", "sem", "durante", "ao", "aos"}
)
# Forms that hardly a noun has: amava, amou, viu, amaram, amaria, amasse, amará.
_PAST = re.compile(r"\w{2,}(?:avam?|ou|[ei]u|[aei]ram|[aei]riam?|[aei]ssem?|[aei]r[áã]o?|iam?)")
_AS_NOUNS_END = ("o", "a", "e", "as", "es")

REACH = 40
"""Characters before a pronoun, or before its attractor, that are looked at for a word: more than any attractor has."""

_LAST_WORD = re.compile(r"(?:[^\W_]+-)?[^\W_]+\Z")
# The next word, beyond blanks, at most one line break and marks of emphasis.
_NEXT = re.compile(r"[*_]{0,3}(?:[ \t]{1,4}\n?|\n)[ \t]{0,4}[*_]{0,3}((?:[^\W\d_]+-){0,3}[^\W\d_]+)")

# Forms of verbs that are prepositions, determiners or adverbs where they follow what looks like a pronoun.
_NO_VERBS = frozenset({
    "para", "como", "entre", "sobre", "nada", "fora", "menos", "sua",
    "esta", "este", "estas", "estes", "essa", "esse", "desse", "deste",
})  # fmt: skip

# "ao menos", "pelo menos", "ao longe": adverbs, which attract.
_ADVERBIAL = frozenset({("ao", "menos"), ("pelo", "menos"), ("ao", "longe"), ("ao", "todo"), ("no", "mais")})

# Attractors of one construction only: "em se tratando"; "ou se cala, ou se explica".
_SPECIAL = frozenset({"em", "ou", "ora", "quer"})
_CLAUSE_START = re.compile(r"(?:^|[.!?…;:,\n])\W*$")
_OTHER_HALF = re.compile(r"[^.!?…\n,]{0,100}?,?[ \n](ou|ora|quer)(?!\w)")
_FIRST_HALF = re.compile(r"(?:^|[.!?…;:,\n])\W*(ou|ora|quer)\s[^.!?…\n]{1,100}$")


class _Candidate(NamedTuple):
    """A pronoun between a word and what may be its verb; `kind` is the word's class as an attractor, or empty."""

    kind: str
    word: str
    pronoun: str
    verb: str
    start: int  # of the word
    at: int  # of the pronoun
    end: int  # of the verb
    opens: bool  # whether the word opens a clause


def proclises(text: str, lower: str, after: int = 0) -> Iterator[Proclisis]:
    """The próclises of a normalised text and of its lower case, from some offset on, in order; see `clitics`."""
    attractors = lexicon.groups("attractors")
    done = 0
    for pronoun, start, end in _pronouns(lower):
        if start < after:
            continue
        word = _word_before(lower, start)
        if not (pronoun in _PLAIN or word in attractors or word in _SPECIAL or word.endswith("mente")):
            continue
        candidate = _candidate(text, lower, word, pronoun, start, end)
        proclisis = _read(candidate, lower) if candidate and candidate.start >= done else None
        if proclisis:
            yield proclisis
            done = proclisis.end


def _pronouns(lower: str) -> Iterator[tuple[str, int, int]]:
    """What looks like a weak pronoun, as a word of its own, with its start and end."""
    if first := _PRONOUN.match(lower):
        yield first[1], *first.span(1)
    for match in _LATER_PRONOUN.finditer(lower):
        yield match[1], *match.span(1)


def _candidate(text: str, lower: str, word: str, pronoun: str, at: int, pronoun_end: int) -> _Candidate | None:
    kind = lexicon.groups("attractors").get(word) or ("adverb" if word.endswith("mente") else "")
    start = lower.rindex(word, 0, at) if word else at
    if word in lexicon.words("attracting_nouns") and _is_noun_here(word, _word_before(lower, start)):
        kind = ""
    if not (kind or word in _SPECIAL or pronoun in _PLAIN):
        return None
    after = _NEXT.match(lower, pronoun_end)
    if after and pronoun == "se" and after[1] in _DATIVES and kind:  # "não se lhe aplica"
        pronoun, after = after[1], _NEXT.match(lower, after.end())
    elif after and pronoun != "se" and after[1] == "não":  # "que o não disse"
        after = _NEXT.match(lower, after.end())
    if not after or not (may_be_verb(after[1]) or vos.is_verb(after[1], certainly=pronoun in _OBJECTS)):
        return None
    end = after.end()
    if lower.count("\n", start, at) > 1:  # two paragraphs
        return None
    first = at if kind else at + 1  # a capital may open a sentence: "Me diga"
    if not (text[first:end].islower() or text[start:end].isupper()):
        return None
    opens = _CLAUSE_START.search(lower[max(start - 3, 0) : start]) is not None
    return _Candidate(kind, word, pronoun, after[1], start, at, end, opens)


def _word_before(lower: str, at: int) -> str:
    """The word that ends at `at`, but for blanks and marks of emphasis; empty where something else stands."""
    if lower[at - 1 : at] == " ":  # nearly always one blank, and letters
        blank = lower.rfind(" ", max(at - REACH, 0), at - 1)
        word = lower[max(at - REACH, blank + 1, 0) : at - 1]
        if word.isalpha():
            return word
    before = lower[max(at - REACH, 0) : at].rstrip("*_ \t\n")
    if not before[-1:].isalpha():
        return ""
    last = before.rsplit(None, 1)[-1]
    if last.isalpha():
        return last
    match = _LAST_WORD.search(last)  # "(não", "era—não", "tão-pouco"
    return match[0] if match else ""


def _is_noun_here(word: str, before: str) -> bool:
    """Whether a word of `attracting_nouns` is none of its class as an attractor: "o mal", "a tarde", "foi embora"."""
    if word == "embora":
        return is_verb(before)
    gender = "feminine" if word == "tarde" else "masculine"
    return lexicon.groups("determiners").get(before) == gender and (before, word) not in _ADVERBIAL


def _read(candidate: _Candidate, lower: str) -> Proclisis | None:
    end = candidate.end if candidate.kind else _special(candidate, lower)
    if end and _takes(candidate, lower):
        return Proclisis(candidate.start, end, candidate.word)
    if candidate.pronoun in _PLAIN and is_verb(candidate.verb):
        return Proclisis(candidate.at, candidate.end, None)
    return None


def _special(candidate: _Candidate, lower: str) -> int | None:
    """The end of the construction in which a word of `_SPECIAL` attracts the pronoun; None where it does not."""
    if candidate.word == "em":
        return candidate.end if candidate.verb.endswith("ndo") else None
    if candidate.word not in _SPECIAL:
        return None
    first = _FIRST_HALF.search(lower[max(candidate.start - 110, 0) : candidate.start])  # "ou me ajudas (ou te vais)"
    if first and first[1] == candidate.word:
        return candidate.end
    other = _OTHER_HALF.match(lower, candidate.end) if candidate.opens else None
    return candidate.end if other and other[1] == candidate.word else None


def _takes(candidate: _Candidate, lower: str) -> bool:
    """Whether the pronoun is a weak pronoun of the verb."""
    kind, word, pronoun, verb = candidate[:4]
    if verb in _NO_VERBS or (verb == "cerca" and lower.startswith(" d", candidate.end)):
        return False
    if pronoun in _OBJECTS:
        return _takes_object(kind, word, pronoun, verb)
    if pronoun == "se":
        return not is_condition(lower[max(candidate.start - REACH, 0) : candidate.start], kind, word, verb)
    if pronoun == "nos":  # or em + os
        if vos.is_verb(verb, certainly=True) or (kind == "negation" and _is_wish_of_vos(verb)):
            return True
        return not verb.endswith("s") or (verb.endswith("mos") and not is_plural_in_mos(verb))
    if pronoun == "to":  # "to indo" is "estou indo"
        return not verb.endswith("ndo")
    return True


def is_plural_in_mos(word: str) -> bool:
    """Whether a word in lower case that ends in -mos is the plural of a noun: termos, ritmos, remos."""
    return _is_noun(word[:-1], "masculine")


def _is_wish_of_vos(verb: str) -> bool:
    """Whether a form in -ais is a subjunctive of vós ("esqueçais") and no plural ("animais")."""
    may_be_plural = verb in _plurals() or verb.removesuffix("ais") + "ar" in lexicon.words("verbs")
    return verb.endswith("ais") and vos.is_verb(verb) and not may_be_plural


def _takes_object(kind: str, word: str, pronoun: str, verb: str) -> bool:
    if pronoun in ("o", "a") and vos.is_verb(verb, certainly=True):  # "não o façais"
        return True
    if not is_surely_verb(verb):
        return False
    if verb.endswith("s") and not verb.endswith("mos"):  # of tu ("nunca o esqueças"), or a plural noun
        return _takes_object_of_tu(kind, pronoun, verb)
    if pronoun in ("os", "as"):
        return True
    if is_infinitive(verb):
        if pronoun == "a":
            return (word == "não" or word in OPENERS) and verb != "partir" and not _is_noun(verb, "feminine")
        return (kind == "negation" or word in OPENERS or word == "que") and not _is_noun(verb, "masculine")
    if pronoun == "o":
        return not _is_noun(verb, "masculine")
    # The preposition a takes masculines too: "a bordo", "a oriente".
    return not _is_noun(verb, "feminine") and not (verb[-1] in "oe" and _is_noun(verb, "masculine"))


def _takes_object_of_tu(kind: str, pronoun: str, verb: str) -> bool:
    """Whether a form in -s after o, a, os, as is one of tu, and no plural: "que as guardes", not "que as guardas"."""
    if pronoun in ("o", "a"):
        nouns = (verb, verb[:-1]) if pronoun == "a" else (verb,)
        return not any(_is_noun(noun, gender) for noun in nouns for gender in ("masculine", "feminine"))
    if verb.endswith(("ais", "eis", "ares", "eres", "ores", "ges")) or verb in _plurals() or not is_verb(verb):
        return False
    if any(_is_noun(form, gender) for form in (verb, verb[:-1]) for gender in ("masculine", "feminine")):
        return False
    agrees = pronoun == "as" and verb.endswith("as")  # as plurals do: "as obras"
    return kind == "negation" or (is_irregular(verb) if agrees else kind in ("conjunction", "adverb"))


@cache
def _plurals() -> frozenset[str]:
    """Plurals of nouns and adjectives: flores, cores."""
    return frozenset(line.split()[-1] for name in ("nouns", "adjectives") for line in lexicon.lines(name))


def objects_of_subjects(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """The o, a, os, as (with their verb) that follow a subject without attractor: "Capitu o amava", "a mãe as criou".

    The subject is a personal pronoun, a name, or a noun after a determiner; the verb's form must be no noun's.
    """
    for pronoun, at, pronoun_end in _pronouns(lower):
        if pronoun not in _OBJECTS or not lower[at - 1 : at].isspace():
            continue
        after = _NEXT.match(lower, pronoun_end)
        if not after or text[at : after.end()] != lower[at : after.end()]:
            continue
        subject = _word_before(lower, at)
        if subject and _is_finite(after[1]) and _may_take(pronoun, after[1]):
            start = lower.rindex(subject, 0, at)
            if _is_subject(text, lower, subject, start, after[1]):
                yield at, after.end()


def _may_take(pronoun: str, verb: str) -> bool:
    return verb not in _NO_VERBS and _takes_object("", "", pronoun, verb)


def _is_finite(verb: str) -> bool:
    return not (is_infinitive(verb) or verb.endswith("ndo"))


def _is_subject(text: str, lower: str, word: str, start: int, verb: str) -> bool:
    """Whether the word at `start`, before a pronoun, is the subject of the verb after it."""
    if word in _SUBJECTS:  # "ele o disse"
        return True
    if word in lexicon.groups("attractors") or word in lexicon.words("function_words") or word in _NO_SUBJECTS:
        return False
    determined = _has_determiner(lower, start)
    if not (_PAST.fullmatch(verb) or (is_irregular(verb) and not verb.endswith(_AS_NOUNS_END))):
        if determined:  # "os vizinhos o odeiam", "a menina o abraça"
            return verb.endswith(("am", "em") if word.endswith("s") else ("a", "e")) and is_verb(verb)
        opens = _CLAUSE_START.search(lower[max(start - 3, 0) : start]) is not None
        return text[start].isupper() and not opens  # "quando Bentinho a ama"
    return determined or (text[start].isupper() and not is_verb(word))  # "a mãe as criou", "Capitu o amava"


def _has_determiner(lower: str, start: int) -> bool:
    before = _word_before(lower, start)
    determiners = lexicon.groups("determiners")
    return before in determiners or before.removesuffix("s") in determiners or before in ("meus", "seus", "uns", "dois")


def _is_noun(word: str, gender: str) -> bool:
    return word in lexicon.words(f"{gender}_lookalikes")
