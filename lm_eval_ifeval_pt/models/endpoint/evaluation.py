"""One evaluation by the harness, and the files it leaves."""

from __future__ import annotations

import difflib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lm_eval_ifeval_pt.models.conversation import Conversing
from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError
from lm_eval_ifeval_pt.models.endpoint.gate import Tell
from lm_eval_ifeval_pt.models.harness import quiet, save
from lm_eval_ifeval_pt.paths import bundled

if TYPE_CHECKING:
    from lm_eval.tasks import TaskManager

    from lm_eval_ifeval_pt.models.endpoint.model import Endpoint


def evaluate(
    lm: Endpoint,
    task: str,
    output: Path,
    *,
    tell: Tell,
    metadata: dict[str, Any],
    gen_kwargs: dict[str, Any],
    limit: float | None,
    system: str | None,
) -> tuple[dict[str, Any], list[Path]]:
    """Evaluate and write `output` and, in the folder of its name, the harness's sample files.

    Args:
        lm: The model.
        task: A task, group or tag that generates.
        output: The result file, ending in .json. Files of an earlier run are replaced when this one is done.
        tell: What says to a person that something happens.
        metadata: As the harness's --metadata.
        gen_kwargs: As the harness's --gen_kwargs.
        limit: As the harness's --limit.
        system: A system message, if any.

    Returns:
        The harness's result, with `answers` added, and the sample files.

    Raises:
        EndpointError: with the reason, for a person.
        RowsError: the rows of one of our tasks cannot be evaluated.
    """
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker

    manager = _manager(task, metadata, tell)
    temporary = tempfile.TemporaryDirectory(dir=output.parent, prefix=".lm-eval-pt-")
    with quiet(), temporary as folder:
        tracker = EvaluationTracker(output_path=str(Path(folder) / "result.json"))
        results: dict[str, Any] = simple_evaluate(
            model=lm,
            model_args={"model": lm.model, "base_url": lm.base_url.partition("?")[0]},
            tasks=_load(manager, task),
            task_manager=manager,
            evaluation_tracker=tracker,
            apply_chat_template=True,
            system_instruction=system,
            gen_kwargs=gen_kwargs or None,
            limit=limit,
        )
        results["config"]["model"] = tracker.general_config_tracker.model_source = "local-chat-completions"
        results["answers"] = summary(lm)
        if isinstance(lm, Conversing) and lm.conversed:
            results["config"]["conversations"] = "with the model's own earlier answers"
        return results, save(results, tracker, Path(folder), output)


def _manager(task: str, metadata: dict[str, Any], tell: Tell) -> TaskManager:
    """The index of our tasks or, for a task that is not ours, of all."""
    from lm_eval.tasks import TaskManager

    ours = TaskManager(include_path=bundled("tasks"), include_defaults=False, metadata=metadata)
    if task in ours.all_tasks:
        return ours
    tell("all_tasks")
    every = TaskManager(include_path=bundled("tasks"), metadata=metadata)
    if task not in every.all_tasks:
        near = ", ".join(difflib.get_close_matches(task, every.all_tasks, n=3))
        hint = EndpointError("near", names=near) if near else EndpointError("list_tasks")
        raise EndpointError("unknown_task", task=task, near=hint)
    return every


def _load(manager: TaskManager, name: str) -> list[Any]:
    """The task, the group or the tasks of a tag, if a chat endpoint can answer all of them."""
    loaded = manager.load([name])
    for task in loaded["tasks"].values():
        if task.OUTPUT_TYPE != "generate_until":
            raise EndpointError("no_generation", task=task.task_name)
    return [loaded["groups"][name]] if name in loaded["groups"] else list(loaded["tasks"].values())


def summary(lm: Endpoint) -> dict[str, Any]:
    """What a reader of a score must know of the answers; `only_reasoning` ones are among the empty ones."""
    used = lm.used
    return {
        "total": len(used) + len(lm.failed),
        "empty": sum(answer.is_empty for answer in used),
        "only_reasoning": sum(answer.is_empty and bool(answer.reasoning) for answer in used),
        "truncated": sum(answer.is_truncated for answer in used),
        "failed": len(lm.failed),
        "prompt_tokens": sum(answer.prompt_tokens for answer in used),
        "completion_tokens": sum(answer.completion_tokens for answer in used),
        "parameters_left_out": lm.parameters_left_out,
    }
