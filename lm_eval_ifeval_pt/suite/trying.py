"""What a manifest comes to before a run: prompts rendered, extraction and grader tried on sample outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lm_eval_ifeval_pt.suite import scoring
from lm_eval_ifeval_pt.suite.documents import Documents, documents
from lm_eval_ifeval_pt.suite.manifest import ManifestTask
from lm_eval_ifeval_pt.suite.programs import Programs, programs
from lm_eval_ifeval_pt.suite.scoring import OutputSample


@dataclass(frozen=True)
class Trial:
    """A task, tried.

    Attributes:
        docs: All documents.
        samples: Sample outputs of the first documents, extracted and, unless that asks a model, graded.
        whole: What a batch grader made of them.
        unusable: Rows whose target does not fit the grader, and why; they would have no score.
    """

    docs: Documents
    samples: Sequence[OutputSample]
    whole: dict[str, float]
    unusable: Sequence[tuple[int, str]]


def attempt(task: ManifestTask, trust_code: bool = False, shown: int = 2, outputs: Sequence[str] = ()) -> Trial:
    """Try a task.

    Args:
        task: Of a manifest.
        trust_code: Whether its programs run in this process.
        shown: How many documents get sample outputs.
        outputs: Sample outputs; by default the target alone, the target in a sentence, and nothing.

    Raises:
        SuiteError: data, templates, shots or preprocessing are not as they must be.
    """
    runner = programs(trust_code) if task.has_program else None
    docs = documents(**task.documents, programs=runner, folder=task.folder)
    samples = [
        OutputSample(output, doc)
        for doc in docs[:shown]
        for output in (outputs or (doc["target"], f"A resposta é: {doc['target']}.", ""))
    ]
    whole: dict[str, float] = {}
    if task.asks_judge:
        scoring.extract(samples, task.scoring)
    else:
        whole = scoring.score(samples, task.scoring, runner)
    return Trial(docs, samples, whole, _unusable(task, docs, runner))


def _unusable(task: ManifestTask, docs: Documents, runner: Programs | None) -> list[tuple[int, str]]:
    """The rows that a grader of this package refuses whatever the output is."""
    if task.scoring["grader"]["type"] != "builtin":
        return []
    samples = [OutputSample("", doc) for doc in docs]
    scoring.score(samples, task.scoring, runner)
    return [(number, sample.error) for number, sample in enumerate(samples, 1) if sample.error]
