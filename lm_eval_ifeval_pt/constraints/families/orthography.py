"""Accents, cedilla, tilde and crase."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product

from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict, count, has
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.diacritics import ACUTE, CIRCUMFLEX, TILDE, count_marked, crases, marked

_SHOWN = 40  # characters of a word that a detail quotes


@constraint(
    "ptbr:crase",
    wording="Use crase pelo menos uma vez na resposta.",
    kind="active",
    follows=[
        Example("Fui à feira ontem."),
        Example("Refiro-me àquela praça."),
        Example("ENTREGUE AS LATAS ÀS COOPERATIVAS."),
    ],
    breaks=[
        Example("Fui á feira ontem."),
        Example("Conversamos vis-à-vis."),
        Example("Pedi um prato à la carte."),
        Example("Que déjà-vu: outro desfile de prêt-à-porter."),
    ],
    reads_words=True,
)
def crase(text: Text) -> Verdict:
    """At least one crase: the contraction à, às, àquele(s), àquela(s), àquilo, in any case.

    Whether the crase is right there is not asked. The à of French expressions (à la carte, vis-à-vis,
    tête-à-tête) is none.
    """
    contractions = list(crases(text.text))
    if not contractions:
        return Verdict(False, (), "A resposta não tem crase.")
    return Verdict(True, text.evidence(contractions), f"A resposta tem {count(len(contractions), 'crase', 'crases')}.")


@constraint(
    "ptbr:sem_crase",
    wording="Não use crase na resposta.",
    kind="passive",
    follows=[
        Example("Separe o lixo e ajude a cidade."),
        Example("Almoçamos à la carte, tête-à-tête."),
        Example("Lá o gás acabou."),
    ],
    breaks=[
        Example("Volto à noite."),
        Example("Entregue as latas ÀS cooperativas."),
        Example("Não me oponho àquilo."),
    ],
    reads_words=True,
)
def sem_crase(text: Text) -> Verdict:
    """No crase: the opposite of `ptbr:crase`."""
    present = crase(text)
    return Verdict(not present.followed, present.evidence, present.detail)


@constraint(
    "ptbr:cedilha",
    wording="Use pelo menos três palavras com ç na resposta.",
    kind="active",
    follows=[
        Example("O coração da praça pede açaí."),
        Example("FORÇA E ATENÇÃO NA DANÇA!"),
        Example("Faça o que for, mas faça; faça já."),
    ],
    breaks=[
        Example("A endereçação e a ação."),
        Example("A praca, o coracao e a forca."),
        Example("Sem lenço e sem pressa."),
    ],
    reads_words=True,
)
def cedilha(text: Text) -> Verdict:
    """At least three words with ç. Each occurrence of a word counts, a word with two ç counts once."""
    words = list(_words_at(text, (match.start() for match in re.finditer("ç", text.lower))))
    return Verdict(
        len(words) >= 3,
        text.evidence(words),
        f"A resposta {has(len(words), 'palavra', 'palavras')} com ç; pediam-se pelo menos 3.",
    )


@constraint(
    "ptbr:sem_til",
    wording="Não use nenhum til (ã, õ) na resposta.",
    kind="passive",
    follows=[
        Example("Hoje o sol brilha."),
        Example("Chegue ~10 minutos antes da aula."),
        Example("É fácil: você lê e grava em C:\\PROGRA~1."),
    ],
    breaks=[
        Example("O pão está quente."),
        Example("SÃO PAULO AMANHECEU FRIA."),
        Example("O fenômeno El Niño voltou."),
    ],
)
def sem_til(text: Text) -> Verdict:
    """No letter with a tilde: neither ã and õ nor the ñ of foreign names. The sign ~ by itself is no til."""
    return _without(text, TILDE, "com til")


@constraint(
    "ptbr:sem_diacritico",
    wording="Não use nenhum acento ou cedilha na resposta.",
    kind="passive",
    follows=[
        Example("O 1º lugar foi do grupo azul."),
        Example("Bem… vamos separar o lixo ♻\ufe0f hoje."),
        Example("A raiz de x^2 vale ~1 no `modelo`."),
    ],
    breaks=[
        Example("A praca é bonita."),
        Example("A forca da união."),
        Example("Comi crème brûlée com o señor Müller."),
    ],
)
def sem_diacritico(text: Text) -> Verdict:
    """No letter with an accent, a tilde, a cedilla or any other mark, foreign letters (ñ, ü, è) included.

    Ordinals (º, ª), signs that stand alone (~, ^, `), emoji and letters with a stroke (ø) have no mark.
    """
    return _without(text, None, "com acento, til ou cedilha")


@constraint(
    "ptbr:agudo_e_circunflexo",
    wording="Use na resposta pelo menos uma palavra com acento agudo e uma com acento circunflexo.",
    kind="active",
    follows=[
        Example("Você bebe água."),
        Example("O AVÔ E A AVÓ SAÍRAM."),
        Example("Sê-lo-á quem for gentil, e ninguém mais."),
    ],
    breaks=[
        Example("O café é bom."),
        Example("Três meses sem chuva."),
        Example("Ele vê-lo-á amanhã."),
    ],
    reads_words=True,
)
def agudo_e_circunflexo(text: Text) -> Verdict:
    """A word with an acute accent and another with a circumflex; a word with both counts as one of them."""
    acute = list(islice(_words_with(text, ACUTE), 2))
    circumflex = list(islice(_words_with(text, CIRCUMFLEX), 2))
    for with_acute, with_circumflex in product(acute, circumflex):
        if with_acute != with_circumflex:
            shown = _shown(text, with_acute), _shown(text, with_circumflex)
            detail = "“{}” tem acento agudo e “{}”, acento circunflexo.".format(*shown)
            return Verdict(True, text.evidence(sorted((with_acute, with_circumflex))), detail)
    if acute and circumflex:
        detail = f"“{_shown(text, acute[0])}” é a única palavra com acento agudo e a única com circunflexo."
    else:
        missing = [name for name, words in (("agudo", acute), ("circunflexo", circumflex)) if not words]
        detail = f"Nenhuma palavra tem acento {' nem '.join(missing)}."
    return Verdict(False, text.evidence((acute or circumflex)[:1]), detail)


def _words_with(text: Text, mark: str) -> Iterator[tuple[int, int]]:
    return _words_at(text, (start for start, _ in marked(text.text, mark)))


def _words_at(text: Text, offsets: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The words, each once, that stand at some offsets (in order)."""
    done = 0
    for offset in offsets:
        if offset >= done and (word := text.word_at(offset)):
            yield word
            done = word[1]


def _shown(text: Text, word: tuple[int, int]) -> str:
    return text.text[word[0] : min(word[1], word[0] + _SHOWN)]


def _without(text: Text, mark: str | None, what: str) -> Verdict:
    number = count_marked(text.text, mark)
    detail = f"A resposta {has(number, 'letra', 'letras')} {what}."
    return Verdict(not number, text.evidence(marked(text.text, mark)) if number else (), detail)
