"""What answers without any skill score on IFEval-pt, and what is left of it once corrected for accident.

`python -m tests.quality.parrot` prints both for a fixed sentence, and for a model that repeats the prompt.
"""

from __future__ import annotations

from lm_eval_ifeval_pt import ifeval
from lm_eval_ifeval_pt.ifeval import crossing
from tests.runs import Answerer, parrot


def scores(answer: Answerer) -> tuple[float, float]:
    """The strict accuracy of the bundled prompts, and `ifeval_pt_corrected`, of a model that answers so."""
    answered = [(doc, answer(doc)) for doc in ifeval.load_dataset()["test"]]
    strict = [ifeval.process_results(dict(doc), [response])["prompt_level_strict_acc"] for doc, response in answered]
    return sum(strict) / len(strict), crossing.overall(crossing.cells_of(answered)).value


def main() -> None:
    """Print a line for each."""
    for name, answer in (("fixed sentence", parrot), ("the prompt again", lambda doc: doc["prompt"])):
        strict, corrected = scores(answer)
        print(f"{name:18} prompt_level_strict_acc {strict:6.1%}   ifeval_pt_corrected {corrected:6.1%}")


if __name__ == "__main__":
    main()
