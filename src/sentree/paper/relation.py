"""The relation graph with the weights of the paper: pairs count by how similar they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sentree.constraints import Closure, Constraints
from sentree.graph import FloatArray, IntArray
from sentree.paper.similarity import PairSimilarity

__all__ = ["check_pairs", "relation_by_similarity"]

#: Most pairs that the paper's weights are computed for: about 2 GB.
_MOST_PAIRS = 20_000_000


def relation_by_similarity(
    constraints: Constraints,
    n: int,
    similarity: PairSimilarity,
    *,
    penalty: float = 2.0,
    n_classes: int | None = None,
) -> sp.csr_array[Any, tuple[int, int]]:
    """Return the signed relation graph, weighted by similarity.

    With low and high the extremes of the similarity s, w the weight of a pair in the closure
    and rho the number of must-link entries over that of cannot-link entries (1 without
    must-links)::

        must-link:    penalty * w * (high - s_ij)
        cannot-link:  penalty * w * rho * (low - s_ij)

    Expands the closure to pairs: quadratic in the size of groups and classes.

    Parameters
    ----------
    constraints : Constraints
        What is known.
    n : int
        Number of samples.
    similarity : PairSimilarity
        Has ``pairs(i, j)`` and ``extremes()``; not asked where there is nothing to weigh.
    penalty : float, default=2.0
        Weight of the constraints, finite and >= 0.
    n_classes : int, optional
        As in :meth:`Constraints.closure <sentree.Constraints.closure>`.

    Returns
    -------
    csr_array of shape (n, n)
        Symmetric, sorted, without diagonal or explicit zeros.
    """
    if not (np.isfinite(penalty) and penalty >= 0):
        raise ValueError(f"penalty must be finite and >= 0, got {penalty}")
    closure = constraints.closure(n, n_classes=n_classes)
    check_pairs(closure)
    must_i, must_j, must = closure.must_pairs()
    cannot_i, cannot_j, cannot = closure.cannot_pairs()
    i, j = np.concatenate((must_i, cannot_i)), np.concatenate((must_j, cannot_j))
    if i.size == 0:
        return sp.csr_array((n, n), dtype=np.float64)
    low, high = similarity.extremes()
    s = _similarities(similarity, i, j)
    rho = must.size / cannot.size if must.size and cannot.size else 1.0
    # Rounding in the similarities must not turn a must-link into a cannot-link, or the reverse.
    together = np.maximum(high - s[: must.size], 0.0) * must
    apart = np.minimum(low - s[must.size :], 0.0) * (rho * cannot)
    weight = penalty * np.concatenate((together, apart))
    row, column = np.concatenate((i, j)), np.concatenate((j, i))
    matrix = sp.coo_array((np.tile(weight, 2), (row, column)), shape=(n, n)).tocsr()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def check_pairs(closure: Closure) -> None:
    """Refuse constraints that entail too many pairs."""
    if (pairs := closure.count_pairs()) > _MOST_PAIRS:
        raise ValueError(
            f"these constraints entail {pairs:,} pairs, too many for the paper's weights, which "
            "need each of them (about 100 bytes apiece): give fewer labels, or use "
            "sentree.SSEPartition, which does not expand them"
        )


def _similarities(similarity: PairSimilarity, i: IntArray, j: IntArray) -> FloatArray:
    """Ask for similarities, and see that there is a finite one for every pair."""
    s = np.asarray(similarity.pairs(i, j), dtype=np.float64)
    if s.shape != i.shape:
        raise ValueError(f"similarity.pairs gave shape {s.shape} for {i.size} pairs")
    if not np.isfinite(s).all():
        k = int(np.flatnonzero(~np.isfinite(s))[0])
        raise ValueError(f"the similarity of {i[k]} and {j[k]} is {s[k]}; it must be finite")
    return s
