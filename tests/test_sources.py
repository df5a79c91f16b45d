"""Data sets by name, in their own schemas."""

import pytest

from lm_eval_ifeval_pt import ifeval
from lm_eval_ifeval_pt.ifeval import sources
from lm_eval_ifeval_pt.ifeval.rows import RowsError
from tests import ifeval_rows
from tests.quality.gold import GOLD, needs_gold


def load(dataset, path, dialect="google_pt", **metadata):
    """The documents of a data set that lies in a file."""
    return ifeval.load_dataset(dataset, dialect, source=path, **metadata)["test"]


def instructions(document):
    """The ids of a document with the arguments that are there."""
    given = [{name: value for name, value in kwargs.items() if value is not None} for kwargs in document["kwargs"]]
    return list(zip(document["instruction_id_list"], given, strict=True))


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_rows_of_the_hub_hold_numbers_as_floats_and_all_columns(tmp_path, name):
    """Absent arguments are null and counts are floats there; what is bound has neither."""
    path = ifeval_rows.write(tmp_path / name, ifeval_rows.POLYGL0T)
    first, second = load("polygl0t", path)
    assert instructions(first) == [
        ("change_case:lowercase", {"language": "pt"}),
        ("length_constraints:number_words", {"num_words": 20, "relation": "less than"}),
    ]
    assert instructions(second) == [
        (
            "length_constraints:nth_paragraph_first_word",
            {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "ontem"},
        )
    ]


def test_lists_may_be_json_in_strings_and_keys_may_be_missing(tmp_path):
    """Of data sets whose schema was not seen: CSV exports write lists as text, and some have no key."""
    row = {
        "prompt": "Diga oi.",
        "instruction_id_list": '["keywords:existence"]',
        "kwargs": '[{"keywords": ["oi"]}]',
    }
    (document,) = load("akawaai", ifeval_rows.write(tmp_path / "rows.csv", [row]))
    assert (document["key"], instructions(document)) == (1, [("keywords:existence", {"keywords": ["oi"]})])


def test_a_turn_asks_for_all_that_was_asked_before(tmp_path):
    """One document a turn; its prompt is what the user has said so far, since the data have no answers."""
    rows = [
        ifeval_rows.multi_if(),
        ifeval_rows.multi_if("6:1:pt", turns=2),
        ifeval_rows.multi_if("7:1:es", language="Spanish"),
    ]
    documents = load("multi_if", ifeval_rows.write(tmp_path / "multi.csv", rows))
    assert [(row["conversation"], row["turn"]) for row in documents] == [
        ("5:1:pt", 1),
        ("5:1:pt", 2),
        ("5:1:pt", 3),
        ("6:1:pt", 1),
        ("6:1:pt", 2),
    ]
    third = documents[2]
    assert third["turns"] == [prompt for prompt, *_ in ifeval_rows.TURNS]
    assert third["prompt"] == "\n\n".join(third["turns"])
    assert instructions(third) == [(id, kwargs) for _, id, kwargs in ifeval_rows.TURNS]
    assert [len(row["kwargs"]) for row in documents] == [1, 2, 3, 1, 2]


def test_with_a_turn_its_conversation_is_left_out(tmp_path):
    """A conversation of which a turn cannot be scored would be scored as one that has fewer turns."""
    broken = ifeval_rows.multi_if("6:1:pt") | {"turn_3_instruction_id_list": '["x:y"]', "turn_3_kwargs": '["{}"]'}
    path = ifeval_rows.write(tmp_path / "multi.jsonl", [ifeval_rows.multi_if(), broken])
    documents = load("multi_if", path, unknown="skip")
    assert {row["conversation"] for row in documents} == {"5:1:pt"}
    assert {row["rows_left_out"] for row in documents} == {3}


def test_english_capitals_are_portuguese_in_gap_ufg_alone(tmp_path):
    """The same id asks for another language in another data set."""
    gap = load("gap_ufg", ifeval_rows.write(tmp_path / "gap.jsonl", ifeval_rows.GAP_UFG), "gap_ufg")
    marco = load("marco_mif", ifeval_rows.write(tmp_path / "marco.jsonl", ifeval_rows.MARCO))
    assert instructions(gap[0])[0] == ("change_case:capital", {"language": "pt"})
    assert instructions(marco[0])[0] == ("change_case:capital", {"language": "en"})


def test_translated_ids_and_languages_are_understood_and_a_missing_letter_is_reported(tmp_path):
    """Machine translation went over ids, relations and language codes; it lost a letter, which nothing replaces."""
    path = ifeval_rows.write(tmp_path / "pten.jsonl", ifeval_rows.PT_EN)
    with pytest.raises(RowsError, match=r"key 1003.*'letter'.*missing.*skip"):
        load("gap_ufg_translated", path, "pt_en")
    first, second = load("gap_ufg_translated", path, "pt_en", invalid="skip")
    assert instructions(first) == [
        ("punctuation:no_comma", {}),
        ("keywords:frequency", {"keyword": "mar", "frequency": 2, "relation": "at least"}),
    ]
    assert instructions(second) == [("language:response_language", {"language": "kn"})]
    assert first["rows_left_out"] == 1


def test_every_invalid_row_is_listed_with_its_key(tmp_path):
    """The load tells all of them at once, each with what is wrong."""
    rows = [
        ifeval_rows.MARCO[0] | {"key": 70, "kwargs": [{}, {"language": "klingon"}]},
        ifeval_rows.MARCO[1]
        | {
            "key": 80,
            "kwargs": [{"letter": "#", "let_frequency": 2.5, "let_relation": "at least"}, {"language": "pt"}],
        },
        ifeval_rows.MARCO[1],
    ]
    path = ifeval_rows.write(tmp_path / "rows.jsonl", rows)
    with pytest.raises(RowsError, match=r"key 70.*'klingon'.*key 80.*2\.5"):
        load("marco_mif", path)
    (document,) = load("marco_mif", path, invalid="skip")
    assert (document["key"], document["rows_left_out"]) == (8, 2)


def test_an_alias_teaches_an_id_for_one_run(tmp_path):
    """What the data set calls otherwise can be named on the command line."""
    row = {"key": 1, "prompt": "Sem vírgulas.", "instruction_id_list": ["fmt:virgulas"], "kwargs": [{}]}
    path = ifeval_rows.write(tmp_path / "rows.jsonl", [row])
    with pytest.raises(RowsError, match=r"fmt:virgulas \(1\).*aliases"):
        load("amalia", path)
    (document,) = load("amalia", path, aliases={"fmt:virgulas": "punctuation:no_comma"})
    assert document["instruction_id_list"] == ["punctuation:no_comma"]


@pytest.mark.parametrize("dataset", [name for name in sources.SOURCES if name != "ifeval_pt"])
def test_without_network_the_message_names_the_way_out(dataset, monkeypatch):
    """A failed download names the place and the local copy."""
    import datasets

    def fail(*_, **__):
        raise ConnectionError("no route")

    monkeypatch.setattr(datasets, "load_dataset", fail)
    monkeypatch.setattr(datasets.DownloadManager, "download", fail)
    place = sources.SOURCES[dataset].place
    with pytest.raises(RowsError, match=rf"{place}.*no route.*local copy"):
        list(sources.read(dataset, "hub"))


def test_the_hub_is_asked_for_the_files_and_the_split_of_the_data_set(monkeypatch):
    """Polygl0t has a split train only; Marco's repository holds thirty languages."""
    import datasets

    asked = []

    def load_dataset(place, **files):
        asked.append((place, files))
        return {"train": ifeval_rows.POLYGL0T}

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    assert [row["key"] for row in sources.read("polygl0t", "hub")] == [1, 2]
    list(sources.read("marco_mif", "hub"))
    assert asked == [("Polygl0t/IFEval-PT", {}), ("AIDC-AI/Marco-Bench-MIF", {"data_files": "**/pt.jsonl"})]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet"])
def test_a_file_that_is_not_there_is_named(tmp_path, name):
    """Whatever its format."""
    with pytest.raises(RowsError, match=name):
        list(sources.read("polygl0t", str(tmp_path / name)))


def test_a_data_set_that_is_not_there_is_refused():
    """With those that are."""
    with pytest.raises(RowsError, match=r"'poliglota'.*polygl0t"):
        sources.read("poliglota", "hub")


@needs_gold
def test_the_541_rows_of_marco_are_read():
    """All of them, letters '#' and '!' and leading blanks in keywords included."""
    documents = load("marco_mif", str(GOLD / "ifeval" / "marco_bench_mif_pt.jsonl"))
    assert len(documents) == 541
    assert {"#", "!"} <= {kwargs["letter"] for row in documents for kwargs in row["kwargs"]}


@needs_gold
def test_the_samples_of_gap_ufg_are_read():
    """39 rows of its own set; of the translation all but the one without a letter."""
    folder = GOLD / "ifeval" / "gap-ufg"
    assert len(load("gap_ufg", str(folder / "pt_input_data_FINAL_CLEAN.sample.jsonl"), "gap_ufg")) == 39
    path = str(folder / "pten_input_data.sample.jsonl")
    assert len(load("gap_ufg_translated", path, "pt_en", invalid="skip")) == 11
