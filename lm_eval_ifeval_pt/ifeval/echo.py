"""Answers that repeat the prompt: which of their words are the prompt's, and what is left of them.

Prompts hold the words that they ask for, and often an example ("como em 'dar-lhe-ei'"), so that a model which repeats
its prompt follows many instructions without having answered. What is asked for by its arguments (a word to use, a
phrase to begin with) stands in the prompt too and remains a model's own when it stands alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import regex

from lm_eval_ifeval_pt.text import Text

Spans = list[tuple[int, int]]

RUN = 8
"""Words in a row that are the prompt's and not the answer's."""
_SHORT_RUN = 4
_MOSTLY = 0.5

_EXAMPLE = regex.compile(
    r"""\b(?:como(?:\ em)?|tal\ como|por\ exemplo|p\.\ ?ex\.|ex\.)[,:]?\ +
        (?:"([^"\n]{2,80})"|'([^'\n]{2,80})'|“([^”\n]{2,80})”|‘([^’\n]{2,80})’)""",
    regex.VERBOSE,
)
"""A quotation that shows what is meant ("como em 'dar-lhe-ei'"); one that is to be used ('por que') is none."""


def echoed(doc: Mapping[str, Any], text: Text) -> Spans:
    """The stretches of an answer that are its prompt's: runs of `RUN` words or more, and quoted examples.

    Args:
        doc: The document; its arguments are nobody's echo where they stand alone.
        text: The answer, as it is graded.

    Returns:
        Ordered offsets into `str(text)` that do not touch.
    """
    prompt = Text(str(doc["prompt"]))
    asked = list(_phrases(doc))
    runs = _runs(_words(prompt), {run for phrase in asked for run in _grams(_words(Text(phrase)), RUN)}, text, RUN)
    examples = [
        match.span()
        for example in _examples(prompt, asked)
        for match in regex.finditer(rf"(?<!\w){regex.escape(example)}(?!\w)", text.lower)
    ]
    return joined([*runs, *examples])


def own_words(doc: Mapping[str, Any], text: Text) -> Text:
    """An answer without what is its prompt's (`echoed`); the same object where nothing is."""
    return without(text, echoed(doc, text))


def without(text: Text, spans: Spans) -> Text:
    """An answer without some of its stretches; punctuation alone is no answer, and so nothing."""
    if not spans:
        return text
    left = text.without(spans)
    return left if left.words else text.without([(0, len(text.text))])


def is_echo(doc: Mapping[str, Any], text: Text) -> bool:
    """Whether more than half of an answer's words stand in runs of four words or more that its prompt has."""
    prompt = set(_grams(_words(Text(str(doc["prompt"]))), _SHORT_RUN))
    words = _words(text)
    covered, upto = 0, 0
    for first, gram in enumerate(_grams(words, _SHORT_RUN)):
        if gram in prompt:
            covered += first + _SHORT_RUN - max(first, upto)
            upto = first + _SHORT_RUN
    return covered > _MOSTLY * len(words)


def _words(text: Text) -> list[str]:
    return [text.lower[start:end] for start, end in text.words]


def _grams(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + length]) for start in range(len(words) - length + 1))


def _runs(prompt: Sequence[str], but: set[tuple[str, ...]], text: Text, length: int) -> Spans:
    """The stretches of a text in which each `length` words in a row are the prompt's."""
    known = set(_grams(prompt, length)) - but
    words, spans = text.words, []
    for first, gram in enumerate(_grams(_words(text), length)):
        if gram in known:
            spans.append((words[first][0], words[first + length - 1][1]))
    return joined(spans)


def _phrases(doc: Mapping[str, Any]) -> Iterator[str]:
    """The texts among the arguments of a document's instructions."""
    for kwargs in doc.get("kwargs") or ():
        for value in (kwargs or {}).values():
            if isinstance(value, str):
                yield value
            elif isinstance(value, list):
                yield from (phrase for phrase in value if isinstance(phrase, str))


def _examples(prompt: Text, asked: Sequence[str]) -> list[str]:
    """The examples that the prompt quotes and no argument asks for, in lower case."""
    arguments = {phrase.strip().lower() for phrase in asked}
    quoted = (next(group for group in match.groups() if group) for match in _EXAMPLE.finditer(prompt.lower))
    examples = dict.fromkeys(quotation.strip(" .,;:!?") for quotation in quoted)
    return [example for example in examples if example and example not in arguments]


def joined(spans: Sequence[tuple[int, int]]) -> Spans:
    """Spans in order, those that overlap or touch made one."""
    merged: Spans = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged
