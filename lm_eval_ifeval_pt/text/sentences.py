"""What a sentence is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import regex

from lm_eval_ifeval_pt.text import lexicon
from lm_eval_ifeval_pt.text.markup import LINE_OPENER, outside_fences
from lm_eval_ifeval_pt.text.verbs import is_verb
from lm_eval_ifeval_pt.text.words import LONG_LINE, WRITTEN_LINE

_LINE_START = regex.compile(rf"({LINE_OPENER}|^[ \t]*+[—–•▪◦‣·](?!\d))?+[^\S\n]*+", regex.M)
_HEADING = regex.compile(r"[ \t>]*+#{1,6}[ \t]")
_COLON = regex.compile(r":[*_\s]*\Z")
_UNDERLINED = re.compile(r"[ \t]*\n[ \t]*(?:={3,}|-{3,})[ \t]*$", re.M)
_LIST_BELOW = regex.compile(
    r"(?:[*_]*+[^\S\n]*+\n)++[ \t]*+(?:>[ \t]*+)?(?:[-*+•—–▪◦‣·][ \t]|(?:\*\*|__)?(?:\d{1,3}|\p{L})[.)][*_]*+[ \t])"
)
_WRAPPED = 40
"""A line at least this long, before one that starts in lower case, was broken for its length."""
_SALUTATION = regex.compile(r"prezad|querid|estimad|car[oa]s?\b|senhor|exm|ilm|excelent|ol[áa]\b", regex.I)

# A URL, to step over; or a run of stops with what closes after it, the gap to the next word, and that word.
_CANDIDATE = regex.compile(
    r"(?:https?://|www\.)\S*[^\s.!?…,;:\"'”’»)\]]"
    r"|(?P<stop>\.(?:[ ]\.){2,}+|[.!?…]++)"
    r"(?P<close>[\"'”’»›)\]}*_`~]*+)"
    r"(?P<gap>(?:[(\[](?:\.{2,}+|…)[)\]]|(?<=\s)(?:\.{2,}+|…)(?=\s)|[^\p{L}\p{N}.!?…])*+)"
    r"(?=(?P<next>[\p{L}\p{N}]*+)(?P<after>.?))",
    regex.S,
)
_WORD = regex.compile(r"[\p{L}\p{N}]")
_DASH = regex.compile(r"[—–-]")
_ASIDE = regex.compile(r"[(\[—–-]")
_CLOSING = regex.compile(r"[\"'”’»›)\]]")
_LEADING = "\"'“‘«‹([{*_—–-"
_CITATION = regex.compile(r"\s\([^()\n]{0,150}\d{4}[a-z]?\)\s*(?:\.|$)")
_NUMERAL = regex.compile(r"[\s*_]*(?:\d{1,3}(?:\.\d{1,3})*[ºª]?|[ivx]{1,5}|[IVX]{1,5}|[a-zA-Z])")
_LISTED = regex.compile(r":\s+[*_]*1|;\s+[*_]*(?:\d{1,2}|[ivx]{1,5}|[IVX]{1,5}|[a-zA-Z])")
_LETTERS = regex.compile(r"\p{L}|(?:\p{L}{1,2}\.)+\p{L}{1,2}")
_ORDINAL = regex.compile(r"\d+[ºª°]")
_ROMAN = regex.compile(r"[IVXLCDM]+")
_OPERATORS = ("+", "=", "≠", "<", ">", "≥", "≤", "→", "×", "÷")
_LETTER_SERIES = regex.compile(r"\S\s+[*_“\"']*(?:\p{Lu}|[b-df-np-z])[*_”\"']*(?:,|,?\s+(?:e|ou|a|até|nem))$")
_REGNAL_LETTERS = frozenset("IVX")
_REIGNING = regex.compile(
    r"(?:(?:\b(?:[Dd]om|[Dd]ona|[Rr]ei|[Pp]apa|[Rr]ainha|[Ii]mperador|[Ii]mperatriz|[Cc]zar)|\bD\.)(?:\s\p{Lu}\p{Ll}+){1,2}"
    r"|\bMalcolm)$"
)
_TITLES = frozenset("DS")
_UNKNOWNS = frozenset("xyz")
_VARIABLES = frozenset("abijkmqrtuw")  # small letters that abbreviate nothing
_DIVISIONS = frozenset(
    {"capítulo", "seção", "título", "parte", "anexo", "apêndice", "ato", "cena", "tomo", "volume", "livro", "artigo"}
)
_NUMBERS = (("", ""), ("s", ""), ("ões", "ão"), ("eis", "el"), ("ens", "em"), ("res", "r"), ("zes", "z"), ("ais", "al"))
"""Endings of plurals and of their singulars."""
_PRETERITE = regex.compile(r"(?:[aei]ram|[ei]u|ou|ava)$")
_NO_VOWEL = regex.compile(r"(?![xvlcdm]+$)[b-df-hj-np-tv-zç]{2,}")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a normalised text, as `(start, end)`.

    A sentence ends at `.`, `!`, `?`, `…` and their runs, closing quotes and brackets included, unless the
    stop belongs to an abbreviation, an initial, an ordinal, a number, a URL, a numeral of a list or an
    elision, or the words go on in lower case after an ellipsis, a quotation or a dash ("— Vem? — disse ela").
    The end of a line ends it too, so that titles and the items of a list are sentences; but not after a
    comma, nor in a paragraph whose lines were broken for their length. What has no letter or digit is no
    sentence, nor is code, nor what only introduces: a Markdown heading and the lead-in of a list ("Leve:"), unless
    they have a final mark of their own ("## Por que reciclar?").
    """
    for start, end in outside_fences(text):
        for block_start, block_end in _blocks(text, start, end):
            yield from _split(text, block_start, block_end)


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Runs of lines that can hold a sentence: mostly one line each, without what opens it."""
    block_start = first = last = start
    for line in WRITTEN_LINE.finditer(text, start, end):
        line_start, stop = line.span()
        opened, following = False, line_start
        if not text[line_start].isalpha():  # nothing that opens a line is a letter
            opening = _LINE_START.match(text, line_start, stop)
            if opening:
                opened, following = opening[1] is not None, opening.end()
        is_below_blanks = line_start != last + 1
        if opened or is_below_blanks or not _goes_on(text, first, last, following, stop):
            if block_start < last:
                yield block_start, last
            block_start = following
        first, last = following, stop
    if block_start < last:
        yield block_start, last


def _goes_on(text: str, first: int, last: int, following: int, stop: int) -> bool:
    """Whether the sentence of the line `first:last` may go on in the line `following:stop`."""
    if first == last or following == stop:
        return False  # “- \nSal”
    final = text[last - 1]
    if final == ",":
        return not _SALUTATION.match(text, first, last)  # “Prezada Ana,\nescrevo hoje.”
    # “O sol nasceu.\nChoveu.”
    return (
        last - first >= _WRAPPED
        and text[following].islower()
        and final not in ".!?…:;—–-|"
        and not text[first:last].isupper()
    )


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of a block."""
    block = text[start:end]
    ended, rest = _parts(block) if len(block) > LONG_LINE else _parts_of_short(block)
    for first, last in ended:
        yield start + first, start + last
    if rest is not None and not _introduces(text, start + rest, end):
        yield _trimmed(text, start + rest, end)


def _parts(block: str) -> tuple[list[tuple[int, int]], int | None]:
    """The sentences of a block that have a final mark, and the start of the words after them, if there are any."""
    start, end = 0, len(block)
    sentences: list[tuple[int, int]] = []
    word = _WORD.search(block)
    if not word:
        return sentences, None  # “…”
    for match in _CANDIDATE.finditer(block, word.start()):
        if _ends(block, start, end, match):
            stop = match.end("close")
            sentences.append(_trimmed(block, start, stop))
            start = stop
            if not _WORD.search(block, start):
                return sentences, None  # “Fim. ♻”
    return sentences, start  # “Sal”


_parts_of_short = lru_cache(maxsize=64)(_parts)


def _introduces(text: str, start: int, end: int) -> bool:
    """Whether words without a final mark are a Markdown heading ("## Ingredientes") or a list's lead-in ("Veja:")."""
    line = text.rfind("\n", 0, start) + 1
    if (line < start and _HEADING.match(text, line, start)) or _UNDERLINED.match(text, end):
        return True  # “## Sal”
    near_end = max(start, end - 8)
    if text.find(":", near_end, end) < 0:
        return False  # “Sal”
    # “Leve:\n- sal”
    return _COLON.search(text, near_end, end) is not None and _LIST_BELOW.match(text, end) is not None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while text[start].isspace():
        start += 1
    while text[end - 1].isspace():
        end -= 1
    return start, end


def _ends(text: str, start: int, end: int, match: regex.Match[str]) -> bool:
    """Whether a run of stops ends the sentence that starts at `start`, in a block that ends at `end`."""
    stop, close, gap, word, after = match.groups()
    if not stop:
        return False  # “Veja https://a.b/c já.”
    if not word:
        return match.end() == end  # “Fim.”
    at = match.start()
    if not gap:
        return _lacks_blank(text[max(at - 2, 0) : at], stop, word, after)  # “É o fim.Depois veio.”
    if not gap[0].isspace() and not _DASH.match(gap):
        return False  # “Custa cinco.(Reais)”
    lower = word[0].islower()
    if lower and ((len(gap) > 1 and _ASIDE.search(gap)) or (close and _CLOSING.search(close))):
        return False  # “— Vem? — disse ela.”
    if "!" in stop or "?" in stop:
        return word not in lexicon.groups("verbs_of_saying")  # “Vem! disse ela.”
    if stop != ".":
        return not lower and _ellipsis_ends(text[at - 1 : at] if at > start else "", close, word)  # “Bem… Vamos.”
    if "(" in gap and _CITATION.match(text, match.end("close"), end):
        return False  # “Chove. (Silva, 2001).”
    if at - start < 20 and _NUMERAL.fullmatch(text, start, at):
        return False  # “a. Separe o lixo.”
    return _full_stop_ends(text[max(start, at - 30) : at], close, gap, word, after)  # “Choveu. Ventou.”


def _lacks_blank(before: str, stop: str, word: str, after: str) -> bool:
    """Whether a sentence ends though no blank follows ("fim.Depois"), unlike "3.5", "p.ex" and "a.com"."""
    if stop != ".":
        return word[0].isupper()  # “Vem?Sim.”
    words = len(word) > 1 and word.istitle() and len(before) == 2 and before.isalpha() and before.islower()
    return words and after not in ("@", "_", "/")  # “É o fim.Depois veio.”


def _ellipsis_ends(before: str, close: str, word: str) -> bool:
    if before in ("(", "["):
        return bool(close) and _opens(word)  # “Cita (…) Depois vem.”
    return bool(close) or (before != "" and before not in "«“\"'")  # “Bem… Vamos.”


def _full_stop_ends(head: str, close: str, gap: str, word: str, after: str) -> bool:
    """Whether a single full stop ends a sentence; `head` has the last characters before it."""
    if not head or head[-1].isspace():
        return True  # “Fim . Depois”
    mark = max(head.rfind(":"), head.rfind(";"))
    if mark >= 0 and _LISTED.fullmatch(head, mark):
        return False  # “Leve: 1. Água; 2. Pão.”
    last = head.rsplit(None, 1)[-1]
    token = last.lstrip(_LEADING) or last
    kinds = lexicon.groups("abreviaturas")
    kind = kinds.get(token) or kinds.get(token.lower())
    letters = _LETTERS.fullmatch(token) is not None
    ordinal = token[0].isdigit() and _ORDINAL.fullmatch(token) is not None
    if (letters or ordinal) and _DASH.search(gap):
        return False  # “Parágrafo 4º. — A taxa sobe.”
    if word.lower() == "ed" and after == "." and token.isdigit():
        return False  # “Saiu a 2. ed. do livro.”
    if word[0].islower():
        return not (kind or letters or ordinal or _NO_VOWEL.fullmatch(token))  # “Citou p. ex. a seca.”
    if close and _CLOSING.search(close):
        return True  # "Disse “sim.” Saiu."
    if word[0].isdigit() or (kind == "number" and _ROMAN.fullmatch(word)):
        return kind in (None, "last") and not (letters and token.islower())  # “Veja a fig. 3 já.”
    if letters and len(token) == 1 and _names_a_thing(head[: -len(last)], token):
        return True  # “Tome vitamina C. Tome D.”
    if kind == "either" and word.lower() == "vale":
        return False  # “A Cia. Vale lucra.”
    if letters or kind == "either":
        is_unit = "." not in token and head[: -len(last)].rstrip()[-1:].isdigit()
        return is_unit or (_opens(word) and not (len(word) == 1 and after == "."))  # “O J. Silva veio.”
    return kind != "inner"  # “Choveu. Ventou.”


def _names_a_thing(before: str, letter: str) -> bool:
    """Whether a letter is a name or value of what stands before it, and no initial of a person.

    `before` is the sentence up to the letter, or the end of it.
    """
    before = before.rstrip(" *_“\"'‘«([")
    if before.endswith(_OPERATORS):  # "Ctrl + V", "x = y"
        return True  # “Tecle Ctrl + V. Pronto.”
    if _LETTER_SERIES.search(before):  # "as vitaminas A, D e E", "de A a Z", "x e y"
        return True  # “Tome vitaminas A e D. Tome já.”
    if letter.islower():
        if letter in _UNKNOWNS:  # "o valor de x"
            return True  # “Ache o valor de x. Some.”
        if letter not in _VARIABLES:
            return False  # “Viveu em c. Roma.”
    if letter in _REGNAL_LETTERS and _REIGNING.search(before):  # "Dom Pedro I", "o papa Pio X"
        return True  # “Era Dom Pedro I. Depois caiu.”
    *earlier, last = before.rstrip(" :*_“\"'‘").lower().split() or [""]
    noun = last.strip(_LEADING)
    if not earlier and noun in _DIVISIONS:  # "Capítulo V. Das penas" is a title
        return False  # “Capítulo V. Das penas.”
    if noun in ("é", "era", "foi", "seria", "são"):  # "a resposta é B"
        return any(_takes_letters(word) for word in earlier)  # “A resposta é B. Confira.”
    if letter in _TITLES and noun not in lexicon.words("lettered_things"):  # "a sala D. João V", "a rua S. Bento"
        return False  # “Fica na sala D. João.”
    return _takes_letters(noun)  # “Tome vitamina C. Tome D.”


def _takes_letters(noun: str) -> bool:
    nouns = lexicon.words("letter_nouns")
    return any(noun.endswith(plural) and noun.removesuffix(plural) + singular in nouns for plural, singular in _NUMBERS)


def _opens(word: str) -> bool:
    """Whether a capitalised word opens sentences rather than names."""
    low = word.lower()
    if not word.istitle():
        return False  # “Foi em 44 a.C. ROMA ruiu.”
    if low in lexicon.groups("sentence_openers") or (len(low) > 8 and low.endswith("mente")):
        return True  # “Foi em 44 a.C. Depois caiu.”
    return _PRETERITE.search(low) is not None and is_verb(low)  # “Foi em 44 a.C. Morreu só.”
