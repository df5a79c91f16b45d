"""The Python interface: one door to every dialect, rows and files checked as the task grades them."""

import json
import random

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import check, check_many, explain, ifeval, verify
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.constraints.registry import BadKwargs, UnknownConstraint, constraints
from lm_eval_ifeval_pt.ifeval import checking, dialects
from lm_eval_ifeval_pt.ifeval.dialects import DialectError
from lm_eval_ifeval_pt.ifeval.rows import RowsError
from tests import runs
from tests.quality import cases
from tests.quality.gold import GOLD, needs_gold, rows

ROW = {"key": 7, "instruction_id_list": ["ptbr:cedilha", "ptbr:sem_til"], "kwargs": [{}, None]}


@needs_gold
def test_every_labelled_case_is_verified_through_the_dialect_of_its_data_set():
    """All 146, with the label's verdicts, by `verify`, by `check` and under the constraint that `explain` shows."""
    labelled = list(rows(cases.CASES))
    assert len(labelled) == 146
    for case in labelled:
        dialect, kwargs = cases.DIALECTS[case["dialect"]], case["kwargs"] or {}
        id = case["instruction_id"]
        assert verify(id, case["response"], dialect=dialect, **kwargs).followed == case["expected_strict"]
        row = {"instruction_id_list": [id], "kwargs": [case["kwargs"]], "dialect": dialect}
        checked = check(row, case["response"])
        assert (checked.strict, checked.loose) == (case["expected_strict"], case["expected_loose"])
        assert explain(id, dialect=dialect).id == checked.verdicts[0].instruction_id


@pytest.mark.parametrize("constraint", constraints().values(), ids=lambda constraint: constraint.id)
def test_the_default_dialect_reads_the_package_s_own_ids(constraint):
    """Each example has the same verdict as of the constraint itself."""
    for example in (*constraint.follows, *constraint.breaks):
        assert verify(constraint.id, example.text, **example.kwargs).followed == (example in constraint.follows)


@pytest.mark.parametrize(
    ("id", "message"),
    [
        ("pt:keywords:cedilha_frequency", r"in dialect capitu \(pt\); known in: gap_ufg \(pt\), pt_en \(pt\)$"),
        ("br:n_frases", r"known in: br \(pt\)$"),
        ("words:include_wrd", "did you mean words:include_word"),
    ],
)
def test_an_unknown_id_names_the_dialects_that_know_it(id, message):
    """Or, where none does, the ids of this dialect that are like it."""
    with pytest.raises(UnknownConstraint, match=message):
        verify(id, "A lição.")
    with pytest.raises(UnknownConstraint, match=message):
        explain(id)


def test_bad_arguments_and_dialects_are_named():
    """What is wrong, and what there is."""
    with pytest.raises(BadKwargs, match="'N'"):
        verify("length_constraints:number_sentences", "Sim.", N=1)
    with pytest.raises(DialectError, match=r"no dialect 'klingon'.*capitu \(compat\)"):
        verify("ptbr:crase", "Vou à praia.", dialect="klingon")
    with pytest.raises(DialectError, match="klingon"):
        check_many([ROW], ["Sim."], dialect="klingon")


def test_compat_gives_the_verdict_of_the_published_checker():
    """CAPITU's own checker does not count "também"."""
    text = "Ela também veio."
    both = [verify("words:include_word", text, mode=mode, word="tambem").followed for mode in ("pt", "compat")]
    assert both == [
        dialects.get("capitu", mode).bind("words:include_word", {"word": "tambem"}).verify(checking.Text(text)).followed
        for mode in ("pt", "compat")
    ]


def test_every_name_of_a_dialect_means_what_its_rows_bind():
    """What `ls --dialect` lists can be explained, and no name hides one of the package's own ids."""
    for dialect in dialects.DIALECTS:
        for id, own in dialect.names.items():
            assert dialect.constraint(id).id == own
            if id in constraints() and dialect.name != "gap_ufg":
                assert id == own


def test_a_document_is_checked_as_the_task_grades_it():
    """Every bundled row: prompt level, strict and loose, and every verdict with its evidence."""
    answer = runs.careful(0.6, seed=3)
    for doc in ifeval.load_dataset()["test"]:
        response = f"<think>à</think>**{answer(doc)}**"
        graded = dict(doc)
        metrics = ifeval.process_results(graded, [response])
        checked = check(doc, response)
        assert checked.strict == metrics["prompt_level_strict_acc"]
        assert checked.loose == metrics["prompt_level_loose_acc"]
        assert checked.as_dict()["verdicts"] == graded["verdicts"]


def test_rows_may_be_as_datasets_gives_them_back():
    """Arguments as JSON strings, one by one or all in one, and all columns with None in most."""
    plain = check({**ROW, "kwargs": [{}, {}]}, "A força da lição e da caça.")
    for kwargs in ('[{}, null]', ["{}", "{}"], [{"num_words": None}, {"relation": None}]):
        assert check({**ROW, "kwargs": kwargs}, "A força da lição e da caça.") == plain
    assert check({**ROW, "instruction_id_list": json.dumps(ROW["instruction_id_list"])}, "Oi.") == check(ROW, "Oi.")


@pytest.mark.parametrize(
    ("row", "response", "message"),
    [
        ({"key": 3, "prompt": "Oi"}, "Sim.", r"row \(key 3\): missing columns: instruction_id_list, kwargs; it has"),
        ({**ROW, "kwargs": [{}]}, "Sim.", r"row \(key 7\): kwargs must be a list of 2 objects"),
        ({**ROW, "kwargs": "[{}, {]"}, "Sim.", r"row \(key 7\): no valid JSON"),
        ({**ROW, "instruction_id_list": []}, "Sim.", "must be a list of ids"),
        ({**ROW, "instruction_id_list": ["ptbr:crases", "ptbr:til"]}, "Sim.", r"row \(key 7\): .*mean ptbr:crase"),
        ({**ROW, "dialect": "klingon"}, "Sim.", r"row \(key 7\): no dialect 'klingon'"),
        (ROW, None, r"row \(key 7\): the answer must be a text, it is None"),
    ],
    ids=["no ids", "too few arguments", "no JSON", "no instructions", "unknown id", "unknown dialect", "no answer"],
)
def test_what_cannot_be_checked_is_said_with_its_row(row, response, message):
    """One by one and in a file, where the row has its number; or it is skipped."""
    with pytest.raises(RowsError, match=message):
        check(row, response)
    with pytest.raises(RowsError, match=message.replace("row ", "row 2 ", 1)):
        list(check_many([ROW, row], ["Sim.", response]))
    assert list(check_many([ROW, row], ["Sim.", response], invalid="skip"))[1] is None


@pytest.mark.parametrize(("answers", "message"), [(1, "row 2: there is no answer"), (3, "row 3: there is no row")])
def test_rows_and_answers_must_be_as_many(answers, message):
    """The first that has no partner is named."""
    with pytest.raises(RowsError, match=message):
        list(check_many([ROW, ROW], ["Sim."] * answers))


@pytest.mark.slow
def test_many_are_checked_over_processes_in_order_while_they_are_read():
    """The same verdicts as one by one; of an endless stream only what is needed is read."""
    documents = list(ifeval.load_dataset()["test"])
    answer = runs.careful(0.6, seed=5)
    order = random.Random(0).choices(range(len(documents)), k=400)
    given = [documents[number] for number in order]
    answers = list(map(answer, given))
    assert list(check_many(given, answers, workers=2)) == list(map(check, given, answers))

    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield ROW

    stream = check_many(endless(), iter(lambda: "A força da lição e da caça.", None), workers=2)
    assert not next(stream).strict
    stream.close()
    assert taken <= checking.CHUNK * 10


def test_a_bad_row_far_down_is_named_after_those_before_it():
    """From another process too, with the results before it given first."""
    checked = check_many([ROW] * 300 + [{"key": "x"}] + [ROW] * 50, ["Sim."] * 351, workers=2)
    before = [next(checked) for _ in range(300)]
    assert len(before) == 300
    with pytest.raises(RowsError, match=r"row 301 \(key 'x'\): missing columns"):
        next(checked)


def test_an_id_that_no_dialect_knows_has_no_dialects_named():
    """The message of the registry is kept."""
    with pytest.raises(UnknownConstraint, match="unknown constraint 'zzzzzz'"):
        verify("zzzzzz", "Sim.")


@pytest.mark.skipif(not (GOLD / "capitu").exists(), reason="the external data is not there")
def test_capitu_s_rows_need_no_dialect():
    """Each row of CAPITU is checked as its task does by default."""
    questions = list(rows("capitu/input_questions.jsonl"))
    checked = list(check_many(questions, ["Machado escreveu à mão."] * len(questions), workers=1))
    assert len(checked) == len(questions)
    assert all(one is not None for one in checked)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["verify", "pt:keywords:cedilha_frequency", "-k", "count=1", "--dialect", "gap_ufg"], 0, "✓ seguiu"),
        (["verify", "words:include_word", "-k", "keyword=lição"], 0, "✓ seguiu"),
        (["verify", "words:include_word", "-k", "word=lixo", "--mode", "compat"], 1, "✗ não seguiu"),
        (["verify", "pt:keywords:cedilha_frequency", "-k", "count=1"], 2, "known in: gap_ufg (pt)"),
        (["explain", "words:include_word"], 0, "in dialect capitu asks for the same as:\n\n## `keywords:existence`"),
        (["explain", "pt:punctuation:no_comma"], 2, "known in: gap_ufg (pt), pt_en (pt)"),
        (["ls", "--dialect", "capitu"], 0, "words:include_word"),
        (["ls", "--dialect", "ifeval_pt"], 0, "the package's own ids"),
    ],
)
def test_the_commands_speak_every_dialect(arguments, code, said):
    """`verify`, `explain` and `ls` with `--dialect`; what is not known names who knows it."""
    result = CliRunner().invoke(main, arguments, input="A lição.", env={"COLUMNS": "200"})
    assert result.exit_code == code
    assert said in result.output
