"""Scores of outputs: extraction, then a grader of this package or of the manifest."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lm_eval_ifeval_pt import grading
from lm_eval_ifeval_pt.benchmarks.sandbox import is_deep
from lm_eval_ifeval_pt.suite import entrypoints, extraction, templates
from lm_eval_ifeval_pt.suite.model import Judge
from lm_eval_ifeval_pt.suite.programs import Programs

Row = Mapping[str, Any]

QUESTIONS = 64
"""What one call of a model-backed grader may ask, where the manifest does not say."""


@dataclass
class OutputSample:
    """An output of a document on its way to its scores.

    Attributes:
        output: As the model gave it.
        doc: `prompt`, `target` and `row`.
        extracted: What was read from the output.
        scores: By metric. Where the grader failed there are none.
        error: Why there are none, or why nothing was extracted; empty where all is well.
        is_unmatched: Whether there was nothing to extract.
    """

    output: str
    doc: Row
    extracted: extraction.Extracted = ""
    scores: dict[str, float] = field(default_factory=dict)
    error: str = ""
    is_unmatched: bool = False

    @property
    def text(self) -> str:
        """The extracted output as text; numbers as Portuguese writes them, whatever they were."""
        if isinstance(self.extracted, (int, float)):
            return repr(self.extracted).replace(".", ",")
        return self.extracted or ""

    @property
    def item(self) -> dict[str, Any]:
        """What a grader gets as `item`: the columns of the row, and `target`."""
        return {**self.doc["row"], "target": self.doc["target"]}

    @property
    def sample(self) -> dict[str, Any]:
        """What a grader gets as `sample`."""
        return {
            "output_text": self.output,
            "extracted_output": self.extracted,
            "output_json": _parsed(self.output),
            "prompt": self.doc["prompt"],
        }


def score(
    samples: Sequence[OutputSample],
    spec: Mapping[str, Any],
    programs: Programs | None = None,
    judge: Judge | None = None,
) -> dict[str, float]:
    """Extract from each sample and grade it. What fails is told in the sample; nothing raises.

    Args:
        samples: Of one task; they get `extracted`, `scores` and `error`.
        spec: output_extraction, grader and metrics.
        programs: How the grader is run, if it is a program.
        judge: What it asks, if it asks a model.

    Returns:
        The scores of all samples together that a batch grader gives; else none.
    """
    extract(samples, spec)
    grader = spec["grader"]
    if grader["type"] == "builtin":
        _by_builtin(samples, grader)
        return {}
    if programs is None:
        raise ValueError("a grader in Python needs a way to run programs")
    if entrypoints.function_of(grader) == "grade_batch":
        return _by_batch(samples, spec, programs, judge)
    _by_sample(samples, spec, programs, judge)
    return {}


FAILED, UNMATCHED = "grader_failed", "extraction_unmatched"
"""The metrics that say how much of the outputs has no score, and of how much nothing was extracted."""


def counts(spec: Mapping[str, Any]) -> list[str]:
    """Which of these a task has: an extraction of `none` always finds something."""
    can_miss = spec.get("output_extraction", {}).get("type", "none") != "none"
    return [FAILED, *([UNMATCHED] if can_miss else [])]


def extract(samples: Sequence[OutputSample], spec: Mapping[str, Any]) -> None:
    """Read from each output what its task extracts; see `score`."""
    extraction_of = extraction.extractor(spec.get("output_extraction"))
    can_miss = UNMATCHED in counts(spec)
    for sample in samples:
        try:
            sample.extracted = extraction_of(sample.output)
        except extraction.TooSlow as error:
            sample.error = f"output_extraction: {error}"
        sample.is_unmatched = can_miss and sample.extracted in ("", None)


def builtin(grader: Mapping[str, Any]) -> grading.Grader:
    """The grader of this package that a manifest names, with its options.

    Raises:
        ValueError: see `grading.builtin`; ImportError too.
    """
    return grading.builtin(grader["id"], **options_of(grader))


def options_of(grader: Mapping[str, Any]) -> dict[str, Any]:
    """What a manifest says of a grader beyond its name and that of its metric."""
    return {name: value for name, value in grader.items() if name not in ("type", "id", "metric_id")}


def _by_builtin(samples: Sequence[OutputSample], grader: Mapping[str, Any]) -> None:
    made = builtin(grader)
    first = made.metrics[0]
    for sample in samples:
        try:
            scores = made(sample.text, sample.doc["target"], sample.doc["row"])
        except ValueError as error:
            sample.error = f"{grader['id']}: {error}"
            continue
        sample.scores = {grader.get("metric_id", name) if name == first else name: scores[name] for name in scores}


def _by_sample(
    samples: Sequence[OutputSample], spec: Mapping[str, Any], programs: Programs, judge: Judge | None
) -> None:
    grader = dict(spec["grader"])
    results = programs.call(
        grader,
        ("grade",),
        "grader",
        [[sample.sample, sample.item] for sample in samples],
        **_asking(grader, judge),
    )
    for sample, result in zip(samples, results, strict=True):
        if result.error:
            sample.error = result.error
            continue
        try:
            sample.scores = scores_of(result.value, spec)
        except ValueError as error:
            sample.error = str(error)


def _by_batch(
    samples: Sequence[OutputSample], spec: Mapping[str, Any], programs: Programs, judge: Judge | None
) -> dict[str, float]:
    grader = dict(spec["grader"])
    given = [{**sample.sample, "item": sample.item, "target": sample.doc["target"]} for sample in samples]
    asking = {**_asking(grader, judge), "processes": 1}
    (result,) = programs.call(grader, ("grade_batch",), "grader", [[given]], **asking)
    error = result.error
    if not error:
        try:
            return scores_of(result.value, spec)
        except ValueError as problem:
            error = str(problem)
    for sample in samples:
        sample.error = error
    return {}


def _asking(grader: Mapping[str, Any], judge: Judge | None) -> dict[str, Any]:
    """What a call may ask."""
    if not entrypoints.asks_model(grader):
        return {"offered": ["ctx"]}
    return {
        "offered": ["ctx"],
        "answer": judge,
        "questions": grader.get("max_model_calls", QUESTIONS),
        "processes": judge.concurrency if judge else 1,
    }


def scores_of(value: Any, spec: Mapping[str, Any]) -> dict[str, float]:
    """The scores in what a grader returned: a number, or `{"scores": {metric: number}}`.

    A single number is the metric that `metric_id` names; without it, the only one of the task, or `score`.

    Raises:
        ValueError: a score is no number, or one that the task names is lacking.
    """
    wanted = [metric["id"] for metric in spec["metrics"]]
    if isinstance(value, (bool, int, float)):
        name = spec["grader"].get("metric_id") or (wanted[0] if len(wanted) == 1 else "score")
        scores: Any = {name: value}
    elif isinstance(value, dict) and isinstance(value.get("scores"), dict):
        scores = value["scores"]
    else:
        shown = templates.as_json(value)[:80]
        raise ValueError(f'the grader returned {shown}; it must return a number or {{"scores": {{metric: number}}}}')
    lacking = [name for name in wanted if name not in scores]
    if lacking:
        raise ValueError(
            f"the grader returned no score {', '.join(lacking)}; it returned {', '.join(scores)[:200] or 'none'}"
        )
    for name in wanted:
        if not _is_finite(scores[name]):
            raise ValueError(f"the grader returned {repr(scores[name])[:80]} as {name}, which is no finite number")
    return {name: float(scores[name]) for name in wanted}


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, (bool, int, float)) and math.isfinite(value)
    except OverflowError:  # an int that no float holds
        return False


def _parsed(output: str) -> Any:
    """An output as JSON, None where it is none, or so deep that it is meant to do harm."""
    if len(output) > 1 << 20 or not output.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        parsed = json.loads(output)
    except (ValueError, RecursionError):
        return None
    return None if is_deep(parsed) else parsed


def summary(samples: Sequence[OutputSample]) -> list[str]:
    """What a person must know of the failures, the most frequent first, each with the first row that has it."""
    kinds = Counter(sample.error for sample in samples if sample.error)
    said = []
    for error, count in kinds.most_common(3):
        first = next(index for index, sample in enumerate(samples, 1) if sample.error == error)
        said.append(f"{count} of {len(samples)} samples have no score, the first is row {first}: {error}")
    if len(kinds) > len(said):
        said.append(f"… and {len(kinds) - len(said)} further reasons; samples hold them as grader_error")
    unmatched = sum(sample.is_unmatched for sample in samples)
    if samples and unmatched == len(samples):
        said.append(
            f"output_extraction found nothing in any of {unmatched} outputs; the first is {samples[0].output[:80]!r}"
        )
    return said
