"""Scores of a text against the expected one, by words: exact match, contained, token F1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lm_eval_ifeval_pt.grading.normalisation import DEFAULT, Normalisation


def exact_match(output: str, target: str, normalisation: Normalisation = DEFAULT) -> float:
    """1 if both are the same words in the same order, else 0."""
    return float(normalisation.tokens(output) == normalisation.tokens(target))


def contains(output: str, target: str, normalisation: Normalisation = DEFAULT) -> float:
    """1 if the words of the target stand in the output, together and in order, else 0.

    Whole words: "rio" is not in "frio". A target without anything in it is in no output but an empty one.
    """
    sought, tokens = normalisation.tokens(target), normalisation.tokens(output)
    return float(_is_within(sought, tokens) if sought else not tokens)


def _is_within(sought: Sequence[str], tokens: Sequence[str]) -> bool:
    """Whether one sequence is part of another; Knuth, Morris and Pratt's way, since a model may repeat itself."""
    fallback = [0]
    matched = 0
    for token in sought[1:]:
        while matched and sought[matched] != token:
            matched = fallback[matched - 1]
        matched += sought[matched] == token
        fallback.append(matched)
    matched = 0
    for token in tokens:
        while matched and sought[matched] != token:
            matched = fallback[matched - 1]
        matched += sought[matched] == token
        if matched == len(sought):
            return True
    return False


def token_f1(output: str, target: str, normalisation: Normalisation = DEFAULT) -> float:
    """The harmonic mean of precision and recall of words, a repeated word counting as often as it occurs in both.

    Two texts without any word agree.

    Source: Rajpurkar et al. 2016, arXiv:1606.05250, section 6.1 (SQuAD).
    """
    return _f1(Counter(normalisation.tokens(output)), Counter(normalisation.tokens(target)))


def token_set_f1(output: str, target: str, normalisation: Normalisation = DEFAULT) -> float:
    """The same over the different words of each text: repeating one changes nothing."""
    return _f1(Counter(set(normalisation.tokens(output))), Counter(set(normalisation.tokens(target))))


def _f1(output: Counter[str], target: Counter[str]) -> float:
    total = output.total() + target.total()
    return 2 * (output & target).total() / total if total else 1.0
