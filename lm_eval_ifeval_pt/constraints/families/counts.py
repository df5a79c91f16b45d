"""How many different words, characters, words per sentence, uses of one word."""

from __future__ import annotations

from collections import Counter

from lm_eval_ifeval_pt.constraints import amounts
from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict, count, has
from lm_eval_ifeval_pt.text import Text


@constraint(
    "count:unique_word_count",
    wording="Use pelo menos {min_unique} palavras diferentes na resposta.",
    kind="active",
    follows=[
        Example("O mar, o céu e o sol.", {"min_unique": 5}),
        Example("Ver é ver-se: eu vejo, tu vês.", {"min_unique": 7}),
    ],
    breaks=[
        Example("Sol, SOL e “sol”.", {"min_unique": 3}),
        Example("- arroz\n- feijão — arroz", {"min_unique": 3}),
    ],
    reads_words=True,
)
def unique_word_count(text: Text, *, min_unique: int) -> Verdict:
    """At least so many different words. Capitals make no word another one; accents and endings do."""
    first: dict[str, tuple[int, int]] = {}
    for span in text.words:
        first.setdefault(text.lower[slice(*span)], span)
    noun = ("palavra diferente", "palavras diferentes")
    return amounts.compare(text, list(first.values()), noun, "at least", min_unique)


@constraint(
    "count:character_count_range",
    wording="Responda em {min_chars} a {max_chars} caracteres, contando os espaços.",
    kind="active",
    follows=[
        Example("São 16 caracteres", {"min_chars": 17, "max_chars": 17}),
        Example("\nCac\u0327ar\r\nboi.\r\n\r\n", {"min_chars": 10, "max_chars": 10}),
    ],
    breaks=[
        Example("Ação!", {"min_chars": 6, "max_chars": 7}),
        Example("Uma frase longa demais.", {"min_chars": 20, "max_chars": 22}),
    ],
)
def character_count_range(text: Text, *, min_chars: int, max_chars: int) -> Verdict:
    """The number of characters is between two bounds: blanks and line ends count, those around the response do not.

    A letter with its marks is one character, however it is encoded; invisible characters are none.
    """
    number = len(text.text.strip())
    return amounts.within(text, (), number, ("caractere", "caracteres"), min_chars, max_chars)


@constraint(
    "words:max_word_repeat",
    wording="Nenhuma palavra pode aparecer mais de {max_repeats} vezes na resposta.",
    kind="passive",
    follows=[
        Example("A obra é a obra.", {"max_repeats": 2}),
        Example("Vi o lobo-do-mar no mar.", {"max_repeats": 1}),
    ],
    breaks=[
        Example("A “obra” supera qualquer OBRA.", {"max_repeats": 1}),
        Example("De **longe**, longe; de longe.", {"max_repeats": 2}),
    ],
    reads_words=True,
)
def max_word_repeat(text: Text, *, max_repeats: int) -> Verdict:
    """No word occurs more often, articles and prepositions included; in any case, with its accents."""
    words = Counter(text.lower[start:end] for start, end in text.words)
    excessive = {word: number for word, number in words.items() if number > max_repeats}
    if not excessive:
        return Verdict(True, (), f"Nenhuma palavra aparece mais de {max_repeats} vezes.")
    top, number = max(excessive.items(), key=lambda item: item[1])
    spans = [span for span in text.words if text.lower[slice(*span)] == top]
    detail = f"A palavra “{top[:40]}” aparece {count(number, 'vez', 'vezes')}; o limite é {max_repeats}."
    return Verdict(False, text.evidence(spans), detail)


_WORDS = ("palavra", "palavras")


@constraint(
    "count:max_sentence_length",
    wording="Cada frase deve ter no máximo {max_words_per_sentence} palavras.",
    kind="passive",
    follows=[
        Example("Custou R$ 1.500 na feira.", {"max_words_per_sentence": 5}),
        Example("O Sr. Silva veio. Ficou pouco.", {"max_words_per_sentence": 4}),
    ],
    breaks=[
        Example("O livro custa R$ 1.500 na feira de hoje.", {"max_words_per_sentence": 6}),
        Example("Oi. Trouxe maçãs, peras, etc. e saiu.", {"max_words_per_sentence": 5}),
    ],
    reads_words=True,
)
def max_sentence_length(text: Text, *, max_words_per_sentence: int) -> Verdict:
    """No sentence has more words. The items of lists are sentences, headings and lead-ins are not."""
    long = [(span, number) for span, number in _lengths(text) if number > max_words_per_sentence]
    if not long:
        return Verdict(True, (), f"Nenhuma frase passa de {count(max_words_per_sentence, *_WORDS)}.")
    most = max(number for _, number in long)
    number = count(len(long), "frase longa demais", "frases longas demais")
    return Verdict(
        False, text.evidence([span for span, _ in long]), f"A resposta tem {number}: até {count(most, *_WORDS)}."
    )


@constraint(
    "count:min_sentence_length",
    wording="Cada frase deve ter pelo menos {min_words_per_sentence} palavras.",
    kind="active",
    follows=[
        Example("O Sr. Silva chegou cedo. Depois ele foi embora.", {"min_words_per_sentence": 4}),
        Example("Gastou 3.5 milhões em obras.", {"min_words_per_sentence": 5}),
    ],
    breaks=[
        Example("Ele veio. O livro ficou na mesa.", {"min_words_per_sentence": 3}),
        Example("Sim! — disse a moça — e foi embora.", {"min_words_per_sentence": 8}),
    ],
    reads_words=True,
)
def min_sentence_length(text: Text, *, min_words_per_sentence: int) -> Verdict:
    """There is a sentence, and none has fewer words. Items of lists are sentences, headings and lead-ins are not."""
    lengths = list(_lengths(text))
    if not lengths:
        return Verdict(False, (), "A resposta não tem nenhuma frase.")
    short = [span for span, number in lengths if number < min_words_per_sentence]
    what = has(len(short), "frase curta demais", "frases curtas demais")
    least = min(number for _, number in lengths)
    return Verdict(not short, text.evidence(short), f"A resposta {what}: a menor tem {count(least, *_WORDS)}.")


def _lengths(text: Text) -> list[tuple[tuple[int, int], int]]:
    """Each sentence with its number of words."""
    lengths, words, at = [], text.words, 0
    for start, end in text.sentences:
        while at < len(words) and words[at][0] < start:
            at += 1
        first = at
        while at < len(words) and words[at][0] < end:
            at += 1
        lengths.append(((start, end), at - first))
    return lengths
