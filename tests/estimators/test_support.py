"""What speaks for clusters: the labels behind a name, clusters without labels, broken labels."""

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra
from sklearn.datasets import make_blobs

from sentree import Constraints, Graph, SSEHierarchy, SSEPartition
from sentree.constraints.satisfaction import broken_classes
from sentree.estimators.support import _steps_from, cluster_support


def chain(n):
    return Graph.from_edges([(i, i + 1) for i in range(n - 1)])


def test_labels_behind_a_name():
    clusters = np.array([0] * 5 + [1] * 3)
    given = Constraints.from_labels(["a", "a", "b", None, None, "b", None, None])
    first, second = cluster_support(chain(8), clusters, given)
    assert (first.name, first.labels_for, first.labels, first.size) == ("a", 2, 3, 5)
    assert first.share == pytest.approx(2 / 3)
    assert [str(one) for one in (first, second)] == [
        "a (2 of 3 labels, 5 samples)",
        "b (1 of 1 label, 3 samples)",
    ]
    assert first.new is second.new is None
    none = cluster_support(chain(8), clusters, Constraints())
    assert [one.new for one in none] == [None, None]
    assert np.isnan(none[0].share)
    assert str(none[1]) == "cluster 1 (3 samples) has no label"


def test_evidence_for_a_cluster_without_labels():
    clusters = np.array([0] * 4 + [1] * 3 + [2])
    given = Constraints.from_labels(["a", None, None, "a", *[None] * 4])
    named, new, last = cluster_support(chain(8), clusters, given)
    assert named.new is None
    found = new.new
    assert found.inside == pytest.approx(4 / 6)  # two edges from both ends, of six ends
    assert found.expected_labels == pytest.approx(1.5)  # 3 samples, 2 labels for 4 samples
    assert found.chance == pytest.approx(0.125)
    assert (found.steps, found.usual_steps) == (2, 0.5)
    assert "joined to one another by 67 % of the weight" in str(new)
    assert "typically 2 steps away, elsewhere 0.5" in str(new)
    assert str(new).endswith("(none by chance: 12 %)")
    assert last.new.inside == 0
    apart = Graph.from_edges([(0, 1), (2, 3)])
    lonely = cluster_support(
        apart, np.array([0, 0, 1, 1]), Constraints.from_labels([7, -1, -1, -1])
    )
    assert lonely[1].new.steps == np.inf
    assert "no path in the graph leads to a labelled one" in str(lonely[1])


@pytest.mark.parametrize("estimator", [SSEPartition, SSEHierarchy])
def test_support_of_a_fitted_model(estimator):
    X, y = make_blobs(200, 3, centers=4, cluster_std=0.5, random_state=0)
    known = np.where((np.arange(200) % 8 == 0) & (y != 2), y, -1)
    model = estimator().fit(X, known)
    support = model.cluster_support_
    assert tuple(one.name for one in support) == model.cluster_names_
    assert [one.size for one in support] == np.bincount(model.labels_).tolist()
    new = [one for one in support if one.new is not None]
    assert [one.size for one in new] == [(y == 2).sum()]
    assert new[0].new.inside > 0.95


def test_where_the_clusters_break_most_labels():
    clusters = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3])
    spread = Constraints.from_labels([*"aaaaaaaaa", *"bbbbb"])
    assert broken_classes(spread, clusters) == "6 of 9 labels of class 'a'"
    all_over = Constraints.from_labels([*"aabaabaab", *[None] * 5])  # b has no cluster of its own
    assert broken_classes(all_over, clusters) == "4 of 6 labels"
    kept = Constraints.from_labels([*"aaabbbccc", *"ddddd"])
    assert broken_classes(kept, clusters) is None
    assert broken_classes(Constraints(), clusters) is None


def test_a_warning_where_the_clusters_break_most_labels():
    blocks = np.kron(np.eye(4), np.ones((5, 5))) - np.eye(20) + 1e-6
    start = np.repeat(np.arange(4), 5)
    model = SSEPartition(affinity="precomputed")
    with pytest.warns(UserWarning, match="break 15 of 20 labels: .* keep them with hard=True"):
        model.fit(blocks, ["a"] * 20, init=start, locked=np.arange(20))


def test_steps_to_labelled_samples_are_shortest_paths():
    rng = np.random.default_rng(4)
    edges = rng.integers(0, 60, (70, 2))
    graph = Graph.from_edges(edges[edges[:, 0] != edges[:, 1]], n=60)
    points = np.array([3, 17])
    expected = dijkstra(graph.to_scipy(), indices=points, unweighted=True, min_only=True)
    np.testing.assert_array_equal(_steps_from(graph, points), expected)
    assert np.isinf(expected).any()
