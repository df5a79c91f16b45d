"""Recall and precision of finding planted copies of items in a corpus, and MB/s, beside other methods, in one run.

    python -m tests.quality.contamination [MB]

The items and the clean text are generated here; nothing of a benchmark is in either. Each item is planted in one way,
once. A method finds a copy when it names the item in the document where it stands; every other (document, item) pair
that it names is a false one. Of the methods that answer with a share, the threshold is written beside the name.

Others, written here from their descriptions: GPT-3's rule (any 13-gram; Brown et al. 2020, appendix C), datatrove's
filter (any 12-gram of the lower-cased text, by a set of hashes), and a plain Python set of 8-grams.
"""

from __future__ import annotations

import importlib.util
import json
import random
import re
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from lm_eval_ifeval_pt.contamination import corpus, evidence, index, matching, scan
from lm_eval_ifeval_pt.contamination.evidence import covered
from lm_eval_ifeval_pt.contamination.parts import Part
from lm_eval_ifeval_pt.corpus import dialogues
from tests.quality.row import NotMeasured, Row, faster

ITEMS = 1100
Pairs = set[tuple[int, int]]


def vocabulary(rng: random.Random) -> list[str]:
    """Words of Portuguese shape, with accents, so that texts share no more runs than real ones do."""
    onsets = ["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "br", "ch", "lh", "nh", "qu", "tr"]
    vowels, codas = ["a", "e", "i", "o", "u", "ã", "é", "ó", "ê"], ["", "", "s", "r", "m"]
    return sorted(
        {
            "".join(rng.choice(onsets) + rng.choice(vowels) for _ in range(rng.randint(1, 3))) + rng.choice(codas)
            for _ in range(30_000)
        }
    )


def sentence(rng: random.Random, words: Sequence[str], length: int) -> str:
    """A sentence whose words are distributed as in language: the k-th as often as 1/k."""
    drawn = [words[int(len(words) ** rng.random()) - 1] for _ in range(length)]
    if length > 6 and rng.random() < 0.5:
        drawn[length // 2] += ","
    return " ".join(drawn).capitalize() + "."


def items(rng: random.Random, words: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Questions of 20 to 60 words, each with four options of five to nine."""
    return [
        (
            " ".join(sentence(rng, words, rng.randint(10, 20)) for _ in range(rng.randint(2, 3))),
            [sentence(rng, words, rng.randint(5, 9)) for _ in range(4)],
        )
        for _ in range(ITEMS)
    ]


def changed(every: int) -> Callable[[random.Random, str, list[str], Sequence[str]], str]:
    """A copy in which one of so many words is another."""

    def change(rng: random.Random, question: str, options: list[str], words: Sequence[str]) -> str:
        copy = question.split()
        for start in range(0, len(copy), every):
            copy[rng.randrange(start, min(start + every, len(copy)))] = rng.choice(words)
        return " ".join(copy)

    return change


def without_accents(text: str) -> str:
    """The text as one types it without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


KINDS: dict[str, Callable[[random.Random, str, list[str], Sequence[str]], str]] = {
    "exact": lambda rng, question, options, words: question,
    "accents removed": lambda rng, question, options, words: without_accents(question),
    "capitals": lambda rng, question, options, words: question.upper(),
    "no punctuation": lambda rng, question, options, words: re.sub(r"[^\w\s]", "", question),
    "1 word in 20 changed": changed(20),
    "1 word in 10 changed": changed(10),
    "1 word in 5 changed": changed(5),
    "options reordered": lambda rng, question, options, words: f"{question} {' '.join(rng.sample(options, 4))}",
    "first half only": lambda rng, question, options, words: " ".join(question.split()[: len(question.split()) // 2]),
    "translated": lambda rng, question, options, words: " ".join(rng.choice(words) for _ in question.split()),
}


def planted(megabytes: float) -> tuple[list[str], list[bytes], dict[tuple[int, int], str], int]:
    """Questions, documents, which question stands in which document and how, and how many were not planted."""
    rng = random.Random(1)
    words = vocabulary(rng)
    rng.shuffle(words)
    made = items(rng, words)
    documents = []
    size = 0
    while size < megabytes * 1e6:
        document = "\n".join(
            " ".join(sentence(rng, words, rng.randint(6, 25)) for _ in range(rng.randint(2, 6))) for _ in range(4)
        )
        documents.append(document)
        size += len(document.encode())
    generated = [f"{prompt} {answer}" for prompt, answer in dialogues.dialogues(2, 300)]
    documents[: len(generated)] = generated
    where: dict[tuple[int, int], str] = {}
    places = rng.sample(range(len(documents)), 100 * len(KINDS))
    for number, place in enumerate(places):
        kind = list(KINDS)[number % len(KINDS)]
        question, options = made[number]
        before, _, after = documents[place].partition("\n")
        documents[place] = f"{before}\n{KINDS[kind](rng, question, options, words)}\n{after}"
        where[place, number] = kind
    return [question for question, _ in made], [document.encode() for document in documents], where, ITEMS - len(places)


def ours(made: index.Index, find: matching.Matcher, documents: Sequence[bytes], near: bool) -> Callable[[float], Pairs]:
    """The scanner; called with a threshold, the pairs with that share or more (or that nearness)."""
    shares: list[tuple[int, int, float]] = []
    for start in range(0, len(documents), 300):
        batch = documents[start : start + 300]
        hits = find(batch)
        bounds = [0, *(at for at, (a, b) in enumerate(pairwise(hits), 1) if a.document != b.document), len(hits)]
        for first, behind in pairwise(bounds):
            if first == behind:
                continue
            own = hits[first:behind]
            places_of = made.places([hit.run for hit in own])
            for seen in evidence.evidence(made, batch[own[0].document], own, places_of, near):
                words = len(made.texts[seen.text]) - int(made.excluded[seen.text])
                share = sum(b - a for a, b in covered(seen.runs, made.ngram)) / words
                shares.append((start + own[0].document, seen.text, max(share, seen.near or 0.0)))
    return lambda threshold: {(document, text) for document, text, share in shares if share >= threshold}


def owners_of(questions: Sequence[str], n: int) -> dict[int, list[int]]:
    """Which questions have each run of n words."""
    owners: dict[int, list[int]] = {}
    for number, question in enumerate(questions):
        for run in ngrams(lowered(question).split(), n):
            owners.setdefault(run, []).append(number)
    return owners


def any_ngram(owners: dict[int, list[int]], documents: Sequence[bytes], n: int) -> Pairs:
    """Any run of n words that is shared, by a Python dictionary."""
    return {
        (number, owner)
        for number, document in enumerate(documents)
        for run in ngrams(lowered(document.decode()).split(), n)
        if run in owners
        for owner in owners[run]
    }


def ngrams(words: Sequence[str], n: int) -> Iterable[int]:
    """The hashes of all runs of n words."""
    return (hash(tuple(words[start : start + n])) for start in range(len(words) - n + 1))


_PUNCTUATION = re.compile(r"[^\w\s]")


def lowered(text: str) -> str:
    """Lower case without punctuation, accents kept, as GPT-3's rule and datatrove's filter compare."""
    return _PUNCTUATION.sub(" ", text.lower())


def measure(megabytes: float = 8.0) -> list[tuple[str, dict[str, float], float, float]]:
    """Per method: recall by kind, precision, MB per CPU-second."""
    questions, documents, where, _ = planted(megabytes)
    size = sum(map(len, documents)) / 1e6
    of_kind = {kind: {pair for pair, named in where.items() if named == kind} for kind in KINDS}
    rows = []

    def row(name: str, pairs: Pairs, seconds: float) -> None:
        recall = {kind: len(pairs & wanted) / len(wanted) for kind, wanted in of_kind.items()}
        precision = len(pairs & where.keys()) / len(pairs) if pairs else 1.0
        rows.append((name, recall, precision, size / seconds))

    made = index.build([Part("planted", number, "question", text) for number, text in enumerate(questions)])
    for compiled, name in ((True, "numba"), (False, "numpy")):
        find = matching.matcher(made, compiled)
        find([documents[0]])  # compiles
        start = time.process_time()
        shares = ours(made, find, documents, near=False)
        seconds = time.process_time() - start
        row(f"ours, {name}: share >= .5", shares(0.5), seconds)
        if compiled:
            row("ours, numba: share >= .2", shares(0.2), seconds)
            start = time.process_time()
            nearness = ours(made, find, documents, near=True)
            row("ours, numba, --near: >= .5", nearness(0.5), time.process_time() - start)
    for name, n in (
        ("GPT-3's rule: any 13-gram", 13),
        ("datatrove's rule: any 12-gram", 12),
        ("Python set: any 8-gram", 8),
    ):
        owners = owners_of(questions, n)
        start = time.process_time()
        pairs = any_ngram(owners, documents, n)
        row(name, pairs, time.process_time() - start)
    return rows


def pipeline(megabytes: float, sought: int = 60_000) -> tuple[float, float]:
    """MB of text per CPU-second from JSON lines to tallies, with so many items, and of `str.lower` and one split."""
    rng = random.Random(3)
    words = vocabulary(rng)
    rng.shuffle(words)
    parts = [Part("made", number, "question", sentence(rng, words, rng.randint(20, 45))) for number in range(sought)]
    made = index.build(parts)
    find = matching.matcher(made, compiled=True)
    find([b"compiles"])
    texts = [" ".join(sentence(rng, words, 15) for _ in range(20)) for _ in range(2000)]
    for number in range(0, 2000, 20):  # one document in twenty has a copy
        texts[number] += parts[number].text
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "corpus.jsonl"
        with file.open("w", encoding="utf-8") as out:
            size = 0
            while size < megabytes * 1e6:
                out.writelines(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)
                size += sum(len(text.encode()) for text in texts)
        start = time.process_time()
        for piece in corpus.pieces(file):
            scan.scan_documents(made, find, corpus.documents(piece, "text", corpus.Read()), scan.ScanSettings())
        seconds = time.process_time() - start
    start = time.process_time()
    for text in texts:
        text.lower().split()
    return size / 1e6 / seconds, sum(len(text.encode()) for text in texts) / 1e6 / (time.process_time() - start)


def bench_rows() -> list[Row]:
    """The scan of JSON lines with 60,000 items."""
    if importlib.util.find_spec("numba") is None:
        raise NotMeasured("no numba: pip install 'lm_eval_ifeval_pt[contamination]'")
    speed, calibration = pipeline(100)
    work = "contamination: JSON lines to tallies, 60,000 items"
    return [faster(work, speed, "MB a CPU-s", "str.lower and one split", calibration)]


def main() -> None:
    """Print the table."""
    rows = measure(float(sys.argv[1]) if len(sys.argv) > 1 else 8.0)
    print("Planted copies of items, 100 of each kind; MB/s of text per CPU-second, all in this run, one core.\n")
    kinds = list(KINDS)
    print(f"| method | {' | '.join(kinds)} | precision | MB/s | times the set |")
    print(f"|---|{'---|' * (len(kinds) + 3)}")
    base = rows[-1][3]
    for name, recall, precision, speed in rows:
        cells = [f"{recall[kind]:.2f}" for kind in kinds]
        print(f"| {name} | {' | '.join(cells)} | {precision:.3f} | {speed:.1f} | {speed / base:.1f} |")
    speed, calibration = pipeline(100)
    print(
        f"\nFrom JSON lines to tallies with 60,000 items: {speed:.0f} MB/s of text per CPU-second, "
        f"{speed / calibration:.2f} times str.lower and one split of the same text ({calibration:.0f} MB/s)."
    )


if __name__ == "__main__":
    main()
