"""What answers lose when what they repeat of their prompt is taken out: `python -m tests.quality.echo`.

On CAPITU's nine models (1,800 real answers): verdicts that were followed and are not on own words, and answers taken
for echoes. A model that answers should lose nothing. Needs the external data, like the other measurements here.
"""

from __future__ import annotations

from lm_eval_ifeval_pt.ifeval import dialects, echo
from lm_eval_ifeval_pt.text import Text
from tests.quality.gold import GOLD, rows


def main() -> None:
    """Print a line per model and the sum."""
    dialect = dialects.get("capitu")
    questions = {row["key"]: row for row in rows("capitu/input_questions.jsonl")}
    total = [0, 0, 0, 0]
    for path in sorted((GOLD / "capitu" / "runs").glob("*.jsonl")):
        counts = [0, 0, 0, 0]
        for row in rows(f"capitu/runs/{path.name}"):
            doc = questions[row["key"]]
            text = Text(row["response"])
            own = echo.own_words(doc, text)
            counts[0] += 1
            counts[1] += echo.is_echo(doc, text)
            for id, kwargs in zip(doc["instruction_id_list"], doc["kwargs"], strict=True):
                bound = dialect.bind(id, kwargs)
                counts[2] += (followed := bound.verify(text).followed)
                counts[3] += followed and not bound.verify(own).followed
        print(_line(path.stem, counts))
        total = [before + more for before, more in zip(total, counts, strict=True)]
    print(_line("all", total))


def _line(name: str, counts: list[int]) -> str:
    answers, echoes, followed, lost = counts
    return f"{name:20} {answers} answers, {echoes} echoes; {followed} followed verdicts, {lost} lost on own words"


if __name__ == "__main__":
    main()
