import tracemalloc

import numpy as np
import pytest

from sentree import Constraints, Graph
from sentree.relation.by_degree import SearchGraphs, anchor, cannot_share


def ring(n):
    i = np.arange(n)
    return Graph.from_edges(np.column_stack((i, (i + 1) % n)), np.linspace(1, 2, n))


def anchored(graph, given, share=0.5):
    return anchor(graph, given, given.closure(graph.n), share)


def test_cannot_share_is_the_ratio_of_informations():
    assert cannot_share(0.5) == 1
    assert cannot_share(1 / 3) == pytest.approx(np.log2(1.5) / np.log2(3))
    assert cannot_share(1 / 10) == pytest.approx(0.0458, abs=1e-4)
    assert 0 < cannot_share(1e-9) < cannot_share(0.01)
    assert cannot_share(0.9) == 1


def test_a_points_must_links_weigh_its_degree():
    graph = ring(8)
    given = Constraints.from_pairs(must_link=[(0, 4), (4, 6)])
    result = anchored(graph, given)
    relation = result.relation.matrix.toarray()
    assert result.n == 8
    assert result.graph is graph  # a small component is a clique: no anchor
    share = graph.degree / 2  # two partners each
    for i, j in ((0, 4), (4, 6), (0, 6)):
        assert relation[i, j] == relation[j, i] == pytest.approx(np.sqrt(share[i] * share[j]))
    assert np.count_nonzero(relation) == 6


def test_cannot_links_extend_to_components_and_weigh_a_share():
    graph = ring(8)
    given = Constraints.from_pairs(must_link=[(0, 4)], cannot_link=[(4, 2)])
    relation = anchored(graph, given, share=0.25).relation.matrix.toarray()
    assert relation[0, 2] < 0
    assert relation[4, 2] < 0
    d = graph.degree
    assert relation[4, 2] == pytest.approx(-0.25 * np.sqrt(d[4] * d[2] / 2))


def test_classes_get_anchors_that_exclude_one_another():
    graph = ring(9)
    given = Constraints.from_labels([0, 0, 0, 1, 1, -1, -1, 2, -1])
    result = anchored(graph, given)
    assert result.graph.n == 9 + 2  # class 2 has a single member, which stands for it
    relation = result.relation.matrix.toarray()
    assert np.allclose(relation[9, :3], graph.degree[:3])
    assert np.allclose(relation[10, 3:5], graph.degree[3:5])
    assert relation[9, 10] < 0
    assert relation[9, 7] < 0
    assert not relation[:9, :9].any()
    assert result.graph.degree[9] == graph.degree.mean()


def test_negative_labels_end_at_the_anchor():
    given = Constraints.from_labels([0, 0, -1, -1]) + Constraints.from_negative_labels([(3, 0)])
    result = anchored(ring(4), given)
    assert result.relation.matrix[3, 4] < 0
    assert np.count_nonzero(result.relation.matrix.toarray()[:4, :4]) == 0


def test_weights_multiply():
    pairs = [(0, 4)]
    plain = anchored(ring(8), Constraints.from_pairs(pairs)).relation.matrix
    double = anchored(ring(8), Constraints.from_pairs(pairs, weights=[2.0])).relation.matrix
    assert double[0, 4] == pytest.approx(2 * plain[0, 4])


def test_anchors_follow_most_of_their_members():
    given = Constraints.from_labels([0, 0, 0, 1, 1, -1])
    result = anchored(ring(6), given)
    assert result.extended(np.array([5, 5, 7, 7, 7, 9])).tolist() == [0, 0, 1, 1, 1, 2, 0, 1]
    assert SearchGraphs(ring(4), None, 4).extended(np.array([3, 3, 1, 1])).tolist() == [0, 0, 1, 1]


def test_many_labels_groups_and_negatives_take_linear_memory():
    n = 200_000
    graph = ring(n)
    labels = np.where(np.arange(n) % 2 == 0, np.arange(n) % 20, -1)
    negatives = [(i, (i + 2) % 20) for i in range(1, 20_000, 2)]
    given = (
        Constraints.from_labels(labels)
        + Constraints.from_negative_labels([(i, c - c % 2) for i, c in negatives])
        + Constraints.from_groups(apart=[np.arange(1, 20_001, 2)])
    )
    closure = given.closure(n)
    tracemalloc.start()
    result = anchor(graph, given, closure, 0.05)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.relation.matrix.nnz < 8 * n
    assert peak < 400e6


def test_must_linked_vertices_and_their_anchor_share_a_number():
    given = Constraints.from_labels([0, 0, 1, 1, -1, -1]) + Constraints.from_pairs([(4, 5)])
    together = anchored(ring(6), given).together
    assert together.tolist() == [0, 0, 1, 1, 2, 2, 0, 1]
