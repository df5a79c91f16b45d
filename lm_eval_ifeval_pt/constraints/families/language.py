"""The language of the response."""

from __future__ import annotations

from lm_eval_ifeval_pt.constraints.registry import Example, Kind, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text import language as languages
from lm_eval_ifeval_pt.text.language import Language


def _wording(*, language: str) -> str:
    return f"Responda inteiramente em {languages.name(language)}; nenhum outro idioma é permitido."


def _kind(*, language: str) -> Kind:
    return "passive" if language == "pt" else "active"


@constraint(
    "language:response_language",
    wording=_wording,
    kind=_kind,
    follows=[
        Example("Olá, tudo bem?", {"language": "pt"}),
        Example("FECHE A TORNEIRA E POUPE ÁGUA.", {"language": "pt"}),
        Example("Los niños juegan en el jardín.", {"language": "es"}),
        Example("Os nenos xogan no xardín da escola.", {"language": "gl"}),
    ],
    breaks=[
        Example("The quick brown fox jumps over the lazy dog.", {"language": "pt"}),
        Example("Los niños juegan en el jardín.", {"language": "pt"}),
        Example("Os nenos xogan no xardín da escola.", {"language": "pt"}),
        Example("12 + 30 = 42", {"language": "en"}),
    ],
)
def response_language(text: Text, *, language: Language) -> Verdict:
    """The response is in the language: no other one is clearly likelier for the whole of it.

    A few words that may be Portuguese as well as something else are Portuguese. Code, addresses and numbers are no
    words; a response without words is in no language. Of a response in several languages, the prevalent one decides.
    """
    return verdict(text, language)


def verdict(text: Text, language: str) -> Verdict:
    """The verdict on the language of a text."""
    finding = languages.find(text, language)
    if finding is None:
        return Verdict(False, (), "A resposta não tem palavras.")
    if finding.holds:
        return Verdict(True, (), f"A resposta está em {languages.name(language)}.")
    likeliest, asked = languages.name(finding.likeliest), languages.name(language)
    return Verdict(False, (), f"A resposta parece estar em {likeliest}, e não em {asked}.")
