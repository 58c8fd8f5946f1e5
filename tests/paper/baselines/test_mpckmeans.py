import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from toy import easy_blobs

from sentree import ConstraintConflict, Constraints
from sentree.datasets import sample_pairs
from sentree.paper.baselines.mpckmeans import MPCKMeans, _assign, _Pairs, farthest_pair


@parametrize_with_checks([MPCKMeans(n_clusters=3, max_iter=4)])
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None  # a check that fails raises


@settings(max_examples=60)
@given(st.integers(2, 60), st.integers(1, 4), st.integers(0, 10**6), st.booleans())
def test_the_farthest_pair_is_the_farthest(n, d, seed, heavy):
    random = np.random.default_rng(seed)
    Z = random.standard_cauchy((n, d)) if heavy else random.integers(0, 4, (n, d)).astype(float)
    a, b = farthest_pair(Z)
    assert np.linalg.norm(Z[a] - Z[b]) == pytest.approx(cdist(Z, Z).max(), rel=1e-9)


def test_the_farthest_pair_in_small_blocks(monkeypatch):
    Z = np.random.default_rng(0).normal(size=(200, 3))
    monkeypatch.setattr("sentree.paper.baselines.mpckmeans._ROWS", 3)
    a, b = farthest_pair(Z)
    assert np.linalg.norm(Z[a] - Z[b]) == pytest.approx(cdist(Z, Z).max(), rel=1e-12)


def test_blobs_with_pairs_are_found():
    X, y = easy_blobs()
    model = MPCKMeans(3).fit(X, constraints=sample_pairs(y, 0.2, 0.2, 0))
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.labels_.dtype == np.int32
    assert model.n_iter_ == len(model.objective_) == 10
    assert (model.metric_ > 0).all()


def test_constraints_choose_the_feature_to_cut_by():
    """Two by two blobs: k-means cuts along the wider gap, pairs ask for the other one."""
    X, y = make_blobs(
        200, centers=[(0, 0), (0, 7), (6, 0), (6, 7)], cluster_std=0.7, random_state=0
    )
    wide, narrow = y % 2, y // 2
    assert adjusted_rand_score(wide, MPCKMeans(2, scale=None).fit_predict(X)) == 1
    pairs = sample_pairs(narrow, 60, 60, 0)
    model = MPCKMeans(2, scale=None).fit(X, constraints=pairs)
    assert adjusted_rand_score(narrow, model.labels_) == 1
    assert pairs.satisfaction(model.labels_).share == 1
    assert model.metric_[0] > 10 * model.metric_[1]


def test_labels_count_as_pairs():
    X, y = easy_blobs()
    known = np.where(np.arange(90) % 5 == 0, y, -1)
    assert adjusted_rand_score(y, MPCKMeans(3).fit_predict(X, known)) == 1


def test_without_constraints_it_stops_at_a_fixed_point():
    X, y = easy_blobs()
    model = MPCKMeans(3, max_iter=50).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.n_iter_ < 50
    # With the metric as it is, k-means from these clusters changes nothing either.
    Z = (X - X.mean(axis=0)) / X.std(axis=0) * np.sqrt(model.metric_)
    centers = np.array([Z[model.labels_ == k].mean(axis=0) for k in range(3)])
    again = KMeans(3, init=centers, n_init=1).fit(Z)
    assert np.array_equal(again.labels_, model.labels_)


def test_the_metric_is_the_inverse_spread_without_constraints():
    X, y = easy_blobs()
    model = MPCKMeans(3, max_iter=50, scale=None).fit(X)
    spread = sum(X[y == k].var(axis=0) * 30 for k in range(3))
    assert model.metric_ == pytest.approx(90 / spread, rel=1e-9)


def test_cannot_links_alone():
    X, y = easy_blobs()
    pairs = sample_pairs(y, 0, 40, 0)
    labels = MPCKMeans(3).fit_predict(X, constraints=pairs)
    assert adjusted_rand_score(y, labels) == 1


def test_fewer_must_linked_sets_than_clusters():
    X, _ = easy_blobs()
    labels = MPCKMeans(6).fit_predict(X, must_link=[(0, 1), (30, 31)])
    assert labels[0] == labels[1]
    assert labels[30] == labels[31]
    assert labels.max() < 6


def test_equal_samples_leave_clusters_empty():
    model = MPCKMeans(4).fit(np.ones((6, 3)), must_link=[(0, 1)], cannot_link=[(2, 3)])
    assert set(model.labels_) == set(range(model.labels_.max() + 1))
    assert np.isfinite(model.objective_).all()
    assert np.isfinite(model.metric_).all()


def test_as_many_clusters_as_samples():
    X = np.arange(5.0)[:, None]
    assert sorted(MPCKMeans(5).fit_predict(X)) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="n_clusters=6 is more than n_samples=5"):
        MPCKMeans(6).fit(X)


def test_a_common_offset_does_not_matter():
    X, y = easy_blobs()
    pairs = sample_pairs(y, 0.2, 0.2, 1)
    near = MPCKMeans(4, scale=None).fit_predict(X, constraints=pairs)
    far = MPCKMeans(4, scale=None).fit_predict(X + 1e8, constraints=pairs)
    assert adjusted_rand_score(near, far) == 1


def test_a_common_factor_does_not_matter():
    """So the denominator of the standard deviation, n or n - 1, does not."""
    X, y = make_blobs(150, 4, centers=5, cluster_std=3, random_state=0)
    pairs = sample_pairs(y, 0.2, 0.2, 1)
    one = MPCKMeans(4, scale=None).fit_predict(X, constraints=pairs)
    other = MPCKMeans(4, scale=None).fit_predict(X * 4, constraints=pairs)
    assert np.array_equal(one, other)


def test_a_seed_repeats():
    X, y = make_blobs(150, 4, centers=5, cluster_std=4, random_state=0)
    pairs = sample_pairs(y, 0.2, 0.2, 1)
    fits = [MPCKMeans(5, random_state=s).fit(X, constraints=pairs) for s in (3, 3, 4)]
    assert np.array_equal(fits[0].labels_, fits[1].labels_)
    assert fits[0].objective_ == fits[1].objective_
    assert fits[0].objective_ != fits[2].objective_


def test_contradictions_are_refused():
    with pytest.raises(ConstraintConflict):
        MPCKMeans(2).fit(np.eye(3), must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


def test_too_many_pairs_are_refused():
    labels = Constraints.from_labels(np.arange(9000) % 2)
    with pytest.raises(ValueError, match="entail 40,495,500 pairs, too many for MPCK-means"):
        MPCKMeans(2).fit(np.arange(9000.0)[:, None], constraints=labels)


def test_large_sets_of_links_are_worked_on_in_blocks(monkeypatch):
    X, y = easy_blobs()
    known = Constraints.from_labels(np.where(np.arange(90) % 3 == 0, y, -1))
    whole = MPCKMeans(4).fit(X, constraints=known)
    monkeypatch.setattr("sentree.paper.baselines.mpckmeans._BLOCK", 50)
    parts = MPCKMeans(4).fit(X, constraints=known)
    assert np.array_equal(whole.labels_, parts.labels_)
    assert whole.metric_ == pytest.approx(parts.metric_, rel=1e-9)


def slow_assign(square, pairs, length, far, order):
    """The rule as it is written: one sample after the other, one partner after the other."""
    labels = dict(enumerate(square.argmin(axis=1).tolist()))
    for point in order:
        del labels[point]
    for point in order:
        cost = square[point].copy()
        for (i, j, apart), d in zip(pairs, length, strict=True):
            other = j if i == point else i
            if point not in (i, j) or other not in labels:
                continue
            if apart:
                cost[labels[other]] += max(far[labels[other]] - d, 0)
            else:
                cost[np.arange(cost.size) != labels[other]] += d
        labels[point] = int(cost.argmin())
    return [labels[i] for i in range(len(labels))]


@pytest.mark.parametrize("seed", range(20))
def test_samples_are_placed_by_the_rule(seed):
    random = np.random.default_rng(seed)
    n, k = 14, 3
    keys = random.choice(n * n, 40, replace=False)
    i, j = np.divmod(keys[keys // n < keys % n], n)
    links = _Pairs(i, j, random.random(i.size) < 0.5)
    square, length, far = random.random((n, k)), random.random(i.size), random.random(k)
    found = _assign(square, links, length, far, np.random.RandomState(seed))
    order = np.random.RandomState(seed).permutation(np.unique(np.r_[i, j]))
    assert found.tolist() == slow_assign(square, list(zip(*links, strict=True)), length, far, order)
