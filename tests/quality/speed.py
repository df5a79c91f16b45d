"""Speed on real and on hostile responses, and of the import: `python -m tests.quality.speed`."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from heapq import nlargest
from operator import attrgetter, itemgetter
from typing import Any

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.ifeval import sources
from lm_eval_ifeval_pt.ifeval.dialects.ifeval_pt import IFEVAL_PT
from lm_eval_ifeval_pt.ifeval.scoring import score
from lm_eval_ifeval_pt.text import Text
from tests.quality.gold import GOLD, rows
from tests.quality.row import Row, at_most

MEGABYTE = 1_000_000

PROSE = (
    "Não me diga que a praça, às vezes, fica vazia: dar-lhe-ei um guarda-chuva. O Sr. Silva (que você "
    "conhece) pagou R$ 1.234,56 pela água; por que não pergunta? Porque ninguém o avisou… **Lave as mãos**, "
    "disse-me ela.\n"
)
HOSTILE = {
    "prose": PROSE,
    "prose in one line": PROSE.strip() + " ",
    "prose, decomposed": PROSE.replace("ã", "a\u0303").replace("ç", "c\u0327"),
    "one word": "a",
    "one accented word": "é",
    "blanks": "x" + " " * 999,
    "line ends": "\n",
    "blank lines": "x\n\n \n",
    "stops": ".",
    "ellipses": "…",
    "mixed ends": "?! ",
    "abbreviations": "Sr. ",
    "initials": "A.",
    "numbers": "1.",
    "list": "1. a\n",
    "bullets": "- ",
    "hyphens": "-",
    "hyphenated": "a-",
    "joined pronouns": "dar-lhe-",
    "pronouns": "se ",
    "attracting words": "não ",
    "attracted pronouns": "não me diga ",
    "por": "por ",
    "por, line ends": "por\n",
    "crases": "à ",
    "cedillas": "ç ",
    "apostrophes": "d'",
    "straight quotes": '"',
    "opening quotes": "“",
    "quoted": "“a” ",
    "emphasis": "*",
    "strong": "**a",
    "strong words": "**a** ",
    "underscores": "_a",
    "code marks": "`",
    "code": "`a` ",
    "fences": "```\n",
    "headings": "# ",
    "quoted lines": "> ",
    "links": "[a](",
    "brackets": "[",
    "table": "| a ",
    "tags": "<a ",
    "address": "http://a.",
    "e-mail": "a@a.",
    "capitals": "A ",
    "combining marks": "\u0301\u0323",
    "zero width": "a\u200b",
    "emoji": "♻\ufe0f",
    "Hangul": "\u1100\u1161\u11a8",
    "surrogates": "\ud800",
    "zeros": "\0",
    "carriage returns": "\r",
    "full-width marks": "！",
    "opening marks": "¿a",
    "opening marks once": "¿" + "a" * 999,
    "empty headings": "#" + " " * 999,
}


def hostile(name: str, size: int = MEGABYTE) -> str:
    """A response of one unit repeated, `size` bytes long in UTF-8."""
    unit = HOSTILE[name]
    return unit * (size // len(unit.encode("utf-8", "surrogatepass")))


def restrictions() -> list[Bound]:
    """The 22 restrictions of the bundled rows, on the first of their base tasks."""
    found = list(sources.read("ifeval_pt", "bundled"))
    firsts = found[:: len(found) // 22]
    return [IFEVAL_PT.bind(row["instruction_id_list"][0], row["kwargs"][0]) for row in firsts]


def examples() -> list[Bound]:
    """Every constraint of the registry, with the arguments of its first example."""
    return [constraint.bind(constraint.follows[0].kwargs) for constraint in registry.constraints().values()]


def seconds(action: Callable[[], Any]) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    action()
    return time.process_time() - start


def responses() -> list[str]:
    """Real responses of 9 models."""
    runs = sorted((GOLD / "capitu" / "runs").glob("*.jsonl"))
    return [row["response"] for run in runs for row in rows(str(run.relative_to(GOLD)))]


def throughput(texts: list[str], instructions: list[Bound]) -> float:
    """CPU seconds to score all instructions on all responses, strict and loose; the best of 3 passes."""
    return min(seconds(partial(_score_all, texts, instructions)) for _ in range(3))


def shares(raw: list[str], instructions: list[Bound]) -> dict[str, float]:
    """CPU seconds of each step over all responses: what a text computes once, then each verifier by itself.

    A verifier's time is strict and, where that fails, loose.
    """
    texts: list[Text] = []
    found = {"normalisation": seconds(lambda: texts.extend(map(Text, raw)))}
    found |= _units(texts, "")
    found["unmarked"] = seconds(lambda: [text.unmarked for text in texts])
    found |= _units([text.unmarked for text in texts], " (loose)")
    for bound in instructions:
        name = f"{bound.constraint.id} {dict(bound.kwargs) or ''}"
        found[name] = seconds(partial(_score_all, texts, [bound]))
    return found


def _units(texts: list[Text], suffix: str) -> dict[str, float]:
    names = ("is_blank", "lower", "words", "sentences", "clitics")
    return {name + suffix: seconds(partial(list, map(attrgetter(name), texts))) for name in names}


def _score_all(texts: Iterable[str | Text], instructions: list[Bound]) -> None:
    for text in texts:
        score(text, instructions, IFEVAL_PT.variants)


def verify(raw: str, bound: Bound) -> None:
    """One verifier on one response as it came."""
    bound.verify(Text(raw))


def verify_loosely(raw: str, bound: Bound) -> None:
    """One verifier on one response as it came and, where that fails, on the loose text."""
    score(raw, [bound], IFEVAL_PT.variants)


def worst(name: str, run: Callable[[str, Bound], None] = verify) -> tuple[float, Bound]:
    """The CPU seconds of the slowest verifier on a hostile response of 1 MB, and which one it is.

    Those that are slowest on a tenth of it are run on all of it, each from the raw response.
    """
    sample, whole = hostile(name, MEGABYTE // 10), hostile(name)
    slowest = nlargest(3, examples(), key=lambda bound: seconds(partial(run, sample, bound)))
    return max(((seconds(partial(run, whole, bound)), bound) for bound in slowest), key=itemgetter(0))


def import_seconds() -> float:
    """CPU seconds to import what the YAML names, in a fresh interpreter; the best of 5."""
    code = (
        "import sys, time; start = time.process_time(); import lm_eval_ifeval_pt.ifeval.task; "
        "print(time.process_time() - start); assert 'lm_eval' not in sys.modules"
    )
    run = [sys.executable, "-c", code]
    return min(float(subprocess.run(run, check=True, capture_output=True).stdout) for _ in range(5))


def bench_rows() -> list[Row]:
    """The slowest verifier on the worst hostile megabyte, strict and loose."""
    rows = []
    for how, run in (("strict", verify), ("loose", verify_loosely)):
        slowest: list[Row] = []
        for name in HOSTILE:
            text = hostile(name)
            calibration = min(seconds(lambda text=text: (text.lower(), text.split())) for _ in range(3))
            spent, bound = worst(name, run)
            work = f"a hostile megabyte, {how}: {bound.constraint.id} on {name}"
            slowest.append(at_most(work, spent, "CPU-s", "str.lower and one split", calibration, 10))
        rows.append(max(slowest, key=lambda row: row.ratio))
    return rows


def main() -> None:
    """Print all figures."""
    instructions = restrictions()
    if GOLD.is_dir():
        texts = responses()
        total = throughput(texts, instructions)
        size = sum(len(text.encode()) for text in texts)
        print(f"{len(texts)} responses, {len(instructions)} verifiers, strict and loose: ", end="")
        print(f"{len(texts) / total:.0f} responses/s/core, {size / total / MEGABYTE:.2f} MB/s")
        found = shares(texts, instructions)
        whole = sum(found.values())
        for name, spent in sorted(found.items(), key=lambda item: -item[1]):
            print(f"  {spent / len(texts) * 1e6:7.1f} us {spent / whole:6.1%}  {name}")
    print(f"import of the task's functions: {import_seconds():.3f} s CPU")
    print("1 MB of one unit: CPU seconds of the slowest verifier (to those for half of it); strict and loose")
    for name in HOSTILE:
        strict, bound = worst(name)
        half = seconds(partial(verify, hostile(name, MEGABYTE // 2), bound))
        loose, slow_bound = worst(name, verify_loosely)
        print(f"  {strict:6.3f} (x{strict / half:.1f}) {bound.constraint.id:40}", end="")
        print(f"{loose:6.3f} {slow_bound.constraint.id:40} {name}", flush=True)


if __name__ == "__main__":
    main()
