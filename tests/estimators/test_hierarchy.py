"""Growing trees level by level, moving subtrees, and SSEHierarchy as a whole."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from paper_data import paper_data
from reference import (
    caterpillar,
    clades,
    dense_tree_objective,
    leaves_below,
    random_parent,
    random_problem,
)
from sentree import Constraints, EncodingTree, Graph, SSEHierarchy, SSEPartition, dendrogram_purity
from sentree.datasets import load_embedded, sample_labels, sample_pairs
from sentree.paper import PaperHierarchy, paper_graph
from sentree.paper.relation import relation_by_similarity
from sentree.search.kernels import compress, graft, grow, multilevel, stretch
from sentree.search.objective import tree_objective
from tries import tries

HEIGHTS = [None, 2, 3, 4]


def nested_blocks(seed, sizes=(3, 3, 5)):
    """A random graph of groups of groups: vertices link more the closer they are related."""
    rng = np.random.default_rng(seed)
    n = int(np.prod(sizes))
    inner = np.arange(n) // sizes[-1]
    outer = inner // sizes[-2]
    related = 1 + (outer[:, None] == outer) * 9 + (inner[:, None] == inner) * 90
    weights = np.triu(related * rng.uniform(0.5, 1.5, (n, n)), 1)
    return Graph.from_dense(weights + weights.T), outer, inner


def clusters_of(tree):
    return {frozenset(below) for below in leaves_below(tree.parent, tree.n_leaves)}


def is_node(tree, labels):
    nodes = clusters_of(tree)
    return all(frozenset(np.flatnonzero(labels == u).tolist()) in nodes for u in set(labels))


@tries(60)
@given(
    st.integers(0, 10**6),
    st.integers(3, 25),
    st.sampled_from(HEIGHTS),
    st.booleans(),
    st.booleans(),
)
def test_grown_trees_have_the_objective_that_the_moves_say(seed, n, height, leaf_penalty, fixed):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n, own_weight=bool(seed % 2))
    if graph.volume == 0:
        return
    clusters = rng.integers(0, 3, n) if fixed else None
    options = {"clusters": clusters, "height": height, "leaf_penalty": leaf_penalty}
    result = grow(graph, relation, max_grafts=5, **options)
    assert result.tree.height <= (height or n)
    assert clusters is None or is_node(result.tree, clusters)
    value = dense_tree_objective(dense, dense_relation, result.tree.parent, leaf_penalty)
    assert result.objective == pytest.approx(value, abs=1e-9)
    plain = grow(graph, relation, max_grafts=0, **options)
    again = graft(graph, plain.tree, relation, max_rounds=5, **options)
    assert again.trace[0] == pytest.approx(plain.objective, abs=1e-9)
    assert np.all(np.diff(again.trace) < 1e-9)
    if not graph.isolated.size:  # whose relations do not count everywhere
        found = tree_objective(again.tree, leaf_penalty=leaf_penalty).value
        assert again.objective == pytest.approx(found, abs=1e-9)


def moved(parent, n, unit, target, beside):
    """Parents after a subtree became a child of a node, or its sibling; None where it cannot."""
    below = leaves_below(parent, n)
    unit, target = below[unit], below[target] - below[unit]
    if not target or (len(target) == 1 and not beside):
        return None
    nodes = {frozenset(range(n))} | {frozenset({i}) for i in range(n)}
    for node in below:
        rest = node if node <= unit else node - unit  # as without the unit
        if rest > target or (rest == target and not beside):
            nodes.add(frozenset(rest | unit))
        elif rest:
            nodes.add(frozenset(rest))
    if beside:
        nodes.add(frozenset(target | unit))
    ordered = sorted(nodes, key=lambda s: (len(s), sorted(s)))
    return [next((b for b, t in enumerate(ordered) if t > s), -1) for s in ordered]


@pytest.mark.parametrize("seed", range(4))
def test_no_move_of_a_subtree_is_left_that_gains(seed):
    rng = np.random.default_rng(seed)
    n = 12
    weights = np.triu(rng.uniform(0.1, 5, (n, n)) * (rng.random((n, n)) < 0.6), 1)
    dense = weights + weights.T
    graph = Graph.from_dense(dense)
    star = EncodingTree.from_labels(np.zeros(n), graph)
    result = graft(graph, star, max_rounds=50)
    parent = result.tree.parent.tolist()
    tried = 0
    for unit in range(len(parent) - 1):
        for target in range(len(parent)):
            for beside in (False, True):
                other = moved(parent, n, unit, target, beside)
                if other is None:
                    continue
                value = dense_tree_objective(dense, np.zeros((n, n)), other)
                assert value > result.objective - 1e-9
                tried += 1
    assert tried > 300


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("leaf_penalty", [False, True])
def test_lower_than_stretching_and_compressing(seed, leaf_penalty):
    rng = np.random.default_rng(seed)
    graph, _, _, _ = random_problem(rng, 60, density=0.1)
    _, relation, _, _ = random_problem(rng, 60, relation_density=0.02)
    for related in (None, relation):
        binary = stretch(graph, related, leaf_penalty=leaf_penalty)
        for height in HEIGHTS:
            old = compress(binary.tree, height or graph.n, leaf_penalty=leaf_penalty)
            new = grow(graph, related, height=height, leaf_penalty=leaf_penalty)
            assert new.objective < old.objective - 0.05
            assert new.tree.height <= (height or graph.n)


def test_a_tree_of_height_two_is_no_worse_than_a_partition():
    for seed in range(5):
        graph, _, inner = nested_blocks(seed)
        partition = multilevel(graph, max_rounds=3)
        tree = grow(graph, height=2, max_rounds=3)
        assert tree.objective <= partition.objective + 1e-9
        assert adjusted_rand_score(inner, tree.tree.labels_at(1)) == 1


def test_levels_are_those_of_the_graph():
    graph, outer, inner = nested_blocks(0)
    n = graph.n
    planted = EncodingTree.from_parent(
        np.concatenate((n + inner, n + 9 + np.arange(9) // 3, [n + 12] * 3, [-1])), graph
    )
    assert grow(graph, height=3).objective < tree_objective(planted).value + 1e-9
    binary = grow(graph).tree
    assert binary.is_binary
    assert is_node(binary, outer)
    assert is_node(binary, inner)
    assert adjusted_rand_score(outer, binary.cut_to(3)) == 1


def test_any_tree_can_be_improved():
    graph, outer, inner = nested_blocks(1)
    rng = np.random.default_rng(0)
    n = graph.n
    parent = np.concatenate((rng.integers(n, n + 9, n), np.full(9, n + 9), [-1]))
    assert np.unique(parent[:n], return_counts=True)[1].min() > 1
    tree = graft(graph, EncodingTree.from_parent(parent, graph)).tree
    assert is_node(tree, inner)
    assert is_node(tree, outer)
    flat = graft(graph, EncodingTree.from_parent(parent, graph), height=2).tree
    assert flat.height == 2
    assert adjusted_rand_score(inner, flat.labels_at(1)) > 0.5


def test_inner_nodes_that_repel_are_removed():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)])
    apart = sp.csr_array(([-9.0, -9.0], ([0, 1], [1, 0])), shape=(4, 4))
    tree = EncodingTree.from_parent([4, 4, 5, 5, 6, 6, -1], graph)
    result = graft(graph, tree, apart, leaf_penalty=True)
    assert frozenset({0, 1}) not in clusters_of(result.tree)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_measured_of_a_tree_is_what_its_shape_tells(seed):
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, 30)
    tree = EncodingTree.from_parent(random_parent(rng, 30), graph, relation).by_volume()
    found = graft(graph, tree, relation, max_rounds=0).tree
    assert clades(found) == clades(tree)
    for name in ("volume", "cut", "relation_cut"):
        assert getattr(found, name) == pytest.approx(getattr(tree, name), abs=1e-9)


def test_a_tree_as_deep_as_it_can_be_is_not_climbed_for_every_edge():
    """A climb for each of these edges would be 10^11 steps."""
    n = 400_000
    ends = np.random.default_rng(0).integers(0, n, size=(n, 2))
    graph = Graph.from_edges(ends[ends[:, 0] != ends[:, 1]], n=n)
    tree = EncodingTree.from_parent(caterpillar(n), graph)
    found = graft(graph, tree, max_rounds=0).tree
    assert np.array_equal(found.parent, tree.parent)
    assert np.allclose(found.cut, tree.cut)


def test_bad_input_is_refused():
    graph, _, _ = nested_blocks(0)
    tree = grow(graph).tree
    for call in (lambda: grow(graph, height=0), lambda: graft(graph, tree, height=0)):
        with pytest.raises(ValueError, match="height must be at least 1, got 0"):
            call()
    with pytest.raises(ValueError, match="2 labels for a graph of 45 vertices"):
        grow(graph, clusters=[0, 1])
    empty = Graph.from_edges([], n=3)
    assert grow(empty).tree.height == 1
    assert is_node(grow(empty, clusters=[0, 0, 1]).tree, np.array([0, 0, 1]))


@pytest.fixture(scope="module")
def digits():
    X, y = load_embedded("digits")
    return X[:600], y[:600]


@pytest.mark.parametrize("kind", ["nothing", "pairs", "labels"])
@pytest.mark.parametrize("height", [None, 3])
def test_the_tree_is_grown_around_the_clusters_of_the_partition(digits, kind, height):
    X, y = digits
    draw = {"nothing": Constraints(), "pairs": sample_pairs(y, 0.2, 0.2, 0)}
    told = draw.get(kind, sample_labels(y, 0.1, 0, 0))  # labels have anchors, the tree has not
    model = SSEHierarchy(10, height=height).fit(X, constraints=told)
    flat = SSEPartition(10).fit(X, constraints=told)
    assert np.array_equal(model.labels_, flat.labels_)
    assert is_node(model.tree_, model.labels_)
    assert model.tree_.n_leaves == len(y)
    assert model.tree_.height <= (height or 60)
    assert model.tree_.volume[-1] == pytest.approx(model.graph_.volume)
    if not height:
        flat_tree = EncodingTree.from_labels(model.labels_, model.graph_)
        assert dendrogram_purity(model.tree_, y) > dendrogram_purity(flat_tree, y)


def test_without_number_the_clusters_are_automatic_or_below_the_root(digits):
    X, _ = digits
    model = SSEHierarchy().fit(X)
    assert np.array_equal(model.labels_, SSEPartition().fit(X).labels_)
    assert is_node(model.tree_, model.labels_)
    free = SSEHierarchy(height=3).fit(X)
    assert np.array_equal(free.labels_, free.tree_.labels_at(1))
    assert free.objective_ == pytest.approx(tree_objective(free.tree_).value)
    paper = PaperHierarchy(height=3, affinity="precomputed").fit(free.graph_.to_scipy())
    assert free.objective_ < paper.objective_
    assert free.trace_[-1] == pytest.approx(free.objective_)
    with pytest.raises(ValueError, match="hard constraints need height >= 2"):
        SSEHierarchy(3, height=1).fit(X)
    with pytest.raises(ValueError, match="hard constraints"):
        SSEHierarchy(height=1, hard=True).fit(X, must_link=[(0, 1)])


def test_isolated_samples_follow_their_must_links():
    graph, _, _ = nested_blocks(0)
    dense = np.zeros((47, 47))
    dense[:45, :45] = graph.to_scipy().toarray()
    with pytest.warns(UserWarning, match="2 of 47 samples have no neighbour"):
        model = SSEHierarchy(n_clusters=3, affinity="precomputed").fit(
            dense, must_link=[(0, 45), (45, 46)]
        )
    assert model.labels_[45] == model.labels_[46] == model.labels_[0]
    assert is_node(model.tree_, model.labels_)


def draw_triplets(y, count, seed):
    """Triplets of two samples of one class and one of another."""
    rows = np.random.default_rng(seed).integers(0, len(y), size=(60 * count, 3))
    i, j, k = rows.T
    return rows[(i != j) & (y[i] == y[j]) & (y[i] != y[k])][:count]


def kept(tree, triplets):
    return Constraints.from_triplets(triplets).satisfaction(np.zeros(tree.n_leaves, int), tree)


@pytest.mark.parametrize("options", [{}, {"height": 4}, {"n_clusters": 10}])
def test_triplets_are_kept_and_tell_about_others(digits, options):
    X, y = digits
    told, others = draw_triplets(y, 300, 0), draw_triplets(y, 1000, 1)
    plain = SSEHierarchy(**options).fit(X)
    model = SSEHierarchy(**options).fit(X, constraints=Constraints.from_triplets(told))
    assert model.constraint_report_.given["triplets"] == 300
    assert model.constraint_report_.share > 0.95
    assert kept(model.tree_, others).n_broken < 0.6 * kept(plain.tree_, others).n_broken
    if "height" not in options:
        assert is_node(model.tree_, model.labels_)


def test_a_triplet_joins_two_below_the_third():
    graph = Graph.from_dense(np.ones((3, 3)) - np.eye(3))
    for first, second, third in [(0, 1, 2), (2, 0, 1), (1, 2, 0)]:
        for height in (None, 2):
            tree = grow(graph, triplets=([(first, second, third)], [0.5]), height=height).tree
            assert frozenset({first, second}) in clusters_of(tree)
    # Once decided it is silent: the third still joins before what is far from all three.
    far = Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)], [1, 1, 1, 0.01, 1])
    assert frozenset({0, 1, 2}) in clusters_of(grow(far, triplets=([(0, 1, 2)], [9.0])).tree)


def test_a_triplet_is_kept_only_strictly_below():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    told = Constraints.from_triplets([(0, 1, 2), (2, 3, 0), (0, 2, 1)])
    nested = EncodingTree.from_parent([4, 4, 5, 5, 6, 6, -1], graph)
    star = EncodingTree.from_labels(np.zeros(4), graph)
    assert told.satisfaction([0, 0, 1, 1], nested).broken["triplets"].tolist() == [2]
    assert told.satisfaction([0, 0, 1, 1], star).broken["triplets"].tolist() == [0, 1, 2]
    report = told.satisfaction([0, 0, 1, 1])
    assert "triplets" not in report.given
    assert report.n_given == 0
    assert "triplets" in str(told.satisfaction([0, 0, 1, 1], nested))


def test_searches_that_cannot_use_triplets_say_so(digits):
    X, _ = digits
    told = Constraints.from_triplets([(0, 1, 2)])
    with pytest.warns(UserWarning, match="triplets .* are ignored here"):
        report = SSEPartition().fit(X, constraints=told).constraint_report_
    assert report.n_given == 0


# Best DP, ARI and NMI of any method in the paper's Table 3.
PUBLISHED = {
    "wine": (0.929, 0.8527, 0.8361),
    "heart": (0.719, 0.3313, 0.2923),
    "breast-cancer": (0.965, 0.8855, 0.8157),
    "australian": (0.745, 0.3947, 0.3383),
}


@pytest.mark.golden
@pytest.mark.parametrize("name", PUBLISHED)
def test_lower_than_the_paper_at_every_height(name):
    X, y = paper_data(name)
    graph, similarity = paper_graph(X, 5, "hierarchy")
    for relation in (
        None,
        relation_by_similarity(sample_pairs(y, 0.2, 0.2, 0), graph.n, similarity),
    ):
        binary = stretch(graph, relation)
        for height in (2, 3, 4, 5, None):
            paper = compress(binary.tree, height or graph.n)
            assert grow(graph, relation, height=height).objective < paper.objective - 0.4


@pytest.mark.golden
@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.filterwarnings("ignore:the graph falls into")
def test_trees_and_clusters_above_the_best_published(name):
    X, y = paper_data(name)
    scores = []
    for draw in range(10):
        told = sample_pairs(y, 0.2, 0.2, draw)
        model = SSEHierarchy(n_clusters=len(set(y))).fit(X, constraints=told)
        flat = adjusted_rand_score(y, model.labels_), normalized_mutual_info_score(y, model.labels_)
        scores.append((dendrogram_purity(model.tree_, y), *flat))
    assert np.all(np.mean(scores, axis=0) > PUBLISHED[name])


def test_labels_choose_the_clusters_of_a_tree_of_some_height():
    X, y = load_embedded("iris")
    known = np.where(np.arange(150) % 10 == 0, y, -1)
    free = SSEHierarchy(height=3).fit(X)
    told = SSEHierarchy(height=3).fit(X, known)
    assert told.tree_.height <= 3
    assert np.array_equal(told.labels_, SSEPartition().fit(X, known).labels_)
    assert dendrogram_purity(told.tree_, y) > dendrogram_purity(free.tree_, y)
    assert SSEHierarchy(height=1).fit(X, known).tree_.height == 1
