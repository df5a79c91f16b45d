"""`lm-eval-pt contamination`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.report.numbers import between, p_value, percent

if TYPE_CHECKING:
    from lm_eval_ifeval_pt.analysis.contaminated import SplitScore
    from lm_eval_ifeval_pt.cli.layout import Table
    from lm_eval_ifeval_pt.contamination.corpus import Piece
    from lm_eval_ifeval_pt.contamination.findings import Findings
    from lm_eval_ifeval_pt.results import Run

_ROLES = click.Choice(["question", "context", "options", "answer"])
_WORST = 15


@click.group("contamination", short_help="Find benchmark items in a training corpus.")
def command() -> None:
    """Find copies of benchmark items in a training corpus, and see what they do to scores.

    \b
    lm-eval-pt contamination scan 'corpus/**/*.parquet' --tasks tucano2_suite,ifeval_pt --output cont/
    lm-eval-pt contamination show cont/ --task enem
    lm-eval-pt table results/ --contamination cont/
    lm-eval-pt contamination hints --model_args pretrained=my/model --tasks enem     # without a corpus
    """


@command.command("scan", short_help="Read a corpus.")
@click.argument("patterns", nargs=-1, required=True, metavar="CORPUS...")
@click.option("--tasks", required=True, help="Tasks or groups whose documents are looked for, with commas.")
@click.option("--output", required=True, type=click.Path(path_type=Path), help="Folder of the findings.")
@click.option("--column", default="text", show_default=True, help="Column of the corpus that holds the text.")
@click.option("--include-path", multiple=True, type=click.Path(exists=True), help="Further task definitions.")
@click.option("--metadata", default="{}", help="As the harness's --metadata, e.g. '{\"source\": \"hub\"}'.")
@click.option("--near", is_flag=True, help="Also look for changed words around each run.")
@click.option("--with-text", is_flag=True, help="Keep texts of items and corpus in the findings.")
@click.option("--workers", type=click.IntRange(1), help="Processes.  [default: one per core]")
@click.option("--dry-run", is_flag=True, help="Only read the first megabyte of each kind of file.")
def scan(
    patterns: tuple[str, ...],
    tasks: str,
    output: Path,
    column: str,
    include_path: tuple[str, ...],
    metadata: str,
    near: bool,
    with_text: bool,
    workers: int | None,
    dry_run: bool,
) -> None:
    """Look for the documents of some tasks in a corpus: JSON lines, Parquet or text, also .gz and .zst.

    The same command goes on with a scan that was interrupted. Every hit is confirmed word by word; a paraphrase shares
    no run of words and cannot be found.
    """
    from lm_eval_ifeval_pt.contamination import corpus, findings, index, parts
    from lm_eval_ifeval_pt.contamination.scan import ScanSettings

    try:
        files = corpus.files(patterns)
        trials = corpus.trials(files, column)
        for trial in trials:
            size = trial.bytes / 2**20
            click.echo(f"{trial.path}: {trial.documents} documents in the first {size:.1f} MiB of text", err=True)
        gathered = parts.load([name.strip() for name in tasks.split(",")], include_path, _metadata(metadata))
        made = index.build(gathered)
        sought = sum(text >= 0 for text in made.text_of.tolist())
        click.echo(
            f"{len(gathered)} parts of documents, {len(gathered) - sought} of them too short to look for; "
            f"{len(made.hashes)} runs of {made.ngram} words",
            err=True,
        )
        if dry_run:
            return
        settings = ScanSettings(column, near, with_text)
        if findings.prepare(output, made, gathered, settings, patterns):
            click.echo(f"{output}: going on with the scan that is there", err=True)
        all_pieces, skipped = _pieces(files)
        _scan(output, all_pieces, settings, workers)
        result = findings.merge(output, gathered, all_pieces, settings, skipped)
    except (parts.TasksError, corpus.CorpusError, findings.ContaminationError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    _summarise(result)
    click.echo(f"Next: lm-eval-pt contamination show {output}", err=True)


def _metadata(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"--metadata is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise click.UsageError("--metadata must be a JSON object")
    return data


def _pieces(files: Sequence[Path]) -> tuple[list[Piece], list[str]]:
    from lm_eval_ifeval_pt.contamination import corpus

    pieces: list[Piece] = []
    skipped = []
    for path in files:
        try:
            pieces += corpus.pieces(path)
        except corpus.CorpusError as error:
            skipped.append(str(error))
    return pieces, skipped


def _scan(output: Path, pieces: Sequence[Piece], settings: Any, workers: int | None) -> None:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    from lm_eval_ifeval_pt.contamination.scan import Done
    from lm_eval_ifeval_pt.contamination.scan import scan as run

    columns = (
        TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeElapsedColumn(),
        TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True)) as bar:
        total = bar.add_task("reading", total=sum(piece.weight for piece in pieces))

        def progress(done: Done) -> None:
            bar.advance(total, done.piece.weight)
            if done.error:
                bar.console.print(f"left out: {done.error}", markup=False, highlight=False)

        run(output, pieces, settings, workers or 0, progress=progress)


def _summarise(findings: Findings) -> None:
    about = findings.about
    printing.notes(f"left out: {reason}" for reason in about["left_out"])
    counts = (
        ("without_text", "rows without text"),
        ("unreadable", "rows that are no JSON, left out"),
        ("other_encoding", "rows that are no UTF-8, read as Windows-1252"),
    )
    printing.notes(f"{about[name]} {meaning}" for name, meaning in counts if about[name])
    click.echo(
        f"{about['documents']} documents, {about['bytes'] / 1e6:.1f} MB of text in {about['files']} files; "
        f"{about['common_runs']} common phrases taken out",
        err=True,
    )


@command.command("hints", short_help="Ask the model itself; hints only.")
@click.option("--model", default="hf", show_default=True, help="A model of the harness that gives log-likelihoods.")
@click.option("--model_args", "--model-args", "model_args", required=True, help="As of lm_eval.")
@click.option("--tasks", required=True, help="Tasks or groups, with commas.")
@click.option("--batch_size", "--batch-size", "batch_size", default="1", show_default=True, help="As of lm_eval.")
@click.option("--device", help="As of lm_eval, e.g. cpu.")
@click.option("--include-path", multiple=True, type=click.Path(exists=True), help="Further task definitions.")
@click.option("--rewrites", type=click.Path(exists=True, path_type=Path), help="JSONL: question, rewrite.")
@click.option("--limit", type=click.IntRange(1), help="Documents of each task.")
@click.option("--seed", default=0, show_default=True, help="Of the random orders.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def hints(
    model: str,
    model_args: str,
    tasks: str,
    batch_size: str,
    device: str | None,
    include_path: tuple[str, ...],
    rewrites: Path | None,
    limit: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Without a corpus: does the model prefer the published order of options and rows, and the published wording?

    Small p-values are hints that a model has read a test, large ones are no proof that it has not.
    """
    from lm_eval_ifeval_pt.contamination import hints as hinting
    from lm_eval_ifeval_pt.contamination import parts

    try:
        gathered = parts.load([name.strip() for name in tasks.split(",")], include_path)
        wordings = _rewrites(rewrites) if rewrites else {}
    except parts.TasksError as error:
        raise click.UsageError(str(error)) from error
    if limit is not None:
        gathered = [part for part in gathered if part.doc_id < limit]
    try:
        opened = hinting.model_of(model, model_args, batch_size, device)
    except Exception as error:  # whatever a model's libraries raise
        reason = " ".join(str(error).split())[:300]
        raise click.UsageError(f"the model cannot be loaded ({type(error).__name__}: {reason})") from error
    rows = hinting.hints(opened, gathered, wordings, seed)
    if as_json:
        printing.as_json(rows)
        return
    table = printing.table(
        "Hints, no proofs: what the published form has more, in nats per character",
        *("task", "compared", "n", "preference", "p", "continued word by word %"),
        left=2,
    )
    for row in rows:
        continued = "–" if row.continued is None else percent(row.continued)
        table.add_row(row.task, row.kind, str(row.n), f"{row.preference:+.4f}", p_value(row.p_value), continued)
    printing.console().print(table)
    if rewrites is None:
        printing.notes(["completions are compared with rewritings only: --rewrites FILE"])


def _rewrites(path: Path) -> dict[str, str]:
    wordings = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            wordings[str(row["question"])] = str(row["rewrite"])
        except (ValueError, KeyError, TypeError) as error:
            wanted = '{"question": "…", "rewrite": "…"}'
            raise click.UsageError(f"{path}, line {number}: an object {wanted} is expected ({error})") from error
    return wordings


@command.command("show", short_help="Show what was found.")
@click.argument("folder", type=click.Path(path_type=Path), metavar="CONTAMINATION")
@click.option("--task", help="The items of one task, the most seen first.")
@click.option("--item", type=click.IntRange(0), help="One document of it: both texts, one above the other.")
@click.option("--part", "role", type=_ROLES, default="question", show_default=True, help="The part that decides.")
@click.option(
    "--results", type=click.Path(path_type=Path), multiple=True, help="Scores of these, at each threshold."
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def show(
    folder: Path, task: str | None, item: int | None, role: Any, results: tuple[Path, ...], as_json: bool
) -> None:
    """Show how much of each task a corpus holds, at several thresholds; the items of a task; one item."""
    from lm_eval_ifeval_pt.contamination import findings as reading

    try:
        findings = reading.read(folder)
    except reading.ContaminationError as error:
        raise click.UsageError(str(error)) from error
    if task is not None and task not in findings.tasks:
        raise click.UsageError(f"{task}: not looked for; the scan has: {', '.join(findings.tasks)}")
    if item is not None:
        if task is None:
            raise click.UsageError("--item needs --task")
        texts = [part.text for part in reading.parts_of(folder) if (part.task, part.doc_id) == (task, item)]
        _show_item(findings, task, item, texts)
    elif task is not None:
        _show_task(findings, task, role, as_json)
    else:
        _show_all(findings, role, as_json)
    if results:
        _show_sweep(findings, results, role)


def _show_all(findings: Findings, role: Any, as_json: bool) -> None:
    from lm_eval_ifeval_pt.analysis.contaminated import THRESHOLDS, seen_counts

    counts = [seen_counts(findings, task, role) for task in findings.tasks]
    rows = [
        {
            "task": of_task.task,
            "documents": of_task.documents,
            "sought": of_task.sought,
            **{f"{level:g}": of_task.at[level] for level in THRESHOLDS},
        }
        for of_task in counts
    ]
    if as_json:
        printing.as_json({"about": findings.about, "part": role, "tasks": rows})
        return
    _summarise(findings)
    levels = [f"≥ {level:g}" for level in THRESHOLDS]
    table = printing.table(
        f"Documents of which the corpus holds that share of the {role}'s words, in runs of "
        f"{findings.about['ngram']}",
        *("task", "documents", "looked for", *levels),
    )
    for of_task in counts:
        cells = [f"{of_task.at[level]} ({_share(of_task.at[level], of_task.sought)})" for level in THRESHOLDS]
        table.add_row(of_task.task, str(of_task.documents), str(of_task.sought), *cells)
    console = printing.console()
    console.print(table)
    console.print(
        "Too short texts are not looked for; paraphrases cannot be found. --task NAME lists items, --results DIR shows "
        "what each threshold does to scores.",
        style="dim",
    )


def _share(count: int, of: int) -> str:
    return f"{percent(count / of)} %" if of else "–"


def _show_task(findings: Findings, task: str, role: Any, as_json: bool) -> None:
    own = [part for part in findings.parts if part.task == task and part.role == role]
    worst = sorted(own, key=lambda part: (-max(part.share, part.near or 0.0), -part.longest, part.doc_id))
    met = [part for part in worst if part.documents]
    if as_json:
        printing.as_json({"task": task, "part": role, "items": met})
        return
    if not met:
        click.echo(f"{task}: no run of the {role} of any of its {len(own)} documents stands in the corpus")
        return
    table = printing.table(
        f"{task}: the {role} of {len(met)} of {len(own)} documents has runs in the corpus",
        *("item", "where", "words", "seen %", "in one document %", "longest run", "near %", "documents"),
        left=2,
    )
    for part in met[:_WORST]:
        table.add_row(
            str(part.doc_id),
            f"{part.path}:{part.row}",
            str(part.words),
            percent(part.share),
            percent(part.best),
            str(part.longest),
            "–" if part.near is None else percent(part.near),
            str(part.documents),
        )
    console = printing.console()
    console.print(table)
    if len(met) > _WORST:
        console.print(f"{len(met) - _WORST} more; --json has them all.", style="dim")
    console.print(f"Both texts: --task {task} --item {met[0].doc_id}", style="dim")


def _show_item(findings: Findings, task: str, item: int, texts: Sequence[str]) -> None:
    own = [part for part in findings.parts if (part.task, part.doc_id) == (task, item)]
    if not own:
        raise click.UsageError(f"{task} has no document {item}")
    console = printing.console()
    kept = [part.text for part in own if part.text] or texts or [""] * len(own)
    for part, text in zip(own, kept, strict=True):
        status = f"{percent(part.share)} % of {part.words} words seen" if part.sought else "not looked for"
        console.print(f"\n{part.role}: {status}", style="bold")
        if text:
            console.print(f"  {printing.visible(text)}", soft_wrap=True)
        for hit in findings.hits:
            if (hit.task, hit.doc_id, hit.role, hit.text_hash) == (task, item, part.role, part.text_hash):
                console.print(
                    f"  {hit.path}, row {hit.row}, character {hit.offset}: {percent(hit.share)} %, "
                    f"{hit.longest} words in a row",
                    style="dim",
                    soft_wrap=True,
                )
                console.print(f"  » {printing.visible(hit.snippet or _from_corpus(findings, hit))}", soft_wrap=True)
    if not any(kept):
        console.print("\nThe findings hold no texts of items; scan with --with-text to keep them.", style="dim")


def _from_corpus(findings: Findings, hit: Any) -> str:
    """The beginning of the document's part, read from the corpus again where it still is."""
    from lm_eval_ifeval_pt.contamination import corpus
    from lm_eval_ifeval_pt.contamination.scan import snippet

    path = Path(hit.path)
    if not path.exists():
        return "(the corpus is not here any more)"
    row = 1
    for piece in corpus.pieces(path):
        read = corpus.Read()
        for document in corpus.documents(piece, findings.about["settings"]["column"], read):
            if row + document.row == hit.row:
                return snippet(document, hit.offset)
        row += read.rows
    return "(the corpus has changed)"


def _show_sweep(findings: Findings, paths: Sequence[Path], role: Any) -> None:
    from lm_eval_ifeval_pt import results
    from lm_eval_ifeval_pt.analysis.contaminated import sweep

    try:
        reading = results.read(paths)
    except results.ResultsError as error:
        raise click.UsageError(str(error)) from error
    printing.notes(reading.notes)
    rows, reasons = [], []
    for run in reading.runs:
        try:
            rows += sweep(run, findings, role)
        except results.ResultsError as error:
            reasons.append(str(error))
    printing.notes(dict.fromkeys(reasons))
    printing.console().print(_scores_table("Scores at each threshold", rows, with_threshold=True))


def print_scores(runs: Sequence[Run], folder: Path, threshold: float, as_json: bool) -> None:
    """Scores of all, clean and seen items, of each run and of the difference of two runs of one task.

    Raises:
        click.UsageError: the folder holds no findings.
    """
    from lm_eval_ifeval_pt import results
    from lm_eval_ifeval_pt.analysis.contaminated import split_score
    from lm_eval_ifeval_pt.analysis.pairing import NotComparable
    from lm_eval_ifeval_pt.contamination import findings as reading

    try:
        findings = reading.read(folder)
    except reading.ContaminationError as error:
        raise click.UsageError(str(error)) from error
    rows, named, reasons = [], [], []
    by_task: dict[str, list[Run]] = {}
    for run in runs:
        by_task.setdefault(run.task, []).append(run)
    for own in by_task.values():
        groups = [(run.model, [run]) for run in own]
        if len(own) == 2:  # a short name for the difference of two long ones
            groups = [(f"A: {own[0].model}", own[:1]), (f"B: {own[1].model}", own[1:]), ("A - B", own)]
        for name, group in groups:
            try:
                rows.append(split_score(group, findings, threshold))
                named.append(replace(rows[-1], model=name))
            except (results.ResultsError, NotComparable) as error:
                reasons.append(str(error))
    printing.notes(dict.fromkeys(reasons))
    if not rows:
        raise click.UsageError("no run of a task that the scan looked for")
    if as_json:
        printing.as_json(rows)
        return
    console = printing.console()
    console.print(_scores_table(f"Seen: {percent(threshold, 0)} % of the question's words or more", named))
    console.print(
        "Seen and clean items are different items: seen ones may be easier by themselves. A model that cannot have "
        "read the corpus shows by how much; give both, and the row A - B takes it out.",
        style="dim",
    )


def _scores_table(title: str, rows: Sequence[SplitScore], with_threshold: bool = False) -> Table:
    names = ("task", "model", "metric")
    extra = ("seen from",) if with_threshold else ()
    others = " or ".join(dict.fromkeys(row.population for row in rows))
    table = printing.table(
        title,
        *(*names, *extra, "all %", "clean %", "n clean", "seen %", "n seen", "seen - clean", f"95 % CI, {others}", "p"),
        left=3,
        spare=("all %", "metric", "p"),
    )
    for row in rows:
        low, high = row.difference.interval
        table.add_row(
            row.task,
            row.model,
            row.metric,
            *([f"{row.threshold:g}"] if with_threshold else []),
            *("–" if side is None else percent(side.value) for side in (row.all, row.clean)),
            str(row.clean.n if row.clean else 0),
            "–" if row.seen is None else percent(row.seen.value),
            str(row.seen.n if row.seen else 0),
            percent(row.difference.value),
            between((100 * low, 100 * high), ".1f"),
            p_value(row.difference.p_value),
        )
    return table
