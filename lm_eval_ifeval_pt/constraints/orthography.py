"""Accents, cedilla, tilde and crase."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from lm_eval_ifeval_pt.registry import Example, constraint
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.diacritics import ACUTE, CIRCUMFLEX, TILDE, crases, marked
from lm_eval_ifeval_pt.verdict import Verdict, count


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
)
def crase(text: Text) -> Verdict:
    """At least one crase: the contraction à, às, àquele(s), àquela(s), àquilo, in any case.

    Whether the crase is right there is not asked. The à of French expressions (à la carte, vis-à-vis,
    tête-à-tête) is none.
    """
    found = list(crases(text.text))
    if not found:
        return Verdict(False, (), "A resposta não tem crase.")
    return Verdict(True, text.evidence(found), f"A resposta tem {count(len(found), 'crase', 'crases')}.")


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
)
def cedilha(text: Text) -> Verdict:
    """At least three words with ç. Each occurrence of a word counts, a word with two ç counts once."""
    lower = text.lower
    found = (
        _words_at(text, (index for index, character in enumerate(lower) if character == "ç"))
        if "ç" in lower
        else []
    )
    return Verdict(
        len(found) >= 3,
        text.evidence(found),
        f"A resposta tem {count(len(found), 'palavra', 'palavras')} com ç; pediam-se pelo menos 3.",
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
    return _without(text, list(marked(text.text, TILDE)), "com til")


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
    return _without(text, list(marked(text.text)), "com acento, til ou cedilha")


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
)
def agudo_e_circunflexo(text: Text) -> Verdict:
    """A word with an acute accent and another with a circumflex; a word with both counts as one of them."""
    acute = _words_at(text, (start for start, _ in marked(text.text, ACUTE)))
    circumflex = _words_at(text, (start for start, _ in marked(text.text, CIRCUMFLEX)))
    pair = next(((one, other) for one in acute[:2] for other in circumflex[:2] if one != other), None)
    if pair is None and acute and circumflex:
        return Verdict(
            False, text.evidence(acute), "A única palavra com agudo é também a única com circunflexo."
        )
    return Verdict(
        pair is not None,
        text.evidence(sorted(pair or (acute + circumflex)[:1])),
        f"A resposta tem {count(len(acute), 'palavra', 'palavras')} com acento agudo "
        f"e {count(len(circumflex), 'palavra', 'palavras')} com acento circunflexo.",
    )


def _words_at(text: Text, offsets: Iterable[int]) -> list[tuple[int, int]]:
    """The words, each once, that stand at some offsets."""
    found: dict[tuple[int, int], None] = {}
    for offset in offsets:
        index = bisect_right(text.words, (offset, len(text.text))) - 1
        if index >= 0 and offset < text.words[index][1]:
            found[text.words[index]] = None
    return list(found)


def _without(text: Text, letters: list[tuple[int, int]], what: str) -> Verdict:
    return Verdict(
        not letters,
        text.evidence(letters),
        f"A resposta tem {count(len(letters), 'letra', 'letras')} {what}.",
    )
