"""Words and sentences against treebanks; the bars are above the best of other splitters on the same data."""

import pytest

from tests.quality import gold, segmentation

pytestmark = gold.needs_gold


@pytest.mark.parametrize(
    ("documents", "bar"), [("clean real", 0.985), ("clean synthetic", 0.945), ("all real", 0.980)]
)
def test_sentences(documents, bar):
    """The share of documents whose sentences are counted exactly."""
    assert segmentation.sentences()[documents].exact >= bar


def test_words():
    """The share of sentences whose words are counted exactly."""
    assert segmentation.words()["all"].exact >= 0.985
