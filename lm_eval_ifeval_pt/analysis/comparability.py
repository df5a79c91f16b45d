"""Whether two runs asked their models the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from lm_eval_ifeval_pt.analysis import pairing
from lm_eval_ifeval_pt.analysis.pairing import NotComparable, Shared
from lm_eval_ifeval_pt.results import ResultsError, Run


def check(a: Run, b: Run, shared: Shared) -> tuple[list[str], list[str]]:
    """Whether two runs asked the same: reasons not to compare them, and remarks.

    Chat templates, and prompts that differ only as these do, are no reason: they are the models' own.
    """
    reasons: list[str] = []
    remarks: list[str] = []
    for name in differing(a, b):
        (remarks if name == _TEMPLATE else reasons).append(
            f"{name} differs: {a.protocol[name]} and {b.protocol[name]}"
        )
    differ = sum(a_item.prompt_hash != b_item.prompt_hash for a_item, b_item in shared.items)
    if any(a_item.doc_hash != b_item.doc_hash for a_item, b_item in shared.items):
        reasons.append("documents differ and are compared by their place")
    elif differ and a.settings.get("chat_template") != b.settings.get("chat_template"):
        remarks.append(f"{differ} prompts differ, as chat templates do")
    elif differ:
        reasons.append(f"{differ} of {len(shared.items)} prompts differ")
    for letter, run, count in zip("AB", (a, b), shared.left_out, strict=True):
        if count:
            remarks.append(f"{count} documents only {letter} ({run.model}) has are left out")
    packages = [_package(run.settings) for run in (a, b)]
    if packages[0] != packages[1]:
        remarks.append(f"verdicts of {packages[0]} and {packages[1]}: verifiers may differ")
    return reasons, remarks


_TEMPLATE = "chat template"


def differing(a: Run, b: Run) -> list[str]:
    """The settings that both files state and that differ."""
    return [name for name, value in a.protocol.items() if b.protocol.get(name, value) != value]


def comparable(runs: Mapping[str, Run]) -> tuple[dict[str, Run], dict[str, str]]:
    """The runs that were asked what most of them were, and why each other one cannot be compared with them.

    Runs on whole tasks come before those on parts, however many these are.

    Args:
        runs: The run of each model on one task, by label.
    """
    asked = {label: _asked(run) for label, run in runs.items()}
    common = Counter(asked.values())
    reference = max(runs, key=lambda label: (not runs[label].part, common[asked[label]], len(asked[label][0])))
    kept: dict[str, Run] = {}
    reasons: dict[str, str] = {}
    pairs = _all_pairs(runs, reference)
    for label, run in runs.items():
        reason = ""
        if label != reference:
            reason = _reason(runs[reference], run, asked[reference][0], asked[label][0], pairs.get(label))
        if reason:
            reasons[label] = reason
        else:
            kept[label] = run
    return kept, reasons


Asked = tuple[frozenset[str], tuple[tuple[str, str], ...]]


def _asked(run: Run) -> Asked:
    """The documents and the protocol, but for the chat template."""
    documents = frozenset(item.doc_hash for item in run.under(run.filters[0]))
    return documents, tuple(pair for pair in run.protocol.items() if pair[0] != _TEMPLATE)


def _all_pairs(runs: Mapping[str, Run], reference: str) -> dict[str, Shared]:
    """What each run shares with the reference, where all have all documents; empty where they have not.

    To put all of them together once takes less than each pair by itself.
    """
    try:
        together = pairing.share(list(runs.values()))
    except (NotComparable, ResultsError):
        return {}
    if any(len(run.under(together.filter)) != len(together.items) for run in runs.values()):
        return {}
    first = list(runs).index(reference)
    return {
        label: replace(together, items=tuple((row[first], row[number]) for row in together.items), left_out=(0, 0))
        for number, label in enumerate(runs)
    }


def _reason(
    reference: Run, run: Run, wanted: frozenset[str], documents: frozenset[str], shared: Shared | None
) -> str:
    """Why a run cannot be compared with the reference; empty where it can."""
    if not wanted & documents:
        return "no document is the same"
    if wanted - documents:
        return f"it has {len(wanted & documents)} of the {len(wanted)} documents"
    try:
        reasons, _ = check(reference, run, shared or pairing.share([reference, run]))
    except (NotComparable, ResultsError) as error:
        return str(error)
    return "; ".join(reasons)


def _package(settings: Mapping[str, object]) -> str:
    metadata = settings.get("metadata")
    return str(metadata.get("package", "another version")) if isinstance(metadata, dict) else "another version"
