"""HumanEval: Python functions, written from their docstrings and judged by running them (see `sandbox`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import regex

from lm_eval_ifeval_pt.benchmarks import sandbox
from lm_eval_ifeval_pt.benchmarks.benchmark import Benchmark, Format, Metric, Rows, Shots
from lm_eval_ifeval_pt.benchmarks.docs import Row
from lm_eval_ifeval_pt.text.reasoning import answer_start

# A line that opens or closes a block of code: also in a list's item or a quotation, and with tildes.
_FENCE = regex.compile(r"(?P<indent>[ \t]*+(?:>[ \t]?)*+)(?P<mark>`{3,}+|~{3,}+)(?P<rest>[^`\n]*+)")
_CODE_INDENT = 4
"""A closing fence that is indented by this many blanks more than its block is a line of the code (CommonMark)."""
_CONTINUATION_END = regex.compile(r"```|^[ \t]*+~~~", regex.M)
_INDENTED = regex.compile(r"(?:[ \t]*+\n)*+(?: {2}|\t)")
# Where a continuation of the function ends: the published stop strings.
_END = regex.compile(r"\n(?:class|def|#|if|print)")


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
            sandbox.ProgramUnderTest(program_of(doc, response), doc["entry_point"], doc["test"], doc["prompt"])
            for response in repeated
        ]
        for repeated, doc in zip(responses, docs, strict=True)
    ]
    different = list(dict.fromkeys(program for repeated in programs for program in repeated))
    # The harness gets here only with --confirm_run_unsafe_code: the definitions say `unsafe_code`.
    outcomes = dict(zip(different, sandbox.judge_all(different, sandbox.find(weak=True)), strict=True))
    return [[asdict(outcomes[program]) for program in repeated] for repeated in programs]


run_continued = partial(_run, program_of=continued)
"""A filter of the harness: runs each response of each document and gives the outcomes."""
run_answered = partial(_run, program_of=answered)


def _score(doc: Row, results: Sequence[Sequence[Row]], sizes: Sequence[int]) -> dict[str, float]:
    """`pass@k` for these `k`."""
    from lm_eval_ifeval_pt.statistics.agreement import pass_at_k

    (outcomes,) = results
    most = max(sizes)
    if len(outcomes) < most:
        raise ValueError(f"pass@{most} needs {most} samples a problem (`repeats`), there are {len(outcomes)}")
    passed = sum(outcome["passed"] for outcome in outcomes)
    return {f"pass@{k}": pass_at_k(len(outcomes), passed, k) for k in sizes}


# The tasks

_INSTRUCTION = """\
Escreva uma solução para o problema a seguir e certifique-se de que ela passe nos testes:
```python
{{prompt}}
```
"""
_OWN_TRANSLATION = (
    "Tucano 2 (arXiv:2603.03543), section G.4.4, whose Portuguese instruction is not published; this is our "
    "translation of the harness's humaneval_instruct"
)


def _prefix(row: Row) -> Row:
    """The beginning of the answer to the instruction."""
    return {"prefix": f"Aqui está a função completa:\n```python\n{row['prompt']}\n"}


def _format(
    task: str,
    prompt: str,
    columns: Callable[[Row], Row],
    run: Callable[..., list[list[Row]]],
    sizes: tuple[int, ...],
    generation: Row,
    **settings: Any,
) -> Format:
    greedy = {"until": [], "do_sample": False, "temperature": 0.0, "max_gen_toks": 1024}
    return Format(
        task=task,
        prompt=prompt,
        columns=columns,
        score=partial(_score, sizes=sizes),
        metrics=tuple(Metric(f"pass@{k}") for k in sizes),
        metric="pass@1",
        output_type="generate_until",
        target="canonical_solution",
        settings={
            "unsafe_code": True,
            "generation_kwargs": greedy | generation,
            "filter_list": [{"name": "none", "filter": [{"function": "custom", "filter_fn": run}]}],
            **settings,
        },
    )


_SAMPLED = {"do_sample": True, "temperature": 0.2, "top_p": 0.95}

HUMANEVAL = Benchmark(
    rows=Rows("openai/openai_humaneval", licence="MIT"),
    chance=0.0,
    shots=Shots(0),
    formats=(
        _format("humaneval_pt", _INSTRUCTION, _prefix, run_answered, (1,), {}, gen_prefix="prefix"),
        replace(
            _format(
                "humaneval_pt_64",
                _INSTRUCTION,
                _prefix,
                run_answered,
                (1, 2, 8, 16, 32, 64),
                _SAMPLED,
                gen_prefix="prefix",
                repeats=64,
            ),
            source=_OWN_TRANSLATION,
        ),
        replace(
            _format(
                "humaneval_pt_complete",
                "{{prompt}}",
                lambda row: {},
                run_continued,
                (1,),
                {"until": ["\nclass", "\ndef", "\n#", "\nif", "\nprint"]},
            ),
            source="HumanEval as the harness's task humaneval has it; its prompts are in English",
        ),
    ),
    source=_OWN_TRANSLATION,
)

instruct, instruct_64, complete = HUMANEVAL.tasks
docs, process_results = instruct.docs, instruct.process_results
docs_64, process_results_64 = instruct_64.docs, instruct_64.process_results
docs_complete, process_results_complete = complete.docs, complete.process_results
