"""Nearest neighbours of samples: the spaces samples live in and the searches through them."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.integer[Any]]
Metric: TypeAlias = str | Callable[[FloatArray, FloatArray], float]

__all__ = [
    "SEARCHES",
    "SEARCH_NAMES",
    "EuclideanSpace",
    "MetricSpace",
    "Neighbors",
    "Space",
    "find_neighbors",
    "make_space",
    "neighbors_from_distances",
]

logger = logging.getLogger(__name__)

#: Distances that differ by less than this share are a tie: their order would be rounding.
_TIE = 1e-12
#: Squared distances of unit rows are known to about this, whatever their size.
_UNIT_TIE = 2e-15
#: Squared distances whose relative error may exceed this are computed from differences.
_PRECISION = 1e-11
#: Bytes of one block of a distance matrix, and of one chunk of gathered rows (cache-sized).
_BLOCK_BYTES = 1 << 26
_CHUNK_BYTES = 1 << 20

#: "auto" searches exactly up to this many samples, and by KD-tree up to this many features.
EXACT_LIMIT = 5000
KD_TREE_FEATURES = 3

#: The approximate search must find this share of the true neighbours of the sampled queries, so
#: that 0.95 holds for all of them.
_RECALL = 0.98
_RECALL_QUERIES = 256
_FIRST_PROBES = 4
#: Samples per cell to train the inverted file on: a quarter of what faiss takes, the same recall.
TRAINING_PER_CELL = 64


def is_sparse(points: Any) -> bool:
    """Whether points are a scipy sparse matrix or array."""
    return bool(sp.issparse(points))


class Neighbors(NamedTuple):
    """Neighbours of every sample, itself excluded, nearest first within a row (CSR layout)."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    distances: FloatArray

    @property
    def rows(self) -> NDArray[np.int64]:
        """The sample that each entry is a neighbour of."""
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

    def squared(self, i: IndexArray, j: IndexArray) -> FloatArray:
        """Squared Euclidean distance of pairs, from differences: symmetric to the last bit."""
        out = np.empty(i.size)
        step = max(1, _CHUNK_BYTES // (8 * self.points.shape[1] + 8))
        for start in range(0, i.size, step):
            part = slice(start, start + step)
            if is_sparse(self.points):
                gap = self.points[i[part]] - self.points[j[part]]
                out[part] = gap.multiply(gap).sum(axis=1)
            else:
                gap = self.points.take(i[part], axis=0)
                gap -= self.points.take(j[part], axis=0)
                np.einsum("ij,ij->i", gap, gap, out=out[part])
        return out

    def from_squared(self, squared: FloatArray) -> FloatArray:
        """Distances of this metric from squared Euclidean ones."""
        return 0.5 * squared if self.unit else np.sqrt(squared)

    def distances(self, i: IndexArray, j: IndexArray) -> FloatArray:
        """Distances of pairs."""
        return self.from_squared(self.squared(i, j))

    def lowest_cosine(self) -> float:
        """Smallest of 0 and all products of two rows, by blocks of the upper triangle."""
        points = self.points
        if points.min() >= 0:
            return 0.0
        lowest = 0.0
        for start, stop in _blocks(self.n, self.n):
            products = points[start:stop] @ points[start:].T
            lowest = min(lowest, float(products.min()))
        return max(lowest, -1.0)


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

    def block(self, rows: IndexArray) -> FloatArray:
        """Distances of some samples to all."""
        return self._pairwise(self.points[rows], self.points)

    def distances(self, i: IndexArray, j: IndexArray) -> FloatArray:
        """Distances of pairs: scikit-learn has only tables, so diagonals of small tables."""
        side = 16
        out = np.empty(i.size)
        for start in range(0, i.size, side):
            part = slice(start, start + side)
            out[part] = np.diagonal(self._pairwise(self.points[i[part]], self.points[j[part]]))
        return out

    def _pairwise(self, a: Any, b: Any) -> FloatArray:
        from sklearn.metrics import pairwise_distances

        return np.array(pairwise_distances(a, b, metric=self.metric), dtype=np.float64)


Space: TypeAlias = EuclideanSpace | MetricSpace


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


def _blocks(n_rows: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """Row ranges whose blocks of a dense table stay within the memory bound."""
    step = max(1, _BLOCK_BYTES // (8 * n_columns))
    for start in range(0, n_rows, step):
        yield start, min(start + step, n_rows)


def _ranks(rows: NDArray[Any], *keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each entry within its row, by the keys, the first one first."""
    order = np.lexsort((*reversed(keys), rows))
    counts = np.bincount(rows)
    first = (np.cumsum(counts) - counts)[rows[order]]
    ranks = np.empty(rows.size, dtype=np.intp)
    ranks[order] = np.arange(rows.size) - first
    return ranks


def _next_in_order(rows: NDArray[Any], columns: NDArray[Any], n: int) -> NDArray[Any]:
    """How far behind the row a column comes: a rule for ties that favours no sample."""
    return np.asarray((columns - rows) % n)


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

    def __init__(self, space: EuclideanSpace) -> None:
        points = space.points
        self.space = space
        self.bound = 2 * (points.shape[1] + 8) * np.finfo(np.float64).eps
        if is_sparse(points):
            self.centred = points
            self.norms = np.asarray(points.multiply(points).sum(axis=1)).ravel()
        else:
            self.centred = points - points.mean(axis=0)
            self.norms = np.einsum("ij,ij->i", self.centred, self.centred)

    def candidates(
        self, rows: IndexArray, p: int, ties: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """Positions in ``rows``, columns and exact squared distances of all possible neighbours.

        Without ``ties``, of very many about as far as the p-th some are enough.
        """
        whole = rows.size == self.space.n and np.array_equal(rows, np.arange(rows.size))
        # The product of a matrix with its own transpose takes half the time of any other.
        product = (self.centred if whole else self.centred[rows]) @ self.centred.T
        table = product.toarray() if is_sparse(product) else product
        table *= -2.0
        table += self.norms[rows, None]
        table += self.norms
        table[np.arange(rows.size), rows] = np.inf
        error = self.bound * (self.norms[rows] + self.norms.max())
        reach = np.partition(table, p - 1, axis=1)[:, p - 1]
        tie = _TIE * np.abs(reach) + self.space.tie
        near, columns = np.nonzero(table <= (reach + tie + 2 * error)[:, None])
        squared = table[near, columns]
        doubtful = squared >= (reach - tie - 2 * error)[near]
        if not ties and near.size > 8 * p * rows.size:
            late = np.flatnonzero(doubtful)
            behind = _next_in_order(rows[near[late]], columns[late], self.space.n)
            keep = np.ones(near.size, dtype=bool)
            keep[late[_ranks(near[late], behind) >= 2 * p]] = False
            near, columns, squared = near[keep], columns[keep], squared[keep]
            doubtful = doubtful[keep]
        doubtful |= error[near] > _PRECISION * squared
        squared[doubtful] = self.space.squared(rows[near[doubtful]], columns[doubtful])
        return near, columns, squared


class _ExactMetric:
    """Neighbours from whole rows of the distance matrix: nothing is known about the metric."""

    def __init__(self, space: MetricSpace) -> None:
        self.space = space

    def candidates(
        self, rows: IndexArray, p: int, ties: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """Positions in ``rows``, columns and distances of the neighbours."""
        table = self.space.block(rows)
        table[np.arange(rows.size), rows] = np.inf
        reach = np.partition(table, p - 1, axis=1)[:, p - 1]
        near, columns = np.nonzero(table <= (reach * (1 + _TIE))[:, None])
        return near, columns, table[near, columns]


def exact_neighbors(
    space: Space, p: int, rows: IndexArray | None = None, ties: bool = True
) -> Neighbors:
    """Search blockwise through all pairs in float64.

    ``rows`` limits the search to the neighbours of some samples, in their order. ``ties`` keeps
    every sample as near as the p-th neighbour; else the next ones in order of rows are taken.
    """
    queries = np.arange(space.n) if rows is None else rows
    euclidean = isinstance(space, EuclideanSpace)
    search = _ExactEuclidean(space) if euclidean else _ExactMetric(space)  # type: ignore[arg-type]
    tie = space.tie if isinstance(space, EuclideanSpace) else 0.0
    parts = []
    for start, stop in _blocks(queries.size, space.n):
        near, columns, values = search.candidates(queries[start:stop], p, ties)
        if not ties:
            behind = _next_in_order(queries[start + near], columns, space.n)
            first = _ranks(near, values, behind) < p
            near, columns, values = near[first], columns[first], values[first]
        parts.append(_select(near, columns, values, stop - start, p, tie))
    counts = np.concatenate([np.diff(part[0]) for part in parts])
    values = np.concatenate([part[2] for part in parts])
    return Neighbors(
        np.concatenate(([0], np.cumsum(counts))),
        np.concatenate([part[1] for part in parts]),
        space.from_squared(values) if isinstance(space, EuclideanSpace) else values,
    )


def _regular(space: Space, columns: IndexArray) -> Neighbors:
    """Neighbours from a table with p columns: distances in float64, rows put in their order."""
    n, p = columns.shape
    flat = np.ascontiguousarray(columns, dtype=np.int64).ravel()
    distances = space.distances(np.repeat(np.arange(n), p), flat).reshape(n, p)
    order = np.argsort(distances, axis=1, kind="stable")
    return Neighbors(
        np.arange(0, n * p + 1, p, dtype=np.int64),
        np.take_along_axis(flat.reshape(n, p), order, axis=1).ravel(),
        np.take_along_axis(distances, order, axis=1).ravel(),
    )


def sklearn_neighbors(space: Space, p: int, n_jobs: int | None, seed: int) -> Neighbors:
    """Search with scikit-learn: any metric, sparse data, trees in few dimensions."""
    from sklearn.neighbors import NearestNeighbors

    metric = "euclidean" if isinstance(space, EuclideanSpace) else space.metric
    model = NearestNeighbors(n_neighbors=p, metric=metric, n_jobs=n_jobs).fit(space.points)
    return _regular(space, model.kneighbors(return_distance=False))


@contextmanager
def _faiss_threads(n_jobs: int | None) -> Iterator[None]:
    """Set the threads of faiss for a while; None leaves them as they are, -1 is all."""
    import faiss

    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: give a number of threads, -1 for all, or None")
    before = faiss.omp_get_max_threads()
    if n_jobs is not None:
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


def _search_others(
    index: Any, points: NDArray[np.float32], rows: NDArray[np.int64], p: int
) -> NDArray[np.int64]:
    """Columns of p neighbours of some rows without the row itself; -1 where none was found.

    Among duplicates a row need not come first, nor at all; then the farthest hit goes.
    """
    hits = np.asarray(index.search(points[rows], p + 1)[1], dtype=np.int64)
    drop = hits == rows[:, None]
    drop[~drop.any(axis=1), -1] = True
    others: NDArray[np.int64] = hits[~drop].reshape(rows.size, p)
    return others


def _enough_probes(
    index: Any, space: EuclideanSpace, points: NDArray[np.float32], p: int, seed: int
) -> bool:
    """Raise ``nprobe`` until the recall of a sample of queries suffices; False if it never does."""
    rng = np.random.default_rng(seed)
    size = min(space.n, _RECALL_QUERIES)
    rows = np.sort(rng.choice(space.n, size=size, replace=False)).astype(np.int64)
    truth = exact_neighbors(space, p, rows)
    farthest = truth.distances[truth.indptr[:-1] + p - 1, None] * (1 + _TIE) + space.tie
    index.nprobe = min(_FIRST_PROBES, index.nlist)
    while True:
        hits = _search_others(index, points, rows, p)
        distances = space.distances(np.repeat(rows, p), np.maximum(hits, 0).ravel())
        found = (hits >= 0) & (distances.reshape(size, p) <= farthest)
        if found.mean() >= _RECALL:
            return True
        if index.nprobe == index.nlist:
            return False
        index.nprobe = min(index.nprobe + (index.nprobe + 1) // 2, index.nlist)


def faiss_neighbors(space: Space, p: int, n_jobs: int | None, seed: int) -> Neighbors:
    """Search approximately with an inverted file: exactly p neighbours each, recall >= 0.95."""
    if not isinstance(space, EuclideanSpace) or is_sparse(space.points):
        raise ValueError(
            "neighbors='faiss' needs dense data and the metric 'euclidean', 'cosine' or "
            "'correlation'; use neighbors='sklearn'"
        )
    # Single precision loses what all samples share; centring takes that away first.
    points = (space.points - space.points.mean(axis=0)).astype(np.float32)
    with _faiss_threads(n_jobs):
        index = _inverted_file(points, seed)
        if not _enough_probes(index, space, points, p, seed):
            logger.info("single precision cannot rank these samples: searching exactly")
            return exact_neighbors(space, p)
        columns = _search_others(index, points, np.arange(space.n, dtype=np.int64), p)
    short = np.flatnonzero((columns < 0).any(axis=1))  # fewer than p samples in the cells probed
    if short.size:
        exact = exact_neighbors(space, p, short)
        columns[short] = exact.indices[exact.indptr[:-1, None] + np.arange(p)]
    return _regular(space, columns)


def _search_beyond(space: Space, p: int, n_jobs: int | None, seed: int) -> Neighbors:
    """Search by tree or inverted file where they apply, where exact search is no longer cheap."""
    sparse = is_sparse(space.points)
    tree = not sparse and space.points.shape[1] <= KD_TREE_FEATURES
    if isinstance(space, MetricSpace) or sparse or tree:
        return sklearn_neighbors(space, p, n_jobs, seed)
    return faiss_neighbors(space, p, n_jobs, seed)


#: Search strategies by name, beside the exact one.
SEARCHES: dict[str, Callable[[Space, int, int | None, int], Neighbors]] = {
    "auto": _search_beyond,
    "faiss": faiss_neighbors,
    "sklearn": sklearn_neighbors,
}


SEARCH_NAMES = ("auto", "exact", "faiss", "sklearn")


def find_neighbors(
    space: Space, p: int, search: str, n_jobs: int | None, seed: int, ties: bool = True
) -> Neighbors:
    """Find the p nearest others of every sample; samples without direction get and are none."""
    members = np.flatnonzero(space.has_direction())
    n = space.n
    if members.size < 2:
        return Neighbors(np.zeros(n + 1, np.int64), np.empty(0, np.int64), np.empty(0))
    whole = members.size == n
    inner = space if whole else space.take(members)
    p = min(p, inner.n - 1)
    if search == "exact" or (search == "auto" and inner.n <= EXACT_LIMIT):
        found = exact_neighbors(inner, p, ties=ties)
    else:
        found = SEARCHES[search](inner, p, n_jobs, seed)
    if whole:
        return found
    counts = np.zeros(n, dtype=np.int64)
    counts[members] = np.diff(found.indptr)
    indptr = np.concatenate(([0], np.cumsum(counts)))
    return Neighbors(indptr, members[found.indices], found.distances)


def neighbors_from_distances(matrix: Any, p: int | None) -> Neighbors:
    """Read a sparse matrix of neighbour distances; p = None takes every stored neighbour.

    A stored 0 off the diagonal is a duplicate, not a missing neighbour; the diagonal is ignored.
    """
    coo = sp.coo_array(matrix)
    if not np.all(np.isfinite(coo.data) & (coo.data >= 0)):
        k = int(np.flatnonzero(~(np.isfinite(coo.data) & (coo.data >= 0)))[0])
        raise ValueError(
            f"the distance from {coo.row[k]} to {coo.col[k]} is {coo.data[k]}; distances must be "
            "finite and >= 0"
        )
    off = coo.row != coo.col
    rows, columns = coo.row[off].astype(np.int64), coo.col[off].astype(np.int64)
    values = coo.data[off].astype(np.float64)
    limit = max(1, coo.shape[1]) if p is None else p
    return Neighbors(*_select(rows, columns, values, coo.shape[0], limit, 0.0))
