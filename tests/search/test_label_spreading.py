import numpy as np
from sklearn.datasets import make_moons

from sentree import Graph, knn_graph
from sentree.search.label_spreading import propagate


def test_labels_spread_to_the_nearer_end_of_a_path():
    n = 11
    graph = Graph.from_edges([(i, i + 1) for i in range(n - 1)])
    labels = propagate(graph, np.array([0, 10]), np.array([0, 1]))
    assert labels[:5].tolist() == [0] * 5
    assert labels[6:].tolist() == [1] * 5


def test_known_labels_stay_and_moons_are_found():
    X, y = make_moons(400, noise=0.05, random_state=0)
    index = np.array([*np.flatnonzero(y == 0)[:3], *np.flatnonzero(y == 1)[:3]])
    labels = propagate(knn_graph(X), index, y[index])
    assert np.array_equal(labels[index], y[index])
    assert (labels == y).mean() > 0.95


def test_what_no_label_reaches_gets_the_most_frequent_class():
    graph = Graph.from_edges([(0, 1), (2, 3)], n=6)
    labels = propagate(graph, np.array([0, 2, 3]), np.array([0, 1, 1]))
    assert labels.tolist() == [0, 0, 1, 1, 1, 1]


def test_everything_labelled():
    graph = Graph.from_edges([(0, 1)])
    assert propagate(graph, np.array([1, 0]), np.array([0, 1])).tolist() == [1, 0]


def test_a_class_that_is_ruled_out_is_not_taken():
    graph = Graph.from_edges([(i, i + 1) for i in range(10)])
    labels = propagate(graph, np.array([0, 10]), np.array([0, 1]), (np.array([2]), np.array([0])))
    assert labels.tolist() == [0, 0, 1, 0, 0, labels[5], 1, 1, 1, 1, 1]
