"""Clusters around labels: each class has one, whatever the number of labels."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from reference import unequal_clouds
from sentree import Constraints, SSEHierarchy, SSEPartition


def some(y, per_class, seed=0):
    """Return labels of so many samples of each class, -1 elsewhere."""
    rng = np.random.default_rng(seed)
    labels = np.full(y.size, -1)
    for c in np.unique(y):
        chosen = rng.permutation(np.flatnonzero(y == c))[:per_class]
        labels[chosen] = c
    return labels


@pytest.fixture(scope="module")
def moons():
    return make_moons(600, noise=0.12, random_state=0)


@pytest.mark.parametrize("per_class", [1, 2, 3, 20, 100])
@pytest.mark.parametrize("estimator", [SSEPartition, SSEHierarchy])
def test_any_number_of_labels_will_do(moons, per_class, estimator):
    X, y = moons
    labels = some(y, per_class)
    hidden = labels < 0
    model = estimator(n_clusters=2).fit(X, labels)
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(y[hidden], model.labels_[hidden]) > 0.85
    assert model.constraint_report_.share == 1.0


@pytest.mark.parametrize("per_class", [3, 20, 100])
def test_classes_named_are_the_clusters_where_labels_are_everywhere(moons, per_class):
    X, y = moons
    labels = some(y, per_class)
    hidden = labels < 0
    model = SSEPartition().fit(X, labels)
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(y[hidden], model.labels_[hidden]) > 0.85


def test_more_clusters_than_classes_named():
    X, y = make_blobs(600, 4, centers=6, random_state=3)
    labels = some(y, 5)
    labels[y >= 4] = -1
    model = SSEPartition(6).fit(X, labels)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert sum(name is not None for name in model.cluster_names_) == 4


def test_fewer_clusters_than_classes_named_are_said_to_be_so():
    X, y = make_blobs(400, 3, centers=4, random_state=0)
    with pytest.warns(UserWarning, match="4 classes, so n_clusters=2 cannot"):
        model = SSEPartition(2).fit(X, some(y, 5))
    assert model.n_clusters_ == 2


def test_a_class_keeps_its_cluster_inside_another(moons):
    """A few samples of a class of their own in the middle of a large one."""
    X, y = moons
    labels = some(y, 10)
    inside = np.flatnonzero((y == 0) & (labels < 0))[:3]
    labels[inside] = 2
    model = SSEPartition(3).fit(X, labels)
    assert set(model.cluster_names_) == {0, 1, 2}


def test_a_class_that_leads_no_cluster_is_named_in_a_warning():
    given = Constraints.from_labels(["a", "a", "b", None])
    from sentree.constraints.satisfaction import lost_classes

    said = lost_classes(given, np.array([0, 0, 0, 1]))
    assert said == [
        "class 'b' (1 label: row 2) has no cluster of its own: most of it is in cluster 0, with "
        "class 'a'"
    ]
    assert lost_classes(given, np.array([0, 0, 1, 1])) == []


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_wrong_labels_do_less_harm_than_they_are_many(moons, share):
    X, y = moons
    labels = some(y, 40)
    rng = np.random.default_rng(1)
    known = np.flatnonzero(labels >= 0)
    wrong = rng.permutation(known)[: round(share * known.size)]
    labels[wrong] = 1 - labels[wrong]
    hidden = labels < 0
    found = SSEPartition(2).fit(X, labels).labels_
    assert (found[hidden] == y[hidden]).mean() > 1 - share or (
        found[hidden] != y[hidden]
    ).mean() > 1 - share


def test_labels_negative_labels_and_pairs_together():
    X, y = make_blobs(400, 5, centers=4, cluster_std=1.5, random_state=0)
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 400, size=(40, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    given = (
        Constraints.from_labels(some(y, 3))
        + Constraints.from_negative_labels([(i, (y[i] + 1) % 4) for i in range(0, 400, 20)])
        + Constraints.from_pairs(must_link=pairs[same], cannot_link=pairs[~same])
    )
    for options in ({}, {"n_clusters": 4}):
        model = SSEPartition(**options).fit(X, constraints=given)
        assert adjusted_rand_score(y, model.labels_) > 0.9
        assert model.constraint_report_.share > 0.95


def test_the_same_labels_give_the_same_clusters_in_any_order(moons):
    X, y = moons
    labels = some(y, 5)
    first = SSEPartition(2).fit(X, labels).labels_
    again = SSEPartition(2).fit(X, labels).labels_
    assert np.array_equal(first, again)


def test_hidden_labels_leave_their_evidence(moons):
    X, y = moons
    model = SSEPartition(2).fit(X, some(y, 20))
    assert model.selection_.n_hidden == 40
    assert SSEPartition(2, selection="off").fit(X, some(y, 20)).selection_ is None
    assert SSEPartition(2).fit(X, some(y, 1)).selection_ is None  # nothing can be hidden


def test_a_penalty_of_zero_leaves_labels_out(moons):
    X, y = moons
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = SSEPartition(2, penalty=0).fit(X, some(y, 5)).labels_
    assert np.array_equal(
        found,
        SSEPartition(2, affinity="precomputed")
        .fit(SSEPartition(2, penalty=0).fit(X, some(y, 5)).graph_)
        .labels_,
    )


def test_a_refit_with_a_new_class_gives_it_a_cluster():
    X, y = make_blobs(300, 3, centers=3, random_state=5)
    model = SSEPartition().fit(X, some(np.minimum(y, 1), 5))
    model.refit(np.where((np.arange(300) % 10 == 0) & (y == 2), 2, -1), keep=False)
    assert 2 in model.cluster_names_


@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize("sizes", [(769, 77, 77, 77), (571, 143, 143, 143), (2000, 200, 20)])
def test_clusters_of_unequal_size_are_found_with_their_number(sizes, d):
    X, y = unequal_clouds(sizes, d, seed=0)
    assert adjusted_rand_score(y, SSEPartition(len(sizes)).fit(X).labels_) > 0.9


def test_equal_rows_stay_together_unless_constraints_part_them():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, size=(30, 3)).astype(float)
    copies = rng.integers(0, 30, 300)
    X = rows[copies]
    found = SSEPartition(3).fit(X).labels_
    for row in np.unique(copies):
        same = (rows[row] == X).all(axis=1)
        assert np.unique(found[same]).size == 1
    twins = np.flatnonzero(copies == copies[0])[:2]
    labels = np.full(300, -1)
    labels[twins] = [0, 1]
    found = SSEPartition(3).fit(X, labels).labels_
    assert found[twins[0]] != found[twins[1]]


def test_equal_rows_are_one_cluster():
    X = np.ones((50, 3))
    assert SSEPartition().fit(X).n_clusters_ == 1
    assert SSEPartition(1).fit(X).n_clusters_ == 1


def test_every_fifth_label_wrong_leaves_most_of_the_rest_right():
    X, y = make_blobs(600, 4, centers=3, random_state=1)
    labels = some(y, 30)
    wrong = np.flatnonzero(labels >= 0)[::5]
    labels[wrong] = (labels[wrong] + 1) % 3
    model = SSEPartition(3).fit(X, labels)
    assert adjusted_rand_score(y, model.labels_) > 0.8


@pytest.mark.parametrize("estimator", [SSEPartition, SSEHierarchy])
def test_labels_and_a_large_group_go_together(estimator):
    """The group has a vertex of its own in the search, which has no features."""
    X, y = make_blobs(200, 3, centers=3, cluster_std=2.0, random_state=0)
    group = Constraints.from_groups([np.flatnonzero(y == 0)[:40]])
    known = np.where(np.arange(200) % 8 == 0, y, -1)
    for k in (None, 3, 5):
        model = estimator(n_clusters=k).fit(X, known, constraints=group)
        assert model.n_clusters_ == (k or 3)
        assert model.constraint_report_.n_broken == 0
