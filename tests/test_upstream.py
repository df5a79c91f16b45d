"""What others would accept: the Hub the rows with their card, the harness the definition with its README."""

import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import datasets
import pytest
import yaml
from huggingface_hub import DatasetCard, DatasetCardData, metadata_load

ROOT = Path(__file__).parents[1]
ROWS, TASKS = ROOT / "data" / "ifeval_pt", ROOT / "tasks"
CARD = ROWS / "README.md"

# The sections of templates/new_yaml_task/README.md in EleutherAI/lm-evaluation-harness.
TEMPLATE = """
### Paper
### Citation
### Groups, Tags, and Tasks
#### Groups
#### Tags
#### Tasks
### Checklist
### Changelog
"""


def test_the_card_is_one():
    """It is read with its metadata, which survive being written, and names what the Hub filters data sets by."""
    card = DatasetCard.load(CARD)
    assert card.data.to_dict() == metadata_load(CARD) == DatasetCard(str(card)).data.to_dict()
    known = {*vars(DatasetCardData(language="pt")), "language", "configs"}
    assert set(card.data.to_dict()) <= known | {"tags"}
    assert (card.data.license, card.data.language, card.data.size_categories) == ("apache-2.0", ["pt"], ["n<1K"])
    assert card.data.task_categories == ["text-generation"]
    assert card.text.lstrip().startswith("# ")


def test_the_card_leads_to_the_rows(tmp_path):
    """`datasets` finds the split where the card says; the folder of this repository could be uploaded as it is."""
    (split, rows), *others = datasets.load_dataset(str(ROWS), cache_dir=str(tmp_path)).items()
    assert (split, len(rows), others) == ("test", 308, [])
    assert rows.column_names == ["key", "prompt", "instruction_id_list", "kwargs"]


@pytest.fixture(scope="module")
def task():
    """`ifeval_pt` as the harness makes it."""
    from lm_eval.tasks import TaskManager

    return TaskManager().load_task_or_group("ifeval_pt")["ifeval_pt"]


@pytest.mark.slow
def test_the_definition_is_one_by_the_harness_command():
    """`lm_eval validate` finds it and reads it."""
    command = [sys.executable, "-m", "lm_eval", "validate", "--tasks", "ifeval_pt"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All tasks found and valid" in done.stdout


@pytest.mark.slow
def test_the_task_passes_what_the_harness_asks_of_new_tasks(task):
    """The checks of its tests/test_tasks.py: splits, prompts that do not end in white space, requests."""
    assert task.dataset is not None
    for has, split in [
        (task.has_training_docs(), task.config.training_split),
        (task.has_validation_docs(), task.config.validation_split),
        (task.has_test_docs(), task.config.test_split),
    ]:
        assert has in (True, False)
        assert not has or split is not None
    assert task.should_decontaminate() in (True, False)
    documents = list(islice(task.test_docs(), 10))
    texts = [task.doc_to_text(document) for document in documents]
    assert all(isinstance(text, str) and not text[-1].isspace() for text in texts)
    assert all(isinstance(task.doc_to_target(document), (int, str)) for document in documents)
    pairs = zip(documents, texts, strict=True)
    assert len([task.construct_requests(doc=document, ctx=text) for document, text in pairs]) == 10
    task.build_all_requests(limit=10, rank=0, world_size=1)
    assert len(task.instances) == 10


def test_the_task_has_a_readme_of_the_template():
    """Its sections in its order, and under Tasks every task of the folder."""
    text = (TASKS / "ifeval_pt" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^#{3,4} .*$", text, re.MULTILINE) == TEMPLATE.split("\n")[1:-1]
    listed = re.findall(r"^\* `(\w+)`: \S", text.partition("#### Tasks")[2], re.MULTILINE)
    made = [yaml.safe_load(re.sub(r"!function ", "", path.read_text(encoding="utf-8")))["task"]
            for path in sorted((TASKS / "ifeval_pt").glob("*.yaml"))]  # fmt: skip
    assert listed == made


@pytest.mark.parametrize("path", sorted(TASKS.rglob("*.*")), ids=lambda path: path.name)
def test_files_pass_the_hooks_of_the_harness(path):
    """Those of its .pre-commit-config.yaml that look at text: line ends, white space, the last line, no BOM."""
    if "__pycache__" in path.parts:
        return
    content = path.read_bytes()
    assert content.endswith(b"\n")
    assert not content.endswith(b"\n\n")
    assert b"\r" not in content
    assert not content.startswith(b"\xef\xbb\xbf")
    assert not re.search(rb"[ \t]+$", content, re.MULTILINE)
