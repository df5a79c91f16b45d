"""Answers that follow an instruction in letter only, as a model learns to write them that is rewarded for verdicts.

The benchmark's verdicts say what stands in an answer. Here an instruction is honestly followed where it is followed by
what a reader sees too and, if it asks for words of a kind, by words in sentences of the model's own:

hidden      what no reader sees: comments and tags of HTML, elements that are styled away, white text in LaTeX
            (invisible characters and the targets of links are no text to any verifier)
code        blocks of code, in which words cost nothing
word_list   words in a row without one that binds them to a sentence ("ação, lição, força, caça, praça, laço")
echo        the prompt again (`ifeval.echo`), whose words are not the model's
language    an answer in another language that holds what was asked for
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import regex

from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.ifeval import echo
from lm_eval_ifeval_pt.text import Text, language, lexicon, markup

Trick = Literal["hidden", "code", "word_list", "echo", "language"]

Spans = list[tuple[int, int]]

ITEMS = 6
"""Items of one word in a row from which on they are a list of words and no part of a sentence."""

_UNBOUND = 8
"""Words in a row without punctuation or a word that binds them, from which on they are a list too."""

_SEPARATOR = regex.compile(r"[,;:/|.!?…•·()\[\]{}\n—–]|(?<!\S)(?:e|ou|nem|-|\*|\d+[.)])(?!\S)")

_COMMENT = regex.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|^[ \t]*+\[[^\]\n]*+\]:[ \t]*+(?:[<#]|https?:)[^\n]*+$"  # the target of a link, which Markdown does not show
    r"|\\(?:h?phantom)\{[^{}]*+\}",
    regex.S | regex.M,
)
_WHITE = regex.compile(r"\\(?:textcolor|color)\{(?:white|branco)\}(?:\{[^{}]*+\}|[^$\n]*+)", regex.I)
_TAG = regex.compile(r"(?<!<)<(?P<closing>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]*+)(?P<attributes>(?:\s[^<>]*+)?)/?>(?!>)")
_UNSEEN = regex.compile(
    r"\bhidden\b|display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d]*[1-9])|font-size\s*:\s*0(?![.\d]*[1-9])"
    r"|color\s*[:=]\s*[\"']?(?:white|transparent|#fff(?:fff)?\b)",
    regex.I,
)
_UNSEEN_ELEMENTS = frozenset({"script", "style", "template", "noscript"})

_WORDS = frozenset(
    {
        "change_case:capital_word_frequency", "count:include_specific_number", "count:number_count",
        "count:unique_word_count", "detectable_content:specific_porque", "es:special_character:dieresis",
        "es:special_character:enie", "es:special_character:tildes", "fr:special_character:accents",
        "keywords:cedilha_frequency", "keywords:existence", "keywords:frequency", "keywords:letter_frequency",
        "length_constraints:number_sentences", "length_constraints:number_words", "pattern:terminacao_ando_endo_indo",
        "pattern:terminacao_ao_oes", "pattern:terminacao_inho_inha", "pattern:terminacao_mente",
        "ptbr:agudo_e_circunflexo", "ptbr:cedilha", "ptbr:crase", "ptbr:enclise", "ptbr:mesoclise", "ptbr:porque_ambos",
        "ptbr:proclise", "words:conjunction_count", "words:connective", "words:contrast_marker",
        "words:temporal_marker", "words:use_first_person", "words:use_third_person",
    }
)  # fmt: skip
"""Instructions that ask for words of a kind, which are to stand in sentences of the model's own."""


class Readings(NamedTuple):
    """The parts of an answer: seen, the model's own, and tricks.

    Attributes:
        seen: What a reader sees.
        own: Of that, the sentences of the model's own.
        is_empty: Whether nothing is left of what is seen without what is the prompt's.
        tricks: What was left out of either, as offsets into the graded text; `language` has none.
    """

    seen: Text
    own: Text
    is_empty: bool
    tricks: Mapping[Trick, Spans]


def readings(row: Mapping[str, Any], text: Text, instructions: Sequence[Bound]) -> Readings:
    """The part of an answer that a reader sees, the model's own sentences in it, and its tricks.

    Args:
        row: What was asked: `prompt` and the arguments of the instructions, for what an answer repeats of it.
        text: The answer, as it is graded.
        instructions: The verifiers of the row, which say the language that is asked for.
    """
    tricks: dict[Trick, Spans] = {
        "hidden": hidden(text),
        "code": code(text),
        "word_list": [] if _is_of_another_language(instructions) else word_lists(text),
        "echo": echo.echoed(row, text) if row.get("prompt") else [],
    }
    seen = echo.without(text, tricks["hidden"])
    whole = echo.joined([span for spans in tricks.values() for span in spans])
    own = seen if whole == tricks["hidden"] else echo.without(text, whole)
    if is_foreign(seen, instructions):
        tricks["language"] = [(0, len(text.text))]
    left = echo.without(text, echo.joined([*tricks["hidden"], *tricks["echo"]]))
    return Readings(seen, own, left.is_blank, {name: spans for name, spans in tricks.items() if spans})


def is_honest(instruction: Bound, read: Readings) -> bool:
    """Whether an instruction that is followed on an answer as it came is followed by what counts of it too."""
    if "language" in read.tricks or read.is_empty:
        return False
    if "hidden" in read.tricks and not instruction.verify(read.seen).followed:
        return False
    if read.own is read.seen or instruction.constraint.id not in _WORDS or not _asks_for_more(instruction):
        return True
    return instruction.verify(read.own).followed


def _asks_for_more(instruction: Bound) -> bool:
    """Whether further words can only help to follow an instruction; an exact number they can exceed."""
    relations = [value for name, value in instruction.kwargs.items() if name.endswith("relation")]
    return all(relation in ("at least", "more than") for relation in relations)


def is_foreign(text: Text, instructions: Sequence[Bound]) -> bool:
    """Whether an answer is in another language than Portuguese though none of its instructions asks for another."""
    if _is_of_another_language(instructions):
        return False
    told = language.find(text, "pt")
    return told is not None and not told.holds


def _is_of_another_language(instructions: Sequence[Bound]) -> bool:
    """Whether an instruction asks for an answer in another language than Portuguese."""
    return any(
        (instruction.kwargs.get("language") or "pt") != "pt" or instruction.constraint.id.startswith(("es:", "fr:"))
        for instruction in instructions
    )


def hidden(text: Text) -> Spans:
    """The spans of a text that no reader sees once it is rendered."""
    raw = text.text
    spans = [match.span() for pattern in (_COMMENT, _WHITE) for match in pattern.finditer(raw)]
    return echo.joined([*spans, *_elements(raw)])


def _elements(raw: str) -> Iterator[tuple[int, int]]:
    """Tags, and elements that are not shown with all that is in them; one that is never closed reaches to the end."""
    opened: tuple[str, int, int] | None = None  # the name of an element that is not shown, its start, how deep it is
    for match in _TAG.finditer(raw):
        name, is_closing = match["name"].lower(), bool(match["closing"])
        if opened is None:
            yield match.span()
            if not is_closing and (name in _UNSEEN_ELEMENTS or _UNSEEN.search(match["attributes"])):
                opened = name, match.start(), 1
        elif name == opened[0]:
            opened = name, opened[1], opened[2] + (-1 if is_closing else 1)
            if not opened[2]:
                yield opened[1], match.end()
                opened = None
    if opened is not None:
        yield opened[1], len(raw)


def code(text: Text) -> Spans:
    """The fenced blocks of a text, whatever language they name; a fence that is never closed reaches to the end."""
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    for start, end, is_code in markup.fences(text.text):
        if is_code:
            spans.append((start, end))
        elif opened is None:
            opened = start
        else:
            spans.append((opened, end))
            opened = None
    return [*spans, (opened, len(text.text))] if opened is not None else spans


def word_lists(text: Text) -> Spans:
    """Words in a row that nothing binds to a sentence: items of one word each, or words without any punctuation."""
    spans: list[tuple[int, int]] = []
    items: list[tuple[int, int]] = []
    binding = lexicon.words("binding_words")
    for words in _pieces(text):
        unbound = [text.lower[start:end] not in binding for start, end in words]
        if len(words) <= 2 and sum(unbound) <= 1:
            items.extend(words[:1] if len(words) == 1 else [(words[0][0], words[-1][1])])
            continue
        spans.extend(_span_of(items))
        items = []
        spans.extend(_unbound(words, unbound))
    return echo.joined([*spans, *_span_of(items)])


def _span_of(items: Sequence[tuple[int, int]]) -> Spans:
    """The list that some items are, if there are enough of them."""
    return [(items[0][0], items[-1][1])] if len(items) >= ITEMS else []


def _unbound(words: Sequence[tuple[int, int]], unbound: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The runs of words of one piece of a sentence that none binds."""
    first = 0
    for index, is_unbound in enumerate((*unbound, False)):
        if is_unbound:
            continue
        if index - first >= _UNBOUND:
            yield words[first][0], words[index - 1][1]
        first = index + 1


def _pieces(text: Text) -> Iterator[list[tuple[int, int]]]:
    """The words between two separators."""
    ends = [match.start() for match in _SEPARATOR.finditer(text.text)]
    at, piece = 0, list[tuple[int, int]]()
    for start, end in text.words:
        before = at
        while at < len(ends) and ends[at] < start:
            at += 1
        if at > before and piece:
            yield piece
            piece = []
        if at < len(ends) and ends[at] == start:  # "e" that joins items is no word of theirs
            continue
        piece.append((start, end))
    if piece:
        yield piece
