"""Próclise: a weak pronoun before its verb, told from the article, preposition or conjunction it looks like.

What decides: the word before (an attractor, of a closed class), the form of the word after (`verbs.is_verb`),
and for o, a, os, as, nos whether that word can be a noun which agrees with the pronoun read as an article.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lm_eval_ifeval_pt.text import lexicon
from lm_eval_ifeval_pt.text.verbs import is_infinitive, is_irregular, is_surely_verb, is_verb, may_be_verb


class Proclisis(NamedTuple):
    """Attractor (if any), pronoun and verb: `text[start:end]`; up to the second "ou" of a pair."""

    start: int
    end: int
    attractor: str | None


_PRONOUN = re.compile(
    r"(?<![^\W_])(?<!-)(?:[mts]e|[oa]s?|lhes?|[nv]os|m[oa]|to|lh[oa]s?|[nv]o-l[oa]s?)(?=[*_]{0,3}\s)"
)
_PLAIN = frozenset({"me", "te", "lhe", "lhes"})  # pronouns that look like nothing else
_DATIVES = _PLAIN | {"nos", "vos"}
_OBJECTS = frozenset({"o", "a", "os", "as"})

_REACH = 40  # longer than any attractor: only so much text before a pronoun is looked at
_LAST_WORD = re.compile(r"(?:[^\W_]+-)?[^\W_]+\Z")
# The next word, beyond blanks, at most one line break and marks of emphasis.
_NEXT = re.compile(r"[*_]{0,3}(?:[ \t]{1,4}\n?|\n)[ \t]{0,4}[*_]{0,3}((?:[^\W\d_]+-){0,3}[^\W\d_]+)")

# Forms of verbs that are prepositions, determiners or adverbs where they follow what looks like a pronoun.
_NO_VERBS = frozenset({
    "para", "como", "entre", "sobre", "nada", "fora", "menos", "sua",
    "esta", "este", "estas", "estes", "essa", "esse", "desse", "deste",
})  # fmt: skip

# "como se fosse", "que se houver", "nem se quisesse": before these forms "se" is the conjunction.
_AS_IF = ("sse", "sses", "ssemos", "ssem", "ndo")
_CONDITION = re.compile(
    r"(?:(?:tiv|estiv|houv|pud|quis|soub|\w*vi)er|for|calhar|(?:estiv|houv|pud|quis|vi)esse|fosse)(?:em|m|mos)?"
)
# Here a form in -r is a future subjunctive ("se o encontrar"), elsewhere an infinitive ("muito a fazer").
_OPENERS = frozenset({"se", "quando", "quem", "enquanto", "conforme"})

# Attractors of one construction only: "em se tratando"; "ou se cala, ou se explica".
_SPECIAL = frozenset({"em", "ou", "ora", "quer"})
_CLAUSE_START = re.compile(r"(?:^|[.!?…;:,\n])\W*$")
_OTHER_HALF = re.compile(r"[^.!?…\n,]{0,100},[ \n](ou|ora|quer)(?!\w)")


def proclises(text: str, lower: str) -> Iterator[Proclisis]:
    """The próclises of a normalised text and of its lower case, in order; see `clitics.clitics`."""
    classes = lexicon.groups("attractors")
    done = 0
    for match in _PRONOUN.finditer(lower):
        at, pronoun = match.start(), match[0]
        word = _word_before(lower, at)
        kind = classes.get(word) or ("adverb" if word.endswith("mente") else "")
        if not (kind or word in _SPECIAL or pronoun in _PLAIN):
            continue
        after = _NEXT.match(lower, match.end())
        if after and pronoun == "se" and after[1] in _DATIVES:  # "não se lhe aplica"
            pronoun, after = after[1], _NEXT.match(lower, after.end())
        elif after and pronoun != "se" and after[1] == "não":  # "que o não disse"
            after = _NEXT.match(lower, after.end())
        if not after or not may_be_verb(after[1]):
            continue
        verb, end = after[1], after.end()
        start = lower.rindex(word, 0, at) if word else at
        if start < done or lower.count("\n", start, at) > 1:
            continue
        first = at if kind else at + 1  # a capital may open a sentence: "Me diga"
        if not (text[first:end].islower() or text[start:end].isupper()):
            continue
        shown = end if kind else _special(word, verb, lower, start, end)
        if shown and _takes(kind, word, pronoun, verb, lower[end : end + 2]):
            yield Proclisis(start, shown, word)
            done = end
        elif match[0] in _PLAIN and is_verb(verb):
            yield Proclisis(at, end, None)
            done = end


def _word_before(lower: str, at: int) -> str:
    """The word that ends at `at`, but for blanks and marks of emphasis; empty where something else stands."""
    before = lower[max(at - _REACH, 0) : at].rstrip("*_ \t\n")
    if not before[-1:].isalpha():
        return ""
    last = before.rsplit(None, 1)[-1]
    if last.isalpha():
        return last
    found = _LAST_WORD.search(last)  # "(não", "era—não", "tão-pouco"
    return found[0] if found else ""


def _special(word: str, verb: str, lower: str, start: int, end: int) -> int | None:
    """Where a construction ends in which a word of `_SPECIAL` attracts; None when it does not."""
    if word == "em":
        return end if verb.endswith("ndo") else None
    if word not in _SPECIAL or not _CLAUSE_START.search(lower[max(start - 3, 0) : start]):
        return None
    other = _OTHER_HALF.match(lower, end)
    return other.end() if other and other[1] == word else None


def _takes(kind: str, attractor: str, pronoun: str, verb: str, rest: str) -> bool:
    """Whether `pronoun`, between `attractor` and `verb`, is a weak pronoun of that verb; `rest` follows."""
    if verb in _NO_VERBS or (verb == "cerca" and rest == " d"):
        return False
    if pronoun in _OBJECTS:
        return _takes_object(kind, attractor, pronoun, verb)
    if pronoun == "se":
        if attractor == "como":
            return not verb.endswith(_AS_IF)
        free = kind in ("relative", "indefinite") or attractor in _OPENERS or attractor == "não"
        return free or not _CONDITION.fullmatch(verb)
    if pronoun == "nos":  # or em + os
        return not verb.endswith("s") or (verb.endswith("mos") and not _is_noun(verb[:-1], "masculine"))
    if pronoun == "to":  # "to indo" is "estou indo"
        return not verb.endswith("ndo")
    return True


def _takes_object(kind: str, attractor: str, pronoun: str, verb: str) -> bool:
    if not is_surely_verb(verb):
        return False
    if verb.endswith("s") and not verb.endswith("mos"):  # a plural noun, or the rare tu
        return pronoun in ("o", "a") and is_irregular(verb)
    if pronoun in ("os", "as"):
        return True
    if is_infinitive(verb):
        if pronoun == "a":
            return (attractor == "não" or attractor in _OPENERS) and verb != "partir"
        opens = kind == "negation" or attractor in _OPENERS or attractor == "que"
        return opens and not _is_noun(verb, "masculine")
    if verb.endswith("o") and kind != "negation" and not is_irregular(verb):  # "também o trabalho"
        return False
    if pronoun == "o":
        return not _is_noun(verb, "masculine")
    # The preposition a takes masculines too: "a bordo", "a oriente".
    return not _is_noun(verb, "feminine") and not (verb[-1] in "oe" and _is_noun(verb, "masculine"))


def _is_noun(word: str, gender: str) -> bool:
    return word in lexicon.words(f"{gender}_lookalikes")
