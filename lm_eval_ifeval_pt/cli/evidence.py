"""One document as two models answered it, with what decided."""

from __future__ import annotations

from rich.text import Text as Styled

from lm_eval_ifeval_pt.analysis.comparison import Comparison, Pair
from lm_eval_ifeval_pt.analysis.restrictions import is_repeated
from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.results import Instruction, Item


def shown(compared: Comparison, name: str, pair: Pair, plain: bool) -> Styled:
    """One document with both answers and, where there are verdicts that changed, both pieces of evidence."""
    prompt = str(pair.a.doc.get("prompt") or pair.a.prompt)
    text = Styled(f"{name}: {compared.a.task} document {pair.a.doc_id}\n", style="bold")
    text.append(f"    {_line(prompt)}\n", style="not bold dim")
    changed = [
        (of_a, of_b)
        for of_a, of_b in zip(pair.a.instructions, pair.b.instructions, strict=False)
        if of_a.strict.followed != of_b.strict.followed
    ]
    if not changed:
        for letter, item, score in (("A", pair.a, pair.a_score), ("B", pair.b, pair.b_score)):
            text.append(f"  {letter} {score:g}  {_answer(item)}\n", style="not bold")
        text.append(f"    expected: {_line(pair.a.target)}\n", style="not bold dim")
    for of_a, of_b in changed:
        text.append(f"    {of_a.restriction}\n", style="not bold")
        for letter, item, verdict in (("A", pair.a, of_a), ("B", pair.b, of_b)):
            text.append_text(_evidence(letter, item, verdict, plain))
    return text


def _evidence(letter: str, item: Item, instruction: Instruction, plain: bool) -> Styled:
    verdict = instruction.strict
    text = printing.marked(item.response, verdict.evidence, plain, keep=120)
    text = Styled("\n      ").join(line for line in text.split("\n") if line.plain.strip())
    mark = "✓" if verdict.followed else "✗"
    echo = " (the answer repeats it from the prompt)" if is_repeated(item, instruction) else ""
    return Styled.assemble((f"  {letter} {mark} {verdict.detail}{echo}\n      ", "not bold"), text, "\n")


def _answer(item: Item) -> str:
    if item.choices:
        best = max(item.choices, key=lambda choice: choice.loglikelihood)
        return f"{_line(best.text)} (log-likelihood {best.loglikelihood:.2f})"
    return _line(item.answer or item.response)


def _line(text: str, longest: int = 200) -> str:
    """The end of a text in one line: that is where a few-shot prompt asks."""
    line = " ".join(printing.visible(text).split())
    return line if len(line) <= longest else f"… {line[-longest:]}"
