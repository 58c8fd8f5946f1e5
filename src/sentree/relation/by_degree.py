"""Constraint weights by degree and by information: the relation graph of the multilevel search.

The must-links of a point have a total weight of its degree, split over its partners, so that they
count as much as all its edges, whatever the scale of the graph. Its cannot-links have a share of
that, by their information: with two classes as much as must-links, with twenty almost nothing
(:func:`cannot_share`).

Classes, groups and large components are not expanded to pairs. Each gets an *anchor*, a vertex of
its own that all members are must-linked to and that cannot-links of the whole set end at. An anchor
has no edges in the data graph and the volume of an average vertex. So memory is
linear in the number of labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.labels import ramp, renumber
from sentree.constraints import Closure, Constraints
from sentree.graph import FloatArray, Graph, largest_column
from sentree.relation.relation import Relation

__all__ = ["SearchGraphs", "anchor", "cannot_share", "triplet_weights", "with_triplets"]

#: Components up to this size are cliques of pairs; larger ones, and all classes, get an anchor.
_LARGEST_CLIQUE = 32
#: In sets of at most this many components that exclude one another, all pairs are listed.
_LARGEST_APART = 1000
#: In larger ones, each component is kept apart from this many others.
_APART_PARTNERS = 16

IntArray = NDArray[np.int64]


class SearchGraphs(NamedTuple):
    """The graphs of a constrained search: the samples first, then the anchors."""

    graph: Graph
    relation: Relation | None
    n: int  # of samples
    together: NDArray[np.int32] | None = None  # must-linked vertices share a number

    @classmethod
    def plain(cls, graph: Graph) -> SearchGraphs:
        """Return the graphs of a search without constraints."""
        return cls(graph, None, graph.n)

    def part(self, vertices: NDArray[Any]) -> tuple[Graph, Relation | None]:
        """Return the graphs of some vertices alone."""
        inner = Graph.from_scipy(self.graph.to_scipy()[vertices][:, vertices])
        return inner, None if self.relation is None else self.relation.part(vertices)

    def parts(
        self, labels: NDArray[Any]
    ) -> Iterator[tuple[NDArray[np.intp], Graph, Relation | None]]:
        """Yield the vertices of each module 0..k-1 and the graphs of these alone.

        Vertices with a label below 0 are in none. All parts are cut out in one pass, so they cost
        as much as the graph, however many there are.
        """
        order = np.argsort(labels, kind="stable")
        order = order[np.searchsorted(labels[order], 0) :]
        ends = np.cumsum(np.bincount(labels[order]))
        weights = self.graph.to_scipy()[order][:, order]  # modules are blocks
        related = None if self.relation is None else self.relation.part(order)
        for block in map(slice, np.append(0, ends[:-1]).tolist(), ends.tolist()):
            inner = Graph.from_scipy(weights[block, block])
            yield order[block], inner, None if related is None else related.part(block)

    def extended(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        """Take the labels of the samples, and give every anchor that of most of its members."""
        labels = renumber(labels[: self.n])
        if self.graph.n == self.n:
            return labels
        assert self.relation is not None  # there are anchors
        rows = self.relation.matrix[self.n :, : self.n].tocoo()
        shape = (rows.shape[0], int(labels.max()) + 1)
        pull = np.maximum(rows.data, 0.0)
        votes = sp.coo_array((pull, (rows.row, labels[rows.col])), shape=shape)
        return np.concatenate((labels, np.maximum(largest_column(votes), 0).astype(np.int32)))


def cannot_share(same: float) -> float:
    """Return the information of a cannot-link against that of a must-link.

    ``same`` is the chance that two random samples belong together; a constraint tells -log2 of the
    chance that a random pair would satisfy it.
    """
    same = min(max(same, 1e-6), 0.5)
    return float(np.log2(1 - same) / np.log2(same))


def anchor(graph: Graph, given: Constraints, closure: Closure, share: float) -> SearchGraphs:
    """Weigh constraints by degree and information.

    Parameters
    ----------
    graph : Graph
        The data graph.
    given : Constraints
        The constraints; their weights multiply.
    closure : Closure
        What they entail.
    share : float
        Weight of a point's cannot-links against its must-links.
    """
    n = graph.n
    size = np.bincount(closure.component, minlength=closure.n_components)
    anchored = size > _LARGEST_CLIQUE
    classes = closure.class_component[closure.class_component >= 0]
    anchored[classes[size[classes] > 1]] = True
    place = np.full(closure.n_components, -1, dtype=np.int64)
    place[anchored] = n + np.arange(anchored.sum())
    total = n + int(anchored.sum())

    mass = np.zeros(total)
    mass[:n] = graph.degree
    members = np.flatnonzero(anchored[closure.component])
    anchors = place[closure.component[members]]
    np.add.at(mass, anchors, graph.degree[members])
    must, cannot = _mean_weights(given, n)

    i, j = _cliques(closure, size, anchored)
    pull = mass[:n] * must / np.maximum(_counts(i, j, n), 1)
    clique = np.sqrt(pull[i] * pull[j])
    a, b = _apart(closure, size, place)
    push = mass * np.concatenate((cannot, np.ones(total - n))) / np.maximum(_counts(a, b, total), 1)
    apart = -share * np.sqrt(push[a] * push[b])

    rows = np.concatenate((i, members, a))
    columns = np.concatenate((j, anchors, b))
    weights = np.concatenate((clique, mass[members] * must[members], apart))
    relation = Relation.from_pairs(rows, columns, weights, total)
    together = renumber(np.concatenate((closure.component, np.flatnonzero(anchored))))
    anchored_graph = graph.with_isolated(np.full(total - n, graph.degree.mean()))
    return SearchGraphs(anchored_graph, relation, n, together)


def triplet_weights(graph: Graph, given: Constraints) -> FloatArray:
    """Weigh triplets by degree: each sample gives its degree, split over its triplets."""
    share = graph.degree / np.maximum(np.bincount(given.triplets.ravel(), minlength=graph.n), 1)
    return np.asarray(np.cbrt(share[given.triplets].prod(axis=1)) * given.triplet_weight)


def with_triplets(search: SearchGraphs, given: Constraints, weight: FloatArray) -> SearchGraphs:
    """Read triplets as pairs: i and j attract each other, and repel k by as much in all.

    Together the three then weigh nothing, and the search of a partition is free to unite them.
    """
    if not len(given.triplets):
        return search
    i, j, k = given.triplets.T
    rows, columns = np.concatenate((i, i, j)), np.concatenate((j, k, k))
    weights = np.concatenate((weight, -weight / 2, -weight / 2))
    if search.relation is None:
        return search._replace(relation=Relation.from_pairs(rows, columns, weights, search.graph.n))
    return search._replace(relation=search.relation.with_weights(rows, columns, weights))


def _mean_weights(given: Constraints, n: int) -> tuple[FloatArray, FloatArray]:
    """Average the given weights at every point: of its must-links, of its cannot-links."""

    def mean(pairs: IntArray, weight: FloatArray) -> FloatArray:
        ends = pairs.T.ravel()
        count = np.bincount(ends, minlength=n)
        sums = np.bincount(ends, np.tile(weight, 2), n)
        return np.asarray(np.where(count > 0, sums / np.maximum(count, 1), 1.0))

    return mean(given.must_link, given.must_weight), mean(given.cannot_link, given.cannot_weight)


def _counts(i: IntArray, j: IntArray, n: int) -> NDArray[np.intp]:
    """Count the partners of each vertex."""
    return np.bincount(i, minlength=n) + np.bincount(j, minlength=n)


def _cliques(
    closure: Closure, size: NDArray[Any], anchored: NDArray[np.bool_]
) -> tuple[IntArray, IntArray]:
    """List the pairs inside the small components."""
    chosen = np.flatnonzero((size[closure.component] > 1) & ~anchored[closure.component])
    order = chosen[np.argsort(closure.component[chosen], kind="stable")]
    component = closure.component[order]
    end = np.searchsorted(component, component, side="right")
    after = end - np.arange(order.size) - 1
    left = np.repeat(np.arange(order.size), after)
    right = left + 1 + ramp(after)
    return order[left].astype(np.int64), order[right].astype(np.int64)


def _apart(closure: Closure, size: NDArray[Any], place: IntArray) -> tuple[IntArray, IntArray]:
    """List the pairs of vertices kept apart: anchors where there are some, else all members."""
    pairs = [closure.direct, *map(_exclusive_pairs, closure.exclusive)]
    u, v = np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0).T
    order = np.argsort(closure.component, kind="stable")
    start = np.cumsum(size) - size
    ends = np.where(place >= 0, 1, size)  # vertices that stand for a component
    area = ends[u] * ends[v]
    owner = np.repeat(np.arange(u.size), area)
    cell = ramp(area)
    row, column = np.divmod(cell, ends[v[owner]])

    def vertex(c: IntArray, k: IntArray) -> IntArray:
        return np.asarray(np.where(place[c] >= 0, place[c], order[start[c] + k]), dtype=np.int64)

    return vertex(u[owner], row), vertex(v[owner], column)


def _exclusive_pairs(components: IntArray) -> IntArray:
    """Pair the components of a set: all with all, or each with some where they are many."""
    m = components.size
    if m <= _LARGEST_APART:
        left, right = np.triu_indices(m, 1)
    else:
        left = np.repeat(np.arange(m), _APART_PARTNERS)
        right = (left + np.tile(np.arange(1, _APART_PARTNERS + 1), m)) % m
    return np.column_stack((components[left], components[right])).astype(np.int64)
