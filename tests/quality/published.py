"""The definitions that Tucano 2 ran: what the requests of this package's tasks must agree with.

Source: Polygl0t/lm-evaluation-harness, branch polyglot_harness_portuguese, 083d7e9c, and for Belebele and
Global PIQA lm-evaluation-harness 0.4.13. HellaSwag's cleaning is Python there and Jinja here.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

_COMPLETION = {
    "dataset_name": "pt",
    "test_split": "test",
    "output_type": "loglikelihood",
    "doc_to_text": "{{text.split(' ')[:-1]|join(' ')}}",
    "doc_to_target": "{{' '+text.split(' ')[-1]}}",
}
_CLEAN = "|replace(' [title]', '. ')|regex_replace('\\\\[.*?\\\\]', '')|replace('  ', ' ')"

_CONFIGS: dict[str, dict[str, Any]] = {
    "calame_pt": {"dataset_path": "Polygl0t/CALAME-PT", **_COMPLETION},
    "lambada_poly_pt": {"dataset_path": "Polygl0t/LAMBADA-poly", **_COMPLETION},
    "global_piqa_pt_br": {
        "dataset_path": "mrlbenchmarks/global-piqa-nonparallel",
        "dataset_name": "por_latn_braz",
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "prompt",
        "doc_to_choice": "{{[solution0, solution1]}}",
        "doc_to_target": "label",
    },
    "arc_challenge_poly_pt": {
        "dataset_path": "Polygl0t/ARC-poly",
        "dataset_name": "pt",
        "training_split": "train",
        "validation_split": "validation",
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "Question: {{question}}\nAnswer:",
        "doc_to_choice": "{{choices.text}}",
        "doc_to_target": "{{choices.label.index(answerKey)}}",
    },
    "hellaswag_poly_pt": {
        "dataset_path": "Polygl0t/Hellaswag-poly",
        "dataset_name": "pt",
        "validation_split": "validation",
        "output_type": "multiple_choice",
        "doc_to_text": "{{(activity_label ~ ': ' ~ ctx_a ~ ' ' ~ ctx_b.capitalize()).strip()" + _CLEAN + "}}",
        "doc_to_choice": "{% set cleaned = [] %}{% for ending in endings %}"
        "{% set _ = cleaned.append(ending.strip()" + _CLEAN + ") %}{% endfor %}{{cleaned}}",
        "doc_to_target": "{{label}}",
    },
    "belebele_pt": {
        "dataset_path": "facebook/belebele",
        "dataset_name": "por_Latn",
        "test_split": "test",
        "fewshot_split": "test",
        "fewshot_config": {"sampler": "first_n"},
        "output_type": "multiple_choice",
        "doc_to_text": "P: {{flores_passage}}\nQ: {{question.strip()}}\n"
        "A: {{mc_answer1}}\nB: {{mc_answer2}}\nC: {{mc_answer3}}\nD: {{mc_answer4}}\nAnswer:",
        "doc_to_choice": ["A", "B", "C", "D"],
        "doc_to_target": "{{['1', '2', '3', '4'].index(correct_answer_num)}}",
    },
    "mmlu_poly_pt": {
        "dataset_path": "Polygl0t/MMLU-poly",
        "dataset_name": "pt",
        "test_split": "test",
        "fewshot_split": "dev",
        "fewshot_config": {"sampler": "first_n"},
        "output_type": "multiple_choice",
        "doc_to_text": "{{question.strip()}}\nA. {{choices[0]}}\nB. {{choices[1]}}\nC. {{choices[2]}}\n"
        "D. {{choices[3]}}\nAnswer:",
        "doc_to_choice": ["A", "B", "C", "D"],
        "doc_to_target": "answer",
    },
}

TASKS = tuple(_CONFIGS)
"""The tasks whose requests come from log-likelihood; ENEM, BLUEX and OAB ran in another harness."""


def config(task: str) -> dict[str, Any]:
    """The published definition under our name, with its 5 shots."""
    return {"task": task, "num_fewshot": 5, **deepcopy(_CONFIGS[task])}
