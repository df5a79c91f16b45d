"""Whether two runs asked their models the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lm_eval_ifeval_pt.analysis import pairing
from lm_eval_ifeval_pt.analysis.pairing import NotComparable, Shared
from lm_eval_ifeval_pt.results import ResultsError, Run


def check(a: Run, b: Run, shared: Shared) -> tuple[list[str], list[str]]:
    """Whether two runs asked the same: reasons not to compare them, and remarks.

    Prompts that differ only as the models' chat templates do are no reason.
    """
    reasons, remarks = [], []
    if a.version != b.version:
        reasons.append(f"task versions differ: {a.version or 'unknown'} and {b.version or 'unknown'}")
    theirs = _prompt_settings(b)
    for name, value in _prompt_settings(a).items():
        if value != theirs[name]:
            reasons.append(f"{name} differs: {value} and {theirs[name]}")
    differ = sum(one.prompt_hash != other.prompt_hash for one, other in shared.items)
    if any(one.doc_hash != other.doc_hash for one, other in shared.items):
        reasons.append("documents differ and are compared by their place")
    elif differ and a.settings.get("chat_template") != b.settings.get("chat_template"):
        remarks.append(f"{differ} prompts differ, as chat templates do")
    elif differ:
        reasons.append(f"{differ} of {len(shared.items)} prompts differ")
    for place, run in enumerate((a, b)):
        if shared.left_out[place]:
            remarks.append(f"{shared.left_out[place]} documents only {'AB'[place]} ({run.model}) has are left out")
    generation = [run.settings.get("generation_kwargs") for run in (a, b)]
    if generation[0] != generation[1]:
        remarks.append(f"generation_kwargs differ: {generation[0]} and {generation[1]}")
    packages = [_package(run.settings) for run in (a, b)]
    if packages[0] != packages[1]:
        remarks.append(f"verdicts of {packages[0]} and {packages[1]}: verifiers may differ")
    return reasons, remarks


def comparable(runs: Mapping[str, Run]) -> tuple[dict[str, Run], dict[str, str]]:
    """The runs that were asked what most of them were, and why each other one cannot be compared with them.

    Args:
        runs: The run of each model on one task, by label.
    """
    asked = {label: _asked(run) for label, run in runs.items()}
    common = Counter(asked.values())
    reference = max(runs, key=lambda label: (common[asked[label]], len(asked[label][0])))
    kept: dict[str, Run] = {}
    reasons: dict[str, str] = {}
    for label, run in runs.items():
        reason = "" if label == reference else _reason(runs[reference], run, asked[reference][0], asked[label][0])
        if reason:
            reasons[label] = reason
        else:
            kept[label] = run
    return kept, reasons


Asked = tuple[frozenset[str], tuple[str, ...]]


def _asked(run: Run) -> Asked:
    """The documents and the settings that change prompts."""
    documents = frozenset(item.doc_hash for item in run.under(run.filters[0]))
    return documents, (run.version, *(str(value) for value in _prompt_settings(run).values()))


def _reason(reference: Run, run: Run, wanted: frozenset[str], documents: frozenset[str]) -> str:
    """Why a run cannot be compared with the reference; empty where it can."""
    if not wanted & documents:
        return "no document is the same"
    if wanted - documents:
        return f"it has {len(wanted & documents)} of the {len(wanted)} documents"
    try:
        reasons, _ = check(reference, run, pairing.share([reference, run]))
    except (NotComparable, ResultsError) as error:
        return str(error)
    return "; ".join(reasons)


def _prompt_settings(run: Run) -> dict[str, object]:
    """The settings that change prompts; how shots are laid out says nothing where there is none."""
    settings = {name: run.settings.get(name) for name in ("n-shot", "system_instruction", "fewshot_as_multiturn")}
    if not settings["n-shot"]:
        settings["fewshot_as_multiturn"] = None
    return settings


def _package(settings: Mapping[str, object]) -> str:
    metadata = settings.get("metadata")
    return str(metadata.get("package", "another version")) if isinstance(metadata, dict) else "another version"
