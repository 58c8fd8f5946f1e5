"""What both estimators share: from samples and constraints to the two graphs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from sentree.affinity import (
    KERNELS,
    PAPER_PRESETS,
    GraphSimilarity,
    build_affinity,
    graph_from_distances,
    paper_neighbors,
)
from sentree.constraints import Constraints, PairSimilarity
from sentree.entropy import Objective
from sentree.graph import Graph

__all__ = ["SSEEstimator"]

_PRECOMPUTED = ("precomputed", "precomputed_distances")


class Problem(NamedTuple):
    """What a search works on."""

    graph: Graph
    relation: Any
    constraints: Constraints


class SSEEstimator(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: validate, build the graphs, search, store.

    A subclass gives ``_search(problem)``, which stores ``labels_`` and what else it found.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "penalty": [Interval(Real, 0, None, closed="left")],
        "affinity": [StrOptions({*KERNELS, *PAPER_PRESETS, *_PRECOMPUTED}), callable],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "neighbors": [StrOptions({"auto", "exact", "faiss", "sklearn"}), BaseEstimator],
        "must_link_first": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    n_clusters: int | None
    penalty: float
    affinity: str | Callable[[Any], Any]
    n_neighbors: int | str
    neighbors: Any
    must_link_first: bool
    n_jobs: int | None
    random_state: Any

    labels_: NDArray[np.int32]
    n_clusters_: int
    objective_: float
    entropy_: float

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        constraints: Constraints | None = None,
    ) -> Self:
        """Cluster the samples, with whatever is known about them.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The samples; with ``affinity="precomputed"`` a :class:`~sentree.Graph` or a symmetric
            matrix of similarities, with ``affinity="precomputed_distances"`` a sparse matrix of
            distances to neighbours.
        y : array-like of shape (n_samples,), optional
            Known classes; -1 (or NaN, None) where the class is unknown.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong together, or do not.
        constraints : Constraints, optional
            Anything else one knows: negative labels, groups, weights. All four add up.

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
        graph, similarity = self._affinity(X, given)
        n = graph.n
        if self.n_clusters is not None and self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the {n} samples")
        if y is not None and len(np.asarray(y)) != n:
            raise ValueError(f"y has {len(np.asarray(y))} labels for {n} samples")
        given.check(n)
        relation = None
        if given:
            complete = self.n_clusters == len(given.classes)
            relation = given.relation(
                n,
                similarity,
                penalty=self.penalty,
                n_classes=self.n_clusters if complete else None,
            )
        self.graph_ = graph
        self._search(Problem(graph, relation, given))
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.constraint_report_ = given.satisfaction(self.labels_)
        return self

    def fit_predict(self, X: Any, y: ArrayLike | None = None, **constraints: Any) -> Any:
        """Cluster the samples and return ``labels_``; takes what :meth:`fit` takes."""
        return self.fit(X, y, **constraints).labels_

    def _search(self, problem: Problem) -> None:
        raise AssertionError("subclasses search")

    def _store(self, objective: Objective, trace: NDArray[np.float64]) -> None:
        """Keep the value of the result and the way there."""
        self.objective_ = objective.value
        self.entropy_ = objective.entropy
        self.trace_ = trace

    def _affinity(self, X: Any, given: Constraints) -> tuple[Graph, PairSimilarity]:
        """Return the data graph of X and the similarities behind it."""
        if self.affinity == "precomputed":
            graph = self._precomputed(X)
            return _checked(graph), GraphSimilarity(graph)
        X = self._validated(X)
        if self.affinity == "precomputed_distances":
            graph = graph_from_distances(sp.csr_array(X))
            return _checked(graph), GraphSimilarity(graph)
        if callable(self.affinity):
            made = self.affinity(X)
            graph = made if isinstance(made, Graph) else Graph.from_scipy(sp.csr_array(made))
            if graph.n != X.shape[0]:
                raise ValueError(
                    f"affinity returned a graph of {graph.n} vertices for {X.shape[0]} samples"
                )
            return _checked(graph), GraphSimilarity(graph)
        preset = PAPER_PRESETS.get(self.affinity)
        graph, similarity = build_affinity(
            X,
            self._count_neighbors(X.shape[0], given),
            **(preset or {"kernel": self.affinity}),
            neighbors=self.neighbors,
            n_jobs=self.n_jobs,
            random_state=check_random_state(self.random_state).randint(2**31 - 1),
        )
        return _checked(graph), similarity

    def _count_neighbors(self, n: int, given: Constraints) -> Any:
        """Resolve n_neighbors="auto", which in the paper depends on the number of classes."""
        if self.n_neighbors != "auto" or self.affinity not in ("paper-gaussian", "paper-cosine"):
            hierarchy = self.n_neighbors == "auto" and self.affinity == "paper-hierarchy"
            return 5 if hierarchy else self.n_neighbors
        n_classes = self.n_clusters or len(given.classes)
        if not n_classes:
            raise ValueError(
                f"affinity={self.affinity!r} takes the number of neighbours from the number of "
                "classes, and neither n_clusters nor labels tell it: set n_neighbors, for example "
                "to sentree.paper_neighbors(n_samples, n_classes)"
            )
        return paper_neighbors(n, n_classes)

    def _validated(self, X: Any) -> Any:
        """Return X as a float array or CSR matrix, with errors that name the place."""
        _check_numeric_columns(X)
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=2,
        )
        _check_finite(X, getattr(self, "feature_names_in_", None))
        return X

    def _precomputed(self, X: Any) -> Graph:
        """Return the graph that was given in place of samples."""
        if isinstance(X, Graph):
            if X.n < 2:
                raise ValueError(f"clustering needs at least 2 samples, got n_samples = {X.n}")
            self.n_features_in_ = X.n
            return X
        X = self._validated(X)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"affinity='precomputed' needs a square matrix, got shape {X.shape}")
        return Graph.from_scipy(sp.csr_array(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity in _PRECOMPUTED
        return tags


def gather_constraints(
    y: ArrayLike | None,
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    constraints: Constraints | None,
) -> Constraints:
    """Add up what was said in four ways."""
    if constraints is not None and not isinstance(constraints, Constraints):
        raise TypeError(
            f"constraints must be a sentree.Constraints, got {type(constraints).__name__}; "
            "pairs go to must_link= and cannot_link=, classes to y"
        )
    given = Constraints() if constraints is None else constraints
    if must_link is not None or cannot_link is not None:
        given = given + Constraints.from_pairs(must_link=must_link, cannot_link=cannot_link)
    if y is not None:
        given = given + Constraints.from_labels(y)
    return given


def _checked(graph: Graph) -> Graph:
    """Refuse a graph without edges; warn about samples without neighbours."""
    lonely = graph.isolated
    if lonely.size == graph.n:
        raise ValueError(
            "no sample has a neighbour: the graph has no edges, so there is nothing to cluster by "
            "(zero rows with a cosine affinity, or a graph without weights, do this)"
        )
    if lonely.size:
        shown = ", ".join(map(str, lonely[:5])) + (", …" if lonely.size > 5 else "")
        warnings.warn(
            f"{lonely.size} of {graph.n} samples have no neighbour (rows {shown}); each stays a "
            "cluster of its own unless a must-link joins it",
            stacklevel=4,
        )
    return graph


def _check_numeric_columns(X: Any) -> None:
    """Name the columns of a data frame that are not numbers."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return
    kinds = zip(X.columns, X.dtypes, strict=True)
    bad = [str(name) for name, kind in kinds if not _is_numeric(kind)]
    if bad:
        raise ValueError(
            f"columns {', '.join(map(repr, bad[:5]))} are not numeric: drop them (pass known "
            "classes as y) or encode them as numbers first"
        )


def _is_numeric(kind: Any) -> bool:
    """Tell whether a pandas or polars dtype holds numbers."""
    if hasattr(kind, "is_numeric"):  # polars
        return bool(kind.is_numeric()) or str(kind) == "Boolean"
    return getattr(kind, "kind", "O") in "buif"


def _check_finite(X: Any, names: NDArray[Any] | None) -> None:
    """Name the first entry that is NaN or infinite."""
    data = X.data if sp.issparse(X) else X
    good = np.isfinite(data)
    if good.all():
        return
    if sp.issparse(X):
        entry = X.tocoo()
        at = int(np.flatnonzero(~good)[0])
        row, column = int(entry.row[at]), int(entry.col[at])
    else:
        row, column = (int(k[0]) for k in np.nonzero(~good))
    value = "NaN" if np.isnan(data[~good].flat[0]) else "infinity"
    where = f"column {column}" if names is None else f"column {names[column]!r}"
    raise ValueError(
        f"Input X contains {value} (first at row {row}, {where}): drop or impute such values"
    )
