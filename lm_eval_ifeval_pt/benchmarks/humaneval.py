"""HumanEval: Python functions, written from their docstrings and judged by running them (see `sandbox`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial

import regex

from lm_eval_ifeval_pt.benchmarks import sandbox
from lm_eval_ifeval_pt.benchmarks.docs import Row, derive
from lm_eval_ifeval_pt.npm.baselines import BASELINES
from lm_eval_ifeval_pt.npm.formula import normalised
from lm_eval_ifeval_pt.text.reasoning import answer_start

# A line that opens or closes a block of code: also in a list's item or a quotation, and with tildes.
_FENCE = regex.compile(r"(?P<indent>[ \t]*+(?:>[ \t]?)*+)(?P<mark>`{3,}+|~{3,}+)(?P<rest>[^`\n]*+)")
_CODE_INDENT = 4
"""As many blanks beyond those of the block make a closing fence a line of the code (CommonMark)."""
_CONTINUATION_END = regex.compile(r"```|^[ \t]*+~~~", regex.M)
_INDENTED = regex.compile(r"(?:[ \t]*+\n)*+(?: {2}|\t)")
# Where a continuation of the function ends: the published stop strings.
_END = regex.compile(r"\n(?:class|def|#|if|print)")


def complete(row: Row) -> Row:
    """The prompt as it is, for models that continue it."""
    return {"query": row["prompt"]}


def instruct(row: Row) -> Row:
    """The prompt with an instruction around it, and the beginning of the answer."""
    prompt = row["prompt"]
    return {
        "query": "Escreva uma solução para o problema a seguir e certifique-se de que ela passe nos testes:\n"
        f"```python\n{prompt}\n```\n",
        "prefix": f"Aqui está a função completa:\n```python\n{prompt}\n",
    }


docs_complete = partial(derive, columns=complete)
docs = partial(derive, columns=instruct)


def continued(doc: Row, response: str) -> str:
    """The program of a response that continues the prompt: up to where something new begins."""
    end = _END.search(response)
    return str(doc["prompt"] + response[: end.start() if end else None])


def answered(doc: Row, response: str) -> str:
    """The program of a response to the instruction.

    Either the response goes on where the given beginning ends, up to the fence; or it states the function anew, in a
    block of code or without one, which is then run after what the prompt has before the function.
    """
    response = response[answer_start(response) :].replace("\r\n", "\n")
    defines = regex.compile(rf"^(?:async )?def {regex.escape(doc['entry_point'])}\b", regex.M)
    end = _CONTINUATION_END.search(response)
    continuation = response[: end.start() if end else None]
    if not _INDENTED.match(continuation):
        blocks = (block for block in fenced(response) if defines.search(block))
        anew = next(blocks, continuation if defines.search(continuation) else None)
        if anew is not None:
            own = defines.search(doc["prompt"])
            return f"{doc['prompt'][: own.start()] if own else ''}\n{anew}"
    return continued(doc, continuation)


def fenced(text: str) -> Iterator[str]:
    """The blocks of code between fences, without the blanks that the first fence has before it."""
    opened: regex.Match[str] | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if opened is None:
            if fence and fence.end() == len(line):
                opened, lines = fence, []
            continue
        own = len(opened["indent"])
        closes = fence and fence["mark"].startswith(opened["mark"]) and not fence["rest"].strip()
        if closes and fence and len(fence["indent"]) < own + _CODE_INDENT:
            yield "".join(lines)
            opened = None
            continue
        blank = next((i for i, sign in enumerate(line[:own]) if sign not in " \t>"), own)
        lines.append(line[blank:] + "\n")
    if opened is not None:
        yield "".join(lines)


def _run(
    responses: Iterable[Sequence[str]], docs: Iterable[Row], program_of: Callable[[Row, str], str]
) -> list[list[Row]]:
    programs = [
        [
            sandbox.Program(program_of(doc, response), doc["entry_point"], doc["test"], doc["prompt"])
            for response in repeated
        ]
        for repeated, doc in zip(responses, docs, strict=True)
    ]
    different = list(dict.fromkeys(program for repeated in programs for program in repeated))
    # The harness gets here only with --confirm_run_unsafe_code: the definitions say `unsafe_code`.
    outcomes = dict(zip(different, sandbox.judge_all(different, sandbox.find(weak=True)), strict=True))
    return [[asdict(outcomes[program]) for program in repeated] for repeated in programs]


run_continued = partial(_run, program_of=continued)
"""A filter of the harness: what running each response of each document says."""
run_answered = partial(_run, program_of=answered)


def pass_at_k(n: int, passed: int, k: int) -> float:
    """The chance that one of `k` of `n` samples passes, drawn without replacement; unbiased (Chen et al. 2021, eq. 1).

    Raises:
        ValueError: there are fewer than `k` samples.
    """
    if k > n:
        raise ValueError(f"pass@{k} needs {k} samples a problem (`repeats`), there are {n}")
    return 1.0 - math.comb(n - passed, k) / math.comb(n, k)


def scorer(*sizes: int) -> Callable[[Row, Sequence[Sequence[Row]]], dict[str, float]]:
    """The `process_results` that gives `pass@k` for these `k`, and the `npm` of the first."""
    baseline = BASELINES["humaneval_pt"]

    def process_results(doc: Row, results: Sequence[Sequence[Row]]) -> dict[str, float]:
        (outcomes,) = results
        passed = sum(outcome["passed"] for outcome in outcomes)
        scores = {f"pass@{k}": pass_at_k(len(outcomes), passed, k) for k in sizes}
        return {**scores, "npm": normalised(scores[f"pass@{sizes[0]}"], baseline.random, baseline.max)}

    return process_results


process_results = scorer(1)
process_results_64 = scorer(1, 2, 8, 16, 32, 64)
