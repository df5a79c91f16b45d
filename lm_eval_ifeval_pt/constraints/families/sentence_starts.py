"""How sentences start."""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Iterator

import regex

from lm_eval_ifeval_pt.constraints import amounts
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict, count
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.terms import pattern

_LETTER_OR_DIGIT = regex.compile(r"[\p{L}\p{N}]")
_SHOWN = 40
_LINE_OPENERS = string.whitespace + string.digits + "*_-+>#•–—.)“\"'"


def _first_words(text: Text) -> Iterator[tuple[int, int]]:
    """The first word of each sentence that has one."""
    words = iter(text.words)
    word = next(words, None)
    for start, end in text.sentences:
        while word is not None and word[0] < start:
            word = next(words, None)
        if word is None:
            return
        if word[0] < end:
            yield word


@constraint(
    "structure:no_repeat_sentence_start",
    wording="Não comece duas frases com a mesma palavra.",
    kind="passive",
    follows=[
        Example("O livro é curto. A trama prende. Os filhos leem."),
        Example("— Vem? — disse ele. Nada disse o Sr. Silva."),
    ],
    breaks=[
        Example("O livro é curto. A trama prende. O final surpreende."),
        Example("“Ela” veio.\n\n- **ELA** saiu."),
    ],
    reads_words=True,
)
def no_repeat_sentence_start(text: Text) -> Verdict:
    """No two sentences, neighbours or not, start with the same word, in any case.

    The items of lists are sentences; quotation and list marks are no part of a word.
    """
    starts: dict[str, list[tuple[int, int]]] = defaultdict(list)
    lowered = text.lower
    for start, end in _first_words(text):
        starts[lowered[start:end]].append((start, end))
    repeated = {word: spans for word, spans in starts.items() if len(spans) > 1}
    if not repeated:
        return Verdict(True, (), "Nenhuma palavra inicia duas frases.")
    word, spans = max(repeated.items(), key=lambda item: len(item[1]))
    detail = f"“{word[:_SHOWN]}” inicia {count(len(spans), 'frase', 'frases')}."
    return Verdict(False, text.evidence(sorted(span for spans in repeated.values() for span in spans)), detail)


@constraint(
    "br:sem_palavra_proibida_inicio",
    wording="Nenhuma frase pode começar com a palavra '{word}'.",
    kind="passive",
    follows=[
        Example("Ontem eu fui. Depois voltei.", {"word": "Eu"}),
        Example("Europa é longe. — Vai? — perguntei eu.", {"word": "Eu"}),
    ],
    breaks=[
        Example("Ontem fui à feira. Eu voltei depois.", {"word": "Eu"}),
        Example("Fui.\n\n- **EU** voltei.", {"word": "eu"}),
    ],
    reads_words=True,
)
def no_sentence_starts_with(text: Text, *, word: str) -> Verdict:
    """No sentence starts with the word or phrase, in any case; the items of lists are sentences."""
    phrase, lowered = pattern(word), text.lower
    starts = [match.span() for start, _ in _first_words(text) if (match := phrase.match(lowered, start))]
    noun = (f"frase que começa com “{word[:_SHOWN]}”", f"frases que começam com “{word[:_SHOWN]}”")
    return amounts.none(text, starts, noun)


@constraint(
    "format:title_case_start",
    wording="Comece cada frase com letra maiúscula.",
    kind="passive",
    follows=[
        Example("Citou temas, p. ex. seca e fome. Depois concluiu."),
        Example("— Vem? — disse ela. “Élio” foi. 10 anos depois, voltou."),
        Example("Temas:\n- seca;\n- fome."),
    ],
    breaks=[
        Example("O livro é curto. a trama prende."),
        Example("“era” tarde. Choveu."),
        Example("Choveu!\n\n- e ventou."),
    ],
    reads_words=True,
)
def title_case_start(text: Text) -> Verdict:
    """The first letter of each sentence is a capital; one that starts with a digit has none.

    What goes on after a colon, a comma or a semicolon, as the items of a list do, starts no sentence.
    """
    small, last = [], 0
    for start, end in text.sentences:
        first = _first_letter(text, start, end)
        if text.text[first].islower() and not _before(text, last, start).endswith((":", ";", ",")):
            small.append((first, first + 1))
        last = end
    if not small:
        return Verdict(True, (), "Todas as frases começam com letra maiúscula.")
    number = count(len(small), "frase que começa", "frases que começam")
    return Verdict(False, text.evidence(small), f"A resposta tem {number} com letra minúscula.")


def _before(text: Text, last: int, start: int) -> str:
    """The text before a sentence: the lead-in after the sentence that ended at `last`, or else that sentence."""
    lead_in = text.text[last:start].rstrip(_LINE_OPENERS)
    return lead_in.rstrip("*_") or text.text[max(last - _SHOWN, 0) : last].rstrip("*_")


def _first_letter(text: Text, start: int, end: int) -> int:
    match = _LETTER_OR_DIGIT.search(text.text, start, end)
    return match.start() if match else start
