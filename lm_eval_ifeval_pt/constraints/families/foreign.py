"""What the Spanish and French parts of M-IFEval ask for, which other languages do not have."""

from __future__ import annotations

import regex

from lm_eval_ifeval_pt.constraints import amounts
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.relations import Relation
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text, diacritics
from lm_eval_ifeval_pt.text.terms import pattern

_QUESTION = regex.compile(r"¿[^\w¿?]*+\w[^¿?]*+\?")
_EXCLAMATION = regex.compile(r"¡[^\w¡!]*+\w[^¡!]*+!")
_TU = regex.compile(r"(?<![\w-])(?:tu|te|toi|ton|ta|tes|t['’](?=\w))(?![\w])|-t[uo]i?(?![\w])|t['’](?=\w)")
_VOUS = regex.compile(r"(?<!\w)(?:vous|votre|vos|vôtres?)(?!\w)")
_WORDS = ("palavra", "palavras")


@constraint(
    "es:punctuation:question_marks",
    wording="Inclua pelo menos uma pergunta entre os sinais ¿ e ?.",
    kind="active",
    follows=[Example("¿Qué hora es?"), Example("Dime, ¿vienes?")],
    breaks=[Example("Qué hora es?"), Example("¿ ? Nada.")],
)
def paired_question_marks(text: Text) -> Verdict:
    """Words between an opening and a closing question mark."""
    questions = [match.span() for match in _QUESTION.finditer(text.text)]
    return amounts.compare(text, questions, ("pergunta entre ¿ e ?", "perguntas entre ¿ e ?"), "at least", 1)


@constraint(
    "es:punctuation:exclamation_marks",
    wording="Inclua pelo menos uma exclamação entre os sinais ¡ e !.",
    kind="active",
    follows=[Example("¡Qué bien!"), Example("Hola, ¡buen día!")],
    breaks=[Example("Qué bien!"), Example("¡! Nada.")],
)
def paired_exclamation_marks(text: Text) -> Verdict:
    """Words between an opening and a closing exclamation mark."""
    exclamations = [match.span() for match in _EXCLAMATION.finditer(text.text)]
    return amounts.compare(text, exclamations, ("exclamação entre ¡ e !", "exclamações entre ¡ e !"), "at least", 1)


def _words_with(text: Text, letters: str) -> list[tuple[int, int]]:
    return [span for span in text.words if not set(letters).isdisjoint(text.lower[slice(*span)])]


@constraint(
    "es:special_character:enie",
    wording="Use exatamente {let_frequency} palavras com ñ.",
    kind="active",
    follows=[
        Example("El niño de España.", {"let_frequency": 2}),
        Example("AÑO tras año, ñoño.", {"let_frequency": 3}),
    ],
    breaks=[Example("El nino.", {"let_frequency": 1}), Example("Año y niño.", {"let_frequency": 1})],
    reads_words=True,
)
def enie(text: Text, *, let_frequency: int) -> Verdict:
    """Exactly so many words with ñ."""
    words = _words_with(text, "ñ")
    return amounts.compare(text, words, ("palavra com ñ", "palavras com ñ"), "exactly", let_frequency)


@constraint(
    "es:special_character:dieresis",
    wording="Use exatamente {let_frequency} palavras com ü.",
    kind="active",
    follows=[
        Example("El pingüino y la cigüeña.", {"let_frequency": 2}),
        Example("VERGÜENZA ajena.", {"let_frequency": 1}),
    ],
    breaks=[Example("El pinguino.", {"let_frequency": 1}), Example("Pingüino bilingüe.", {"let_frequency": 1})],
    reads_words=True,
)
def dieresis(text: Text, *, let_frequency: int) -> Verdict:
    """Exactly so many words with ü."""
    words = _words_with(text, "ü")
    return amounts.compare(text, words, ("palavra com ü", "palavras com ü"), "exactly", let_frequency)


@constraint(
    "es:special_character:tildes",
    wording=lambda *, num_words, relation: f"Use {amounts.spelled(relation, num_words, _WORDS)} com acento agudo.",
    kind=amounts.kind,
    follows=[
        Example("La canción está aquí.", {"num_words": 3, "relation": "at least"}),
        Example("El año del pingüino.", {"num_words": 0, "relation": "at most"}),
    ],
    breaks=[
        Example("La cancion esta aqui.", {"num_words": 1, "relation": "at least"}),
        Example("Él está aquí.", {"num_words": 2, "relation": "at most"}),
    ],
    reads_words=True,
)
def tildes(text: Text, *, num_words: int, relation: Relation) -> Verdict:
    """The number of words with an acute accent (which Spanish calls tilde) stands in the relation to `num_words`."""
    words = _words_with(text, "áéíóú")
    return amounts.compare(text, words, ("palavra com acento", "palavras com acento"), relation, num_words)


@constraint(
    "fr:special_character:accents",
    wording=lambda *, word_to_accentuate=None: (
        f"Use a palavra '{word_to_accentuate}' com acentos." if word_to_accentuate else "Use acentos na resposta."
    ),
    kind="active",
    follows=[Example("L'été est là."), Example("L'ÉTÉ est court.", {"word_to_accentuate": "été"})],
    breaks=[Example("L'ete est court."), Example("L'ete est là.", {"word_to_accentuate": "été"})],
    reads_words=True,
)
def accents(text: Text, *, word_to_accentuate: str | None = None) -> Verdict:
    """A letter with a mark; where a word is given, that word with its marks."""
    if word_to_accentuate is None:
        accented = list(diacritics.marked(text.text))
    else:
        accented = [match.span() for match in pattern(word_to_accentuate).finditer(text.lower)]
    return amounts.compare(text, accented, ("acento pedido", "acentos pedidos"), "at least", 1)


@constraint(
    "fr:detectable_content:informal_address",
    wording="Trate o leitor por 'tu' (em francês), e nunca por 'vous'.",
    kind="active",
    follows=[Example("Tu peux venir."), Example("Prends ton livre et t'assieds-toi.")],
    breaks=[Example("Vous pouvez venir."), Example("Il peut venir."), Example("Tu peux venir avec votre livre.")],
    reads_words=True,
)
def informal_address(text: Text) -> Verdict:
    """A form of French tu (tu, te, toi, ton, ta, tes) and none of vous (vous, votre, vos)."""
    vous = [match.span() for match in _VOUS.finditer(text.lower)]
    if vous:
        return amounts.none(text, vous, ("forma de “vous”", "formas de “vous”"))
    tu = [match.span() for match in _TU.finditer(text.lower)]
    return amounts.compare(text, tu, ("forma de “tu”", "formas de “tu”"), "at least", 1)
