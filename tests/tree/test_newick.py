import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import caterpillar, clades, random_parent, random_problem
from sentree import EncodingTree, Graph
from sentree.metrics import dendrogram_purity

seeds = st.integers(0, 2**32 - 1)
awkward = st.text(alphabet="ab '\"():;,[]_-\t\n\u00a0é0", max_size=6)


@settings(max_examples=80)
@given(seeds, st.integers(1, 25), st.integers(2, 20), st.sampled_from(["height", "bits", None]))
def test_numbered_leaves_come_back(seed, n, widest, lengths):
    tree = EncodingTree.from_parent(random_parent(np.random.default_rng(seed), n, widest))
    again = EncodingTree.from_newick(tree.to_newick(lengths=lengths))
    assert clades(again) == clades(tree)
    assert again.names is None
    assert again.volume[-1] == n
    assert not again.cut.any()


@settings(max_examples=80)
@given(seeds, st.lists(awkward, min_size=1, max_size=12, unique=True))
def test_names_come_back(seed, names):
    tree = EncodingTree.from_parent(random_parent(np.random.default_rng(seed), len(names)))
    text = tree.to_newick(names)
    assert text == tree.with_names(names).to_newick()
    ordered = EncodingTree.from_newick(text, names)
    assert ordered.names == tuple(names)
    assert clades(ordered) == clades(tree)
    found = EncodingTree.from_newick(text)
    called = found.names or tuple(str(i) for i in range(len(names)))
    by_name = {frozenset(called[leaf] for leaf in clade) for clade in clades(found)}
    assert by_name == {frozenset(names[leaf] for leaf in clade) for clade in clades(tree)}


def test_a_graph_gives_volumes_and_cuts():
    graph = Graph.from_edges([(0, 1), (2, 3), (1, 2)], [5, 5, 1])
    tree = EncodingTree.from_labels([0, 0, 1, 1], graph)
    again = EncodingTree.from_newick(tree.to_newick(), graph=graph)
    assert again.volume.tolist() == tree.volume.tolist()
    assert again.cut.tolist() == tree.cut.tolist()
    with pytest.raises(ValueError, match="2 leaves, the graph 4 vertices"):
        EncodingTree.from_newick("(a,b);", graph=graph)


def test_newick_names_and_branch_lengths():
    graph = Graph.from_edges([(0, 1), (2, 3), (1, 2)], [5, 5, 1])
    tree = EncodingTree.from_labels([0, 0, 1, 1], graph)
    assert tree.to_newick(["a", "b c", "it's", "d"]) == "((a:1,'b c':1):1,('it''s':1,d:1):1);"
    with pytest.raises(ValueError, match="1 names for 4 leaves"):
        tree.to_newick(["a"])


@settings(max_examples=40)
@given(seeds, st.integers(2, 20))
def test_bits_are_the_ratios_of_the_volumes(seed, n):
    rng = np.random.default_rng(seed)
    graph, *_ = random_problem(rng, n)  # with vertices without edges
    tree = EncodingTree.from_parent(random_parent(rng, n), graph)
    below, above = tree.volume[:-1], tree.volume[tree.parent[:-1]]
    expected = [np.log2(v / u) if u > 1e-9 else 0 for u, v in zip(below, above, strict=True)]
    written = [float(x) for x in re.findall(r":([^,();]+)", tree.to_newick(lengths="bits"))]
    assert min(written) >= 0
    assert sorted(written) == pytest.approx(sorted(expected), abs=1e-8)


def test_what_other_programs_write():
    text = "[&R] ( ( a :1.5, b[&x=1]:[&rate=2]5e-1 )95:0.1 ,\n (('c c':1))in , d:-0.2)r:0; [e]\n"
    tree = EncodingTree.from_newick(text)
    assert tree.names == ("a", "b", "c c", "d")
    assert tree.parent.tolist() == [4, 4, 5, 5, 5, -1]
    assert EncodingTree.from_newick("((a,b));").parent.tolist() == [2, 2, -1]
    assert EncodingTree.from_newick("(((a)));").names == ("a",)
    unnamed = EncodingTree.from_newick("((,),(,,));")
    assert unnamed.names is None
    assert unnamed.n_leaves == 5


def test_the_highest_node_is_opened_first():
    text = "((a:1,b:1):8,((c:4,d:4):1,e:5):4);"
    tree = EncodingTree.from_newick(text)
    assert tree.cut_to(3).tolist() == [0, 0, 1, 1, 2]
    assert EncodingTree.from_newick("((a:6,b:6):3,((c:4,d:4):1,e:5):4);").cut_to(3).tolist() == [
        *(0, 1, 2, 2, 2)
    ]
    assert EncodingTree.from_newick("((a:6,b:6):3,((c,d),e));").cut_to(3).tolist() == [
        *(0, 0, 1, 1, 2)
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends before ';' with 0 '\\(' still open, at position 0"),
        ("(a,b)", "ends before ';'.* at position 5"),
        ("((a,b);", "';' while 1 '\\(' are still open, at position 6"),
        ("(a,b));", "'\\)' outside of all parentheses, at position 5"),
        ("a,b;", "',' outside of all parentheses, at position 1"),
        ("(a b,c);", "unexpected 'b'; names with blanks need quotes, at position 3"),
        ("(a,'b);", "quote that is not closed, at position 3"),
        ("(a,[b);", "comment that is not closed, at position 3"),
        ("(a,b]);", "unexpected ']', at position 4"),
        ("(a,b(c,d));", "unexpected '\\(';.* at position 4"),
        ("(a:1:2,b);", "second ':' for one node, at position 4"),
        ("(a:x,b);", "'x' where a branch length should be, at position 3"),
        ("(a:,b);", "',' where a branch length should be, at position 3"),
        ("(a:nan,b);", "'nan' where a branch length"),
        ("(a:'1',b);", "where a branch length"),
        ("(a:1,b) c:2 d;", "unexpected 'd'"),
        ("(a,b);(c,d);", "more text after ';'; one tree at a time, at position 6"),
        ("(a,(b,a));", "second leaf is called 'a', at position 6"),
        ("(a,(b,));", "leaf without a name, at position 6"),
    ],
)
def test_malformed_text_is_refused_with_the_position(text, message):
    with pytest.raises(ValueError, match="Newick: .*" + message):
        EncodingTree.from_newick(text)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "c"], "no leaf is called 'c'"),
        (["a", "a"], "given twice"),
        (["a"], "1 names for 2 leaves"),
    ],
)
def test_names_must_be_those_of_the_leaves(names, message):
    with pytest.raises(ValueError, match=message):
        EncodingTree.from_newick("(a,b);", names)
    with pytest.raises(ValueError, match="leaf without a name"):
        EncodingTree.from_newick("(,);", ["a", "b"])


def test_repeated_names_are_written_but_not_read():
    tree = EncodingTree.from_newick("((a,b),(c,d));")
    text = tree.to_newick(["x", "x", "y", "y"], lengths=None)
    assert text == "((x,x),(y,y));"
    with pytest.raises(ValueError, match="second leaf is called 'x', at position 4"):
        EncodingTree.from_newick(text)
    with pytest.raises(ValueError, match="lengths must be"):
        tree.to_newick(lengths="volume")


@pytest.mark.parametrize("deep", [True, False])
def test_large_trees(deep):
    n = 100_000
    parent = caterpillar(n) if deep else np.append(np.full(n, n), -1)
    tree = EncodingTree.from_parent(parent)
    again = EncodingTree.from_newick(tree.to_newick())
    assert np.array_equal(again.parent, tree.parent)


def test_a_tree_from_outside_is_scored():
    tree = EncodingTree.from_newick("((w,x),(y,z));", ["w", "x", "y", "z"])
    assert dendrogram_purity(tree, [0, 0, 1, 1]) == 1
