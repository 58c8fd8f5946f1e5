"""The signed relation of samples that SC-MPI and OneStepPCP start from."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sentree.baselines.base import IntArray, class_codes
from sentree.constraints import Constraints

__all__ = ["class_relation", "pair_relation", "signed_relation"]

Relation = sp.csr_array[Any, tuple[int, int]]


def signed_relation(given: Constraints, n: int, n_clusters: int) -> Relation:
    """Return 1 for samples known to be together, -1 for those known to be apart, both at once.

    Pairs and classes are two sources of one relation, of whose sum only the sign counts.
    """
    known = class_codes(given, n, n_clusters)
    return (pair_relation(given, n) + class_relation(known)).sign()


def pair_relation(given: Constraints, n: int) -> Relation:
    """Return the relation that pairs and groups give, closed as the published studies close it.

    A must-linked sample is related to all that a chain of must-links reaches, itself included. A
    cannot-link counts for all these of both its ends only where both have must-links; otherwise it
    stays a single pair.
    """
    chains = [np.column_stack((group[:-1], group[1:])) for group in given.together]
    must = np.concatenate((given.must_link, *chains))
    rivals = [np.argwhere(~np.tri(len(group), dtype=bool)) for group in given.apart]
    cannot = np.concatenate(
        (given.cannot_link, *(group[k] for group, k in zip(given.apart, rivals, strict=True)))
    )
    linked = np.zeros(n, dtype=bool)
    linked[must] = True
    component = connected_components(_marked(must, n), directed=False)[1]
    member = sp.csr_array((linked.astype(np.float64), (np.arange(n), component)))
    closed = linked[cannot].all(axis=1)
    between = _marked(component[cannot[closed]], member.shape[1])
    apart = member @ between @ member.T + _marked(cannot, n)
    return sp.csr_array(member @ member.T - (apart + apart.T).sign())


def class_relation(known: IntArray) -> Relation:
    """Return 1 within, -1 between known classes, the diagonal included; -1 means not known."""
    n = known.size
    index = np.flatnonzero(known >= 0)
    row, column = np.repeat(index, index.size), np.tile(index, index.size)
    same = np.where(known[row] == known[column], 1.0, -1.0)
    return sp.csr_array((same, (row, column)), shape=(n, n))


def _marked(pairs: IntArray, n: int) -> Relation:
    """Return a matrix with 1 or more at the given pairs."""
    return sp.csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
