"""Samples as they come: checked, scaled and laid out for a metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from sentree.graph import FloatArray
from sentree.graph.blocks import Block
from sentree.graph.large import is_large, ranges, row_ranges
from sentree.graph.spaces import EuclideanSpace, Metric, Space, is_sparse, make_space
from sentree.graph.tails import Tails

__all__ = ["Layout", "Scale", "Scaled", "check_samples", "check_squares", "weigh"]

#: Squares of larger values overflow.
_LARGEST = 1e150
#: The same in single precision, with room for the sum of many.
_LARGEST_SINGLE = 1e15
#: Squares of smaller values are 0, or have lost digits.
_SMALLEST = 1e-140
#: Distance between the two values of a binary column, where other features have variance 1.
_BINARY = 1.6


class Scale(NamedTuple):
    """Features minus an offset, divided by a spread, which is infinite for constant ones."""

    offset: FloatArray
    spread: FloatArray

    def __call__(self, samples: Any) -> Any:
        """Return scaled samples; new ones far outside of the old stay in the range of squares."""
        if is_sparse(samples):  # the offset is 0
            scaled = sp.csr_array(samples @ sp.diags_array(1.0 / self.spread))
            scaled.eliminate_zeros()
            np.clip(scaled.data, -_LARGEST, _LARGEST, out=scaled.data)
            return scaled
        scaled = samples - self.offset
        with np.errstate(over="ignore"):
            scaled /= self.spread
        return np.clip(scaled, -_LARGEST, _LARGEST, out=scaled)


#: Gives all samples, range by range, each time that it is called.
Parts = Callable[[], Iterator[FloatArray]]


def _extremes(parts: Parts) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest value of each feature."""
    found = [(part.min(axis=0), part.max(axis=0)) for part in parts()]
    low, high = zip(*found, strict=True)
    return np.min(low, axis=0), np.max(high, axis=0)


def _minmax(parts: Parts, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bring each feature to [0, 1]."""
    return low, high - low


def _zscore(parts: Parts, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bring each feature to mean 0 and variance 1."""
    from sklearn.preprocessing import StandardScaler

    # Dividing by a power of two is exact, and squares do not overflow.
    _, power = np.frexp(np.maximum(np.abs(low), np.abs(high)))
    unit = np.ldexp(1.0, power)
    scaler = StandardScaler()
    for part in parts():
        scaler.partial_fit(part / unit)
    return scaler.mean_ * unit, scaler.scale_ * unit


def _table(parts: Parts, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bring each feature to variance 1, but the two values of a binary column to a fixed distance.

    With variance 1, the rarer of two values would be farther away, the rarer it is.
    """
    offset, spread = _zscore(parts, low, high)
    two = np.ones(low.size, dtype=bool)
    for part in parts():
        two[two] = ((part[:, two] == low[two]) | (part[:, two] == high[two])).all(axis=0)
        if not two.any():
            break
    return np.where(two, low, offset), np.where(two, (high - low) / _BINARY, spread)


def _centre(parts: Parts, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bring each feature to mean 0."""
    means, counts = zip(*((part.mean(axis=0), len(part)) for part in parts()), strict=True)
    mean = means[0] if len(means) == 1 else np.average(means, axis=0, weights=counts)
    return mean, np.ones(mean.size)


def _maxabs(parts: Parts, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bring each feature to at most 1 in magnitude, 0 staying 0."""
    return np.zeros(low.size), np.maximum(np.abs(low), np.abs(high))


#: Offset and spread of features, from the samples and the least and largest value of each.
_SCALES: dict[str, Callable[[Parts, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]] = {
    "minmax": _minmax,
    "zscore": _zscore,
    "table": _table,
    "centre": _centre,
    "maxabs": _maxabs,
}
#: Scales that leave distances the same without their offset.
_SHIFTED = ("minmax", "zscore", "table", "centre")
#: Before the name of a scale: of the logarithms of the values plus 1.
_LOG = "log-"


def _sparse_scale(samples: Any, scale: str, metric: Metric) -> tuple[FloatArray, FloatArray]:
    """Return the scale of sparse samples, with an offset of 0: one column after the other."""
    if scale in _SHIFTED and metric != "euclidean":
        raise ValueError(
            f"scale={scale!r} moves zeros, which makes sparse data dense: use scale='maxabs', or "
            "pass X.toarray()"
        )
    if scale == "maxabs":
        largest = abs(samples).max(axis=0).toarray().ravel()
        return np.zeros(largest.size), np.where(largest > 0, largest, np.inf)
    by_column = samples.tocsc()
    spread = np.empty(samples.shape[1])
    for j in range(samples.shape[1]):
        column = by_column[:, [j]].toarray()
        low, high = column.min(axis=0), column.max(axis=0)
        parts = partial(ranges, column)
        spread[j] = _SCALES[scale](parts, low, high)[1][0] if low[0] < high[0] else np.inf
    return np.zeros(samples.shape[1]), spread


@dataclass(frozen=True, eq=False)
class Layout:
    """How samples are scaled and compared: fitted once, the same for new ones.

    Long tails are taken as logarithms first, then features are scaled, then weighed. Directions,
    which are combinations of weighed features that separate classes, are added as columns. Where
    samples are large, what is scaled is in single precision, to which each value is rounded once.
    """

    metric: Metric
    scale: Scale | None
    logarithm: bool = False  # of values plus 1, before they are scaled
    tails: Tails | None = None
    weights: FloatArray | None = None
    directions: FloatArray | None = None  # features x directions, only with weights
    single: bool = False  # whether scaled samples are in single precision

    @classmethod
    def fit(
        cls,
        samples: Any,
        scale: str | None,
        metric: Metric,
        tails: Tails | None = None,
        blocks: Sequence[Block] = (),
        apart: float = _BINARY,
    ) -> Layout:
        """Take the scale from samples that were checked.

        Two levels of a category among ``blocks``, which dense samples may have, are ``apart``.
        """
        if scale is None:
            return cls(metric, None)
        name = scale.removeprefix(_LOG)
        if name not in _SCALES:
            known = [None, *_SCALES, *(_LOG + known for known in _SCALES)]
            raise ValueError(f"unknown scale {scale!r}; choose from {known}")
        logarithm = name != scale
        if is_sparse(samples):
            samples = _logarithms(samples) if logarithm else samples
            return cls(metric, Scale(*_sparse_scale(samples, name, metric)), logarithm)
        parts = partial(_drawn, samples, logarithm, tails)
        low, high = _extremes(parts)
        offset, spread = _SCALES[name](parts, low, high)
        for block in blocks:
            if block.has_levels:  # two levels of a category differ in two columns
                columns = np.sqrt(2.0) if block.kind == "category" else 1.0
                spread[block.start : block.stop] *= columns * (_BINARY / apart)
        found = Scale(offset, np.where(low == high, np.inf, spread))
        return cls(metric, found, logarithm, tails, single=is_large(samples))

    def weighed(self, weights: FloatArray | None, directions: FloatArray | None = None) -> Layout:
        """Return the layout with other weights of the features, and directions of theirs."""
        return replace(self, weights=weights, directions=directions)

    def scaled(self, samples: Any) -> Any:
        """Return checked samples with their features transformed, scaled and weighed."""
        if not self.single:
            return self._scaled(samples)
        if is_sparse(samples):
            samples = samples.toarray()
        count = 0 if self.directions is None else self.directions.shape[1]
        scaled = np.empty((samples.shape[0], samples.shape[1] + count), dtype=np.float32)
        for rows in row_ranges(samples):
            part = self._scaled(np.asarray(samples[rows], dtype=np.float64))
            scaled[rows] = np.clip(part, -_LARGEST_SINGLE, _LARGEST_SINGLE)
        return scaled

    def _scaled(self, samples: Any) -> Any:
        if self.logarithm:
            samples = _logarithms(samples)
        if self.tails is not None:
            samples = self.tails(samples)
        if self.scale is not None:
            samples = self.scale(samples)
        return samples if self.weights is None else weigh(samples, self.weights, self.directions)

    def space(self, X: Any) -> Space:
        """Return samples, one or more, laid out for the search."""
        return make_space(self.scaled(check_samples(X, fewest=1)), self.metric)


@dataclass(frozen=True, eq=False)
class Scaled:
    """Large samples as a layout has them, of which only the rows that are asked for are scaled."""

    samples: Any
    layout: Layout

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples, and of features with directions."""
        directions = self.layout.directions
        more = 0 if directions is None else directions.shape[1]
        return self.samples.shape[0], self.samples.shape[1] + more

    def __getitem__(self, rows: Any) -> Any:
        """Return rows in double precision; all of them, in their order, are not copied."""
        n = self.samples.shape[0]
        if isinstance(rows, np.ndarray) and rows.size == n and (np.diff(rows) == 1).all():
            return self
        return self.layout.scaled(self.samples[rows]).astype(np.float64)


def _drawn(samples: Any, logarithm: bool, tails: Tails | None) -> Iterator[FloatArray]:
    """Yield dense samples range by range, all or their long tails as logarithms."""
    for part in ranges(samples):
        part = _logarithms(part) if logarithm else part
        yield part if tails is None else tails(part)


def _logarithms(samples: Any) -> Any:
    """Return the logarithms of values plus 1; values below 0 count as 0."""
    if not is_sparse(samples):
        return np.log1p(np.maximum(samples, 0.0))
    return sp.csr_array(
        (np.log1p(np.maximum(samples.data, 0.0)), samples.indices, samples.indptr), samples.shape
    )


def weigh(samples: FloatArray, weights: FloatArray, directions: FloatArray | None) -> FloatArray:
    """Return scaled samples with their features weighed, and directions as further columns."""
    weighed = np.clip(samples * weights, -_LARGEST, _LARGEST)
    if directions is None:
        return weighed
    # Feature by feature: a matrix product may round a row differently in another batch, and a
    # training sample must be found equal when it is predicted.
    along = np.zeros((len(samples), directions.shape[1]))
    for column, direction in zip(weighed.T, directions, strict=True):
        along += column[:, None] * direction
    return np.hstack((weighed, np.clip(along, -_LARGEST, _LARGEST)))


def check_samples(X: Any, fewest: int = 2) -> Any:
    """Return X as a float64 array or canonical CSR array of finite values.

    A large array of float32 or float64 is returned as it is, wherever its values are.
    """
    samples = _float_csr(X) if is_sparse(X) else _float_array(X)
    if samples.ndim != 2:
        raise ValueError(f"X must be 2-D (samples by features), got shape {samples.shape}")
    if samples.shape[0] < fewest or samples.shape[1] < 1:
        raise ValueError(
            f"X needs at least {fewest} samples and 1 feature, got shape {samples.shape}"
        )
    _check_range(samples)
    return samples


def _float_csr(X: Any) -> Any:
    """Return a CSR copy, so that putting it in order does not touch X."""
    samples = sp.csr_array(X, dtype=np.float64, copy=True)
    samples.sum_duplicates()
    return samples


def _float_array(X: Any) -> Any:
    """Return X as a row-major float64 array; if it is large, of the precision that it has."""
    samples = np.asarray(X)
    if samples.dtype in (np.float32, np.float64) and is_large(samples):
        return samples
    if samples.dtype.kind == "c":
        raise ValueError(f"X must hold real numbers, got dtype {samples.dtype}")
    try:
        return np.asarray(samples, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"X must hold real numbers, got dtype {samples.dtype}") from error


def _check_range(samples: Any) -> None:
    """Name the first value that is not finite or whose square would not be."""
    values = samples.data if is_sparse(samples) else samples
    pieces = [slice(None)] if is_sparse(samples) else row_ranges(samples)
    if all((np.abs(values[rows]) <= np.float64(_LARGEST)).all() for rows in pieces):
        return
    good = np.abs(values) <= np.float64(_LARGEST)
    if is_sparse(samples):
        k = int(np.flatnonzero(~good)[0])
        row = int(np.searchsorted(samples.indptr, k, side="right") - 1)
        column = int(samples.indices[k])
    else:
        row, column = (int(k) for k in np.argwhere(~good)[0])
    raise ValueError(
        f"X has {samples[row, column]} in row {row}, column {column}; values must be finite and at "
        f"most {_LARGEST:g}"
    )


def check_squares(space: Space) -> None:
    """Refuse samples so small that their distances vanish."""
    if not isinstance(space, EuclideanSpace) or space.unit:
        return
    if is_sparse(space.points):
        largest = float(abs(space.points).max())
    else:
        largest = max(float(np.abs(space.points[rows]).max()) for rows in row_ranges(space.points))
    if 0 < largest < _SMALLEST:
        raise ValueError(
            f"the largest value of X is {largest:.3g}, and squares of such values vanish: multiply "
            "X by a constant, or scale its features"
        )
