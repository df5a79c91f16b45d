"""The rules `punctuation:*`, `structure:*`, `format:*`, and what is forbidden of punctuation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from lm_eval_ifeval_pt.constraints.registry import Check
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.ifeval.compat.capitu import units
from lm_eval_ifeval_pt.ifeval.compat.capitu.units import counted
from lm_eval_ifeval_pt.text import Text

_MARKS = ("sinal", "sinais")
_ITEMS = ("item", "itens")
_QUOTATION = re.compile(r'"[^"]+"')
_SHORTEST_QUOTATION = 8  # characters, the two quotation marks included
_BULLETS = tuple("•-*→►▪●○")
_NUMERAL = re.compile(r"\s*\d+[.)]\s+")
_LETTER = re.compile("[a-záàâãéèêíìîóòôõúùûç]", re.I)


def _signs(text: Text, signs: str, least: int = 0, most: float = float("inf")) -> Verdict:
    spans = [match.span() for match in re.finditer(f"[{signs}]", text.text)]
    return counted(text, len(spans), _MARKS, least, most, spans)


def no_questions(text: Text) -> Verdict:
    """No question mark."""
    return _signs(text, "?", most=0)


def no_exclamations(text: Text) -> Verdict:
    """No exclamation mark."""
    return _signs(text, "!", most=0)


def only_declarative(text: Text) -> Verdict:
    """Neither question nor exclamation mark."""
    return _signs(text, "?!", most=0)


def include_question(text: Text, *, min_questions: int = 1) -> Verdict:
    """Question marks, at least."""
    return _signs(text, "?", min_questions)


def use_semicolon(text: Text, *, min_count: int = 1) -> Verdict:
    """Semicolons, at least."""
    return _signs(text, ";", min_count)


def use_colon(text: Text, *, min_count: int = 1) -> Verdict:
    """Colons, at least."""
    return _signs(text, ":", min_count)


def include_quote(text: Text) -> Verdict:
    """Six characters or more between straight double quotation marks; curly ones are not seen."""
    quotations = [match.span() for match in _QUOTATION.finditer(text.text)]
    spans = [(start, end) for start, end in quotations if end - start >= _SHORTEST_QUOTATION]
    return counted(text, len(spans), ("citação", "citações"), 1, spans=spans)


def start_with_word(text: Text, *, word: str) -> Verdict:
    """The first word, but for ASCII punctuation around it."""
    first = next(iter(units.words(text)), "").strip(units.PUNCTUATION)
    return Verdict(first.lower() == word.lower(), (), f"O verificador publicado vê “{first[:40]}” no início.")


def end_with_word(text: Text, *, word: str) -> Verdict:
    """The last word, but for ASCII punctuation around it."""
    words = text.text.strip().rstrip(".!?").split()
    last = words[-1].strip(units.PUNCTUATION) if words else ""
    return Verdict(last.lower() == word.lower(), (), f"O verificador publicado vê “{last[:40]}” no fim.")


def start_end_same_word(text: Text, *, word: str | None = None) -> Verdict:
    """First and last word are the same, whatever word is asked for."""
    spans = units.word_spans(text)
    if len(spans) < 2:
        return Verdict(False, (), "O verificador publicado vê menos de duas palavras.")
    first, last = (text.lower[slice(*span)] for span in (spans[0], spans[-1]))
    detail = f"O verificador publicado vê “{first[:40]}” no início e “{last[:40]}” no fim."
    return Verdict(first == last, text.evidence([spans[0], spans[-1]]), detail)


def no_repeat_sentence_start(text: Text) -> Verdict:
    """No two sentences in a row start with the same word; a sentence further on may."""
    starts = [sentence.split()[0].lower().strip(units.PUNCTUATION) for sentence in units.sentences(text)]
    repeats = sum(bool(before) and before == after for before, after in pairwise(starts))
    return counted(text, repeats, ("repetição", "repetições"), most=0)


def each_line_starts_with(text: Text, *, char: str) -> Verdict:
    """Every line that is not blank starts with a character."""
    others = sum(not line.startswith(char) for line in units.lines(text))
    return counted(text, others, ("linha com outro início", "linhas com outro início"), most=0)


def acrostic(text: Text, *, word: str) -> Verdict:
    """The first characters of the first lines spell a word."""
    initials = "".join(line[0].upper() for line in units.lines(text)[: len(word)])
    return Verdict(initials == word.upper(), (), f"O verificador publicado lê “{initials[:40]}”.")


def bullet_list(text: Text, *, min_items: int = 1) -> Verdict:
    """Lines that start with a bullet, at least; "**" is one."""
    items = sum(line.startswith(_BULLETS) for line in units.lines(text))
    return counted(text, items, _ITEMS, min_items)


def numbered_list(text: Text, *, min_items: int = 1) -> Verdict:
    """Lines that start with a numeral and a stop or bracket, at least."""
    items = sum(bool(_NUMERAL.match(line)) for line in text.text.split("\n"))
    return counted(text, items, _ITEMS, min_items)


def all_caps(text: Text) -> Verdict:
    """All letters are capitals, and there is one."""
    letters = _LETTER.findall(text.text)
    return _letters(letters, sum(not letter.isupper() for letter in letters), "minúscula")


def all_lowercase(text: Text) -> Verdict:
    """All letters are small, and there is one."""
    letters = _LETTER.findall(text.text)
    return _letters(letters, sum(not letter.islower() for letter in letters), "maiúscula")


def _letters(letters: list[str], others: int, case: str) -> Verdict:
    return Verdict(bool(letters) and not others, (), f"O verificador publicado conta {others} letra(s) {case}(s).")


def title_case_start(text: Text) -> Verdict:
    """No part that ends in a stop before white space starts with a small letter."""
    firsts = [sentence[0] for sentence in units.sentences(text)]
    small = sum(first.isalpha() and not first.isupper() for first in firsts)
    return counted(text, small, ("frase com inicial minúscula", "frases com inicial minúscula"), most=0)


RULES: Mapping[str, Check] = {
    "forbidden:no_questions": no_questions,
    "forbidden:no_exclamations": no_exclamations,
    "punctuation:only_declarative": only_declarative,
    "punctuation:include_question": include_question,
    "punctuation:include_quote": include_quote,
    "punctuation:use_semicolon": use_semicolon,
    "punctuation:use_colon": use_colon,
    "structure:start_with_word": start_with_word,
    "structure:end_with_word": end_with_word,
    "structure:start_end_same_word": start_end_same_word,
    "structure:no_repeat_sentence_start": no_repeat_sentence_start,
    "structure:each_line_starts_with": each_line_starts_with,
    "structure:acrostic": acrostic,
    "format:bullet_list": bullet_list,
    "format:numbered_list": numbered_list,
    "format:all_caps": all_caps,
    "format:all_lowercase": all_lowercase,
    "format:title_case_start": title_case_start,
}
