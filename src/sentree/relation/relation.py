"""The relation graph: what constraints say of pairs, as signed weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import FloatArray

__all__ = ["Relation", "apart_pairs"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Relation:
    """Must-links as weights above 0, cannot-links below, minus infinity for what is kept apart.

    Made from a matrix that is right by construction: symmetric, without a diagonal. One that users
    give goes through :meth:`checked`.
    """

    matrix: Any  # CSR

    def __post_init__(self) -> None:
        self.matrix.sum_duplicates()  # also sorts; does nothing if already done

    @classmethod
    def checked(cls, relation: Any, n: int) -> Relation:
        """Return a relation of n vertices; a sparse matrix is checked first."""
        if not isinstance(relation, Relation) and not sp.issparse(relation):
            raise TypeError(f"the relation graph must be sparse, got {type(relation).__name__}")
        shape = (relation.matrix if isinstance(relation, Relation) else relation).shape
        if shape != (n, n):
            raise ValueError(f"the relation graph has shape {shape}, expected {(n, n)}")
        if isinstance(relation, Relation):
            return relation
        csr = sp.csr_array(relation, dtype=np.float64, copy=True)
        csr.sum_duplicates()
        if np.isnan(csr.data).any() or np.isposinf(csr.data).any():
            raise ValueError("the relation graph holds a weight that is not finite")
        if csr.diagonal().any():
            raise ValueError("the relation graph relates a vertex to itself")
        if not _symmetric(csr):
            raise ValueError("the relation graph is not symmetric")
        return cls(csr)

    @cached_property
    def arrays(self) -> tuple[IntArray, NDArray[np.int32], FloatArray]:
        """The CSR arrays as kernels take them."""
        csr = self.matrix
        return csr.indptr.astype(np.int64), csr.indices.astype(np.int32), csr.data

    @cached_property
    def apart(self) -> tuple[IntArray, IntArray]:
        """The pairs i < j that are kept apart."""
        entries = self.matrix.tocoo()
        chosen = np.isneginf(entries.data) & (entries.row < entries.col)
        return entries.row[chosen].astype(np.int64), entries.col[chosen].astype(np.int64)

    @property
    def has_must_links(self) -> bool:
        """Whether any weight is above 0."""
        return bool((self.matrix.data > 0).any())

    @property
    def related(self) -> NDArray[np.intp]:
        """The vertices that are related to any other."""
        return np.flatnonzero(np.diff(self.matrix.indptr))

    def part(self, vertices: Any) -> Relation:
        """Return the relation of some vertices alone."""
        return Relation(self.matrix[vertices][:, vertices])

    def scaled(self, factor: float) -> Relation:
        """Return the relation with all weights multiplied."""
        return Relation(self.matrix * factor)

    def with_weights(self, rows: IntArray, columns: IntArray, weights: FloatArray) -> Relation:
        """Add weights to pairs, each of which is given once."""
        return Relation(self.matrix + _both_ways(rows, columns, weights, self.matrix.shape[0]))

    @classmethod
    def from_pairs(cls, rows: IntArray, columns: IntArray, weights: FloatArray, n: int) -> Relation:
        """Return the relation of pairs, each of which is given once."""
        return cls(_both_ways(rows, columns, weights, n))


def apart_pairs(relation: Relation | None) -> tuple[IntArray, IntArray]:
    """List the pairs i < j that a relation keeps apart; without one, none."""
    if relation is None:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return relation.apart


def _both_ways(rows: IntArray, columns: IntArray, weights: FloatArray, n: int) -> Any:
    half = sp.coo_array((weights, (rows, columns)), shape=(n, n)).tocsr()
    return (half + half.T).tocsr()


def _symmetric(csr: Any) -> bool:
    """Tell whether a sorted matrix is its transpose, up to rounding of finite weights."""
    other = csr.T.tocsr()
    if not np.array_equal(csr.indptr, other.indptr) or not np.array_equal(
        csr.indices, other.indices
    ):
        return False
    finite = np.isfinite(csr.data)
    if not np.array_equal(finite, np.isfinite(other.data)):
        return False
    weights, mirrored = csr.data[finite], other.data[finite]
    largest = np.abs(weights).max(initial=0.0)
    return bool((np.abs(weights - mirrored) <= 1e-9 * largest).all())
