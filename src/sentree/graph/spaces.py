"""The spaces that samples live in: how far apart they are, by each metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = [
    "EuclideanSpace",
    "Metric",
    "MetricSpace",
    "Space",
    "canonical_metric",
    "is_sparse",
    "make_space",
]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.integer[Any]]
Metric: TypeAlias = str | Callable[[FloatArray, FloatArray], float]

#: Absolute precision of squared distances between unit rows.
_UNIT_TIE = 2e-15
#: Bytes of one chunk of gathered rows, which fits a cache.
_CHUNK_BYTES = 1 << 20


def is_sparse(points: Any) -> bool:
    """Whether points are a scipy sparse matrix or array."""
    return bool(sp.issparse(points))


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
