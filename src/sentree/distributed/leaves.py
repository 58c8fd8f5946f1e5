"""The tree over parts of samples, around the clusters that were found."""

from __future__ import annotations

import logging
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.distributed.building import ShardedGraph
from sentree.distributed.running import Crowd
from sentree.distributed.shards import Piece, contracted
from sentree.graph import FloatArray, Graph
from sentree.search.kernels import grow
from sentree.tree import EncodingTree

__all__ = ["tree_of_parts"]

logger = logging.getLogger(__name__)

_Ints = NDArray[np.int32]


def tree_of_parts(
    crowd: Crowd, graph: ShardedGraph, part: _Ints, labels: _Ints, seed: int
) -> tuple[EncodingTree, _Ints]:
    """Return a tree whose nodes include the clusters, and the leaf of each vertex.

    A leaf is a part, or what is left of it in one cluster after samples have moved.
    """
    key = part.astype(np.int64) * (int(labels.max()) + 1) + labels
    _, leaf = np.unique(key, return_inverse=True)
    leaf = leaf.ravel().astype(np.int32)
    n = int(leaf.max()) + 1
    logger.info("growing a tree over %d parts", n, extra={"stage": "tree"})
    own = [leaf[a:b] for a, b in pairwise(graph.bounds.tolist())]
    firsts = [int(one.min()) for one in own]
    counts = [int(one.max()) + 1 - first for one, first in zip(own, firsts, strict=True)]
    others = [leaf[one] for one in graph.ghosts]
    pieces = crowd.each("leaves", contracted, graph.shards, own, others, firsts, counts)
    cluster = np.zeros(n, dtype=np.int32)
    cluster[leaf] = labels
    task = crowd.submit("tree", _grown, pieces, firsts, cluster, seed)
    tree: EncodingTree = crowd.gather([task])[0]
    return tree, leaf


def _grown(
    pieces: list[tuple[Piece, FloatArray, FloatArray]],
    firsts: list[int],
    cluster: _Ints,
    seed: int,
) -> EncodingTree:
    """Grow the tree, on one worker; a leaf may have vertices in several shards."""
    n = cluster.size
    rows, columns, weights = (
        np.concatenate(part) for part in zip(*(piece[0] for piece in pieces), strict=True)
    )
    between = sp.csr_array((weights, (rows, columns)), shape=(n, n))
    between = sp.csr_array((between + between.T) * 0.5)
    between.sort_indices()
    degree = np.zeros(n)
    for (_, part, _), first in zip(pieces, firsts, strict=True):
        degree[first : first + part.size] += part
    degree = np.maximum(degree, np.asarray(between.sum(axis=1)).ravel())
    graph = Graph(between.indptr, between.indices, between.data, degree)
    return grow(graph, clusters=cluster, seed=seed).tree
