"""Size and speed of the item table: 12,000 multiple-choice documents, as MMLU has them.

    python -m tests.quality.reading

Printed: size of the sample file and of its Parquet file, seconds (of CPU) to read either.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from pathlib import Path

from lm_eval_ifeval_pt import results

SEED = 12
WORDS = ["a", "de", "que", "o", "casa", "rio", "cidade", "mar", "tempo", "governo", "água", "vida", "escola", "terra"]


def write(path: Path, documents: int, shots: int) -> Path:
    """A sample file of documents with four choices, whose prompt holds `shots` examples of its subject."""
    generator = random.Random(SEED)
    examples = [" ".join(generator.choices(WORDS, k=90)) for _ in range(57 * shots)]
    with path.open("w", encoding="utf-8") as lines:
        for number in range(documents):
            subject = number * 57 // documents
            question = " ".join(generator.choices(WORDS, k=40)) + f" {number}?"
            context = "\n\n".join([*examples[subject * shots : (subject + 1) * shots], question])
            choices = [" ".join(generator.choices(WORDS, k=6)) for _ in range(4)]
            answers = [[f"{-10 * generator.random():.10f}", "False"] for _ in choices]
            row = {
                "doc_id": number,
                "doc": {"question": question, "choices": choices, "answer": number % 4, "subject": str(subject)},
                "target": str(number % 4),
                "arguments": {
                    f"gen_args_{index}": {"arg_0": context, "arg_1": f" {choice}"}
                    for index, choice in enumerate(choices)
                },
                "resps": [[answer] for answer in answers],
                "filtered_resps": answers,
                "filter": "none",
                "metrics": ["acc", "acc_norm"],
                **{f"{name}_hash": generator.randbytes(32).hex() for name in ("doc", "prompt", "target")},
                "acc": float(generator.random() < 0.4),
                "acc_norm": float(generator.random() < 0.4),
            }
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def main() -> None:
    """Write, read, read again."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "samples_mmlu_2026-01-01T00-00-00.0.jsonl", documents=12_000, shots=5)
        print(f"seed {SEED}; sample file {path.stat().st_size / 1e6:.1f} MB")
        for source in ("sample file, Parquet file written", "Parquet file"):
            wall, cpu = time.perf_counter(), time.process_time()
            (run,) = results.read([path]).runs
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            print(f"{len(run.items)} items from {source}: {cpu:.2f} s of CPU, {wall:.2f} s")
        print(f"Parquet file {path.with_suffix('.parquet').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
