"""Prompts with verifiable instructions to train on, which are not those of a benchmark."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import regex

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.conflicts import related
from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.ifeval.rows import RowsError, read_jsonl
from lm_eval_ifeval_pt.paths import bundled
from lm_eval_ifeval_pt.training.requests import ALONE, REQUESTS, InstructionKind

OVERLAP = 8
"""Words in a row that no prompt shares with a benchmark."""

MOST = 4
"""Instructions of one prompt."""

_HOW_MANY = (1, 1, 1, 2, 2, 2, 3, 3, 4)
_TRIES = 50

# How a task and what is asked of the answer are put together.
_FRAMES = ("{task} {asked}",) * 4 + (
    "{task}\n\n{asked}",
    "{task}\n\nRegras:\n{listed}",
    "{task} Siga estas regras:\n{listed}",
    "Tarefa: {task}\n{listed}",
)

Grams = frozenset[tuple[str, ...]]

_WORD = regex.compile(r"\w++")


class PromptsError(ValueError):
    """No prompts can be made of what was given. The message says what to do."""


@dataclass(frozen=True, slots=True)
class WordedInstruction:
    """An instruction of a prompt: its verifier, and how it is put."""

    bound: Bound
    claims: frozenset[str]
    wording: str


def grams(text: str) -> Iterator[tuple[str, ...]]:
    """Each `OVERLAP` words in a row of a text, in lower case."""
    words = _WORD.findall(text.lower())
    return zip(*(words[start:] for start in range(OVERLAP)), strict=False)


def grams_of(texts: Iterable[str]) -> Grams:
    """Each `OVERLAP` words in a row of some texts."""
    return frozenset(gram for text in texts for gram in grams(text))


@cache
def base_tasks() -> tuple[str, ...]:
    """The bundled requests, which ask nothing that code could verify."""
    lines = (bundled("data") / "training" / "base_tasks.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def read_tasks(path: Path) -> list[str]:
    """The base tasks of a .jsonl file: the texts under "prompt".

    Raises:
        RowsError: the file cannot be read, or a row has no text there.
    """
    tasks = []
    for number, row in enumerate(read_jsonl(path), 1):
        task = row.get("prompt")
        if not isinstance(task, str) or not task.strip():
            raise RowsError(f'{path}, row {number}: a text is expected under "prompt"; it has: {", ".join(row)}')
        tasks.append(task.strip())
    if not tasks:
        raise RowsError(f"{path}: no row in it")
    return tasks


def allowed(tasks: Sequence[str], excluded: Grams) -> list[str]:
    """The tasks that share no `OVERLAP` words in a row with a benchmark, each once."""
    return [task for task in dict.fromkeys(tasks) if not _shares(task, excluded)]


def prompts(
    count: int,
    seed: int = 0,
    tasks: Sequence[str] | None = None,
    excluded: Grams = frozenset(),
    ids: Collection[str] | None = None,
    most: int = MOST,
) -> Iterator[dict[str, Any]]:
    """Rows to train on, with the columns of google/IFEval; the same arguments give the same rows.

    Instructions of a row do not exclude each other, and no prompt comes twice.

    Args:
        count: How many.
        seed: Decides what is drawn.
        tasks: What is asked for beside the instructions; by default the bundled tasks.
        excluded: What prompts must not share with benchmarks (`grams_of` their prompts).
        ids: The instructions to ask for; by default all that `REQUESTS` has.
        most: How many instructions one prompt has at most.

    Raises:
        PromptsError: there is nothing to draw from, or not enough.
    """
    usable = allowed(base_tasks() if tasks is None else tasks, excluded)
    requests = _requests(ids)
    if not usable:
        raise PromptsError(f"every base task shares {OVERLAP} words in a row with a benchmark that is excluded")
    if not 1 <= most <= MOST:
        raise PromptsError(f"a prompt has 1 to {MOST} instructions, not {most}")
    return _prompts(count, Random(seed), usable, requests, excluded, most)


def _requests(ids: Collection[str] | None) -> list[InstructionKind]:
    known = {request.id: request for request in REQUESTS}
    if unknown := [id for id in ids or () if id not in known]:
        raise PromptsError(f"no training prompts ask for {', '.join(unknown)}; they ask for: {', '.join(known)}")
    return [known[id] for id in dict.fromkeys(ids)] if ids else list(REQUESTS)


def _prompts(
    count: int, rng: Random, tasks: Sequence[str], requests: Sequence[InstructionKind], excluded: Grams, most: int
) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for key in range(count):
        for _ in range(_TRIES):
            task = rng.choice(tasks)
            asked = _drawn(rng, task, requests, min(rng.choice(_HOW_MANY), most))
            prompt = _put(rng, task, asked)
            if prompt not in seen and not _shares(prompt, excluded):
                break
        else:
            raise PromptsError(
                f"no further prompt was drawn in {_TRIES} tries after {key} of {count}: name more instructions or tasks"
            )
        seen.add(prompt)
        yield {
            "key": key,
            "prompt": prompt,
            "instruction_id_list": [instruction.bound.constraint.id for instruction in asked],
            "kwargs": [dict(instruction.bound.kwargs) for instruction in asked],
        }


def _drawn(rng: Random, task: str, requests: Sequence[InstructionKind], count: int) -> list[WordedInstruction]:
    """Some requests that go together; as many as wanted, or as there are."""
    asked: list[WordedInstruction] = []
    for request in rng.sample(requests, len(requests)):
        if len(asked) == count:
            break
        claimed = any(not request.claims.isdisjoint(earlier.claims) for earlier in asked)
        if claimed or (asked and ALONE in request.claims):
            continue
        drawn = request.draw(rng, task)
        bound = registry.get(request.id).bind(drawn.kwargs)
        if not any(excludes(bound, earlier.bound) for earlier in asked):
            asked.append(WordedInstruction(bound, request.claims, request.put(rng, drawn)))
        if ALONE in request.claims:
            break
    return asked


def excludes(instruction: Bound, other: Bound) -> bool:
    """Whether two instructions cannot both be followed, or one says what the other says: by their ids and words."""
    return related(instruction, other) or _forbids(instruction, other) or _forbids(other, instruction)


_FORBIDDEN = {"keywords:forbidden_words": "forbidden_words", "br:sem_palavra_proibida_inicio": "word"}


def _forbids(instruction: Bound, other: Bound) -> bool:
    """Whether words that one forbids are among those that the other has in its arguments."""
    words = instruction.kwargs.get(_FORBIDDEN.get(instruction.constraint.id, ""), ())
    forbidden = {word.lower() for word in ([words] if isinstance(words, str) else words)}
    return any(word in forbidden for value in other.kwargs.values() for word in _words_of(value))


def _words_of(value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [word for text in texts for word in _WORD.findall(text.lower())]


def _put(rng: Random, task: str, asked: Sequence[WordedInstruction]) -> str:
    wordings = [instruction.wording for instruction in asked]
    frame = rng.choice(_FRAMES)
    return frame.format(
        task=task,
        asked=" ".join(wordings),
        listed="\n".join(f"- {wording}" for wording in wordings),
    )


def _shares(text: str, excluded: Grams) -> bool:
    return bool(excluded) and not excluded.isdisjoint(grams(text))


def texts_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The prompts of a benchmark's rows."""
    return (row["prompt"] for row in rows if isinstance(row.get("prompt"), str))
