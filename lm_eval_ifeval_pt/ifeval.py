"""What the IFEval task definitions name: the data set and the scoring of one document.

No model is asked and nothing is downloaded to score an answer: see `scoring` and `constraints`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lm_eval_ifeval_pt import dialects, rows, scoring
from lm_eval_ifeval_pt.metrics import Outcomes
from lm_eval_ifeval_pt.npm import normalised
from lm_eval_ifeval_pt.paths import bundled
from lm_eval_ifeval_pt.text.reasoning import answer

if TYPE_CHECKING:
    from datasets import Dataset

HUB_ID = "Magurofg/ifeval-pt"
BUNDLED = "ifeval_pt/ifeval_pt_input_data.jsonl"


def load_dataset(
    dialect: str = "ifeval_pt",
    mode: str = "pt",
    source: str = "bundled",
    unknown: rows.Unknown = "error",
    **_metadata: Any,
) -> dict[str, Dataset]:
    """The documents of an IFEval-style task, checked and resolved.

    Args:
        dialect: How the rows write their instructions; see `dialects`.
        mode: `pt`, or `compat` where the dialect has it.
        source: `bundled` (rows re-created from the card's recipe), `hub` (the published rows of Magurofg/ifeval-pt),
            another Hub id, or a local .jsonl file. From the command line: `--metadata '{"source": "hub"}'`.
        unknown: `error` or `skip`: what to do with rows whose instruction id is not known.
        **_metadata: The rest of the task's metadata, which the harness passes along.

    Returns:
        One split, `test`, with the columns key, prompt, instruction_id_list, kwargs, dialect and mode.

    Raises:
        RowsError: the rows cannot be read or evaluated.
        DialectError: there is no such dialect or mode.
    """
    import datasets

    if unknown not in ("error", "skip"):
        raise rows.RowsError(f'metadata "unknown" is {unknown!r}; it must be "error" or "skip"')
    resolved = rows.resolve(_read(source), dialects.get(dialect, mode), source, unknown)
    return {"test": datasets.Dataset.from_list([row | {"dialect": dialect, "mode": mode} for row in resolved])}


def _read(source: str) -> list[dict[str, Any]]:
    if source == "bundled":
        return list(rows.read_jsonl(bundled("data") / BUNDLED))
    if Path(source).suffix in (".jsonl", ".json"):
        return list(rows.read_jsonl(Path(source)))
    import datasets

    hub_id = HUB_ID if source == "hub" else source
    try:
        splits = datasets.load_dataset(hub_id)
    except Exception as error:  # the Hub client raises many kinds; the person needs the source and a way out
        raise rows.RowsError(
            f"{hub_id}: cannot be loaded from the Hugging Face Hub ({type(error).__name__}: {error}). "
            'Offline, leave "source" out: the bundled rows need no network.'
        ) from error
    split = "test" if "test" in splits else next(iter(splits))
    return list(splits[split])


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
    """The metrics of one answered document.

    The verdicts with their evidence are added to `doc`, which the harness writes to samples_*.jsonl afterwards:
    the only place there for what is not a metric. Evidence holds offsets into the response as logged.

    Args:
        doc: A document of `load_dataset`.
        results: The model's response, alone in a list.

    Returns:
        `prompt_level_{strict,loose}_acc` (0 or 1), `inst_level_{strict,loose}_acc`, `active_strict_acc` and
        `passive_strict_acc` (`Outcomes`), and `npm` (0 to 100; chance is 0).
    """
    (response,) = results
    dialect = dialects.get(doc["dialect"], doc["mode"])
    instructions = [
        dialect.bind(id, kwargs) for id, kwargs in zip(doc["instruction_id_list"], doc["kwargs"], strict=True)
    ]
    scores = scoring.score(answer(response), instructions, dialect.variants)
    doc["verdicts"] = [
        {
            "instruction_id": score.instruction.constraint.id,
            "kind": score.instruction.kind,
            "strict": score.strict.as_dict(),
            "loose": score.loose.as_dict(),
        }
        for score in scores
    ]
    strict = [score.strict.followed for score in scores]
    loose = [score.loose.followed for score in scores]
    by_kind = {
        kind: Outcomes(score.strict.followed for score in scores if score.instruction.kind == kind)
        for kind in ("active", "passive")
    }
    return {
        "prompt_level_strict_acc": float(all(strict)),
        "inst_level_strict_acc": Outcomes(strict),
        "prompt_level_loose_acc": float(all(loose)),
        "inst_level_loose_acc": Outcomes(loose),
        "active_strict_acc": by_kind["active"],
        "passive_strict_acc": by_kind["passive"],
        "npm": normalised(float(all(strict)), random=0.0),
    }
