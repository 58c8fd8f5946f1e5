"""The tree of a model: unions of clusters above them, and modules inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import renumber
from sentree.active.beliefs import unconstrained_result
from sentree.estimators.partition import SSEPartition
from sentree.search.hard import contract
from sentree.search.pair_evidence import unions_within
from sentree.tree import EncodingTree

__all__ = ["Branches", "Node"]


@dataclass
class Node:
    """A branch: the rows ``order[start:end]``, and the cluster that it is or lies in."""

    parent: int
    depth: int
    cluster: int | None
    is_part: bool = False
    start: int = 0
    end: int = 0


@dataclass(frozen=True, eq=False)
class Branches:
    """All branches, parents before children, and the rows in the order of leaves."""

    nodes: list[Node]
    order: NDArray[np.int32]

    @classmethod
    def of(cls, model: SSEPartition) -> Branches:
        """Unite the clusters of a model, the most strongly linked first, down to one."""
        result, labels = unconstrained_result(model), model.labels_
        k = model.n_clusters_
        joined = contract(result.graphs.graph, None, result.on_vertices(labels))[0]
        sides = unions_within(joined, np.zeros(k, dtype=np.int64), result.contacts.powers)
        part = renumber(result.modules.astype(np.int64) * k + labels)
        nodes: list[Node] = []
        pieces: list[NDArray[Any]] = []
        filled = 0
        waiting = [(k + len(sides) - 1, -1, 0)]
        while waiting:
            number, parent, depth = waiting.pop()
            here = len(nodes)
            nodes.append(Node(parent, depth, number if number < k else None))
            if number >= k:
                waiting += [(int(side), here, depth + 1) for side in sides[number - k][::-1]]
                continue
            rows = np.flatnonzero(labels == number)
            parts, count = np.unique(part[rows], return_counts=True)
            parts = parts[np.argsort(-count, kind="stable")]
            nodes[here].start = filled
            for one in parts.tolist():
                inside = rows[part[rows] == one]
                if parts.size > 1:
                    end = filled + inside.size
                    nodes.append(Node(here, depth + 1, number, True, filled, end))
                pieces.append(inside)
                filled += inside.size
            nodes[here].end = filled
        for node in reversed(nodes):  # unions hold what their children hold
            if node.parent >= 0 and not node.is_part:
                above = nodes[node.parent]
                above.start = node.start if above.end == 0 else min(above.start, node.start)
                above.end = max(above.end, node.end)
        return cls(nodes, np.concatenate(pieces).astype(np.int32))

    def tree(self, model: SSEPartition) -> EncodingTree:
        """Return the branches as a tree of the samples; branches of one row are that row."""
        n = self.order.size
        kept = [at for at, node in enumerate(self.nodes) if node.end - node.start > 1]
        number = {at: n + len(kept) - 1 - place for place, at in enumerate(kept)}
        parent = np.full(n + len(kept), -1, dtype=np.int64)
        for at in kept:  # parents first, so that rows end up in the smallest branch
            node = self.nodes[at]
            if node.parent >= 0:
                parent[number[at]] = number[node.parent]
            parent[self.order[node.start : node.end]] = number[at]
        return EncodingTree.from_parent(parent, model.graph_)
