"""Shards of a graph: edges that meet in them, their parts and turns."""

import numpy as np

from sentree import knn_graph
from sentree.distributed.moves import bucket
from sentree.distributed.shards import Piece, Shard, divided, joined, united
from sentree.search.kernels import ShardRows


def test_kinds_apart_are_not_united():
    graph = knn_graph(np.random.default_rng(0).normal(size=(120, 3)), 6)
    rows = ShardRows(graph.indptr, graph.indices, graph.weights, graph.degree, np.zeros(120))
    shard = Shard(0, 120, rows, np.empty(0, dtype=np.int32))
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
