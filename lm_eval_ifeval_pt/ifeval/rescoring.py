"""Verify responses that already exist, through the harness, as if a model gave them now; and what has changed.

The result and sample files are those of a run: the same tables, statistics and comparisons read them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lm_eval_ifeval_pt.constraints.registry import ConstraintError
from lm_eval_ifeval_pt.ifeval import dialects, responses
from lm_eval_ifeval_pt.ifeval.dialects import DialectError
from lm_eval_ifeval_pt.ifeval.responses import Given, ResponsesError
from lm_eval_ifeval_pt.ifeval.rows import read_jsonl
from lm_eval_ifeval_pt.ifeval.sources import SOURCES
from lm_eval_ifeval_pt.models import harness
from lm_eval_ifeval_pt.paths import bundled
from lm_eval_ifeval_pt.text import Text

if TYPE_CHECKING:
    from lm_eval.api.instance import Instance
    from lm_eval.api.task import Task
    from lm_eval.tasks import TaskManager

_CONTEXT = 30  # characters shown on either side of a piece of evidence


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """An instruction whose verdict differs from the one that came with the response.

    Attributes:
        key: The document's key.
        instruction_id: The instruction, as the registry names it.
        level: `strict` or `loose`.
        before: The verdict that came, as `Verdict.as_dict`; without evidence where only the outcome is known.
        after: The verdict now.
        response: The response, for the evidence.
    """

    key: Any
    instruction_id: str
    level: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    response: str


@dataclass(frozen=True, slots=True)
class Rescored:
    """The result of scoring a file of responses.

    Attributes:
        results: The harness's result, without its samples.
        samples: The sample file.
        left: Responses that answer no document of the task.
        unanswered: How many documents no response answers.
        compared: How many instructions came with a verdict.
        changes: Those whose verdict has changed.
    """

    results: dict[str, Any]
    samples: Path
    left: tuple[Given, ...]
    unanswered: int
    compared: int
    changes: tuple[VerdictChange, ...]


def rescore(
    path: Path,
    task_name: str,
    output: Path,
    metadata: Mapping[str, Any] | None = None,
    model: str | None = None,
    stored: responses.How | None = None,
    whole: int | None = None,
) -> Rescored:
    """Verify the responses of a file and write the result and sample files of a run.

    Rows are taken from the file itself where it names all instructions and arguments, unless `metadata` names a
    source; else from the task's source.

    Args:
        path: A file that `responses.read` understands.
        task_name: One of our IFEval tasks.
        output: The result file, ending in .json; the samples go into the folder of its name.
        metadata: As the harness's --metadata: mode, source, ….
        model: Whose responses they are; by default the name of the file.
        stored: As of `responses.read`.
        whole: How many documents the responses are a part of, where that is known. Rows of our own data are counted.

    Raises:
        ResponsesError: the file cannot be scored on this task.
        RowsError: the rows of the task cannot be evaluated.
        DialectError: there is no such dialect or mode.
    """
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker

    given = responses.read(path, stored)
    metadata = dict(metadata or {})
    if all(response.instructions for response in given):
        metadata.setdefault("source", str(path))
    with harness.quiet():
        manager, task = _task(task_name, metadata)
        documents = list(task.eval_docs)
        if not documents or "dialect" not in documents[0]:
            raise ResponsesError(f"{task_name}: no IFEval task of this package")
        joined, left = responses.join(documents, given)
        if not joined:
            raise ResponsesError(f"{path}: none of {len(given)} responses answers a prompt of {task_name}")
        with tempfile.TemporaryDirectory(dir=output.parent, prefix=".lm-eval-pt-") as folder:
            tracker = EvaluationTracker(output_path=str(Path(folder) / "result.json"))
            results: dict[str, Any] = simple_evaluate(
                model=_recorded({documents[index]["key"]: response.response for index, response in joined.items()}),
                model_args={"model": model or path.stem},
                tasks=[task],
                task_manager=manager,  # or the harness reads all its definitions
                samples={task_name: sorted(joined)} if len(joined) < len(documents) else None,
                evaluation_tracker=tracker,
            )
            results["n-samples"][task_name]["original"] = _whole(metadata.get("dataset", task_name), documents, whole)
            results["config"]["model"] = tracker.general_config_tracker.model_source = "recorded"
            results["responses"] = {"file": path.name, "scored": len(joined), "without_document": len(left)}
            scored = {row["doc"]["key"]: row["doc"] for row in results["samples"][task_name]}
            pairs = [(scored[documents[index]["key"]], response) for index, response in sorted(joined.items())]
            (samples,) = harness.save(results, tracker, Path(folder), output)
    return Rescored(
        results=results,
        samples=samples,
        left=tuple(left),
        unanswered=len(documents) - len(joined),
        compared=sum(len(response.stored) for _, response in pairs),
        changes=tuple(change for doc, response in pairs for change in changes(doc, response)),
    )


def _task(name: str, metadata: dict[str, Any]) -> tuple[TaskManager, Task]:
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=bundled("tasks"), include_defaults=False, metadata=metadata)
    if name not in manager.all_subtasks:
        raise ResponsesError(f"{name}: no task of this package")
    return manager, manager.load([name])["tasks"][name]


def _whole(dataset: str, documents: Sequence[Mapping[str, Any]], stated: int | None) -> int:
    """The number of documents of the task that these belong to: as stated, or that of our own data, if they are of it.

    A file that brings its own rows holds no more than were answered.
    """
    known = [len(documents), stated or 0]
    if (source := SOURCES.get(dataset)) is not None and source.bundled is not None:
        rows = list(source.convert(read_jsonl(bundled("data") / source.bundled)))
        if {document["prompt"] for document in documents} <= {row["prompt"] for row in rows}:
            known.append(len(rows))
    return max(known)


def _recorded(said: Mapping[Any, str]) -> Any:
    """A model of the harness that gives recorded responses, by the key of the document."""
    from lm_eval.api.model import LM

    class Recorded(LM):  # type: ignore[misc]  # the harness is untyped
        def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

        def generate_until(self, requests: list[Instance]) -> list[str]:
            return [said[request.doc["key"]] for request in requests]

    return Recorded()


def changes(document: Mapping[str, Any], given: Given) -> Iterator[VerdictChange]:
    """The instructions of a scored document whose verdict differs from the one that came with its response.

    Raises:
        ResponsesError: there are not as many verdicts as instructions.
    """
    verdicts: Sequence[Mapping[str, Any]] = document["verdicts"]
    if given.stored and len(given.stored) != len(verdicts):
        raise ResponsesError(f"{given.where}: {len(given.stored)} verdicts for {len(verdicts)} instructions")
    for at, (stored, now) in enumerate(zip(given.stored, verdicts, strict=False)):
        for level, outcome in (("strict", stored.strict), ("loose", stored.loose)):
            if outcome is not None and outcome != now[level]["followed"]:
                before = stored.verdicts.get(level) or _published(document["dialect"], given, at, outcome)
                yield VerdictChange(document["key"], now["instruction_id"], level, before, now[level], given.response)


def _published(dialect: str, given: Given, at: int, outcome: bool) -> dict[str, Any]:
    """A verdict of which only the outcome is known; explained by the published checker where we have it."""
    bare = {"followed": outcome, "evidence": [], "detail": ""}
    if not given.instructions:
        return bare
    try:
        verdict = dialects.get(dialect, "compat").bind(*given.instructions[at]).verify(Text(given.response))
    except (DialectError, ConstraintError):
        return bare
    return verdict.as_dict() if verdict.followed == outcome else bare


def quoted(response: str, verdict: Mapping[str, Any]) -> list[str]:
    """The evidence of a verdict as it stands in the response, between ⟦ and ⟧, without the middle of long pieces."""
    pieces = []
    for start, end in verdict["evidence"]:
        before, after = response[max(start - _CONTEXT, 0) : start], response[end : end + _CONTEXT]
        pieces.append(f"{before}⟦{_shortened(response[start:end])}⟧{after}")
    return pieces


def _shortened(piece: str) -> str:
    return piece if len(piece) <= 3 * _CONTEXT else f"{piece[:_CONTEXT]} […] {piece[-_CONTEXT:]}"
