"""How near an answer is to the expected one: exact match, token F1, BLEU."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from lm_eval_ifeval_pt.text import Text


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation; see `text.words`."""
    analysed = Text(text)
    return [analysed.lower[start:end] for start, end in analysed.words]


def exact_match(answer: str, expected: str) -> float:
    """1 if both are the same words in the same order, whatever their case and punctuation, else 0."""
    return float(tokens(answer) == tokens(expected))


def token_f1(answer: str, expected: str) -> float:
    """The harmonic mean of precision and recall of words, a repeated word counting as often as it occurs in both.

    Two texts without any word agree.

    Source: Rajpurkar et al. 2016, arXiv:1606.05250, section 6.1 (SQuAD); here without removing articles.
    """
    return _f1(Counter(tokens(answer)), Counter(tokens(expected)))


def token_set_f1(answer: str, expected: str) -> float:
    """The same over the different words of each text: repeating one changes nothing."""
    return _f1(Counter(set(tokens(answer))), Counter(set(tokens(expected))))


def _f1(answer: Counter[str], expected: Counter[str]) -> float:
    total = answer.total() + expected.total()
    return 2 * (answer & expected).total() / total if total else 1.0


def bleu(answers: Sequence[str], expected: Sequence[str]) -> float:
    """Corpus BLEU as sacrebleu has it (0 to 100); NaN where sacrebleu, which comes with lm_eval, is not installed."""
    try:
        import sacrebleu
    except ImportError:
        return math.nan
    return float(sacrebleu.corpus_bleu(list(answers), [list(expected)]).score)
