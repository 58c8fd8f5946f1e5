"""The neighbours of samples, as tasks: rows go to the groups of their cells, lists come back.

A *group* is a range of cells. A row goes to every group in which it has a cell; its neighbours
there go to its home, the group of its nearest cell, where the lists are merged. Rows are numbered
anew by home cell, so that homes are ranges of numbers: these are the shards of the graph.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.distributed.shards import Piece
from sentree.graph.cell_search import enough_cells
from sentree.graph.cells import Cells, merge_lists, search_cells
from sentree.graph.copies import row_keys
from sentree.graph.scaling import Layout
from sentree.graph.spaces import EuclideanSpace

__all__ = [
    "Comparison",
    "Lists",
    "Placed",
    "Seen",
    "Travellers",
    "checked",
    "drawn_points",
    "first_cells",
    "fitted_cells",
    "in_space",
    "looked_at",
    "merged",
    "nearest_in_block",
    "neighbour_edges",
    "other_keys",
    "overlap_of",
    "placed",
    "searched",
    "sorted_out",
    "widths",
]

#: Rows that queries are compared with at a time.
_STRIP = 1 << 14

IntArray = NDArray[np.int64]
_Ints = NDArray[np.int32]
_Floats = NDArray[np.float32]


class Comparison(NamedTuple):
    """How rows are compared: scaled, and about their mean, which single precision needs."""

    layout: Layout
    mean: NDArray[np.float64]

    @classmethod
    def of(cls, layout: Layout, sample: Any) -> Comparison:
        """Take the mean from a sample."""
        points = layout.space(sample).points
        return cls(layout, np.zeros(1) if cls(layout, points).unit else points.mean(axis=0))

    @property
    def unit(self) -> bool:
        """Whether rows have length 1, and distances are half of the squared ones."""
        return self.layout.metric != "euclidean"


class Placed(NamedTuple):
    """Rows as they are compared, and their cells, the nearest first; -1 for none."""

    points: _Floats
    cells: _Ints


class Travellers(NamedTuple):
    """Rows on their way to a group: numbers, points and cells, -1 for cells of other groups."""

    vertex: _Ints
    points: _Floats
    cells: _Ints


class Lists(NamedTuple):
    """Neighbours of vertices, the nearest first, and distances; -1 where there are fewer."""

    vertex: _Ints
    neighbours: _Ints
    distances: _Floats


class Seen(NamedTuple):
    """Some rows of a block, and a number for each of its rows that equal rows share."""

    rows: NDArray[Any]
    keys: NDArray[np.uint64]


def looked_at(block: Any, start: int, rows: IntArray, names: Any) -> Seen:
    """Return rows of a block, by their numbers among all rows, after a check of the block."""
    samples = checked(block, start, names)
    return Seen(samples[rows - start], row_keys(samples))


def other_keys(block: Any, start: int, rows: IntArray) -> NDArray[np.uint64]:
    """Return second keys of some rows: rows that differ do not share both."""
    return row_keys(np.asarray(block)[rows - start], seed=1)


def checked(block: Any, start: int, names: Any = None) -> NDArray[Any]:
    """Return a block as a row-major array; refuse values that are not finite."""
    samples = np.ascontiguousarray(block)
    if samples.dtype.kind != "f":
        samples = samples.astype(np.float64)
    good = np.isfinite(samples)
    if not good.all():
        row, column = np.argwhere(~good)[0].tolist()
        value = samples[row, column]
        what = "leave such rows out, or fill the gaps" if np.isnan(value) else "leave such rows out"
        raise ValueError(
            f"X has {value} in row {start + row}, column "
            f"{column if names is None else repr(names[column])}: values must be finite; {what} "
            "(SSEPartition fills gaps, DaskPartition does not)"
        )
    return samples


def in_space(block: Any, start: int, how: Comparison) -> tuple[_Floats, NDArray[np.bool_]]:
    """Return rows as they are compared, and whether they have a direction."""
    space = how.layout.space(checked(block, start))
    assert isinstance(space, EuclideanSpace)
    points = np.ascontiguousarray(space.points - how.mean, dtype=np.float32)
    return points, space.has_direction()


def drawn_points(block: Any, start: int, rows: IntArray, how: Comparison) -> _Floats:
    """Return rows of a block as they are compared; there may be none."""
    some = np.asarray(block)[rows - start if rows.size else slice(0, 1)]
    return in_space(some, start, how)[0][: rows.size]


def fitted_cells(parts: list[_Floats], order: IntArray, n: int, seed: int) -> Cells:
    """Divide the space of n rows, of which some are given; ``order`` is a random one of these."""
    return Cells.fit(np.ascontiguousarray(np.concatenate(parts)[order]), n, seed)


def nearest_in_block(
    block: Any,
    start: int,
    how: Comparison,
    queries: _Floats,
    rows: IntArray,
    p: int,
    keep: IntArray | None,
) -> tuple[_Floats, _Floats]:
    """Return the rows of a block that are nearest to queries, and their squared distances.

    ``rows`` are the numbers of the queries, which are not their own neighbours. Rows count that are
    in ``keep``, where this is given.
    """
    points = in_space(block, start, how)[0]
    left_out = np.zeros(len(points), dtype=bool)
    if keep is not None:
        left_out[:] = True
        left_out[keep] = False
    own = rows - start
    found, gaps = [], []
    for first in range(0, len(points), _STRIP):
        strip = points[first : first + _STRIP]
        gap = (strip**2).sum(axis=1) - 2 * queries @ strip.T
        inside = np.flatnonzero((own >= first) & (own < first + len(strip)))
        gap[inside, own[inside] - first] = np.inf
        gap[:, left_out[first : first + _STRIP]] = np.inf
        near = np.argpartition(gap, min(p, len(strip)) - 1, axis=1)[:, :p]
        squared = ((strip[near] - queries[:, None]) ** 2).sum(axis=2)
        squared[~np.isfinite(np.take_along_axis(gap, near, 1))] = np.inf
        found.append(strip[near])
        gaps.append(squared)
    return _nearest(np.concatenate(found, axis=1), np.concatenate(gaps, axis=1), p)


def _nearest(points: _Floats, squared: _Floats, p: int) -> tuple[_Floats, _Floats]:
    """Return the p nearest points of each row, and their squared distances."""
    order = np.argsort(squared, axis=1, kind="stable")[:, :p]
    near = np.take_along_axis(points, order[:, :, None], axis=1)
    return near, np.take_along_axis(squared, order, axis=1)


def overlap_of(cells: Cells, queries: _Floats, parts: list[tuple[_Floats, _Floats]], p: int) -> int:
    """Return how many cells a row must be compared with, from the true neighbours of queries."""
    points, squared = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    return enough_cells(cells, queries, _nearest(points, squared, p)[0])


def placed(
    block: Any, start: int, keep: IntArray | None, how: Comparison, cells: Cells, overlap: int
) -> Placed:
    """Scale rows, or those to ``keep``, and find their nearest cells."""
    points, directed = in_space(block, start, how)
    if keep is not None:
        points, directed = points[keep], directed[keep]
    found = cells.assign(points, overlap)
    found[~directed] = -1
    return Placed(points, found)


def first_cells(block: Placed) -> _Ints:
    """Return the nearest cell of every row."""
    return np.maximum(block.cells[:, 0], 0)


def sorted_out(block: Placed, vertex: _Ints, bounds: IntArray) -> list[Travellers]:
    """Divide rows by the groups that they go to; group g has the cells bounds[g]..bounds[g + 1]."""
    group = np.searchsorted(bounds, block.cells, side="right") - 1
    group[block.cells < 0] = -1
    ordered = np.sort(group, axis=1)
    once = ordered >= 0
    once[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    row, place = np.nonzero(once)
    to = ordered[row, place]
    row = row[np.argsort(to, kind="stable")]
    ends = np.concatenate(([0], np.cumsum(np.bincount(to, minlength=bounds.size - 1))))
    out = []
    for g, (a, b) in enumerate(pairwise(ends.tolist())):
        rows = row[a:b]
        cells = np.where(group[rows] == g, block.cells[rows] - bounds[g], -1)
        out.append(Travellers(vertex[rows], block.points[rows], cells.astype(np.int32)))
    return out


def searched(arrived: list[Travellers], n_cells: int, p: int, homes: IntArray) -> list[Lists]:
    """Search a group, and divide the lists by the homes of their vertices."""
    vertex, points, cells = (np.concatenate(part) for part in zip(*arrived, strict=True))
    order = np.argsort(vertex)  # the result does not depend on the blocks that rows came in
    vertex = vertex[order]
    ids, squared = search_cells(
        np.ascontiguousarray(points[order]), np.ascontiguousarray(cells[order]), n_cells, p
    )
    neighbours = np.append(vertex, np.int32(-1))[ids]
    ends = np.searchsorted(vertex, homes)
    return [
        Lists(vertex[a:b], neighbours[a:b], squared[a:b])
        for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]


def merged(start: int, stop: int, unit: bool, p: int, *found: Lists) -> Lists:
    """Merge the lists of the vertices start..stop-1: the nearest of all groups, each once.

    Squared distances become distances: half of them where rows have ``unit`` length.
    """
    ids = np.full((stop - start, p), -1, dtype=np.int32)
    squared = np.full((stop - start, p), np.inf, dtype=np.float32)
    for more in found:
        rows = (more.vertex - start).astype(np.int64)
        merge_lists(ids, squared, rows, more.neighbours, more.distances)
    distances = 0.5 * squared if unit else np.sqrt(squared)
    return Lists(np.arange(start, stop, dtype=np.int32), ids, distances)


def widths(found: Lists, rank: int) -> _Floats:
    """Return the local bandwidth: the distance to a neighbour, or the first above 0; 0 for none."""
    known = found.neighbours >= 0
    count = known.sum(axis=1)
    last = np.maximum(np.minimum(count, rank) - 1, 0)
    width = np.where(count > 0, found.distances[np.arange(last.size), last], 0.0)
    zero = (width == 0) & (count > 0)
    if zero.any():
        above = np.where(known[zero] & (found.distances[zero] > 0), found.distances[zero], np.inf)
        least = above.min(axis=1)
        width[zero] = np.where(np.isfinite(least), least, 0.0)
    return width.astype(np.float32)


def neighbour_edges(found: Lists) -> Piece:
    """Return lists as edges."""
    row, column = np.nonzero(found.neighbours >= 0)
    return Piece(found.vertex[row], found.neighbours[row, column], found.distances[row, column])
