"""A manifest to start from: one task on a data file, with comments that say what may be changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from lm_eval_ifeval_pt.suite import templates
from lm_eval_ifeval_pt.suite.errors import SuiteError

Row = Mapping[str, Any]

METRICS = {
    "classification": "label",
    "multiple_choice": "label",
    "qa": "token_f1",
    "summarization": "rouge_l",
    "semantic_similarity": "embeddings",
    "llm_judge": "judge",
    "numeric": "numeric",
    "math": "numeric",
    "custom": "python",
}
"""The types of tasks, and the metric that each starts with."""

PROGRAMS = {
    "judge": """\
# A judge gives 1 to 5; see docs/own-evaluations.md, "Models as graders".
type: python
contract: model_backed
source: |
  import re

  def grade(sample, item, ctx):
      asked = (
          "Avalie de 1 a 5 se a resposta diz o mesmo que a referência.\\n\\n"
          f"Referência: {item['target']}\\n\\nResposta: {sample['extracted_output']}\\n\\n"
          "Justifique em uma frase e termine com uma linha 'Nota: N'."
      )
      said = ctx.responses_create(input=asked).output_text
      scores = re.findall(r"Nota\\W*([1-5])", said)
      if not scores:
          raise ValueError(f"the judge gave no score: {said[-80:]!r}")
      return (int(scores[-1]) - 1) / 4
metric_id: judge
""",
    "embeddings": """\
# The cosine of two embeddings; see docs/own-evaluations.md, "Models as graders".
type: python
contract: model_backed
source: |
  def grade(sample, item, ctx):
      made = ctx.embeddings_create(input=[sample["extracted_output"], item["target"]]).data
      one, other = (entry.embedding for entry in made)
      product = sum(a * b for a, b in zip(one, other))
      return product / (sum(a * a for a in one) * sum(b * b for b in other)) ** 0.5
metric_id: similarity
""",
    "python": """\
# `sample` has output_text, extracted_output and prompt; `item` the columns of the row, and target.
type: python
source: |
  def grade(sample, item):
      return float(sample["extracted_output"] == item["target"])
metric_id: score
""",
}
"""The graders that are programs."""

BUILTINS = ("exact_match", "contains", "token_f1", "numeric", "label", "rouge_l", "chrf_plus_plus", "bleu")
"""The graders of this package that compare with a target and need no further options."""

_LABELS, _LONGEST = 50, 200
"""How many labels there may be, and of how many characters."""
_INSTRUCTIONS = {
    "label": "Responda só com uma destas opções:\n{{choice_list}}",
    "numeric": "Termine com uma linha só com o número da resposta.",
    "rouge_l": "Resuma o texto em poucas frases.",
}


@dataclass(frozen=True)
class Start:
    """What a person says of their task.

    Attributes:
        id: Its name.
        type: One of `METRICS`.
        file: The data file, from the folder of the manifest.
        question: The column with what is asked.
        target: The column with what is expected.
        metric: One of `BUILTINS` or `PROGRAMS`.
    """

    id: str
    type: str
    file: str
    question: str
    target: str
    metric: str


def text(start: Start, rows: Sequence[Row]) -> str:
    """The manifest, in YAML.

    Args:
        start: What is evaluated.
        rows: Those of the file, which has both columns.

    Raises:
        SuiteError: a column cannot be named in a template, or targets are no labels.
    """
    for column in (start.question, start.target):
        if not regex.fullmatch(r"[^{}\n]+", column) or column != column.strip():
            raise SuiteError(f"the column {column!r} cannot stand in a template: rename it")
    labels = _labels(rows, start.target) if start.metric == "label" else []
    instructions = _INSTRUCTIONS.get(start.metric, "")
    prompt = f"{{{{{start.question}}}}}" + (f"\n\n{instructions}" if instructions else "")
    lines = [
        '# docs/own-evaluations.md describes every key. Next: lm-eval-pt suite check, then run --suite or suite build.',
        'schema_version: "2026-05-27"',
        "tasks:",
        f"  - id: {_quoted(start.id)}",
        f"    type: {start.type}  # a label; the grader decides",
        f"    dataset: {{file_id: {_quoted(start.file)}}}  # JSONL or CSV beside this file, or a data set of the Hub",
        *([f"    choices: {_quoted(labels)}  # what {{{{choice_list}}}} shows"] if labels else []),
        "    # {{column}} is a value of the row; {{row}} all of it, as JSON",
        "    prompt_template: |-",
        *(f"      {line}".rstrip() for line in prompt.split("\n")),
        f"    target_template: {_quoted(f'{{{{{start.target}}}}}')}",
        "    # num_fewshot: 3  # rows that stand solved before each prompt, never the row itself",
        *_extraction(start.metric, labels),
        "    grader:",
        *(f"      {line}".rstrip() for line in _grader(start.metric, labels).splitlines()),
    ]
    return "\n".join(lines) + "\n"


def _labels(rows: Sequence[Row], column: str) -> list[str]:
    labels = list(dict.fromkeys(templates.as_text(row.get(column)) for row in rows))
    problem = ""
    if not 2 <= len(labels) <= _LABELS:
        problem = f"it has {len(labels)} different values, 2 to {_LABELS} can be labels"
    elif not all(label.strip() for label in labels):
        problem = "it is empty in some rows"
    elif len({label.casefold() for label in labels}) < len(labels):
        problem = "two of its values differ by case alone"
    elif max(map(len, labels)) > _LONGEST:
        problem = f"a value has more than {_LONGEST} characters"
    if problem:
        raise SuiteError(f"the column {column!r} holds no labels: {problem}; take another --metric")
    return labels


def _extraction(metric: str, labels: Sequence[str]) -> list[str]:
    if labels:
        kind = f"{{type: label_set, labels: {_quoted(labels)}}}"
    else:
        kind = {"numeric": "{type: number}", "exact_match": "{type: take_first, lines: 1}"}.get(metric, "{type: none}")
    return ["    # what is read from an output: none, take_first, regex, regex_last, label_set, number",
            f"    output_extraction: {kind}"]  # fmt: skip


def _grader(metric: str, labels: Sequence[str]) -> str:
    if metric in PROGRAMS:
        return PROGRAMS[metric]
    further = f"labels: {_quoted(labels)}\n" if labels else ""
    return f"type: builtin  # docs/metrics.md lists them, with their options\nid: {metric}\n{further}"


def _quoted(value: Any) -> str:
    """A text or a list as YAML has it in one line; JSON is YAML."""
    return json.dumps(value, ensure_ascii=False)
