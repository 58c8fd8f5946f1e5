import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import (
    dense_partition_objective,
    dense_tree_objective,
    lca_entropy,
    random_problem,
)
from sentree import EncodingTree, Graph
from sentree.search.kernels import stretch
from sentree.search.objective import (
    partition_objective,
    singles_objective,
    tree_objective,
    vertex_entropy,
)

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=100)
@given(seeds, st.integers(1, 15), st.booleans())
def test_partition_objective_by_definition(seed, n, own_weight):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n, own_weight=own_weight)
    if graph.volume == 0:
        return
    labels = rng.integers(0, 4, size=n)
    full = partition_objective(graph, labels, relation)
    plain = partition_objective(graph, labels)
    assert plain.penalty == 0
    assert np.isclose(full.entropy, plain.entropy)
    expected = dense_partition_objective(dense, dense_relation, labels)
    if not own_weight:
        assert np.isclose(full.value, expected, atol=1e-10)
    # Own weight is charged at the leaf in both forms, so differences agree in any case.
    other = rng.integers(0, 4, size=n)
    difference = full.value - partition_objective(graph, other, relation).value
    assert np.isclose(
        difference, expected - dense_partition_objective(dense, dense_relation, other), atol=1e-10
    )


@settings(max_examples=80)
@given(seeds, st.integers(2, 12), st.booleans(), st.booleans())
def test_tree_objective_by_definition(seed, n, own_weight, leaf_penalty):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n, own_weight=own_weight)
    if graph.volume == 0:
        return
    tree = stretch(graph, relation).tree
    value = tree_objective(tree, leaf_penalty=leaf_penalty)
    expected = dense_tree_objective(dense, dense_relation, tree.parent.tolist(), leaf_penalty)
    assert np.isclose(value.value, expected, atol=1e-10)
    assert np.isclose(value.entropy, lca_entropy(dense, tree.parent.tolist()), atol=1e-10)


@settings(max_examples=60)
@given(seeds, st.integers(2, 15))
def test_the_tree_of_height_two_has_the_entropy_of_its_partition(seed, n):
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, n)
    # Pairs, so that no module is a single vertex: there the two penalties differ by design.
    labels = rng.permutation(np.arange(n) // 2 % max(1, n // 2))
    tree = tree_objective(EncodingTree.from_labels(labels, graph, relation))
    flat = partition_objective(graph, labels, relation)
    assert np.isclose(tree.entropy, flat.entropy, atol=1e-10)
    if np.bincount(labels).min() > 1:
        assert np.isclose(tree.penalty, flat.penalty, atol=1e-10)


def test_the_star_has_the_vertex_entropy():
    graph, *_ = random_problem(np.random.default_rng(1), 20)
    star = EncodingTree.from_labels(np.zeros(20), graph)
    assert np.isclose(tree_objective(star).value, vertex_entropy(graph))
    assert np.isclose(partition_objective(graph, np.zeros(20)).value, vertex_entropy(graph))


def test_known_values():
    two_edges = Graph.from_edges([(0, 1), (2, 3)])
    assert vertex_entropy(two_edges) == 2
    assert partition_objective(two_edges, [0, 0, 1, 1]).value == 1
    assert partition_objective(two_edges, [0, 1, 2, 3]).value == 2


def test_no_volume_no_entropy():
    graph = Graph.from_edges([], n=3)
    assert vertex_entropy(graph) == 0
    assert partition_objective(graph, [0, 0, 1]).value == 0
    assert tree_objective(EncodingTree.from_labels([0, 0, 1], graph)).value == 0


def test_wrong_number_of_labels():
    with pytest.raises(ValueError, match="2 labels for a graph of 3"):
        partition_objective(Graph.from_edges([(0, 1)], n=3), [0, 1])


def test_single_vertices_are_a_partition_like_any_other():
    random = np.random.default_rng(5)
    weights = np.triu(random.uniform(0, 1, (12, 12)) * (random.random((12, 12)) < 0.4), 1)
    relation = sp.csr_array(np.triu(random.normal(size=(12, 12)), 1) * (weights > 0))
    graph = Graph.from_scipy(sp.csr_array(weights + weights.T + np.diag(random.random(12))))
    for related in (None, relation + relation.T):
        quick = singles_objective(graph, related)
        slow = partition_objective(graph, np.arange(12), related)
        np.testing.assert_allclose(quick, slow, rtol=1e-12)
