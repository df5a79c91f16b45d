"""What the IFEval task definitions name: the data set and the scoring of one document.

No model is asked and nothing is downloaded to score an answer: see `scoring` and `constraints`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.ifeval import checking, dialects, echo, rows, scoring, sources
from lm_eval_ifeval_pt.ifeval.documents import graded, instructions
from lm_eval_ifeval_pt.ifeval.metrics import Asked, AskedInOwnWords, Outcomes, Turn
from lm_eval_ifeval_pt.npm.formula import normalised
from lm_eval_ifeval_pt.text import Text

if TYPE_CHECKING:
    from datasets import Dataset

Reasoning = Literal["remove", "keep"]

_CROSSED = "ifeval_pt"
"""The dialect of the data set whose base tasks are asked with every restriction."""


def load_dataset(
    dataset: str = "ifeval_pt",
    dialect: str = "ifeval_pt",
    mode: str = "pt",
    source: str = "bundled",
    unknown: rows.Policy = "error",
    invalid: rows.Policy = "error",
    aliases: Mapping[str, str] | None = None,
    reasoning: Reasoning = "remove",
    **_metadata: Any,
) -> dict[str, Dataset]:
    """The documents of an IFEval-style task, checked and resolved.

    All arguments are entries of the task's metadata, which `--metadata '{"source": "rows.jsonl"}'` overrides.

    Args:
        dataset: Which data set this is; see `sources`.
        dialect: How the rows write their instructions; see `dialects`.
        mode: `pt`, or `compat` where the dialect has it.
        source: `hub` (the published rows), `bundled` (of IFEval-pt: rows re-created from the card's recipe),
            a local .jsonl, .csv or .parquet file of the same schema, or another Hub id.
        unknown: `error` or `skip`: what to do with rows of which an instruction id is not known.
        invalid: `error` or `skip`: what to do with rows that cannot be verified, as for want of an argument.
            How many rows were left out is the metric `rows_left_out` of the results.
        aliases: Constraints by further instruction ids, for rows that name one otherwise.
        reasoning: `remove`: what a model thinks before its answer, up to `</think>`, is not graded (see
            `text.reasoning`); `keep`: all of its response is.
        **_metadata: The rest of the task's metadata, which the harness passes along.

    Returns:
        One split, `test`, with the columns of the rows, and dialect, mode, reasoning and rows_left_out.

    Raises:
        RowsError: the rows cannot be read or evaluated.
        DialectError: there is no such dialect or mode.
    """
    import datasets

    _require("unknown", unknown, get_args(rows.Policy))
    _require("invalid", invalid, get_args(rows.Policy))
    _require("reasoning", reasoning, get_args(Reasoning))
    spoken = dialects.with_aliases(dialects.get(dialect, mode), aliases or {})
    read = list(sources.read(dataset, source))
    resolved = rows.resolve(read, spoken, f"{dataset} ({source})", unknown, invalid)
    common = {
        "dialect": dialect,
        "mode": mode,
        "reasoning": reasoning,
        "rows_left_out": len(read) - len(resolved),
    }
    return {"test": datasets.Dataset.from_list([row | common for row in resolved])}


def _require(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise rows.RowsError(f'metadata "{name}" is {value!r}; it must be one of: {", ".join(allowed)}')


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
    """The metrics of one answered document.

    The verdicts with their evidence are added to `doc`, which the harness writes to samples_*.jsonl
    afterwards, where nothing else is logged that is not a metric. Evidence holds offsets into the response as
    logged.

    Args:
        doc: A document of `load_dataset`.
        results: The model's response, alone in a list.

    Returns:
        `prompt_level_{strict,loose}_acc` (0 or 1), `inst_level_{strict,loose}_acc`, `active_strict_acc` and
        `passive_strict_acc` (`Outcomes`), and `npm` (0 to 100; chance is 0).
        Of IFEval-pt, whose base tasks are asked with every restriction, also `ifeval_pt_corrected` (`Asked`: what
        asking gains over accident; see `accidental`), `ifeval_pt_own_words` and `ifeval_pt_corrected_own_words` (the
        same, strict, of what is left without what the answer repeats of its prompt) and `echo_rate` (whether it is
        mostly the prompt; see `echo`).
        Of a turn of a conversation also `conversation_strict_acc` (`Turn`: share of conversations of which
        all turns were followed) and `turn_{1,2,3}_strict_acc` (prompt level).
        Where rows were left out of the data set, how many: `rows_left_out`.
    """
    (response,) = results
    dialect = dialects.get(doc["dialect"], doc["mode"])
    text, bound = graded(doc, response), instructions(doc)
    scores = scoring.score(text, bound, dialect.variants)
    doc["verdicts"] = [verdict.as_dict() for verdict in checking.of_scores(scores).verdicts]
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
        **(_of_crossed(doc, text, bound, response, strict) if doc["dialect"] == _CROSSED else {}),
        **_of_conversation(doc, all(strict)),
        **({"rows_left_out": doc["rows_left_out"]} if doc.get("rows_left_out") else {}),
    }


def _of_crossed(
    doc: dict[str, Any], text: Text, bound: Sequence[Bound], response: str, strict: Sequence[bool]
) -> dict[str, Any]:
    """The metrics of a document whose base task is asked with every restriction; what is its echo is logged."""
    spans = echo.echoed(doc, text)
    own = echo.without(text, spans)
    followed = all(instruction.verify(own).followed for instruction in bound) if spans else all(strict)
    doc["echo"] = [list(span) for span in text.evidence(spans)]
    asked = _asked(doc)
    return {
        f"{_CROSSED}_corrected": Asked(asked, response, all(strict)),
        f"{_CROSSED}_own_words": float(followed),
        f"{_CROSSED}_corrected_own_words": AskedInOwnWords(asked, response, followed),
        "echo_rate": float(echo.is_echo(doc, text)),
    }


def _asked(doc: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a document that say how an answer is verified."""
    names = ("prompt", "instruction_id_list", "kwargs", "dialect", "mode", "reasoning")
    return {name: doc[name] for name in names if name in doc}


def _of_conversation(doc: Mapping[str, Any], followed: bool) -> dict[str, Any]:
    if doc.get("conversation") is None:
        return {}
    turns = {
        f"turn_{turn}_strict_acc": Outcomes([followed] if doc["turn"] == turn else []) for turn in (1, 2, 3)
    }
    return {"conversation_strict_acc": Turn(doc["conversation"], followed), **turns}
