import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from sentree import Constraints, Graph, SSEPartition, knn_graph
from sentree.optimise import multilevel
from sentree.scale import at_resolution, coarsen, to_number
from sentree.weights import Anchored, anchor


def plain(graph):
    return Anchored(graph, None, graph.n)


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(300, 5, centers=6, random_state=0)
    return knn_graph(X), y


@pytest.mark.parametrize("k", [1, 2, 5, 6, 9, 40, 150, 300])
def test_any_number_is_reached_from_either_side(blobs, k):
    graph, _ = blobs
    labels = multilevel(graph).labels
    if k < 6:  # six blobs that do not touch
        with pytest.warns(UserWarning, match=f"to reach n_clusters={k}"):
            found = to_number(plain(graph), labels, k)
    else:
        found = to_number(plain(graph), labels, k)
    assert sorted(set(found.tolist())) == list(range(k))


def test_the_number_counts_samples_not_anchors():
    X, y = make_blobs(200, 3, centers=4, random_state=1)
    graph = knn_graph(X)
    given = Constraints.from_labels(np.where(np.arange(200) % 4 == 0, y, -1))
    search = anchor(graph, given, given.closure(200), 0.1)
    modules = multilevel(search.graph, search.relation).labels
    for k in (4, 7, 12):
        found = to_number(search, modules, k)
        assert set(found[:200].tolist()) == set(range(k))
        assert set(found[200:].tolist()) <= set(range(k))


def test_a_higher_resolution_gives_more_clusters():
    X, _ = make_blobs(400, 2, centers=4, cluster_std=2.0, random_state=0)
    graph = knn_graph(X)
    labels = multilevel(graph).labels
    counts = [at_resolution(plain(graph), labels, r).max() + 1 for r in (0.01, 0.3, 1, 3, 10)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    model = SSEPartition(resolution=10.0).fit(X)
    assert model.n_clusters_ > SSEPartition(resolution=0.3).fit(X).n_clusters_


@pytest.mark.parametrize(
    ("n", "d", "k", "seed"),
    [(1000, 2, 5, 0), (1000, 10, 20, 1), (2000, 50, 10, 2), (1500, 3, 8, 4), (3000, 20, 60, 5)],
)
def test_separate_blobs_are_counted_without_being_told(n, d, k, seed):
    box = 10 * k ** (1 / d)
    X, y = make_blobs(n, d, centers=k, center_box=(-box, box), random_state=seed)
    model = SSEPartition().fit(X)
    assert abs(model.n_clusters_ - k) <= 0.1 * k
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_shapes_are_found_without_being_told():
    for X, y in (
        make_moons(800, noise=0.06, random_state=0),
        make_circles(800, factor=0.5, noise=0.05, random_state=0),
    ):
        model = SSEPartition().fit(X)
        assert model.n_clusters_ == 2
        assert adjusted_rand_score(y, model.labels_) > 0.98


def test_components_of_a_graph_are_a_clear_break():
    cliques = np.kron(np.eye(3), np.ones((5, 5))) - np.eye(15)
    graph = Graph.from_dense(cliques)
    assert coarsen(plain(graph), np.arange(15)).tolist() == [0] * 5 + [1] * 5 + [2] * 5
