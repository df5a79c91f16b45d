"""`lm-eval-pt sweep`."""

from __future__ import annotations

import json
import math
import os
import signal
import time
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.curves import points, subset
from lm_eval_ifeval_pt.results import ResultsError
from lm_eval_ifeval_pt.sweep import checkpoints, local, plan, slurm, status
from lm_eval_ifeval_pt.sweep.checkpoints import Checkpoint, Unready, Weights
from lm_eval_ifeval_pt.sweep.errors import SweepError
from lm_eval_ifeval_pt.sweep.folder import FORGIVEN, Folder, read_cell
from lm_eval_ifeval_pt.sweep.owner import Owner
from lm_eval_ifeval_pt.sweep.plan import Plan
from lm_eval_ifeval_pt.sweep.settings import Settings
from lm_eval_ifeval_pt.sweep.status import CellStatus

_FAILED, _UNFINISHED = 3, 4


@click.command("sweep", short_help="Evaluate many checkpoints, resumably.")
@click.argument("sources", nargs=-1, metavar="[CHECKPOINTS...]")
@click.option("--tasks", help="Tasks, groups and tags of the harness, separated by commas.")
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), help="The sweep's folder.")
@click.option("--model", default="hf", show_default=True, help="The harness's model class; hf-shared is the fastest.")
@click.option("--model_args", "--model-args", default="", help="As lm_eval's, without pretrained: dtype=float16,…")
@click.option("--batch_size", "--batch-size", default="1", show_default=True, help="A number, or auto.")
@click.option("--max_batch_size", "--max-batch-size", type=int, help="Of auto.")
@click.option("--device", help="As lm_eval's: cpu, cuda, …")
@click.option("--num_fewshot", "--num-fewshot", type=click.IntRange(0), help="Shots, in place of the tasks' own.")
@click.option("--limit", type=float, help="Only so many documents a task: no score on the task.")
@click.option("--gen_kwargs", "--gen-kwargs", default="", help="As lm_eval's: max_gen_toks=256,…")
@click.option("--apply_chat_template", "--apply-chat-template", is_flag=True, help="Prompts are chats.")
@click.option("--system_instruction", "--system-instruction", help="A system message.")
@click.option("--metadata", default="{}", help="As lm_eval's, a JSON object.")
@click.option("--include_path", "--include-path", multiple=True, help="A folder of further task definitions.")
@click.option("--seed", default="0,1234,1234,1234", show_default=True, help="Of random, numpy, torch, shots.")
@click.option("--confirm_run_unsafe_code", "--confirm-run-unsafe-code", is_flag=True, help="Allow tasks that run code.")
@click.option("--revisions", help="A pattern of revisions; CHECKPOINTS is then a Hub repository.")
@click.option("--tokens-per-step", type=float, help="Training tokens of a step.")
@click.option("--tokens", "token_file", type=click.Path(path_type=Path, dir_okay=False), help="CSV: checkpoint,tokens.")
@click.option("--slots", type=click.IntRange(1), help="Workers at a time; by default one per GPU, or one.")
@click.option("--gpus-per-worker", type=click.IntRange(1), default=1, show_default=True)
@click.option("--retries", type=click.IntRange(0), default=2, show_default=True, help="Of a failed cell.")
@click.option("--take-over", is_flag=True, help="Take cells from workers that may still live elsewhere.")
@click.option("--retry-failed", is_flag=True, help="Try cells again that failed for good.")
@click.option("--watch", is_flag=True, help="Go on with checkpoints as they appear; Ctrl+C ends it.")
@click.option("--settle", type=float, default=60, show_default=True, help="--watch: seconds without a change.")
@click.option("--poll", type=float, default=30, show_default=True, help="--watch: seconds between looks.")
@click.option("--executor", type=click.Choice(["local", "slurm"]), default="local", show_default=True)
@click.option("--slurm", "slurm_options", default="", help="Options of sbatch: partition=gpu,time=04:00:00,gres=gpu:1")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="slurm: jobs of the array.")
@click.option("--print", "only_print", is_flag=True, help="slurm: write and print the script, submit nothing.")
@click.option("--dry-run", is_flag=True, help="Say what would be evaluated, and stop.")
@click.option("--status", "status_of", type=click.Path(path_type=Path, file_okay=False), help="How far a sweep is.")
@click.option("--plan", "plan_of", type=click.Path(path_type=Path, file_okay=False), help="Which tasks would do.")
@click.option("--explain", is_flag=True, help="Why a cell is to be evaluated: what of its key differs.")
@click.option("--json", "as_json", is_flag=True, help="--status and --plan as JSON.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Evaluate checkpoints on tasks; what was evaluated before with the same settings is not evaluated again.

    CHECKPOINTS are folders with config.json and weights, or folders that hold such; with --revisions a Hub repository.
    Call the same command again to go on after an interruption; call it with more tasks or checkpoints to add them.

    Exit codes: 0 all done, 2 nothing could be done, 3 some cells failed, 4 some are not done yet.
    """
    try:
        if given["status_of"]:
            ctx.exit(_status(Folder(given["status_of"]), given["explain"], given["as_json"]))
        if given["plan_of"]:
            ctx.exit(_plan(given["plan_of"], given["as_json"]))
        ctx.exit(_Sweep(given).run())
    except SweepError as error:
        raise click.ClickException(str(error)) from error


class _Sweep:
    """One call of the command."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        for name, option in (("sources", "CHECKPOINTS"), ("tasks", "--tasks"), ("output", "--output")):
            if not given[name]:
                raise SweepError(f"{option} is missing; `lm-eval-pt sweep --help` tells more")
        self.settings = settings(given)
        self.folder = Folder(Path(given["output"]).resolve())
        self.told: set[str] = set()
        self.weights: dict[Path, tuple[str, Weights]] = {}

    def run(self) -> int:
        """Plan, say what is planned, evaluate, and say what came of it."""
        complete, unready = self._checkpoints()
        if not complete and not self.given["watch"]:
            raise SweepError("; ".join(f"{folder.path}: {folder.reason}" for folder in unready))
        wanted = [name.strip() for name in self.given["tasks"].split(",") if name.strip()]
        made = plan.make(wanted, self.settings, complete[0] if complete else None, self.given["retries"], os.getcwd())
        cells = made.cells(complete)
        self._say_plan(made, complete, unready)
        if self.given["dry_run"] or self.given["explain"]:
            self.folder.index()
            for line in (CellStatus(cell, self.folder.state(cell, made.retries)) for cell in cells):
                why = "" if line.state.status == "done" else f": {status.explanation(self.folder, line)}"
                click.echo(f"{line.state.status:8} {line.cell.label}{why}")
            return 0
        self.folder.add(made, complete)
        self._free(made)
        self.folder.clean_up((line.cell, line.state) for line in status.of_plan(self.folder, made))
        if self.given["executor"] == "slurm":
            return self._slurm(made)
        places = self._places()
        tick = self._ticker(made, len(places))
        signal.signal(signal.SIGTERM, _interrupt)
        fine = True
        try:
            fine = local.run(self.folder, made, places, tick, stay=self.given["watch"])
        except KeyboardInterrupt:
            click.echo("stopped; cells in flight were given back", err=True)
        tick()  # what ended last
        code = self._summary(made, unready)
        if not fine:
            click.echo(f"a worker could not go on: see {self.folder.path / 'workers'}", err=True)
            return 2
        return code

    # ---- what there is

    def _checkpoints(self) -> tuple[list[Checkpoint], list[Unready]]:
        """The checkpoints with their fingerprints, and what is no checkpoint yet."""
        given = self.given
        unready: list[Unready] = []
        if given["revisions"]:
            of_each = (checkpoints.revisions(repository, given["revisions"]) for repository in given["sources"])
            complete = [checkpoint for revisions in of_each for checkpoint in revisions]
        else:
            try:
                complete, unready = checkpoints.discover(map(Path, given["sources"]))
            except SweepError:
                if not given["watch"]:
                    raise
                complete = []
        if given["watch"]:
            unsettled = [checkpoint for checkpoint in complete if not _settled(checkpoint, given["settle"])]
            unready += [Unready(Path(checkpoint.source), "it is still being written") for checkpoint in unsettled]
            complete = [checkpoint for checkpoint in complete if checkpoint not in unsettled]
        table = checkpoints.token_table(given["token_file"]) if given["token_file"] else {}
        complete = checkpoints.with_tokens(complete, given["tokens_per_step"], table)
        return [self._fingerprinted(checkpoint) for checkpoint in complete], unready

    def _fingerprinted(self, checkpoint: Checkpoint) -> Checkpoint:
        """The checkpoint with its fingerprint, which is taken anew when a file has changed."""
        if checkpoint.weights is not None:
            return checkpoint
        folder = Path(checkpoint.source)
        stamp = checkpoints.stamp(folder)
        if (known := self.weights.get(folder)) is None or known[0] != stamp:
            known = self.weights[folder] = stamp, checkpoints.fingerprint(folder)
        return replace(checkpoint, weights=known[1])

    def _say_plan(self, made: Plan, planned: list[Checkpoint], unready: list[Unready]) -> None:
        runs = Counter(checkpoint.run for checkpoint in planned)
        click.echo(
            f"{len(planned)} checkpoints of {len(runs)} training(s) × {len(made.tasks)} tasks = "
            f"{len(planned) * len(made.tasks)} cells, in {self.folder.path}"
        )
        weights = [checkpoint.weights for checkpoint in planned if checkpoint.weights]
        architectures = Counter(each.architecture for each in weights if each.architecture)
        if len(architectures) > 1:
            told = ", ".join(f"{name} ({count})" for name, count in architectures.items())
            self._note(f"architectures differ: {told}")
        equal: dict[str, list[str]] = {}
        for checkpoint in planned:
            if checkpoint.weights:
                equal.setdefault(checkpoint.weights.content, []).append(checkpoint.label)
        for labels in equal.values():
            if len(labels) > 1:
                self._note(f"equal weights, evaluated once and shown {len(labels)} times: {', '.join(labels)}")
        without = [checkpoint.label for checkpoint in planned if checkpoint.step is None and checkpoint.tokens is None]
        if without:
            self._note(f"no step is known of {', '.join(without[:4])}: curves leave them out")
        for folder in unready:
            self._note(f"{folder.path}: not evaluated: {folder.reason}")

    def _note(self, message: str) -> None:
        if message not in self.told:
            self.told.add(message)
            click.echo(f"note: {message}", err=True)

    # ---- evaluating

    def _free(self, made: Plan) -> None:
        """End attempts that someone says are over, or that are to be tried again."""
        for line in status.of_plan(self.folder, made):
            if self.given["take_over"] and line.state.status == "running":
                self._note(f"{line.cell.label}: taken over from {line.state.owner}")
                self.folder.end(line.cell, line.state.attempt, "released", "taken over")
            if self.given["retry_failed"] and line.state.status == "failed":
                number = self.folder.take(line.cell, line.state, Owner.this())
                if number is not None:
                    self.folder.end(line.cell, number, FORGIVEN, "--retry-failed")

    def _places(self) -> list[local.Slot]:
        try:
            return local.slots(self.given["slots"], _gpus(self.given["device"]), self.given["gpus_per_worker"])
        except ValueError as error:
            raise SweepError(str(error)) from error

    def _ticker(self, made: Plan, workers: int) -> Any:
        """Tells of finished cells, and under --watch looks for new checkpoints."""
        known = {line.cell.key for line in status.of_plan(self.folder, made) if line.state.status == "done"}
        failed: set[str] = set()
        looked = time.monotonic()
        if known:
            click.echo(f"{len(known)} of them were evaluated before")

        def tick() -> None:
            nonlocal looked
            if self.given["watch"] and time.monotonic() - looked >= self.given["poll"]:
                looked = time.monotonic()
                self._look_again(made)
            lines = status.of_plan(self.folder, made)
            done = [line for line in lines if line.state.status == "done"]
            fresh = {line.cell.key: line for line in done if line.cell.key not in known}
            left = status.seconds_left(lines, workers) if fresh else None
            told = f", about {_duration(left)} left" if left else ""
            for line in fresh.values():
                known.add(line.cell.key)
                count = sum(other.cell.key in known for other in lines)
                click.echo(f"[{count}/{len(lines)}] {line.cell.label} ({_seconds(line)}{told})")
            for line in lines:
                if line.state.status == "failed" and line.cell.key not in failed:
                    failed.add(line.cell.key)
                    click.echo(f"FAILED {line.cell.label}: {status.reason(line)}", err=True)

        return tick

    def _look_again(self, made: Plan) -> None:
        complete, unready = self._checkpoints()
        known = {(checkpoint.origin, checkpoint.weights) for checkpoint in self.folder.checkpoints(made)}
        fresh = [checkpoint for checkpoint in complete if (checkpoint.origin, checkpoint.weights) not in known]
        if fresh:
            click.echo(f"new: {', '.join(checkpoint.label for checkpoint in fresh)}")
            self.folder.add(made, fresh)
        for folder in unready:
            self._note(f"{folder.path}: waiting: {folder.reason}")

    def _slurm(self, made: Plan) -> int:
        if self.given["watch"]:
            raise SweepError("--watch goes with --executor local; with slurm call the same command again, as from cron")
        script = slurm.script(self.folder.path, made, self.given["slurm_options"], self.given["workers"])
        path = slurm.write(self.folder.path, made, script)
        if self.given["only_print"]:
            click.echo(script, nl=False)
            click.echo(f"written to {path}; submit it with: sbatch {path}", err=True)
            return 0
        click.echo(f"{slurm.submit(path)} ({path}); `lm-eval-pt sweep --status {self.folder.path}` says how far it is")
        return 0

    def _summary(self, made: Plan, unready: list[Unready]) -> int:
        lines = status.of_plan(self.folder, made)
        counts = Counter(line.state.status for line in lines)
        click.echo(", ".join(f"{count} {name}" for name, count in counts.items()))
        for warning in status.suspicious(lines):
            self._note(warning)
        code = status.exit_code(lines)
        return code or (_FAILED if unready and not self.given["watch"] else 0)


def settings(given: dict[str, Any]) -> Settings:
    """The settings that the options say.

    Raises:
        SweepError: an option says nothing that can be understood.
    """
    from lm_eval.utils import simple_parse_args_string

    try:
        metadata = json.loads(given["metadata"])
        seeds = tuple(int(number) for number in given["seed"].split(","))
    except ValueError as error:
        raise SweepError(f"--metadata or --seed: {error}") from error
    if not isinstance(metadata, dict):
        raise SweepError(f"--metadata is no JSON object: {given['metadata']}")
    if len(seeds) == 1:
        seeds *= 4
    if len(seeds) != 4:
        raise SweepError(f"--seed takes one number or four: {given['seed']}")
    arguments = simple_parse_args_string(given["model_args"])
    if forbidden := {"pretrained", "revision"} & set(arguments):
        raise SweepError(f"--model_args: {', '.join(forbidden)} is what changes over a sweep; name CHECKPOINTS instead")
    size = given["batch_size"]
    if not (size.isdigit() or size.partition(":")[0] == "auto"):
        raise SweepError(f"--batch_size is a number or auto: {size}")
    return Settings(
        model=given["model"],
        model_args=arguments,
        batch_size=int(size) if size.isdigit() else size,
        max_batch_size=given["max_batch_size"],
        device=given["device"],
        num_fewshot=given["num_fewshot"],
        limit=given["limit"],
        gen_kwargs=simple_parse_args_string(given["gen_kwargs"]),
        apply_chat_template=given["apply_chat_template"],
        system_instruction=given["system_instruction"],
        metadata=metadata,
        include_path=tuple(str(Path(path).resolve()) for path in given["include_path"]),
        seeds=seeds,
        confirm_run_unsafe_code=given["confirm_run_unsafe_code"],
    )


def _status(folder: Folder, explain: bool, as_json: bool) -> int:
    lines = status.lines(folder)
    if as_json:
        printing.as_json(
            [
                {
                    "checkpoint": line.cell.checkpoint.label,
                    "step": line.cell.checkpoint.step,
                    "task": line.cell.task,
                    "status": line.state.status,
                    "attempts": line.state.attempt,
                    "result": line.state.result,
                    "reason": status.reason(line) if line.state.failures else None,
                }
                for line in lines
            ]
        )
        return status.exit_code(lines)
    table = printing.table("Cells", "checkpoint", "done", "running", "failed", "missing")
    rows: dict[str, Counter[str]] = {}
    for line in sorted(lines, key=lambda line: line.cell.checkpoint.order):
        rows.setdefault(line.cell.checkpoint.label, Counter())[line.state.status] += 1
    for label, counts in rows.items():
        table.add_row(label, *(str(counts[name] or "") for name in ("done", "running", "failed", "missing")))
    total = Counter(line.state.status for line in lines)
    table.add_section()
    table.add_row("all", *(str(total[name]) for name in ("done", "running", "failed", "missing")))
    console = printing.console()
    console.print(table)
    for line in lines:
        if line.state.status == "failed":
            console.print(f"failed: {line.cell.label}: {status.reason(line)}")
        elif line.state.status == "running":
            console.print(f"running: {line.cell.label}: {line.state.owner}")
        elif line.state.status == "missing" and (explain or line.state.failures):
            told = status.reason(line) if line.state.failures else status.explanation(folder, line)
            console.print(f"missing: {line.cell.label}: {told}")
    left = status.seconds_left(lines, max(1, total["running"]))
    if left:
        console.print(f"about {_duration(left)} of work left for {max(1, total['running'])} worker(s)")
    printing.notes(status.suspicious(lines))
    return status.exit_code(lines)


def _plan(folder: Path, as_json: bool) -> int:
    """Propose the smallest set of tasks and rows that orders the checkpoints of a finished sweep as all of it does."""
    try:
        curves = points.read([folder])
        proposal = subset.propose(curves)
    except ResultsError as error:
        raise SweepError(str(error)) from error
    if as_json:
        printing.as_json(asdict(proposal))
        return 0
    told_apart, pairs = proposal.pairs
    console = printing.console()
    console.print(f"All tasks together tell {told_apart} of {pairs} pairs of checkpoints apart.")
    table = printing.table("Pairs that fewer tasks order alike", "tasks", "rows", "pairs", "not seen when chosen")
    shown = proposal.steps.index(proposal.chosen) + 3
    for step in proposal.steps[:shown]:
        mark = "→ " if step is proposal.chosen else ""
        table.add_row(f"{mark}{', '.join(step.tasks)}", str(step.rows), _share(step.agreement), _share(step.held_out))
    console.print(table)
    if proposal.by_rows:
        table = printing.table("The marked tasks with fewer rows each (mean of random draws)", "rows", "pairs")
        for rows, agreement in proposal.by_rows:
            table.add_row(str(rows), _share(agreement))
        console.print(table)
    limit = f" --limit {proposal.rows}" if proposal.rows else ""
    told = f"({proposal.chosen.rows} of {proposal.all_rows} rows)"
    console.print(f"proposal: --tasks {','.join(proposal.chosen.tasks)}{limit} {told}")
    printing.notes([*curves.notes, *proposal.notes])
    return 0


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.0f} %"


def _settled(checkpoint: Checkpoint, seconds: float) -> bool:
    try:
        return bool(checkpoint.revision) or checkpoints.is_settled(Path(checkpoint.source), seconds)
    except OSError:
        return False


def _gpus(device: str | None) -> list[str]:
    """The GPUs to share out, by the names that CUDA_VISIBLE_DEVICES takes."""
    if device is not None and not device.startswith("cuda"):
        return []
    if (visible := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        return [name for name in visible.split(",") if name.strip()]
    try:
        import torch
    except ImportError:
        return []
    return [str(index) for index in range(torch.cuda.device_count())]


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _seconds(line: CellStatus) -> str:
    assert line.state.result is not None
    return _duration(float(read_cell(line.state.result)["seconds"]))


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


