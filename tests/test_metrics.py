"""Instruction-level rates under the harness's own mean and stderr."""

import json
import math
import pickle

import pytest
from lm_eval.api.metrics import mean, mean_stderr

from lm_eval_ifeval_pt.ifeval.metrics import Outcomes


def test_the_harness_mean_is_the_rate_over_all_instructions():
    """[T, T], [T, F, T, T], [F] is 5 of 7, not the mean of the three documents' means."""
    assert mean([Outcomes([True, True]), Outcomes([True, False, True, True]), Outcomes([False])]) == 5 / 7


def test_documents_without_such_an_instruction_do_not_count():
    """A document without active instructions changes neither the rate nor its denominator."""
    assert mean([Outcomes([True]), Outcomes(), Outcomes([False]), Outcomes([True])]) == 2 / 3


def test_one_instruction_per_document_gives_the_stderr_of_a_mean():
    """With one instruction each, the ratio estimator is the mean: 14 of 307 has stderr .011926 (lm-eval issue 3966)."""
    outcomes = [Outcomes([index < 14]) for index in range(307)]
    assert mean_stderr(outcomes) == pytest.approx(0.011926, abs=5e-7)


def test_the_stderr_is_the_one_of_a_ratio_estimator():
    """Hand computation: R = 5/7, residuals 4/7, 1/7 and -5/7, divided by 7/3 instructions per document."""
    outcomes = [Outcomes([True, True]), Outcomes([True, False, True, True]), Outcomes([False])]
    scaled = [(4 / 7) / (7 / 3), (1 / 7) / (7 / 3), (-5 / 7) / (7 / 3)]
    assert mean_stderr(outcomes) == pytest.approx(math.sqrt(sum(x * x for x in scaled) / 2 / 3))


def test_outcomes_are_logged_as_a_plain_list():
    """Sample files show [true, false], as the harness's own IFEval does."""
    assert json.dumps(Outcomes([True, False])) == "[true, false]"


def test_a_rate_over_no_instruction_is_not_a_number():
    """A --limit that leaves no passive instruction gives nan, not 0 or 1."""
    assert math.isnan(mean([Outcomes(), Outcomes()]))


def test_results_travel_between_processes():
    """What `simple_evaluate` returns can be sent back by a worker of multiprocessing, with all it knows."""
    rate = mean([Outcomes([True, True]), Outcomes([False])])
    copy = pickle.loads(pickle.dumps(rate))
    assert (copy, copy.per_document) == (2 / 3, 1.5)
