"""The intrinsic dimension and the density of samples, from the lengths of edges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import ramp
from sentree.graph import FloatArray, Graph
from sentree.search.kernels import density_clusters

__all__ = ["Density", "MeasuredSpacing", "Peaks", "Spacing", "intrinsic_dimension"]

#: Neighbours from which the dimension is estimated.
_NEAREST = 12
#: In large graphs, neighbours that all vertices but this share have; further ones, which chose the
#: vertex and not it them, are far away.
_FEW_EDGES = 0.05
#: Below this dimension clusters are peaks of density.
_PLANE = 3.0
#: With twice as many vertices, every second tells the dimension; with three times, every third.
_MANY_VERTICES = 50_000
#: Neighbours from which the density is estimated, usually.
_DENSITY = 8
#: Samples of the smallest peak.
_FEW = 15
#: The mass of a peak counts from this share of all samples on.
_MANY = 0.03
#: The most that the log density of a large peak rises by chance, in uniform boxes and Gaussian
#: clouds.
_RISE = 0.15
#: What is added to it for a peak of m of n samples, times sqrt(log(n / m) / m).
_RISE_OF_FEW = 1.0
#: The power of 2 / dimension by which it is larger on lines, where the graph is a chain.
_ON_LINES = 1.5


class Peaks(NamedTuple):
    """Peaks of density."""

    labels: NDArray[np.int32]  # the peak of every vertex; -1 for none
    clearest: float  # the largest rise of the lower of two peaks, relative to a rise by chance


class Density(NamedTuple):
    """The edges of a graph, by falling density."""

    i: NDArray[np.int32]
    j: NDArray[np.int32]
    height: FloatArray  # minus the log of density
    n: int  # number of vertices
    noise: float  # factor for the rise by chance: 1 for the usual smoothness in a plane

    def peaks(self, sure: float) -> Peaks:
        """Return the peaks of density that rise at least ``sure`` times as much as by chance."""
        many = max(round(self.n * _MANY), 5)
        few = min(_FEW, many)
        size = few * 2.0 ** np.arange(max(int(np.log2(self.n / few)), 1))
        rise = _RISE + _RISE_OF_FEW * np.sqrt(np.log(np.maximum(self.n / size, 1.0)) / size)
        least = {"few": few, "many": many, "rise": rise * self.noise, "sure": sure}
        return Peaks(*density_clusters(self.i, self.j, self.height, self.n, **least))


@dataclass(frozen=True, eq=False)
class _Edges:
    """The edges of some vertices, in both directions, with their lengths."""

    indptr: NDArray[np.int64]
    rows: NDArray[np.int32]
    indices: NDArray[np.int32]
    lengths: FloatArray

    @cached_property
    def by_length(self) -> FloatArray:
        """The lengths, sorted within each row."""
        share = self.lengths / max(self.lengths.max(initial=0.0), np.finfo(float).tiny)
        return self.lengths[np.argsort(self.rows + 0.5 * share)]  # one key is faster than two

    def reach(self, rank: int) -> FloatArray:
        """Return the length to the neighbour of a rank, or to the last; 0 without neighbours."""
        count = np.diff(self.indptr)
        reach = np.zeros(count.size)
        some = count > 0
        reach[some] = self.by_length[self.indptr[:-1][some] + np.minimum(count[some], rank) - 1]
        return reach


@dataclass(frozen=True, eq=False)
class Spacing:
    """The lengths of the edges of a graph, from Gaussian weights.

    Lengths are computed when they are needed. Where samples lie in a plane, those of all edges are;
    else a part of the vertices tells the dimension of a large graph.

    Parameters
    ----------
    graph : Graph
        The graph of the samples, with weights exp(-d² / (s_i s_j)).
    widths : float array
        The bandwidth s of every sample, or one for all.
    vertex : int array
        The vertex 0..n-1 of each sample; the distance of two vertices is that of their nearest
        samples.
    n : int
        Number of vertices.
    """

    graph: Graph
    widths: FloatArray
    vertex: NDArray[np.int64]
    n: int

    @cached_property
    def edges(self) -> _Edges:
        """The edges of all vertices."""
        row = np.repeat(np.arange(self.graph.n), np.diff(self.graph.indptr))
        length = self._lengths(row, slice(None))
        i, j = self.vertex[row], self.vertex[self.graph.indices]
        if not self._is_whole:  # some samples are one vertex
            out = i != j
            i, j, length = i[out], j[out], length[out]
            order = np.lexsort((length, j, i))
            i, j, length = i[order], j[order], length[order]
            nearest = np.ones(i.size, dtype=bool)
            nearest[1:] = (i[1:] != i[:-1]) | (j[1:] != j[:-1])
            i, j, length = i[nearest], j[nearest], length[nearest]
        indptr = np.concatenate(([0], np.cumsum(np.bincount(i, minlength=self.n))))
        return _Edges(indptr, i.astype(np.int32), j.astype(np.int32), length)

    @cached_property
    def _some_edges(self) -> _Edges:
        """The edges of some vertices, evenly spread; of all if there are not many."""
        step = self.n // _MANY_VERTICES
        if step < 2 or not self._is_whole:
            return self.edges
        chosen = np.arange(0, self.n, step)
        count = np.diff(self.graph.indptr)[chosen]
        at = np.repeat(self.graph.indptr[chosen], count) + ramp(count)
        lengths = self._lengths(np.repeat(chosen, count), at)
        indptr = np.concatenate(([0], np.cumsum(count)))
        rows = np.repeat(np.arange(chosen.size, dtype=np.int32), count)
        return _Edges(indptr, rows, self.graph.indices[at], lengths)

    @cached_property
    def _is_whole(self) -> bool:
        """Whether every sample is a vertex of its own."""
        return np.array_equal(self.vertex, np.arange(self.n))

    def _lengths(self, row: NDArray[np.int64], at: Any) -> FloatArray:
        """Return the lengths of stored entries of the graph, in these rows."""
        width = np.broadcast_to(self.widths, self.graph.n)
        with np.errstate(under="ignore"):
            square = -np.log(np.minimum(self.graph.weights[at], 1.0))
            square *= width[row]
            square *= width[self.graph.indices[at]]
        lengths: FloatArray = np.sqrt(square)
        return lengths

    @cached_property
    def n_neighbors(self) -> float:
        """Mean number of neighbours."""
        size = self.graph.indices.size if self._is_whole else self.edges.rows.size
        return size / max(self.n, 1)

    @cached_property
    def dimension(self) -> float | None:
        """The intrinsic dimension, from how lengths grow with rank; None if they do not grow.

        It is the median over the maximum-likelihood estimates of all vertices (Levina and Bickel).
        The nearest neighbours are left out: they may be near-duplicates.
        """
        return _dimension(self._some_edges, self.n_neighbors, self.n)

    def counts(self, modules: NDArray[np.int32], k: int) -> FloatArray:
        """Return the number of samples in each of the modules 0..k-1 of the vertices."""
        return np.bincount(modules, minlength=k).astype(np.float64)

    @property
    def in_plane(self) -> bool:
        """Whether samples lie on lines or nearly in a plane, so that clusters are density peaks."""
        return self.dimension is not None and self.dimension < _PLANE

    def density(self, smoothness: float = 1.0) -> Density:
        """Return the density along edges, from ``smoothness`` times the usual neighbours.

        The density at an edge is that of its end of lower density, or that given by its length, if
        lower.
        """
        assert self.dimension is not None
        reach = self.edges.reach(round(_DENSITY * smoothness))
        once = self.edges.rows < self.edges.indices
        i, j = self.edges.rows[once], self.edges.indices[once]
        length = np.maximum(np.maximum(reach[i], reach[j]), self.edges.lengths[once])
        height = self.dimension * np.log(np.maximum(length, np.finfo(float).tiny))
        if height.size:
            height -= np.median(height)
        order = np.argsort(height, kind="stable")
        noise = max(2 / self.dimension, 1.0) ** _ON_LINES / np.sqrt(smoothness)
        return Density(i[order], j[order], height[order], self.n, noise)


def intrinsic_dimension(
    counts: NDArray[Any], lengths: FloatArray, n_neighbors: float, n: int
) -> float | None:
    """Return the intrinsic dimension from some vertices, as :class:`Spacing` does.

    Parameters
    ----------
    counts : int array
        Number of edges of each of these vertices.
    lengths : float array
        The lengths of their edges, vertex by vertex.
    n_neighbors : float
        Mean number of neighbours of all vertices.
    n : int
        Number of all vertices.
    """
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    rows = np.repeat(np.arange(counts.size, dtype=np.int32), counts)
    return _dimension(_Edges(indptr, rows, rows, lengths), n_neighbors, n)


def _dimension(edges: _Edges, n_neighbors: float, n: int) -> float | None:
    """Return the median over the estimates of all vertices."""
    last = min(_NEAREST, int(n_neighbors))
    if n > _MANY_VERTICES:  # large graphs have fewer neighbours
        last = min(last, int(np.quantile(np.diff(edges.indptr), _FEW_EDGES)))
    first = max(last // 3, 1)
    by_length, reach = edges.by_length, edges.reach(last)
    rank = np.arange(edges.rows.size) - edges.indptr[edges.rows] + 1
    near = (rank >= first) & (rank < last) & (by_length > 0)
    growth = np.log(reach[edges.rows[near]] / by_length[near])
    total = np.bincount(edges.rows[near], growth, reach.size)
    whole = (np.bincount(edges.rows[near], minlength=reach.size) == last - first) & (total > 0)
    if last - first < 1 or not whole.any():
        return None
    expected = sum(np.sum(1 / np.arange(k, last)) for k in range(first, last))
    return float(np.median(expected / total[whole]))


class MeasuredSpacing(NamedTuple):
    """What was measured on the edges of samples, for a graph whose vertices are parts of these."""

    dimension: float | None
    n_neighbors: float
    size: FloatArray  # number of samples of each vertex

    @property
    def in_plane(self) -> bool:
        """Whether samples lie on lines or nearly in a plane."""
        return self.dimension is not None and self.dimension < _PLANE

    def counts(self, modules: NDArray[np.int32], k: int) -> FloatArray:
        """Return the number of samples in each of the modules 0..k-1 of the vertices."""
        return np.bincount(modules, self.size[: modules.size], k).astype(np.float64)
