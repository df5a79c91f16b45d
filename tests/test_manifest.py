"""Every entry of a manifest: a value that is accepted and what it does, and a wrong one, refused by its path."""

import copy
import json
import random

import pytest

from lm_eval_ifeval_pt.suite import data, templates
from lm_eval_ifeval_pt.suite.documents import documents
from lm_eval_ifeval_pt.suite.errors import ManifestError, SuiteError
from lm_eval_ifeval_pt.suite.extraction import TooSlow, extractor
from lm_eval_ifeval_pt.suite.manifest import load
from lm_eval_ifeval_pt.suite.programs import programs
from lm_eval_ifeval_pt.suite.scoring import OutputSample, score, scores_of, summary

ROWS = [
    {"q": "Capital do Brasil?", "a": "Brasília", "n": 1, "more": {"x": [10, 20]}},
    {"q": "Capital de Portugal?", "a": "Lisboa", "n": 2, "more": {"x": []}},
    {"q": "Capital de Angola?", "a": "Luanda", "n": 3},
]
GRADE = "def grade(sample, item):\n    return float(sample['extracted_output'] == item['target'])\n"


def task(**entries):
    """A task that is right, with some entries replaced; those that are None are left out."""
    base = {
        "id": "qa",
        "dataset": {"file_id": "rows.jsonl"},
        "prompt_template": "{{q}}",
        "target_template": "{{a}}",
        "grader": {"type": "python", "source": GRADE},
    }
    return {key: value for key, value in {**base, **entries}.items() if value is not None}


@pytest.fixture
def write(tmp_path):
    """Writes a manifest of some tasks beside its rows."""
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    (tmp_path / "rows.csv").write_text("q,a,n\nUm?,01,1\n", encoding="utf-8")

    def write(*tasks, name="suite.json", **entries):
        path = tmp_path / name
        entry = {"schema_version": "2026-05-27", "tasks": list(tasks), **entries}
        path.write_text(json.dumps(entry), encoding="utf-8")
        return path

    return write


def faults(path, **kwargs):
    """What is wrong with a manifest, by path."""
    with pytest.raises(ManifestError) as error:
        load(path, **kwargs)
    return {fault.path: fault.problem for fault in error.value.faults}


def made(path, index=0):
    """The documents of a task."""
    one = load(path).tasks[index]
    runner = programs(False) if one.has_program else None
    return documents(**one.documents, programs=runner, folder=one.folder)


def graded(path, outputs, index=0, trust=False):
    """Samples of a task, scored."""
    one = load(path).tasks[index]
    runner = programs(trust) if one.has_program else None
    docs = documents(**one.documents, programs=runner, folder=one.folder)
    samples = [OutputSample(output, doc) for output, doc in zip(outputs, docs, strict=False)]
    return samples, score(samples, one.scoring, runner)


LONG = "x" * 513
WRONG = [
    ({"id": "a b"}, "tasks[0].id"),
    ({"id": "a\n"}, "tasks[0].id"),
    ({"name": 1}, "tasks[0].name"),
    ({"type": "essay"}, "tasks[0].type"),
    ({"metadata": {"k" * 65: "v"}}, f"tasks[0].metadata.{'k' * 65}"),
    ({"metadata": {"k": LONG}}, "tasks[0].metadata.k"),
    ({"dataset": {}}, "tasks[0].dataset"),
    ({"dataset": {"file_id": "rows.jsonl", "path": "a/b"}}, "tasks[0].dataset"),
    ({"dataset": {"file_id": "none.jsonl"}}, "tasks[0].dataset.file_id"),
    ({"dataset": {"file_id": "../rows.jsonl"}}, "tasks[0].dataset.file_id"),
    ({"dataset": {"file_id": "rows.jsonl", "format": "xlsx"}}, "tasks[0].dataset.format"),
    ({"dataset": {"file_id": "rows.jsonl", "split": "test"}}, "tasks[0].dataset.split"),
    ({"dataset": {"file_id": "rows.jsonl", "source": "huggingface"}}, "tasks[0].dataset.source"),
    ({"dataset": {"path": "a/b", "source": "file"}}, "tasks[0].dataset.source"),
    ({"dataset": {"path": "a/b", "format": "csv"}}, "tasks[0].dataset.format"),
    ({"dataset": {"path": "../etc"}}, "tasks[0].dataset.path"),
    ({"dataset": {"path": "a/b", "name": ""}}, "tasks[0].dataset.name"),
    ({"dataset": {"path": "a/b", "split": "te st"}}, "tasks[0].dataset.split"),
    ({"dataset": {"path": "a/b", "revision": 3}}, "tasks[0].dataset.revision"),
    ({"dataset": {"path": "a/b", "max_rows": 1000001}}, "tasks[0].dataset.max_rows"),
    ({"dataset": {"path": "a/b", "max_rows": 0}}, "tasks[0].dataset.max_rows"),
    (
        {"dataset": {"path": "a/b", "dataset_kwargs": {"trust_remote_code": True}}},
        "tasks[0].dataset.dataset_kwargs.trust_remote_code",
    ),
    ({"dataset": {"path": "json"}}, "tasks[0].dataset.data_files"),
    ({"dataset": {"path": "json", "data_files": "rows.jsonl"}}, "tasks[0].dataset.data_files"),
    ({"dataset": {"path": "json", "data_files": "http://10.0.0.1/a"}}, "tasks[0].dataset.data_files"),
    ({"dataset": {"path": "csv", "data_files": "http://127.1/a"}}, "tasks[0].dataset.data_files"),
    ({"dataset": {"path": "csv", "data_files": ["https://localhost/a"]}}, "tasks[0].dataset.data_files"),
    ({"dataset": {"path": "csv", "data_files": {"test": "http://[::1]/a"}}}, "tasks[0].dataset.data_files"),
    (
        {"dataset": {"path": "json", "dataset_kwargs": {"data_files": "http://db.internal/a"}}},
        "tasks[0].dataset.dataset_kwargs.data_files",
    ),
    ({"dataset": {"path": "a/b", "data_files": "https://example.com/a"}}, "tasks[0].dataset.data_files"),
    ({"choices": []}, "tasks[0].choices"),
    ({"prompt_template": ""}, "tasks[0].prompt_template"),
    ({"prompt_template": None}, "tasks[0].prompt_template"),
    ({"target_template": 1}, "tasks[0].target_template"),
    ({"num_fewshot": 101}, "tasks[0].num_fewshot"),
    ({"num_fewshot": -1}, "tasks[0].num_fewshot"),
    ({"num_fewshot": 1, "fewshot": {"count": 1}}, "tasks[0].fewshot"),
    ({"fewshot": {"count": 101}}, "tasks[0].fewshot.count"),
    ({"fewshot": {"count": 1, "dataset": {"file_id": "no.jsonl"}}}, "tasks[0].fewshot.dataset.file_id"),
    ({"fewshot": {"count": 1, "prompt_template": ""}}, "tasks[0].fewshot.prompt_template"),
    ({"fewshot": {"count": 1, "target_template": ""}}, "tasks[0].fewshot.target_template"),
    ({"fewshot": {"count": 1, "example_template": "{{q}}"}}, "tasks[0].fewshot.example_template"),
    ({"fewshot": {"count": 1, "separator": 3}}, "tasks[0].fewshot.separator"),
    ({"fewshot": {"count": 1, "strategy": "last"}}, "tasks[0].fewshot.strategy"),
    ({"fewshot": {"count": 1, "seed": -1}}, "tasks[0].fewshot.seed"),
    ({"num_fewshot": 1, "target_template": None}, "tasks[0].target_template"),
    ({"preprocess": {"type": "js", "contract": "row", "source": "x"}}, "tasks[0].preprocess.type"),
    ({"preprocess": {"type": "python", "contract": "doc", "source": "x"}}, "tasks[0].preprocess.contract"),
    ({"preprocess": {"type": "python", "contract": "row", "source": "x = 1"}}, "tasks[0].preprocess.source"),
    ({"preprocess": {"type": "python", "contract": "row", "source": "def ("}}, "tasks[0].preprocess.source"),
    ({"preprocess": {"type": "python", "contract": "row", "file_id": "p.py"}}, "tasks[0].preprocess.file_id"),
    ({"preprocess": {"type": "python", "contract": "row"}}, "tasks[0].preprocess"),
    (
        {
            "preprocess": {
                "type": "python",
                "contract": "row",
                "source": "def transform(r): pass",
                "timeout_seconds": 601,
            }
        },
        "tasks[0].preprocess.timeout_seconds",
    ),
    ({"output_extraction": {"type": "xpath"}}, "tasks[0].output_extraction.type"),
    ({"output_extraction": {"type": "none", "lines": 1}}, "tasks[0].output_extraction.lines"),
    ({"output_extraction": {"type": "take_first", "lines": 0}}, "tasks[0].output_extraction.lines"),
    ({"output_extraction": {"type": "regex"}}, "tasks[0].output_extraction.pattern"),
    ({"output_extraction": {"type": "regex", "pattern": "(a"}}, "tasks[0].output_extraction.pattern"),
    ({"output_extraction": {"type": "regex", "pattern": "a" * 1001}}, "tasks[0].output_extraction.pattern"),
    ({"output_extraction": {"type": "regex", "pattern": "(a)", "group": 2}}, "tasks[0].output_extraction.group"),
    ({"output_extraction": {"type": "regex_last", "pattern": "(a)", "group": "b"}}, "tasks[0].output_extraction.group"),
    ({"output_extraction": {"type": "regex", "pattern": "a", "flags": "g"}}, "tasks[0].output_extraction.flags"),
    ({"output_extraction": {"type": "label_set"}}, "tasks[0].output_extraction.labels"),
    ({"output_extraction": {"type": "label_set", "labels": [""]}}, "tasks[0].output_extraction.labels[0]"),
    ({"output_extraction": {"type": "label_set", "labels": ["Sim", "sim"]}}, "tasks[0].output_extraction.labels[1]"),
    (
        {"output_extraction": {"type": "label_set", "labels": ["a"], "case_sensitive": "no"}},
        "tasks[0].output_extraction.case_sensitive",
    ),
    ({"metrics": []}, "tasks[0].metrics"),
    ({"metrics": [{"id": "a,b"}]}, "tasks[0].metrics[0].id"),
    ({"metrics": [{"id": "a"}, {"id": "a"}]}, "tasks[0].metrics[1].id"),
    ({"metrics": [{"id": "a", "aggregation": "median"}]}, "tasks[0].metrics[0].aggregation"),
    ({"metrics": [{"id": "a", "higher_is_better": 1}]}, "tasks[0].metrics[0].higher_is_better"),
    ({"metrics": [{"id": "a", "description": 1}]}, "tasks[0].metrics[0].description"),
    ({"grader": {"type": "java"}}, "tasks[0].grader.type"),
    ({"grader": {"type": "python"}}, "tasks[0].grader"),
    ({"grader": {"type": "python", "contract": "rows", "source": GRADE}}, "tasks[0].grader.contract"),
    ({"grader": {"type": "python", "contract": "batch", "source": GRADE}}, "tasks[0].grader.source"),
    ({"grader": {"type": "python", "file_id": "/etc/passwd"}}, "tasks[0].grader.file_id"),
    ({"grader": {"type": "python", "source": GRADE, "metric_id": "a b"}}, "tasks[0].grader.metric_id"),
    ({"grader": {"type": "python", "source": GRADE, "timeout_seconds": 0}}, "tasks[0].grader.timeout_seconds"),
    ({"grader": {"type": "python", "source": GRADE, "max_model_calls": 501}}, "tasks[0].grader.max_model_calls"),
    ({"grader": {"type": "python", "source": GRADE, "execution": "all"}}, "tasks[0].grader.execution"),
    ({"grader": {"type": "python", "source": GRADE, "execution": "aggregate"}}, "tasks[0].grader.source"),
    ({"grader": {"type": "python", "source": GRADE, "model_access": "openai"}}, "tasks[0].grader.model_access"),
    ({"grader": {"type": "builtin", "id": "no_such"}}, "tasks[0].grader"),
    ({"grader": {"type": "builtin", "id": "token_f1", "ignore_case": 3}}, "tasks[0].grader.ignore_case"),
    ({"grader": {"type": "builtin", "id": "token_f1"}, "metrics": [{"id": "acc"}]}, "tasks[0].metrics[0].id"),
    ({"grader": {"type": "builtin", "id": "token_f1"}, "target_template": None}, "tasks[0].target_template"),
    ({"promt_template": "x"}, "tasks[0].promt_template"),
]


@pytest.mark.parametrize(("entries", "path"), WRONG, ids=[path for _, path in WRONG])
def test_a_wrong_value_is_refused_by_its_path(write, entries, path):
    """One fault at least is named by the path of what is wrong, and says something about it."""
    found = faults(write(task(**entries)))
    assert path in found
    assert found[path].strip()


def test_the_whole_of_a_manifest_is_limited(write, tmp_path):
    """One to a hundred tasks with ids of their own, a known version, notes of bounded length."""
    assert "schema_version" in faults(write(task(), schema_version="2025-01-01"))
    assert "tasks" in faults(write())
    assert "tasks" in faults(write(*(task(id=f"t{number}") for number in range(101))))
    assert "tasks[1].id" in faults(write(task(), task()))
    assert "metadata.a" in faults(write(task(), metadata={"a": LONG}))
    assert len(load(write(*(task(id=f"t{number}") for number in range(100)), metadata={"a": "b"})).tasks) == 100
    (tmp_path / "twice.json").write_text('{"tasks": [], "tasks": []}', encoding="utf-8")
    assert "stands twice" in faults(tmp_path / "twice.json")[""]
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    assert "no JSON" in faults(tmp_path / "bad.json")[""]


def test_a_misspelt_key_is_told_with_the_right_one(write):
    """The message names the key that was meant."""
    found = faults(write(task(output_extraction={"type": "regex", "patern": "a", "pattern": "a"})))
    assert "did you mean pattern?" in found["tasks[0].output_extraction.patern"]


def test_yaml_says_the_same_as_json(write, tmp_path):
    """The same keys; dates stay text, and no and sim are words."""
    (tmp_path / "suite.yaml").write_text(
        "schema_version: 2026-05-27\n"
        "tasks:\n"
        "- id: qa\n"
        "  dataset: {file_id: rows.jsonl}\n"
        "  choices: [sim, no, 1, true, 1:30]\n"
        "  prompt_template: '{{q}}'\n"
        "  target_template: '{{a}}'\n"
        "  grader: {type: builtin, id: exact_match}\n",
        encoding="utf-8",
    )
    assert load(tmp_path / "suite.yaml").tasks[0].entry["choices"] == ["sim", "no", 1, True, "1:30"]
    (tmp_path / "twice.yaml").write_text("a: 1\na: 2\n", encoding="utf-8")
    assert "stands twice" in faults(tmp_path / "twice.yaml")[""]
    (tmp_path / "bomb.yaml").write_text("a: &a [1]\nb: [*a, *a]\n", encoding="utf-8")
    assert "aliases" in faults(tmp_path / "bomb.yaml")[""]


# Templates


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{q}} {{ n }}", "Capital? 1"),
        ("{{more.x}} {{more.x.1}} {{more.y}}|{{none}}", "[10,20] 20 |"),
        ("{{more}}", '{"x":[10,20],"é":null}'),
        ("{{flag}} {{half}} {{nothing}}", "true 0.5 "),
        ("{{a.b}}", "a column"),
        ("{{jinja}}", "{{q}} {% if %}"),
        ("{{q {q} {{}} {% if q %}", "{{q {q} {{}} {% if q %}"),
        ("{{choices}}\n{{choice_list}}", '["sim",2]\nsim\n2'),
    ],
)
def test_templates_know_five_patterns_and_nothing_of_jinja(template, text):
    """Missing and null are empty, objects and lists are JSON without blanks, values are not read again."""
    row = {"q": "Capital?", "n": 1, "more": {"x": [10, 20], "é": None}, "flag": True, "half": 0.5, "nothing": None}
    row |= {"a.b": "a column", "jinja": "{{q}} {% if %}"}
    assert templates.render(template, row, ["sim", 2]) == text
    assert json.loads(templates.render("{{row}}", row)) == row


def test_choices_are_the_tasks_or_else_a_column():
    """Of data sets that have a column of that name."""
    row = {"choices": ["a"]}
    assert templates.render("{{choices}}", row) == '["a"]'
    assert templates.render("{{choices}}", row, ["b"]) == '["b"]'


@pytest.mark.slow
def test_a_template_that_fits_no_row_stops_before_the_run(write):
    """A column that no row has is named with those that are there; an empty prompt everywhere is an error."""
    with pytest.raises(SuiteError, match=r"prompt_template: no row has 'questão'; there are the columns q, a, n, more"):
        made(write(task(prompt_template="{{questão}}")))
    with pytest.raises(SuiteError, match="has no choices"):
        made(write(task(prompt_template="{{choice_list}}")))
    with pytest.raises(SuiteError, match="renders as an empty text for all 3 rows"):
        made(write(task(prompt_template=" \n")))
    assert [doc["prompt"] for doc in made(write(task(prompt_template="{{q}}{{more.x.0}}")))][1:] == [
        "Capital de Portugal?",
        "Capital de Angola?",
    ]


# Data


@pytest.mark.slow
def test_values_of_csv_stay_text(write, tmp_path):
    """ "01" is not 1; semicolons part columns where the header has them; a wrong row is named by its line."""
    path = write(task(dataset={"file_id": "rows.csv"}, target_template="{{a}}"))
    assert made(path)[0]["row"] == {"q": "Um?", "a": "01", "n": "1"}
    (tmp_path / "b.txt").write_text('q;a\n"Um; dois";3\n', encoding="utf-8-sig")
    path = write(task(dataset={"file_id": "b.txt", "format": "csv"}))
    assert made(path)[0]["row"] == {"q": "Um; dois", "a": "3"}
    (tmp_path / "bad.csv").write_text("q,a\n1,2\n1,2,3\n", encoding="utf-8")
    with pytest.raises(SuiteError, match="line 3: 3 values, the header has 2 columns"):
        made(write(task(dataset={"file_id": "bad.csv"})))
    (tmp_path / "bad.jsonl").write_text('{"q": 1}\n[1]\n', encoding="utf-8")
    with pytest.raises(SuiteError, match="line 2: an object is expected, got list"):
        made(write(task(dataset={"file_id": "bad.jsonl"})))


def test_files_are_those_beside_the_manifest_or_mapped(write, tmp_path):
    """A `file_id` that is no name beside the manifest is mapped to a path; max_rows takes the first ones."""
    path = write(task(dataset={"file_id": "file-123", "format": "jsonl", "max_rows": 2}))
    assert "--files file-123=PATH" in faults(path)["tasks[0].dataset.file_id"]
    one = load(path, {"file-123": tmp_path / "rows.jsonl"}).tasks[0]
    assert len(documents(**one.documents, programs=None, folder=one.folder)) == 2


@pytest.mark.slow
def test_hub_data_sets_have_split_configuration_revision_and_limit(write, monkeypatch):
    """`test` by default, `train` of shots; a configuration left out is the one that has the split."""
    import datasets

    asked = []

    def load_dataset(path, name, split, revision):
        asked.append((path, name, split, revision))
        return datasets.Dataset.from_list([{"q": f"{split} {number}", "a": "x"} for number in range(5)])

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(datasets, "get_dataset_config_names", lambda path, revision: ["por", "ukr"])
    monkeypatch.setattr(
        datasets, "get_dataset_split_names", lambda path, name, revision: ["test"] if name == "por" else ["train"]
    )
    hub = {"path": "a/b", "max_rows": 2, "dataset_kwargs": {"revision": "v1"}}
    docs = made(write(task(dataset=hub, fewshot={"count": 1, "dataset": {"path": "a/b", "name": "c"}})))
    assert [doc["prompt"] for doc in docs] == ["train 0\nx\n\ntest 0", "train 0\nx\n\ntest 1"]
    assert asked == [("a/b", "por", "test", "v1"), ("a/b", "c", "train", None)]
    with pytest.raises(SuiteError, match=r"none has the split dev; give dataset.name, one of por, ukr"):
        made(write(task(dataset={"path": "a/b", "split": "dev"})))


@pytest.mark.slow
def test_builders_read_public_addresses(write, monkeypatch):
    """Of the split that is asked, after the host was resolved; one that resolves to a private network is refused."""
    monkeypatch.setattr(data, "_fetched", lambda address: "q,a\nUm?,01\n")
    resolved = {"example.com": "93.184.216.34", "evil.com": "192.168.0.1"}
    monkeypatch.setattr(data.socket, "getaddrinfo", lambda host, *_, **__: [(0, 0, 0, "", (resolved[host], 443))])
    files = {"test": ["https://example.com/a.csv"], "train": "https://evil.com/b.csv"}
    assert made(write(task(dataset={"path": "csv", "data_files": files})))[0]["target"] == "01"
    with pytest.raises(SuiteError, match="private network"):
        made(write(task(dataset={"path": "csv", "data_files": files, "split": "train"})))


# Shots


@pytest.mark.slow
def test_the_first_rows_are_shots_but_never_the_row_that_is_asked(write):
    """By place, not by equality; separator and template as given, nothing of the harness's between them."""
    docs = made(write(task(num_fewshot=2)))
    assert docs[0]["prompt"] == ("Capital de Portugal?\nLisboa\n\nCapital de Angola?\nLuanda\n\nCapital do Brasil?")
    shots = {"count": 1, "example_template": "P:{{prompt}}R:{{target}}", "separator": "|", "prompt_template": "{{n}}"}
    docs = made(write(task(fewshot=shots | {"target_template": "{{a}}!"})))
    assert [doc["prompt"] for doc in docs] == [
        "P:2R:Lisboa!|Capital do Brasil?",
        "P:1R:Brasília!|Capital de Portugal?",
        "P:1R:Brasília!|Capital de Angola?",
    ]
    with pytest.raises(SuiteError, match="3 examples are asked for, there are 2 other rows"):
        made(write(task(num_fewshot=3)))


@pytest.mark.slow
def test_shots_of_another_file_may_be_equal_to_the_row(write, tmp_path):
    """Only the same rows are left out: a file of its own is another data set."""
    (tmp_path / "shots.jsonl").write_text(json.dumps(ROWS[0]) + "\n", encoding="utf-8")
    docs = made(write(task(fewshot={"count": 1, "dataset": {"file_id": "shots.jsonl"}})))
    assert docs[0]["prompt"] == "Capital do Brasil?\nBrasília\n\nCapital do Brasil?"
    docs = made(write(task(fewshot={"count": 2, "dataset": {"file_id": "rows.jsonl"}})))
    assert "Brasil" not in docs[0]["prompt"].rpartition("\n\n")[0]


@pytest.mark.slow
def test_random_shots_depend_on_the_seed_and_the_row_alone(write, tmp_path):
    """Not on how many rows are run or on other draws; another seed draws others; no row is its own shot."""
    rows = [{"q": f"q{number}", "a": f"a{number}"} for number in range(50)]
    (tmp_path / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def prompts(seed, **limit):
        shots = {"count": 5, "strategy": "random", "seed": seed, "separator": " ", "example_template": "{{prompt}}"}
        return [
            doc["prompt"].split()
            for doc in made(write(task(dataset={"file_id": "many.jsonl", **limit}, fewshot=shots)))
        ]

    random.seed(1)
    first = prompts(0)
    random.seed(2)
    assert prompts(0) == first != prompts(1)
    assert all(len(set(prompt)) == 6 for prompt in first)
    drawn = [shot for *shots, _ in first for shot in shots]
    assert len(set(drawn)) == 50


# Preprocessing


def program(contract, source, **entries):
    """A preprocessor."""
    return {"type": "python", "contract": contract, "source": source, **entries}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transform_row", "transform", "process_doc"])
def test_a_row_becomes_one_row_several_or_none(write, name):
    """By what the function returns; the function may have three names."""
    source = f"""
def {name}(row):
    if row["n"] == 1:
        return None
    if row["n"] == 2:
        return [dict(row, q="um"), dict(row, q="dois")]
    return dict(row, q="três")
"""
    docs = made(write(task(preprocess=program("row", source))))
    assert [doc["prompt"] for doc in docs] == ["um", "dois", "três"]


@pytest.mark.parametrize("name", ["transform_batch", "process_docs"])
def test_a_batch_is_prepared_at_once(write, name):
    """The function sees all rows, those that max_rows leaves."""
    path = write(
        task(
            dataset={"file_id": "rows.jsonl", "max_rows": 2},
            preprocess=program("batch", f"def {name}(rows):\n    return [dict(rows[-1], q=str(len(rows)))]\n"),
        )
    )
    assert [doc["prompt"] for doc in made(path)] == ["2"]


def test_rows_made_of_one_row_are_no_shots_of_each_other(write):
    """They would give the answer away."""
    source = "def transform(row):\n    return [dict(row, q=row['q'] + x) for x in '12']\n"
    docs = made(write(task(preprocess=program("row", source), num_fewshot=4)))
    assert docs[0]["prompt"].count("Brasil") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def transform(row):\n    return row['nada']\n", "preprocess, row 1: KeyError: 'nada'\nline 2, in transform"),
        ("def transform(row):\n    return 3\n", "preprocess, row 1: returned 3; it may return"),
        ("def transform(row):\n    return None\n", "preprocess leaves none of the 3 rows"),
        ("def transform(row):\n    while True: pass\n", "takes longer than 1 s"),
    ],
)
def test_a_preprocessor_that_fails_ends_the_task_before_the_run(write, source, said):
    """With the row and its own lines."""
    with pytest.raises(SuiteError) as error:
        made(write(task(preprocess=program("row", source, timeout_seconds=1))))
    assert said in str(error.value)


# Extraction


@pytest.mark.parametrize(
    ("extraction", "output", "result"),
    [
        (None, "  Brasília.\n", "Brasília."),
        ({"type": "none"}, "<think>hm</think>\n\nSim<|im_end|>\n</s>", "Sim"),
        ({"type": "none"}, "", ""),
        ({"type": "none"}, "a <s> b", "a <s> b"),
        ({"type": "take_first"}, "\n\n  um \ndois", "um"),
        ({"type": "take_first", "lines": 2}, "um\n\ndois\ntrês", "um\ndois"),
        ({"type": "take_first"}, "\n \n", ""),
        ({"type": "regex", "pattern": r"(\d)(\d)"}, "12 34", "1"),
        ({"type": "regex_last", "pattern": r"(\d)(\d)"}, "12 34", "3"),
        ({"type": "regex", "pattern": r"\d+"}, "a 12 b", "12"),
        ({"type": "regex", "pattern": r"(\d)(\d)", "group": 2}, "12", "2"),
        ({"type": "regex", "pattern": r"(\d)(\d)", "group": 0}, "12", "12"),
        ({"type": "regex", "pattern": r"(?<n>\d)x", "group": "n"}, "7x", "7"),
        ({"type": "regex", "pattern": "(a)|(b)", "group": 2}, "a", ""),
        ({"type": "regex", "pattern": "RESPOSTA: (.)", "flags": "i"}, "resposta: x", "x"),
        ({"type": "regex", "pattern": "^b$", "flags": ["MULTILINE"]}, "a\nb", "b"),
        ({"type": "regex", "pattern": "a.b", "flags": "su"}, "a\nb", "a\nb"),
        ({"type": "regex", "pattern": "z"}, "a", ""),
        ({"type": "label_set", "labels": ["positivo", "negativo"]}, "Negativo, não positivo.", "negativo"),
        ({"type": "label_set", "labels": ["1", "10"]}, "São 10.", "10"),
        ({"type": "label_set", "labels": ["1", "2"]}, "10 ou 2,5", ""),
        ({"type": "label_set", "labels": ["urgente", "não urgente"]}, "É não urgente", "não urgente"),
        ({"type": "label_set", "labels": ["arte"]}, "artes", ""),
        ({"type": "label_set", "labels": ["Sim"], "case_sensitive": True}, "sim", ""),
        ({"type": "label_set", "labels": ["reclamação"]}, "Reclamac\u0327a\u0303o", "reclamação"),
        ({"type": "label_set", "labels": ["A", "B"]}, "A resposta é B.", "B"),
        ({"type": "label_set", "labels": ["A", "B"]}, "a", "A"),
        ({"type": "label_set", "labels": ["A", "B"]}, "**b)** porque", "B"),
        ({"type": "label_set", "labels": ["A", "E"]}, "A alternativa E está correta", "E"),
        ({"type": "label_set", "labels": ["A", "B"]}, "Não sei.", ""),
        ({"type": "number"}, "São R$ 1.234,56.", 1234.56),
        ({"type": "number"}, "1.234", 1234),
        ({"type": "number"}, "1,234.56", 1234.56),
        ({"type": "number"}, "1,5 ou 2; a resposta é 3", 3),
        ({"type": "number"}, "nenhum", None),
    ],
)
def test_what_is_extracted_from_an_output(extraction, output, result):
    """Each choice where the format leaves one: docs/own-evaluations.md lists them."""
    assert extractor(extraction)(output) == result
    assert type(extractor(extraction)(output)) is type(result)


def test_a_hostile_pattern_is_limited_in_time_and_matches():
    """It gives up on an output, and after some outputs altogether; many matches and long outputs are cut."""
    slow = extractor({"type": "regex", "pattern": r"(\w+\s?)+\d{3}$|(x+x+)+y"})
    extract = extractor({"type": "regex_last", "pattern": "a|b"})
    assert extract("b" + "a" * 200_000) == "a"
    with pytest.raises(TooSlow, match="longer than"):
        slow("x" * 5000 + " " + "palavra " * 5000 + "!")


# Graders


@pytest.mark.slow
def test_a_grader_returns_a_number_or_scores(write):
    """One float is `score`, or what metric_id names, or the only metric of the task."""
    path = write(
        task(id="a"),
        task(id="b", grader={"type": "python", "source": GRADE, "metric_id": "acc"}),
        task(id="c", metrics=[{"id": "em"}]),
        task(
            id="d",
            metrics=[{"id": "x"}, {"id": "y", "aggregation": "none", "higher_is_better": False}],
            grader={
                "type": "python",
                "source": "def grade(s, i):\n    return {'scores': {'x': True, 'y': 7, 'z': 1}}\n",
            },
        ),
    )
    names = [graded(path, ["Brasília"], index)[0][0].scores for index in range(4)]
    assert names == [{"score": 1.0}, {"acc": 1.0}, {"em": 1.0}, {"x": 1.0, "y": 7.0}]
    assert load(path).tasks[3].scoring["metrics"][1] == {"id": "y", "aggregation": "none", "higher_is_better": False}


def test_what_a_grader_sees(write):
    """The output, what was extracted, the row's columns and the rendered target, which wins over a column."""
    source = (
        "def grade(sample, item):\n"
        "    assert sample == {'output_text': ' 7 ', 'extracted_output': 7, 'output_json': None, 'prompt': item['q']}\n"
        "    assert item.pop('more') == {'x': [10, 20]}\n"
        "    assert item == {'q': 'Capital do Brasil?', 'a': 'Brasília', 'n': 1, 'target': 'Brasília'}\n"
        "    return 1\n"
    )
    path = write(task(output_extraction={"type": "number"}, grader={"type": "python", "source": source}))
    ((sample,), _) = graded(path, [" 7 "])
    assert (sample.error, sample.scores) == ("", {"score": 1.0})


def test_a_batch_grader_gives_the_scores_of_all(write):
    """It sees all samples with their items; no sample has a score of its own."""
    source = "def grade_batch(samples):\n    return {'scores': {'f': sum(s['item']['n'] for s in samples), 'g': 2}}\n"
    path = write(
        task(metrics=[{"id": "f"}, {"id": "g"}], grader={"type": "python", "contract": "batch", "source": source})
    )
    samples, whole = graded(path, ["", "", ""])
    assert whole == {"f": 6.0, "g": 2.0}
    assert all(not sample.scores for sample in samples)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("float('nan')", "nan as score, which is no finite number"),
        ("{'scores': {'score': float('inf')}}", "inf as score"),
        ("{'scores': {'score': '1'}}", "'1' as score"),
        ("{'scores': {'x': 1}}", "no score score; it returned x"),
        ("None", "the grader returned null; it must return a number"),
        ("'1'", 'the grader returned "1"; it must'),
        ("item['nada']", "KeyError: 'nada'\nline 2, in grade: return item['nada'] if item['n'] == 2 else 1"),
    ],
)
def test_a_grader_that_fails_is_a_counted_remainder(write, returned, said):
    """The sample has no score, says why, and the others keep theirs; a person is told the first row."""
    source = f"def grade(sample, item):\n    return {returned} if item['n'] == 2 else 1\n"
    samples, _ = graded(write(task(grader={"type": "python", "source": source})), ["a", "b", "c"])
    assert [sample.scores for sample in samples] == [{"score": 1.0}, {}, {"score": 1.0}]
    assert said in samples[1].error
    assert "1 of 3 samples have no score, the first is row 2" in summary(samples)[0]


def test_a_builtin_grader_has_options_and_names(write):
    """The metrics of this package, under another name where metric_id says so."""
    path = write(
        task(grader={"type": "builtin", "id": "exact_match", "ignore_accents": True, "metric_id": "em"}),
        task(
            id="n",
            target_template="{{n}}",
            output_extraction={"type": "number"},
            grader={"type": "builtin", "id": "numeric"},
        ),
    )
    assert [sample.scores for sample in graded(path, ["brasilia.", "x"])[0]] == [{"em": 1.0}, {"em": 0.0}]
    assert graded(path, ["É 1,0"], 1)[0][0].scores["numeric"] == 1.0


def test_labels_that_never_match_are_told(write):
    """Nothing was extracted from any output: shown with the first of them."""
    path = write(task(output_extraction={"type": "label_set", "labels": ["x1"]}))
    samples, _ = graded(path, ["a", "b"])
    assert all(sample.is_unmatched for sample in samples)
    assert "found nothing in any of 2 outputs; the first is 'a'" in summary(samples)[0]


def test_programs_of_files_and_trusted_programs_run_as_well(write, tmp_path):
    """A grader in a file beside the manifest; without a sandbox where a person says so."""
    (tmp_path / "grader.py").write_text(GRADE, encoding="utf-8")
    path = write(task(grader={"type": "python", "file_id": "grader.py"}))
    assert graded(path, ["Brasília"], trust=True)[0][0].scores == {"score": 1.0}


# Version


def test_the_version_changes_with_what_changes_scores(write, tmp_path):
    """Data, prompt, shots, preprocessing, extraction, metrics, grader; not names, notes and limits."""
    version = load(write(task())).tasks[0].version
    same = [
        {"name": "Nome"},
        {"metadata": {"a": "b"}},
        {"type": "qa"},
        {"num_fewshot": 0},
        {"grader": {"type": "python", "source": GRADE, "timeout_seconds": 7}},
    ]
    other = [
        {"prompt_template": "{{q}} "},
        {"target_template": "{{n}}"},
        {"choices": ["a"]},
        {"num_fewshot": 1},
        {"preprocess": program("row", "def transform(r): return r")},
        {"output_extraction": {"type": "number"}},
        {"metrics": [{"id": "em"}]},
        {"metrics": [{"id": "score", "aggregation": "none"}]},
        {"grader": {"type": "python", "source": GRADE + "\n"}},
        {"dataset": {"file_id": "rows.csv"}},
    ]
    assert {load(write(task(**entries))).tasks[0].version for entries in same} == {version}
    versions = [load(write(task(**entries))).tasks[0].version for entries in other]
    assert len({version, *versions}) == len(other) + 1
    short, long = ({"num_fewshot": 1}, {"fewshot": {"count": 1, "strategy": "first"}})
    assert load(write(task(**short))).tasks[0].version == load(write(task(**long))).tasks[0].version
    path = write(task())
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROWS[0]), encoding="utf-8")
    assert load(path).tasks[0].version != version


def test_nothing_given_is_changed(write):
    """Reading a manifest leaves the entries as they are."""
    entry = task(num_fewshot=1)
    before = copy.deepcopy(entry)
    load(write(entry))
    assert entry == before
    assert scores_of(1, {"metrics": [{"id": "a"}], "grader": {}}) == {"a": 1.0}
