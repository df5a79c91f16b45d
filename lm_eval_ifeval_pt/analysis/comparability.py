"""Whether two runs asked their models the same."""

from __future__ import annotations

from collections.abc import Mapping

from lm_eval_ifeval_pt.analysis.pairing import Shared
from lm_eval_ifeval_pt.results import Run


def check(a: Run, b: Run, shared: Shared) -> tuple[list[str], list[str]]:
    """Whether two runs asked the same: reasons not to compare them, and remarks.

    Prompts that differ only as the models' chat templates do are no reason.
    """
    reasons, remarks = [], []
    if a.version != b.version:
        reasons.append(f"task versions differ: {a.version or 'unknown'} and {b.version or 'unknown'}")
    for name in ("n-shot", "system_instruction", "fewshot_as_multiturn"):
        if a.settings.get(name) != b.settings.get(name):
            reasons.append(f"{name} differs: {a.settings.get(name)} and {b.settings.get(name)}")
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


def _package(settings: Mapping[str, object]) -> str:
    metadata = settings.get("metadata")
    return str(metadata.get("package", "another version")) if isinstance(metadata, dict) else "another version"
