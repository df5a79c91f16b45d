"""The cost of a report on 30 models × 12 tasks, and of opening it: `python -m tests.quality.report_bench`."""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.npm.baselines import BASELINES
from tests import runs
from tests.quality.row import Row, at_most, in_loops

CHOICES = (
    "enem", "bluex", "oab_exams", "arc_challenge_poly_pt", "belebele_pt", "mmlu_poly_pt", "hellaswag_poly_pt",
    "assin2_rte", "hatebr_offensive",
)  # fmt: skip
WRITTEN = ("gsm8k_pt", "squad_pt")
MOST_CPU_SECONDS, MOST_MEGABYTES, MOST_SECONDS_TO_OPEN = 8.0, 3, 1.5
SUBJECTS = ("história", "física", "química", "português", "matemática")
WORDS = (runs.ANSWERS.read_text(encoding="utf-8").replace('"', " ").replace("\\n", " ").split())[:4000]


def write(folder: Path, models: int, tasks: int = 12, documents: int = 150) -> Path:
    """Output folders of models of rising skill on ifeval_pt and on tasks of choices and of written answers."""
    for number in range(models):
        share = 0.2 + 0.7 * number / max(models - 1, 1)
        name = f"uma-organizacao/modelo-{'abcdefghij'[number % 10]}-instruct-{number + 1}b-v1.{number // 10}"
        inside = runs.write(folder, name, runs.careful(share, seed=number), documents)
        for task in (*CHOICES, *WRITTEN)[: tasks - 1]:
            _write_task(inside, name, task, share, documents, number)
    return folder


def _write_task(folder: Path, model: str, task: str, share: float, documents: int, seed: int) -> None:
    metric = BASELINES[task].metric if task in BASELINES else "exact_match" if task in WRITTEN else "acc"
    texts, luck = random.Random(task), random.Random(f"{task} {seed}")
    rows = []
    for number in range(documents):
        question = " ".join(texts.choices(WORDS, k=60))
        is_right = luck.random() < share
        rows.append(_row(number, question, texts, luck, is_right, metric))
    rate = sum(row[metric] for row in rows) / documents
    date = runs.DATE
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / f"samples_{task}_{date}.jsonl").write_text(lines, encoding="utf-8")
    path = folder / f"results_{date}.json"
    result = json.loads(path.read_text(encoding="utf-8"))
    result["results"][task] = {"alias": task, f"{metric},none": rate, f"{metric}_stderr,none": 0.03}
    result["n-samples"][task] = {"original": documents, "effective": documents}
    result["n-samples"]["ifeval_pt"] = {"original": documents, "effective": documents}
    result["versions"][task], result["n-shot"][task] = 1.0, 0
    path.write_text(json.dumps(result), encoding="utf-8")


def _row(
    number: int, question: str, texts: random.Random, luck: random.Random, is_right: bool, metric: str
) -> dict[str, Any]:
    key = texts.randrange(4)
    doc = {"id": number, "question": question, "subject": SUBJECTS[number % len(SUBJECTS)], "label": "ABCD"[key]}
    prompt = f"Exemplo: dois mais dois?\nResposta: quatro\n\nPergunta: {question}\nResposta:"
    common = {
        "doc_id": number, "doc": doc, "filter": "none", "metrics": [metric], metric: float(is_right),
        "doc_hash": f"{number:064x}", "prompt_hash": f"{number + 1000:064x}", "target_hash": f"{key:064x}",
    }  # fmt: skip
    if metric not in ("acc", "acc_norm"):
        answer = " ".join(luck.choices(WORDS, k=40))
        return common | {
            "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {}}}, "target": str(key),
            "resps": [[answer]], "filtered_resps": [answer],
        }  # fmt: skip
    chosen = key if is_right else (key + 1 + luck.randrange(3)) % 4
    values = [-0.5 - luck.random() if place == chosen else -2 - luck.random() for place in range(4)]
    answers = [[f"{value:.4f}", "False"] for value in values]
    return common | {
        "arguments": {f"gen_args_{place}": {"arg_0": prompt, "arg_1": f" {'ABCD'[place]}"} for place in range(4)},
        "target": str(key), "resps": [[one] for one in answers], "filtered_resps": answers,
    }  # fmt: skip


def measure(models: int = 30, tasks: int = 12) -> dict[str, float]:
    """CPU seconds of the command, megabytes of the page, seconds until it is ready; NaN without a browser."""
    with tempfile.TemporaryDirectory() as name:
        folder = write(Path(name) / "runs", models, tasks)
        page = Path(name) / "report.html"
        before = os.times()
        code = "import sys; from lm_eval_ifeval_pt.cli import main; sys.exit(main())"
        command = [sys.executable, "-c", code, "report", str(folder), "-o", str(page)]
        subprocess.run(command, check=True, capture_output=True)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        return {"cpu_seconds": spent, "megabytes": page.stat().st_size / 1e6, "opens_in": opened(page)}


def opened(page: Path) -> float:
    """The seconds from asking a headless Chromium for the page until it says that it is ready."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        return float("nan")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        browser.get("about:blank")
        started = time.perf_counter()
        browser.get(page.as_uri())
        while browser.execute_script("return document.documentElement.dataset.ready") is None:
            time.sleep(0.01)
        return time.perf_counter() - started
    finally:
        browser.quit()


def bench_rows(models: int = 30, tasks: int = 12) -> list[Row]:
    """The command, the size of its page, and the time until a browser shows it."""
    figures = measure(models, tasks)
    work = f"report of {models} models x {tasks} tasks"
    rows = [
        in_loops(work, figures["cpu_seconds"], MOST_CPU_SECONDS),
        at_most(f"{work}: size", figures["megabytes"], "MB", "one megabyte", 1.0, MOST_MEGABYTES),
    ]
    if not math.isnan(figures["opens_in"]):
        shown = f"{work}: until it is shown"
        rows.append(in_loops(shown, figures["opens_in"], MOST_SECONDS_TO_OPEN, unit="wall s"))
    return rows


def main() -> None:
    """Print the figures beside their bars."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=30)
    parser.add_argument("--tasks", type=int, default=12)
    arguments = parser.parse_args()
    figures = measure(arguments.models, arguments.tasks)
    print(
        f"report of {arguments.models} models x {arguments.tasks} tasks: "
        f"{figures['cpu_seconds']:.1f} CPU-s (bar {MOST_CPU_SECONDS:g}), "
        f"{figures['megabytes']:.2f} MB (bar {MOST_MEGABYTES}), "
        f"ready after {figures['opens_in']:.2f} s (bar {MOST_SECONDS_TO_OPEN})"
    )


if __name__ == "__main__":
    main()
