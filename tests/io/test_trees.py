import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import (
    cophenet,
    dendrogram,
    fcluster,
    is_monotonic,
    is_valid_linkage,
    to_tree,
)
from scipy.cluster.hierarchy import linkage as scipy_linkage

from reference import caterpillar, clades, leaves_below, random_parent, random_problem
from sentree import EncodingTree, Graph
from sentree._util.labels import renumber
from sentree.search.kernels import stretch

seeds = st.integers(0, 2**32 - 1)
MEASURES = ("volume", "cut", "relation_cut")


def random_tree(seed, n, widest=4, named=False):
    """A tree with the measures of random graphs."""
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, n)
    names = [f"{i}, the 'n''th" for i in rng.permutation(n)] if named else None
    return EncodingTree.from_parent(random_parent(rng, n, widest), graph, relation, names=names)


def assert_same(again, tree):
    for name in ("parent", *MEASURES):
        assert np.array_equal(getattr(again, name), getattr(tree, name))
        assert getattr(again, name).dtype == getattr(tree, name).dtype
    assert again.names == tree.names


def through_csv(table):
    """As the docstring says that a table goes through a file."""
    return pd.read_csv(io.StringIO(table.to_csv()), dtype={"name": str}, keep_default_na=False)


@settings(max_examples=40)
@given(seeds, st.integers(1, 20), st.integers(2, 20), st.booleans())
def test_json_networkx_and_pandas_bring_everything_back(seed, n, widest, named):
    tree = random_tree(seed, n, widest, named)
    assert_same(EncodingTree.from_json(tree.to_json()), tree)
    assert_same(EncodingTree.from_networkx(tree.to_networkx()), tree)
    table = tree.to_pandas()
    assert_same(EncodingTree.from_pandas(table), tree)
    assert_same(EncodingTree.from_pandas(table.sample(frac=1, random_state=0)), tree)
    again = EncodingTree.from_pandas(through_csv(table))
    assert again.parent.tolist() == tree.parent.tolist()
    assert again.names == tree.names
    for name in MEASURES:  # old versions of pandas read the last digit wrong
        assert np.allclose(getattr(again, name), getattr(tree, name), rtol=1e-14, atol=1e-300)


@settings(max_examples=80)
@given(seeds, st.integers(1, 25), st.integers(2, 20))
def test_linkage_brings_the_shape_back(seed, n, widest):
    tree = random_tree(seed, n, widest)
    linkage = tree.to_linkage()
    again = EncodingTree.from_linkage(linkage)
    assert clades(again) == clades(tree)
    assert again.volume.tolist()[-1] == n
    assert not again.cut.any()
    assert EncodingTree.from_linkage(linkage, binary=True).is_binary
    if n > 1:
        assert is_valid_linkage(linkage)
        assert is_monotonic(linkage)


@settings(max_examples=40)
@given(seeds, st.integers(2, 20), st.integers(2, 20))
def test_scipy_cuts_the_linkage_where_the_tree_is_cut(seed, n, widest):
    tree = random_tree(seed, n, widest)
    linkage = tree.to_linkage()
    height = np.array([max(tree.depth[list(below)]) for below in leaves_below(tree.parent, n)])
    height -= tree.depth
    for level in range(tree.height + 1):
        found = renumber(fcluster(linkage, level, criterion="distance"))
        join = height[[tree.lca(np.full(n, i), np.arange(n)) for i in range(n)]]
        expected = renumber([np.flatnonzero(row <= level)[0] for row in join])
        assert found.tolist() == expected.tolist()
    first, second = np.triu_indices(n, 1)
    assert cophenet(linkage).tolist() == height[tree.lca(first, second)].tolist()
    drawn = dendrogram(linkage, no_plot=True)["leaves"]
    assert sorted(drawn) == list(range(n))


def test_a_linkage_of_scipy_keeps_its_joins():
    rng = np.random.default_rng(0)
    linkage = scipy_linkage(rng.normal(size=(40, 3)), "average")
    tree = EncodingTree.from_linkage(linkage, names=[f"s{i}" for i in range(40)])
    assert tree.is_binary
    assert tree.names[3] == "s3"
    for k in (1, 2, 7, 40):
        expected = renumber(fcluster(linkage, k, criterion="maxclust"))
        assert tree.cut_to(k).tolist() == expected.tolist()
    graph = Graph.from_edges([(0, 1)], n=40)
    assert EncodingTree.from_linkage(linkage, graph=graph).volume[-1] == 2


def test_equal_heights_of_a_linkage_are_one_node():
    linkage = scipy_linkage(np.array([[0.0], [1.0], [2.0], [9.0]]), "single")
    assert EncodingTree.from_linkage(linkage).parent.tolist() == [4, 4, 4, 5, 5, -1]
    binary = EncodingTree.from_linkage(linkage, binary=True)
    assert binary.parent.tolist() == [4, 4, 5, 6, 5, 6, -1]


@settings(max_examples=40)
@given(seeds, st.integers(2, 30))
def test_a_binary_tree_cuts_to_any_number_and_has_a_linkage(seed, n):
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 1, size=(n, n))
    tree = stretch(Graph.from_dense((weights + weights.T) * (1 - np.eye(n)))).tree
    assert tree.is_binary
    for k in range(1, n + 1):
        assert tree.cut_to(k).max() + 1 == k
    linkage = tree.to_linkage()
    assert is_valid_linkage(linkage)
    expected = {frozenset(s) for s in leaves_below(tree.parent.tolist(), n)}
    nodes = [to_tree(linkage)]
    found = set()
    while nodes:
        node = nodes.pop()
        found.add(frozenset(node.pre_order()))
        nodes += [] if node.is_leaf() else [node.left, node.right]
    assert found == expected


def test_scipy_draws_the_linkage():
    tree = stretch(Graph.from_dense(1 - np.eye(6))).tree
    assert sorted(dendrogram(tree.to_linkage(), no_plot=True)["leaves"]) == list(range(6))


def test_linkage_of_a_wide_node_is_several_of_one_height():
    wide = EncodingTree.from_parent([4, 4, 4, 5, 5, -1], Graph.from_edges([(0, 1)], n=4))
    linkage = wide.to_linkage()
    assert linkage.tolist() == [[0, 1, 1, 2], [2, 4, 1, 3], [3, 5, 2, 4]]
    assert is_valid_linkage(linkage)


def test_large_trees_go_both_ways():
    n = 100_000
    deep = EncodingTree.from_parent(caterpillar(n))
    wide = EncodingTree.from_parent(np.append(np.full(n, n), -1))
    for tree in (deep, wide):
        linkage = tree.to_linkage()
        assert is_valid_linkage(linkage)
        assert np.array_equal(EncodingTree.from_linkage(linkage).parent, tree.parent)
        for again in (
            EncodingTree.from_json(tree.to_json()),
            EncodingTree.from_pandas(tree.to_pandas()),
        ):
            assert_same(again, tree)


def test_networkx_and_pandas():
    import networkx

    tree = EncodingTree.from_labels([0, 0, 1, 1], Graph.from_edges([(0, 1), (2, 3)]))
    graph = tree.to_networkx()
    assert networkx.is_arborescence(graph)
    assert graph.nodes[6]["volume"] == 4
    table = tree.to_pandas()
    assert table.loc[6, "size"] == 4
    assert table["parent"].tolist() == [4, 4, 5, 5, 6, 6, -1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a sentree tree"),
        ({"version": 99}, "unknown version 99"),
        ({"cut": None}, "no list 'cut'"),
        ({"cut": [0.0]}, "cut has shape"),
        ({"volume": [None, 1.0, 2.0]}, "volume holds a value that is not finite"),
        ({"parent": [2, 2.5, -1]}, "whole numbers"),
        ({"parent": [2, 2**33 + 2, -1]}, "node 1 has parent"),
        ({"names": ["a", "a"]}, "two samples are called 'a'"),
        ({"names": ["a", 1]}, "name 1 is not text"),
    ],
)
def test_wrong_json_is_refused(change, message):
    data = json.loads(EncodingTree.from_parent([2, 2, -1]).to_json())
    with pytest.raises(ValueError, match=message):
        EncodingTree.from_json(json.dumps(data | change))


def test_text_that_is_no_tree_is_refused():
    for text in ("[1]", "(a,b);"):
        with pytest.raises(ValueError, match="not a sentree tree|Expecting value"):
            EncodingTree.from_json(text)


def test_wrong_linkages_are_refused():
    for rows in ([[0, 1, 1, 2], [0, 2, 2, 2]], [[0, 1, 1]], [[0, 3, 1, 2], [1, 2, 1, 2]]):
        with pytest.raises(ValueError, match="[Ll]inkage"):
            EncodingTree.from_linkage(np.array(rows, dtype=float))


def test_wrong_networkx_graphs_are_refused():
    import networkx as nx

    graph = EncodingTree.from_parent([2, 2, -1]).to_networkx()
    with pytest.raises(ValueError, match="must be a DiGraph"):
        EncodingTree.from_networkx(graph.to_undirected())
    with pytest.raises(ValueError, match="numbers from 0"):
        EncodingTree.from_networkx(nx.relabel_nodes(graph, str))
    del graph.nodes[1]["cut"]
    with pytest.raises(ValueError, match="node 1 has no attribute 'cut'"):
        EncodingTree.from_networkx(graph)
    graph.add_edge(0, 1)
    with pytest.raises(ValueError, match="node 1 has two parents, 2 and 0|0 and 2"):
        EncodingTree.from_networkx(graph)


def test_wrong_tables_are_refused():
    table = EncodingTree.from_parent([2, 2, -1]).to_pandas()
    with pytest.raises(ValueError, match="no column 'volume'"):
        EncodingTree.from_pandas(table.drop(columns="volume"))
    with pytest.raises(ValueError, match="numbered from 0"):
        EncodingTree.from_pandas(table.set_axis([1, 2, 3]))
    with pytest.raises(ValueError, match="whole numbers"):
        EncodingTree.from_pandas(table.assign(parent=[2.0, np.nan, -1.0]))
    with pytest.raises(ValueError, match="name 7 is not text"):
        EncodingTree.from_pandas(table.assign(name=[7, 8, 9]))
