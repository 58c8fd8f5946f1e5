"""What a search for neighbours is asked, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph.spaces import FloatArray, IndexArray, Space

__all__ = [
    "TIE",
    "KeyArray",
    "Neighbors",
    "Queries",
    "Search",
    "nearest",
    "neighbors_from_distances",
]

KeyArray = NDArray[np.uint64]

#: Distances that differ by less than this share are a tie, since rounding decides their order.
TIE = 1e-12
#: An odd multiplier that mixes bits (2^64 divided by the golden ratio).
_MIX = np.uint64(0x9E3779B97F4A7C15)


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


def nearest(
    rows: IndexArray, columns: IndexArray, values: FloatArray, n_rows: int, p: int, tie: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray]:
    """Keep the p smallest values of each row and the ties of the p-th, sorted within rows."""
    order = np.lexsort((columns, values, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    counts = np.bincount(rows, minlength=n_rows)
    first = np.cumsum(counts) - counts
    last = np.where(counts > 0, first + np.minimum(counts, p) - 1, 0)
    limit = values[last] if values.size else np.zeros(n_rows)
    keep = values <= (limit * (1 + TIE) + tie)[rows]
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows[keep], minlength=n_rows))))
    return indptr.astype(np.int64), columns[keep].astype(np.int64), values[keep]


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
    return Neighbors(*nearest(rows, columns, values, coo.shape[0], limit, 0.0))
