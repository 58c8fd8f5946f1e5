"""Shards: the rows of a range of vertices, as pure functions that run as tasks.

Vertices are numbered so that neighbours are near, and a shard has a range of them. A shard knows
the vertices of others that its edges lead to (its *ghosts*) by their numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import FloatArray
from sentree.search.kernels import ShardRows, unite_inside

__all__ = [
    "Adjacency",
    "Piece",
    "Shard",
    "Sizes",
    "adjacent_ghosts",
    "arrivals",
    "contracted",
    "divided",
    "inside_sums",
    "joined",
    "kept_rows",
    "regrouped",
    "shard_size",
    "size_sums",
    "united",
    "weighed",
]

#: Least vertices of a shard.
SHARD = 1 << 17
#: Most shards: every one sends something to every other, which is a task of the scheduler each.
_MOST = 200

IntArray = NDArray[np.int64]
_Ints = NDArray[np.int32]


def shard_size(n: int) -> int:
    """Return the vertices of a shard, from the number of all alone: workers change no result."""
    size = SHARD
    while n > _MOST * size:
        size *= 2
    return size


class Piece(NamedTuple):
    """Directed edges: sources, targets and values."""

    source: _Ints
    target: _Ints
    value: NDArray[Any]


class Adjacency(NamedTuple):
    """The edges of the vertices start..stop-1, in both directions, with distances."""

    start: int
    stop: int
    indptr: IntArray
    indices: _Ints  # own vertices from 0 on, then the ghosts in order
    values: NDArray[Any]
    ghosts: _Ints  # numbers of the vertices elsewhere, increasing

    @property
    def n(self) -> int:
        """Number of own vertices."""
        return self.stop - self.start


class Shard(NamedTuple):
    """A shard with weights."""

    start: int
    stop: int
    rows: ShardRows
    ghosts: _Ints


def divided(edges: Piece, bounds: IntArray) -> list[Piece]:
    """Divide edges by the shard of their target."""
    place = np.searchsorted(bounds, edges.target, side="right") - 1
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], np.arange(bounds.size))
    return [
        Piece(*(part[order[a:b]] for part in edges))
        for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]


def arrivals(sent: list[Any]) -> list[int]:
    """Return how many edges or rows of a task go to each group or shard."""
    return [one[0].size for one in sent]


def joined(start: int, stop: int, own: Piece, *others: Piece) -> Adjacency:
    """Join own edges with those of all shards that lead here, each pair once.

    Of two values for one pair the smaller counts.
    """
    largest = max(int(ends.max(initial=stop - 1)) for ends in _other_ends(own, others))
    near = _inverses([(own.source, own.target, own.value)], start, stop, largest + 1)
    back = [(piece.target, piece.source, piece.value) for piece in others]
    both = near.maximum(_inverses(back, start, stop, largest + 1))
    target, value = both.indices, both.data
    inside = (target >= start) & (target < stop)
    ghosts = np.unique(target[~inside])
    column = target - np.int32(start)
    column[~inside] = stop - start + np.searchsorted(ghosts, target[~inside])
    with np.errstate(divide="ignore"):
        value = (1.0 / value).astype(own.value.dtype)  # infinite for what is 0
    return Adjacency(
        start,
        stop,
        both.indptr.astype(np.int64),
        column.astype(np.int32),
        value,
        ghosts.astype(np.int32),
    )


def _other_ends(own: Piece, others: tuple[Piece, ...]) -> list[NDArray[Any]]:
    return [own.target, *(piece.source for piece in others)]


def _inverses(edges: list[tuple[Any, Any, Any]], start: int, stop: int, n: int) -> Any:
    """Return the inverse of the values as a matrix, of which the larger is that of the smaller."""
    source, target, value = (np.concatenate(part) for part in zip(*edges, strict=True))
    with np.errstate(divide="ignore"):
        data = 1.0 / value.astype(np.float64)
    matrix = sp.coo_array((data, (source - start, target)), shape=(stop - start, n)).tocsr()
    matrix.sort_indices()
    return matrix


def weighed(
    found: Adjacency,
    width: NDArray[Any] | None,
    ghost_width: NDArray[Any] | None,
    count: NDArray[Any] | None = None,
    ghost_count: NDArray[Any] | None = None,
) -> Shard:
    """Weigh edges by a Gaussian of the bandwidths of both ends; without these, by their values.

    Vertices that stand for several equal rows (``count``) have the edges of all of them, and the
    weight of the ring in which one machine joins copies inside: 1 for each.
    """
    if width is None or ghost_width is None:
        weights = found.values.astype(np.float64)
    else:
        both = np.concatenate((width, ghost_width)).astype(np.float64)
        own = np.repeat(both[: found.n], np.diff(found.indptr))
        distance = found.values.astype(np.float64)
        with np.errstate(under="ignore"):
            weights = np.exp(-(distance / own) * (distance / both[found.indices]))
    inner = np.zeros(found.n)
    if count is not None and ghost_count is not None:
        times = np.concatenate((count, ghost_count)).astype(np.float64)
        weights *= np.repeat(times[: found.n], np.diff(found.indptr)) * times[found.indices]
        joins = np.diff(found.indptr) > 0  # rows without a direction are like no other
        inner = np.where(joins & (count > 1), times[: found.n], 0.0)
    keep = weights > 0
    indptr = np.concatenate(([0], np.cumsum(keep)))[found.indptr].astype(np.int64)
    indices, weights = found.indices[keep], weights[keep]
    degree = inner + _sums(np.repeat(np.arange(found.n), np.diff(indptr)), weights, found.n)
    rows = ShardRows(indptr, indices, weights, degree, inner)
    return Shard(found.start, found.stop, rows, found.ghosts)


def adjacent_ghosts(found: Adjacency) -> _Ints:
    """Return the vertices elsewhere that edges lead to."""
    return found.ghosts


class Sizes(NamedTuple):
    """What a shard adds to the sizes of the graph."""

    volume: float
    bits: float  # the sum of d log2(d) over the degrees, which copies share evenly
    entries: int
    lonely: _Ints  # vertices without an edge


def size_sums(shard: Shard, count: NDArray[Any] | None = None) -> Sizes:
    """Return what a shard adds to the sizes of the graph; ``count`` is the copies of vertices."""
    degree = shard.rows.degree
    each = degree if count is None else degree / count
    bits = np.zeros_like(degree)
    np.log2(each, out=bits, where=degree > 0)
    lonely = np.flatnonzero(degree == 0) + shard.start
    entries = shard.rows.indices.size
    return Sizes(float(degree.sum()), float(degree @ bits), entries, lonely.astype(np.int32))


def kept_rows(found: Adjacency, every: int) -> tuple[IntArray, NDArray[Any]]:
    """Return the number of edges and the distances of one in ``every`` vertices."""
    chosen = np.arange(-found.start % every, found.n, every)
    count = np.diff(found.indptr)[chosen]
    take = np.repeat(found.indptr[chosen] - (np.cumsum(count) - count), count)
    return count, found.values[take + np.arange(take.size)]


def united(shard: Shard, apart: Any, *, total: float, most: float, seed: int) -> _Ints:
    """Return connected parts of the vertices of a shard, of at most a volume ``most`` each.

    Vertices of one part have one number in ``apart``, where that is given.
    """
    rows = shard.rows
    parts = unite_inside(rows, total, most, seed=seed + shard.start)
    if apart is None:
        return parts
    _, found = np.unique(np.column_stack((parts, apart)), axis=0, return_inverse=True)
    return found.ravel().astype(np.int32)


def _sums(group: NDArray[Any], values: FloatArray, count: int) -> FloatArray:
    """Sum values over groups 0..count-1."""
    return np.asarray(np.bincount(group, values, count), dtype=np.float64)


def contracted(
    shard: Shard, part: _Ints, ghost_part: _Ints, first: int, count: int
) -> tuple[Piece, FloatArray, FloatArray]:
    """Contract the parts first..first+count-1 of own vertices, by numbers of the whole graph.

    Returns the weight between parts, and the degree and the inner weight of these.
    """
    rows = shard.rows
    both = np.concatenate((part, ghost_part)).astype(np.int64)
    source = np.repeat(part.astype(np.int64), np.diff(rows.indptr))
    target = both[rows.indices]
    inner = _sums(part - first, rows.inner, count)
    same = source == target
    inner += _sums(source[same] - first, rows.weights[same], count)
    degree = _sums(part - first, rows.degree, count)
    out = ~same
    found = sp.coo_array(
        (rows.weights[out], (source[out] - first, target[out])),
        shape=(count, int(both.max(initial=0)) + 1),
    )
    found.sum_duplicates()
    piece = Piece((found.row + first).astype(np.int32), found.col.astype(np.int32), found.data)
    return piece, degree, inner


def regrouped(start: int, stop: int, pieces: list[tuple[Piece, FloatArray, FloatArray]]) -> Shard:
    """Make a shard of the parts start..stop-1 from pieces that have all their rows."""
    source, target, weights = (
        np.concatenate(part) for part in zip(*(piece[0] for piece in pieces), strict=True)
    )
    order = np.lexsort((target, source))
    source, target = source[order], target[order]
    inside = (target >= start) & (target < stop)
    ghosts = np.unique(target[~inside])
    column = np.where(inside, target - start, stop - start + np.searchsorted(ghosts, target))
    count = np.bincount(source - start, minlength=stop - start)
    rows = ShardRows(
        np.concatenate(([0], np.cumsum(count))).astype(np.int64),
        column.astype(np.int32),
        weights[order],
        np.concatenate([piece[1] for piece in pieces]),
        np.concatenate([piece[2] for piece in pieces]),
    )
    return Shard(start, stop, rows, ghosts.astype(np.int32))


def inside_sums(shard: Shard, labels: _Ints, k: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return what own vertices add to the association, volume and number of each module 0..k-1."""
    rows = shard.rows
    own = labels[: rows.n]
    source = np.repeat(own, np.diff(rows.indptr))
    same = source == labels[rows.indices]
    association = _sums(own, rows.inner, k) + _sums(source[same], rows.weights[same], k)
    number = np.bincount(own, minlength=k).astype(np.int64)
    return association, _sums(own, rows.degree, k), number
