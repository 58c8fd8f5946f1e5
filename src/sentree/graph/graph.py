"""The data graph: an immutable, validated, symmetric sparse graph in flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sentree import _kernels
from sentree._util.threads import sharing

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]

__all__ = [
    "Graph",
    "components",
    "frozen",
    "largest_column",
    "module_cuts",
    "neighbor_graph",
    "scaled_columns",
    "scaled_rows",
    "with_values",
]

#: The two weights of an edge may differ by this share of the larger one, by rounding.
_SYMMETRY_TOLERANCE = 1e-8
#: Products of a few weights up to this, and down to its inverse, neither overflow nor vanish.
_MODERATE = 2.0**100


@dataclass(frozen=True, eq=False)
class Graph:
    """A symmetric weighted graph without negative weights; row i is sample i.

    Make one with :meth:`from_scipy`, :meth:`from_edges` or :meth:`from_dense`, or from samples with
    :func:`sentree.knn_graph`. The arrays are those of a CSR matrix with sorted, unique rows and no
    diagonal, and are read-only.

    Parameters
    ----------
    indptr : int64 array of shape (n + 1,)
        Row i has its neighbours at ``indices[indptr[i]:indptr[i + 1]]``.
    indices : int32 array of shape (2 * n_edges,)
        Neighbours, increasing within a row.
    weights : float64 array of shape (2 * n_edges,)
        Weights > 0, the same in both directions.
    degree : float64 array of shape (n,), optional
        Defaults to the row sums. Where a vertex has weight of its own (a self-loop, or the inside
        of a contracted module) its degree exceeds its row sum by that weight.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: FloatArray
    degree: FloatArray = None  # type: ignore[assignment]  # filled in __post_init__

    def __post_init__(self) -> None:
        indptr = np.ascontiguousarray(self.indptr, dtype=np.int64)
        indices = np.ascontiguousarray(self.indices, dtype=np.int32)
        weights = np.ascontiguousarray(self.weights, dtype=np.float64)
        n = indptr.size - 1
        if n < 0 or indptr[0] != 0 or indptr[-1] != indices.size or np.any(np.diff(indptr) < 0):
            raise ValueError("Graph: indptr must start at 0, never fall and end at len(indices)")
        if indices.size != weights.size:
            raise ValueError(f"Graph: {indices.size} indices but {weights.size} weights")
        if not _kernels.is_graph(indptr, indices, weights, sharing()):
            _check_graph(indptr, indices, weights)
        rows = _row_sums(weights, indptr)
        if self.degree is None:
            degree = rows
        else:
            degree = np.ascontiguousarray(self.degree, dtype=np.float64)
            if degree.shape != (n,):
                raise ValueError(f"Graph: degree has shape {degree.shape}, expected ({n},)")
        bad = ~(np.isfinite(degree) & (degree >= rows * (1 - 1e-12)))
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            raise ValueError(
                f"Graph: degree of vertex {i} is {degree[i]}, not finite or below its row sum "
                f"{rows[i]}"
            )
        self._keep(
            frozen(indptr, self.indptr),
            frozen(indices, self.indices),
            frozen(weights, self.weights),
            frozen(degree, self.degree),
        )

    def _keep(self, *arrays: NDArray[Any]) -> None:
        """Store the four arrays, which are read-only."""
        for name, array in zip(("indptr", "indices", "weights", "degree"), arrays, strict=True):
            object.__setattr__(self, name, array)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.indptr, self.indices, self.weights, self.degree)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return int(self.indptr.size - 1)

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return int(self.indices.size // 2)

    @property
    def volume(self) -> float:
        """Sum of all degrees."""
        return float(self.degree.sum())

    @property
    def strength(self) -> FloatArray:
        """Weight to other vertices: the degree without a vertex's own weight."""
        return _row_sums(self.weights, self.indptr)

    @property
    def isolated(self) -> NDArray[np.intp]:
        """Vertices without a neighbour."""
        return np.flatnonzero(np.diff(self.indptr) == 0)

    def __repr__(self) -> str:
        return f"Graph(n={self.n}, n_edges={self.n_edges}, volume={self.volume:.6g})"

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, self_loops: Literal["drop", "keep", "error"] = "drop"
    ) -> Graph:
        """Make a graph from a symmetric scipy sparse matrix or array.

        Parameters
        ----------
        matrix : scipy sparse matrix or array of shape (n, n)
            Symmetric, finite, without negative entries; explicit zeros are dropped.
        self_loops : {"drop", "keep", "error"}
            What a diagonal means: nothing, weight of the vertex itself (its degree grows by it,
            counted once), or a mistake.
        """
        if self_loops not in ("drop", "keep", "error"):
            raise ValueError(f"self_loops must be 'drop', 'keep' or 'error', got {self_loops!r}")
        if not sp.issparse(matrix):
            raise TypeError(f"expected a scipy sparse matrix, got {type(matrix).__name__}")
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"a graph needs a square matrix, got shape {matrix.shape}")
        if matrix.shape[0] >= np.iinfo(np.int32).max:
            raise ValueError("a graph holds at most 2^31 - 2 vertices")
        if matrix.dtype.kind not in "buif":
            raise ValueError(f"a graph needs real numbers as weights, got dtype {matrix.dtype}")
        csr = sp.csr_array(matrix, dtype=np.float64)
        if _is_graph(csr):  # the usual case; the constructor makes the copies
            return cls(csr.indptr, csr.indices, csr.data)
        csr = csr.copy()
        csr.sum_duplicates()
        _check_weights(csr, zero_allowed=True)
        mirrored = _check_symmetric(csr)
        loops = csr.diagonal()
        if loops.any():
            if self_loops == "error":
                raise ValueError(f"vertex {int(np.flatnonzero(loops)[0])} has a self-loop")
            csr.setdiag(0.0)
        csr.eliminate_zeros()
        if not mirrored:
            csr = (csr + csr.T) * 0.5
            csr.sort_indices()
        degree = None
        if self_loops == "keep" and loops.any():
            degree = _row_sums(csr.data, csr.indptr) + loops
        return cls(csr.indptr, csr.indices, csr.data, degree)  # type: ignore[arg-type]

    @classmethod
    def from_edges(
        cls, edges: ArrayLike, weights: ArrayLike | None = None, *, n: int | None = None
    ) -> Graph:
        """Make a graph from a list of undirected edges.

        Parameters
        ----------
        edges : array-like of shape (m, 2)
            Pairs of vertices; an edge given twice counts with the sum of its weights.
        weights : array-like of shape (m,), optional
            Weights >= 0; 1 where not given.
        n : int, optional
            Number of vertices; the largest index + 1 where not given.
        """
        pairs = np.asarray(edges)
        if pairs.size == 0:
            pairs = np.empty((0, 2), dtype=np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError(f"edges must have shape (m, 2), got {pairs.shape}")
        if pairs.dtype.kind not in "iu":
            raise ValueError(f"edges must be integers, got dtype {pairs.dtype}")
        w = np.ones(len(pairs)) if weights is None else np.asarray(weights, dtype=np.float64)
        if w.shape != (len(pairs),):
            raise ValueError(f"{len(pairs)} edges but weights of shape {w.shape}")
        size = (int(pairs.max()) + 1 if len(pairs) else 0) if n is None else n
        bad = (pairs < 0).any(axis=1) | (pairs >= size).any(axis=1)
        if bad.any():
            e = int(np.flatnonzero(bad)[0])
            raise ValueError(f"edge {e} is {tuple(pairs[e].tolist())}, outside 0..{size - 1}")
        loop = pairs[:, 0] == pairs[:, 1]
        if loop.any():
            e = int(np.flatnonzero(loop)[0])
            raise ValueError(f"edge {e} joins vertex {int(pairs[e, 0])} to itself")
        wrong = ~(np.isfinite(w) & (w >= 0))
        if wrong.any():
            e = int(np.flatnonzero(wrong)[0])
            raise ValueError(f"edge {e} has weight {w[e]}; weights must be finite and >= 0")
        i, j = pairs[:, 0], pairs[:, 1]
        half = sp.coo_array((w, (np.minimum(i, j), np.maximum(i, j))), shape=(size, size)).tocsr()
        return cls.from_scipy(half + half.T, self_loops="error")

    @classmethod
    def from_dense(
        cls, array: ArrayLike, *, self_loops: Literal["drop", "keep", "error"] = "drop"
    ) -> Graph:
        """Make a graph from a dense symmetric matrix of weights (0 = no edge)."""
        dense = np.asarray(array, dtype=np.float64)
        if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
            raise ValueError(f"a graph needs a square matrix, got shape {dense.shape}")
        return cls.from_scipy(sp.csr_array(dense), self_loops=self_loops)

    def moderate(self) -> tuple[Graph, float]:
        """Return the graph with weights of reasonable size, and what they were multiplied by.

        Clusters depend on ratios of weights alone, but a search multiplies volumes, and products
        must not overflow. Where the largest weight is extreme, all are multiplied by a power of
        two, which is exact; weights that become 0 are no edges.
        """
        largest = self.weights.max(initial=0.0)
        if largest == 0 or 1 / _MODERATE <= largest <= _MODERATE:
            return self, 1.0
        factor = float(np.ldexp(1.0, np.clip(-np.frexp(largest)[1], -1000, 1000)))
        csr = self.to_scipy() * factor
        csr.eliminate_zeros()
        return Graph(csr.indptr, csr.indices, csr.data, self.degree * factor), factor

    def with_isolated(self, degree: ArrayLike) -> Graph:
        """Return the graph with more vertices, which have these degrees and no neighbours."""
        more = np.asarray(degree, dtype=np.float64)
        if more.ndim != 1 or not np.all(np.isfinite(more) & (more >= 0)):
            raise ValueError("degrees of isolated vertices must be a list of finite numbers >= 0")
        if more.size == 0:
            return self
        indptr = np.concatenate((self.indptr, np.full(more.size, self.indptr[-1])))
        degrees = np.concatenate((self.degree, more))
        larger = object.__new__(type(self))  # the parts are already checked
        larger._keep(frozen(indptr, None), self.indices, self.weights, frozen(degrees, None))
        return larger

    def to_scipy(self) -> sp.csr_array[Any, tuple[int, int]]:
        """Return the weights as a scipy CSR array, without self-loops."""
        # Both index arrays in 32 bits where they fit: much of scikit-learn takes no others.
        small = self.indices.size <= np.iinfo(np.int32).max
        indptr = self.indptr.astype(np.int32) if small else self.indptr.copy()
        parts = (self.weights.copy(), self.indices.copy(), indptr)
        return sp.csr_array(parts, shape=(self.n, self.n))

    def edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32], FloatArray]:
        """Return every undirected edge once, as ``(i, j, weight)`` with i < j."""
        rows = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.indptr))
        upper = rows < self.indices
        return rows[upper], self.indices[upper], self.weights[upper]


def frozen(array: NDArray[Any], given: object) -> NDArray[Any]:
    """Return a read-only array that nobody else can write to."""
    shared = given is not None and np.may_share_memory(array, np.asarray(given))
    if shared and array.flags.writeable:
        array = array.copy()
    view = array.view()
    view.flags.writeable = False
    return view


def neighbor_graph(indptr: IntArray, indices: IntArray, weights: FloatArray) -> Graph:
    """Join vertices to their neighbours, where either end has the other among its neighbours.

    An edge has the larger of the two weights; what is not above 0 is no edge. The arrays are those
    of a CSR matrix, with rows in any order and no diagonal.
    """
    found = _kernels.both_ways(
        indptr.astype(np.int64, copy=False),
        indices.astype(np.int32, copy=False),
        weights,
        sharing(),
    )
    graph = object.__new__(Graph)  # it is symmetric, and sorted
    graph._keep(*(frozen(part, None) for part in (*found, _row_sums(found[2], found[0]))))
    return graph


def components(graph: Graph) -> NDArray[np.int32]:
    """Return the connected component of every vertex, numbered by first appearance."""
    return _kernels.components(graph.indptr, graph.indices, graph.weights)


def module_cuts(
    modules: NDArray[Any], n_modules: int, indptr: IntArray, indices: IntArray, weights: FloatArray
) -> FloatArray:
    """Sum the weight that leaves each module of a symmetric CSR matrix."""
    return _kernels.module_cuts(
        indptr.astype(np.int64, copy=False),
        indices.astype(np.int32, copy=False),
        weights,
        np.ascontiguousarray(modules, dtype=np.int32),
        n_modules,
        sharing(),
    )


def scaled_rows(matrix: Any, factor: FloatArray) -> Any:
    """Return a CSR matrix with its rows multiplied, as :func:`with_values` does."""
    return with_values(matrix, matrix.data * np.repeat(factor, np.diff(matrix.indptr)))


def scaled_columns(matrix: Any, factor: FloatArray) -> Any:
    """Return a CSR matrix with its columns multiplied, as :func:`with_values` does."""
    return with_values(matrix, matrix.data * factor[matrix.indices])


def with_values(matrix: Any, data: FloatArray) -> Any:
    """Return a CSR matrix with other values in the same places, without those that are 0.

    Where none is 0 the two share their places, so rows must be sorted already.
    """
    if data.all():
        return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    kept = data != 0
    before = np.concatenate(([0], np.cumsum(kept)))[matrix.indptr].astype(matrix.indptr.dtype)
    return sp.csr_array((data[kept], matrix.indices[kept], before), shape=matrix.shape)


def largest_column(matrix: Any) -> IntArray:
    """Return the column of the largest entry > 0 in each row of a sparse matrix; -1 without one.

    The first of equal ones.
    """
    csr = matrix.tocsr()
    csr.sum_duplicates()
    found = np.full(csr.shape[0], -1, dtype=np.int64)
    row = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
    largest = np.zeros(csr.shape[0])
    np.maximum.at(largest, row, csr.data)
    at = np.flatnonzero((csr.data == largest[row]) & (csr.data > 0))[::-1]
    found[row[at]] = csr.indices[at]  # the last one written is the first
    return found


def _row_sums(weights: FloatArray, indptr: IntArray) -> FloatArray:
    """Sum each CSR row; empty rows give 0."""
    nonempty = np.flatnonzero(np.diff(indptr) > 0)
    sums = np.zeros(indptr.size - 1)
    if nonempty.size:
        with np.errstate(over="ignore"):  # callers check for infinity
            sums[nonempty] = np.add.reduceat(weights, indptr[nonempty])
    return sums


def _check_graph(indptr: IntArray, indices: IntArray, weights: FloatArray) -> None:
    """Say what is wrong with arrays that are no graph, unless rounding alone is."""
    n = indptr.size - 1
    if indices.size and (indices.min() < 0 or indices.max() >= n):
        raise ValueError(f"Graph: a neighbour index is outside 0..{n - 1}")
    matrix = sp.csr_array((weights, indices, indptr), shape=(n, n))
    _check_weights(matrix)
    if not matrix.has_canonical_format:
        raise ValueError("Graph: the neighbours of each row must be increasing and unique")
    _check_symmetric(matrix)
    if matrix.diagonal().any():
        raise ValueError("Graph: no diagonal; a vertex's own weight goes into its degree")


def _is_graph(csr: Any) -> bool:
    """Tell whether a CSR array has sorted and unique rows, is symmetric, and has no diagonal."""
    if csr.shape[0] == 0 or csr.indptr.size < 2:
        return False
    indptr, indices = csr.indptr.astype(np.int64), csr.indices.astype(np.int32, copy=False)
    return _kernels.is_graph(indptr, indices, csr.data, sharing())


def _entry(matrix: Any, k: int) -> tuple[int, int]:
    """Row and column of stored entry k."""
    row = int(np.searchsorted(matrix.indptr, k, side="right") - 1)
    return row, int(matrix.indices[k])


def _check_weights(matrix: Any, zero_allowed: bool = False) -> None:
    data = matrix.data
    good = np.isfinite(data) & (data >= 0 if zero_allowed else data > 0)
    if not good.all():
        k = int(np.flatnonzero(~good)[0])
        i, j = _entry(matrix, k)
        raise ValueError(
            f"the weight between vertices {i} and {j} is {data[k]}; weights must be finite and "
            "positive (negative similarities: clip them at 0 or shift them first)"
        )


def _check_symmetric(matrix: Any) -> bool:
    """Check a CSR array with sorted, unique rows; tell whether it is symmetric to the last bit."""
    other = matrix.T.tocsr()
    pairs = (
        (getattr(matrix, name), getattr(other, name)) for name in ("indptr", "indices", "data")
    )
    if all(np.array_equal(one, two) for one, two in pairs):
        return True
    difference = abs(matrix - matrix.T)
    if difference.nnz == 0:  # they differ in stored zeros alone
        return False
    excess = (difference - _SYMMETRY_TOLERANCE * abs(matrix).maximum(abs(matrix.T))).tocoo()
    worst = int(np.argmax(excess.data))
    if excess.data[worst] > 0:
        i, j = int(excess.row[worst]), int(excess.col[worst])
        raise ValueError(
            f"the graph is not symmetric: weight {i} to {j} is {matrix[i, j]}, {j} to {i} is "
            f"{matrix[j, i]} (for a directed graph, symmetrise first, e.g. with (A + A.T) / 2)"
        )
    return False
