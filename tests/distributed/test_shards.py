"""The kernels of shards against slow obvious ones."""

import numpy as np
import pytest

from sentree import knn_graph
from sentree.distributed.moves import bucket
from sentree.distributed.shards import Piece, Shard, divided, joined, united
from sentree.search.kernels import ShardRows, move_gain, shard_moves, unite_inside
from sentree.search.objective import partition_objective


@pytest.fixture
def graph():
    return knn_graph(np.random.default_rng(0).normal(size=(120, 3)), 6)


def rows_of(graph, start, stop):
    """The rows of a range of vertices, and the vertices elsewhere that they lead to."""
    part = graph.to_scipy()[start:stop].tocoo()
    inside = (part.col >= start) & (part.col < stop)
    ghosts = np.unique(part.col[~inside])
    column = np.where(inside, part.col - start, stop - start + np.searchsorted(ghosts, part.col))
    order = np.lexsort((column, part.row))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(part.row, minlength=stop - start))))
    degree = graph.degree[start:stop].copy()
    rows = ShardRows(
        indptr.astype(np.int64),
        column[order].astype(np.int32),
        part.data[order],
        degree,
        np.zeros(stop - start),
    )
    return rows, ghosts


def sums_of(graph, labels):
    k = labels.max() + 1
    same = labels[:, None] == labels[None]
    weight = (graph.to_scipy().toarray() * same).sum(axis=1)
    return np.bincount(labels, weight, k), np.bincount(labels, graph.degree, k)


@pytest.mark.parametrize("seed", range(5))
def test_moves_of_a_shard_are_the_best(graph, seed):
    labels = np.random.default_rng(seed).integers(0, 4, 120).astype(np.int32)
    rows, ghosts = rows_of(graph, 40, 80)
    here = np.concatenate((labels[40:80], labels[ghosts]))
    everyone = np.arange(40, dtype=np.int32)
    vertex, to, left, found = shard_moves(
        rows, here, graph.volume, *sums_of(graph, labels), everyone
    )
    weights = graph.to_scipy().toarray()
    moves = dict(zip(vertex.tolist(), to.tolist(), strict=True))
    for v in range(40):
        touched = np.unique(labels[weights[40 + v] > 0])
        gains = {u: move_gain(graph, labels, 40 + v, int(u)) for u in touched}
        best = max(gains.values())
        assert (v in moves) == (best > 1e-12)
        if v in moves:
            assert gains[moves[v]] == pytest.approx(best)
    for v, u, a, b in zip(vertex + 40, to, left, found, strict=True):
        assert a == pytest.approx(weights[v][labels == labels[v]].sum())
        assert b == pytest.approx(weights[v][labels == u].sum())


def test_shrunk_volumes_count_in_moves(graph):
    labels = (np.arange(120) >= 100).astype(np.int32)
    everyone = np.arange(120, dtype=np.int32)
    rows, _ = rows_of(graph, 0, 120)
    plain, shrunk = (
        shard_moves(rows, labels, graph.volume, *sums_of(graph, labels), everyone, shrinkage)
        for shrinkage in (0.0, 0.9)
    )
    assert plain[0].tolist() != shrunk[0].tolist()


def test_parts_are_small_connected_and_lower_the_objective(graph):
    rows, _ = rows_of(graph, 0, 120)
    most = 8 * graph.volume / 120
    parts = unite_inside(rows, graph.volume, most, seed=1)
    assert np.bincount(parts, graph.degree).max() <= most
    assert 120 / 8 <= parts.max() + 1 < 120
    singles = partition_objective(graph, np.arange(120)).value
    assert partition_objective(graph, parts).value < singles
    weights = graph.to_scipy()
    for part in range(parts.max() + 1):
        inside = np.flatnonzero(parts == part)
        reached, new = set(), {inside[0]}
        while new:
            reached |= new
            near = {j for i in new for j in weights[[i]].indices if parts[j] == part}
            new = near - reached
        assert reached == set(inside)


def test_no_room_leaves_single_vertices(graph):
    rows, _ = rows_of(graph, 0, 120)
    assert (unite_inside(rows, graph.volume, 0.0) == np.arange(120)).all()


def test_kinds_apart_are_not_united(graph):
    rows, ghosts = rows_of(graph, 0, 120)
    shard = Shard(0, 120, rows, ghosts.astype(np.int32))
    kind = np.arange(120) % 3
    parts = united(shard, kind, total=graph.volume, most=1e9, seed=0)
    assert np.unique(np.column_stack((parts, kind)), axis=0).shape[0] == parts.max() + 1


def test_edges_meet_from_both_ends():
    rng = np.random.default_rng(2)
    dense = np.where(rng.random((30, 30)) < 0.2, rng.random((30, 30)), 0.0).astype(np.float32)
    np.fill_diagonal(dense, 0.0)
    bounds = np.array([0, 12, 30])
    pieces = []
    for a, b in ((0, 12), (12, 30)):
        i, j = np.nonzero(dense[a:b])
        pieces.append(Piece((i + a).astype(np.int32), j.astype(np.int32), dense[a:b][i, j]))
    sent = [divided(piece, bounds) for piece in pieces]
    both = np.where(dense > 0, dense, np.inf)
    wanted = np.minimum(both, both.T)
    for s, (a, b) in enumerate(((0, 12), (12, 30))):
        found = joined(a, b, pieces[s], *(one[s] for one in sent))
        number = np.concatenate((np.arange(a, b), found.ghosts))
        back = np.full((b - a, 30), np.inf, dtype=np.float32)
        row = np.repeat(np.arange(b - a), np.diff(found.indptr))
        back[row, number[found.indices]] = found.values
        assert (back == wanted[a:b]).all()


def test_turns_do_not_depend_on_shards():
    whole = bucket(0, 1000)
    assert (np.concatenate((bucket(0, 300), bucket(300, 1000))) == whole).all()
    assert np.bincount(whole.astype(int)).min() > 150
