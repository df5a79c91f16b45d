"""The functions of a manifest's programs: what they are named, and which of them ask a model."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

PREPROCESSORS = {"row": ("transform_row", "transform", "process_doc"), "batch": ("transform_batch", "process_docs")}
"""By contract, the names of which the first that a program defines is called."""

GRADERS = {
    "sample": ("grade",),
    "batch": ("grade_batch",),
    "model_backed": ("grade", "grade_batch"),
    "aggregate": ("grade_batch",),
}
"""By contract; `aggregate` is that of a model-backed grader which sees all samples."""


MODELS = {"responses_create": "model", "embeddings_create": "embedding_model"}
"""The methods of `ctx`, and the entry of a run's judge that answers each."""


def defined(source: str, names: Sequence[str]) -> str:
    """The first of some names that a program defines. The program is read, not run.

    Raises:
        ValueError: it defines none.
        SyntaxError: it is no Python.
    """
    try:
        module = ast.parse(source)
    except (ValueError, RecursionError, MemoryError) as error:  # a zero byte, too many brackets
        raise ValueError(f"is no Python program: {error or type(error).__name__}") from error
    known = set(_names(module.body))
    for name in names:
        if name in known:
            return name
    raise ValueError(f"defines no function {' or '.join(names)}; it has {', '.join(sorted(known)) or 'no names'}")


def function_of(grader: Mapping[str, Any]) -> str:
    """The function of a Python grader: `grade` or `grade_batch`."""
    if grader.get("execution") == "aggregate":
        return "grade_batch"
    if grader.get("execution") == "per_sample":
        return "grade"
    return defined(grader["source"], GRADERS[grader.get("contract", "sample")])


def asks_model(grader: Mapping[str, Any]) -> bool:
    """Whether a grader gets `ctx`, with which it can ask a model."""
    return grader["type"] == "python" and (
        grader.get("contract") == "model_backed" or grader.get("model_access") == "mka1"
    )


def asked_models(grader: Mapping[str, Any]) -> list[str]:
    """What a run needs for a grader that asks models: `judge`, and each entry of `MODELS` whose method it names."""
    if not asks_model(grader):
        return []
    return ["judge", *(model for method, model in MODELS.items() if method in grader["source"])]


def _names(body: Sequence[ast.stmt]) -> Iterator[str]:
    """What the statements of a module give names to."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
        elif isinstance(statement, (ast.If, ast.Try, ast.With)):
            yield from _names(statement.body)
            yield from _names(getattr(statement, "orelse", ()))
