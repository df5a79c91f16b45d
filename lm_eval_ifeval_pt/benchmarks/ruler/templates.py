"""What the prompts say, in both published generations, and what has to agree in them.

Source: `ruler_pt` of Polygl0t/lm-evaluation-harness (Tucano 2). The wording is theirs; where an article, a number or a
gender did not agree with its noun, it does here. What the model is to continue (`prefix`) is kept apart from the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from lm_eval_ifeval_pt.benchmarks.ruler.errors import RulerError

Version = Literal["2025", "2026-03"]
VERSIONS: tuple[Version, ...] = ("2025", "2026-03")


@dataclass(frozen=True)
class Kind:
    """What a needle tells: a masculine noun, with which the wordings agree."""

    singular: str
    plural: str


NUMBERS = Kind("número", "números")
UUIDS = Kind("código UUID", "códigos UUID")


@dataclass(frozen=True)
class Wording:
    """The texts of a needle-in-a-haystack task: formats over `one` and `many` (the noun) and `query` (the keys).

    A needle is `needle`, a blank, its key, " é: ", its value and a full stop.
    """

    head: str
    needle: str
    question: str
    prefix: str

    def of(self, kind: Kind) -> Wording:
        """The same texts with their noun; `query` is still to be filled in."""
        noun = {"one": kind.singular, "many": kind.plural, "query": "{query}"}
        return Wording(*(text.format(**noun) for text in (self.head, self.needle, self.question, self.prefix)))


_ONE: Mapping[Version, Wording] = MappingProxyType(
    {
        "2026-03": Wording(
            "Um {one} especial está escondido no texto abaixo. Memorize-o. Vou questioná-lo sobre ele depois.\n",
            "Um {one} especial para",
            "Qual é o {one} especial para {query} mencionado no texto fornecido?",
            "O {one} especial para {query} mencionado no texto fornecido é",
        ),
        "2025": Wording(
            "Algum tipo de {one} mágico especial está escondido dentro do seguinte texto. "
            "Certifique-se de memorizá-lo. Vou questioná-lo sobre o {one} depois.\n",
            "Um dos {many} mágicos especiais para",
            "Qual é o {one} mágico especial para {query} mencionado no texto fornecido?",
            "O {one} mágico especial para {query} mencionado no texto fornecido é",
        ),
    }
)
_MANY: Mapping[Version, Wording] = MappingProxyType(
    {
        "2026-03": Wording(
            "Alguns {many} especiais estão escondidos no texto abaixo. Memorize-os. "
            "Vou questioná-lo sobre eles depois.\n",
            "Um {one} especial para",
            "Quais são todos os {many} especiais para {query} mencionados no texto fornecido?",
            "Os {many} especiais para {query} mencionados no texto fornecido são",
        ),
        "2025": Wording(
            "Alguns {many} mágicos especiais estão escondidos dentro do seguinte texto. "
            "Certifique-se de memorizá-los. Vou questioná-lo sobre os {many} depois.\n",
            "Um dos {many} mágicos especiais para",
            "Quais são todos os {many} mágicos especiais para {query} mencionados no texto fornecido?",
            "Os {many} mágicos especiais para {query} mencionados no texto fornecido são",
        ),
    }
)


def niah(version: Version, kind: Kind, many: bool) -> Wording:
    """The texts of a generation, which ask for one value or for many."""
    return (_MANY if many else _ONE)[version].of(kind)


REPEATED = "A grama é verde. O céu é azul. O sol é amarelo. Lá vamos nós. De ida e volta."
VT_REPEATED = "A grama é verde. O céu é azul. O sol é amarelo. Lá vamos nós. De volta e mais uma vez."

VT_HEAD = "Memorize e acompanhe a(s) cadeia(s) de atribuição de variáveis oculta(s) no texto a seguir.\n\n"
VT_HEAD_PUBLISHED = VT_HEAD.replace("oculta(s)", "ocultas")
VT_QUESTION = "Pergunta: Encontre todas as variáveis que são atribuídas ao valor {value} no texto acima."
VT_PREFIX = (
    "Resposta: De acordo com a(s) cadeia(s) de atribuição de variáveis no texto acima, {count} variáveis são "
    "atribuídas ao valor {value}, elas são:"
)

CWE_HEAD = (
    "Abaixo está uma lista numerada de palavras. Nestas palavras, algumas aparecem com mais frequência do que outras. "
    "Memorize as que aparecem com mais frequência.\n"
)
CWE_QUESTION = "\nPergunta: Quais são as 10 palavras mais comuns na lista acima?"
CWE_PREFIX = "Resposta: As 10 palavras que aparecem com mais frequência na lista são:"

FWE_HEAD = (
    "Leia o seguinte texto codificado e acompanhe a frequência de cada palavra codificada. "
    "Encontre as três palavras codificadas que mais apareceram."
)
FWE_QUESTION = (
    "\nPergunta: Sem fornecer qualquer explicação. Por favor, ignore os pontos '....'. "
    "Quais são as três palavras que mais apareceram no texto codificado acima?"
)
FWE_PREFIX = "Resposta: De acordo com o texto codificado acima, as três palavras que mais apareceram são:"


def version(name: object) -> Version:
    """The generation of this name.

    Raises:
        RulerError: there is none.
    """
    for known in VERSIONS:
        if name == known:
            return known
    raise RulerError(f'metadata "ruler_version" is {name!r}; it must be one of: {", ".join(VERSIONS)}')


def enumeration(words: Sequence[str]) -> str:
    """Words in a row: "a", "a e b", "a, b e c"."""
    *others, last = words
    return f"{', '.join(others)} e {last}" if others else last
