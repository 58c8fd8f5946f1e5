"""Clusters edited by hand: united, divided, or some of their samples moved.

An edit is remembered as hard pairs between typical samples of the clusters, so that a later search
follows it, a report shows it, and a refit without these pairs undoes it. A later edit overrides an
earlier one.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree.constraints import Constraints
from sentree.graph import FloatArray

__all__ = [
    "Edit",
    "divided",
    "moved",
    "pairs_inside",
    "row_numbers",
    "united",
    "without_broken",
    "without_edits",
]

#: At most this many typical samples stand for a cluster.
_TYPICAL = 24
#: Weight that marks the pairs of edits. They are hard, so a tiny weight does: it changes nothing
#: else.
_EDIT_WEIGHT = 1e-6

IntArray = NDArray[np.int64]
_NO_PAIRS = np.empty((0, 2), dtype=np.int64)


class Edit(NamedTuple):
    """Clusters after an edit, and the constraints that remember it."""

    labels: NDArray[np.int32]
    constraints: Constraints
    change: int  # how many clusters were added (below 0: removed)


def united(labels: NDArray[np.int32], clusters: list[int], strength: FloatArray) -> Edit:
    """Unite clusters; the union has the number of the first."""
    first, *others = clusters
    own = _typical(labels, first, strength)
    pairs = [_matched(own, _typical(labels, other, strength)) for other in others]
    result = np.where(np.isin(labels, others), first, labels).astype(np.int32)
    return Edit(result, _edit_pairs(np.concatenate(pairs), _NO_PAIRS), -len(others))


def divided(
    labels: NDArray[np.int32], cluster: int, parts: NDArray[Any], strength: FloatArray
) -> Edit:
    """Divide a cluster into the parts 0, 1, … of its samples; the largest keeps its number."""
    inside = np.flatnonzero(labels == cluster)
    rank = np.argsort(np.argsort(-np.bincount(parts), kind="stable"), kind="stable")[parts]
    result = labels.copy()
    result[inside] = np.where(rank == 0, cluster, labels.max() + rank)
    numbers = np.unique(result[inside]).tolist()
    typical = [_typical(result, number, strength) for number in numbers]
    pairs = [_matched(a, b) for a, b in combinations(typical, 2)]
    return Edit(result, _edit_pairs(_NO_PAIRS, np.concatenate(pairs)), len(numbers) - 1)


def moved(labels: NDArray[np.int32], rows: IntArray, to: int | None, strength: FloatArray) -> Edit:
    """Move samples to a cluster, or with None to a new one of their own."""
    number = int(labels.max()) + 1 if to is None else to
    rows = rows[labels[rows] != number]
    result = labels.copy()
    result[rows] = number
    sources = np.intersect1d(labels[rows], result)
    stay = [_typical(np.where(result == labels, labels, -1), s, strength) for s in sources.tolist()]
    if to is None:
        must = np.column_stack((rows[:-1], rows[1:]))
    else:
        must = _matched(rows, _typical(labels, to, strength))[: rows.size]
    cannot = [_matched(rows[labels[rows] == s], t) for s, t in zip(sources, stay, strict=True)]
    change = np.unique(result).size - np.unique(labels).size
    return Edit(result, _edit_pairs(must, np.concatenate([_NO_PAIRS, *cannot])), change)


def without_broken(given: Constraints, labels: NDArray[Any]) -> Constraints:
    """Drop the pairs of earlier edits that the clusters break."""

    def kept(part: Constraints) -> Constraints:
        must, cannot = labels[part.must_link], labels[part.cannot_link]
        good = (part.must_weight != _EDIT_WEIGHT) | (must[:, 0] == must[:, 1])
        well = (part.cannot_weight != _EDIT_WEIGHT) | (cannot[:, 0] != cannot[:, 1])
        return _with_pairs(part, good, well)

    return replace(kept(given), hard=None if given.hard is None else kept(given.hard))


def without_edits(given: Constraints) -> Constraints:
    """Drop the pairs of all edits: what is left was said about the samples."""

    def kept(part: Constraints) -> Constraints:
        must, cannot = part.must_weight != _EDIT_WEIGHT, part.cannot_weight != _EDIT_WEIGHT
        return _with_pairs(part, must, cannot)

    hard = None if given.hard is None else kept(given.hard)
    return replace(kept(given), hard=hard if hard else None)


def _with_pairs(given: Constraints, must: NDArray[Any], cannot: NDArray[Any]) -> Constraints:
    """Return constraints with some of their pairs."""
    return replace(
        given,
        must_link=given.must_link[must],
        must_weight=given.must_weight[must],
        cannot_link=given.cannot_link[cannot],
        cannot_weight=given.cannot_weight[cannot],
    )


def pairs_inside(given: Constraints, inside: NDArray[Any], n: int) -> Constraints:
    """Return the pairs between the samples ``inside``, renumbered 0, 1, … in that order."""
    place = np.full(n, -1)
    place[inside] = np.arange(inside.size)
    ends = place[given.must_link], place[given.cannot_link]
    return Constraints.from_pairs(*(pairs[(pairs >= 0).all(axis=1)] for pairs in ends))


def row_numbers(rows: ArrayLike, n: int, name: str = "rows") -> IntArray:
    """Check row numbers, or a mask, and return sorted row numbers."""
    chosen = np.asarray(rows)
    if chosen.dtype == bool:
        if chosen.shape != (n,):
            raise ValueError(f"the mask {name} has shape {chosen.shape}, expected ({n},)")
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1:
        raise ValueError(f"{name} must be a list of row numbers, or a mask; got {chosen.ndim}-d")
    if chosen.size and (chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= n):
        raise ValueError(f"{name} must hold row numbers between 0 and {n - 1}, or a mask")
    return np.unique(chosen).astype(np.int64)


def _edit_pairs(must: IntArray, cannot: IntArray) -> Constraints:
    """Return hard pairs with the weight that marks edits."""
    weights = np.full(len(must), _EDIT_WEIGHT), np.full(len(cannot), _EDIT_WEIGHT)
    return Constraints.from_pairs(must, cannot, weights=weights, hard=True)


def _typical(labels: NDArray[Any], cluster: int, strength: FloatArray) -> IntArray:
    """Return samples spread over the half of a cluster with the highest membership strength."""
    inside = np.flatnonzero(labels == cluster)
    firm = inside[np.argsort(-strength[inside], kind="stable")][: -(-inside.size // 2)]
    place = np.linspace(0, firm.size - 1, min(firm.size, _TYPICAL)).round().astype(int)
    return np.asarray(firm[place], dtype=np.int64)


def _matched(a: IntArray, b: IntArray) -> IntArray:
    """Pair the samples of two lists; the shorter list is repeated."""
    m = max(a.size, b.size)
    return np.column_stack((np.resize(a, m), np.resize(b, m)))
