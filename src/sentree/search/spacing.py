"""How samples lie in space, as far as the lengths of edges tell: dimension and density."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.graph import FloatArray, Graph
from sentree.search.kernels import density_clusters

__all__ = ["Density", "Peaks", "Spacing"]

#: Neighbours by which dimension is told.
_NEAREST = 12
#: Dimension below which density tells clusters.
_PLANE = 3.0
#: Neighbours by which density is told, usually.
_DENSITY = 8
#: Samples of the smallest peak, and the share of all from which on its mass counts.
_FEW, _MANY = 15, 0.03
#: How much the log of density rises by chance at the very most, in uniform boxes and Gaussian
#: clouds of n samples: a part for large peaks, and what sqrt(log(n / m) / m) of m samples adds; on
#: lines, where the graph is a chain, more.
_RISE, _RISE_OF_FEW, _ON_LINES = 0.15, 1.0, 1.5


class Peaks(NamedTuple):
    """Peaks of density."""

    labels: NDArray[np.int32]  # of every vertex the peak that it belongs to; -1 for those of none
    clearest: float  # how much the lower of two peaks rises at most, against what chance does


class Density(NamedTuple):
    """The edges of a graph, from where samples are dense to where they are rare."""

    i: NDArray[np.int32]
    j: NDArray[np.int32]
    height: FloatArray  # minus the log of density
    n: int  # number of vertices
    noise: float  # how much that rises by chance, against the usual number of neighbours in a plane

    def peaks(self, sure: float) -> Peaks:
        """Return the peaks of density that rise ``sure`` times as much as chance lets them."""
        many = max(round(self.n * _MANY), 5)
        few = min(_FEW, many)
        size = few * 2.0 ** np.arange(max(int(np.log2(self.n / few)), 1))
        rise = _RISE + _RISE_OF_FEW * np.sqrt(np.log(np.maximum(self.n / size, 1.0)) / size)
        least = {"few": few, "many": many, "rise": rise * self.noise, "sure": sure}
        return Peaks(*density_clusters(self.i, self.j, self.height, self.n, **least))


@dataclass(frozen=True, eq=False)
class Spacing:
    """The lengths of the edges of a graph; arrays as in CSR, both directions.

    Make one with :meth:`of`.
    """

    indptr: NDArray[np.int64]
    rows: NDArray[np.int32]
    indices: NDArray[np.int32]
    lengths: FloatArray

    @classmethod
    def of(cls, graph: Graph, widths: FloatArray, vertex: NDArray[np.int64], n: int) -> Spacing:
        """Take lengths from Gaussian weights.

        Parameters
        ----------
        graph : Graph
            Samples, joined with weights exp(-d² / (s_i s_j)).
        widths : float array
            The bandwidth s of every sample, or one of all.
        vertex : int array
            What each sample is part of, 0..n-1; vertices are as near as their nearest samples.
        n : int
            Number of vertices.
        """
        width = np.broadcast_to(widths, graph.n)
        row = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
        i, j = vertex[row], vertex[graph.indices]
        with np.errstate(under="ignore"):
            square = -np.log(np.minimum(graph.weights, 1.0)) * width[row] * width[graph.indices]
        length = np.sqrt(square)
        if not np.array_equal(vertex, np.arange(n)):  # some samples are one vertex
            out = i != j
            i, j, length = i[out], j[out], length[out]
            order = np.lexsort((length, j, i))
            i, j, length = i[order], j[order], length[order]
            nearest = np.ones(i.size, dtype=bool)
            nearest[1:] = (i[1:] != i[:-1]) | (j[1:] != j[:-1])
            i, j, length = i[nearest], j[nearest], length[nearest]
        indptr = np.concatenate(([0], np.cumsum(np.bincount(i, minlength=n))))
        return cls(indptr, i.astype(np.int32), j.astype(np.int32), length)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return self.indptr.size - 1

    @property
    def n_neighbors(self) -> float:
        """Mean number of neighbours."""
        return self.rows.size / max(self.n, 1)

    @cached_property
    def _by_length(self) -> FloatArray:
        """The lengths, rising within each row."""
        share = self.lengths / max(self.lengths.max(initial=0.0), np.finfo(float).tiny)
        return self.lengths[np.argsort(self.rows + 0.5 * share)]  # one key is faster than two

    def reach(self, rank: int) -> FloatArray:
        """Return the length to the neighbour of a rank, or the last; 0 where there is none."""
        count = np.diff(self.indptr)
        reach = np.zeros(self.n)
        some = count > 0
        reach[some] = self._by_length[self.indptr[:-1][some] + np.minimum(count[some], rank) - 1]
        return reach

    @cached_property
    def dimension(self) -> float | None:
        """The intrinsic dimension, by how lengths grow with rank; None where they do not.

        The likeliest one of every vertex (Levina and Bickel), of which the median counts. The very
        nearest are left out: they may be repeats, or nearly so.
        """
        last = min(_NEAREST, int(self.n_neighbors))
        first = max(last // 3, 1)
        reach = self.reach(last)
        rank = np.arange(self.rows.size) - self.indptr[self.rows] + 1
        near = (rank >= first) & (rank < last) & (self._by_length > 0)
        growth = np.log(reach[self.rows[near]] / self._by_length[near])
        total = np.bincount(self.rows[near], growth, self.n)
        whole = (np.bincount(self.rows[near], minlength=self.n) == last - first) & (total > 0)
        if last - first < 1 or not whole.any():
            return None
        expected = sum(np.sum(1 / np.arange(k, last)) for k in range(first, last))
        return float(np.median(expected / total[whole]))

    @property
    def in_plane(self) -> bool:
        """Whether samples lie on lines or nearly in a plane: there density tells clusters."""
        return self.dimension is not None and self.dimension < _PLANE

    def density(self, smoothness: float = 1.0) -> Density:
        """Return the density along edges, told by so many times as many neighbours as usual.

        The density at an edge is that of its thinner end, or what its length tells, if less.
        """
        assert self.dimension is not None
        reach = self.reach(round(_DENSITY * smoothness))
        once = self.rows < self.indices
        i, j = self.rows[once], self.indices[once]
        length = np.maximum(np.maximum(reach[i], reach[j]), self.lengths[once])
        height = self.dimension * np.log(np.maximum(length, np.finfo(float).tiny))
        if height.size:
            height -= np.median(height)
        order = np.argsort(height, kind="stable")
        noise = max(2 / self.dimension, 1.0) ** _ON_LINES / np.sqrt(smoothness)
        return Density(i[order], j[order], height[order], self.n, noise)
