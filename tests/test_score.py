"""Responses that already exist: their formats, their documents, and `lm-eval-pt score`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import ifeval, results
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.ifeval import rescoring, responses
from lm_eval_ifeval_pt.ifeval.responses import ResponsesError
from tests.quality import gold

# Three rows as CAPITU writes them, with an answer and the verdicts of its checker. The checker is wrong on the second
# (curly quotes) and, if wrong it is to take prompts at their word, on the third.
ROWS = [
    {
        "key": 0,
        "prompt": "Fale do mar. Siga estritamente: a resposta deve ter exatamente 2 frases; e NÃO use números.",
        "instruction_id_list": ["count:exact_sentence_count", "forbidden:no_numbers"],
        "kwargs": [{"N": 2}, {}],
        "response": "O mar é azul. Tem 7 cores.",
        "strict": [True, False],
        "loose": [True, False],
    },
    {
        "key": 1,
        "prompt": "Fale do sol. Siga estritamente: inclua pelo menos uma citação entre aspas.",
        "instruction_id_list": ["punctuation:include_quote"],
        "kwargs": [{}],
        "response": "Disse o poeta: “o sol é grande”.",
        "strict": [False],
        "loose": [False],
    },
    {
        "key": 2,
        "prompt": "Fale da lua. Siga estritamente: não comece duas frases com a mesma palavra.",
        "instruction_id_list": ["structure:no_repeat_sentence_start"],
        "kwargs": [{}],
        "response": "<think>A lua...</think>A lua vai. O céu fica. A noite vem.",
        "strict": [True],
        "loose": [True],
    },
]
CONVERSATION = {
    "key": 5,
    "turns": [
        {
            "turn": 1,
            "prompt": "Fale do mar. Siga estritamente: comece com 'Certamente'.",
            "instruction_id_list": ["structure:start_with_word"],
            "kwargs": [{"start_word": "Certamente"}],
        },
        {
            "turn": 2,
            "prompt": "Resuma. Siga estritamente: comece com 'Certamente'; e NÃO faça perguntas.",
            "instruction_id_list": ["structure:start_with_word", "forbidden:no_questions"],
            "kwargs": [{"start_word": "Certamente"}, {}],
        },
    ],
}


def write(path: Path, rows) -> Path:
    """Write rows as JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def only(row, *names):
    """Some columns of a row."""
    return {name: row[name] for name in names}


def score(*arguments, folder):
    """The outcome of one command line, in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return CliRunner().invoke(main, ["score", *map(str, arguments)])


def verdicts(path):
    """The strict verdicts that a sample file holds, by key."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["doc"]["key"]: [one["strict"]["followed"] for one in row["doc"]["verdicts"]] for row in rows}


def test_formats(tmp_path):
    """Google's, with and without its verdicts; CAPITU's runs and conversations."""
    rows = [
        {"prompt": "a", "response": "b"},
        {"prompt": "a", "response": "b", "follow_instruction_list": [True, False]},
        ROWS[0],
        {"key": 9, "turns": [{"prompt": "c", "response": "d"}, {"prompt": "e", "response": "f"}]},
    ]
    given = responses.read(write(tmp_path / "r.jsonl", rows))
    assert [(one.key, one.prompt, one.response) for one in given] == [
        (None, "a", "b"),
        (None, "a", "b"),
        (0, ROWS[0]["prompt"], ROWS[0]["response"]),
        ("9/1", "c", "d"),
        ("9/2", "e", "f"),
    ]
    assert [[(one.strict, one.loose) for one in entry.stored] for entry in given[:3]] == [
        [],
        [(True, None), (False, None)],
        [(True, True), (False, False)],
    ]
    assert given[2].instructions == (("count:exact_sentence_count", {"N": 2}), ("forbidden:no_numbers", {}))
    assert not given[0].instructions


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "no response"),
        ("{", "no valid JSON"),
        ('{"prompt": "a"}', r'response 1: no text under "response"; it has: prompt'),
        ('{"key": 1, "turns": ["a"]}', "an object is expected"),
        ('{"doc": {"key": 1}, "resps": [[[-1.5, true]]]}', "not answered with a text"),
    ],
)
def test_what_is_no_response_is_named(tmp_path, lines, message):
    """With its file and place."""
    path = tmp_path / "r.jsonl"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(ResponsesError, match=message):
        responses.read(path)


def given(**parts):
    """A response with some parts."""
    parts = {"where": "r", "key": None, "prompt": None, "response": "x", "stored": (), "instructions": ()} | parts
    return responses.Given(**parts)


def test_responses_are_joined_by_key_or_prompt():
    """A key with another prompt is no match; white space does not matter; equal prompts are served in turn."""
    documents = [
        {"key": 1, "prompt": "Fale  do\nmar."},
        {"key": 2, "prompt": "Fale do sol."},
        {"key": 3, "prompt": "Fale do sol."},
        {"key": "7/2", "prompt": "Oi.\n\nFale da lua.", "turns": ["Oi.", "Fale da lua."]},
    ]
    all_given = [
        given(key=2, prompt="Fale do mar. "),
        given(prompt="Fale do sol."),
        given(key=3.0),
        given(key="7/2", prompt="Fale da lua."),
        given(key=9, prompt="Fale do céu."),
    ]
    joined, left = responses.join(documents, all_given)
    assert joined == {0: all_given[0], 1: all_given[1], 2: all_given[2], 3: all_given[3]}
    assert left == [all_given[4]]
    with pytest.raises(ResponsesError, match="a second response to 'Fale do mar"):
        responses.join(documents, [given(key=1), given(key=1)])


def test_runs_of_capitu_need_no_other_rows(tmp_path):
    """Result and samples lie where those of a run do, and are read as those are; what has changed is listed."""
    path = write(tmp_path / "modelo.jsonl", ROWS)
    outcome = score("--task", "capitu", path, "--diff", folder=tmp_path)
    assert outcome.exit_code == 0, outcome.output
    samples = list((tmp_path / "modelo_capitu").glob("samples_capitu_*.jsonl"))
    assert verdicts(samples[0]) == {0: [True, False], 1: [True], 2: [False]}
    (run,) = results.read([tmp_path / "modelo_capitu.json"]).runs
    assert (run.model, run.task, len(run.items)) == ("modelo", "capitu", 3)
    assert run.settings["metadata"]["mode"] == "pt"
    assert "prompt_level_strict_acc" in outcome.output
    assert "punctuation:include_quote" in outcome.output
    assert "4 verdicts have changed, of 4 instructions" in outcome.output
    assert "before ✗ O verificador publicado conta 0 citações." in outcome.output
    assert "⟦“o sol é grande”⟧" in outcome.output
    assert "before ✓ O verificador publicado conta 0 repetições." in outcome.output
    assert "now    ✗ “a” inicia 2 frases." in outcome.output


def test_mode_compat_gives_the_verdicts_of_the_published_checker(tmp_path):
    """Then nothing has changed, and the result says which mode it was."""
    path = write(tmp_path / "modelo.jsonl", ROWS)
    outcome = score("--task", "capitu", path, "--diff", "--metadata", '{"mode": "compat"}', folder=tmp_path)
    assert "0 verdicts have changed, of 4 instructions" in outcome.output
    result = json.loads((tmp_path / "modelo_capitu.json").read_text(encoding="utf-8"))
    assert result["configs"]["capitu"]["metadata"]["mode"] == "compat"
    assert result["results"]["capitu"]["prompt_level_strict_acc,none"] == pytest.approx(1 / 3)


@pytest.mark.slow
def test_samples_of_a_run_are_scored_again(tmp_path):
    """Of mode compat in mode pt, or after a verifier has changed; the evidence of both verdicts is shown."""
    path = write(tmp_path / "modelo.jsonl", ROWS)
    score("--task", "capitu", path, "--metadata", '{"mode": "compat"}', folder=tmp_path)
    (samples,) = (tmp_path / "modelo_capitu").glob("samples_capitu_*.jsonl")
    outcome = score("--task", "capitu", samples, "--output", "nova.json", "--model", "M", "--diff", folder=tmp_path)
    assert outcome.exit_code == 0, outcome.output
    (again,) = (tmp_path / "nova").glob("samples_capitu_*.jsonl")
    assert verdicts(again) == {0: [True, False], 1: [True], 2: [False]}
    assert "4 verdicts have changed" in outcome.output
    refused = score("--task", "capitu", samples, "--output", "modelo_capitu.json", folder=tmp_path)
    assert refused.exit_code == 2
    assert "would replace" in refused.output
    assert samples.exists()


def test_plain_responses_are_joined_with_the_rows_of_the_task(tmp_path):
    """Some are missing and one answers nothing, which is said; without verdicts there is nothing to compare."""
    source = write(tmp_path / "rows.jsonl", [only(row, *list(row)[:4]) for row in ROWS])
    answers = [only(ROWS[1], "prompt", "response"), {"prompt": "Fale do céu.", "response": "É azul."}]
    path = write(tmp_path / "plain.jsonl", answers)
    outcome = score("--task", "capitu", path, "--source", source, "--diff", folder=tmp_path)
    assert outcome.exit_code == 0, outcome.output
    (samples,) = (tmp_path / "plain_capitu").glob("samples_capitu_*.jsonl")
    assert verdicts(samples) == {1: [True]}
    assert "1 responses answer no document" in outcome.output
    assert "2 documents of the task have no response" in outcome.output
    assert "no verdict came with these responses" in outcome.output
    assert any("only 1 of 3 documents" in note for note in results.read([samples]).notes)


def test_conversations_are_scored_turn_by_turn(tmp_path):
    """As CAPITU writes answers to them; a conversation is followed when all of its turns are."""
    source = write(tmp_path / "rows.jsonl", [CONVERSATION, CONVERSATION | {"key": 6}])
    answered = [["Certamente, é azul.", "Certamente, sim."], ["Certamente, é azul.", "Sim?"]]
    path = write(
        tmp_path / "talks.jsonl",
        [
            {
                "key": key,
                "turns": [
                    {"prompt": turn["prompt"], "response": said}
                    for turn, said in zip(CONVERSATION["turns"], answers, strict=True)
                ],
            }
            for key, answers in zip((5, 6), answered, strict=True)
        ],
    )
    outcome = score("--task", "capitu_multiturn", path, "--source", source, folder=tmp_path)
    assert outcome.exit_code == 0, outcome.output
    row = json.loads((tmp_path / "talks_capitu_multiturn.json").read_text(encoding="utf-8"))["results"]
    assert row["capitu_multiturn"]["conversation_strict_acc,none"] == 0.5
    assert row["capitu_multiturn"]["turn_1_strict_acc,none"] == 1
    assert row["capitu_multiturn"]["turn_2_strict_acc,none"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--task", "capito"], "--task capito: no IFEval task of this package; did you mean capitu"),
        (["--task", "oab_exams"], "--task oab_exams: no IFEval task"),
        (["--task", "capitu", "--metadata", "{"], "no JSON"),
        (["--task", "capitu", "--metadata", "[]"], "must be a JSON object"),
        (["--task", "capitu", "--metadata", '{"mode": "loose"}'], "no dialect 'capitu' in mode 'loose'"),
        (["--task", "capitu", "--output", "r.jsonl"], "ends in .json"),
        (["--task", "capitu", "--output", "none/r.json"], "no folder none"),
        (["--task", "capitu", "--source", "rows.jsonl"], "none of 3 responses answers a prompt of capitu"),
    ],
)
def test_what_makes_no_sense_is_said(tmp_path, arguments, message):
    """In one message, without a traceback."""
    path = write(tmp_path / "modelo.jsonl", ROWS)
    other = only(ROWS[0], *list(ROWS[0])[:4]) | {"key": 77, "prompt": "Outro pedido."}
    write(tmp_path / "rows.jsonl", [other])
    outcome = score(path, *arguments, folder=tmp_path)
    assert outcome.exit_code in (1, 2)
    assert message in outcome.output.replace("\n", " ")
    assert isinstance(outcome.exception, SystemExit)


def test_verdicts_must_fit_the_instructions():
    """Two verdicts on one instruction are no verdicts on it."""
    document = {"key": 1, "dialect": "capitu", "verdicts": [{"instruction_id": "x", "strict": {}, "loose": {}}]}
    stored = (responses.Stored(True, True, {}), responses.Stored(True, True, {}))
    with pytest.raises(ResponsesError, match="2 verdicts for 1 instructions"):
        list(rescoring.changes(document, given(stored=stored)))


def test_long_evidence_is_shortened():
    """Its two ends are shown, with what stands around it."""
    response = "antes " + "x" * 500 + " depois"
    (piece,) = rescoring.quoted(response, {"evidence": [[6, 506]]})
    assert piece == f"antes ⟦{'x' * 30} […] {'x' * 30}⟧ depois"


@pytest.mark.parametrize(
    ("task", "rows", "documents"),
    [("capitu", "input_questions", 200), ("capitu_multiturn", "input_questions_multiturn", 300)],
)
@gold.needs_gold
def test_published_rows_are_read(task, rows, documents):
    """All of them, in both modes; conversations have three turns, whose keys and prompts add up."""
    source = str(gold.GOLD / "capitu" / f"{rows}.jsonl")
    for mode in ("pt", "compat"):
        read = ifeval.load_dataset(task, "capitu", mode, source)["test"]
        assert len(read) == documents
    if task == "capitu_multiturn":
        assert [read[index]["key"] for index in (0, 1, 2, 3)] == ["0/1", "0/2", "0/3", "1/1"]
        assert read[2]["prompt"].split("\n\n") == read[2]["turns"]


@pytest.mark.parametrize(
    ("name", "options", "stored"),
    [
        ("eval_results_loose.jsonl", {}, (None, True)),
        ("eval_results_strict.jsonl", {}, (True, None)),
        ("answers.jsonl", {}, (True, None)),
        ("answers.jsonl", {"stored": "loose"}, (None, True)),
        ("eval_results_loose.jsonl", {"stored": "strict"}, (True, None)),
    ],
)
def test_loose_verdicts_are_not_taken_for_strict_ones(tmp_path, name, options, stored):
    """Google's two outputs have one schema: the file's name tells them apart, or the user does."""
    row = {"prompt": "a", "response": "b", "follow_instruction_list": [True]}
    (given,) = responses.read(write(tmp_path / name, [row]), **options)
    assert [(one.strict, one.loose) for one in given.stored] == [stored]
