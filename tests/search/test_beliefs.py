"""Beliefs: labels spread, features asked, and how strongly both draw samples."""

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from sentree import Constraints, Graph, knn_graph
from sentree.relation.by_degree import SearchGraphs
from sentree.relation.relation import Relation
from sentree.search.beliefs import (
    LEAST_BELIEF,
    KnownClasses,
    belief_graph,
    beliefs,
    bits,
    disbelief,
)

NOTHING = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def known(points, code, excluded=NOTHING):
    return KnownClasses(np.array(points), np.array(code), int(max(code)) + 1, excluded)


def chain(n):
    return SearchGraphs(Graph.from_edges([(i, i + 1) for i in range(n - 1)], n=n), None, n)


def believed(problem, labels, named=None):
    graph = belief_graph(problem)
    return beliefs(graph, problem.n, labels, named or labels.n_classes).toarray()


def test_belief_falls_evenly_between_two_labels():
    found = believed(chain(5), known([0, 4], [0, 1]))
    assert np.allclose(found[:, 0], [1, 0.75, 0.5, 0.25, 0], atol=0.02)
    assert np.allclose(found.sum(axis=1), 1.0)


def test_what_no_label_reaches_believes_nothing():
    graph = Graph.from_edges([(0, 1), (2, 3)], n=4)
    found = believed(SearchGraphs(graph, None, 4), known([0], [0]))
    assert found[:2].tolist() == [[1.0], [1.0]]
    assert not found[2:].any()


def test_an_excluded_class_is_not_believed():
    excluded = np.array([1]), np.array([0])
    found = believed(chain(5), known([0, 4], [0, 1], excluded))
    assert found[1].tolist() == [0.0, 1.0]


def test_a_must_link_passes_labels_on():
    graph = Graph.from_edges([(0, 1), (2, 3), (1, 2)], [1.0, 1.0, 0.01], n=4)
    relation = sp.csr_array(([2.0, 2.0], ([3, 0], [0, 3])), shape=(4, 4))
    labels = known([0, 2], [0, 1])
    without = believed(SearchGraphs(graph, None, 4), labels)
    linked = believed(SearchGraphs(graph, Relation(relation), 4), labels)
    assert without[3].tolist() == [0.0, 1.0]
    assert linked[3, 0] > 0.5


def test_constraints_tell_classes_of_samples_that_are_linked_to_labelled_ones():
    given = Constraints.from_labels(["a", None, "b", None, None])
    given += Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(3, 2)])
    found = KnownClasses.of(given.closure(5))
    assert found.points.tolist() == [0, 1, 2]
    assert [given.classes[c] for c in found.code] == ["a", "a", "b"]
    assert [x.tolist() for x in found.excluded] in ([[0, 1, 3], [1, 1, 1]], [[3], [1]])


def test_bits_are_degree_times_log_belief_above_the_least():
    graph = Graph.from_edges([(0, 1), (1, 2)], [1.0, 3.0])
    belief = sp.csr_array([[1.0, 0.0], [0.5, 0.5], [1 - LEAST_BELIEF / 2, LEAST_BELIEF / 2]])
    pull = bits(belief, graph, 2.0).toarray()
    assert np.isclose(pull[0, 0], 2 * 1.0 * np.log2(1 / LEAST_BELIEF))
    assert np.isclose(pull[1, 1], 2 * 4.0 * np.log2(0.5 / LEAST_BELIEF))
    assert pull[2, 1] == 0.0
    sure = disbelief(sp.csr_array(pull), np.array([0, 0, 0]), graph, 2.0)
    unsure = disbelief(sp.csr_array(pull), np.array([0, 0, 1]), graph, 2.0)
    assert 0 < sure < unsure


def test_classes_with_many_labels_get_their_share():
    X, _ = make_blobs([300, 100], 2, centers=[[0, 0], [1.5, 0]], random_state=0)
    graph = knn_graph(X)
    points = np.r_[0:60, 300:320]
    labels = known(points, np.r_[np.zeros(60), np.ones(20)].astype(int))
    share = believed(SearchGraphs(graph, None, 400), labels).sum(axis=0) / 400
    assert abs(share[0] - 0.75) < 0.05
