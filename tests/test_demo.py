"""The demonstration: its grammar and corpus, a short training, and the commands it runs."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from lm_eval_ifeval_pt import demo, verify
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.corpus import dialogues as corpus
from lm_eval_ifeval_pt.corpus import grammar
from lm_eval_ifeval_pt.demo import commands
from lm_eval_ifeval_pt.demo.recipe import Recipe, Training
from lm_eval_ifeval_pt.paths import bundled

SMALL = Recipe(steps=160, dialogues=2500, vocabulary=1200, width=96, layers=2, batch=12, window=64, rate=8e-3)


@pytest.fixture(scope="module")
def dialogues():
    """A thousand prompts and answers."""
    return list(corpus.dialogues(seed=5, count=1000))


# The grammar


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        *(("lição", "lições"), ("pão", "pães"), ("irmão", "irmãos"), ("papel", "papéis"), ("azul", "azuis")),
        *(("reciclável", "recicláveis"), ("difícil", "difíceis"), ("trem", "trens"), ("flor", "flores")),
        *(("eficaz", "eficazes"), ("camponês", "camponeses"), ("simples", "simples"), ("rosa", "rosas")),
    ],
)
def test_plurals(singular, plural):
    """The plurals that a school grammar gives."""
    assert grammar.pluralise(singular) == plural


@pytest.mark.parametrize(
    ("infinitive", "tense", "forms"),
    [
        ("tocar", "past", ("toquei", "tocou", "tocamos", "tocaram")),
        ("pagar", "past", ("paguei", "pagou", "pagamos", "pagaram")),
        ("dançar", "past", ("dancei", "dançou", "dançamos", "dançaram")),
        ("oferecer", "present", ("ofereço", "oferece", "oferecemos", "oferecem")),
        ("corrigir", "present", ("corrijo", "corrige", "corrigimos", "corrigem")),
        ("ler", "present", ("leio", "lê", "lemos", "leem")),
        ("cobrir", "present", ("cubro", "cobre", "cobrimos", "cobrem")),
        ("vender", "future", ("venderei", "venderá", "venderemos", "venderão")),
        ("fazer", "future", ("farei", "fará", "faremos", "farão")),
    ],
)
def test_verbs_are_conjugated(infinitive, tense, forms):
    """Endings, spelling changes and irregular forms, as in a conjugation table."""
    assert tuple(grammar.conjugate(infinitive, tense, person) for person in ("eu", "ele", "nós", "eles")) == forms


def test_imperatives():
    """The subjunctive's third person, its spelling included."""
    verbs = ("ligar", "proteger", "conhecer", "imprimir", "ler")
    assert [grammar.conjugate(verb, "imperative", "ele") for verb in verbs] == [
        *("ligue", "proteja", "conheça", "imprima", "leia"),
    ]


def test_pronouns_stand_behind_and_inside_verbs():
    """-lo after infinitives, -no after nasals, and the mesóclise with its accent."""
    assert grammar.enclitic("guardar", "o") == "guardá-lo"
    assert grammar.enclitic("corrigir", "as") == "corrigi-las"
    assert grammar.enclitic("leram", "os") == "leram-nos"
    assert grammar.enclitic("levou", "a") == "levou-a"
    assert grammar.mesoclitic("ler", "o", "nós") == "lê-lo-emos"


def test_contractions():
    """a + a = à; only articles contract."""
    pairs = (("a", "a escola"), ("em", "o campo"), ("de", "as ruas"), ("a", "um lago"))
    assert [grammar.contract(*pair) for pair in pairs] == ["à escola", "no campo", "das ruas", "a um lago"]


# The corpus


def test_the_corpus_is_reproducible_and_varied(dialogues):
    """One seed, one corpus; most sentences occur once."""
    assert dialogues == list(corpus.dialogues(seed=5, count=1000))
    assert dialogues != list(corpus.dialogues(seed=6, count=1000))
    sentences = [sentence for _, answer in dialogues for sentence in answer.split(". ")]
    assert len(set(sentences)) > 0.9 * len(sentences)


@pytest.mark.parametrize(
    ("request_", "constraint", "kwargs"),
    [
        ("próclise", "ptbr:proclise", {}),
        ("ênclise", "ptbr:enclise", {}),
        ("mesóclise", "ptbr:mesoclise", {}),
        ("(precisa de uma|Empregue a|Inclua ao menos uma) crase", "ptbr:crase", {}),
        ("(Evite a|sem|Não empregue a) crase", "ptbr:sem_crase", {}),
        ("minúsculas|maiúscula", "change_case:lowercase", {}),
        ("duas frases", "length_constraints:number_sentences", {"relation": "exactly", "num_sentences": 2}),
        ("quatro frases", "length_constraints:number_sentences", {"relation": "exactly", "num_sentences": 4}),
    ],
)
def test_answers_obey_the_requests(dialogues, request_, constraint, kwargs):
    """The verifiers, which know nothing of the grammar, agree with it."""
    answers = [answer for prompt, answer in dialogues if re.search(request_, prompt)]
    assert len(answers) > 10
    broken = [answer for answer in answers if not verify(constraint, answer, **kwargs).followed]
    assert not broken


def test_the_prompts_are_not_the_benchmarks(dialogues):
    """Neither base tasks nor wordings of the rows are trained on."""
    rows = (bundled("data") / "ifeval_pt" / "ifeval_pt_input_data.jsonl").read_text(encoding="utf-8").splitlines()
    theirs = {part for row in rows for part in re.split(r"(?<=[.?!]) ", json.loads(row)["prompt"])}
    ours = {part for prompt, _ in dialogues for part in re.split(r"(?<=[.?!]) ", prompt)}
    assert not ours & theirs


# The training


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A short training on one thread: its folder, its record, and the loss of each step."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from lm_eval_ifeval_pt.demo.training import train

    folder, losses = tmp_path_factory.mktemp("demo") / "checkpoints", []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    record = train(folder, SMALL, lambda step, loss: losses.append(loss))
    torch.set_num_threads(threads)
    return folder, record, losses


@pytest.mark.slow
def test_the_loss_falls(trained):
    """From that of a uniform guess (ln 1200 = 7.1 nats) to less than half."""
    _, _, losses = trained
    assert len(losses) == SMALL.steps
    assert sum(losses[:3]) / 3 > 6.5
    assert sum(losses[-5:]) / 5 < 3.5


@pytest.mark.slow
def test_the_model_learns_word_order(trained):
    """Held-out sentences are told from ones with two words swapped (chance .25), and better than early on."""
    _, record, _ = trained
    first, last = record.checkpoints[0], record.checkpoints[-1]
    assert last.order > 0.8
    assert last.order > first.order + 0.1
    assert last.loss < first.loss


@pytest.mark.slow
def test_a_sentence_is_likelier_than_its_shuffle(trained):
    """By the saved checkpoint itself, on a sentence written by hand."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from lm_eval_ifeval_pt.demo.probes import log_likelihoods

    last = trained[0] / "step_160"
    model, tokenizer = AutoModelForCausalLM.from_pretrained(last), AutoTokenizer.from_pretrained(last)
    right, *shuffled = log_likelihoods(
        model,
        tokenizer,
        [
            "As alunas leram o livro na escola.",
            "Escola na livro o leram alunas as.",
            "O as livro na leram escola alunas.",
        ],
    )
    assert right > max(shuffled)


@pytest.mark.slow
def test_the_checkpoints_are_complete(trained):
    """Four folders and the record; each loads alone, ends and pads, and renders chats as it was trained."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, record, _ = trained
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted(["training.json", *(f"step_{step}" for step in (5, 16, 48, 160))])
    assert Training.read(folder) == record
    for step in (5, 160):
        model = AutoModelForCausalLM.from_pretrained(folder / f"step_{step}")
        tokenizer = AutoTokenizer.from_pretrained(folder / f"step_{step}")
        assert model.config.eos_token_id == tokenizer.eos_token_id != tokenizer.pad_token_id
        assert model.num_parameters() == record.parameters
        chat = [
            {"role": "user", "content": "Fale sobre os rios."},
            {"role": "assistant", "content": "São belos."},
        ]
        assert tokenizer.apply_chat_template(chat, tokenize=False) == "Fale sobre os rios.\nSão belos.<|fim|>"
        assert tokenizer.decode(tokenizer("Ação à toa: 你好!").input_ids) == "Ação à toa: 你好!"


@pytest.mark.slow
def test_the_model_writes_portuguese_and_stops(trained, dialogues):
    """Its answer is made of the corpus's words, for the most part, and ends."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    last = trained[0] / "step_160"
    model, tokenizer = AutoModelForCausalLM.from_pretrained(last), AutoTokenizer.from_pretrained(last)
    prompt = tokenizer("Conte uma história curta sobre as alunas.\n", return_tensors="pt")
    tokens = model.generate(**prompt, max_new_tokens=200, do_sample=False)[0][prompt.input_ids.shape[1] :]
    answer = tokenizer.decode(tokens, skip_special_tokens=True)
    words = re.findall(r"\w+", answer.lower())
    known = {word for _, text in dialogues for word in re.findall(r"\w+", text.lower())}
    assert len(words) >= 3
    assert sum(word in known for word in words) > 0.7 * len(words)
    assert tokens[-1] == tokenizer.eos_token_id


@pytest.mark.slow
def test_an_interrupted_training_leaves_nothing(tmp_path):
    """Ctrl-C in the middle: no half-written checkpoint, no scratch folder."""
    pytest.importorskip("torch")
    from lm_eval_ifeval_pt.demo.training import train

    def interrupt(step, loss):
        if step == 2:
            raise KeyboardInterrupt

    tiny = Recipe(steps=3, dialogues=50, vocabulary=300, width=16, layers=1, batch=2)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "demo" / "checkpoints", tiny, interrupt)
    assert list((tmp_path / "demo").iterdir()) == []


# The command


@pytest.fixture
def called(monkeypatch):
    """The commands that the demo would run."""
    calls = []
    monkeypatch.setattr(commands, "call", lambda command, folder=None: calls.append(command))
    return calls


@pytest.mark.slow
def test_the_demo_evaluates_the_last_checkpoint_and_says_how(trained, called, capsys):
    """A finished training is used again; what is shown is what is run."""
    out = trained[0].parent
    demo.run(out, None, Console(width=100))
    shown = capsys.readouterr().out
    evaluate, table, suite = called
    assert f"$ {' '.join(evaluate)}\n" in shown
    assert f"$ {' '.join(table)}\n" in shown
    assert f"data/samples && HF_HUB_OFFLINE=1 {' '.join(suite)}\n" in shown
    assert "is used again" in shown
    assert evaluate[:7] == [
        *(
            "lm_eval",
            "--tasks",
            "ifeval_pt",
            "--model",
            "hf",
            "--model_args",
            f"pretrained={out}/checkpoints/step_160",
        )
    ]
    assert f"pretrained={out}/checkpoints/step_5 " in shown.partition("Try next")[2]


@pytest.mark.slow
def test_a_folder_that_holds_something_else_is_left_alone(trained, called, tmp_path):
    """Another training, or no training at all: an error that names the way out, and nothing written."""
    with pytest.raises(demo.DemoError, match="another training, of 160 steps; choose another --out"):
        demo.run(trained[0].parent, Recipe(steps=71), Console())
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "mine.txt").write_text("keep")
    with pytest.raises(demo.DemoError, match="choose another --out"):
        demo.run(tmp_path, None, Console())
    assert [path.name for path in tmp_path.rglob("*.*")] == ["mine.txt"]
    assert called == []


def test_a_folder_that_the_harness_cannot_name_is_refused(called, tmp_path):
    """Commas part --model_args: said before a minute is spent on training."""
    with pytest.raises(demo.DemoError, match="comma"):
        demo.run(tmp_path / "a,b", None, Console())
    assert not list(tmp_path.iterdir())


def test_a_failing_command_is_told(monkeypatch):
    """Its exit status and itself, as typed."""
    monkeypatch.setattr(shutil, "which", lambda name, path=None: sys.executable)
    with pytest.raises(demo.DemoError, match="exit status 3 of: lm_eval -c "):
        commands.call(["lm_eval", "-c", "import sys; sys.exit(3)"])


def test_without_scripts_the_modules_are_run(monkeypatch, capfd):
    """Where no lm-eval-pt was installed beside Python, `python -m` does the same."""
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    commands.call(["lm-eval-pt", "tasks-dir"])
    assert capfd.readouterr().out.strip().endswith("tasks")


def test_without_torch_the_demo_says_what_to_install(monkeypatch, tmp_path):
    """One line with the pip command, no traceback."""
    monkeypatch.setitem(sys.modules, "torch", None)
    result = CliRunner().invoke(main, ["demo", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "pip install 'lm_eval_ifeval_pt[hf]'" in result.output
    assert isinstance(result.exception, SystemExit)


@pytest.mark.slow
def test_the_whole_demo(tmp_path):
    """As a person runs it, with fewer steps: agreement is learnt, and both tables are shown."""
    command = shutil.which("lm-eval-pt", path=sysconfig.get_path("scripts"))
    if command is None:
        pytest.skip("this package is not installed here")
    done = subprocess.run(
        [command, "demo", "--out", "d", "--quick"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "|ifeval_pt|" in done.stdout
    assert "ptbr:mesoclise" in done.stdout.partition("Which restrictions")[2]
    first, *_, last = Training.read(tmp_path / "d" / "checkpoints").checkpoints
    assert "|Tucano 2 " in done.stdout
    assert last.order > 0.9
    assert last.agreement > first.agreement
    (samples,) = Path(tmp_path, "d", "results").rglob("samples_ifeval_pt_*.jsonl")
    assert len(samples.read_text(encoding="utf-8").splitlines()) == 308
