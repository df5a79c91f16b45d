"""Words with a given ending."""

from __future__ import annotations

import re
from functools import partial

from lm_eval_ifeval_pt.constraints import amounts
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.relations import Relation
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.enclisis import pronoun_position


def _ending(text: Text, endings: tuple[str, ...], relation: Relation, num_words: int) -> Verdict:
    ends = re.compile(rf"(?:{'|'.join(endings)})(?![^\W_])")
    ending_so: list[tuple[int, int]] = []
    for match in ends.finditer(text.lower):
        word = text.word_at(match.start())
        if word and word not in ending_so[-1:] and _ends(text, *word, endings):
            ending_so.append(word)
    named = " ou ".join(f"-{ending}" for ending in endings)
    return amounts.compare(text, ending_so, (f"palavra em {named}", f"palavras em {named}"), relation, num_words)


def _ends(text: Text, start: int, end: int, endings: tuple[str, ...]) -> bool:
    """Whether a word, or a verb before the pronouns joined to it ("tornando-se"), has one of the endings."""
    word = text.lower[start:end]
    if word.endswith(endings):
        return word != "mente"
    return word.partition("-")[0].endswith(endings) and pronoun_position(text.text[start:end], word) == "enclitic"


def _wording(named: str, *, num_words: int, relation: Relation) -> str:
    if num_words == 0:
        return f"Não use palavras terminadas em {named}."
    noun = ("palavra terminada", "palavras terminadas")
    return f"Use {amounts.spelled(relation, num_words, noun)} em {named}."


@constraint(
    "pattern:terminacao_ando_endo_indo",
    wording=partial(_wording, "-ando, -endo ou -indo"),
    kind=amounts.kind,
    follows=[
        Example("Vem **vindo** e _tornando_-se ONDA.", {"num_words": 2, "relation": "exactly"}),
        Example("Segundo o mundo, quando lindo, é grande.", {"num_words": 2, "relation": "at most"}),
    ],
    breaks=[
        Example("Andar, correr e sorrir no mundo.", {"num_words": 1, "relation": "at least"}),
        Example("Cantando, correndo, sorrindo.", {"num_words": 2, "relation": "at most"}),
    ],
    reads_words=True,
)
def ando_endo_indo(text: Text, *, num_words: int, relation: Relation) -> Verdict:
    """The number of words that end in -ando, -endo or -indo stands in the relation to `num_words`.

    Whatever they are: "quando" and "lindo" end so too. A pronoun joined to a gerund is no part of it.
    """
    return _ending(text, ("ando", "endo", "indo"), relation, num_words)


@constraint(
    "pattern:terminacao_inho_inha",
    wording=partial(_wording, "-inho ou -inha"),
    kind=amounts.kind,
    follows=[
        Example("Minha casa tem um QUARTINHO.", {"num_words": 2, "relation": "at least"}),
        Example("O homenzarrão saiu de fininho?", {"num_words": 1, "relation": "at most"}),
    ],
    breaks=[
        Example("Ela vinha sozinha.", {"num_words": 0, "relation": "at most"}),
        Example("Uma casinhola, dois livrinhos.", {"num_words": 1, "relation": "at least"}),
    ],
    reads_words=True,
)
def inho_inha(text: Text, *, num_words: int, relation: Relation) -> Verdict:
    """The number of words that end in -inho or -inha stands in the relation to `num_words`.

    Whether diminutives ("quartinho") or not ("minha", "vinha"); plurals end in -inhos and -inhas and do not count.
    """
    return _ending(text, ("inho", "inha"), relation, num_words)


@constraint(
    "pattern:terminacao_ao_oes",
    wording=partial(_wording, "-ão ou -ões"),
    kind=amounts.kind,
    follows=[
        Example("As ações do CAPITÃO não mudam.", {"num_words": 3, "relation": "at least"}),
        Example("Os pães e as mãos.", {"num_words": 0, "relation": "at most"}),
    ],
    breaks=[
        Example("A mulherona funciona.", {"num_words": 1, "relation": "at least"}),
        Example("Coração e razões.", {"num_words": 1, "relation": "at most"}),
    ],
    reads_words=True,
)
def ao_oes(text: Text, *, num_words: int, relation: Relation) -> Verdict:
    """The number of words that end in -ão or -ões stands in the relation to `num_words`.

    Whatever they are ("não", "são"); -ona, -ãos and -ães are other endings.
    """
    return _ending(text, ("ão", "ões"), relation, num_words)


@constraint(
    "pattern:terminacao_mente",
    wording=partial(_wording, "-mente"),
    kind=amounts.kind,
    follows=[
        Example("Infelizmente, ele mente lentamente.", {"num_words": 2, "relation": "exactly"}),
        Example("A mente humana tem mentes dentro.", {"num_words": 0, "relation": "at most"}),
    ],
    breaks=[
        Example("Uma SEMENTE nasce.", {"num_words": 0, "relation": "at most"}),
        Example("Calma e tranquilamente.", {"num_words": 2, "relation": "at least"}),
    ],
    reads_words=True,
)
def mente(text: Text, *, num_words: int, relation: Relation) -> Verdict:
    """The number of words that end in -mente stands in the relation to `num_words`.

    Adverbs or not ("semente"); the word "mente" itself has no such ending.
    """
    return _ending(text, ("mente",), relation, num_words)
