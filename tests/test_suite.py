"""The Tucano 2 tasks and groups in the harness, on the samples that stand in for the Hub."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import datasets
import lm_eval
import pytest
import yaml
from jinja2 import StrictUndefined
from lm_eval.api.model import LM
from lm_eval.api.task import ConfigurableTask
from lm_eval.tasks import TaskManager
from lm_eval.utils import apply_template, handle_non_serializable, make_table

import lm_eval_ifeval_pt
from lm_eval_ifeval_pt import definitions
from lm_eval_ifeval_pt.benchmarks import generate
from lm_eval_ifeval_pt.npm.baselines import BASELINES, FORMATS
from lm_eval_ifeval_pt.paths import bundled
from tests.quality import published
from tests.quality.gold import needs_gold
from tests.quality.gold import rows as gold_rows

SAMPLES = bundled("data") / "samples"
MANAGER = TaskManager(include_path=str(bundled("tasks")), include_defaults=False)

# Tucano 2, table G.19: preferred metric and chance in percent.
EASY = {
    "calame_pt": ("acc", 0),
    "lambada_poly_pt": ("acc", 0),
    "global_piqa_pt_br": ("acc_norm", 50),
    "arc_challenge_poly_pt": ("acc_norm", 25),
    "hellaswag_poly_pt": ("acc_norm", 25),
}
HARD = {
    "enem": ("acc", 20),
    "bluex": ("acc", 22.5),
    "oab_exams": ("acc", 25),
    "belebele_pt": ("acc_norm", 25),
    "mmlu_poly_pt": ("acc", 25),
}
PUBLISHED = EASY | HARD
GROUPS = {
    group: definitions.members(group)
    for group in ("tucano2_easy", "tucano2_hard", "tucano2_suite", "tucano2_suite_cf", "tucano2_suite_mcf")
}
SUITE = GROUPS["tucano2_suite"]
CF, MCF = GROUPS["tucano2_suite_cf"], GROUPS["tucano2_suite_mcf"]
TASKS = sorted({task for tasks in GROUPS.values() for task in tasks})
SHOTS_FROM_TEST = ("calame_pt", "lambada_poly_pt", "global_piqa_pt_br", "global_piqa_pt_br_mcf")


class Hashing(LM):
    """A model whose answers depend on nothing but the request."""

    ANSWERS = ("A", "Letra B.", " (C) porque sim", "Resposta: D", "não sei", "E")

    def loglikelihood(self, requests):
        """A log-likelihood between -1 and 0; greedy once in three."""
        numbers = [self._number("".join(request.args)) for request in requests]
        return [(-(number % 10_007) / 10_007, number % 3 == 0) for number in numbers]

    def generate_until(self, requests):
        """One of the answers."""
        return [self.ANSWERS[self._number(request.args[0]) % len(self.ANSWERS)] for request in requests]

    def loglikelihood_rolling(self, requests):
        """No task asks for it."""
        raise NotImplementedError

    @staticmethod
    def _number(text):
        return int(hashlib.sha256(text.encode()).hexdigest(), 16)


@pytest.fixture(autouse=True)
def hub(tmp_path_factory, monkeypatch):
    """The samples in place of the Hub: a data set's id is a path from the working directory."""
    monkeypatch.chdir(SAMPLES)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path_factory.getbasetemp() / "cache")


def load(*names):
    """The tasks of these names, with the harness's default seed for shots."""
    tasks = MANAGER.load(list(names))["tasks"]
    for task in tasks.values():
        task.set_fewshot_seed(1234)
    return tasks


def requests(task, **kwargs):
    """Context and continuation, or generation settings, of every request."""
    task.build_all_requests(**kwargs)
    return [instance.args for instance in task.instances]


def evaluate(*names, task_manager=MANAGER, **kwargs):
    """What the harness's `simple_evaluate` returns."""
    return lm_eval.simple_evaluate(model=Hashing(), tasks=list(names), task_manager=task_manager, **kwargs)


def score(results, name, metric):
    """One value and its standard error."""
    row = results["results"][name]
    return row[f"{metric},none"], row[f"{metric}_stderr,none"]


@pytest.fixture(scope="module")
def suite():
    """One run of the whole suite."""
    before = Path.cwd()
    os.chdir(SAMPLES)
    try:
        return evaluate("tucano2_suite")
    finally:
        os.chdir(before)


# Definitions


@pytest.mark.slow
def test_no_name_is_one_of_the_harness():
    """The harness would let ours override its own, with a warning in every run."""
    names = re.compile(r"^(?:task|group|tag): *[\"']?([\w.-]+)|^ *- *([\w.-]+) *$", re.MULTILINE)
    builtin = set()
    for path in (Path(lm_eval.__file__).parent / "tasks").rglob("*"):
        if path.is_file() and path.suffix in ("", ".yaml"):
            found = names.findall(path.read_text(encoding="utf-8"))
            builtin.update(name for pair in found for name in pair if name)
    assert {"arc_easy", "belebele_por_Latn", "mmlu", "assin2_rte", "longcxt"} <= builtin
    assert not builtin & set(MANAGER.all_tasks)


def test_all_tasks_and_groups_are_there():
    """The harness leaves out a definition that it cannot read, and says nothing."""
    defined = {task["task"] for task in definitions.tasks() if isinstance(task["task"], str)}
    assert set(TASKS) <= defined
    assert defined | set(GROUPS) <= set(MANAGER.all_tasks)


def test_the_definitions_are_what_their_benchmarks_say():
    """Nobody edited a generated file, or forgot `make definitions`; no task of theirs is left without a benchmark."""
    files = generate.files(bundled("tasks"))
    assert {path: path.read_text(encoding="utf-8") for path in files} == files
    assert {path for folder in {file.parent for file in files} for path in folder.glob("*.yaml")} - set(files) == {
        bundled("tasks") / "tucano2" / f"tucano2_{group}.yaml" for group in ("suite", "kr", "instruct", "think")
    }


def test_both_formats_of_a_benchmark_of_the_suite_are_in_their_groups():
    """Each benchmark has one task in the cloze group and one in the other; the last word of a text has no options."""
    for benchmark, pair in FORMATS.items():
        assert benchmark in SUITE
        assert [definitions.folders()[task] for task in pair] == [benchmark, benchmark]
    assert {cloze for cloze, _ in FORMATS.values()} == set(CF)
    assert {choice for _, choice in FORMATS.values()} == set(MCF)


@pytest.mark.parametrize("task", TASKS)
def test_a_definition_carries_its_baseline(task):
    """Result files hold the metadata, so whoever reads them needs no table."""
    metadata = load(task)[task].config.metadata
    assert {"version", "prompt", "source", "licence", "npm"} <= set(metadata)
    metrics = [metric["metric"] for metric in load(task)[task].config.metric_list]
    assert "npm" in metrics
    assert metadata["npm"]["metric"] in metrics
    assert 0 <= metadata["npm"]["random"] < metadata["npm"]["max"] == 1


def test_the_baselines_are_the_paper_s():
    """Table G.19, and the same chance for the other formats."""
    for tasks, half in ((EASY, "easy"), (HARD, "hard")):
        for task, (metric, chance) in tasks.items():
            assert BASELINES[task].metric == metric
            assert BASELINES[task].random * 100 == pytest.approx(chance)
            assert BASELINES[task].set == half
    for benchmark, pair in FORMATS.items():
        for task, metric in zip(pair, ("acc_norm", "acc"), strict=True):
            assert BASELINES[task].random == BASELINES[benchmark].random
            if task != benchmark:
                assert (BASELINES[task].metric, BASELINES[task].set) == (metric, None)


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_holds_each_task_once(group):
    """A task that is in it twice would count twice."""
    tasks = [task.task_name for task in MANAGER.load([group])["groups"][group].get_all_tasks()]
    assert sorted(tasks) == sorted(GROUPS[group])


@pytest.mark.parametrize("readme", sorted(SAMPLES.rglob("README.md")), ids=lambda path: path.parent.name)
def test_samples_are_few_and_load(readme):
    """8 to 12 rows a split, in the types that the README states, and of the size that it states, if any.

    `datasets` takes its cached copy of the rows for as long as the README stays the same.
    """
    info = yaml.safe_load(readme.read_text(encoding="utf-8").split("---")[1])["dataset_info"][0]
    hub_id = readme.parent.relative_to(SAMPLES).as_posix()
    splits = datasets.load_dataset(hub_id, info["config_name"])
    files = list(readme.parent.rglob("*.jsonl"))
    assert set(splits) == {file.stem for file in files}
    assert all(8 <= rows.num_rows <= 12 for rows in splits.values())
    assert info.get("download_size") in (None, sum(file.stat().st_size for file in files))


# Prompts

FIRST = {
    "calame_pt": ("O padeiro tirou a fornada cedo, e logo a rua inteira cheirava a", [" pão"]),
    "lambada_poly_pt": (
        "Lúcia guardou a aliança numa caixinha azul e prometeu nunca mais abrir. Anos depois, arrumando a "
        "mudança, o neto encontrou a caixinha e perguntou o que havia ali dentro. Ela sorriu antes de "
        "responder: era só uma",
        [" aliança"],
    ),
    "global_piqa_pt_br": (
        "Para que o brigadeiro não grude na mão na hora de enrolar,",
        [
            " unte as mãos com um pouco de manteiga.",
            " lave as mãos com água quente e sabão a cada brigadeiro.",
        ],
    ),
    "global_piqa_pt_br_mcf": (
        "Para que o brigadeiro não grude na mão na hora de enrolar,\n"
        "A. unte as mãos com um pouco de manteiga.\n"
        "B. lave as mãos com água quente e sabão a cada brigadeiro.\n"
        "Resposta:",
        [" A", " B"],
    ),
    "arc_challenge_poly_pt": (
        "Question: Por que os objetos caem quando são soltos?\nAnswer:",
        [
            " por causa da gravidade",
            " por causa do magnetismo",
            " por causa do vento",
            " por causa do atrito",
        ],
    ),
    "arc_challenge_poly_pt_mcf": (
        "Question: Por que os objetos caem quando são soltos?\n"
        "A. por causa da gravidade\nB. por causa do magnetismo\n"
        "C. por causa do vento\nD. por causa do atrito\nAnswer:",
        [" A", " B", " C", " D"],
    ),
    "hellaswag_poly_pt": (
        "Trocando um pneu: Um homem para o carro no acostamento e abre o porta-malas. Ele",
        [
            " pega o macaco e o estepe.",
            " serve um jantar para a família.",
            " planta uma árvore no asfalto.",
            " pinta os faróis de azul.",
        ],
    ),
    "hellaswag_poly_pt_mcf": (
        "Trocando um pneu: Um homem para o carro no acostamento e abre o porta-malas. Ele\n"
        "A. pega o macaco e o estepe.\nB. serve um jantar para a família.\n"
        "C. planta uma árvore no asfalto.\nD. pinta os faróis de azul.\nResposta:",
        [" A", " B", " C", " D"],
    ),
    "enem_cf": (
        "Pergunta:\nUma família trocou dez lâmpadas de 60 W por dez de 9 W e manteve o mesmo tempo de uso. "
        "A principal vantagem ambiental dessa troca é a redução do \nResposta correta:",
        [
            " consumo de energia elétrica.",
            " consumo de água tratada.",
            " ruído dentro da casa.",
            " volume de lixo orgânico.",
            " uso de gás de cozinha.",
        ],
    ),
    "enem_mcf": (
        "Pergunta:\nUma família trocou dez lâmpadas de 60 W por dez de 9 W e manteve o mesmo tempo de uso. "
        "A principal vantagem ambiental dessa troca é a redução do \nAlternativas:\n"
        "A. consumo de energia elétrica. \nB. consumo de água tratada. \nC. ruído dentro da casa. \n"
        "D. volume de lixo orgânico. \nE. uso de gás de cozinha.\nResposta correta:",
        [" A", " B", " C", " D", " E"],
    ),
    "bluex_cf": (
        "Pergunta:\nNa frase “Embora chovesse, a feira estava cheia”, a primeira oração exprime\n"
        "Resposta correta:",
        [" concessão.", " condição.", " finalidade.", " consequência."],
    ),
    "bluex_mcf": (
        "Pergunta:\nNa frase “Embora chovesse, a feira estava cheia”, a primeira oração exprime\n"
        "Alternativas:\nA. concessão.\nB. condição.\nC. finalidade.\nD. consequência.\nResposta correta:",
        [" A", " B", " C", " D"],
    ),
    "oab_exams_cf": (
        "Questão:\nO contrato de compra e venda de um bem que já não existia quando foi celebrado é\n"
        "Resposta correta:",
        [
            " válido, se houver testemunhas.",
            " válido, se o preço foi pago.",
            " nulo, por falta de objeto.",
            " anulável em um ano.",
        ],
    ),
    "oab_exams_mcf": (
        "Questão:\nO contrato de compra e venda de um bem que já não existia quando foi celebrado é\n"
        "Alternativas:\nA. válido, se houver testemunhas.\nB. válido, se o preço foi pago.\n"
        "C. nulo, por falta de objeto.\nD. anulável em um ano.\nResposta correta:",
        [" A", " B", " C", " D"],
    ),
    "belebele_pt": (
        "P: O frevo nasceu no Recife, no fim do século XIX, entre as bandas militares e os passistas que "
        "abriam caminho à frente delas. A sombrinha colorida, hoje símbolo da dança, ajudava os passistas a "
        "manter o equilíbrio.\nQ: Segundo o texto, onde nasceu o frevo?\n"
        "A: Em Salvador\nB: No Recife\nC: Em Olinda\nD: No Rio de Janeiro\nAnswer:",
        [" A", " B", " C", " D"],
    ),
    "belebele_pt_cf": (
        "P: O frevo nasceu no Recife, no fim do século XIX, entre as bandas militares e os passistas que "
        "abriam caminho à frente delas. A sombrinha colorida, hoje símbolo da dança, ajudava os passistas a "
        "manter o equilíbrio.\nQ: Segundo o texto, onde nasceu o frevo?\nAnswer:",
        [" Em Salvador", " No Recife", " Em Olinda", " No Rio de Janeiro"],
    ),
    "mmlu_poly_pt": (
        "A organela em que a célula produz a maior parte da sua energia é\nA. o ribossomo\nB. a mitocôndria\n"
        "C. o lisossomo\nD. o vacúolo\nAnswer:",
        [" A", " B", " C", " D"],
    ),
    "mmlu_poly_pt_cf": (
        "A organela em que a célula produz a maior parte da sua energia é\nAnswer:",
        [" o ribossomo", " a mitocôndria", " o lisossomo", " o vacúolo"],
    ),
}


@pytest.mark.parametrize("task", FIRST)
def test_the_first_document_without_shots(task):
    """Prompt and continuations, written by hand."""
    (task,) = load(task).values()
    task.set_config(key="num_fewshot", value=0)
    context, continuations = FIRST[task.task_name]
    contexts, ours = zip(*requests(task, limit=1), strict=True)
    description = task.config.description
    assert set(contexts) == {description + context}
    assert list(ours) == continuations


ENEM_PROMPT = """\
As perguntas a seguir são questões de múltipla escolha do Exame Nacional do Ensino Médio (ENEM), selecione \
a única alternativa correta e responda apenas com as letras "A", "B", "C", "D" ou "E".

Pergunta:
Um cartaz diz: “Doe sangue. Alguém espera por você.” O cartaz pretende
Alternativas:
A. vender um produto.
B. narrar uma viagem.
C. convencer o leitor a agir.
D. explicar uma técnica.
E. criticar um hospital.
Resposta correta: C

Pergunta:
Ao ser criada em 1943, a Consolidação das Leis do Trabalho reuniu normas sobre
Alternativas:
A. a posse de terras indígenas.
B. o ensino religioso.
C. o comércio exterior.
D. as relações entre patrões e empregados.
E. a eleição de governadores.
Resposta correta: D

Pergunta:
Um reservatório de 600 litros é enchido por uma torneira que despeja 15 litros por minuto. O tempo \
necessário para enchê-lo é de
Alternativas:
A. 20 minutos.
B. 30 minutos.
C. 35 minutos.
D. 45 minutos.
E. 40 minutos.
Resposta correta: E

Pergunta:
Uma família trocou dez lâmpadas de 60 W por dez de 9 W e manteve o mesmo tempo de uso. A principal vantagem \
ambiental dessa troca é a redução do\x20
Alternativas:
A. consumo de energia elétrica.\x20
B. consumo de água tratada.\x20
C. ruído dentro da casa.\x20
D. volume de lixo orgânico.\x20
E. uso de gás de cozinha.
Resposta correta:"""


def test_a_whole_prompt_of_enem():
    """Description, three fixed shots in their order, and the document; 256 new tokens, up to a blank line."""
    context, settings = requests(load("enem")["enem"], limit=1)[0]
    assert context == ENEM_PROMPT
    assert settings == {"until": ["\n\n"], "do_sample": False, "temperature": 0.0, "max_gen_toks": 256}
    assert [context for context, _ in requests(load("enem_mcf")["enem_mcf"], limit=1)] == [ENEM_PROMPT] * 5


def test_the_other_two_exams_differ_as_published():
    """BLUEX speaks of entrance exams; OAB of its exam, asks with `Questão:`, and gives 32 tokens."""
    bluex, settings = requests(load("bluex")["bluex"], limit=1)[0]
    assert bluex.startswith(
        "As perguntas a seguir são questões de múltipla escolha de provas de vestibular de universidades "
        "brasileiras, selecione a única alternativa correta e responda apenas com as letras "
        '"A", "B", "C", "D" ou "E".\n\nPergunta:\nUm terreno retangular mede'
    )
    assert settings["max_gen_toks"] == 256
    oab, settings = requests(load("oab_exams")["oab_exams"], limit=1)[0]
    assert oab.startswith(
        "As perguntas a seguir são questões de múltipla escolha do Exame de Ordem da Ordem dos Advogados do "
        "Brasil (OAB), selecione a única alternativa correta e responda apenas com as letras "
        '"A", "B", "C" ou "D".\n\n'
        "Questão:\nRui, advogado, recebeu"
    )
    assert settings["max_gen_toks"] == 32


def test_two_blanks_before_the_last_word_of_a_shot():
    """As published: the delimiter's and the target's. The scored document has only one."""
    context, target = requests(load("calame_pt")["calame_pt"], limit=1)[0]
    *shots, last = context.split("\n\n")
    assert len(shots) == 5
    assert "O carteiro tocou a campainha porque precisava entregar uma  carta" in shots
    assert last + target == "O padeiro tirou a fornada cedo, e logo a rua inteira cheirava a pão"


@pytest.mark.parametrize("task", TASKS)
def test_the_prompt_in_the_metadata_is_the_prompt(task):
    """The template that a definition shows gives what the harness is handed, for every document."""
    (task,) = load(task).values()
    template = task.config.metadata["prompt"]
    for doc in task.eval_docs:
        row = {key: value for key, value in doc.items() if key not in ("query", "options", "gold", "target")}
        assert apply_template(template, row) == doc["query"]


@pytest.mark.parametrize("name", published.TASKS)
def test_requests_are_the_published_ones(name):
    """All of them, shots included, but where the published prompt shows the evaluated row with its answer."""
    task = load(name)[name]
    theirs = ConfigurableTask(config=published.config(name))
    theirs.set_fewshot_seed(1234)
    ours, theirs = requests(task), requests(theirs)
    assert len(ours) == len(theirs) >= 12
    different = [(mine, other) for mine, other in zip(ours, theirs, strict=True) if mine != other]
    assert all(other[0].count(last_turn(other[0])) == 2 for _, other in different)
    assert all(mine[1] == other[1] for mine, other in different)
    assert bool(different) == (name in SHOTS_FROM_TEST)


def last_turn(context):
    """The evaluated document's own part of a prompt."""
    return context.rsplit("\n\n", 1)[-1]


@pytest.mark.parametrize("task", TASKS)
def test_no_document_is_among_its_own_shots(task):
    """Its answer would stand in its prompt."""
    for context, *_ in requests(load(task)[task]):
        assert context.count(last_turn(context)) == 1


def test_the_strict_template_engine_is_the_one_of_the_harness():
    """The comparison with published templates would not see a missing column otherwise."""
    from lm_eval.utils import env

    assert env.undefined is StrictUndefined


# Scores


def test_npm_of_each_task_comes_from_its_preferred_metric(suite):
    """100 x (score - chance) / (100 - chance), by the paper's own table, and the stderr alike."""
    for task, (metric, chance) in PUBLISHED.items():
        value, stderr = score(suite, task, metric)
        npm, npm_stderr = score(suite, task, "npm")
        assert npm == pytest.approx(100 * (100 * value - chance) / (100 - chance))
        assert npm_stderr == pytest.approx(100 * 100 * stderr / (100 - chance))


@pytest.mark.parametrize("group", ["tucano2_easy", "tucano2_hard", "tucano2_suite"])
def test_npm_of_a_group_is_the_mean_of_its_tasks(suite, group):
    """Unweighted, whatever the sizes; the stderr is the root of the summed squares over their number."""
    parts = [score(suite, task, "npm") for task in GROUPS[group]]
    npm, stderr = score(suite, group, "npm")
    assert len({npm for npm, _ in parts}) > 1
    assert npm == pytest.approx(sum(value for value, _ in parts) / len(parts))
    assert stderr == pytest.approx(sum(error**2 for _, error in parts) ** 0.5 / len(parts))
    assert suite["groups"][group]["npm,none"] == npm


def test_the_table_of_groups_shows_npm_with_its_stderr(suite):
    """What `lm_eval` prints after a run."""
    table = make_table(suite, "groups")
    for name, group in (
        ("Tucano 2 ", "suite"),
        ("Tucano 2, easy set", "easy"),
        ("Tucano 2, hard set", "hard"),
    ):
        (line,) = [line for line in table.splitlines() if name in line]
        npm, stderr = score(suite, f"tucano2_{group}", "npm")
        assert "|npm   |" in line
        assert f"{npm:.4f}" in line
        assert f"{stderr:.4f}" in line


@pytest.mark.skipif(os.environ.get("LM_EVAL_IFEVAL_PT_HOOK") == "0", reason="the hook is off, which sets this arrow")
def test_every_row_of_the_table_has_an_arrow(suite):
    """Up where more is better and down where less is, in the first row too, whose group holds groups alone."""
    for column in ("results", "groups"):
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in make_table(suite, column).splitlines()[2:]]
        assert rows[0][0] == "Tucano 2"
        down = {"perplexity", "invalid", "annulled", "fewer_shots"}
        assert {(row[4], row[5]) for row in rows} <= {(row[4], "↓" if row[4] in down else "↑") for row in rows}


def test_annulled_rows_are_counted_in_the_output(suite):
    """The sample of ENEM holds one, as the real data set does."""
    counts = {task: suite["results"][task]["annulled,none"] for task in ("enem", "bluex", "oab_exams")}
    assert counts == {"enem": 1, "bluex": 0, "oab_exams": 0}
    assert suite["n-samples"]["enem"] == {"original": 9, "effective": 9}


def test_the_result_file_carries_the_baselines(suite):
    """As JSON, the way the harness writes it."""
    text = json.dumps(suite["configs"], default=handle_non_serializable)
    configs = json.loads(text)
    assert {task: configs[task]["metadata"]["npm"]["random"] * 100 for task in PUBLISHED} == {
        task: pytest.approx(chance) for task, (_, chance) in PUBLISHED.items()
    }


def test_samples_log_the_letter_and_the_document(suite):
    """One line per document, with what the model wrote, the letter read and the id of the question."""
    logged = suite["samples"]["oab_exams"]
    assert [sample["doc"]["id"] for sample in logged[:2]] == ["2010-02_7", "2010-02_40"]
    for sample in logged:
        ((response,),) = sample["resps"]
        expected = {"não sei": "[invalid]", "E": "[invalid]"}.get(response) or re.search("[A-D]", response)[0]
        assert sample["filtered_resps"] == [expected]
        assert sample["acc"] == (expected == sample["doc"]["answerKey"])


@pytest.mark.slow
@pytest.mark.parametrize("names", [["tucano2_easy"], ["arc_challenge_poly_pt"], ["tucano2_suite_cf"]])
def test_a_task_scores_the_same_wherever_it_is_asked_for(suite, names):
    """Within nested groups, in one of them, by itself."""
    alone = evaluate(*names)
    for metric in ("acc", "acc_norm", "npm"):
        assert score(alone, "arc_challenge_poly_pt", metric) == score(suite, "arc_challenge_poly_pt", metric)


@pytest.mark.slow
def test_a_group_of_ones_own_takes_tasks_of_the_suite(suite, tmp_path):
    """Picked by name, and with the same scores."""
    (tmp_path / "mine.yaml").write_text("group: mine\ntask: [oab_exams, calame_pt]\n", encoding="utf-8")
    manager = TaskManager(include_path=[str(bundled("tasks")), str(tmp_path)], include_defaults=False)
    results = evaluate("mine", task_manager=manager)
    assert score(results, "oab_exams", "npm") == score(suite, "oab_exams", "npm")
    assert score(results, "calame_pt", "perplexity") == score(suite, "calame_pt", "perplexity")


@pytest.mark.slow
@pytest.mark.parametrize("group", ["tucano2_suite_cf", "tucano2_suite_mcf"])
def test_both_formats_run_on_the_same_rows(group, caplog):
    """Each is the mean of its tasks; the annulled row of ENEM has no key and leaves both, which is said once."""
    results = evaluate(group)
    said = [message for message in caplog.messages if "valid key" in message]
    assert said == ["enem_challenge, split train: 1 of 12 rows have no valid key and are left out"]
    parts = [score(results, task, "npm")[0] for task in GROUPS[group]]
    assert score(results, group, "npm")[0] == pytest.approx(sum(parts) / len(parts))
    enem = next(task for task in GROUPS[group] if task.startswith("enem"))
    assert results["n-samples"][enem]["original"] == 8


@pytest.mark.slow
@pytest.mark.parametrize("shots", [0, 1, 5])
def test_any_number_of_shots_can_be_asked_for(shots):
    """Beyond the three of the exam protocol, further rows serve, never the evaluated one."""
    results = evaluate("tucano2_suite", num_fewshot=shots, limit=3)
    assert set(results["n-shot"].values()) == {shots}
    for sample in results["samples"]["enem"]:
        context = sample["arguments"][0][0]
        assert context.count("Pergunta:\n") == shots + 1
        assert context.count(sample["doc"]["query"]) == 1
        assert "ANULADO" not in context


@pytest.mark.slow
def test_a_limit_keeps_the_first_documents_and_their_prompts(suite):
    """So a score on 4 documents is the score of the same 4 in the whole run."""
    few = evaluate("tucano2_suite", limit=4)
    for task in SUITE:
        assert [sample["arguments"] for sample in few["samples"][task]] == [
            sample["arguments"] for sample in suite["samples"][task][:4]
        ]


def test_the_suite_can_be_asked_for_together_with_ifeval_pt():
    """The harness refuses a task that is named twice; the suite does not hold it."""
    loaded = MANAGER.load(["ifeval_pt", "tucano2_suite"])
    assert set(loaded["tasks"]) == {"ifeval_pt", *SUITE}


# A real model


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    """The folder of a Llama with random weights, one token per byte, and a chat template."""
    import tokenizers
    import torch
    import transformers

    folder = tmp_path_factory.mktemp("llama")
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    bpe = tokenizers.Tokenizer(
        tokenizers.models.BPE({letter: i for i, letter in enumerate(["</s>", *letters])}, [])
    )
    bpe.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = tokenizers.decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=bpe, bos_token="</s>", eos_token="</s>")
    tokenizer.chat_template = (
        "{% for message in messages %}<{{message.role}}>{{message.content}}{% endfor %}"
        "{% if add_generation_prompt %}<assistant>{% endif %}"
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=8192,
        bos_token_id=0,
        eos_token_id=0,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_a_chat_template_keeps_shots_and_question(llama):
    """Description as system turn, shots as turns of their own, options without the blank of the delimiter."""
    results = lm_eval.simple_evaluate(
        model="hf",
        model_args={"pretrained": str(llama), "device": "cpu", "max_length": 8192},
        gen_kwargs={"max_gen_toks": 8},
        batch_size=4,
        tasks=["tucano2_suite"],
        task_manager=MANAGER,
        limit=2,
        apply_chat_template=True,
        fewshot_as_multiturn=True,
        bootstrap_iters=0,
    )
    assert set(results["results"]) == {*SUITE, "tucano2_easy", "tucano2_hard", "tucano2_suite"}
    enem = results["samples"]["enem"][0]["arguments"][0][0]
    assert enem.startswith("<system>As perguntas a seguir")
    assert enem.count("<user>Pergunta:\n") == 4
    assert enem.count("<assistant>") == 4
    assert "Resposta correta:<assistant>C<user>" in enem
    arc = results["samples"]["arc_challenge_poly_pt"][0]["arguments"]
    assert [continuation for _, continuation in arc] == [
        continuation[1:] for continuation in FIRST["arc_challenge_poly_pt"][1]
    ]


@pytest.mark.slow
def test_the_command_line_runs_the_suite_offline(llama, tmp_path):
    """From the folder of samples: the table, the result file, and one sample file per task."""
    command = (
        f"-m lm_eval --model hf --model_args pretrained={llama} --device cpu --batch_size 4 --limit 2 "
        f"--gen_kwargs max_gen_toks=8 --tasks tucano2_suite --include_path {bundled('tasks')} "
        f"--output_path {tmp_path} --log_samples"
    )
    settings = {
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_CACHE": str(tmp_path / "cache"),
        "PYTHONPATH": str(Path(lm_eval_ifeval_pt.__file__).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, *command.split()],
        cwd=SAMPLES,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert re.search(r"\|Tucano 2 +\| +1\|none +\| +\|npm +\|", done.stdout)
    (file,) = tmp_path.rglob("results_*.json")
    results = json.loads(file.read_text(encoding="utf-8"))
    assert set(results["groups"]) == {"tucano2_suite", "tucano2_easy", "tucano2_hard"}
    assert results["configs"]["bluex"]["metadata"]["npm"]["random"] == 0.225
    assert len(list(tmp_path.rglob("samples_*.jsonl"))) == len(SUITE)


# Real rows


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory for rows in place of the samples, and a cache that knows neither."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    return tmp_path


def put(folder, hub_id, split, rows):
    """Rows where a definition finds them."""
    (folder / hub_id).mkdir(parents=True, exist_ok=True)
    shutil.copy(SAMPLES / hub_id / "README.md", folder / hub_id)
    (path,) = (
        folder / hub_id / file.relative_to(SAMPLES / hub_id) for file in (SAMPLES / hub_id).rglob(split)
    )
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


@pytest.mark.slow
def test_an_ending_that_cleans_to_nothing_does_not_stop_a_run(folder, llama):
    """With a chat template no blank stands before it, and the harness's model refuses a continuation of no tokens."""
    file = SAMPLES / "Polygl0t/Hellaswag-poly/pt/validation.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    rows[1]["endings"][1] = "[header]"
    put(folder, "Polygl0t/Hellaswag-poly", "validation.jsonl", rows)
    results = lm_eval.simple_evaluate(
        model="hf",
        model_args={"pretrained": str(llama), "device": "cpu"},
        tasks=["hellaswag_poly_pt"],
        task_manager=MANAGER,
        limit=2,
        apply_chat_template=True,
        bootstrap_iters=0,
    )
    sample = results["samples"]["hellaswag_poly_pt"][1]
    assert sample["doc"]["options"][1] == ""
    assert sample["arguments"][1][1] == " "


@needs_gold
@pytest.mark.parametrize(
    ("name", "hub_id", "file", "rows", "scored", "shots"),
    [
        (
            "oab_exams",
            "eduagarcia/oab_exams",
            "oab_exams",
            200,
            185,
            ["2010-01_1", "2010-01_11", "2010-01_13"],
        ),
        ("enem", "eduagarcia/enem_challenge", "enem_challenge", 118, 115, ["2022_21", "2022_88", "2022_143"]),
    ],
)
def test_real_exam_rows(name, hub_id, file, rows, scored, shots, folder):
    """All listed rows leave, and the three fixed shots open every prompt, in all three formats."""
    real = list(gold_rows(f"bench/{file}.jsonl"))
    assert len(real) == rows
    put(folder, hub_id, "train.jsonl", real)
    by_id = {row["id"]: row for row in real}
    expected = [f"{by_id[id]['question']}\nAlternativas:\n" for id in shots]
    for task in load(name, f"{name}_mcf", f"{name}_cf").values():
        contexts = dict.fromkeys(context for context, *_ in requests(task))
        assert len(contexts) == scored
        if not task.task_name.endswith("_cf"):
            places = [[context.find(shot) for shot in expected] for context in contexts]
            assert all(-1 < first < second < third for first, second, third in places)


@needs_gold
def test_real_arc_shaped_rows(folder):
    """Portuguese EXAMS questions in the schema of ARC, in both formats: none is dropped, none sees itself."""
    for split, file in (("train", "_train"), ("validation", ""), ("test", "")):
        rows = gold_rows(f"bench/arc_challenge_poly_pt{file}.jsonl")
        put(folder, "Polygl0t/ARC-poly", f"{split}.jsonl", rows)
    for task in load("arc_challenge_poly_pt", "arc_challenge_poly_pt_mcf").values():
        contexts = {context for context, _ in requests(task)}
        assert len(contexts) == 184
        assert all(context.count("Question: ") == 6 for context in contexts)


# Processes, and windows that are too small


def by_place(task, **settings):
    """The context and continuation of every request, by the place of its row."""
    task.set_fewshot_seed(1234)
    task.build_all_requests(**settings)
    found = {}
    for instance in task.instances:
        found.setdefault(instance.doc_id, []).append(instance.args)
    return found


@pytest.mark.parametrize("task", [*TASKS, "gsm8k_pt"])
def test_shots_do_not_depend_on_the_process(task):
    """Two processes ask what one asks, row by row (accelerate), as does a run of chosen rows (--samples)."""
    whole = by_place(load(task)[task])
    halves = [by_place(load(task)[task], rank=rank, world_size=2) for rank in (0, 1)]
    assert halves[0] | halves[1] == whole
    assert all(halves)
    places = [len(whole) - 1, len(whole) // 2]
    chosen = by_place(load(task)[task], samples=places)
    assert list(chosen.values()) == [whole[place] for place in sorted({*places})]


def test_a_task_asks_the_same_again():
    """Requests that are built twice are the same: the draws start anew."""
    task = load("arc_challenge_poly_pt")["arc_challenge_poly_pt"]
    assert by_place(task, limit=5) == by_place(task, limit=5)


def fitting(name, llama, max_length, **settings):
    """A task that knows the model it is for, and what it logs of its prompts."""
    metadata = {"pretrained": str(llama), "max_length": max_length}
    manager = TaskManager(include_path=str(bundled("tasks")), include_defaults=False, metadata=metadata)
    task = manager.load([name])["tasks"][name]
    task.set_fewshot_seed(1234)
    task.build_all_requests(**settings)
    return task


@pytest.mark.parametrize("name", ["enem", "bluex", "oab_exams"])
def test_what_does_not_fit_loses_its_last_shots(name, llama, caplog):
    """One token a byte, room for the answer: description, question and the first shots stay whole; it is counted."""
    whole = by_place(load(name)[name])
    task = fitting(name, llama, 1300)
    new = task.config.generation_kwargs["max_gen_toks"]
    fewer = 0
    for place, instances in enumerate(task.instances):
        context = instances.args[0]
        ((original, _),) = whole[place]
        *shots, question = original.removeprefix(task.config.description).split("\n\n")
        kept = [task.config.description + "\n\n".join([*shots[:count], question]) for count in range(4)]
        assert context == max((text for text in kept if len(text.encode()) + new <= 1300), key=len, default=kept[0])
        fewer += context != original
    assert fewer
    assert f"{name}: {fewer} prompts do not fit the model's 1300 tokens and have fewer than 3 shots" in caplog.text


@pytest.mark.parametrize(("name", "window"), [("enem_cf", 450), ("enem_mcf", 700)])
def test_options_need_room_too(name, window, llama):
    """Of the formats by log-likelihood, prompt and longest option fit, with one token more than the window."""
    task = fitting(name, llama, window)
    for instance in task.instances:
        context, option = instance.args
        assert len((context + option).encode()) <= window + 1 or context.count("Pergunta:\n") == 1
    assert any(instance.args[0].count("Pergunta:\n") in (2, 3) for instance in task.instances)


def test_a_window_that_is_wide_enough_changes_nothing(llama):
    """Of 8,192 tokens, or of none that is known."""
    assert [instance.args for instance in fitting("enem", llama, None).instances] == requests(load("enem")["enem"])


@pytest.mark.slow
def test_prompts_with_fewer_shots_are_counted_in_the_results(llama):
    """By the harness's own run: a row of the table where there are any, and none otherwise."""

    def run(max_length):
        arguments = {"pretrained": str(llama), "device": "cpu", "max_length": max_length}
        results = lm_eval.simple_evaluate(
            model="hf",
            model_args=arguments,
            tasks=["enem"],
            task_manager=TaskManager(include_path=str(bundled("tasks")), include_defaults=False, metadata=arguments),
            gen_kwargs={"max_gen_toks": 8},
            limit=4,
            bootstrap_iters=0,
        )
        return results["results"]["enem"]

    assert run(700)["fewer_shots,none"] == 4
    assert "fewer_shots,none" not in run(8192)


def test_a_model_that_cannot_be_read_is_said_and_changes_nothing(tmp_path, caplog):
    """The run will fail with its own message, if it does."""
    assert [instance.args for instance in fitting("enem", tmp_path, None, limit=3).instances] == requests(
        load("enem")["enem"], limit=3
    )
    assert "whether prompts fit the model cannot be told" in caplog.text
