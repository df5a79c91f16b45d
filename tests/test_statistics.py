"""Every statistic against published values, not against our own code."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from lm_eval_ifeval_pt import statistics
from lm_eval_ifeval_pt.statistics import Estimate
from tests.quality import coverage

# Lohr, Sampling: Design and Analysis, chapter 5: grade averages of four students in each of five suites.
GRADES = (
    (3.08, 2.60, 3.44, 3.04),
    (2.36, 3.04, 3.28, 2.68),
    (2.00, 2.56, 2.52, 1.88),
    (3.00, 2.88, 3.44, 3.64),
    (2.68, 1.92, 3.28, 3.20),
)
# Benjamini and Hochberg 1995, section 3.1: fifteen comparisons of two thrombolytic treatments.
THROMBOLYSIS = (
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0,
)
# The usual worked example of Fleiss' kappa: fourteen raters, ten subjects, five categories.
RATINGS = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)
# Stigler 1994, Statistical Science 9:94: citations between Biometrika, Communications in Statistics, JASA, JRSS-B.
CITATIONS = ((0, 730, 498, 221), (33, 0, 68, 17), (320, 813, 0, 142), (284, 276, 325, 0))
# Agresti, Categorical Data Analysis, table 10.10: American League 1987; row beat column.
BASEBALL = {
    "Milwaukee": (0, 7, 9, 7, 7, 9, 11), "Detroit": (6, 0, 7, 5, 11, 9, 9), "Toronto": (4, 6, 0, 7, 7, 8, 12),
    "New York": (6, 8, 6, 0, 6, 7, 10), "Boston": (6, 2, 6, 7, 0, 7, 12), "Cleveland": (4, 4, 5, 6, 6, 0, 6),
    "Baltimore": (2, 4, 1, 3, 1, 7, 0),
}


@pytest.mark.parametrize(
    ("followed", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_are_those_of_newcombe(followed, n, low, high):
    """Newcombe 1998, Statistics in Medicine 17:857, table I, method 3."""
    assert statistics.wilson(followed, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("correct", "n", "stderr"),
    [(14, 307, 0.011926), (2, 123, 0.011450), (5, 280, 0.007929), (8, 154, 0.017941), (8, 193, 0.014385)],
)
def test_independent_items_have_the_harness_standard_error(correct, n, stderr):
    """As lm_eval prints them in lm-evaluation-harness#3966."""
    assert statistics.mean([1] * correct + [0] * (n - correct)).stderr == pytest.approx(stderr, abs=5e-7)


def test_the_clustered_standard_error_is_that_of_lohr():
    """Mean 2.826; 0.164 with the correction for 5 of 100 suites, so 0.164 / sqrt(0.95) = 0.168 without."""
    grades = [grade for suite in GRADES for grade in suite]
    found = statistics.mean(grades, [suite for suite in range(5) for _ in range(4)])
    assert found.value == pytest.approx(2.826)
    assert found.stderr * math.sqrt(1 - 5 / 100) == pytest.approx(0.164, abs=5e-4)
    assert (found.df, found.n) == (4, 20)


def test_clusterings_agree_with_statsmodels():
    """statsmodels 0.15.0, cov_cluster and cov_cluster_2groups of a regression on a constant."""
    outcomes = [1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1]
    tasks, restrictions = [n // 3 for n in range(15)], [n % 3 for n in range(15)]
    assert statistics.mean(outcomes, tasks).stderr == pytest.approx(0.16329932, abs=1e-8)
    assert statistics.mean(outcomes, restrictions).stderr == pytest.approx(0.11547005, abs=1e-8)
    both = statistics.mean(outcomes, tasks, restrictions)
    assert (both.stderr, both.df) == (pytest.approx(0.15118579, abs=1e-8), 2)


def test_a_negative_two_way_variance_falls_back_on_the_larger_one():
    """Outcomes that balance over rows and columns: both one-way variances are 0, less the residual one."""
    square = [1, 0, 0, 1]
    assert statistics.mean(square, [0, 0, 1, 1], [0, 1, 0, 1]).stderr == 0


def test_few_clusters_need_the_t_distribution():
    """Thirteen degrees of freedom: 2.1604 standard errors (any table of t), not 1.96."""
    assert Estimate(0.0, 1.0, 13, 308).interval() == pytest.approx((-2.1604, 2.1604), abs=5e-5)
    assert Estimate(2.1604, 1.0, 13, 308).p_value == pytest.approx(0.05, abs=5e-6)


def test_what_cannot_be_known_is_not_a_number():
    """One item, or one cluster, has no standard error and no interval; items all alike claim nothing but 0."""
    for found in (statistics.mean([1.0]), statistics.mean([1.0, 0.0], ["a", "a"])):
        assert math.isnan(found.stderr)
        assert math.isnan(found.interval().low)
        assert math.isnan(found.p_value)
    assert statistics.mean([0.0, 0.0]).p_value == 1.0
    assert math.isnan(statistics.mean([1.0, 1.0]).p_value)


def test_a_rate_has_a_score_interval():
    """200 of 200: Wilson's 98.1 to 100 %, not 100 to 100; 81 of 263 is Newcombe's 25.53 to 36.62 % (1998, table I)."""
    assert statistics.rate([1.0] * 200).interval() == pytest.approx((0.9812, 1.0), abs=5e-5)
    followed = [1.0] * 81 + [0.0] * 182
    assert statistics.rate(followed).interval() == pytest.approx((0.2553, 0.3662), abs=3e-4)
    assert statistics.rate(followed).stderr == statistics.mean(followed).stderr


def test_a_rate_of_clusters_that_are_all_alike_counts_clusters():
    """14 base tasks of 22 followed answers each say as much of other base tasks as 14 answers."""
    tasks = [task for task in range(14) for _ in range(22)]
    low, high = statistics.rate([1.0] * 308, tasks).interval()
    assert (low, high) == pytest.approx((14 / (14 + 1.959964**2), 1.0))


def test_few_pairs_are_never_certain():
    """Agresti and Min add half a pair to each cell: 2 of 2 pairs for B give 2 / 4 with variance (3/4 - 1/4) / 4."""
    two = statistics.difference_of_rates([1.0, 1.0])
    assert (two.value, two.stderr) == pytest.approx((0.5, math.sqrt(0.5 / 4)))
    assert statistics.difference_of_rates([1.0]).stderr > 0
    assert statistics.difference_of_rates([0.0] * 9).p_value == 1.0


def test_holm_keeps_what_is_not_known():
    """A p-value that is not a number stays one and counts as a comparison: .01 of three is .03."""
    adjusted = statistics.holm([0.01, math.nan, 0.5])
    assert adjusted[0] == pytest.approx(0.03)
    assert math.isnan(adjusted[1])
    assert adjusted[2] == 1.0


def test_the_design_effect_is_kish_s():
    """14 tasks of 22 equal outcomes each: correlation 1 within tasks, so 1 + (22 - 1) * 1 = 22, but for n - 1 for n."""
    outcomes = [task % 2 for task in range(14) for _ in range(22)]
    tasks = [task for task in range(14) for _ in range(22)]
    effect = statistics.design_effect(statistics.mean(outcomes, tasks), statistics.mean(outcomes))
    assert effect == pytest.approx(22 * (307 / 308) * (14 / 13))


def test_the_jackknife_of_a_mean_is_its_standard_error():
    """Efron and Tibshirani 1993, table 2.1, mouse data, treated: mean 86.857, standard error 25.235."""
    treated = np.array([94.0, 197, 16, 38, 99, 141, 23])
    found = statistics.jackknife(lambda rows: float(rows.mean()), treated)
    assert found.value == pytest.approx(86.857, abs=5e-4)
    assert found.stderr == pytest.approx(25.235, abs=5e-3)


@pytest.mark.parametrize(
    ("improved", "regressed", "p"),
    [(121, 59, 4.434e-6), (15, 7, 0.1338), (150, 86, 3.716e-5), (6, 2, 0.2891), (2, 0, 0.5), (6, 0, 0.03125)],
)
def test_mcnemar_is_exact(improved, regressed, p):
    """statsmodels' documentation; Hodgkin's disease of siblings; Agresti's approval ratings; and by hand."""
    assert statistics.mcnemar(improved, regressed) == pytest.approx(p, rel=5e-4)
    assert statistics.mcnemar(regressed, improved) == statistics.mcnemar(improved, regressed)


def test_no_change_is_no_evidence():
    """And six of six is the least that can be significant."""
    assert statistics.mcnemar(0, 0) == 1
    assert statistics.mcnemar(5, 0) > 0.05


def test_multiplicity_is_that_of_benjamini_and_hochberg():
    """Their example: Bonferroni and Holm find three, controlling the false discovery rate finds four."""
    assert sum(p <= 0.05 for p in statistics.holm(THROMBOLYSIS)) == 3
    assert sum(p <= 0.05 for p in statistics.benjamini_hochberg(THROMBOLYSIS)) == 4
    assert statistics.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])  # by hand
    assert statistics.benjamini_hochberg([]) == []


def test_models_that_cannot_be_told_apart_form_groups():
    """a = b, b = c, but a > c: b is in both groups; ranks count the better ones."""
    better = {("a", "b"): 0.3, ("b", "c"): 0.2, ("a", "c"): 0.01}
    assert statistics.tie_groups(["a", "b", "c"], better) == [("a", "b"), ("b", "c")]
    assert statistics.ranks(["a", "b", "c"], better) == {"a": 1, "b": 1, "c": 2}
    assert statistics.tie_groups(["a"], {}) == [("a",)]


@pytest.mark.parametrize(
    ("probabilities", "observed", "p"),
    [
        ([0.5] * 14, 12, 106 / 16384),
        ([1.0] * 14, 14, 1.0),
        ([1 / 22] * 14, 14, 22.0**-14),
        ([0.1, 0.2, 0.3], 3, 0.006),
        ([0.1, 0.2, 0.3], 1, 1 - 0.9 * 0.8 * 0.7),
        ([0.0, 1.0], 2, 0.0),
        ([0.3], 0, 1.0),
    ],
)
def test_the_tail_of_unequal_chances(probabilities, observed, p):
    """Binomial tails and products, by hand; a tail of 1.6e-19 keeps its digits."""
    assert statistics.upper_tail(probabilities, observed) == pytest.approx(p, rel=1e-9)


def test_strengths_are_those_of_stigler_s_journals():
    """BradleyTerry2's vignette: Biometrika 0, with standard errors."""
    found = statistics.bradley_terry(CITATIONS)
    assert found.values == pytest.approx([0, -2.9491, -0.4796, 0.2690], abs=5e-5)
    assert found.stderrs == pytest.approx([0, 0.1025, 0.0606, 0.0708], abs=5e-5)
    assert found.is_connected


def test_strengths_are_those_of_agresti_s_teams():
    """Baltimore 0, with standard errors."""
    found = statistics.bradley_terry(tuple(BASEBALL.values()), reference=6)
    assert found.values == pytest.approx([1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0], abs=1e-4)
    assert found.stderrs == pytest.approx([0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319, 0], abs=1e-4)


def test_games_of_one_cluster_are_one_game():
    """Each its own cluster: the variance of a logit, n / (wins * losses), by n / (n - 1). In pairs: twice that."""
    won, lost = np.array([[0, 1], [0, 0]]), np.array([[0, 0], [1, 0]])
    games = np.array([won] * 30 + [lost] * 10, dtype=float)
    strengths = statistics.bradley_terry(games.sum(axis=0)).values
    assert statistics.clustered_covariance(games, strengths)[0, 0] == pytest.approx(40 / 300 * 40 / 39)
    pairs = games[::2] + games[1::2]
    assert statistics.clustered_covariance(pairs, strengths)[0, 0] == pytest.approx(2 * 40 / 300 * 20 / 19)


def test_an_undefeated_player_has_no_finite_strength():
    """Ford's condition: what is printed for it must say so."""
    assert not statistics.bradley_terry([[0, 3], [0, 0]]).is_connected


def test_elo_depends_on_the_order_of_the_games():
    """Five wins, then five losses: who loses the last five is behind. 1500 against 1500: 16 points."""
    wins, losses = [("a", "b", 1.0)] * 5, [("a", "b", 0.0)] * 5
    assert statistics.elo(wins[:1]) == {"a": 1516, "b": 1484}
    assert statistics.elo(wins + losses) == pytest.approx({"a": 1474.9, "b": 1525.1}, abs=0.05)
    assert statistics.elo(losses + wins) == pytest.approx({"a": 1525.1, "b": 1474.9}, abs=0.05)


def test_kappa_is_that_of_fleiss():
    """0.210, and 1 for unanimity; with a single category there is nothing to agree on."""
    assert statistics.fleiss_kappa(RATINGS) == pytest.approx(0.20993, abs=5e-6)
    assert statistics.fleiss_kappa([(5, 0), (0, 5)]) == 1
    assert math.isnan(statistics.fleiss_kappa([(5, 0), (5, 0)]))
    assert statistics.pairwise_agreement([(2, 1), (3, 0)]) == pytest.approx((1 / 3 + 1) / 2)  # by hand


@pytest.mark.parametrize(
    ("n", "correct", "k", "p"),
    [(10, 3, 1, 0.3), (10, 3, 5, 0.916667), (5, 2, 2, 0.7), (200, 10, 10, 0.408548), (200, 1, 100, 0.5),
     (5, 0, 1, 0), (5, 5, 1, 1)],
)
def test_pass_at_k_is_unbiased(n, correct, k, p):
    """Chen et al. 2021; 1 - C(n-c, k) / C(n, k)."""
    assert statistics.pass_at_k(n, correct, k) == pytest.approx(p, abs=5e-7)


def test_all_of_k_is_the_other_end():
    """Three of five right, two drawn: C(3, 2) / C(5, 2)."""
    assert statistics.pass_to_the_k(5, 3, 2) == pytest.approx(0.3)
    assert statistics.pass_to_the_k(5, 1, 2) == 0


@pytest.mark.parametrize(
    ("correct", "others", "k"),
    [(3, [2, 1], 3), (2, [2, 2, 1], 4), (1, [4], 5), (0, [3], 2), (4, [1, 1, 1], 5), (5, [], 3)],
)
def test_the_majority_is_taken_over_all_subsets(correct, others, k):
    """Against the enumeration of every subset of k answers; equally frequent answers share the vote."""
    answers = ["right"] * correct + [f"wrong {n}" for n, count in enumerate(others) for _ in range(count)]
    votes = []
    for subset in itertools.combinations(answers, k):
        counts = Counter(subset)
        first = [answer for answer in counts if counts[answer] == max(counts.values())]
        votes.append(("right" in first) / len(first))
    assert statistics.majority_at_k(correct, others, k) == pytest.approx(sum(votes) / len(votes))


def test_power_is_that_of_miller():
    """Miller 2024: 969 items for 3 points; with 198 items 13.2 points at one answer, 7.5 at ten."""
    assert math.ceil(statistics.items_needed(0.03, 1 / 9)) == 969
    within = (1 / 6, 1 / 6)
    assert statistics.detectable_difference(198, 1 / 9, within, (1, 1)) == pytest.approx(0.132, abs=1e-3)
    assert statistics.detectable_difference(198, 1 / 9, within, (10, 10)) == pytest.approx(0.075, abs=1e-3)


def test_power_of_mcnemar_is_that_of_connor():
    """A fifth of the items discordant, 5 points: 626; three tenths, 10 points: 234."""
    assert math.ceil(statistics.mcnemar_items_needed(0.2, 0.05)) == 626
    assert math.ceil(statistics.mcnemar_items_needed(0.3, 0.1)) == 234


@pytest.mark.slow
def test_intervals_cover_what_they_say():
    """Rates, differences and clustered rates hold the truth in 93 to 97 % of simulations, from five items on."""
    for n in (5, 14, 98):
        assert 0.93 <= coverage.average_coverage(n)[0] <= 0.97
        assert 0.93 <= coverage.difference_coverage(n, 3000) <= 0.97
    for of_task, of_restriction in ((0.0, 0.0), (0.0, 2.0), (1.0, 1.0)):
        shares = coverage.clustered_coverage(of_task, of_restriction, repetitions=2000)
        assert all(0.93 <= share <= 0.97 for share in shares.values()), shares


def test_five_items_cannot_cover_at_every_rate():
    """Six intervals of any kind jump as the rate passes their ends; on average over rates they hold what they say."""
    average, least, most = coverage.average_coverage(5)
    assert least < 0.93 < average < 0.97 < most


@pytest.mark.parametrize(
    ("n", "share", "possible"), [(5, 0.05, False), (5, 0.5, True), (14, 0.9, True), (22, 0.95, False)]
)
def test_whether_any_interval_can_cover(n, share, possible):
    """Five items at .05: 0 of 5 alone has 77 %, 0 and 1 have 98 %; wherever some interval can, Wilson's does."""
    assert coverage.can_cover(n, share) is possible
    held = float(coverage.coverage_at(n, np.array([share]))[0])
    assert (0.93 <= held <= 0.97) is possible


@pytest.mark.parametrize("documents", [(5,), (2, 2, 2), (2, 100), (1, 50)])
def test_equal_models_are_seldom_told_apart(documents):
    """Four equal models: at most 6 % of rankings claim a difference, however few documents a task has."""
    assert coverage.family_wise_error(documents, 4, 300) <= 0.06


def test_clusters_that_are_all_alike_leave_an_error():
    """9 of 22 in each of 14 clusters: no spread between them is no certainty; Wilson's interval of 126 of 308."""
    outcomes, clusters = ([1] * 9 + [0] * 13) * 14, [cluster for cluster in range(14) for _ in range(22)]
    from scipy.stats import binomtest

    low, high = statistics.rate(outcomes, clusters).interval()
    assert (low, high) == pytest.approx(tuple(binomtest(126, 308).proportion_ci(0.95, "wilson")))
    assert math.isnan(statistics.mean(outcomes, clusters).p_value)
