"""What the task definitions name that `building` makes of a manifest.

A definition holds the manifest's entries as arguments of these; it can be read, changed and kept without the manifest.
"""

from __future__ import annotations

import logging
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.suite import entrypoints, scoring
from lm_eval_ifeval_pt.suite.documents import Documents, documents
from lm_eval_ifeval_pt.suite.errors import SuiteError
from lm_eval_ifeval_pt.suite.model import Judge, headers
from lm_eval_ifeval_pt.suite.programs import Programs, programs
from lm_eval_ifeval_pt.suite.scoring import OutputSample

logger = logging.getLogger(__name__)

NO_JUDGE = (
    "its grader asks a model, and none is named: give --judge-url and --judge-model (or --embedding-model), "
    "or judge: {url: …, model: …} in the definition"
)

FLAGS = {"model": "--judge-model", "embedding_model": "--embedding-model"}
"""The flags of our commands that name a model of the judge."""

Row = dict[str, Any]


def datasets_beside(file: str) -> Callable[..., dict[str, Documents]]:
    """The function that reads the data sets of the definitions in a folder.

    Args:
        file: A file in that folder: its own `__file__`.
    """

    def load_dataset(
        suite: Mapping[str, Any],
        runs: Sequence[str] = (),
        trust_code: bool = False,
        judge: Mapping[str, Any] | None = None,
        **_metadata: Any,
    ) -> dict[str, Documents]:
        """The documents of a task, as the split `test`.

        Args:
            suite: See `documents.documents`.
            runs: What grading will need, which is looked for now, before any answer is paid: `program`, and what
                `entrypoints.asked_models` gives.
            trust_code: Whether programs run in this process.
            judge: As of `Grading`.
            **_metadata: The task's metadata, which the harness passes along.

        Raises:
            SuiteError: they cannot be made, or grading would lack something.
        """
        check_judge(runs, judge)
        runner = programs(trust_code) if "preprocess" in suite or "program" in runs else None
        return {"test": documents(**suite, programs=runner, folder=Path(file).parent)}

    return load_dataset


def check_judge(needs: Sequence[str], judge: Mapping[str, Any] | None) -> None:
    """See that there is a judge if a grader asks one.

    Args:
        needs: What grading needs: `entrypoints.asked_models`.
        judge: As of `Grading`.

    Raises:
        SuiteError: a model is lacking; how it is given.
    """
    given = {name for name in entrypoints.MODELS.values() if judge and judge.get(name)}
    if "judge" in needs and not given:
        raise SuiteError(NO_JUDGE)
    if lacking := [name for name in entrypoints.MODELS.values() if name in needs and name not in given]:
        method = next(method for method, name in entrypoints.MODELS.items() if name == lacking[0])
        flag = FLAGS[lacking[0]]
        raise SuiteError(f"its grader calls ctx.{method}, and no model for it is named: give {flag}")


def prompt(doc: Row) -> str:
    """What is asked. A function, since the harness would read a column's name as a template and its value as code."""
    return str(doc["prompt"])


def target(doc: Row) -> str:
    """What is expected."""
    return str(doc["target"])


class GradedOutput(str):
    """The extracted output of a document, as samples log it, and its scores."""

    samples: Sequence[OutputSample]
    whole: Mapping[str, float]
    unaggregated: Sequence[str]
    counted: Sequence[str]


class Grading:
    """A filter of the harness: extracts from all outputs of a task and grades them.

    Args:
        suite: output_extraction, grader and metrics; see `scoring.score`.
        trust_code: Whether its program runs in this process.
        judge: url, model, embedding_model, answers, concurrency: what a model-backed grader asks.

    Raises:
        SuiteError: the program cannot be run here.
    """

    def __init__(
        self, suite: Mapping[str, Any], trust_code: bool = False, judge: Mapping[str, Any] | None = None
    ) -> None:
        self._suite, self._judge = suite, judge
        self._programs: Programs | None = programs(trust_code) if suite["grader"]["type"] == "python" else None

    def apply(self, resps: Iterable[Sequence[str]], docs: Iterable[Row]) -> list[GradedOutput]:
        """What the outputs of each document come to, which `process_results` reads."""
        pairs = list(zip(resps, docs, strict=True))
        samples = [[OutputSample(output, doc) for output in repeated] for repeated, doc in pairs]
        every = [sample for repeated in samples for sample in repeated]
        judge = asked(self._judge)
        try:
            whole = scoring.score(every, self._suite, self._programs, judge)
        finally:
            if judge is not None:
                judge.close()
                if judge.faults:
                    logger.warning(judge.told())
        for line in scoring.summary(every):
            logger.warning(line)
        unaggregated = [metric["id"] for metric in self._suite["metrics"] if metric["aggregation"] == "none"]
        graded = []
        for index, repeated in enumerate(samples):
            value = GradedOutput(repeated[0].text)
            value.samples, value.whole = repeated, whole if index == 0 else {}
            value.unaggregated, value.counted = unaggregated, scoring.counts(self._suite)
            graded.append(value)
        return graded


def asked(judge: Mapping[str, Any] | None) -> Judge | None:
    """The judge that a definition describes; the key comes from the environment."""
    if judge is None:
        return None
    given = dict(judge)
    answers = given.pop("answers", None)
    return Judge(**given, headers=headers(), answers=Path(answers) if answers else None)


def process_results(doc: Row, results: Sequence[GradedOutput]) -> dict[str, float]:
    """The metrics of one document; of repeated answers, their means.

    What was extracted is added to `doc`, which samples log: `extracted_output`, `grader_error` where there is one, and
    `sample_scores`, the metrics whose aggregation is none.

    Returns:
        The scores of the grader; `grader_failed` and `extraction_unmatched`, the shares of outputs without a score and
        without anything extracted. A batch grader's are the first document's: they belong to all.
    """
    (graded,) = results
    samples = graded.samples
    extracted = [sample.extracted for sample in samples]
    doc["extracted_output"] = extracted[0] if len(extracted) == 1 else extracted
    if errors := [sample.error for sample in samples if sample.error]:
        doc["grader_error"] = errors[0]
    scores = dict(graded.whole)
    for name in dict.fromkeys(name for sample in samples for name in sample.scores):
        values = [sample.scores[name] for sample in samples if name in sample.scores]
        scores[name] = values[0] if len(values) == 1 else statistics.fmean(values)
    if kept := {name: scores.pop(name) for name in graded.unaggregated if name in scores}:
        doc["sample_scores"] = kept
    shares = {
        scoring.FAILED: statistics.fmean(bool(sample.error) for sample in samples),
        scoring.UNMATCHED: statistics.fmean(sample.is_unmatched for sample in samples),
    }
    return scores | {name: shares[name] for name in graded.counted if name not in scores}


def whole(values: Sequence[float]) -> float:
    """The aggregation of a batch grader's metric: it is one number already, of each process that graded."""
    return statistics.fmean(values)
