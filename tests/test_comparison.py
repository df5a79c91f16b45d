"""Two models on the same documents, of this package's tasks and of any other."""

import json
import math

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import comparison
from lm_eval_ifeval_pt.analysis.pairing import NotComparable
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.results import ResultsError
from tests.test_accidental import crossed
from tests.test_results import only, sample, write_result, write_rows


def outcomes(path, name, scores, **metrics):
    """A run of a task "t" with these accuracies, in the folder `name`."""
    rows = [sample(n, acc=float(score), **metrics) for n, score in enumerate(scores)]
    write_result(path / name / "results_2026-01-01T00-00-00.0.json", name, "t", **{"n-samples": {}})
    return write_rows(path / name / "samples_t_2026-01-01T00-00-00.0.jsonl", rows)


def compare(a, b, **options):
    """B compared with A, from their sample files."""
    return comparison.compare(only(a), only(b), **options)


def run(*arguments):
    """`lm-eval-pt diff`."""
    return CliRunner().invoke(main, ["diff", *map(str, arguments)], env={"COLUMNS": "200"})


def test_items_improve_regress_and_stay(tmp_path):
    """Six of ten improve, two regress: McNemar's exact p is .2891 (published), the mean difference .4."""
    a = outcomes(tmp_path, "a", [0] * 6 + [1] * 2 + [0, 1])
    b = outcomes(tmp_path, "b", [1] * 6 + [0] * 2 + [0, 1])
    found = compare(a, b)
    assert [len(pairs) for pairs in (found.pairs, found.improved, found.regressed)] == [10, 6, 2]
    assert found.p_value == pytest.approx(0.2891, abs=5e-5)
    assert (found.difference.value, found.a_mean, found.b_mean) == pytest.approx((0.4, 0.3, 0.7))
    # sd of six 1, two -1, two 0 is .8433; over sqrt(10) .2667; Agresti and Min's middle is 4 / 12
    margin = 1.95996 * 0.26667
    assert found.difference.interval() == pytest.approx((1 / 3 - margin, 1 / 3 + margin), abs=1e-4)
    assert found.detectable == pytest.approx(2.8016 * 0.26667, abs=1e-4)
    assert not found.is_different()


def test_two_changes_are_no_evidence(tmp_path):
    """Two wins and no loss, which a normal approximation with standard error 0 would call certain: p is 1/2."""
    found = compare(outcomes(tmp_path, "a", [0, 0]), outcomes(tmp_path, "b", [1, 1]))
    assert found.p_value == 0.5
    assert not found.is_different()
    assert found.detectable == pytest.approx(2.8016 * math.sqrt(0.5 / 4), abs=1e-4)  # Agresti and Min's error


def test_clusters_are_respected(tmp_path):
    """Ten equal changes in one subject and none in nine others are one observation of ten, not ten of a hundred."""
    a = outcomes(tmp_path, "a", [0] * 100)
    b = outcomes(tmp_path, "b", [1] * 10 + [0] * 90)
    for path in (a, b):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for row in rows:
            row["doc"]["subject"] = row["doc_id"] // 10
        write_rows(path, rows)
    assert compare(a, b).is_different()
    found = compare(a, b, cluster="subject")
    assert found.difference.stderr == pytest.approx(0.1)  # means of ten subjects: 1 and nine 0; sd / sqrt(10)
    assert not found.is_different()
    with pytest.raises(ResultsError, match="no field 'topic'"):
        compare(a, b, cluster="topic")


def test_documents_pair_by_their_hash_not_by_their_place(tmp_path):
    """The order of the rows does not matter, of equal documents the first pairs with the first, others are left out."""
    a = write_rows(tmp_path / "a" / "samples_t.jsonl", [sample(n, acc=float(n == 1)) for n in range(4)])
    rows = [sample(n, acc=float(n == 1)) | {"doc_id": place} for place, n in enumerate((3, 1, 2))]
    b = write_rows(tmp_path / "b" / "samples_t.jsonl", rows)
    found = compare(a, b)
    assert (len(found.pairs), found.improved, found.regressed) == (3, (), ())
    assert any("1 documents only A (a) has are left out" in remark for remark in found.remarks)


def test_different_prompts_are_refused_unless_forced(tmp_path):
    """Another number of examples, another version, other documents; the reason is said."""
    a, b = outcomes(tmp_path, "a", [0, 1]), outcomes(tmp_path, "b", [1, 1])
    write_rows(b, [sample(n, acc=1.0) | {"prompt_hash": "other"} for n in range(2)])
    with pytest.raises(NotComparable, match="2 of 2 prompts differ"):
        compare(a, b)
    assert compare(a, b, force=True).reasons == ("2 of 2 prompts differ",)
    write_result(tmp_path / "b" / "results_2026-01-01T00-00-00.0.json", "b", "t", versions={"t": 3.0})
    with pytest.raises(NotComparable, match=r"version differs: 2\.0 and 3\.0"):
        compare(a, b)
    write_rows(b, [sample(n, acc=1.0) | {"doc_hash": f"other{n}"} for n in range(2)])
    with pytest.raises(NotComparable, match="no document is the same"):
        compare(a, b)
    assert len(compare(a, b, force=True).improved) == 1


def test_chat_templates_may_differ(tmp_path):
    """Two chat models have different templates, hence different prompts: that is said, not refused."""
    a, b = outcomes(tmp_path, "a", [0, 1]), outcomes(tmp_path, "b", [1, 1])
    write_rows(b, [sample(n, acc=1.0) | {"prompt_hash": "templated"} for n in range(2)])
    write_result(tmp_path / "b" / "results_2026-01-01T00-00-00.0.json", "b", "t", chat_template_sha="x")
    assert any("as chat templates do" in remark for remark in compare(a, b).remarks)


def test_the_metric_is_the_task_s_own(tmp_path):
    """Preferred by the suite's table, or by the task's metadata, or the usual one; an unknown one is named."""
    both = {"acc_norm": 1.0, "brier": 0.25}
    a, b = outcomes(tmp_path, "a", [0, 1], **both), outcomes(tmp_path, "b", [1, 1], **both)
    assert compare(a, b).metric == "acc_norm"
    assert compare(a, b, metric="acc").metric == "acc"
    with pytest.raises(ResultsError, match="they have: acc, acc_norm, brier"):
        compare(a, b, metric="f1")
    npm = {"npm": {"metric": "brier", "random": 0.0}}
    for name in "ab":
        path = tmp_path / name / "results_2026-01-01T00-00-00.0.json"
        write_result(path, name, "t", configs={"t": {"metadata": npm}})
    assert compare(a, b).metric == "brier"


def test_less_can_be_better(tmp_path):
    """Of perplexities, kept as log-likelihood and length; bits per byte are -loglikelihood / bytes / ln 2."""
    a = write_rows(tmp_path / "a" / "samples_t.jsonl", [sample(n, bits_per_byte=[-8 * math.log(2), 4]) for n in (0, 1)])
    b = write_rows(tmp_path / "b" / "samples_t.jsonl", [sample(n, bits_per_byte=[-4 * math.log(2), 4]) for n in (0, 1)])
    found = compare(a, b)
    assert (found.a_mean, found.b_mean, found.difference.value) == pytest.approx((2.0, 1.0, 1.0))
    assert (len(found.improved), found.is_binary) == (2, False)


def test_lists_pair_by_instruction(tmp_path):
    """Two of three instructions of one document: each is an outcome, in the cluster of its document."""
    a = outcomes(tmp_path, "a", [1, 1], inst_level_strict_acc=[True, False, False])
    b = outcomes(tmp_path, "b", [1, 1], inst_level_strict_acc=[True, True, False])
    found = compare(a, b, metric="inst_level_strict_acc")
    assert (len(found.pairs), len(found.improved), found.difference.df) == (6, 2, 1)


def test_restrictions_are_counted(tmp_path):
    """What changed in which restriction, with an exact p and the false discovery rate over all of them."""
    a = crossed(tmp_path / "a", lambda number, asked: "Oi.")
    b = crossed(tmp_path / "b", lambda number, asked: "Vou à feira às 3.")
    changes = {one.restriction: one for one in comparison.by_restriction(compare(a, b).pairs)}
    crase = changes["ptbr:crase"]
    assert (crase.n, crase.a, crase.b, crase.improved, crase.regressed) == (14, 0, 14, 14, 0)
    assert crase.p_value == pytest.approx(2 * 0.5**14)
    assert crase.q_value == pytest.approx(2 * 2 * 0.5**14)  # the smallest two of four are equal
    assert changes["ptbr:sem_digito"].regressed == 14


def test_restrictions_may_decide(tmp_path):
    """One restriction of four gained in every base task: so B is better here, but not for restrictions at large."""
    a = crossed(tmp_path / "a", lambda number, asked: "Tenho 3 gatos.")
    b = crossed(tmp_path / "b", lambda number, asked: "Vou à feira às 3." if number else "Às vezes, dar-lhe-ei.")
    found = compare(a, b)
    assert found.is_different()
    assert found.elsewhere.interval().low < 0 < found.difference.interval().low


def test_diff_prints_numbers_words_and_evidence(tmp_path):
    """The table, the verdict in words, and of what got better both answers with what decided."""
    a = crossed(tmp_path / "a", lambda number, asked: "Oi.")
    b = crossed(tmp_path / "b", lambda number, asked: "Vou à feira." if asked == "crase" else "Oi.")
    result = run(a, b)
    assert result.exit_code == 0
    (row,) = (line for line in result.output.splitlines() if line.startswith("ifeval_pt  "))
    assert row.split()[:6] == ["ifeval_pt", "prompt_level_strict_acc", "56", "50.0", "75.0", "+25.0"]
    assert "B is better" in result.output
    assert "A ✗ A resposta não tem crase." in result.output
    assert "Vou ⟦à⟧ feira." in result.output


def test_hostile_answers_are_shown_not_obeyed(tmp_path):
    """No markup, no escape sequences for the terminal; brackets in the name of a model are brackets."""
    a = crossed(tmp_path / "[bold]a[/]", lambda number, asked: "Oi \x1b[31m[/red] 3\x9b")
    b = crossed(tmp_path / "b", lambda number, asked: "Vou à feira [/x]\x1b]0;owned\x07")
    result = run(a, b)
    assert result.exit_code == 0
    assert "[bold]a[/]" in result.output
    assert "[/x]␛]0;owned␇" in result.output
    assert "\x1b" not in result.output


def test_diff_shows_choices_of_other_tasks(tmp_path):
    """What either model chose, with its log-likelihood, and what was expected."""
    a, b = outcomes(tmp_path, "a", [1] * 3), outcomes(tmp_path, "b", [0] * 3)
    output = run(a, b).output
    assert "worse: t document 0" in output
    assert "b (log-likelihood -0.50)" in output
    assert "cannot be told apart" in output


def test_a_regression_fails_where_asked(tmp_path):
    """Exit code 1 for a significant loss, 0 for a gain, for an insignificant loss, and without the option."""
    good, bad, near = ([1] * 20, [0] * 20, [1] * 18 + [0] * 2)
    paths = {name: outcomes(tmp_path, name, scores) for name, scores in (("g", good), ("b", bad), ("n", near))}
    assert run(paths["g"], paths["b"], "--fail-on-regression").exit_code == 1
    assert run(paths["g"], paths["b"]).exit_code == 0
    assert run(paths["b"], paths["g"], "--fail-on-regression").exit_code == 0
    assert run(paths["g"], paths["n"], "--fail-on-regression").exit_code == 0


def test_what_cannot_be_compared_exits_with_2(tmp_path):
    """Different prompts, no task in common, several models in one folder."""
    a, b = outcomes(tmp_path, "a", [0, 1]), outcomes(tmp_path, "b", [1, 1])
    other = write_rows(tmp_path / "c" / "samples_u.jsonl", [sample(0, acc=1.0)])
    for arguments, message in [((a, other), "no task in common"), ((tmp_path, a), "several models")]:
        result = run(*arguments)
        assert (result.exit_code, message in result.output) == (2, True)
    write_rows(b, [sample(n, acc=1.0) | {"prompt_hash": "other"} for n in range(2)])
    assert run(a, b).exit_code == 2
    assert run(a, b, "--force").exit_code == 0


def test_many_tasks_are_corrected_for(tmp_path):
    """Six of six alone is significant (p = .031); as one of three tasks it is not (Holm: .094)."""
    for name, scores in (("a", [0] * 6), ("b", [1] * 6)):
        for task in "tuv":
            rows = [sample(n, acc=float(score if task == "t" else 0)) for n, score in enumerate(scores)]
            rows += [sample(n, acc=0.0) for n in range(6, 30)]
            write_rows(tmp_path / name / f"samples_{task}.jsonl", rows)
    found = json.loads(run(tmp_path / "a", tmp_path / "b", "--json").stdout)
    (task,) = (one for one in found if one["task"] == "t")
    assert (task["p_value"], task["p_value_holm"]) == pytest.approx((0.03125, 0.09375))
    assert not task["is_different"]
    alone = json.loads(run(tmp_path / "a", tmp_path / "b", "--json", "--task", "t").stdout)
    assert alone[0]["is_different"]


def test_json_has_no_nan(tmp_path):
    """Programs read it."""
    a, b = outcomes(tmp_path, "a", [0, 1]), outcomes(tmp_path, "b", [0, 1])
    (found,) = json.loads(run(a, b, "--json").stdout, parse_constant=lambda name: pytest.fail(name))
    assert (found["n"], found["improved"], found["elsewhere"]) == (2, [], None)
    assert found["difference"]["interval"]["high"] == pytest.approx(1.95996 / 4, abs=1e-5)  # Agresti and Min


def test_results_of_the_latest_run_are_compared(tmp_path):
    """A folder with two runs: the note says which counts."""
    outcomes(tmp_path, "a", [0, 1])
    write_rows(tmp_path / "a" / "samples_t_2026-01-02T00-00-00.0.jsonl", [sample(n, acc=1.0) for n in range(2)])
    write_result(tmp_path / "a" / "results_2026-01-02T00-00-00.0.json", "a", "t", **{"n-samples": {}})
    assert [item.metrics["acc"] for item in results.read([tmp_path / "a"]).runs[0].items] == [1.0, 1.0]
    assert "the latest counts" in run(tmp_path / "a", tmp_path / "a").output
