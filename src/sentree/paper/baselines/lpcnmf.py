"""LpCNMF: NMF whose coefficients are propagated labels times a small factor."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval, StrOptions
from sentree.constraints import Constraints
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline, IntArray, class_columns, nearest, scaled
from sentree.paper.baselines.symnmf import start_array, symmetric_neighbors

#: Least denominator of a step.
_FLOOR = 1e-10
#: Steps after which starts are compared.
_TRIAL = 30


@dataclass(eq=False, repr=False)
class LpCNMF(Baseline):
    """NMF constrained by label propagation.

    Approaches X by F Z Uᵀ, all three >= 0. F has a column for each class; it is drawn to the known
    labels and to be smooth on the graph of the samples, so that labels spread along the graph while
    the factors fit the samples.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of columns of F, and rank of the approximation.
    n_neighbors : int, default=5
        Neighbours of each sample in the graph.
    scale : {"minmax", "unit"} or None, default="unit"
        What to do with the samples first.
    shift : bool, default=False
        Whether to subtract the lowest value, where it is below 0, before scaling; else samples
        with values below 0 are refused.
    alpha : float, default=10.0
        Weight of the graph and of the labels against the fit.
    assign : {"argmax", "kmeans"}, default="argmax"
        How clusters are read: by the largest entry in each row of F, whose columns are brought to
        length 1, or by k-means with 20 starts on the rows of F Z, as in the study.
    normalize : {"exact", "published"}, default="exact"
        How Z makes up for bringing the columns of U and F to length 1 in the end: so that the
        product stays the same, or by the roots of their lengths only (see Notes).
    n_init : int, default=1
        Starts. With several, each makes 30 steps and the best goes on.
    max_iter : int, default=200
        Steps in all.
    init : tuple of arrays (U, Z, F), optional
        Start, of shapes (n_features, n_clusters), (n_clusters, n_clusters), (n_samples,
        n_clusters); there is one start then.
    random_state : int, RandomState or None, default=None
        Seed of the starts and of k-means; None means 0.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Clusters.
    propagated_ : float64 array of shape (n_samples, n_clusters)
        F, with columns of length 1; columns are the classes in the order of their names.
    coefficients_ : float64 array of shape (n_samples, n_clusters)
        F Z; times ``components_`` it is the approximation of the scaled samples.
    components_ : float64 array of shape (n_clusters, n_features)
        Uᵀ, with rows of length 1.
    objective_ : list of float
        Objective after each step.
    n_iter_ : int
        Steps made.

    Notes
    -----
    The study reads clusters with ``assign="kmeans"``; the largest entry was better on every set
    tried, and needs no luck. It scales the factors before that as ``normalize="published"`` does:
    Z is multiplied by the square roots of the lengths of the columns, which changes the product.
    The start is always scaled in that way. The authors' program has ten starts, of which all but
    the first make a single step, so that in effect it has one. Without labels the columns of F mean
    nothing and clusters are read by k-means, with a warning. A sparse X stays sparse.

    References
    ----------
    Liu, Wang, Ma, Han and Huang, "Constrained nonnegative matrix factorization based on label
    propagation for data representation", IEEE Transactions on Artificial Intelligence, 2023.

    Examples
    --------
    >>> from sentree.paper.baselines import LpCNMF
    >>> X = [[9, 0], [8, 1], [9, 1], [0, 9], [1, 8], [1, 9]]
    >>> LpCNMF(2, n_neighbors=2).fit_predict(X, [0, -1, -1, 1, -1, -1]).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    n_clusters: int = 8
    _: KW_ONLY
    n_neighbors: int = 5
    scale: str | None = "unit"
    shift: bool = False
    alpha: float = 10.0
    assign: str = "argmax"
    normalize: str = "exact"
    n_init: int = 1
    max_iter: int = 200
    init: tuple[Any, Any, Any] | None = None
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "scale": [StrOptions({"minmax", "unit"}), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "shift": ["boolean"],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "assign": [StrOptions({"argmax", "kmeans"})],
        "normalize": [StrOptions({"exact", "published"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "init": [tuple, list, None],
    }
    _reads: ClassVar[tuple[str, ...]] = ("labels",)
    _sparse: ClassVar[bool] = True

    def _solve(self, X: Any, given: Constraints, random: np.random.RandomState) -> None:
        X = scaled(self._above_zero(X), self.scale)
        codes = class_columns(given, X.shape[0], self.n_clusters)
        distance, index = nearest(X, self.n_neighbors)
        W = symmetric_neighbors(np.exp(-(distance**2) / 2), index, "larger")
        objective = _Objective.of(X, W, codes, self.alpha)
        factors, self.objective_ = self._search(objective, random)
        U, Z, F = factors.normalised(1.0 if self.normalize == "exact" else 0.5)
        self.components_, self.coefficients_, self.propagated_ = U.T, F @ Z, F
        self.n_iter_ = self.max_iter
        assign = self.assign
        if assign == "argmax" and (codes < 0).all():
            warnings.warn(
                "LpCNMF without labels: no column of F stands for a class, so clusters are read by "
                "k-means",
                stacklevel=4,
            )
            assign = "kmeans"
        if assign == "kmeans":
            k_means = KMeans(self.n_clusters, n_init=20, random_state=random)
            self.labels_ = renumber(k_means.fit(self.coefficients_).labels_)
        else:
            self.labels_ = renumber(F.argmax(axis=1))

    def _above_zero(self, X: Any) -> Any:
        """Return samples without values below 0, or say what to do."""
        lowest = X.min()
        if lowest >= 0 or self.scale == "minmax":
            return X
        if not self.shift:
            raise ValueError(
                f"Negative values in data passed to LpCNMF: the lowest is {lowest:g}; take "
                "shift=True or scale='minmax'"
            )
        if sp.issparse(X):
            raise ValueError("shifting makes a sparse X dense: pass X.toarray()")
        return X - lowest

    def _search(
        self, objective: _Objective, random: np.random.RandomState
    ) -> tuple[_Factors, list[float]]:
        """Try all starts, go on with the best."""
        n_init = self.n_init if self.init is None else 1
        trial = self.max_iter if n_init == 1 else min(_TRIAL, self.max_iter)
        runs = [objective.descend(self._start(objective, random), trial) for _ in range(n_init)]
        factors, trace = min(runs, key=lambda run: run[1][-1])
        factors, later = objective.descend(factors, self.max_iter - trial)
        return factors, trace + later

    def _start(self, objective: _Objective, random: np.random.RandomState) -> _Factors:
        """Return the start that was given, or draw one."""
        n, m = objective.X.shape
        k = self.n_clusters
        shapes = {"U": (m, k), "Z": (k, k), "F": (n, k)}
        if self.init is None:
            drawn = _Factors(*(random.uniform(size=shape) for shape in shapes.values()))
            return drawn.normalised(0.5)
        if len(self.init) != 3:
            raise ValueError(f"init must be U, Z and F, got {len(self.init)} arrays")
        given = zip(shapes.items(), self.init, strict=True)
        factors = (start_array(factor, shape, f"init of {name}") for (name, shape), factor in given)
        return _Factors(*factors).normalised(0.5)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self.shift and self.scale != "minmax"
        return tags


class _Factors(NamedTuple):
    """X is approached by F Z Uᵀ."""

    U: FloatArray
    Z: FloatArray
    F: FloatArray

    def normalised(self, power: float) -> _Factors:
        """Bring columns of U and F to length 1, and multiply Z by a power of what they lose.

        With the power 1 the product stays the same; the published program takes 1/2.
        """
        u = np.maximum(np.linalg.norm(self.U, axis=0), _FLOOR)
        f = np.maximum(np.linalg.norm(self.F, axis=0), _FLOOR)
        return _Factors(self.U / u, (f**power)[:, None] * self.Z * u**power, self.F / f)


class _Objective(NamedTuple):
    """Samples, their graph, and the labels: rows and their classes."""

    X: Any
    XT: Any
    W: sp.csr_array
    held: FloatArray
    row: IntArray
    code: IntArray
    alpha: float

    @classmethod
    def of(cls, X: Any, W: sp.csr_array, codes: IntArray, alpha: float) -> _Objective:
        """Lay out what the steps need; a sample is held by its edges and by its label."""
        row = np.flatnonzero(codes >= 0)
        held = np.asarray(W.sum(axis=1)).ravel() + (codes >= 0)
        XT = X.T.tocsr() if sp.issparse(X) else X.T
        return cls(X, XT, W, held[:, None], row, codes[row], alpha)

    def descend(self, factors: _Factors, n_steps: int) -> tuple[_Factors, list[float]]:
        """Take steps, in place; return the factors and the objective after each step."""
        U, Z, F = factors
        squared = _squared(self.X)
        trace = []
        FF, WF = F.T @ F, self.W @ F
        for _ in range(n_steps):
            U *= (self.XT @ (F @ Z)) / np.maximum(U @ (Z.T @ FF @ Z), _FLOOR)
            XU, UU = self.X @ U, U.T @ U
            Z *= (F.T @ XU) / np.maximum(FF @ Z @ UU, _FLOOR)
            drawn, core = XU @ Z.T, Z @ UU @ Z.T
            wanted = drawn + self.alpha * WF
            wanted[self.row, self.code] += self.alpha
            F *= wanted / np.maximum(F @ core + self.alpha * self.held * F, _FLOOR)
            FF, WF = F.T @ F, self.W @ F
            misfit = squared - 2 * np.vdot(F, drawn) + np.vdot(FF, core)
            trace.append(float(max(misfit, 0.0) + self.alpha * self._roughness(F, WF)))
        return _Factors(U, Z, F), trace

    def _roughness(self, F: FloatArray, WF: FloatArray) -> float:
        """Return how F varies along the graph and how far it is from the labels."""
        held = np.vdot(F, self.held * F) - np.vdot(F, WF)
        return float(held - 2 * F[self.row, self.code].sum() + self.row.size)


def _squared(X: Any) -> float:
    """Return the sum of the squares of all entries."""
    values = X.data if sp.issparse(X) else X
    return float(np.vdot(values, values))
