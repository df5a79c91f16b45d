"""Every field of a manifest and of a run's generation settings: a value that is accepted, what it does, a wrong one.

`FIELDS` and `SETTINGS` list them all; a field of the schemas that is not in these tables fails a test.
"""

import functools
import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.suite import schemas
from lm_eval_ifeval_pt.suite.building import build
from lm_eval_ifeval_pt.suite.documents import documents
from lm_eval_ifeval_pt.suite.errors import ManifestError
from lm_eval_ifeval_pt.suite.generation import generation
from lm_eval_ifeval_pt.suite.manifest import load
from lm_eval_ifeval_pt.suite.programs import programs
from lm_eval_ifeval_pt.suite.scoring import OutputSample, score
from tests.chat_server import ChatServer, Reply, chat, error
from tests.programs import BUBBLEWRAP
from tests.test_manifest import GRADE, ROWS, WRONG

ONE = {"file_id": "one.jsonl"}
SLOW = "import time\ndef {name}({parameters}):\n    time.sleep(3)\n    return {value}\n"


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    """A folder with rows and programs, an English locale, no key, no proxy, no Hub."""
    import datasets

    for name in ("LC_ALL", "LANG", "LM_EVAL_PT_API_KEY", "OPENAI_API_KEY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)
    monkeypatch.chdir(tmp_path)
    for name, rows in (("rows.jsonl", ROWS), ("one.jsonl", ROWS[:1]), ("other.jsonl", ROWS[1:])):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "rows.txt").write_text("q,a\nUm?,01\n", encoding="utf-8")
    (tmp_path / "prepare.py").write_text("def transform(row): return dict(row, q='de arquivo')\n", encoding="utf-8")
    (tmp_path / "grader.py").write_text("def grade(sample, item):\n    return 0.25\n", encoding="utf-8")
    asked.clear()

    def load_dataset(path, name, split, revision):
        asked.append((path, name, split, revision))
        return datasets.Dataset.from_list([{"q": f"hub {number}", "a": "x"} for number in range(3)])

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(datasets, "get_dataset_config_names", lambda path, revision: ["default"])
    from lm_eval_ifeval_pt.suite import data

    monkeypatch.setattr(data, "_fetched", lambda address: f"q,a\n{address[-5:]},01\n")
    resolved = data.socket.getaddrinfo

    def getaddrinfo(host, *rest, **kwargs):
        public = [(0, 0, 0, "", ("93.184.216.34", 443))]
        return public if host == "example.com" else resolved(host, *rest, **kwargs)

    monkeypatch.setattr(data.socket, "getaddrinfo", getaddrinfo)


asked = []
"""What was asked of the Hub: data set, configuration, split, revision."""


def loaded(entries, **whole):
    """A task with some entries, of a manifest with some."""
    base = {
        "id": "qa",
        "dataset": {"file_id": "rows.jsonl"},
        "prompt_template": "{{q}}",
        "target_template": "{{a}}",
        "grader": {"type": "python", "source": GRADE},
    }
    with open("suite.json", "w", encoding="utf-8") as file:
        json.dump({"schema_version": "2026-05-27", "tasks": [{**base, **entries}], **whole}, file)
    return load(Path("suite.json"))


sandbox = functools.cache(lambda: programs(False))


def runner(task):
    """What runs the programs of a task, if it has any."""
    if task.has_program and BUBBLEWRAP.path is None:
        pytest.skip("needs bubblewrap")
    return sandbox() if task.has_program else None


def prompts(entries):
    """The prompts of a task."""
    (task,) = loaded(entries).tasks
    return [doc["prompt"] for doc in documents(**task.documents, programs=runner(task), folder=task.folder)]


def hub(entries):
    """What was asked of the Hub."""
    prompts(entries)
    return asked


def scores(entries, output="Brasília", judge=None):
    """The scores of the first document, or why there are none."""
    (task,) = loaded(entries).tasks
    docs = documents(**task.documents, programs=runner(task), folder=task.folder)
    samples = [OutputSample(output, docs[0])]
    whole = score(samples, task.scoring, runner(task), judge)
    return samples[0].error.partition("\n")[0] or whole or samples[0].scores


def extracted(**extraction):
    """What is extracted from two lines."""
    (task,) = loaded({"dataset": ONE, "output_extraction": extraction}).tasks
    samples = [OutputSample("\nO a1b2\nSIM 3,5", documents(**task.documents, programs=None, folder=task.folder)[0])]
    score(samples, task.scoring, programs(True))
    return samples[0].extracted


def definition(entries, **whole):
    """The definition of a task as it is built, read as plain YAML, and its text."""
    first, *_ = build(loaded(entries, **whole), Path("built"))
    return plain(first.read_text(encoding="utf-8"))


def group(**whole):
    """The definition of the group."""
    *_, last = build(loaded({}, **whole), Path("built"))
    return plain(last.read_text(encoding="utf-8"))


def plain(text):
    """YAML without functions; comments under `#`."""
    comments = "\n".join(line[2:] for line in text.splitlines() if line.startswith("# "))
    return {**yaml.safe_load(text.replace("!function ", "")), "#": comments}


class Asked:
    """A judge that counts."""

    concurrency = 1

    def __call__(self, method, arguments):
        """The answer is always 0.5."""
        return {"output_text": "0.5"}


def backed(times=1, **entries):
    """A grader that asks a judge some times."""
    source = (
        f"def grade(sample, item, ctx):\n    return [ctx.responses_create(input='x') for _ in range({times})] and 0.5\n"
    )
    return {"grader": {"type": "python", "source": source, **entries}}


def preprocess(source="def transform(row):\n    return dict(row, q='novo')\n", contract="row", **entries):
    """A preprocessor."""
    given = {} if "file_id" in entries else {"source": source}
    return {"dataset": ONE, "preprocess": {"type": "python", "contract": contract, **given, **entries}}


def shots(**entries):
    """Two rows, one of which stands solved before the other."""
    return {"dataset": {"file_id": "other.jsonl"}, "fewshot": {"count": 1, **entries}}


def first(entries):
    """The first prompt."""
    return prompts(entries)[0]


SHOT = "Capital de Angola?\nLuanda\n\nCapital de Portugal?"
METRIC = [{"id": "em"}]
GRADERS = {"type": "python", "source": GRADE}
OPENAI = {**GRADERS, "name": "iguais", "image_tag": "2025-05-08"}
BATCH = "def grade_batch(samples):\n    return len(samples) / 4\n"
REFUSED = "RuntimeError: ctx.responses_create is not for this program: its contract is not model_backed"
ADDRESS = "https://example.com/a.csv"

FIELDS = {
    "$schema": lambda: group(**{"$schema": "x"})["group"] == "suite",
    "schema_version": lambda: definition({})["metadata"]["manifest"]["schema_version"] == "2026-05-27",
    "name": lambda: group(name="Minha")["group_alias"] == "Minha",
    "description": lambda: "Para gente" in group(description="Para gente")["#"],
    "tasks": lambda: group()["task"] == ["qa"],
    "metadata": lambda: group(metadata={"k": "v"})["metadata"]["metadata"] == {"k": "v"},
    "task.id": lambda: definition({"id": "Outra-1.b"})["task"] == "Outra-1.b",
    "task.name": lambda: definition({"name": "Para gente"})["task_alias"] == "Para gente",
    "task.description": lambda: "linha 1\nlinha 2" in definition({"description": "linha 1\nlinha 2"})["#"],
    "task.type": lambda: definition({"type": "math"})["metadata"]["manifest"]["type"] == "math",
    "task.dataset": lambda: first({"dataset": {"file_id": "other.jsonl"}}) == "Capital de Portugal?",
    "task.choices": lambda: first({"choices": [1, "b"], "prompt_template": "{{choices}}"}) == '[1,"b"]',
    "task.prompt_template": lambda: first({"prompt_template": "P: {{q}}"}) == "P: Capital do Brasil?",
    "task.target_template": lambda: scores({"target_template": "x"}) == {"score": 0.0},
    "task.num_fewshot": lambda: first({"dataset": {"file_id": "other.jsonl"}, "num_fewshot": 1}) == SHOT,
    "task.fewshot": lambda: first(shots()) == SHOT,
    "task.preprocess": lambda: prompts(preprocess()) == ["novo"],
    "task.output_extraction": lambda: extracted(type="number") == 3.5,
    "task.metrics": lambda: scores({"metrics": METRIC}) == {"em": 1.0},
    "task.grader": lambda: scores({"grader": {"type": "builtin", "id": "contains"}}) == {"contains": 1.0},
    "task.metadata": lambda: (
        definition({"metadata": {"k": "v"}})["metadata"]["manifest"]["metadata"] == {"k": "v"}
    ),
    "dataset.file_id": lambda: prompts({"dataset": ONE}) == ["Capital do Brasil?"],
    "dataset.format": lambda: prompts({"dataset": {"file_id": "rows.txt", "format": "csv"}}) == ["Um?"],
    "dataset.source": lambda: hub({"dataset": {"source": "huggingface", "path": "a/b"}})[0][0] == "a/b",
    "dataset.path": lambda: hub({"dataset": {"path": "a/b"}}) == [("a/b", "default", "test", None)],
    "dataset.name": lambda: hub({"dataset": {"path": "a/b", "name": "por"}})[0][1] == "por",
    "dataset.split": lambda: hub({"dataset": {"path": "a/b", "split": "dev"}})[0][2] == "dev",
    "dataset.revision": lambda: hub({"dataset": {"path": "a/b", "revision": "v2"}})[0][3] == "v2",
    "dataset.max_rows": lambda: len(prompts({"dataset": {"path": "a/b", "max_rows": 2}})) == 2,
    "dataset.data_files": lambda: prompts({"dataset": {"path": "csv", "data_files": ADDRESS}}) == ["a.csv"],
    "dataset.dataset_kwargs": lambda: (
        prompts({"dataset": {"path": "csv", "dataset_kwargs": {"data_files": ADDRESS}}}) == ["a.csv"]
    ),
    "dataset_kwargs.data_files": lambda: (
        prompts({"dataset": {"path": "csv", "dataset_kwargs": {"data_files": {"test": [ADDRESS]}}}}) == ["a.csv"]
    ),
    "dataset_kwargs.revision": lambda: (
        hub({"dataset": {"path": "a/b", "dataset_kwargs": {"revision": "v3"}}})[0][3] == "v3"
    ),
    "dataset_kwargs.trust_remote_code": lambda: hub(
        {"dataset": {"path": "a/b", "dataset_kwargs": {"trust_remote_code": False, "keep_in_memory": True}}}
    ) == [("a/b", "default", "test", None)],
    "fewshot.count": lambda: first(shots(count=0)) == "Capital de Portugal?",
    "fewshot.dataset": lambda: first(shots(dataset=ONE)) == "Capital do Brasil?\nBrasília\n\nCapital de Portugal?",
    "fewshot.prompt_template": lambda: first(shots(prompt_template="{{n}}")) == SHOT.replace("Capital de Angola?", "3"),
    "fewshot.target_template": lambda: first(shots(target_template="{{n}}")) == SHOT.replace("Luanda", "3"),
    "fewshot.example_template": lambda: first(shots(example_template="{{target}}!")) == SHOT.partition("\n")[2].replace(
        "Luanda", "Luanda!"
    ),
    "fewshot.separator": lambda: first(shots(separator="|")) == SHOT.replace("\n\n", "|"),
    "fewshot.strategy": lambda: (
        {first(shots(dataset={"file_id": "rows.jsonl"}, strategy="random", seed=seed)) for seed in range(9)}
        > {first(shots(dataset={"file_id": "rows.jsonl"}))}
    ),
    "fewshot.seed": lambda: (
        len({first(shots(dataset={"file_id": "rows.jsonl"}, strategy="random", seed=seed)) for seed in range(9)}) == 3
    ),
    "preprocess.type": lambda: prompts(preprocess()) == ["novo"],
    "preprocess.contract": lambda: prompts(
        preprocess("def process_docs(rows):\n    return rows + rows\n", "batch")
    ) == ["Capital do Brasil?"] * 2,
    "preprocess.source": lambda: prompts(preprocess()) == ["novo"],
    "preprocess.file_id": lambda: prompts(preprocess(file_id="prepare.py")) == ["de arquivo"],
    "preprocess.timeout_seconds": lambda: refused(
        lambda: prompts(preprocess(SLOW.format(name="transform", parameters="row", value="row"), timeout_seconds=1)),
        "takes longer than 1 s",
    ),
    "extraction.type": lambda: extracted(type="none") == "O a1b2\nSIM 3,5",
    "take_first.lines": lambda: extracted(type="take_first", lines=1) == "O a1b2",
    "regex.pattern": lambda: extracted(type="regex", pattern=r"\d") == "1",
    "regex.group": lambda: extracted(type="regex_last", pattern=r"(\w)(\d)", group=2) == "2",
    "regex.flags": lambda: extracted(type="regex", pattern="sim", flags="i") == "SIM",
    "label_set.labels": lambda: extracted(type="label_set", labels=["não", "sim"]) == "sim",
    "label_set.case_sensitive": lambda: extracted(type="label_set", labels=["sim"], case_sensitive=True) == "",
    "metric.id": lambda: scores({"metrics": METRIC}) == {"em": 1.0},
    "metric.aggregation": lambda: [
        metric["metric"] for metric in definition({"metrics": [{"id": "em", "aggregation": "none"}]})["metric_list"]
    ] == ["grader_failed"],
    "metric.higher_is_better": lambda: not (
        definition({"metrics": [{"id": "em", "higher_is_better": False}]})["metric_list"][0]["higher_is_better"]
    ),
    "metric.description": lambda: "em: igual" in definition({"metrics": [{"id": "em", "description": "igual"}]})["#"],
    "grader.type": lambda: scores({"grader": {"type": "builtin", "id": "exact_match"}}) == {"exact_match": 1.0},
    "python.contract": lambda: scores({"grader": {"type": "python", "contract": "batch", "source": BATCH}}) == {
        "score": 0.25
    },
    "python.execution": lambda: scores(
        {
            "grader": {
                **{"type": "python", "contract": "model_backed", "execution": "aggregate"},
                "source": BATCH + "def grade(s, i):\n    return 0\n",
            }
        },
        judge=Asked(),
    ) == {"score": 0.25},
    "python.model_access": lambda: [
        scores(backed(model_access=access), judge=Asked()) for access in ("mka1", "none")
    ] == [{"score": 0.5}, REFUSED],
    "python.metric_id": lambda: scores({"grader": {**GRADERS, "metric_id": "acerto"}}) == {"acerto": 1.0},
    "python.source": lambda: scores({"grader": GRADERS}) == {"score": 1.0},
    "python.file_id": lambda: scores({"grader": {"type": "python", "file_id": "grader.py"}}) == {"score": 0.25},
    "python.timeout_seconds": lambda: "takes longer than 1 s" in scores(
        {
            "grader": {
                **{"type": "python", "timeout_seconds": 1},
                "source": SLOW.format(name="grade", parameters="s, i", value=1),
            }
        }
    ),
    "python.max_model_calls": lambda: [
        scores(backed(times, contract="model_backed", max_model_calls=2), judge=Asked()) for times in (2, 3)
    ] == [{"score": 0.5}, "RuntimeError: max_model_calls is 2, which this call has asked"],
    "python.name": lambda: scores({"grader": OPENAI}) == {"score": 1.0},
    "python.image_tag": lambda: (
        loaded({"grader": OPENAI}).tasks[0].version == loaded({"grader": GRADERS}).tasks[0].version
    ),
    "builtin.id": lambda: scores({"grader": {"type": "builtin", "id": "token_f1"}}) == {"token_f1": 1.0},
    "builtin.metric_id": lambda: scores({"grader": {"type": "builtin", "id": "token_f1", "metric_id": "f"}}) == {
        "f": 1.0
    },
}  # fmt: skip


def refused(function, said):
    """Whether a function raises an error that says something."""
    with pytest.raises(RuntimeError) as caught:
        function()
    return said in str(caught.value)


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_does_what_it_says(field):
    """Accepted, and its effect is seen."""
    assert FIELDS[field]()


def in_schema():
    """The fields of the schema of manifests, as the table names them."""
    schema = json.loads(schemas.MANIFEST.read_text(encoding="utf-8"))
    yield from schema["properties"]
    parts = schema["$defs"]
    parts["dataset_kwargs"] = parts["dataset"]["properties"]["dataset_kwargs"]
    for part in ("task", "dataset", "dataset_kwargs", "fewshot", "preprocess", "extraction", "metric", "grader"):
        if "allOf" not in parts[part]:
            yield from (f"{part}.{name}" for name in parts[part]["properties"])
            continue
        yield f"{part}.type"
        for rule in parts[part]["allOf"]:
            kind = rule["if"]["properties"]["type"]
            kind = kind.get("const") or kind["enum"][0]
            yield from (f"{kind}.{name}" for name in rule["then"]["properties"] if name != "type")


PLACES = {
    "task": "tasks[0]", "dataset": "tasks[0].dataset", "dataset_kwargs": "tasks[0].dataset.dataset_kwargs",
    "fewshot": "tasks[0].fewshot", "preprocess": "tasks[0].preprocess", "metric": "tasks[0].metrics[0]",
    **dict.fromkeys(("extraction", "take_first", "regex", "label_set"), "tasks[0].output_extraction"),
    **dict.fromkeys(("grader", "python", "builtin"), "tasks[0].grader"),
}  # fmt: skip
FURTHER = [
    ({"description": 3}, "tasks[0].description"),
    ({"dataset": 3}, "tasks[0].dataset"),
    ({"dataset": {"path": "a/b", "dataset_kwargs": {"revision": 3}}}, "tasks[0].dataset.dataset_kwargs.revision"),
    ({"dataset": {"path": "a/b", "dataset_kwargs": 3}}, "tasks[0].dataset.dataset_kwargs"),
    ({"fewshot": {}}, "tasks[0].fewshot.count"),
    ({"fewshot": {"count": 1, "dataset": 3}}, "tasks[0].fewshot.dataset"),
    ({"preprocess": 3}, "tasks[0].preprocess"),
    ({"output_extraction": 3}, "tasks[0].output_extraction"),
    ({"grader": 3}, "tasks[0].grader"),
    ({"metadata": 3}, "tasks[0].metadata"),
    ({"grader": {"type": "builtin"}}, "tasks[0].grader.id"),
    ({"grader": {**GRADERS, "name": 3}}, "tasks[0].grader.name"),
    ({"grader": {**GRADERS, "image_tag": 3}}, "tasks[0].grader.image_tag"),
    ({"grader": {"type": "builtin", "id": "token_f1", "metric_id": "a b"}}, "tasks[0].grader.metric_id"),
]
WHOLE = {
    "$schema": 3, "schema_version": "2020-01-01", "name": 3, "description": 3, "tasks": [], "metadata": {"a": 3},
}  # fmt: skip


@pytest.mark.parametrize(("entries", "path"), FURTHER, ids=[path for _, path in FURTHER])
def test_further_wrong_values_are_refused_by_their_path(entries, path):
    """Those that test_manifest.py does not try."""
    with pytest.raises(ManifestError) as caught:
        loaded(entries)
    assert path in [fault.path for fault in caught.value.faults]


@pytest.mark.parametrize("field", WHOLE)
def test_wrong_values_at_the_top_are_refused_by_their_path(field):
    """Of the manifest itself."""
    with pytest.raises(ManifestError) as caught:
        loaded({}, **{field: WHOLE[field]})
    assert any(fault.path.partition(".")[0] == field for fault in caught.value.faults)


def test_every_field_has_its_line_and_a_wrong_value():
    """A field that the schema gains needs both."""
    fields = list(dict.fromkeys(in_schema()))
    assert list(FIELDS) == fields
    tried = {path for _, path in [*WRONG, *FURTHER]}
    for field in fields:
        part, _, name = field.rpartition(".")
        expected = f"{PLACES[part]}.{name}" if part else name
        near = {re.sub(r"\[\d+\]$", "", path.replace("[1]", "[0]")) for path in tried} | tried
        assert expected in near or field in WHOLE, field


# Generation


def sent(*settings, script=lambda prompt, nth: "Lisboa", flags=()):
    """The requests of runs of one document with these settings, one after another."""
    loaded({"dataset": ONE, "grader": {"type": "builtin", "id": "exact_match"}})
    with ChatServer(script) as server:
        for index, given in enumerate(settings):
            output = flags[1] if flags else f"r{index}.json"
            fixed = ("--suite", "suite.json", "--url", server.url, "--model", "sabiá", "--output", output)
            ran = CliRunner().invoke(main, ["run", *fixed, "--generation", json.dumps(given)])
            assert ran.exit_code == 0, ran.output
    return server.payloads


def entry(name, value, key=None, expected=None):
    """Whether a setting is an entry of the request."""
    (payload,) = sent({name: value})
    return payload.get(key or name) == (value if expected is None else expected)


def flaky(prompt, nth):
    """A server that fails once."""
    return error(500, "no") if nth == 1 else "Lisboa"


def silent_once(prompt, nth):
    """A model that answers at the second time."""
    return "" if nth == 1 else "Lisboa"


FORMAT = {"format": {"type": "json_schema", "name": "n", "schema": {}}}
SETTINGS = {
    "instructions": lambda: sent({"instructions": "Fale {{prompt}}."})[0]["messages"][0] == {
        "role": "system", "content": "Fale {{prompt}}.",
    },
    "temperature": lambda: entry("temperature", 0.7),
    "top_p": lambda: entry("top_p", 0.9),
    "max_output_tokens": lambda: entry("max_output_tokens", 7, "max_tokens"),
    "max_gen_toks": lambda: entry("max_gen_toks", 7, "max_tokens"),
    "stop": lambda: entry("stop", "\n", expected=["\n"]),
    "until": lambda: entry("until", ["a", "b"], "stop"),
    "presence_penalty": lambda: entry("presence_penalty", 1.5),
    "frequency_penalty": lambda: entry("frequency_penalty", -1),
    "reasoning": lambda: entry("reasoning", {"effort": "low"}, "reasoning_effort", "low"),
    "text": lambda: entry(
        "text", FORMAT, "response_format", {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}}
    ),
    "service_tier": lambda: entry("service_tier", "flex"),
    "tools": lambda: wrong({"tools": []}) == ["tools"],
    "tool_choice": lambda: wrong({"tool_choice": "auto"}) == ["tool_choice"],
    "parallel_tool_calls": lambda: wrong({"parallel_tool_calls": True}) == ["parallel_tool_calls"],
    "max_tool_calls": lambda: wrong({"max_tool_calls": 1}) == ["max_tool_calls"],
    "truncation": lambda: wrong({"truncation": "auto"}) == ["truncation"],
    "top_k": lambda: entry("top_k", 20),
    "min_p": lambda: entry("min_p", 0.1),
    "repetition_penalty": lambda: entry("repetition_penalty", 1.1),
    "do_sample": lambda: generation({"do_sample": True}).settings == {"do_sample": True},
    "extra_body": lambda: [
        (payload["model"], payload["guided"]) for payload in sent({"extra_body": {"model": "outro", "guided": 1}})
    ] == [("sabiá", 1)],
    "chat_template_kwargs": lambda: entry("chat_template_kwargs", {"enable_thinking": False}),
    "prefill_think": lambda: sent({"prefill_think": True})[0]["messages"][-1] == {
        "role": "assistant", "content": "<think>",
    },
    "use_cache": lambda: len(sent({}, {}, {"use_cache": False}, flags=("--output", "r.json"))) == 2,
    "timeout_seconds": lambda: generation({"timeout_seconds": 3600}).timeout == 3600,
    "max_retries": lambda: len(sent({"max_retries": 1}, script=flaky)) == 2,
    "max_empty_retries": lambda: [
        len(sent({"max_empty_retries": most}, script=silent_once)) for most in (0, 3)
    ] == [1, 2],
    "concurrency": lambda: generation({"concurrency": 25}).concurrency == 25,
}  # fmt: skip
BAD = [
    {"instructions": ""}, {"temperature": 3}, {"top_p": 0}, {"max_output_tokens": 0}, {"max_gen_toks": "7"},
    {"stop": 3}, {"until": [""]}, {"presence_penalty": 3}, {"frequency_penalty": -3}, {"reasoning": {"budget": 1}},
    {"text": {"format": {"type": "xml"}}}, {"service_tier": 1}, {"tools": []}, {"tool_choice": "auto"},
    {"parallel_tool_calls": True}, {"max_tool_calls": 1}, {"truncation": "auto"}, {"top_k": -2}, {"min_p": 2},
    {"repetition_penalty": 0}, {"do_sample": 1}, {"extra_body": []}, {"chat_template_kwargs": 1}, {"prefill_think": 1},
    {"use_cache": "no"}, {"timeout_seconds": 3601}, {"max_retries": 11}, {"max_empty_retries": -1}, {"concurrency": 26},
]  # fmt: skip


def wrong(given):
    """The paths of what is wrong with generation settings."""
    with pytest.raises(ManifestError) as caught:
        generation(given)
    return [fault.path for fault in caught.value.faults]


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_generation_reaches_the_server(name):
    """Or does what it says in this process."""
    assert SETTINGS[name]()


@pytest.mark.parametrize("given", BAD, ids=[next(iter(given)) for given in BAD])
def test_a_wrong_setting_of_generation_is_refused_by_its_path(given):
    """Its name comes first."""
    assert wrong(given)[0].startswith(next(iter(given)))


def test_every_setting_of_generation_has_its_line_and_a_wrong_value():
    """A setting that the schema gains needs both."""
    known = list(json.loads(schemas.GENERATION.read_text(encoding="utf-8"))["properties"])
    assert list(SETTINGS) == known
    assert [next(iter(given)) for given in BAD] == known


def test_two_names_of_one_setting_must_agree():
    """Both given and different is a fault, both the same is not."""
    assert generation({"stop": ["a"], "until": ["a"]}).settings["until"] == ["a"]
    assert wrong({"max_output_tokens": 1, "max_gen_toks": 2}) == ["max_gen_toks"]
    assert wrong({"temp": 1}) == ["temp"]
    assert generation({"extra_body": {"n": 3, "stop": "x"}}).left_out == ("n", "stop")


@pytest.mark.slow
def test_a_server_that_answers_late_is_given_the_time_that_generation_says():
    """One second does not do for an answer of three."""
    loaded({"dataset": ONE, "grader": {"type": "builtin", "id": "exact_match"}})
    with ChatServer(lambda prompt, nth: Reply(chat("Lisboa"), delay=3)) as server:
        fixed = ("--suite", "suite.json", "--url", server.url, "--model", "sabiá", "--output", "r.json")
        settings = json.dumps({"timeout_seconds": 1, "max_retries": 0})
        ran = CliRunner().invoke(main, ["run", *fixed, "--generation", settings])
    assert ran.exit_code == 2
    assert "did not answer within 1 second" in ran.output
