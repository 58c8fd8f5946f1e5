"""A tree put together from below: leaves first, then joins of what is there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class TreeBuilder:
    """Collects joins of nodes; the last join is the root.

    Parameters
    ----------
    n : int
        Number of leaves, which are nodes 0..n-1.
    """

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
