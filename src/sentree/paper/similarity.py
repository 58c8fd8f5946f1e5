"""Similarities between any two samples, by which the paper weighs constraints."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np

from sentree.graph import FloatArray, Graph, IntArray
from sentree.graph.exact_search import row_blocks
from sentree.graph.extend import SampleExtension
from sentree.graph.spaces import EuclideanSpace, Space

__all__ = ["GraphSimilarity", "KernelSimilarity", "PairSimilarity"]


class PairSimilarity(Protocol):
    """Similarities between samples, asked for pair by pair."""

    def pairs(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the similarity of ``i[k]`` and ``j[k]`` for every k; 0 where they are equal."""
        ...

    def extremes(self) -> tuple[float, float]:
        """Return the smallest and largest entry of the dense matrix with a zero diagonal."""
        ...


class KernelSimilarity:
    """Similarities of samples under the kernel of their graph, computed when asked for.

    Parameters
    ----------
    graph : Graph
        The graph of the samples, all ties of neighbours included.
    extension : SampleExtension
        How samples are compared in it.
    """

    def __init__(self, graph: Graph, extension: SampleExtension) -> None:
        self._extension = extension
        self._weigher = extension.join.weigher
        self._high = float(graph.weights.max(initial=0.0))

    @cached_property
    def _space(self) -> Space:
        return self._extension.layout.space(self._extension.samples)

    def pairs(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the similarity of each pair; negative ones stay as they are."""
        value = self._weigher(self._space.distances(i, j), i, j)
        value[i == j] = 0.0
        return value

    def extremes(self) -> tuple[float, float]:
        """Return the smallest and largest similarity.

        The largest is an edge of the graph: where two samples are nearest to each other no other
        pair is more similar. The smallest is 0 unless cosines can be negative; then all pairs are
        looked at, in blocks.
        """
        return self._low, self._high

    @cached_property
    def _low(self) -> float:
        space = self._space
        if not self._weigher.signed or not isinstance(space, EuclideanSpace):
            return 0.0
        points: Any = space.points
        if points.min() >= 0:
            return 0.0
        lowest = 0.0
        for start, stop in row_blocks(space.n, space.n):
            lowest = min(lowest, float((points[start:stop] @ points[start:].T).min()))
        return max(lowest, -1.0)


class GraphSimilarity:
    """Similarities read from a graph: the weight of an edge, 0 elsewhere."""

    def __init__(self, graph: Graph) -> None:
        self._matrix: Any = graph.to_scipy()
        self._high = float(graph.weights.max(initial=0.0))

    def pairs(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the weight between the samples of each pair; 0 where they are not adjacent."""
        if i.size == 0:
            return np.empty(0)
        return np.asarray(self._matrix[i, j], dtype=np.float64).ravel()

    def extremes(self) -> tuple[float, float]:
        """Return 0 and the largest weight."""
        return 0.0, self._high
