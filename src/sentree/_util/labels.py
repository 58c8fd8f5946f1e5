"""Arrays of numbers: labels, pointers and counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["follow", "ramp", "renumber"]


def renumber(labels: ArrayLike) -> NDArray[np.int32]:
    """Number the values of a label array 0, 1, … by first appearance."""
    values = np.asarray(labels).reshape(-1)
    place = np.arange(values.size, dtype=np.int32)
    if values.size == 0:
        return place
    small = values.dtype.kind in "iu" and values.min() >= 0 and values.max() < 4 * values.size
    if not small:
        values = np.unique(values, return_inverse=True)[1].reshape(-1)
    first = np.empty(int(values.max()) + 1, dtype=np.int32)
    first[values[::-1]] = place[::-1]  # the last one written is the first to appear
    appears = values[first[values] == place]
    rank = np.empty_like(first)
    rank[appears] = place[: appears.size]
    return np.asarray(rank[values], dtype=np.int32)


def follow(up: NDArray[Any]) -> NDArray[np.int32]:
    """Follow the pointers from each node to the end of its chain."""
    while True:
        further = up[up]
        if np.array_equal(further, up):
            return np.asarray(up, dtype=np.int32)
        up = further


def ramp(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0..count-1 for every count, one after the other."""
    start = np.cumsum(counts) - counts
    return np.arange(int(counts.sum()), dtype=np.int64) - np.repeat(start, counts)
