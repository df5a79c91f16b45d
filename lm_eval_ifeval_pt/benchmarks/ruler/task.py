"""What the RULER task definitions name: the data set and the scoring of one document."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from lm_eval_ifeval_pt.benchmarks.ruler import cwe, fwe, modes, needles, niah, templates, vt
from lm_eval_ifeval_pt.benchmarks.ruler.errors import RulerError
from lm_eval_ifeval_pt.benchmarks.ruler.haystack import Haystack, load
from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter, counter
from lm_eval_ifeval_pt.benchmarks.ruler.prompt import Maker
from lm_eval_ifeval_pt.benchmarks.ruler.samples import Sampler, Shape, rows
from lm_eval_ifeval_pt.benchmarks.ruler.words import own_list, vocabulary
from lm_eval_ifeval_pt.npm.formula import normalised
from lm_eval_ifeval_pt.text.reasoning import answer_start

if TYPE_CHECKING:
    import pyarrow as pa
    from datasets import Dataset

SHAPES: Mapping[str, Shape] = {
    **{name: Shape(name, answer=128) for name in needles.SETTINGS},
    "vt": Shape("vt", answer=30),
    "cwe": Shape("cwe", answer=120, delimiter=cwe.DELIMITER),
    "fwe": Shape("fwe", answer=50),
}
"""The eleven tasks, with the tokens for their answers as published."""

_CHUNK = 64
_GROUPED = re.compile(r"(?<![0-9.])[0-9]{1,3}(?:\.[0-9]{3})+(?![0-9])")
_CONTROL = re.compile(r"[\x00-\x1f]")


def load_dataset(
    ruler: str,
    max_seq_lengths: Sequence[int] = (4096,),
    ruler_version: str = "2026-03",
    haystack: str | None = None,
    num_samples: int = 500,
    mode: str = "full",
    words: str | None = None,
    keys: str | None = None,
    **metadata: Any,
) -> dict[str, Dataset]:
    """The documents of a RULER task, generated.

    All arguments are entries of the task's metadata, which `--metadata '{"max_seq_lengths": [1024, 2048]}'` overrides.

    Args:
        ruler: The task; see `SHAPES`.
        max_seq_lengths: The lengths: tokens of prompt and answer, at most.
        ruler_version: The generation of the prompts; see `templates`.
        haystack: The text that needles are hidden in; see `haystack.load`.
        num_samples: Samples of each length.
        mode: `full`, `nvidia` or `compat`; see `modes`.
        words: A text file with the words of `cwe`, one a line, in place of those of this package.
        keys: The same with the keys of needles, which else are an adjective and a noun.
        **metadata: The rest of the metadata and the model's arguments, of which one names the tokenizer; see
            `length.counter`.

    Returns:
        One split, `test`, with the columns index, input, outputs, length, max_length and gen_prefix.

    Raises:
        RulerError: no tokenizer is known, an argument is wrong, a length is too short, the haystack cannot be read.
    """
    import datasets
    import pyarrow as pa

    if ruler not in SHAPES:
        raise RulerError(f'metadata "ruler" is {ruler!r}; it must be one of: {", ".join(SHAPES)}')
    lengths = _positive("max_seq_lengths", max_seq_lengths)
    (count,) = _positive("num_samples", [num_samples])
    version = templates.version(ruler_version)
    setting = modes.mode(mode)
    tokens = counter(metadata)
    text = _haystack(ruler, haystack, tokens, max(lengths))
    shape = SHAPES[ruler]
    lists = Lists(
        vocabulary() if words is None else own_list("words", words),
        None if keys is None else own_list("keys", keys),
    )
    samples = [
        Sampler(shape, length, _maker(ruler, version, tokens, length, text, setting, lists), tokens)
        for length in lengths
    ]
    generated = rows(samples, count)
    # In chunks, since the rows of long prompts take several times the memory of their columns.
    table = pa.concat_tables([pa.Table.from_pylist(chunk) for chunk in _chunks(generated)])
    made = datasets.Dataset(table, split=datasets.Split.TEST, fingerprint=_fingerprint(table))
    return {"test": made}


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """The metrics of one answered document.

    Args:
        doc: A document of `load_dataset`.
        results: The model's response, alone in a list.

    Returns:
        `string_match` and, under the document's length, the same: the share of the outputs that the response
        contains, whatever the case of its letters; and `npm` (0 to 100; chance is 0). A thought is no answer, and
        a number may have points between its thousands.
    """
    (response,) = results
    answer = _CONTROL.sub("\n", response[answer_start(response) :].strip()).strip().lower()
    ungrouped = _GROUPED.sub(lambda number: number[0].replace(".", ""), answer)
    outputs = [output.lower() for output in doc["outputs"]]
    score = sum(output in answer or output in ungrouped for output in outputs) / len(outputs)
    return {str(doc["max_length"]): score, "string_match": score, "npm": normalised(score, random=0.0)}


class Lists(NamedTuple):
    """What is drawn from.

    Attributes:
        words: The words of `cwe`.
        keys: Of needles; None for an adjective and a noun.
    """

    words: Sequence[str]
    keys: Sequence[str] | None


def _maker(
    ruler: str,
    version: templates.Version,
    tokens: TokenCounter,
    length: int,
    text: Haystack | None,
    mode: modes.Mode,
    lists: Lists,
) -> Maker:
    match ruler:
        case "vt":
            return vt.maker(version, tokens, mode)
        case "cwe":
            return cwe.maker(lists.words, tokens, length, mode)
        case "fwe":
            return fwe.maker(tokens, length, mode)
    return niah.maker(ruler, version, tokens, length, text, mode, lists.keys)


def _haystack(ruler: str, source: str | None, tokens: TokenCounter, length: int) -> Haystack | None:
    if ruler not in needles.SETTINGS or needles.SETTINGS[ruler].where != "text":
        return None
    return Haystack(load(source), tokens, length)


def _fingerprint(table: pa.Table) -> str:
    """What `datasets` knows these rows by; its own way to find that takes longer than to make them."""
    digest = hashlib.sha256()
    for column in table.columns:
        for chunk in column.chunks:
            for buffer in filter(None, chunk.buffers()):
                digest.update(buffer)
    return digest.hexdigest()[:16]


def _positive(name: str, values: Any) -> list[int]:
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    if not listed or not all(type(value) is int and value > 0 for value in listed) or len(set(listed)) < len(listed):
        raise RulerError(f'metadata "{name}" is {values!r}; positive integers are expected, each once')
    return listed


def _chunks(generated: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while chunk := list(islice(generated, _CHUNK)):
        yield chunk
