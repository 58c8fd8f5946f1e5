"""Symmetric non-negative factors, several side by side: what PCPSNMF and S4NMF share.

LpCNMF shares the graph and the check of a given start.

Factors are arrays of shape (n, e, k): e starts or members of k columns each. A sparse matrix then
meets all of them as one of e * k columns, and dense products run member by member.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sentree.graph import FloatArray
from sentree.paper.baselines.base import IntArray


def sparse_product(A: Any, H: FloatArray) -> FloatArray:
    """Return A times every factor."""
    product: FloatArray = A @ H.reshape(H.shape[0], -1)
    return product.reshape(A.shape[0], *H.shape[1:])


def gram(H: FloatArray) -> FloatArray:
    """Return the (k, k) products of the columns of every factor with one another."""
    return np.asarray(np.matmul(H.transpose(1, 2, 0), H.transpose(1, 0, 2)))


def times(H: FloatArray, G: FloatArray) -> FloatArray:
    """Return every factor times its own (k, k) matrix."""
    product = np.empty_like(H)
    np.matmul(H.transpose(1, 0, 2), G, out=product.transpose(1, 0, 2))
    return product


def inner(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return the sum of the products of all entries, for every factor."""
    return np.asarray(np.einsum("nek,nek->e", A, B))


def quarter_step(
    H: FloatArray, numerator: FloatArray, denominator: FloatArray, floor: float
) -> None:
    """Multiply H by the fourth root of a quotient, in place; spoils numerator and denominator.

    The fourth root is what keeps a step on a quartic objective from going uphill.
    """
    np.maximum(denominator, floor, out=denominator)
    numerator /= denominator
    np.sqrt(numerator, out=numerator)
    np.sqrt(numerator, out=numerator)
    H *= numerator


def groups(group: IntArray, n_groups: int) -> sp.csr_array:
    """Return the matrix that adds up the rows of each group; rows of group -1 count nowhere."""
    order = np.argsort(group, kind="stable")[np.count_nonzero(group < 0) :]
    start = np.concatenate(([0], np.cumsum(np.bincount(group[order], minlength=n_groups))))
    return sp.csr_array((np.ones(order.size), order, start), shape=(n_groups, group.size))


def start_array(value: Any, shape: tuple[int, ...], name: str) -> FloatArray:
    """Return a copy of a given start, or say what is wrong with it."""
    given = np.array(value, dtype=np.float64)
    if given.shape != shape or not np.isfinite(given).all() or given.min(initial=0.0) < 0:
        raise ValueError(
            f"{name} must hold finite numbers >= 0 of shape {shape}, got shape {given.shape}"
        )
    return given


def symmetric_neighbors(weight: FloatArray, index: IntArray, rule: str) -> sp.csr_array:
    """Return the graph of weights to neighbours, with the mean or the larger of both directions."""
    n, p = index.shape
    W = sp.csr_array((weight.ravel(), index.ravel(), np.arange(0, n * p + 1, p)), shape=(n, n))
    return sp.csr_array((W + W.T) / 2 if rule == "mean" else W.maximum(W.T))
