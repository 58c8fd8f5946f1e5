"""Contraction: from shards of samples to a graph of parts that one worker can search."""

from __future__ import annotations

import logging
import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.distributed.building import ShardedGraph
from sentree.distributed.running import Crowd
from sentree.distributed.shards import Piece, Shard, contracted, regrouped, shard_size, united
from sentree.estimators.partition import SSEPartition
from sentree.graph import FloatArray, Graph
from sentree.graph.build import Affinity
from sentree.graph.extend import GraphExtension
from sentree.search.problem import Problem
from sentree.search.spacing import MeasuredSpacing

__all__ = [
    "PART_BYTES",
    "Coarse",
    "Found",
    "PartSearch",
    "coarsen",
    "graph_of_parts",
    "search_parts",
]

logger = logging.getLogger(__name__)

#: Up to this many samples each is a part of its own, and more parts than this are kept.
_FINE = 20_000
#: Parts for each cluster that is asked for, at least.
_PER_CLUSTER = 20
#: Most samples of a part, about.
_LARGEST = 32
#: Most parts that one worker searches.
_MOST_PARTS = 1 << 21
#: Further levels unite about this many parts to one.
_FURTHER = 8
#: Bytes of a part, its edges included, in the search.
PART_BYTES = 2_000

_Ints = NDArray[np.int32]


class Coarse(NamedTuple):
    """A graph of parts in pieces."""

    part: _Ints  # the part of each vertex of the first shards
    n_parts: int
    pieces: list[Any]  # futures of rows, degrees and inner weights


def coarsen(
    crowd: Crowd,
    graph: ShardedGraph,
    apart: NDArray[Any] | None,
    n_clusters: int | None,
    seed: int,
    single: bool = False,
) -> Coarse:
    """Unite vertices to parts inside shards, level by level, until one worker can hold them.

    Parts are small, so that clusters have many, and their volume is bounded. Vertices with
    different numbers in ``apart`` are never in one part. With ``single``, all vertices are parts.
    """
    logger.info("uniting samples to parts", extra={"stage": "parts"})
    n = graph.n
    size = min(_LARGEST, n / _FINE, n / (_PER_CLUSTER * (n_clusters or 1)))
    whole = np.arange(n, dtype=np.int32)
    shards, bounds, ghosts = graph.shards, graph.bounds, graph.ghosts
    most = size * graph.volume / n if size > 1 and not single else 0.0
    while True:
        kinds = [None if apart is None else apart[a:b] for a, b in _ranges(bounds)]
        made = crowd.each(
            "parts",
            united,
            shards,
            kinds,
            total=graph.volume,
            most=most,
            seed=seed,
        )
        inside = crowd.gather(made, "%d of %d shards are contracted")
        counts = [int(one.max(initial=-1)) + 1 for one in inside]
        firsts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        part = np.concatenate(
            [one + first for one, first in zip(inside, firsts[:-1], strict=True)]
        ).astype(np.int32)
        pieces = crowd.each(
            "contract",
            contracted,
            shards,
            [part[a:b] for a, b in _ranges(bounds)],
            [part[one] for one in ghosts],
            firsts[:-1].tolist(),
            counts,
        )
        whole, n_parts = part[whole], int(firsts[-1])
        logger.info("%d parts", n_parts)
        if n_parts <= _MOST_PARTS or n_parts > 0.9 * int(bounds[-1]):
            return Coarse(whole, n_parts, pieces)
        if apart is not None:
            kind = np.empty(n_parts, dtype=apart.dtype)
            kind[part] = apart
            apart = kind
        shards, bounds, ghosts = _next_level(crowd, pieces, firsts)
        most *= _FURTHER


def _ranges(bounds: NDArray[np.int64]) -> list[tuple[int, int]]:
    return list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))


def _next_level(
    crowd: Crowd, pieces: list[Any], firsts: NDArray[np.int64]
) -> tuple[list[Any], NDArray[np.int64], list[_Ints]]:
    """Put the pieces of neighbouring shards together, to shards of parts."""
    starts, groups = [0], [[0]]
    most = shard_size(int(firsts[-1]))
    for k in range(1, len(pieces)):
        if firsts[k + 1] - starts[-1] > most:
            starts.append(int(firsts[k]))
            groups.append([])
        groups[-1].append(k)
    bounds = np.array([*starts, firsts[-1]], dtype=np.int64)
    shards = [
        crowd.submit("regroup", regrouped, a, b, [pieces[k] for k in group])
        for (a, b), group in zip(_ranges(bounds), groups, strict=True)
    ]
    return shards, bounds, crowd.gather(crowd.each("ghosts", _ghosts, shards))


def _ghosts(shard: Shard) -> _Ints:
    return shard.ghosts


def graph_of_parts(pieces: list[tuple[Piece, FloatArray, FloatArray]], n: int) -> Graph:
    """Put the pieces together to a graph, whose degrees include the weight inside parts."""
    rows, columns, weights = (
        np.concatenate(part) for part in zip(*(piece[0] for piece in pieces), strict=True)
    )
    between = sp.csr_array((weights, (rows, columns)), shape=(n, n))
    between = sp.csr_array((between + between.T) * 0.5)  # both directions, to the last bit
    between.sort_indices()
    degree = np.concatenate([piece[1] for piece in pieces])
    degree = np.maximum(degree, np.asarray(between.sum(axis=1)).ravel())
    return Graph(between.indptr, between.indices, between.data, degree)


class PartSearch(SSEPartition):
    """The search of one machine, on a graph of parts whose edge lengths were measured before."""

    measured: MeasuredSpacing | None = None
    widths: FloatArray | None = None  # bandwidths, where parts are single samples

    def _widths(self) -> FloatArray | None:
        return self.widths

    def _affinity(self, X: Any, given: Constraints) -> Affinity:
        self.graph_settings_ = None
        return Affinity(self._own_graph(X), GraphExtension(1.0))

    def _problem(self, given: Constraints, hard: Constraints | None) -> Problem:
        return super()._problem(given, hard)._replace(measured=self.measured)


class Found(NamedTuple):
    """The clusters of parts, and what the search tells beside them."""

    labels: _Ints
    penalty: float  # of the constraints, in bits
    shrinkage: float  # of volumes while samples move
    selection: Any
    scale: Any
    said: tuple[str, ...]  # warnings


def search_parts(
    pieces: list[Any],
    n: int,
    options: dict[str, Any],
    given: Constraints,
    more: dict[str, Any],
    measured: MeasuredSpacing | FloatArray | None,
) -> Found:
    """Search the graph of parts, on one worker.

    ``measured`` is what is known of edge lengths, or the bandwidths where parts are single samples.
    """
    from distributed import get_worker

    try:
        threads = get_worker().state.nthreads
    except ValueError:  # not on a worker
        threads = 1
    graph = graph_of_parts(pieces, n)
    model = PartSearch(affinity="precomputed", n_jobs=threads, **options)
    if isinstance(measured, MeasuredSpacing):
        model.measured = measured
    else:
        model.widths = measured
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(graph, constraints=given, **more)
    found = model._unconstrained
    return Found(
        model.labels_,
        model.objective_ - model.entropy_,
        0.9 if found is None else found.shrinkage,
        model.selection_,
        model.scale_,
        tuple(str(one.message) for one in said),
    )
