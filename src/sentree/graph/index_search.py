"""Searches for neighbours with an index of the samples: trees, an inverted file, cells."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.stopping import check
from sentree._util.threads import count_threads
from sentree.graph.cell_search import cell_neighbors
from sentree.graph.exact_search import exact_neighbors, row_blocks
from sentree.graph.queries import TIE, Neighbors, Queries, Search
from sentree.graph.spaces import EuclideanSpace, FloatArray, IndexArray, Space, is_sparse

__all__ = [
    "cells_search",
    "faiss_search",
    "fork_safe",
    "sklearn_search",
]

logger = logging.getLogger(__name__)

#: The process that loaded this module; another one is a fork of it.
_IMPORTED_BY = os.getpid()
#: Multiplications in one call of scikit-learn, about a second: Ctrl-C acts between calls.
_CALL_WORK = 1 << 31
#: Fewest queries in one call of scikit-learn.
_CALL_QUERIES = 256
#: Recall that the approximate search must reach on sampled queries, so that it is 0.95 on all.
_RECALL = 0.98
#: Number of sampled queries.
_RECALL_QUERIES = 256
#: Cells of the inverted file that are probed at first.
_FIRST_PROBES = 4
#: Relative error of squared distances in single precision up to which it ranks samples well.
_SINGLE = 1e-3
#: Samples per cell to train the inverted file on, a quarter of faiss's default at the same recall.
TRAINING_PER_CELL = 64


@contextmanager
def fork_safe() -> Iterator[None]:
    """Use a single OpenMP thread if this process is a fork.

    A fork does not have the threads of its parent, and faiss and scikit-learn would wait for them
    forever.
    """
    if os.getpid() == _IMPORTED_BY:
        yield
        return
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1, user_api="openmp"):
        yield


def _regular(space: Space, queries: Queries, columns: IndexArray) -> Neighbors:
    """Neighbours from a table with p columns: distances in float64, rows put in their order."""
    n, p = columns.shape
    flat = np.ascontiguousarray(columns, dtype=np.int64).ravel()
    distances = space.distances(np.repeat(np.arange(n), p), flat, queries.space).reshape(n, p)
    order = np.argsort(distances, axis=1, kind="stable")
    return Neighbors(
        np.arange(0, n * p + 1, p, dtype=np.int64),
        np.take_along_axis(flat.reshape(n, p), order, axis=1).ravel(),
        np.take_along_axis(distances, order, axis=1).ravel(),
    )


def _without_own(
    find: Callable[[int], NDArray[np.int64]], own: IndexArray | None, p: int
) -> NDArray[np.int64]:
    """Columns of p neighbours of each query from a search that also finds the query itself.

    Among duplicates a query need not come first, nor at all; then the farthest hit goes.
    """
    if own is None:
        return find(p)
    hits = find(p + 1)
    drop = hits == own[:, None]
    drop[~drop.any(axis=1), -1] = True
    others: NDArray[np.int64] = hits[~drop].reshape(own.size, p)
    return others


def sklearn_search(space: Space, p: int, n_jobs: int | None, seed: int) -> Search:
    """Search with scikit-learn: any metric, sparse data, trees in few dimensions."""
    from sklearn.neighbors import NearestNeighbors

    metric = "euclidean" if isinstance(space, EuclideanSpace) else space.metric
    model = NearestNeighbors(metric=metric, n_jobs=n_jobs).fit(space.points)
    step = max(_CALL_QUERIES, _CALL_WORK // max(1, space.points.size))

    def search(queries: Queries) -> Neighbors:
        parts = []
        for start in range(0, queries.space.n, step):
            check()
            part = queries.part(start, min(start + step, queries.space.n))
            find = partial(model.kneighbors, part.space.points, return_distance=False)
            parts.append(_without_own(find, part.own, p))
        return _regular(space, queries, np.concatenate(parts))

    return search


@contextmanager
def _faiss_threads(n_jobs: int | None) -> Iterator[None]:
    """Set the threads of faiss for a while; None leaves them as they are, -1 is all."""
    import faiss

    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: give a number of threads, -1 for all, or None")
    before = faiss.omp_get_max_threads()
    if n_jobs is not None and os.getpid() == _IMPORTED_BY:  # else see fork_safe
        cores = os.cpu_count() or 1
        faiss.omp_set_num_threads(n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs))
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def _inverted_file(points: NDArray[np.float32], seed: int) -> Any:
    """Train and fill a faiss index of sqrt(n) cells: more cost more to train than they save."""
    import faiss

    n, d = points.shape
    cells = max(1, math.isqrt(n))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, cells)
    index.cp.seed = seed
    index.cp.min_points_per_centroid = 1  # else faiss prints a warning for small data
    index.cp.max_points_per_centroid = TRAINING_PER_CELL
    index.train(points)
    index.add(points)
    return index


def _enough_probes(
    index: Any, space: EuclideanSpace, points: NDArray[np.float32], p: int, seed: int
) -> float | None:
    """Raise ``nprobe`` until the recall of a sample of queries suffices, and return it.

    None if it never does.
    """
    rng = np.random.default_rng(seed)
    size = min(space.n, _RECALL_QUERIES)
    rows = np.sort(rng.choice(space.n, size=size, replace=False)).astype(np.int64)
    truth = exact_neighbors(space, p, Queries(space.take(rows), rows))
    farthest = truth.distances[truth.indptr[:-1] + p - 1, None] * (1 + TIE) + space.tie
    index.nprobe = min(_FIRST_PROBES, index.nlist)
    while True:
        hits = _without_own(lambda k: index.search(points[rows], k)[1], rows, p)
        distances = space.distances(np.repeat(rows, p), np.maximum(hits, 0).ravel())
        found = (hits >= 0) & (distances.reshape(size, p) <= farthest)
        if found.mean() >= _RECALL:
            return float(found.mean())
        if index.nprobe == index.nlist:
            return None
        index.nprobe = min(index.nprobe + (index.nprobe + 1) // 2, index.nlist)


def faiss_search(space: Space, p: int, n_jobs: int | None, seed: int) -> Search:
    """Search approximately with an inverted file: exactly p neighbours each, recall >= 0.95."""
    space = _dense_space(space, "faiss")
    centre, points = _in_single_precision(space)
    with _faiss_threads(n_jobs):
        index = _inverted_file(points, seed)
        recall = _enough_probes(index, space, points, p, seed)
        if recall is None:
            logger.info("single precision cannot rank these samples: searching exactly")
            return partial(exact_neighbors, space, p)

    def search(queries: Queries) -> Neighbors:
        asked = (queries.space.points - centre).astype(np.float32)
        with _faiss_threads(n_jobs):
            columns = _without_own(lambda k: index.search(asked, k)[1], queries.own, p)
        short = np.flatnonzero((columns < 0).any(axis=1))  # fewer than p in the cells probed
        if short.size:
            own = None if queries.own is None else queries.own[short]
            exact = exact_neighbors(space, p, Queries(queries.space.take(short), own))
            columns[short] = exact.indices[exact.indptr[:-1, None] + np.arange(p)]
        return _regular(space, queries, columns)._replace(recall=recall)

    return search


def _dense_space(space: Space, name: str) -> EuclideanSpace:
    """Return a space that a search of dense points can take; refuse others."""
    if isinstance(space, EuclideanSpace) and not is_sparse(space.points):
        return space
    raise ValueError(
        f"neighbors={name!r} needs dense data and the metric 'euclidean', 'cosine' or "
        "'correlation'; use neighbors='sklearn'"
    )


def _in_single_precision(space: EuclideanSpace) -> tuple[FloatArray, NDArray[np.float32]]:
    """Return the mean of the samples, and the samples less it in single precision.

    A large common offset would use up the digits of single precision.
    """
    centre = space.points.mean(axis=0, dtype=np.float64)
    points = np.empty(space.points.shape, dtype=np.float32)
    for start, stop in row_blocks(*points.shape):
        np.subtract(space.points[start:stop], centre, out=points[start:stop], casting="same_kind")
    return centre, points


def cells_search(space: Space, p: int, n_jobs: int | None, seed: int) -> Search:
    """Search many samples by cells: exactly p neighbours each, recall >= 0.95.

    The neighbours of new samples are found by an inverted file, which is made when it is needed.
    """
    space = _dense_space(space, "cells")
    inverted: Search | None = None

    def search(queries: Queries) -> Neighbors:
        nonlocal inverted
        if queries.space is space and inverted is None:
            found = _by_cells(space, p, n_jobs, seed)
            if found is not None:
                return found
            logger.info("single precision hardly ranks these samples: searching more carefully")
        if inverted is None:
            inverted = faiss_search(space, p, n_jobs, seed)
        return inverted(queries)

    return search


def _by_cells(space: EuclideanSpace, p: int, n_jobs: int | None, seed: int) -> Neighbors | None:
    """Return the neighbours of all samples; None where single precision does not suffice."""
    points = _in_single_precision(space)[1]
    ids, squared, recall = cell_neighbors(points, p, seed, count_threads(n_jobs))
    some = np.random.default_rng(seed).choice(space.n, _RECALL_QUERIES)
    exact = space.squared(np.repeat(some, p), ids[some].ravel())
    if not np.allclose(squared[some].ravel(), exact, rtol=_SINGLE, atol=np.finfo(np.float32).tiny):
        return None
    indptr = np.arange(0, ids.size + 1, p, dtype=np.int64)
    return Neighbors(indptr, ids.ravel(), space.from_squared(squared.ravel()), recall)
