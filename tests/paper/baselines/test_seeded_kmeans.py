"""Seeded k-means: the stored runs, scikit-learn's k-means from the same start, poor input."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import minmax_scale
from sklearn.utils.estimator_checks import parametrize_with_checks
from toy import GROUPS, easy_blobs, points

from paper_data import oracle, paper_data
from sentree import ConstraintConflict, Constraints
from sentree.datasets import sample_seeds
from sentree.paper.baselines import SeededKMeans


def some_labels(y, each=3):
    """The first samples of each class are known."""
    known = np.full(y.size, -1)
    for q in np.unique(y):
        first = np.flatnonzero(y == q)[:each]
        known[first] = q
    return known


ONE_CLUSTER = "the check asks for one cluster and gives labels of several classes"


@parametrize_with_checks(
    [SeededKMeans(3)],
    expected_failed_checks=lambda _: dict.fromkeys(
        (
            "check_dont_overwrite_parameters",
            "check_dtype_object",
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
            "check_fit2d_1feature",
            "check_fit2d_predict1d",
        ),
        ONE_CLUSTER,
    ),
)
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None


@pytest.mark.golden
@pytest.mark.parametrize("name", ["Yale", "ORL"])
def test_stored_runs_exactly(name):
    X, y = paper_data(name)
    sets = oracle("constraints_yale_orl.json")["sets"][name]
    runs = [run for run in oracle("seeded_kmeans.json")["runs"] if run["dataset"] == name]
    assert len(runs) == 5
    for run in runs:
        seeds = np.array(sets[run["seed"]]["stratified_seeds"])
        known = np.full(y.size, -1)
        known[seeds[:, 0]] = seeds[:, 1]
        model = SeededKMeans(sets[run["seed"]]["k"]).fit(X, known)
        assert model.labels_.tolist() == run["labels"]
        assert model.objective_[-1] == pytest.approx(run["inertia"], rel=1e-12)
        assert adjusted_rand_score(y, model.labels_) == pytest.approx(run["ARI"], abs=1e-12)


@pytest.mark.golden
@pytest.mark.parametrize(("name", "low", "high"), [("Yale", 0.19, 0.27), ("ORL", 0.39, 0.51)])
def test_own_draws_of_seeds_score_as_the_study(name, low, high):
    X, y = paper_data(name)
    scores = [
        adjusted_rand_score(
            y, SeededKMeans(y.max() + 1).fit(X, constraints=sample_seeds(y, 0.1, s)).labels_
        )
        for s in range(3)
    ]
    assert low < np.mean(scores) < high


@pytest.mark.parametrize("seed", range(3))
def test_easy_blobs_are_found(seed):
    X, y = easy_blobs(seed)
    assert SeededKMeans(3).fit(X, some_labels(y)).labels_.tolist() == y.tolist()


def test_equals_k_means_from_the_same_start_and_never_rises():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 4)), random.integers(5, size=300)
    known = np.where(random.random(300) < 0.1, y, -1)
    model = SeededKMeans(5, tol=0).fit(X, known)
    Z = minmax_scale(X)
    start = np.array([Z[known == q].mean(axis=0) for q in range(5)])
    peer = KMeans(5, init=start, n_init=1, max_iter=100, tol=0).fit(Z)
    assert model.labels_.tolist() == peer.labels_.tolist()
    assert model.objective_[-1] == pytest.approx(peer.inertia_, rel=1e-12)
    assert model.cluster_centers_ == pytest.approx(peer.cluster_centers_, abs=1e-12)
    assert model.n_iter_ == len(model.objective_) > 3
    assert (np.diff(model.objective_) <= 1e-12).all()


def test_scaling_is_an_option():
    X, y = easy_blobs()
    known = some_labels(y)
    plain = SeededKMeans(3, scale=None).fit(X, known)
    assert plain.cluster_centers_ == pytest.approx(
        np.array([X[y == q].mean(axis=0) for q in range(3)])
    )
    assert SeededKMeans(3).fit(X * np.logspace(-3, 3, 12) + 5, known).labels_.tolist() == y.tolist()


def test_all_labelled_needs_one_round_to_settle():
    model = SeededKMeans(3).fit(points(), GROUPS)
    assert model.labels_.tolist() == GROUPS.tolist()
    assert model.n_iter_ == 1
    assert len(model.objective_) == 1


def test_labels_follow_the_classes_and_the_samples():
    X, y = easy_blobs(4)
    X = X + np.random.default_rng(0).normal(scale=5, size=X.shape)  # no longer easy
    known = some_labels(y)
    labels = SeededKMeans(3).fit(X, known).labels_
    assert not np.array_equal(labels, y)
    renamed = np.array([2, 0, 1])
    again = SeededKMeans(3).fit(X, np.where(known < 0, -1, renamed[known])).labels_
    assert again.tolist() == renamed[labels].tolist()
    order = np.random.default_rng(1).permutation(len(X))
    assert SeededKMeans(3).fit(X[order], known[order]).labels_.tolist() == labels[order].tolist()


def test_labels_start_the_clusters_but_do_not_hold_samples():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [4.9]])
    model = SeededKMeans(2).fit(X, [0, 0, 0, 1, -1, -1, 0])
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_classes_without_seeds_start_at_unlabelled_samples():
    y = np.repeat([0, 1, 2], 30)
    X = 10 * np.eye(3)[y] + np.random.default_rng(0).normal(scale=0.1, size=(90, 3))
    known = some_labels(y)
    known[known == 2] = -1
    for seed in range(10):
        model = SeededKMeans(3, random_state=seed).fit(X, known)
        assert model.labels_.tolist() == y.tolist()


def test_the_seed_decides_the_draw():
    X = np.random.default_rng(0).normal(size=(60, 2))
    first, again, other = (SeededKMeans(6, random_state=s).fit(X).labels_ for s in (0, 0, 1))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_no_labels_at_all_is_k_means():
    X, y = easy_blobs()
    assert adjusted_rand_score(y, SeededKMeans(3).fit(X).labels_) == 1


def test_an_empty_cluster_is_refilled_with_a_warning():
    with pytest.warns(UserWarning, match="lost all its samples"):
        model = SeededKMeans(2, scale=None).fit([[0.0], [0.1], [1.0], [-1.0]], [0, -1, 1, 1])
    assert model.labels_.tolist() == [0, 0, 1, 0]
    assert model.cluster_centers_.ravel() == pytest.approx([-0.3, 1.0])
    assert (np.diff(model.objective_) <= 1e-12).all()


@pytest.mark.parametrize("known", [-1, 3])
def test_fewer_different_samples_than_clusters(known):
    X = np.repeat([[0.1], [0.7]], 5, axis=0)
    given = Constraints.from_labels([known] + [-1] * 9, classes=range(4))
    with pytest.warns(UserWarning, match="fewer different samples than n_clusters=4: 2 clusters"):
        model = SeededKMeans(4, scale=None).fit(X, constraints=given)
    assert adjusted_rand_score(np.repeat([0, 1], 5), model.labels_) == 1
    assert set(model.labels_.tolist()) == {0, 1}
    assert model.cluster_centers_[model.labels_] == pytest.approx(X)
    with pytest.warns(UserWarning, match="fewer different samples"):
        assert SeededKMeans(2).fit(np.ones((5, 3))).labels_.tolist() == [0] * 5


def test_what_cannot_be_used_is_refused_or_named():
    X = points()
    with pytest.raises(ValueError, match="3 classes, more than n_clusters=2"):
        SeededKMeans(2).fit(X, GROUPS)
    with pytest.warns(UserWarning, match="reads labels only"):
        SeededKMeans(3).fit(X, must_link=[(0, 1)])
    with pytest.raises(ConstraintConflict):
        SeededKMeans(3).fit(X, GROUPS, must_link=[(0, 4)])
