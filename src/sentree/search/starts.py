"""Clusters to start from: check them, lock samples, and keep cluster numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree._util.labels import renumber
from sentree.constraints import Constraints
from sentree.search.edits import row_numbers

__all__ = ["keep_numbers", "lock", "locked_points", "start_labels"]

#: Cluster numbers must be below this, since arrays are as long as the largest.
_MOST_NUMBERS = 10_000_000


def start_labels(init: ArrayLike, n: int) -> NDArray[np.int32]:
    """Check clusters to start from: whole numbers, -1 for a sample without one."""
    labels = np.asarray(init)
    if labels.shape != (n,):
        raise ValueError(f"init has shape {labels.shape}, expected one cluster for {n} samples")
    if labels.dtype.kind not in "iuf":
        raise ValueError(
            "init must hold cluster numbers 0, 1, …, and -1 where there is none, got dtype "
            f"{labels.dtype}"
        )
    good = (labels >= -1) & (labels < _MOST_NUMBERS) & (labels == np.floor(labels))
    for k in np.flatnonzero(~good)[:1].tolist():
        raise ValueError(
            "init must hold cluster numbers 0, 1, …, and -1 where there is none, but sample "
            f"{k} has {labels[k]}"
        )
    if labels.max() < 0:
        raise ValueError("init gives no sample a cluster")
    return labels.astype(np.int32, copy=True)


def locked_points(
    init: NDArray[np.int32] | None, locked: ArrayLike | None, n: int
) -> NDArray[np.int64]:
    """Check which samples are locked, and return them in order."""
    if locked is None:
        return np.empty(0, dtype=np.int64)
    if init is None:
        raise ValueError("locked samples stay in their cluster of init: give init as well")
    points = row_numbers(locked, n, "locked")
    without = points[init[points] < 0]
    if without.size:
        raise ValueError(f"sample {without[0]} is locked, but init gives it no cluster")
    return points


def lock(init: NDArray[np.int32], points: NDArray[np.int64]) -> Constraints:
    """Return hard constraints that keep the locked samples in their clusters."""
    order = points[np.argsort(init[points], kind="stable")]
    groups = np.split(order, np.flatnonzero(np.diff(init[order])) + 1)
    return Constraints.from_groups(groups, [[group[0] for group in groups]], hard=True)


def keep_numbers(
    labels: NDArray[Any], before: NDArray[np.int32], points: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Give every cluster the number of the earlier cluster that it shares most samples with.

    Each number goes to one cluster, by decreasing overlap; locked points count most. Numbers stay
    0..k-1: new clusters, and clusters whose number would be k or more, get the free numbers.
    """
    now = renumber(labels)
    width = int(before.max(initial=-1)) + 1
    pair = now.astype(np.int64) * width + before
    weight = np.ones(before.size)
    weight[points] = before.size
    known = before >= 0
    if (int(now.max()) + 1) * width <= 4 * before.size:  # counting is faster than sorting
        shared = np.bincount(pair[known], weight[known])
        cells = np.flatnonzero(shared)
        shared = shared[cells]
    else:
        cells, place = np.unique(pair[known], return_inverse=True)
        shared = np.bincount(place, weight[known], cells.size)
    number = np.full(int(now.max()) + 1, -1, dtype=np.int32)
    taken: set[int] = set()
    for cell in cells[np.argsort(-shared, kind="stable")].tolist():
        cluster, old = divmod(cell, width)
        if number[cluster] < 0 and old not in taken:
            number[cluster] = old
            taken.add(old)
    number[(number < 0) | (number >= number.size)] = np.setdiff1d(np.arange(number.size), number)
    return number[now]
