"""Rows that repeat: found by their keys, and given the edges of the row that they repeat."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import FloatArray, Graph
from sentree.graph.spaces import is_sparse

__all__ = ["Copies", "find_copies", "row_keys"]

#: Seed of the random factors of row keys, the same for all data.
_SEED = 20261116
#: Values whose keys are computed at a time (fits a cache).
_CHUNK = 1 << 17
#: Shift that copies the leading bits of a float to its end; small whole numbers have no others.
_LEADING = np.uint64(44)

KeyArray = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Copies:
    """Which samples have equal rows."""

    row: NDArray[np.int64]  # number of the distinct row of each sample, by first appearance
    first: NDArray[np.int64]  # the first sample that has each distinct row
    count: NDArray[np.int64]  # how many have it

    @classmethod
    def of(cls, row: NDArray[np.int64]) -> Copies:
        """Take the number of the distinct row of every sample."""
        _, first, count = np.unique(row, return_index=True, return_counts=True)
        return cls(row, first, count)

    def spread(self, graph: Graph, silent: NDArray[np.bool_], own: FloatArray | None) -> Graph:
        """Return the graph of the samples, from that of the distinct rows.

        Rows with c and c' copies and an edge of weight w have c c' w between them, as if each copy
        were joined to each, and max(c, c') edges: copy after copy, from the beginning again where
        one row has run out of them. Copies of one row are joined in a ring, each with weight 1 in
        all, which is little beside what a row has that occurs often: all equal pairs would make
        every row a cluster of its own. ``silent`` rows have no similarity, even to themselves;
        ``own`` is the weight of its own of each distinct row.
        """
        i, j, weight = graph.edges()
        ends = [self._between(i, j, weight), self._rings(silent)]
        a, b, w = (np.concatenate(part) for part in zip(*ends, strict=True))
        n = self.row.size
        half = sp.coo_array((w, (a, b)), shape=(n, n)).tocsr()
        both = (half + half.T).tocsr()
        both.sort_indices()
        degree: Any = None if own is None else np.asarray(both.sum(axis=1)).ravel() + own[self.row]
        return Graph(both.indptr, both.indices, both.data, degree)

    def _between(self, i: Any, j: Any, weight: FloatArray) -> tuple[Any, Any, FloatArray]:
        """Return edges between the copies of rows that are joined."""
        c, d = self.count[i], self.count[j]
        times = np.maximum(c, d)
        edge = np.repeat(np.arange(i.size), times)
        step = np.arange(edge.size) - np.repeat(np.cumsum(times) - times, times)
        # Where both begin differs from edge to edge: degrees even out, and the first copies of all
        # rows, the second ones and so on do not become graphs of their own.
        from_i, from_j = _mixed(i, j), _mixed(j, i)
        first = self._copy(i[edge], step + from_i[edge])
        second = self._copy(j[edge], step + from_j[edge])
        return first, second, (weight * np.minimum(c, d))[edge]

    def _rings(self, silent: NDArray[np.bool_]) -> tuple[Any, Any, FloatArray]:
        """Return edges that hold the copies of each row together."""
        links = np.where(self.count > 2, self.count, self.count - 1)
        links[silent] = 0
        row = np.repeat(np.arange(self.count.size), links)
        step = np.arange(row.size) - np.repeat(np.cumsum(links) - links, links)
        weight = np.where(self.count[row] == 2, 1.0, 0.5)
        return self._copy(row, step), self._copy(row, step + 1), weight

    def _copy(self, row: Any, place: Any) -> NDArray[np.int64]:
        """Return the sample that is the copy of a row at a place, counted cyclically."""
        start = np.cumsum(self.count) - self.count
        found: NDArray[np.int64] = self._sorted[start[row] + place % self.count[row]]
        return found

    @cached_property
    def _sorted(self) -> NDArray[np.int64]:
        """The samples, row by row."""
        return np.argsort(self.row, kind="stable")


def _mixed(i: Any, j: Any) -> NDArray[np.int64]:
    """Return a pseudo-random number for each ordered pair."""
    return np.asarray((i.astype(np.int64) * 7919 + j.astype(np.int64) * 104729) * 48271 >> 7)


def row_keys(samples: Any, seed: int = _SEED) -> KeyArray:
    """Return a number for each row that is the same for equal rows, dense or sparse.

    A sum, over the features, of a fixed random factor times the bits of the value. Different rows
    almost surely have different keys.
    """
    n, width = samples.shape
    times = np.random.default_rng(seed).integers(0, 1 << 64, width, dtype=np.uint64) | np.uint64(1)
    if is_sparse(samples):
        parts = _bits(samples.data) * times[samples.indices]
        keys = np.zeros(n, dtype=np.uint64)
        some = np.flatnonzero(np.diff(samples.indptr))
        if some.size:
            keys[some] = np.add.reduceat(parts, samples.indptr[some])
        return keys
    keys = np.empty(n, dtype=np.uint64)
    step = max(1, _CHUNK // width)
    for start in range(0, n, step):
        part = np.asarray(samples[start : start + step], dtype=np.float64)
        keys[start : start + step] = _bits(part) @ times
    return keys


def _bits(values: FloatArray) -> KeyArray:
    """Return the bits of numbers, mixed; 0 for both zeros."""
    bits = (values + 0.0).view(np.uint64)
    bits ^= bits >> _LEADING
    return bits


def find_copies(samples: Any, keys: KeyArray) -> Copies | None:
    """Return which samples have equal rows; None where none have.

    Parameters
    ----------
    samples : float array or canonical CSR array
        The samples.
    keys : uint64 array
        Their :func:`row_keys`.
    """
    ordered = np.sort(keys)
    if (ordered[1:] != ordered[:-1]).all():
        return None
    del ordered
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)  # of keys, by where they appear first
    number = np.empty(first.size, dtype=np.int64)
    number[order] = np.arange(first.size)
    row = number[inverse]
    if not _same_rows(samples, first[order][row]):  # two rows share a key: draw other factors
        return find_copies(samples, row_keys(samples, int(keys[0] >> _LEADING)))
    return Copies.of(row)


def _same_rows(samples: Any, first: NDArray[np.int64]) -> bool:
    """Tell whether each sample has the row of another."""
    again = np.flatnonzero(first != np.arange(first.size))
    step = max(1, _CHUNK // samples.shape[1])
    for start in range(0, again.size, step):
        part = again[start : start + step]
        one, other = samples[part], samples[first[part]]
        if (one != other).nnz if is_sparse(samples) else not np.array_equal(one, other):
            return False
    return True
