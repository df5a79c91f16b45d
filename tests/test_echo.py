"""Answers that repeat their prompt gain nothing by it; those that answer lose nothing."""

import json

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import ifeval
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.ifeval import crossing, echo
from lm_eval_ifeval_pt.text import Text
from tests import runs, timing

PROMPT = "Ensine a preparar uma salada de frutas. Use mesóclise pelo menos uma vez na resposta, como em 'dar-lhe-ei'."
DOC = {
    "prompt": PROMPT,
    "instruction_id_list": ["ptbr:mesoclise"],
    "kwargs": [{}],
    "dialect": "ifeval_pt",
    "mode": "pt",
}


def documents():
    """The bundled rows."""
    return list(ifeval.load_dataset()["test"])


def means(answer):
    """The metrics of a model that answers so, over all rows."""
    rows = [ifeval.process_results(dict(doc), [answer(doc)]) for doc in documents()]
    return {name: sum(float(row[name]) for row in rows) / len(rows) for name in ("ifeval_pt_own_words", "echo_rate")}


@pytest.mark.parametrize(
    "answer",
    [
        lambda doc: doc["prompt"],
        lambda doc: doc["prompt"].lower(),
        lambda doc: f"**{doc['prompt']}**",
        lambda doc: f"{doc['prompt']} {doc['prompt']}",
    ],
    ids=["the prompt", "in lower case", "in bold", "twice"],
)
def test_a_model_that_repeats_the_prompt_scores_nothing_in_its_own_words(answer):
    """40.9 % strict and 19.1 % corrected; 0 of both on what is its own, and every answer is an echo."""
    assert means(answer) == {"ifeval_pt_own_words": 0.0, "echo_rate": 1.0}
    corrected = crossing.overall(crossing.cells_of([(doc, answer(doc)) for doc in documents()], in_own_words=True))
    assert abs(corrected.value) <= 2 * corrected.stderr


def test_a_greeting_around_the_prompt_is_no_answer():
    """What is left meets passive restrictions by accident, as a parrot does: corrected, it is worth nothing."""
    answered = [(doc, f"Claro! {doc['prompt']} Pois bem.") for doc in documents()]
    corrected = crossing.overall(crossing.cells_of(answered, in_own_words=True))
    assert abs(corrected.value) <= 2 * corrected.stderr


def test_a_model_that_answers_well_loses_nothing():
    """The hand-written answers score the same in their own words, verdict by verdict, and none is an echo."""
    answer = runs.careful(0.95, seed=1)
    for doc in documents():
        metrics = ifeval.process_results(dict(doc), [answer(doc)])
        assert metrics["ifeval_pt_own_words"] == metrics["prompt_level_strict_acc"]
        assert metrics["echo_rate"] == 0


@pytest.mark.parametrize(
    ("response", "own"),
    [
        ("Lavar-se-ão as frutas.", "Lavar-se-ão as frutas."),
        ("Como pedido: 'dar-lhe-ei'.", "Como pedido: ''."),
        ("Use mesóclise pelo menos uma vez na resposta, como em casa.", " casa."),
        ("Ensine a preparar uma salada de frutas, disse ela.", "Ensine a preparar uma salada de frutas, disse ela."),
        (PROMPT, ""),
    ],
    ids=["its own", "the example", "eight words and more", "seven words", "all"],
)
def test_what_is_left_of_an_answer(response, own):
    """Runs of eight words of the prompt and the quoted example go; shorter runs are how one speaks of the subject."""
    assert str(echo.own_words(DOC, Text(response))) == own


def test_what_the_arguments_ask_for_is_no_echo():
    """A phrase that must begin the answer may have eight words; it goes only with the instruction around it."""
    phrase = "Era uma vez um gato que não gostava de chuva nenhuma"
    prompt = f"Conte uma história. Comece a resposta com '{phrase}'."
    doc = DOC | {"prompt": prompt, "instruction_id_list": ["ptbr:comeca_com"], "kwargs": [{"start_phrase": phrase}]}
    answer = f"{phrase} e por isso ficava em casa."
    assert ifeval.process_results(dict(doc), [answer])["ifeval_pt_own_words"] == 1.0
    assert ifeval.process_results(dict(doc), [prompt])["ifeval_pt_own_words"] == 0.0


def test_words_that_are_to_be_used_are_no_example():
    """'por que' and 'porque' are quoted to be used: the answer that has both follows in its own words."""
    doc = next(doc for doc in documents() if "'por que' e 'porque'" in doc["prompt"])
    assert ifeval.process_results(dict(doc), ["Por que choveu? Choveu porque sim."])["ifeval_pt_own_words"] == 1.0


def test_what_is_echo_is_logged():
    """Beside the verdicts stand the stretches of the response, as it came, that are the prompt's."""
    doc, response = dict(DOC), f"<think>x</think>Bem. {PROMPT}"
    ifeval.process_results(doc, [response])
    ((start, end),) = doc["echo"]
    assert response[start:end] == PROMPT.removesuffix("'.")


def test_table_says_loudly_that_a_model_repeats(tmp_path):
    """More than a tenth of echoes is said, with how many verdicts rest on them; a model that answers hears nothing."""
    runs.write(tmp_path, "acme/eco", lambda doc: doc["prompt"])
    runs.write(tmp_path, "acme/alfa", runs.careful(0.95, seed=1))
    output = CliRunner().invoke(main, ["table", str(tmp_path / "acme__eco")], env={"COLUMNS": "200"}).output
    assert "100 % of the answers mostly repeat their prompt" in output
    assert "Without these words 0.0 % of the prompts are followed (ifeval_pt_own_words)" in output
    assert "repeat" not in CliRunner().invoke(main, ["table", str(tmp_path / "acme__alfa")]).output


def test_verdicts_that_rest_on_repeated_words_are_marked(tmp_path):
    """The prompt's own mesóclise, 14 times: in the table's row, in its JSON, in the evidence of diff, in an export."""
    echoing = str(runs.write(tmp_path, "eco", lambda doc: doc["prompt"]))
    silent = str(runs.write(tmp_path, "mudo", runs.parrot))

    def said(*arguments):
        result = CliRunner().invoke(main, list(arguments), env={"COLUMNS": "200"})
        assert result.exit_code == 0, result.output
        return result.stdout

    rows = {line.split()[0]: line.split() for line in said("table", echoing).splitlines() if line.strip()}
    assert (rows["restriction"][-1], rows["ptbr:mesoclise"][-1], rows["ptbr:cedilha"][-1]) == ("repeated", "14", "0")
    assert "repeated" not in said("table", silent).split()
    (run,) = json.loads(said("table", echoing, "--json"))
    assert {rate["name"]: rate["repeated"] for rate in run["restrictions"]}["ptbr:mesoclise"] == 14
    changes = said("diff", silent, echoing, "--show", "100")
    assert changes.count("(the answer repeats it from the prompt)") >= 14
    exported = said("export", echoing, "--format", "csv", "--table", "items").splitlines()
    assert sum("ptbr:mesoclise,active,repeated,1" in line for line in exported) == 14


@pytest.mark.slow
def test_hostile_answers_take_linear_time():
    """Twice the text, about twice the time."""
    unit = "Use mesóclise pelo menos uma vez na resposta, como em 'dar-lhe-ei' e "
    build = timing.repeated(unit)
    timing.assert_linear(
        lambda size: Text(build(size)), lambda text: (echo.echoed(DOC, text), echo.is_echo(DOC, text)), 200_000
    )


def test_the_metrics_are_in_the_harness_s_table():
    """The task definition names all three, with an aggregation that has a standard error."""
    from lm_eval_ifeval_pt.paths import bundled

    definition = (bundled("tasks") / "ifeval_pt" / "ifeval_pt.yaml").read_text(encoding="utf-8")
    for name in ("ifeval_pt_own_words", "ifeval_pt_corrected_own_words", "echo_rate"):
        assert f"  - metric: {name}\n    aggregation: mean\n" in definition
    json.dumps(ifeval.process_results(dict(DOC), ["Dar-lhe-ei."]))
