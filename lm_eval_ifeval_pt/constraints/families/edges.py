"""How a response starts and ends."""

from __future__ import annotations

from functools import lru_cache

import regex

from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.terms import source

_OPENING = r"\s\"'\p{Pi}\p{Ps}¡¿—–"
_CLOSING = r"\s\"'\p{Pf}\p{Pe}"
_FINAL = r".!?…"
_SHOWN = 40  # characters of the response that a detail quotes


@lru_cache(maxsize=1024)
def opening(phrase: str) -> regex.Pattern[str]:
    """A phrase at the start of what is matched (group 1), after quotes, brackets or the dash of a dialogue."""
    return regex.compile(rf"[{_OPENING}]*({source(phrase)})")


@lru_cache(maxsize=1024)
def _end(phrase: str) -> regex.Pattern[str]:
    """Read backwards, so that `match` looks at the end of a text."""
    after = _CLOSING if phrase.rstrip()[-1:] in ".!?…,;:" else _CLOSING + _FINAL
    return regex.compile(rf"({source(phrase)})[{after}]*", regex.REVERSE)


@constraint(
    "ptbr:comeca_com",
    wording="Comece a resposta com '{start_phrase}'.",
    kind="active",
    follows=[
        Example("Antes de mais nada, lave as mãos.", {"start_phrase": "Antes de mais nada"}),
        Example("“Certamente”, diria o crítico.", {"start_phrase": "certamente"}),
        Example("— Olá! Tudo bem?", {"start_phrase": "Olá!"}),
        Example("\nLembre-se de mim.", {"start_phrase": "Lembre"}),
    ],
    breaks=[
        Example("Solar é a energia do futuro.", {"start_phrase": "Sol"}),
        Example("Claro! Antes de mais nada, lave as mãos.", {"start_phrase": "Antes de mais nada"}),
        Example("Ate logo.", {"start_phrase": "Até"}),
        Example("**Olá**, tudo bem?", {"start_phrase": "Olá"}),
    ],
)
def starts_with(text: Text, *, start_phrase: str) -> Verdict:
    """The response starts with the phrase, as whole words; capitals do not matter, accents do.

    White space, opening quotes and brackets and the dash of a dialogue may come before it; markdown may not.
    """
    if match := opening(start_phrase).match(text.lower):
        return Verdict(True, text.evidence([match.span(1)]), f"A resposta começa com “{start_phrase}”.")
    first = len(text.text) - len(text.text.lstrip())
    end = min(first + _SHOWN, len(text.text))
    shown = " ".join(text.text[first:end].split())
    return Verdict(
        False, text.evidence([(first, end)]), f"A resposta começa com “{shown}”, e não com “{start_phrase}”."
    )


@constraint(
    "startend:end_checker",
    wording="Termine a resposta com '{end_phrase}' e não escreva nada depois.",
    kind="active",
    follows=[
        Example("Volto amanhã. Até a próxima!", {"end_phrase": "até a próxima!"}),
        Example("“Expliquei tudo. Isso faz sentido?”\n", {"end_phrase": "Isso faz sentido?"}),
        Example("E assim acabou a história. (Fim.)", {"end_phrase": "fim"}),
    ],
    breaks=[
        Example("Ele disse que foi assim", {"end_phrase": "sim"}),
        Example("Isso faz sentido", {"end_phrase": "Isso faz sentido?"}),
        Example("**Até a próxima!**", {"end_phrase": "Até a próxima!"}),
        Example("Até a próxima! Se precisar, é só chamar.", {"end_phrase": "Até a próxima!"}),
    ],
)
def ends_with(text: Text, *, end_phrase: str) -> Verdict:
    """The response ends with the phrase, as whole words; capitals do not matter, accents do.

    Closing quotes and brackets may follow it and, where the phrase has no punctuation at its end, that of its
    sentence (. ! ? …): "Fim." ends with "fim". Markdown, emoji or further words may not.
    """
    if match := _end(end_phrase).match(text.lower):
        return Verdict(True, text.evidence([match.span(1)]), f"A resposta termina com “{end_phrase}”.")
    last = len(text.text.rstrip())
    start = max(last - _SHOWN, 0)
    shown = " ".join(text.text[start:last].split())
    return Verdict(
        False, text.evidence([(start, last)]), f"A resposta termina com “{shown}”, e não com “{end_phrase}”."
    )


@constraint(
    "combination:repeat_prompt",
    wording=lambda *, prompt_to_repeat: (
        "Primeiro repita o pedido a seguir palavra por palavra, sem mudá-lo, e depois responda. "
        f"Não diga nada antes de repeti-lo. Pedido: {prompt_to_repeat}"
    ),
    kind="active",
    follows=[
        Example("Escreva uma canção. Lá vai: lá, lá.", {"prompt_to_repeat": "Escreva uma canção."}),
        Example("“ESCREVA\numa canção.”\n\nLá, lá.", {"prompt_to_repeat": "Escreva uma canção."}),
    ],
    breaks=[
        Example("Claro! Escreva uma canção. Lá, lá.", {"prompt_to_repeat": "Escreva uma canção."}),
        Example("Escreva a canção. Lá, lá.", {"prompt_to_repeat": "Escreva uma canção."}),
    ],
)
def repeat_prompt(text: Text, *, prompt_to_repeat: str) -> Verdict:
    """The response starts with the request, word for word; capitals and the kind of white space do not
    matter.

    White space, opening quotes and brackets and the dash of a dialogue may come before it.
    """
    if match := opening(prompt_to_repeat).match(text.lower):
        return Verdict(True, text.evidence([match.span(1)]), "A resposta começa por repetir o pedido.")
    return Verdict(False, (), "A resposta não começa por repetir o pedido palavra por palavra.")


@constraint(
    "structure:start_end_same_word",
    wording=lambda *, word=None: (
        "Comece e termine a resposta com " + (f"a palavra '{word}'." if word else "a mesma palavra.")
    ),
    kind="active",
    follows=[
        Example("Narrativa densa, que é mais que narrativa.", {"word": "narrativa"}),
        Example("“Obra” feita de silêncio: obra…"),
    ],
    breaks=[
        Example("Obra densa, feita de silêncio e de obra.", {"word": "narrativa"}),
        Example("Narrativas e narrativa.", {"word": "narrativa"}),
        Example("Obra.", {"word": "obra"}),
        Example("A obra é obra."),
    ],
)
def start_end_same_word(text: Text, *, word: str | None = None) -> Verdict:
    """The response starts and ends with the word; with the same word, whichever, where none is given.

    Start and end as for `ptbr:comeca_com` and `startend:end_checker`; a response of one word has no two.
    """
    if len(text.words) < 2:
        return Verdict(False, (), "A resposta não tem duas palavras.")
    wanted = word or text.lower[slice(*text.words[0])]
    start, end = starts_with(text, start_phrase=wanted), ends_with(text, end_phrase=wanted)
    detail = " ".join(verdict.detail for verdict in (start, end) if not verdict.followed)
    return Verdict(
        not detail,
        tuple(sorted({*start.evidence, *end.evidence})),
        detail or f"A resposta começa e termina com “{wanted[:_SHOWN]}”.",
    )
