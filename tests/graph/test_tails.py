"""Long tails of columns."""

import numpy as np
import pytest

from sentree.graph.tails import find_tails


@pytest.mark.parametrize(
    "column",
    [
        lambda random: random.normal(size=1000),
        lambda random: random.random(1000),
        lambda random: random.integers(0, 2, 1000),
        lambda random: random.integers(0, 6, 1000),
        lambda random: random.poisson(3, 1000),
        lambda random: np.ones(1000),
        lambda random: np.r_[random.normal(0, 1, 10000), random.normal(30, 1, 30)],
        lambda random: np.r_[random.normal(0, 1, 950), random.normal(12, 1, 50)],
        lambda random: np.r_[random.normal(0, 1, 800), random.normal(9, 1, 200)],
        lambda random: np.r_[random.normal(0, 1, 970), random.normal(8, 1, 30)],
        lambda random: np.r_[random.normal(0, 0.2, 500), random.normal(0, 5, 500)],
        lambda random: np.r_[random.normal(0, 1, 1000), [1e9]],
    ],
)
def test_columns_without_a_tail_stay_as_they_are(column):
    values = np.asarray(column(np.random.default_rng(0)), dtype=float)
    assert find_tails(values[:, None]) is None
    assert find_tails(-values[:, None]) is None


@pytest.mark.parametrize(
    "column",
    [
        lambda random: np.exp(random.normal(size=1000)),
        lambda random: np.exp(random.normal(2, 1.5, 1000)) - 5,
        lambda random: 100 - np.exp(random.normal(size=1000)),
        lambda random: random.exponential(size=1000),
        lambda random: random.poisson(5 * random.gamma(0.7, 1, 1000)),
        lambda random: np.where(random.random(1000) < 0.5, 0, np.exp(random.normal(2, 1, 1000))),
        lambda random: random.standard_cauchy(1000),
        lambda random: np.r_[np.exp(random.normal(size=1000)), 1e12],
    ],
)
def test_long_tails_are_drawn_in(column):
    values = np.asarray(column(np.random.default_rng(0)), dtype=float)[:, None]
    tails = find_tails(values)
    assert tails.columns.tolist() == [0]
    drawn = tails(values)
    order = np.argsort(values[:, 0], kind="stable")
    assert (np.diff(drawn[order, 0]) >= 0).all()  # nothing changes places
    bulk = np.quantile(drawn, [0.01, 0.25, 0.75, 0.99])
    before = np.quantile(values, [0.01, 0.25, 0.75, 0.99])
    assert np.ptp(bulk) / (bulk[2] - bulk[1]) < np.ptp(before) / max(before[2] - before[1], 1e-9)


def test_too_few_samples_show_no_tail():
    assert find_tails(np.exp(np.random.default_rng(0).normal(size=(40, 2)))) is None
