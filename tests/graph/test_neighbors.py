"""Searches for neighbours against the exact one, and which of them is chosen."""

import multiprocessing as mp
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sentree.graph import index_search
from sentree.graph import neighbors as nb

DENSE_METRICS = ["euclidean", "cosine", "correlation", "manhattan", "chebyshev"]


def find_neighbors(space, p, search, n_jobs, seed):
    return nb.NeighborSearch(space, p, search, n_jobs, seed).others()


def table_of(found, p):
    assert (np.diff(found.indptr) == p).all()
    return found.indices.reshape(-1, p)


def recall(space, found, p):
    """Share of neighbours no farther than the true p-th one, ties counting as right."""
    truth = nb.exact_neighbors(space, p)
    limit = truth.distances[truth.indptr[:-1] + p - 1] * (1 + 1e-9) + 1e-12
    return np.mean(found.distances <= limit[found.rows])


def samples(kind, n=3000):
    rng = np.random.default_rng(5)
    if kind == "uniform":
        return rng.random((n, 8))
    centres = rng.normal(size=(30, 8)) * 20
    if kind == "clustered":
        return centres[rng.integers(30, size=n)] + rng.normal(size=(n, 8))
    if kind == "duplicates":
        return centres[rng.integers(30, size=n)]
    if kind == "equal":
        return np.full((n, 8), 0.1)
    far = np.where(rng.random(n) < 0.5, 0.0, 1e6)[:, None]  # two tight groups far apart
    return far + 1e-3 * rng.normal(size=(n, 8))


KINDS = ["uniform", "clustered", "duplicates", "equal", "far"]


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_points_have_the_neighbours_of_dense_ones(metric):
    X = np.random.default_rng(6).poisson(0.4, size=(80, 30)).astype(float)
    X[3] = 0
    dense, sparse = nb.make_space(X, metric), nb.make_space(sp.csr_array(X), metric)
    assert sp.issparse(sparse.points)
    for search in ("exact", "sklearn"):
        a = find_neighbors(dense, 5, search, None, 0)
        b = find_neighbors(sparse, 5, search, None, 0)
        np.testing.assert_allclose(a.distances, b.distances, atol=1e-14)
        if search == "exact":  # its ties do not depend on the layout
            np.testing.assert_array_equal(a.indptr, b.indptr)


@pytest.mark.parametrize("kind", KINDS)
def test_faiss_finds_almost_all_neighbours(kind):
    space = nb.make_space(samples(kind), "euclidean")
    found = find_neighbors(space, 10, "faiss", None, 0)
    assert recall(space, found, 10) >= 0.95
    if kind != "far":  # there single precision fails and the exact search steps in
        assert (np.diff(found.indptr) == 10).all()
    assert not np.any(found.indices == found.rows)
    pairs = found.rows * space.n + found.indices
    assert np.unique(pairs).size == pairs.size


@pytest.mark.parametrize("metric", ["cosine", "correlation"])
def test_faiss_finds_almost_all_neighbours_by_angle(metric):
    X = samples("clustered")
    X[[5, 77]] = 0.0
    space = nb.make_space(X, metric)
    found = find_neighbors(space, 10, "faiss", None, 0)
    inner = space.take(np.delete(np.arange(3000), [5, 77]))
    truth = nb.exact_neighbors(inner, 10)
    limit = truth.distances.reshape(-1, 10)[:, -1] * (1 + 1e-9)
    rows = np.searchsorted(np.delete(np.arange(3000), [5, 77]), found.rows)
    assert np.mean(found.distances <= limit[rows]) >= 0.95
    assert not np.isin(found.indices, [5, 77]).any()
    np.testing.assert_array_equal(np.diff(found.indptr)[[5, 77]], 0)


@pytest.mark.parametrize("kind", ["uniform", "clustered", "duplicates"])
def test_faiss_does_not_depend_on_threads(kind):
    space = nb.make_space(samples(kind), "euclidean")
    first, *others = (find_neighbors(space, 10, "faiss", jobs, 3) for jobs in (1, 2, 5, -1, None))
    for other in others:
        for one, two in zip(first, other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_faiss_threads_are_restored():
    import faiss

    before = faiss.omp_get_max_threads()
    find_neighbors(nb.make_space(samples("uniform", 200), "euclidean"), 5, "faiss", 1, 0)
    assert faiss.omp_get_max_threads() == before
    with index_search._faiss_threads(before + 1):
        assert faiss.omp_get_max_threads() == before + 1
    with pytest.raises(ZeroDivisionError), index_search._faiss_threads(before + 1):
        raise ZeroDivisionError
    assert faiss.omp_get_max_threads() == before


def test_faiss_falls_back_where_single_precision_cannot_rank(caplog):
    space = nb.make_space(samples("far", 500), "euclidean")
    with caplog.at_level("INFO", logger="sentree.graph.index_search"):
        found = find_neighbors(space, 5, "faiss", None, 0)
    assert "searching exactly" in caplog.text
    np.testing.assert_array_equal(found.indices, nb.exact_neighbors(space, 5).indices)


def test_rows_short_of_neighbours_are_searched_exactly(monkeypatch):
    """Cells smaller than p + 1, and a recall check that is content with one probe."""
    X = samples("clustered", 400)
    space = nb.make_space(X, "euclidean")
    monkeypatch.setattr(index_search, "_RECALL", 0.0)
    monkeypatch.setattr(index_search, "_FIRST_PROBES", 1)
    found = find_neighbors(space, 60, "faiss", None, 0)
    assert found.indices.min() >= 0
    assert (np.diff(found.indptr) == 60).all()


@pytest.mark.parametrize("search", ["exact", "faiss", "sklearn", "auto"])
@pytest.mark.parametrize("n", [2, 3, 12])
def test_small_data_with_more_neighbours_than_samples(search, n):
    X = np.random.default_rng(8).normal(size=(n, 3))
    found = find_neighbors(nb.make_space(X, "euclidean"), 50, search, None, 0)
    np.testing.assert_array_equal(np.diff(found.indptr), n - 1)


def test_scikit_learn_is_called_in_parts(monkeypatch):
    X = samples("uniform", 300)
    X[40:60] = X[40]  # a query among duplicates need not be its own first neighbour
    space = nb.make_space(X, "euclidean")
    whole = find_neighbors(space, 5, "sklearn", None, 0)
    monkeypatch.setattr(index_search, "_CALL_WORK", 1)
    monkeypatch.setattr(index_search, "_CALL_QUERIES", 7)
    parts = find_neighbors(space, 5, "sklearn", None, 0)
    np.testing.assert_allclose(parts.distances, whole.distances)
    distinct = np.r_[0:40, 60:300]
    np.testing.assert_array_equal(table_of(parts, 5)[distinct], table_of(whole, 5)[distinct])
    assert not np.any(parts.indices == parts.rows)


@pytest.mark.parametrize(
    ("metric", "search"),
    [(metric, search) for metric in DENSE_METRICS for search in ("exact", "sklearn")]
    + [(metric, "faiss") for metric in ("euclidean", "cosine", "correlation")],
)
def test_neighbours_of_new_samples(metric, search):
    X, new = samples("clustered", 400), samples("uniform", 30) * 20
    new[3] = 0.0
    found = nb.NeighborSearch(nb.make_space(X, metric), 6, search, None, 0).of(
        nb.make_space(new, metric)
    )
    rows = np.delete(np.arange(30), 3) if metric in ("cosine", "correlation") else np.arange(30)
    counts = np.zeros(30)
    counts[rows] = 6
    np.testing.assert_array_equal(np.diff(found.indptr), counts)
    table = cdist(new[rows], X, "cityblock" if metric == "manhattan" else metric)
    expected = np.sort(table, axis=1)[:, :6].ravel()
    wrong = ~np.isclose(found.distances, expected, rtol=1e-9, atol=1e-13)
    assert wrong.mean() <= (0.05 if search == "faiss" else 0.0)


def test_rows_are_sorted_by_distance():
    space = nb.make_space(samples("uniform", 1000), "euclidean")
    for search in ("exact", "faiss", "sklearn"):
        distances = find_neighbors(space, 6, search, None, 0).distances.reshape(-1, 6)
        assert (np.diff(distances, axis=1) >= 0).all()


def test_auto_chooses_by_size_and_shape(monkeypatch):
    class ChosenError(Exception):
        pass

    def choose(name):
        def search(*args, **settings):
            raise ChosenError(name)

        return search

    for name in ("exact_neighbors", "sklearn_search", "faiss_search"):
        monkeypatch.setattr(nb, name, choose(name))
    monkeypatch.setattr(nb, "EXACT_LIMIT", 10)
    X = np.random.default_rng(0).random((20, 5))
    cases = [
        (X[:10], "euclidean", "exact_neighbors"),
        (X[:10], "manhattan", "exact_neighbors"),
        (X, "euclidean", "faiss_search"),
        (X, "cosine", "faiss_search"),
        (X[:, :3].copy(), "euclidean", "sklearn_search"),
        (X, "manhattan", "sklearn_search"),
        (sp.csr_array(X), "euclidean", "sklearn_search"),
    ]
    for points, metric, expected in cases:
        with pytest.raises(ChosenError, match=expected):
            find_neighbors(nb.make_space(points, metric), 3, "auto", None, 0)


def test_a_stored_zero_distance_is_a_neighbour():
    matrix = sp.csr_array(([0.0, 0.0, 2.0, 0.0], ([0, 0, 1, 2], [0, 1, 0, 1])), shape=(3, 3))
    found = nb.neighbors_from_distances(matrix, None)
    np.testing.assert_array_equal(found.indptr, [0, 1, 2, 3])
    np.testing.assert_array_equal(found.indices, [1, 0, 1])
    np.testing.assert_array_equal(found.distances, [0.0, 2.0, 0.0])


def test_what_the_inverted_file_cannot_take_is_refused():
    with pytest.raises(ValueError, match="neighbors='faiss' needs dense data"):
        nb.faiss_search(nb.make_space(np.eye(3), "manhattan"), 1, None, 0)
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        nb.faiss_search(nb.make_space(np.eye(3), "euclidean"), 1, 0, 0)


FORKED = """
import multiprocessing as mp, sys
import numpy as np
from sentree import SSEPartition

X = np.random.default_rng(0).normal(size=(3000, 30))
model = SSEPartition(n_clusters=3, neighbors=sys.argv[1], affinity="gaussian", n_jobs=2).fit(X)
labels, predicted = model.labels_, model.predict(X[:5])

def search_again():
    assert np.array_equal(model.predict(X[:5]), predicted)
    assert np.array_equal(model.fit(X).labels_, labels)

child = mp.get_context("fork").Process(target=search_again)
child.start()
child.join(300)
if child.is_alive():
    child.kill()
    sys.exit("the search in the child of a fork has hung")
sys.exit(child.exitcode)
"""


@pytest.mark.skipif("fork" not in mp.get_all_start_methods(), reason="no fork on this system")
@pytest.mark.parametrize("search", ["faiss", "sklearn"])
def test_a_forked_process_searches_as_its_parent_did(search):
    threads = {**os.environ, "OMP_NUM_THREADS": "2"}  # with one there is nothing to wait for
    done = subprocess.run(
        [sys.executable, "-c", FORKED, search],
        env=threads,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
