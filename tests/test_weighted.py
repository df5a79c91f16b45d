"""`lm-eval-pt rank --weights`: metrics as judges of duels that count by their weights."""

import json
import math
import re

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import weighted
from lm_eval_ifeval_pt.analysis.duels import Duel
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.statistics import elo

TASK = "perguntas"
DATE = "2026-01-02T03-04-05.678901"


def run_of(folder, model, columns, answers=None):
    """An output folder of the harness with these metrics, one number per document."""
    inside = folder / model
    inside.mkdir(parents=True)
    count = len(next(iter(columns.values())))
    rows = [
        {
            "doc_id": number, "doc": {}, "target": "o gato preto", "filter": "none",
            "arguments": {"gen_args_0": {"arg_0": f"p{number}", "arg_1": {}}},
            "resps": [[answers[number] if answers else "x"]], "filtered_resps": [answers[number] if answers else "x"],
            "metrics": list(columns), "doc_hash": f"{number:064x}",
            **{name: column[number] for name, column in columns.items()},
        }
        for number in range(count)
    ]  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (inside / f"samples_{TASK}_{DATE}.jsonl").write_text(lines, encoding="utf-8")
    result = {"results": {TASK: {"alias": TASK}}, "model_name": model, "config": {"model": "hf"}}
    (inside / f"results_{DATE}.json").write_text(json.dumps(result), encoding="utf-8")
    return inside


def two(tmp_path):
    """Model `certo` wins 7 of 10 documents by exact_match, `claro` 9 of 10 by the judge."""
    certo = {"exact_match": [1.0] * 7 + [0.0] * 3, "judge": [1.0] + [0.0] * 9}
    claro = {"exact_match": [0.0] * 7 + [1.0] * 3, "judge": [0.0] + [1.0] * 9}
    return [run_of(tmp_path, "certo", certo), run_of(tmp_path, "claro", claro)]


def weigh(paths, text, verdicts=(), **how):
    """The models weighed."""
    return weighted.weigh(results.read(paths).runs, verdicts, weighted.parse_weights(text), resamples=10, **how)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("exact_match=1,judge=0", 0.7),
        ("exact_match=0,judge=3", 0.1),
        ("exact_match=1,judge=1", 0.4),
        ("exact_match=3,judge=1", (3 * 0.7 + 0.1) / 4),
    ],
)
def test_the_strength_of_two_models_is_the_weighted_share_of_wins(tmp_path, text, share):
    """Bradley and Terry's strengths of two players differ by the logit of the share that one wins."""
    found = weigh(two(tmp_path), text).judged.strengths
    assert found["certo"].value - found["claro"].value == pytest.approx(math.log(share / (1 - share)), abs=1e-4)


def test_the_number_of_documents_is_no_weight(tmp_path):
    """Verdicts on two documents count as much as a metric on ten."""
    verdicts = [Duel("certo", "claro", 0.0, f"{TASK}/{number}") for number in range(2)]
    paths = [run_of(tmp_path, name, {"exact_match": [float(name == "certo")] * 10}) for name in ("certo", "claro")]
    found = weigh(paths, "exact_match=1,verdicts=1", verdicts)
    assert found.judged.strengths["certo"].value == pytest.approx(0, abs=1e-6)
    assert found.duels == {"exact_match": 10, "verdicts": 2}


def test_places_show_what_the_weights_change(tmp_path):
    """By exact_match one model leads, by the judge and by equal weights the other."""
    found = weigh(two(tmp_path), "exact_match=5,judge=1")
    assert found.places == {
        "weighted": {"certo": 1, "claro": 2},
        "equal weights": {"certo": 2, "claro": 1},
        "exact_match": {"certo": 1, "claro": 2},
        "judge": {"certo": 2, "claro": 1},
    }


def test_metrics_that_runs_lack_are_computed(tmp_path):
    """Token F1 of the answers, where no run has it; said in a note."""
    paths = [
        run_of(tmp_path, "perto", {"exact_match": [0.0, 0.0]}, ["gato preto e só", "gato"]),
        run_of(tmp_path, "longe", {"exact_match": [0.0, 0.0]}, ["cão", "cão"]),
    ]
    found = weigh(paths, "token_f1=1")
    assert found.places["token_f1"] == {"perto": 1, "longe": 2}
    assert found.notes == (f"{TASK}: token_f1 is computed here, since not every run has it",)


def test_elo_counts_a_game_by_its_weight():
    """By hand: between equals the winner gains K/2, here 16, times the weight."""
    assert elo([("a", "b", 1.0)], weights=[0.5]) == {"a": 1508, "b": 1492}
    assert elo([("a", "b", 1.0)]) == {"a": 1516, "b": 1484}


def rank(*arguments, fails=False):
    """What the command prints."""
    result = CliRunner().invoke(main, ["rank", *map(str, arguments)])
    assert (result.exit_code != 0) == fails, result.output
    return result.output


def test_the_table_shows_places_and_moves(tmp_path):
    """A model that the weights move up has ▲ beside the place it comes from."""
    output = rank(*two(tmp_path), "--weights", "exact_match=5,judge=1", "--resamples", 100)
    (certo,) = [line.split() for line in output.splitlines() if line.startswith("certo")]
    assert certo[:2] == ["certo", "1"]
    assert certo[-5:] == ["2", "▲1", "1", "2", "▲1"]
    assert "exact_match 5 (10 duels), judge 1 (10 duels)" in " ".join(output.split())


def test_judge_is_the_verdict_file_where_no_run_has_it(tmp_path):
    """As the judge of pairs writes it; models without a run are named and left out."""
    paths = [run_of(tmp_path / "out", name, {"exact_match": [1.0, 0.0]}) for name in ("um", "dois")]
    rows = [
        {"question_id": f"{TASK}/0", "model_a": "um", "model_b": "dois", "g1_winner": "model_a", "g2_winner": "tie"},
        {"question_id": f"{TASK}/1", "model_a": "um", "model_b": "outro", "g1_winner": "tie", "g2_winner": "tie"},
    ]
    path = tmp_path / "v.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    output = rank(*paths, "--weights", "exact_match=1,judge=2", "--verdicts", path, "--resamples", 100, "--json")
    assert "verdicts on outro are left out" in output
    data = json.loads(output[output.index("{") :])
    assert data["weighted"]["duels"] == {"exact_match": 2, "judge": 1}
    assert data["weighted"]["places"]["judge"] == {"um": 1, "dois": 2}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exact_match", "metric=weight is expected"),
        ("exact_match=-1", "metric=weight is expected"),
        ("exact_match=nan", "metric=weight is expected"),
        ("exact_match=1,exact_match=2", "exact_match has two weights"),
        ("exact_match=0", "some weight must be above 0"),
        ("bleurt=1", "not every run has the metric bleurt; there are: exact_match, judge"),
        ("verdicts=1", "name a judge's verdicts on pairs with --verdicts"),
    ],
)
def test_wrong_weights_are_refused(tmp_path, text, said):
    """With what is wrong, and what there is."""
    assert re.search(re.escape(said), " ".join(rank(*two(tmp_path), "--weights", text, fails=True).split()))
