"""The graders that have a name: from a manifest, a task definition or the command line, by id and options."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lm_eval_ifeval_pt.grading import labels as classification
from lm_eval_ifeval_pt.grading import numeric as numbers
from lm_eval_ifeval_pt.grading import overlap, similarity, structure
from lm_eval_ifeval_pt.grading.normalisation import Normalisation
from lm_eval_ifeval_pt.grading.scores import checked, greatest, least, median, std
from lm_eval_ifeval_pt.nearest import with_nearest

Row = Mapping[str, Any]
Scorer = Callable[[str, Sequence[str], Row], dict[str, float]]
"""Of an output, the texts of which one is expected, and the row."""

Aggregation = Callable[[Sequence[float]], float]


@dataclass(frozen=True)
class Grader:
    """A grader with its options: a callable of the output, the target and the row.

    Attributes:
        id: Its name.
        options: As given.
        metrics: The names of the scores it gives.
        references: The column of the row with further accepted targets, if any.
        threshold: What a score must reach to pass, if `<metric>_pass` is wanted.
    """

    id: str
    options: Mapping[str, Any]
    metrics: tuple[str, ...]
    references: str | None
    threshold: float | None
    score: Scorer

    def __call__(self, output: str, target: Any, row: Row) -> dict[str, float]:
        """The scores of one output, by metric; of several targets any is enough, and one that is no text is its JSON.

        Raises:
            ValueError: the target or the row does not fit the grader; why.
        """
        targets = target if isinstance(target, (list, tuple)) else [target]
        accepted = [*(text if isinstance(text, str) else json.dumps(text) for text in targets), *self._further(row)]
        scores = self.score(output, accepted, row)
        if self.threshold is not None:
            first = self.metrics[0]
            scores[f"{first}_pass"] = float(scores[first] >= self.threshold)
        return checked(scores)

    @property
    def signature(self) -> str | None:
        """The signature that makes the scores reproducible, where the library behind them has one (sacrebleu)."""
        made = {"bleu": similarity.bleu_signature, "chrf_plus_plus": similarity.chrf_signature}.get(self.id)
        return made() if made else None

    def _further(self, row: Row) -> list[str]:
        if self.references is None:
            return []
        if self.references not in row:
            raise ValueError(f"the row has no column {self.references!r} (references); it has {', '.join(row)}")
        given = row[self.references]
        return [str(target) for target in (given if isinstance(given, (list, tuple)) else [given])]


def _best(name: str, score: Callable[[str, str], float]) -> Scorer:
    """The score of the accepted target that is nearest, as SQuAD's script has it."""
    return lambda output, accepted, _row: {name: max(score(output, target) for target in accepted)}


def _normalised(
    ignore_case: bool = True,
    ignore_accents: bool = False,
    ignore_articles: bool = True,
    ignore_punctuation: bool = True,
) -> Normalisation:
    return Normalisation(ignore_case, ignore_accents, ignore_articles, ignore_punctuation)


def _of_words(name: str, score: Callable[[str, str, Normalisation], float], **how: bool) -> Scorer:
    normalisation = _normalised(**how)
    return _best(name, lambda output, target: score(output, target, normalisation))


def _numeric(tolerance: float = 0.0, relative_tolerance: float = 0.0) -> Scorer:
    for name, value in (("tolerance", tolerance), ("relative_tolerance", relative_tolerance)):
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"numeric: {name} must be a finite number from 0 on, it is {value}")

    def score(output: str, accepted: Sequence[str], row: Row) -> dict[str, float]:
        readings = [numbers.numeric(output, target, row, tolerance, relative_tolerance) for target in accepted]
        return max(readings, key=lambda reading: reading["numeric"])

    return score


def _label(labels: Sequence[str] = (), **how: bool) -> Scorer:
    normalisation = _normalised(**how)
    alike = [
        (first, second)
        for number, first in enumerate(labels)
        for second in labels[number + 1 :]
        if overlap.exact_match(first, second, normalisation)
    ]
    if alike:
        raise ValueError(f"label: the labels {alike[0][0]!r} and {alike[0][1]!r} are the same to it; see ignore_case …")
    return lambda output, accepted, _row: classification.label(output, accepted, labels, normalisation)


def _bleu() -> Scorer:
    return lambda output, accepted, _row: {"bleu": similarity.bleu(output, accepted)}


def _chrf() -> Scorer:
    return lambda output, accepted, _row: {"chrf_plus_plus": similarity.chrf_plus_plus(output, accepted)}


def _rouge_l() -> Scorer:
    return _best("rouge_l", similarity.rouge_l)


def _json_valid(allow_fence: bool = True) -> Scorer:
    return lambda output, _accepted, _row: {"json_valid": structure.json_valid(output, allow_fence)}


def _json_schema(schema: Mapping[str, Any], allow_fence: bool = True) -> Scorer:
    follows = structure.schema_check(schema)

    def score(output: str, _accepted: Sequence[str], _row: Row) -> dict[str, float]:
        try:
            value = structure.parsed(output, allow_fence)
        except structure.NoJSON:
            return {"json_schema": 0.0, "json_valid": 0.0}
        return {"json_schema": float(follows(value)), "json_valid": 1.0}

    return score


def _constraint(
    constraint: str,
    kwargs: Mapping[str, Any] | None = None,
    dialect: str | None = None,
    mode: str = "pt",
) -> Scorer:
    from lm_eval_ifeval_pt.constraints.registry import BadKwargs, UnknownConstraint
    from lm_eval_ifeval_pt.ifeval import dialects
    from lm_eval_ifeval_pt.ifeval.checking import DIALECT
    from lm_eval_ifeval_pt.text.reasoning import answer

    try:
        bound = dialects.bind(constraint, kwargs or {}, dialects.get(dialect or DIALECT, mode))
    except (UnknownConstraint, BadKwargs, dialects.DialectError) as error:
        raise ValueError(f"constraint: {error}") from error
    name = _name_of(constraint)
    return lambda output, _accepted, _row: {name: float(bound.verify(answer(output)).followed)}


def _name_of(constraint: str) -> str:
    """A constraint's id as the name of a metric: `ptbr.crase`."""
    return constraint.replace(":", ".")


@dataclass(frozen=True)
class _Builtin:
    make: Callable[..., Scorer]
    metrics: tuple[str, ...]
    needs_target: bool = True

    @property
    def options(self) -> dict[str, inspect.Parameter]:
        """By name; `**how` stands for the options of normalisation."""
        own = dict(inspect.signature(self.make, eval_str=True).parameters)
        is_normalising = own.pop("how", None) is not None
        return own | (dict(inspect.signature(_normalised, eval_str=True).parameters) if is_normalising else {})


_BUILTINS = {
    "exact_match": _Builtin(partial(_of_words, "exact_match", overlap.exact_match), ("exact_match",)),
    "contains": _Builtin(partial(_of_words, "contains", overlap.contains), ("contains",)),
    "token_f1": _Builtin(partial(_of_words, "token_f1", overlap.token_f1), ("token_f1",)),
    "numeric": _Builtin(_numeric, ("numeric", "numeric_unread")),
    "label": _Builtin(_label, ("label_accuracy", "macro_f1", "label_unmatched")),
    "bleu": _Builtin(_bleu, ("bleu",)),
    "chrf_plus_plus": _Builtin(_chrf, ("chrf_plus_plus",)),
    "rouge_l": _Builtin(_rouge_l, ("rouge_l",)),
    "json_valid": _Builtin(_json_valid, ("json_valid",), needs_target=False),
    "json_schema": _Builtin(_json_schema, ("json_schema", "json_valid"), needs_target=False),
    "constraint": _Builtin(_constraint, (), needs_target=False),
}

BUILTINS = tuple(_BUILTINS)
"""The ids."""

TO_100 = frozenset({"bleu", "chrf_plus_plus"})
"""The metrics that run from 0 to 100, as sacrebleu has them; all others run to 1."""

LOWER_IS_BETTER = frozenset({"numeric_unread", "label_unmatched", "std"})
"""The metrics of which less is better."""


OF_THE_WHOLE: Mapping[str, Aggregation] = {
    "macro_f1": classification.macro_f1,
    "bleu": similarity.corpus_bleu,
    "chrf_plus_plus": similarity.corpus_chrf_plus_plus,
}
"""The metrics that are no mean of their samples, and how they are computed."""


def builtin(id: str, **options: Any) -> Grader:
    """The grader of that name.

    Args:
        id: One of `BUILTINS`.
        **options: Those of the grader (docs/metrics.md), and of any: `references`, the column of the row that holds
            further accepted targets, and `threshold`, with which the first metric also has a `<metric>_pass`.

    Raises:
        ValueError: there is no such grader, an option is unknown, lacking or of the wrong type; one sentence.
        ImportError: a package that the grader needs is not installed; which, and how to.
    """
    if id not in _BUILTINS:
        unknown = with_nearest(f"no builtin grader {id!r}", id, BUILTINS)
        raise ValueError(f"{unknown}; there are: {', '.join(BUILTINS)}")
    kind = _BUILTINS[id]
    common: dict[str, Any] = {name: options.pop(name) for name in ("references", "threshold") if name in options}
    _check(id, common, {name: _COMMON[name] for name in common})
    _check(id, options, kind.options)
    score, threshold = kind.make(**options), common.get("threshold")
    metrics = kind.metrics or (_name_of(options["constraint"]),)
    metrics = metrics if threshold is None else (*metrics, f"{metrics[0]}_pass")
    return Grader(id, options | common, metrics, common.get("references"), threshold, score)


def needs_target(id: str) -> bool:
    """Whether the grader compares with a target; the others look at the output alone."""
    return _BUILTINS[id].needs_target


def _common(references: str | None = None, threshold: float | None = None) -> None:
    """The options of every grader."""


_COMMON = dict(inspect.signature(_common, eval_str=True).parameters)


def _check(id: str, options: Mapping[str, Any], known: Mapping[str, inspect.Parameter]) -> None:
    for name, value in options.items():
        if name not in known:
            allowed = (*known, *_COMMON)
            unknown = with_nearest(f"no option {name!r}", name, allowed)
            raise ValueError(f"{id}: {unknown}; there are: {', '.join(allowed)}")
        if not _fits(value, str(known[name].annotation)):
            raise ValueError(f"{id}: {name} must be {_wanted(str(known[name].annotation))}, it is {value!r}")
    for name, parameter in known.items():
        if parameter.default is parameter.empty and name not in options:
            raise ValueError(f"{id}: the option {name!r} is lacking")


def _fits(value: Any, annotation: str) -> bool:
    if value is None:
        return "None" in annotation
    if isinstance(value, bool):
        return "bool" in annotation
    if isinstance(value, (int, float)):
        return "float" in annotation
    if isinstance(value, str):
        return "str" in annotation and "Sequence" not in annotation and "Mapping" not in annotation
    if isinstance(value, Mapping):
        return "Mapping" in annotation
    is_sequence = isinstance(value, (list, tuple)) and all(isinstance(entry, str) for entry in value)
    return is_sequence and "Sequence" in annotation


def _wanted(annotation: str) -> str:
    for part, name in (
        ("Sequence", "a list of strings"),
        ("Mapping", "an object"),
        ("bool", "true or false"),
        ("float", "a number"),
    ):
        if part in annotation:
            return name
    return "a string"


def aggregation(name: str) -> Aggregation:
    """The function that makes one number of the scores of all samples.

    Args:
        name: A metric of a grader ("macro_f1", "bleu", …: those that are no mean have their own way, all others are
            means), or a summary: "mean", "median", "std", "min" or "max".

    Returns:
        A function of the samples' scores, as the grader gave them. The mean is the harness's own, of which it prints
        the standard error.
    """
    special: Mapping[str, Aggregation] = {
        **OF_THE_WHOLE,
        "median": median,
        "std": std,
        "min": least,
        "max": greatest,
    }
    if name in special:
        return special[name]
    from lm_eval.api.metrics import mean

    of_harness: Aggregation = mean
    return of_harness
