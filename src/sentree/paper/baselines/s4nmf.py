"""S4NMF: an ensemble of symmetric factors under labels, whose agreement is the next affinity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval, StrOptions
from sentree.constraints import Constraints
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline, IntArray, class_codes, nearest, scaled
from sentree.paper.baselines.symnmf import (
    gram,
    groups,
    inner,
    quarter_step,
    sparse_product,
    start_array,
    symmetric_neighbors,
    times,
)

#: Width of the kernel; on features in [0, 1] all weights are close to 1.
_WIDTH = 100.0
#: Least denominator of a step.
_FLOOR = 1e-5
#: Rows of distances that are made at a time.
_CHUNK = 1 << 10
#: Entries of the members that are worked on at a time: these stay in the cache.
_BLOCK = 1 << 16
#: Kinds of samples per member up to which their votes are written out.
_FEW = 10


@dataclass(eq=False, repr=False)
class S4NMF(Baseline):
    """Symmetric NMF in an ensemble, with labels that attract and repel.

    Every member factors the affinity as H Hᵀ from a start of its own, with a price for products of
    rows of different classes and for distances of rows of one class. The members, weighted by how
    well they fit, then vote on which samples belong together, and the votes are the affinity of
    the next round.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of columns of each factor.
    affinity : {"knn", "precomputed"}, default="knn"
        A graph of the nearest neighbours of the samples, or X itself.
    n_neighbors : int, default=9
        Neighbours of each sample.
    scale : {"minmax", "zscore", "unit"} or None, default="minmax"
        What to do with the features first.
    apart : float, default=10.0
        Price of products of rows of different classes (lambda 1).
    together : float, default=0.001
        Price of distances of rows of one class (lambda 2).
    n_members : int, default=20
        Size of the ensemble.
    max_iter : int, default=500
        Steps of each member in each round.
    n_rounds : int, default=10
        Rounds, each on the votes of the one before; 1 leaves the votes out.
    init : array-like of shape (n_members, n_samples, n_clusters), optional
        Starts of the first round, above 0; by default all rounds start at random.
    random_state : int, RandomState or None, default=None
        Seed of the starts; None means 0.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Clusters of the member with the largest weight.
    member_labels_ : int32 array of shape (n_members, n_samples)
        The column that is largest in each row of each member.
    weights_ : float64 array of shape (n_members,)
        Weight of each member in the last round; they add up to 1.
    objective_ : list of float
        Objective of the member of ``labels_`` before each step of the last round, and at its end.
    n_iter_ : int
        Steps in each round.

    Notes
    -----
    Labels go into the objective; of pairs only what they entail about labels counts. The study
    scores all of ``member_labels_`` and reports the mean, since its program names no partition.
    The program of the authors computes the votes but starts every round from the first affinity
    (``n_rounds=1`` comes to the same). The weights follow its formula, in which distances of rows
    of one class are not squared, unlike in the objective; those distances are the only part whose
    time is quadratic in the labels of a class.

    References
    ----------
    Chavoshinejad, Seyedi, Akhlaghian Tab and Salahian, "Self-supervised semi-supervised
    nonnegative matrix factorization for data clustering", Pattern Recognition 137, 2023.

    Examples
    --------
    >>> from sentree.paper.baselines import S4NMF
    >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
    >>> model = S4NMF(2, n_neighbors=2, n_members=5, n_rounds=2, max_iter=50)
    >>> model.fit_predict(X, [0, -1, -1, 1, -1, -1]).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    n_clusters: int = 8
    _: KW_ONLY
    affinity: str = "knn"
    n_neighbors: int = 9
    scale: str | None = "minmax"
    apart: float = 10.0
    together: float = 0.001
    n_members: int = 20
    max_iter: int = 500
    n_rounds: int = 10
    init: ArrayLike | None = None
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "affinity": [StrOptions({"knn", "precomputed"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "apart": [Interval(Real, 0, None, closed="left")],
        "together": [Interval(Real, 0, None, closed="left")],
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "init": ["array-like", None],
    }
    _reads: ClassVar[tuple[str, ...]] = ("labels",)

    def _solve(self, X: Any, given: Constraints, random: np.random.RandomState) -> None:
        n = X.shape[0]
        known = _Known.of(class_codes(given, n, self.n_clusters), self.apart, self.together)
        A: _Affinity = _Graph(sp.csr_array(X) if self._precomputed else self._graph(X))
        shape = (self.n_members, n, self.n_clusters)
        for turn in range(self.n_rounds):
            if turn or self.init is None:
                starts = random.uniform(size=shape)
            else:
                starts = start_array(self.init, shape, "init")
            last = turn == self.n_rounds - 1
            done = [_descend(A, known, H, self.max_iter, last) for H in self._blocks(starts)]
            labels = np.concatenate([run.labels for run in done])
            good = 1.0 / np.maximum(np.concatenate([run.misfit for run in done]), 1e-12)
            weights = good / good.sum()
            if not last:
                A = _Votes.of(labels, weights, self.n_clusters)
        self.member_labels_, self.weights_ = labels, weights
        best = int(weights.argmax())
        self.labels_ = renumber(labels[best])
        self.objective_ = np.concatenate([run.objective for run in done], axis=1)[:, best].tolist()
        self.n_iter_ = self.max_iter

    def _graph(self, X: FloatArray) -> sp.csr_array:
        """Return the graph of nearest neighbours."""
        distance, index = nearest(scaled(X, self.scale), self.n_neighbors)
        return symmetric_neighbors(np.exp(-((distance / _WIDTH) ** 2)), index, "larger")

    def _blocks(self, starts: FloatArray) -> Iterator[FloatArray]:
        """Return a few members at a time, of shape (n, few, n_clusters)."""
        few = max(1, _BLOCK // starts[0].size)
        for first in range(0, self.n_members, few):
            yield np.ascontiguousarray(starts[first : first + few].transpose(1, 0, 2))


class _Affinity(Protocol):
    """What the factors approach."""

    @property
    def squared(self) -> float:
        """Sum of the squares of all entries."""

    def times(self, H: FloatArray) -> FloatArray:
        """Return the product with every factor, as an array of its own."""


class _Graph:
    """A sparse affinity."""

    def __init__(self, A: sp.csr_array) -> None:
        self.A = A
        self.squared = float(A.data @ A.data)

    def times(self, H: FloatArray) -> FloatArray:
        return sparse_product(self.A, H)


class _Votes(NamedTuple):
    """The weights of the members that put two samples together, never written out.

    Samples on which all members agree have the same row, so the votes are those of one sample of
    each kind: A = P B Bᵀ Pᵀ, where P tells the kind of each sample and B, for each kind, the
    clusters it is in, one of each member.
    """

    kind: IntArray
    of_kind: sp.csr_array
    chain: tuple[Any, ...]
    squared: float

    @classmethod
    def of(cls, labels: NDArray[np.int32], weights: FloatArray, k: int) -> _Votes:
        """Count the votes of members with these labels."""
        e = len(labels)
        seen, kind = np.unique(labels.T, axis=0, return_inverse=True)
        kind = kind.reshape(-1).astype(np.int64)
        m = len(seen)
        column = (seen + k * np.arange(e)).ravel()
        root = np.tile(np.sqrt(weights), m)
        B = sp.csr_array((root, column, np.arange(0, m * e + 1, e)), shape=(m, e * k))
        P = groups(kind, m)
        size = np.diff(P.indptr).astype(np.float64)
        overlap = (B.T @ sp.diags_array(size) @ B).tocsr()
        chain = ((B @ B.T).toarray(),) if m <= _FEW * e else (B.T.tocsr(), B)
        return cls(kind, P, chain, float(overlap.data @ overlap.data))

    def times(self, H: FloatArray) -> FloatArray:
        product = sparse_product(self.of_kind, H)
        for matrix in self.chain:
            product = sparse_product(matrix, product)
        return product[self.kind]


class _Known(NamedTuple):
    """The labelled samples, by class, and the prices of what they say."""

    row: IntArray
    code: IntArray
    size: FloatArray
    by_class: sp.csr_array
    apart: float
    together: float

    @classmethod
    def of(cls, codes: IntArray, apart: float, together: float) -> _Known:
        """Sort the labelled samples by class."""
        by_class = groups(codes, codes.max(initial=-1) + 1)
        row = by_class.indices.astype(np.int64)
        size = np.diff(by_class.indptr).astype(np.float64)
        return cls(row, codes[row], size, by_class, apart, together)

    def sums(self, H: FloatArray) -> FloatArray:
        """Add up the labelled rows of each class."""
        return sparse_product(self.by_class, H)

    def press(
        self, H: FloatArray, sums: FloatArray, numerator: FloatArray, denominator: FloatArray
    ) -> None:
        """Add what the labels ask for to both sides of a step."""
        numerator[self.row] += self.together * sums[self.code]
        drawn = self.together * self.size[:, None, None]
        repelled = (self.apart / 2) * (sums.sum(axis=0) - sums)
        denominator[self.row] += drawn[self.code] * H[self.row] + repelled[self.code]

    def price_apart(self, sums: FloatArray) -> FloatArray:
        """Return the price of products of rows of different classes."""
        total = sums.sum(axis=0)
        return np.asarray(self.apart * ((total * total).sum(axis=-1) - inner(sums, sums)))

    def price_together(self, H: FloatArray, sums: FloatArray) -> FloatArray:
        """Return the price of squared distances of rows of one class."""
        rows = H[self.row]
        spread = inner(rows * self.size[self.code][:, None, None], rows) - inner(sums, sums)
        return 2 * self.together * spread

    def price_distance(self, H: FloatArray) -> FloatArray:
        """Return the price of distances of rows of one class, not squared."""
        price = np.zeros(H.shape[1])
        for rows in np.split(self.row, self.by_class.indptr[1:-1]):
            for start in range(0, rows.size, _CHUNK):
                some = H[rows[start : start + _CHUNK]]
                price += [cdist(some[:, e], H[rows, e]).sum() for e in range(H.shape[1])]
        return self.together * price


class _Run(NamedTuple):
    """Where members have come: clusters, misfits for their weights, objectives on the way."""

    labels: NDArray[np.int32]
    misfit: FloatArray
    objective: FloatArray


def _descend(A: _Affinity, known: _Known, H: FloatArray, n_steps: int, traced: bool) -> _Run:
    """Take steps from H, in place; untraced, only the last objective is made."""
    trace = []
    for step in range(n_steps + 1):
        AH, G, sums = A.times(H), gram(H), known.sums(H)
        if traced or step == n_steps:
            distance = A.squared - 2 * inner(H, AH) + (G * G).sum(axis=(1, 2))
            misfit = np.maximum(distance, 0.0) + known.price_apart(sums)
            trace.append(misfit + known.price_together(H, sums))
        if step == n_steps:
            break
        denominator = times(H, G)
        known.press(H, sums, AH, denominator)
        quarter_step(H, AH, denominator, _FLOOR)
    labels = np.ascontiguousarray(H.argmax(axis=2).T.astype(np.int32))
    return _Run(labels, misfit + known.price_distance(H), np.array(trace))
