"""Agreement with CAPITU's published verdicts, in both modes: `python -m tests.quality.capitu`.

`--disagreements FILE` writes a line of JSON for each verdict of mode pt that differs from the published one.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_ifeval_pt.ifeval import dialects
from lm_eval_ifeval_pt.ifeval.rescoring import quoted
from lm_eval_ifeval_pt.ifeval.scoring import Score, score
from tests.quality.gold import GOLD, rows

RANDOM = "format:bullet_list"
"""The published verdicts on it are those of an older checker, which drew the number of items asked for at random."""


ARGUMENTS = {
    "count:word_count_range": {"min_words": 5, "max_words": 9},
    "count:exact_word_count": {"num_words": 5},
    "count:min_word_count": {"min_words": 5},
    "count:max_word_count": {"max_words": 5},
    "count:unique_word_count": {"min_unique": 5},
    "count:character_count_range": {"min_chars": 20, "max_chars": 40},
    "count:exact_sentence_count": {"num_sentences": 2},
    "count:min_sentence_count": {"min_sentences": 2},
    "count:sentence_count_range": {"min_sentences": 2, "max_sentences": 3},
    "count:exact_paragraph_count": {"num_paragraphs": 2},
    "count:min_paragraph_count": {"min_paragraphs": 2},
    "count:max_sentence_length": {"max_words_per_sentence": 5},
    "count:min_sentence_length": {"min_words_per_sentence": 5},
    "count:exact_line_count": {"num_lines": 2},
    "count:exact_number_count": {"num_numbers": 2},
    "count:min_number_count": {"min_numbers": 2},
    "count:include_specific_number": {"number": 7},
    "words:include_word": {"word": "mar"},
    "words:include_words": {"words": ["mar", "sol"]},
    "words:word_frequency": {"word": "mar", "min_count": 2},
    "words:min_word_frequency": {"word": "mar", "min_count": 2},
    "words:use_first_person": {"min_count": 2},
    "words:use_third_person": {"min_count": 2},
    "words:conjunction_count": {"min_count": 2},
    "words:connective": {"min_connectives": 2},
    "words:temporal_marker": {"min_markers": 2},
    "words:contrast_marker": {},
    "words:max_word_repeat": {"max_repeats": 2},
    "forbidden:word": {"forbidden_word": "mar"},
    "forbidden:words_list": {"forbidden_words": ["mar", "sol"]},
    "forbidden:no_numbers": {},
    "forbidden:no_first_person": {},
    "forbidden:no_second_person": {},
    "forbidden:no_questions": {},
    "forbidden:no_exclamations": {},
    "punctuation:only_declarative": {},
    "punctuation:include_question": {},
    "punctuation:include_quote": {},
    "punctuation:use_semicolon": {},
    "punctuation:use_colon": {"min_count": 2},
    "structure:start_with_word": {"word": "mar"},
    "structure:end_with_word": {"word": "mar"},
    "structure:start_end_same_word": {"word": "mar"},
    "structure:no_repeat_sentence_start": {},
    "structure:each_line_starts_with": {"char": "→"},
    "structure:acrostic": {"word": "MAR"},
    "format:bullet_list": {},
    "format:numbered_list": {"min_items": 2},
    "format:all_caps": {},
    "format:all_lowercase": {},
    "format:title_case_start": {},
    "pattern:terminacao_ando_endo_indo_limit": {"max_count": 2},
    "pattern:terminacao_ando_endo_indo_min": {"min_count": 2},
    "pattern:terminacao_inho_inha_min": {"min_count": 2},
    "pattern:terminacao_inho_inha_proibido": {},
    "pattern:terminacao_ao_oes_min": {"min_count": 2},
    "pattern:terminacao_mente_limit": {"max_count": 2},
    "pattern:terminacao_mente_min": {"min_count": 2},
    "pattern:terminacao_mente_proibido": {},
}
"""Arguments for every verifier of CAPITU, by its first id, named as its checker stores them."""


class Answer(NamedTuple):
    """A published answer with the published verdicts and ours, by instruction."""

    model: str
    row: dict[str, Any]
    compat: list[Score]
    pt: list[Score]


def answers() -> Iterator[Answer]:
    """The answers of all models, scored in both modes."""
    for run in sorted((GOLD / "capitu" / "runs").glob("*.jsonl")):
        for row in rows(str(run.relative_to(GOLD))):
            yield Answer(run.stem, row, _scored(row, "compat"), _scored(row, "pt"))


def _scored(row: dict[str, Any], mode: str) -> list[Score]:
    dialect = dialects.get("capitu", mode)
    asked = zip(row["instruction_id_list"], row["kwargs"], strict=True)
    return score(row["response"], [dialect.bind(id, kwargs) for id, kwargs in asked], dialect.variants)


def agreement(found: Iterable[Answer]) -> tuple[int, int, Counter[str]]:
    """In mode compat: verdicts other than on `RANDOM`, those that agree, and the ids of all that do not."""
    total = agreed = 0
    differing = Counter[str]()
    for answer in found:
        for id, published, ours in zip(
            answer.row["instruction_id_list"], answer.row["strict"], answer.compat, strict=True
        ):
            same = published == ours.strict.followed
            total += id != RANDOM
            agreed += id != RANDOM and same
            differing[id] += not same
    return total, agreed, +differing


def accuracies(found: Iterable[Answer]) -> dict[str, dict[str, float]]:
    """Per model the prompt-level accuracies in percent: published and ours.

    "… without lists": bullet lists left out of what a prompt asks for.
    """
    sums: dict[str, Counter[str]] = {}
    for answer in found:
        row, here = answer.row, sums.setdefault(answer.model, Counter())
        certain = [id != RANDOM for id in row["instruction_id_list"]]
        here["prompts"] += 1
        for name, verdicts in (
            ("published strict", row["strict"]),
            ("published loose", row["loose"]),
            ("compat strict", [one.strict.followed for one in answer.compat]),
            ("compat loose", [one.loose.followed for one in answer.compat]),
            ("pt strict", [one.strict.followed for one in answer.pt]),
            ("pt loose", [one.loose.followed for one in answer.pt]),
        ):
            here[name] += all(verdicts)
            if name.endswith("strict"):
                here[f"{name} without lists"] += all(
                    verdict for verdict, counts in zip(verdicts, certain, strict=True) if counts
                )
    return {
        model: {name: 100 * number / here["prompts"] for name, number in here.items() if name != "prompts"}
        for model, here in sums.items()
    }


def stricter(found: Iterable[Answer]) -> int:
    """Our verdicts, of both modes, that hold strictly and not loosely; none can."""
    scores = (one for answer in found for one in (*answer.compat, *answer.pt))
    return sum(one.strict.followed and not one.loose.followed for one in scores)


def disagreements(found: Iterable[Answer]) -> Iterator[dict[str, Any]]:
    """The strict verdicts of mode pt that differ from the published ones, with the evidence of both."""
    for answer in found:
        row = answer.row
        for at, (published, ours) in enumerate(zip(row["strict"], answer.pt, strict=True)):
            if published != ours.strict.followed:
                yield {
                    "model": answer.model,
                    "key": row["key"],
                    "instruction_id": row["instruction_id_list"][at],
                    "kwargs": row["kwargs"][at],
                    "published": published,
                    "pt": ours.strict.followed,
                    "published_detail": answer.compat[at].strict.detail,
                    "published_evidence": quoted(row["response"], answer.compat[at].strict.as_dict()),
                    "pt_detail": ours.strict.detail,
                    "pt_evidence": quoted(row["response"], ours.strict.as_dict()),
                }


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--disagreements", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    if not GOLD.is_dir():
        raise SystemExit(f"no external gold in {GOLD} (set IFEVAL_PT_GOLD)")
    found = list(answers())
    total, agreed, differing = agreement(found)
    print(f"compat: {agreed} of {total} verdicts agree ({agreed / total:.2%}), {RANDOM} left out")
    print(f"compat: ids of verdicts that differ: {dict(differing)}")
    print(f"verdicts that hold strictly and not loosely, both modes: {stricter(found)}")
    for model, here in accuracies(found).items():
        print(model, *(f"{name} {value:.1f}" for name, value in here.items()), sep="  ")
    other = list(disagreements(found))
    kinds = Counter((one["instruction_id"], one["pt"]) for one in other)
    print(f"pt: {len(other)} strict verdicts differ from the published ones:")
    for (id, followed), number in sorted(kinds.items()):
        print(f"  {number:4} {'followed' if followed else 'not followed':12} {id}")
    if arguments.disagreements:
        lines = (json.dumps(one, ensure_ascii=False) for one in other)
        arguments.disagreements.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
