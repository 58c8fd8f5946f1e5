import numpy as np
import pytest
from scipy.stats import norm

from sentree.profiles.intervals import delta_interval, quantile, share_interval, wilson

Z = norm.ppf(0.975)


def test_wilson_by_hand():
    # 8 of 10 with z = 1.96: the known interval of textbooks.
    low, high = wilson(8, 10, Z)
    assert low == pytest.approx(0.4902, abs=1e-4)
    assert high == pytest.approx(0.9433, abs=1e-4)
    assert wilson(0, 10, Z)[0] == 0
    assert wilson(10, 10, Z)[1] == 1
    assert [float(x) for x in wilson(0, 0, Z)] == [0, 1]


def test_difference_of_shares_as_newcombe_printed_it():
    # Newcombe (1998), Table II, method 10: 56/70 - 48/80 and 10/10 - 0/20.
    assert share_interval(56, 70, 48, 80, Z) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    assert share_interval(10, 10, 0, 20, Z) == pytest.approx((0.6791, 1.0), abs=1e-4)
    assert share_interval(9, 10, 3, 10, Z) == pytest.approx((0.1705, 0.8090), abs=1e-4)


def test_interval_of_delta_solves_its_equation():
    delta, m, n = 0.4, 30, 50
    low, high = delta_interval(delta, m, n, Z)
    for limit in (low, high):
        t, area = (limit + 1) / 2, (delta + 1) / 2
        rows = (m + n) / 2 - 1
        variance = t * (1 - t) / (m * n) * (1 + rows * (1 - t) / (2 - t) + rows * t / (1 + t))
        assert (area - t) ** 2 == pytest.approx(Z**2 * variance, abs=1e-6)
    assert low < delta < high


def test_interval_of_delta_is_symmetric_and_bounded():
    low, high = delta_interval([1, -1, 0.0], 20, 30, Z)
    assert high[0] == 1
    assert low[1] == -1
    assert low[0] == pytest.approx(-high[1])
    assert low[2] == pytest.approx(-high[2])
    assert 0 < low[0] < 1  # twenty values above thirty others are no accident
    assert delta_interval(1.0, 1, 100, 3.0)[0] < 0  # one value may be
    assert [float(x) for x in delta_interval(np.nan, 0, 5, Z)] == [-1, 1]


def test_interval_of_delta_covers_the_truth():
    rng = np.random.default_rng(0)
    truth = 2 * norm.cdf(1 / np.sqrt(2)) - 1
    hits = 0
    for _ in range(300):
        a, b = rng.normal(1, 1, 15), rng.normal(0, 1, 60)
        delta = np.sign(a[:, None] - b).mean()
        low, high = delta_interval(delta, 15, 60, Z)
        hits += low <= truth <= high
    assert 0.92 <= hits / 300 <= 0.99


def test_quantile_grows_with_the_number_of_comparisons():
    assert quantile(1) == pytest.approx(1.95996, abs=1e-5)
    assert quantile(10) == pytest.approx(norm.ppf(1 - 0.0025))
