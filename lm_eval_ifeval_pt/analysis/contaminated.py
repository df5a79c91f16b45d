"""Scores on items that a corpus holds, beside those on items that it does not: is the difference real?

Seen and clean items are different items, so that a paired test has no meaning here: rates of independent items are
compared by Fisher's exact test with Newcombe's interval, everything else by Welch's t test, which respects clusters
where there are some. A difference alone does not prove that a model remembers: seen items may be easier. For two models
of which one cannot have seen the corpus, the difference of the differences takes that out.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from lm_eval_ifeval_pt.analysis import pairing
from lm_eval_ifeval_pt.analysis.clusters import population
from lm_eval_ifeval_pt.analysis.pairing import Shared
from lm_eval_ifeval_pt.contamination.findings import Findings
from lm_eval_ifeval_pt.contamination.parts import Role, split
from lm_eval_ifeval_pt.results import Item, ResultsError, Run
from lm_eval_ifeval_pt.statistics import Estimate, Interval, mean_score, wilson

THRESHOLDS = (0.2, 0.3, 0.5, 0.8, 1.0)
"""Shares of an item's words from which it may be called seen; `sweep` shows what each would mean."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of seen items less that of clean ones.

    Attributes:
        value: The difference; NaN where a side has no item.
        interval: Its 95 % interval; NaN where nothing is known of the spread.
        p_value: Two-sided, of "no difference"; NaN likewise.
        test: The test: `Fisher`, `Welch` or `Welch, clustered`.
    """

    value: float
    interval: Interval
    p_value: float
    test: str


@dataclass(frozen=True, slots=True)
class SplitScore:
    """One model on one task, or two models' difference on it, by whether the corpus holds the items.

    Attributes:
        task: The task.
        model: The model, or "A - B".
        metric: The metric.
        threshold: The share from which an item counts as seen.
        all: The mean over all items of which it is known whether they were seen.
        clean: That over items which were not.
        seen: That over items which were.
        difference: Seen less clean.
        unknown: Items that were not looked for, in no mean.
        population: What other ones the interval of the difference speaks of (`clusters.population`).
    """

    task: str
    model: str
    metric: str
    threshold: float
    all: Estimate | None
    clean: Estimate | None
    seen: Estimate | None
    difference: Difference
    unknown: int
    population: str


@dataclass(frozen=True, slots=True)
class SeenCounts:
    """How much of a task a corpus holds.

    Attributes:
        task: The task.
        documents: Its documents.
        sought: Those of which the part was long enough to be looked for.
        at: Those of which the corpus holds at least that share, by threshold.
    """

    task: str
    documents: int
    sought: int
    at: Mapping[float, int]


def seen_counts(
    findings: Findings, task: str, role: Role = "question", thresholds: Sequence[float] = THRESHOLDS
) -> SeenCounts:
    """How many documents of a task the corpus holds, at several thresholds."""
    shares = findings.shares(task, role).values()
    documents = len({part.doc_id for part in findings.parts if part.task == task})
    return SeenCounts(
        task, documents, len(shares), {level: sum(share >= level for share in shares) for level in thresholds}
    )


def split_score(
    runs: Sequence[Run],
    findings: Findings,
    threshold: float,
    role: Role = "question",
    metric: str | None = None,
    labels: Sequence[str] = (),
) -> SplitScore:
    """The scores of one run, or the difference of two on the same items, on seen and on clean items.

    Args:
        runs: One or two runs of one task.
        findings: Of a scan that looked for the documents of this task.
        threshold: The share from which an item counts as seen.
        role: The part of a document that decides.
        metric: As of `pairing.metric_of`.
        labels: What the models are called.

    Raises:
        ResultsError: the scan did not look for this task, or for other documents of this name.
        NotComparable: the two runs share no document.
    """
    task = runs[0].task
    shares = findings.shares(task, role)
    if not shares:
        sought = ", ".join(findings.tasks)
        raise ResultsError(f"{task}: the scan did not look for the {role} of its documents; its tasks: {sought}")
    shared = pairing.share(list(runs), metric)
    check_documents([row[0] for row in shared.items], findings, task, role)
    names = labels or [run.model for run in runs]
    values = shared.scores[0]
    if len(runs) == 2:
        values = tuple(of_a - of_b for of_a, of_b in zip(*shared.scores, strict=True))
    return _split(shared, values, shares, threshold, task, " - ".join(names))


def _split(
    shared: Shared, values: Sequence[float], shares: Mapping[int, float], threshold: float, task: str, model: str
) -> SplitScore:
    sides: tuple[list[tuple[float, Hashable]], list[tuple[float, Hashable]]] = [], []
    unknown = 0
    for value, unit, cluster in zip(values, shared.unit_of, shared.base_task, strict=True):
        share = shares.get(shared.items[unit][0].doc_id)
        if share is None:
            unknown += 1
        else:
            sides[share >= threshold].append((value, cluster))
    clean, seen = sides
    return SplitScore(
        task=task,
        model=model,
        metric=shared.metric,
        threshold=threshold,
        all=_mean([*clean, *seen]),
        clean=_mean(clean),
        seen=_mean(seen),
        difference=difference(seen, clean),
        unknown=unknown,
        population=population([row[0] for row in shared.items]),
    )


def _mean(side: Sequence[tuple[float, Hashable]]) -> Estimate | None:
    return mean_score([value for value, _ in side], [cluster for _, cluster in side]) if side else None


def difference(seen: Sequence[tuple[float, Hashable]], clean: Sequence[tuple[float, Hashable]]) -> Difference:
    """The mean of one set of items less that of another.

    Args:
        seen: Values with their clusters.
        clean: The other set.

    Source: Newcombe 1998, Statistics in Medicine 17:873, method 10; Welch 1947, Biometrika 34:28.
    """
    unknown = Interval(math.nan, math.nan)
    if not seen or not clean:
        return Difference(math.nan, unknown, math.nan, "")
    independent = all(len({cluster for _, cluster in side}) == len(side) for side in (seen, clean))
    if independent and all(value in (0, 1) for value, _ in (*seen, *clean)):
        return _of_rates([value for value, _ in seen], [value for value, _ in clean])
    first, second = _mean(seen), _mean(clean)
    assert first is not None
    assert second is not None
    value = first.value - second.value
    variance = first.stderr**2 + second.stderr**2
    name = "Welch" if independent else "Welch, clustered"
    if not variance > 0:  # one item, one cluster, or no spread at all: nothing to test by
        return Difference(value, unknown, math.nan, name)
    df = variance**2 / sum(side.stderr**4 / side.df for side in (first, second) if side.stderr)
    from scipy.special import stdtr, stdtrit

    stderr = math.sqrt(variance)
    margin = stderr * float(stdtrit(df, 0.975))
    p_value = 2 * float(stdtr(df, -abs(value) / stderr))
    return Difference(value, Interval(value - margin, value + margin), p_value, name)


def _of_rates(seen: Sequence[float], clean: Sequence[float]) -> Difference:
    from scipy.stats import fisher_exact

    (hits, n), (other_hits, m) = (int(sum(seen)), len(seen)), (int(sum(clean)), len(clean))
    rate, other = hits / n, other_hits / m
    low, high = wilson(hits, n)
    other_low, other_high = wilson(other_hits, m)
    value = rate - other
    interval = Interval(
        value - math.hypot(rate - low, other_high - other), value + math.hypot(high - rate, other - other_low)
    )
    p_value = float(fisher_exact([[hits, n - hits], [other_hits, m - other_hits]])[1])
    return Difference(value, interval, p_value, "Fisher")


def sweep(
    run: Run, findings: Findings, role: Role = "question", thresholds: Sequence[float] = THRESHOLDS
) -> list[SplitScore]:
    """The split scores of one run at several thresholds; raises what `split_score` does."""
    return [split_score([run], findings, threshold, role) for threshold in thresholds]


def check_documents(items: Sequence[Item], findings: Findings, task: str, role: Role) -> None:
    """Make sure that the documents of a run are those that were looked for, by their text.

    Raises:
        ResultsError: naming the first document that is another one.
    """
    known = {(part.doc_id, part.text_hash) for part in findings.parts if part.task == task and part.role == role}
    for item in items:
        texts = [text for name, text in split(item.doc) if name == role]
        hashes = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        if hashes and not any((item.doc_id, digest) in known for digest in hashes):
            raise ResultsError(
                f"{task}: document {item.doc_id} of the run is not the one that the scan looked for; "
                "scan again with the same source of rows (--metadata)"
            )
