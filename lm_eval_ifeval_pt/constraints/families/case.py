"""Upper and lower case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from lm_eval_ifeval_pt.constraints.families import language as languages
from lm_eval_ifeval_pt.constraints.registry import Example, Kind, constraint
from lm_eval_ifeval_pt.constraints.relations import Relation, asked, holds, is_limit, spell
from lm_eval_ifeval_pt.constraints.verdict import Verdict, count, has
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.language import Language, name

_CAPITAL = "A-ZÀ-ÖØ-Þ"
_SMALL = "a-zµß-öø-ÿ"
_BEYOND = "\u0100-\U0010ffff"  # where a letter's case is looked up


def _wording(what: str, language: str | None) -> str:
    return f"Responda {f'em {name(language)} e ' if language else ''}somente com letras {what}."


@constraint(
    "change_case:lowercase",
    wording=lambda *, language=None: _wording("minúsculas", language),
    kind="active",
    follows=[
        Example("o 2º colocado também ganhou uma medalha."),
        Example("são paulo fica às margens do tietê. — sério?", {"language": "pt"}),
        Example("r$ 5,00 por quilo, em média."),
        Example("the sun rises over the hills.", {"language": "en"}),
    ],
    breaks=[
        Example("O sol nasceu."),
        Example("ele mora em São Paulo."),
        Example("12.345"),
        Example("água É vida."),
        Example("the sun rises over the hills.", {"language": "pt"}),
    ],
)
def lowercase(text: Text, *, language: Language | None = None) -> Verdict:
    """No capital letter, and at least one small one: numbers and signs alone are not written in lower case.

    Ordinals (º, ª) are neither. Capitals of names, acronyms, URLs and code count. The language is looked at
    where one is asked for (see `language:response_language`).
    """
    number = _number(text.text, _CAPITAL, ("Lu", "Lt"))
    if number:
        capitals = text.evidence(_letters(text.text, _CAPITAL, ("Lu", "Lt")))
        return Verdict(False, capitals, f"A resposta tem {count(number, 'letra maiúscula', 'letras maiúsculas')}.")
    if text.lower == text.text.upper():
        return Verdict(False, (), "A resposta não tem letras minúsculas.")
    return _in(text, language, "minúsculas")


@constraint(
    "change_case:capital",
    wording=lambda *, language=None: _wording("maiúsculas", language),
    kind="active",
    follows=[
        Example("O 1º LUGAR É DO BRASIL!"),
        Example("MINHA CASA TEM UM JARDIM GRANDE.", {"language": "pt"}),
        Example("CUSTA R$ 5,00."),
    ],
    breaks=[
        Example("A AÇãO FOI BOA."),
        Example("ACESSE www.exemplo.com.br."),
        Example("12.345"),
        Example("MY HOUSE HAS A LARGE GARDEN.", {"language": "pt"}),
    ],
)
def capital(text: Text, *, language: Language | None = None) -> Verdict:
    """No small letter, and at least one capital.

    Ordinals (º, ª) are neither. Small letters of units, URLs and code count. The language is looked at where
    one is asked for (see `language:response_language`).
    """
    number = _number(text.text, _SMALL, ("Ll",))
    if number:
        small = text.evidence(_letters(text.text, _SMALL, ("Ll",)))
        return Verdict(False, small, f"A resposta tem {count(number, 'letra minúscula', 'letras minúsculas')}.")
    if text.lower == text.text:
        return Verdict(False, (), "A resposta não tem letras maiúsculas.")
    return _in(text, language, "maiúsculas")


def _in(text: Text, language: str | None, what: str) -> Verdict:
    """The verdict on a text that is in the right case."""
    if language:
        verdict = languages.verdict(text, language)
        if not verdict.followed:
            return verdict
    return Verdict(True, (), f"Todas as letras da resposta são {what}.")


def _letters(text: str, latin: str, categories: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """The letters of some categories, one by one, given those of them in ASCII and Latin-1."""
    for match in re.finditer(f"[{latin}{_BEYOND}]", text):
        if match[0] <= "ÿ" or unicodedata.category(match[0]) in categories:
            yield match.span()


def _number(text: str, latin: str, categories: tuple[str, ...]) -> int:
    """The number of letters that `_letters` gives; nearly all texts have hundreds of them."""
    beyond = re.findall(f"[{_BEYOND}]", text)
    return len(re.findall(f"[{latin}]", text)) + sum(unicodedata.category(letter) in categories for letter in beyond)


def _frequency(*, capital_frequency: int, capital_relation: Relation) -> str:
    noun = "palavra inteiramente" if capital_frequency == 1 else "palavras inteiramente"
    return f"Escreva {spell(capital_relation, capital_frequency)} {noun} em letras maiúsculas."


def _kind(*, capital_frequency: int, capital_relation: Relation) -> Kind:
    return "passive" if is_limit(capital_relation) else "active"


@constraint(
    "change_case:capital_word_frequency",
    wording=_frequency,
    kind=_kind,
    follows=[
        Example("Leve GUARDA-CHUVA e CASACO.", {"capital_frequency": 2, "capital_relation": "at least"}),
        Example("O BRASIL VENCE A COPA!", {"capital_frequency": 4, "capital_relation": "exactly"}),
        Example("A cidade é bela. Paguei R$ 5.", {"capital_frequency": 1, "capital_relation": "less than"}),
    ],
    breaks=[
        Example("Leve GUARDA-CHUVA hoje.", {"capital_frequency": 2, "capital_relation": "at least"}),
        Example("A ONU e a OEA.", {"capital_frequency": 2, "capital_relation": "less than"}),
        Example("É Ana. O iPhone é da Ana.", {"capital_frequency": 1, "capital_relation": "at least"}),
    ],
    reads_words=True,
)
def capital_word_frequency(text: Text, *, capital_frequency: int, capital_relation: Relation) -> Verdict:
    """The number of words all in capitals stands in the relation to `capital_frequency`.

    Hyphenated words, acronyms and Roman numerals are one word each. A single letter is a word in capitals
    only right after another one ("VENCE A COPA"): at the start of a sentence any word has its first letter
    so. "R$" is a sign.
    """
    capital_words = list(_capital_words(text))
    return Verdict(
        holds(len(capital_words), capital_relation, capital_frequency),
        text.evidence(capital_words),
        f"A resposta {has(len(capital_words), 'palavra', 'palavras')} em letras maiúsculas; "
        f"{asked(capital_relation, capital_frequency)}.",
    )


def _capital_words(text: Text) -> Iterator[tuple[int, int]]:
    done = 0
    for start, end in text.words:
        word = text.text[start:end]
        if word != word.upper() or (word == "R" and text.text.startswith("$", end)):
            continue
        capitals = sum(map(str.isupper, word))
        if capitals > 1 or (capitals and done and text.text[done:start].isspace()):
            yield start, end
            done = end
