"""The answered documents of a task as JSON data for the page's script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lm_eval_ifeval_pt.analysis.clusters import clusters
from lm_eval_ifeval_pt.analysis.fields import value_of
from lm_eval_ifeval_pt.analysis.restrictions import rests_on
from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import ConstraintError
from lm_eval_ifeval_pt.contamination.parts import split
from lm_eval_ifeval_pt.report.details import fields_of
from lm_eval_ifeval_pt.results import Identity, Instruction, Item, Run, asked_of, by_identity

Data = dict[str, Any]
_LEAD_IN = 24  # characters of a line like "Resposta correta:"
_SNIPPET = 200  # characters of a question in the list


def block(
    task: str,
    runs: Mapping[str, Run],
    metric: str | None,
    with_text: bool = True,
    seen: Mapping[int, float] = MappingProxyType({}),
) -> Data:
    """The answered documents of one task.

    Args:
        task: The task.
        runs: The run of each model, by label.
        metric: What is right or wrong of documents without verdicts.
        with_text: Whether to hold prompts and answers; verdicts are held in any case, without their sentences.
        seen: How much of each document's question a corpus holds, by its index.

    Returns:
        `{task, models, bases, fields, verified, text, texts, items: [{id, key, prompt, question, sent, base, values,
        target, options, seen, asked: [{id, kind, words}], answers: [answer or null per model]}]}`. `values` are those
        of `fields`. An answer is `{text, score, loose, verdicts: [{strict, loose, spans, repeated, detail,
        loose_detail}], echo, metrics, likelihoods, best, target, options}`: `text` is its place in `texts`, where each
        stands once, the last two are there only where they are not the item's, `best` is the place of the largest
        likelihood where it is not plain, `repeated` where all evidence stands in `echo`, the stretches that are the
        prompt's. Offsets are counted in UTF-16 units, as scripts do. What is not there is left out.
    """
    with_fields = fields_of(runs) if with_text else []
    by_model = {label: by_identity(run.under(run.filters[0])) for label, run in runs.items()}
    firsts: dict[Identity, Item] = {}
    for items in by_model.values():
        firsts = items | firsts
    ordered = sorted(firsts.items(), key=lambda pair: (pair[1].doc_id, pair[0]))
    tasks = clusters([item for _, item in ordered])
    bases = {base: number for number, base in enumerate(dict.fromkeys(tasks))}
    crossed = len(bases) < len(ordered)
    texts: dict[str, int] = {}
    return {
        "task": task,
        "models": list(runs),
        "verified": any(item.instructions for item in firsts.values()),
        "text": with_text,
        "fields": with_fields,
        "bases": [base if with_text else f"{number + 1}" for base, number in bases.items()] if crossed else [],
        "items": [
            {
                "id": item.doc_id,
                "key": str(item.doc.get("key", item.doc_id)),
                "base": bases[base],
                "asked": [_asked(instruction) for instruction in item.instructions],
                **({"values": [value_of(item, field) for field in with_fields]} if with_fields else {}),
                **({"seen": round(seen[item.doc_id], 3)} if item.doc_id in seen else {}),
                **(_texts(item) if with_text else {}),
                "answers": [
                    _answer(items[identity], item, metric, texts if with_text else None) if identity in items else None
                    for items in by_model.values()
                ],
            }
            for (identity, item), base in zip(ordered, tasks, strict=True)
        ],
        "texts": list(texts),
    }


def _texts(item: Item) -> Data:
    prompt = str(item.doc.get("prompt") or item.prompt)
    texts: Data = {"prompt": prompt, "question": _question(item, prompt)}
    if (sent := asked_of(item.prompt)) and sent != prompt:
        texts["sent"] = sent
    if not item.instructions:
        texts["target"] = item.target
    if item.choices:
        texts["options"] = [choice.text for choice in item.choices]
    return texts


def _question(item: Item, prompt: str) -> str:
    """The beginning of a document's question, without examples and lead-ins, for the list of items.

    Where no field is known to hold the question it is the last line of the prompt that is more than a lead-in.
    """
    if item.instructions:
        return " ".join(prompt[:_SNIPPET].split())
    asked = next((text for role, text in split(item.row or item.doc) if role == "question"), "")
    lines = [line for line in prompt.splitlines() if len(line) > _LEAD_IN]
    return " ".join((asked or (lines[-1] if lines else prompt))[:_SNIPPET].split())


def _asked(instruction: Instruction) -> Data:
    try:
        words = registry.get(instruction.id).bind(instruction.kwargs).wording
    except ConstraintError:  # a file of another version
        words = ""
    return {"id": instruction.restriction, "kind": instruction.kind, "words": words}


def _answer(item: Item, first: Item, metric: str | None, texts: dict[str, int] | None) -> Data:
    """An answer.

    Args:
        item: The answered document.
        first: The item whose texts stand for all models.
        metric: What is right or wrong of documents without verdicts.
        texts: The texts of all answers with their numbers, which grows; None to hold none.
    """
    if item.instructions:
        return _verified(item, texts)
    value = item.metrics.get(metric or "")
    answer: Data = {"score": value if isinstance(value, float) else None}
    if metrics := {name: value for name, value in item.metrics.items() if isinstance(value, float) and name != metric}:
        answer["metrics"] = metrics
    if texts is None:
        return answer
    if item.target != first.target:
        answer["target"] = item.target
    if item.choices:
        answer |= _likelihoods([choice.loglikelihood for choice in item.choices])
        if (options := [choice.text for choice in item.choices]) != [choice.text for choice in first.choices]:
            answer["options"] = options
    else:
        answer["text"] = texts.setdefault(item.response, len(texts))
    return answer


def _likelihoods(values: Sequence[float]) -> Data:
    """Log-likelihoods as they are shown, and the place of the largest where so few digits do not tell."""
    shown = [round(value, 2) for value in values]
    best = max(range(len(values)), key=values.__getitem__)
    is_plain = shown.count(max(shown)) == 1
    return {"likelihoods": shown} | ({} if is_plain else {"best": best})


def _verified(item: Item, texts: dict[str, int] | None) -> Data:
    echo = item.doc.get("echo") or []
    answer: Data = {
        "score": float(all(instruction.strict.followed for instruction in item.instructions)),
        "loose": float(all(instruction.loose.followed for instruction in item.instructions)),
        "verdicts": [_verdict(asked, item.response, echo, texts is not None) for asked in item.instructions],
    }
    if texts is not None:
        answer["text"] = texts.setdefault(item.response, len(texts))
        if echo:
            answer["echo"] = _units(echo, item.response)
    return answer


def _verdict(instruction: Instruction, response: str, echo: Sequence[Sequence[int]], with_text: bool) -> Data:
    strict, loose = instruction.strict, instruction.loose
    verdict: Data = {"strict": strict.followed, "loose": loose.followed}
    if rests_on(strict.evidence, echo):
        verdict["repeated"] = True
    if with_text:
        verdict |= {"spans": _units(strict.evidence, response), "detail": strict.detail}
        if loose.followed and not strict.followed:
            verdict["loose_detail"] = loose.detail
    return verdict


def _units(spans: Iterable[Sequence[int]], text: str) -> list[tuple[int, int]]:
    """Spans of a text in UTF-16 units."""
    if text.isascii() or max(text, default="") <= "\uffff":
        return [(start, end) for start, end in spans]
    return [(_unit(text, start), _unit(text, end)) for start, end in spans]


def _unit(text: str, offset: int) -> int:
    return offset + sum(char > "\uffff" for char in text[:offset])
