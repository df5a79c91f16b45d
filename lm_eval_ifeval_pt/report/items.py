"""The answered documents of a task as JSON data for the page's script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_ifeval_pt.analysis.clusters import clusters
from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import ConstraintError
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.contamination.parts import split
from lm_eval_ifeval_pt.results import Identity, Instruction, Item, Run, by_identity
from lm_eval_ifeval_pt.text.span import Span

Data = dict[str, Any]
_LEAD_IN = 24  # characters of a line like "Resposta correta:"
_SNIPPET = 200  # characters of a question in the list


def block(task: str, runs: Mapping[str, Run], metric: str | None, with_text: bool = True) -> Data:
    """The answered documents of one task.

    Args:
        task: The task.
        runs: The run of each model, by label.
        metric: What is right or wrong of documents without verdicts.
        with_text: Whether to hold prompts and answers; verdicts are held in any case, without their sentences.

    Returns:
        `{task, models, bases, verified, text, items: [{id, key, prompt, sent, base, asked: [{id, kind, words}],
        answers: [answer or null per model]}]}`, where an answer is `{text, score, loose, verdicts: [{strict, loose,
        spans, detail, loose_detail}], metrics, choices, target}`, offsets counted in UTF-16 units as scripts do.
    """
    by_model = {label: by_identity(run.under(run.filters[0])) for label, run in runs.items()}
    firsts: dict[Identity, Item] = {}
    for items in by_model.values():
        firsts = items | firsts
    ordered = sorted(firsts.items(), key=lambda pair: (pair[1].doc_id, pair[0]))
    tasks = clusters([item for _, item in ordered])
    bases = {base: number for number, base in enumerate(dict.fromkeys(tasks))}
    crossed = len(bases) < len(ordered)
    return {
        "task": task,
        "models": list(runs),
        "verified": any(item.instructions for item in firsts.values()),
        "text": with_text,
        "bases": [base if with_text else f"{number + 1}" for base, number in bases.items()] if crossed else [],
        "items": [
            {
                "id": item.doc_id,
                "key": str(item.doc.get("key", item.doc_id)),
                "base": bases[base],
                "asked": [_asked(instruction) for instruction in item.instructions],
                **(_texts(item) if with_text else {}),
                "answers": [
                    _answer(items[identity], metric, with_text) if identity in items else None
                    for items in by_model.values()
                ],
            }
            for (identity, item), base in zip(ordered, tasks, strict=True)
        ],
    }


def _texts(item: Item) -> Data:
    prompt = str(item.doc.get("prompt") or item.prompt)
    sent = {"sent": item.prompt} if item.prompt and item.prompt != prompt else {}
    return {"prompt": prompt, "question": _question(item, prompt)} | sent


def _question(item: Item, prompt: str) -> str:
    """The beginning of a document's question, without examples and lead-ins, for the list of items.

    Where no field is known to hold the question it is the last line of the prompt that is more than a lead-in.
    """
    if item.instructions:
        return " ".join(prompt[:_SNIPPET].split())
    asked = next((text for role, text in split(item.doc) if role == "question"), "")
    lines = [line for line in prompt.splitlines() if len(line) > _LEAD_IN]
    return " ".join((asked or (lines[-1] if lines else prompt))[:_SNIPPET].split())


def _asked(instruction: Instruction) -> Data:
    try:
        words = registry.get(instruction.id).bind(instruction.kwargs).wording
    except ConstraintError:  # a file of another version
        words = ""
    return {"id": instruction.restriction, "kind": instruction.kind, "words": words}


def _answer(item: Item, metric: str | None, with_text: bool) -> Data:
    instructions = item.instructions
    answer: Data = {"verdicts": [_verdict(instruction, item.response, with_text) for instruction in instructions]}
    if instructions:
        answer["score"] = float(all(instruction.strict.followed for instruction in instructions))
        answer["loose"] = float(all(instruction.loose.followed for instruction in instructions))
    else:
        value = item.metrics.get(metric or "")
        answer["score"] = value if isinstance(value, float) else None
        answer["metrics"] = {name: value for name, value in item.metrics.items() if isinstance(value, float)}
    if with_text:
        answer["text"] = item.response
        if not instructions:
            answer["target"] = item.target
            answer["choices"] = [[choice.text, choice.loglikelihood] for choice in item.choices]
    return answer


def _verdict(instruction: Instruction, response: str, with_text: bool) -> Data:
    strict, loose = instruction.strict, instruction.loose
    verdict: Data = {"strict": strict.followed, "loose": loose.followed}
    if with_text:
        verdict |= {"spans": _spans(strict, response), "detail": strict.detail}
        if loose.followed and not strict.followed:
            verdict["loose_detail"] = loose.detail
    return verdict


def _spans(verdict: Verdict, response: str) -> Sequence[tuple[int, int]]:
    if response.isascii() or max(response, default="") <= "\uffff":
        return [(start, end) for start, end in verdict.evidence]
    return [(_units(response, span.start), _units(response, span.end)) for span in map(Span._make, verdict.evidence)]


def _units(text: str, offset: int) -> int:
    """An offset in UTF-16 units."""
    return offset + sum(char > "\uffff" for char in text[:offset])
