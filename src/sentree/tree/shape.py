"""The shape of a tree: what follows from the parents of its nodes alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import spsolve_triangular

from sentree._util.labels import follow
from sentree.graph import FloatArray

NodeArray = NDArray[np.int32]

__all__ = ["NodeArray", "TreeShape", "first_leaves", "keep_nodes", "some_leaves"]


class TreeShape:
    """What follows from the parents alone; each pass is vectorised and O(nodes) or O(log) of it."""

    def __init__(self, parent: NodeArray) -> None:
        self.parent = parent
        self.n_nodes = parent.size
        self.n_leaves = int(parent[:-1].min()) if parent.size > 1 else 1

    def on_leaves(self, values: FloatArray) -> FloatArray:
        """Put values on the leaves and 0 on the inner nodes."""
        full = np.zeros((self.n_nodes, *values.shape[1:]))
        full[: self.n_leaves] = values
        return full

    def subtree_sums(self, values: FloatArray) -> FloatArray:
        """Sum values over each subtree: the bottom-up recursion as a triangular system."""
        if self.n_nodes == 1:
            return values.copy()
        child = np.arange(self.n_nodes - 1)
        ones = np.ones(self.n_nodes)
        matrix = sp.eye_array(self.n_nodes, format="csc") - sp.csc_array(
            (ones[:-1], (self.parent[:-1], child)), shape=(self.n_nodes, self.n_nodes)
        )
        solved = spsolve_triangular(matrix, values, lower=True, unit_diagonal=True)
        return np.asarray(solved, dtype=np.float64)

    def sizes(self) -> FloatArray:
        """Count the leaves below each node."""
        return self.subtree_sums(self.on_leaves(np.ones(self.n_leaves)))

    def child_lists(self) -> tuple[list[int], list[int]]:
        """Return the children of node a as ``child[first[a]:first[a + 1]]``, increasing."""
        child = np.argsort(self.parent[:-1], kind="stable")
        counts = np.bincount(self.parent[:-1], minlength=self.n_nodes)
        return np.concatenate(([0], np.cumsum(counts))).tolist(), child.tolist()

    def depth(self) -> NDArray[np.int64]:
        """Count the ancestors of each node by doubling the steps upward."""
        up = self.parent.copy()
        up[-1] = self.n_nodes - 1
        steps = np.ones(self.n_nodes, dtype=np.int64)
        steps[-1] = 0
        while up[0:-1].size and np.any(up != self.n_nodes - 1):
            steps += steps[up]
            up = up[up]
        return steps

    def heights(self) -> NDArray[np.int64]:
        """Count the steps from each node to the deepest leaf below it."""
        height = [0] * self.n_nodes
        for node, above in enumerate(self.parent[:-1].tolist()):
            height[above] = max(height[above], height[node] + 1)
        return np.array(height)

    def lca(self, i: NDArray[Any], j: NDArray[Any]) -> NodeArray:
        """Climb heavy paths: each step at least doubles the subtree, so O(log n) rounds suffice."""
        if self.n_nodes == 1:
            return np.zeros(np.shape(i), dtype=np.int32)
        by_size = np.argsort(self.sizes()[:-1], kind="stable")
        heavy = np.full(self.n_nodes, -1, dtype=np.int32)
        heavy[self.parent[:-1][by_size]] = by_size  # the last one written is the largest
        nodes = np.arange(self.n_nodes, dtype=np.int32)
        up = nodes.copy()
        is_heavy = heavy[self.parent[:-1]] == nodes[:-1]
        up[:-1][is_heavy] = self.parent[:-1][is_heavy]
        head = follow(up)
        depth_of_head = self.depth()[head]
        a, b = np.array(i, dtype=np.int32), np.array(j, dtype=np.int32)
        active = np.flatnonzero(head[a] != head[b])
        while active.size:
            first, second = a[active], b[active]
            climb = depth_of_head[first] >= depth_of_head[second]
            a[active] = np.where(climb, self.parent[head[first]], first)
            b[active] = np.where(climb, second, self.parent[head[second]])
            active = active[head[a[active]] != head[b[active]]]
        return np.maximum(a, b)  # on one path the upper node has the larger id

    def cuts(self, i: NDArray[Any], j: NDArray[Any], weight: FloatArray) -> FloatArray:
        """Sum the weight that leaves each node: what its leaves send less what stays inside."""
        sent = np.bincount(i, weight, self.n_nodes) + np.bincount(j, weight, self.n_nodes)
        kept = np.bincount(self.lca(i, j), 2.0 * weight, self.n_nodes)
        cut = self.subtree_sums((sent - kept).astype(np.float64))
        cut[-1] = 0.0
        return cut


def first_leaves(parent: NodeArray, n: int) -> NodeArray:
    """Return the parents of the tree over the first n leaves; nodes left with one child go."""
    return some_leaves(parent, np.arange(TreeShape(parent).n_leaves) < n)


def some_leaves(parent: NodeArray, leaf: NDArray[np.bool_]) -> NodeArray:
    """Return the parents of the tree over the leaves marked; nodes left with one child go."""
    shape = TreeShape(parent)
    alive = shape.subtree_sums(shape.on_leaves(leaf.astype(np.float64))) > 0
    kept = np.bincount(parent[:-1][alive[:-1]], minlength=parent.size) > 1
    kept[: shape.n_leaves] = leaf
    return keep_nodes(parent, kept)


def keep_nodes(parent: NDArray[Any], kept: NDArray[np.bool_]) -> NodeArray:
    """Return the parents of the tree of the nodes kept; each hangs on the next one above it."""
    up = np.where(kept, np.arange(parent.size), parent)
    up[-1] = parent.size - 1
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    above: NodeArray = number[follow(up)[parent[kept]]]
    above[-1] = -1
    return above
