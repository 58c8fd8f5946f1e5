"""What the compared methods share: the estimator contract, scaling, neighbours, known classes."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sentree._util.sklearn import Interval, StrOptions, fit_context
from sentree.constraints import Constraints
from sentree.estimators.base import check_length, gather_constraints
from sentree.graph import FloatArray
from sentree.graph.scaling import Layout

__all__ = [
    "Baseline",
    "checked_affinity",
    "class_codes",
    "class_columns",
    "nearest",
    "scaled",
    "unit_rows",
]

IntArray = NDArray[np.int64]


class Baseline(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the compared methods: check everything, then let the method search.

    A subclass gives ``_solve(X, given, random)``, which stores ``labels_`` and what else it found:
    ``n_iter_`` where it goes in rounds, and ``objective_``, the trace of its objective, where the
    method has one (those that ask questions, mean shift and the consensus have none).
    It lists its parameters in ``_parameter_constraints`` and what it reads in ``_reads``.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "scale": [StrOptions({"minmax", "zscore", "unit"}), None],
        "random_state": ["random_state"],
    }
    #: Kinds of constraints the method reads: "pairs", "labels".
    _reads: ClassVar[tuple[str, ...]] = ("pairs", "labels")
    _sparse: ClassVar[bool] = False

    labels_: NDArray[np.int32]
    random_state: Any

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        constraints: Constraints | None = None,
    ) -> Self:
        """Cluster the samples, with what is known about them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples; with ``affinity="precomputed"`` a symmetric matrix of similarities.
        y : array-like of shape (n_samples,), optional
            Known classes; -1 (or NaN, None) where the class is unknown.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong together, or do not.
        constraints : Constraints, optional
            The same and more (negative labels, groups). All four add up.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ConstraintConflict
            When the constraints contradict one another; the message gives the chain.
        """
        given = gather_constraints(y, must_link, cannot_link, constraints)
        X = self._validated(X)
        n = X.shape[0]
        check_length(y, n)
        given.check(n)
        given.closure(n)  # contradictions are refused, with their chain
        k = getattr(self, "n_clusters", None)
        if k is not None and k > n:
            raise ValueError(f"n_clusters={k} is more than n_samples={n}")
        self._warn_about_unread(given)
        # None means 0, so that results repeat.
        state = 0 if self.random_state is None else self.random_state
        self._solve(X, given, check_random_state(state))
        return self

    def fit_predict(self, X: Any, y: ArrayLike | None = None, **constraints: Any) -> Any:
        """Cluster the samples and return ``labels_``; takes what :meth:`fit` takes."""
        return self.fit(X, y, **constraints).labels_  # scikit-learn's own leaves out y

    def _solve(self, X: Any, given: Constraints, random: np.random.RandomState) -> None:
        raise AssertionError("subclasses search")

    def _validated(self, X: Any) -> Any:
        """Return X as a float64 array (or CSR), square and symmetric where it is an affinity."""
        X = validate_data(
            self,
            X,
            accept_sparse="csr" if self._sparse or self._precomputed else False,
            dtype=np.float64,
            ensure_min_samples=2,
        )
        return checked_affinity(X) if self._precomputed else X

    @property
    def _precomputed(self) -> bool:
        return getattr(self, "affinity", None) == "precomputed"

    def _warn_about_unread(self, given: Constraints) -> None:
        """Say so where nothing of what is given counts."""
        groups = len(given.together) + len(given.apart)
        kinds = {
            "pairs": len(given.must_link) + len(given.cannot_link) + groups,
            "labels": len(given.label_index) + len(given.negative_index),
            "triplets": len(given.triplets),
        }
        if any(kinds.values()) and not any(kinds[kind] for kind in self._reads):
            reads = f"reads {' and '.join(self._reads)} only" if self._reads else "is unsupervised"
            warnings.warn(
                f"{type(self).__name__} {reads}: what was given does not count", stacklevel=4
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse or self._precomputed
        tags.input_tags.pairwise = self._precomputed
        return tags


def checked_affinity(A: Any) -> Any:
    """Return a matrix of similarities after checking that it is one."""
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"affinity='precomputed' needs a square matrix, got {A.shape}")
    if (A.data if sp.issparse(A) else A).min(initial=0.0) < 0:
        raise ValueError("affinity='precomputed' needs similarities, and some are below 0")
    difference = abs(A - A.T).max()
    if difference > 1e-8 * max(abs(A).max(), 1e-300):
        raise ValueError(
            f"affinity='precomputed' needs a symmetric matrix; it differs from its transpose by "
            f"{difference:.3g}"
        )
    return (A + A.T) / 2


def scaled(X: Any, scale: str | None) -> Any:
    """Return samples with features in [0, 1], of variance 1, or rows of length 1."""
    if scale is None:
        return X
    if scale == "unit":
        return unit_rows(X)
    return Layout.fit(X, scale, "euclidean").scaled(X)


def unit_rows(X: Any) -> Any:
    """Bring every row to length 1; the squared length counts at least 1e-14, so 0 stays 0."""
    if sp.issparse(X):
        length = np.sqrt(np.maximum(np.asarray(X.multiply(X).sum(axis=1)).ravel(), 1e-14))
        return sp.csr_array(sp.diags_array(1.0 / length) @ X)
    return X / np.sqrt(np.maximum(np.einsum("ij,ij->i", X, X), 1e-14))[:, None]


def nearest(X: Any, p: int) -> tuple[FloatArray, IntArray]:
    """Return distances to, and numbers of, the p nearest other samples of each one, by distance."""
    p = min(p, X.shape[0] - 1)
    distance, index = NearestNeighbors(n_neighbors=p).fit(X).kneighbors()
    return distance, index


def class_codes(given: Constraints, n: int, n_clusters: int | None = None) -> IntArray:
    """Return the known class of every sample as 0, 1, …, and -1 where it is not known.

    A sample that negative labels rule out of all classes but one is of that one, where the list of
    classes is complete: declared, or as long as there are clusters. Codes are the places in
    ``given.classes``.
    """
    complete = n_clusters if n_clusters == len(given.classes) else None
    closure = given.closure(n, n_classes=complete)
    code_of = np.full(closure.n_components, -1, dtype=np.int64)
    named = np.flatnonzero(closure.class_component >= 0)
    code_of[closure.class_component[named]] = named
    return code_of[closure.component]


def class_columns(given: Constraints, n: int, n_clusters: int) -> IntArray:
    """Return :func:`class_codes` for a method that keeps a cluster for every class.

    A class that was declared needs a cluster even if no label names it; where there are more
    classes than clusters, a ValueError says so.
    """
    if (known := len(given.classes)) > n_clusters:
        named = np.union1d(given.label_code, given.negative_code).size
        declared = f", and {known - named} more are declared" if known > named else ""
        raise ValueError(
            f"every class needs a cluster: the labels name {named} classes{declared}, more than "
            f"n_clusters={n_clusters}"
        )
    return class_codes(given, n, n_clusters)
