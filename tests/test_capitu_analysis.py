"""The nine models whose answers CAPITU publishes, through every command that reads results."""

import json
import re

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import ifeval
from lm_eval_ifeval_pt.cli import main
from tests import timing
from tests.quality.gold import GOLD, needs_gold, rows
from tests.test_results import write_result, write_rows

pytestmark = needs_gold

MODELS = sorted(path.stem for path in (GOLD / "capitu" / "runs").glob("*.jsonl"))
DATE = "2026-01-01T00-00-00.0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Result and sample files as a run of the harness would leave them."""
    root = tmp_path_factory.mktemp("capitu")
    for model in MODELS:
        found = []
        for number, row in enumerate(rows(f"capitu/runs/{model}.jsonl")):
            doc = {name: row[name] for name in ("key", "prompt", "instruction_id_list", "kwargs")}
            doc |= {"dialect": "capitu", "mode": "pt"}
            metrics = ifeval.process_results(doc, [row["response"]])
            found.append({"doc_id": number, "doc": doc, "resps": [[row["response"]]], "filter": "none", **metrics})
        write_rows(root / model / f"samples_capitu_{DATE}.jsonl", found)
        write_result(root / model / f"results_{DATE}.json", model, "capitu", **{"n-samples": {}})
    return root


def run(*arguments):
    """The result of a command, which takes no longer than a few seconds would be: 40 million steps of a loop."""
    ran = []

    def command():
        ran.append(CliRunner().invoke(main, list(map(str, arguments)), env={"COLUMNS": "200"}))

    assert timing.seconds(command) < 100 * min(timing.seconds(timing.loop) for _ in range(3))
    (result,) = ran
    assert result.exit_code == 0, result.output
    return result


def test_table(folder):
    """Nine tables of 200 prompts and 405 instructions each, in time."""
    result = run("table", folder)
    assert len(re.findall(r"prompt strict +200 ", result.output)) == len(MODELS) == 9
    assert len(re.findall(r"instruction strict +405 ", result.output)) == 9


def test_diff(folder):
    """The least and the most accurate of the published list differ; every document is paired."""
    result = run("diff", folder / "claude-haiku-4.5", folder / "think-gpt-5", "--json")
    (found,) = json.loads(result.stdout)
    assert (found["n"], found["is_different"]) == (200, True)
    assert found["difference"]["value"] > 0


@pytest.mark.slow
def test_rank(folder):
    """Nine models, and no claim that all nine differ: 200 prompts cannot tell neighbours apart."""
    result = run("rank", folder, "--json")
    found = json.loads(result.stdout)["items"]
    assert found["standings"][0]["model"] == "think-gpt-5"
    assert len(found["standings"]) == 9
    assert all(len(group) > 1 for group in found["ties"])


def test_stats(folder):
    """Each with its metrics."""
    result = run("stats", folder, "--json")
    assert len(json.loads(result.stdout)["runs"]) == 9
