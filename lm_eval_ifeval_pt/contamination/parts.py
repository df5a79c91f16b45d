"""What of a task's documents is looked for in a corpus, taken from the harness's own task objects.

A seen passage is not a seen question, so the parts of a document are kept apart. Most tasks name their columns so that
the part is plain; where none is known, the prompt that the task makes is the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from lm_eval.api.task import Task

Role = Literal["question", "context", "options", "answer"]
ROLES: tuple[Role, ...] = get_args(Role)

_QUESTIONS = ("question", "questao", "pergunta", "prompt", "ctx", "goal", "problem", "sentence", "text", "query")
_CONTEXTS = ("flores_passage", "passage", "context", "contexto", "support", "article", "paragraph", "story")
_OPTIONS = ("choices", "endings", "options", "alternatives", "alternativas")
_ANSWERS = ("canonical_solution", "target", "answer", "output", "resposta")
_NUMBERED_OPTION = re.compile(r"(?:mc_answer|solution|option|choice|sol|opa?)_?[0-9a-e]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a document.

    Attributes:
        task: The harness's task.
        doc_id: The document's index in its split, as sample files have it.
        role: What the piece is. Each option is a part of its own, so that their order does not matter.
        text: The piece.
    """

    task: str
    doc_id: int
    role: Role
    text: str


class TasksError(ValueError):
    """Tasks that do not exist or whose data cannot be loaded; the message names them and what to do."""


def load(names: Sequence[str], include: Sequence[str] = (), metadata: Mapping[str, Any] | None = None) -> list[Part]:
    """The parts of all documents of some tasks or groups.

    Args:
        names: Tasks, groups or tags, as `lm_eval --tasks` takes them.
        include: Folders of further task definitions, as `--include_path`.
        metadata: As the harness's `--metadata`.

    Raises:
        TasksError: a task is unknown, its data cannot be loaded, or there is no document.
    """
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=list(include) or None, metadata=dict(metadata or {}))
    unknown = [name for name in names if name not in manager.all_tasks]
    if unknown:
        raise TasksError(f"unknown tasks: {', '.join(unknown)}; `lm_eval ls tasks` lists all, --include-path adds more")
    gathered: dict[str, list[Part]] = {}
    for name in names:
        try:
            tasks: Mapping[str, Task] = manager.load([name])["tasks"]
            for task_name, task in tasks.items():
                gathered.setdefault(task_name, list(parts_of(task_name, task)))
        except Exception as error:  # whatever a definition or a download raises
            reason = " ".join(str(error).split())[:300]
            raise TasksError(
                f"{name}: its documents cannot be loaded ({type(error).__name__}: {reason}). "
                "Leave the task out, or make its data set available first."
            ) from error
    parts = [part for task_parts in gathered.values() for part in task_parts]
    if not parts:
        raise TasksError(f"{', '.join(names)}: no document to look for")
    return parts


def parts_of(name: str, task: Task) -> Iterator[Part]:
    """The parts of each document that a task evaluates."""
    for doc_id, doc in enumerate(task.eval_docs):
        for role, text in split(doc, task):
            if text.strip():
                yield Part(name, doc_id, role, text)


def split(doc: Mapping[str, Any], task: Task | None = None) -> Iterator[tuple[Role, str]]:
    """The parts of one document, by the names of its columns.

    Args:
        doc: The document.
        task: Its task, asked for the prompt where no column is known to hold the question.
    """
    question = next((doc[name] for name in _QUESTIONS if isinstance(doc.get(name), str)), None)
    if question is None and task is not None:
        prompt = task.doc_to_text(doc)
        question = prompt if isinstance(prompt, str) else None
    if question is not None:
        yield "question", question
    context = next((doc[name] for name in _CONTEXTS if isinstance(doc.get(name), str)), None)
    if context is not None and context != question:
        yield "context", context
    for option in _options(doc):
        yield "options", option
    answer = next((doc[name] for name in _ANSWERS if isinstance(doc.get(name), str)), None)
    if answer is not None:
        yield "answer", answer


def _options(doc: Mapping[str, Any]) -> list[str]:
    for name in _OPTIONS:
        value = doc.get(name)
        texts = value.get("text") if isinstance(value, Mapping) else value
        if isinstance(texts, (list, tuple)) and any(isinstance(text, str) and len(text) > 1 for text in texts):
            return [text for text in texts if isinstance(text, str)]
    return [value for name, value in doc.items() if isinstance(value, str) and _NUMBERED_OPTION.fullmatch(name)]
