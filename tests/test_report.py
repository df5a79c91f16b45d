"""The report: one file that opens from disk, shows what the runs say, and runs nothing that a model wrote."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import itertools
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import report, results
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.contamination.findings import Findings, Seen
from lm_eval_ifeval_pt.report import specs, strings
from lm_eval_ifeval_pt.report.labels import shortened
from lm_eval_ifeval_pt.report.numbers import decimals
from lm_eval_ifeval_pt.report.specs import ChartPoint
from tests import programs, runs
from tests.test_results import sample, write_rows

FOLDER = resources.files("lm_eval_ifeval_pt.report")
HOSTILE = (
    "</script><script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"
    "<!-- {{ 7*7 }} ${7*7} & &amp; \u202eobrigado\u202c שלום 👍🏽 \ud800 Vou à feira."
)


def unpacked(block: str) -> str:
    """A block as the page's script opens it: gzip in base 85, where a full stop stands for `<`."""
    return gzip.decompress(base64.b85decode(block.replace(".", "<"))).decode()


class Page(HTMLParser):
    """The tags and the data blocks of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._scripts: list[tuple[dict[str, str | None], list[str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: D102
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self._scripts.append((dict(attrs), []))

    def handle_data(self, data: str) -> None:  # noqa: D102
        if self.cdata_elem == "script":
            self._scripts[-1][1].append(data)

    def count(self, tag: str) -> int:
        """How often a tag occurs."""
        return sum(name == tag for name, _ in self.tags)

    @property
    def scripts(self) -> list[str]:
        """The scripts that run."""
        return ["".join(parts) for attrs, parts in self._scripts if not attrs]

    @property
    def libraries(self) -> list[str]:
        """The libraries that the scripts open and run when a chart comes into sight."""
        blocks = ["".join(parts) for attrs, parts in self._scripts if attrs.get("class") == "library"]
        return [unpacked(block) for block in blocks]

    @property
    def data(self) -> Any:
        """The charts and matrices."""
        (parts,) = (parts for attrs, parts in self._scripts if attrs.get("id") == "drawings")
        return json.loads(unpacked("".join(parts)))

    @property
    def blocks(self) -> dict[str, Any]:
        """The items of each task."""
        blocks = {attrs["data-task"]: "".join(parts) for attrs, parts in self._scripts if attrs.get("class") == "block"}
        opened = {str(task): json.loads(unpacked(block)) for task, block in blocks.items()}
        for block in opened.values():
            for answer in (answer for item in block["items"] for answer in item["answers"]):
                if answer is not None and "text" in answer:
                    answer["text"] = block["texts"][answer["text"]]
        return opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Three models x 308 documents."""
    return runs.three(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def html(folder) -> str:
    """Their report."""
    return report.page(report.gather(results.read([folder])))


def hostile(tmp_path: Path) -> str:
    """The report on a model whose name and whose every answer are hostile."""
    runs.write(tmp_path, "evil<b>&\"'", lambda doc: HOSTILE, documents=3)
    return report.page(report.gather(results.read([tmp_path])))


def test_the_command_writes_one_file(folder, tmp_path):
    """Leaderboard, map and items of three models, under 3 MB."""
    output = tmp_path / "report.html"
    result = CliRunner().invoke(main, ["report", str(folder), "-o", str(output)])
    assert result.exit_code == 0, result.output
    assert "3 model(s)" in result.output
    assert output.stat().st_size < 3_000_000


def test_the_leaderboard_shows_the_rates_of_the_run(html, folder):
    """The parrot's answer meets the 98 passive prompts and none of the 210 active ones: 98 of 308 are 31.8 %."""
    rows = re.findall(r'<td>(\d)</td>\s*<th scope="row" title="acme/(\S+)"', html)
    assert rows == [("1", "alfa-7b"), ("2", "beta-2b"), ("3", "papagaio")]
    parrot = re.search(r'title="acme/papagaio"><bdi>papagaio</bdi></th>(.*?)</tr>', html, re.DOTALL)
    assert re.findall(r"<b>(.*?)</b>", parrot[1]) == ["31,8", "31,8", "0,0", "100,0", "0,0"]


def test_the_map_has_wilson_intervals(html):
    """14 of 14: 78-100; 0 of 14: 0-22 (Newcombe 1998, method 3)."""
    cells = re.findall(r'data-restriction="ptbr:(?:sem_crase|crase)" data-model="papagaio">(.*?)</td>', html, re.DOTALL)
    strict = [re.search(r"m-strict.*?<b>(.*?)</b> <small>(.*?)</small>", cell).groups() for cell in cells]
    assert strict == [("0,0", "0–22"), ("100,0", "78–100")]


def test_the_map_shows_what_is_met_unasked(html):
    """The parrot always answers the same, so asking changes nothing: lift 0, and no mark of significance."""
    (cell,) = re.findall(r'data-restriction="ptbr:sem_crase" data-model="papagaio">(.*?)</td>', html, re.DOTALL)
    shown = dict(re.findall(r'm-(\w+)" style="[^"]*"><b>(.*?)</b>', cell))
    assert shown == {"strict": "100,0", "loose": "100,0", "accidental": "100,0", "lift": "+0,0"}
    assert re.search(r'm-corrected"><b>–</b>', cell)


def test_pairs_are_compared_on_the_same_documents(html, folder):
    """As `diff` says: 210 documents of each, gains and losses; the parrot never beats its better on an active one."""
    better, parrot = results.read([folder / "acme__alfa-7b", folder / "acme__papagaio"]).runs
    outcomes = [(one.metrics["prompt_level_strict_acc"], other.metrics["prompt_level_strict_acc"])
                for one, other in zip(better.items, parrot.items, strict=True)]  # fmt: skip
    row = re.search(r'data-model="alfa-7b" data-other="papagaio".*?</tr>', html, re.DOTALL)[0]
    cells = [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row, re.DOTALL)]
    assert cells[2:4] == [str(outcomes.count((1.0, 0.0))), str(outcomes.count((0.0, 1.0)))]
    assert cells[-2:] == ["&lt; 0,001", "sim"]
    assert len(Page(html).data["charts"]["pairs-0"]["data"]["values"]) == 3


def test_models_that_answered_other_prompts_are_not_compared(tmp_path):
    """The report is made, the pair left out, and the reason among its notes."""
    runs.write(tmp_path, "a", runs.parrot, documents=5)
    folder = runs.write(tmp_path, "b", runs.parrot, documents=5)
    (samples,) = folder.glob("samples*")
    samples.write_text(samples.read_text().replace('"doc_hash": "0', '"doc_hash": "f'))
    contents = report.gather(results.read([tmp_path]))
    assert contents.paired["ifeval_pt"].duels == ()
    assert any("no document is the same" in note for note in contents.notes)
    assert len(Page(report.page(contents)).blocks["ifeval_pt"]["items"]) == 10


@pytest.mark.slow
def test_one_odd_run_does_not_spoil_the_others(tmp_path):
    """Whoever answered fewer documents or at other shots is left out of ranks and pairs and named; the others stay."""
    for model in ("a", "b", "few", "shots"):
        runs.write(tmp_path, model, runs.careful(0.5, seed=ord(model[0])), documents=5 if model == "few" else None)
    (file,) = (tmp_path / "shots").glob("results*")
    file.write_text(file.read_text().replace('"n-shot": {"ifeval_pt": 0}', '"n-shot": {"ifeval_pt": 5}'))
    contents = report.gather(results.read([tmp_path]))
    paired = contents.paired["ifeval_pt"]
    assert set(paired.ranks) == {"a", "b"}
    assert [{duel.better, duel.worse} for duel in paired.duels] == [{"a", "b"}]
    said = "\n".join(contents.notes)
    assert "few is left out of ranks and pairs: it has 5 of the 308 documents" in said
    assert "shots is left out of ranks and pairs: shots differs: 0 and 5" in said


def test_items_carry_prompt_answers_and_evidence(html, folder):
    """The evidence of a verdict cuts the words out of the answer that the harness logged."""
    block = Page(html).blocks["ifeval_pt"]
    assert block["models"] == ["alfa-7b", "beta-2b", "papagaio"]
    assert (len(block["items"]), len(block["bases"])) == (308, 14)
    (item,) = (item for item in block["items"] if item["key"] == "11")
    assert item["prompt"] == "Explique o que é reciclagem. Use crase pelo menos uma vez na resposta."
    assert item["asked"] == [
        {"id": "ptbr:crase", "kind": "active", "words": "Use crase pelo menos uma vez na resposta."}
    ]
    right = next(answer for answer in item["answers"] if answer["score"] == 1)
    (verdict,) = right["verdicts"]
    assert {right["text"][start:end].lower() for start, end in verdict["spans"]} <= {"à", "às", "àquela", "àquele"}
    assert item["answers"][2]["text"] == "A reciclagem reaproveita materiais."
    assert item["answers"][2]["score"] == 0


def test_evidence_counts_as_scripts_do(tmp_path):
    """Offsets are UTF-16 units: an emoji before the evidence is two."""
    runs.write(tmp_path, "m", lambda doc: "👍👍 Vou à feira.", documents=1)
    block = Page(report.page(report.gather(results.read([tmp_path])))).blocks["ifeval_pt"]
    ((start, end),) = block["items"][0]["answers"][0]["verdicts"][0]["spans"]
    assert "👍👍 Vou à feira.".encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le") == "à"


def test_what_a_model_writes_is_no_markup(tmp_path):
    """Script tags, event handlers, template braces and lone surrogates in answers and names stay text."""
    html = hostile(tmp_path)
    page = Page(html)
    assert page.count("script") == 1 + 1 + 1 + 2 + 3  # texts, charts, one block, two libraries, three scripts
    assert page.count("img") == 0
    assert "hacked" not in html
    assert page.blocks["ifeval_pt"]["items"][0]["answers"][0]["text"] == HOSTILE.replace("\ud800", "?")  # by the reader
    assert page.blocks["ifeval_pt"]["models"] == ["evil<b>&\"'"]
    assert "evil<b>" not in html.split('<script type="application/json"')[0]


def test_the_script_never_parses_markup():
    """The page is built of elements and text nodes only."""
    script = "".join((FOLDER / name).read_text(encoding="utf-8") for name in ("page.js", "script.js", "matrix.js"))
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(", script)


def test_nothing_is_loaded_and_only_our_scripts_run(html):
    """No address in the page, and a policy that names scripts and libraries by their hashes and allows no others."""
    page = Page(html)
    assert not [attrs for _, attrs in page.tags if {"src", "action", "data", "poster"} & set(attrs)]
    assert all(str(attrs["href"]).startswith("#") for _, attrs in page.tags if "href" in attrs)
    (policy,) = (attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv"))
    allowed = set(re.findall(r"'sha256-(.*?)'", policy))
    hashes = [hashlib.sha256(script.encode()).digest() for script in (*page.scripts, *page.libraries)]
    assert {base64.b64encode(hash).decode() for hash in hashes} == allowed
    assert len(allowed) == 5
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy


@pytest.mark.slow
def test_gated_texts_can_be_left_out(folder):
    """With --no-text neither prompts nor answers nor sentences of verdicts are in the file; outcomes are."""
    html = report.page(report.gather(results.read([folder])), with_text=False)
    block = Page(html).blocks["ifeval_pt"]
    told = json.dumps(block, ensure_ascii=False)
    assert "reciclagem" not in told
    assert "crase." not in told
    assert {answer["score"] for item in block["items"] for answer in item["answers"]} == {0, 1}


def test_every_text_is_there_in_both_languages(html):
    """Each text has two forms with the same slots, and the page, its script and its charts use no other."""
    for key, (pt, en) in strings.STRINGS.items():
        assert pt.strip(), key
        assert set(re.findall(r"{(\w+)}", pt)) == set(re.findall(r"{(\w+)}", en)), key
    script = "".join((FOLDER / name).read_text(encoding="utf-8") for name in ("page.js", "script.js", "matrix.js"))
    used = {*re.findall(r'data-t="(\w+)"', html), *re.findall(r'\bt\("(\w+)"', script)}
    assert used <= set(strings.STRINGS)
    assert "Evaluation report" in report.page(report.gather(_nothing()), "en")


def _nothing() -> results.Reading:
    return results.Reading((), ())


def test_the_vendored_files_are_the_ones_recorded():
    """Name, version, licence and SHA-256 of each."""
    recorded = json.loads((FOLDER / "vendor/VENDORED.json").read_text())
    assert {one["file"] for one in recorded} == {
        file.name for file in (FOLDER / "vendor").iterdir() if file.name.endswith(".js")
    }
    for one in recorded:
        content = (FOLDER / "vendor" / one["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == one["sha256"]
        assert f'version="{one["version"]}"'.encode() in content or one["package"] == "vega-lite"
        assert "Redistribution and use" in (FOLDER / "vendor" / one["licence_file"]).read_text()
        assert b"</script" not in content.lower()
        assert b"<!--" not in content


def test_the_page_carries_the_licences_of_what_is_in_it(html):
    """BSD-3-Clause: copies retain the copyright notice."""
    for name in ("vega", "vega-lite"):
        first = (FOLDER / f"vendor/LICENSE.{name}").read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("Copyright")
        assert first in html


def test_a_model_that_is_there_twice_is_told_apart(tmp_path):
    """Two runs of one model on one task carry their folders' names."""
    for name in ("first", "second"):
        runs.write(tmp_path / name, "acme/m", runs.parrot, documents=2)
        (tmp_path / name / "acme__m").rename(tmp_path / name / f"{name}_try")
    contents = report.gather(results.read([tmp_path]))
    assert set(contents.labels) == {"m · first_try", "m · second_try"}


def test_a_chart_keeps_the_order_and_the_panels():
    """Rows by model in the order given; a panel each; the line at 0 only where asked for."""
    points = [
        ChartPoint("b", "x", 1, 0, 2),
        ChartPoint("a", "x", 2, None, None),
        ChartPoint("b", {"$t": "model"}, 3, 2, 4),
    ]
    spec = specs.intervals(points, "axis", zero=True)
    rule, _, dot = spec["spec"]["layer"]
    assert rule["encoding"]["x"] == {"datum": 0}
    assert dot["encoding"]["y"]["sort"] == ["b", "a"]
    assert len(spec["facet"]["sort"]) == 2
    assert len(specs.intervals(points[:1], "axis")["layer"]) == 2
    assert specs.translated(spec, "pt")["facet"]["sort"][1] == "Modelo"


def multiple_choice(folder: Path, *tasks: str) -> Path:
    """A model on tasks of 40 documents with two choices each, of which it gets 30 right."""
    for task in tasks:
        rows = [sample(number, acc=float(number % 4 > 0), acc_norm=0.0) for number in range(40)]
        write_rows(folder / f"samples_{task}_{runs.DATE}.jsonl", rows)
    result = {"results": {task: {"acc,none": 0.75, "acc_norm,none": 0.0} for task in tasks}, "model_name": "m"}
    (folder / f"results_{runs.DATE}.json").write_text(json.dumps(result), encoding="utf-8")
    return folder


def test_a_limited_run_is_marked_and_not_ranked(tmp_path):
    """The NPM board of a run with --limit says so beside the model, and gives no rank."""
    multiple_choice(tmp_path, "enem", "bluex")
    (file,) = tmp_path.glob("results_*")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"config": {"limit": 40.0}}), encoding="utf-8")
    contents = report.gather(results.read([tmp_path]))
    assert [(line.rank, line.part) for line in contents.suite.lines] == [(None, "--limit 40 of enem, bluex")]
    html = report.page(contents)
    assert "<bdi>m (only --limit 40 of enem, bluex)</bdi>" in html[html.index('<section id="npm-section"') :]


def test_tasks_of_choices_are_shown_by_their_preferred_metric(tmp_path):
    """ENEM counts acc: 30 of 40 right is 75 %, NPM (.75 - .2) / .8 = 68.75; items hold choices and likelihoods."""
    html = report.page(report.gather(results.read([multiple_choice(tmp_path, "enem", "bluex")])))
    scores = html[html.index('<section id="scores"') : html.index('<section id="items"')]
    assert re.findall(r'class="sort">(\w+) <small>(.*?)</small>', scores) == [("bluex", "acc, %"), ("enem", "acc, %")]
    assert re.findall(r"<td><b>(.*?)</b>", scores)[:2] == ["75,0", "75,0"]
    suite = html[html.index('<section id="npm-section"') : html.index('<section id="scores"')]
    assert "68,75" in suite
    item = Page(html).blocks["enem"]["items"][1]
    (answer,) = item["answers"]
    assert (answer["score"], answer["likelihoods"], item["options"]) == (1, [-1.5, -0.5], [" a", " b"])


def test_the_list_shows_the_question_and_not_the_lead_in(tmp_path):
    """Of a prompt with a solved example the question of the document is shown, not "Resposta:"."""
    folder = tmp_path / "m"
    prompt = "Pergunta: Quanto é 1 + 1?\nResposta: 2\n\nPergunta: Qual é a capital do Acre?\nResposta:"
    for task, doc in (("known", {"question": "Qual é a capital do Acre?"}), ("unknown", {"x": 1})):
        row = sample(0, acc=1.0) | {"doc": doc, "arguments": [[prompt, " a"], [prompt, " b"]]}
        write_rows(folder / f"samples_{task}_{runs.DATE}.jsonl", [row])
    blocks = Page(report.page(report.gather(results.read([tmp_path])))).blocks
    assert blocks["known"]["items"][0]["question"] == "Qual é a capital do Acre?"
    assert blocks["unknown"]["items"][0]["question"] == "Pergunta: Qual é a capital do Acre?"


def test_what_is_no_share_is_not_given_in_points(tmp_path):
    """Nats per word, of which less is better: 2 and 3 on every document, a difference of 1, not of 100 points."""
    for model, nats in (("a", 2.0), ("b", 3.0)):
        rows = [sample(number, word_perplexity=[-nats * (number + 1), number + 1]) for number in range(5)]
        write_rows(tmp_path / model / f"samples_text_{runs.DATE}.jsonl", rows)
    contents = report.gather(results.read([tmp_path]))
    assert {label: mean.value for label, mean in contents.scored[0].means.items()} == {"a": 2, "b": 3}
    html = report.page(contents)
    row = re.search(r'data-model="a" data-other="b".*?</tr>', html, re.DOTALL)[0]
    assert "<b>+1,000</b>" in row
    assert not [id for id in Page(html).data["charts"] if id.startswith("pairs")]


def test_one_task_is_no_suite(html):
    """With ifeval_pt alone there is no section of NPM."""
    assert "npm-section" not in html


def many(folder: Path, models: int = 6) -> Path:
    """Models of rising skill on a task of 60 questions of three subjects with written answers and one of choices."""
    for number in range(models):
        name = f"uma-organizacao-de-nome-comprido-modelo-{number}-instruct-versao-final"
        for task, metric in (("prosa", "exact_match"), ("letras", "acc")):
            rows = []
            for doc_id in range(60):
                is_right = float(doc_id % models < number + 1)
                row = sample(doc_id, **{metric: is_right})
                subject = ("física", "história", "química")[doc_id % 3]
                row["doc"] = {"question": f"Pergunta {doc_id}?", "subject": subject}
                if task == "prosa":
                    row |= {"resps": [["sim " * (doc_id + 1)]], "filtered_resps": ["sim " * (doc_id + 1)]}
                rows.append(row)
            write_rows(folder / name / f"samples_{task}_{runs.DATE}.jsonl", rows)
    return folder


@pytest.fixture(scope="module")
def many_html(tmp_path_factory) -> str:
    """The report on six models with long names."""
    return report.page(report.gather(results.read([many(tmp_path_factory.mktemp("many"))])))


def section(html: str, id: str) -> str:
    """A section of the page."""
    return re.search(rf'<section id="{id}".*?</section>', html, re.DOTALL)[0]


def test_boards_come_before_what_stands_behind_them(many_html, html):
    """Leaderboards, then restrictions, pairs, fields, letters, lengths, and the items last."""
    order = re.findall(r'<section id="([\w-]+)"', many_html)
    assert order == ["scores", "pairs-section", "fields", "letters", "lengths", "items"]
    assert re.findall(r'<section id="([\w-]+)"', html) == ["board-0", "map-0", "pairs-section", "lengths", "items"]


def test_many_pairs_are_a_matrix_and_the_interesting_ones(many_html, html):
    """Of 15 pairs of six models, all told apart, the 5 neighbours as rows; all of them as a matrix's data."""
    rows = re.findall(r'data-task="prosa" data-model="(.*?)" data-other="(.*?)"', section(many_html, "pairs-section"))
    place = {name: int(re.search(r"modelo-(\d)", name)[1]) for pair in rows for name in pair}
    assert sorted((place[better], place[worse]) for better, worse in rows) == [(n + 1, n) for n in range(5)]
    matrix = Page(many_html).data["matrices"]["prosa"]
    assert [place[name] for name in matrix["models"]] == [5, 4, 3, 2, 1, 0]
    assert matrix["differences"][:5] == [16.667, 33.333, 50.0, 66.667, 83.333]  # of 60: 10, 20, 30, 40, 50
    assert len(matrix["differences"]) == len(matrix["p"]) == 15
    assert Page(html).data["matrices"] == {}  # three pairs are three rows


def test_the_matrix_tells_apart_what_the_table_does(tmp_path):
    """A p-value of .0502 rounds to .050 and is above .05: no cell says that the two differ."""
    contents = report.gather(results.read([many(tmp_path)]))
    paired = contents.paired["prosa"]
    duels = (replace(paired.duels[0], p_value=0.0502), *paired.duels[1:])
    page = Page(report.page(replace(contents, paired={**contents.paired, "prosa": replace(paired, duels=duels)})))
    apart = page.data["matrices"]["prosa"]["apart"]
    assert (apart.count(False), apart.count(True)) == (1, 14)


def test_short_names_still_differ():
    """Names with the same beginning and end keep what tells them apart."""
    names = [f"uma-organizacao-de-nome-comprido-modelo-{number}-instruct-versao-final" for number in range(6)]
    short = shortened(names, 22)
    assert len(set(short.values())) == 6
    assert max(map(len, short.values())) < len(names[0])
    assert shortened(["alfa", "uma-organizacao/beta-instruct-7b"], 12) == {
        "alfa": "alfa", "uma-organizacao/beta-instruct-7b": "uma-or…ct-7b",
    }  # fmt: skip


def test_numbers_have_the_decimal_mark_of_the_language(folder, html):
    """31.8 % is 31,8 % in Portuguese, p-values have their zero, and no number of the one is in the other."""
    english = report.page(report.gather(results.read([folder])), "en")
    for page, own, other in ((html, ",", "."), (english, ".", ",")):
        cells = re.findall(r"<td.*?</td>", page, re.DOTALL)
        told = " ".join(re.sub(r"<.*?>", " ", cell) for cell in cells)
        assert f"31{own}8" in told
        assert f"0{own}001" in told
        assert not re.search(rf"\d\{other}\d", told)
    assert decimals("p .032 of 1.5; v1.2.3", ",") == "p 0,032 of 1,5; v1.2.3"


def test_scores_by_a_field_of_the_documents(many_html):
    """Of 60 questions 20 are física: numbers 0, 3, 6 …, of which the first model has those with 0 modulo 6, ten."""
    (table,) = re.findall(r'<table class="board by-field" data-task="prosa".*?</table>', many_html, re.DOTALL)
    row = re.search(r'data-value="física".*?</tr>', table, re.DOTALL)[0]
    assert re.findall(r"<td>(\d+)</td>", row) == ["20"]
    assert re.findall(r"<b>(.*?)</b>", row)[0] == "50,0"
    block = Page(many_html).blocks["prosa"]
    assert block["fields"] == ["subject"]
    assert [item["values"] for item in block["items"][:3]] == [["física"], ["história"], ["química"]]


def test_letters_that_are_chosen_and_right(many_html):
    """The key of all 60 documents is B, which is always the most likely: no choice would have to be another one."""
    row = re.search(r"<bdi>uma-organizacao-de-nome-comprido-modelo-0.*?</tr>", section(many_html, "letters"), re.DOTALL)
    cells = [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row[0])]
    assert cells == ["0,0", "0,0 − 0,0 (0/0)", "100,0 − 100,0 (60/60)"]


def test_scores_by_length(many_html):
    """Answers of 1 to 60 words: the median is 30.5, the first quarter has 1 to 15."""
    row = re.search(r"<bdi>uma-organizacao-de-nome-comprido-modelo-0.*?</tr>", section(many_html, "lengths"), re.DOTALL)
    assert "<small>(1–15)</small>" in row[0]
    assert re.findall(r"<td>(\d+)</td>", row[0]) == ["30"]


def test_evidence_within_an_echo_is_marked(tmp_path):
    """A model that repeats its prompt: its stretches are told, and verdicts that rest on them alone."""
    runs.write(tmp_path, "eco", lambda doc: str(doc["prompt"]))
    contents = report.gather(results.read([tmp_path]))
    html = report.page(contents)
    assert contents.verified[0].entries[0].echoes.share == 1
    board = section(html, "board-0")
    assert re.search(r'<span class="no">100,0</span>', board)
    answers = [item["answers"][0] for item in Page(html).blocks["ifeval_pt"]["items"]]
    resting = [verdict for answer in answers for verdict in answer["verdicts"] if verdict.get("repeated")]
    assert resting
    for answer in answers:
        (verdict,) = answer["verdicts"]
        echo = {place for start, end in answer["echo"] for place in range(start, end)}
        decided = {place for start, end in verdict["spans"] for place in range(start, end)}
        assert verdict.get("repeated", False) == (bool(decided) and decided <= echo)


def test_tables_have_captions_and_charts_descriptions(many_html, html):
    """What a screen reader says of each; headings go down one level at a time."""
    for page in (many_html, html):
        tables = re.findall(r"<table(?! class=.matrix.).*?</table>", page.split("<script")[0], re.DOTALL)
        assert [table[:80] for table in tables if "<caption" not in table] == []
        assert all(chart["description"] for chart in Page(page).data["charts"].values())
        levels = [int(tag[1]) for tag, _ in Page(page).tags if re.fullmatch(r"h[1-6]", tag)]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_curves_are_a_part_of_the_report(tmp_path):
    """`--curves FOLDER`: the sections of `lm-eval-pt curves` stand before the items, with their charts."""
    for step, rate in ((100, 0.25), (200, 0.5), (300, 0.75)):
        result = {"results": {"enem": {"acc,none": rate, "acc_stderr,none": 0.05}}, "model_name": f"m/step_{step}"}
        (tmp_path / f"t/step_{step}").mkdir(parents=True)
        (tmp_path / f"t/step_{step}/results_{runs.DATE}.json").write_text(json.dumps(result), encoding="utf-8")
    (tmp_path / "m").mkdir()
    multiple_choice(tmp_path / "m", "enem")
    output = tmp_path / "report.html"
    arguments = ["report", str(tmp_path / "m"), "--curves", str(tmp_path / "t"), "-o", str(output)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    html = output.read_text(encoding="utf-8")
    order = re.findall(r'<section id="([\w-]+)"', html)
    assert order[-5:-1] == ["letters", "useful", "curves", "figures"]
    assert [value["score"] for value in Page(html).data["charts"]["curve-chart-0"]["data"]["values"]] == [25, 50, 75]
    assert "curve-chart-0" in section(html, "curves")


def _found(task: str, questions: dict[int, str], seen: set[int]) -> Findings:
    """What a scan has found that saw some questions whole and the others not at all."""
    parts = tuple(
        Seen(task, doc_id, "question", 9, True, float(doc_id in seen), 0.0, 0, None, 0, "", 0, 0,
             hashlib.sha256(text.encode()).hexdigest())
        for doc_id, text in questions.items()
    )  # fmt: skip
    return Findings(parts, (), {})


def test_what_a_corpus_holds_is_a_part_of_the_report(tmp_path):
    """Of 40 questions the corpus holds 0 to 9: 7 of these are right, 23 of the other 30; Fisher's p is .689."""
    folder = multiple_choice(tmp_path, "enem")
    findings = _found("enem", {number: f"q{number}" for number in range(40)}, set(range(10)))
    contents = report.gather(results.read([folder]), findings=findings)
    assert [(counts.sought, counts.at[0.5]) for counts in contents.seen.counts] == [(40, 10)]
    html = report.page(contents)
    (row,) = re.findall(r'<th scope="row">enem</th>\s*<td class="name">.*?</tr>', section(html, "seen"), re.DOTALL)
    cells = [re.sub(r"<.*?>", "", cell).strip() for cell in re.findall(r"<td>(.*?)</td>", row, re.DOTALL)]
    assert cells[:5] == ["75,0", "76,7", "30", "70,0", "10"]
    assert cells[5].startswith("−6,7")
    assert cells[6] == "0,689"
    assert [item.get("seen") for item in Page(html).blocks["enem"]["items"][8:12]] == [1, 1, 0, 0]


def test_a_scan_of_other_documents_is_a_note(tmp_path):
    """Another version of the data: no scores, and the reason among the notes."""
    folder = multiple_choice(tmp_path, "enem")
    findings = _found("enem", {number: f"other {number}" for number in range(40)}, set())
    contents = report.gather(results.read([folder]), findings=findings)
    assert contents.seen.scores == ()
    assert any("is not the one that the scan looked for" in note for note in contents.notes)
    report.page(contents)


def test_a_folder_without_a_scan_is_said(folder, tmp_path):
    """--contamination with another folder ends with one sentence and exit code 2."""
    result = CliRunner().invoke(main, ["report", str(folder), "--contamination", str(tmp_path)])
    assert result.exit_code == 2
    assert "holds no scan" in result.output


@pytest.mark.slow
def test_figures_are_written_for_paper(folder, tmp_path):
    """Every chart and the map as SVG and PNG, in English, black on white."""
    pytest.importorskip("vl_convert", reason="the extra `plots` is not installed")
    arguments = ["-o", str(tmp_path / "r.html"), "--figures", str(tmp_path / "figures"), "--language", "en"]
    result = CliRunner().invoke(main, ["report", str(folder), *arguments])
    assert result.exit_code == 0, result.output
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert names == {f"{name}.{kind}" for name in ("scores-0", "pairs-0", "map-0") for kind in ("svg", "png")}
    svg = (tmp_path / "figures/scores-0.svg").read_text(encoding="utf-8")
    assert "currentColor" not in svg
    said = set(re.findall(r">([^<>]+)</text>", svg))
    assert {"papagaio", "Passive", "answers that followed, % (95% interval)"} <= said
    assert "ptbr:sem_crase" in (tmp_path / "figures/map-0.svg").read_text(encoding="utf-8")


def test_without_the_extra_the_message_names_it(folder, tmp_path, monkeypatch):
    """--figures without vl-convert says what to install."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    arguments = ["-o", str(tmp_path / "r.html"), "--figures", str(tmp_path / "figures")]
    result = CliRunner().invoke(main, ["report", str(folder), *arguments])
    assert result.exit_code == 2
    assert "lm_eval_ifeval_pt[plots]" in result.output


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium, driver = programs.CHROMIUM.path, programs.CHROMEDRIVER.path
    if not chromium or not driver:
        pytest.skip("no Chromium with its driver")
    exceptions = pytest.importorskip("selenium.common.exceptions")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "window-size=1400,1000"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    try:
        made = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    except exceptions.WebDriverException as error:
        pytest.skip(f"Chromium does not start: {(error.msg or '').partition(chr(10))[0]}")
    made.set_network_conditions(offline=True, latency=0, throughput=0)
    yield made
    made.quit()


def wait_until(holds: Callable[[], bool], told: Callable[[], Any], most: float = 60) -> None:
    """Wait for a browser; `told` is what a failure shows."""
    started = time.perf_counter()
    while not holds():
        assert time.perf_counter() - started < most, told()
        time.sleep(0.02)


def visit(browser: Any, html: str, path: Path, fragment: str = "") -> float:
    """Open a page from disk; the seconds until it is ready, and no complaint of the browser."""
    path.write_text(html, encoding="utf-8")
    started = time.perf_counter()
    browser.get("about:blank")
    browser.get(path.as_uri() + fragment)
    ready = "return document.documentElement.dataset.ready !== undefined"
    wait_until(lambda: browser.execute_script(ready), lambda: browser.get_log("browser"), most=120)
    seconds = time.perf_counter() - started
    assert browser.get_log("browser") == []
    return seconds


def calibration(browser: Any) -> float:
    """The seconds of a plain loop in the browser, to compare with."""
    loop = "let sum = 0; for (let step = 0; step < 3e8; step++) sum += step & 7; return sum"
    started = time.perf_counter()
    browser.execute_script(loop)
    return time.perf_counter() - started


def find(browser: Any, selector: str) -> list[Any]:
    """The elements of a selector."""
    return browser.find_elements("css selector", selector)


def drawn(browser: Any, figure: Any) -> Any:
    """A chart, after it came into sight and was drawn."""
    show = "arguments[0].closest('details')?.setAttribute('open', ''); arguments[0].scrollIntoView()"
    browser.execute_script(show, figure)
    wait_until(lambda: figure.get_attribute("data-drawn") is not None, lambda: browser.get_log("browser"))
    return figure


def choose(browser: Any, id: str, text: str) -> None:
    """Choose an option by its text."""
    (option,) = (one for one in find(browser, f"#{id} option") if one.text.strip() == text)
    option.click()


@pytest.mark.slow
class TestInTheBrowser:
    """In a real browser, from disk, without network."""

    def test_it_opens_at_once_with_its_charts(self, browser, html, tmp_path):
        """Three models x 308 items; every chart is drawn when it comes into sight; no message in the console."""
        assert visit(browser, html, tmp_path / "report.html") < 8 * calibration(browser)
        for figure in find(browser, ".chart"):
            assert drawn(browser, figure).find_elements("css selector", "svg")
        assert len(find(browser, ".chart svg")) == len(Page(html).data["charts"])
        assert browser.get_log("browser") == []
        assert find(browser, "#found")[0].text == "308 de 308 itens"

    def test_a_restriction_leads_to_its_items_and_their_evidence(self, browser, html, tmp_path):
        """Click crase: 14 items; open the first: the mark is on the crase."""
        visit(browser, html, tmp_path / "report.html")
        find(browser, ".pick[data-restriction='ptbr:crase']")[0].click()
        time.sleep(0.3)
        assert find(browser, "#found")[0].text == "14 de 308 itens"
        find(browser, "#list button")[1].click()
        marks = [mark.text.lower() for mark in find(browser, "#detail mark")]
        assert marks
        assert set(marks) <= {"à", "às", "àquela", "àquele"}
        assert browser.current_url.endswith("#task=ifeval_pt&restriction=ptbr%3Acrase&item=1")

    def test_a_pair_leads_to_where_the_two_differ(self, browser, html, tmp_path):
        """As many items as the table says that only the one or only the other followed."""
        visit(browser, html, tmp_path / "report.html")
        (row,) = (row for row in find(browser, "#pairs-section tbody tr") if "alfa-7b − papagaio" in row.text)
        one, other = (int(cell.text) for cell in row.find_elements("css selector", "td")[2:4])
        row.find_element("css selector", ".pick").click()
        time.sleep(0.3)
        assert find(browser, "#found")[0].text == f"{one + other} de 308 itens"

    def test_the_map_switches_to_unasked(self, browser, html, tmp_path):
        """One kind of rate is seen at a time, and tables sort by what is seen."""
        visit(browser, html, tmp_path / "report.html")
        find(browser, ".modes input[value=accidental]")[0].click()
        shades = find(browser, ".rate:nth-child(4) .shade")[:5]
        assert [one.is_displayed() for one in shades] == [False, False, True, False, False]
        (header,) = (one for one in find(browser, ".map .sort") if one.text == "alfa-7b")
        header.click()
        shown = find(browser, ".rate[data-model='alfa-7b'] .m-accidental b")
        values = [float(share.text.replace(",", ".")) for share in shown]
        assert values == sorted(values, reverse=True)

    def test_filters_combine(self, browser, html, tmp_path):
        """A right and B wrong, passive crase, a base task, and a search without accents."""
        block = Page(html).blocks["ifeval_pt"]
        visit(browser, html, tmp_path / "report.html")
        choose(browser, "f-b", "papagaio")
        choose(browser, "f-outcome", "A passou, B não")
        expected = sum(item["answers"][0]["score"] > item["answers"][2]["score"] for item in block["items"])
        assert find(browser, "#found")[0].text == f"{expected} de 308 itens"
        find(browser, "#filters button[type=reset]")[0].click()
        find(browser, "#f-search")[0].send_keys("RECICLAGEM REAPROVEITA")
        assert find(browser, "#found")[0].text == "308 de 308 itens"
        find(browser, "#f-search")[0].send_keys(" nada disso")
        assert find(browser, "#found")[0].text == "Nenhum item com esses filtros."

    def test_a_failed_is_judged_on_the_chosen_restriction(self, browser, tmp_path):
        """Of two instructions in a prompt, only the one that was broken lists the item under "A did not pass"."""
        folder = runs.write(tmp_path, "m", runs.parrot, documents=1)
        (samples,) = folder.glob("samples*")
        row = json.loads(samples.read_text(encoding="utf-8"))
        doc = row["doc"]
        (verdict,) = doc["verdicts"]
        broken = {"followed": False, "evidence": [], "detail": ""}
        kept = {"followed": True, "evidence": [], "detail": ""}
        names = ("ptbr:crase", "ptbr:sem_crase")
        doc["verdicts"] = [
            verdict | {"instruction_id": names[0], "strict": broken, "loose": broken},
            verdict | {"instruction_id": names[1], "strict": kept, "loose": kept},
        ]
        doc["kwargs"], doc["instruction_id_list"] = [{}, {}], list(names)
        samples.write_text(json.dumps(row) + "\n", encoding="utf-8")
        visit(browser, report.page(report.gather(results.read([tmp_path]))), tmp_path / "report.html")
        choose(browser, "f-outcome", "A não passou")
        choose(browser, "f-restriction", names[1])
        assert find(browser, "#found")[0].text == "Nenhum item com esses filtros."
        choose(browser, "f-restriction", names[0])
        assert find(browser, "#found")[0].text == "1 de 1 itens"

    def test_language_and_theme_are_switched(self, browser, html, tmp_path):
        """English everywhere, charts included; a dark page is darker."""
        visit(browser, html, tmp_path / "report.html")
        light = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        find(browser, "#theme")[0].click()
        assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") != light
        find(browser, "#language")[0].click()
        time.sleep(0.3)
        assert find(browser, "h1")[0].text == "Evaluation report"
        assert browser.execute_script("return document.documentElement.lang") == "en"
        assert find(browser, "#found")[0].text == "308 of 308 items"
        assert "Passive" in drawn(browser, find(browser, ".chart")[0]).text
        browser.execute_script("localStorage.clear()")

    def test_the_keyboard_is_enough(self, browser, html, tmp_path):
        """Arrows walk through the list and open what they reach."""
        visit(browser, html, tmp_path / "report.html")
        first = find(browser, "#list button")[0]
        browser.execute_script("arguments[0].focus()", first)
        browser.switch_to.active_element.send_keys("\ue015")  # arrow down
        assert find(browser, "#detail h3")[0].text == "Item 1"
        assert find(browser, "#list [aria-current=true]")[0] == browser.switch_to.active_element

    def test_every_control_has_a_name(self, browser, html, tmp_path):
        """What a screen reader calls each control is not empty; one heading of the first level; a language."""
        visit(browser, html, tmp_path / "report.html")
        controls = [one for one in find(browser, "button, input, select, nav, section") if one.is_displayed()]
        assert [one.get_attribute("outerHTML")[:200] for one in controls if not one.accessible_name] == []
        assert len(find(browser, "h1")) == 1
        assert browser.execute_script("return document.documentElement.lang") == "pt-BR"

    def test_an_address_keeps_every_filter(self, browser, html, tmp_path):
        """Opened again, it shows the same models, filters, item and marks; so does one of version 0.1.0."""
        visit(browser, html, tmp_path / "report.html")
        choose(browser, "f-a", "beta-2b")
        choose(browser, "f-b", "papagaio")
        choose(browser, "f-outcome", "A passou, B não")
        choose(browser, "f-restriction", "ptbr:crase")
        find(browser, "#f-search")[0].send_keys("a")
        find(browser, "#list button")[0].click()
        find(browser, "#differences")[0].click()
        shown = find(browser, "#found")[0].text, find(browser, "#detail")[0].text
        fragment = browser.current_url.partition("#")[2]
        visit(browser, html, tmp_path / "report.html", f"#{fragment}")
        assert (find(browser, "#found")[0].text, find(browser, "#detail")[0].text) == shown
        assert browser.current_url.partition("#")[2] == fragment
        visit(browser, html, tmp_path / "report.html", "#item=ifeval_pt:7")
        assert find(browser, "#detail h3")[0].text == f"Item {Page(html).blocks['ifeval_pt']['items'][7]['key']}"

    def test_the_words_that_differ_are_marked(self, browser, tmp_path):
        """Of two answers the words of neither longest common sequence; punctuation counts as words."""
        runs.write(tmp_path, "a", lambda doc: "O gato preto dorme muito na sala azul.", documents=1)
        runs.write(tmp_path, "b", lambda doc: "O gato branco dorme na sala azul!", documents=1)
        html = report.page(report.gather(results.read([tmp_path])))
        visit(browser, html, tmp_path / "report.html", "#task=ifeval_pt&a=a&b=b&item=0&differences=1")
        boxes = find(browser, ".answers > section")
        marked = [[mark.text for mark in box.find_elements("css selector", "ins")] for box in boxes]
        assert marked == [["preto", "muito", "."], ["branco", "!"]]
        find(browser, "#differences")[0].click()
        assert find(browser, "ins") == []

    def test_a_cell_of_the_matrix_leads_to_where_the_two_differ(self, browser, many_html, tmp_path):
        """Row 1 and column 6: the best against the last differ in 50 of 60 documents."""
        visit(browser, many_html, tmp_path / "report.html")
        (table,) = find(browser, ".matrix[data-task='prosa']")
        browser.execute_script("arguments[0].closest('details').open = true; arguments[0].scrollIntoView()", table)
        time.sleep(0.3)
        rows = table.find_elements("css selector", "tbody tr")
        assert len(rows) == 6
        cells = rows[0].find_elements("css selector", "td")
        assert [cell.text for cell in cells] == ["–", "+16,7*", "+33,3*", "+50,0*", "+66,7*", "+83,3*"]
        cells[5].click()
        time.sleep(0.3)
        assert find(browser, "#found")[0].text == "50 de 60 itens"

    def test_what_is_printed_is_drawn_though_it_was_never_in_sight(self, browser, many_html, tmp_path):
        """Folds open, every matrix has its six models and every chart its drawing."""
        visit(browser, many_html, tmp_path / "report.html")
        browser.execute_script("dispatchEvent(new Event('beforeprint'))")
        undrawn = ".matrix:not([data-drawn]), .chart:not([data-drawn])"
        wait_until(lambda: not find(browser, undrawn), lambda: browser.get_log("browser"))
        assert not find(browser, "main details:not(.note):not([open])")
        assert [len(table.find_elements("css selector", "tbody tr")) for table in find(browser, ".matrix")] == [6, 6]
        assert len(find(browser, ".chart svg")) == len(Page(many_html).data["charts"])

    def test_tables_and_charts_can_be_saved(self, browser, html, tmp_path):
        """A table as CSV with decimal points and a column for each end of an interval, a chart as SVG and PNG."""
        visit(browser, html, tmp_path / "report.html")
        said = browser.execute_script("return page.commaSeparated(document.querySelector('#board-0 table'))")
        rows = list(csv.reader(said.splitlines()))
        assert rows[0][:5] == ["Posição", "Modelo", "Estrito %", "Estrito % low", "Estrito % high"]
        parrot = dict(zip(rows[0], rows[3], strict=True))
        assert (parrot["Modelo"], parrot["Estrito %"], parrot["Passivas %"]) == ("papagaio", "31.8", "100.0")
        browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
        figure = drawn(browser, find(browser, "#scores-0")[0])
        buttons = [*figure.find_elements("css selector", ".savers button"), find(browser, "#board-0 .savers button")[0]]
        assert [button.accessible_name.partition(":")[0] for button in buttons] == [
            "Baixar SVG", "Baixar PNG", "Baixar CSV",
        ]  # fmt: skip
        for button in buttons:
            button.click()
        wanted = [tmp_path / name for name in ("scores-0.svg", "scores-0.png", "Placar-ifeval_pt.csv")]
        wait_until(lambda: all(path.exists() for path in wanted), lambda: list(tmp_path.iterdir()))
        svg = wanted[0].read_text(encoding="utf-8")
        assert "papagaio" in svg
        assert "currentColor" not in svg
        assert wanted[1].read_bytes().startswith(b"\x89PNG")
        assert wanted[2].read_bytes().startswith(b"\xef\xbb\xbf")

    def test_a_telephone_shows_values_beside_the_restrictions(self, browser, html, tmp_path):
        """At 390 pixels the page does not scroll sideways, and the first rate of the map is in sight."""
        size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        try:
            visit(browser, html, tmp_path / "report.html")
            assert browser.execute_script("return document.documentElement.scrollWidth") == 390
            rate = find(browser, ".map .rate")[0].rect
            assert rate["x"] + rate["width"] <= 390
        finally:
            browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_charts_are_told_in_words(self, browser, html, tmp_path):
        """The drawing has a description, each point a name with its model and value; numbers have a comma."""
        visit(browser, html, tmp_path / "report.html")
        figure = drawn(browser, find(browser, "#scores-0")[0])
        (svg,) = figure.find_elements("css selector", "svg")
        points = svg.find_elements("css selector", "[aria-roledescription=point]")
        labels = [point.get_attribute("aria-label") for point in points]
        assert any(re.search(r"papagaio.*31,8", label) for label in labels)
        described = figure.find_element("css selector", "[role=graphics-document]")
        assert described.accessible_name.startswith("Gráfico: a taxa estrita de cada modelo")

    def test_hostile_answers_stay_text(self, browser, tmp_path):
        """Nothing of a hostile answer runs; it is shown as it is, in its own direction."""
        visit(browser, hostile(tmp_path), tmp_path / "report.html", "#item=ifeval_pt:0")
        assert browser.title != "hacked"
        answer = find(browser, ".answers .text")[0]
        is_there = "return arguments[0].textContent.includes(arguments[1])"
        assert browser.execute_script(is_there, answer, "</script><script>document.title='hacked'</script><img src=x")
        assert answer.get_attribute("dir") == "auto"
        assert find(browser, ".answers img, .answers script") == []

    def test_items_of_choices(self, browser, html, tmp_path):
        """The chosen continuation is marked; right and wrong have their own words."""
        multiple_choice(tmp_path, *("enem", "bluex", "oab_exams", "belebele_pt"))
        visit(browser, report.page(report.gather(results.read([tmp_path]))), tmp_path / "report.html", "#item=enem:1")
        assert [mark.text for mark in find(browser, "#detail mark")] == ["b"]
        choose(browser, "f-outcome", "A não passou")
        assert find(browser, "#found")[0].text == "10 de 40 itens"

    def test_a_huge_answer_does_not_hold_the_page_up(self, browser, tmp_path):
        """Of a megabyte the beginning is shown, the rest on demand."""
        runs.write(tmp_path, "m", lambda doc: "Vou à feira. " * 80_000, documents=2)
        html = report.page(report.gather(results.read([tmp_path])))
        assert visit(browser, html, tmp_path / "report.html", "#item=ifeval_pt:0") < 20 * calibration(browser)
        (answer,) = find(browser, ".answers .text")
        assert len(answer.get_attribute("textContent")) < 21_000
        answer.find_element("css selector", "button").click()
        assert len(answer.get_attribute("textContent")) == 13 * 80_000
