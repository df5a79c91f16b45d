"""One evaluation by the harness, and the files it leaves."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lm_eval_ifeval_pt.models.conversation import Conversing
from lm_eval_ifeval_pt.models.endpoint import faults
from lm_eval_ifeval_pt.models.endpoint.answers import AT_STOP
from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError
from lm_eval_ifeval_pt.models.endpoint.gate import Tell
from lm_eval_ifeval_pt.models.harness import UnknownTaskError, quiet, save, task_index
from lm_eval_ifeval_pt.nearest import nearest

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
    include_path: Sequence[Path] = (),
    confirm_run_unsafe_code: bool = False,
) -> tuple[dict[str, Any], list[Path]]:
    """Evaluate and write `output` and, in the folder of its name, the harness's sample files.

    Args:
        lm: The model.
        task: A task, group or tag that generates, or the definition of one (`*.yaml`).
        output: The result file, ending in .json. Files of an earlier run are replaced when this one is done.
        tell: What says to a person that something happens.
        metadata: As the harness's --metadata.
        gen_kwargs: As the harness's --gen_kwargs.
        limit: As the harness's --limit.
        system: A system message, if any.
        include_path: Folders of further task definitions.
        confirm_run_unsafe_code: Whether programs that the model wrote may be run.

    Returns:
        The harness's result, with `answers` added, and the sample files.

    Raises:
        EndpointError: with the reason, for a person; what the task raised is its cause.
    """
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker

    manager = _index(task, metadata, include_path, tell)
    tasks = _load(task, manager, confirm_run_unsafe_code)
    temporary = tempfile.TemporaryDirectory(dir=output.parent, prefix=".lm-eval-pt-")
    with quiet(), temporary as folder, _told(task, (ValueError, RuntimeError)):
        tracker = EvaluationTracker(output_path=str(Path(folder) / "result.json"))
        results: dict[str, Any] = simple_evaluate(
            model=lm,
            model_args={"model": lm.model, "base_url": lm.base_url.partition("?")[0]},
            tasks=tasks,
            task_manager=manager,
            evaluation_tracker=tracker,
            apply_chat_template=True,
            system_instruction=system,
            gen_kwargs=gen_kwargs or None,
            limit=limit,
            confirm_run_unsafe_code=confirm_run_unsafe_code,
        )
        results["config"]["model"] = tracker.general_config_tracker.model_source = "local-chat-completions"
        results["answers"] = summary(lm)
        if isinstance(lm, Conversing) and lm.conversed:
            results["config"]["conversations"] = "with the model's own earlier answers"
        return results, save(results, tracker, Path(folder), output)


def _index(task: str, metadata: dict[str, Any], include_path: Sequence[Path], tell: Tell) -> TaskManager:
    """The index that has a task, or the tasks that a definition of a group names."""
    is_definition = task.endswith((".yaml", ".yml"))
    names = [] if is_definition else [task]
    needs_all = is_definition and _is_group(task)
    try:
        return task_index(names, include_path, metadata, lambda: tell("all_tasks"), needs_all)
    except UnknownTaskError as error:
        near = ", ".join(nearest(task, error.known))
        hint = EndpointError("near", names=near) if near else EndpointError("list_tasks")
        raise EndpointError("unknown_task", task=task, near=hint) from None


def _is_group(path: str) -> bool:
    """Whether a definition is that of a group, which may name tasks that are defined elsewhere."""
    from lm_eval.tasks._yaml_loader import load_yaml

    if not Path(path).is_file():
        raise EndpointError("no_definition", path=path)
    with _told(path):
        return "group" in load_yaml(path, resolve_func=False)


def _load(name: str, manager: TaskManager, confirm_run_unsafe_code: bool) -> list[Any]:
    """The task, the group or the tasks of a tag, if a chat endpoint can answer all of them."""
    with quiet(), _told(name):
        loaded = manager.load([name])
    for task in loaded["tasks"].values():
        if task.OUTPUT_TYPE != "generate_until":
            raise EndpointError("no_generation", task=task.task_name)
        if getattr(task, "UNSAFE_CODE", False) and not confirm_run_unsafe_code:
            raise EndpointError("unsafe_code", task=task.task_name)
    # What is asked for is first: a group comes before the groups in it.
    return list(loaded["groups"].values())[:1] or list(loaded["tasks"].values())


@contextlib.contextmanager
def _told(task: str, kinds: tuple[type[Exception], ...] = (Exception,)) -> Iterator[None]:
    """The error that a task raised about its data or its settings, as a sentence for a person.

    Raises:
        EndpointError: in place of what the task raised, if that is of these kinds.
    """
    try:
        yield
    except EndpointError:
        raise
    except kinds as error:
        raise EndpointError("bad_task", task=task, said=faults.sentence(error)) from error


def summary(lm: Endpoint) -> dict[str, Any]:
    """The figures of the answers without which a score misleads; `only_reasoning` ones are among the empty ones."""
    used = lm.used
    return {
        "total": len(used) + len(lm.failed),
        "empty": sum(answer.is_empty for answer in used),
        "only_reasoning": sum(answer.is_thought for answer in used),
        "truncated": sum(answer.is_truncated for answer in used),
        "at_stop": sum(answer.finish_reason == AT_STOP for answer in used),
        "stops": lm.stops,
        "failed": len(lm.failed),
        "prompt_tokens": sum(answer.prompt_tokens for answer in used),
        "completion_tokens": sum(answer.completion_tokens for answer in used),
        "parameters_left_out": lm.parameters_left_out,
    }
