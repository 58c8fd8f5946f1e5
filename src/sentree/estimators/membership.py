"""Which cluster suits a single sample by the objective: membership strength and new samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sentree._util.labels import renumber
from sentree.graph import FloatArray, Graph, largest_column
from sentree.graph.extend import Reach

__all__ = ["Assigned", "Modules", "membership_strength", "second_best"]

_LN2 = math.log(2.0)


class Assigned(NamedTuple):
    """The modules of new samples, and how firmly they hold them."""

    labels: NDArray[np.int32]
    strength: FloatArray


def membership_strength(graph: Graph, labels: ArrayLike) -> FloatArray:
    """Return how firmly the objective holds each vertex in its module, from 0 to 1.

    Each vertex is taken out of its module, and each module that it touches bids for it: the bid is
    2 to the power of the bits, per unit of its degree, that the objective would fall by if the
    vertex joined. The strength is the share of its own module in all bids. It is 1 where the vertex
    touches no other module, below 1/2 where another would suit it better, and 0 for a vertex
    without neighbours.

    Parameters
    ----------
    graph : Graph
        The data graph. Constraints play no part.
    labels : array-like of shape (n,)
        Module of every vertex.

    Returns
    -------
    float64 array of shape (n,)

    Examples
    --------
    >>> from sentree import Graph
    >>> two_pairs = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> membership_strength(two_pairs, [0, 0, 1, 1]).round(2).tolist()
    [1.0, 0.74, 0.74, 1.0]
    """
    labels = renumber(labels)
    places, share = _all_bids(graph, labels)
    strength: FloatArray = share[places.modules == labels[places.rows]]
    strength[graph.isolated] = 0.0
    return strength


def second_best(graph: Graph, labels: ArrayLike) -> Assigned:
    """Return for each vertex the other module that bids most for it, and the share of its bid.

    Parameters
    ----------
    graph : Graph
        The data graph.
    labels : array-like of shape (n,)
        Module of every vertex, numbered from 0.

    Returns
    -------
    labels : int32 array of shape (n,)
        The other module; -1 where the vertex touches none. On a tie the smaller number wins.
    strength : float64 array of shape (n,)
        Its share in all bids, as in :func:`membership_strength`; 0 where there is none.

    Examples
    --------
    >>> from sentree import Graph
    >>> two_pairs = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> second_best(two_pairs, [0, 0, 1, 1]).labels.tolist()
    [-1, 1, 0, -1]
    """
    home = np.asarray(labels)
    places, share = _all_bids(graph, home)
    away = np.flatnonzero(places.modules != home[places.rows])
    order = away[np.lexsort((places.modules[away], -share[away], places.rows[away]))]
    row, first = np.unique(places.rows[order], return_index=True)
    found, strength = np.full(graph.n, -1, dtype=np.int32), np.zeros(graph.n)
    found[row], strength[row] = places.modules[order[first]], share[order[first]]
    return Assigned(found, strength)


def _all_bids(graph: Graph, labels: NDArray[Any]) -> tuple[_Places, FloatArray]:
    """Return the modules that bid for each vertex, its own included, and the shares of the bids."""
    modules = Modules.of(graph, labels)
    places = _touching(graph.to_scipy(), modules, labels)
    at_home = places.modules == labels[places.rows]
    loop = graph.degree - graph.strength
    taken = loop[places.rows] + 2 * places.weight
    bids = places.bits(
        modules.association[places.modules] - np.where(at_home, taken, 0.0),
        modules.volume[places.modules] - np.where(at_home, graph.degree[places.rows], 0.0),
        loop,
        graph.degree,
        np.full(graph.n, graph.volume),
    )
    return places, places.shares(bids)


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

    def assign(self, reach: Reach) -> Assigned:
        """Place each new sample in the module it touches that gives the lowest objective.

        Each is judged alone, as if only it and its edges were added to the graph; ties go to the
        smaller module number. A sample that touches no module goes to that of the nearest training
        sample, or to the largest module if none is nearest, with strength 0. A copy of a training
        sample goes to the module of that sample; its strength is the share of this module.
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
        strength = np.zeros(m)
        wanted = -bids
        if reach.equal is not None:
            known = reach.equal[places.rows] & (places.modules == labels[places.rows])
            wanted[known] = -np.inf
        order = np.lexsort((places.modules, wanted, places.rows))
        row, first = np.unique(places.rows, return_index=True)
        best = order[first]
        labels[row] = places.modules[best]
        strength[row] = places.shares(bids)[best]
        return Assigned(labels, strength)


class _Places(NamedTuple):
    """Pairs of a vertex and a module that it touches or belongs to, ordered by vertex."""

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

    def shares(self, bids: FloatArray) -> FloatArray:
        """Return the share of each pair in 2^bid over the pairs of its vertex."""
        _, first, counts = np.unique(self.rows, return_index=True, return_counts=True)
        if first.size == 0:
            return bids
        raised = np.exp2(bids - np.repeat(np.maximum.reduceat(bids, first), counts))
        return np.asarray(raised / np.repeat(np.add.reduceat(raised, first), counts))


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


def _touching(weights: Any, modules: Modules, home: NDArray[np.int32] | None = None) -> _Places:
    """Sum the weights of each row to every module; its home is included even if that is 0."""
    edges = weights.tocoo()
    rows, columns, values = edges.row, modules.labels[edges.col], edges.data
    if home is not None:
        rows = np.concatenate((rows, np.arange(home.size, dtype=rows.dtype)))
        columns = np.concatenate((columns, home))
        values = np.concatenate((values, np.zeros(home.size)))
    shape = (weights.shape[0], modules.volume.size)
    summed = sp.coo_array((values, (rows, columns)), shape=shape).tocsr()
    summed.sort_indices()
    pairs = summed.tocoo()
    return _Places(pairs.row, pairs.col, pairs.data)
