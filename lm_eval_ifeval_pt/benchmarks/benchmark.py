"""What a benchmark is: rows of a data set, and one or more ways of asking them, each of which is a task of the harness.

A module of this package holds one `Benchmark` and names the functions of its tasks. `make definitions` writes the
task definitions (YAML) from it; the harness reads those, and they name the functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from lm_eval_ifeval_pt.benchmarks.docs import PlainRows, Row, derive
from lm_eval_ifeval_pt.npm.formula import normalised

if TYPE_CHECKING:
    from datasets import Dataset
    from jinja2 import Template

TUCANO2 = "Tucano 2 (arXiv:2603.03543), table G.19"
DRAWN_BUT_FOR_ITSELF = (
    "The draws of the published protocol, but for the evaluated row itself, which that protocol can show with its "
    "answer."
)


class Rows(NamedTuple):
    """Where the rows of a benchmark are.

    Attributes:
        path: The id of the data set on the Hub.
        licence: Its licence, as far as it is known.
        name: Its configuration, where it has several.
        test: The split that is scored.
        validation: Its validation split, where the definition says so.
        training: Its training split, where the definition says so.
    """

    path: str
    licence: str
    name: str | None = None
    test: str = "test"
    validation: str | None = None
    training: str | None = None


class Shots(NamedTuple):
    """The examples before a question.

    Attributes:
        number: How many.
        split: The split that they are taken from.
        sampler: `first_n`, or a class of the module `shots`; without it the harness draws.
        samples: What returns fixed examples, in place of a split.
        about: How they differ from those of the published protocol.
    """

    number: int
    split: str | None = None
    sampler: str | None = None
    samples: Callable[[], list[Row]] | None = None
    about: str | None = None


class Metric(NamedTuple):
    """A metric of the documents, as the harness's `metric_list` has it."""

    name: str
    aggregation: str | Callable[[Sequence[float]], float] = "mean"
    higher_is_better: bool = True


@dataclass(frozen=True, eq=False)
class Format:
    """A way of asking the rows.

    Attributes:
        task: The name of the task.
        prompt: The question, a Jinja template over the columns of a row.
        columns: Makes of a row the further columns of its document, as what is right; None where there is no key.
        score: Makes the metrics of a document and what the model answered, as the harness's `process_results`.
        metrics: What `score` gives.
        metric: The one among them that NPM is made of.
        output_type: The harness's kind of requests.
        target: The column with the right answer, which shots end with.
        form: `cf` or `mcf`, where it is the cloze or the multiple-choice format.
        shots: The examples, where they are not those of the benchmark.
        scored: Picks the documents that are scored; without it all are.
        pool: Picks the documents that shots come from, in order; without it all are.
        source: What the format follows; without it: the benchmark's source, or that the format is our own.
        fits: Whether a prompt that is too long for the model loses shots, rather than its beginning.
        settings: Further entries of the definition, as the harness calls them.
    """

    task: str
    prompt: str
    columns: Callable[[Row], Row | None]
    score: Callable[[Row, Any], dict[str, float]]
    metrics: tuple[Metric, ...]
    metric: str
    output_type: str
    target: str = "gold"
    form: Literal["cf", "mcf"] | None = None
    shots: Shots | None = None
    scored: Callable[[Sequence[Row]], list[Row]] | None = None
    pool: Callable[[Sequence[Row]], list[Row]] | None = None
    source: str | None = None
    fits: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Rows, and the ways of asking them.

    Attributes:
        rows: The data set.
        chance: What guessing scores on it, as a share: NPM is 0 there. Of all formats, since they share the rows.
        shots: The examples before a question.
        formats: The ways of asking. The first one is the benchmark's own; its task gives the benchmark its name.
        source: The publication that the first format follows.
        suite: The half of the Tucano 2 suite that counts the first format; None where neither does. The formats `cf`
            and `mcf` of a benchmark of the suite are members of `tucano2_suite_cf` and `tucano2_suite_mcf`.
    """

    rows: Rows
    chance: float
    shots: Shots
    formats: tuple[Format, ...]
    source: str
    suite: Literal["easy", "hard"] | None = None

    @property
    def name(self) -> str:
        """The name of the first format's task."""
        return self.formats[0].task

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """One task for each format, in order."""
        return tuple(Task(self, form) for form in self.formats)


@dataclass(frozen=True, eq=False)
class Task:
    """A benchmark in one format: the functions that its definition names."""

    benchmark: Benchmark
    form: Format
    _docs: WeakKeyDictionary[Dataset, PlainRows] = field(default_factory=WeakKeyDictionary, repr=False)

    def __deepcopy__(self, memo: dict[int, Any]) -> Task:
        """Itself: the harness copies the definitions that it prints, and would copy all documents with them."""
        return self

    def docs(self, rows: Dataset) -> PlainRows:
        """The documents that are scored (`process_docs`): rows with `query` and the columns of the format.

        The harness asks for them whenever it wants their number, one of them, or all; they are made once a data set.

        Raises:
            ValueError: no row can be scored.
        """
        docs = self._derived(rows)
        return PlainRows(self.form.scored(docs)) if self.form.scored else docs

    def pool(self, rows: Dataset) -> PlainRows:
        """The documents that shots are taken from (`process_docs` of `fewshot_config`)."""
        docs = self._derived(rows)
        return PlainRows(self.form.pool(docs)) if self.form.pool else docs

    def _derived(self, rows: Dataset) -> PlainRows:
        if rows not in self._docs:
            self._docs[rows] = derive(rows, self.columns)
        return self._docs[rows]

    def columns(self, row: Row) -> Row | None:
        """The fields that the document of a row has beyond its columns; None where it has no valid key."""
        further = self.form.columns(row)
        return None if further is None else {"query": template(self.form.prompt).render(row), **further}

    def process_results(self, doc: Row, results: Any) -> dict[str, float]:
        """The metrics of one answered document, with `npm`."""
        scores = self.form.score(doc, results)
        return {**scores, "npm": normalised(scores[self.form.metric], self.benchmark.chance)}


@lru_cache(maxsize=64)
def template(source: str) -> Template:
    """A template as the harness renders it, but compiled once: the harness compiles it anew for every document."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters["regex_replace"] = lambda text, pattern, by: re.sub(pattern, by, text)
    return environment.from_string(source)
