"""Classification: the label that an output names, accuracy, macro-F1 and the confusion matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lm_eval_ifeval_pt.grading.normalisation import DEFAULT, Normalisation
from lm_eval_ifeval_pt.grading.overlap import contains, exact_match
from lm_eval_ifeval_pt.grading.scores import Compared

UNMATCHED = ""
"""The label of an output that names none."""


def label_in(output: str, labels: Sequence[str], normalisation: Normalisation = DEFAULT) -> str:
    """The label that an output is, else the only one that stands in it as whole words; `UNMATCHED` for none or several.

    Of "não urgente" and "urgente", which both stand in "não urgente.", the longer one counts.
    """
    for label in labels:
        if exact_match(output, label, normalisation):
            return label
    named = [label for label in labels if contains(output, label, normalisation)]
    longest = [
        label for label in named if not any(other != label and contains(other, label, normalisation) for other in named)
    ]
    return longest[0] if len(longest) == 1 else UNMATCHED


def label(
    output: str, references: Sequence[str], labels: Sequence[str], normalisation: Normalisation = DEFAULT
) -> dict[str, float]:
    """Whether an output names the expected label.

    Args:
        output: The answer.
        references: The expected label, or labels of which any is right.
        labels: All labels; without them an output that names no reference is its own label, in the form that counts.
        normalisation: What does not count.

    Returns:
        `label_accuracy` and, of all samples, `macro_f1`; `label_unmatched` is 1 where the output names no label.

    Raises:
        ValueError: the expected label is none of the labels.
    """
    known = labels or references
    expected = [_same(target, known, normalisation) for target in references]
    if None in expected:
        unknown = references[expected.index(None)]
        raise ValueError(f"the target {unknown[:60]!r} is none of the labels {', '.join(labels)}")
    targets = [target for target in expected if target is not None]
    named = label_in(output, known, normalisation)
    score = float(named in targets)
    if not labels:
        named = " ".join(normalisation.tokens(named or output))
        targets = [" ".join(normalisation.tokens(target)) for target in targets]
    pair = Compared(score, named, [named] if score else targets[:1])
    return {"label_accuracy": score, "macro_f1": pair, "label_unmatched": float(bool(labels) and named == UNMATCHED)}


def _same(target: str, labels: Sequence[str], normalisation: Normalisation) -> str | None:
    """The label that a target is."""
    return next((label for label in labels if exact_match(target, label, normalisation)), None)


@dataclass(frozen=True, slots=True)
class Confusion:
    """The counts of answered labels by expected label.

    Attributes:
        labels: The expected labels in alphabetical order, then others that were answered.
        counts: (expected, answered) -> how often; answered `UNMATCHED` where no label was named.
    """

    labels: tuple[str, ...]
    counts: Mapping[tuple[str, str], int]

    def f1(self, label: str) -> float:
        """The harmonic mean of precision and recall of one label; 0 where it was neither expected nor answered."""
        expected = sum(count for (target, _), count in self.counts.items() if target == label)
        answered = sum(count for (_, output), count in self.counts.items() if output == label)
        return 2 * self.counts.get((label, label), 0) / (expected + answered) if expected + answered else 0.0


def confusion(scores: Sequence[float]) -> Confusion:
    """The confusion matrix of the samples' `macro_f1`."""
    pairs = Counter((score.references[0], score.output) for score in scores if isinstance(score, Compared))
    expected = sorted({target for target, _ in pairs})
    others = sorted({output for _, output in pairs} - {*expected, UNMATCHED})
    return Confusion((*expected, *others), pairs)


def macro_f1(scores: Sequence[float]) -> float:
    """The unweighted mean F1 of the labels that are expected anywhere; 0 to 1.

    As scikit-learn's `f1_score(average="macro", labels=those)`: an output that names no label is wrong, but is no class
    of its own.
    """
    table = confusion(scores)
    expected = {target for target, _ in table.counts}
    return sum(table.f1(label) for label in expected) / len(expected)
