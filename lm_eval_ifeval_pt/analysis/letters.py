"""Letter bias: how often a model chooses each option of multiple-choice documents, and how often each is right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from lm_eval_ifeval_pt.results import Item

_LETTER = re.compile(r"\s*[(\[]?([A-J])[)\].:]?(?!\w)")


@dataclass(frozen=True, slots=True)
class OptionCount:
    """One place among the options.

    Attributes:
        letter: A for the first.
        right: Documents whose right option it is.
        chosen: Documents of which the model chose it.
        hits: Documents of which both hold; `hits / right` is the accuracy where the key is here.
    """

    letter: str
    right: int
    chosen: int
    hits: int


@dataclass(frozen=True, slots=True)
class LetterBias:
    """The options of a task.

    Attributes:
        documents: How many documents count: those whose key and choice are known.
        options: By place.
    """

    documents: int
    options: tuple[OptionCount, ...]

    @property
    def distance(self) -> float:
        """The share of choices that would have to be others for letters to be chosen as often as they are right.

        It is the total variation distance of the two distributions: 0 without bias, near 1 for a model that always
        says A where A is hardly ever right.
        """
        return sum(abs(option.chosen - option.right) for option in self.options) / 2 / self.documents


def letter_bias(items: Sequence[Item]) -> LetterBias | None:
    """The counts of chosen and of right options; None where no document has known options.

    Of log-likelihood tasks the most likely option is the choice (as `acc` counts); of written answers the letter they
    begin with, where the target is a letter.

    Args:
        items: Documents of one task under one filter.
    """
    known = [
        (key, choice)
        for item in items
        if (key := _key(item)) is not None and (choice := _choice(item)) is not None
    ]
    if not known:
        return None
    options = range(max(map(max, known)) + 1)
    return LetterBias(
        len(known),
        tuple(
            OptionCount(
                ascii_uppercase[option],
                sum(key == option for key, _ in known),
                sum(choice == option for _, choice in known),
                sum(key == choice == option for key, choice in known),
            )
            for option in options
        ),
    )


def _key(item: Item) -> int | None:
    """The place of the right option, as the target names it: by number, by its text, or by letter."""
    target = item.target.strip().strip('"').strip()
    texts = [choice.text.strip() for choice in item.choices]
    if not texts:
        return ascii_uppercase.index(target) if re.fullmatch("[A-J]", target) else None
    if len(texts) < 2 or len(texts) > len(ascii_uppercase):
        return None
    if target in texts and not (target.isdigit() and texts.index(target) != int(target)):
        return texts.index(target)
    if target.isdigit() and int(target) < len(texts):
        return int(target)
    if re.fullmatch("[A-J]", target) and ascii_uppercase.index(target) < len(texts):
        return ascii_uppercase.index(target)
    return None


def _choice(item: Item) -> int | None:
    if item.choices:
        likelihoods = [choice.loglikelihood for choice in item.choices]
        return likelihoods.index(max(likelihoods))
    match = _LETTER.match(item.answer)
    return ascii_uppercase.index(match[1]) if match else None
