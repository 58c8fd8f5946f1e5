import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from sentree.paper.reproduce.ranks import cliques, critical_difference, p_value, ranking


def test_ranks_by_hand():
    values = {
        "x": {"a": 90.0, "b": 80.0, "c": 70.0},
        "y": {"a": 50.0, "b": 50.0, "c": 60.0},  # a and b share 2 and 3
    }
    found = ranking(values, ["a", "b", "c"])
    assert found.mean == {"a": 1.75, "b": 2.25, "c": 2.0}
    assert found.n_datasets == 2


def test_failed_is_last_and_a_data_set_that_lacks_a_method_is_left_out():
    nan = float("nan")
    values = {
        "x": {"a": nan, "b": 80.0, "c": nan},  # a and c share 2 and 3
        "y": {"a": 50.0, "b": 40.0, "c": 60.0},
        "z": {"a": 50.0, "b": 99.0},
    }
    found = ranking(values, ["a", "b", "c"])
    assert found.mean == {"a": 2.25, "b": 2.0, "c": 1.75}
    assert found.n_datasets == 2
    assert ranking(values, ["a", "b"]).mean == {"a": 5 / 3, "b": 4 / 3}


@pytest.mark.parametrize("ties", [False, True])
def test_friedman_is_that_of_scipy(ties):
    table = np.random.default_rng(1).normal(size=(9, 5)) + np.arange(5) / 4
    table = np.round(table) if ties else table
    values = {str(row): dict(zip("abcde", line, strict=True)) for row, line in enumerate(table)}
    assert ranking(values, "abcde").p == pytest.approx(friedmanchisquare(*table.T).pvalue)


def test_all_equal_is_no_difference():
    values = {name: dict.fromkeys("abc", 1.0) for name in "xy"}
    assert ranking(values, "abc").p == 1.0


@pytest.mark.parametrize(
    ("k", "quantile"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (7, 2.949), (10, 3.164)]
)
def test_nemenyi_quantiles_are_those_of_demsar(k, quantile):
    n = 9
    assert critical_difference(k, n) * (6 * n / (k * (k + 1))) ** 0.5 == pytest.approx(
        quantile, abs=1.1e-3
    )


def test_critical_difference_of_demsars_example():
    assert round(critical_difference(4, 14), 2) == 1.25


@pytest.mark.parametrize(("n_datasets", "methods"), [(1, "abc"), (3, "ab")])
def test_no_test_of_too_little(n_datasets, methods):
    values = {str(row): {"a": 1.0, "b": 2.0, "c": 3.0} for row in range(n_datasets)}
    found = ranking(values, methods)
    assert np.isnan([found.p, found.critical]).all()
    assert found.mean["a"] > found.mean["b"]


def test_nothing_to_rank():
    assert ranking({}, []).n_datasets == 0
    assert np.isnan(ranking({"x": {"a": 1.0}}, ["a", "b"]).mean["a"])


def test_cliques_are_the_largest_groups_only():
    mean = {"a": 1.0, "b": 2.0, "c": 2.9, "d": 4.5, "e": 7.0}
    assert cliques(mean, 2.0) == [["a", "b", "c"], ["c", "d"]]
    assert cliques(mean, 0.5) == []
    assert cliques(mean, 6.0) == [["a", "b", "c", "d", "e"]]


def test_p_values_are_short():
    assert p_value(8.3e-7) == "p < 0.0001"
    assert p_value(0.0642) == "p = 0.064"
