"""Answers checked outside the harness, one or whole files, with the verdicts that the task gives them.

Rows may be documents of `load_dataset` or rows as data sets have them, also as `datasets` gives them back: arguments
as JSON strings, or all columns of all rows with None in most.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any

from lm_eval_ifeval_pt.constraints.registry import Bound, ConstraintError, Kind
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.ifeval import dialects
from lm_eval_ifeval_pt.ifeval.documents import graded
from lm_eval_ifeval_pt.ifeval.rows import Policy, RowsError, instructions_fault, parsed
from lm_eval_ifeval_pt.ifeval.scoring import Score, score
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.span import Span

if TYPE_CHECKING:
    from concurrent.futures import Future

CHUNK = 64
"""Answers that a process is given at a time."""

_AHEAD = 3  # chunks a process has been given or waits to have read
_KEPT = 4096  # rows whose instructions and arguments need no second look
_END = object()


@dataclass(frozen=True, slots=True)
class InstructionVerdict:
    """One instruction of a row, with the verdicts on it.

    Attributes:
        instruction_id: As the registry names it.
        kind: `active` or `passive`.
        strict: The verdict on the answer as it came.
        loose: The verdict on the answer or one of its loose texts; never stricter than `strict`.
    """

    instruction_id: str
    kind: Kind
    strict: Verdict
    loose: Verdict

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, as sample files keep them."""
        return {
            "instruction_id": self.instruction_id,
            "kind": self.kind,
            "strict": self.strict.as_dict(),
            "loose": self.loose.as_dict(),
        }


@dataclass(frozen=True)
class Checked:
    """An answer with all verdicts on it.

    Attributes:
        verdicts: One per instruction of the row, in its order.
    """

    verdicts: tuple[InstructionVerdict, ...]

    @property
    def strict(self) -> bool:
        """Whether all instructions were followed on the answer as it came: `prompt_level_strict_acc`."""
        return all(verdict.strict.followed for verdict in self.verdicts)

    @property
    def loose(self) -> bool:
        """Whether all instructions were followed strictly or loosely: `prompt_level_loose_acc`."""
        return all(verdict.loose.followed for verdict in self.verdicts)

    def __bool__(self) -> bool:
        return self.strict

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values: strict, loose and the verdicts as sample files keep them."""
        verdicts = [verdict.as_dict() for verdict in self.verdicts]
        return {"strict": self.strict, "loose": self.loose, "verdicts": verdicts}

    def __reduce__(self) -> tuple[Any, ...]:  # plain values cross to another process in a third of the time
        return _unpacked, (
            [
                (verdict.instruction_id, verdict.kind, _plain(verdict.strict), _plain(verdict.loose))
                for verdict in self.verdicts
            ],
        )


def _plain(verdict: Verdict) -> tuple[Any, ...]:
    return verdict.followed, [tuple(span) for span in verdict.evidence], verdict.detail


def _unpacked(verdicts: Iterable[tuple[Any, ...]]) -> Checked:
    def verdict(followed: bool, evidence: list[tuple[int, int]], detail: str) -> Verdict:
        return Verdict(followed, tuple(Span(*span) for span in evidence), detail)

    return Checked(
        tuple(InstructionVerdict(id, kind, verdict(*strict), verdict(*loose)) for id, kind, strict, loose in verdicts)
    )


def of_scores(scores: Iterable[Score]) -> Checked:
    """The verdicts of `scoring.score`, without the verifiers."""
    return Checked(
        tuple(
            InstructionVerdict(scored.instruction.constraint.id, scored.instruction.kind, scored.strict, scored.loose)
            for scored in scores
        )
    )


class Checker:
    """Checks answers to rows of one dialect; arguments that come again are not looked at twice.

    Args:
        dialect: How rows write their instructions; by default as each row says under "dialect", else `capitu`,
            which reads the package's own ids too.
        mode: `pt` or `compat`; by default as each row says under "mode", else `pt`.
        reasoning: `remove` or `keep` what a model thinks before its answer; by default as each row says under
            "reasoning", else `remove`.

    Raises:
        DialectError: there is no such dialect or mode.
    """

    def __init__(self, dialect: str | None = None, mode: str | None = None, reasoning: str | None = None) -> None:
        if dialect is not None:
            dialects.get(dialect, mode or "pt")
        self.dialect, self.mode, self.reasoning = dialect, mode, reasoning
        self._instructions: dict[str, list[Bound]] = {}

    def __reduce__(self) -> tuple[Any, ...]:  # verifiers do not cross to another process
        return Checker, (self.dialect, self.mode, self.reasoning)

    def __call__(self, row: Mapping[str, Any], response: str, where: str = "row") -> Checked:
        """The verdicts on one answer.

        Raises:
            RowsError: the row does not say what it asks for, or the answer is no text.
        """
        instructions = self.instructions(row, where)
        return of_scores(score(self.text(row, response, where), instructions, self.spoken(row, where).variants))

    def spoken(self, row: Mapping[str, Any], where: str = "row") -> dialects.Dialect:
        """The dialect of a row."""
        try:
            return dialects.get(self.dialect or row.get("dialect") or DIALECT, self.mode or row.get("mode") or MODE)
        except dialects.DialectError as error:
            raise RowsError(f"{named(where, row)}: {error}") from error

    def text(self, row: Mapping[str, Any], response: Any, where: str = "row") -> Text:
        """The part of an answer that is graded: without reasoning, unless that is kept."""
        if not isinstance(response, str):
            raise RowsError(f"{named(where, row)}: the answer must be a text, it is {response!r}")
        return graded({"reasoning": self.reasoning or row.get("reasoning")}, response)

    def instructions(self, row: Mapping[str, Any], where: str = "row") -> list[Bound]:
        """The verifiers of a row.

        Raises:
            RowsError: naming the row, what is wrong with it and, for an id, the dialects that know it.
        """
        key = repr((row.get("dialect"), row.get("mode"), row.get("instruction_id_list"), row.get("kwargs")))
        instructions = self._instructions.get(key)
        if instructions is None:
            instructions = self._bound_of(row, where)
            if len(self._instructions) < _KEPT:
                self._instructions[key] = instructions
        return instructions

    def _bound_of(self, row: Mapping[str, Any], where: str) -> list[Bound]:
        spoken, where = self.spoken(row, where), named(where, row)
        missing = [column for column in ("instruction_id_list", "kwargs") if column not in row]
        if missing:
            raise RowsError(f"{where}: missing columns: {', '.join(missing)}; it has: {', '.join(map(str, row))}")
        ids, kwargs = (parsed(row[column], where) for column in ("instruction_id_list", "kwargs"))
        if isinstance(kwargs, dict):
            kwargs = [kwargs]
        if fault := instructions_fault(ids, kwargs):
            raise RowsError(f"{where}: {fault}")
        try:
            return [dialects.bind(id, arguments, spoken) for id, arguments in zip(ids, kwargs, strict=True)]
        except ConstraintError as error:
            raise RowsError(f"{where}: {error}") from error


DIALECT, MODE = "capitu", "pt"


def named(where: str, row: Mapping[str, Any]) -> str:
    """A row for messages: its place and, where it has one, its key."""
    return f"{where} (key {row['key']!r})" if row.get("key") is not None else where


def check_many(
    rows: Iterable[Mapping[str, Any]],
    responses: Iterable[str],
    *,
    dialect: str | None = None,
    mode: str | None = None,
    reasoning: str | None = None,
    workers: int | None = None,
    invalid: Policy = "error",
) -> Iterator[Checked | None]:
    """The verdicts on many answers, in their order, while they are read; see `Checker`.

    Args:
        rows: What was asked, a row per answer; may be an endless stream.
        responses: The answers.
        dialect: As of `Checker`.
        mode: As of `Checker`.
        reasoning: As of `Checker`.
        workers: Processes; by default one per core at hand. With 1, or for a few answers, no further one is started.
        invalid: `error`: the first row that cannot be checked ends all; `skip`: it gets None.

    Raises:
        RowsError: a row cannot be checked, or there are more rows than answers or the other way round.
        DialectError: there is no such dialect or mode.
        ValueError: `workers` or `invalid` is none of the above.
    """
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be 1 or more, they are {workers}")
    if invalid not in ("error", "skip"):
        raise ValueError(f'invalid must be "error" or "skip", it is {invalid!r}')
    checker = Checker(dialect, mode, reasoning)
    return _checked(_paired(rows, responses), checker, workers or _cores(), invalid == "skip")


Pair = tuple[int, Mapping[str, Any], Any]


def _paired(rows: Iterable[Mapping[str, Any]], responses: Iterable[Any]) -> Iterator[Pair]:
    """Rows with their answers, numbered from 1."""
    iterators, number = (iter(rows), iter(responses)), 0
    while True:
        number += 1
        row, response = (next(iterator, _END) for iterator in iterators)
        if row is _END and response is _END:
            return
        if row is _END or response is _END:
            lacking, what = ("row", "rows") if row is _END else ("answer", "answers")
            raise RowsError(f"row {number}: there is no {lacking} for it: only {number - 1} {what} were given")
        if not isinstance(row, Mapping):
            raise RowsError(f"row {number}: an object is expected, it is {row!r}")
        yield number, row, response


def _checked(pairs: Iterator[Pair], checker: Checker, workers: int, skip: bool) -> Iterator[Checked | None]:
    if workers == 1:
        yield from (_check(checker, pair, skip) for pair in pairs)
        return
    first = list(islice(pairs, 2 * CHUNK))
    if len(first) < 2 * CHUNK:
        yield from (_check(checker, pair, skip) for pair in first)
        return
    # Imported for many answers only: it takes as long as verifying some dozens.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Not forked: a process that has threads, as one that trains does, must not be.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start, (checker,))
    waiting: deque[Future[list[Checked | RowsError | None]]] = deque()
    try:
        for chunk in _chunks(first, pairs):
            waiting.append(pool.submit(_check_chunk, chunk, skip))
            if len(waiting) >= _AHEAD * workers:
                yield from _raised(waiting.popleft().result())
        while waiting:
            yield from _raised(waiting.popleft().result())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _raised(results: Iterable[Checked | RowsError | None]) -> Iterator[Checked | None]:
    """The results up to a row that cannot be checked, which raises."""
    for result in results:
        if isinstance(result, RowsError):
            raise result
        yield result


def _chunks(first: list[Pair], pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    for start in range(0, len(first), CHUNK):
        yield first[start : start + CHUNK]
    while chunk := list(islice(pairs, CHUNK)):
        yield chunk


def _check(checker: Checker, pair: Pair, skip: bool) -> Checked | None:
    number, row, response = pair
    try:
        return checker(row, response, f"row {number}")
    except RowsError:
        if skip:
            return None
        raise


_own: list[Checker] = []
"""The checker of a process that `check_many` has started."""


def _start(checker: Checker) -> None:
    _own[:] = [checker]


def _check_chunk(chunk: Sequence[Pair], skip: bool) -> list[Checked | RowsError | None]:
    results: list[Checked | RowsError | None] = []
    for checker, pair in zip(repeat(_own[0]), chunk, strict=False):
        try:
            results.append(_check(checker, pair, skip))
        except RowsError as error:
            return [*results, error]
    return results


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
