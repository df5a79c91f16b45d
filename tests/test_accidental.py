"""How often restrictions are met by accident, on answers whose verdicts are plain to see."""

import json
import math
import pickle

import pytest
from click.testing import CliRunner
from lm_eval.api import metrics as harness

from lm_eval_ifeval_pt import ifeval, results
from lm_eval_ifeval_pt.analysis import accidental
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.constraints.conflicts import related
from lm_eval_ifeval_pt.ifeval import crossing
from lm_eval_ifeval_pt.ifeval.crossing import Crossing, NotCrossed
from lm_eval_ifeval_pt.ifeval.dialects.ifeval_pt import IFEVAL_PT
from tests.test_results import write_rows

TASKS = tuple(f"Fale do tema {letter}." for letter in "abcdefghijklmn")
ASKED = {
    "crase": ("Use crase.", "ptbr:crase", {}),
    "no digit": ("Sem algarismos.", "ptbr:sem_digito", {}),
    "mesóclise": ("Use mesóclise.", "ptbr:mesoclise", {}),
    "short": ("Menos de 50 palavras.", "length_constraints:number_words", {"num_words": 50, "relation": "less than"}),
}
SEA = ("keywords:existence", {"keywords": ["mar"]})


def crossed(path, answer):
    """The sample file of a model that answers `answer(task number, restriction)`."""
    rows = []
    for place, (sentence, id, kwargs) in enumerate(ASKED.values()):
        for number, task in enumerate(TASKS):
            doc = {"key": place * len(TASKS) + number, "prompt": f"{task} {sentence}", "instruction_id_list": [id],
                   "kwargs": [kwargs], "dialect": "ifeval_pt", "mode": "pt"}
            response = answer(number, list(ASKED)[place])
            metrics = ifeval.process_results(doc, [response])
            rows.append({"doc_id": len(rows), "doc": doc, "resps": [[response]], "filter": "none", **metrics})
    return write_rows(path / "samples_ifeval_pt.jsonl", rows)


def accidents(path):
    """The rows and the overall score of a sample file."""
    found = accidental.cells(results.read([path]).runs[0].items)
    return {one.restriction: one for one in accidental.by_restriction(found)}, crossing.overall(found)


def test_a_model_that_ignores_every_instruction_gains_nothing(tmp_path):
    """One answer to all prompts of a task: what is met is met by accident, every corrected score is 0."""
    answers = ("Tenho 3 gatos.", "Vou à feira.")
    rows, overall = accidents(crossed(tmp_path, lambda number, asked: answers[number % 2]))
    assert (rows["ptbr:crase"].asked, rows["ptbr:crase"].accidental) == (0.5, 0.5)
    assert (rows["ptbr:sem_digito"].asked, rows["ptbr:sem_digito"].accidental) == (0.5, 0.5)
    assert all(row.lift.value == 0 for row in rows.values())
    assert all(row.p_value == 1 for row in rows.values())
    assert overall.value == 0


def test_a_model_that_follows_only_what_is_asked_gains_everything(tmp_path):
    """Answers with a digit and without crase, unless asked otherwise."""
    told = {"crase": "Vou à feira às 3.", "no digit": "Tenho gatos."}
    rows, overall = accidents(crossed(tmp_path, lambda number, asked: told.get(asked, "Tenho 3 gatos.")))
    crase = rows["ptbr:crase"]
    assert (crase.n, crase.asked, crase.accidental, crase.corrected.value) == (14, 1.0, 0.0, 1.0)
    assert crase.p_value == pytest.approx(4.0**-14)  # the only one of four answers, fourteen times
    # Short answers cannot be failed, mesóclise is never met: neither gains. Crase and digits gain all there is.
    assert rows["length_constraints:number_words (less than)"].corrected is None
    assert rows["ptbr:mesoclise"].corrected.value == 0
    assert overall.value == pytest.approx(2 / 3)


def test_asking_can_make_it_worse(tmp_path):
    """Negative values are kept: digits appear exactly when they are forbidden."""
    rows, overall = accidents(crossed(tmp_path, lambda number, asked: "Tenho 3." if asked == "no digit" else "Oi."))
    assert rows["ptbr:sem_digito"].lift.value == -1
    assert overall.value < 0


@pytest.mark.parametrize(
    ("rate", "chance", "corrected"),
    [(12 / 14, 0.8, 0.2857), (12 / 14, 0.4, 0.7619), (1 / 14, 0.02, 0.0525), (0.75, 0.5, 0.5)],
)
def test_chance_is_taken_off_as_abbott_does(rate, chance, corrected):
    """The seed card's 12 of 14 passive and 1 of 14 active, at several accidental rates."""
    assert accidental.chance_corrected(rate, chance) == pytest.approx(corrected, abs=5e-5)
    assert math.isnan(accidental.chance_corrected(1.0, 1.0))


def test_the_test_is_exact():
    """Every task's chance is one half, 12 of 14 are met: 106 / 16384. Everything is met anyway: 1."""
    halves = [Crossing(str(task), "r", "active", task < 12, 1 if task < 12 else 2, 3) for task in range(14)]
    (row,) = accidental.by_restriction(halves)
    assert row.p_value == pytest.approx(106 / 16384)
    (row,) = accidental.by_restriction([Crossing(str(task), "r", "passive", True, 3, 3) for task in range(14)])
    assert row.p_value == 1


def test_answers_to_related_restrictions_are_not_compared(tmp_path):
    """Of four answers to a task, the one that was asked for no crase says nothing on how often crase is accidental."""
    path = crossed(tmp_path, lambda number, asked: "Oi.")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {cell.compared for cell in crossing.cells_of([(row["doc"], "Oi.") for row in rows])} == {3}
    for row in rows:
        row["doc"]["instruction_id_list"] = [
            "ptbr:sem_crase" if id == "ptbr:sem_digito" else id for id in row["doc"]["instruction_id_list"]
        ]
    compared = {cell.restriction: cell.compared for cell in crossing.cells_of([(row["doc"], "Oi.") for row in rows])}
    assert compared["ptbr:crase"] == compared["ptbr:sem_crase"] == 2
    assert compared["ptbr:mesoclise"] == 3


def test_the_overall_error_respects_tasks_and_restrictions():
    """Without any accident the score is the mean; statsmodels' two-way error of these outcomes is .15118579."""
    outcomes = (1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1)
    found = [Crossing(str(n // 3), str(n % 3), "active", bool(one), 0, 3) for n, one in enumerate(outcomes)]
    score = crossing.overall(found)
    assert (score.value, score.stderr, score.df) == (pytest.approx(0.6), pytest.approx(0.15118579), 2)


def test_several_restrictions_are_corrected_for():
    """Benjamini and Hochberg: three equal p-values keep theirs; with a fourth of 1 they grow by 4/3."""
    halves = [Crossing(str(task), name, "active", task < 12, 1, 3) for name in "rst" for task in range(14)]
    assert all(row.q_value == pytest.approx(row.p_value) for row in accidental.by_restriction(halves))
    mixed = halves + [Crossing(str(task), "u", "active", False, 1, 3) for task in range(14)]
    first, *_, last = accidental.by_restriction(mixed)
    assert (first.q_value, last.q_value) == pytest.approx((first.p_value * 4 / 3, 1.0))


def test_documents_with_several_restrictions_have_no_accidental_rate(tmp_path):
    """Nor have documents that share no base task; both are said."""
    path = crossed(tmp_path, lambda number, asked: "Oi.")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    alone = write_rows(tmp_path / "a" / "samples_ifeval_pt.jsonl", lines[:14])
    with pytest.raises(NotCrossed, match="no two documents ask the same base task"):
        accidental.cells(results.read([alone]).runs[0].items)
    doc = lines[0]["doc"]
    for name in ("instruction_id_list", "kwargs", "verdicts"):
        doc[name] = doc[name] * 2
    double = write_rows(tmp_path / "b" / "samples_ifeval_pt.jsonl", lines)
    with pytest.raises(NotCrossed, match="several restrictions each"):
        accidental.cells(results.read([double]).runs[0].items)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("ptbr:crase", {}), ("ptbr:sem_crase", {}), True),
        (("ptbr:sem_diacritico", {}), ("ptbr:cedilha", {}), True),
        (("ptbr:sem_til", {}), ("ptbr:sem_diacritico", {}), True),
        (("ptbr:crase", {}), ("ptbr:sem_til", {}), False),
        (("ptbr:mesoclise", {}), ("ptbr:enclise", {}), False),
        (("keywords:existence", {"keywords": ["limão"]}), ("ptbr:sem_til", {}), True),
        (("keywords:existence", {"keywords": ["jardim"]}), ("ptbr:sem_til", {}), False),
        (("startend:end_checker", {"end_phrase": "Até a próxima!"}), ("ptbr:sem_diacritico", {}), True),
        (("startend:end_checker", {"end_phrase": "Até a próxima!"}), ("ptbr:sem_digito", {}), False),
        (SEA, ("keywords:forbidden_words", {"forbidden_words": ["mar"]}), True),
        (SEA, ("keywords:forbidden_words", {"forbidden_words": ["sol"]}), False),
        (
            ("length_constraints:number_sentences", {"num_sentences": 6, "relation": "at least"}),
            ("length_constraints:number_sentences", {"num_sentences": 3, "relation": "at most"}),
            True,
        ),
    ],
)
def test_restrictions_that_decide_each_other_are_not_compared(one, other, expected):
    """One implies, excludes or breaks the other, whichever comes first."""
    one, other = IFEVAL_PT.bind(*one), IFEVAL_PT.bind(*other)
    assert related(one, other) is related(other, one) is expected


def test_table_shows_what_accident_does(tmp_path):
    """A row with asked and accidental rate, lift and p; the overall score under the name of the task."""
    told = {"crase": "Vou à feira às 3.", "no digit": "Tenho gatos."}
    path = crossed(tmp_path, lambda number, asked: told.get(asked, "Tenho 3 gatos."))
    output = CliRunner().invoke(main, ["table", "--accidental", str(path)], env={"COLUMNS": "200"}).output
    row = [line for line in output.splitlines() if "ptbr:crase" in line][-1].split()
    assert row == [
        "ptbr:crase", "active", "14", "100.0", "0.0", "100.0", "70–100", "100.0", "78–100", "<", ".001", "<", ".001",
    ]
    assert "ifeval_pt_corrected = 66.7 %" in output
    (run,) = json.loads(CliRunner().invoke(main, ["table", "--accidental", "--json", str(path)]).stdout)
    assert run["accidental"]["corrected"]["value"] == pytest.approx(2 / 3)


def test_the_harness_prints_the_corrected_score(tmp_path):
    """Its mean and stderr of what `process_results` gives are the overall score and its standard error."""
    told = {"crase": "Vou à feira às 3.", "no digit": "Tenho gatos."}
    path = crossed(tmp_path, lambda number, asked: told.get(asked, "Tenho 3 gatos.") if number else "Oi.")
    overall = accidents(path)[1]
    docs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    asked = [ifeval.process_results(row["doc"], row["resps"][0])["ifeval_pt_corrected"] for row in docs]
    assert harness.mean(asked) == pytest.approx(overall.value)
    assert harness.mean_stderr(asked) == pytest.approx(overall.stderr)
    assert harness.mean(pickle.loads(pickle.dumps(asked))) == pytest.approx(overall.value)  # from several GPUs
    assert json.loads(json.dumps(asked[0])) == 0.0


def test_a_limit_that_leaves_no_crossing_gives_no_number(tmp_path):
    """The first documents all have the same restriction."""
    doc = {"key": 0, "prompt": "Fale. Use crase.", "instruction_id_list": ["ptbr:crase"], "kwargs": [{}],
           "dialect": "ifeval_pt", "mode": "pt"}
    asked = [ifeval.process_results(dict(doc), ["À noite."])["ifeval_pt_corrected"] for _ in range(3)]
    assert math.isnan(harness.mean(asked))
    assert math.isnan(harness.mean_stderr(asked))
