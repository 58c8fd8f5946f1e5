"""The exact search for neighbours, through all pairs of samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.stopping import check
from sentree.graph.queries import TIE, KeyArray, Neighbors, Queries, nearest
from sentree.graph.spaces import EuclideanSpace, FloatArray, MetricSpace, Space, is_sparse

__all__ = ["exact_neighbors", "row_blocks"]

#: Squared distances with a larger relative error are computed again from differences.
_PRECISION = 1e-11
#: Bytes of one block of a distance matrix.
_BLOCK_BYTES = 1 << 26


def row_blocks(n_rows: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """Row ranges whose blocks of a dense table stay within the memory bound."""
    step = max(1, _BLOCK_BYTES // (8 * n_columns))
    for start in range(0, n_rows, step):
        check()
        yield start, min(start + step, n_rows)


def _ranks(rows: NDArray[Any], *keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each entry within its row, by the keys, the first one first."""
    order = np.lexsort((*reversed(keys), rows))
    counts = np.bincount(rows)
    first = (np.cumsum(counts) - counts)[rows[order]]
    ranks = np.empty(rows.size, dtype=np.intp)
    ranks[order] = np.arange(rows.size) - first
    return ranks


class _ExactEuclidean:
    """Candidates by a matrix product with its rounding error bounded, then exact distances.

    The product alone would lose ties and near duplicates: |a|^2 + |b|^2 - 2ab cancels. It is within
    ``bound * (|a|^2 + |b|^2)`` of the exact value, so no true neighbour escapes the candidates, and
    only pairs where that matters (nearly as far as the p-th neighbour, or nearly equal) are
    computed from their differences.
    """

    def __init__(self, space: EuclideanSpace, keys: KeyArray | None) -> None:
        points = space.points
        self.space = space
        self.keys = keys
        self.bound = 2 * (points.shape[1] + 8) * np.finfo(np.float64).eps
        self.centre = None if is_sparse(points) else points.mean(axis=0)
        self.centred, self.norms = self._centre(points)

    def _centre(self, points: Any) -> tuple[Any, FloatArray]:
        """Points around the mean of the samples, and their squared lengths."""
        if self.centre is None:
            return points, np.asarray(points.multiply(points).sum(axis=1)).ravel()
        centred = points - self.centre
        return centred, np.einsum("ij,ij->i", centred, centred)

    def candidates(
        self, queries: Queries, p: int, ties: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """Return queries, columns and exact squared distances of all possible neighbours.

        Without ``ties``, of very many that are as far as the p-th only some are returned.
        """
        whole = queries.space is self.space
        centred, norms = (self.centred, self.norms) if whole else self._centre(queries.space.points)
        # The product of a matrix with its own transpose takes half the time of any other.
        product = centred @ self.centred.T
        table = product.toarray() if is_sparse(product) else product
        table *= -2.0
        table += norms[:, None]
        table += self.norms
        queries.hide_own(table)
        error = self.bound * (norms + self.norms.max())
        reach = np.partition(table, p - 1, axis=1)[:, p - 1]
        tie = TIE * np.abs(reach) + self.space.tie
        near, columns = np.nonzero(table <= (reach + tie + 2 * error)[:, None])
        squared = table[near, columns]
        doubtful = squared >= (reach - tie - 2 * error)[near]
        if not ties and near.size > 8 * p * norms.size:
            late = np.flatnonzero(doubtful)
            behind = queries.tie_order(near[late], columns[late], self.space.n, self.keys)
            keep = np.ones(near.size, dtype=bool)
            keep[late[_ranks(near[late], behind) >= 2 * p]] = False
            near, columns, squared = near[keep], columns[keep], squared[keep]
            doubtful = doubtful[keep]
        doubtful |= error[near] > _PRECISION * squared
        squared[doubtful] = self.space.squared(near[doubtful], columns[doubtful], queries.space)
        return near, columns, squared


class _ExactMetric:
    """Neighbours from whole rows of the distance matrix: nothing is known about the metric."""

    def __init__(self, space: MetricSpace, keys: KeyArray | None) -> None:
        self.space = space

    def candidates(
        self, queries: Queries, p: int, ties: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """Queries, columns and distances of the neighbours."""
        table = self.space.block(queries.space)
        queries.hide_own(table)
        reach = np.partition(table, p - 1, axis=1)[:, p - 1]
        near, columns = np.nonzero(table <= (reach * (1 + TIE))[:, None])
        return near, columns, table[near, columns]


def exact_neighbors(
    space: Space,
    p: int,
    queries: Queries | None = None,
    ties: bool = True,
    keys: KeyArray | None = None,
) -> Neighbors:
    """Search blockwise through all pairs in float64; for the neighbours of all samples by default.

    ``ties`` keeps every sample as near as the p-th neighbour; else some of these are taken, by the
    ``keys`` of the samples where they have any.
    """
    wanted = Queries.all_of(space, keys) if queries is None else queries
    euclidean = isinstance(space, EuclideanSpace)
    search: Any = (_ExactEuclidean if euclidean else _ExactMetric)(space, keys)  # type: ignore[arg-type]
    tie = space.tie if isinstance(space, EuclideanSpace) else 0.0
    parts = []
    for start, stop in row_blocks(wanted.space.n, space.n):
        part = wanted.part(start, stop)
        near, columns, values = search.candidates(part, p, ties)
        if not ties:
            first = _ranks(near, values, part.tie_order(near, columns, space.n, keys)) < p
            near, columns, values = near[first], columns[first], values[first]
        parts.append(nearest(near, columns, values, stop - start, p, tie))
    counts = np.concatenate([np.diff(part[0]) for part in parts])
    values = np.concatenate([part[2] for part in parts])
    return Neighbors(
        np.concatenate(([0], np.cumsum(counts))),
        np.concatenate([part[1] for part in parts]),
        space.from_squared(values) if isinstance(space, EuclideanSpace) else values,
    )
