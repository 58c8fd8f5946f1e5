"""Clusters within bounds on their sizes: always, or refused with the arithmetic."""

import math
import re

import numpy as np
import pytest
from hypothesis import assume, settings
from hypothesis import given as on
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import sentree
from sentree import Constraints, Graph, SSEHierarchy, SSEPartition
from sentree.constraints import ConstraintConflict
from sentree.search.kernels import Steering, balance, move_gain
from sentree.search.objective import steered_objective
from sentree.search.packing import Packing
from sentree.search.size_bounds import check_sizes, size_bounds
from sentree.search.starts import lock

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def random_graph(random, n):
    """A connected weighted graph: a path and some more edges."""
    more = random.integers(0, n, size=(n, 2))
    edges = {(i, i + 1) for i in range(n - 1)} | {tuple(sorted(e)) for e in more.tolist()}
    pairs = sorted(e for e in edges if e[0] != e[1])
    return Graph.from_edges(pairs, random.uniform(0.1, 1.0, len(pairs)), n=n)


def solvable(weight, low, high, closure, k):
    """Try all ways to put components into clusters: is one within the bounds?"""
    size = np.bincount(closure.component, weight)
    apart = {(a, b) for a, b in closure.cannot.tolist()} | {
        (b, a) for a, b in closure.cannot.tolist()
    }
    order = np.argsort(-size).tolist()

    def place(done, clusters):
        if done == len(order):
            total = [size[c].sum() for c in clusters]
            right = k is None or len(clusters) == k
            return right and all(low - 1e-9 <= t <= high + 1e-9 for t in total)
        v = order[done]
        for c in [*clusters, []]:
            fits = size[c].sum() + size[v] <= high + 1e-9
            if not fits or any((u, v) in apart for u in c):
                continue
            if place(done + 1, [o for o in clusters if o is not c] + [[*c, v]]):
                return True
        return False

    return place(0, [])


@st.composite
def problems(draw):
    """A small graph, statements, bounds, and perhaps weights, a number, a start with locks."""
    n = draw(st.integers(3, 7))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weight = random.integers(1, 9, n) / 4 if draw(st.booleans()) else None
    total = n if weight is None else float(weight.sum())
    bounds = {}
    which = draw(st.sampled_from(["min_size", "max_size", "both"]))
    if which != "max_size":
        low = random.uniform(1.01, total / 2 + 1.1)
        bounds["min_size"] = low if weight is not None else int(low)
    if which != "min_size":
        high = random.uniform(1.01, total)
        bounds["max_size"] = high if weight is not None else int(high)
    pairs = random.integers(0, n, size=(draw(st.integers(0, 6)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = random.random(len(pairs)) < 0.5
    told = Constraints.from_pairs(pairs[same], pairs[~same])
    if draw(st.booleans()):
        told = told + Constraints.from_labels(
            np.where(random.random(n) < 0.4, np.arange(n) % 3, -1)
        )
    if draw(st.booleans()):
        told = told + Constraints.from_groups([], [random.permutation(n)[:3]])
    k = draw(st.none() | st.integers(1, 4))
    start = {}
    if draw(st.booleans()):
        start = {"init": random.integers(0, 3, n), "locked": np.unique(random.integers(0, n, 2))}
    return random_graph(random, n), told, bounds, weight, k, start


@settings(max_examples=120)
@on(problems(), st.booleans(), st.sampled_from([SSEPartition, SSEHierarchy]))
def test_sizes_hold_exactly_where_they_can(problem, hard, kind):
    graph, told, bounds, weight, k, start = problem
    held = told.hardened() if hard else Constraints()
    if start:
        held = held + lock(start["init"].astype(np.int32), start["locked"])
    try:
        told.closure(graph.n)
        closure = held.closure(graph.n)
    except ConstraintConflict:
        assume(False)
    assume(k is None or k <= graph.n)
    sizes = np.ones(graph.n) if weight is None else weight
    low, high = bounds.get("min_size", 0), bounds.get("max_size", np.inf)
    model = kind(k, affinity="precomputed", hard=hard, **bounds)
    more = {} if weight is None else {"size_weight": weight}
    error = None
    try:
        model.fit(graph, constraints=told, **start, **more)
    except ValueError as refused:
        error = refused
    assume(hard or not isinstance(error, ConstraintConflict))  # classes that do not add up
    assert (error is None) == solvable(sizes, low, high, closure, k), error
    if error is not None:
        assert not hasattr(model, "labels_")
        return
    size = np.bincount(model.labels_, sizes)
    assert size.min() >= low - 1e-9
    assert size.max() <= high + 1e-9
    assert k is None or size.size == k


def greedy(graph, labels, low, high, steering):
    """Move the sample that costs least out of, or into, a cluster outside the bounds."""
    labels = labels.copy()
    k = int(labels.max()) + 1
    while True:
        size = np.bincount(labels, minlength=k)
        large, small = (size > high).any(), (size < low).any()
        if not large and not small:
            return labels
        best = None
        for i in range(graph.n):
            a = labels[i]
            if not (size[a] > high if large else size[a] > low):
                continue
            for b in np.flatnonzero(size < high if large else size < low).tolist():
                loss = -move_gain(graph, labels, i, b, steering=steering)
                if b != a and (best is None or loss < best[0]):
                    best = loss, i, b
        labels[best[1]] = best[2]


@settings(max_examples=60)
@on(st.integers(0, 10_000), st.integers(8, 30), st.integers(2, 5), st.sampled_from([0.0, 0.8]))
def test_balance_is_within_bounds_and_its_objective_is_right(seed, n, k, shrinkage):
    random = np.random.default_rng(seed)
    graph, steering = random_graph(random, n), Steering(None, shrinkage)
    start = random.permutation(np.append(np.arange(k), random.integers(0, k, n - k)))
    start = start.astype(np.int32)
    low, high = n // k, -(-n // k)
    found = balance(graph, start, np.ones(n), least=low, most=high, steering=steering)
    size = np.bincount(found.labels)
    assert size.size == k
    assert (size.min(), size.max()) == (low, high)
    value = steered_objective(graph, found.labels, None, *steering).value
    assert math.isclose(found.objective, value, abs_tol=1e-9)
    # No single move within the bounds is left that gains.
    for i in range(n):
        for b in range(k):
            a = found.labels[i]
            if b != a and size[a] > low and size[b] < high:
                near = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
                if (found.labels[near] == b).any():
                    assert move_gain(graph, found.labels, i, b, steering=steering) < 1e-9


def test_balance_costs_less_than_a_greedy_repair():
    ours, theirs = [], []
    for seed in range(40):
        random = np.random.default_rng(seed)
        X = random.normal(size=(40, 2))
        graph = sentree.knn_graph(X, 6)
        start = np.searchsorted(np.sort(X[:, 0])[[24, 34]], X[:, 0]).astype(np.int32)
        found = balance(graph, start, np.ones(40), least=13, most=14)
        ours.append(steered_objective(graph, found.labels).value)
        theirs.append(steered_objective(graph, greedy(graph, start, 13, 14, Steering())).value)
    assert np.mean(ours) < np.mean(theirs) - 0.05
    assert np.sum(np.array(ours) <= np.array(theirs) + 1e-9) >= 36


def test_a_chain_of_moves_passes_through_full_clusters():
    # A path of 9 vertices in clusters of 4, 3 and 2: the first gives to the second, which gives to
    # the third, and all stay connected.
    graph = Graph.from_edges([(i, i + 1) for i in range(8)], np.ones(8))
    found = balance(graph, [0, 0, 0, 0, 1, 1, 1, 2, 2], np.ones(9), least=3, most=3)
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_soft_sizes_are_weighed_against_the_data():
    X, y = make_blobs([80, 40], centers=[[0, 0], [8, 0]], random_state=0)
    share = {"n_clusters": 2, "max_size": 70}
    nothing = SSEPartition(**share, size_penalty=0).fit(X)
    assert np.bincount(nothing.labels_).tolist() == [80, 40]
    little = SSEPartition(**share, size_penalty=0.5).fit(X)
    assert adjusted_rand_score(y, little.labels_) == 1
    much = SSEPartition(**share, size_penalty=50.0).fit(X)
    assert np.bincount(much.labels_).max() <= 70
    assert np.bincount(SSEPartition(**share).fit(X).labels_).max() <= 70
    # Ten samples too many of 120, at half a bit each.
    assert np.isclose(little.objective_ - little.entropy_, 0.5 * 10 / 120)


def test_small_clusters_are_united_and_large_ones_divided():
    X, y = make_blobs([60, 60, 12], centers=[[0, 0], [20, 0], [5, 5]], cluster_std=0.6,
                      random_state=0)  # fmt: skip
    free = SSEPartition(n_neighbors=15).fit(X)
    assert adjusted_rand_score(y, free.labels_) == 1
    united = SSEPartition(min_size=20, n_neighbors=15).fit(X)
    assert adjusted_rand_score(np.minimum(y, 1) * (y < 2), united.labels_) == 1
    assert "the bounds on sizes speak for it" in united.scale_.reason
    divided = SSEPartition(max_size=30).fit(X)
    assert np.bincount(divided.labels_).max() <= 30
    assert divided.n_clusters_ <= 6
    pure = [np.unique(y[divided.labels_ == c]).size for c in range(divided.n_clusters_)]
    assert np.mean(pure) <= 1.25
    same = SSEPartition(min_size=5, max_size=0.6, n_neighbors=15).fit(X)
    assert np.array_equal(same.labels_, free.labels_)  # the bounds hold anyway


def test_weights_shares_refits_and_files(tmp_path):
    X, _ = make_blobs(90, centers=3, random_state=1)
    weight = np.arange(90) % 4 + 0.5
    model = SSEPartition(3, max_size=0.4, min_size=50.5).fit(X, size_weight=weight)
    size = np.bincount(model.labels_, weight)
    assert size.max() <= 0.4 * weight.sum() + 1e-9
    assert size.min() >= 50.5
    again = sentree.load(model.save(tmp_path / "model"))
    for one in (model, again):
        one.set_params(max_size=0.35).refit(must_link=[(0, 1)])
        assert np.bincount(one.labels_, weight).max() <= 0.35 * weight.sum() + 1e-9
    assert np.array_equal(model.labels_, again.labels_)
    tree = SSEHierarchy(3, max_size=0.35).fit(X)
    assert np.bincount(tree.labels_).max() <= 31
    assert np.array_equal(np.unique(tree.tree_.cut_to(3)), np.arange(3))


def test_copies_are_divided_where_sizes_ask_for_it():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0], [9.0, 9.0]], [30, 5, 5], axis=0)
    model = SSEPartition(4, max_size=12, n_neighbors=8).fit(X)
    assert np.bincount(model.labels_).max() <= 12


def test_edits_outside_the_bounds_are_refused():
    X, _ = make_blobs([30, 30, 30], centers=[[0, 0], [6, 0], [12, 0]], random_state=0)
    model = SSEPartition(3, min_size=10, max_size=40).fit(X)
    before = model.labels_.copy()
    with pytest.raises(ValueError, match="a cluster of 60 samples, more than max_size=40"):
        model.merge(0, 1)
    with pytest.raises(ValueError, match="a cluster of 3 samples, less than min_size=10"):
        model.move([0, 1, 2])
    with pytest.raises(ValueError, match="4 clusters of at least 10 samples need 40 samples"):
        model.split(0, into=4)
    assert np.array_equal(model.labels_, before)
    assert np.bincount(model.split(0).labels_).min() >= 10
    assert np.bincount(model.refit().labels_).min() >= 10


@pytest.mark.parametrize(
    ("asked", "fit", "told"),
    [
        (
            {"n_clusters": 5, "max_size": 10},
            {},
            "n_clusters=5 is too few for max_size=10: 5 clusters of at most 10 samples hold 50 "
            "samples, but there are 60",
        ),
        (
            {"n_clusters": 4, "min_size": 0.3},
            {},
            "n_clusters=4 is too many for min_size=0.3: 4 clusters of at least 18 samples need 72",
        ),
        (
            {"min_size": 22, "max_size": 25},
            {},
            "2 clusters of at most 25 samples hold 50 samples, but there are 60, and 3 clusters of "
            "at least 22 samples need 66 samples, but there are 60",
        ),
        ({"min_size": 9, "max_size": 8}, {}, "min_size=9 is more than max_size=8"),
        ({"min_size": 61}, {}, "min_size=61 is more than all 60 samples"),
        ({"max_size": 0.01}, {}, "max_size=0.01 of 60 samples is less than one sample"),
        ({"max_size": 2.5}, {}, "max_size=2.5 must be a whole number of samples, or a share"),
        ({"min_size": True}, {}, "min_size=True must be a whole number of samples, or a share"),
        (
            {"max_size": 5, "hard": True},
            {"must_link": [(i, i + 1) for i in range(6)]},
            "hard constraints keep 7 samples together (samples 0, 1, 2, 3, 4, …), more than "
            "max_size=5",
        ),
        (
            {"max_size": 5, "hard": True},
            {"y": [0] * 6 + [-1] * 54},
            "hard constraints keep 6 samples together",
        ),
        (
            {"min_size": 25, "hard": True},
            {"y": [0, 1, 2] + [-1] * 57},
            "hard constraints keep samples 0, 1, 2 in 3 clusters, and with min_size=25 3 clusters "
            "of at least 25 samples need 75 samples",
        ),
        (
            {"max_size": 8.0},
            {"size_weight": [9.0] + [0.1] * 59},
            "sample 0 alone has size 9, more than max_size=8.0",
        ),
        ({}, {"size_weight": np.ones(60)}, "size_weight counts for the bounds on sizes"),
        ({"max_size": 30}, {"size_weight": -np.ones(60)}, "that of sample 0 is -1.0"),
    ],
)
def test_the_impossible_is_refused_with_the_arithmetic(asked, fit, told):
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(ValueError, match=re.escape(told)):
        SSEPartition(**asked).fit(X, **fit)


def test_packing_is_exact():
    # Three sets of four samples do not fit into two clusters of six, whatever the arithmetic says.
    groups = Constraints.from_groups([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], hard=True)
    X = np.random.default_rng(0).normal(size=(12, 2))
    with pytest.raises(ValueError, match="shows that there is no way with 2 clusters"):
        SSEPartition(2, max_size=6, n_neighbors=3).fit(X, constraints=groups)
    # 5 + 4 + 3 and 6 + 6 is the only way to two clusters of twelve.
    bounds = size_bounds(12, 12, None, None, 24)
    size = np.array([6.0, 3.0, 5.0, 6.0, 4.0])
    none = np.empty((0, 2), dtype=np.int64)
    found = Packing(np.array([0, 1, 1, 1, 0], dtype=np.int32), size, bounds, none, 2).run()
    assert all(np.bincount(labels, size).tolist() == [12, 12] for labels in found[1:])
    check_sizes(bounds, 2)
