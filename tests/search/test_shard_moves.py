"""The kernels that shards are searched with, against slow obvious ones; Dask is not needed."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sentree import knn_graph
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


def test_tasks_of_one_process_may_search_a_shard_at_the_same_time():
    """A worker with several threads runs tasks on the same shard, without a lock."""
    graph = knn_graph(np.random.default_rng(0).normal(size=(3000, 3)), 8)
    labels = np.random.default_rng(1).integers(0, 20, 3000).astype(np.int32)
    rows, ghosts = rows_of(graph, 0, 2000)
    here, sums = np.concatenate((labels[:2000], labels[ghosts])), sums_of(graph, labels)

    def task(seed):
        everyone = np.arange(seed, 2000, 2, dtype=np.int32)
        parts = unite_inside(rows, graph.volume, 30 * graph.volume / 3000, seed=seed)
        return [parts, *shard_moves(rows, here, graph.volume, *sums, everyone, 0.1)]

    alone = [task(seed) for seed in (0, 1)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(task, [0, 1] * 4))
    assert alone[0][0].max() + 1 < 2000
    assert alone[0][1].size
    for k, one in enumerate(found):
        assert all(map(np.array_equal, one, alone[k % 2]))
