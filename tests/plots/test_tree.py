"""sentree.plots.tree: the outline of a tree, and its pictures."""

import sys

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from sentree import EncodingTree, Graph, SSEHierarchy, plots
from sentree.plots.outline import majority, outline
from sentree.plots.style import COLOURS

pytestmark = pytest.mark.usefixtures("pyplot")


def make(parent):
    """A tree of that shape; the picture needs no graph."""
    parent = np.asarray(parent)
    volume = EncodingTree(parent, *np.zeros((3, parent.size))).sizes.astype(float)
    return EncodingTree(parent, volume, *np.zeros((2, parent.size)))


def of_groups(*sizes):
    """A tree of height 2 with groups of these sizes (2 or more each)."""
    n, k = sum(sizes), len(sizes)
    return make(np.concatenate((n + np.repeat(np.arange(k), sizes), np.full(k, n + k), [-1])))


def chain(n):
    """A tree n - 1 deep that sheds one sample at a time."""
    inner = np.arange(n, 2 * n - 1)
    return make(np.concatenate(([n], inner, inner[1:], [-1])))


def random_binary(n, seed=0):
    """A binary tree over n leaves, joined at random."""
    rng = np.random.default_rng(seed)
    parent = np.full(2 * n - 1, -1)
    roots = list(range(n))
    for node in range(n, 2 * n - 1):
        for _ in range(2):
            place = rng.integers(len(roots))
            roots[place], roots[-1] = roots[-1], roots[place]
            parent[roots.pop()] = node
        roots.append(node)
    return make(parent)


def boxes(ax):
    return [(p.get_x(), p.get_y(), p.get_width(), p.get_height()) for p in ax.patches]


def colours(ax):
    return [to_hex(p.get_facecolor()).upper() for p in ax.patches]


def saturation(colour):
    return max(colour[:3]) - min(colour[:3])


def check(tree, blocks):
    """What holds for every outline."""
    n = tree.n_leaves
    assert blocks.size[0] == n
    np.testing.assert_array_equal(
        blocks.size[blocks.united == 0], tree.sizes[blocks.node[blocks.united == 0]]
    )
    end = blocks.is_end
    np.testing.assert_array_equal(
        np.bincount(blocks.owner, minlength=end.size)[end], blocks.size[end]
    )
    assert end[blocks.owner].all()  # blocks below a block hold all of it
    for block in np.flatnonzero(~end):
        below = np.flatnonzero(blocks.above == block)
        assert (blocks.level[below] == blocks.level[block] + 1).all()
        starts = blocks.start[block] + np.concatenate(([0], np.cumsum(blocks.size[below])))
        np.testing.assert_array_equal(blocks.start[below], starts[:-1])
        assert starts[-1] == blocks.start[block] + blocks.size[block]


def test_a_small_tree_is_drawn_whole():
    tree = of_groups(2, 3)
    blocks = outline(tree, 100, 0.0, 12)
    check(tree, blocks)
    assert blocks.node.tolist() == [7, 6, 5, 2, 3, 4, 0, 1]
    assert blocks.owner.tolist() == [6, 7, 3, 4, 5]
    ax = plots.tree(tree)
    assert boxes(ax)[:3] == [(0, -1, 5, 1), (0, -2, 3, 1), (3, -2, 2, 1)]
    assert len(ax.patches) == 8
    assert ax.get_xlabel() == "5 samples"
    assert [t.get_text() for t in ax.get_yticklabels()] == ["0", "1", "2"]


def test_small_children_are_united():
    tree = of_groups(500, 400, *[2] * 50)
    blocks = outline(tree, 100, 0.01, 12)
    check(tree, blocks)
    assert blocks.size.tolist() == [1000, 500, 400, 100]
    assert blocks.united.tolist() == [0, 0, 0, 50]
    ax = plots.tree(tree)
    assert len(ax.patches) == 4
    assert [bool(p.get_hatch()) for p in ax.patches] == [False, False, False, True]
    assert {t.get_text() for t in ax.texts} == {"1,000", "500", "400", "50 others"}
    assert ax.get_xlabel() == "1,000 samples\n3 of 1,053 nodes drawn"
    texts = [t.get_text() for t in ax.get_legend().get_texts()]
    assert texts == ["small nodes, united"]


def test_a_single_small_child_is_drawn_as_itself():
    tree = of_groups(500, 2)
    assert outline(tree, 100, 0.01, 12).united.tolist() == [0, 0, 0]


@pytest.mark.parametrize("max_nodes", [1, 2, 3, 10, 57])
@pytest.mark.parametrize("min_share", [0.0, 0.02])
def test_limits_are_kept(max_nodes, min_share):
    for tree in (random_binary(300), of_groups(*range(2, 30)), chain(200)):
        blocks = outline(tree, max_nodes, min_share, 5)
        check(tree, blocks)
        assert blocks.node.size <= max_nodes
        assert blocks.level.max() <= 5
        drawn = blocks.united == 0
        assert (blocks.united[~drawn] > 1).all()
    assert outline(random_binary(300), 1000, 0.0, 0).node.size == 1


def test_the_largest_nodes_are_opened_first():
    blocks = outline(of_groups(50, 30, 20), 54, 0.0, 12)
    assert blocks.node.size == 54  # the root, three groups and the first one opened
    assert (blocks.above[4:] == 1).all()


def test_chains_are_passed_over():
    # A chain of 1000 steps on top of two groups of 1000.
    n, m = 3000, 1000
    groups = np.repeat([n, n + 1], m)
    steps = n + 3 + np.arange(m)
    parent = np.concatenate((groups, steps, [n + 2, n + 2], steps, [-1]))
    tree = make(parent)
    assert tree.height > 1000
    blocks = outline(tree, 100, 0.01, 12)
    check(tree, blocks)
    assert blocks.size.tolist() == [3000, 1000, 1000, 1000]
    assert blocks.united.tolist() == [0, 0, 0, 1000]
    assert blocks.shortened
    assert "chains shortened" in plots.tree(tree).get_xlabel()
    assert not outline(of_groups(50, 30, 20), 54, 0.0, 12).shortened


def test_a_tree_of_one_sample():
    ax = plots.tree(make([-1]))
    assert boxes(ax) == [(0, -1, 1, 1)]
    assert len(plots.tree(make([-1]), style="dendrogram").patches) == 1


@pytest.mark.parametrize("tree", [random_binary(200), of_groups(100, 60, 30, 2, 2, 2), chain(50)])
def test_majorities_are_counted(tree):
    code = np.random.default_rng(0).integers(0, 4, tree.n_leaves)
    blocks = outline(tree, 60, 0.02, 8)
    winner, share = majority(blocks, code, 4)
    for block in range(blocks.node.size):
        above = blocks.owner.copy()
        while (up := (above > block)).any():
            above[up] = blocks.above[above[up]]
        counts = np.bincount(code[above == block], minlength=4)
        assert winner[block] == counts.argmax()
        assert share[block] == counts.max() / counts.sum()


def test_colours_tell_class_and_purity():
    tree = of_groups(40, 30, 20)
    classes = np.array(["a"] * 40 + ["b"] * 30 + ["a"] * 5 + ["b"] * 15)
    ax = plots.tree(tree, classes, min_share=0.1)
    assert colours(ax)[1:3] == list(COLOURS[:2])
    face = [p.get_facecolor() for p in ax.patches]
    assert saturation(face[0]) < saturation(face[3]) < saturation(face[2])
    texts = [t.get_text() for t in ax.get_legend().get_texts()]
    assert texts == ["a", "b"]
    assert {t.get_text() for t in ax.texts} == {"90", "a\n40", "b\n30", "b\n20"}


def test_a_class_is_named_on_its_highest_node_only():
    tree = of_groups(40, 60)
    ax = plots.tree(tree, ["a"] * 100, min_share=0.1)
    assert {t.get_text() for t in ax.texts} == {"a\n100", "60", "40"}


@pytest.mark.parametrize("small", [34, 5])
def test_what_holds_several_classes_has_the_name_of_none(small):
    # The root has setosa and a node with the two others, which are nodes of their own; the second
    # may be so small that the node above is nearly all of the first.
    n = 49 + 67 + small
    parent = np.repeat([n, n + 2, n + 1], [49, 67, small])
    tree = make([*parent, n + 4, n + 3, n + 3, n + 4, -1])
    classes = np.repeat(["setosa", "versicolor", "virginica"], [49, 67, small])
    ax = plots.tree(tree, classes, min_share=0.02)
    written = {t.get_text() for t in ax.texts}
    assert written >= {str(n), str(67 + small), "setosa\n49", "versicolor\n67"}
    named = [text.split("\n")[1] for text in written if "\n" in text]
    assert sorted(named) == sorted(str(size) for size in (49, 67, small))
    (icicle,) = plots.tree(tree, classes, interactive=True).data
    assert f"virginica<br>{small}" in icicle.labels
    assert icicle.labels[:2] == (str(n), str(67 + small))


def test_parts_of_a_class_are_each_named():
    ax = plots.tree(of_groups(60, 50, 40), np.repeat(["a", "b", "a"], [60, 50, 40]), min_share=0.1)
    assert {t.get_text() for t in ax.texts} == {"150", "a\n60", "b\n50", "a\n40"}


def test_many_classes_have_no_legend_but_names():
    tree = of_groups(*[10] * 20)
    ax = plots.tree(tree, np.repeat([f"c{k}" for k in range(20)], 10), min_share=0.04)
    assert ax.get_legend() is None
    assert "c0\n10" in {t.get_text() for t in ax.texts}


def test_text_stays_inside_its_block():
    tree = random_binary(3000)
    ax = plots.tree(tree, np.arange(3000) % 5)
    ax.figure.draw_without_rendering()
    assert 10 < len(ax.texts) < len(ax.patches)
    blocks = {(p.get_x() + p.get_width() / 2, p.get_y() + 0.5): p for p in ax.patches}
    for text in ax.texts:
        inner, outer = text.get_window_extent(), blocks[text.get_position()].get_window_extent()
        assert outer.x0 <= inner.x0
        assert inner.x1 <= outer.x1
        assert outer.y0 <= inner.y0
        assert inner.y1 <= outer.y1


def test_samples_are_named():
    ax = plots.tree(of_groups(2, 2), names=["w", "x", "y", "z"])
    assert {t.get_text() for t in ax.texts} >= {"w", "x", "y", "z"}
    ax = plots.tree(of_groups(2, 2))
    assert {t.get_text() for t in ax.texts} >= {"#0", "#1", "#2", "#3"}


def test_the_dendrogram_has_a_bracket_for_each_node():
    tree = of_groups(40, 60)
    ax = plots.tree(tree, [0] * 40 + [1] * 60, style="dendrogram", min_share=0.1)
    (lines,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    segments = [segment.tolist() for segment in lines.get_segments()]
    assert segments == [
        [[30.0, 1.0], [80.0, 1.0]],  # the bracket of the root
        [[30.0, 0.0], [30.0, 1.0]],
        [[80.0, 0.0], [80.0, 1.0]],
    ]
    assert [(x, width) for x, _, width, _ in boxes(ax)] == [(0, 60), (60, 40)]
    assert colours(ax) == list(COLOURS[:2])


def test_a_model_brings_its_clusters(pyplot):
    edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]
    model = SSEHierarchy(2, height=2, affinity="precomputed").fit(Graph.from_edges(edges))
    _, ax = pyplot.subplots()
    assert plots.tree(model, title="t", ax=ax) is ax
    assert ax.get_title() == "t"
    assert ax.patches[0].get_width() == 6
    texts = [t.get_text() for t in ax.get_legend().get_texts()]
    assert texts == ["0", "1"]


@pytest.mark.parametrize("style", ["icicle", "dendrogram"])
def test_a_hundred_thousand_leaves_are_a_few_hundred_blocks(style):
    tree = random_binary(100_000)
    ax = plots.tree(tree, np.arange(100_000) % 3, style=style)
    assert 50 < len(ax.patches) <= 300
    assert "100,000 samples" in ax.get_xlabel()
    assert "of 199,999 nodes" in ax.get_xlabel()


def test_a_tree_of_any_depth_is_drawn():
    ax = plots.tree(chain(20_000))
    assert len(ax.patches) <= 300


def test_the_interactive_icicle_holds_the_outline():
    tree = random_binary(20_000)
    classes = np.array(["a", "b", "c"])[np.arange(20_000) % 3]
    figure = plots.tree(tree, classes, interactive=True, title="t")
    (icicle,) = figure.data
    assert figure.layout.title.text == "t"
    assert icicle.type == "icicle"
    assert 1000 < len(icicle.ids) <= 3000
    assert icicle.values[0] == 20_000
    assert icicle.parents[0] == ""
    assert icicle.branchvalues == "total"
    number = {name: k for k, name in enumerate(icicle.ids)}
    below = np.zeros(len(icicle.ids))
    for parent, value in zip(icicle.parents[1:], icicle.values[1:], strict=True):
        below[number[parent]] += value
    opened = below > 0
    np.testing.assert_array_equal(below[opened], np.array(icicle.values)[opened])
    assert len(icicle.marker.colors) == len(icicle.ids)
    assert icicle.hovertext[0] == "node 39998<br>20,000 samples<br>33% a"


def test_the_interactive_icicle_unites_small_nodes():
    tree = of_groups(500, 400, *[2] * 50)
    (icicle,) = plots.tree(tree, interactive=True, min_share=0.01).data
    assert icicle.labels == ("1,000", "500", "400", "50 others")
    assert icicle.hovertext[3] == "50 nodes, united<br>100 samples"


def test_missing_plotly_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(ImportError, match="pip install plotly"):
        plots.tree(of_groups(2, 2), interactive=True)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"labels": [0, 1]}, "2 labels for 4 samples"),
        ({"labels": [[0, 1, 2, 3]]}, "one label per sample"),
        ({"names": ["a"]}, "1 names for 4 samples"),
        ({"style": "sunburst"}, "'icicle' or 'dendrogram', got 'sunburst'"),
        ({"max_nodes": 0}, "max_nodes must be 1 or more"),
        ({"min_share": 2.0}, "min_share between 0 and 1"),
        ({"max_levels": -1}, "max_levels 0 or more"),
        ({"interactive": True, "style": "dendrogram"}, "leave ax and style out"),
    ],
)
def test_wrong_input_is_refused(pyplot, wrong, message):
    with pytest.raises(ValueError, match=message):
        plots.tree(of_groups(2, 2), **wrong)
    assert pyplot.get_fignums() == []


def test_what_is_no_tree_is_refused(pyplot):
    with pytest.raises(TypeError, match=r"EncodingTree or a fitted model .* got SSEHierarchy"):
        plots.tree(SSEHierarchy())
    with pytest.raises(ValueError, match="leave ax and style out"):
        plots.tree(of_groups(2, 2), interactive=True, ax=pyplot.subplots()[1])
