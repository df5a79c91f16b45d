"""A step for datatrove pipelines, so that its local, Slurm and Ray executors carry the scan over terabytes.

    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import ParquetReader
    from lm_eval_ifeval_pt.contamination.datatrove_step import ContaminationScan, finish, prepare

    prepare("cont/", ["tucano2_suite", "ifeval_pt"])
    LocalPipelineExecutor([ParquetReader("corpus/"), ContaminationScan("cont/")], tasks=64).run()
    finish("cont/")

The documents pass through unchanged. Each rank leaves one tally behind, whole or not at all; `finish` adds them up,
exactly as a scan without datatrove does. Needs the extra `datatrove`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from datatrove.pipeline.base import PipelineStep

from lm_eval_ifeval_pt.contamination import findings, index, parts
from lm_eval_ifeval_pt.contamination.corpus import Document, Read
from lm_eval_ifeval_pt.contamination.findings import ContaminationError, Findings
from lm_eval_ifeval_pt.contamination.index import Index
from lm_eval_ifeval_pt.contamination.matching import matcher
from lm_eval_ifeval_pt.contamination.scan import ScanSettings, scan_documents, write_tally


def prepare(
    folder: str | Path,
    tasks: Sequence[str],
    include: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    settings: ScanSettings | None = None,
) -> None:
    """Load the documents of some tasks and write their index into a folder that all ranks see.

    Args:
        folder: A new folder.
        tasks: As of `parts.load`, which also explains the next two.
        include: Folders of further task definitions.
        metadata: As the harness's `--metadata`.
        settings: Nearness and kept texts; the column is the reader's business.

    Raises:
        TasksError: a task is unknown or its data cannot be loaded.
        ContaminationError: the folder holds something else.
    """
    wanted = parts.load(tasks, include, metadata)
    findings.prepare(Path(folder), index.build(wanted), wanted, settings or ScanSettings(), ["datatrove"])


class ContaminationScan(PipelineStep):  # type: ignore[misc]  # datatrove is untyped
    """Looks for the items of a prepared folder in the documents that pass.

    Args:
        folder: As of `prepare`.
        compiled: As of `matching.matcher`.
    """

    name = "contamination of benchmarks"
    type = "scan"

    def __init__(self, folder: str | Path, compiled: bool | None = None) -> None:
        super().__init__()
        self.folder, self.compiled = str(folder), compiled

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Yield the documents as they come; write the rank's tallies at the end, one for each file it read."""
        folder = Path(self.folder)
        opened = Index.open(folder / "index")
        find = matcher(opened, self.compiled)
        settings = findings.settings_of(folder)
        by_file: dict[str, list[Document]] = defaultdict(list)
        reads: dict[str, Read] = defaultdict(Read)
        tallies: dict[str, Any] = {}

        def count(path: str) -> None:
            tally = scan_documents(opened, find, iter(by_file.pop(path)), settings)
            tallies[path] = tallies[path].plus(tally) if path in tallies else tally

        for document in data or ():
            path = str(document.metadata.get("file_path", "datatrove"))
            read = reads[path]
            text = document.text.encode("utf-8", "surrogatepass")
            by_file[path].append(Document(text, read.rows))
            read.rows += 1
            read.bytes += len(text)
            if len(by_file[path]) >= 1000:
                count(path)
            yield document
        for path in list(by_file):
            count(path)
        for number, (path, tally) in enumerate(sorted(tallies.items())):
            target = folder / "pieces" / f"rank-{rank:05d}-{number:05d}.json"
            write_tally(target, path, tally.as_dict(), reads[path])


def finish(folder: str | Path) -> Findings:
    """Add up what the ranks left behind, and write the findings.

    Raises:
        ContaminationError: no rank has left anything.
    """
    folder = Path(folder)
    tallies = sorted((folder / "pieces").glob("rank-*.json"))
    if not tallies:
        raise ContaminationError(f"{folder}: no rank has finished; run the pipeline first")
    return findings.merge_tallies(folder, findings.parts_of(folder), tallies, findings.settings_of(folder))
