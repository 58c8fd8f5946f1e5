"""Natural clusters of samples in a space, where edge lengths are known.

The contact between parts is compared with the contact between parts of one cloud. Take a part of m
of the n samples of a cloud in d dimensions, in a graph of p neighbours. The share of its weight
that leaves it is about

    (1 - m / n) (33 m / p)^(-1 / d)

whatever the form of the cloud: this holds within about 15 % for modules, and unions of modules, of
Gaussian and uniform clouds of 1 to 20 dimensions and 100 to 3,000 samples. Parts with far less
contact are clusters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.labels import renumber
from sentree.graph import FloatArray, Graph, largest_column, scaled_columns
from sentree.search.kernels import LinkResult, spread_labels
from sentree.search.spacing import Density, MeasuredSpacing, Spacing

__all__ = [
    "CHANCE",
    "ONE",
    "PartsByContact",
    "Unions",
    "follow_neighbors",
    "node_sums",
    "peaks_of_density",
]

#: The 33 of the law above.
_CELL = 33.0
#: Two sides are one cluster from this share of the contact within one cloud on.
ONE = 0.5
#: How much less contact modules of one cluster may have than in one cloud, as a mean logarithm.
_UNEVEN = 0.12
#: What is added to this limit, over the dimension.
_UNEVEN_IN_FEW = 0.2
#: The most that a single module adds to this mean.
_MOST_UNEVEN = 1.5
#: Of more modules than this, unions tell it too: small modules touch others of their own cluster.
_MANY_MODULES = 1000
#: The most that these unions are, as shares of the whole.
_PARTS = (1 / 10, 1 / 30, 1 / 100)
#: Two sides that are linked this many times more than by chance are one cluster in any case.
CHANCE = 1.25
#: How clear a peak of density must be, as a share of the rise that chance may cause.
_CLEAR = 0.7
#: How clear the clearest peak must be for there to be several clusters.
_CLEAREST = 1.5
#: The limit _CLEAREST is lower where the last two sides to be united have less than this share of
#: the contact within one cloud.
_TOUCHING = 0.35
#: The least factor by which it is lowered.
_LEAST_PART = 0.8
#: Power of the strictness in many dimensions, where contacts vary less.
_EVENLY = 0.5

IntArray = NDArray[np.int64]


def node_sums(values: NDArray[Any], unions: NDArray[Any]) -> NDArray[Any]:
    """Return the values of modules, then their sums over the modules of each union."""
    sums = values.tolist()
    for a, b in zip(unions[:, 0].tolist(), unions[:, 1].tolist(), strict=True):
        sums.append(sums[a] + sums[b])
    return np.array(sums)


class Unions(NamedTuple):
    """Unions of modules, the most strongly linked first; nodes are the modules, then the unions."""

    sides: IntArray  # the two nodes that each union unites
    contact: FloatArray  # weight between them, as a share of all
    volume: FloatArray  # volume of every node, as a share of all
    size: FloatArray  # number of vertices of every node

    @classmethod
    def along(
        cls,
        path: LinkResult,
        powers: tuple[float, float],
        volume: FloatArray,
        size: NDArray[Any],
    ) -> Unions:
        """Compute them along a path of unions, for modules with given volumes and sizes."""
        sides = path.unions.astype(np.int64)
        share = node_sums(volume / volume.sum(), sides)
        both = np.sort(share[sides], axis=1) ** powers
        contact = path.linkage * both.prod(axis=1)
        return cls(sides, contact, share, node_sums(size.astype(float), sides))

    @property
    def n_modules(self) -> int:
        """Number of modules."""
        return self.volume.size - len(self.sides)

    @property
    def linkage(self) -> FloatArray:
        """Contact of the sides of each union, relative to what is expected by chance."""
        linkage: FloatArray = self.contact / self.volume[self.sides].prod(axis=1)
        return linkage

    def closeness(self, spacing: Spacing | MeasuredSpacing) -> FloatArray:
        """Return the contact of the sides of each union, relative to that within one cloud."""
        assert spacing.dimension is not None
        whole = self.volume[self.n_modules :]
        smaller = self.size[self.sides].min(axis=1)
        cell = _CELL * smaller / spacing.n_neighbors
        closeness: FloatArray = self.linkage * whole * cell ** (1 / spacing.dimension)
        return closeness

    def roots(self) -> list[int]:
        """Return the nodes that are part of no union."""
        roots: list[int] = np.setdiff1d(np.arange(self.volume.size), self.sides).tolist()
        return roots

    def below(self, node: int, most: float) -> list[int]:
        """Return the nodes that a node consists of, as large as possible, but at most of a size."""
        found, left = [], [node]
        while left:
            node = left.pop()
            if node < self.n_modules or self.size[node] <= most:
                found.append(node)
            else:
                left.extend(self.sides[node - self.n_modules].tolist())
        return found

    def ranges(self) -> tuple[IntArray, IntArray, IntArray]:
        """Order modules so that every node is a range; return the order, starts and ends."""
        width = node_sums(np.ones(self.n_modules, dtype=np.int64), self.sides).tolist()
        start, at = [0] * len(width), 0
        for root in self.roots():
            start[root] = at
            at += width[root]
        for node in range(len(width) - 1, self.n_modules - 1, -1):
            a, b = self.sides[node - self.n_modules].tolist()
            start[b] = start[node]
            start[a] = start[node] + width[b]
        first = np.array(start, dtype=np.int64)
        return np.argsort(first[: self.n_modules]), first, first + np.array(width)


def peaks_of_density(
    component: NDArray[np.int32],
    unions: Unions,
    spacing: Spacing,
    density: Density,
    strictness: float = 1.0,
) -> NDArray[np.int64]:
    """Return the peaks of density as clusters; -1 for vertices that follow their neighbours.

    ``component`` is the connected component of every vertex. ``strictness`` is how clearly clusters
    must be separated, relative to the usual rule.
    """
    peaks = density.peaks(strictness * _CLEAR)
    if len(unions.roots()) == 1:
        closeness = unions.closeness(spacing)
        whole = closeness[-1] if closeness.size else np.inf
        least = _CLEAREST * np.clip(whole / _TOUCHING, _LEAST_PART, 1.0)
        if peaks.clearest < strictness * least:
            return np.zeros(component.size, dtype=np.int64)
    return _with_components(component, peaks.labels)


@dataclass(frozen=True, eq=False)
class PartsByContact:
    """Clusters with far less contact than parts of one cloud.

    Parameters
    ----------
    labels : int array
        The module of every vertex.
    unions : Unions
        Unions of modules.
    modules : Graph
        The graph of the modules.
    spacing : Spacing or MeasuredSpacing
        The lengths of edges.
    """

    labels: NDArray[np.int32]
    unions: Unions
    modules: Graph
    spacing: Spacing | MeasuredSpacing

    def __call__(self, strictness: float = 1.0) -> NDArray[np.int64]:
        """Return the cluster of every vertex; ``strictness`` as in :func:`peaks_of_density`."""
        unions, dimension = self.unions, self.spacing.dimension
        assert dimension is not None
        strictness **= _EVENLY
        surely_one = strictness * self._linkage >= CHANCE
        apart = strictness * self._closeness < ONE
        most = strictness * (_UNEVEN + _UNEVEN_IN_FEW / dimension)

        def is_one(node: int) -> bool:
            union = node - unions.n_modules
            if union < 0 or surely_one[union]:
                return True
            return not apart[union] and all(value <= most for value in self._unevenness(node))

        cluster = np.empty(unions.n_modules, dtype=np.int64)
        order, start, end = self._ranges
        found, left = 0, unions.roots()
        while left:
            node = left.pop()
            if is_one(node):
                cluster[order[start[node] : end[node]]] = found
                found += 1
            else:
                left.extend(unions.sides[node - unions.n_modules].tolist())
        return cluster[self.labels]

    @cached_property
    def _linkage(self) -> FloatArray:
        return self.unions.linkage

    @cached_property
    def _closeness(self) -> FloatArray:
        return self.unions.closeness(self.spacing)

    @cached_property
    def _ranges(self) -> tuple[IntArray, IntArray, IntArray]:
        return self.unions.ranges()

    @cached_property
    def _ordered(self) -> _Parts:
        """The modules, in an order in which nodes are blocks."""
        order = self._ranges[0]
        inside = (self.modules.degree - self.modules.strength)[order]
        between = self.modules.to_scipy()[order][:, order]
        return _Parts(between, inside, self.unions.size[order])

    @cached_property
    def _known(self) -> dict[tuple[int, float], float]:
        """The unevenness of nodes, divided into modules (0) or into larger parts."""
        return {}

    def _unevenness(self, node: int) -> Iterator[float]:
        """Yield how uneven the modules of a node are, and if they are many, unions of them."""
        start, end = (int(at[node]) for at in self._ranges[1:])
        modules: _Parts | None = None
        for share in (0.0, *_PARTS) if end - start > _MANY_MODULES else (0.0,):
            if (node, share) not in self._known:
                modules = modules or self._ordered.block(start, end)
                parts = modules
                if share:
                    below = self.unions.below(node, share * self.unions.size[node])
                    parts = modules.united(np.sort(self._ranges[1][below]) - start)
                self._known[node, share] = parts.unevenness(self.spacing)
            yield self._known[node, share]


class _Parts(NamedTuple):
    """Parts of a graph."""

    between: Any  # the weights between them, a sparse matrix
    inside: FloatArray  # the weight in each
    size: FloatArray

    def block(self, start: int, end: int) -> _Parts:
        """Return some consecutive parts, as if there were no others."""
        here = slice(start, end)
        return _Parts(self.between[here, here], self.inside[here], self.size[here])

    def united(self, start: IntArray) -> _Parts:
        """Return ranges of the parts, which begin at ``start``, as parts."""
        number = np.repeat(np.arange(start.size), np.diff(start, append=self.size.size))
        member = sp.csr_array((np.ones(number.size), (number, np.arange(number.size))))
        between = member @ self.between @ member.T
        inside = between.diagonal()
        return _Parts(
            between - sp.diags_array(inside),
            np.add.reduceat(self.inside, start) + inside,
            np.add.reduceat(self.size, start),
        )

    def unevenness(self, spacing: Spacing | MeasuredSpacing) -> float:
        """Return how much less contact they have than in one cloud, as a mean logarithm."""
        assert spacing.dimension is not None
        out = np.asarray(self.between.sum(axis=1)).ravel()
        volume = self.inside + out
        whole = volume.sum()
        cell = _CELL * self.size / spacing.n_neighbors
        with np.errstate(divide="ignore"):
            leaving = np.log(out / (volume * (1 - volume / whole)))
        less = np.minimum(-np.log(cell) / spacing.dimension - leaving, _MOST_UNEVEN)
        return float(np.sum(volume * less) / whole)


def _with_components(component: NDArray[np.int32], peak: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return peaks of density as clusters, and components of the graph without a peak."""
    has_peak = np.bincount(component, peak >= 0) > 0
    first = int(peak.max(initial=-1)) + 1
    return np.where(has_peak[component], peak, first + component).astype(np.int64)


def follow_neighbors(graph: Graph, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give vertices without a cluster (-1) that of their neighbours."""
    sure = np.flatnonzero(labels >= 0)
    if sure.size == labels.size:
        return labels
    known = renumber(labels[sure])
    belief = spread_labels(graph, sure, known)
    mass = np.asarray(belief.sum(axis=0)).ravel()
    likely = largest_column(scaled_columns(belief, np.bincount(known) / mass)).astype(np.int64)
    likely[sure] = known
    return likely
