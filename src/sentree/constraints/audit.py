"""What constraints say before anything is clustered: contradictions, repetitions, coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph

from sentree.constraints import Constraints
from sentree.constraints.closure import Closure
from sentree.constraints.conflicts import Conflict, flatten

IntArray = NDArray[np.int64]

__all__ = ["Audit", "audit_constraints"]


@dataclass(frozen=True, eq=False)
class Audit:
    """What constraints say about n samples.

    Attributes
    ----------
    n : int
        Number of samples.
    n_named : int
        Samples that any statement names.
    given : mapping of str to int
        Number of statements of each kind.
    conflicts : list of Conflict
        Contradictions, each with its proof.
    redundant : mapping of str to int64 array
        Numbers of the statements that follow from others of the same or another kind; of several
        that say the same, the first counts. Empty where there are contradictions, from which
        anything would follow.
    components : int64 array
        Sizes of the sets of samples that belong together, two or more each, largest first; empty
        where there are contradictions.
    """

    n: int
    n_named: int
    given: Mapping[str, int]
    conflicts: list[Conflict]
    redundant: Mapping[str, IntArray]
    components: IntArray

    @property
    def coverage(self) -> float:
        """Share of the samples that any statement names."""
        return self.n_named / self.n if self.n else 0.0

    @property
    def n_redundant(self) -> int:
        """Number of statements that follow from others."""
        return sum(map(len, self.redundant.values()))


def audit_constraints(
    constraints: Constraints,
    n: int,
    *,
    n_classes: int | None = None,
    names: Sequence[Any] | None = None,
) -> Audit:
    """Look for contradictions and for statements that add nothing, in near-linear time.

    Parameters
    ----------
    constraints : Constraints
        What was said.
    n : int
        Number of samples.
    n_classes : int, optional
        As in :meth:`Constraints.closure`.
    names : sequence of length n, optional
        What the samples are called in the proofs of contradictions.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from sentree import Constraints, audit_constraints
    >>> given = Constraints.from_pairs(must_link=[(0, 1), (1, 2), (0, 2)], cannot_link=[(2, 3)])
    >>> audit = audit_constraints(given, 10)
    >>> audit.coverage, audit.components, audit.redundant["must_link"]
    (0.4, array([3]), array([2]))
    """
    conflicts = constraints.conflicts(n, n_classes=n_classes, names=names)
    named = constraints.triplets.ravel()
    for level in constraints.levels:
        named = np.union1d(named, level.named)
    redundant: dict[str, IntArray] = {}
    sizes = np.empty(0, dtype=np.int64)
    if not conflicts:
        closure = constraints.closure(n, n_classes=n_classes)
        redundant = {
            "must_link": _redundant_must_links(constraints, n),
            "cannot_link": _redundant_cannot_links(constraints, closure),
            "labels": _later(constraints.label_index),
            "negative_labels": _redundant_negatives(constraints, closure),
        }
        sizes = np.sort(np.bincount(closure.component))[::-1]
        sizes = sizes[sizes > 1]
    given = constraints.counts
    return Audit(n, int(named.size), given, conflicts, redundant, sizes)


def _later(key: IntArray) -> IntArray:
    """Return the positions of values that occurred before."""
    later = np.ones(key.size, dtype=bool)
    later[np.unique(key, return_index=True)[1]] = False
    return np.flatnonzero(later)


def _redundant_must_links(given: Constraints, n: int) -> IntArray:
    """Find must-links whose ends belong together by labels, groups and earlier must-links.

    What is not in the spanning forest that takes statements in this order is redundant.
    """
    member, group = flatten(given.together)
    first_class = n + len(given.together)
    tail = np.concatenate((given.label_index, member, given.must_link[:, 0]))
    head = np.concatenate((first_class + given.label_code, n + group, given.must_link[:, 1]))
    low, high = np.minimum(tail, head), np.maximum(tail, head)
    n_nodes = first_class + len(given.classes)
    _, first = np.unique(low * n_nodes + high, return_index=True)
    rank = first + 1.0  # an edge of weight 0 would be none
    edges = sp.coo_array((rank, (low[first], high[first])), shape=(n_nodes, n_nodes)).tocsr()
    needed = csgraph.minimum_spanning_tree(edges).data.astype(np.int64) - 1
    redundant = np.ones(tail.size, dtype=bool)
    redundant[needed] = False
    return np.flatnonzero(redundant[given.label_index.size + member.size :])


def _redundant_cannot_links(given: Constraints, closure: Closure) -> IntArray:
    """Find cannot-links between components that labels, groups or earlier ones keep apart."""
    ends = np.sort(closure.component[given.cannot_link], axis=1)
    key = ends[:, 0] * closure.n_components + ends[:, 1]
    redundant = np.zeros(key.size, dtype=bool)
    redundant[_later(key)] = True
    class_of = _class_of_component(closure)
    redundant |= (class_of[ends] >= 0).all(axis=1)  # two different classes
    member, group = flatten(given.apart)
    sets = sp.coo_array(
        (np.ones(member.size), (closure.component[member], group)),
        shape=(closure.n_components, len(given.apart)),
    ).tocsr()
    if member.size and key.size:
        redundant |= sets[ends[:, 0]].multiply(sets[ends[:, 1]]).sum(axis=1) > 0
    return np.flatnonzero(redundant)


def _redundant_negatives(given: Constraints, closure: Closure) -> IntArray:
    """Find negative labels of samples whose class is known, or that were said before."""
    component = closure.component[given.negative_index]
    redundant = np.zeros(component.size, dtype=bool)
    redundant[_later(component * max(len(given.classes), 1) + given.negative_code)] = True
    redundant |= _class_of_component(closure)[component] >= 0
    return np.flatnonzero(redundant)


def _class_of_component(closure: Closure) -> IntArray:
    """Return the class code of every component, -1 where it is not known."""
    class_of = np.full(closure.n_components, -1, dtype=np.int64)
    known = np.flatnonzero(closure.class_component >= 0)
    class_of[closure.class_component[known]] = known
    return class_of
