"""Trees from joins of what is there, and from partitions inside one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import renumber


class TreeBuilder:
    """A tree put together from below: n leaves 0..n-1, then joins; the last join is the root."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._joined: list[Sequence[int]] = []

    def join(self, nodes: Sequence[int]) -> int:
        """Return a new node above these; a single one stays as it is."""
        if len(nodes) == 1:
            return nodes[0]
        self._joined.append(nodes)
        return self._n + len(self._joined) - 1

    def balanced(self, order: Sequence[int]) -> int:
        """Join nodes by halving their list again and again; the first half is the smaller one."""
        if len(order) == 1:
            return order[0]
        half = len(order) // 2
        return self.join((self.balanced(order[:half]), self.balanced(order[half:])))

    def parent(self) -> NDArray[np.int32]:
        """Return the parent of every node; -1 for the root, which is last."""
        above = np.full(self._n + len(self._joined), -1, dtype=np.int32)
        for node, below in enumerate(self._joined, start=self._n):
            above[list(below)] = node
        return above


def meets(partitions: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Return the first row, its meet with the second row, that with the third, and so on."""
    found = [renumber(partitions[0])]
    for partition in partitions[1:]:
        finer = renumber(partition).astype(np.int64)
        found.append(renumber(found[-1] * (int(finer.max()) + 1) + finer))
    return found


def nested_parents(partitions: Sequence[NDArray[Any]]) -> NDArray[np.int32]:
    """Return the parent of each node of the tree: samples, blocks of each partition, root.

    The coarsest partition comes first, and each is inside the one before. Every node precedes its
    parent, and the root has -1. A block that is one block, or one sample, of the next partition is
    the same node.
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
