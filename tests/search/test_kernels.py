"""The kernels against slow oracles, the objective in NumPy, and the identities of the method."""

import itertools
import os
import subprocess
import sys
import textwrap
from threading import Thread

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from reference import (
    dense_partition_objective,
    dense_tree_objective,
    random_problem,
    slow_compress,
    slow_merge,
    slow_stretch,
)
from sentree import EncodingTree, Graph, _kernels
from sentree._util.labels import renumber
from sentree._util.stopping import stoppable
from sentree.search.kernels import (
    Steering,
    compress,
    link,
    merge,
    move,
    move_from_queue,
    move_gain,
    multilevel,
    sharpened,
    stretch,
)
from sentree.search.objective import partition_objective, steered_objective, tree_objective
from tries import tries

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(2, 12)
NOBODY = np.empty(0, dtype=np.int32)


def joins_of(kernel, graph, relation, *options):
    from sentree.search.kernels import _arrays

    return list(zip(*kernel(*_arrays(graph, relation), *options, None), strict=True))


def partitions_along(n, joins):
    """Labels before the first join and after every join."""
    labels = np.arange(n)
    yield labels.copy()
    for k, (a, b, _) in enumerate(joins):
        labels[(labels == a) | (labels == b)] = n + k
        yield labels.copy()


def trees_along(n, joins):
    """Parents of the tree, root last, after every number of joins."""
    for count in range(len(joins) + 1):
        parent = [-1] * (n + count + 1)
        for k, (a, b, _) in enumerate(joins[:count]):
            parent[a] = parent[b] = n + k
        tops = [node for node in range(n + count) if parent[node] == -1]
        if len(tops) == 1:  # all joined: the last join is the root itself
            yield parent[:-1]
            continue
        for node in tops:
            parent[node] = n + count
        yield parent


def gains_match(values, gains):
    return np.allclose(-np.diff(values), gains, rtol=1e-9, atol=1e-11)


@pytest.mark.skipif("SENTREE_EXPECT_SANITIZED" not in os.environ, reason="not make sanitize")
def test_make_sanitize_runs_the_sanitized_build():
    assert _kernels.sanitized


@tries(150)
@given(seeds, sizes, st.booleans(), st.booleans())
def test_every_merge_gain_is_the_difference_of_the_objective(seed, n, own_weight, to_the_end):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n, own_weight=own_weight)
    if graph.volume == 0:
        return
    joins = joins_of(_kernels.merge, graph, relation, 1 if to_the_end else 0, False, NOBODY)
    values = [
        dense_partition_objective(dense, dense_relation, labels)
        for labels in partitions_along(n, joins)
    ]
    assert gains_match(values, [gain for *_, gain in joins])


@tries(60)
@given(seeds, st.integers(2, 9), st.booleans(), st.sampled_from([None, 1, 3]))
def test_merge_is_the_greedy_search(seed, n, must_link_first, n_modules):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n)
    if graph.volume == 0:
        return
    _, expected = slow_merge(
        dense, dense_relation, n_modules=n_modules, must_link_first=must_link_first
    )
    joins = joins_of(_kernels.merge, graph, relation, n_modules or 0, must_link_first, NOBODY)
    assert [(a, b) for a, b, _ in joins] == [(a, b) for a, b, _ in expected]


class DenseModules:
    """Modules of a contracted graph in dense arrays, with the gains of all pairs at once."""

    def __init__(self, dense, dense_relation):
        self.weight, self.relation = dense.copy(), dense_relation.copy()
        self.volume, self.total = dense.sum(axis=1), dense.sum()
        self.related = dense_relation.sum(axis=1)  # relation weight that leaves a module
        self.cut = dense.sum(axis=1)
        self.leaf = np.ones(len(dense), dtype=bool)
        self.slot = {i: i for i in range(len(dense))}  # of each id

    def merge_gains(self):
        association = self.volume - self.cut - self.related
        term = association * np.log2(
            np.where(self.volume > 0, self.volume, self.total) / self.total
        )
        volume = self.volume[:, None] + self.volume
        joined = association[:, None] + association + 2 * (self.weight + self.relation)
        joined = joined * np.log2(np.where(volume > 0, volume, self.total) / self.total)
        return (term[:, None] + term - joined) / self.total

    def stretch_gains(self):
        paid = np.where(self.leaf, self.related, 0.0)
        saved = 2 * (self.weight + self.relation) - paid[:, None] - paid
        volume = self.volume[:, None] + self.volume
        return saved / self.total * np.log2(self.total / np.where(volume > 0, volume, self.total))

    def best_gain(self, gains):
        return gains[np.triu(self.weight > 0, 1)].max()

    def unite(self, a, b, new_id):
        u, v = self.slot.pop(a), self.slot.pop(b)
        self.cut[u] += self.cut[v] - 2 * self.weight[u, v]
        self.related[u] += self.related[v] - 2 * self.relation[u, v]
        self.volume[u] += self.volume[v]
        self.leaf[u] = False
        for matrix in (self.weight, self.relation):
            matrix[u] += matrix[v]
            matrix[:, u] += matrix[:, v]
            matrix[u, u] = 0
            matrix[v] = matrix[:, v] = 0
        self.slot[new_id] = u


def hub_and_spokes(rng, n):
    """Two hubs that everyone touches, over a sparse rest: lists far longer than the others."""
    graph = np.triu(rng.uniform(0.1, 1, (n, n)) * (rng.random((n, n)) < 0.03), 1)
    graph[0, 1:] = rng.uniform(0.1, 1, n - 1)
    graph[1, 2:] = rng.uniform(0.1, 1, n - 2)
    return graph + graph.T


@pytest.mark.parametrize("kind", ["merge", "stretch"])
@pytest.mark.parametrize("related", [False, True])
@pytest.mark.parametrize("shape", ["sparse", "dense", "hubs"])
@tries(15)
@given(seed=seeds, n=st.integers(60, 160))
def test_every_join_is_the_best_pair(kind, related, shape, seed, n):
    """Hubs keep heaps of bounds and skip what need not be visited: each join is still the best."""
    rng = np.random.default_rng(seed)
    density = 0.05 if shape == "sparse" else 0.8
    _, _, dense, dense_relation = random_problem(
        rng, n, density=density, relation_density=0.05 if related else 0.0
    )
    if shape == "hubs":
        dense = hub_and_spokes(rng, n)
    graph, relation = Graph.from_dense(dense), sp.csr_array(dense_relation)
    options = (1, False, NOBODY) if kind == "merge" else (False, False)
    joins = joins_of(getattr(_kernels, kind), graph, relation, *options)
    modules = DenseModules(dense, dense_relation)
    for k, (a, b, gain) in enumerate(joins):
        gains = modules.merge_gains() if kind == "merge" else modules.stretch_gains()
        assert np.isclose(gain, modules.best_gain(gains), rtol=1e-7, atol=1e-9)
        u, v = modules.slot[a], modules.slot[b]
        assert np.isclose(gain, gains[u, v], rtol=1e-7, atol=1e-9)
        modules.unite(a, b, n + k)
    assert not np.triu(modules.weight > 0, 1).any()


@pytest.mark.parametrize("kind", ["merge", "stretch"])
@tries(10)
@given(seed=seeds, n=st.integers(70, 130))
def test_every_join_is_the_best_pair_of_the_highest_rank(kind, seed, n):
    rng = np.random.default_rng(seed)
    dense = hub_and_spokes(rng, n)
    dense_relation = np.triu(rng.choice([-1, 0.5, 1], (n, n)) * (rng.random((n, n)) < 0.05), 1)
    dense_relation += dense_relation.T
    graph, relation = Graph.from_dense(dense), sp.csr_array(dense_relation)
    options = (1, True, NOBODY) if kind == "merge" else (False, True)
    joins = joins_of(getattr(_kernels, kind), graph, relation, *options)
    modules, number, grown_by = DenseModules(dense, dense_relation), np.arange(n), np.zeros(n)
    for k, (a, b, gain) in enumerate(joins):
        gains = modules.merge_gains() if kind == "merge" else modules.stretch_gains()
        later = np.where(number[:, None] > number, grown_by[:, None], grown_by)
        rank = np.where(modules.relation != 0, np.sign(modules.relation), later)
        u, v = modules.slot[a], modules.slot[b]
        assert rank[u, v] == rank[modules.weight > 0].max()
        best = gains[(modules.weight > 0) & (rank == rank[u, v])].max()
        assert np.allclose([gain, gains[u, v]], best, rtol=1e-7, atol=1e-9)
        grown_by[u], number[u] = np.sign(modules.relation[u, v]), n + k
        modules.unite(a, b, n + k)
    assert not np.triu(modules.weight > 0, 1).any()


@tries(100)
@given(seeds, sizes, st.booleans())
def test_every_move_gain_is_the_difference_of_the_objective(seed, n, own_weight):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n, own_weight=own_weight)
    if graph.volume == 0:
        return
    labels = rng.integers(0, 4, size=n)
    labels = np.unique(labels, return_inverse=True)[1]
    before = dense_partition_objective(dense, dense_relation, labels)
    for _ in range(10):
        i, to = int(rng.integers(n)), int(rng.integers(min(n, labels.max() + 2)))
        moved = labels.copy()
        moved[i] = to
        expected = before - dense_partition_objective(dense, dense_relation, moved)
        assert np.isclose(move_gain(graph, labels, i, to, relation), expected, atol=1e-11)


@tries(100)
@given(seeds, st.integers(2, 40), st.booleans())
def test_moving_descends_to_a_local_optimum(seed, n, keep_modules):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n, density=0.2)
    if graph.volume == 0:
        return
    start = np.unique(rng.integers(0, 6, size=n), return_inverse=True)[1]
    result = move(graph, start, relation, keep_modules=keep_modules)
    assert np.all(np.diff(result.trace) < 0)
    recomputed = dense_partition_objective(dense, dense_relation, result.labels)
    assert np.isclose(result.objective, recomputed, atol=1e-9)
    if keep_modules:
        assert result.labels.max() == start.max()
    labels, count = result.labels, np.bincount(result.labels)
    both = (dense != 0) | (dense_relation != 0)
    for i in range(n):
        if keep_modules and count[labels[i]] == 1:
            continue
        for to in set(labels[both[i]].tolist()):
            assert move_gain(graph, labels, i, to, relation) < 1e-9


@tries(100)
@given(seeds, sizes, st.booleans(), st.booleans())
def test_every_stretch_gain_is_the_difference_of_the_objective(seed, n, own_weight, leaf_penalty):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n, own_weight=own_weight)
    if graph.volume == 0:
        return
    joins = joins_of(_kernels.stretch, graph, relation, leaf_penalty, False)
    values = [
        dense_tree_objective(dense, dense_relation, parent, leaf_penalty)
        for parent in trees_along(n, joins)
    ]
    assert gains_match(values, [gain for *_, gain in joins])


@tries(40)
@given(seeds, st.integers(2, 8), st.booleans())
def test_stretch_is_the_greedy_search(seed, n, leaf_penalty):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n)
    if graph.volume == 0:
        return
    expected = slow_stretch(dense, dense_relation, leaf_penalty)
    joins = joins_of(_kernels.stretch, graph, relation, leaf_penalty, False)
    # Once all that is left is two nodes every gain is 0 and only the order of ids decides.
    assert [(a, b) for a, b, _ in joins] == [(a, b) for a, b, _ in expected]


@tries(80)
@given(seeds, sizes, st.integers(1, 4), st.booleans())
def test_compress_is_the_greedy_search_with_exact_gains(seed, n, height, leaf_penalty):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n)
    if graph.volume == 0:
        return
    binary = stretch(graph, relation, leaf_penalty=leaf_penalty)
    result = compress(binary.tree, height, leaf_penalty=leaf_penalty)
    removed, parent = slow_compress(
        dense, dense_relation, binary.tree.parent.tolist(), height, leaf_penalty
    )
    assert result.tree.parent.tolist() == parent
    assert gains_match(result.trace, [gain for _, gain in removed])
    assert result.tree.height <= height


@tries(60)
@given(seeds, st.integers(2, 60), st.booleans(), st.booleans())
def test_tracked_objective_is_the_recomputed_one(seed, n, ties, own_weight):
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, n, density=0.1, ties=ties, own_weight=own_weight)
    merged = merge(graph, relation)
    assert np.isclose(
        merged.objective, partition_objective(graph, merged.labels, relation).value, atol=1e-9
    )
    moved = move(graph, merged.labels, relation)
    assert np.isclose(
        moved.objective, partition_objective(graph, moved.labels, relation).value, atol=1e-9
    )
    assert moved.objective <= merged.objective + 1e-12
    binary = stretch(graph, relation)
    assert np.isclose(binary.objective, tree_objective(binary.tree).value, atol=1e-9)
    flat = compress(binary.tree, 2)
    assert np.isclose(flat.objective, tree_objective(flat.tree).value, atol=1e-9)
    rebuilt = EncodingTree.from_parent(flat.tree.parent, graph, relation)
    assert np.allclose(rebuilt.cut, flat.tree.cut, atol=1e-9)
    assert np.allclose(rebuilt.relation_cut, flat.tree.relation_cut, atol=1e-9)


@tries(60)
@given(seeds, st.integers(4, 30))
def test_contraction_preserves_the_objective_and_later_gains(seed, n):
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, n)
    if graph.volume == 0:
        return
    fine = np.unique(rng.integers(0, n // 2, size=n), return_inverse=True)[1]
    k = fine.max() + 1
    small, small_relation = contracted(graph, relation, fine)
    for _ in range(3):
        coarse = np.unique(rng.integers(0, 3, size=k), return_inverse=True)[1]
        # The entropy of the vertices themselves is the one constant that contraction drops.
        dropped = partition_objective(graph, fine, relation).value
        dropped -= partition_objective(small, np.arange(k), small_relation).value
        assert np.isclose(
            partition_objective(graph, coarse[fine], relation).value,
            partition_objective(small, coarse, small_relation).value + dropped,
            atol=1e-10,
        )
        u, to = int(rng.integers(k)), int(rng.integers(coarse.max() + 1))
        moved = coarse.copy()
        moved[u] = to
        expected = partition_objective(graph, coarse[fine], relation).value
        expected -= partition_objective(graph, moved[fine], relation).value
        assert np.isclose(move_gain(small, coarse, u, to, small_relation), expected, atol=1e-10)


def contracted(graph, relation, labels):
    """The graphs whose vertices are the modules; what is inside becomes own weight."""
    k = labels.max() + 1
    members = sp.csr_array(
        (np.ones(labels.size), (np.arange(labels.size), labels)), (labels.size, k)
    )
    between = (members.T @ graph.to_scipy() @ members).tolil()
    between.setdiag(0)
    between = between.tocsr()
    between.eliminate_zeros()
    between.sort_indices()
    degree = np.bincount(labels, graph.degree, k)
    related = (members.T @ relation @ members).tolil()
    related.setdiag(0)
    return Graph(between.indptr, between.indices, between.data, degree), related.tocsr()


@tries(40)
@given(seeds, st.integers(3, 40))
def test_permuting_the_vertices_changes_nothing(seed, n):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n)
    order = rng.permutation(n)
    other = Graph.from_dense(dense[np.ix_(order, order)])
    other_relation = sp.csr_array(dense_relation[np.ix_(order, order)])
    merged, other_merged = merge(graph, relation), merge(other, other_relation)
    assert np.isclose(merged.objective, other_merged.objective, atol=1e-10)
    assert same_partition(merged.labels[order], other_merged.labels)
    tree, other_tree = stretch(graph, relation), stretch(other, other_relation)
    assert np.isclose(tree.objective, other_tree.objective, atol=1e-10)


def same_partition(a, b):
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))


def test_scaling_both_graphs_changes_nothing():
    rng = np.random.default_rng(5)
    graph, relation, dense, _ = random_problem(rng, 30)
    scaled = Graph.from_dense(dense * 7)
    assert np.isclose(merge(graph, relation).objective, merge(scaled, relation * 7).objective)
    assert np.isclose(stretch(graph, relation).objective, stretch(scaled, relation * 7).objective)


def test_no_relation_is_an_empty_relation():
    rng = np.random.default_rng(6)
    graph, *_ = random_problem(rng, 30)
    empty = sp.csr_array((30, 30))
    assert np.array_equal(merge(graph).labels, merge(graph, empty).labels)
    assert np.array_equal(stretch(graph).tree.parent, stretch(graph, empty).tree.parent)


def test_ties_go_to_the_smaller_ids():
    square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    first = joins_of(_kernels.stretch, square, None, False, False)[0]
    assert first[:2] == (0, 1)


@tries(80)
@given(seeds, st.integers(2, 60), st.booleans(), st.integers(0, 3))
def test_multilevel_tracks_its_objective_and_ends_in_a_local_optimum(seed, n, ties, start):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n, density=0.15, ties=ties)
    init = None if start == 0 else rng.integers(0, 4, size=n)
    result = multilevel(graph, relation, init=init, seed=seed, max_rounds=50)
    value = partition_objective(graph, result.labels, relation).value
    assert np.isclose(result.objective, value, atol=1e-9)
    assert np.all(np.diff(result.trace) <= 1e-12)
    again = multilevel(graph, relation, init=init, seed=seed, max_rounds=50)
    assert np.array_equal(again.labels, result.labels)
    if graph.volume == 0:
        return
    labels, free = result.labels, result.labels.max() + 1
    touching = (dense != 0) | (dense_relation != 0)
    for i in range(n):
        for to in set(labels[touching[i]].tolist()) | ({free} if free < n else set()):
            assert move_gain(graph, labels, i, int(to), relation) < 1e-8


def test_multilevel_is_no_worse_than_merging_and_moving():
    worse = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        graph, relation, *_ = random_problem(rng, 80, density=0.06, relation_density=0.01)
        merged = merge(graph, relation)
        moved = move(graph, merged.labels, relation)
        from_there = multilevel(graph, relation, init=moved.labels)
        assert from_there.objective <= moved.objective + 1e-9
        worse += multilevel(graph, relation).objective > moved.objective + 1e-9
    assert worse <= 4


def test_multilevel_keeps_modules_connected():
    rng = np.random.default_rng(1)
    graph, *_ = random_problem(rng, 200, density=0.02)
    labels = multilevel(graph).labels
    matrix = graph.to_scipy()
    for label in range(labels.max() + 1):
        inside = np.flatnonzero(labels == label)
        parts, _ = sp.csgraph.connected_components(matrix[inside][:, inside])
        assert parts == 1


def test_multilevel_joins_must_linked_vertices_that_do_not_touch():
    graph = Graph.from_edges([(0, 1), (2, 3), (1, 4), (3, 5), (4, 5)], [1, 1, 0.1, 0.1, 1])
    relation = sp.csr_array(([5.0, 5.0], ([0, 2], [2, 0])), shape=(6, 6))
    labels = multilevel(graph, relation).labels
    assert labels[0] == labels[2]


@tries(60)
@given(seeds, st.integers(4, 40), st.booleans())
def test_link_unites_the_most_linked_modules(seed, n, by_number):
    rng = np.random.default_rng(seed)
    graph, relation, dense, dense_relation = random_problem(rng, n, density=0.3)
    weightless = graph.degree == 0  # linked beyond measure wherever it has a must-link
    dense_relation[weightless] = dense_relation[:, weightless] = 0
    relation = sp.csr_array(dense_relation)
    labels = rng.integers(0, max(2, n // 2), size=n)
    least, n_modules = (0.0, 2) if by_number else (1.0, 1)
    result = link(graph, labels, relation, n_modules=n_modules, least=least)
    both, degree, total = dense + dense_relation, dense.sum(axis=1), dense.sum()
    modules = {u: np.flatnonzero(renumber(labels) == u) for u in range(np.unique(labels).size)}

    def linkages():
        """Of all pairs that touch; each union must be as strong as the strongest."""
        for a, b in itertools.combinations(modules, 2):
            weight = both[np.ix_(modules[a], modules[b])].sum()
            volumes = degree[modules[a]].sum() * degree[modules[b]].sum()
            if weight > 0 and volumes > 0:
                yield (a, b), weight * total / volumes

    k = len(modules)
    for step, ((a, b), linkage) in enumerate(zip(result.unions, result.linkage, strict=True)):
        found = dict(linkages())
        assert np.isclose(linkage, max(found.values()))
        assert np.isclose(linkage, found[(a, b)])
        modules[k + step] = np.concatenate((modules.pop(a), modules.pop(b)))
    assert len(modules) == result.labels.max() + 1
    rest = [linkage for _, linkage in linkages() if linkage >= least * (1 + 1e-9)]
    assert len(modules) == n_modules or not rest
    for name, members in modules.items():
        assert np.unique(result.labels[members]).size == 1, name


def test_link_takes_in_what_has_no_volume_but_a_must_link():
    graph = Graph.from_edges([(0, 1), (1, 2)], n=4)
    relation = sp.csr_array(([1.0, 1.0], ([0, 3], [3, 0])), shape=(4, 4))
    result = link(graph, [0, 0, 1, 2], relation, n_modules=2)
    assert result.labels.tolist() == [0, 0, 1, 0]
    assert result.linkage.tolist() == [np.inf]


EDGES = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (1, 4), (2, 3), (3, 4)]


def five_vertices():
    graph = Graph.from_edges(EDGES, [3, 5, 8, 6, 4, 11, 2, 10])
    relation = np.zeros((5, 5))
    for i, j, weight in [(0, 1, 2), (1, 4, -12), (2, 3, 6)]:
        relation[i, j] = relation[j, i] = weight
    return graph, sp.csr_array(relation)


def test_golden_tree_of_five_vertices():
    graph, _ = five_vertices()
    binary = stretch(graph)
    assert np.isclose(binary.trace[0], 2.2838671681, atol=1e-10)
    assert np.isclose(binary.objective, 1.6940466794, atol=1e-10)
    assert binary.tree.to_newick() == "((1:1,4:1):2,(2:2,(0:1,3:1):1):1);"
    flat = compress(binary.tree, 2)
    assert np.isclose(flat.objective, 1.7603311463, atol=1e-10)
    assert flat.tree.labels_at(1).tolist() == [0, 1, 0, 0, 1]


def test_golden_tree_of_five_vertices_with_constraints():
    graph, relation = five_vertices()
    binary = stretch(graph, relation)
    assert np.isclose(binary.trace[0] - binary.trace[1], 0.297901, atol=1e-6)
    assert np.isclose(binary.objective, 1.6037347481, atol=1e-10)
    assert binary.tree.to_newick() == "((3:1,4:1):2,(2:2,(0:1,1:1):1):1);"
    flat = compress(binary.tree, 2)
    assert np.isclose(flat.objective, 1.6783047733, atol=1e-10)
    assert flat.tree.labels_at(1).tolist() == [0, 0, 0, 1, 1]


def test_graph_without_edges():
    graph = Graph.from_edges([], n=4)
    assert merge(graph).labels.tolist() == [0, 1, 2, 3]
    assert move(graph, [0, 0, 1, 1]).labels.tolist() == [0, 0, 1, 1]
    tree = stretch(graph).tree
    assert tree.parent.tolist() == [4, 4, 4, 4, -1]
    assert compress(tree, 2).tree.parent.tolist() == [4, 4, 4, 4, -1]


def test_single_vertex():
    graph = Graph.from_edges(np.empty((0, 2), dtype=int), n=1)
    assert stretch(graph).tree.parent.tolist() == [-1]
    assert merge(graph).labels.tolist() == [0]


def test_components_meet_at_the_root():
    triangles = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], n=7)
    tree = stretch(triangles).tree
    assert sorted(tree.sizes[tree.children(tree.root)]) == [1, 3, 3]
    assert merge(triangles, n_modules=1).labels.tolist() == [0, 0, 0, 1, 1, 1, 2]


def test_a_must_link_moves_an_isolated_vertex():
    graph = Graph.from_edges([(0, 1), (2, 3)], n=5)
    relation = sp.csr_array(([1.0, 1.0], ([0, 4], [4, 0])), shape=(5, 5))
    assert move(graph, [0, 0, 1, 1, 2], relation).labels.tolist() == [0, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        (sp.csr_array((3, 3)), "shape"),
        (sp.csr_array(([1.0], ([0], [1])), shape=(2, 2)), "not symmetric"),
        (sp.csr_array(([1.0], ([0], [0])), shape=(2, 2)), "to itself"),
        (sp.csr_array(([np.nan, np.nan], ([0, 1], [1, 0])), shape=(2, 2)), "not finite"),
    ],
)
def test_a_bad_relation_graph_is_refused(relation, message):
    with pytest.raises(ValueError, match=message):
        merge(Graph.from_edges([(0, 1)]), relation)


@pytest.mark.parametrize(
    ("indptr", "message"),
    [
        ([], "indptr is empty"),
        ([0, 1], "does not end at the number of entries"),
        ([1, 1, 2], "does not start at 0"),
    ],
)
@pytest.mark.parametrize("place", [0, 4])
def test_kernels_look_at_the_length_of_indptr_before_they_read_it(place, indptr, message):
    graph = [np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32), np.ones(2)]
    arrays = [*graph, np.ones(2), *graph]
    arrays[place] = np.array(indptr, dtype=np.int64)
    with pytest.raises(ValueError, match=message):
        _kernels.merge(*arrays, 0, False, NOBODY, None)


def test_height_below_one_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        compress(stretch(Graph.from_edges([(0, 1)])).tree, 0)


def ring_lattice(n, reach):
    i = np.repeat(np.arange(n), reach)
    j = (i + np.tile(np.arange(1, reach + 1), n)) % n
    weights = np.random.default_rng(0).uniform(0.5, 1.0, size=i.size)
    return Graph.from_edges(np.column_stack((i, j)), weights)


def test_progress_is_reported_and_grows():
    seen = []
    merge(ring_lattice(100_000, 8), progress=seen.append)
    assert len(seen) >= 1
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] <= 1


def test_an_error_in_the_progress_callback_stops_the_kernel():
    def stop(done):
        raise RuntimeError(f"stopped at {done}")

    with pytest.raises(RuntimeError, match="stopped at"):
        stretch(ring_lattice(100_000, 8), progress=stop)


def test_another_thread_stops_a_kernel():
    """One without a callback, in a thread that hears no signals."""
    ended, graph = [], ring_lattice(100_000, 8)

    def stop():
        raise RuntimeError("stopped")

    def work():
        try:
            with stoppable(stop):
                stretch(graph)
        except RuntimeError as error:
            ended.append(str(error))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert ended == ["stopped"]


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_stops_a_kernel():
    script = textwrap.dedent("""
        import os, signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job may ignore it
        sys.path[:0] = [sys.argv[1], os.path.dirname(sys.argv[1])]
        from test_kernels import ring_lattice
        from sentree.search.kernels import stretch
        graph = ring_lattice(200_000, 8)
        calls = []
        def interrupt_once(done):
            calls.append(done)
            if len(calls) == 1:
                os.kill(os.getpid(), signal.SIGINT)
        try:
            stretch(graph, progress=interrupt_once)
        except KeyboardInterrupt:
            print("interrupted after", len(calls))
        else:
            print("not interrupted")
    """)
    here = os.path.dirname(__file__)
    done = subprocess.run(
        [sys.executable, "-c", script, here],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.startswith("interrupted after 1"), done.stdout + done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory as Linux does")
@pytest.mark.skipif(_kernels.sanitized, reason="the sanitizer reserves memory of its own")
def test_the_arrays_of_a_graph_are_not_copied():
    script = textwrap.dedent("""
        import resource
        import numpy as np
        from sentree import _kernels
        n = 3000  # all vertices touch: 96 MB
        indptr = np.arange(n + 1) * (n - 1)
        indices = np.tile(np.arange(n, dtype=np.int32), (n, 1))[~np.eye(n, dtype=bool)]
        graph = indptr, indices, np.ones(indices.size)
        none = np.zeros(n + 1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0)
        pull = np.empty(0, dtype=np.int64), *none[1:]
        labels = np.arange(n, dtype=np.int32) // 2
        pages = int(open("/proc/self/statm").read().split()[0])
        now = pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + (16 << 20),) * 2)
        degree = np.full(n, n - 1.0)
        gain = _kernels.move_gain(*graph, degree, *none, labels, *pull, 0.0, n // 2, 0, 1)
        print(np.isfinite(gain))
    """)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "True\n", done.stdout + done.stderr


def random_pull(rng, n, k):
    dense = np.where(rng.random((n, k)) < 0.5, rng.random((n, k)), 0.0)
    return sp.csr_array(dense)


@tries(100)
@given(seeds, sizes, st.floats(0.0, 1.0), st.booleans())
def test_steered_gains_are_differences_of_the_steered_objective(seed, n, shrinkage, pulled):
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, n)
    k = max(2, n // 2)
    labels = np.concatenate((np.arange(k), rng.integers(0, k, n - k))).astype(np.int32)
    steering = Steering(random_pull(rng, n, k) if pulled else None, shrinkage)
    i, to = int(rng.integers(n)), int(rng.integers(k))
    after = labels.copy()
    after[i] = to
    if np.unique(after).size < k or graph.volume == 0:
        return  # the number of modules would change
    gain = move_gain(graph, labels, i, to, relation, steering=steering)
    value = [steered_objective(graph, x, relation, *steering).value for x in (labels, after)]
    assert np.isclose(gain, value[0] - value[1], rtol=1e-9, atol=1e-11)


@tries(60)
@given(seeds, st.integers(4, 20), st.floats(0.0, 1.0))
def test_steered_moves_end_where_no_touching_module_gains(seed, n, shrinkage):
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, n)
    k = 3
    labels = np.concatenate((np.arange(k), rng.integers(0, k, n - k))).astype(np.int32)
    steering = Steering(random_pull(rng, n, k), shrinkage)
    weights = graph.to_scipy().toarray()
    for search in (move, move_from_queue):
        result = search(graph, labels, relation, steering=steering, keep_modules=True)
        ends = steered_objective(graph, result.labels, relation, *steering).value
        assert np.isclose(result.objective, ends, rtol=1e-9, atol=1e-10)
        assert set(result.labels.tolist()) == set(range(k))
        if search is move_from_queue:
            continue  # a queue does not come back for what only a far volume concerns
        for i in range(n):
            if (result.labels == result.labels[i]).sum() == 1:
                continue
            for to in set(result.labels[np.flatnonzero(weights[i])].tolist()):
                assert move_gain(graph, result.labels, i, to, relation, steering=steering) < 1e-9


def test_without_steering_the_objective_is_the_plain_one():
    graph, relation, *_ = random_problem(np.random.default_rng(0), 9)
    labels = np.arange(9) % 3
    plain = partition_objective(graph, labels, relation)
    assert steered_objective(graph, labels, relation) == plain
    shrunk = steered_objective(graph, labels, relation, None, 1e-12)
    assert np.isclose(shrunk.value, plain.value)


@tries(60)
@given(seeds, st.integers(4, 25), st.integers(1, 4), st.booleans())
def test_modules_with_an_owner_never_come_together(seed, n, n_owned, by_gain):
    rng = np.random.default_rng(seed)
    graph, *_ = random_problem(rng, n)
    owner = np.full(n, -1)
    owned = rng.choice(n, n_owned, replace=False)
    owner[owned] = np.arange(n_owned)
    singles = np.arange(n)
    if by_gain:
        labels = merge(graph, n_modules=1, owner=owner).labels
    else:
        labels = link(graph, singles, owner=owner).labels
    assert np.unique(labels[owned]).size == n_owned
    free = merge(graph, n_modules=1).labels if by_gain else link(graph, singles).labels
    # Every part of the graph ends with one module, or one for each owner in it.
    for part in np.unique(free):
        inside = free == part
        assert np.unique(labels[inside]).size == max(1, int(inside[owned].sum()))


def slow_link(graph, labels, k, powers):
    """Unite by the largest linkage, recomputed from dense matrices."""
    labels = labels.copy()
    weights, total = graph.to_scipy().toarray(), graph.volume
    while np.unique(labels).size > k:
        best = None
        for a, b in itertools.combinations(np.unique(labels).tolist(), 2):
            between = weights[np.ix_(labels == a, labels == b)].sum()
            if between <= 0:
                continue
            low, high = sorted(graph.degree[labels == c].sum() / total for c in (a, b))
            linkage = between / total / (low ** powers[0] * high ** powers[1])
            if best is None or linkage > best[0] * (1 + 1e-12):
                best = linkage, a, b
        if best is None:
            break
        labels[labels == best[2]] = best[1]
    return renumber(labels)


@tries(60)
@given(seeds, st.integers(4, 14), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_linkage_with_powers_is_the_slow_one(seed, n, lesser, greater):
    rng = np.random.default_rng(seed)
    graph, *_ = random_problem(rng, n)
    found = link(graph, np.arange(n), n_modules=2, powers=(lesser, greater))
    expected = slow_link(graph, np.arange(n), 2, (lesser, greater))
    assert found.labels.tolist() == expected.tolist()


def unions_by_members(found, n):
    """The vertices of every union, with its linkage."""
    members = [frozenset([i]) for i in range(n)]
    result = {}
    for (a, b), linkage in zip(found.unions.tolist(), found.linkage.tolist(), strict=True):
        assert a < b < len(members)
        assert not members[a] & members[b]
        members.append(members[a] | members[b])
        result[members[-1]] = linkage
    return result


@tries(60)
@given(seeds, st.integers(4, 40), st.integers(1, 12), st.sampled_from([0.0, 2.0]))
def test_rounds_of_linkage_give_the_same_unions(seed, n, many, least):
    graph, *_ = random_problem(np.random.default_rng(seed), n)
    one_by_one = unions_by_members(link(graph, np.arange(n), least=least), n)
    in_rounds = unions_by_members(link(graph, np.arange(n), least=least, many=many), n)
    assert one_by_one.keys() == in_rounds.keys()
    assert all(np.isclose(in_rounds[union], one_by_one[union]) for union in one_by_one)


def test_linkage_around_a_hub_takes_the_strongest_first():
    # Every leaf is linked to the hub alone, so that a round would unite one pair.
    n = 20_000
    leaves = np.arange(1, n)
    weights = 1.0 + np.random.default_rng(0).permutation(leaves.size) / n
    graph = Graph.from_edges(np.column_stack((np.zeros_like(leaves), leaves)), weights)
    found = link(graph, np.arange(n), powers=(0.5, 0.5))
    taken = np.where(found.unions < n, found.unions, 0).max(axis=1)
    assert taken.tolist() == leaves[np.argsort(-weights)].tolist()


@tries(60)
@given(seeds, st.integers(6, 40), st.integers(1, 4), st.integers(1, 5))
def test_rounds_of_linkage_keep_owners_and_related_vertices_apart(seed, n, n_owned, n_modules):
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, n)
    relation.data[relation.data < 0] = -np.inf
    owner = np.full(n, -1)
    owned = rng.choice(n, n_owned, replace=False)
    owner[owned] = np.arange(n_owned)
    found = link(
        graph, np.arange(n), relation, n_modules=n_modules, owner=owner, powers=(0.7, 0.4), many=2
    )
    labels = found.labels
    assert np.unique(labels[owned]).size == n_owned
    assert int(labels.max()) + 1 == n - len(found.unions) >= n_modules
    assert np.array_equal(labels, found.after(len(found.unions), n))
    i, j = (relation == -np.inf).nonzero()
    assert not (labels[i] == labels[j]).any()


def test_sharpened_edges_are_the_strongest_of_either_end_with_ties():
    edges = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (3, 4)]
    graph = Graph.from_edges(edges, [4.0, 3.0, 2.0, 2.0, 1.0, 1.0])
    sharp = sharpened(graph, 2, 2.0).toarray()
    assert np.allclose(sharp, sharp.T)
    assert sharp[0, 1] == 1.0
    assert sharp[0, 2] == (3 / 4) ** 2
    assert sharp[0, 3] == sharp[0, 4] == (2 / 4) ** 2  # strongest of the other end
    assert sharp[1, 2] == (1 / 4) ** 2
    cut = sharpened(graph, 1, 1.0).toarray()
    assert cut[1, 2] == 0.0
    assert cut[3, 4] == 0.0
