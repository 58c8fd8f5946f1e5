"""PCPSNMF: symmetric NMF of a similarity matrix that is learnt from must-links on the way."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval, StrOptions
from sentree.constraints import Constraints
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline, IntArray, nearest, scaled
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

#: Rate at which weights fall with distance.
_RATE = 0.25
#: Least denominator: only keeps 0 / 0 from being NaN. Larger ones would kill small entries.
_FLOOR = 1e-200


@dataclass(eq=False, repr=False)
class PCPSNMF(Baseline):
    """Symmetric NMF with pairwise constraint propagation.

    Looks for a similarity matrix K >= 0 and a factor V >= 0 with V Vᵀ close to K, K smooth on the
    graph of the samples, and K close to Z, which is 1 for samples that must be together (and for
    each with itself) and 0 for all others.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of columns of V.
    affinity : {"knn", "precomputed"}, default="knn"
        A graph of the nearest neighbours of the samples, or X itself.
    n_neighbors : int, default=4
        Neighbours of each sample. The default of the study suits classes of about ten samples;
        larger classes fall to pieces with it, so take more for them.
    scale : {"minmax", "zscore", "unit"} or None, default="unit"
        What to do with the samples first.
    smoothness : float, default=0.5
        Weight of the graph (mu).
    fidelity : float, default=1.0
        Weight of the must-links (alpha).
    k_step : {"exact", "multiplicative"}, default="exact"
        How K is found for a given V. "exact" takes the best symmetric K at once, as low rank plus
        sparse. "multiplicative" is what the study does: it starts K at random, improves it step by
        step, and holds several n x n arrays.
    n_init : int, default=5
        Starts; the one with the lowest objective counts.
    max_iter : int, default=500
        Steps of each start.
    init : array-like of shape (n_samples, n_clusters) or tuple, optional
        Start of V, or of V and K; there is one start then.
    random_state : int, RandomState or None, default=None
        Seed of the starts; None means 0.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Clusters: the largest entry of each row of ``factor_``.
    factor_ : float64 array of shape (n_samples, n_clusters)
        V, with columns of length 1.
    objective_ : list of float
        Objective at the start and after each step; with ``k_step="exact"`` at the best K.
    n_iter_ : int
        Steps of each start.

    Notes
    -----
    Cannot-links do not count: as in the authors' program, Z is 0 for them and for unknown pairs
    alike. That program chooses among the starts by another value than the objective, and makes no
    step any more after a start that is not better than those before; here all starts are run to the
    end and judged by the objective. Both ways to find K end at the same objective.

    References
    ----------
    Wu, Jia, Kwong and Hou, "Pairwise constraint propagation-induced symmetric nonnegative matrix
    factorization", IEEE Transactions on Neural Networks and Learning Systems 29(12), 2018.

    Examples
    --------
    >>> from sentree.paper.baselines import PCPSNMF
    >>> X = [[9, 0], [8, 1], [9, 1], [0, 9], [1, 8], [1, 9]]
    >>> PCPSNMF(2, n_neighbors=2).fit_predict(X, must_link=[(0, 1), (3, 5)]).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    n_clusters: int = 8
    _: KW_ONLY
    affinity: str = "knn"
    n_neighbors: int = 4
    scale: str | None = "unit"
    smoothness: float = 0.5
    fidelity: float = 1.0
    k_step: str = "exact"
    n_init: int = 5
    max_iter: int = 500
    init: Any = None
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "affinity": [StrOptions({"knn", "precomputed"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "smoothness": [Interval(Real, 0, None, closed="left")],
        "fidelity": [Interval(Real, 0, None, closed="left")],
        "k_step": [StrOptions({"exact", "multiplicative"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "init": ["array-like", tuple, None],
    }

    def _solve(self, X: Any, given: Constraints, random: np.random.RandomState) -> None:
        n = X.shape[0]
        component = given.closure(n).component
        if component.max() == n - 1 and len(given.cannot_link):
            warnings.warn("PCPSNMF reads must-links only: cannot-links do not count", stacklevel=4)
        W = sp.csr_array(X) if self._precomputed else self._graph(X)
        pull = _Pull.of(W, component, self.smoothness, self.fidelity)
        exact = self.k_step == "exact"
        starts = self._starts(n, random, with_k=not exact)
        if exact:
            factors = np.stack([V for V, _ in starts], axis=1)
            runs = _exact_descent(pull, factors, self.max_iter)
        else:
            runs = [_multiplicative_descent(pull, V, K, self.max_iter) for V, K in starts]
        best = min(runs, key=lambda run: run.objective[-1])
        self.factor_ = _unit_columns(best.V)
        zero = self.factor_.max(axis=1, keepdims=True) == 0
        self.labels_ = renumber(np.where(zero, best.SV, self.factor_).argmax(axis=1))
        self.objective_ = best.objective
        self.n_iter_ = self.max_iter

    def _graph(self, X: FloatArray) -> sp.csr_array:
        """Return the graph of nearest neighbours."""
        distance, index = nearest(scaled(X, self.scale), self.n_neighbors)
        return symmetric_neighbors(np.exp(-_RATE * distance), index, "mean")

    def _starts(
        self, n: int, random: np.random.RandomState, with_k: bool
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Return V and K of one start after the other; K is empty where it is not needed."""
        V, K = self.init if isinstance(self.init, tuple) else (self.init, None)
        given = (V, K if with_k else None)
        shapes = (n, self.n_clusters), (n, n if with_k else 0)
        for _ in range(self.n_init if self.init is None else 1):
            V, K = (
                random.uniform(size=shape) if start is None else start
                for start, shape in zip(given, shapes, strict=True)
            )
            V, K = start_array(V, shapes[0], "init of V"), start_array(K, shapes[1], "init of K")
            yield _unit_columns(V), _unit_columns(K)


class _Run(NamedTuple):
    """Where one start has led: V, the last K V, and the objective on the way."""

    V: FloatArray
    SV: FloatArray
    objective: list[float]


class _Pull(NamedTuple):
    """What draws K, whatever V is: alpha Z - mu L / 2, as blocks and a sparse matrix.

    Z is 1 within each block of samples that must be together; L is the Laplacian of the graph.
    """

    graph: sp.csr_array
    component: IntArray
    blocks: sp.csr_array
    alpha: float

    @classmethod
    def of(cls, W: sp.csr_array, component: IntArray, mu: float, alpha: float) -> _Pull:
        """Describe a graph and its blocks."""
        degree = np.asarray(W.sum(axis=1)).ravel()
        graph = sp.csr_array((W - sp.diags_array(degree)) * (mu / 2))
        return cls(graph, component, groups(component, component.max() + 1), alpha)

    def times(self, V: FloatArray) -> FloatArray:
        """Return the product with every factor."""
        drawn = sparse_product(self.graph, V)
        drawn += self.alpha * sparse_product(self.blocks, V)[self.component]
        return drawn

    @property
    def diagonal(self) -> FloatArray:
        """The diagonal of alpha Z - mu L / 2."""
        return np.asarray(self.alpha + self.graph.diagonal())

    @property
    def together(self) -> float:
        """Sum of the squares of Z."""
        size = np.diff(self.blocks.indptr).astype(np.float64)
        return float(size @ size)

    @property
    def squared(self) -> float:
        """Sum of the squares of alpha Z - mu L / 2."""
        entry = self.graph.tocoo()
        within = entry.data[self.component[entry.row] == self.component[entry.col]].sum()
        crossed = 2 * self.alpha * float(within) + float(entry.data @ entry.data)
        return self.alpha**2 * self.together + crossed


def _exact_descent(pull: _Pull, V: FloatArray, n_steps: int) -> list[_Run]:
    """Take steps from all starts, of shape (n, n_init, k), with the best K for every V.

    The best K is (V Vᵀ + alpha Z - mu L / 2) / (1 + alpha), but at least 0, which only entries of
    its diagonal could fail to be.
    """
    share = 1 / (1 + pull.alpha)
    diagonal = pull.diagonal[:, None]
    constant = pull.alpha * pull.together - share * pull.squared
    trace = []
    for step in range(n_steps + 1):
        G, drawn = gram(V), pull.times(V)
        lift = np.maximum(-diagonal - np.einsum("nek,nek->ne", V, V), 0.0)
        trace.append(
            constant
            + (1 - share) * (G * G).sum(axis=(1, 2))
            - 2 * share * inner(V, drawn)
            + share * (lift * lift).sum(axis=0)
        )
        low_rank = times(V, G)
        drawn += low_rank
        drawn += lift[:, :, None] * V
        drawn *= share
        if step == n_steps:
            break
        quarter_step(V, drawn, low_rank, _FLOOR)
    objective = np.array(trace)
    return [_Run(V[:, e], drawn[:, e], objective[:, e].tolist()) for e in range(V.shape[1])]


def _multiplicative_descent(pull: _Pull, V: FloatArray, K: FloatArray, n_steps: int) -> _Run:
    """Take steps from one start with K as a whole, which is as long as it is wide."""
    Z = (pull.blocks.T @ pull.blocks).toarray()
    laplacian = -2 * pull.graph.toarray()  # mu L
    degree = laplacian.diagonal().clip(0)
    drawn = 2 * pull.alpha * Z - laplacian
    np.fill_diagonal(drawn, 2 * pull.alpha)
    K = np.where(Z == 1, 1.0, K)

    def objective() -> float:
        value = np.square((K + K.T) / 2 - product).sum() + np.vdot(laplacian, K)
        return float(value + pull.alpha * np.square(K - Z).sum())

    product = V @ V.T
    trace = [objective()]
    for _ in range(n_steps):
        below = (2 * pull.alpha + 1) * K + K.T
        below.flat[:: K.shape[0] + 1] += degree
        product *= 2
        product += drawn
        product /= np.maximum(below, _FLOOR, out=below)
        K *= product
        SV = (K @ V + K.T @ V) / 2
        quarter_step(V, SV.copy(), V @ (V.T @ V), _FLOOR)
        product = V @ V.T
        trace.append(objective())
    return _Run(V, SV, trace)


def _unit_columns(A: FloatArray) -> FloatArray:
    """Bring columns to length 1; those of zeros stay."""
    return np.asarray(A / np.maximum(np.linalg.norm(A, axis=0), _FLOOR))
