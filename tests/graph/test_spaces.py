"""Spaces of samples: distances of pairs, and metrics that are refused."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sentree.graph import spaces
from sentree.graph.exact_search import exact_neighbors
from sentree.graph.spaces import make_space


def test_pair_distances_are_symmetric_to_the_last_bit():
    X = np.random.default_rng(4).normal(size=(200, 37))
    i, j = np.triu_indices(200, 1)
    for space in (make_space(X, "euclidean"), make_space(X, "cosine")):
        np.testing.assert_array_equal(space.distances(i, j), space.distances(j, i))


def test_distances_of_a_pair_do_not_depend_on_its_place(monkeypatch):
    X = np.random.default_rng(4).normal(size=(100, 19))
    space = make_space(X, "euclidean")
    i, j = np.triu_indices(100, 1)
    whole = space.distances(i, j)
    monkeypatch.setattr(spaces, "_CHUNK_BYTES", 3000)
    np.testing.assert_array_equal(space.distances(i, j), whole)
    np.testing.assert_array_equal(space.distances(i[::-1], j[::-1])[::-1], whole)


@pytest.mark.parametrize("metric", ["seuclidean", "precomputed", "nonsense"])
def test_unsuitable_metrics_are_refused(metric):
    with pytest.raises(ValueError, match=f"unknown metric '{metric}' for dense data; choose from"):
        make_space(np.eye(3), metric)


def test_a_function_as_metric():
    X = np.random.default_rng(2).normal(size=(20, 3))
    space = make_space(X, lambda a, b: float(np.abs(a - b).sum()))
    found = exact_neighbors(space, 4)
    other = exact_neighbors(make_space(X, "manhattan"), 4)
    np.testing.assert_array_equal(found.indices, other.indices)
    i, j = np.triu_indices(20, 1)
    np.testing.assert_allclose(space.distances(i, j), cdist(X, X, "cityblock")[i, j])


def test_metric_errors():
    with pytest.raises(ValueError, match="a name or a function of two rows, got 3"):
        make_space(np.eye(3), 3)
    with pytest.raises(ValueError, match="unknown metric 'chebyshev' for sparse data"):
        make_space(sp.csr_array(np.eye(3)), "chebyshev")
