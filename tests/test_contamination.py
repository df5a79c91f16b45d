"""Contamination: copies of items in a corpus are found, nothing else is, and an interrupted scan goes on."""

from __future__ import annotations

import gzip
import json
import math
import os
import random
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import hypothesis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_ifeval_pt.analysis.contaminated import difference
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.contamination import corpus, evidence, findings, folding, index, matching, parts, scan
from lm_eval_ifeval_pt.contamination.corpus import CorpusError, Read
from lm_eval_ifeval_pt.contamination.parts import Part
from lm_eval_ifeval_pt.contamination.scan import ScanSettings
from lm_eval_ifeval_pt.corpus import dialogues
from lm_eval_ifeval_pt.text import Text

needs_numba = pytest.mark.skipif(
    not __import__("importlib").util.find_spec("numba"), reason="numba is not installed (extra: contamination)"
)
COMPILED = [False, pytest.param(True, marks=needs_numba)]

QUESTION = "Em que cidade o poeta que escreveu sobre o rio e a pedra passou os últimos anos da vida?"
OTHER = "Quantos quilos de farinha a padaria da esquina usa por semana para assar todos os pães?"


def items(*texts: str) -> list[Part]:
    """Questions of one task."""
    return [Part("task", number, "question", text) for number, text in enumerate(texts)]


def found(texts: list[str], documents: list[str], compiled: bool = False, **settings: bool) -> list[findings.Seen]:
    """What a scan of one file of documents finds of some questions."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "corpus.jsonl"
        file.write_text("\n".join(json.dumps({"text": text}) for text in documents), encoding="utf-8")
        return run_scan(folder / "out", [file], items(*texts), ScanSettings(**settings), compiled=compiled).parts


def run_scan(output: Path, files: list[Path], wanted: list[Part], settings: ScanSettings, **options: object):
    """A whole scan, in small pieces."""
    findings.prepare(output, index.build(wanted), wanted, settings, [str(file) for file in files])
    pieces = [piece for file in files for piece in corpus.pieces(file, piece_bytes=20_000)]
    scan.scan(output, pieces, settings, **{"workers": 1, **options})
    return findings.merge(output, wanted, pieces, settings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("À feira, vê-lo-á!", ["a", "feira", "ve", "lo", "a"]),
        ("a\u0300 ﬁm Ç 7.º", ["a", "fim", "c", "7", "o"]),
        ("pão\u00adzinho \u200bsó", ["paozinho", "so"]),
        ("Straße ½ snake_case", ["strasse", "1", "2", "snake", "case"]),
    ],
)
def test_folding(text, words):
    """Case, accents, punctuation, compatibility forms and invisible characters do not tell words apart."""
    assert folding.words(text) == words


def test_words_are_the_projects_words_cut_at_their_inner_marks():
    """On the bundled prompts, folding the words of `Text` one by one gives the same."""
    from lm_eval_ifeval_pt.paths import bundled

    rows = (bundled("data") / "ifeval_pt" / "ifeval_pt_input_data.jsonl").read_text(encoding="utf-8").splitlines()
    for row in rows:
        prompt = json.loads(row)["prompt"]
        text = Text(prompt)
        ours = [word for start, end in text.words for word in folding.words(str(text)[start:end])]
        assert ours == folding.words(prompt)


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize(
    "copy",
    [
        str,
        str.upper,
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)),
        lambda text: text.replace(" ", "\u00a0—\n"),
        lambda text: "\u200b".join(text),
    ],
    ids=["as it is", "capitals", "NFD", "no accents", "dashes", "zero-width"],
)
def test_a_copy_is_seen_whole(copy, compiled):
    """A copy in the middle of a document is seen with all its words, whatever became of case, accents and blanks."""
    (part, other) = found([QUESTION, OTHER], ["Nada aqui.", f"Antes disso. {copy(QUESTION)} Depois."], compiled)
    assert (part.share, part.best, part.longest, part.row, part.documents) == (1.0, 1.0, 19, 2, 1)
    assert (other.share, other.documents, other.path) == (0.0, 0, "")


@pytest.mark.parametrize("compiled", COMPILED)
def test_half_a_copy_is_seen_by_half(compiled):
    """The first 9 of 19 words are two runs of eight, which cover nine words."""
    half = " ".join(QUESTION.split()[:9])
    (part,) = found([QUESTION], [half], compiled)
    assert part.share == pytest.approx(9 / 19)
    assert part.longest == 9


def test_runs_do_not_cross_documents():
    """Seven words that end one document and one that begins the next are no run."""
    words = QUESTION.split()
    (part,) = found([QUESTION], [" ".join(words[:7]), " ".join(words[7:14])])
    assert part.documents == 0


def test_a_short_question_is_looked_for_whole():
    """"Explique o que é reciclagem" has five words, all of which must stand in order; three words are not sought."""
    (part, short) = found(["Explique o que é reciclagem.", "Quem foi ele?"], ["explique O QUE É: reciclagem, hoje"])
    assert (part.share, part.words) == (1.0, 5)
    assert not short.sought


def test_phrases_that_several_items_share_do_not_count():
    """The instruction of three prompts is theirs together: a document that has only it has seen none of them."""
    instruction = "Use crase pelo menos uma vez na sua resposta, por favor."
    tasks = ["Explique como se faz pão.", "Descreva uma feira livre de domingo.", "Conte o que viu na praia hoje."]
    prompts = [f"{task} {instruction}" for task in tasks]
    parts_seen = found(prompts, [instruction, prompts[1]])
    assert [part.share for part in parts_seen] == [0.0, 1.0, 0.0]


def test_phrases_that_the_corpus_is_full_of_do_not_count():
    """Ten documents have a stem and no more of the question: it is common, and only what follows it is looked for."""
    stem = "Assinale a alternativa correta a respeito do que se afirma"
    question = f"{stem} sobre a reprodução das samambaias em ambiente úmido:"
    (part,) = found([question], [f"{stem} número {number}" for number in range(10)])
    assert part.share == 0.0
    (part,) = found([question], [*(f"{stem} número {number}" for number in range(10)), question])
    assert part.share == 1.0


def test_a_copy_that_is_everywhere_is_still_a_copy():
    """Twenty documents hold the whole question: its runs are common and yet its own."""
    (part,) = found([QUESTION], [QUESTION] * 20)
    assert (part.share, part.documents) == (1.0, 20)


@pytest.mark.parametrize("compiled", COMPILED)
def test_near_copies(compiled):
    """Of 35 words the 5th, 13th and 26th are changed: runs of eight cover 12 + 9 words, `near` counts 32."""
    words = f"{QUESTION} {OTHER}".split()
    words[4], words[12], words[25] = "outro", "outra", "outros"
    (part,) = found([f"{QUESTION} {OTHER}"], [" ".join(words)], compiled, near=True)
    assert part.near == pytest.approx(32 / 35)
    assert part.best == pytest.approx(21 / 35)


@given(st.text(alphabet="ab c", max_size=30), st.text(alphabet="ab c", max_size=30))
def test_common_subsequence_is_the_textbook_one(one, other):
    """The bit-parallel length equals that of the quadratic table."""
    wanted, written = one.split(), other.split()
    row = [0] * (len(written) + 1)
    for word in wanted:
        previous = row[:]
        for column, candidate in enumerate(written, 1):
            row[column] = previous[column - 1] + 1 if word == candidate else max(previous[column], row[column - 1])
    if wanted:
        assert evidence.common_subsequence(wanted, written) == row[-1]


@pytest.mark.slow
@needs_numba
@hypothesis.settings(deadline=None)  # the first call compiles
@given(st.lists(st.text() | st.sampled_from([QUESTION, OTHER, QUESTION.upper(), "½ ﬁ", "a\u0301", "𠀀"]), max_size=6))
def test_both_engines_find_the_same(pieces):
    """Compiled and interpreted passes give equal hits on any Unicode."""
    made = index.build(items(QUESTION, OTHER, "um dois três quatro ½ ﬁ"))
    documents = ["".join(pieces).encode("utf-8", "replace"), " ".join(pieces).encode("utf-8", "replace"), b"\xff\xc3 a"]
    compiled, plain = matching.matcher(made, compiled=True), matching.matcher(made, compiled=False)
    assert compiled(documents[:2]) == plain(documents[:2])
    assert compiled([documents[2]]) == []


@pytest.mark.slow
@needs_numba
def test_every_character_that_stands_for_several_words_counts_as_many_in_both_engines():
    """¼ is "1 4": what follows it is the third word, whichever engine counts."""
    several = [chr(code) for code in range(0x20000) if len(folding.fold_character(chr(code)).split()) > 1]
    assert "¼" in several
    made = index.build(items(QUESTION))
    documents = [f"{character} {QUESTION}".encode() for character in several]
    compiled = matching.matcher(made, compiled=True)(documents)
    assert compiled == matching.matcher(made, compiled=False)(documents)
    first = {hit.document: hit.word for hit in reversed(compiled)}
    assert [first[number] for number in range(len(several))] == [len(folding.words(character)) for character in several]


def test_a_hash_that_collides_is_no_hit():
    """A run whose hash is in the index but whose words are others is turned down on its text."""
    made = index.build(items(QUESTION))
    raw = OTHER.encode()
    hit = matching.Hit(0, 0, 0, 0, len(raw))
    assert matching._confirmed(made, [raw], [hit]) == []
    run, text, word = 3, *made.occurrences[made.starts[3]]
    own = " ".join(made.texts[text][word : word + 8]).encode()
    assert matching._confirmed(made, [own], [matching.Hit(0, run, 0, 0, len(own))])


def test_parts_are_told_apart_by_column():
    """Question, context, options and answer of the usual schemas."""
    doc = {"flores_passage": "P.", "question": "Q?", "mc_answer1": "uma", "mc_answer2": "outra", "query": "P: P. Q?"}
    assert list(parts.split(doc)) == [("question", "Q?"), ("context", "P."), ("options", "uma"), ("options", "outra")]
    doc = {"question": "Q?", "choices": {"text": ["sim", "não"]}, "answerKey": "A", "options": ["A", "B"]}
    assert list(parts.split(doc)) == [("question", "Q?"), ("options", "sim"), ("options", "não")]
    assert list(parts.split({"prompt": "Faça.", "target": "Feito."})) == [("question", "Faça."), ("answer", "Feito.")]


def test_every_kind_of_file_gives_the_same_documents(tmp_path):
    """JSON lines, gzip, zstandard, Parquet and text: the same documents, rows counted from the file's start."""
    zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed (extra: contamination)")
    texts = [f"Documento {number}: {QUESTION}" for number in range(7)]
    lines = "\n".join(json.dumps({"text": text}) for text in texts).encode()
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + lines)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines))
    (tmp_path / "c.jsonl.zst").write_bytes(zstandard.compress(lines))
    pq.write_table(pa.table({"text": texts}), tmp_path / "d.parquet", row_group_size=3)
    (tmp_path / "e.txt").write_text("\n\n".join(texts), encoding="utf-8")
    for path in corpus.files([str(tmp_path)]):
        read, gathered = Read(), []
        for piece in corpus.pieces(path):
            gathered += [document.text.decode().strip() for document in corpus.documents(piece, "text", read)]
        assert gathered == texts, path


def test_byte_ranges_read_each_line_once(tmp_path):
    """Cut anywhere, the pieces of a file give its rows in order, none twice, none lost."""
    rng = random.Random(1)
    rows = ["x" * rng.randrange(1, 90) + str(number) for number in range(300)]
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(json.dumps({"text": row}) for row in rows), encoding="utf-8")
    for size in (1, 7, 64, 1000, 10**6):
        gathered = [
            document.text.decode()
            for piece in corpus.pieces(file, size)
            for document in corpus.documents(piece, "text", Read())
        ]
        assert gathered == rows


def test_rows_are_those_of_the_file(tmp_path):
    """A hit in the third piece of a file names the row of the file, not of the piece."""
    file = tmp_path / "a.jsonl"
    texts = [f"Um texto qualquer de número {number} que não importa." * 20 for number in range(100)]
    texts[77] += QUESTION
    file.write_text("\n".join(json.dumps({"text": text}) for text in texts), encoding="utf-8")
    assert len(corpus.pieces(file, 20_000)) > 3
    (part,) = run_scan(tmp_path / "out", [file], items(QUESTION), ScanSettings()).parts
    assert part.row == 78
    assert texts[77][part.offset :].startswith("Em que cidade")


def test_a_missing_column_is_said_before_anything_is_read(tmp_path):
    """The error names the file, the column, and the columns there are."""
    (tmp_path / "a.jsonl").write_text('{"conteudo": "x"}\n')
    with pytest.raises(CorpusError, match=r"a\.jsonl: no column 'text'; the first row has: conteudo"):
        corpus.trials([tmp_path / "a.jsonl"], "text")
    pq.write_table(pa.table({"text": [1]}), tmp_path / "b.parquet")
    with pytest.raises(CorpusError, match="holds no text but int64"):
        corpus.trials([tmp_path / "b.parquet"], "text")
    (tmp_path / "c.jsonl").write_text('{"text": ""}\n')
    with pytest.raises(CorpusError, match="no text in the column"):
        corpus.trials([tmp_path / "c.jsonl"], "text")
    with pytest.raises(CorpusError, match="no file there"):
        corpus.files([str(tmp_path / "*.zip")])


def test_odd_rows_are_counted_and_broken_files_named(tmp_path):
    """A line that is no JSON, a Windows-1252 line, a row without text and a truncated gzip cost only themselves."""
    good = json.dumps({"text": QUESTION}).encode()
    latin = json.dumps({"text": OTHER}, ensure_ascii=False).encode("cp1252")
    (tmp_path / "a.jsonl").write_bytes(b"\n".join([good, b"{broken", b'{"other": 1}', latin]))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(good * 5000)[:-20])
    files = corpus.files([str(tmp_path)])
    result = run_scan(tmp_path / "out", files, items(QUESTION, OTHER), ScanSettings())
    assert [part.share for part in result.parts] == [1.0, 1.0]
    about = result.about
    assert (about["unreadable"], about["without_text"], about["other_encoding"]) == (1, 1, 1)
    assert len(about["left_out"]) == 1
    assert "b.jsonl.gz: is broken" in about["left_out"][0]


@pytest.mark.slow
def test_a_long_row_costs_linear_time_and_no_memory_of_its_size(tmp_path):
    """One document of many megabytes without a blank, and one of one-letter words, are read like any other."""
    (part,) = found([QUESTION], ["a" * 3_000_000, "a " * 1_000_000 + QUESTION])
    assert part.share == 1.0


def corpus_of(folder: Path, copies: int = 3) -> tuple[list[Path], list[Part]]:
    """Three shards of 200 generated documents, with some copies of a question."""
    texts = [f"{prompt} {answer}" for prompt, answer in dialogues.dialogues(3, 600)]
    wanted = items(QUESTION, OTHER)
    for number in range(copies):
        texts[100 * number + 7] += f" {QUESTION}"
    files = []
    for shard in range(3):
        files.append(folder / f"{shard}.jsonl")
        own = texts[shard * 200 : shard * 200 + 200]
        files[-1].write_text("\n".join(json.dumps({"text": text}) for text in own), encoding="utf-8")
    return files, wanted


def test_an_interrupted_scan_goes_on_and_ends_the_same(tmp_path):
    """Stopped after two pieces and started again: the same files as in one go, and no piece is read twice."""
    files, wanted = corpus_of(tmp_path)
    whole = run_scan(tmp_path / "whole", files, wanted, ScanSettings())
    pieces = [piece for file in files for piece in corpus.pieces(file, 20_000)]

    class Stopped(Exception):
        pass

    done = []

    def stop(one: scan.Done) -> None:
        done.append(one.piece)
        if len(done) == 2:
            raise Stopped

    findings.prepare(tmp_path / "again", index.build(wanted), wanted, ScanSettings(), [])
    with pytest.raises(Stopped):
        scan.scan(tmp_path / "again", pieces, ScanSettings(), workers=1, progress=stop)
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "again" / "pieces").iterdir()}
    assert findings.prepare(tmp_path / "again", index.build(wanted), wanted, ScanSettings(), [])
    scan.scan(tmp_path / "again", pieces, ScanSettings(), workers=1)
    again = findings.merge(tmp_path / "again", wanted, pieces, ScanSettings())
    assert (again.parts, again.hits) == (whole.parts, whole.hits)
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())
    assert findings.read(tmp_path / "again").parts == whole.parts


@pytest.mark.slow
def test_processes_do_not_change_the_result(tmp_path):
    """Two processes find what one does."""
    files, wanted = corpus_of(tmp_path)
    one = run_scan(tmp_path / "one", files, wanted, ScanSettings(), workers=1)
    two = run_scan(tmp_path / "two", files, wanted, ScanSettings(), workers=2)
    assert (one.parts, one.hits) == (two.parts, two.hits)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["local", "slurm"])
def test_datatrove_carries_the_scan(tmp_path, monkeypatch, where, request):
    """Two ranks of datatrove's local or Slurm executor find what the scan itself does, and pass the documents on."""
    pytest.importorskip("datatrove", reason="datatrove is not installed (extra: datatrove)")
    if where == "slurm":
        request.getfixturevalue("answering_slurm")
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader

    from lm_eval_ifeval_pt.contamination.datatrove_step import ContaminationScan, finish, prepare

    (tmp_path / "corpus").mkdir()
    files, wanted = corpus_of(tmp_path / "corpus")
    ours = run_scan(tmp_path / "ours", files, wanted, ScanSettings())
    monkeypatch.setattr(parts, "load", lambda tasks, include, metadata: wanted)
    prepare(tmp_path / "cont", ["task"])
    steps = [JsonlReader(str(tmp_path / "corpus")), ContaminationScan(tmp_path / "cont")]
    if where == "local":
        LocalPipelineExecutor(steps, tasks=2, workers=1, logging_dir=str(tmp_path / "logs")).run()
    else:
        run_on_slurm(steps, tmp_path / "logs", monkeypatch)
    theirs = finish(tmp_path / "cont")
    assert [(part.share, part.row, part.offset, part.documents) for part in theirs.parts] == [
        (part.share, part.row, part.offset, part.documents) for part in ours.parts
    ]
    assert theirs.about["documents"] == 600


def run_on_slurm(steps: list[object], logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ranks of a pipeline as jobs of the Slurm that answers, until both have ended."""
    from datatrove.executor import SlurmPipelineExecutor

    # A further job of datatrove's own that adds up its run times; it asks for more memory than a test's node may have.
    monkeypatch.setattr(SlurmPipelineExecutor, "launch_merge_stats", lambda executor: None)
    executor = SlurmPipelineExecutor(
        steps,
        tasks=2,
        time="00:10:00",
        partition=subprocess.run(
            ["sinfo", "--noheader", "--format=%R"], check=True, capture_output=True, text=True
        ).stdout.split()[0],
        mem_per_cpu_gb=0,
        qos="",
        env_command=f"export PATH={Path(sys.executable).parent}:$PATH",
        logging_dir=str(logs),
    )
    executor.run()
    deadline = time.monotonic() + 300
    while executor.get_incomplete_ranks(skip_completed=True):
        running = subprocess.run(["squeue", "--noheader", "--jobs", executor.job_id], capture_output=True, text=True)
        said = "\n".join(path.read_text() for path in (logs / "slurm_logs").glob("*.out"))
        assert running.stdout.strip() or not executor.get_incomplete_ranks(skip_completed=True), said
        assert time.monotonic() < deadline, said
        time.sleep(1)


class Remembering:
    """A model that gives each text it has read log-likelihood 0 and any other -1 per character."""

    def __init__(self, read: set[str]) -> None:
        self.read = read

    def loglikelihood(self, requests):
        """As the harness asks it."""
        texts = [context + continuation for context, continuation in (request.args for request in requests)]
        spoiled = [0.01 * (len(text) % 7) for text in texts]  # so that differences are not all alike
        return [
            (-noise, True) if text in self.read else (-len(text) - noise, False)
            for text, noise in zip(texts, spoiled, strict=True)
        ]


def test_hints_of_a_model_that_has_read_the_test():
    """The published order of options scores higher in each document, for a model that has read it, and p is small."""
    from lm_eval_ifeval_pt.contamination.hints import hints

    wanted = []
    for number in range(12):
        wanted.append(Part("task", number, "question", f"Pergunta {number}?"))
        wanted += [Part("task", number, "options", f"opção {letter} de {number}") for letter in "abcd"]
    read = {
        f"Pergunta {number}?" + "".join(f"\n- opção {letter} de {number}" for letter in "abcd") for number in range(12)
    }
    by_kind = {hint.kind: hint for hint in hints(Remembering(read), wanted)}
    assert by_kind["options"].n == 12
    assert by_kind["options"].preference > 0.5
    assert by_kind["options"].p_value < 1e-6
    assert by_kind["rows"].n == 2
    assert by_kind["rows"].preference == pytest.approx(0)
    assert "completion" not in by_kind
    rewrites = {f"Pergunta {number}?": f"Questão {number}?" for number in range(12)}
    halves = {f"Pergunta {number}?" for number in range(12)}
    (completion,) = [hint for hint in hints(Remembering(halves), wanted, rewrites) if hint.kind == "completion"]
    assert (completion.n, completion.continued) == (12, 1.0)
    assert completion.preference > 0.5


def test_another_scan_is_not_mixed_with_this_one(tmp_path):
    """A folder with a scan for other items, or with other files, is refused by name of what differs."""
    files, wanted = corpus_of(tmp_path)
    run_scan(tmp_path / "out", files, wanted, ScanSettings())
    with pytest.raises(findings.ContaminationError, match="differs in: fingerprint"):
        findings.prepare(tmp_path / "out", index.build(wanted[:1]), wanted[:1], ScanSettings(), [])
    with pytest.raises(findings.ContaminationError, match="differs in: settings"):
        findings.prepare(tmp_path / "out", index.build(wanted), wanted, ScanSettings(near=True), [])
    with pytest.raises(findings.ContaminationError, match="not empty and holds no scan"):
        findings.prepare(tmp_path, index.build(wanted), wanted, ScanSettings(), [])


def test_findings_hold_no_text_unless_asked_for(tmp_path):
    """What is published has hashes and shares; items and snippets only with `with_text`."""
    files, wanted = corpus_of(tmp_path)
    run_scan(tmp_path / "bare", files, wanted, ScanSettings())
    run_scan(tmp_path / "full", files, wanted, ScanSettings(with_text=True))
    bare = [pq.read_table(tmp_path / "bare" / name).to_pylist() for name in ("items.parquet", "hits.parquet")]
    full = [pq.read_table(tmp_path / "full" / name).to_pylist() for name in ("items.parquet", "hits.parquet")]
    assert "poeta" not in json.dumps(bare)
    assert full[0][0]["text"] == QUESTION
    assert "Em que cidade o poeta" in full[1][0]["snippet"]


def test_an_item_shows_each_option_with_its_own_copies_only(tmp_path):
    """Two of three options stand in a document: each is shown with where it stands, the third with nothing."""
    options = ["consumo de energia elétrica.", "consumo de água tratada.", "ruído dentro da casa."]
    wanted = [Part("task", 0, "question", QUESTION), *(Part("task", 0, "options", option) for option in options)]
    file = tmp_path / "corpus.jsonl"
    file.write_text(json.dumps({"text": f"{options[0]} E também: {options[1]}"}), encoding="utf-8")
    run_scan(tmp_path / "cont", [file], wanted, ScanSettings(with_text=True))
    shown = CliRunner().invoke(main, ["contamination", "show", str(tmp_path / "cont"), "--task", "task", "--item", "0"])
    blocks = shown.output.split("\noptions: ")
    assert [block.count("row 1, character") for block in blocks] == [0, 1, 1, 0]
    assert "character 0:" in blocks[1]
    assert "character 39:" in blocks[2]


def test_rates_of_different_items_are_compared_by_fisher_and_newcombe():
    """Newcombe 1998, table II, row (a): 56/70 against 48/80 gives 0.0524 to 0.3339 by method 10."""
    seen = [(1.0, number) for number in range(56)] + [(0.0, 100 + number) for number in range(14)]
    clean = [(1.0, number) for number in range(48)] + [(0.0, 100 + number) for number in range(32)]
    outcome = difference(seen, clean)
    assert outcome.value == pytest.approx(0.2)
    assert outcome.interval == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert outcome.test == "Fisher"
    from scipy.stats import fisher_exact

    assert outcome.p_value == pytest.approx(fisher_exact([[56, 14], [48, 32]]).pvalue)


def test_numbers_are_compared_by_welch():
    """scipy's Welch test on two unequal samples."""
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(0)
    one, other = rng.normal(1, 1, 12), rng.normal(0, 3, 40)
    outcome = difference([(x, i) for i, x in enumerate(one)], [(x, i) for i, x in enumerate(other)])
    expected = ttest_ind(one, other, equal_var=False)
    assert outcome.p_value == pytest.approx(expected.pvalue)
    assert outcome.interval == pytest.approx(tuple(expected.confidence_interval()))


def test_no_claim_where_there_is_no_spread():
    """One item on a side, or equal values throughout, give no p-value."""
    assert math.isnan(difference([(0.5, 0)], [(0.1, 1), (0.2, 2)]).p_value)
    assert math.isnan(difference([], [(0.1, 1)]).value)
    clustered = [(1.0, "a"), (1.0, "a"), (1.0, "b"), (1.0, "b")]
    assert math.isnan(difference(clustered, [(0.0, "c"), (0.0, "c")]).p_value)


@pytest.mark.slow
def test_the_commands_as_a_user_meets_them(tmp_path):
    """Twenty planted IFEval-pt prompts of 308 are found by `scan`, listed and shown by `show`."""
    wanted = parts.load(["ifeval_pt"])
    planted = random.Random(0).sample([part for part in wanted if part.role == "question"], 20)
    texts = [f"{prompt} {answer}" for prompt, answer in dialogues.dialogues(9, 400)]
    for number, part in enumerate(planted):
        texts[number * 20] += f"\n{part.text.upper()}\n"
    (tmp_path / "c.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts), encoding="utf-8")
    run = CliRunner()
    command = ["contamination", "scan", str(tmp_path / "c.jsonl"), "--tasks", "ifeval_pt", "--workers", "1"]
    outcome = run.invoke(main, [*command, "--output", str(tmp_path / "cont")])
    assert outcome.exit_code == 0, outcome.output
    result = findings.read(tmp_path / "cont")
    assert {part.doc_id for part in planted} <= {number for number, s in result.shares("ifeval_pt").items() if s == 1}
    shown = run.invoke(main, ["contamination", "show", str(tmp_path / "cont")], env={"COLUMNS": "160"}).output
    assert "ifeval_pt" in shown
    item = ["contamination", "show", str(tmp_path / "cont"), "--task", "ifeval_pt", "--item", str(planted[0].doc_id)]
    assert planted[0].text.upper()[:30] in run.invoke(main, item).output
    again = run.invoke(main, [*command, "--output", str(tmp_path / "cont")])
    assert "going on with the scan" in again.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tasks", "no_such_task"], "unknown tasks: no_such_task"),
        (["--tasks", "ifeval_pt", "--column", "corpo"], "no column 'corpo'"),
        (["--tasks", "ifeval_pt", "--metadata", "{"], "--metadata is no JSON"),
    ],
)
def test_wrong_input_is_said_in_one_sentence(tmp_path, arguments, message):
    """Exit code 2, no traceback, nothing written."""
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "Oi."}))
    command = ["contamination", "scan", str(tmp_path / "a.jsonl"), "--output", str(tmp_path / "out"), *arguments]
    outcome = CliRunner().invoke(main, command)
    assert outcome.exit_code == 2
    assert message in outcome.output
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_killed_scans_lose_nothing(tmp_path):
    """The command is killed twice while it reads; the third start ends with what an undisturbed one finds."""
    files, _ = corpus_of(tmp_path)
    base = [sys.executable, "-m", "lm_eval_ifeval_pt", "contamination", "scan", *map(str, files)]
    base += ["--tasks", "ifeval_pt", "--workers", "1"]
    subprocess.run([*base, "--output", str(tmp_path / "whole")], check=True, capture_output=True)
    for wait in (6, 9):
        with subprocess.Popen([*base, "--output", str(tmp_path / "out")], stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(wait)
            except subprocess.TimeoutExpired:
                process.kill()
    subprocess.run([*base, "--output", str(tmp_path / "out")], check=True, capture_output=True)
    assert findings.read(tmp_path / "out").parts == findings.read(tmp_path / "whole").parts
    assert not [name for name in os.listdir(tmp_path / "out") if name.startswith(".") or name.endswith(".part")]
