import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

from reference import leaves_below, random_parent, random_problem, slow_purity
from sentree import Constraints, EncodingTree, Graph, metrics
from sentree.metrics import (
    constraint_satisfaction,
    dasgupta_cost,
    dendrogram_purity,
    structural_entropy,
)
from sentree.search.kernels import stretch
from sentree.search.objective import partition_objective, tree_objective


def tree_of(parent, n):
    return EncodingTree.from_parent(parent, Graph.from_edges([(0, 1)], n=n))


@settings(max_examples=80)
@given(st.integers(0, 2**32 - 1), st.integers(2, 20), st.integers(1, 4))
def test_purity_is_the_mean_over_pairs(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, size=n)
    if np.bincount(y).max() < 2:
        return
    parent = random_parent(rng, n)
    assert np.isclose(dendrogram_purity(tree_of(parent, n), y), slow_purity(parent, y))


def test_purity_does_not_depend_on_the_block_of_classes(monkeypatch):
    rng = np.random.default_rng(0)
    y, tree = rng.integers(0, 9, size=60), tree_of(random_parent(rng, 60), 60)
    whole = dendrogram_purity(tree, y)
    monkeypatch.setattr(metrics, "_BLOCK", 1)
    assert np.isclose(dendrogram_purity(tree, y), whole)


def test_purity_of_known_trees():
    assert dendrogram_purity(tree_of([4, 4, 5, 5, 6, 6, -1], 4), ["a", "a", "b", "b"]) == 1
    assert dendrogram_purity(tree_of([4, 4, 5, 6, 5, 6, -1], 4), [0, 0, 1, 1]) == 0.75
    assert dendrogram_purity(tree_of([3, 3, 3, -1], 3), [0, 0, 1]) == pytest.approx(2 / 3)
    assert dendrogram_purity(tree_of([3, 3, 3, -1], 3), [5, 5, 5]) == 1


def test_purity_without_pairs_is_nan_with_a_warning():
    with pytest.warns(UserWarning, match="no class has two members"):
        assert np.isnan(dendrogram_purity(tree_of([3, 3, 3, -1], 3), [0, 1, 2]))


def test_purity_takes_a_scipy_linkage():
    X = np.array([[0.0], [1.0], [9.0], [10.0], [10.5]])
    assert dendrogram_purity(linkage(X), [0, 0, 1, 1, 1]) == 1
    with pytest.raises(ValueError, match=r"linkage matrix of shape \(n - 1, 4\)"):
        dendrogram_purity(X, [0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match="3 classes for a tree of 5 leaves"):
        dendrogram_purity(linkage(X), [0, 0, 1])


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(2, 15))
def test_dasgupta_cost_is_the_sum_over_edges(seed, n):
    rng = np.random.default_rng(seed)
    graph, _, dense, _ = random_problem(rng, n)
    parent = random_parent(rng, n)
    below = leaves_below(parent, n)
    expected = sum(
        dense[i, j] * min(len(s) for s in below if {i, j} <= s)
        for i in range(n)
        for j in range(i)
        if dense[i, j]
    )
    assert np.isclose(dasgupta_cost(graph, tree_of(parent, n)), expected)


def test_dasgupta_cost_of_cliques():
    n = 7
    clique = Graph.from_dense(1 - np.eye(n))
    assert dasgupta_cost(clique, stretch(clique).tree) == pytest.approx((n**3 - n) / 3)
    star = EncodingTree.from_labels(np.zeros(n), clique)
    assert dasgupta_cost(clique, star) == n * clique.volume / 2
    with pytest.raises(ValueError, match="7 leaves, the graph 3 vertices"):
        dasgupta_cost(Graph.from_edges([(0, 1)], n=3), star)


def test_structural_entropy_of_labels_and_trees():
    rng = np.random.default_rng(2)
    graph, relation, *_ = random_problem(rng, 15)
    labels = rng.integers(0, 3, size=15)
    assert structural_entropy(graph, labels) == partition_objective(graph, labels).entropy
    tree = stretch(graph, relation).tree
    assert np.isclose(structural_entropy(graph, tree), tree_objective(tree).entropy)
    other, *_ = random_problem(rng, 15)
    assert not np.isclose(structural_entropy(other, tree), structural_entropy(graph, tree))


def test_constraint_satisfaction():
    constraints = Constraints.from_pairs(must_link=[(0, 1), (2, 3)], cannot_link=[(0, 3), (1, 2)])
    assert constraint_satisfaction(constraints, [0, 0, 1, 1]) == 1
    assert constraint_satisfaction(constraints, [0, 0, 0, 1]) == 0.5
    assert constraint_satisfaction(Constraints(), [0, 1]) == 1
