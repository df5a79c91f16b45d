"""Rows are checked before a token is generated."""

import json

import pytest

from lm_eval_ifeval_pt.ifeval import rows
from lm_eval_ifeval_pt.ifeval.dialects.ifeval_pt import IFEVAL_PT
from lm_eval_ifeval_pt.ifeval.rows import RowsError

GOOD = {"key": 1, "prompt": "Diga oi.", "instruction_id_list": ["ptbr:crase"], "kwargs": [{}]}


def resolve(*changed, **options):
    """The good row, changed, as resolved."""
    return rows.resolve([GOOD | change for change in changed], IFEVAL_PT, "rows.jsonl", **options)


@pytest.mark.parametrize("kwargs", [[{}], [None], {}, [{"num_words": None}]])
def test_absent_arguments_may_be_written_in_any_usual_way(kwargs):
    """An empty object, null, a bare object and null columns, as Arrow fills them, all mean no arguments."""
    assert resolve({"kwargs": kwargs}) == [GOOD]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompt": " "}, "prompt is empty"),
        ({"instruction_id_list": []}, "instruction_id_list"),
        ({"instruction_id_list": "ptbr:crase"}, "instruction_id_list"),
        ({"kwargs": [{}, {}]}, "list of 1 objects"),
        ({"kwargs": ["x"]}, "object or null"),
        ({"kwargs": [{"palavra": "x"}]}, "unknown argument 'palavra'"),
    ],
)
def test_a_bad_row_is_named_with_its_fault(change, message):
    """The message names the source, the row, its key and what is wrong."""
    with pytest.raises(RowsError, match=rf"rows\.jsonl, row 1 \(key 1\): .*{message}"):
        resolve(change)


def test_a_missing_column_is_named():
    """A row without kwargs says which columns it has."""
    with pytest.raises(RowsError, match="missing columns: kwargs"):
        rows.resolve([{"key": 1, "prompt": "a", "instruction_id_list": ["ptbr:crase"]}], IFEVAL_PT, "x")


def test_a_key_may_occur_once():
    """Two rows with one key would be counted as one by anyone who joins on it."""
    with pytest.raises(RowsError, match="twice"):
        resolve({}, {})


def test_unknown_ids_stop_the_load_and_are_all_listed():
    """Every unknown id is listed with its count and what to do."""
    with pytest.raises(RowsError, match=r"x:a \(2\), x:b \(1\).*dialects/.*skip"):
        resolve(
            {"key": 1, "instruction_id_list": ["x:a"]},
            {"key": 2, "instruction_id_list": ["x:a"]},
            {"key": 3, "instruction_id_list": ["x:b"]},
        )


def test_unknown_ids_can_be_left_out_and_counted(caplog):
    """With skip, the rows are left out and the log says how many."""
    assert [row["key"] for row in resolve({"key": 2}, {"key": 3, "instruction_id_list": ["x:a"]}, unknown="skip")] == [
        2
    ]
    assert "1 of 2 rows left out" in caplog.text


def test_a_torn_line_is_named(tmp_path):
    """A line that is no JSON is named by file and number."""
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(GOOD) + "\n{", encoding="utf-8")
    with pytest.raises(RowsError, match=r"rows\.jsonl, line 2"):
        list(rows.read_jsonl(path))


def test_only_line_feeds_end_a_row(tmp_path):
    """A prompt may hold a line separator or NEL unescaped, as `ensure_ascii=False` writes them."""
    row = GOOD | {"prompt": "Diga\u2028oi\u0085já."}
    path = tmp_path / "rows.jsonl"
    path.write_bytes(f"{json.dumps(row, ensure_ascii=False)}\r\n".encode() * 2)
    assert list(rows.read_jsonl(path)) == [row, row]
