"""Labels of some samples and no number of clusters: the classes named, and what is new."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from sentree import Constraints, Graph, SSEHierarchy, SSEPartition
from sentree.datasets import held_out, load_embedded, sample_labels
from sentree.search.novelty import new_clusters


def chain(n):
    """Return a graph that is in one piece."""
    return Graph.from_edges([(i, i + 1) for i in range(n - 1)], n=n)


def far(sizes, faint=1e-3):
    """Return a graph in one piece whose clusters are joined by faint edges only."""
    n = sum(sizes)
    first = set(np.cumsum(sizes).tolist())
    weights = [faint if i + 1 in first else 1.0 for i in range(n - 1)]
    return Graph.from_edges([(i, i + 1) for i in range(n - 1)], weights, n=n)


def judged(sizes, labels, graph=None):
    """Tell which clusters are new, given the classes of the first samples of each."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    first = np.cumsum(sizes) - sizes
    index = np.concatenate([f + np.arange(len(c)) for f, c in zip(first, labels, strict=True)])
    code = np.array([c for classes in labels for c in classes])
    new = new_clusters(graph or chain(clusters.size), clusters, index.astype(int), code)
    return new.tolist()


def test_a_cluster_without_labels_is_new_where_it_would_have_some():
    parts = [[0] * 10, [0] * 10, [1] * 10, [1] * 10, [1] * 10]  # classes have several clusters
    assert judged([100] * 6, [*parts, []]) == [False] * 5 + [True]
    assert judged([100] * 5 + [10], [*parts, []]) == [False] * 6


def test_a_small_cluster_is_new_where_classes_have_one_cluster_each():
    sizes, labels = [100] * 5 + [10], [[c] * 10 for c in range(5)] + [[]]
    assert judged(sizes, labels, far(sizes)) == [False] * 5 + [True]


def test_a_small_cluster_that_touches_one_with_labels_is_part_of_it():
    sizes, labels = [100] * 5 + [10], [[c] * 10 for c in range(5)] + [[]]
    inside = 2 * 9  # weight of the chain within the last cluster, from both ends
    for share, new in ((0.01, True), (0.03, False)):
        faint = share * inside / (1 - share)
        assert judged(sizes, labels, far(sizes, faint)) == [False] * 5 + [new]
    alone = [[0] * 10, [1] * 10, [2] * 10, [3] * 10, [], []]  # it touches one that has no labels
    assert judged(sizes, alone, far([100] * 4 + [110]))[-1]


def test_a_stray_label_does_not_hide_a_class_but_its_own_labels_do():
    parts = [[c] * 20 for c in range(4)]
    assert judged([200] * 5, [*parts, [0]]) == [False] * 4 + [True]
    assert judged([200] * 5, [*parts, [4]]) == [False] * 5


def test_what_no_label_reaches_is_new_however_small():
    links = [(i, i + 1) for i in range(602) if i not in (599, 601)]
    parts = [[0] * 10, [0] * 10, [1] * 10, [1] * 10, [1] * 10, [1] * 10]
    new = judged([100] * 6 + [2, 1], [*parts, [], []], Graph.from_edges(links, n=603))
    assert new == [False] * 6 + [True] * 2


@pytest.mark.parametrize("count", [1, 2, 5])
def test_few_labels_tell_as_many_do(count):
    sizes = [100] * 4
    named = [[c] * count for c in range(3)]
    assert judged(sizes, [*named, []], far(sizes)) == [False] * 3 + [True]
    assert judged(sizes, [*named, [3]], far(sizes)) == [False] * 4
    parts = [[0] * count, [0] * count, [0] * count, []]  # a class has several clusters
    missing = count == 5  # so many labels that a further part would have some
    assert judged(sizes, parts) == [False] * 3 + [missing]


def blobs(k, n=100, seed=0, spread=1.0):
    return make_blobs(k * n, 6, centers=k, cluster_std=spread, random_state=seed)


def some_known(y, share=0.1, without=(), seed=0):
    known = np.where(np.random.default_rng(seed).random(y.size) < share, y, -1)
    known[np.isin(known, without)] = -1
    return known


@pytest.mark.parametrize("model", [SSEPartition(), SSEPartition(hard=True), SSEHierarchy()])
def test_classes_never_labelled_are_found(model):
    X, y = blobs(8)
    known = some_known(y, without=(2, 5))
    model.fit(X, known)
    assert adjusted_rand_score(y, model.labels_) > 0.99
    names = dict(zip(range(8), model.cluster_names_, strict=True))
    for c in range(8):
        cluster = np.bincount(model.labels_[y == c]).argmax()
        assert names[cluster] == (None if c in (2, 5) else c)


def test_where_some_classes_are_labelled_the_others_are_found():
    X, y = blobs(20, n=60)
    model = SSEPartition().fit(X, some_known(y, without=range(3, 20)))
    assert model.n_clusters_ == 20
    assert adjusted_rand_score(y, model.labels_) > 0.99


def test_labels_of_one_class_leave_the_others_alone():
    X, y = blobs(6)
    model = SSEPartition().fit(X, some_known(y, without=range(1, 6)))
    assert adjusted_rand_score(y, model.labels_) > 0.99
    assert model.cluster_names_.count(None) == 5


def test_a_class_of_two_far_clusters_is_one():
    X, blob = blobs(5)
    y = np.where(blob == 4, 0, blob)
    model = SSEPartition().fit(X, some_known(y))
    assert model.n_clusters_ == 4
    assert adjusted_rand_score(y, model.labels_) > 0.99


def test_a_class_with_parts_is_not_taken_apart():
    X, y = load_embedded("digits")
    given = sample_labels(y, 0.1, 0, random_state=3)
    where = held_out(given, y.size)
    model = SSEPartition().fit(X, constraints=given)
    assert 10 <= model.n_clusters_ <= 12
    assert SSEPartition().fit(X).n_clusters_ > 14
    assert adjusted_rand_score(y[where], model.labels_[where]) > 0.93


def test_a_class_that_is_only_ruled_out_is_no_cluster():
    X, y = blobs(4)
    given = Constraints.from_labels(some_known(y))
    ruled_out = Constraints.from_negative_labels([(i, "never seen") for i in range(0, 400, 7)])
    model = SSEPartition().fit(X, constraints=given + ruled_out)
    assert model.n_clusters_ == 4
    assert set(model.cluster_names_) == {0, 1, 2, 3}


def test_declared_classes_without_labels_do_not_matter():
    X, y = blobs(5, spread=2.0)
    known = some_known(y, without=(4,))
    plain = Constraints.from_labels(known)
    declared = Constraints.from_labels(known, classes=range(5))
    for given in (plain, declared, plain + plain):
        assert SSEPartition().fit(X, constraints=given).n_clusters_ == 5


def test_hard_labels_hold_whatever_they_say():
    X, y = blobs(5)
    known = some_known(y)
    wrong = np.flatnonzero(known >= 0)[::9]
    known[wrong] = (known[wrong] + 1) % 5
    model = SSEPartition(hard=True).fit(X, known)
    assert model.constraint_report_.share == 1.0
    assert model.n_clusters_ == 5


def test_the_same_labels_give_the_same_clusters():
    X, y = blobs(7, spread=3.0)
    known = some_known(y, without=(1,))
    first = SSEPartition(random_state=4).fit(X, known).labels_
    again = SSEPartition(random_state=4, n_jobs=2).fit(X, known).labels_
    assert np.array_equal(first, again)


def test_a_resolution_concerns_clusters_without_labels():
    X, y = blobs(4)
    known = some_known(y, without=(2, 3))
    coarse, fine = (SSEPartition(resolution=r).fit(X, known) for r in (0.1, 20.0))
    for model in (coarse, fine):
        names = model.cluster_names_
        assert sorted(name for name in names if name is not None) == [0, 1]
        assert model.constraint_report_.share == 1.0
    assert coarse.n_clusters_ < 5
    assert fine.n_clusters_ >= 8
    for c in (2, 3):  # nobody has named them, so they come apart
        assert np.unique(fine.labels_[y == c]).size > 2
