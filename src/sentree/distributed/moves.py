"""Moves of single samples among clusters, in sub-rounds over shards."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.distributed.building import ShardedGraph
from sentree.distributed.running import Crowd
from sentree.distributed.shards import Shard, inside_sums
from sentree.graph import FloatArray
from sentree.search.kernels import shard_moves

__all__ = ["Sums", "bucket", "moved", "sums_of"]

logger = logging.getLogger(__name__)

#: Sub-rounds of a sweep, 2 to this power: in each, the vertices with one hash are decided.
_BITS = 2
#: Most sweeps.
_SWEEPS = 12
#: Sweeps end when fewer than one in this many vertices moves.
_FEW = 2_000
#: Mixes the bits of a vertex (2^64 divided by the golden ratio).
_MIX = np.uint64(0x9E3779B97F4A7C15)

_Ints = NDArray[np.int32]


class Sums(NamedTuple):
    """The weight inside each cluster (both directions), its volume, and its number of vertices."""

    association: FloatArray
    volume: FloatArray
    members: NDArray[np.int64]

    def cost(self, total: float, shrinkage: float = 0.0) -> float:
        """Return what clusters add to the entropy of single vertices, in bits."""
        k = self.volume.size
        share = (1 - shrinkage) * self.volume / total + shrinkage / k
        bits = np.zeros(k)
        np.log2(share, out=bits, where=self.volume > 0)
        return float(self.association @ bits) / total


def bucket(start: int, stop: int) -> NDArray[np.uint64]:
    """Return in which sub-round each of the vertices start..stop-1 is decided."""
    with np.errstate(over="ignore"):
        mixed = np.arange(start + 1, stop + 1, dtype=np.uint64) * _MIX
    return mixed >> np.uint64(64 - _BITS)


def sums_of(crowd: Crowd, graph: ShardedGraph, states: list[Any], k: int) -> Sums:
    """Return the sums over all shards, added in their order."""
    parts = crowd.gather(crowd.each("sums", inside_sums, graph.shards, states, k=k))
    return Sums(*(np.sum(part, axis=0) for part in zip(*parts, strict=True)))


def moved(
    crowd: Crowd,
    graph: ShardedGraph,
    labels: _Ints,
    shrinkage: float,
    fixed: NDArray[np.bool_] | None,
    moves: bool = True,
) -> tuple[_Ints, Sums]:
    """Move vertices to adjacent clusters where that gains; the number of clusters stays the same.

    In a sub-round all shards decide on the same labels and sums. Then all moves are made at once,
    here, and shards are told of those that concern them. Returns labels and their sums.
    """
    logger.info("moving samples at borders", extra={"stage": "borders"})
    k = int(labels.max()) + 1
    labels = labels.copy()
    states = _states(crowd, graph, labels)
    sums = sums_of(crowd, graph, states, k)
    stays = [None if fixed is None else fixed[a:b] for a, b in _ranges(graph)]
    for sweep in range(_SWEEPS if moves and k > 1 else 0):
        before, cost, count = labels.copy(), sums.cost(graph.volume, shrinkage), 0
        start = states
        for turn in range(1 << _BITS):
            found = crowd.gather(
                crowd.each(
                    "moves",
                    _decided,
                    graph.shards,
                    states,
                    stays,
                    turn=turn,
                    total=graph.volume,
                    association=sums.association,
                    volume=sums.volume,
                    shrinkage=shrinkage,
                )
            )
            chosen = _allowed(found, labels, sums)
            vertex, to = chosen[0], chosen[1]
            count += vertex.size
            if vertex.size == 0:
                continue
            sums = _after(sums, labels, *chosen)
            labels[vertex] = to
            states = _told(crowd, graph, states, vertex, to)
        sums = sums_of(crowd, graph, states, k)
        logger.info("sweep %d moved %d samples", sweep + 1, count)
        if sums.cost(graph.volume, shrinkage) > cost:  # they got in one another's way
            labels, states = before, start
            sums = sums_of(crowd, graph, states, k)
            break
        if count * _FEW <= graph.n:
            break
    return labels, sums


def _ranges(graph: ShardedGraph) -> list[tuple[int, int]]:
    return list(zip(graph.bounds[:-1].tolist(), graph.bounds[1:].tolist(), strict=True))


def _states(crowd: Crowd, graph: ShardedGraph, labels: _Ints) -> list[Any]:
    """Send every shard the labels of its vertices and ghosts."""
    return [
        crowd.submit("labels", np.concatenate, (labels[a:b], labels[ghosts]))
        for (a, b), ghosts in zip(_ranges(graph), graph.ghosts, strict=True)
    ]


def _decided(
    shard: Shard,
    labels: _Ints,
    stays: NDArray[np.bool_] | None,
    *,
    turn: int,
    total: float,
    association: FloatArray,
    volume: FloatArray,
    shrinkage: float,
) -> tuple[_Ints, _Ints, FloatArray, FloatArray, FloatArray]:
    """Return the moves of one shard in a sub-round, by numbers of the whole graph."""
    asked = bucket(shard.start, shard.stop) == turn
    if stays is not None:
        asked &= ~stays
    vertices = np.flatnonzero(asked).astype(np.int32)
    vertex, to, left, joined = shard_moves(
        shard.rows, labels, total, association, volume, vertices, shrinkage
    )
    number = (vertex + shard.start).astype(np.int32)
    return number, to, left, joined, shard.rows.degree[vertex]


def _allowed(found: list[Any], labels: _Ints, sums: Sums) -> list[NDArray[Any]]:
    """Put the moves of all shards together, without those that would leave a cluster empty."""
    columns = [np.concatenate(part) for part in zip(*found, strict=True)]
    leaves = labels[columns[0]]
    order = np.argsort(leaves, kind="stable")
    first = np.searchsorted(leaves[order], leaves[order])
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size) - first
    keep = rank < sums.members[leaves] - 1
    return [column[keep] for column in columns]


def _after(
    sums: Sums,
    labels: _Ints,
    vertex: _Ints,
    to: _Ints,
    left: FloatArray,
    joined: FloatArray,
    degree: FloatArray,
) -> Sums:
    """Return sums after moves, as if no two of them were adjacent; each sweep begins exactly."""
    k, leaves = sums.volume.size, labels[vertex]
    return Sums(
        sums.association + 2 * (np.bincount(to, joined, k) - np.bincount(leaves, left, k)),
        np.maximum(sums.volume + np.bincount(to, degree, k) - np.bincount(leaves, degree, k), 0.0),
        sums.members + np.bincount(to, minlength=k) - np.bincount(leaves, minlength=k),
    )


def _told(
    crowd: Crowd, graph: ShardedGraph, states: list[Any], vertex: _Ints, to: _Ints
) -> list[Any]:
    """Tell every shard which of its vertices and ghosts have moved."""
    order = np.argsort(vertex)
    vertex, to = vertex[order], to[order]
    out = []
    for (a, b), ghosts, state in zip(_ranges(graph), graph.ghosts, states, strict=True):
        low, high = np.searchsorted(vertex, (a, b))
        at = np.minimum(np.searchsorted(ghosts, vertex), max(ghosts.size - 1, 0))
        here = ghosts[at] == vertex if ghosts.size else np.zeros(vertex.size, dtype=bool)
        place = np.concatenate((vertex[low:high] - a, b - a + at[here]))
        value = np.concatenate((to[low:high], to[here]))
        out.append(crowd.submit("tell", _changed, state, place, value) if place.size else state)
    return out


def _changed(labels: _Ints, place: NDArray[Any], value: _Ints) -> _Ints:
    labels = labels.copy()
    labels[place] = value
    return labels
