"""A tree out of partitions, each inside the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import renumber


def meets(partitions: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Return the first row, its meet with the second row, that with the third, and so on."""
    found = [renumber(partitions[0])]
    for partition in partitions[1:]:
        finer = renumber(partition).astype(np.int64)
        found.append(renumber(found[-1] * (int(finer.max()) + 1) + finer))
    return found


def nested_parents(partitions: Sequence[NDArray[Any]]) -> NDArray[np.int32]:
    """Return the parent of each node of the tree: root, blocks of each partition, samples.

    Parameters
    ----------
    partitions : sequence of arrays of shape (n,)
        Block of each sample, 0, 1, …; the coarsest partition first, each inside the one before.

    Returns
    -------
    int32 array
        Every node precedes its parent and the root is last, with parent -1. A block that is one
        block, or one sample, of the next partition is the same node.
    """
    n = partitions[0].size
    whole = np.zeros(n, dtype=np.int64)
    node = np.arange(n)  # the highest node so far above each sample
    parent = np.full(2 * n, -1, dtype=np.int32)  # inner nodes with two children: fewer than n
    made = n
    for block in (*reversed(partitions), whole):
        tops, first = np.unique(node, return_index=True)
        children = np.bincount(block[first])
        number = np.cumsum(children > 1) - 1 + made
        grown = children[block[first]] > 1
        parent[tops[grown]] = number[block[first][grown]]
        node = np.where(children[block] > 1, number[block], node)
        made += int(np.count_nonzero(children > 1))
    return parent[:made]
