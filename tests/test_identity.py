"""Which model a run was made with: two checkpoints are two models, two machines are not."""

import json
import re

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.npm.baselines import BASELINES, FORMATS
from lm_eval_ifeval_pt.npm.formula import AVERAGES
from lm_eval_ifeval_pt.results import TaskScore, identity, origin, scores_in
from tests.test_leaderboard import NAMES, WITHOUT_ONE
from tests.test_leaderboard import whole as whole_suite


def result(folder, name, model_args, tasks=None, samples=None, **config):
    """A result file, and the sample file of one task that goes with it."""
    folder.mkdir(parents=True, exist_ok=True)
    data = {
        "model_name": "org/m",
        "config": {"model_args": model_args, **config},
        "results": tasks or whole_suite(0.5),
        "n-samples": dict.fromkeys(tasks or whole_suite(0.5), samples) if samples else {},
    }
    path = folder / f"results_2026-11-01T{name}-00-00.000001.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def sampled(folder, name, outcomes):
    """A sample file of ten documents beside its result."""
    rows = [
        {
            "doc_id": number,
            "doc": {"text": f"t{number}"},
            "doc_hash": str(number),
            "prompt_hash": "p",
            "target_hash": "t",
            "target": "x",
            "arguments": {"gen_args_0": {"arg_0": "t", "arg_1": "x"}},
            "resps": [[["-1.0", "True"]]],
            "filtered_resps": [["-1.0", "True"]],
            "filter": "none",
            "metrics": ["acc"],
            "acc": outcome,
        }
        for number, outcome in enumerate(outcomes)
    ]
    path = folder / f"samples_calame_pt_2026-11-01T{name}-00-00.000001.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def named(*arguments):
    """The names of one model with these arguments."""
    made = [
        TaskScore("org/m", "t", {}, None, variant=origin.variant({"config": {"model_args": one}}))
        for one in arguments
    ]
    return [one.model for one in identity.tell_apart(made)]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["pretrained=m,revision=step1", "pretrained=m,revision=step2"], ["revision=step1", "revision=step2"]),
        (["pretrained=m", "pretrained=m,revision=step2"], ["revision=main", "revision=step2"]),
        ([{"dtype": "float32"}, {"dtype": "bfloat16"}], ["dtype=float32", "dtype=bfloat16"]),
        ([{}, {"load_in_4bit": True}], ["load_in_4bit=default", "load_in_4bit=True"]),
        ([{"peft": "a"}, {"peft": "b"}], ["peft=a", "peft=b"]),
        ([{"peft": "a"}, {}], ["peft=a", "peft=default"]),
        (
            [{"revision": "a", "dtype": "x"}, {"revision": "b", "dtype": "y"}],
            ["revision=a, dtype=x", "revision=b, dtype=y"],
        ),
    ],
)
def test_what_can_change_a_score_tells_models_apart(arguments, names):
    """Revision, precision, quantisation, adapters and thinking; only what differs is named."""
    assert {name.removeprefix("org/m (").removesuffix(")") for name in named(*arguments)} == {
        ", ".join(sorted(name.split(", "))) for name in names
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["pretrained=m", "pretrained=m,revision=main"],
        ["pretrained=m,device_map=auto,batch_size=8", "pretrained=m,gpu_memory_utilization=0.9"],
        [{"pretrained": "m", "dtype": "auto"}, {"pretrained": "m"}],
        [{"model": "m", "base_url": "http://a"}, {"model": "m", "base_url": "http://b", "num_concurrent": 8}],
        [{"load_in_8bit": False}, {"load_in_8bit": None}, {}],
    ],
)
def test_where_and_how_fast_a_model_runs_does_not(arguments):
    """Defaults that are spelled out, devices, batch sizes and addresses leave one model."""
    assert set(named(*arguments)) == {"org/m"}


def test_a_precision_is_the_one_that_was_used():
    """`auto` and the precision that it stands for, as the harness records it, are the same."""
    auto = {"config": {"model_args": {"dtype": "auto"}, "model_dtype": "torch.bfloat16"}}
    spelled = {"config": {"model_args": {"dtype": "bfloat16"}, "model_dtype": "torch.bfloat16"}}
    assert origin.variant(auto) == origin.variant(spelled) == {"dtype": "bfloat16"}


def test_halves_of_two_checkpoints_are_no_whole_model(tmp_path):
    """Easy tasks of one revision and hard ones of another give two models, both incomplete, neither ranked."""
    every = whole_suite(0.5)
    result(tmp_path, "10", {"revision": "step1000"}, dict(list(every.items())[:5]))
    result(tmp_path, "11", {"revision": "step2000"}, dict(list(every.items())[5:]))
    outcome = CliRunner().invoke(main, ["npm", str(tmp_path), "--average", "Total", "--format", "json"])
    models = {one["model"]: one for one in json.loads(outcome.stdout)["models"]}
    assert set(models) == {"org/m (revision=step1000)", "org/m (revision=step2000)"}
    assert all(one["rank"] is None and one["averages"]["Total"]["npm"] is None for one in models.values())


@pytest.fixture
def checkpoints(tmp_path):
    """Two revisions of one model on one task, in one folder."""
    for name, revision, outcomes in (("10", "step1000", [0.0] * 10), ("11", "step2000", [1.0] * 8 + [0.0] * 2)):
        result(tmp_path, name, {"revision": revision}, {"calame_pt": {"acc,none": 0.5, "acc_stderr,none": 0.1}})
        sampled(tmp_path, name, outcomes)
    return tmp_path


def test_two_checkpoints_in_a_folder_are_two_runs(checkpoints):
    """Neither takes the other's place, as two runs of one model do."""
    assert [run.model for run in results.read([checkpoints]).runs] == [
        "org/m (revision=step1000)",
        "org/m (revision=step2000)",
    ]


def test_rank_and_diff_name_the_checkpoints(checkpoints):
    """`rank` ranks them; both columns of `diff` say which is which, though each is read alone."""
    ranked = CliRunner().invoke(main, ["rank", str(checkpoints), "--resamples", "100"], env={"COLUMNS": "200"})
    assert "org/m (revision=step2000)     1" in ranked.output
    files = [str(path) for path in sorted(checkpoints.glob("results_*.json"))]
    output = CliRunner().invoke(main, ["diff", *files], env={"COLUMNS": "200"}).output
    assert "A  org/m (revision=step1000)\nB  org/m (revision=step2000)" in output


def test_a_part_of_the_documents_is_no_score_on_the_task(tmp_path):
    """--samples leaves no limit in the file; `n-samples` tells: marked, not ranked, and said why."""
    result(tmp_path / "part", "10", {}, whole_suite(0.9), {"original": 1000, "effective": 10})
    whole = result(tmp_path / "whole", "11", {}, whole_suite(0.5), {"original": 1000, "effective": 1000})
    whole.write_text(whole.read_text().replace("org/m", "org/whole"))
    outcome = CliRunner().invoke(main, ["npm", str(tmp_path), "--average", "Total"], env={"COLUMNS": "200"})
    rows = [line.split() for line in outcome.stdout.splitlines() if "org/" in line]
    assert [row[:2] for row in rows] == [["–", "org/m"], ["1", "org/whole"]]
    assert "10 of 1000 documents" in outcome.stderr


@pytest.mark.parametrize("name", ["modelo.json", "modelo_2026-11-01T10-00-00.000001.json", "results.json"])
def test_a_result_file_may_have_any_name(tmp_path, name):
    """`--output_path x.json` and `run --output` name files otherwise; JSON without results is passed over."""
    result(tmp_path, "10", {}).rename(tmp_path / name)
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "list.json").write_text("[1]")
    assert results.result_files([str(tmp_path)]) == [tmp_path / name]


def test_a_group_counts_where_it_has_a_baseline(tmp_path):
    """The user's own baseline of a group is used; without one, groups are left to be computed anew."""
    path = result(tmp_path, "10", {}, {"mmlu": {"acc,none": 0.6}, "mmlu_anatomy": {"acc,none": 0.5}})
    data = json.loads(path.read_text()) | {"groups": {"mmlu": {}}, "group_subtasks": {"mmlu": ["mmlu_anatomy"]}}
    path.write_text(json.dumps(data))
    assert [score.task for score in scores_in(path)] == ["mmlu_anatomy"]
    own = tmp_path / "own.json"
    own.write_text('{"mmlu": {"metric": "acc", "random": 0.25}}')
    outcome = CliRunner().invoke(main, ["npm", str(path), "--baselines", str(own), "--format", "csv"])
    assert outcome.stdout.splitlines()[1].startswith("1,org/m,46.666667,") or "org/m,46.666667" in outcome.stdout


def test_an_average_with_a_missing_task_is_shown_withheld(tmp_path):
    """All but BLUEX: Easy is complete, Hard and Total are there, withheld, and name what they lack."""
    result(tmp_path, "10", {}, whole_suite(0.5, without="bluex"))
    outcome = CliRunner().invoke(main, ["npm", str(tmp_path)], env={"COLUMNS": "200"})
    header, row = (line for line in outcome.stdout.splitlines() if "rank " in line or "org/m" in line)
    averages = [f"{name} ± SE, other documents" for name in ("Easy", "Total", "Hard")]
    assert re.split(r" {2,}", header.strip()) == ["rank", "model", *averages]
    assert WITHOUT_ONE in row
    assert "4/5 tasks: bluex missing" in row


def test_one_task_alone_stands_for_itself(tmp_path):
    """One task of nine is no average: its own NPM is shown, not a row of tasks that are missing."""
    result(tmp_path, "10", {}, {"ifeval_pt_300": {"prompt_level_strict_acc,none": 0.5}})
    outcome = CliRunner().invoke(main, ["npm", str(tmp_path)], env={"COLUMNS": "80"})
    assert "ifeval_pt_300" in outcome.stdout
    assert "50.00" in outcome.stdout
    assert "missing" not in outcome.stdout


def test_one_odd_run_does_not_spoil_the_others(tmp_path):
    """Of three models one was asked with other shots: it is left out of the ranking by name, the others are ranked."""
    for number, (model, shots) in enumerate((("a", 0), ("b", 0), ("c", 5))):
        path = result(tmp_path / model, f"1{number}", {}, {"calame_pt": {"acc,none": 0.5}})
        data = json.loads(path.read_text()) | {"model_name": model, "n-shot": {"calame_pt": shots}}
        path.write_text(json.dumps(data))
        sampled(tmp_path / model, f"1{number}", [float(place % (number + 2) == 0) for place in range(10)])
    arguments = ["rank", *(str(tmp_path / model) for model in "abc"), "--json", "--resamples", "100"]
    outcome = CliRunner().invoke(main, arguments)
    assert {one["model"] for one in json.loads(outcome.stdout)["items"]["standings"]} == {"a", "b"}
    assert "c is left out: calame_pt: shots differs: 0 and 5" in outcome.stderr


def protocols(folder, **by_model):
    """A result file per model with all tasks of the suite at one score, and what its file says of how it was asked."""
    for number, (model, said) in enumerate(by_model.items()):
        path = result(folder / model, f"1{number}", {}, whole_suite(0.5))
        path.write_text(json.dumps(json.loads(path.read_text()) | {"model_name": model, **said}))
    outcome = CliRunner().invoke(main, ["npm", str(folder), "--average", "Total", "--format", "json"])
    return {one["model"]: (one["rank"], one["asked"]) for one in json.loads(outcome.stdout)["models"]}


def test_models_that_were_asked_otherwise_are_named_and_not_ranked(tmp_path):
    """0 shots beside the 5 of two others: its rank would be one in another race."""
    five, none = ({"n-shot": dict.fromkeys(whole_suite(0.5), shots)} for shots in (5, 0))
    assert protocols(tmp_path, a=five, b=five, c=none) == {
        "a": (1, None),
        "b": (1, None),
        "c": (None, f"shots 0 on {len(NAMES)} tasks"),
    }


def test_of_two_that_differ_neither_is_the_odd_one(tmp_path):
    """Both are named, none is ranked; --any-protocol ranks both."""
    five, none = ({"n-shot": dict.fromkeys(whole_suite(0.5), shots)} for shots in (5, 0))
    assert protocols(tmp_path, a=five, b=none) == {
        "a": (None, f"shots 5 on {len(NAMES)} tasks"),
        "b": (None, f"shots 0 on {len(NAMES)} tasks"),
    }
    arguments = ["npm", str(tmp_path), "--average", "Total", "--format", "json", "--any-protocol"]
    ranked = json.loads(CliRunner().invoke(main, arguments).stdout)["models"]
    assert [one["rank"] for one in ranked] == [1, 1]


def test_halves_with_and_without_a_template_are_no_whole(tmp_path):
    """Easy tasks without, hard tasks with a chat template: named, and ranked only where asked for."""
    halves = ((AVERAGES["Easy"], None), (AVERAGES["Hard"], "0f3a"))
    for hour, (tasks, template) in enumerate(halves, 10):
        path = result(tmp_path, str(hour), {}, {task: whole_suite(0.5)[task] for task in tasks})
        path.write_text(json.dumps(json.loads(path.read_text()) | {"chat_template_sha": template}))
    outcome = CliRunner().invoke(main, ["npm", str(tmp_path), "--average", "Total", "--format", "json"])
    (model,) = json.loads(outcome.stdout)["models"]
    assert model["rank"] is None
    assert model["asked"] == ", ".join(
        f"chat template {said} on {len(tasks)} tasks" for said, (tasks, _) in zip(("no", "yes"), halves, strict=True)
    )
    assert "--any-protocol ranks them" in outcome.stderr


def test_files_that_say_nothing_differ_from_none(tmp_path):
    """Older files and other tools state no protocol; they are ranked with those that do."""
    said = {"n-shot": dict.fromkeys(whole_suite(0.5), 5), "chat_template_sha": None}
    assert protocols(tmp_path, a=said, b={}) == {"a": (1, None), "b": (1, None)}


def test_both_formats_have_their_means_and_pairs(tmp_path):
    """CF and MCF of the benchmarks with options: two averages, and each benchmark in both formats."""
    tasks = {}
    for place, pair in enumerate(FORMATS.values()):
        for task, score in zip(pair, (0.5, 0.7 + place / 100), strict=True):
            tasks[task] = {f"{BASELINES[task].metric},none": score}
    result(tmp_path, "10", {}, tasks)
    output = CliRunner().invoke(main, ["npm", str(tmp_path)], env={"COLUMNS": "200"}).output
    header = next(line for line in output.splitlines() if "rank " in line).split()
    assert {"CF", "MCF"} <= set(header)
    enem = next(line for line in output.splitlines() if line.startswith("enem")).split()
    assert enem == ["enem", "org/m", "37.50", "66.25", "+28.75"]  # (.5 - .2) / .8 and (.73 - .2) / .8


GREEDY = {"do_sample": False, "until": ["\n\n"], "max_gen_toks": 256}


def generated(**arguments):
    """What a result file says of the generation arguments of all its tasks."""
    return {"configs": {task: {"generation_kwargs": {**GREEDY, **arguments}} for task in whole_suite(0.5)}}


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ({"do_sample": True, "temperature": 0.7, "top_p": 0.9}, "decoding temperature 0.7, top_p 0.9 on {} tasks"),
        ({"max_gen_toks": 32768}, "max_gen_toks 32768 on {} tasks"),
        ({"until": ["\n\n", "Pergunta:"]}, 'until "\\n\\n", "Pergunta:" on {} tasks'),
        ({"temperature": 0.0}, None),
        ({"until": "\n\n"}, None),
        ({"max_gen_toks": None, "max_new_tokens": 256}, None),
    ],
)
def test_answers_that_were_generated_otherwise_are_named_and_not_ranked(tmp_path, arguments, asked):
    """Sampling beside greedy, longer answers, other stops; the same in other words is the same."""
    found = protocols(tmp_path, a=generated(), b=generated(), c=generated(**arguments))
    asked = asked and asked.format(len(whole_suite(0.5)))
    assert found == {"a": (1, None), "b": (1, None), "c": (None, asked) if asked else (1, None)}


def test_rank_and_diff_refuse_sampling_beside_greedy(tmp_path):
    """`rank` leaves the odd one out by name; `diff` refuses two that differ, unless forced."""
    for number, (model, temperature) in enumerate((("a", 0.0), ("b", 0.0), ("c", 0.8))):
        path = result(tmp_path / model, f"1{number}", {}, {"calame_pt": {"acc,none": 0.5}})
        said = {"calame_pt": {"generation_kwargs": {"temperature": temperature, "do_sample": temperature > 0}}}
        path.write_text(json.dumps(json.loads(path.read_text()) | {"model_name": model, "configs": said}))
        sampled(tmp_path / model, f"1{number}", [float(place % (number + 2) == 0) for place in range(10)])
    folders = [str(tmp_path / model) for model in "abc"]
    outcome = CliRunner().invoke(main, ["rank", *folders, "--json", "--resamples", "100"])
    assert {one["model"] for one in json.loads(outcome.stdout)["items"]["standings"]} == {"a", "b"}
    assert "c is left out: calame_pt: decoding differs: greedy and temperature 0.8" in outcome.stderr
    refused = CliRunner().invoke(main, ["diff", folders[0], folders[2]])
    assert refused.exit_code == 2
    assert "decoding differs: greedy and temperature 0.8; --force compares them" in " ".join(refused.output.split())
    assert CliRunner().invoke(main, ["diff", folders[0], folders[2], "--force"]).exit_code == 0
