"""Which cluster suits a new sample by the objective."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import FloatArray, Graph, largest_column
from sentree.graph.extend import Reach

__all__ = ["Modules"]

_LN2 = math.log(2.0)


@dataclass(frozen=True, eq=False)
class Modules:
    """A partition, with the association and the volume of every module."""

    labels: NDArray[np.int32]
    association: FloatArray
    volume: FloatArray

    @classmethod
    def of(cls, graph: Graph, labels: NDArray[np.int32]) -> Modules:
        """Compute them for a partition into modules 0..k-1."""
        if labels.shape != (graph.n,):
            raise ValueError(f"{labels.size} labels for a graph of {graph.n} vertices")
        k = int(labels.max()) + 1
        i, j, weight = graph.edges()
        inside = labels[i] == labels[j]
        association: Any = np.bincount(labels, graph.degree - graph.strength, k)
        association += 2 * np.bincount(labels[i[inside]], weight[inside], k)
        volume: Any = np.bincount(labels, graph.degree, k)
        return cls(labels, association, volume)

    def assign(self, reach: Reach) -> NDArray[np.int32]:
        """Place each new sample in the module it touches that gives the lowest objective.

        Each is judged alone, as if only it and its edges were added to the graph; ties go to the
        smaller module number. A sample that touches no module goes to that of the nearest training
        sample, or to the largest module if none is nearest. A copy of a training sample goes to
        the module of that sample.
        """
        places = _reached(reach, self)
        m = reach.own.size
        reached = np.bincount(places.rows, places.weight, m)
        bids = places.bits(
            self.association[places.modules],
            self.volume[places.modules] + places.weight,  # an edge counts at both ends
            reach.own,
            reached + reach.own,
            self.volume.sum() + 2 * reached + reach.own,
        )
        largest = np.bincount(self.labels).argmax()
        home = self.labels if reach.copies is None else _of_rows(reach.copies, self)
        labels = np.where(reach.nearest < 0, largest, home[reach.nearest]).astype(np.int32)
        wanted = -bids
        if reach.equal is not None:
            known = reach.equal[places.rows] & (places.modules == labels[places.rows])
            wanted[known] = -np.inf
        order = np.lexsort((places.modules, wanted, places.rows))
        row, first = np.unique(places.rows, return_index=True)
        labels[row] = places.modules[order[first]]
        return labels


class _Places(NamedTuple):
    """Pairs of a new vertex and a module that it touches, ordered by vertex."""

    rows: NDArray[Any]
    modules: NDArray[Any]
    weight: FloatArray  # between the two

    def bits(
        self,
        association: FloatArray,
        volume: FloatArray,
        own: FloatArray,
        degree: FloatArray,
        total: FloatArray,
    ) -> FloatArray:
        """Return by how much the objective falls if the vertex joins, times total over degree.

        With f(A, V) = A log2(V / total) as in ``native/entropy.hpp``, joining changes the term of a
        module from f(A, V) to f(A + own + 2 weight, V + degree). Association and volume are those
        of the module without the vertex, with one entry per pair; the other arrays have one entry
        per vertex. The difference is written so that a tiny degree loses no digits.
        """
        out = np.zeros(self.rows.size)
        there = degree[self.rows] > 0
        own, degree, total = (x[self.rows[there]] for x in (own, degree, total))
        association, volume = association[there], np.maximum(volume[there], 0.0)
        brought = (own + 2 * self.weight[there]) / degree * np.log2((volume + degree) / total)
        heavy = volume > 0
        growth = degree[heavy] / volume[heavy]
        brought[heavy] += association[heavy] / volume[heavy] * np.log1p(growth) / growth / _LN2
        out[there] = -brought
        return out


def _reached(reach: Reach, modules: Modules) -> _Places:
    """Sum the weights of new samples to every module; a repeated row counts each time."""
    if reach.copies is None:
        return _touching(reach.weights, modules)
    summed = (reach.weights @ _shares(reach.copies, modules)).tocsr()
    summed.sort_indices()
    pairs = summed.tocoo()
    return _Places(pairs.row, pairs.col, pairs.data)


def _of_rows(copies: NDArray[np.int64], modules: Modules) -> NDArray[Any]:
    """Return the module with most copies of each distinct row."""
    return largest_column(_shares(copies, modules))


def _shares(copies: NDArray[np.int64], modules: Modules) -> Any:
    """Count the copies of each distinct row in every module."""
    shape = (int(copies.max()) + 1, modules.volume.size)
    return sp.coo_array((np.ones(copies.size), (copies, modules.labels)), shape=shape).tocsr()


def _touching(weights: Any, modules: Modules) -> _Places:
    """Sum the weights of each row to every module."""
    edges = weights.tocoo()
    shape = (weights.shape[0], modules.volume.size)
    summed = sp.coo_array((edges.data, (edges.row, modules.labels[edges.col])), shape=shape).tocsr()
    summed.sort_indices()
    pairs = summed.tocoo()
    return _Places(pairs.row, pairs.col, pairs.data)
