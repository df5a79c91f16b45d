"""Generated documentation."""

from lm_eval_ifeval_pt.constraints import catalogue


def test_the_catalogue_is_fresh():
    """The file equals what the definitions say; `make catalogue` renews it."""
    assert catalogue.CATALOGUE.read_text(encoding="utf-8") == catalogue.catalogue()
