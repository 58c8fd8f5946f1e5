import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import caterpillar, leaves_below, random_parent, random_problem
from sentree import EncodingTree, Graph
from sentree._util.labels import renumber
from sentree.metrics import dendrogram_purity
from sentree.search.kernels import compress
from sentree.search.objective import tree_objective
from sentree.tree import first_leaves

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=80)
@given(seeds, st.integers(1, 20))
def test_volumes_cuts_and_shape_by_definition(seed, n):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n, own_weight=bool(seed % 2))
    parent = random_parent(rng, n)
    tree = EncodingTree.from_parent(parent, graph, relation)
    below = leaves_below(parent, n)
    for node in range(len(parent)):
        inside = sorted(below[node])
        outside = sorted(set(range(n)) - below[node])
        assert np.isclose(tree.volume[node], dense[inside].sum())
        assert np.isclose(tree.cut[node], dense[np.ix_(inside, outside)].sum(), atol=1e-9)
        assert np.isclose(
            tree.relation_cut[node], dense_relation[np.ix_(inside, outside)].sum(), atol=1e-9
        )
        assert tree.sizes[node] == len(inside)
        chain, at = 0, node
        while parent[at] != -1:
            at, chain = parent[at], chain + 1
        assert tree.depth[node] == chain
    for _ in range(10):
        i, j = rng.integers(0, n, size=2)
        meet = min(node for node in range(len(parent)) if {int(i), int(j)} <= below[node])
        assert tree.lca([i], [j]).tolist() == [meet]


@settings(max_examples=60)
@given(seeds, st.integers(1, 20), st.integers(1, 20))
def test_a_partition_is_the_tree_of_its_parents(seed, n, k):
    rng = np.random.default_rng(seed)
    graph, relation, _, _ = random_problem(rng, n, own_weight=bool(seed % 2))
    labels = rng.integers(0, k, size=n)
    groups = [np.flatnonzero(labels == c) for c in dict.fromkeys(labels.tolist())]
    parent = []
    if n > 1:
        nodes = [g for g in groups if len(groups) > 1 and g.size > 1]
        root = n + len(nodes)
        parent = [root] * root
        for node, members in enumerate(nodes):
            for leaf in members:
                parent[leaf] = n + node
    expected = EncodingTree.from_parent([*parent, -1], graph, relation)
    tree = EncodingTree.from_labels(labels, graph, relation)
    assert tree.parent.tolist() == expected.parent.tolist()
    for name in ("volume", "cut", "relation_cut"):
        assert np.allclose(getattr(tree, name), getattr(expected, name), atol=1e-9)
    assert not EncodingTree.from_labels(labels, graph).relation_cut.any()


def test_labels_and_graph_must_be_of_one_size():
    with pytest.raises(ValueError, match="3 labels for a graph of 2 vertices"):
        EncodingTree.from_labels([0, 0, 1], Graph.from_edges([(0, 1)]))


@given(
    st.one_of(
        st.lists(st.integers(-3, 3)),
        st.lists(st.integers(0, 10**12)),
        st.lists(st.sampled_from(["b", "a", "c"])),
        st.lists(st.integers(0, 5)).map(lambda x: np.array(x, dtype=np.uint64)),
        st.lists(st.booleans()),
    )
)
def test_numbers_go_by_first_appearance(labels):
    number = {}
    expected = [number.setdefault(x, len(number)) for x in list(labels)]
    assert renumber(labels).tolist() == expected
    assert renumber(labels).dtype == np.int32


@settings(max_examples=60)
@given(seeds, st.integers(2, 20))
def test_levels_are_nested_and_cuts_grow(seed, n):
    rng = np.random.default_rng(seed)
    tree = EncodingTree.from_parent(random_parent(rng, n), Graph.from_edges([(0, 1)], n=n))
    assert tree.labels_at(0).tolist() == [0] * n
    assert sorted(tree.labels_at(tree.height)) == list(range(n))
    for level in range(tree.height):
        upper, lower = tree.labels_at(level), tree.labels_at(level + 1)
        pairs = set(zip(lower.tolist(), upper.tolist(), strict=True))
        assert len(pairs) == len(set(lower.tolist()))
    assert tree.labels_at(1).max() + 1 == tree.children(tree.root).size
    previous = None
    for k in range(1, n + 1):
        labels = tree.cut_to(k)
        assert labels.max() + 1 <= k
        if previous is not None:
            pairs = set(zip(labels.tolist(), previous.tolist(), strict=True))
            assert len(pairs) == len(set(labels.tolist()))
        previous = labels
    assert sorted(previous) == list(range(n))


def test_a_cut_never_gives_more_clusters_than_asked_for():
    tree = EncodingTree.from_parent([6, 6, 6, 7, 7, 8, 8, 8, -1])  # (0 1 2) (3 4) 5
    assert [int(tree.cut_to(k).max()) + 1 for k in range(1, 7)] == [1, 1, 3, 4, 4, 6]
    assert tree.cut_to(4).tolist() == [0, 0, 0, 1, 2, 3]


def test_very_deep_trees_are_no_trouble():
    n = 100_000
    path = Graph.from_edges(np.column_stack((np.arange(n - 1), np.arange(1, n))))
    tree = EncodingTree.from_parent(caterpillar(n), path)
    assert tree.height == n - 1
    assert tree.cut[-2] == 1  # all but the last leaf: one edge leaves
    assert tree.labels_at(2).max() + 1 == 3


def test_from_labels_makes_height_two_with_leaves_for_single_samples():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    tree = EncodingTree.from_labels(["b", "b", "a", "c"], graph)
    assert tree.parent.tolist() == [4, 4, 5, 5, 5, -1]
    assert EncodingTree.from_labels([7, 7, 7, 7], graph).parent.tolist() == [4, 4, 4, 4, -1]
    assert EncodingTree.from_labels([0, 1, 2, 3], graph).parent.tolist() == [4, 4, 4, 4, -1]
    single = Graph.from_edges(np.empty((0, 2), dtype=int), n=1)
    assert EncodingTree.from_labels([0], single).parent.tolist() == [-1]


@pytest.mark.parametrize(
    ("parent", "message"),
    [
        ([2, 2, 0], "last node must be the root"),
        ([2, 0, -1], "node 1 has parent 0"),
        ([2, 9, -1], "node 1 has parent 9"),
        ([2, 3, 3, -1], "single child"),
        ([3, 2, 4, 4, -1], "leaves must be the first|single child"),
        ([], "non-empty"),
    ],
)
def test_bad_parents_are_refused(parent, message):
    zeros = np.zeros(len(parent))
    with pytest.raises(ValueError, match=message):
        EncodingTree(np.array(parent), zeros, zeros, zeros)


def test_bad_arrays_and_arguments_are_refused():
    parent = np.array([2, 2, -1])
    with pytest.raises(ValueError, match="volume has shape"):
        EncodingTree(parent, np.zeros(2), np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match="cut holds a value that is not finite"):
        EncodingTree(parent, np.zeros(3), np.array([0, np.nan, 0]), np.zeros(3))
    with pytest.raises(ValueError, match="2 leaves, the graph 3 vertices"):
        EncodingTree.from_parent(parent, Graph.from_edges([(0, 1)], n=3))
    tree = EncodingTree(parent, np.zeros(3), np.zeros(3), np.zeros(3))
    for call in (lambda: tree.labels_at(-1), lambda: tree.cut_to(0), lambda: tree.cut_to(3)):
        with pytest.raises(ValueError, match="level|n_clusters"):
            call()


def test_trees_and_graphs_cannot_be_changed_from_outside():
    weights = np.array([1.0, 1.0])
    graph = Graph(np.array([0, 1, 2]), np.array([1, 0]), weights)
    weights[:] = 9
    assert graph.weights.tolist() == [1, 1]
    tree = pickle.loads(pickle.dumps(EncodingTree.from_labels([0, 0], graph)))
    for array in (tree.parent, tree.volume, pickle.loads(pickle.dumps(graph)).weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5


def test_relation_may_be_any_sparse_format():
    graph = Graph.from_edges([(0, 1)], n=3)
    relation = sp.coo_array(([1.0, 1.0], ([0, 2], [2, 0])), shape=(3, 3))
    tree = EncodingTree.from_parent([3, 3, 4, 4, -1], graph, relation)
    assert tree.relation_cut.tolist() == [1, 0, 1, 1, 0]


def test_without_a_graph_samples_are_counted():
    tree = EncodingTree.from_parent([4, 4, 5, 5, 6, 6, -1])
    assert tree.volume.tolist() == [1, 1, 1, 1, 2, 2, 4]
    assert not tree.cut.any()
    assert not tree.relation_cut.any()
    assert dendrogram_purity(tree, [0, 0, 1, 1]) == 1
    assert tree.cut_to(2).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("parent", [[2, 2], [2, 3, 3, -1], [3, 3, 4, 4, 4, -1], [2.0, 2.0, -1.0]])
def test_a_tree_without_a_graph_is_a_tree(parent):
    with pytest.raises(ValueError, match="EncodingTree"):
        EncodingTree.from_parent(parent)


def test_names_stay_with_the_tree():
    tree = EncodingTree.from_parent([5, 5, 6, 6, 7, 8, 7, 8, -1], names="abcde")
    assert tree.by_volume().names == pickle.loads(pickle.dumps(tree)).names == tuple("abcde")
    assert compress(tree, 2).tree.names == tuple("abcde")
    assert tree.with_names("vwxyz").names == tuple("vwxyz")
    for names, message in (
        ("abcda", "two samples are called 'a'"),
        ("abcd", "4 names for 5 leaves"),
        ([*"abcd", 5], "the name 5 is not text"),
    ):
        with pytest.raises(ValueError, match=message):
            tree.with_names(names)


def test_renumber_by_first_appearance():
    assert renumber([5, 5, 2, 9, 2]).tolist() == [0, 0, 1, 2, 1]
    assert renumber(np.array(["b", "a", "b"])).dtype == np.int32


def test_numbers_by_volume_open_the_largest_node_first():
    graph = Graph.from_edges([(0, 1), (2, 3), (3, 4), (1, 2)], [9.0, 1.0, 1.0, 0.1])
    tree = EncodingTree.from_parent([5, 5, 6, 6, 7, 8, 7, 8, -1], graph)
    sorted_tree = tree.by_volume()
    assert np.all(np.diff(sorted_tree.volume[5:]) >= 0)
    assert sorted_tree.parent.tolist() == [7, 7, 5, 5, 6, 6, 8, 8, -1]
    assert tree_objective(sorted_tree).value == pytest.approx(tree_objective(tree).value)
    assert sorted_tree.cut_to(3).tolist() == [0, 1, 2, 2, 2]
    assert tree.cut_to(3).tolist() == [0, 0, 1, 1, 2]


def test_a_tree_over_the_first_leaves():
    parent = np.array([6, 7, 7, 8, 6, 8, 9, 9, 10, 10, -1], dtype=np.int32)
    assert first_leaves(parent, 6).tolist() == parent.tolist()
    assert first_leaves(parent, 3).tolist() == [4, 3, 3, 4, -1]
    assert first_leaves(parent, 4).tolist() == [5, 4, 4, 6, 5, 6, -1]
    assert first_leaves(parent, 2).tolist() == [2, 2, -1]
