"""The graph of all samples, in shards that stay on the workers."""

from __future__ import annotations

import itertools
import logging
from operator import getitem
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree._util.warnings import warn
from sentree.constraints import Constraints
from sentree.distributed import neighbours as near
from sentree.distributed.running import Crowd
from sentree.distributed.shards import (
    Piece,
    adjacent_ghosts,
    arrivals,
    divided,
    joined,
    kept_rows,
    shard_size,
    size_sums,
    weighed,
)
from sentree.distributed.sources import Blocks, EdgeBlocks
from sentree.graph.build import auto_neighbors
from sentree.graph.cells import Cells
from sentree.graph.choice import GraphSettings, choose
from sentree.graph.copies import Copies
from sentree.graph.kernels import LOCAL_RANK
from sentree.graph.scaling import Layout
from sentree.relation.feature_weights import Features, table_layout
from sentree.search.spacing import intrinsic_dimension

__all__ = [
    "EdgeList",
    "ShardedGraph",
    "block_rows",
    "graph_of_edges",
    "graph_of_samples",
    "read_edges",
]

logger = logging.getLogger(__name__)

#: Least rows of a block: those that queries are compared with at a time, so that blocks of any size
#: give the same sums.
_LEAST = 1 << 14
#: Rows from which settings, scales and cells are decided.
_SAMPLE = 200_000
#: Rows whose true neighbours tell how many cells a row must be compared with.
_QUERIES = 128
#: Vertices whose edge lengths tell the dimension.
_MEASURED = 100_000
#: Most labels that weigh features.
_LABELS = 1000
#: Makes the keys of equal rows differ that are of different kinds (an odd number).
_KIND = np.uint64(0xD1342543DE82EF95)
#: Bytes of an edge while those of a shard are joined, given from one end.
_EDGE_BYTES = 40
#: Bytes of a row or vertex in a task, beside its features or neighbours: numbers, cells and copies.
_BESIDE = 64

_Ints = NDArray[np.int32]


class ShardedGraph(NamedTuple):
    """A graph in shards, and what is known of all of it."""

    shards: list[Any]  # futures of Shard
    bounds: NDArray[np.int64]  # the first vertex of each, then the number of all
    ghosts: list[_Ints]  # the vertices elsewhere that each needs
    vertex: _Ints | None  # the vertex of each row, one for equal rows; None where they are the same
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
        """Return values of rows in the order of vertices; equal rows must have equal ones."""
        if self.vertex is None:
            return rows
        out = np.empty(self.n, dtype=rows.dtype)
        out[self.vertex] = rows  # copies of a row have the same
        return out

    def by_row(self, vertices: NDArray[Any]) -> NDArray[Any]:
        """Return values of vertices in the order of rows."""
        return vertices if self.vertex is None else vertices[self.vertex]


def block_rows(crowd: Crowd, n: int, width: int) -> int:
    """Return the rows that are read at a time: as many as a shard has, fewer if memory is short."""
    rows, room = shard_size(n), crowd.room()
    while rows > _LEAST and rows * _read_bytes(width) > room:
        rows //= 2
    return rows


def _read_bytes(width: int) -> int:
    """Return the bytes of a row while its block is scaled and placed."""
    return 24 * width + _BESIDE


def graph_of_samples(
    crowd: Crowd,
    blocks: Blocks,
    given: Constraints,
    kinds: NDArray[np.int64] | None,
    *,
    affinity: str,
    n_neighbors: int | str,
    n_clusters: int | None,
    seed: int,
    unite: bool = True,
) -> ShardedGraph:
    """Join samples to their nearest neighbours, with Gaussian weights of local bandwidths.

    Equal rows of one kind are one vertex, with ``unite``.
    """
    n = blocks.n
    blocks = blocks._replace(parts=crowd.held(blocks.parts, 8 * n * blocks.width))
    settings, how, features, keys = _decided(crowd, blocks, given, affinity, seed)
    copies = _copies(crowd, blocks, keys, kinds) if unite else None
    del keys
    distinct = n if copies is None else copies.first.size
    p = n_neighbors
    if isinstance(p, str):
        p = auto_neighbors(n, n_clusters, settings is not None and settings.wide)
    p = min(int(p), distinct - 1)
    rank = LOCAL_RANK if settings is None else settings.local_rank
    logger.info("finding the neighbours of %d samples", distinct, extra={"stage": "neighbours"})
    first = None if copies is None else copies.first
    cells, n_cells, overlap = _cells(crowd, blocks, first, how, p, seed)
    logger.info("%d cells, each sample in the %d nearest", n_cells, overlap)
    row = 12 * blocks.width + 12 * overlap + 24 * p + _BESIDE
    crowd.require("rows", min(distinct, shard_size(distinct)), row, _REMEDY)
    starts, kept = blocks.starts[:-1].tolist(), _kept(blocks, first)
    rows = crowd.delayed("place", near.placed, blocks.parts, starts, kept, how, cells, overlap)
    nearest = crowd.gather(
        crowd.each("cells", near.first_cells, rows), "%d of %d blocks are placed"
    )
    sizes = [one.size for one in nearest]
    vertex, homes, bounds = _numbered(np.concatenate(nearest), distinct, n_cells)
    del nearest
    slices = np.split(vertex, np.cumsum(sizes)[:-1])
    sent = crowd.each("send", near.sorted_out, rows, slices, bounds=bounds)
    # A group has the rows of its home, and those of cells around it.
    coming = crowd.gather(crowd.each("arrivals", arrivals, sent))
    crowd.require("rows", int(np.sum(coming, axis=0).max()), row, _REMEDY)
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
    count = None
    if copies is not None:
        count = np.empty(distinct, dtype=np.int64)
        count[vertex] = copies.count
        vertex = vertex[copies.row]
    graph = _assembled(crowd, edges, homes, _filled(np.concatenate(width)), vertex, count)
    has_levels = settings is not None and settings.has_levels
    return graph._replace(
        settings=settings,
        features=features,
        n_neighbors=p,
        dimension=None if has_levels else graph.dimension,
    )


def _copies(
    crowd: Crowd,
    blocks: Blocks,
    keys: NDArray[np.uint64],
    kinds: NDArray[np.int64] | None,
) -> Copies | None:
    """Return which rows are equal and of one kind; None where none are, or all."""
    if kinds is not None:
        with np.errstate(over="ignore"):
            keys = keys + kinds.astype(np.uint64) * _KIND
    ordered = np.sort(keys)
    again = ordered[1:] == ordered[:-1]
    if not again.any() or again.all():
        return None
    twice = np.flatnonzero(np.isin(keys, ordered[1:][again]))
    del ordered, again
    starts, rows = blocks.starts[:-1].tolist(), _of(blocks, twice)
    other = np.concatenate(
        crowd.gather(crowd.delayed("keys", near.other_keys, blocks.parts, starts, rows))
    )
    order = np.lexsort((other, keys[twice]))
    new = np.ones(twice.size, dtype=bool)
    for one in (keys[twice[order]], other[order]):
        new[1:] &= one[1:] == one[:-1]
    new[1:] = ~new[1:]
    source = np.arange(keys.size)
    source[twice[order]] = twice[order][new][np.cumsum(new) - 1]  # the first row that is equal
    is_first = source == np.arange(keys.size)
    row = (np.cumsum(is_first) - 1)[source]
    logger.info("%d of %d rows differ", is_first.sum(), keys.size)
    return Copies(row, np.flatnonzero(is_first), np.bincount(row))


def _kept(blocks: Blocks, first: NDArray[np.int64] | None) -> list[NDArray[np.int64] | None]:
    """Return the places in each block of the rows that are vertices; None for all."""
    if first is None:
        return [None] * (blocks.starts.size - 1)
    starts = blocks.starts[:-1]
    return [rows - a for rows, a in zip(_of(blocks, first), starts, strict=True)]


_REMEDY = "give workers more memory, or fewer threads each"
_ALONE = "give workers more memory"


def _decided(
    crowd: Crowd, blocks: Blocks, given: Constraints, affinity: str, seed: int
) -> tuple[GraphSettings | None, near.Comparison, Features | None, NDArray[np.uint64]]:
    """Decide how rows are compared, from some that depend on their number and the seed alone.

    Returns settings, comparison, features, and the keys of all rows, which equal rows share.
    """
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
    most = int(np.diff(blocks.starts).max())
    crowd.require("rows", most, _read_bytes(blocks.width), _REMEDY)
    crowd.require("rows", wanted.size, 32 * blocks.width, _ALONE, alone=True)
    known = Constraints()
    if labelled.size:
        y = np.full(wanted.size, -1)
        y[np.searchsorted(wanted, labelled)] = code
        known = Constraints.from_labels(y)
    seen = crowd.delayed(
        "sample",
        near.looked_at,
        blocks.parts,
        blocks.starts[:-1].tolist(),
        _of(blocks, wanted),
        blocks.names,
    )
    sample = [crowd.submit("pick", getitem, one, 0) for one in seen]
    task = crowd.submit("choose", _chosen, sample, known, affinity, blocks.names)
    decided: tuple[GraphSettings | None, near.Comparison, Features | None] = crowd.gather([task])[0]
    keys = crowd.gather([crowd.submit("pick", getitem, one, 1) for one in seen])
    if decided[0] is not None:
        logger.info("the samples are taken for %s", decided[0])
    return *decided, np.concatenate(keys)


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
    crowd: Crowd,
    blocks: Blocks,
    first: NDArray[np.int64] | None,
    how: near.Comparison,
    p: int,
    seed: int,
) -> tuple[Any, int, int]:
    """Return cells as a future, their number, and how many of them a row is compared with.

    ``first`` are the rows that count, where some repeat.
    """
    n, random = blocks.n if first is None else first.size, np.random.default_rng(seed)
    starts = blocks.starts[:-1].tolist()
    size = Cells.sample_size(n)
    crowd.require("sampled rows", size, 24 * blocks.width, _ALONE, alone=True)
    rows = np.sort(random.choice(n, size, replace=False))
    rows = rows if first is None else first[rows]
    order = random.permutation(size)
    parts = crowd.delayed("sample", near.drawn_points, blocks.parts, starts, _of(blocks, rows), how)
    cells = crowd.submit("fit-cells", near.fitted_cells, parts, order, n, seed)
    asked = np.sort(random.choice(n, min(n, _QUERIES), replace=False))
    asked = asked if first is None else first[asked]
    queries = np.concatenate(
        crowd.gather(
            crowd.delayed(
                "sample", near.drawn_points, blocks.parts, starts, _of(blocks, asked), how
            )
        )
    )
    truth = crowd.delayed(
        "truth",
        near.nearest_in_block,
        blocks.parts,
        starts,
        how,
        queries,
        asked,
        p,
        _kept(blocks, first),
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
    n_groups = -(-n // shard_size(n))
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
    count: NDArray[np.int64] | None = None,
) -> ShardedGraph:
    """Join edges from both ends to shards, and weigh them; ``count`` is the copies of vertices."""
    logger.info("joining the edges", extra={"stage": "graph"})
    n = int(bounds[-1])
    sent = crowd.each("divide", divided, edges, bounds=bounds)
    coming = np.array(crowd.gather(crowd.each("arrivals", arrivals, sent)))
    most = int((coming.sum(axis=0) + coming.sum(axis=1)).max())  # those of a shard, and to it
    crowd.require("edges", most, _EDGE_BYTES, _REMEDY)
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
        dimension = intrinsic_dimension(counts, lengths.astype(np.float64), counts.mean(), n)
    copies, others = _by_shard(count, bounds, ghosts)
    shards = crowd.each("weigh", weighed, found, *_by_shard(width, bounds, ghosts), copies, others)
    sums = crowd.gather(crowd.each("degrees", size_sums, shards, copies))
    volume, bits, entries = np.sum([one[:3] for one in sums], axis=0).tolist()
    if entries == 0:
        raise ValueError(
            "no sample has a neighbour: the graph has no edges, so there is nothing to cluster by"
        )
    _warn_of_lonely(np.concatenate([one.lonely for one in sums]), n, vertex)
    n_edges = int(entries) // 2
    logger.info("a graph of %d samples and %d edges", n, n_edges)
    return ShardedGraph(shards, bounds, ghosts, vertex, volume, n_edges, bits, dimension, width)


def _by_shard(
    values: NDArray[Any] | None, bounds: NDArray[np.int64], ghosts: list[_Ints]
) -> tuple[list[Any], list[Any]]:
    """Return values of the own vertices of each shard, and those of its ghosts."""
    if values is None:
        return [None] * len(ghosts), [None] * len(ghosts)
    own = [values[a:b] for a, b in itertools.pairwise(bounds)]
    return own, [values[one] for one in ghosts]


def _warn_of_lonely(lonely: _Ints, n: int, vertex: _Ints | None) -> None:
    """Warn of vertices without an edge, as one machine does."""
    if not lonely.size:
        return
    rows = lonely if vertex is None else np.flatnonzero(np.isin(vertex, lonely))
    shown = ", ".join(map(str, rows[:5])) + (", …" if rows.size > 5 else "")
    warn(
        f"{rows.size} of {n if vertex is None else vertex.size} samples have no neighbour (rows "
        f"{shown}); each stays a cluster of its own unless a must-link joins it"
    )


class EdgeList(NamedTuple):
    """The edges of vertices 0..n-1, read."""

    parts: list[Any]  # futures of Piece
    n: int


def read_edges(crowd: Crowd, blocks: EdgeBlocks, least: int) -> EdgeList:
    """Read an edge list; there are at least so many vertices."""
    logger.info("reading the edges", extra={"stage": "edges"})
    parts = crowd.delayed("read", _as_piece, blocks.parts)
    largest = max(crowd.gather(crowd.each("largest", _largest, parts)), default=-1)
    if largest >= np.iinfo(np.int32).max - 1:
        raise ValueError(f"vertex {largest} is too large: numbers are below 2^31 - 2")
    n = max(largest + 1, least)
    if n < 2:
        raise ValueError(f"clustering needs at least 2 samples, got n_samples = {n}")
    return EdgeList(parts, n)


def graph_of_edges(crowd: Crowd, given: EdgeList) -> ShardedGraph:
    """Make shards of an edge list; vertices keep their numbers."""
    n, parts = given.n, given.parts
    count = -(-n // shard_size(n))
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
