"""How a text addresses its reader: forms of você and forms of tu."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lm_eval_ifeval_pt.text.enclisis import hyphenated
from lm_eval_ifeval_pt.text.verbs import may_be_verb

# Around a pronoun: marks of emphasis may touch it ("_ti_"), letters, hyphens and parts of an identifier may not. What
# stands before it is looked at after its first letter: few words have that one.
STARTED = r"(?<![^\W_].)(?<![^\W_]_.)(?<!-.)"
END = r"(?![^\W_])(?!_[^\W_])(?!-)"

# "sotto voce" is Italian.
_VOCE = re.compile(
    rf"[vpdo]{STARTED}"
    r"(?:(?<=v)(?:oc[êe]s?|cs?)|(?<=p)r?ocês?|(?<=d)ocês?|(?<=o)cês?)"
    + END + r"(?<!sotto voce)(?<!mezza voce)(?<!viva voce)"
)
_PARTS_OF_VOCE = ("ocê", "oce", "vc")
_TU = re.compile(rf"[tc]{STARTED}" r"(?:(?<=t)(?:[uú]|eus?|uas?|e|i)|(?<=c)ontigo)" + END)
_NEXT_WORD = re.compile(r"[\W_]{1,4}([^\W_]+)")
_GOVERNED = re.compile(
    r"(?<![^\W_])(?:a|de|para|pra|pro|por|em|sem|contra|sobre|entre|até|perante|e)[*_]{0,3}\s{1,4}[*_“\"‘'«]{0,4}\Z"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?…:;\n—–(\[«“\"'‘*_-])[\s«“\"'‘*_—–-]{0,5}\Z")
_LAST_WORD = re.compile(r"([^\W_]+)[\W_]{1,4}\Z")
_REACH = 16  # characters before a word that are looked at


def voce(lower: str) -> Iterator[tuple[int, int]]:
    """The spans of você and vocês, also as vc, voce, ocê, procê, in a normalised text in lower case."""
    if any(part in lower for part in _PARTS_OF_VOCE):  # most texts have none: this is much faster than the search
        for match in _VOCE.finditer(lower):
            yield match.span()


def tu(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """The spans of tu, te, ti, contigo, teu(s), tua(s) in a normalised text and its lower case, in order.

    Names and loans that look so are left out: the river Tua, titanium (Ti), the area of TI, "Con te partirò".
    Verbs in the second person are not looked for: their forms are too often something else.
    """
    spans = [match.span() for match in _TU.finditer(lower) if _is_tu(text, lower, *match.span())]
    if "-te" in lower:
        spans += [(start, end) for _, start, end in hyphenated(text, lower) if "-te" in lower[start:end]]
    return iter(sorted(spans))


def _is_tu(text: str, lower: str, start: int, end: int) -> bool:
    word, written, before = lower[start:end], text[start:end], lower[max(start - _REACH, 0) : start]
    after = _NEXT_WORD.match(lower, end)
    if written.isupper() and not _is_shouted(text, start, end):
        return False
    if written.istitle() and not written.isupper():
        named = after is not None and text[after.start(1)].isupper()
        if named or not _SENTENCE_START.search(before):
            return False
    if word == "te":
        return after is not None and (may_be_verb(after[1]) or after[1] == "não")
    return word != "ti" or _GOVERNED.search(before) is not None


def _is_shouted(text: str, start: int, end: int) -> bool:
    """Whether a word in capitals has a neighbour in capitals, or none at all; otherwise it is an acronym."""
    neighbours = [_LAST_WORD.search(text, max(start - _REACH, 0), start), _NEXT_WORD.match(text, end)]
    words = [neighbour[1] for neighbour in neighbours if neighbour]
    return not words or any(word.isupper() and len(word) > 1 for word in words)
