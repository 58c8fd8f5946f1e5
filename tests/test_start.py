"""Clusters to start from, locks, refits, and numbers that stay."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from sentree import ConstraintConflict, Constraints, SSEPartition
from sentree.start import keep_numbers

X, Y = make_blobs(300, 2, centers=[[0, 0], [8, 0], [0, 8], [8, 8]], random_state=0)


def test_numbers_stay_with_the_cluster_that_shares_most():
    before = np.array([3, 3, 3, 0, 0, 0, 1, -1])
    now = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    assert keep_numbers(now, before, np.empty(0, dtype=int)).tolist() == [3, 3, 3, 0, 0, 1, 1, 1]
    locked = np.array([5])
    assert keep_numbers(now, before, locked).tolist() == [3, 3, 3, 4, 4, 0, 0, 0]


def test_a_good_start_is_kept_with_its_numbers():
    init = np.array([7, 2, 5, 0])[Y]
    model = SSEPartition().fit(X, init=init)
    assert np.array_equal(model.labels_, init)
    assert model.n_clusters_ == 4
    assert np.array_equal(model.predict(X), init)


def test_a_start_with_mistakes_and_gaps_is_improved():
    random = np.random.default_rng(0)
    init = Y.copy()
    wrong = random.choice(300, 30, replace=False)
    init[wrong] = (Y[wrong] + 1) % 4
    init[random.choice(300, 40, replace=False)] = -1
    model = SSEPartition().fit(X, init=init)
    assert np.array_equal(model.labels_, Y)


def test_n_clusters_rules_over_the_start():
    with pytest.warns(UserWarning, match="do not touch"):
        assert SSEPartition(2).fit(X, init=Y).n_clusters_ == 2
    assert SSEPartition(6).fit(X, init=Y).n_clusters_ == 6


def test_locked_samples_stay():
    init = Y.copy()
    stray = np.flatnonzero(Y == 0)[:5]
    init[stray] = 3
    free = SSEPartition().fit(X, init=init)
    assert (free.labels_[stray] == 0).all()
    mask = np.isin(np.arange(300), stray)
    for locked in (stray, mask):
        model = SSEPartition().fit(X, init=init, locked=locked)
        assert (model.labels_[stray] == 3).all()
        assert adjusted_rand_score(Y, model.labels_) > 0.9
    with pytest.raises(ConstraintConflict):
        SSEPartition().fit(
            X,
            init=init,
            locked=[0, 1],
            must_link=[(0, 1)] if Y[0] != Y[1] else [],
            cannot_link=[(0, 1)] if Y[0] == Y[1] else [],
        )


@pytest.mark.parametrize(
    ("init", "locked", "words"),
    [
        (np.zeros(5), None, r"shape \(5,\)"),
        (np.full(300, 0.5), None, "cluster numbers"),
        (np.full(300, -2), None, "cluster numbers"),
        (None, [1], "give init"),
        (np.full(300, -1), None, "no sample a cluster"),
        (np.where(np.arange(300) == 1, -1, Y), [1], "sample 1 is locked"),
        (Y, [300], "between 0 and 299"),
        (Y, np.ones(5, dtype=bool), "mask"),
    ],
)
def test_bad_starts_are_named(init, locked, words):
    with pytest.raises(ValueError, match=words):
        SSEPartition().fit(X, init=init, locked=locked)


def test_a_refit_follows_the_constraints_and_keeps_the_rest():
    model = SSEPartition(hard=True).fit(X)
    before = model.labels_.copy()
    zero = np.flatnonzero(before == before[0])
    model.refit(cannot_link=[(zero[0], zero[1])])
    assert model.labels_[zero[0]] != model.labels_[zero[1]]
    others = np.setdiff1d(np.arange(300), zero)
    assert np.array_equal(model.labels_[others], before[others])
    assert model.n_clusters_ == 5
    assert len(model.constraints_) == 1
    model.refit(keep=False)
    assert len(model.constraints_) == 0


def test_a_refit_is_a_fit_where_nothing_changed():
    told = Constraints.from_labels(np.where(np.arange(300) % 10 == 0, Y, -1))
    model = SSEPartition(4).fit(X, constraints=told)
    before = model.labels_.copy()
    assert np.array_equal(model.refit().labels_, before)


def test_restarts_do_not_depend_on_threads_and_never_raise_the_objective():
    random = np.random.default_rng(1)
    noise = random.normal(size=(400, 5))
    few, many, threads = (
        SSEPartition(resolution=1e9, n_init=n_init, n_jobs=n_jobs).fit(noise)
        for n_init, n_jobs in ((1, 1), (6, 1), (6, 2))
    )
    assert many.objective_ <= few.objective_ + 1e-9
    assert np.array_equal(many.labels_, threads.labels_)
