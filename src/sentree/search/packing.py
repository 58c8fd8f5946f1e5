"""Vertices packed into clusters of bounded size by an integer program, where moves find no way."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import FloatArray
from sentree.search.size_bounds import ROUNDING, SizeBounds

__all__ = ["Packing"]

IntArray = NDArray[np.int64]

#: Unknowns of an integer program, and nodes of its search tree, up to which it is tried.
_MOST_UNKNOWNS, _MOST_NODES = 100_000, 5_000
#: How much more than necessary may move in its answer, as a share.
_GAP = 0.05


class Packing:
    """An integer program that puts vertices into clusters within the bounds.

    Vertices that are kept apart from others, and those of a size of their own, are placed one by
    one; of the others of one size only their number in each cluster is unknown.
    """

    def __init__(
        self,
        start: NDArray[np.int32],
        size: FloatArray,
        bounds: SizeBounds,
        apart: IntArray,
        k: int,
    ) -> None:
        """Start from clusters of vertices, pairs of which are kept ``apart``; k are wanted."""
        self.start, self.size, self.bounds = start.astype(np.int64), size, bounds
        self.pairs, self.k = apart, k
        free = np.ones(start.size, dtype=bool)
        free[self.pairs.ravel()] = False
        value, kind, count = np.unique(self.size, return_inverse=True, return_counts=True)
        free &= count[kind] > 1
        self.single = np.flatnonzero(~free)
        kinds = (np.flatnonzero(free & (kind == c)) for c in range(value.size) if count[c] > 1)
        self.kinds = [members for members in kinds if members.size]

    def run(self) -> list[NDArray[np.int32]] | bool:
        """Return clusters of the samples to try; else whether it is proved that there are none.

        In the first of them only the single vertices have moved.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        k, m, rows = self.k, self.single.size, self.single.size + len(self.kinds)
        if (rows + len(self.pairs)) * k > _MOST_UNKNOWNS:
            return False
        number = np.array([1] * m + [kind.size for kind in self.kinds])
        size = np.array([*self.size[self.single], *(self.size[kind[0]] for kind in self.kinds)])
        each, cluster = np.ones((1, k)), sp.eye_array(k)
        slack = ROUNDING * self.bounds.total / 4
        least, most = self.bounds.least - slack, self.bounds.most + slack
        constraints = [
            LinearConstraint(sp.kron(sp.eye_array(rows), each, "csr"), number, number),
            LinearConstraint(sp.kron(size[None], cluster, "csr"), least, most),
            LinearConstraint(sp.kron(np.ones((1, rows)), cluster, "csr"), 1, np.inf),
        ]
        if len(self.pairs):
            ends = np.searchsorted(self.single, self.pairs)
            cells = np.repeat(np.arange(len(ends)), 2), ends.ravel()
            both = sp.coo_array((np.ones(ends.size), cells), shape=(len(ends), rows))
            constraints.append(LinearConstraint(sp.kron(both, cluster, "csr"), -np.inf, 1))
        moves = np.zeros((rows, k))
        moves[:m] = size[:m, None] * (self.start[self.single][:, None] != np.arange(k))
        found = milp(
            moves.ravel(),
            integrality=np.ones(rows * k),
            bounds=Bounds(0, np.repeat(number, k)),
            constraints=constraints,
            options={"node_limit": _MOST_NODES, "mip_rel_gap": _GAP},
        )
        if found.x is None:
            return bool(found.status == 2)
        counts = np.round(found.x).astype(np.int64).reshape(rows, k)
        labels = self.start.copy()
        labels[self.single] = counts[:m].argmax(axis=1)
        return [labels.astype(np.int32), self._with_kinds(labels, counts[m:])]

    def _with_kinds(self, labels: IntArray, wanted: IntArray) -> NDArray[np.int32]:
        """Put as many vertices of each kind into each cluster as is wanted; the last ones leave."""
        labels = labels.copy()
        for kind, count in zip(self.kinds, wanted, strict=True):
            room = count.tolist()
            left = []
            for v, c in zip(kind.tolist(), self.start[kind].tolist(), strict=True):
                if c < self.k and room[c] > 0:
                    room[c] -= 1
                else:
                    left.append(v)
            labels[left] = np.repeat(np.arange(self.k), room)
        return labels.astype(np.int32)
