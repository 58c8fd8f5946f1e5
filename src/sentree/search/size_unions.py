"""Clusters united by linkage, with regard to their sizes."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.labels import follow, renumber
from sentree.graph import FloatArray, largest_column
from sentree.relation.by_degree import SearchGraphs
from sentree.relation.relation import apart_pairs
from sentree.search.hard import contract
from sentree.search.size_bounds import ROUNDING, SizeBounds

__all__ = ["SLIGHTLY", "Unions"]

#: Sizes outside the bounds by up to this factor are left to moves of single samples.
SLIGHTLY = 1.25

#: A union within the bounds is preferred if its linkage is at least this share of the best.
_FAR_LESS = 0.25


class Unions:
    """Unites clusters, which are made of pieces, by their linkage and with regard to sizes."""

    def __init__(
        self,
        graphs: SearchGraphs,
        size: FloatArray,
        bounds: SizeBounds,
        clusters: NDArray[np.int32],
        pieces: NDArray[np.int32],
        owner: NDArray[np.int64] | None = None,
    ) -> None:
        """Start from pieces of clusters; ``size`` and ``owner`` (class, or -1) are of vertices."""
        self.bounds, self.pieces = bounds, pieces
        n, k = graphs.n, int(pieces.max()) + 1
        modules, relation = contract(graphs.graph, graphs.relation, pieces)
        self.volume = modules.degree.tolist()
        self.size = np.bincount(pieces, size, k).tolist()
        self.into = list(range(k))
        weights = modules.to_scipy()
        if relation is not None:
            finite = relation.matrix.copy()
            finite.data[~np.isfinite(finite.data)] = 0.0
            weights = weights + finite
        weights = weights.tocsr()
        self.near: list[dict[int, float]] = [
            dict(zip(weights.indices[a:b].tolist(), weights.data[a:b].tolist(), strict=True))
            for a, b in zip(weights.indptr[:-1], weights.indptr[1:], strict=True)
        ]
        self.apart: list[set[int]] = [set() for _ in range(k)]
        i, j = apart_pairs(graphs.relation)
        for a, b in np.unique(pieces[np.column_stack((i, j))].reshape(-1, 2), axis=0).tolist():
            self.apart[a].add(b)
            self.apart[b].add(a)
        self.cluster = np.zeros(k, dtype=np.int64)
        self.cluster[pieces[:n]] = clusters[:n]
        whole = np.bincount(self.cluster, self.size)
        self.fewest = np.ceil(whole / bounds.most - ROUNDING)  # parts that can hold each cluster
        self.owner = np.full(k, -1, dtype=np.int64)
        if owner is not None:
            known = np.flatnonzero(owner >= 0)
            cells = np.ones(known.size), (pieces[known], owner[known])
            votes = sp.coo_array(cells, shape=(k, int(owner.max()) + 1))
            self.owner = largest_column(votes).astype(np.int64)  # the class of most of its labels
        self.there = set(range(k))

    @property
    def labels(self) -> NDArray[np.int32]:
        """The cluster of every vertex."""
        return renumber(follow(np.array(self.into))[self.pieces])

    def _linkage(self, a: int, b: int) -> float:
        both = self.volume[a] * self.volume[b]
        return self.near[a].get(b, 0.0) / both if both > 0 else 0.0

    def _unite(self, a: int, b: int) -> None:
        """Put b into a."""
        self.into[b] = a
        self.there.discard(b)
        self.volume[a] += self.volume[b]
        self.size[a] += self.size[b]
        if self.owner[a] < 0:
            self.owner[a] = self.owner[b]
        for c, weight in self.near[b].items():
            self.near[c].pop(b, None)
            if c != a:
                self.near[a][c] = self.near[a].get(c, 0.0) + weight
                self.near[c][a] = self.near[a][c]
        for c in self.apart[b]:
            self.apart[c].discard(b)
            self.apart[c].add(a)
            self.apart[a].add(c)
        self.near[b], self.apart[b] = {}, set()

    def _fits(self, a: int, b: int, slightly: float = 1 + ROUNDING) -> bool:
        return bool(self.size[a] + self.size[b] <= self.bounds.most * slightly)

    def within_clusters(self, slightly: float) -> None:
        """Unite the pieces of each cluster, down to the fewest that can hold it.

        Unions may be larger than the bounds by a factor.
        """
        left = np.bincount(self.cluster[list(self.there)], minlength=self.fewest.size)
        queue = [
            (-self._linkage(a, b), a, b)
            for a in sorted(self.there)
            for b in self.near[a]
            if a < b and self.cluster[a] == self.cluster[b]
        ]
        heapify(queue)
        while queue:
            linkage, a, b = heappop(queue)
            here = self.cluster[a]
            if a not in self.there or b not in self.there or left[here] <= self.fewest[here]:
                continue
            if linkage != -self._linkage(a, b) or linkage >= 0:
                continue
            if not self._fits(a, b, slightly) or b in self.apart[a]:
                continue
            self._unite(a, b)
            left[here] -= 1
            for c in self.near[a]:
                if self.cluster[c] == here:
                    heappush(queue, (-self._linkage(a, c), min(a, c), max(a, c)))

    def small_ones(self) -> None:
        """Unite clusters that are far too small with others, or leave them to be filled up.

        Those below half the least size are united even if the union is then too large, if the
        others can hold all.
        """
        least = self.bounds.least / SLIGHTLY
        numbers = self.bounds.numbers()
        queue = [(self.size[a], a) for a in self.there if self.size[a] < least]
        heapify(queue)
        while queue:
            size, a = heappop(queue)
            if a not in self.there or size != self.size[a]:
                continue
            must = len(self.there) >= numbers.stop
            may = size < self.bounds.least / 2 and len(self.there) > numbers.start
            b = self._partner(a, fitting=not (must or may))
            if b is None:
                continue
            self._unite(b, a)
            if self.size[b] < least:
                heappush(queue, (self.size[b], b))

    def to_number(self, most: int) -> None:
        """Unite clusters until there are no more than ``most``, the smallest first."""
        queue = [(self.size[a], a) for a in self.there]
        heapify(queue)
        while len(self.there) > most and queue:
            size, a = heappop(queue)
            if a not in self.there or size != self.size[a]:
                continue
            b = self._partner(a)
            if b is None:
                b = self._partner(a, owned=True)
            if b is None:
                continue
            self._unite(b, a)
            heappush(queue, (self.size[b], b))

    def _partner(self, a: int, fitting: bool = False, owned: bool = False) -> int | None:
        """Return the cluster that a is linked to most, or the largest if it touches none.

        One that makes a union within the bounds is preferred, unless it is linked far less;
        ``fitting`` allows no others. Without ``owned`` clusters of two classes are not united.
        """

        def good(b: int) -> bool:
            if b == a or b not in self.there or b in self.apart[a]:
                return False
            one, other = self.owner[a], self.owner[b]
            return owned or one < 0 or other < 0 or bool(one == other)

        near = [b for b, weight in self.near[a].items() if weight > 0 and good(b)]
        if not near:
            others = [b for b in self.there if good(b)]
            fit = [b for b in others if self._fits(a, b)]
            chosen = fit if fit or fitting else others
            return max(chosen, key=lambda b: (self.size[b], -b), default=None)
        by_linkage = sorted(near, key=lambda b: (-self._linkage(a, b), b))
        least = 0.0 if fitting else _FAR_LESS * self._linkage(a, by_linkage[0])
        fit = [b for b in by_linkage if self._fits(a, b) and self._linkage(a, b) >= least]
        return next(iter(fit), None if fitting else by_linkage[0])
