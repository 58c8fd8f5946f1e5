"""The graph of all samples, in shards that stay on the workers."""

from __future__ import annotations

import itertools
import logging
from operator import getitem
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.distributed import neighbours as near
from sentree.distributed.running import Crowd
from sentree.distributed.shards import (
    Piece,
    adjacent_ghosts,
    divided,
    joined,
    kept_rows,
    size_sums,
    weighed,
)
from sentree.distributed.sources import Blocks, EdgeBlocks
from sentree.graph.build import auto_neighbors
from sentree.graph.cells import Cells
from sentree.graph.choice import GraphSettings, choose
from sentree.graph.kernels import LOCAL_RANK
from sentree.graph.scaling import Layout
from sentree.relation.feature_weights import Features, table_layout
from sentree.search.spacing import intrinsic_dimension

__all__ = ["ShardedGraph", "graph_of_edges", "graph_of_samples"]

logger = logging.getLogger(__name__)

#: Vertices of a shard; the number of shards depends on that of samples alone.
SHARD = 1 << 17
#: Rows from which settings, scales and cells are decided.
_SAMPLE = 200_000
#: Rows whose true neighbours tell how many cells a row must be compared with.
_QUERIES = 128
#: Vertices whose edge lengths tell the dimension.
_MEASURED = 100_000
#: Most labels that weigh features.
_LABELS = 1000
#: Bytes of a row or vertex in a task, beside its features or neighbours: numbers, cells and copies.
_BESIDE = 64

_Ints = NDArray[np.int32]


class ShardedGraph(NamedTuple):
    """A graph in shards, and what is known of all of it."""

    shards: list[Any]  # futures of Shard
    bounds: NDArray[np.int64]  # the first vertex of each, then the number of all
    ghosts: list[_Ints]  # the vertices elsewhere that each needs
    vertex: _Ints | None  # the vertex of each row; None where they are the same
    volume: float
    n_edges: int
    degree_bits: float  # sum of d log2(d) over the degrees
    dimension: float | None = None
    widths: NDArray[np.float32] | None = None  # bandwidths of the vertices
    settings: GraphSettings | None = None
    features: Features | None = None
    n_neighbors: int | None = None

    @property
    def n(self) -> int:
        """Number of vertices."""
        return int(self.bounds[-1])

    @property
    def entropy(self) -> float:
        """The entropy of single vertices, in bits."""
        return float(np.log2(self.volume) - self.degree_bits / self.volume)

    def by_vertex(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return values of rows in the order of vertices."""
        if self.vertex is None:
            return rows
        out = np.empty_like(rows)
        out[self.vertex] = rows
        return out

    def by_row(self, vertices: NDArray[Any]) -> NDArray[Any]:
        """Return values of vertices in the order of rows."""
        return vertices if self.vertex is None else vertices[self.vertex]


def graph_of_samples(
    crowd: Crowd,
    blocks: Blocks,
    given: Constraints,
    *,
    affinity: str,
    n_neighbors: int | str,
    n_clusters: int | None,
    seed: int,
) -> ShardedGraph:
    """Join samples to their nearest neighbours, with Gaussian weights of local bandwidths."""
    n = blocks.n
    blocks = blocks._replace(parts=crowd.held(blocks.parts, 8 * n * blocks.width))
    settings, how, features = _decided(crowd, blocks, given, affinity, seed)
    p = n_neighbors
    if isinstance(p, str):
        p = auto_neighbors(n, n_clusters, settings is not None and settings.wide)
    p = min(int(p), n - 1)
    rank = LOCAL_RANK if settings is None else settings.local_rank
    logger.info("finding the neighbours of %d samples", n, extra={"stage": "neighbours"})
    cells, n_cells, overlap = _cells(crowd, blocks, how, p, seed)
    logger.info("%d cells, each sample in the %d nearest", n_cells, overlap)
    # A group has the rows of its home, and those of cells around it.
    row = 8 * blocks.width + 8 * overlap + 24 * p + _BESIDE
    crowd.require("rows", 2 * min(n, SHARD), row, _REMEDY)
    starts = blocks.starts[:-1].tolist()
    rows = crowd.delayed("place", near.placed, blocks.parts, starts, how, cells, overlap)
    nearest = np.concatenate(
        crowd.gather(crowd.each("cells", near.first_cells, rows), "%d of %d blocks are placed")
    )
    vertex, homes, bounds = _numbered(nearest, n, n_cells)
    del nearest
    slices = [vertex[a:b] for a, b in zip(blocks.starts[:-1], blocks.starts[1:], strict=True)]
    sent = crowd.each("send", near.sorted_out, rows, slices, bounds=bounds)
    groups = range(homes.size - 1)
    found = [
        crowd.submit(
            "neighbours",
            near.searched,
            [crowd.submit("pick", getitem, one, g) for one in sent],
            int(bounds[g + 1] - bounds[g]),
            p,
            homes,
        )
        for g in groups
    ]
    lists = [
        crowd.submit(
            "merge",
            near.merged,
            int(homes[g]),
            int(homes[g + 1]),
            how.unit,
            p,
            *(crowd.submit("pick", getitem, one, g) for one in found),
        )
        for g in groups
    ]
    width = crowd.gather(
        crowd.each("widths", near.widths, lists, rank=rank), "%d of %d groups are searched"
    )
    del rows, sent, found
    edges = crowd.each("edges", near.neighbour_edges, lists)
    graph = _assembled(crowd, edges, homes, _filled(np.concatenate(width)), vertex)
    has_levels = settings is not None and settings.has_levels
    return graph._replace(
        settings=settings,
        features=features,
        n_neighbors=p,
        dimension=None if has_levels else graph.dimension,
    )


_REMEDY = "give workers more memory, or fewer threads each"


def _decided(
    crowd: Crowd, blocks: Blocks, given: Constraints, affinity: str, seed: int
) -> tuple[GraphSettings | None, near.Comparison, Features | None]:
    """Decide how rows are compared, from some that depend on their number and the seed alone."""
    n = blocks.n
    drawn = np.arange(n)
    if n > _SAMPLE:
        drawn = np.sort(np.random.default_rng(seed).choice(n, _SAMPLE, replace=False))
    labelled, first = np.unique(given.label_index, return_index=True)
    code = given.label_code[first]
    if labelled.size > _LABELS:
        some = np.random.default_rng(0).permutation(labelled.size)[:_LABELS]
        labelled, code = labelled[some], code[some]
    wanted = np.union1d(drawn, labelled)
    logger.info("looking at %d of %d rows", wanted.size, n, extra={"stage": "sample"})
    crowd.require("rows", int(np.diff(blocks.starts).max()), 24 * blocks.width + _BESIDE, _REMEDY)
    crowd.require("rows", wanted.size, 32 * blocks.width, _REMEDY)
    known = Constraints()
    if labelled.size:
        y = np.full(wanted.size, -1)
        y[np.searchsorted(wanted, labelled)] = code
        known = Constraints.from_labels(y)
    sample = crowd.delayed(
        "sample", near.drawn_rows, blocks.parts, blocks.starts[:-1].tolist(), _of(blocks, wanted)
    )
    task = crowd.submit("choose", _chosen, sample, known, affinity, blocks.names)
    decided: tuple[GraphSettings | None, near.Comparison, Features | None] = crowd.gather([task])[0]
    if decided[0] is not None:
        logger.info("the samples are taken for %s", decided[0])
    return decided


def _of(blocks: Blocks, rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Divide increasing row numbers by blocks."""
    ends = np.searchsorted(rows, blocks.starts)
    return [rows[a:b] for a, b in itertools.pairwise(ends)]


def _chosen(
    parts: list[Any], known: Constraints, affinity: str, names: Any
) -> tuple[GraphSettings | None, near.Comparison, Features | None]:
    """Choose from some rows how all are scaled and compared."""
    sample = np.concatenate(parts)
    if affinity != "auto":
        return None, near.Comparison.of(Layout.fit(sample, None, "euclidean"), sample), None
    settings = choose(sample)
    if not settings.is_table:
        layout = Layout.fit(sample, settings.scale, settings.metric)
        return settings, near.Comparison.of(layout, sample), None
    layout = table_layout(sample, settings.scale, known)
    features = Features.of(layout, sample.shape[1], names)
    return settings, near.Comparison.of(layout, sample), features


def _cells(
    crowd: Crowd, blocks: Blocks, how: near.Comparison, p: int, seed: int
) -> tuple[Any, int, int]:
    """Return cells as a future, their number, and how many of them a row is compared with."""
    n, random = blocks.n, np.random.default_rng(seed)
    starts = blocks.starts[:-1].tolist()
    size = Cells.sample_size(n)
    crowd.require("sampled rows", size, 24 * blocks.width, _REMEDY)
    rows = np.sort(random.choice(n, size, replace=False))
    order = random.permutation(size)
    parts = crowd.delayed("sample", near.drawn_points, blocks.parts, starts, _of(blocks, rows), how)
    cells = crowd.submit("fit-cells", near.fitted_cells, parts, order, n, seed)
    asked = np.sort(random.choice(n, min(n, _QUERIES), replace=False))
    queries = np.concatenate(
        crowd.gather(
            crowd.delayed(
                "sample", near.drawn_points, blocks.parts, starts, _of(blocks, asked), how
            )
        )
    )
    truth = crowd.delayed(
        "truth", near.nearest_in_block, blocks.parts, starts, how, queries, asked, p
    )
    overlap = crowd.submit("overlap", near.overlap_of, cells, queries, truth, p)
    number = crowd.submit("count", _number, cells)
    return cells, *crowd.gather([number, overlap])


def _number(cells: Cells) -> int:
    return cells.number


def _numbered(
    nearest: _Ints, n: int, n_cells: int
) -> tuple[_Ints, NDArray[np.int64], NDArray[np.int64]]:
    """Number rows by cell; return numbers, first numbers of the homes, first cells of the groups.

    Groups are ranges of cells with about as many rows each.
    """
    count = np.bincount(nearest, minlength=n_cells)
    ends = np.cumsum(count)
    n_groups = -(-n // SHARD)
    share = n * np.arange(1, n_groups) / n_groups
    inner = np.searchsorted(ends, share) + 1
    bounds = np.unique(np.concatenate(([0], inner, [count.size])))
    homes = np.concatenate(([0], ends[bounds[1:] - 1]))
    keep = np.concatenate(([True], np.diff(homes) > 0))  # no home without rows
    bounds, homes = bounds[keep], homes[keep]
    bounds[-1] = n_cells
    vertex = np.empty(n, dtype=np.int32)
    vertex[np.argsort(nearest, kind="stable")] = np.arange(n, dtype=np.int32)
    return vertex, homes.astype(np.int64), bounds.astype(np.int64)


def _filled(width: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give vertices that equal all their neighbours the median bandwidth."""
    known = width > 0
    if known.all():
        return width
    median = np.median(width[known]) if known.any() else 1.0
    return np.where(known, width, median).astype(np.float32)


def _assembled(
    crowd: Crowd,
    edges: list[Any],
    bounds: NDArray[np.int64],
    width: NDArray[np.float32] | None,
    vertex: _Ints | None,
) -> ShardedGraph:
    """Join edges from both ends to shards, and weigh them."""
    logger.info("joining the edges", extra={"stage": "graph"})
    n = int(bounds[-1])
    sent = crowd.each("divide", divided, edges, bounds=bounds)
    found = [
        crowd.submit(
            "join",
            joined,
            int(bounds[s]),
            int(bounds[s + 1]),
            edges[s],
            *(crowd.submit("pick", getitem, one, s) for one in sent),
        )
        for s in range(bounds.size - 1)
    ]
    ghosts = crowd.gather(crowd.each("ghosts", adjacent_ghosts, found), "%d of %d are joined")
    every = -(-n // _MEASURED)
    dimension = None
    if width is not None:
        parts = crowd.gather(crowd.each("lengths", kept_rows, found, every=every))
        counts, lengths = (np.concatenate(part) for part in zip(*parts, strict=True))
        dimension = intrinsic_dimension(counts, lengths.astype(np.float64), counts.mean())
        own = [width[a:b] for a, b in itertools.pairwise(bounds)]
        others = [width[one] for one in ghosts]
    else:
        own = others = [None] * len(ghosts)
    shards = crowd.each("weigh", weighed, found, own, others)
    sums = np.array(crowd.gather(crowd.each("degrees", size_sums, shards)))
    volume, bits, entries = sums.sum(axis=0).tolist()
    if entries == 0:
        raise ValueError(
            "no sample has a neighbour: the graph has no edges, so there is nothing to cluster by"
        )
    logger.info("a graph of %d samples and %d edges", n, int(entries) // 2)
    count = int(entries) // 2
    return ShardedGraph(shards, bounds, ghosts, vertex, volume, count, bits, dimension, width)


def graph_of_edges(crowd: Crowd, blocks: EdgeBlocks, n: int | None = None) -> ShardedGraph:
    """Make shards of an edge list; vertices keep their numbers."""
    logger.info("reading the edges", extra={"stage": "graph"})
    parts = crowd.delayed("read", _as_piece, blocks.parts)
    largest = max(crowd.gather(crowd.each("largest", _largest, parts)), default=-1)
    if largest >= np.iinfo(np.int32).max - 1:
        raise ValueError(f"vertex {largest} is too large: numbers are below 2^31 - 2")
    n = largest + 1 if n is None else n
    if n < 2:
        raise ValueError(f"clustering needs at least 2 samples, got n_samples = {n}")
    count = -(-n // SHARD)
    bounds = (n * np.arange(count + 1) // count).astype(np.int64)
    sent = crowd.each("divide", _by_source, parts, bounds=bounds)
    edges = [
        crowd.submit("collect", _collected, [crowd.submit("pick", getitem, one, s) for one in sent])
        for s in range(count)
    ]
    return _assembled(crowd, edges, bounds, None, None)


def _as_piece(arrays: tuple[Any, Any, Any]) -> Piece:
    i, j, weight = arrays
    return Piece(i, j, weight)


def _largest(piece: Piece) -> int:
    return int(max(piece.source.max(initial=-1), piece.target.max(initial=-1)))


def _by_source(piece: Piece, bounds: NDArray[np.int64]) -> list[Piece]:
    """Divide edges by the shard of their smaller end, which counts as their source."""
    low, high = np.minimum(piece.source, piece.target), np.maximum(piece.source, piece.target)
    parts = divided(Piece(high.astype(np.int32), low.astype(np.int32), piece.value), bounds)
    return [Piece(part.target, part.source, part.value) for part in parts]


def _collected(pieces: list[Piece]) -> Piece:
    """Add up the weights of edges that are given twice, in an order that blocks do not change."""
    source, target, value = (np.concatenate(part) for part in zip(*pieces, strict=True))
    order = np.lexsort((value, target, source))
    source, target, value = source[order], target[order], value[order]
    first = np.ones(source.size, dtype=bool)
    first[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    if value.size:
        value = np.add.reduceat(value, np.flatnonzero(first))
    return Piece(source[first], target[first], value)
