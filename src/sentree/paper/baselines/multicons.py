"""The consensus of several clusterings by closed patterns, with constraints: a list of partitions.

Samples with the same labels in all clusterings are one atom, and every set that occurs is a union
of atoms. So the search never sees samples, only atoms with their sizes and their links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.labels import renumber
from sentree.constraints.closure import Closure
from sentree.graph import FloatArray
from sentree.paper.baselines.base import IntArray

Sets = NDArray[np.bool_]


def consensus_levels(
    base: NDArray[np.int32], closure: Closure, merging_threshold: float
) -> NDArray[np.int32]:
    """Return the consensus of m clusterings, of shape (m, n), for every threshold of agreement.

    Row t - 1 is the partition of sets that t clusterings agree on. Two sets without constraints are
    united where they share the part ``merging_threshold`` of one of them.
    """
    m, n = base.shape
    labels, atom, size = np.unique(base, axis=1, return_inverse=True, return_counts=True)
    atom = atom.reshape(n)
    links = _atom_links(closure, atom, size)
    patterns = _closed_patterns(labels, size)
    sets = patterns.extent[patterns.agreement == m]
    levels = np.empty((m, n), dtype=np.int32)
    levels[m - 1] = renumber(atom)
    for threshold in range(m - 1, 0, -1):
        sets = np.concatenate((sets, patterns.extent[patterns.agreement == threshold]))
        sets = _distinct(_united(sets, size, links, merging_threshold))
        levels[threshold - 1] = renumber(sets.argmax(axis=0)[atom])  # the first set, of several
    return levels


def _atom_links(closure: Closure, atom: IntArray, size: IntArray) -> FloatArray:
    """Return must-links less cannot-links between every two atoms, in ordered pairs of samples."""
    k = closure.n_components
    u, v = closure.cannot.T
    apart = sp.csr_array((np.ones(u.size), (u, v)), (k, k))
    held = sp.csr_array((np.ones(atom.size), (closure.component, atom)), (k, size.size))
    links: FloatArray = (held.T @ (sp.eye_array(k) - apart - apart.T) @ held).toarray()
    links[np.diag_indices(size.size)] -= size  # no sample is linked to itself
    return links


class _Patterns(NamedTuple):
    """Sets of atoms, the smallest first, and the number of clusterings that hold each together."""

    extent: Sets
    agreement: IntArray


def _closed_patterns(labels: NDArray[np.int32], size: IntArray) -> _Patterns:
    """Return all distinct intersections of clusters, given the labels of every atom."""
    items = np.concatenate([row == np.unique(row)[:, None] for row in labels])
    family: set[int] = set()  # sets of atoms as the bits of a number
    for item in items:
        bits = int.from_bytes(np.packbits(item).tobytes(), "big")
        family |= {bits, *(bits & other for other in family)}
    family.discard(0)
    width = -(-size.size // 8)
    rows = np.frombuffer(b"".join(s.to_bytes(width, "big") for s in sorted(family)), np.uint8)
    extent = np.unpackbits(rows.reshape(-1, width), axis=1, count=size.size).astype(np.bool_)
    inside = extent.astype(np.float64) @ (~items).T.astype(np.float64) == 0
    agreement, support = inside.sum(axis=1), extent @ size
    order = np.lexsort((*(~inside.T[::-1]), agreement, support))
    return _Patterns(extent[order], agreement[order])


def _united(sets: Sets, size: IntArray, links: FloatArray, merging_threshold: float) -> Sets:
    """Unite or part sets that overlap, one after the other; sets taken in are left empty."""
    for i in range(len(sets)):
        here = sets[i].copy()
        for j in np.flatnonzero((sets & here).any(axis=1)):
            both = here & sets[j]
            if i == j or not both.any():
                continue
            match _decide(here, sets[j], both, size, links, merging_threshold):
                case "unite":
                    sets[j] |= here
                    here[:] = False
                case "first keeps":
                    sets[j] &= ~both
                case "second keeps":
                    here &= ~both
            if not here.any():
                break
        sets[i] = here
    return sets


def _decide(
    first: Sets, second: Sets, both: Sets, size: IntArray, links: FloatArray, threshold: float
) -> str:
    """Say whether two sets are united, or else which of them keeps what both hold."""
    a, b = first & ~both, second & ~both
    n_both, n_a, n_b = int(size @ both), int(size @ a), int(size @ b)
    n_first, n_second = n_both + n_a, n_both + n_b
    of_both = links @ both
    to_a, to_b = float(of_both @ a), float(of_both @ b)
    across = float((links @ a) @ b)
    if across == to_a == to_b == 0:
        if n_a and not n_b:
            return "first keeps"  # it holds all of the second
        if n_both >= threshold * n_first or n_both >= threshold * n_second:
            return "unite"
        return "first keeps" if n_first <= n_second else "second keeps"
    merge, leave_a, leave_b = across / (n_a + n_b), -to_a / n_first, -to_b / n_second
    if merge >= leave_a and merge >= leave_b:
        return "unite"
    return "first keeps" if leave_a <= leave_b else "second keeps"


def _distinct(sets: Sets) -> Sets:
    """Drop empty sets, and those that occurred before."""
    sets = sets[sets.any(axis=1)]
    first = np.unique(sets, axis=0, return_index=True)[1]
    return sets[np.sort(first)]
