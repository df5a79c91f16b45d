"""The documents of a task: rows prepared, shots chosen, prompts and targets rendered. All of it before a run."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_ifeval_pt.suite import data, entrypoints, templates
from lm_eval_ifeval_pt.suite.errors import SuiteError
from lm_eval_ifeval_pt.suite.programs import Programs

Row = dict[str, Any]


class Documents(Sequence[Any]):
    """Documents as the harness takes a split. A copy is given out, since the harness logs what scoring adds to it.

    Rows keep the types that their file gives them, which a column of a data set could not.
    """

    def __init__(self, docs: Sequence[Row]) -> None:
        self._docs = docs

    def __len__(self) -> int:
        """How many there are."""
        return len(self._docs)

    def __getitem__(self, index: Any) -> Any:
        """One document, or a part of them."""
        return Documents(self._docs[index]) if isinstance(index, slice) else copy.deepcopy(self._docs[index])

    def __iter__(self) -> Iterator[Row]:
        """All documents."""
        return map(copy.deepcopy, self._docs)

    @property
    def features(self) -> dict[str, str]:
        """The columns."""
        return dict.fromkeys(self._docs[0], "")


class Prepared(NamedTuple):
    """A row after preprocessing, and the number of the row that it comes from."""

    row: Row
    origin: int


def documents(
    dataset: Mapping[str, Any],
    prompt_template: str,
    target_template: str,
    programs: Programs | None,
    folder: Path,
    choices: Sequence[Any] | None = None,
    fewshot: Mapping[str, Any] | None = None,
    preprocess: Mapping[str, Any] | None = None,
) -> Documents:
    """The documents of a task, in the order of the rows.

    Args:
        dataset: As `data.rows` takes it; `fewshot.dataset` likewise.
        prompt_template: Of what is asked.
        target_template: Of what is expected; may be empty.
        programs: How `preprocess` is run, if there is any.
        folder: Where files are looked for.
        choices: Those of the task.
        fewshot: count, dataset, prompt_template, target_template, example_template, separator, strategy, seed.
        preprocess: A program that prepares rows, those of shots too.

    Returns:
        Documents of `prompt` (shots included), `target`, `row` and, where the task has them, `choices`.

    Raises:
        SuiteError: rows cannot be read or prepared, a template does not fit them, or shots are lacking.
    """
    prepared = _prepared(dataset, preprocess, programs, folder)
    rows = [document.row for document in prepared]
    _check(rows, prompt_template, "prompt_template", choices)
    if target_template:
        _check(rows, target_template, "target_template", choices)
    pool: Sequence[Prepared] = ()
    is_own = False
    if fewshot:
        other = fewshot.get("dataset")
        is_own = other is None or _same(other, dataset)
        pool = prepared if other is None else _prepared(other, preprocess, programs, folder)
        for key in ("prompt_template", "target_template"):
            _check([document.row for document in pool], fewshot[key], f"fewshot.{key}", choices)
    docs = []
    for index, document in enumerate(prepared):
        prompt = templates.render(prompt_template, document.row, choices)
        if fewshot:
            chosen = _chosen(pool, document.origin if is_own else None, index, fewshot)
            parts = [*(example(shot, fewshot, choices) for shot in chosen), prompt]
            prompt = fewshot["separator"].join(parts)
        target = templates.render(target_template, document.row, choices)
        docs.append({"prompt": prompt, "target": target, "row": document.row})
    return Documents(docs)


def _chosen(pool: Sequence[Prepared], origin: int | None, index: int, fewshot: Mapping[str, Any]) -> list[Row]:
    """The rows that stand solved before a prompt.

    Those of `random` depend on the seed and on which document it is, not on how many are run; they are drawn by
    Python's `random.Random`, whose draws do not change between versions.

    Args:
        pool: Where they come from.
        origin: The row that is asked, if it is one of the pool: whatever was made of it is left out.
        index: Which document it is.
        fewshot: count, strategy and seed.

    Raises:
        SuiteError: there are not enough of them.
    """
    count = fewshot["count"]
    if fewshot["strategy"] == "random":
        order: Iterator[int] = _drawn(len(pool), f"{fewshot['seed']}:{index}")
    else:
        order = iter(range(len(pool)))
    others = (pool[position].row for position in order if pool[position].origin != origin)
    chosen = list(islice(others, count))
    if len(chosen) < count:
        raise SuiteError(f"fewshot: {count} examples are asked for, there are {len(chosen)} other rows")
    return chosen


def _drawn(size: int, seed: str) -> Iterator[int]:
    """The numbers below `size` in random order, as many as are asked for."""
    draw = random.Random(seed).random
    moved: dict[int, int] = {}
    for done in range(size):  # the shuffle of Fisher and Yates, of which only what moves is kept
        drawn = done + int(draw() * (size - done))
        yield moved.get(drawn, drawn)
        moved[drawn] = moved.get(done, done)


def example(row: Row, fewshot: Mapping[str, Any], choices: Sequence[Any] | None) -> str:
    """A solved example."""
    parts = {
        "prompt": templates.render(fewshot["prompt_template"], row, choices),
        "target": templates.render(fewshot["target_template"], row, choices),
    }
    return templates.render(fewshot["example_template"], parts)


def _same(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two data sets are the same rows, of which one may have more."""
    limit = {"max_rows"}
    return {key: first[key] for key in first.keys() - limit} == {key: second[key] for key in second.keys() - limit}


def _prepared(
    dataset: Mapping[str, Any], preprocess: Mapping[str, Any] | None, programs: Programs | None, folder: Path
) -> list[Prepared]:
    read = data.rows(dataset, folder)
    if preprocess is None:
        return [Prepared(row, origin) for origin, row in enumerate(read)]
    if programs is None:
        raise SuiteError("preprocess needs a way to run programs")
    contract = preprocess["contract"]
    names = entrypoints.PREPROCESSORS[contract]
    arguments = [[row] for row in read] if contract == "row" else [[read]]
    prepared: list[Prepared] = []
    for origin, result in enumerate(programs.call(dict(preprocess), names, "preprocess", arguments)):
        where = f"preprocess, row {origin + 1}" if contract == "row" else "preprocess"
        if result.error:
            raise SuiteError(f"{where}: {result.error}")
        for row in _returned(result.value, contract, where):
            prepared.append(Prepared(row, origin if contract == "row" else len(prepared)))
    if not prepared:
        raise SuiteError(f"preprocess leaves none of the {len(read)} rows")
    return prepared


def _returned(value: Any, contract: str, where: str) -> list[Row]:
    """The rows that a preprocessor returned: an object, a list of them, or nothing."""
    if value is None and contract == "row":
        return []
    rows = [value] if isinstance(value, dict) else value
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        shown = templates.as_json(value)[:80]
        raise SuiteError(f"{where}: returned {shown}; it may return an object, a list of objects or, of a row, None")
    return rows


def _check(rows: Sequence[Row], template: str, key: str, choices: Sequence[Any] | None) -> None:
    """See that a template fits some rows.

    Raises:
        SuiteError: a column is in no row, or all that is rendered is empty.
    """
    for field in templates.fields(template):
        if all(templates.is_missing(field, row, choices) for row in rows):
            what = "the task has no choices" if field in ("choices", "choice_list") else f"no row has {field!r}"
            raise SuiteError(f"{key}: {what}; there are the columns {', '.join(data.columns_of(rows))}")
    if not any(templates.render(template, row, choices).strip() for row in rows):
        raise SuiteError(f"{key} renders as an empty text for all {len(rows)} rows")
