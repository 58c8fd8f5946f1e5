"""What follows from constraints: their closure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import ramp
from sentree.constraints.conflicts import (
    ConstraintConflict,
    Edges,
    Proof,
    Witness,
    cannot_edges,
    eliminate,
    find_clashes,
    flatten,
    point_components,
)

if TYPE_CHECKING:
    from sentree.constraints.statements import Statements

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

__all__ = ["Closure", "close"]

#: Contradictions whose proof an error carries; the rest are counted only.
_PROVED_IN_ERROR = 10
#: Entries of the weighted expansion that are worked on at a time (bounds temporary memory).
_CHUNK = 1 << 21


@dataclass(frozen=True, eq=False)
class Closure:
    """What consistent constraints entail, on components of points that belong together.

    Components, and sets of components that exclude one another, take linear memory. Only
    :attr:`cannot`, :meth:`must_pairs` and :meth:`cannot_pairs` expand, on request.

    Attributes
    ----------
    component : int64 array of shape (n,)
        Component of every point, 0..n_components-1 by first appearance; singletons included.
    n_components : int
        Number of components.
    class_component : int64 array
        Component of every class, by class code; -1 where no point is known to be of that class.
    direct : int64 array of shape (k, 2)
        Components kept apart by a given pair or a negative label; u < v, unique, sorted.
    exclusive : tuple of int64 arrays
        Sets of components whose members are pairwise apart: that of the classes, and one for each
        apart group.
    """

    component: IntArray
    n_components: int
    class_component: IntArray
    direct: IntArray
    exclusive: tuple[IntArray, ...]
    _evidence: _Evidence | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        n, k, sets = self.component.size, self.n_components, len(self.exclusive)
        return f"Closure(n={n}, n_components={k}, direct={len(self.direct)}, exclusive={sets})"

    def kept_together(self, groups: IntArray) -> IntArray:
        """Return the groups, but with single points in place of groups that hold points kept apart.

        A group is taken apart if a cannot statement concerns two or more of its components.
        """
        groups = np.unique(groups, return_inverse=True)[1].astype(np.int64)
        n = groups.size
        named = np.zeros(self.n_components, dtype=bool)
        named[self.direct.ravel()] = True
        for components in self.exclusive:
            named[components] = True
        concerned = np.flatnonzero(named[self.component])
        pairs = np.unique(np.column_stack((groups[concerned], self.component[concerned])), axis=0)
        several = np.bincount(pairs[:, 0], minlength=n) > 1
        split = several[groups]
        groups[split] = n + np.flatnonzero(split)
        return np.unique(groups, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def cannot(self) -> IntArray:
        """All pairs of components kept apart: u < v, unique, sorted.

        Quadratic in the number of classes and in the size of an apart group.
        """
        left, right = _pairs_within(self.exclusive)
        entailed = np.column_stack((left, right))
        pairs = _unique_pairs(np.concatenate((self.direct, entailed)), self.n_components)
        return _frozen(pairs)

    def must_pairs(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return every pair of points of one component as ``(i, j, weight)``: i < j, sorted.

        Quadratic in the size of a component. The weight is the largest minimum along a chain of
        given must-links, where labels and groups weigh 1.
        """
        order, start = self._members
        position = np.empty_like(order)
        position[order] = np.arange(order.size)
        i, right = _followers(position, start[self.component + 1])
        j = order[right]
        return i, j, self._bottleneck(i, j) if self._evidence else np.ones(i.size)

    def cannot_pairs(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return every pair of points kept apart as ``(i, j, weight)``: i < j, unique, sorted.

        Quadratic in the size of the components. The weight is the smallest of the given
        cannot-link's and of the must-links that carry it to i and j, the largest over all proofs.
        """
        order, start = self._members
        size = np.diff(start)
        u, v = self.cannot.T
        owner, row, column = _grid(size[u], size[v])
        a, b = order[start[u[owner]] + row], order[start[v[owner]] + column]
        weight = self._cannot_weights(size) if self._evidence else np.ones(a.size)
        i, j = np.minimum(a, b), np.maximum(a, b)
        rank = np.lexsort((j, i))
        return i[rank], j[rank], weight[rank]

    def count_pairs(self) -> int:
        """Return how many pairs of points the two expansions have together, at most."""
        size = np.bincount(self.component, minlength=self.n_components).astype(np.float64)
        within = np.sum(size * (size - 1)) / 2
        u, v = self.direct.T
        between = np.sum(size[u] * size[v])
        for members in self.exclusive:
            between += (size[members].sum() ** 2 - np.sum(size[members] ** 2)) / 2
        return int(within + between)

    @cached_property
    def _members(self) -> tuple[IntArray, IntArray]:
        """Points ordered by component, and where each component starts."""
        order = np.argsort(self.component, kind="stable").astype(np.int64, copy=False)
        size = np.bincount(self.component, minlength=self.n_components)
        return order, np.concatenate(([0], np.cumsum(size))).astype(np.int64, copy=False)

    @cached_property
    def _bottleneck(self) -> _Bottleneck:
        """The weights of the given must-links, ready to be asked."""
        assert self._evidence is not None
        return _Bottleneck(self._evidence.edges, self._evidence.component.size)

    def _cannot_weights(self, size: IntArray) -> FloatArray:
        """Weigh the expansion of :attr:`cannot`: max over proofs of the weakest statement in it.

        Costs one step per proof and pair of points, in chunks of bounded memory.
        """
        assert self._evidence is not None
        order, start = self._members
        x, y, given = self._evidence.apart()
        swap = self._evidence.component[x] > self._evidence.component[y]
        x, y = np.where(swap, y, x), np.where(swap, x, y)
        u, v = self._evidence.component[x], self._evidence.component[y]
        key = self.cannot[:, 0] * self.n_components + self.cannot[:, 1]
        target = np.searchsorted(key, u * self.n_components + v)
        area = size[self.cannot[:, 0]] * size[self.cannot[:, 1]]
        offset = np.cumsum(area) - area
        weight = np.zeros(int(area.sum()))
        for part in _chunks(size[u] * size[v]):
            owner, row, column = _grid(size[u[part]], size[v[part]])
            s = owner + part.start
            here = self._bottleneck(x[s], order[start[u[s]] + row])
            there = self._bottleneck(y[s], order[start[v[s]] + column])
            cell = offset[target[s]] + row * size[v[s]] + column
            np.maximum.at(weight, cell, np.minimum(given[s], np.minimum(here, there)))
        return weight


@dataclass(frozen=True, eq=False)
class _Evidence:
    """The weighted statements behind a closure, over the nodes of the proof graph."""

    component: IntArray
    edges: Edges
    cannot: Edges
    exclusive: tuple[IntArray, ...]

    def apart(self) -> Edges:
        """Return all cannot statements between nodes of components that hold points."""
        left, right = _pairs_within(self.exclusive)
        every = self.cannot.plus(Edges(left, right, np.ones(left.size)))
        held = (self.component[every.tail] >= 0) & (self.component[every.head] >= 0)
        return Edges(every.tail[held], every.head[held], every.weight[held])


class _Bottleneck:
    """Largest minimum weight over the paths between two nodes of one component.

    Joining by falling weight (Kruskal) lines the nodes of a component up so that the answer is the
    smallest weight between two places of the line: a range minimum, read from a sparse table.
    """

    def __init__(self, edges: Edges, n_nodes: int) -> None:
        line, gap = _kruskal_line(edges, n_nodes)
        self._place = np.empty(n_nodes, dtype=np.int64)
        self._place[line] = np.arange(n_nodes)
        levels = [gap]
        width = 1
        while 2 * width < n_nodes:
            last = levels[-1]
            levels.append(np.minimum(last, np.concatenate((last[width:], np.zeros(width)))))
            width *= 2
        self._table = np.stack(levels)

    def __call__(self, a: IntArray, b: IntArray) -> FloatArray:
        """Return the bottleneck of ``a[k]`` and ``b[k]``; infinity where they are one node."""
        low = np.minimum(self._place[a], self._place[b])
        high = np.maximum(self._place[a], self._place[b])
        level = np.frexp(np.maximum(high - low, 1).astype(np.float64))[1] - 1
        smallest = np.minimum(self._table[level, low], self._table[level, high - (1 << level)])
        return np.where(low == high, np.inf, smallest)


def _kruskal_line(edges: Edges, n_nodes: int) -> tuple[IntArray, FloatArray]:
    """Order the nodes by single linkage; the gap after a place is the weight that joined it."""
    parent, last = list(range(n_nodes)), list(range(n_nodes))
    follower, joined = [-1] * n_nodes, [0.0] * n_nodes

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    rank = np.argsort(-edges.weight, kind="stable")
    falling = (column[rank].tolist() for column in edges)
    for tail, head, weight in zip(*falling, strict=True):
        a, b = root(tail), root(head)
        if a != b:  # the root of a set is the first of its line
            follower[last[a]], joined[last[a]] = b, weight
            parent[b], last[a] = a, last[b]
    line = []
    for first in range(n_nodes):
        node = first if parent[first] == first else -1
        while node >= 0:
            line.append(node)
            node = follower[node]
    places = np.array(line, dtype=np.int64)
    return places, np.array(joined)[places]


def close(
    given: Statements, n: int, n_classes: int | None, names: Sequence[Any] | None = None
) -> Closure:
    """Close consistent constraints on n points; raise ConstraintConflict where they are not."""
    proof = Proof(given, n)
    elimination = eliminate(proof, n_classes)
    clashes = find_clashes(proof, elimination)
    if clashes:
        shown = Witness(proof, elimination, names).conflicts(clashes[:_PROVED_IN_ERROR])
        raise ConstraintConflict(shown, len(clashes))
    edges = proof.inner.plus(proof.labels)
    if elimination is not None:
        edges = edges.plus(elimination.edges())
    component, n_components = point_components(edges, n, proof.n_nodes)
    classes = np.arange(proof.first_class, proof.n_nodes)
    class_component = component[classes]
    held = class_component[class_component >= 0]
    exclusive = [np.sort(held), *(np.sort(component[group]) for group in given.apart)]
    cannot = cannot_edges(proof)
    direct = np.column_stack((component[cannot.tail], component[cannot.head]))
    direct = _unique_pairs(direct[(direct >= 0).all(axis=1)], n_components)
    weighted = np.any(given.must_weight != 1) or np.any(given.cannot_weight != 1)
    return Closure(
        _frozen(component[:n]),
        n_components,
        _frozen(class_component),
        _frozen(direct),
        tuple(_frozen(group) for group in exclusive if group.size > 1),
        _Evidence(component, edges, cannot, (classes, *given.apart)) if weighted else None,
    )


def _followers(position: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """Pair every k with all positions after ``position[k]`` and before ``end[k]``."""
    counts = end - position - 1
    owner = np.repeat(np.arange(position.size, dtype=np.int64), counts)
    return owner, position[owner] + 1 + ramp(counts)


def _pairs_within(groups: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Return all pairs of members of every group."""
    member, group = flatten(groups)
    end = np.cumsum([len(g) for g in groups], dtype=np.int64)[group]
    left, right = _followers(np.arange(member.size, dtype=np.int64), end)
    return member[left], member[right]


def _grid(rows: IntArray, columns: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return (k, row, column) of every cell of rectangles of rows[k] x columns[k] cells."""
    area = rows * columns
    owner = np.repeat(np.arange(area.size, dtype=np.int64), area)
    cell = ramp(area)
    return owner, cell // columns[owner], cell % columns[owner]


def _chunks(sizes: IntArray) -> Iterator[slice]:
    """Cut items of given sizes into runs of at most one chunk, or of a single larger item."""
    total = np.concatenate(([0], np.cumsum(sizes)))
    start = 0
    while start < sizes.size:
        stop = int(np.searchsorted(total, total[start] + _CHUNK, side="right")) - 1
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop


def _unique_pairs(pairs: IntArray, n: int) -> IntArray:
    """Order each pair of numbers below n, then sort the pairs and drop duplicates."""
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    key = np.unique(low * n + high)
    return np.column_stack((key // max(n, 1), key % max(n, 1)))


def _frozen(array: IntArray) -> IntArray:
    """Make an array read-only."""
    array.flags.writeable = False
    return array
