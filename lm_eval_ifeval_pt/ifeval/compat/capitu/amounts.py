"""The rules `count:*`."""

from __future__ import annotations

from collections.abc import Mapping

from lm_eval_ifeval_pt.constraints.registry import Check
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.ifeval.compat.capitu import units
from lm_eval_ifeval_pt.ifeval.compat.capitu.units import counted
from lm_eval_ifeval_pt.text import Text

_WORDS = ("palavra", "palavras")
_SENTENCES = ("frase", "frases")
_PARAGRAPHS = ("parágrafo", "parágrafos")
_NUMBERS = ("número", "números")


def _extreme(followed: bool, which: str, words: int) -> Verdict:
    return Verdict(followed, (), f"A {which} frase que o verificador publicado vê tem {words} {_WORDS[words != 1]}.")


def word_count_range(text: Text, *, min_words: int, max_words: int) -> Verdict:
    """Words, between two bounds."""
    return counted(text, len(units.words(text)), _WORDS, min_words, max_words)


def exact_word_count(text: Text, *, num_words: int) -> Verdict:
    """Words, exactly."""
    return counted(text, len(units.words(text)), _WORDS, num_words, num_words)


def min_word_count(text: Text, *, min_words: int) -> Verdict:
    """Words, at least."""
    return counted(text, len(units.words(text)), _WORDS, min_words)


def max_word_count(text: Text, *, max_words: int) -> Verdict:
    """Words, at most."""
    return counted(text, len(units.words(text)), _WORDS, most=max_words)


def unique_word_count(text: Text, *, min_unique: int) -> Verdict:
    """Different words, at least."""
    unit = ("palavra diferente", "palavras diferentes")
    return counted(text, len(set(units.bare_words(text))), unit, min_unique)


def character_count_range(text: Text, *, min_chars: int, max_chars: int) -> Verdict:
    """Characters, white space included, between two bounds."""
    return counted(text, len(text.text), ("caractere", "caracteres"), min_chars, max_chars)


def exact_sentence_count(text: Text, *, num_sentences: int) -> Verdict:
    """Sentences, exactly."""
    return counted(text, units.sentence_count(text), _SENTENCES, num_sentences, num_sentences)


def min_sentence_count(text: Text, *, min_sentences: int) -> Verdict:
    """Sentences, at least."""
    return counted(text, units.sentence_count(text), _SENTENCES, min_sentences)


def sentence_count_range(text: Text, *, min_sentences: int, max_sentences: int) -> Verdict:
    """Sentences, between two bounds."""
    return counted(text, units.sentence_count(text), _SENTENCES, min_sentences, max_sentences)


def exact_paragraph_count(text: Text, *, num_paragraphs: int) -> Verdict:
    """Paragraphs, exactly."""
    return counted(text, units.paragraph_count(text), _PARAGRAPHS, num_paragraphs, num_paragraphs)


def min_paragraph_count(text: Text, *, min_paragraphs: int) -> Verdict:
    """Paragraphs, at least."""
    return counted(text, units.paragraph_count(text), _PARAGRAPHS, min_paragraphs)


def max_sentence_length(text: Text, *, max_words_per_sentence: int) -> Verdict:
    """No part between stops is longer."""
    longest = max(map(len, units.clauses(text)), default=0)
    return _extreme(longest <= max_words_per_sentence, "maior", longest)


def min_sentence_length(text: Text, *, min_words_per_sentence: int) -> Verdict:
    """There are parts between stops, and none is shorter."""
    shortest = min(map(len, units.clauses(text)), default=0)
    return _extreme(shortest >= min_words_per_sentence and shortest > 0, "menor", shortest)


def exact_line_count(text: Text, *, num_lines: int) -> Verdict:
    """Lines that are not blank, exactly."""
    return counted(text, len(units.lines(text)), ("linha", "linhas"), num_lines, num_lines)


def exact_number_count(text: Text, *, num_numbers: int) -> Verdict:
    """Runs of digits, exactly."""
    spans = units.numbers(text)
    return counted(text, len(spans), _NUMBERS, num_numbers, num_numbers, spans)


def min_number_count(text: Text, *, min_numbers: int) -> Verdict:
    """Runs of digits, at least."""
    spans = units.numbers(text)
    return counted(text, len(spans), _NUMBERS, min_numbers, spans=spans)


def include_specific_number(text: Text, *, number: int) -> Verdict:
    """The digits occur, also inside longer ones."""
    at = text.text.find(str(number))
    spans = [(at, at + len(str(number)))] if at >= 0 else []
    return counted(text, len(spans), ("ocorrência", "ocorrências"), 1, spans=spans)


RULES: Mapping[str, Check] = {
    "count:word_count_range": word_count_range,
    "count:exact_word_count": exact_word_count,
    "count:min_word_count": min_word_count,
    "count:max_word_count": max_word_count,
    "count:unique_word_count": unique_word_count,
    "count:character_count_range": character_count_range,
    "count:exact_sentence_count": exact_sentence_count,
    "count:min_sentence_count": min_sentence_count,
    "count:sentence_count_range": sentence_count_range,
    "count:exact_paragraph_count": exact_paragraph_count,
    "count:min_paragraph_count": min_paragraph_count,
    "count:max_sentence_length": max_sentence_length,
    "count:min_sentence_length": min_sentence_length,
    "count:exact_line_count": exact_line_count,
    "count:exact_number_count": exact_number_count,
    "count:min_number_count": min_number_count,
    "count:include_specific_number": include_specific_number,
}
