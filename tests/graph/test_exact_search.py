"""The exact search for neighbours against a full sort of the distance matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from sentree.graph import exact_search, spaces
from sentree.graph.exact_search import exact_neighbors
from sentree.graph.queries import Queries
from sentree.graph.spaces import make_space


def sorted_distances(X, metric):
    """Distances from each sample to the others, sorted."""
    table = cdist(X, X, "cityblock" if metric == "manhattan" else metric)
    np.fill_diagonal(table, np.inf)
    return np.sort(table, axis=1)[:, :-1]


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "manhattan", "chebyshev"])
@pytest.mark.parametrize("p", [1, 4, 39])
def test_exact_search_gives_the_sorted_distances(metric, p):
    X = np.random.default_rng(0).normal(size=(40, 6))
    found = exact_neighbors(make_space(X, metric), p)
    np.testing.assert_allclose(
        found.distances.reshape(40, p), sorted_distances(X, metric)[:, :p], rtol=1e-10, atol=1e-14
    )
    assert not np.any(found.indices == found.rows)


@settings(max_examples=60)
@given(
    X=arrays(
        np.float64,
        st.tuples(st.integers(2, 14), st.integers(1, 3)),
        elements=st.integers(-2, 2).map(float),
    ),
    p=st.integers(1, 13),
)
def test_exact_search_keeps_every_tie(X, p):
    p = min(p, len(X) - 1)
    table = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(table, np.inf)
    kept = table <= np.sort(table, axis=1)[:, [p - 1]]
    found = exact_neighbors(make_space(X, "euclidean"), p)
    dense = np.zeros_like(kept)
    dense[found.rows, found.indices] = True
    np.testing.assert_array_equal(dense, kept)


def test_ties_are_ties_in_spite_of_rounding():
    X = 0.1 * np.arange(20.0)[:, None]  # |0.3 - 0.2| is not |0.2 - 0.1|
    found = exact_neighbors(make_space(X, "euclidean"), 1)
    np.testing.assert_array_equal(np.diff(found.indptr), [1] + [2] * 18 + [1])


def test_exact_search_where_the_matrix_product_cancels():
    rng = np.random.default_rng(5)
    X = 1e-3 * rng.normal(size=(200, 8))
    X[rng.random(200) < 0.5] += 1e6  # two tight groups far apart
    found = exact_neighbors(make_space(X, "euclidean"), 6)
    np.testing.assert_allclose(
        found.distances.reshape(200, 6), sorted_distances(X, "euclidean")[:, :6], rtol=1e-12
    )


def test_exact_search_survives_a_large_offset():
    X = np.random.default_rng(1).normal(size=(60, 4))
    near = exact_neighbors(make_space(X, "euclidean"), 5)
    far = exact_neighbors(make_space(X + 1e6, "euclidean"), 5)
    np.testing.assert_array_equal(near.indices, far.indices)
    np.testing.assert_allclose(near.distances, far.distances, rtol=1e-6)


def test_exact_search_in_blocks_equals_one_block(monkeypatch):
    X = np.random.default_rng(2).integers(0, 3, size=(50, 3)).astype(float)
    space = make_space(X, "euclidean")
    whole = exact_neighbors(space, 4)
    monkeypatch.setattr(exact_search, "_BLOCK_BYTES", 8 * 50 * 7)
    monkeypatch.setattr(spaces, "_CHUNK_BYTES", 100)
    for one, other in zip(whole, exact_neighbors(space, 4), strict=True):
        np.testing.assert_array_equal(one, other)


def test_exact_search_of_some_rows():
    X = np.random.default_rng(3).normal(size=(30, 4))
    space = make_space(X, "euclidean")
    whole, rows = exact_neighbors(space, 3), np.array([7, 2, 29])
    some = exact_neighbors(space, 3, Queries(space.take(rows), rows))
    expected = whole.indices.reshape(30, 3)[rows]
    np.testing.assert_array_equal(some.indices.reshape(3, 3), expected)
