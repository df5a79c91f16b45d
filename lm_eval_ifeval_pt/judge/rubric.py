"""The rubric: a file of a few lines that says what a judge is asked."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from lm_eval_ifeval_pt.nearest import with_nearest

Mode = Literal["score", "pairwise", "faithfulness"]

PLACEHOLDERS = ("criterio", "escala", "pergunta", "resposta", "resposta_a", "resposta_b", "referencia", "contexto")
"""The names that may stand between braces in a prompt of one's own."""

_NEEDED = {
    "score": ("pergunta", "resposta"),
    "pairwise": ("pergunta", "resposta_a", "resposta_b"),
    "faithfulness": ("contexto", "resposta"),
}


class RubricError(ValueError):
    """A rubric that cannot be used. The message names the file, the key and what is allowed."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers that a judge may give.

    Attributes:
        min: The least.
        max: The greatest.
        labels: What some of them mean, in the words that the judge reads.
    """

    min: float = 1
    max: float = 5
    labels: Mapping[float, str] = field(default_factory=dict)

    def share(self, score: float) -> float:
        """A score on the scale from 0 to 1."""
        return (score - self.min) / (self.max - self.min)


@dataclass(frozen=True, slots=True)
class Rubric:
    """The mode, criteria and scale by which answers are judged.

    Attributes:
        mode: `score`: each answer gets a number on the scale; `pairwise`: two models' answers to one question are
            compared, in both orders; `faithfulness`: the share of an answer's claims that a context supports.
        name: The metric's name in result files: `judge`, or `faithfulness`, if the file names none.
        criteria: What counts, in the words that the judge reads. Faithfulness has its own.
        scale: Of `score`.
        question: The column of the documents that holds the question; by default the prompt as it was sent.
        context: The column that holds the context; faithfulness needs it, the other modes show it where it is named.
        reference: Whether the judge sees the expected answer.
        human: The column with a person's score, if the documents have one (`score`).
        prompt: A prompt of one's own in place of ours, with `PLACEHOLDERS` between braces.
        max_tokens: Of one verdict.
        temperature: Of the judge.
    """

    mode: Mode = "score"
    name: str = "judge"
    criteria: str = ""
    scale: Scale = field(default_factory=Scale)
    question: str | None = None
    context: str | None = None
    reference: bool = False
    human: str | None = None
    prompt: str | None = None
    max_tokens: int = 1024
    temperature: float = 0.0


def read_rubric(path: Path) -> Rubric:
    """The rubric of a YAML or JSON file.

    Raises:
        RubricError: it cannot be read, or says something that is not understood.
    """
    import yaml

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise RubricError(f"{path}: cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(data, dict):
        raise RubricError(f"{path}: a mapping is expected, with criteria and, where wanted, mode, scale, …")
    try:
        return made(data)
    except RubricError as error:
        raise RubricError(f"{path}: {error}") from error


def made(data: Mapping[str, Any]) -> Rubric:
    """The rubric that a mapping describes.

    Raises:
        RubricError: a key is unknown, a value of the wrong type, or something needed is lacking.
    """
    given = dict(data)
    _known("", given, [key.name for key in fields(Rubric)])
    _check(given)
    if "scale" in given:
        given["scale"] = _scale(given["scale"])
    if given.get("mode") == "faithfulness":
        given.setdefault("name", "faithfulness")
    rubric = Rubric(**given)
    if rubric.mode == "faithfulness" and not rubric.context:
        raise RubricError("context: name the column of the documents that holds the context")
    if rubric.mode != "faithfulness" and not rubric.criteria.strip() and rubric.prompt is None:
        raise RubricError('criteria: say what counts, e.g. "A resposta é correta e completa?"')
    if rubric.prompt is not None:
        _check_prompt(rubric.prompt, rubric.mode)
    if rubric.human and rubric.mode != "score":
        raise RubricError(f"human: a column of scores fits the mode score; for {rubric.mode} give a file with --human")
    return rubric


_TYPES: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    **dict.fromkeys(("mode", "name", "criteria", "question", "context", "human", "prompt"), (str, "a text")),
    "reference": (bool, "true or false"),
    "max_tokens": (int, "a whole number"),
    "temperature": ((int, float), "a number"),
}


def _check(given: Mapping[str, Any]) -> None:
    for name, (kind, called) in _TYPES.items():
        value = given.get(name)
        if value is not None and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
            raise RubricError(f"{name}: {called} is expected, it is {value!r}")
    if given.get("mode", "score") not in get_args(Mode):
        raise RubricError(f"mode: one of {', '.join(get_args(Mode))}, it is {given['mode']!r}")
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", given.get("name", "judge")):
        raise RubricError(f"name: letters, digits, '_', '.' and '-', it is {given['name']!r}")
    if given.get("max_tokens", 1) < 1 or not 0 <= given.get("temperature", 0) < math.inf:
        raise RubricError("max_tokens must be 1 or more, temperature 0 or more")


def _scale(given: Any) -> Scale:
    if not isinstance(given, dict):
        raise RubricError(f"scale: {{min: 1, max: 5}} is expected, it is {given!r}")
    _known("scale.", given, [key.name for key in fields(Scale)])
    bounds = given.get("min", 1), given.get("max", 5)
    labels = given.get("labels") or {}
    for value in (*bounds, *(labels if isinstance(labels, dict) else [labels])):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise RubricError(f"scale: numbers are expected, and labels by number ({{1: …, 5: …}}), it has {value!r}")
    low, high = bounds
    if not low < high:
        raise RubricError(f"scale: min must be below max, they are {low} and {high}")
    return Scale(low, high, {value: str(label) for value, label in labels.items()})


def _known(where: str, given: Mapping[str, Any], allowed: list[str]) -> None:
    for name in given:
        if name not in allowed:
            unknown = with_nearest("no such key", str(name), allowed)
            raise RubricError(f"{where}{name}: {unknown}; there are: {', '.join(allowed)}")


def _check_prompt(prompt: str, mode: Mode) -> None:
    used = re.findall(r"\{(\w+)\}", prompt)
    if lacking := [name for name in _NEEDED[mode] if name not in used]:
        raise RubricError(f"prompt: {', '.join(f'{{{name}}}' for name in lacking)} is lacking in it")
    if unknown := [name for name in used if name not in PLACEHOLDERS]:
        allowed = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise RubricError(f"prompt: {{{unknown[0]}}} is no placeholder; there are: {allowed}")
