"""Kernels that make graphs of neighbours and check them, against NumPy, whatever the threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from sentree import Graph, _kernels
from sentree._util import threads
from sentree._util.threads import sharing, use_threads
from sentree.graph import components, neighbor_graph
from sentree.graph.kernels import KERNELS, Weigher, bandwidths
from sentree.graph.queries import Neighbors
from sentree.search.hard import contract
from sentree.search.kernels import SharpGraph, contracted, sharpened, spread_labels

COUNTS = (1, 2, 5)
ARRAYS = ("indptr", "indices", "weights", "degree")


@pytest.fixture(autouse=True)
def shared(monkeypatch):
    monkeypatch.setattr(threads, "_MANY", 2)


def neighbours(rng, n, most):
    """Random neighbours of n vertices in CSR, nearest first, and their weights as a matrix."""
    rows = [
        rng.permutation(np.delete(np.arange(n), i))[: rng.integers(0, most + 1)] for i in range(n)
    ]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    indices = np.concatenate([*rows, np.empty(0)]).astype(np.int32)
    weights = rng.choice([0.0, 0.5, 0.7, 1.0], indices.size)
    weights *= rng.choice([1.0, 0.9], indices.size)
    dense = np.zeros((n, n))
    dense[np.repeat(np.arange(n), np.diff(indptr)), indices] = weights
    return indptr, indices, weights, dense


def random_graph(rng, n, most=6):
    indptr, indices, weights, _ = neighbours(rng, n, most)
    return neighbor_graph(indptr, indices, weights)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(0, 12))
def test_an_edge_has_the_larger_weight_of_its_ends(seed, n, most):
    rng = np.random.default_rng(seed)
    indptr, indices, weights, dense = neighbours(rng, n, most)
    expected = Graph.from_dense(np.maximum(dense, dense.T))
    for count in COUNTS:
        with use_threads(count):
            found = neighbor_graph(indptr, indices.astype(np.int64), weights)
        for name in ARRAYS:
            assert np.array_equal(getattr(found, name), getattr(expected, name))


def test_long_rows_and_many_vertices():
    rng = np.random.default_rng(0)
    indptr, indices, weights, dense = neighbours(rng, 1500, 120)
    expected = sp.csr_array(np.maximum(dense, dense.T))
    for count in COUNTS:
        with use_threads(count):
            found = neighbor_graph(indptr, indices, weights)
        assert np.array_equal(found.indices, expected.indices)
        assert np.array_equal(found.weights, expected.data)


@pytest.mark.parametrize("repeats", [1, 80])
def test_of_neighbours_that_are_there_twice_the_larger_weight_counts(repeats):
    indptr = np.array([0, 2 * repeats, 2 * repeats + 1, 2 * repeats + 1])
    indices = np.append(np.tile([1, 2], repeats), 0).astype(np.int32)
    weights = np.append(np.linspace(0.1, 0.9, 2 * repeats), 0.5)
    graph = neighbor_graph(indptr, indices, weights)
    assert graph.indices.tolist() == [1, 2, 0, 0]
    heavy = max(weights[-3], 0.5)
    assert graph.weights.tolist() == [heavy, weights[-2], heavy, weights[-2]]


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(0, 6))
def test_what_is_no_graph_is_found(seed, n, kind):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n)
    indptr, indices, weights = (np.array(getattr(graph, name)) for name in ARRAYS[:3])
    if indices.size == 0:
        return
    e = int(rng.integers(indices.size))
    row = int(np.searchsorted(indptr, e, side="right") - 1)
    if kind == 1:
        weights[e] = np.nextafter(weights[e], 2)  # not symmetric, by one bit
    elif kind == 2:
        weights[e] = rng.choice([0.0, -1.0, np.nan, np.inf])
    elif kind == 3:
        indices[e] = rng.choice([-1, n])
    elif kind == 4:
        indices[e] = row
    elif kind == 5:
        keep = np.arange(indices.size) != e
        indptr[row + 1 :] -= 1
        indices, weights = indices[keep], weights[keep]
    elif kind == 6:
        if indptr[row + 1] - indptr[row] < 2:
            return
        part = slice(indptr[row], indptr[row + 1])
        indices[part], weights[part] = indices[part][::-1].copy(), weights[part][::-1].copy()
    for count in COUNTS:
        with use_threads(count):
            assert _kernels.is_graph(indptr, indices, weights, sharing()) == (kind == 0)


def test_one_wrong_weight_among_many_rows_is_found():
    graph = random_graph(np.random.default_rng(0), 3000)
    weights = np.array(graph.weights)
    for count in COUNTS:
        with use_threads(count):
            assert _kernels.is_graph(graph.indptr, graph.indices, weights, sharing())
            weights[-1] *= 2
            assert not _kernels.is_graph(graph.indptr, graph.indices, weights, sharing())
            weights[-1] /= 2


def test_rounding_is_forgiven():
    weights = np.array([1.0, np.nextafter(1.0, 2)])
    graph = Graph(np.array([0, 1, 2]), np.array([1, 0]), weights)
    assert np.array_equal(graph.weights, weights)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 40))
def test_components(seed, n):
    graph = random_graph(np.random.default_rng(seed), n, most=1)
    expected = connected_components(graph.to_scipy(), directed=False)[1]
    assert np.array_equal(components(graph), expected)


def test_contraction(monkeypatch):
    rng = np.random.default_rng(0)
    graph, labels = random_graph(rng, 3000), rng.integers(0, 700, 3000)
    member = np.zeros((3000, 700))
    member[np.arange(3000), labels] = 1
    between = member.T @ graph.to_scipy() @ member
    np.fill_diagonal(between, 0)
    one, *others = (_with(count, lambda: contracted(graph, labels)) for count in COUNTS)
    assert np.allclose(one.toarray(), between)
    assert all((one != other).nnz == 0 for other in others)
    small = contract(graph, None, labels)[0]
    monkeypatch.setattr("sentree.search.hard._LARGE", 10)
    large = contract(graph, None, labels)[0]
    assert np.array_equal(large.indices, small.indices)
    assert np.allclose(large.weights, small.weights)
    assert np.allclose(large.degree, small.degree)


def test_labels_spread_over_the_strongest_edges_without_a_copy_of_them():
    rng = np.random.default_rng(0)
    graph = random_graph(rng, 500, most=12)
    points, code = np.arange(0, 500, 10), rng.integers(0, 4, 50)
    expected = spread_labels(sharpened(graph, 4, 3.0), points, code)
    assert expected.nnz > 500
    one, *others = (
        _with(count, lambda: spread_labels(SharpGraph.of(graph, 4, 3.0), points, code))
        for count in COUNTS
    )
    assert abs(one - expected).max() < 1e-9
    assert all((one != other).nnz == 0 for other in others)


@pytest.mark.parametrize("kernel", ["gaussian", "cosine", "binary"])
def test_neighbours_are_weighed_in_parts_and_in_64_bits(kernel, monkeypatch):
    rng = np.random.default_rng(0)
    indptr, indices, _, _ = neighbours(rng, 200, 9)
    distances = rng.uniform(0.1, 1.9, indices.size).astype(np.float32)
    wide = Neighbors(indptr, indices.astype(np.int64), distances.astype(np.float64))
    narrow = Neighbors(indptr, indices, distances)
    widths = bandwidths("local", wide, 7)
    assert np.array_equal(bandwidths("local", narrow, 7), widths)
    silent = rng.random(200) < 0.1
    weigher = Weigher(KERNELS[kernel], widths, "clip", silent)
    expected = weigher(wide.distances, wide.rows, wide.indices)
    monkeypatch.setattr("sentree.graph.kernels._CHUNK", 50)
    for found in (wide, narrow):
        weights = weigher.of(found)
        assert weights.dtype == np.float64
        assert np.array_equal(weights, expected)


def _with(count, call):
    with use_threads(count):
        return call()
