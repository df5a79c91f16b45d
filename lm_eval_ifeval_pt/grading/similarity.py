"""Likeness of longer texts: BLEU and chrF++ of sacrebleu, ROUGE-L of rouge-score with words that keep their accents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from lm_eval_ifeval_pt.grading.normalisation import WORDS
from lm_eval_ifeval_pt.grading.scores import Compared
from lm_eval_ifeval_pt.text.reasoning import answer

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics import BLEU, CHRF


@cache
def _bleu(is_of_a_sentence: bool) -> BLEU:
    from sacrebleu.metrics import BLEU

    return BLEU(effective_order=is_of_a_sentence)


@cache
def _chrf() -> CHRF:
    from sacrebleu.metrics import CHRF

    return CHRF(word_order=2)


def bleu(output: str, references: Sequence[str]) -> Compared:
    """BLEU of one text, 0 to 100, with effective order: one of a word or two is not 0 for its lack of 4-grams."""
    output = answer(output).text
    return Compared(_bleu(True).sentence_score(output, list(references)).score, output, references)


def chrf_plus_plus(output: str, references: Sequence[str]) -> Compared:
    """chrF++ of one text, 0 to 100: F2 of character 6-grams and word bigrams."""
    output = answer(output).text
    return Compared(_chrf().sentence_score(output, list(references)).score, output, references)


def corpus_bleu(scores: Sequence[float]) -> float:
    """BLEU of all texts together, 0 to 100, as `sacrebleu` prints it; no mean of those of single texts."""
    return float(_bleu(False).corpus_score(*_columns(scores)).score)


def corpus_chrf_plus_plus(scores: Sequence[float]) -> float:
    """chrF++ of all texts together, 0 to 100, as `sacrebleu -m chrf --chrf-word-order 2` prints it."""
    return float(_chrf().corpus_score(*_columns(scores)).score)


def bleu_signature(references: int = 1) -> str:
    """The signature that makes a BLEU reproducible: `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:…`."""
    return _signature(_bleu(False), references)


def chrf_signature(references: int = 1) -> str:
    """The signature that makes a chrF++ reproducible: `nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:…`."""
    return _signature(_chrf(), references)


def _signature(metric: BLEU | CHRF, references: int) -> str:
    metric.num_refs = references
    return str(metric.get_signature())


def _columns(scores: Sequence[float]) -> tuple[list[str], list[list[str | None]]]:
    """Outputs, and references as sacrebleu wants them: the first of each sample, the second of each, …"""
    compared = [sample for sample in scores if isinstance(sample, Compared)]
    most = max(len(sample.references) for sample in compared)
    references = [
        [sample.references[number] if number < len(sample.references) else None for sample in compared]
        for number in range(most)
    ]
    return [sample.output for sample in compared], references


class _Words:
    """The tokenizer that rouge-score is given; its own one drops every letter that is not ASCII."""

    def tokenize(self, text: str) -> list[str]:
        """Words in lower case, with their accents, without punctuation."""
        return WORDS.tokens(text)


@cache
def _rouge() -> RougeScorer:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], tokenizer=_Words())


def rouge_l(output: str, target: str) -> float:
    """The F1 of the longest common subsequence of words, 0 to 1; two texts without any word agree.

    Source: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries", section 3.
    """
    if not WORDS.tokens(output) and not WORDS.tokens(target):
        return 1.0
    return float(_rouge().score(target, output)["rougeL"].fmeasure)
