"""The part of a tree that can be read in a picture: large nodes, and the small ones united."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import follow
from sentree.tree import EncodingTree, TreeShape

IntArray = NDArray[np.int64]

#: A node is nearly all of one class from this share on.
_NEARLY_ALL = 0.9


class Outline(NamedTuple):
    """Blocks to draw, the root first and each one before those below it."""

    node: IntArray  # of the tree; -1 for a block of united nodes
    united: IntArray  # number of nodes united in the block; 0 for one that is drawn as itself
    above: IntArray  # the block above; -1 for the root
    level: IntArray  # number of blocks above
    start: IntArray  # number of samples to the left of the block
    size: IntArray  # number of samples in the block
    owner: IntArray  # by sample, the lowest block that holds it
    shortened: bool  # whether nodes with only one child worth drawing were passed over

    @property
    def is_end(self) -> NDArray[np.bool_]:
        """Whether nothing is drawn below a block."""
        end = np.ones(self.node.size, dtype=np.bool_)
        end[self.above[1:]] = False
        return end


def outline(tree: EncodingTree, max_nodes: int, min_share: float, max_levels: int) -> Outline:
    """Open the largest node first, until there is no room or nothing worth drawing below.

    Children with fewer than ``min_share`` of the samples are united. In a tree higher than
    ``max_levels`` a node with only one child worth drawing is passed over and its small children
    join those of the node above, so that chains that shed a few samples at a time do not use up
    the levels.
    """
    size = tree.sizes
    least = max(1, math.ceil(min_share * tree.n_leaves))
    chains = tree.height > max_levels
    first, child = (np.array(x, dtype=np.int64) for x in TreeShape(tree.parent).child_lists())

    def split(node: int) -> tuple[Any, Any]:
        """Return the children of a node that are worth drawing, and the others."""
        below = child[first[node] : first[node + 1]]
        large = size[below] >= least
        return below[large], below[~large]

    def opened(node: int) -> tuple[Any, Any, bool]:
        """Return what to draw below a node, what to unite, and whether nodes are passed over."""
        large, small = split(node)
        united = [small]
        while chains and large.size == 1:
            further, small = split(int(large[0]))
            if further.size == 0:
                break
            large = further
            united.append(small)
        return large, np.concatenate(united), len(united) > 1

    # Columns node, united, above, level, start, size.
    rows = [(tree.root, 0, -1, 0, 0, int(size[-1]))]
    item = np.full(tree.n_nodes, -1, dtype=np.int64)
    item[tree.root] = 0
    heap = [(-int(size[-1]), 0)] if max_levels else []
    shortened = False
    while heap and len(rows) + 2 <= max_nodes:
        block = heapq.heappop(heap)[1]
        node, _, _, level, start, _ = rows[block]
        large, small, passed_over = opened(node)
        if large.size == 0:
            continue
        shortened |= passed_over
        large = large[np.argsort(-size[large], kind="stable")]
        room = max_nodes - len(rows)
        if small.size == 1 and large.size < room:
            large, small = np.append(large, small), small[:0]
        elif large.size + (small.size > 0) > room:
            small = np.concatenate((large[room - 1 :], small))
            large = large[: room - 1]
        for below in large.tolist():
            if level + 1 < max_levels:
                heapq.heappush(heap, (-int(size[below]), len(rows)))
            item[below] = len(rows)
            rows.append((below, 0, block, level + 1, start, int(size[below])))
            start += int(size[below])
        if small.size:
            item[small] = len(rows)
            rows.append((-1, small.size, block, level + 1, start, int(size[small].sum())))
    up = np.where(item >= 0, np.arange(tree.n_nodes), tree.parent).astype(np.int32)
    owner = item[follow(up)[: tree.n_leaves]]
    columns: list[Any] = [*np.array(rows, dtype=np.int64).T, owner, shortened]
    return Outline(*columns)


def majority(blocks: Outline, code: IntArray, k: int) -> tuple[IntArray, NDArray[np.float64]]:
    """Return the most common of k classes in each block and its share; ties go to the first."""
    winner = np.zeros(blocks.node.size, dtype=np.int64)
    count = np.zeros(blocks.node.size)
    at = blocks.owner.copy()
    for level in range(int(blocks.level.max()), -1, -1):
        here = blocks.level[at] == level
        key, found = np.unique(at[here] * k + code[here], return_counts=True)
        order = np.lexsort((-key, found))  # the last one written is the most common
        winner[key[order] // k] = key[order] % k
        count[key[order] // k] = found[order]
        at[here] = blocks.above[at[here]]
    return winner, count / blocks.size


def rulers(
    blocks: Outline, winner: IntArray, purity: NDArray[np.float64], total: IntArray
) -> NDArray[np.bool_]:
    """Tell which blocks stand for the class that is most common in them.

    Such a block is a node that is nearly all of the class, or mostly and has no node below it.
    Of several on the way from the root to a sample, it is the one that is most like the class: of
    all samples in either, the most are in both. ``total`` counts the samples of each class.
    """
    n, above = blocks.owner.size, blocks.above
    inner = blocks.node >= n
    lowest = inner.copy()
    lowest[above[inner & (above >= 0)]] = False
    rules = inner & (purity > np.where(lowest, 0.5, _NEARLY_ALL))
    both = np.rint(purity * blocks.size)
    alike = both / (blocks.size + total[winner] - both)
    for block, up in _lines(blocks, rules):
        rules[up[(winner[up] == winner[block]) & (alike[up] < alike[block])]] = False
    for block, up in _lines(blocks, rules):
        rules[block[(winner[up] == winner[block]) & rules[up]]] = False
    return rules


def _lines(blocks: Outline, chosen: NDArray[np.bool_]) -> Iterator[tuple[IntArray, IntArray]]:
    """Give the chosen blocks with those above them: first one step up, then two, and so on."""
    block = np.flatnonzero(chosen)
    up = blocks.above[block]
    while (rest := up >= 0).any():
        block, up = block[rest], up[rest]
        yield block, up
        up = blocks.above[up]
