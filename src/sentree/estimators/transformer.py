"""The neighbour search as a transformer of scikit-learn, for other libraries to use."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sentree._util.sklearn import Interval, StrOptions, fit_context
from sentree.graph.exact_search import exact_neighbors
from sentree.graph.neighbors import SEARCH_NAMES, NeighborSearch
from sentree.graph.queries import Neighbors, Queries
from sentree.graph.scaling import check_samples, check_squares
from sentree.graph.spaces import EuclideanSpace, Metric, Space, make_space

__all__ = ["KNNTransformer"]


class KNNTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Transform samples into the sparse matrix of distances to their nearest neighbours.

    A :class:`sklearn.neighbors.KNeighborsTransformer` with the search of sentree, for all that
    takes one: ``scanpy.pp.neighbors(adata, transformer=KNNTransformer(15))``, pipelines, and
    estimators on precomputed neighbours. Up to 5000 samples the search is exact. Beyond, dense data
    are searched approximately, with a recall of at least 0.95.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each sample. As in scikit-learn, ``mode="distance"`` adds the sample itself
        to them and ``mode="connectivity"`` counts it as one of them.
    mode : {"distance", "connectivity"}, default="distance"
        What is stored for a neighbour: its distance, or 1.
    metric : str or callable, default="euclidean"
        Any metric of scikit-learn that takes no parameters, or a function of two rows. Under
        "cosine" and "correlation", rows without a direction (all zero, or all equal) are at
        distance 1 from all others and 0 from one another.
    neighbors : {"auto", "exact", "faiss", "cells", "sklearn"}, default="auto"
        The search, as in :func:`sentree.knn_graph`.
    n_jobs : int, optional
        Threads of the search, -1 for all; None is the default of the library that searches. The
        result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the approximate search.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of samples seen by :meth:`fit`.
    recall_ : float or None
        After :meth:`fit_transform`, the share of the true neighbours that were found, on a sample;
        None where the search is exact.
    n_features_in_ : int
        Number of features seen by :meth:`fit`.
    feature_names_in_ : array of shape (n_features,)
        Names of the features, where X had names.

    See Also
    --------
    sentree.knn_graph : the graph of neighbours, weighed.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.datasets import load_iris
    >>> from sentree import KNNTransformer, SSEPartition
    >>> X = load_iris().data
    >>> KNNTransformer(n_neighbors=5).fit_transform(X).shape
    (150, 150)
    >>> clusters = SSEPartition(n_clusters=3, affinity="precomputed_distances")
    >>> make_pipeline(KNNTransformer(15), clusters).fit_predict(X).shape
    (150,)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "mode": [StrOptions({"distance", "connectivity"})],
        "metric": [str, callable],
        "neighbors": [StrOptions(set(SEARCH_NAMES))],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    n_samples_fit_: int
    recall_: float | None

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        mode: str = "distance",
        metric: Metric = "euclidean",
        neighbors: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.mode = mode
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the samples among which neighbours are sought.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite samples, more than ``n_neighbors``.
        y : ignored
            There for scikit-learn.

        Returns
        -------
        self
        """
        space = self._space(X, reset=True)
        check_squares(space)
        n = space.n
        per_row = self.n_neighbors + (self.mode == "distance")
        if per_row > n:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too many for {n} samples, where "
                f"mode={self.mode!r} can give {n - (self.mode == 'distance')}: ask for fewer"
            )
        self._samples, self._per_row = space, per_row
        self._seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self._prepared: NeighborSearch | None = self._prepare()
        self.n_samples_fit_ = self._n_features_out = n
        return self

    def transform(self, X: Any) -> Any:
        """Find the nearest of the fitted samples for each of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features)
            Samples; one that is also among the fitted ones has itself as its nearest.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_queries, n_samples_fit)
            As many stored entries in every row, nearest first: one more than ``n_neighbors`` with
            ``mode="distance"``.
        """
        check_is_fitted(self)
        asked = self._space(X, reset=False)
        if self._per_row == self.n_samples_fit_:  # all of them
            found = exact_neighbors(self._samples, self._per_row, Queries(asked), ties=False)
        else:
            found = self._search().of(asked)
        return self._matrix(*_table(found, asked.n))

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Find the nearest neighbours of each sample among the others.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite samples, more than ``n_neighbors``.
        y : ignored
            There for scikit-learn.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, n_samples)
            As from :meth:`transform`; every sample comes first in its own row.
        """
        self.fit(X)
        n, others = self.n_samples_fit_, self._per_row - 1
        columns, distances = np.arange(n)[:, None], np.zeros((n, 1))
        self.recall_ = None
        if others:
            neighbors = self._search().others()
            self.recall_ = neighbors.recall
            found = _table(neighbors, n)
            columns = np.hstack([columns, found[0][:, :others]])
            distances = np.hstack([distances, found[1][:, :others]])
        return self._matrix(columns, distances)

    def _space(self, X: Any, reset: bool) -> Space:
        """Check samples and lay them out for the metric."""
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)
        if not reset and sp.issparse(X) != sp.issparse(self._samples.points):
            X = X.toarray() if sp.issparse(X) else sp.csr_array(X)
        space = make_space(check_samples(X, fewest=1), self.metric)
        if not isinstance(space, EuclideanSpace) or not space.unit:
            return space
        # Rows without direction get a feature of their own, so that they are neighbours as well.
        silent = ~space.has_direction()[:, None]
        if sp.issparse(space.points):
            return EuclideanSpace(sp.hstack([space.points, sp.csr_array(silent)]).tocsr(), True)
        return EuclideanSpace(np.hstack([space.points, silent]), True)

    def _prepare(self) -> NeighborSearch:
        """Prepare a search among the samples."""
        return NeighborSearch(
            self._samples, self._per_row, self.neighbors, self.n_jobs, self._seed, ties=False
        )

    def _search(self) -> NeighborSearch:
        """Return the search among the samples, which a pickle does not hold."""
        if self._prepared is None:
            self._prepared = self._prepare()
        return self._prepared

    def _matrix(self, columns: NDArray[np.int64], distances: NDArray[np.float64]) -> Any:
        """Return neighbours as a matrix in which every row stores as many, nearest first."""
        m, width = columns.shape
        data = distances if self.mode == "distance" else np.ones(columns.shape)
        indptr = np.arange(0, m * width + 1, width)
        return sp.csr_matrix((data.ravel(), columns.ravel(), indptr), (m, self.n_samples_fit_))

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {**state, "_prepared": None} if "_prepared" in state else state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _table(found: Neighbors, m: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the neighbours of m queries, which have equally many, as two tables."""
    return found.indices.reshape(m, -1), found.distances.reshape(m, -1)
