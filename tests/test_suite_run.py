"""A manifest run end to end: `run --suite` against servers on loopback, and what `suite build` writes in lm_eval."""

import json
import os
import subprocess
import sys

import lm_eval
import pytest
from click.testing import CliRunner
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from lm_eval_ifeval_pt.cli import main
from tests import checkpoints
from tests.chat_server import ChatServer, Reply, error
from tests.programs import BUBBLEWRAP

needs_bubblewrap = pytest.mark.skipif(BUBBLEWRAP.path is None, reason="needs bubblewrap")

ROWS = [
    {"q": "Capital do Brasil?", "a": "Brasília"},
    {"q": "Capital de Portugal?", "a": "Lisboa"},
    {"q": "Capital de Angola?", "a": "Luanda"},
]
ANSWERS = {"Capital do Brasil?": "Brasília", "Capital de Portugal?": "Porto", "Capital de Angola?": "luanda"}
GRADE = "def grade(sample, item):\n    return float(sample['extracted_output'] == item['target'])\n"
JUDGED = """
def grade(sample, item, ctx):
    said = ctx.responses_create(instructions="Julgue.", input=sample["output_text"] + " / " + item["target"])
    return float(said.output_text)
"""
EMBEDDED = """
def grade(sample, item, ctx):
    made = ctx.embeddings_create(input=[sample["output_text"], item["target"]])
    one, other = (entry.embedding for entry in made.data)
    return sum(a * b for a, b in zip(one, other))
"""


def answers(prompt, nth):
    """What the model under test says."""
    return ANSWERS[prompt.rpartition("\n")[2]]


def judges(prompt, nth):
    """A judge: 1 where the answer is the target but for its case."""
    answer, _, target = prompt.partition(" / ")
    return "1" if answer.lower() == target.lower() else "0"


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    """An English locale, no key, no proxy; the harness's report on the machine (seconds each) left out."""
    for name in ("LC_ALL", "LANG", "LM_EVAL_PT_API_KEY", "OPENAI_API_KEY", "LM_EVAL_PT_JUDGE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def manifest(tmp_path):
    """Writes a manifest beside its rows: one task for each set of entries."""
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")

    def write(*tasks):
        base = {"dataset": {"file_id": "rows.jsonl"}, "prompt_template": "{{q}}", "target_template": "{{a}}"}
        entries = [{"id": f"t{index}", **base, **task} for index, task in enumerate(tasks)]
        path = tmp_path / "minha.yaml"
        path.write_text(json.dumps({"schema_version": "2026-05-27", "tasks": entries}), encoding="utf-8")
        return path

    return write


def run(server, path, *flags, model="sabiá", output="results"):
    """`lm-eval-pt run --suite` in this process."""
    url = server.url if isinstance(server, ChatServer) else server
    fixed = ("--suite", str(path), "--url", url, "--model", model, "--output", output)
    return CliRunner().invoke(main, ["run", *fixed, *flags])


def scores(path="results/sabiá/minha.json"):
    """The scores of each task, without the names of filters and without standard errors."""
    with open(path, encoding="utf-8") as file:
        results = json.load(file)["results"]
    return {
        task: {name.removesuffix(",none"): value for name, value in values.items() if name.endswith(",none")}
        for task, values in results.items()
    }


def python(source, **entries):
    """A grader."""
    return {"type": "python", "source": source, **entries}


def model_backed(source, **entries):
    """A grader that asks models."""
    return python(source, contract="model_backed", **entries)


EXACT = {"type": "builtin", "id": "exact_match"}


def test_a_manifest_is_run_without_definitions_in_between(manifest, tmp_path):
    """One of three answers is right to the letter, two but for case; results are files as of any run."""
    with ChatServer(answers) as server:
        ran = run(server, manifest({"grader": EXACT}, {"id": "t1", "grader": EXACT, "prompt_template": "Diga:\n{{q}}"}))
    assert ran.exit_code == 0, ran.output
    assert [values["exact_match"] for task, values in scores().items() if task != "minha"] == pytest.approx([2 / 3] * 2)
    assert len(list((tmp_path / "results/sabiá/minha").glob("samples_t[01]_*.jsonl"))) == 2
    assert sorted(path.name for path in (tmp_path / "results/sabiá").iterdir()) == ["minha", "minha.json"]
    assert sorted(server.prompts)[:2] == ["Capital de Angola?", "Capital de Portugal?"]
    assert server.payloads[0]["max_tokens"] == 512
    assert "stop" not in server.payloads[0]


def test_nothing_is_asked_twice(manifest):
    """The same command after a failure asks for what is missing; after a run, for nothing."""
    path = manifest({"grader": EXACT})

    def script(prompt, nth):
        return error(400, "no") if prompt == "Capital de Angola?" and nth == 1 else answers(prompt, nth)

    with ChatServer(script) as server:
        first = run(server, path, "--concurrency", "1")
        assert first.exit_code == 2, first.output
        assert run(server, path, "--concurrency", "1").exit_code == 0
        asked = len(server.prompts)
        assert run(server, path).exit_code == 0
    assert asked == len(server.prompts) == 4


def test_one_task_of_a_manifest_and_a_result_file_of_ones_own(manifest, tmp_path):
    """--task names a task of the manifest; --output may be a file."""
    path = manifest({"grader": EXACT}, {"grader": EXACT, "prompt_template": "x {{q}}"})
    with ChatServer(answers) as server:
        ran = run(server, path, "--task", "t0", output=str(tmp_path / "um.json"))
        wrong = run(server, path, "--task", "t7")
    assert ran.exit_code == 0, ran.output
    assert list(scores(tmp_path / "um.json")) == ["t0"]
    assert len(server.prompts) == 3
    assert wrong.exit_code == 2
    assert "has no task 't7'; it has t0, t1" in wrong.output


def test_files_may_lie_elsewhere(manifest, tmp_path):
    """--files maps a file_id."""
    path = manifest({"grader": EXACT, "dataset": {"file_id": "file-1", "format": "jsonl"}})
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / "rows.jsonl").rename(other / "r")
    with ChatServer(answers) as server:
        assert "--files file-1=PATH" in run(server, path).output
        ran = run(server, path, "--files", f"file-1={other / 'r'}")
    assert ran.exit_code == 0, ran.output


@pytest.mark.slow
@needs_bubblewrap
def test_a_manifests_python_runs_in_the_sandbox_and_here_where_it_is_trusted(manifest, tmp_path):
    """In the sandbox a grader cannot write; with --trust-code it can."""
    mark = tmp_path / "mark"
    path = manifest({"grader": python(f"open({str(mark)!r}, 'w').close()\n" + GRADE)})
    with ChatServer(answers) as server:
        confined = run(server, path)
        assert confined.exit_code == 0, confined.output
        assert scores()["t0"]["grader_failed"] == 1
        assert not mark.exists()
        assert run(server, path, "--trust-code").exit_code == 0
    assert scores()["t0"]["score"] == pytest.approx(1 / 3)
    assert mark.exists()
    assert len(server.prompts) == 3


def test_without_a_sandbox_it_is_said_before_anything_is_paid(manifest, monkeypatch):
    """One sentence with the way out."""
    from lm_eval_ifeval_pt.benchmarks import sandbox

    def find():
        raise sandbox.SandboxError("bubblewrap is needed to run programs, but it is not installed")

    monkeypatch.setattr(sandbox, "find", find)
    with ChatServer(answers) as server:
        ran = run(server, manifest({"grader": python(GRADE)}))
    assert ran.exit_code == 2
    assert "If you trust the programs of this manifest: --trust-code" in ran.output
    assert server.payloads == []


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--task", "ifeval_pt"), "has no task 'ifeval_pt'"),
        (("--source", "hub"), "--source is that of our own tasks"),
        (("--judge-model", "x"), "--judge-model and --embedding-model need --judge-url"),
        (("--judge-url", "http://localhost:1"), "--judge-url needs --judge-model or --embedding-model"),
        (("--files", "x"), "--files x: it must be NAME=PATH"),
        (("--generation", "{"), "--generation is no JSON object"),
        (("--generation", '{"top_p": 3}'), "generation: top_p: 3: it must be at most 1"),
        (("--generation", "none.json"), "none.json: cannot be read"),
    ],
)
def test_wrong_flags_are_told_before_anything_is_paid(manifest, flags, said):
    """Each by its name."""
    with ChatServer(answers) as server:
        ran = run(server, manifest({"grader": EXACT}), *flags)
    assert ran.exit_code == 2
    assert said in ran.output
    assert server.payloads == []


def test_flags_of_a_suite_belong_to_a_suite(tmp_path):
    """They would do nothing."""
    fixed = ("--url", "http://localhost:1/v1", "--model", "m", "--output", str(tmp_path / "r.json"))
    ran = CliRunner().invoke(main, ["run", *fixed, "--generation", "{}"])
    assert (ran.exit_code, "--generation belongs to --suite" in ran.output) == (2, True)


def test_portuguese_flags_of_a_suite_give_portuguese_messages(manifest, tmp_path):
    """As those of other runs do."""
    with ChatServer(answers) as server:
        fixed = ("--url", server.url, "--model", "m", "--output", str(tmp_path / "pt"))
        ran = CliRunner().invoke(main, ["run", "--avaliacao", str(manifest({"grader": EXACT})), *fixed])
    assert ran.exit_code == 0, ran.output
    assert "Resultado: " in ran.output


def test_a_wrong_manifest_is_told_by_its_paths(manifest):
    """As `suite check` tells it."""
    with ChatServer(answers) as server:
        ran = run(server, manifest({"grader": {"type": "builtin", "id": "none"}, "choices": []}))
    assert ran.exit_code == 2
    assert "tasks[0].choices" in ran.output


def test_labels_that_no_output_has_are_told_and_counted(manifest, caplog):
    """The run ends well, with the first output and the share of outputs in which nothing was found."""
    labels = {"type": "label_set", "labels": ["sim", "não"]}
    with ChatServer(answers) as server:
        ran = run(server, manifest({"grader": EXACT, "output_extraction": labels}))
    assert ran.exit_code == 0, ran.output
    assert scores()["t0"]["extraction_unmatched"] == 1
    assert "output_extraction found nothing in any of 3 outputs; the first is 'Brasília'" in caplog.text


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"prompt_template": "{{pergunta}}"}, "prompt_template: no row has 'pergunta'; there are the columns q, a"),
        ({"target_template": " "}, "target_template renders as an empty text for all 3 rows"),
        ({"num_fewshot": 3}, "fewshot: 3 examples are asked for, there are 2 other rows"),
    ],
)
def test_data_that_do_not_fit_are_told_before_anything_is_paid(manifest, entries, said):
    """In one sentence."""
    with ChatServer(answers) as server:
        ran = run(server, manifest({"grader": EXACT, **entries}))
    assert ran.exit_code == 2
    assert said in ran.output
    assert "Traceback" not in ran.output
    assert server.payloads == []


def test_what_belongs_to_a_run_stays_out_of_the_version(manifest):
    """Model, generation and judge change the result, not the task."""
    path = manifest({"grader": EXACT})
    versions = []
    with ChatServer(answers) as server:
        for flags in ((), ("--generation", '{"temperature": 1, "instructions": "x"}'), ("--limit", "2")):
            assert run(server, path, *flags).exit_code == 0
            with open("results/sabiá/minha.json", encoding="utf-8") as file:
                versions.append(json.load(file)["versions"]["t0"])
    assert len(set(versions)) == 1


# Judges


@pytest.fixture(params=[False, pytest.param(True, marks=needs_bubblewrap)], ids=["trusted", "sandbox"])
def trust(request):
    """The flag with which programs run here, and without which they run in the sandbox."""
    return () if request.param else ("--trust-code",)


@pytest.mark.slow
def test_a_grader_asks_the_judge_from_the_sandbox(manifest, tmp_path, trust):
    """The answer comes over a pipe; questions and answers are kept, so that none is paid twice; the key goes along."""
    path = manifest({"grader": model_backed(JUDGED)})
    os.environ["LM_EVAL_PT_JUDGE_API_KEY"] = "segredo"
    try:
        with ChatServer(answers) as server, ChatServer(judges, models=("juiz",), key="segredo") as judge:
            flags = ("--judge-url", judge.url, "--judge-model", "juiz", *trust)
            prices = ("--judge-price-in", "1000", "--judge-price-out", "2000", "--currency", "BRL")
            ran = run(server, path, *flags, *prices)
            assert ran.exit_code == 0, ran.output
            assert run(server, path, *flags).exit_code == 0
    finally:
        del os.environ["LM_EVAL_PT_JUDGE_API_KEY"]
    assert scores()["t0"]["score"] == pytest.approx(2 / 3)
    assert "graders: 3 answers of the judge, 30 tokens read, 15 written: 0.0600 BRL; " in ran.output
    assert len(judge.payloads) == 3
    assert judge.payloads[0]["messages"][0] == {"role": "system", "content": "Julgue."}
    assert judge.payloads[0]["model"] == "juiz"
    lines = (tmp_path / "results/sabiá/minha/judge.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert "segredo" not in "".join(lines) + (tmp_path / "results/sabiá/minha.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_grader_asks_for_embeddings(manifest, trust):
    """Of two texts at once; kept like answers."""
    path = manifest({"grader": model_backed(EMBEDDED)})

    def embed(text):
        return [1.0, 0.0] if "u" in text.lower() else [0.6, 0.8]

    with ChatServer(answers, embed=embed) as server:
        flags = ("--judge-url", server.url, "--embedding-model", "sabiá", *trust)
        ran = run(server, path, *flags)
        assert ran.exit_code == 0, ran.output
        assert run(server, path, *flags).exit_code == 0
    assert scores()["t0"]["score"] == pytest.approx(1)
    asked = [payload["input"] for payload in server.payloads if "input" in payload]
    assert sorted(asked) == [["Brasília", "Brasília"], ["Porto", "Lisboa"], ["luanda", "Luanda"]]


def test_a_batch_grader_asks_too(manifest):
    """`grade_batch(samples, ctx)`: one call for all samples."""
    source = (
        "def grade_batch(samples, ctx):\n"
        "    said = [ctx.responses_create(input=s['output_text'] + ' / ' + s['target']).output_text for s in samples]\n"
        "    return sum(map(float, said)) / len(said)\n"
    )
    path = manifest({"grader": model_backed(source, execution="aggregate")})
    with ChatServer(answers) as server, ChatServer(judges) as judge:
        ran = run(server, path, "--judge-url", judge.url, "--judge-model", "j", "--trust-code")
    assert ran.exit_code == 0, ran.output
    assert scores()["t0"]["score"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("source", "flags", "said"),
    [
        (JUDGED, (), "its grader asks a model, and none is named: give --judge-url and --judge-model"),
        (JUDGED, ("--embedding-model", "e"), "its grader calls ctx.responses_create, and no model for it is named: "
         "give --judge-model"),
        (EMBEDDED, ("--judge-model", "j"), "its grader calls ctx.embeddings_create, and no model for it is named: "
         "give --embedding-model"),
    ],
)  # fmt: skip
def test_without_a_judge_one_sentence_comes_before_anything_is_paid(manifest, source, flags, said):
    """Neither the model nor the judge is asked."""
    path = manifest({"grader": model_backed(source)})
    with ChatServer(answers) as server, ChatServer(judges) as judge:
        ran = run(server, path, "--trust-code", *(("--judge-url", judge.url, *flags) if flags else ()))
    assert ran.exit_code == 2
    assert said in ran.output
    assert "Traceback" not in ran.output
    assert server.payloads == judge.payloads == []


def test_a_judge_that_is_not_there_is_told_before_anything_is_paid(manifest):
    """Its address is reached first."""
    path = manifest({"grader": model_backed(JUDGED)})
    with ChatServer(answers) as server:
        ran = run(server, path, "--trust-code", "--judge-url", "http://127.0.0.1:9/v1", "--judge-model", "j")
    assert ran.exit_code == 2
    assert "Cannot connect to http://127.0.0.1:9/v1/models" in ran.output
    assert server.payloads == []


@pytest.mark.slow
def test_a_call_may_ask_no_more_than_max_model_calls(manifest, trust, caplog):
    """64 by default; the question too many is refused in the grader, whose sample has no score."""
    source = (
        "def grade(sample, item, ctx):\n"
        "    n = {'Brasília': 3, 'Lisboa': 2, 'Luanda': 1}[item['target']]\n"
        "    return sum(float(ctx.responses_create(input=f'{i} / {i}').output_text) for i in range(n)) / n\n"
    )
    path = manifest({"grader": model_backed(source, max_model_calls=2)})
    with ChatServer(answers) as server, ChatServer(judges) as judge:
        ran = run(server, path, "--judge-url", judge.url, "--judge-model", "j", *trust)
    assert ran.exit_code == 0, ran.output
    assert scores()["t0"]["grader_failed"] == pytest.approx(1 / 3)
    assert scores()["t0"]["score"] == 1
    assert "max_model_calls is 2, which this call has asked" in caplog.text
    assert len(judge.payloads) == 2


@pytest.mark.slow
@needs_bubblewrap
def test_the_time_of_a_grader_is_not_that_of_its_judge(manifest, caplog):
    """A judge may take longer than timeout_seconds; the program itself may not."""
    sleeps = "    time.sleep(9 if item['target'] == 'Lisboa' else 0)\n"
    waits = "import time\n" + JUDGED.replace("    said", sleeps + "    said")
    path = manifest({"grader": model_backed(waits, timeout_seconds=1)})

    def slow(prompt, nth):
        return Reply({"choices": [{"message": {"content": judges(prompt, nth)}}]}, delay=1.5)

    with ChatServer(answers) as server, ChatServer(slow) as judge:
        ran = run(server, path, "--judge-url", judge.url, "--judge-model", "j")
    assert ran.exit_code == 0, ran.output
    assert (scores()["t0"]["grader_failed"], scores()["t0"]["score"]) == (pytest.approx(1 / 3), 1)
    assert "the program takes longer than 1 s" in caplog.text


def test_a_judge_that_answers_nonsense_is_a_counted_remainder(manifest, tmp_path, caplog):
    """The grader's own lines say what could not be read; the other samples keep their scores."""
    path = manifest({"grader": model_backed(JUDGED)})
    with (
        ChatServer(answers) as server,
        ChatServer(lambda prompt, nth: "talvez" if "Porto" in prompt else "1") as judge,
    ):
        ran = run(server, path, "--judge-url", judge.url, "--judge-model", "j", "--trust-code")
    assert ran.exit_code == 0, ran.output
    assert scores()["t0"]["grader_failed"] == pytest.approx(1 / 3)
    assert "1 of 3 samples have no score, the first is row 2: ValueError: could not convert" in caplog.text
    (samples,) = (tmp_path / "results/sabiá/minha").glob("samples_*.jsonl")
    docs = [json.loads(line)["doc"] for line in samples.read_text(encoding="utf-8").splitlines()]
    assert "line 4, in grade: return float(said.output_text)" in docs[1]["grader_error"]
    assert "grader_error" not in docs[0]


def test_a_judge_that_fails_for_good_is_asked_no_more_and_told(manifest, caplog):
    """One refused key stops the questions; the same command asks for what is missing."""
    path = manifest({"grader": model_backed(JUDGED)})
    state = {"broken": True}

    def script(prompt, nth):
        return error(401, "Incorrect API key") if state["broken"] else judges(prompt, nth)

    with ChatServer(answers) as server, ChatServer(script) as judge:
        flags = ("--judge-url", judge.url, "--judge-model", "j", "--trust-code")
        ran = run(server, path, *flags)
        assert ran.exit_code == 0, ran.output
        assert len(judge.payloads) == 1
        assert "3 questions of graders had no answer" in caplog.text
        state["broken"] = False
        assert run(server, path, *flags).exit_code == 0
    assert scores()["t0"]["score"] == pytest.approx(2 / 3)
    assert len(server.payloads) == 3


def test_a_judge_nobody_asks_is_said(manifest):
    """The flag has no effect."""
    with ChatServer(answers) as server:
        ran = run(server, manifest({"grader": EXACT}), "--judge-url", "http://127.0.0.1:9", "--judge-model", "j")
    assert ran.exit_code == 0, ran.output
    assert "no grader of minha asks a model; --judge-url is not used" in ran.output


# What `suite build` writes, in lm_eval


class Saying(LM):
    """A model that says what `ANSWERS` has."""

    def generate_until(self, requests, disable_tqdm=False):
        """The answers."""
        return [answers(request.args[0], 1) for request in requests]

    def loglikelihood(self, requests, disable_tqdm=False):
        """Nothing asks for it."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def evaluated(folder):
    """The harness's results of a built suite."""
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    return lm_eval.simple_evaluate(model=Saying(), tasks=["minha"], task_manager=manager, bootstrap_iters=0)


def build(path, *flags):
    """`lm-eval-pt suite build`."""
    return CliRunner().invoke(main, ["suite", "build", str(path), "-o", "built", *flags])


@pytest.mark.slow
def test_a_built_suite_gives_the_scores_of_run(manifest, trust, tmp_path):
    """With a judge, whose answers are kept here too; results and samples hold no other scores."""
    path = manifest({"grader": model_backed(JUDGED)}, {"grader": EXACT})
    with ChatServer(answers) as server, ChatServer(judges) as judge:
        assert run(server, path, "--judge-url", judge.url, "--judge-model", "j", *trust).exit_code == 0
        built = build(path, "--judge-url", judge.url, "--judge-model", "j", *trust)
        assert built.exit_code == 0, built.output
        results = evaluated("built")
        again = evaluated("built")
    for task in ("t0", "t1"):
        expected = {name: value for name, value in scores()[task].items() if "stderr" not in name}
        for harness in (results, again):
            assert {name: harness["results"][task][f"{name},none"] for name in expected} == expected
    assert len(judge.payloads) == 6  # three of the run, three of the first of the two others
    assert (tmp_path / "minha_judge.jsonl").exists()


def test_generation_settings_stand_in_what_is_built(manifest, tmp_path):
    """In lm-eval's names; a text with braces is no template of the harness."""
    settings = '{"max_output_tokens": 9, "stop": "x", "instructions": "Diga {{q}}", "prefill_think": "row"}'
    path = manifest({"grader": EXACT})
    assert build(path, "--generation", settings).exit_code == 0
    manager = TaskManager(include_path="built", include_defaults=False)
    task = manager.load(["t0"])["tasks"]["t0"]
    assert task.config.generation_kwargs["max_gen_toks"] == 9
    assert task.config.generation_kwargs["until"] == ["x"]
    assert task.resolve_field(task.test_docs()[0], task.config.description) == "Diga {{q}}"
    assert task.doc_to_prefix(task.test_docs()[0]) == "row"
    wrong = build(path, "--generation", '{"stop": 3}')
    assert (wrong.exit_code, "generation: stop: 3" in wrong.output) == (2, True)


def test_a_built_suite_without_a_judge_stops_before_anything_is_asked(manifest):
    """One sentence, with the flags."""
    assert build(manifest({"grader": model_backed(JUDGED)}), "--trust-code").exit_code == 0
    with pytest.raises(RuntimeError, match=r"its grader asks a model, and none is named: give --judge-url"):
        evaluated("built")


@pytest.mark.slow
def test_the_harness_s_own_command_runs_a_built_suite(manifest, tmp_path):
    """`lm_eval --include_path`, offline, with a checkpoint and a judge."""
    path = manifest({"grader": model_backed(JUDGED)})
    (llama,) = checkpoints.write(tmp_path / "llama", [1])
    with ChatServer(judges) as judge:
        assert build(path, "--judge-url", judge.url, "--judge-model", "j", "--trust-code").exit_code == 0
        command = [sys.executable, "-m", "lm_eval", "--include_path", "built", "--tasks", "minha", "--model", "hf"]
        command += ["--model_args", f"pretrained={llama}", "--device", "cpu", "--gen_kwargs", "max_gen_toks=4"]
        settings = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
        done = subprocess.run(
            [*command, "--output_path", "out", "--log_samples"],
            env=os.environ | settings,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(judge.payloads) == 3
    (file,) = tmp_path.glob("out/**/results_*.json")
    assert json.loads(file.read_text(encoding="utf-8"))["results"]["t0"]["score,none"] == 0


# Manifests of the shape of those that MKA1's page shows


def of_hub(monkeypatch, splits):
    """Data sets in place of the Hub, by path, configuration and split."""
    import datasets

    def load_dataset(path, name, split, revision):
        return datasets.Dataset.from_list(splits[path, name, split])

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)


@pytest.mark.slow
def test_questions_of_an_uploaded_file_by_exact_match(manifest, trust):
    """The first line, compared by a sample grader in Python, as `--files` maps the id of the upload."""
    source = (
        "def grade(sample, item):\n"
        "    answer = sample['extracted_output'].strip().lower()\n"
        "    return {'scores': {'exact_match': 1.0 if answer == item['target'].strip().lower() else 0.0}}\n"
    )
    path = manifest(
        {
            **{"type": "qa", "name": "QA", "dataset": {"file_id": "file_abc123", "format": "jsonl"}},
            **{"prompt_template": "Question: {{q}}\nAnswer:", "target_template": "{{a}}"},
            "output_extraction": {"type": "take_first", "lines": 1},
            "metrics": [{"id": "exact_match", "aggregation": "mean", "higher_is_better": True}],
            "grader": {"type": "python", "contract": "sample", "source": source},
        }
    )
    with ChatServer(lambda prompt, nth: "\n Luanda \nporque sim") as server:
        ran = run(server, path, "--files", f"file_abc123={path.parent / 'rows.jsonl'}", *trust)
    assert ran.exit_code == 0, ran.output
    assert scores()["t0"]["exact_match"] == pytest.approx(1 / 3)
    assert server.prompts[0].endswith("?\nAnswer:")


@pytest.mark.slow
def test_belebele_in_another_language_by_number(manifest, monkeypatch, trust):
    """A hundred rows of a configuration, numbered answers, a label set, the target compared with what was extracted."""
    row = {"flores_passage": "P", "question": "Q?", **{f"mc_answer{number}": f"a{number}" for number in range(1, 5)}}
    rows = [{**row, "question": f"{number}?", "correct_answer_num": str(number % 4 + 1)} for number in range(120)]
    of_hub(monkeypatch, {("facebook/belebele", "ukr_Cyrl", "test"): rows})
    hub = {"source": "huggingface", "path": "facebook/belebele", "name": "ukr_Cyrl", "split": "test", "max_rows": 100}
    answers = "\n".join(f"{number}. {{{{mc_answer{number}}}}}" for number in range(1, 5))
    path = manifest(
        {
            **{"type": "multiple_choice", "dataset": hub, "choices": ["1", "2", "3", "4"]},
            "prompt_template": f"{{{{flores_passage}}}}\n\n{{{{question}}}}\n{answers}\n\nAnswer with {{{{choices}}}}:",
            "target_template": "{{correct_answer_num}}",
            "output_extraction": {"type": "label_set", "labels": ["1", "2", "3", "4"]},
            "metrics": [{"id": "accuracy"}],
            "grader": python(GRADE, contract="sample", metric_id="accuracy"),
        }
    )
    with ChatServer(lambda prompt, nth: "Answer: 2 (not 10)") as server:
        ran = run(server, path, *trust)
    assert ran.exit_code == 0, ran.output
    assert scores()["t0"] == pytest.approx(
        {"accuracy": 0.25, "grader_failed": 0, "extraction_unmatched": 0}
        | {name: value for name, value in scores()["t0"].items() if "stderr" in name}
    )
    assert len(server.prompts) == 100
    assert sorted(server.prompts)[0] == 'P\n\n0?\n1. a1\n2. a2\n3. a3\n4. a4\n\nAnswer with ["1","2","3","4"]:'


def test_shots_of_a_train_split(manifest, monkeypatch):
    """Three solved examples of a split of their own stand before each prompt."""
    test = [{"q": "Capital de Angola?", "a": "Luanda"}]
    train = [{"q": f"q{number}", "a": f"a{number}"} for number in range(9)]
    of_hub(monkeypatch, {("org/qa", "default", "test"): test, ("org/qa", "default", "train"): train})
    hub = {"path": "org/qa", "name": "default"}
    path = manifest({"dataset": hub, "fewshot": {"count": 3, "dataset": hub, "strategy": "first"}, "grader": EXACT})
    with ChatServer(answers) as server:
        ran = run(server, path)
    assert ran.exit_code == 0, ran.output
    assert server.prompts == ["q0\na0\n\nq1\na1\n\nq2\na2\n\nCapital de Angola?"]


def test_what_follows_a_run_reads_its_results(manifest, tmp_path):
    """table, stats, diff, rank, report, export: each on two models."""
    path = manifest({"grader": EXACT})
    with ChatServer(answers) as server, ChatServer(lambda prompt, nth: "Luanda", models=("outro",)) as other:
        assert run(server, path).exit_code == 0
        assert run(other, path, model="outro").exit_code == 0
    one, two = "results/sabiá/minha.json", "results/outro/minha.json"
    said = {
        ("stats", "results"): "exact_match",
        ("diff", two, one): "exact_match",
        ("rank", "results", "--metric", "exact_match"): "sabiá",
        ("report", "results", "-o", "report.html"): "report.html",
        ("export", "results", "--format", "csv", "--table", "scores"): "exact_match",
    }
    for command, word in said.items():
        done = CliRunner().invoke(main, command, env={"COLUMNS": "200"})
        assert done.exit_code == 0, (command, done.output)
        assert word in done.output, (command, done.output)
    assert "exact_match" in (tmp_path / "report.html").read_text(encoding="utf-8")
