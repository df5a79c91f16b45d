"""Questions, exclamations, quotations, semicolons and colons."""

from __future__ import annotations

import regex

from lm_eval_ifeval_pt.constraints import amounts
from lm_eval_ifeval_pt.constraints.amounts import NounForms
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text

_QUESTION_MARK = regex.compile("[?？؟⁇⁈⁉‽¿]")
_EXCLAMATION_MARK = regex.compile("[!！‼⁈⁉‽¡]")
_MARK = regex.compile("[?？؟⁇⁈⁉‽¿!！‼¡]")
# A run of marks: neither "(?)" nor part of an address.
_MARKS_IN_A_ROW = regex.compile(r"(?<![(\[/])[?？؟‽⁇⁈⁉!！‼]++(?![\p{L}\p{N}=&])")
_WORD = regex.compile(r"\p{L}")
_QUOTATION = regex.compile(r"[“„](?P<in>[^“”„]*)”|«(?P<in>[^«»]*)»|\"(?P<in>[^\"]*)\"")
_SHORTEST_QUOTATION = 6
# No emoticon; no entity ("&amp;"); of colons, none inside a number, an address or an emoji's name (":sol:").
_SEMICOLON = regex.compile(r"(?<!&#?\w{1,10});(?!-?(?:[)(]|[DPp]\b))")
_COLON = regex.compile(r"(?<!:\w{1,20}):(?!-?(?:[)(]|[DPp]\b)|//|\w{1,20}:|(?<=\d:)\d)")


def _least(noun: NounForms, number: int) -> str:
    return f"pelo menos {'um' if number == 1 else number} {noun[number != 1]}"


_QUESTIONS = ("pergunta", "perguntas")
_QUESTION_MARKS = ("ponto de interrogação", "pontos de interrogação")
_EXCLAMATION_MARKS = ("ponto de exclamação", "pontos de exclamação")
_MARKS = ("ponto de interrogação ou exclamação", "pontos de interrogação ou exclamação")
_QUOTATIONS = ("citação entre aspas", "citações entre aspas")
_SEMICOLONS = ("ponto e vírgula", "pontos e vírgulas")
_COLONS = ("dois-pontos", "dois-pontos")


def _absent(text: Text, pattern: regex.Pattern[str], noun: NounForms) -> Verdict:
    return amounts.none(text, [match.span() for match in pattern.finditer(text.text)], noun)


@constraint(
    "forbidden:no_questions",
    wording="Não faça perguntas na resposta (não use '?').",
    kind="passive",
    follows=[
        Example("Não sei quem traiu quem."),
        Example("Que livro!"),
    ],
    breaks=[
        Example("Quem traiu quem?"),
        Example("Em 1908 (?) ele morreu."),
        Example("Como assim？!"),
    ],
)
def no_questions(text: Text) -> Verdict:
    """No question mark, wherever it stands."""
    return _absent(text, _QUESTION_MARK, _QUESTION_MARKS)


@constraint(
    "forbidden:no_exclamations",
    wording="Não use pontos de exclamação na resposta.",
    kind="passive",
    follows=[
        Example("Que livro bom."),
        Example("Quem traiu?"),
    ],
    breaks=[
        Example("Que livro!"),
        Example("Sério?! Não sei."),
        Example("Olá！"),
    ],
)
def no_exclamations(text: Text) -> Verdict:
    """No exclamation mark, wherever it stands."""
    return _absent(text, _EXCLAMATION_MARK, _EXCLAMATION_MARKS)


@constraint(
    "punctuation:only_declarative",
    wording="Todas as frases devem ser declarativas: termine-as com ponto, sem '?' nem '!'.",
    kind="passive",
    follows=[
        Example("O livro é bom. O filme, não."),
        Example("Título\n\nTexto…"),
    ],
    breaks=[
        Example("O livro é bom!"),
        Example("O livro é bom? É."),
    ],
)
def only_declarative(text: Text) -> Verdict:
    """Neither question nor exclamation marks."""
    return _absent(text, _MARK, _MARKS)


@constraint(
    "punctuation:include_question",
    wording=lambda *, min_questions=1: (
        "Inclua pelo menos uma pergunta na resposta."
        if min_questions == 1
        else f"Inclua pelo menos {min_questions} perguntas na resposta."
    ),
    kind="active",
    follows=[
        Example("Capitu traiu? Não se sabe."),
        Example("Traiu?! E “por quê”?", {"min_questions": 2}),
    ],
    breaks=[
        Example("Morreu em 1908 (?)."),
        Example("Traiu??? Não sei.", {"min_questions": 2}),
        Example("Veja http://a.b/c?d=e!"),
        Example("Quem sabe."),
    ],
)
def include_question(text: Text, *, min_questions: int = 1) -> Verdict:
    """At least so many questions: words that end in a question mark or a run of marks with one in it.

    A mark of doubt "(?)" and one inside an address end none.
    """
    questions, done = [], 0
    for match in _MARKS_IN_A_ROW.finditer(text.text):
        if not _QUESTION_MARK.search(match[0]):
            continue
        if _WORD.search(text.text, done, match.start()):
            questions.append(match.span())
        done = match.end()
    return amounts.compare(text, questions, _QUESTIONS, "at least", min_questions)


@constraint(
    "punctuation:include_quote",
    wording="Inclua pelo menos uma citação entre aspas na resposta.",
    kind="active",
    follows=[
        Example("Bentinho falou dos “olhos de ressaca” dela."),
        Example('Como diz o livro: "Ao vencedor, as batatas".'),
        Example("Ele disse «até logo»."),
    ],
    breaks=[
        Example("Tem 5\" de tela e 'ponto' final."),
        Example('Escreveu "" e “ ”, sem "ver".'),
        Example('Abriu "aspas.\n\nE fechou" depois.'),
    ],
)
def include_quote(text: Text) -> Verdict:
    """Six characters or more, with a word, between double quotation marks: straight, curly or angular.

    They open and close in one paragraph. Titles and longer words in quotation marks cannot be told from quotations
    and count; single quotation marks do not.
    """
    quotations = [
        match.span()
        for start, end in text.paragraphs
        for match in _QUOTATION.finditer(text.text, start, end)
        if len(match["in"].strip()) >= _SHORTEST_QUOTATION and _WORD.search(match["in"])
    ]
    return amounts.compare(text, quotations, _QUOTATIONS, "at least", 1)


@constraint(
    "punctuation:use_semicolon",
    wording=lambda *, min_count=1: f"Use {_least(_SEMICOLONS, min_count)} na resposta.",
    kind="active",
    follows=[
        Example("O livro é curto; o filme, longo."),
        Example("Sol; mar; areia.", {"min_count": 2}),
    ],
    breaks=[
        Example("Até logo ;-)"),
        Example("Sol, mar: areia."),
        Example("Sol; mar.", {"min_count": 2}),
    ],
)
def use_semicolon(text: Text, *, min_count: int = 1) -> Verdict:
    """At least so many semicolons; emoticons hold none."""
    semicolons = [match.span() for match in _SEMICOLON.finditer(text.text)]
    return amounts.compare(text, semicolons, _SEMICOLONS, "at least", min_count)


@constraint(
    "punctuation:use_colon",
    wording=lambda *, min_count=1: f"Use {_least(_COLONS, min_count)} na resposta.",
    kind="active",
    follows=[
        Example("Leu três livros: este, esse e aquele."),
        Example("**Sol:** quente. Mar: frio.", {"min_count": 2}),
    ],
    breaks=[
        Example("Às 10:30, em https://a.b/ :)"),
        Example("Sol; mar."),
        Example("Sol: quente.", {"min_count": 2}),
    ],
)
def use_colon(text: Text, *, min_count: int = 1) -> Verdict:
    """At least so many colons; times, addresses and emoticons hold none."""
    colons = [match.span() for match in _COLON.finditer(text.text)]
    return amounts.compare(text, colons, _COLONS, "at least", min_count)
