"""Documents, shots, letters and scores of the benchmark tasks."""

import gc
import random
import subprocess
import sys
import warnings
from functools import partial

import pytest
from datasets import Dataset
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.samplers import ContextSampler, FirstNSampler
from lm_eval.api.task import ConfigurableTask

from lm_eval_ifeval_pt.benchmarks import (
    arc,
    belebele,
    benchmark,
    bluex,
    completion,
    enem,
    exams,
    global_piqa,
    hellaswag,
    mmlu,
    oab,
)
from lm_eval_ifeval_pt.benchmarks.docs import PlainRows
from lm_eval_ifeval_pt.benchmarks.exams import read_letter
from lm_eval_ifeval_pt.benchmarks.shots import FirstOthers, LeakFree
from tests import timing


def arc_row(texts, labels, key):
    """One row in the schema of ARC."""
    return {"id": "x", "question": "Qual?", "choices": {"text": texts, "label": labels}, "answerKey": key}


def exam_row(id, key="A", labels="ABCDE"):
    """One row in the schema of ENEM, BLUEX and OAB."""
    choices = {"text": [f"texto {label}. " for label in labels], "label": list(labels)}
    return {"id": id, "exam_id": "1", "question": f"Questão {id} ", "choices": choices, "answerKey": key}


def test_importing_what_the_definitions_name_is_light():
    """A definition that is only listed must not load the harness, the data set library or torch."""
    modules = [arc, belebele, bluex, completion, enem, exams, global_piqa, hellaswag, mmlu, oab]
    code = (
        "import sys;"
        + "".join(f"import {module.__name__};" for module in modules)
        + "print(sorted({'lm_eval', 'datasets', 'torch', 'numpy', 'transformers'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == "[]"


# Documents


@pytest.mark.parametrize(
    ("text", "query", "target"),
    [
        ("O mar estava azul", "O mar estava", " azul"),
        ("Fim.", "", " Fim."),
        ("dois  blancos", "dois ", " blancos"),
        ("termina em branco ", "termina em branco", " "),
        ("linha\nnova aqui", "linha\nnova", " aqui"),
    ],
)
def test_the_target_is_what_follows_the_last_blank(text, query, target):
    """Only blanks part words, as in the published template; the target starts with one."""
    assert completion.calame.columns({"text": text}) == {"query": query, "target": target}


@pytest.mark.parametrize(
    ("texts", "labels", "key", "letters", "gold"),
    [
        (["a", "b", "c"], ["A", "B", "C"], "C", ["A", "B", "C"], 2),
        (["a", "b", "c", "d"], ["1", "2", "3", "4"], "4", ["A", "B", "C", "D"], 3),
        (["a", "b", "c", "d", "e"], ["A", "B", "C", "D", "E"], "E", ["A", "B", "C", "D", "E"], 4),
    ],
)
def test_arc_questions_have_three_to_five_options(texts, labels, key, letters, gold):
    """The key is looked up among the row's own labels, digits included; both formats agree on it."""
    row = arc_row(texts, labels, key)
    assert arc.cf.columns(row) == {"query": "Question: Qual?\nAnswer:", "options": texts, "gold": gold}
    assert arc.mcf.columns(row)["options"] == letters
    assert arc.mcf.columns(row)["gold"] == gold
    assert f"\n{letters[-1]}. {texts[-1]}\nAnswer:" in arc.mcf.columns(row)["query"]


def column(docs, name):
    """One column of some documents."""
    return [doc[name] for doc in docs]


@pytest.mark.parametrize("key", ["", "Z", "1", None])
def test_rows_without_a_valid_key_are_left_out_and_said_so(key, caplog):
    """The harness would crash on them, or count every answer as wrong. One line of the log says so, without source."""
    rows = Dataset.from_list([arc_row(["a", "b"], ["A", "B"], "B"), arc_row(["a", "b"], ["A", "B"], key)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        docs = [arc.docs(rows) for _ in range(3)]
    assert [column(made, "gold") for made in docs] == [[1]] * 3
    assert caplog.messages == ["data set, split unknown: 1 of 2 rows have no valid key and are left out"]
    with pytest.raises(ValueError, match="1 of 1 rows have no valid key"):
        arc.docs(rows.select([1]))


def test_docs_keep_the_columns_and_the_order_of_the_rows():
    """What is logged of a document still tells its id and its labels."""
    rows = [arc_row(["a", "b"], ["A", "B"], "AB"[i % 2]) | {"id": str(i)} for i in range(5)]
    docs = arc.docs(Dataset.from_list(rows))
    assert column(docs, "id") == ["0", "1", "2", "3", "4"]
    assert docs[3]["choices"] == {"text": ["a", "b"], "label": ["A", "B"]}
    assert list(docs.features) == [*rows[0], "query", "options", "gold"]


def test_documents_are_made_once_a_data_set(monkeypatch):
    """The harness asks for them four or five times a task, for their number, for one of them and for all."""
    made = []
    monkeypatch.setattr(benchmark, "derive", lambda rows, columns: made.append(rows) or PlainRows(rows.to_list()))
    first, second = (Dataset.from_list([exam_row(id) for id in (*enem.EXAM.shots, "x")]) for _ in range(2))
    docs = [enem.docs(first) for _ in range(5)]
    assert len(made) == 1
    assert docs[0][0] is docs[4][0] is enem.shots(first)[3]
    assert column(enem.docs(second), "id") == ["x"]
    assert made == [first, second]


def test_documents_do_not_outlive_their_data_set():
    """Many runs in one process keep nothing of each other."""
    rows = Dataset.from_list([arc_row(["a", "b"], ["A", "B"], "B")])
    arc.docs(rows)
    before = len(arc.cf._docs)
    del rows
    gc.collect()
    assert len(arc.cf._docs) == before - 1


@pytest.mark.parametrize(
    ("answer", "gold"), [("C", 2), (2, 2), ("2", 2), (0, 0), ("E", None), (4, None), ("", None)]
)
def test_the_mmlu_key_is_a_letter_or_a_position(answer, gold):
    """Editions of the data set differ in it."""
    doc = mmlu.mcf.columns({"question": "Q", "choices": ["a", "b", "c", "d"], "answer": answer})
    assert (doc and doc["gold"]) == gold


@pytest.mark.parametrize(
    ("label", "gold"), [("3", 3), (0, 0), ("", None), ("4", None), ("-1", None), (None, None)]
)
def test_the_hellaswag_label_is_a_string_and_may_be_missing(label, gold):
    """Test splits have an empty one."""
    row = {
        "activity_label": "X",
        "ctx_a": "A.",
        "ctx_b": "b",
        "endings": ["a", "b", "c", "d"],
        "label": label,
    }
    doc = hellaswag.cf.columns(row)
    assert (doc and doc["gold"]) == gold


def test_the_global_piqa_label_has_two_values():
    """A third one is no key."""
    row = {"prompt": "p", "solution0": "a", "solution1": "b", "label": 2}
    assert global_piqa.cf.columns(row) is None
    assert global_piqa.mcf.columns(row | {"label": 1})["gold"] == 1


def test_the_belebele_number_is_a_string_or_an_integer():
    """1 to 4, and nothing else."""
    row = {"flores_passage": "p", "question": "q", **{f"mc_answer{n}": str(n) for n in range(1, 5)}}
    keys = ["1", 4, "0", "5", ""]
    docs = [belebele.mcf.columns(row | {"correct_answer_num": key}) for key in keys]
    assert [doc and doc["gold"] for doc in docs] == [0, 3, None, None, None]


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (" Como nadar [title] Entre na água. ", "Como nadar. Entre na água."),
        ("[header] Como nadar", " Como nadar"),
        ("nade [step] depois saia", "nade depois saia"),
        ("a    b", "a  b"),
    ],
)
def test_marks_of_wikihow_are_removed_as_upstream_does(text, cleaned):
    """Blanks are stripped before the marks go, so one may be left at the start: as published."""
    assert hellaswag.clean(text) == cleaned


# Exams


def test_listed_ids_are_not_scored():
    """ENEM leaves out 3, BLUEX 5, OAB 15: of 1,432, 724, 2,210 rows, 1,429, 719, 2,195 are scored."""
    assert [len(module.EXAM.listed) for module in (enem, bluex, oab)] == [3, 5, 15]
    ids = ["2022_20", "2022_88", "2022_143", "2022_1", "2022_21", "2022_2"]
    docs = enem.docs(Dataset.from_list([exam_row(id) for id in ids]))
    assert column(docs, "id") == ["2022_20", "2022_1", "2022_2"]


@pytest.mark.parametrize("pool", [bluex.shots, bluex.shots_cf, bluex.shots_mcf])
def test_shots_come_in_the_order_of_the_protocol(pool):
    """Whatever the order of the data; the other listed rows follow, then the rest for who asks for more."""
    ids = ["UNICAMP_2018_16", "USP_2018_35", "X_1", "UNICAMP_2018_2", "X_2", "USP_2018_3"]
    docs = pool(Dataset.from_list([exam_row(id) for id in ids]))
    assert column(docs, "id") == ["USP_2018_3", "UNICAMP_2018_2", "USP_2018_35", "UNICAMP_2018_16", "X_1", "X_2"]


def test_an_annulled_row_is_never_a_shot():
    """Its answer would be the word ANULADO."""
    rows = Dataset.from_list(
        [exam_row(id) for id in enem.EXAM.shots] + [exam_row("x", "ANULADO"), exam_row("y")]
    )
    assert column(enem.shots(rows), "id") == [*enem.EXAM.shots, "y"]


def test_a_missing_shot_stops_the_run_by_name():
    """Another row in its place would change every prompt."""
    rows = Dataset.from_list([exam_row("2022_21"), exam_row("2022_143"), exam_row("x")])
    with pytest.raises(ValueError, match="2022_88"):
        enem.shots(rows)


def test_annulled_rows_stay_in_the_generative_protocol_and_leave_the_others():
    """Published: such a row is scored, and always wrong. By log-likelihood there is nothing to score."""
    rows = Dataset.from_list([exam_row("x", "ANULADO"), exam_row("y")])
    docs = enem.docs(rows)
    assert column(docs, "annulled") == [True, False]
    for other in (enem.docs_cf, enem.docs_mcf):
        assert column(other(rows), "id") == ["y"]
    wrong, right = (enem.process_results(doc, ["A"]) for doc in docs)
    assert wrong == {"acc": 0.0, "invalid": 0.0, "annulled": 1.0, "npm": pytest.approx(-25.0)}
    assert right == {"acc": 1.0, "invalid": 0.0, "annulled": 0.0, "npm": 100.0}
    assert exams.count([1.0, 0.0, 1.0]) == 2


def test_a_key_that_the_row_does_not_offer_is_scored_as_published():
    """E of four options: right is who writes E, as in the published harness; the option formats cannot score it."""
    rows = Dataset.from_list([exam_row("x", "E", "ABCD"), exam_row("y")])
    doc = bluex.docs(rows)[0]
    assert bluex.process_results(doc, ["E"]) == {"acc": 1, "invalid": 0, "annulled": 0, "npm": 100}
    assert bluex.process_results(doc, ["A"])["acc"] == 0
    assert column(bluex.docs_mcf(rows), "id") == ["y"]


def test_exam_prompts_keep_the_blanks_of_the_data_but_the_last():
    """The leaderboard joins the options as they are and strips the end."""
    row = exam_row("7", labels="ABC")
    assert oab.written.columns(row)["query"] == (
        "Questão:\nQuestão 7 \nAlternativas:\nA. texto A. \nB. texto B. \nC. texto C.\nResposta correta:"
    )
    assert enem.mcf.columns(row)["options"] == ["A", "B", "C"]
    assert enem.cf.columns(row) == {
        "query": "Pergunta:\nQuestão 7 \nResposta correta:",
        "options": ["texto A.", "texto B.", "texto C."],
        "gold": 0,
    }


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("A", "A"),
        (" B\n", "B"),
        ("C. texto", "C"),
        ("Letra D", "D"),
        ("letra: E", "E"),
        ("A alternativa C está certa", "C"),
        ("A resposta correta: B", "B"),
        ("Resposta Correta e D", "D"),
        ("a opção B", "B"),
        ("A opção C é melhor que B", "C"),
        ("Acho que é (D)", "D"),
        ("B - porque", "B"),
        ("A única certa é C.", "C"),
        ("A certa é a D", "D"),
        ("E isso", "E"),
        ("Digo\tletra\nB", "B"),
        ("não sei", "[invalid]"),
        ("abacate", "[invalid]"),
        ("", "[invalid]"),
        ("F", "[invalid]"),
        ("ABCDE", "[invalid]"),
        ("<think>Será a letra A?</think>\nLetra C", "C"),
        ("<think>Será a letra A?", "[invalid]"),
    ],
)
def test_the_letter_is_read_by_the_first_pattern_that_fits(response, letter):
    """In this order: after a word for it, before a stop, before a mark, at the end, anywhere."""
    assert read_letter(enem.EXAM, response) == letter


def test_oab_has_no_letter_e():
    """Its patterns and its letters end at D."""
    assert read_letter(oab.EXAM, "E") == "[invalid]"
    assert read_letter(oab.EXAM, "E a resposta é a D") == "D"


def test_every_response_of_every_document_is_read():
    """The harness hands a filter one list of responses per document."""
    assert oab.read_letters([["A", "letra B"], ["?"]], [{}, {}]) == [["A", "B"], ["[invalid]"]]


@given(st.text())
def test_any_text_gives_a_letter_or_invalid(response):
    """No text from a model raises."""
    assert read_letter(oab.EXAM, response) in ["A", "B", "C", "D", "[invalid]"]


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["a ", "A", "resposta ", "letra:", "é", "\n", "E.", "<think>"])
def test_reading_takes_linear_time(piece):
    """Whatever the answer repeats, however long."""
    timing.assert_linear(timing.repeated(piece), partial(read_letter, oab.EXAM), 200_000)


# Shots


def pool(size):
    """Rows to draw shots from."""
    return [{"text": str(number)} for number in range(size)]


def test_leak_free_draws_are_the_published_draws_but_for_the_evaluated_row():
    """The published protocol draws 5 rows from the evaluated split with one generator for all documents."""
    rows = pool(100)
    published, ours = random.Random(1234), LeakFree(rows, rnd=1234)
    leaks = 0
    for doc in rows:
        expected = published.sample(rows, 5)
        drawn = ours.sample(5, eval_doc=doc)
        leaks += doc in expected
        assert doc not in drawn
        assert len({row["text"] for row in drawn}) == 5
        assert [row for row in expected if row != doc] == [
            row for row, other in zip(drawn, expected, strict=True) if other != doc
        ]
    assert leaks == 8


def test_leak_free_skips_copies_of_the_evaluated_row():
    """A data set may hold a row twice."""
    rows = [{"text": "a"}, {"text": "a"}, {"text": "b"}, {"text": "c"}]
    sampler = LeakFree(rows, rnd=0)
    for _ in range(50):
        assert sorted(row["text"] for row in sampler.sample(2, eval_doc=rows[0])) == ["b", "c"]
    with pytest.raises(ValueError, match="more shots"):
        sampler.sample(3, eval_doc=rows[0])


def test_first_others_is_the_harness_sampler_first_n():
    """Same rows, for every evaluated row and number of shots."""
    rows = pool(12)
    for doc in [*rows, None]:
        for n in (0, 1, 5, 11):
            assert FirstOthers(rows).sample(n, eval_doc=doc) == FirstNSampler(rows).sample(n, eval_doc=doc)
    with pytest.raises(ValueError, match="more shots"):
        FirstOthers(rows).sample(12, eval_doc=rows[0])


def test_samplers_are_the_harness_kind():
    """It accepts no others in a definition."""
    assert issubclass(LeakFree, ContextSampler)
    assert issubclass(FirstOthers, ContextSampler)


# Scores

LIKELIHOODS = st.floats(-1000, 0) | st.sampled_from([-1.0, -2.0, -4.0, float("-inf")])


@given(
    st.lists(st.tuples(st.text(min_size=1), LIKELIHOODS), min_size=2, max_size=5),
    st.integers(0, 1),
)
def test_scores_are_the_harness_scores(choices, gold):
    """acc, acc_norm (characters) and acc_bytes (UTF-8), of any options and any ties."""
    options = [option for option, _ in choices]
    results = [(likelihood, False) for _, likelihood in choices]
    harness = object.__new__(ConfigurableTask)
    harness._config = type("Config", (), {"process_results": None})
    harness.OUTPUT_TYPE = "multiple_choice"
    harness._metric_fn_list = dict.fromkeys(["acc", "acc_norm", "acc_bytes"])
    harness.multiple_input = harness.multiple_target = 0
    harness.doc_to_choice = lambda doc: doc["options"]
    harness.doc_to_target = lambda doc: doc["gold"]
    doc = {"options": options, "gold": gold}
    expected = harness.process_results(doc, results)
    ours = global_piqa.process_results(doc, results)
    assert {metric: ours[metric] for metric in expected} == expected


def test_characters_and_bytes_differ_on_accents():
    """ãã has 2 characters and 4 bytes: -4.4 is -2.2 per character and -1.1 per byte."""
    doc = {"options": ["aa", "ãã"], "gold": 1}
    scores = global_piqa.process_results(doc, [(-4.0, False), (-4.4, False)])
    assert scores == {"acc": 0.0, "acc_norm": 0.0, "acc_bytes": 1.0, "npm": -100.0}


def test_an_option_of_no_characters_never_wins():
    """After a chat template nothing is left to ask of it, so that its log-likelihood would be 0."""
    scores = arc.process_results({"options": ["", "b"], "gold": 1}, [(0.0, True), (-9.0, False)])
    assert (scores["acc"], scores["acc_norm"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("score", "right", "wrong"),
    [
        (arc.process_results, 100, -100 / 3),
        (hellaswag.process_results, 100, -100 / 3),
        (belebele.process_results, 100, -100 / 3),
        (mmlu.process_results, 100, -100 / 3),
        (global_piqa.process_results, 100, -100),
        (enem.process_results_cf, 100, -25),
        (bluex.process_results_mcf, 100, -22.5 / 0.775),
        (oab.process_results_mcf, 100, -100 / 3),
    ],
)
def test_a_document_adds_its_share_to_npm(score, right, wrong):
    """100 x (score - chance) / (1 - chance), by hand: a wrong answer counts as far below chance as it is."""
    results = [(-1.0, False), (-2.0, False)]
    assert score({"options": ["a", "b"], "gold": 0}, results)["npm"] == pytest.approx(right)
    assert score({"options": ["a", "b"], "gold": 1}, results)["npm"] == pytest.approx(wrong)


def test_npm_follows_the_preferred_metric():
    """ARC prefers acc_norm and MMLU acc: here the first is wrong and the second right."""
    doc = {"options": ["aaaa", "b"], "gold": 1}
    results = [(-4.0, False), (-2.0, False)]
    assert arc.process_results(doc, results) == {"acc": 1.0, "acc_norm": 0.0, "npm": pytest.approx(-100 / 3)}
    assert mmlu.process_results(doc, results) == {"acc": 1.0, "acc_norm": 0.0, "npm": 100.0}


def test_a_last_word_is_right_if_it_is_the_greedy_choice():
    """acc 0 or 1, npm 0 or 100: chance finds no word. The log-likelihood makes the perplexity."""
    assert completion.calame_results({}, [(-2.5, True)]) == {"acc": 1.0, "perplexity": -2.5, "npm": 100.0}
    assert completion.lambada_results({}, [(-2.5, False)]) == {"acc": 0.0, "perplexity": -2.5, "npm": 0.0}
    assert completion.perplexity([-1.0, -3.0]) == pytest.approx(7.38905609893)
