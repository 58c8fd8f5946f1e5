"""Pairs as evidence: from the natural clusters to clusters that pairs support, too.

The data give evidence for uniting two parts of one natural cluster, the more the closer they are,
and against uniting parts of different natural clusters. Pairs add their weight to either side, and
the sum decides. So a single pair across a wide gap, or inside a tight cluster, moves no more than
its samples; several pairs unite clusters or divide them; and where the data are undecided one pair
is enough.

A natural cluster is divided along the tree of unions of its modules, at the best of all cuts (as
Campello et al. 2013 cut trees of density). The parts are then united greedily, those with most
evidence first.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.labels import renumber
from sentree.constraints import Constraints
from sentree.graph import FloatArray, Graph
from sentree.search.hard import contract
from sentree.search.kernels import link
from sentree.search.natural_parts import CHANCE, ONE, Unions, node_sums
from sentree.search.spacing import MeasuredSpacing, Spacing
from sentree.tree import TreeShape

__all__ = [
    "PairEvidence",
    "clusters_by_pairs",
    "log_closeness",
    "measured_unions",
    "unions_within",
]

#: Evidence of a pair: log 9, as if nine of ten pairs were right.
_PAIR = 2.2
#: Least evidence of the data for or against a union.
_LEAST = 2.0
#: Evidence that is added each time the closeness of two parts doubles (halves, if it is against).
_MORE = 1.0
#: Most evidence of the data for or against a union.
_MOST = 6.0
#: Closeness below this counts as this.
_NONE = 1e-9

IntArray = NDArray[np.int64]


class PairEvidence(NamedTuple):
    """Pairs of vertices, with positive weights for must-links and negative for cannot-links."""

    ends: IntArray  # of shape (m, 2)
    weight: FloatArray  # 1 or -1, times the weight of the pair and the penalty

    @classmethod
    def of(cls, given: Constraints, vertex: IntArray, strength: float) -> PairEvidence:
        """Collect must-links, cannot-links and groups; ``vertex`` is the vertex of each sample.

        Of a group, only consecutive members are pairs.
        """
        chains = [np.column_stack((g[:-1], g[1:])) for g in (*given.together, *given.apart)]
        first = len(given.together)
        ends = [given.must_link, given.cannot_link, *chains]
        weights = [given.must_weight, -given.cannot_weight]
        weights += [np.full(len(c), 1.0 if k < first else -1.0) for k, c in enumerate(chains)]
        pairs, weight = vertex[np.concatenate(ends)], np.concatenate(weights)
        kept = pairs[:, 0] != pairs[:, 1]
        return cls(pairs[kept], weight[kept] * strength)

    def broken(self, labels: NDArray[Any]) -> float:
        """Return the total weight of the pairs that clusters break."""
        return float(np.abs(self.weight[self._breaks(labels)]).sum())

    def broken_vertices(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """Return the vertices of the pairs that clusters break."""
        return np.unique(self.ends[self._breaks(labels)])

    def _breaks(self, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which pairs clusters break."""
        together = np.diff(labels[self.ends], axis=1)[:, 0] == 0
        return np.asarray(together != (self.weight > 0))

    def between(self, part: NDArray[Any]) -> tuple[IntArray, FloatArray]:
        """Return every two parts that pairs relate, the lesser first, and the sum of the evidence.

        Each pair of a vertex with many pairs counts less: all of them depend on its own place.
        """
        sides = np.sort(part[self.ends], axis=1)
        out = sides[:, 0] != sides[:, 1]
        pairs, place = np.unique(sides[out], axis=0, return_inverse=True)
        count = np.bincount(self.ends.ravel(), minlength=1)[self.ends].max(axis=1, initial=1)
        weight = _PAIR * self.weight[out] / np.sqrt(count[out])
        total = np.bincount(place.ravel(), weight, len(pairs)).astype(np.float64)
        return pairs.astype(np.int64), total


def clusters_by_pairs(
    graph: Graph,
    modules: NDArray[np.int32],
    natural: NDArray[Any],
    pairs: PairEvidence,
    spacing: Spacing | MeasuredSpacing | None,
    powers: tuple[float, float],
) -> NDArray[np.int32]:
    """Return the clusters of the vertices, from their modules, natural clusters and pairs.

    ``spacing`` has the edge lengths, if known; ``powers`` are those of volumes in the linkage of
    modules.
    """
    natural = renumber(natural)
    pieces = renumber(modules.astype(np.int64) * (int(natural.max()) + 1) + natural)
    k = int(pieces.max()) + 1
    home = np.zeros(k, dtype=np.int64)
    home[pieces] = natural
    size = _counts(spacing, pieces, k)
    between, weight = pairs.between(pieces)
    inner = home[between[:, 0]] == home[between[:, 1]]
    part = home
    if (weight[inner] < 0).any():
        whole = contract(graph, None, pieces)[0]
        part = _divided(whole, home, size, between[inner], weight[inner], spacing, powers)
    of_vertex = part[pieces]
    united = _united(graph, of_vertex, home[_first(part)], pairs.between(of_vertex), spacing)
    return renumber(united[of_vertex])


def _counts(
    spacing: Spacing | MeasuredSpacing | None, modules: NDArray[np.int32], k: int
) -> FloatArray:
    """Return the number of samples in each module, of vertices where their samples are unknown."""
    if spacing is None:
        return np.bincount(modules, minlength=k).astype(np.float64)
    return spacing.counts(modules, k)


def _first(numbers: IntArray) -> NDArray[np.intp]:
    """Return where each number 0, 1, … appears first."""
    return np.unique(numbers, return_index=True)[1]


def log_closeness(unions: Unions, spacing: Spacing | MeasuredSpacing | None) -> FloatArray:
    """Return log2 of the closeness of the sides of unions, relative to the limit of one cluster."""
    with np.errstate(divide="ignore", invalid="ignore"):  # sides without any weight
        if spacing is None or spacing.dimension is None:
            close = unions.linkage / CHANCE
        else:
            close = unions.closeness(spacing) / ONE
    return np.asarray(np.log2(np.maximum(np.nan_to_num(close), _NONE)))


def _by_data(one: NDArray[np.bool_], closeness: FloatArray) -> FloatArray:
    """Return the evidence of the data for a union: above 0 if the sides are ``one`` cluster."""
    sign = np.where(one, 1.0, -1.0)
    weight: FloatArray = sign * np.clip(_LEAST + _MORE * sign * closeness, _LEAST, _MOST)
    return weight


def _divided(
    pieces: Graph,
    home: IntArray,
    size: FloatArray,
    between: IntArray,
    weight: FloatArray,
    spacing: Spacing | MeasuredSpacing | None,
    powers: tuple[float, float],
) -> IntArray:
    """Divide clusters where pairs outweigh the data; return the part of every piece."""
    sides = unions_within(pieces, home, powers)
    shape = _shape(sides, pieces.n)
    by_pairs = _at_unions(shape, between[:, 0], between[:, 1], weight, len(sides))
    unions = measured_unions(pieces, sides, size)
    by_data = _by_data(np.ones(len(sides), dtype=bool), log_closeness(unions, spacing))
    return _best_cut(sides, (by_data + by_pairs).tolist(), pieces.n)


def _shape(sides: IntArray, k: int) -> TreeShape:
    """Return the shape of a forest of unions of k pieces, below one root."""
    n = k + len(sides)
    parent = np.append(np.full(n, n, dtype=np.int32), np.int32(-1))
    parent[sides] = k + np.arange(len(sides))[:, None]
    return TreeShape(parent)


def _at_unions(
    shape: TreeShape, i: NDArray[Any], j: NDArray[Any], weight: FloatArray, count: int
) -> FloatArray:
    """Return the total weight of the pairs of pieces that each of ``count`` unions unites."""
    total = np.bincount(shape.lca(i, j), weight, shape.parent.size)
    return np.asarray(total[-count - 1 : -1], dtype=np.float64)


def measured_unions(pieces: Graph, sides: IntArray, size: FloatArray) -> Unions:
    """Return unions with the contact of their sides, for pieces of given sizes."""
    edges = sp.triu(pieces.to_scipy(), 1).tocoo()
    shape = _shape(sides, pieces.n)
    contact = _at_unions(shape, edges.row, edges.col, edges.data, len(sides)) / pieces.volume
    volume = node_sums(pieces.degree / pieces.volume, sides)
    return Unions(sides, contact, volume, node_sums(size, sides))


def unions_within(pieces: Graph, home: IntArray, powers: tuple[float, float]) -> IntArray:
    """Return the unions that make each cluster of its pieces, the most strongly linked first."""
    rows = np.repeat(np.arange(pieces.n), np.diff(pieces.indptr))
    inner = home[rows] == home[pieces.indices]
    indptr = np.concatenate(([0], np.cumsum(inner)))[pieces.indptr]
    within = Graph(indptr, pieces.indices[inner], pieces.weights[inner], pieces.degree)
    path = link(within, np.arange(pieces.n), powers=powers)
    sides = path.unions.astype(np.int64).tolist()
    root = np.setdiff1d(np.arange(pieces.n + len(sides)), path.unions)
    where = home.tolist()
    for a, _ in sides:
        where.append(where[a])
    last: dict[int, int] = {}
    for node in root.tolist():  # parts of a cluster that do not touch
        if where[node] in last:
            sides.append([last[where[node]], node])
            node = pieces.n + len(sides) - 1
            where.append(where[sides[-1][0]])
        last[where[node]] = node
    return np.array(sides, dtype=np.int64).reshape(-1, 2)


def _best_cut(sides: IntArray, together: list[float], k: int) -> IntArray:
    """Cut a forest so that the sum over the unions kept is largest; return the parts."""
    whole, best = [0.0] * k, [0.0] * k
    one = [True] * k
    for (a, b), weight in zip(sides.tolist(), together, strict=True):
        whole.append(whole[a] + whole[b] + weight)
        apart = best[a] + best[b]
        one.append(whole[-1] >= apart)
        best.append(max(whole[-1], apart))
    part = [-1] * len(one)
    found = 0
    for node in range(len(one) - 1, -1, -1):
        if part[node] < 0 and one[node]:
            part[node] = found
            found += 1
        if node >= k and part[node] >= 0:
            a, b = sides[node - k].tolist()
            part[a] = part[b] = part[node]
    return np.asarray(renumber(np.array(part[:k])), dtype=np.int64)


def _united(
    graph: Graph,
    part: IntArray,
    home: IntArray,
    evidence: tuple[IntArray, FloatArray],
    spacing: Spacing | MeasuredSpacing | None,
) -> IntArray:
    """Unite parts as long as the evidence is for it; return the cluster of every part.

    ``home`` is the natural cluster of each part, ``evidence`` that of pairs about every two.
    """
    parts = contract(graph, None, part)[0]
    edges = sp.triu(parts.to_scipy(), 1).tocsr()
    rows, columns = edges.nonzero()
    siblings = np.column_stack((rows, columns))[home[rows] == home[columns]]
    related, weight = evidence
    if not siblings.size and not (weight > 0).any():
        return np.arange(parts.n)
    sides = np.unique(np.concatenate((related, siblings)), axis=0)
    key = sides[:, 0] * parts.n + sides[:, 1]
    by_pairs = np.zeros(len(sides))
    by_pairs[np.searchsorted(key, related[:, 0] * parts.n + related[:, 1])] = weight
    contact = np.asarray(edges[sides[:, 0], sides[:, 1]]).ravel() / parts.volume
    volume = parts.degree / parts.volume
    size = _counts(spacing, part.astype(np.int32), parts.n)
    both = (np.append(values, values[sides].sum(axis=1)) for values in (volume, size))
    closeness = log_closeness(Unions(sides, contact, *both), spacing)
    by_data = _by_data(home[sides[:, 0]] == home[sides[:, 1]], closeness)
    return _contracted(parts.n, sides, by_data, by_pairs)


def _contracted(n: int, sides: IntArray, by_data: FloatArray, by_pairs: FloatArray) -> IntArray:
    """Unite the two parts with the largest sum of evidence, as long as it is above 0.

    The evidence of pairs adds up over the parts of a union. Of that of the data the largest counts,
    since one contact is enough.
    """
    near: list[dict[int, tuple[float, float]]] = [{} for _ in range(n)]
    for (a, b), *both in zip(sides.tolist(), by_data.tolist(), by_pairs.tolist(), strict=True):
        near[a][b] = near[b][a] = (both[0], both[1])
    heap = [(-sum(near[a][b]), a, b) for a, b in sides.tolist()]
    heapify(heap)
    into = np.arange(n)
    while heap:
        loss, a, b = heappop(heap)
        if b not in near[a] or -sum(near[a][b]) != loss:
            continue  # outdated by a union
        if loss >= 0:
            break
        into[into == b] = a
        del near[a][b], near[b][a]
        for c, (data_b, pairs_b) in near[b].items():
            data_a, pairs_a = near[a].get(c, (-np.inf, 0.0))
            near[a][c] = near[c][a] = (max(data_a, data_b), pairs_a + pairs_b)
            del near[c][b]
            heappush(heap, (-sum(near[a][c]), min(a, c), max(a, c)))
        near[b] = {}
    return np.unique(into, return_inverse=True)[1].astype(np.int64)
