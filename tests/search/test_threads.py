"""Kernels that share work among threads: the same result, and as good as one vertex at a time.

Small graphs are searched vertex by vertex; here they are shared, too, unless a test says otherwise.
"""

import multiprocessing

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score

from reference import random_problem
from sentree import Constraints, Graph, SSEPartition
from sentree._util import threads
from sentree._util.threads import use_threads
from sentree.graph import module_cuts
from sentree.search.kernels import (
    Steering,
    grow,
    link,
    move_from_queue,
    multilevel,
    spread_labels,
)
from sentree.search.objective import partition_objective, steered_objective, tree_objective
from sentree.tree import TreeShape
from tries import tries

COUNTS = (1, 2, 5)


@pytest.fixture(autouse=True)
def shared(monkeypatch):
    monkeypatch.setattr(threads, "_MANY", 2)


def planted(n, k, inside=8, outside=1, seed=0):
    """A graph of k groups, and the groups."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    by_group = np.argsort(y, kind="stable")
    size = np.bincount(y)
    start = np.concatenate(([0], np.cumsum(size)[:-1]))
    i = np.repeat(np.arange(n), inside)
    j = by_group[start[y[i]] + rng.integers(0, size[y[i]])]
    a, b = rng.integers(0, n, (2, n * outside))
    i, j = np.concatenate((i, a)), np.concatenate((j, b))
    links = sp.coo_array((rng.uniform(0.5, 1.0, i.size), (i, j)), shape=(n, n)).tocsr()
    links.setdiag(0)
    links.eliminate_zeros()
    return Graph.from_scipy(links + links.T), y


def with_each(call):
    """Return what a call gives with each number of threads."""
    found = []
    for n in COUNTS:
        with use_threads(n):
            found.append(call())
    return found


@tries(40)
@given(st.integers(0, 10**6), st.integers(2, 40), st.booleans())
def test_multilevel_searches_are_the_same_and_measured_right(seed, n, apart):
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, n, density=0.3)
    if graph.volume == 0:
        return
    if apart:
        relation.data[relation.data < 0] = -np.inf
    one, *others = with_each(lambda: multilevel(graph, relation, seed=seed))
    assert all(np.array_equal(one.labels, other.labels) for other in others)
    value = partition_objective(graph, one.labels, relation).value
    assert np.isfinite(value)  # vertices that are kept apart share no module
    assert np.isclose(one.objective, value, rtol=1e-9, atol=1e-11)
    assert one.trace[-1] <= one.trace[0] + 1e-9


@tries(40)
@given(st.integers(0, 10**6), st.integers(2, 40), st.floats(0.0, 1.0))
def test_rounds_of_linkage_are_the_same(seed, n, power):
    graph, *_ = random_problem(np.random.default_rng(seed), n)
    options = {"powers": (power, 1 - power), "many": 2}
    one, *others = with_each(lambda: link(graph, np.arange(n), **options))
    for other in others:
        assert np.array_equal(one.unions, other.unions)
        assert np.array_equal(one.linkage, other.linkage)


@tries(40)
@given(st.integers(0, 10**6), st.integers(6, 40), st.booleans(), st.booleans())
def test_moves_are_the_same_and_measured_right(seed, n, keep_modules, pulled):
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, n)
    if graph.volume == 0:
        return
    k = n // 2
    labels = np.concatenate((np.arange(k), rng.integers(0, k, n - k)))
    pull = np.where(rng.random((n, k)) < 0.5, rng.random((n, k)), 0.0)
    steering = Steering(sp.csr_array(pull), 0.3) if pulled and keep_modules else Steering(None, 0.0)
    one, *others = with_each(
        lambda: move_from_queue(
            graph, labels, relation, steering=steering, keep_modules=keep_modules
        )
    )
    assert all(np.array_equal(one.labels, other.labels) for other in others)
    if keep_modules:
        assert np.unique(one.labels).size == k
        value = steered_objective(graph, one.labels, relation, *steering).value
        assert np.isclose(one.objective, value, rtol=1e-9, atol=1e-11)


def test_many_vertices_end_as_low_as_one_at_a_time(monkeypatch):
    graph, y = planted(20_000, 60, inside=3, outside=2)
    blocks, *others = with_each(lambda: multilevel(graph, max_rounds=1))
    assert all(np.array_equal(blocks.labels, other.labels) for other in others)
    monkeypatch.setattr(threads, "_MANY", 10**9)
    queue = multilevel(graph, max_rounds=1)
    assert blocks.objective <= 1.002 * queue.objective
    assert adjusted_rand_score(y, blocks.labels) >= adjusted_rand_score(y, queue.labels) - 0.02
    assert not np.array_equal(blocks.labels, queue.labels)  # it was another search


def test_modules_are_connected():
    graph, _ = planted(3000, 20, inside=2)
    with use_threads(3):
        labels = multilevel(graph, max_rounds=1).labels
    i, j, weight = graph.edges()
    inside = labels[i] == labels[j]
    links = sp.coo_array((weight[inside], (i[inside], j[inside])), shape=(graph.n, graph.n))
    assert connected_components(links, directed=False)[0] == labels.max() + 1


def test_labels_spread_to_the_same_beliefs(monkeypatch):
    graph, y = planted(10_000, 5, inside=4)  # so many that a block is more than one part
    rows = np.arange(0, 10_000, 20)
    one, *others = with_each(lambda: spread_labels(graph, rows, y[rows]))
    assert all((one != other).nnz == 0 for other in others)
    monkeypatch.setattr(threads, "_MANY", 10**9)
    alone = spread_labels(graph, rows, y[rows])
    assert abs(one - alone).max() < 0.02


@tries(40)
@given(
    st.integers(0, 10**6),
    st.integers(4, 40),
    st.sampled_from([None, 2, 3, 4]),
    st.booleans(),
    st.sampled_from(["none", "clusters", "triplets"]),
    st.sampled_from([3, 6, 12]),
)
def test_trees_are_the_same_and_measured_right(seed, n, height, leaf_penalty, told, many):
    rng = np.random.default_rng(seed)
    graph, relation, *_ = random_problem(rng, n)
    if graph.volume == 0:
        return
    clusters = rng.integers(0, 3, n) if told == "clusters" else None
    triplets = None
    if told == "triplets":
        triplets = np.array([rng.permutation(n)[:3] for _ in range(5)]), np.full(5, 2.0)

    def search():
        return grow(
            *(graph, relation),
            clusters=clusters,
            triplets=triplets,
            height=height,
            leaf_penalty=leaf_penalty,
            seed=seed,
            max_grafts=2,
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "_MANY", many)
        one, *others = with_each(search)
    assert all(np.array_equal(one.tree.parent, other.tree.parent) for other in others)
    assert height is None or one.tree.height <= height
    value = tree_objective(one.tree, leaf_penalty=leaf_penalty).value
    assert np.isclose(one.objective, value, rtol=1e-9, atol=1e-11)
    if triplets is None:  # the gains that the moves tell are those of the tree
        assert np.isclose(one.trace[-1], value, rtol=1e-9, atol=1e-9)
    if clusters is not None:
        shape = TreeShape(one.tree.parent)
        for u in np.unique(clusters):
            members = np.flatnonzero(clusters == u)
            top = shape.lca(np.full(members.size, members[0]), members).max()
            assert shape.sizes()[top] == members.size


@pytest.mark.parametrize("height", [None, 3])
@pytest.mark.parametrize("around", [False, True])
def test_large_trees_end_as_low_as_those_of_one_search(monkeypatch, height, around):
    graph, y = planted(6000, 12, inside=3)
    clusters = y if around else None
    found = {}
    for many in (300, 10**9):
        monkeypatch.setattr(threads, "_MANY", many)
        with use_threads(2):
            options = {"clusters": clusters, "height": height}
            found[many] = [grow(graph, seed=seed, **options) for seed in range(4)]
    beside, alone = found[300], found[10**9]
    assert not np.array_equal(beside[0].tree.parent, alone[0].tree.parent)  # another search
    values = [np.mean([result.objective for result in results]) for results in (beside, alone)]
    assert values[0] <= 1.002 * values[1]


def test_cuts_of_modules():
    rng = np.random.default_rng(0)
    graph, _, dense, _ = random_problem(rng, 200)
    labels = rng.integers(0, 4, 200)
    wanted = [dense[np.ix_(labels == u, labels != u)].sum() for u in range(4)]
    for found in with_each(
        lambda: module_cuts(labels, 4, graph.indptr, graph.indices, graph.weights)
    ):
        assert np.allclose(found, wanted)


@pytest.mark.parametrize("hard", [False, True])
def test_fits_do_not_depend_on_threads(hard):
    graph, y = planted(600, 6, inside=3)
    rng = np.random.default_rng(1)
    pairs = rng.integers(0, 600, (60, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    known = Constraints.from_pairs(must_link=pairs[same], cannot_link=pairs[~same], hard=hard)
    labels = np.where(rng.random(600) < 0.05, y, -1)
    for told in ({}, {"constraints": known}, {"y": labels}):
        for k in (None, 6):
            found = [
                SSEPartition(k, affinity="precomputed", n_jobs=n).fit(graph, **told).labels_
                for n in COUNTS
            ]
            assert all(np.array_equal(found[0], other) for other in found[1:])


def test_an_error_in_the_progress_callback_ends_all_threads():
    class Enough(Exception):
        pass

    def stop(_):
        raise Enough

    graph, y = planted(60_000, 50)
    with use_threads(3), pytest.raises(Enough):
        multilevel(graph, progress=stop)
    with use_threads(3), pytest.raises(Enough):
        grow(graph, clusters=y, progress=stop)


def _modules(graph):
    with use_threads(2):
        return multilevel(graph, max_rounds=1).labels


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_has_threads_of_its_own():
    graph, _ = planted(2000, 8)
    here = _modules(graph)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert np.array_equal(pool.apply(_modules, (graph,)), here)
