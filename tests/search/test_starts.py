"""Clusters to start from, locks, refits, and numbers that stay."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from sentree import ConstraintConflict, Constraints, SSEPartition
from sentree.search.starts import keep_numbers

X, Y = make_blobs(300, 2, centers=[[0, 0], [8, 0], [0, 8], [8, 8]], random_state=0)


def test_numbers_stay_with_the_cluster_that_shares_most():
    before = np.array([3, 3, 3, 0, 0, 0, 1, -1])
    now = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    assert keep_numbers(now, before, np.empty(0, dtype=int)).tolist() == [2, 2, 2, 0, 0, 1, 1, 1]
    locked = np.array([5])
    assert keep_numbers(now, before, locked).tolist() == [1, 1, 1, 2, 2, 0, 0, 0]
    more = np.array([0, 0, 0, 1, 1, 2, 3, 4])
    none = np.empty(0, dtype=int)
    assert keep_numbers(more, before, none).tolist() == [3, 3, 3, 0, 0, 2, 1, 4]


def test_a_good_start_is_kept_with_its_numbers():
    init = np.array([3, 1, 2, 0])[Y]
    model = SSEPartition().fit(X, init=init)
    assert np.array_equal(model.labels_, init)
    assert model.n_clusters_ == 4
    assert np.array_equal(model.predict(X), init)
    gaps = SSEPartition().fit(X, init=np.array([7, 2, 5, 0])[Y])
    assert np.array_equal(gaps.labels_, np.array([1, 2, 3, 0])[Y])


def test_a_cluster_that_is_gone_leaves_no_gap_in_the_numbers():
    model = SSEPartition().fit(X, init=(Y + 3) % 4)
    with pytest.warns(UserWarning, match="do not touch"):
        model.set_params(n_clusters=2).refit()
    assert sorted(set(model.labels_.tolist())) == [0, 1]
    assert model.n_clusters_ == 2
    assert len(model.cluster_names_) == 2
    assert np.array_equal(model.predict(X), model.labels_)


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
        SSEPartition(hard=True).fit(
            X,
            init=init,
            locked=[0, 1],
            must_link=[(0, 1)] if Y[0] != Y[1] else [],
            cannot_link=[(0, 1)] if Y[0] == Y[1] else [],
        )


def test_soft_constraints_give_way_to_locks():
    far = (0, int(np.flatnonzero(Y[0] != Y)[0]))
    model = SSEPartition(n_clusters=4, penalty=1e-9).fit(X, must_link=[far])
    before = model.labels_.copy()
    assert model.constraint_report_.n_broken == 1
    for locked in (np.arange(300), far):
        model.set_params(penalty=1.0).refit(locked=locked)
        assert np.array_equal(model.labels_[list(far)], before[list(far)])
        assert model.constraint_report_.n_broken == 1


@pytest.mark.parametrize(
    ("init", "locked", "words"),
    [
        (np.zeros(5), None, r"shape \(5,\)"),
        (np.full(300, 0.5), None, "cluster numbers"),
        (np.full(300, -2), None, "cluster numbers"),
        (np.where(np.arange(300) == 7, np.nan, 0), None, "sample 7 has nan"),
        (np.where(Y[0] == Y, 2**31 - 1, 0), None, "sample 0 has 2147483647"),
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


def test_refit_checks_parameters_and_labels_as_fit_does():
    model = SSEPartition(n_clusters=4).fit(X)
    before = model.labels_.copy()
    with pytest.raises(ValueError, match="n_clusters=301 is more than the 300 samples"):
        model.set_params(n_clusters=301).refit()
    with pytest.raises(ValueError, match="'n_clusters' parameter"):
        model.set_params(n_clusters=-1).refit()
    with pytest.raises(ValueError, match="y has 3 labels for 300 samples"):
        model.set_params(n_clusters=4).refit([0, 1, 2])
    assert np.array_equal(model.labels_, before)


def test_refit_makes_the_constraints_of_before_hard_where_that_is_asked_for():
    far = (0, int(np.flatnonzero(Y[0] != Y)[0]))
    model = SSEPartition(n_clusters=4, penalty=1e-9).fit(X, must_link=[far])
    assert model.constraint_report_.n_broken == 1
    assert model.set_params(hard=True).refit().constraint_report_.n_broken == 0


def test_an_estimator_whose_fit_failed_is_not_fitted():
    model = SSEPartition(n_clusters=1, hard=True)
    with pytest.raises(ConstraintConflict):
        model.fit(X, cannot_link=[(0, 1)])
    for use in (lambda: model.predict(X), model.refit, lambda: model.membership_strength_):
        with pytest.raises(NotFittedError):
            use()


@pytest.mark.filterwarnings(
    "ignore:.*(cannot keep|no cluster of its own|do not touch|clusters break)"
)
@pytest.mark.parametrize("seed", range(20))
def test_locks_hold_whatever_labels_say(seed):
    random = np.random.default_rng(seed)
    samples = random.normal(size=(30, 2))
    init = random.integers(4, size=30)
    known = np.where(random.random(30) < 0.8, random.integers(2, size=30) * (seed % 2), -1)
    locked = random.permutation(30)[:20]
    model = SSEPartition().fit(samples, known, init=init, locked=locked)
    same = init[locked][:, None] == init[locked]
    found = model.labels_[locked]
    assert np.array_equal(found[:, None] == found, same)
    exact = SSEPartition(n_clusters=5).fit(samples, known, init=init, locked=locked)
    assert exact.n_clusters_ == 5
