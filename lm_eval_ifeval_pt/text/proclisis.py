"""Próclise: a weak pronoun before its verb, told from the article, preposition or conjunction that it looks like.

What decides: the word before (an attractor, of a closed class), the form of the word after (`verbs.is_verb`), and for
o, a, os, as, nos whether that word can be a noun or adjective which agrees with the pronoun read as an article.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lm_eval_ifeval_pt.text import lexicon
from lm_eval_ifeval_pt.text.verbs import is_infinitive, is_irregular, is_verb


class Proclisis(NamedTuple):
    """Attractor (if any), pronoun and verb: `text[start:end]`."""

    start: int
    end: int
    attractor: str | None


_PRONOUN = re.compile(r"(?<![^\W_])(?<!-)(?:[mts]e|[oa]s?|lhes?|[nv]os|m[oa]|to|lh[oa]s?|[nv]o-l[oa]s?)(?=[*_]{0,3}\s)")
_PLAIN = frozenset(("me", "te", "lhe", "lhes"))  # pronouns that look like nothing else
_DATIVES = frozenset(("me", "te", "lhe", "lhes", "nos", "vos"))

_REACH = 40  # longer than any attractor: only so much text before a pronoun is looked at
_LAST_WORD = re.compile(r"((?:[^\W_]+-)?[^\W_]+)[*_]*\Z")
# The next word, beyond blanks, at most one line break and marks of emphasis.
_NEXT = re.compile(r"[*_]{0,3}(?:[ \t]{1,4}\n?|\n)[ \t]{0,4}[*_]{0,3}((?:[^\W\d_]+-){0,3}[^\W\d_]+)")

# Forms of verbs that, between a pronoun and the rest of a sentence, are prepositions, determiners or adverbs.
_FUNCTION_WORDS = frozenset("para como entre sobre nada esta este estas estes essa esse desse deste fora sua menos".split())

# Verbs that the lexicon lacks: endings that only verbs have, and the fewer of them that no noun after an article has.
_VERBAL = re.compile(
    r"\w{3,}(?:[aei]ram|avam?|[aei]ssem?|[aei]r[áã]o?|[aei]riam?|[aei]ndo|[aei]r(?:em|mos)?|ou|ei)"
)
_ONLY_VERBAL = re.compile(r"\w{3,}(?:[aei]ram|avam|[aei]ssem|[aei]riam|[aei]rmos|[aei]rem|ou)")

# "como se fosse", "que se houver", "nem se quisesse": with these forms "se" is the conjunction.
_PAST_SUBJUNCTIVE = ("sse", "sses", "ssemos", "ssem")
_CONDITION = re.compile(
    r"(?:(?:tiv|estiv|houv|pud|quis|soub|\w*vi)er|for|calhar|(?:estiv|houv|pud|quis|vi)esse|fosse)(?:em|m|mos)?"
)
# After these a form in -r is a future subjunctive ("se o encontrar"), after others an infinitive ("muito a fazer").
_OPENERS = frozenset(("se", "quando", "quem", "enquanto", "conforme"))

# "Ou se cala, ou se explica": an alternative attracts when the same word opens its other half.
_SPECIAL = frozenset(("em", "ou", "ora", "quer"))
_CLAUSE_START = re.compile(r"(?:^|[.!?…;:,\n])\W*$")
_SENTENCE = re.compile(r"[^.!?…\n]{0,200}")


def proclises(text: str, lower: str) -> Iterator[Proclisis]:
    """The próclises of a normalised text and of its lower case, in order; see `clitics.clitics`."""
    classes = lexicon.groups("attractors")
    done = 0
    for match in _PRONOUN.finditer(lower):
        at, pronoun = match.start(), match[0]
        before = lower[max(at - _REACH, 0) : at].rstrip("*_").split()
        word = before[-1] if before else ""
        if not word.isalpha():  # "(não", "era—não", "tão-pouco", "disse,"
            last = _LAST_WORD.search(word)
            word = last[1] if last else ""
        kind = classes.get(word) or ("adverb" if word.endswith("mente") else None)
        if not (kind or word in _SPECIAL or pronoun in _PLAIN):
            continue
        after = _NEXT.match(lower, match.end())
        if after and pronoun == "se" and after[1] in _DATIVES:  # "não se lhe aplica"
            pronoun, after = after[1], _NEXT.match(lower, after.end())
        elif after and pronoun != "se" and after[1] == "não":  # "que o não disse"
            after = _NEXT.match(lower, after.end())
        if not after:
            continue
        verb, end = after[1], after.end()
        start = lower.rindex(word, 0, at) if word else at
        if start < done or lower.count("\n", start, at) > 1:
            continue
        if not (text[at + (not kind) : end].islower() or text[start:end].isupper()):
            continue
        if not kind and _attracts(word, lower, start, end, verb):
            kind = "special"
        if kind and _takes(kind, word, pronoun, verb, lower[end : end + 2]):
            yield Proclisis(start, end, word)
            done = end
        elif match[0] in _PLAIN and is_verb(verb):
            yield Proclisis(at, end, None)
            done = end


def _attracts(word: str, lower: str, start: int, end: int, verb: str) -> bool:
    """Whether a word outside the closed classes attracts here: "em" before a gerund, the first of a paired "ou"."""
    if word == "em":
        return verb.endswith("ndo")
    opens = word in _SPECIAL and _CLAUSE_START.search(lower[max(start - 3, 0) : start])
    rest = opens and _SENTENCE.match(lower, end)
    return bool(rest and f", {word} " in rest[0])


def _takes(kind: str, attractor: str, pronoun: str, verb: str, rest: str) -> bool:
    """Whether `pronoun`, between `attractor` and `verb`, is a weak pronoun of that verb."""
    if verb in _FUNCTION_WORDS or verb == "cerca" and rest.startswith(" d"):
        return False
    if pronoun in ("o", "a", "os", "as"):
        return _takes_object(kind, attractor, pronoun, verb)
    last = verb.rpartition("-")[2]
    if not is_verb(last) and not _VERBAL.fullmatch(last):
        return False
    if pronoun == "se":
        if attractor == "como":
            return not verb.endswith((*_PAST_SUBJUNCTIVE, "ndo"))
        free = kind in ("relative", "indefinite") or attractor in _OPENERS or attractor == "não"
        return free or not _CONDITION.fullmatch(verb)
    if pronoun == "nos":  # or em + os
        return not verb.endswith("s") or verb.endswith("mos") and verb[:-1] not in lexicon.words("masculine_lookalikes")
    if pronoun == "to":  # "to indo" is "estou indo"
        return not verb.endswith("ndo")
    return True


def _takes_object(kind: str, attractor: str, pronoun: str, verb: str) -> bool:
    if not is_verb(verb) and not _ONLY_VERBAL.fullmatch(verb):
        return False
    masculine, feminine = (lexicon.words(f"{gender}_lookalikes") for gender in ("masculine", "feminine"))
    if pronoun in ("os", "as"):
        return not verb.endswith("s") or verb.endswith("mos")
    if verb.endswith("s") and not verb.endswith("mos"):
        return False
    if is_infinitive(verb):
        if pronoun == "a":
            return (attractor == "não" or attractor in _OPENERS) and verb != "partir"
        return (kind == "negation" or attractor in _OPENERS or attractor == "que") and verb not in masculine
    if verb.endswith("o") and kind != "negation" and not is_irregular(verb):
        return False
    if pronoun == "o":
        return verb not in masculine
    return verb not in feminine and not (verb in masculine and verb.endswith(("o", "e")))
