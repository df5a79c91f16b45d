"""What the parts of a suite cost on ten thousand rows: `python -m tests.quality.bench --only suite`.

CPU seconds of this process and of the program's, which a sandbox hides: the program tells its own.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.benchmarks.sandbox import SandboxError
from lm_eval_ifeval_pt.suite.documents import documents
from lm_eval_ifeval_pt.suite.errors import SuiteError
from lm_eval_ifeval_pt.suite.programs import programs
from lm_eval_ifeval_pt.suite.scoring import OutputSample, score
from tests.quality.row import NotMeasured, Row, in_loops

ROWS = 10_000
GOAL = 20.0
"""CPU seconds that a trivial grader may take."""

NUMERIC = {"type": "builtin", "id": "numeric"}
_GRADE = (
    "import time\n"
    "def grade(sample, item):\n"
    "    right = float(sample['extracted_output'] == item['target'])\n"
    "    return {'scores': {'right': right, 'cpu': time.process_time()}}\n"
)
_PREPARE = "import time\ndef transform(row):\n    return dict(row, q=row['q'] + '?', cpu=time.process_time())\n"


def bench_rows() -> list[Row]:
    """Prompts with and without a preprocessor and shots; a grader in the sandbox and one of this package.

    Raises:
        NotMeasured: there is no sandbox here.
    """
    try:
        runner = programs(trust_code=False)
    except (SandboxError, SuiteError) as error:
        raise NotMeasured(str(error)) from error
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = (json.dumps({"q": f"Quanto é {n} + 1", "a": str(n + 1)}) + "\n" for n in range(ROWS))
        (folder / "rows.jsonl").write_text("".join(lines), encoding="utf-8")
        dataset = {"file": "rows.jsonl", "format": "jsonl"}

        def made(**further: Any) -> Any:
            return documents(dataset, "{{q}}", "{{a}}", runner, folder, **further)

        shots = {"count": 5, "prompt_template": "{{q}}", "target_template": "{{a}}", "separator": "\n\n"}
        shots |= {"example_template": "{{prompt}}\n{{target}}", "strategy": "random", "seed": 0}
        docs = list(made())
        outputs = [f"A resposta é {doc['target']}." for doc in docs]

        def graded(grader: dict[str, Any], *metrics: str) -> list[OutputSample]:
            listed = [{"id": id} for id in metrics]
            spec = {"output_extraction": {"type": "number"}, "grader": grader, "metrics": listed}
            samples = [OutputSample(*pair) for pair in zip(outputs, docs, strict=True)]
            score(samples, spec, runner)
            return samples

        def prepared() -> float:
            return float(made(preprocess={"type": "python", "contract": "row", "source": _PREPARE})[-1]["row"]["cpu"])

        def by_program() -> float:
            return graded({"type": "python", "source": _GRADE}, "right", "cpu")[-1].scores["cpu"]

        of = f"of {ROWS:,} rows"
        return [
            in_loops(f"suite: prompts {of}", seconds(made)),
            in_loops(f"suite: prompts {of}, five random shots", seconds(lambda: made(fewshot=shots))),
            in_loops(f"suite: prompts {of}, prepared in the sandbox", seconds(prepared), GOAL),
            in_loops(f"suite: scores {of}, grader in the sandbox", seconds(by_program), GOAL),
            in_loops(f"suite: scores {of}, numeric", seconds(lambda: graded(NUMERIC, "numeric"))),
        ]


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of some work, with those of another process, if that is what it returns."""
    before = time.process_time()
    others = work()
    return time.process_time() - before + (others if isinstance(others, float) else 0.0)


if __name__ == "__main__":
    for row in bench_rows():
        print(f"{row.work}: {row.ours:.2f} {row.unit}")
