"""Kernels: from distances to similarities, and the bandwidths they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.labels import ramp
from sentree.graph import FloatArray
from sentree.graph.queries import Neighbors

__all__ = ["KERNELS", "LOCAL_RANK", "NEGATIVE", "Kernel", "Weigher", "bandwidths"]

#: The local bandwidth of a sample is the distance to this neighbour, unless the caller says so.
LOCAL_RANK = 7
#: A cosine this close to 0 is 0 up to rounding, and no edge.
_COSINE_NOISE = 1e-12
#: Neighbours that are weighed at a time.
_CHUNK = 1 << 18


@dataclass(frozen=True)
class Kernel:
    """A similarity as a function of distance: ``value(distance, width_i, width_j)``."""

    value: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    metric: str | None = None  # the only metric it is defined for
    signed: bool = False


def _gaussian(distance: FloatArray, width_i: FloatArray, width_j: FloatArray) -> FloatArray:
    """exp(-d^2 / (s_i s_j)), as a product of ratios so that no square leaves the range."""
    with np.errstate(over="ignore", under="ignore"):
        exponent = distance / width_i
        exponent *= distance / width_j
        np.negative(exponent, out=exponent)
        return np.exp(exponent, out=exponent)


def _one_minus(distance: FloatArray, width_i: FloatArray, width_j: FloatArray) -> FloatArray:
    """Cosine from cosine distance."""
    cosine = 1.0 - distance
    cosine[np.abs(cosine) <= _COSINE_NOISE] = 0.0
    return np.clip(cosine, -1.0, 1.0, out=cosine)


def _one(distance: FloatArray, width_i: FloatArray, width_j: FloatArray) -> FloatArray:
    """1 for every neighbour."""
    return np.ones_like(distance)


#: Kernels by name.
KERNELS: Mapping[str, Kernel] = {
    "gaussian": Kernel(_gaussian),
    "cosine": Kernel(_one_minus, metric="cosine", signed=True),
    "correlation": Kernel(_one_minus, metric="correlation", signed=True),
    "binary": Kernel(_one),
}
#: What may be done about negative cosines.
NEGATIVE = ("clip", "shift", "error")


@dataclass(frozen=True, eq=False)
class Weigher:
    """A kernel with its bandwidths and its rule for negative values, ready for pairs."""

    kernel: Kernel
    widths: FloatArray  # one per sample, or a single one
    negative: str
    silent: NDArray[np.bool_]  # samples without direction: similarity 0 to all

    def __call__(self, distance: FloatArray, i: NDArray[Any], j: NDArray[Any]) -> FloatArray:
        """Similarity of pairs at a distance; may be negative unless shifted."""
        value = self.value(distance, self._width(i), self._width(j))
        if self.silent.any():
            value[self.silent[i] | self.silent[j]] = 0.0
        return value

    def of(self, found: Neighbors) -> FloatArray:
        """Similarity of neighbours, some rows at a time; what is not above 0 is no weight."""
        n, size = found.indptr.size - 1, found.indices.size
        values = np.empty(size)
        step = max(1, n * _CHUNK // max(size, 1))
        for start in range(0, n, step):
            ends = found.indptr[start : start + step + 1]
            part = slice(int(ends[0]), int(ends[-1]))
            rows = np.repeat(np.arange(start, start + ends.size - 1), np.diff(ends))
            distances = found.distances[part].astype(np.float64, copy=False)
            values[part] = self(distances, rows, found.indices[part])
        if self.negative == "error":
            self._refuse_negative(found, values)
        return values

    def value(self, distance: FloatArray, width_i: FloatArray, width_j: FloatArray) -> FloatArray:
        """Similarity at a distance, given the bandwidths of both ends."""
        value = self.kernel.value(distance, width_i, width_j)
        if self.negative == "shift" and self.kernel.signed:
            value = 0.5 * (1.0 + value)
        return value

    def from_new(self, found: Neighbors, rank: int) -> FloatArray:
        """Similarity of new samples to their neighbours, with bandwidths of their own."""
        if self.widths.size == 1:
            return self.value(found.distances, self.widths, self.widths)
        own = _nearby(found, rank)
        own[own == 0] = 1.0  # a duplicate of all its neighbours: similarity 1 for any bandwidth
        return self.value(found.distances, own[found.rows], self.widths[found.indices])

    def edges(self, found: Neighbors, values: FloatArray) -> Any:
        """Return the similarities of neighbours as CSR, without those that are no weights."""
        n_rows, n = found.indptr.size - 1, self.silent.size
        columns, indptr = found.indices.astype(np.int32), found.indptr
        keep = values > 0
        if not keep.all():
            rows = found.rows
            if self.negative == "error":
                self._refuse_negative(found, values)
            indptr = np.concatenate(([0], np.cumsum(np.bincount(rows[keep], minlength=n_rows))))
            columns, values = columns[keep], values[keep]
        return sp.csr_array((values, columns, indptr), shape=(n_rows, n))

    def _refuse_negative(self, found: Neighbors, values: FloatArray) -> None:
        """Raise if a similarity is below 0."""
        if not (values < 0).any():
            return
        k = int(np.flatnonzero(values < 0)[0])
        raise ValueError(
            f"samples {found.rows[k]} and {found.indices[k]} are neighbours of similarity "
            f"{values[k]}; use negative='clip' or 'shift'"
        )

    def at(self, samples: NDArray[Any]) -> Weigher:
        """Return the same for other samples, each of which is like one of these."""
        widths = self.widths if self.widths.size == 1 else self.widths[samples]
        return replace(self, widths=widths, silent=self.silent[samples])

    def _width(self, i: NDArray[Any]) -> FloatArray:
        return self.widths if self.widths.size == 1 else self.widths[i]

    @property
    def gaussian_widths(self) -> FloatArray | None:
        """The bandwidths, one per sample or a single one; None where the kernel has none."""
        return self.widths if self.kernel is KERNELS["gaussian"] else None

    @property
    def signed(self) -> bool:
        """Whether a similarity below 0 is possible."""
        return self.kernel.signed and self.negative != "shift"


def bandwidths(bandwidth: Any, found: Neighbors, rank: int) -> FloatArray:
    """Bandwidth of every sample, or the one of all.

    Duplicates can make a local one 0; then it is the smallest positive distance of the row, failing
    that the median of all, failing that 1.
    """
    if bandwidth != "local":
        return np.array([float(bandwidth)])
    widths = _nearby(found, rank)
    missing = widths == 0
    if missing.any():
        known = found.distances[found.distances > 0]
        widths[missing] = np.median(known) if known.size else 1.0
    return widths


def _nearby(found: Neighbors, rank: int) -> FloatArray:
    """Distance to the neighbour of a rank, or the last, or the first that is not 0; 0 if none."""
    counts = np.diff(found.indptr)
    some = np.flatnonzero(counts > 0)
    widths = np.zeros(counts.size)
    widths[some] = found.distances[found.indptr[some] + np.minimum(counts[some], rank) - 1]
    some = some[widths[some] == 0]
    if some.size:
        size = counts[some]
        distances = found.distances[np.repeat(found.indptr[some], size) + ramp(size)]
        positive = np.where(distances > 0, distances, np.inf)
        smallest = np.minimum.reduceat(positive, np.cumsum(size) - size)
        widths[some] = np.where(np.isfinite(smallest), smallest, 0.0)
    return widths
