"""GSM8K-PT: word problems of primary school, answered with a number after the way to it.

Every task scores four readings of a response, none of which sees its reasoning up to `</think>`. Strict and flexible
are the published kinds of extraction: the number after the marker that the shots show, and the one that is given as
the answer in whatever form. Each is made twice: with numbers as Portuguese writes them, and by the published patterns
(`compat`), which make "1.23450" of "1.234,50".
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import regex

from lm_eval_ifeval_pt.benchmarks.benchmark import Benchmark, Format, Metric, Rows, Shots
from lm_eval_ifeval_pt.benchmarks.docs import Row
from lm_eval_ifeval_pt.paths import bundled
from lm_eval_ifeval_pt.text import numbers
from lm_eval_ifeval_pt.text.number_words import numbers_in_words
from lm_eval_ifeval_pt.text.numbers import Number
from lm_eval_ifeval_pt.text.reasoning import answer

_ENGLISH = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+")

INVALID = "[invalid]"
"""What the published patterns make of a response without a number."""

HASHES = "####"
SENTENCE = "A resposta é"
ENGLISH = "The answer is"

_MARKERS = {HASHES: "(?<!#)####(?!#)", SENTENCE: r"\ba resposta é\b", ENGLISH: r"\bthe answer is\b"}
_GAP = r"[^\p{L}\p{N}\n]{0,12}+"
# The number that a marker announces: marks, a currency and few words may stand between them, nothing else.
_BETWEEN = rf"{_GAP}(?:(?:(?:R|US)\\?\$|(?:menos|de|igual a)(?!\p{{L}})){_GAP})?+"
_ANNOUNCED = {name: regex.compile(rf"{marker}{_BETWEEN}(?=[0-9¼½¾])", regex.I) for name, marker in _MARKERS.items()}
_WORDS_ANNOUNCED = {
    name: regex.compile(rf"{marker}{_BETWEEN}(?=\p{{L}})", regex.I) for name, marker in _MARKERS.items()
}
_SAID = regex.compile(r"\b(?:resposta|answer)(?: \p{L}++){0,3}[ *_]*+(?::|=|\b(?:é|são|será|seria|is)\b)", regex.I)
# What a numbered heading has after its number, up to the end of the line; and text anywhere below.
_HEADING = regex.compile(r"[0-9]{1,2}[.)][*_]*+[ \t]++[*_]*+\p{L}[^\n]*+")
_TEXT = regex.compile(r"[\p{L}\p{N}]")
_LATEX = (
    (regex.compile(r"(?<=[0-9])\{([.,])\}(?=[0-9])"), r"\1"),
    (regex.compile(r"(?<=[0-9])\\[,;:! ](?=[0-9]{3}(?![0-9]))"), "\u202f"),
    (regex.compile(r"\\[dt]?frac\{ ?([0-9]{1,20}) ?\}\{ ?([0-9]{1,20}) ?\}"), r"\1/\2"),
)
# What makes of hours a time: "5h30", "5 h 5 min", "5 horas e 30 minutos", "5:30".
_BLANK = "[ \u00a0\u202f]"
_MIN = rf"{_BLANK}?m(?:in(?:utos?)?)?(?!\p{{L}})"
_MINUTES = regex.compile(
    rf"{_BLANK}?h{_BLANK}?(?P<m>[0-5][0-9])(?![0-9])(?:{_MIN})?+"
    rf"|{_BLANK}?h(?:oras?)?{_BLANK}(?:e{_BLANK})?(?P<m>[0-5]?[0-9]){_MIN}|:(?P<m>[0-5][0-9])(?![0-9:])"
)
_TIME = regex.compile(rf"[0-9]+(?:{_MINUTES.pattern})")
_NEAR = 200
"""How many characters after a marker are searched for the answer."""


# Documents


def gold(row: Row) -> str | None:
    """The number after the last `####`: the answer as the data set writes it; None where that is no number."""
    written: str = row["answer"].rpartition(HASHES)[2].strip()
    return written if HASHES in row["answer"] and gold_value(written) is not None else None


def gold_value(written: str) -> Fraction | None:
    """The value of a key. "." and "," before three digits both separate thousands, since the rows come from English."""
    number = numbers.first(written)
    if number is None:
        return None
    if re.fullmatch(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3})+", number.digits):
        size = Fraction(re.sub("[.,]", "", number.digits))
        return size if number.value > 0 else -size
    return number.value


def _columns(row: Row, whole: bool) -> Row | None:
    key = gold(row)
    return None if key is None else {"target": row["answer"] if whole else key, "gold": key}


_COT = "P: {{question}}\nR:"


def shots_cot() -> list[Row]:
    """The eight fixed examples, written for this package. Each ends with "A resposta é N."."""
    lines = (bundled("data") / "gsm8k_pt" / "cot_shots.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [{"query": f"P: {row['question']}\nR:", "target": row["answer"]} for row in rows]


# Readings


def plain(response: str) -> str:
    """A response with LaTeX's signs within numbers as text has them: `12{,}5`, `1\\,200`, `\\frac{1}{2}`."""
    for pattern, replacement in _LATEX:
        response = pattern.sub(replacement, response)
    return response


def strict(response: str, marker: str) -> Number | None:
    """The number that follows the first marker with one; nothing but marks and a currency stand between them.

    A numbered heading ("#### 1. Somar", with text below it) is no answer. Of an equation, what it comes to is. Where no
    marker is followed by digits, the number may be in words ("A resposta é dezoito.").
    """
    response = plain(response)
    for announced in _ANNOUNCED[marker].finditer(response):
        heading = _HEADING.match(response, announced.end()) if marker == HASHES else None
        if not (heading and _TEXT.search(response, heading.end())):
            clause = response[announced.start() : announced.end()] + _line(response, announced.end())
            return _result(clause)
    for announced in _WORDS_ANNOUNCED[marker].finditer(response):
        line = _line(response, announced.end())
        number = next(numbers_in_words(line), None)
        is_heading = marker == HASHES and _TEXT.search(response, announced.end() + len(line))
        if number is not None and not number.start and not is_heading and numbers.first(line) is None:
            return number
    return None


def _result(clause: str) -> Number | None:
    """The number after the last equals sign, else the first one, in digits or else in words."""
    after_equals = clause.rpartition("=")[1:]
    result = _first("".join(after_equals)) if any(after_equals) and "=" in clause else None
    return result or _first(clause) or next(numbers_in_words(clause), None)


def _first(clause: str) -> Number | None:
    return next(_amounts(clause), None)


def _amounts(text: str) -> Iterator[Number]:
    """The numbers of a text in digits, in order; hours with minutes are one number of hours ("5h30" is 5.5)."""
    end = 0
    for number in numbers.numbers(text):
        if number.start < end:
            continue
        minutes = _MINUTES.match(text, number.end) if number.digits.isdecimal() else None
        if minutes is None:
            yield number
        else:
            end = minutes.end()
            yield Number(number.start, end, text[number.start : end], number.value + Fraction(int(minutes["m"]), 60))


def flexible(response: str) -> Number | None:
    """The number that a response gives as its answer, in whatever form.

    In this order: after `####`; in the last `\\boxed{}`; after the last "a resposta … é", "Resposta:" or "the answer
    is" (past the last equals sign of its line); the last number of the response; in words, where it has no digits.
    """
    response = plain(response)
    if (number := strict(response, HASHES)) is not None:
        return number
    boxed = response.rfind("\\boxed{")
    if boxed >= 0 and (number := _result(response[boxed : boxed + _NEAR].partition("}")[0])) is not None:
        return number
    for said in deque(_SAID.finditer(response), maxlen=1):
        if (number := _result(said[0] + _line(response, said.end()))) is not None:
            return number
    if tail := numbers.tail(response):
        return max(_amounts(tail), key=lambda number: number.end, default=None)
    return next(iter(deque(numbers_in_words(response), maxlen=1)), None)


def _line(response: str, start: int) -> str:
    """The text from here to the end of the line, or of the next line with something on it."""
    near = response[start : start + _NEAR]
    blank = len(near) - len(near.lstrip("#*_ \n\t:"))
    return near[: blank + len(near[blank:].partition("\n")[0])]


_COMPAT_STRICT = {
    HASHES: re.compile(r"#### (\-?[0-9\.\,]+)"),
    # As published, one more character must follow: "42" without a full stop is read as 4.
    SENTENCE: re.compile(r"A resposta é (\-?[0-9\.\,]+)."),
}
_COMPAT_FLEXIBLE = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
_COMPAT_IGNORED = tuple(map(re.compile, (",", r"\$", r"\.$")))


def compat_strict(response: str, marker: str) -> str:
    """The published extraction of the number after the marker."""
    match = _COMPAT_STRICT[marker].search(response)
    return match[1] if match else INVALID


def compat_flexible(response: str) -> str:
    """The published extraction of the last number."""
    last = INVALID
    for match in _COMPAT_FLEXIBLE.finditer(response):
        last = match[0]
    return last


def compat_equal(extracted: str, answer: str) -> bool:
    """The published comparison with the answer as the data set has it: equal without what the patterns ignore."""
    return _compat_plain(extracted) == _compat_plain(answer)


def _compat_plain(text: str) -> str:
    text = text.rpartition("#### ")[2]
    for pattern in _COMPAT_IGNORED:
        text = pattern.sub("", text)
    return text.lower()


# Scores


def is_right(number: Number | None, key: str) -> bool:
    """Whether a number is the key: one of its `values`, or written in the same way."""
    return number is not None and (gold_value(key) in values(number) or number.digits == key.lstrip("-"))


def values(number: Number) -> tuple[Fraction, ...]:
    """What a number may mean, its value first.

    "1,200" is 1.2 in Portuguese and 1200 in English, as the keys and many shots have it: where the key is 1200 it is
    right, which the published readings also say; no key of GSM8K has three decimals. "5h30" is five and a half hours or
    330 minutes, and never 5, as the published readings have it.
    """
    english = english_value(number)
    minutes = 60 * number.value if _TIME.fullmatch(number.digits) else None
    return (number.value, *(value for value in (english, minutes) if value is not None))


def english_value(number: Number) -> Fraction | None:
    """The value of digits whose commas part thousands in English ("1,200"); None of any others."""
    size = gold_value(number.digits) if _ENGLISH.fullmatch(number.digits) else None
    return None if size is None else size if number.value > 0 else -size


def score(doc: Row, results: Sequence[str], marker: str) -> dict[str, float]:
    """Score the first response: `exact_match`, `flexible_match`, both `_compat` and `invalid`.

    Args:
        doc: A document.
        results: Its responses.
        marker: What stands before the answer in the shots.
    """
    response = answer(results[0]).text
    given = flexible(response)
    return {
        "exact_match": float(is_right(strict(response, marker), doc["gold"])),
        "flexible_match": float(is_right(given, doc["gold"])),
        "exact_match_compat": float(compat_equal(compat_strict(response, marker), doc["answer"])),
        "flexible_match_compat": float(compat_equal(compat_flexible(response), doc["answer"])),
        "invalid": float(given is None),
    }


def majority(votes: Iterable[Number | None]) -> Number | None:
    """The number with the most common value, the earliest of equals; responses without one have no vote."""
    voters = [number for number in votes if number is not None]
    if not voters:
        return None
    ((value, _),) = Counter(number.value for number in voters).most_common(1)
    return next(number for number in voters if number.value == value)


def score_votes(doc: Row, results: Sequence[Sequence[str]]) -> dict[str, float]:
    """Score repeated responses: `exact_match` of the first, `maj@8` and `maj@64`.

    A response that says "The answer is" has a vote too, though it does not have the marker of the shots.
    """
    (responses,) = results
    answers = [answer(response).text for response in responses]
    given = [strict(text, SENTENCE) or strict(text, ENGLISH) for text in answers]
    votes = {f"maj@{k}": float(is_right(majority(given[:k]), doc["gold"])) for k in (8, 64)}
    return {"exact_match": float(is_right(strict(answers[0], SENTENCE), doc["gold"])), **votes}


def keep_all(responses: Iterable[Sequence[str]], docs: Iterable[Row]) -> list[list[str]]:
    """A filter of the harness that keeps every response of a document; without one it keeps the first."""
    return [list(repeated) for repeated in responses]


# The tasks

_METRICS = (
    *map(Metric, ("exact_match", "flexible_match", "exact_match_compat", "flexible_match_compat")),
    Metric("invalid", higher_is_better=False),
)
_THEIRS = "Polygl0t/lm-evaluation-harness"


def _format(task: str, prompt: str, marker: str, until: Sequence[str], whole: bool = False) -> Format:
    return Format(
        task=task,
        prompt=prompt,
        columns=partial(_columns, whole=whole),
        score=partial(score, marker=marker),
        metrics=_METRICS,
        metric="exact_match",
        output_type="generate_until",
        target="target",
        settings={"generation_kwargs": {"until": [*until], "do_sample": False, "temperature": 0.0}},
    )


_COT_SHOTS = Shots(8, sampler="first_n", samples=shots_cot)
_cot = _format("gsm8k_cot_pt", _COT, SENTENCE, ("P:", "</s>", "<|im_end|>"))

GSM8K = Benchmark(
    rows=Rows(
        "Polygl0t/gsm8k-pt",
        licence="MIT (GSM8K); licence of the translation not stated",
        name="default",
        training="train",
    ),
    chance=0.0,
    shots=Shots(5, split="train"),
    formats=(
        _format(
            "gsm8k_pt",
            "Pergunta: {{question}}\nResposta:",
            HASHES,
            ("Pergunta:", "Question:", "</s>", "<|im_end|>"),
            whole=True,
        ),
        replace(
            _cot,
            shots=_COT_SHOTS,
            source=f"prompt and stop strings of gsm8k_cot_pt in {_THEIRS}, with shots of our own",
        ),
        replace(
            _cot,
            task="gsm8k_cot_self_consistency_pt",
            score=score_votes,
            metrics=tuple(map(Metric, ("exact_match", "maj@8", "maj@64"))),
            metric="maj@64",
            shots=_COT_SHOTS,
            source=f"settings of gsm8k_cot_self_consistency_pt in {_THEIRS}, with shots of our own",
            settings={
                "generation_kwargs": {"until": ["Q:", "P:", "\n\n"], "do_sample": True, "temperature": 0.2},
                "repeats": 64,
                "filter_list": [{"name": "none", "filter": [{"function": "custom", "filter_fn": keep_all}]}],
            },
        ),
        replace(
            _format(
                "gsm8k_cot_zeroshot_pt",
                f"{_COT} Vamos pensar passo a passo.",
                SENTENCE,
                ("Q:", "P:", "</s>", "<|im_end|>"),
            ),
            metric="flexible_match",
            shots=Shots(0, split="train"),
            source=(
                f'after gsm8k_cot_zeroshot_pt in {_THEIRS}, whose prompt answers "P:" with "A:" and writes '
                '"passo-a-passo"'
            ),
        ),
    ),
    source=f"Tucano 2 (arXiv:2603.03543), section 9.4; definition of {_THEIRS}",
)

direct, cot, votes, zeroshot = GSM8K.tasks
docs, process_results = direct.docs, direct.process_results
docs_cot, process_results_cot = cot.docs, cot.process_results
docs_votes, process_results_votes = votes.docs, votes.process_results
docs_zeroshot, process_results_zeroshot = zeroshot.docs, zeroshot.process_results
