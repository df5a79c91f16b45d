"""GSM8K-PT: how numbers are read, what counts as the answer, and the four tasks in the harness."""

import random
from fractions import Fraction

import datasets
import lm_eval
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.model import LM
from lm_eval.api.task import ConfigurableTask
from lm_eval.filters.extraction import RegexFilter
from lm_eval.tasks import TaskManager

from lm_eval_ifeval_pt.benchmarks import gsm8k
from lm_eval_ifeval_pt.paths import bundled
from lm_eval_ifeval_pt.text import numbers
from tests import timing
from tests.quality.gold import needs_gold
from tests.quality.gold import rows as gold_rows

SAMPLES = bundled("data") / "samples"
MANAGER = TaskManager(include_path=str(bundled("tasks")), include_defaults=False)
TASKS = ("gsm8k_pt", "gsm8k_cot_pt", "gsm8k_cot_zeroshot_pt", "gsm8k_cot_self_consistency_pt")

# Answers as models write them, with the number that a Brazilian reader takes from them.
ANSWERS = [
    ("#### 42", 42),
    ("18 - 7 = 11.\n#### 11", 11),
    ("#### 1.234", 1234),
    ("#### 1.234,56", "1234.56"),
    ("#### R$ 1.234", 1234),
    ("#### R$1.234,00", 1234),
    ("#### R\\$ 15,90", "15.9"),
    ("#### 12,5 %", "12.5"),
    ("#### 20%", 20),
    ("#### 3 mil", 3000),
    ("#### 3,5 milhões", 3_500_000),
    ("#### 1 milhão e 200 mil", 1_200_000),
    ("#### 2 mil e 500", 2500),
    ("#### 3 mil milhões", 3_000_000_000),
    ("#### 2 bilhões", 2_000_000_000),
    ("#### −4", -4),
    ("#### -4", -4),
    ("#### –4", -4),
    ("#### -1.500,25", "-1500.25"),
    ("#### R$ -30", -30),
    ("#### -R$ 30", -30),
    ("#### 1/2", "1/2"),
    ("#### 3/4 do bolo", "3/4"),
    ("#### 3 1/2", "7/2"),
    ("#### ½", "1/2"),
    ("#### 2½ horas", "5/2"),
    ("#### 0,125", "1/8"),
    ("#### 0.125", "1/8"),
    ("#### 12.5", "12.5"),
    ("#### 1.000.000", 1_000_000),
    ("#### 1,000,000", 1_000_000),
    ("#### 1,234.56", "1234.56"),
    ("#### 12 345", 12345),
    ("#### 12\u00a0345,5", "12345.5"),
    ("#### 1234.567", "1234.567"),
    ("#### **18**", 18),
    ("####18", 18),
    ("#### 18.", 18),
    ("#### US$ 250", 250),
    ("#### 15 maçãs e 3 peras", 15),
    ("A resposta é 42.", 42),
    ("A resposta é R$ 1.234,50.", "1234.5"),
    ("A resposta é: 7", 7),
    ("A resposta é **7**, e não 9.", 7),
    ("Logo, a resposta é menos 4.", -4),
    ("A resposta final é 60 km, pois 3 x 20 = 60.", 60),
    ("**Resposta:** 12 ovos\n\nEspero ter ajudado com os 3 passos!", 12),
    ("**Resposta: 12 ovos**", 12),
    ("Resposta: 3 + 4 = 7", 7),
    ("Resposta final:\n\n**R$ 80,00**", 80),
    ("A resposta correta é igual a 2.750 quilos.", 2750),
    ("A resposta para a pergunta é 16 anos.", 16),
    ("Portanto, $\\boxed{1.500}$ reais.", 1500),
    ("O total é \\boxed{42}. Conferindo: 6 x 7 = 42, em 2 passos.", 42),
    ("No total, ela gastou 36 + 5 = R$ 41.", 41),
    ("Ela terá 2.750 kg.", 2750),
    ("Sobram R$ 23,00 de troco.", 23),
    ("Foram 5 km2? Não: 12 km.", 12),
    ("São 3 + 9 = 12 m²", 12),
    ("O preço caiu para R$ 0,99!", "0.99"),
    ("5 - 9 = -4", -4),
    ("A temperatura foi de −4 °C", -4),
    ("10 - 4", 4),
    ("Ele tem de 5-10", 10),
    ("Ao todo, 3,2 mil pessoas.", 3200),
    ("Restam 12 345 litros.", 12345),
    ("Em 2024, 15 pessoas vieram", 15),
    ("- 7 maçãs", 7),
    ("Ficou com 1/3.", "1/3"),
    ("<think>Seriam 99? A resposta é 98.</think>\nSão 7.", 7),
    ("A resposta é dezoito.", 18),
    ("#### mil e duzentos", 1200),
    ("Portanto, \\boxed{\\text{vinte e um}}", 21),
    ("Resposta: ela gastou cento e cinco reais", 105),
    ("São dezoito ovos ao todo.", 18),
    ("A resposta é uma.", 1),
    ("A resposta é um pouco maior: 18", 18),
    ("A resposta é um mistério. Somando, 18", 18),
    ("#### Dois passos\nPrimeiro 9, depois mais 9: 18", 18),
    ("#### 5h30", "5.5"),
    ("A resposta é 5 horas e 30 minutos.", "5.5"),
    ("Ela levou 2 h 5 min.", "25/12"),
    ("A resposta é 17:30.", "17.5"),
    ("Ela levou 5 h", 5),
    ("The answer is 18. Check: 9 * 2 = 18, in 2 steps.", 18),
    ("<|channel|>analysis<|message|>#### 3<|end|><|start|>assistant<|channel|>final<|message|>São 18.", 18),
    ("não sei", None),
    ("", None),
    ("Use o método A1.", None),
    ("versão 1.2.3", None),
    ("1/0", None),
]


@pytest.fixture(autouse=True)
def hub(tmp_path_factory, monkeypatch):
    """The samples in place of the Hub."""
    monkeypatch.chdir(SAMPLES)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path_factory.getbasetemp() / "cache")


def load(name):
    """One task, with the harness's default seed for shots."""
    task = MANAGER.load([name])["tasks"][name]
    task.set_fewshot_seed(1234)
    return task


def read(response):
    """The value that the flexible Portuguese extraction takes from a response."""
    found = gsm8k.flexible(gsm8k.answer(response).text)
    return None if found is None else found.value


# Numbers


@pytest.mark.parametrize(("response", "value"), ANSWERS)
def test_the_answer_is_the_number_a_reader_takes(response, value):
    """In Portuguese notation, wherever it stands in the response."""
    assert read(response) == (None if value is None else Fraction(value))


def test_the_table_of_answers_has_at_least_sixty():
    """All of them different."""
    assert len({response for response, _ in ANSWERS}) == len(ANSWERS) >= 60


def test_numbers_come_in_order_with_their_places():
    """Offsets span digits and scale; signs belong to the value."""
    text = "De -3 a 1,5 mil, ou 2 mil e 500, e 7."
    found = list(numbers.numbers(text))
    assert [(text[number.start : number.end], number.value) for number in found] == [
        ("3", -3),
        ("1,5 mil", 1500),
        ("2 mil e 500", 2500),
        ("7", 7),
    ]


@given(st.integers(-(10**12), 10**12), st.sampled_from(["{}", "#### {}", "A resposta é {}.", "Sobram R$ {}"]))
def test_whole_numbers_are_read_with_and_without_thousands_marks(number, template):
    """Python's own formatting, with its commas turned into stops."""
    for written in (str(number), f"{number:,}".replace(",", "."), f"{number},00"):
        assert read(template.format(written)) == number


@given(st.text() | st.text("0123456789.,-−/ ½#eéAR$mil\n"))
def test_any_text_is_read(response):
    """No text from a model raises."""
    doc = {"answer": "#### 7", "gold": "7"}
    for scorer in (gsm8k.process_results, gsm8k.process_results_cot, gsm8k.process_results_zeroshot):
        scorer(doc, [response])
    gsm8k.process_results_votes(doc, [[response]])


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["mil e ", "um ", "cento e vinte ", "5h30 ", "5:30", "The answer is ",
     "1", "1.", "1,234", "1 234 ", "#", "#### ", "####", "A resposta é ", "resposta ", "resposta: 1 = ", "$", "-", "a",
     " ", "1/", "2 mil e ", "\\boxed{", "½", "\n", "<think>", "<|channel|>"],
)  # fmt: skip
def test_reading_takes_linear_time(piece):
    """Whatever the answer repeats, however long."""

    def read(response):
        gsm8k.process_results_cot({"answer": "#### 7", "gold": "7"}, [response])
        gsm8k.process_results({"answer": "#### 7", "gold": "7"}, [response])

    timing.assert_linear(timing.repeated(piece), read, 200_000)


# Keys


@pytest.mark.parametrize(
    ("written", "value"),
    [("7", 7), ("2,125", 2125), ("2.125", 2125), ("1,450,000", 1_450_000), ("-1,200", -1200), ("6.14", "6.14"),
     ("187.25", "187.25"), ("0.5", "1/2"), ("0,125", "1/8"), ("$ 20", 20), ("12,5", "25/2")],
)  # fmt: skip
def test_a_key_may_be_written_in_english_or_portuguese(written, value):
    """GSM8K writes thousands with commas and decimals with stops; a translation may have changed both."""
    assert gsm8k.gold_value(written) == Fraction(value)


def test_an_answer_in_the_notation_of_the_key_is_right():
    """Shots can show "#### 92,000": a model that follows them is right, and one that writes Portuguese too."""
    doc = {"answer": "São 92,000.\n#### 92,000", "gold": "92,000"}
    for written in ("92,000", "92.000", "92000", "R$ 92.000,00", "92 mil"):
        assert gsm8k.process_results(doc, [f"#### {written}"])["exact_match"] == 1
    for written in ("92", "9.2000", "-92000"):
        assert gsm8k.process_results(doc, [f"#### {written}"])["exact_match"] == 0


def test_a_row_without_a_key_is_left_out_and_said_so(caplog):
    """It could not be scored."""
    rows = [{"question": "Quanto?", "answer": answer} for answer in ("São 2.\n#### 2", "São 2.", "#### dois")]
    (doc,) = gsm8k.docs(datasets.Dataset.from_list(rows))
    assert "2 of 3 rows have no valid key" in caplog.text
    assert (doc["query"], doc["target"]) == ("Pergunta: Quanto?\nResposta:", "São 2.\n#### 2")


@needs_gold
def test_every_key_of_gsm8k_is_read():
    """1,319 English rows and the Portuguese ones at hand; all of the former are whole numbers."""
    english = [gsm8k.gold(row) for row in gold_rows("bench/gsm8k_en_main_test_full.jsonl")]
    assert len(english) == 1319
    assert [gsm8k.gold_value(key) for key in english] == [int(key.replace(",", "")) for key in english]
    portuguese = [gsm8k.gold(row) for row in gold_rows("bench/gsm8k_pt.jsonl")]
    assert [gsm8k.gold_value(key) for key in portuguese] == [Fraction(key) for key in portuguese]


@needs_gold
def test_the_way_to_an_answer_is_read_as_that_answer():
    """The rationales of the data set, as a model that has learnt them would write them, by all four readings."""
    for row in [*gold_rows("bench/gsm8k_pt.jsonl"), *gold_rows("bench/gsm8k_en_main_test_full.jsonl")]:
        scores = gsm8k.process_results(row | {"gold": gsm8k.gold(row)}, [f" {row['answer']}"])
        assert {**scores, "npm": 1} == dict.fromkeys(scores, 1) | {"invalid": 0}


# Extraction


@pytest.mark.parametrize(
    ("response", "strict", "flexible", "compat_strict", "compat_flexible"),
    [
        ("#### 1234", 1, 1, 1, 1),
        ("#### 1,234", 1, 1, 1, 1),  # the notation of the keys
        ("#### 1.234", 1, 1, 0, 0),
        ("#### R$ 1.234,00", 1, 1, 0, 0),
        ("São 1234 ao todo", 0, 1, 0, 1),
        ("A resposta é 1234, pois 2 x 617 = 1234 e 617 > 1", 0, 1, 0, 0),
        ("#### cerca de 1234", 0, 1, 0, 1),
        ("####1234", 1, 1, 0, 1),
        ("#### $1234", 1, 1, 0, 1),
        ("#### 5 de 1234", 0, 0, 0, 1),
        ("<think>#### 1234", 0, 0, 0, 0),
        ("<think>#### 5</think>#### 1234", 1, 1, 1, 1),
    ],
)
def test_strict_and_flexible_in_both_modes(response, strict, flexible, compat_strict, compat_flexible):
    """Each is a metric of its own; reasoning reaches none."""
    scores = gsm8k.process_results({"answer": "x\n#### 1234", "gold": "1234"}, [response])
    assert scores == {
        "exact_match": strict,
        "flexible_match": flexible,
        "exact_match_compat": compat_strict,
        "flexible_match_compat": compat_flexible,
        "invalid": float(response == "<think>#### 1234"),
        "npm": 100 * strict,
    }


def test_strict_wants_the_marker_of_the_shots():
    """`####` in one task, a sentence in the other; the zero-shot task prefers the flexible reading."""
    doc = {"answer": "#### 7", "gold": "7"}
    for response, hashes, sentence in (("#### 7", 1, 0), ("A resposta é 7.", 0, 1), ("Sete? 7", 0, 0)):
        assert gsm8k.process_results(doc, [response])["exact_match"] == hashes
        assert gsm8k.process_results_cot(doc, [response])["exact_match"] == sentence
        scores = gsm8k.process_results_zeroshot(doc, [response])
        assert (scores["exact_match"], scores["npm"]) == (sentence, 100)


PUBLISHED = {
    "strict": RegexFilter(r"#### (\-?[0-9\.\,]+)"),
    "sentence": RegexFilter(r"A resposta é (\-?[0-9\.\,]+)."),
    "flexible": RegexFilter(r"(-?[$0-9.,]{2,})|(-?[0-9]+)", group_select=-1),
}


PIECES = ["#### ", "A resposta é ", "12", "-3", "1.5", "$", ",", ".", " ", "\n", "x"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_compat_is_the_published_extraction(response):
    """The harness's own filter with the published patterns."""
    expected = {name: published.apply([[response]], [{}])[0][0] for name, published in PUBLISHED.items()}
    assert gsm8k.compat_strict(response, gsm8k.HASHES) == expected["strict"]
    assert gsm8k.compat_strict(response, gsm8k.SENTENCE) == expected["sentence"]
    assert gsm8k.compat_flexible(response) == expected["flexible"]


@given(st.from_regex(r"[-$0-9.,]{1,8}", fullmatch=True), st.sampled_from(["12", "1,200", "-3", "6.14", "$20."]))
def test_compat_compares_as_the_harness_does(extracted, key):
    """`exact_match` with the published patterns to ignore."""
    from lm_eval.api.metrics import exact_match_hf_evaluate

    answer = f"Conta: 3 #### x.\n#### {key}"
    expected = exact_match_hf_evaluate(
        predictions=[extracted],
        references=[answer],
        regexes_to_ignore=[",", r"\$", r"(?s).*#### ", r"\.$"],
        ignore_case=True,
    )
    assert gsm8k.compat_equal(extracted, answer) == bool(expected["exact_match"])


def test_a_majority_of_values_wins_and_the_earliest_of_equals():
    """1.200 and 1200 are one vote each for the same number; responses without a number have none."""
    said = "A resposta é {}.".format
    doc = {"answer": "#### 1200", "gold": "1200"}
    votes = [said("5"), "não sei", said("1.200"), said("7"), said("1200"), *[said("9")] * 2, "não sei"]
    few = gsm8k.process_results_votes(doc, [votes + [said("9")] * 56])
    assert few == {"exact_match": 0, "maj@8": 1, "maj@64": 0, "npm": 0}
    assert gsm8k.majority([None, None]) is None


# Tasks


class Sampling(LM):
    """A model that answers 6 in most of its samples, and the samples of one prompt differ."""

    def generate_until(self, requests):
        """One answer per request."""
        draw = random.Random(0)
        return [f"A resposta é {draw.choice(['85', '85', '1'])}." for _ in requests]

    def loglikelihood(self, requests):
        """No task asks for it."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def evaluate(name, **kwargs):
    """What the harness's `simple_evaluate` returns."""
    return lm_eval.simple_evaluate(model=Sampling(), tasks=[name], task_manager=MANAGER, bootstrap_iters=0, **kwargs)


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_every_metric_of_a_definition_is_reported(name):
    """Under the filter `none`, so that groups aggregate; no answer is right by chance."""
    results = evaluate(name)
    reported = {key.partition(",")[0] for key in results["results"][name] if key.endswith(",none")}
    config = load(name).config
    metrics = {metric["metric"] for metric in config.metric_list}
    assert reported == metrics | {f"{metric}_stderr" for metric in metrics}
    npm = config.metadata["npm"]
    assert (npm["random"], npm["max"]) == (0, 1)
    assert npm["metric"] in metrics
    scores = results["results"][name]
    assert scores["npm,none"] == pytest.approx(100 * scores[f"{npm['metric']},none"])


def test_the_requests_of_gsm8k_pt_are_the_published_ones():
    """Prompt, draws and delimiters, to the character, from the published definition."""
    published = ConfigurableTask(
        config={
            "task": "theirs",
            "dataset_path": "Polygl0t/gsm8k-pt",
            "dataset_name": "default",
            "output_type": "generate_until",
            "training_split": "train",
            "fewshot_split": "train",
            "test_split": "test",
            "doc_to_text": "Pergunta: {{question}}\nResposta:",
            "doc_to_target": "{{answer}}",
            "num_fewshot": 5,
        }
    )
    published.set_fewshot_seed(1234)
    ours = load("gsm8k_pt")
    for task in (ours, published):
        task.build_all_requests()
    contexts = [[instance.args[0] for instance in task.instances] for task in (ours, published)]
    assert contexts[0] == contexts[1]
    assert ours.instances[0].args[0].count("Pergunta: ") == 6
    assert ours.instances[0].args[1]["until"] == ["Pergunta:", "Question:", "</s>", "<|im_end|>"]
    assert "max_gen_toks" not in ours.instances[0].args[1]


def test_the_eight_shots_are_right():
    """Each computes its answer, and each prompt shows all of them before the question."""
    shots = gsm8k.shots_cot()
    assert len({shot["query"] for shot in shots}) == 8
    for shot in shots:
        found = gsm8k.strict(shot["target"], gsm8k.SENTENCE)
        *_, computed = numbers.numbers(shot["target"][: shot["target"].index(" A resposta é")])
        assert found.value == computed.value
        for step in gsm8k.regex.finditer(r"([\d.,]+(?: [-+x/] [\d.,]+)+) = ([\d.,]+\d)", shot["target"]):
            plain = step[0].replace(".", "").replace(",", ".").replace("x", "*").split(" = ")
            assert eval(plain[0]) == pytest.approx(float(plain[1])), step[0]
    task = load("gsm8k_cot_pt")
    task.build_all_requests()
    context = task.instances[0].args[0]
    assert context == "\n\n".join(
        [*(f"{shot['query']} {shot['target']}" for shot in shots), task.eval_docs[0]["query"]]
    )


def test_the_zeroshot_prompt():
    """Nothing before the question, and the phrase that opens the way to the answer."""
    task = load("gsm8k_cot_zeroshot_pt")
    task.build_all_requests()
    question = "Um mercado vendeu 48 pães de manhã e 37 à tarde. Quantos pães vendeu no dia?"
    assert task.instances[0].args[0] == f"P: {question}\nR: Vamos pensar passo a passo."


@pytest.mark.slow
def test_self_consistency_votes_over_64_samples():
    """Two of three samples say 85, which is right for the first document alone."""
    results = evaluate("gsm8k_cot_self_consistency_pt")
    (first, *others) = results["samples"]["gsm8k_cot_self_consistency_pt"]
    assert len(first["resps"][0]) == 64
    assert first["maj@64"] == 1
    assert not any(sample["maj@64"] for sample in others)


@pytest.mark.parametrize("name", TASKS)
def test_the_prompt_in_the_metadata_is_the_prompt(name):
    """The template that a definition shows gives what the harness is handed."""
    from lm_eval.utils import apply_template

    task = load(name)
    for doc in task.eval_docs:
        assert apply_template(task.config.metadata["prompt"], {"question": doc["question"]}) == doc["query"]


@pytest.mark.parametrize(
    ("key", "response", "strict"),
    [
        ("18", "#### 1. Contar\n6 + 12 = 18\n\n#### 2. Rever\nConfere.\n\nA resposta é 18.", False),
        ("18", "#### 1. Contar\n6 + 12 = 18\n\n#### 18", True),
        ("18", "#### 18. Pronto!", True),
        ("12.5", "#### 12{,}5", True),
        ("1200", "\\boxed{1.200{,}00}", False),
        ("1200", "#### 1\\,200", True),
        ("1/2", "\\boxed{\\frac{1}{2}}", False),
        ("18", "\\boxed{9 \\times 2 = 18}", False),
        ("18", "#### 9 * 2 = 18", True),
        ("70000", "#### $70,000", True),
    ],
)
def test_answers_are_read_as_they_are_written(key, response, strict):
    """Headings are no answers; LaTeX, equations and the keys' own notation are read."""
    scores = gsm8k.process_results({"gold": key, "answer": f"#### {key}"}, [response])
    assert (scores["exact_match"], scores["flexible_match"]) == (strict, True)


@pytest.mark.parametrize(
    ("key", "response", "is_right"),
    [("5", "#### 5h30", False), ("5.5", "#### 5h30", True), ("330", "#### 5h30", True), ("90", "#### 1:30", True),
     ("5", "#### 5h", True), ("18", "#### dezoito", True), ("18", "#### dezoito mil", False)],
)  # fmt: skip
def test_times_and_words_are_the_number_they_mean(key, response, is_right):
    """Hours or minutes, whichever the question asks for, but not the hours without their minutes."""
    scores = gsm8k.process_results({"gold": key, "answer": f"#### {key}"}, [response])
    assert (scores["exact_match"], scores["flexible_match"]) == (is_right, is_right)


def test_an_english_sentence_has_a_vote_and_not_the_marker():
    """The shots show "A resposta é"; a number is a vote in either language."""
    scores = gsm8k.process_results_votes({"gold": "18", "answer": "#### 18"}, [["The answer is 18."] * 8])
    assert scores == {"exact_match": 0, "maj@8": 1, "maj@64": 1, "npm": 100}


def test_a_decimal_comma_stays_one_where_the_key_has_decimals():
    """English notation counts only where it gives the key."""
    assert gsm8k.process_results({"gold": "1.2", "answer": "#### 1.2"}, ["#### 1,200"])["exact_match"]
    assert not gsm8k.process_results({"gold": "12", "answer": "#### 12"}, ["#### 1,200"])["exact_match"]
