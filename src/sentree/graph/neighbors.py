"""Nearest neighbours of samples: the spaces samples live in and the searches through them."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.stopping import check
from sentree._util.threads import count_threads
from sentree.graph.cell_search import cell_neighbors

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.integer[Any]]
KeyArray = NDArray[np.uint64]
Metric: TypeAlias = str | Callable[[FloatArray, FloatArray], float]

__all__ = [
    "SEARCHES",
    "SEARCH_NAMES",
    "EuclideanSpace",
    "MetricSpace",
    "NeighborSearch",
    "Neighbors",
    "Queries",
    "Space",
    "canonical_metric",
    "cells_search",
    "exact_neighbors",
    "faiss_search",
    "is_sparse",
    "make_space",
    "neighbors_from_distances",
    "row_blocks",
    "sklearn_search",
]

logger = logging.getLogger(__name__)

#: Distances that differ by less than this share are a tie, since rounding decides their order.
_TIE = 1e-12
#: Absolute precision of squared distances between unit rows.
_UNIT_TIE = 2e-15
#: Squared distances with a larger relative error are computed again from differences.
_PRECISION = 1e-11
#: An odd multiplier that mixes bits (2^64 divided by the golden ratio).
_MIX = np.uint64(0x9E3779B97F4A7C15)
#: Bytes of one block of a distance matrix.
_BLOCK_BYTES = 1 << 26
#: Bytes of one chunk of gathered rows, which fits a cache.
_CHUNK_BYTES = 1 << 20
#: Multiplications in one call of scikit-learn, about a second: Ctrl-C acts between calls.
_CALL_WORK = 1 << 31
#: Fewest queries in one call of scikit-learn.
_CALL_QUERIES = 256

#: The process that loaded this module; another one is a fork of it.
_IMPORTED_BY = os.getpid()

#: "auto" searches exactly up to this many samples.
EXACT_LIMIT = 5000
#: Above that, "auto" searches by KD-tree up to this many features.
KD_TREE_FEATURES = 3
#: From this many samples on, "auto" searches by cells.
CELLS_FROM = 100_000

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


def is_sparse(points: Any) -> bool:
    """Whether points are a scipy sparse matrix or array."""
    return bool(sp.issparse(points))


class Neighbors(NamedTuple):
    """Neighbours of every query, itself excluded, nearest first within a row (CSR layout)."""

    indptr: NDArray[np.int64]
    indices: NDArray[Any]  # integers of 32 or 64 bits
    distances: NDArray[Any]  # in single or double precision
    recall: float | None = None  # of an approximate search, on sampled queries

    @property
    def rows(self) -> NDArray[np.int64]:
        """The query that each entry is a neighbour of."""
        return np.repeat(np.arange(self.indptr.size - 1), np.diff(self.indptr))


@dataclass(frozen=True, eq=False)
class EuclideanSpace:
    """Points whose Euclidean distances rank pairs as the metric does.

    With ``unit`` the rows have length 1 (or 0, where a sample has no direction) and a distance is
    1 - cosine, half the squared Euclidean one; else it is the Euclidean distance.
    """

    points: Any
    unit: bool = False

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.points.shape[0])

    @property
    def tie(self) -> float:
        """Squared distances closer than this are equal up to rounding."""
        return _UNIT_TIE if self.unit else 0.0

    def has_direction(self) -> NDArray[np.bool_]:
        """Samples that have a similarity to others: all but the zero rows of a unit space."""
        if not self.unit:
            return np.ones(self.n, dtype=bool)
        if is_sparse(self.points):
            return np.asarray(np.diff(self.points.indptr) > 0)
        return np.asarray(self.points.any(axis=1))

    def take(self, rows: IndexArray) -> EuclideanSpace:
        """Return the space of some samples."""
        return EuclideanSpace(self.points[rows], self.unit)

    def squared(self, i: IndexArray, j: IndexArray, other: Self | None = None) -> FloatArray:
        """Squared Euclidean distance of pairs, from differences: symmetric to the last bit.

        ``i`` are samples of the ``other`` space where one is given.
        """
        first = self.points if other is None else other.points
        out = np.empty(i.size)
        step = max(1, _CHUNK_BYTES // (8 * self.points.shape[1] + 8))
        for start in range(0, i.size, step):
            part = slice(start, start + step)
            if is_sparse(self.points):
                gap = first[i[part]] - self.points[j[part]]
                out[part] = gap.multiply(gap).sum(axis=1)
            else:
                gap = first.take(i[part], axis=0)
                gap -= self.points.take(j[part], axis=0)
                np.einsum("ij,ij->i", gap, gap, out=out[part])
        return out

    def from_squared(self, squared: NDArray[Any]) -> NDArray[Any]:
        """Distances of this metric from squared Euclidean ones."""
        return np.asarray(0.5 * squared if self.unit else np.sqrt(squared))

    def distances(self, i: IndexArray, j: IndexArray, other: Self | None = None) -> FloatArray:
        """Distances of pairs; ``i`` are samples of the ``other`` space where one is given."""
        return self.from_squared(self.squared(i, j, other))


@dataclass(frozen=True, eq=False)
class MetricSpace:
    """Samples under any metric of scikit-learn, or a function of two rows."""

    points: Any
    metric: Metric

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.points.shape[0])

    def has_direction(self) -> NDArray[np.bool_]:
        """Samples that have a similarity to others: all."""
        return np.ones(self.n, dtype=bool)

    def take(self, rows: IndexArray) -> MetricSpace:
        """Return the space of some samples."""
        return MetricSpace(self.points[rows], self.metric)

    def block(self, others: MetricSpace) -> FloatArray:
        """Distances of other samples to all."""
        return self._pairwise(others.points, self.points)

    def distances(self, i: IndexArray, j: IndexArray, other: Self | None = None) -> FloatArray:
        """Distances of pairs: scikit-learn has only tables, so diagonals of small tables."""
        first = self.points if other is None else other.points
        side = 16
        out = np.empty(i.size)
        for start in range(0, i.size, side):
            part = slice(start, start + side)
            out[part] = np.diagonal(self._pairwise(first[i[part]], self.points[j[part]]))
        return out

    def _pairwise(self, a: Any, b: Any) -> FloatArray:
        from sklearn.metrics import pairwise_distances

        return np.array(pairwise_distances(a, b, metric=self.metric), dtype=np.float64)


Space: TypeAlias = EuclideanSpace | MetricSpace


@dataclass(frozen=True, eq=False)
class Queries:
    """Samples whose neighbours are wanted.

    ``own`` is where each stands among the samples that are searched, so that none is its own
    neighbour; None for new samples. ``keys`` are numbers that come from the rows alone, and order
    ties; without them the order of rows does.
    """

    space: Any  # of the same kind as the one that is searched
    own: IndexArray | None = None
    keys: KeyArray | None = None

    @classmethod
    def all_of(cls, space: Space, keys: KeyArray | None = None) -> Queries:
        """Every sample of a space."""
        return cls(space, np.arange(space.n), keys)

    def part(self, start: int, stop: int) -> Queries:
        """A range of the queries."""
        if start == 0 and stop == self.space.n:
            return self
        own = None if self.own is None else self.own[start:stop]
        keys = None if self.keys is None else self.keys[start:stop]
        return Queries(self.space.take(np.arange(start, stop)), own, keys)

    def hide_own(self, table: FloatArray) -> None:
        """Set the distance of each query to itself to infinity in a table of distances."""
        if self.own is not None:
            table[np.arange(self.own.size), self.own] = np.inf

    def tie_order(
        self, rows: IndexArray, columns: IndexArray, n: int, keys: KeyArray | None
    ) -> NDArray[Any]:
        """Return sort keys for equally near samples.

        With row keys they depend on the two rows alone, symmetrically, so that the order of the
        samples does not matter. Without, they count how many rows after the query a column comes.
        """
        if keys is not None and self.keys is not None:
            mixed = (self.keys[rows] + keys[columns]) * _MIX
            return np.asarray((mixed ^ (mixed >> np.uint64(32))) * _MIX)
        return np.asarray(columns if self.own is None else (columns - self.own[rows]) % n)


Search: TypeAlias = Callable[[Queries], Neighbors]


def _unit_rows(points: Any, scale: FloatArray, negligible: float = 0.0) -> Any:
    """Divide rows by their length; rows no longer than ``negligible * scale`` become 0.

    ``scale`` is the largest magnitude per row; dividing by it first keeps squares in range.
    """
    safe = np.where(scale > 0, scale, 1.0)
    if is_sparse(points):
        unit = sp.diags_array(1.0 / safe) @ points
        length = np.sqrt(np.asarray(unit.multiply(unit).sum(axis=1)).ravel())
        unit = (sp.diags_array(1.0 / np.where(length > 0, length, 1.0)) @ unit).tocsr()
        unit.eliminate_zeros()
        return unit
    unit = points / safe[:, None]
    length = np.sqrt(np.einsum("ij,ij->i", unit, unit))
    zero = length <= negligible
    unit /= np.where(zero, 1.0, length)[:, None]
    unit[zero] = 0.0
    return unit


def _largest(points: Any) -> FloatArray:
    """Largest magnitude of each row."""
    largest = abs(points).max(axis=1)
    return largest.toarray().ravel() if is_sparse(largest) else np.asarray(largest)


def _cosine_space(points: Any) -> EuclideanSpace:
    return EuclideanSpace(_unit_rows(points, _largest(points)), unit=True)


def _correlation_space(points: Any) -> EuclideanSpace:
    """Unit rows of the row-centred data; a constant row becomes 0 in spite of rounding."""
    if is_sparse(points):
        raise ValueError(
            "'correlation' centres the rows, which makes sparse data dense: use 'cosine', or pass "
            "X.toarray()"
        )
    centred = points - points.mean(axis=1, keepdims=True)
    rounding = 4 * np.finfo(np.float64).eps * points.shape[1]
    return EuclideanSpace(_unit_rows(centred, _largest(points), rounding), unit=True)


_SPACES: dict[str, Callable[[Any], EuclideanSpace]] = {
    "euclidean": EuclideanSpace,
    "cosine": _cosine_space,
    "correlation": _correlation_space,
}
_SYNONYMS = {"l2": "euclidean", "minkowski": "euclidean", "l1": "manhattan"}
#: Metrics that carry parameters or that X itself would have to carry.
_UNSUITABLE = {"precomputed", "mahalanobis", "seuclidean", "wminkowski"}


def canonical_metric(metric: Metric) -> Metric:
    """One name for each metric that has several."""
    return _SYNONYMS.get(metric, metric) if isinstance(metric, str) else metric


def make_space(points: Any, metric: Metric) -> Space:
    """Lay out samples for a metric; ``points`` is a float64 array or CSR array."""
    metric = canonical_metric(metric)
    if isinstance(metric, str) and metric in _SPACES:
        return _SPACES[metric](points)
    if isinstance(metric, str):
        from sklearn.neighbors import VALID_METRICS, VALID_METRICS_SPARSE

        sparse = is_sparse(points)
        known = (VALID_METRICS_SPARSE if sparse else VALID_METRICS)["brute"]
        choices = sorted((set(known) | set(_SPACES) | set(_SYNONYMS)) - _UNSUITABLE)
        if metric not in choices:
            kind = "sparse data" if sparse else "dense data"
            raise ValueError(f"unknown metric {metric!r} for {kind}; choose from {choices}")
    elif not callable(metric):
        raise ValueError(f"metric must be a name or a function of two rows, got {metric!r}")
    return MetricSpace(points, metric)


def row_blocks(n_rows: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """Row ranges whose blocks of a dense table stay within the memory bound."""
    step = max(1, _BLOCK_BYTES // (8 * n_columns))
    for start in range(0, n_rows, step):
        check()
        yield start, min(start + step, n_rows)


def _ranks(rows: NDArray[Any], *keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each entry within its row, by the keys, the first one first."""
    order = np.lexsort((*reversed(keys), rows))
    counts = np.bincount(rows)
    first = (np.cumsum(counts) - counts)[rows[order]]
    ranks = np.empty(rows.size, dtype=np.intp)
    ranks[order] = np.arange(rows.size) - first
    return ranks


def _select(
    rows: IndexArray, columns: IndexArray, values: FloatArray, n_rows: int, p: int, tie: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray]:
    """Keep the p smallest values of each row and the ties of the p-th, sorted within rows."""
    order = np.lexsort((columns, values, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    counts = np.bincount(rows, minlength=n_rows)
    first = np.cumsum(counts) - counts
    last = np.where(counts > 0, first + np.minimum(counts, p) - 1, 0)
    limit = values[last] if values.size else np.zeros(n_rows)
    keep = values <= (limit * (1 + _TIE) + tie)[rows]
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows[keep], minlength=n_rows))))
    return indptr.astype(np.int64), columns[keep].astype(np.int64), values[keep]


class _ExactEuclidean:
    """Candidates by a matrix product with its rounding error bounded, then exact distances.

    The product alone would lose ties and near duplicates: |a|^2 + |b|^2 - 2ab cancels. It is within
    ``bound * (|a|^2 + |b|^2)`` of the exact value, so no true neighbour escapes the candidates, and
    only pairs where that matters (nearly as far as the p-th neighbour, or nearly equal) are
    computed from their differences.
    """

    def __init__(self, space: EuclideanSpace, keys: KeyArray | None) -> None:
        points = space.points
        self.space = space
        self.keys = keys
        self.bound = 2 * (points.shape[1] + 8) * np.finfo(np.float64).eps
        self.centre = None if is_sparse(points) else points.mean(axis=0)
        self.centred, self.norms = self._centre(points)

    def _centre(self, points: Any) -> tuple[Any, FloatArray]:
        """Points around the mean of the samples, and their squared lengths."""
        if self.centre is None:
            return points, np.asarray(points.multiply(points).sum(axis=1)).ravel()
        centred = points - self.centre
        return centred, np.einsum("ij,ij->i", centred, centred)

    def candidates(
        self, queries: Queries, p: int, ties: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """Return queries, columns and exact squared distances of all possible neighbours.

        Without ``ties``, of very many that are as far as the p-th only some are returned.
        """
        whole = queries.space is self.space
        centred, norms = (self.centred, self.norms) if whole else self._centre(queries.space.points)
        # The product of a matrix with its own transpose takes half the time of any other.
        product = centred @ self.centred.T
        table = product.toarray() if is_sparse(product) else product
        table *= -2.0
        table += norms[:, None]
        table += self.norms
        queries.hide_own(table)
        error = self.bound * (norms + self.norms.max())
        reach = np.partition(table, p - 1, axis=1)[:, p - 1]
        tie = _TIE * np.abs(reach) + self.space.tie
        near, columns = np.nonzero(table <= (reach + tie + 2 * error)[:, None])
        squared = table[near, columns]
        doubtful = squared >= (reach - tie - 2 * error)[near]
        if not ties and near.size > 8 * p * norms.size:
            late = np.flatnonzero(doubtful)
            behind = queries.tie_order(near[late], columns[late], self.space.n, self.keys)
            keep = np.ones(near.size, dtype=bool)
            keep[late[_ranks(near[late], behind) >= 2 * p]] = False
            near, columns, squared = near[keep], columns[keep], squared[keep]
            doubtful = doubtful[keep]
        doubtful |= error[near] > _PRECISION * squared
        squared[doubtful] = self.space.squared(near[doubtful], columns[doubtful], queries.space)
        return near, columns, squared


class _ExactMetric:
    """Neighbours from whole rows of the distance matrix: nothing is known about the metric."""

    def __init__(self, space: MetricSpace, keys: KeyArray | None) -> None:
        self.space = space

    def candidates(
        self, queries: Queries, p: int, ties: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """Queries, columns and distances of the neighbours."""
        table = self.space.block(queries.space)
        queries.hide_own(table)
        reach = np.partition(table, p - 1, axis=1)[:, p - 1]
        near, columns = np.nonzero(table <= (reach * (1 + _TIE))[:, None])
        return near, columns, table[near, columns]


def exact_neighbors(
    space: Space,
    p: int,
    queries: Queries | None = None,
    ties: bool = True,
    keys: KeyArray | None = None,
) -> Neighbors:
    """Search blockwise through all pairs in float64; for the neighbours of all samples by default.

    ``ties`` keeps every sample as near as the p-th neighbour; else some of these are taken, by the
    ``keys`` of the samples where they have any.
    """
    wanted = Queries.all_of(space, keys) if queries is None else queries
    euclidean = isinstance(space, EuclideanSpace)
    search: Any = (_ExactEuclidean if euclidean else _ExactMetric)(space, keys)  # type: ignore[arg-type]
    tie = space.tie if isinstance(space, EuclideanSpace) else 0.0
    parts = []
    for start, stop in row_blocks(wanted.space.n, space.n):
        part = wanted.part(start, stop)
        near, columns, values = search.candidates(part, p, ties)
        if not ties:
            first = _ranks(near, values, part.tie_order(near, columns, space.n, keys)) < p
            near, columns, values = near[first], columns[first], values[first]
        parts.append(_select(near, columns, values, stop - start, p, tie))
    counts = np.concatenate([np.diff(part[0]) for part in parts])
    values = np.concatenate([part[2] for part in parts])
    return Neighbors(
        np.concatenate(([0], np.cumsum(counts))),
        np.concatenate([part[1] for part in parts]),
        space.from_squared(values) if isinstance(space, EuclideanSpace) else values,
    )


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
def _fork_safe() -> Iterator[None]:
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


@contextmanager
def _faiss_threads(n_jobs: int | None) -> Iterator[None]:
    """Set the threads of faiss for a while; None leaves them as they are, -1 is all."""
    import faiss

    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: give a number of threads, -1 for all, or None")
    before = faiss.omp_get_max_threads()
    if n_jobs is not None and os.getpid() == _IMPORTED_BY:  # else see _fork_safe
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
    farthest = truth.distances[truth.indptr[:-1] + p - 1, None] * (1 + _TIE) + space.tie
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


def _search_large(space: Space, p: int, n_jobs: int | None, seed: int) -> Search:
    """Search many samples: by an inverted file, or by cells if they are very many.

    With scikit-learn where these do not apply.
    """
    sparse = is_sparse(space.points)
    tree = not sparse and space.points.shape[1] <= KD_TREE_FEATURES
    if isinstance(space, MetricSpace) or sparse or tree:
        return sklearn_search(space, p, n_jobs, seed)
    search = cells_search if space.n >= CELLS_FROM else faiss_search
    return search(space, p, n_jobs, seed)


#: Search strategies by name, beside the exact one.
SEARCHES: dict[str, Callable[[Space, int, int | None, int], Search]] = {
    "auto": _search_large,
    "cells": cells_search,
    "faiss": faiss_search,
    "sklearn": sklearn_search,
}


SEARCH_NAMES = ("auto", "cells", "exact", "faiss", "sklearn")


class NeighborSearch:
    """A search for the p nearest samples of a space, ready to be asked.

    Samples without direction are nobody's neighbours and have none.
    """

    def __init__(
        self,
        space: Space,
        p: int,
        search: str,
        n_jobs: int | None,
        seed: int,
        ties: bool = True,
        keys: KeyArray | None = None,
    ) -> None:
        self._members, self._inner = _with_direction(space)
        self._keys = None if keys is None else keys[self._members]
        self._n = space.n
        p = min(p, self._inner.n - 1)
        self._search: Search | None
        if p < 1:
            self._search = None
        elif search == "exact" or (search == "auto" and self._inner.n <= EXACT_LIMIT):
            self._search = partial(exact_neighbors, self._inner, p, ties=ties, keys=self._keys)
        else:
            with _fork_safe():
                self._search = SEARCHES[search](self._inner, p, n_jobs, seed)

    def others(self) -> Neighbors:
        """Find the nearest others of every sample."""
        return self._ask(Queries.all_of(self._inner, self._keys), self._members, self._n)

    def of(self, samples: Space, keys: KeyArray | None = None) -> Neighbors:
        """Find the nearest samples of new ones, which are laid out as the space is."""
        rows, inner = _with_direction(samples)
        return self._ask(
            Queries(inner, None, None if keys is None else keys[rows]), rows, samples.n
        )

    def _ask(self, queries: Queries, rows: IndexArray, n: int) -> Neighbors:
        """Search for the neighbours of some of n rows; the others have none."""
        counts = np.zeros(n + 1, dtype=np.int64)
        if self._search is None or rows.size == 0:
            return Neighbors(counts, np.empty(0, np.int64), np.empty(0))
        with _fork_safe():
            found = self._search(queries)
        if rows.size == n and self._members.size == self._n:
            return found
        counts[rows + 1] = np.diff(found.indptr)
        return found._replace(indptr=np.cumsum(counts), indices=self._members[found.indices])


def _with_direction(space: Space) -> tuple[NDArray[np.intp], Space]:
    """Return the samples that have a direction, and the space of them alone."""
    rows = np.flatnonzero(space.has_direction())
    return rows, space if rows.size == space.n else space.take(rows)


def neighbors_from_distances(matrix: Any, p: int | None, new: bool = False) -> Neighbors:
    """Read a sparse matrix of neighbour distances; p = None takes every stored neighbour.

    A stored 0 is a duplicate, not a missing neighbour; the diagonal is ignored unless the rows are
    ``new`` samples.
    """
    coo = sp.coo_array(matrix)
    if not np.all(np.isfinite(coo.data) & (coo.data >= 0)):
        k = int(np.flatnonzero(~(np.isfinite(coo.data) & (coo.data >= 0)))[0])
        raise ValueError(
            f"the distance from {coo.row[k]} to {coo.col[k]} is {coo.data[k]}; distances must be "
            "finite and >= 0"
        )
    kept = slice(None) if new else coo.row != coo.col
    rows, columns = coo.row[kept].astype(np.int64), coo.col[kept].astype(np.int64)
    values = coo.data[kept].astype(np.float64)
    limit = max(1, coo.shape[1]) if p is None else p
    return Neighbors(*_select(rows, columns, values, coo.shape[0], limit, 0.0))
