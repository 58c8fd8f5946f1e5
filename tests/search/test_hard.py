"""Hard constraints hold in every result, or are refused with a chain."""

import numpy as np
import pytest
from hypothesis import given as on
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from reference import slow_folded
from sentree import Constraints, Graph, SSEPartition
from sentree.constraints import ConstraintConflict
from sentree.relation.by_degree import SearchGraphs
from sentree.search.hard import _unite_small, harden
from sentree.search.kernels import link, merge, move_from_queue, multilevel
from sentree.search.objective import partition_objective
from tries import tries


def random_graph(random, n):
    """A connected weighted graph: a path and some more edges."""
    more = random.integers(0, n, size=(2 * n, 2))
    edges = {(i, i + 1) for i in range(n - 1)} | {tuple(sorted(e)) for e in more.tolist()}
    pairs = sorted(e for e in edges if e[0] != e[1])
    return Graph.from_edges(pairs, random.uniform(0.1, 1.0, len(pairs)), n=n)


@st.composite
def feasible(draw):
    """A graph and statements of every kind that a hidden partition into k clusters keeps."""
    n = draw(st.integers(4, 24))
    k = draw(st.integers(1, min(n, 6)))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = random.permutation(np.concatenate((np.arange(k), random.integers(0, k, n - k))))
    pairs = random.integers(0, n, size=(draw(st.integers(0, 2 * n)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    told = Constraints.from_pairs(pairs[same], pairs[~same])
    if draw(st.booleans()):
        told = told + Constraints.from_labels(np.where(random.random(n) < 0.3, y, -1))
    if draw(st.booleans()):
        point = random.integers(0, n, 3)
        other = [(int(i), int((y[i] + 1) % k)) for i in point if k > 1]
        told = told + Constraints.from_negative_labels(other)
    if draw(st.booleans()):
        told = told + Constraints.from_groups([np.flatnonzero(y == 0)[:3]], [np.arange(k)[:0]])
    graph = random_graph(random, n)
    return graph, told, k, draw(st.integers(0, 5))


@tries(400)
@on(feasible(), st.sampled_from(["k", "auto", "resolution", "init"]))
def test_no_feasible_instance_is_broken(instance, how):
    graph, told, k, seed = instance
    options = {"affinity": "precomputed", "hard": True, "random_state": seed}
    if how == "resolution":
        options |= {"resolution": 1.0}
    if how == "k":
        options |= {"n_clusters": k}
    init = np.zeros(graph.n, dtype=int) if how == "init" else None
    model = SSEPartition(**options).fit(graph, constraints=told, init=init)
    assert model.constraint_report_.n_broken == 0
    if how == "k":
        assert model.n_clusters_ == k


def test_soft_ones_may_be_broken_where_hard_ones_are_not():
    X, y = make_blobs(120, 2, centers=[[0, 0], [9, 9]], random_state=0)
    inside = np.flatnonzero(y == 0)
    soft = Constraints.from_pairs(cannot_link=[inside[:2]])
    hard = Constraints.from_pairs(cannot_link=[inside[2:4]], hard=True)
    model = SSEPartition(3, affinity="gaussian").fit(X, constraints=soft + hard)
    a, b = model.labels_[inside[2:4]]
    assert a != b
    assert repr(soft + hard) == "Constraints(cannot_link=2, hard=1)"


def test_an_odd_cycle_does_not_fit_into_two_clusters():
    graph = random_graph(np.random.default_rng(0), 12)
    cycle = [(2, 5), (5, 7), (7, 8), (8, 11), (11, 2)]
    together = [(2, 3), (0, 1)]
    model = SSEPartition(2, affinity="precomputed", hard=True)
    with pytest.raises(ConstraintConflict) as refused:
        model.fit(graph, must_link=together, cannot_link=cycle)
    chain = refused.value.conflicts[0].chain
    assert chain[-1] == "n_clusters=2"
    assert set(chain[:-1]) == {f"{min(e)} and {max(e)} are apart" for e in cycle}
    assert model.set_params(n_clusters=3).fit(graph, cannot_link=cycle).n_clusters_ == 3


@pytest.mark.parametrize(
    ("told", "n_clusters", "words"),
    [
        (Constraints.from_pairs([(i, i + 1) for i in range(10)]), 3, "leave 2 sets of samples"),
        (Constraints.from_labels([0, 1, 2, 3] + [-1] * 8), 3, "of 4 classes"),
        (Constraints.from_groups(apart=[range(5)]), 4, "members of one group"),
        (Constraints.from_pairs([(0, 1), (1, 2)], [(0, 2)]), None, "must link"),
    ],
)
@pytest.mark.filterwarnings("ignore:the labels name")
def test_what_cannot_hold_is_refused_with_its_reason(told, n_clusters, words):
    graph = random_graph(np.random.default_rng(1), 12)
    model = SSEPartition(n_clusters, affinity="precomputed", hard=True)
    with pytest.raises(ConstraintConflict, match=words):
        model.fit(graph, constraints=told)


def test_kernels_keep_vertices_apart_and_the_value_says_so():
    random = np.random.default_rng(2)
    for _ in range(50):
        n = int(random.integers(5, 20))
        graph = random_graph(random, n)
        pairs = random.integers(0, n, size=(n, 2))
        told = Constraints.from_pairs(cannot_link=pairs[pairs[:, 0] != pairs[:, 1]], hard=True)
        problem = harden(SearchGraphs(graph, None, n), told.hard).graphs
        found = multilevel(graph, problem.relation, seed=1)
        results = [
            found,
            link(graph, found.labels, problem.relation),
            merge(graph, problem.relation),
            merge(graph, problem.relation, n_modules=1),
            move_from_queue(graph, np.arange(n), problem.relation),
        ]
        for result in results:
            assert np.isfinite(partition_objective(graph, result.labels, problem.relation).value)
        if len(told.cannot_link):
            one = partition_objective(graph, np.zeros(n), problem.relation)
            assert one.value == np.inf


def test_triplets_stay_soft():
    told = (Constraints.from_triplets([(0, 1, 2)]) + Constraints.from_pairs([(0, 1)])).hardened()
    assert len(told.triplets) == 1
    assert len(told.hard.triplets) == 0
    assert not Constraints.from_triplets([(0, 1, 2)]).hardened().hard


def test_small_modules_go_into_the_largest_that_nothing_keeps_them_from():
    random = np.random.default_rng(5)
    for _ in range(300):
        n = int(random.integers(2, 12))
        i, j = np.array(
            [random.permutation(n)[:2] for _ in range(random.integers(0, n))] or [[0, 1]]
        ).T
        order, k = random.permutation(n).tolist(), int(random.integers(1, n))
        target = _unite_small(i, j, order, k)
        sets = {frozenset(np.flatnonzero(target == t).tolist()) for t in target.tolist()}
        assert sets == slow_folded(i.tolist(), j.tolist(), order, k)
        assert all(target[t] == t for t in target.tolist())


class Read(list):
    """A list that counts what is read of it."""

    count = 0

    def __getitem__(self, at):
        found = super().__getitem__(at)
        self.count += len(found) if isinstance(at, slice) else 1
        return found


def test_folding_looks_at_few_modules_each():
    n = 2000
    order = Read(range(n))
    target = _unite_small(np.array([n - 1]), np.array([n - 2]), order, 2)
    assert set(target.tolist()) == {n - 1, n - 2}
    assert order.count <= 3 * n
