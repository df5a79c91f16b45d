"""Metrics by name: what each scores, which options it has, what it refuses; against published definitions."""

import copy
import importlib
import inspect
import json
import pickle
import re
import string
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from lm_eval_ifeval_pt.grading import BUILTINS, Normalisation, aggregation, builtin, overlap, similarity
from lm_eval_ifeval_pt.grading.labels import confusion, label_in

# What a grader without options needs.
NEEDED = {
    "json_schema": {"schema": {"type": "object"}},
    "constraint": {"constraint": "ptbr:crase"},
}


def scored(id, output, target="", row=None, **options):
    """The first score of a grader."""
    return next(iter(builtin(id, **options)(output, target, row or {}).values()))


# Normalisation


@pytest.mark.parametrize(
    ("text", "options", "tokens"),
    [
        ("A CIDADE do Rio.", {}, ["cidade", "do", "rio"]),
        ("A CIDADE do Rio.", {"ignore_case": False}, ["CIDADE", "do", "Rio"]),
        ("a cidade", {"ignore_articles": False}, ["a", "cidade"]),
        ("**Você** é, à vista,", {"ignore_accents": True}, ["voce", "e", "a", "vista"]),
        ("Você é", {}, ["você", "é"]),
        ("fim.", {"ignore_punctuation": False}, ["fim."]),
        ("R$ 1.234,56 de guarda-chuva d'água", {}, ["r", "1.234,56", "de", "guarda-chuva", "d'água"]),
        ("A", {}, ["a"]),
        ("A resposta é A", {}, ["resposta", "é", "a"]),
        ("A) gato", {}, ["a", "gato"]),
        ("A, B", {}, ["a", "b"]),
        ("uma ou umas casas", {}, ["ou", "casas"]),
        ("👍", {}, ["👍"]),
        ("<think>não</think> Sim!", {}, ["sim"]),
        ("", {}, []),
    ],
)
def test_what_is_compared_of_a_text(text, options, tokens):
    """Case, articles and punctuation do not count, accents do; an option turns each over. Letters stay answers."""
    assert Normalisation(**options).tokens(text) == tokens


def squad(text):
    """SQuAD's normalisation, with Portuguese articles where it has English ones."""
    text = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(o|a|os|as|um|uma|uns|umas)\b", " ", text).split()


SENTENCES = [
    ("A capital do Brasil é Brasília.", "Brasília"),
    ("o rei Dom Pedro II", "Dom Pedro II"),
    ("Em 1822, no dia 7 de setembro", "7 de setembro de 1822"),
    ("não não não", "não sei"),
    ("os gatos pretos", "gatos pretos"),
    ("Rio", "Brasília"),
    ("", "Brasília"),
]


@pytest.mark.parametrize(("output", "target"), SENTENCES)
def test_words_are_scored_as_squad_s_script_does(output, target):
    """Exact match and F1 after the published definition, written down here a second time."""
    answered, expected = squad(output), squad(target)
    common = sum((Counter(answered) & Counter(expected)).values())
    f1 = 2 * common / (len(answered) + len(expected))
    assert scored("exact_match", output, target) == (answered == expected)
    assert scored("token_f1", output, target) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("answer", "expected", "exact", "f1", "set_f1"),
    [
        ("Brasília.", "brasília", 1, 1, 1),
        ("a capital é Brasília", "Brasília", 0, 0.5, 0.5),
        ("não não não", "não sei", 0, 0.4, 2 / 3),
        ("Rio", "Brasília", 0, 0, 0),
        ("", "Brasília", 0, 0, 0),
        ("", "", 1, 1, 1),
        ("voo", "vôo", 0, 0, 0),
    ],
)
def test_overlap_of_words(answer, expected, exact, f1, set_f1):
    """By hand; SQuAD counts a repeated word as often as both have it, sets count it once. Accents matter."""
    assert overlap.exact_match(answer, expected) == exact
    assert overlap.token_f1(answer, expected) == pytest.approx(f1)
    assert overlap.token_set_f1(answer, expected) == pytest.approx(set_f1)


@pytest.mark.parametrize(
    ("output", "target", "score"),
    [
        ("Moro no Rio de Janeiro.", "rio de janeiro", 1),
        ("Que frio!", "rio", 0),
        ("rio de rio de janeiro", "rio de janeiro", 1),
        ("gato rato gato rato gato cão", "gato rato gato cão", 1),
        ("janeiro, rio", "rio janeiro", 0),
        ("qualquer coisa", "", 0),
        ("", "", 1),
        ("um a um", "um a um b", 0),
    ],
)
def test_contained_are_whole_words_in_order(output, target, score):
    """By hand, with a target that begins anew in the middle of itself."""
    assert scored("contains", output, target) == score


def test_further_accepted_targets_come_from_the_row():
    """As in SQuAD, the nearest of several accepted answers counts; a row without the column is an error."""
    row = {"aceitas": ["Sampa", "São Paulo"]}
    assert scored("exact_match", "são paulo", "SP", row, references="aceitas") == 1
    assert scored("token_f1", "Sampa", "SP", {"aceitas": "Sampa"}, references="aceitas") == 1
    with pytest.raises(ValueError, match="no column 'aceitas'"):
        scored("exact_match", "x", "y", {"outra": 1}, references="aceitas")


def test_several_targets_or_numbers():
    """A list is of accepted ones; a number is compared as JSON writes it."""
    assert builtin("exact_match")("Sampa", ["SP", "sampa"], {}) == {"exact_match": 1}
    assert builtin("numeric")("3,125", 3.125, {"valor": 3.125})["numeric"] == 1
    assert builtin("exact_match")("3", 3, {})["exact_match"] == 1


def test_nothing_heavy_is_imported_before_it_is_used():
    """A definition that names a metric loads no harness, and no metric's library that is not asked for."""
    code = (
        "import sys; from lm_eval_ifeval_pt.grading import builtin; builtin('token_f1')('a', 'b', {});"
        "print({'lm_eval', 'sacrebleu', 'rouge_score', 'jsonschema', 'sklearn'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


# Numbers


@pytest.mark.parametrize(
    ("output", "target", "row", "options", "scores"),
    [
        ("São R$ 1.234,50.", "1234,5", {}, {}, (1, 0)),
        ("#### 84\nobs. 3 casos", "84", {}, {}, (1, 0)),
        ("a resposta é 12, e não 13", "12", {}, {}, (1, 0)),
        ("3,14", "3,1416", {}, {"tolerance": 0.01}, (1, 0)),
        ("3,14", "3,1416", {}, {"tolerance": 0.001}, (0, 0)),
        ("103", "100", {}, {"relative_tolerance": 0.03}, (1, 0)),
        ("104", "100", {}, {"relative_tolerance": 0.03}, (0, 0)),
        ("0,3", "0,2", {}, {"tolerance": 0.1}, (1, 0)),
        ("não sei", "3", {}, {}, (0, 1)),
        ("", "3", {}, {}, (0, 1)),
        ("3,125", "3.125", {"valor": 3.125}, {}, (1, 0)),
        ("3,125", "3.125", {"valor": 3125}, {}, (1, 0)),
        ("3.125", "3.125", {"valor": "3.125"}, {}, (1, 0)),
        ("3,2", "3.125", {"valor": "3.125"}, {"tolerance": 1}, (0, 0)),
        ("-5", "5", {}, {}, (0, 0)),
    ],
)
def test_numbers_are_compared_by_value(output, target, row, options, scores):
    """Portuguese notation, but a number of a JSON row is what JSON says; a tolerance's bound itself passes."""
    found = builtin("numeric", **options)(output, target, row)
    assert (found["numeric"], found["numeric_unread"]) == scores


def test_a_target_that_is_no_number_is_an_error():
    """Nothing could match it: the data are wrong, not the model."""
    with pytest.raises(ValueError, match="'muitos' holds no number"):
        builtin("numeric")("3", "muitos", {})


# Options


@pytest.mark.parametrize(
    ("id", "options", "said"),
    [
        ("tokenf1", {}, "did you mean token_f1"),
        ("token_f1", {"ignore_acents": True}, "did you mean ignore_accents"),
        ("token_f1", {"ignore_case": "sim"}, "ignore_case must be true or false, it is 'sim'"),
        ("numeric", {"tolerance": float("nan")}, "a finite number"),
        ("numeric", {"tolerance": -1}, "a finite number"),
        ("numeric", {"tolerance": True}, "tolerance must be a number"),
        ("label", {"labels": "abc"}, "labels must be a list of strings"),
        ("label", {"labels": ["Sim", "sim"]}, "'Sim' and 'sim' are the same"),
        ("json_schema", {}, "'schema' is lacking"),
        ("json_schema", {"schema": {"type": "objeto"}}, r"\$\.type: 'objeto'"),
        ("constraint", {"constraint": "ptbr:crases"}, "did you mean ptbr:crase"),
        ("constraint", {"constraint": "ptbr:crase", "kwargs": {"minimo": 2}}, "constraint: .*minimo"),
    ],
)
def test_a_wrong_option_is_refused_in_one_sentence(id, options, said):
    """Before any sample is scored."""
    with pytest.raises(ValueError, match=said) as caught:
        builtin(id, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("id", BUILTINS)
def test_a_grader_names_its_metrics(id):
    """What it gives is what it says, with a threshold one more; every score is a number that JSON holds."""
    grader = builtin(id, **NEEDED.get(id, {}), threshold=0.5)
    scores = grader("Fui à feira: 3", "3", {})
    assert tuple(scores) == grader.metrics
    assert grader.metrics[-1].endswith("_pass")
    assert all(isinstance(score, float) for score in json.loads(json.dumps(scores)).values())


# Whole samples


def test_bleu_is_sacrebleu_s():
    """By hand: of "a b c d e" for "a b c d f" 4/5 words, 3/4 pairs, 2/3 triples and 1/2 quadruples are right."""
    score = builtin("bleu")("a b c d e", "a b c d f", {})["bleu"]
    assert aggregation("bleu")([score]) == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)


def test_scores_that_remember_survive_copies():
    """Processes exchange them, files hold their number."""
    score = builtin("label", labels=["sim", "não"])("Sim!", "sim", {})["macro_f1"]
    for made in (copy.deepcopy(score), pickle.loads(pickle.dumps(score))):
        assert (float(made), made.output, made.references) == (1.0, "sim", ("sim",))
    assert json.dumps(score) == "1.0"


def test_signatures_name_what_was_computed():
    """As sacrebleu documents them."""
    assert builtin("bleu").signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert builtin("chrf_plus_plus").signature.startswith("nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:")
    assert builtin("exact_match").signature is None
    assert similarity.bleu_signature(2).startswith("nrefs:2|")


# In the harness


YAML = """
task: perguntas
dataset_path: json
dataset_kwargs: {data_files: {test: DATA}}
output_type: generate_until
test_split: test
doc_to_text: "{{pergunta}}"
doc_to_target: "{{resposta}}"
generation_kwargs: {until: [], max_gen_toks: 8}
FILTER
metric_list:
METRICS
metadata: {version: 1.0}
"""


def says(said):
    """A model of the harness that says, to each prompt, one text after the other; every byte has the chance 1/e."""
    from lm_eval.api.model import LM

    class Model(LM):
        def loglikelihood(self, requests):
            raise NotImplementedError

        def loglikelihood_rolling(self, requests):
            return [-float(len(request.args[0].encode())) for request in requests]

        def generate_until(self, requests):
            texts = {prompt: iter(answers) for prompt, answers in said.items()}
            return [next(texts[request.doc["pergunta"]]) for request in requests]

    return Model()


def evaluated(folder, rows, metrics, said, repeats=1):
    """The results and samples of a task of someone's own, on the harness."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    data = folder / "dados.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    keep = (
        f"repeats: {repeats}\nfilter_list:\n  - name: all\n    filter:\n      - function: custom\n"
        "        filter_fn: !function lm_eval_ifeval_pt.grading.harness.keep_all\n"
    )
    text = YAML.replace("DATA", str(data)).replace("METRICS", metrics).replace("FILTER", keep if repeats > 1 else "")
    (folder / "perguntas.yaml").write_text(text, encoding="utf-8")
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    results = simple_evaluate(model=says(said), tasks=["perguntas"], task_manager=manager, bootstrap_iters=10)
    return results["results"]["perguntas"], results["samples"]["perguntas"]


def entry(name, aggregation="mean", **options):
    """One line of a metric_list."""
    rest = "".join(f"\n    {key}: {json.dumps(value)}" for key, value in options.items())
    own = "!function lm_eval_ifeval_pt.grading.harness."
    aggregation = aggregation if aggregation == "mean" else f"{own}{aggregation}"
    return f"  - metric: {own}{name}\n    aggregation: {aggregation}\n    higher_is_better: true{rest}\n"


@pytest.mark.slow
def test_anyone_s_task_definition_can_name_the_metrics(tmp_path):
    """Options are keys beside the metric; means have a standard error; files hold one number per sample."""
    rows = [{"pergunta": "q1", "resposta": "Não"}, {"pergunta": "q2", "resposta": "Sim"}]
    metrics = (
        entry("token_f1", ignore_accents=True)
        + entry("macro_f1", "over_all_macro_f1", labels=["Sim", "Não"])
        + entry("label_unmatched", labels=["Sim", "Não"])
        + entry("bleu", "over_all_bleu")
        + entry("chrf_plus_plus", "over_all_chrf_plus_plus")
        + entry("rouge_l")
    )
    results, samples = evaluated(tmp_path, rows, metrics, {"q1": ["nao"], "q2": ["Sim."]})
    assert results["token_f1,none"] == 1.0
    assert results["token_f1_stderr,none"] == 0.0
    # "nao" is not "não" here: F1 of "Sim" 1, of "Não" 0
    assert results["macro_f1,none"] == 0.5
    assert results["label_unmatched,none"] == 0.5
    assert [sample["macro_f1"] for sample in samples] == [0.0, 1.0]
    assert json.loads(json.dumps(samples[1]["bleu"])) == pytest.approx(100 * 0.5)


@pytest.mark.slow
def test_summaries_and_pass_rates_of_a_task_definition(tmp_path):
    """By hand, of token F1 1, 0.5 and 0, of which two reach 0.5."""
    rows = [{"pergunta": f"q{n}", "resposta": "gato"} for n in range(3)]
    said = {"q0": ["gato"], "q1": ["gato cão rato"], "q2": ["cão"]}
    metrics = (
        entry("token_f1_pass", threshold=0.5)
        + entry("token_f1", "over_all_median")
        + entry("exact_match", "over_all_max")
        + entry("contains", "over_all_std")
        + entry("rouge_l", "over_all_min")
    )
    results, _ = evaluated(tmp_path, rows, metrics, said)
    assert results["token_f1_pass,none"] == pytest.approx(2 / 3)
    assert results["token_f1,none"] == pytest.approx(0.5)
    assert results["exact_match,none"] == 1
    assert results["contains,none"] == pytest.approx((1 / 3) ** 0.5)
    assert results["rouge_l,none"] == 0


def test_repeats_are_scored_by_their_mean_and_consistency(tmp_path):
    """By hand: of three repeats two are right, and of the three pairs one is the same."""
    metrics = entry("exact_match") + entry("consistency")
    results, _ = evaluated(
        tmp_path, [{"pergunta": "q", "resposta": "sim"}], metrics, {"q": ["Sim", "sim.", "não"]}, repeats=3
    )
    assert results["exact_match,all"] == pytest.approx(2 / 3)
    assert results["consistency,all"] == pytest.approx(1 / 3)


def test_one_output_is_no_repeat():
    """Consistency of a single answer would always be 1."""
    from lm_eval_ifeval_pt.grading.harness import consistency

    with pytest.raises(ValueError, match="keep_all"):
        consistency(["sim"], ["sim"])


# Texts of one's own


def perplexities(**metadata):
    """The results of text_perplexity with a model that gives each byte e^-1."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    from lm_eval_ifeval_pt.paths import bundled

    manager = TaskManager(include_path=bundled("tasks"), include_defaults=False, metadata=metadata)
    results = simple_evaluate(model=says({}), tasks=["text_perplexity"], task_manager=manager, bootstrap_iters=0)
    return results["results"]["text_perplexity"], results["n-samples"]["text_perplexity"]["effective"]


@pytest.mark.parametrize(("unit", "documents"), [("file", 1), ("paragraph", 2), ("line", 3)])
def test_bits_per_byte_of_a_file(tmp_path, unit, documents):
    """log2(e) bits where every byte has the probability 1/e, however the text is cut; "ç" is two bytes."""
    path = tmp_path / "texto.txt"
    path.write_text("A maçã caiu.\n\nO cão latiu.\nFim.\n", encoding="utf-8")
    results, count = perplexities(file=str(path), unit=unit)
    assert results["bits_per_byte,none"] == pytest.approx(1.4426950408889634)
    assert results["byte_perplexity,none"] == pytest.approx(2.718281828459045)
    assert count == documents


@pytest.mark.parametrize(
    ("name", "content", "metadata", "said"),
    [
        (None, "", {}, "name the text"),
        ("não_existe.txt", None, {}, "cannot be read"),
        ("vazio.txt", " \n", {}, "there is no text"),
        ("x.txt", "a", {"unit": "frase"}, "unit must be one of file, paragraph, line"),
        ("x.jsonl", '{"text": "a"}\n{"texto": "b"}\n', {}, "line 2: no JSON object with 'text'"),
        ("x.jsonl", '{"text": 3}\n', {}, "line 1: 'text' is no text"),
    ],
)
def test_a_file_without_text_is_an_error(tmp_path, name, content, metadata, said):
    """Which file, which line, what to do."""
    from lm_eval_ifeval_pt.grading.textfile import load_dataset

    if name and content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        load_dataset(**({"file": str(tmp_path / name)} if name else {}), **metadata)


# Outside oracles


def test_macro_f1_is_scikit_learn_s():
    """Over the labels that are expected; what names no label is wrong and no class, what is never expected neither."""
    metrics = pytest.importorskip("sklearn.metrics")
    labels = ["elogio", "dúvida", "reclamação", "outro"]
    expected = ["elogio", "dúvida", "reclamação", "elogio", "dúvida", "elogio", "reclamação"]
    outputs = ["Elogio!", "É uma dúvida.", "elogio", "sei lá", "reclamação", "outro", "Reclamação"]
    scores = [builtin("label", labels=labels)(*pair, {}) for pair in zip(outputs, expected, strict=True)]
    answered = ["elogio", "dúvida", "elogio", "?", "reclamação", "outro", "reclamação"]
    macro = metrics.f1_score(expected, answered, labels=sorted(set(expected)), average="macro", zero_division=0)
    assert aggregation("macro_f1")([one["macro_f1"] for one in scores]) == pytest.approx(macro)
    assert sum(one["label_accuracy"] for one in scores) / 7 == metrics.accuracy_score(expected, answered)
    assert sum(one["label_unmatched"] for one in scores) == 1
    table = confusion([one["macro_f1"] for one in scores])
    matrix = metrics.confusion_matrix(expected, answered, labels=list(table.labels))
    assert [[table.counts.get((one, other), 0) for other in table.labels] for one in table.labels] == matrix.tolist()


@pytest.mark.parametrize(
    ("output", "named"),
    [
        ("urgente", "urgente"),
        ("Não urgente.", "não urgente"),
        ("O e-mail é não urgente", "não urgente"),
        ("urgente ou não urgente? spam", ""),
        ("spam; urgente", ""),
        ("urgentemente", ""),
        ("", ""),
    ],
)
def test_the_label_of_an_output(output, named):
    """The whole output, else the only label in it as whole words; the longer of two that stand in one another."""
    assert label_in(output, ["urgente", "não urgente", "spam"]) == named


def test_macro_f1_without_labels_counts_a_wrong_answer_against_the_label_that_it_names():
    """As scikit-learn on the same texts; case and full stops do not count."""
    metrics = pytest.importorskip("sklearn.metrics")
    expected = ["elogio", "Dúvida", "Dúvida", "elogio", "outro"]
    outputs = ["Dúvida.", "dúvida", "elogio", "elogio", "não sei"]
    scores = [builtin("label")(*pair, {}) for pair in zip(outputs, expected, strict=True)]
    macro = metrics.f1_score(
        [label.lower() for label in expected],
        [output.lower().strip(".") for output in outputs],
        labels=["dúvida", "elogio", "outro"],
        average="macro",
        zero_division=0,
    )
    assert aggregation("macro_f1")([one["macro_f1"] for one in scores]) == pytest.approx(macro)
    assert macro == pytest.approx(1 / 3)


def test_a_target_that_is_no_label_is_an_error():
    """It could never match."""
    with pytest.raises(ValueError, match="the target 'Elogios' is none of the labels elogio, dúvida"):
        builtin("label", labels=["elogio", "dúvida"])("elogio", "Elogios", {})


def of_all(id, outputs, references):
    """A metric of all samples, each with its accepted targets."""
    grader = builtin(id)
    return aggregation(id)([grader(one, accepted, {})[id] for one, accepted in zip(outputs, references, strict=True)])


def test_bleu_and_chrf_of_sacrebleu_s_own_cases():
    """From the README of sacrebleu 2: three sentences with two references, BLEU 48.53, chrF2++ by its own classes."""
    from sacrebleu.metrics import CHRF

    references = [
        ["The dog bit the man.", "It was not unexpected.", "The man bit him first."],
        ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."],
    ]
    outputs = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
    accepted = [list(pair) for pair in zip(*references, strict=True)]
    assert of_all("bleu", outputs, accepted) == pytest.approx(48.530827009929865)
    expected = CHRF(word_order=2).corpus_score(outputs, references).score
    assert of_all("chrf_plus_plus", outputs, accepted) == pytest.approx(expected)


def test_samples_may_have_different_numbers_of_references():
    """As sacrebleu has them: a missing one is no empty one."""
    assert of_all("bleu", ["o gato dorme no sofá", "a b c d"], [["x", "o gato dorme no sofá"], ["a b c d"]]) == (
        pytest.approx(100)
    )


@pytest.mark.parametrize(
    ("output", "target", "score"),
    [
        ("police kill the gunman", "police killed the gunman", 0.75),
        ("the gunman kill police", "police killed the gunman", 0.5),
        ("a maçã caiu", "a maçã caiu", 1),
        ("maçã", "maca", 0),
        ("ação", "acão", 0),
        ("", "", 1),
        ("", "algo", 0),
    ],
)
def test_rouge_l(output, target, score):
    """Lin 2004, section 3.1 (with F1 for his beta of 1); accents are part of a word, as by default they are not."""
    assert scored("rouge_l", output, target) == pytest.approx(score)


# Structure


@pytest.mark.parametrize(
    ("output", "options", "score"),
    [
        ('{"a": [1, 2.5, null, true]}', {}, 1),
        ("3", {}, 1),
        ('```json\n{"a": 1}\n```', {}, 1),
        ('```json\n{"a": 1}\n```', {"allow_fence": False}, 0),
        ('Aqui está: {"a": 1}', {}, 0),
        ('<think>hm</think> {"a": 1}', {}, 1),
        ("{'a': 1}", {}, 0),
        ('{"a": NaN}', {}, 0),
        ('{"a": 1,}', {}, 0),
        ("", {}, 0),
        ("[" * 100_000, {}, 0),
    ],
)
def test_what_is_json(output, options, score):
    """RFC 8259, with one fence around it looked through unless told otherwise."""
    assert scored("json_valid", output, **options) == score


def test_a_schema_is_followed_or_not():
    """As of JSON Schema; both are told apart from what is no JSON at all."""
    schema = {"type": "object", "properties": {"nota": {"type": "integer", "minimum": 1}}, "required": ["nota"]}
    grader = builtin("json_schema", schema=schema)
    found = [grader(output, "", {}) for output in ('{"nota": 3}', '{"nota": 0}', "{}", "nota 3")]
    assert [one["json_schema"] for one in found] == [1, 0, 0, 0]
    assert [one["json_valid"] for one in found] == [1, 1, 1, 0]


def test_a_schema_fetches_nothing():
    """A reference to somewhere else is an error of the schema's, not a request. Deep values are no crash."""
    pytest.importorskip("jsonschema")
    with pytest.raises(ValueError, match=r"example\.invalid"):
        builtin("json_schema", schema={"$ref": "http://example.invalid/s.json"})("{}", "", {})
    deep = builtin("json_schema", schema={"items": {"$ref": "#"}})("[" * 900 + "]" * 900, "", {})
    assert deep["json_schema"] in (0, 1)


@pytest.mark.parametrize(
    ("output", "options", "score"),
    [
        ("Vou à feira.", {"constraint": "ptbr:crase"}, 1),
        ("Vou a pé.", {"constraint": "ptbr:crase"}, 0),
        ("<think>à</think>Vou a pé.", {"constraint": "ptbr:crase"}, 0),
        ("um dois três", {"constraint": "length_constraints:number_words",
                          "kwargs": {"num_words": 3, "relation": "at least"}, "dialect": "google_pt"}, 1),
        ("um dois", {"constraint": "length_constraints:number_words",
                     "kwargs": {"num_words": 3, "relation": "at least"}, "dialect": "google_pt"}, 0),
    ],
)  # fmt: skip
def test_verifiers_are_assertions(output, options, score):
    """The library's own verdict, with its arguments as a row has them."""
    grader = builtin("constraint", **options)
    assert grader(output, "", {}) == {options["constraint"].replace(":", "."): score}


# The guide


GUIDE = Path(__file__).parents[1] / "docs/metrics.md"


def table(heading):
    """The rows of the guide's table with this first line."""
    lines = GUIDE.read_text(encoding="utf-8").partition(heading + "\n")[2].split("\n")[1:]
    rows = [line.strip("|").split("|") for line in lines[: lines.index("")]]
    return [[cell.strip() for cell in row] for row in rows]


@pytest.mark.parametrize("row", table("| id | output | target | score |"), ids=" ".join)
def test_examples_of_the_guide(row):
    """Every line of the table of examples holds."""
    id, output, target, score = (cell.strip("`") for cell in row)
    assert scored(id, output, target) == pytest.approx(float(score), abs=5e-5)


def test_the_guide_has_every_grader_with_every_option():
    """Nothing is offered in secret, nothing is promised that is not there."""
    rows = table("| id | scores | options |")
    assert [row[0].strip("`") for row in rows] == list(BUILTINS)
    normalisation = [row[0].strip("`") for row in table("| option | default | effect |")]
    assert normalisation == list(inspect.signature(Normalisation).parameters)
    for id, _, *options in rows:
        with pytest.raises(ValueError, match="there are: ") as caught:
            builtin(id.strip("`"), **NEEDED.get(id.strip("`"), {}), nenhuma=1)
        offered = str(caught.value).partition("there are: ")[2].split(", ")
        said = set(re.findall(r"`(\w+)`", " ".join(options)))
        if "normalisation" in " ".join(options) or "the same" in options:
            said |= set(normalisation)
        assert set(offered) - {"references", "threshold"} == said


def test_the_yaml_of_the_guide_loads():
    """Its functions exist, and its options are known."""
    import yaml

    text = GUIDE.read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]
    for one in yaml.safe_load(text.replace("!function ", ""))["metric_list"]:
        for name in (one["metric"], one["aggregation"]):
            if "." in name:
                module, _, function = name.rpartition(".")
                assert callable(getattr(importlib.import_module(module), function))


@pytest.mark.slow
def test_long_outputs_cost_linear_time():
    """Twice the words take about twice the time, in whatever they say; ROUGE-L with a target that stays."""
    target = "o gato 3 dorme " * 20
    for id in BUILTINS:
        options = NEEDED.get(id, {}) | ({"labels": ["gato", target]} if id == "label" else {})
        grader = builtin(id, **options)
        short, long = (timed(grader, "gato dorme 3 " * n, target) for n in (4_000, 16_000))
        assert long < 10 * short + 0.05, id


def timed(grader, output, target):
    """The best of three times."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        grader(output, target, {})
        best = min(best, time.process_time() - start)
    return best
