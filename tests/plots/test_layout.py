"""sentree.plots.places: a map of the samples from the graph of a model."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.neighbors import NearestNeighbors

from sentree import Graph, SSEPartition, plots
from sentree.plots import layout

CLASSES = 6


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(600, 8, centers=CLASSES, cluster_std=1.2, random_state=1)
    return SSEPartition(n_clusters=CLASSES).fit(X), y


def near_of_one_kind(places, y):
    """Share of the five nearest on the map that are of the same class."""
    near = NearestNeighbors(n_neighbors=6).fit(places).kneighbors(places)[1][:, 1:]
    return (y[near] == y[:, None]).mean()


def test_neighbours_are_near_and_classes_are_apart(blobs):
    model, y = blobs
    places = plots.places(model)
    assert places.shape == (600, 2)
    assert near_of_one_kind(places, y) > 0.97
    within = np.mean([places[y == c].std(axis=0).mean() for c in range(CLASSES)])
    assert places.std(axis=0).mean() > 3 * within


def test_the_same_map_again_whatever_the_clusters(blobs):
    model, _ = blobs
    first = plots.places(model)
    other = SSEPartition(n_clusters=2)
    other.graph_, other.labels_ = model.graph_, np.zeros(600, dtype=np.int32)
    np.testing.assert_array_equal(first, plots.places(other))


def test_many_samples_are_put_among_those_laid_out(blobs, monkeypatch):
    model, y = blobs
    monkeypatch.setattr(layout, "_LAID_OUT", 90)  # few direct edges are left
    places = plots.places(model)
    assert np.isfinite(places).all()
    assert len(np.unique(places, axis=0)) == 600
    assert near_of_one_kind(places, y) > 0.95


def test_parts_without_a_place_go_below(monkeypatch):
    ring = [(i, (i + 1) % 200) for i in range(200)]
    model = SSEPartition(affinity="precomputed")
    model.graph_ = Graph.from_edges([*ring, *((200 + 2 * i, 201 + 2 * i) for i in range(50))])
    monkeypatch.setattr(layout, "_LAID_OUT", 100)
    places = plots.places(model)
    assert np.isfinite(places).all()
    drawn = np.random.default_rng(0).choice(300, 100, replace=False)
    pairs = 200 + np.arange(100).reshape(50, 2)
    lost = pairs[~np.isin(pairs, drawn).any(axis=1)].ravel()
    assert lost.size > 10
    assert places[lost, 1].max() < places[drawn, 1].min()


def test_two_features_are_the_map():
    X = make_blobs(60, 2, centers=2, random_state=0)[0]
    model = SSEPartition().fit(X)
    np.testing.assert_array_equal(plots.places(model, X), X)
    np.testing.assert_array_equal(plots.places(model, X.tolist()), X)
    assert not np.array_equal(plots.places(model), X)
    assert plots.places(model, sp.csr_array(X)).shape == (60, 2)
    with pytest.raises(ValueError, match="X has 59 rows, the model 60 samples"):
        plots.places(model, X[1:])


@pytest.mark.parametrize("n", [2, 3, 5])
def test_very_small_graphs(n):
    model = SSEPartition(affinity="precomputed")
    model.graph_ = Graph.from_edges([(i, i + 1) for i in range(n - 1)])
    places = plots.places(model)
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()


def test_a_graph_with_an_isolated_sample_or_no_edges():
    model = SSEPartition(affinity="precomputed")
    for matrix in (np.diag([1.0, 1.0], 1)[:3, :3] + np.diag([1.0, 1.0], -1)[:3, :3], np.eye(3)):
        graph = sp.block_diag((sp.csr_array(matrix), sp.csr_array((1, 1))))
        model.graph_ = Graph.from_scipy(sp.csr_array(graph))
        assert np.isfinite(plots.places(model)).all()
