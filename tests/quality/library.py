"""Whole files at speed: `python -m tests.quality.library`.

Answers of 150 words to rows of 22 instructions each, and of one each, with all verdicts, strict and loose. Each figure
is also the ratio to a calibration of the same minute, since answers a second say nothing of another machine.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

from lm_eval_ifeval_pt import check_many, ifeval
from lm_eval_ifeval_pt.text import Text
from tests import timing
from tests.quality.gold import GOLD
from tests.quality.speed import responses

_WORDS = 150
_ANSWERS = 4000


def answers() -> list[str]:
    """Real answers cut to 150 words; without the external data, the hand-written ones joined."""
    if GOLD.is_dir():
        texts = [Text(response) for response in responses()]
        return [str(text)[: text.words[_WORDS - 1][1]] for text in texts if len(text.words) >= _WORDS]
    from tests.runs import careful

    answer = careful(1.0, seed=1)
    words = " ".join(answer(doc) for doc in ifeval.load_dataset()["test"]).split()
    return [" ".join(words[start : start + _WORDS]) for start in range(0, len(words) - _WORDS, 40)]


def all_restrictions() -> dict[str, Any]:
    """One row with the 22 restrictions of the bundled data set."""
    documents = list(ifeval.load_dataset()["test"])
    asked = documents[:: len(documents) // 22]
    return {
        **documents[0],
        "instruction_id_list": [doc["instruction_id_list"][0] for doc in asked],
        "kwargs": [doc["kwargs"][0] for doc in asked],
    }


def rate(rows: Iterator[dict[str, Any]], texts: list[str], workers: int) -> float:
    """Answers a second: of CPU time in one process, of wall time, the start of the processes included, in more."""
    given = list(itertools.islice(itertools.cycle(texts), _ANSWERS))
    clock = time.process_time if workers == 1 else time.perf_counter
    start = clock()
    for _ in check_many(itertools.islice(rows, _ANSWERS), given, workers=workers):
        pass
    return _ANSWERS / (clock() - start)


def main() -> None:
    """Print answers a second and their ratio to the calibration, by rows and processes."""
    texts = answers()
    plain = [str(Text(text).unmarked) for text in texts]
    documents = [{**doc, "verdicts": None} for doc in ifeval.load_dataset()["test"]]
    print(f"{len(texts)} answers of {_WORDS} words, {_ANSWERS} checked; calibration: a million steps of a plain loop")
    for name, rows in (("22 instructions a row", [all_restrictions()]), ("one instruction a row", documents)):
        for kind, given in (("with Markdown", texts), ("plain", plain)):
            for workers in (1, 2):
                calibration = min(timing.seconds(timing.loop) for _ in range(3))
                answers_a_second = rate(itertools.cycle(rows), given, workers)
                verdicts = answers_a_second * len(rows[0]["instruction_id_list"])
                print(
                    f"{name}, {kind}, {workers} process{'es' * (workers > 1)}: {answers_a_second:.0f} answers/s, "
                    f"{verdicts:.0f} verdicts/s, {answers_a_second * calibration:.0f} answers a calibration",
                    flush=True,
                )


if __name__ == "__main__":
    main()
