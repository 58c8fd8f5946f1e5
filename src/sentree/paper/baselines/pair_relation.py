"""The signed relation of samples that SC-MPI and OneStepPCP start from."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sentree.constraints import Constraints
from sentree.paper.baselines.base import IntArray, class_codes

Relation: TypeAlias = "sp.csr_array[Any, tuple[int, int]]"


def signed_relation(
    given: Constraints, n: int, n_clusters: int, *, negative_labels: bool
) -> Relation:
    """Return 1 where two samples are known to be together, -1 where they are known to be apart.

    Pairs, labels and, where wanted, negative labels are sources of one relation, which add up; only
    the sign of the sum counts.
    """
    # With more classes than clusters the relation still holds; the clusters will unite some.
    known = class_codes(given, n, n_clusters)
    relation = pair_relation(given, n) + class_relation(known)
    if negative_labels:
        relation = relation + exclusions(given, known)
    relation = relation.sign()
    relation.eliminate_zeros()
    return relation


def pair_relation(given: Constraints, n: int) -> Relation:
    """Return the relation that pairs and groups give, closed as the published studies close it.

    A must-linked sample is related to all that a chain of must-links reaches, itself included. A
    cannot-link counts for all these of both its ends only where both have must-links; otherwise it
    stays a single pair.
    """
    chains = [np.column_stack((group[:-1], group[1:])) for group in given.together]
    must = np.concatenate((given.must_link, *chains))
    rivals = [group[np.argwhere(~np.tri(len(group), dtype=bool))] for group in given.apart]
    cannot = np.concatenate((given.cannot_link, *rivals))
    linked = np.zeros(n, dtype=bool)
    linked[must] = True
    component = connected_components(_counted(must, n, n), directed=False)[1]
    member = sp.csr_array((linked.astype(np.float64), (np.arange(n), component)))
    closed = linked[cannot].all(axis=1)
    between = _counted(component[cannot[closed]], member.shape[1], member.shape[1])
    apart = member @ between @ member.T + _counted(cannot, n, n)
    return member @ member.T - (apart + apart.T).sign()


def class_relation(known: IntArray) -> Relation:
    """Return 1 within, -1 between known classes, the diagonal included; class -1 is not known."""
    n = known.size
    index = np.flatnonzero(known >= 0)
    row, column = np.repeat(index, index.size), np.tile(index, index.size)
    same = np.where(known[row] == known[column], 1.0, -1.0)
    return sp.csr_array((same, (row, column)), shape=(n, n))


def exclusions(given: Constraints, known: IntArray) -> Relation:
    """Return -1 between samples ruled out of a class and the samples known to be of it."""
    n, k = known.size, len(given.classes)
    index = np.flatnonzero(known >= 0)
    of = _counted(np.column_stack((index, known[index])), n, k)
    out = _counted(np.column_stack((given.negative_index, given.negative_code)), n, k)
    apart = out @ of.T
    return -(apart + apart.T).sign()


def _counted(cells: IntArray, rows: int, columns: int) -> Any:
    """Return a matrix that counts how often each cell is given."""
    ones = np.ones(len(cells))
    return sp.csr_array((ones, (cells[:, 0], cells[:, 1])), shape=(rows, columns))
