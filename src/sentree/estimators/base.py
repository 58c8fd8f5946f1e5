"""What both estimators share: from samples and constraints to the two graphs."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sentree._util.progress import shown
from sentree._util.sklearn import Interval, StrOptions, fit_context, num_samples
from sentree._util.threads import use_threads
from sentree._util.warnings import warn
from sentree._util.wording import Elsewhere, Param, Text
from sentree.constraints import Constraints
from sentree.constraints.satisfaction import broken_classes, cluster_names, lost_classes
from sentree.estimators.inputs import (
    capped_weights,
    check_edges,
    check_length,
    gather_constraints,
    is_plain,
    prepared_blocks,
    stored_distances,
    validated,
)
from sentree.estimators.membership import Hidden, Memberships
from sentree.estimators.placement import Modules
from sentree.estimators.support import ClusterSupport, cluster_support
from sentree.graph import FloatArray, Graph
from sentree.graph.blocks import Block
from sentree.graph.build import (
    KERNELS,
    Affinity,
    auto_neighbors,
    build_affinity,
    distance_affinity,
)
from sentree.graph.choice import GraphSettings, choose
from sentree.graph.extend import GraphExtension, Reach, SampleExtension
from sentree.graph.large import is_large
from sentree.graph.neighbors import SEARCH_NAMES
from sentree.graph.scaling import Layout, Scaled, check_samples
from sentree.relation.feature_weights import Features, table_layout
from sentree.search.clusters import Problem, UnconstrainedResult
from sentree.search.natural_number import NaturalScale
from sentree.search.objective import Objective
from sentree.search.recipes import Selection
from sentree.search.size_bounds import SizeBounds, check_sizes, size_bounds, size_weights
from sentree.search.starts import keep_numbers, lock, locked_points, start_labels
from sentree.tree import EncodingTree

if TYPE_CHECKING:
    from sentree.prepare import TablePreparer
    from sentree.profiles.profile import Profile

__all__ = ["SSEEstimator"]

logger = logging.getLogger(__name__)

_PRECOMPUTED = ("precomputed", "precomputed_distances")
#: The estimator that takes triplets and finer labels.
_HIERARCHY = Elsewhere("sentree.SSEHierarchy", "SSEHierarchy")
#: Larger penalties count as this one: beyond it they drown the data.
_MOST_PENALTY = 10.0
#: Labels may use a linear discriminant of the features up to this many features.
_MOST_LINEAR = 300
#: New samples that are placed at a time, and most of their probabilities, to bound memory.
_CHUNK, _MOST_CELLS = 1 << 13, 1 << 24


def _can_predict(estimator: SSEEstimator) -> bool:
    """Tell whether new samples can be joined to the graph; raise if they cannot."""
    if callable(estimator.affinity):
        raise AttributeError(
            "predict needs the weights between new samples and training samples, but affinity is a "
            "function that makes whole graphs: fit with affinity='precomputed' and that graph, and "
            "pass predict a matrix of similarities (new samples x training samples)"
        )
    return True


class SSEEstimator(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: validate, build the graphs, search, store.

    A subclass implements ``_search(problem)``, which stores ``labels_`` and the other results.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "penalty": [Interval(Real, 0, None, closed="left")],
        "affinity": [StrOptions({"auto", *KERNELS, *_PRECOMPUTED}), callable],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "neighbors": [StrOptions(set(SEARCH_NAMES)), BaseEstimator],
        "hard": ["boolean"],
        "min_size": [Interval(Real, 0, None, closed="neither"), None],
        "max_size": [Interval(Real, 0, None, closed="neither"), None],
        "size_penalty": [Interval(Real, 0, None, closed="left"), None],
        "prepare": [StrOptions({"auto"}), BaseEstimator, None],
        "selection": [StrOptions({"auto", "on", "off"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": [Interval(Integral, 0, None, closed="left")],
    }

    n_clusters: int | None
    min_size: float | None
    max_size: float | None
    size_penalty: float | None
    penalty: float
    affinity: str | Callable[[Any], Any]
    n_neighbors: int | str
    neighbors: Any
    hard: bool
    prepare: Any
    selection: str
    n_jobs: int | None
    random_state: Any
    verbose: int

    labels_: NDArray[np.int32]
    tree_: EncodingTree
    n_clusters_: int
    objective_: float
    entropy_: float
    selection_: Selection | None
    scale_: NaturalScale | None
    graph_settings_: GraphSettings | None
    neighbor_recall_: float | None = None
    features_: Features | None
    preparation_: TablePreparer | None = None
    _memberships: Memberships
    _copies: NDArray[np.int64] | None
    _size_weight: FloatArray | None = None  # of each sample in the size of its cluster
    _table: Any = None  # the samples as they came, if they were prepared
    _unconstrained: UnconstrainedResult | None = None
    _resumes: bool = False  # whether a refit starts from the present clusters
    _edited: bool = False  # whether clusters were edited
    _more_clusters: int = 0  # how many clusters edits have added to ``n_clusters``
    _counted_from: int | None = None  # ``n_clusters`` when they did: another number counts anew

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        constraints: Constraints | None = None,
        init: ArrayLike | None = None,
        locked: ArrayLike | None = None,
        size_weight: ArrayLike | None = None,
    ) -> Self:
        """Cluster the samples, with any constraints that are known.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The samples; with ``affinity="precomputed"`` a :class:`~sentree.Graph` or a symmetric
            matrix of similarities, with ``affinity="precomputed_distances"`` a sparse matrix of
            distances to neighbours.
        y : array-like of shape (n_samples,), optional
            Known classes; -1 (or NaN, None) where the class is unknown.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers of samples that belong together, or do not.
        constraints : Constraints, optional
            Any other constraints: negative labels, groups, triplets, pairs with weights. They add
            to those of ``y``, ``must_link`` and ``cannot_link``.
        init : array-like of shape (n_samples,), optional
            Clusters to start from, such as an earlier result; -1 for a sample without one. The
            search improves them. Their number stays the same unless ``n_clusters`` says otherwise
            (``resolution`` is ignored), and clusters keep their numbers where they persist, unless
            that leaves gaps.
        locked : array-like, optional
            Samples (row numbers, or a mask) that stay in their cluster of ``init``, whatever soft
            constraints say.
        size_weight : array-like of shape (n_samples,), optional
            How much each sample counts in the size of its cluster, such as the demand of a
            customer: ``min_size`` and ``max_size`` then bound sums of these. They have no other
            effect. Refits keep them.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ConstraintConflict
            If the constraints contradict one another, or if the hard ones cannot hold with
            ``n_clusters``; the message lists the statements that lead to it.
        ValueError
            If the input is not as described, or no clusters are within ``min_size`` and
            ``max_size``.

        Notes
        -----
        If a fit fails or is interrupted, the estimator keeps the model of the last fit, or stays
        unfitted.
        """
        given = gather_constraints(y, must_link, cannot_link, constraints)
        if self.hard:
            given = given.hardened()
        # Wrong row numbers and contradictions are found before any long work, and before arrays as
        # long as the largest row number are made.
        n = X.n if isinstance(X, Graph) else num_samples(X)
        check_length(y, n)
        given.check(n)
        given.closure(given.n_min)
        start = None if init is None else start_labels(init, n)
        weight = size_weights(size_weight, n)
        if weight is not None and self.min_size is None and self.max_size is None:
            raise ValueError(
                Text(
                    "size_weight counts for the bounds on sizes: give ",
                    Param("min_size"),
                    " or ",
                    Param("max_size"),
                )
            )
        self._check_sizes(self._sizes(n, weight), given.hard)
        with self._all_or_nothing(), shown(self.verbose):
            self.features_ = self._unconstrained = None
            self._edited, self._more_clusters = False, 0
            self._size_weight = weight
            self.preparation_ = self._table = None
            made = self._affinity(X, given)
            self.graph_, self._extension, self._copies, self.neighbor_recall_ = made
            logger.info("a graph of %d samples and %d edges", made.graph.n, made.graph.n_edges)
            return self._solve(given, start, locked)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Work with ``n_jobs`` threads; restore the estimator if that fails or is interrupted."""
        before = vars(self).copy()
        try:
            with use_threads(self.n_jobs):
                yield
        except BaseException:
            self.__dict__ = before
            raise

    def _solve(
        self,
        given: Constraints,
        init: NDArray[np.int32] | None,
        locked: ArrayLike | None,
        concerned: NDArray[np.int64] | None = None,
        anew: bool = False,
    ) -> Self:
        """Search on the present graph, and store the results.

        The search starts from ``init``. With ``anew`` it does not, and only the numbers of the
        clusters are taken from ``init``.
        """
        n = self.graph_.n
        if self.n_clusters is not None and self.n_clusters > n:
            wanted = Param("n_clusters", self.n_clusters)
            raise ValueError(Text(wanted, f" is more than the {n} samples"))
        given.check(n)
        if self.n_clusters is not None and self.n_clusters < np.unique(given.label_code).size:
            warn(
                f"the labels name {np.unique(given.label_code).size} classes, so ",
                Param("n_clusters", self.n_clusters),
                " cannot keep them all apart",
            )
        if len(given.triplets) and not self._reads_triplets:
            warn(
                "triplets are about trees and are ignored here: ",
                _HIERARCHY,
                " takes them",
            )
        for level in given.levels[1:]:
            level.closure(n)  # raises if the labels contradict one another
        if given.finer is not None and not self._reads_triplets:
            warn(
                "labels finer than those of the clusters are ignored here: ",
                _HIERARCHY,
                " takes them",
            )
        hard = given.hard
        points = locked_points(init, locked, n)
        if init is not None and points.size:
            locks = lock(init, points)
            hard = locks if hard is None else hard + locks
            hard.closure(n)  # raises on a contradiction; soft constraints may be broken
        sizes = self._sizes()
        self._check_sizes(sizes, hard)
        problem = self._problem(given, hard)._replace(
            init=None if anew else init,
            concerned=concerned,
            unconstrained=self._unconstrained if anew else None,
            again=anew,
        )
        logger.info("searching for clusters", extra={"stage": "search"})
        self._search(problem)
        found = np.unique(self.labels_).size
        logger.info("found %d cluster%s", found, "s" * (found != 1), extra={"stage": "strengths"})
        if hard and (report := hard.satisfaction(self.labels_)).n_broken:
            raise RuntimeError(
                f"hard constraints were broken, a bug in sentree, please report it:\n{report}"
            )
        if sizes is not None and sizes.hard and sizes.violation(self.labels_):
            raise RuntimeError("clusters are not within min_size and max_size, a bug in sentree")
        if init is not None:
            self.labels_ = keep_numbers(self.labels_, init, points)
        self._finish(given)
        self._warn_of_broken_labels(given)
        return self

    def _warn_of_broken_labels(self, given: Constraints) -> None:
        """Warn where the clusters contradict most labels, of a class or of all."""
        told = broken_classes(given, self.labels_)
        wanted = (None, np.unique(given.label_code).size)
        if told is None or self.n_clusters not in wanted or self.penalty == 0:
            return  # more or fewer clusters than classes, or clusters without them, are wanted
        if self.n_clusters_ == self.graph_.n:  # a tree without clusters
            return
        warn(
            f"the clusters break {told}: the data show other groups than these labels. If the "
            "labels are right, keep them with ",
            Param("hard", True),
            "; else look at the clusters without labels",
        )

    def _problem(self, given: Constraints, hard: Constraints | None) -> Problem:
        """Return what a search works on."""
        return Problem(
            self.graph_,
            capped_weights(given, self._penalty(), _MOST_PENALTY),
            n_classes=self.n_clusters if self.n_clusters == len(given.classes) else None,
            hard=hard,
            copies=self._copies,
            samples=self._compared_samples() if given.label_index.size else None,
            widths=self._widths(),
            mixed=self._is_mixed,
            sizes=self._sizes(),
        )

    def _sizes(self, n: int | None = None, weight: FloatArray | None = None) -> SizeBounds | None:
        """Return the bounds on the sizes of clusters; by default for the present samples."""
        if n is None:
            n, weight = self.graph_.n, self._size_weight
        return size_bounds(self.min_size, self.max_size, self.size_penalty, weight, n)

    def _check_sizes(self, sizes: SizeBounds | None, hard: Constraints | None) -> None:
        """Refuse bounds on sizes that cannot hold."""
        if sizes is not None:
            check_sizes(sizes, self._wanted(), hard)

    def _more(self) -> int:
        """Return how many clusters edits have added since ``n_clusters`` was set."""
        return self._more_clusters if self.n_clusters == self._counted_from else 0

    def _wanted(self) -> int | None:
        """Return the number of clusters that is asked for, edits included; None for any."""
        return None if self.n_clusters is None else max(self.n_clusters + self._more(), 1)

    def _compared_samples(self) -> Any:
        """Return the scaled samples, if they are dense and have not too many features."""
        extension = self._extension
        if not isinstance(extension, SampleExtension) or sp.issparse(extension.samples):
            return None
        if extension.samples.shape[1] > _MOST_LINEAR and not self._is_mixed:
            return None
        samples = check_samples(extension.samples)
        if is_large(samples):
            return Scaled(samples, extension.layout)
        return np.asarray(extension.layout.scaled(samples))

    def _widths(self) -> FloatArray | None:
        """Return the bandwidths of a Gaussian graph, from which edge lengths follow; else None.

        Also None for answers that take few values: they lie on a grid, which has neither density
        nor dimension.
        """
        settings = self.graph_settings_
        if settings is not None and settings.has_levels:
            return None
        return getattr(self._extension, "widths", None)

    def _finish(self, given: Constraints) -> None:
        """Store the constraints, and what follows from them and the clusters."""
        self.constraints_ = given
        self.n_clusters_ = int(np.unique(self.labels_).size)
        if self.scale_ is not None:
            sized = self.min_size is not None or self.max_size is not None
            self.scale_ = self.scale_.after(self.n_clusters_, len(given), sized)
        self._memberships = Memberships(self.graph_, self.labels_, self._hidden())
        tree = self.tree_ if self._reads_triplets else None
        self.constraint_report_ = given.satisfaction(self.labels_, tree)
        few = self.n_clusters is not None and self.n_clusters < np.unique(given.label_code).size
        if not few and self.penalty != 0:
            lost = lost_classes(given, self.labels_)
            if lost:
                more = f"; and {len(lost) - 5} more classes" if len(lost) > 5 else ""
                warn("; ".join(lost[:5]) + more)

    @property
    def membership_(self) -> Any:
        """Probability of every cluster for each sample, a CSR array; computed on demand."""
        check_is_fitted(self, "labels_")
        return self._memberships.of_samples

    @property
    def membership_strength_(self) -> FloatArray:
        """Probability of its own cluster for each sample, 0 where it has no neighbours."""
        check_is_fitted(self, "labels_")
        return self._memberships.strength.copy()

    def _hidden(self) -> Hidden | None:
        """Return what hidden labels tell; None where none were hidden."""
        selection = self.selection_
        if selection is None or not self.constraints_.label_index.size or self.penalty == 0:
            return None
        found = next(c.score for c in selection.candidates if c.recipe == selection.chosen)
        return Hidden(selection.n_hidden, found)

    @property
    def feature_weights_(self) -> FloatArray | None:
        """Weight of each feature in the distances, 1 on average; None where all weigh the same."""
        check_is_fitted(self, "labels_")
        return None if self.features_ is None else self.features_.weights

    @property
    def cluster_names_(self) -> tuple[Any, ...]:
        """The most frequent class among the labels of each cluster; None where it has none."""
        check_is_fitted(self, "labels_")
        return cluster_names(self.constraints_, self.labels_)

    @property
    def cluster_support_(self) -> tuple[ClusterSupport, ...]:
        """The name of each cluster, the labels behind it, and what speaks for one without labels.

        See :class:`sentree.estimators.support.ClusterSupport`.
        """
        check_is_fitted(self, "labels_")
        return cluster_support(self.graph_, self.labels_, self.constraints_)

    def fit_predict(self, X: Any, y: ArrayLike | None = None, **constraints: Any) -> Any:
        """Cluster the samples and return ``labels_``; takes what :meth:`fit` takes."""
        return self.fit(X, y, **constraints).labels_

    @available_if(_can_predict)  # type: ignore[untyped-decorator]
    def predict(self, X: Any, *, return_strength: bool = False) -> Any:
        """Place new samples in the clusters found, by the objective that found them.

        Each new sample is joined to its nearest training samples as these are to one another, and
        goes to the cluster with the lowest objective. It never makes a new cluster, and does not
        influence other new samples. A sample with no weight to any neighbour goes to the cluster
        of the nearest training sample, or to the largest cluster if none is nearest.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_new, n_features)
            New samples; with ``affinity="precomputed"`` a matrix of similarities (n_new,
            n_samples) to the training samples; with ``affinity="precomputed_distances"`` a matrix
            of distances, of which all stored ones count if it is sparse.
        return_strength : bool, default=False
            Whether to return also the probability of its cluster for each sample, as
            ``membership_strength_`` does for the training samples; 0 where it touches none.

        Returns
        -------
        labels : int32 array of shape (n_new,)
            Cluster of each new sample.
        strength : float64 array of shape (n_new,)
            Only with ``return_strength``.

        Notes
        -----
        The estimator keeps a reference to the training samples, not a copy: do not change them in
        place. The index of the neighbour search is built at the first call and kept.
        """
        labels, strengths = [], []
        for reach, placed in self._placed(X):
            labels.append(placed)
            if return_strength:
                found = self._memberships.of_new(reach, placed)[np.arange(placed.size), placed]
                strengths.append(np.where(np.diff(reach.weights.indptr) > 0, found, 0.0))
        found = np.concatenate(labels)
        return (found, np.concatenate(strengths)) if return_strength else found

    @available_if(_can_predict)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of every cluster for new samples.

        It is the probability of a random walk from the sample to end in the cluster (see
        :func:`sentree.estimators.membership.membership`), but none is above that of the cluster
        where :meth:`predict` places the sample. A sample that touches no training sample gets the
        shares of the clusters instead.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix
            New samples as in :meth:`predict`.

        Returns
        -------
        float64 array of shape (n_new, n_clusters)
            Rows sum to 1; the largest is in the column that :meth:`predict` gives.
        """
        return np.concatenate([self._memberships.of_new(*part) for part in self._placed(X)])

    def _placed(self, X: Any) -> Iterator[tuple[Reach, NDArray[np.int32]]]:
        """Yield how new samples are joined to the graph, and their clusters, some at a time."""
        check_is_fitted(self, "labels_")
        X = self._validated_new(X)
        modules = Modules.of(self.graph_, self.labels_)
        step = min(_CHUNK, max(_MOST_CELLS // self.n_clusters_, 1))
        if self.affinity in _PRECOMPUTED:
            step = X.shape[0]
        with shown(self.verbose):
            logger.info("placing %d samples", X.shape[0], extra={"stage": "placing"})
            for start in range(0, X.shape[0], step):
                reach = self._extension.reach(X[start : start + step])
                yield reach, modules.assign(reach)
                end = min(start + step, X.shape[0])
                logger.info("%d are placed", end, extra={"share": end / X.shape[0]})

    def profile(self, X: Any = None) -> Profile:
        """Tell what makes each cluster: features that set it apart, typical rows, a short rule.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_columns), optional
            The table to describe the clusters with, its rows in the order of the training samples;
            any columns will do, also such as were not clustered. By default the training samples.

        Returns
        -------
        Profile
            As :func:`sentree.profile` has it.
        """
        from sentree.profiles.profile import profile

        check_is_fitted(self, "labels_")
        names = dict(enumerate(self.cluster_names_))
        table = self._own_table() if X is None else X
        return profile(table, self.labels_, strength=self.membership_strength_, names=names)

    def _own_table(self) -> Any:
        """Return the samples that the model was fitted to, with the names of their features."""
        if self._table is not None:
            return self._table
        samples = getattr(self._extension, "samples", None)
        if samples is None or self.preparation_ is not None:  # numbers alone say little
            raise ValueError(
                "this model has no table of its samples: it was fitted to a graph, or read "
                "from a file; give the table, as in model.profile(X)"
            )
        features = getattr(self, "feature_names_in_", None)
        if features is None or sp.issparse(samples):
            return samples
        import pandas as pd

        return pd.DataFrame(samples, columns=features, copy=False)

    def save(self, path: str | os.PathLike[str], *, with_samples: bool = True) -> Path:
        """Write the fitted estimator to a file; see :func:`sentree.save`."""
        from sentree.estimators.persistence import save

        return save(self, path, with_samples=with_samples)

    @property
    def _reads_triplets(self) -> bool:
        """Whether the search uses triplets."""
        return False

    def _penalty(self) -> float:
        """Return the penalty, at most ``_MOST_PENALTY``."""
        return min(float(self.penalty), _MOST_PENALTY)

    def _search(self, problem: Problem) -> None:
        raise AssertionError("subclasses search")

    def _store(self, objective: Objective, trace: NDArray[np.float64]) -> None:
        """Store the objective of the result and the trace of the search.

        The search may have worked on a graph with anchors, or with several samples as one vertex:
        its trace is shifted so that it ends at the objective of the result.
        """
        self.objective_ = objective.value
        self.entropy_ = objective.entropy
        self.trace_ = trace + (objective.value - trace[-1])

    def _affinity(self, X: Any, given: Constraints) -> Affinity:
        """Return the data graph of X, how new samples join it, and which rows repeat."""
        self.graph_settings_ = None
        if callable(self.affinity) or self.affinity in _PRECOMPUTED:
            made = self._given_graph(X)
            check_edges(made.graph)
            return made
        if isinstance(X, Graph):
            raise ValueError("X is a Graph: set affinity='precomputed' to cluster it")
        known = prepared_blocks(X)  # by a step before this one
        X = self._prepared(X)
        known = known if self.preparation_ is None else self.preparation_.blocks_
        blocks = known if any(block.has_levels for block in known) else None
        auto = choose(X, blocks) if self.affinity == "auto" else None
        settings = {"kernel": self.affinity} if auto is None else auto.arguments()
        if auto is not None:
            logger.info("the samples are taken for %s", auto)
            if auto.dense and sp.issparse(X):
                X = X.toarray()
        told = {"stage": "neighbours"}
        logger.info("finding the neighbours of %d samples", X.shape[0], extra=told)
        wide = auto is not None and auto.wide
        p = self._count_neighbors(X.shape[0], wide)
        self.graph_settings_ = auto
        made = build_affinity(
            X,
            p,
            layout=self._layout(X, auto, given, blocks),
            ties=False,
            **settings,
            neighbors=self.neighbors,
            n_jobs=self.n_jobs,
            random_state=self._seed(),
        )
        check_edges(made.graph)
        return made

    def _prepared(self, X: Any) -> Any:
        """Return samples as numbers, by ``prepare`` where there is something to prepare."""
        if self.prepare is None or (self.prepare == "auto" and is_plain(X)):
            return self._validated(X)
        from sentree.prepare import TablePreparer

        preparer = TablePreparer() if self.prepare == "auto" else clone(self.prepare)
        if not isinstance(preparer, TablePreparer):
            kind = type(preparer).__name__
            raise TypeError(f"prepare must be 'auto' or a sentree.TablePreparer, got a {kind}")
        self.preparation_, self._table = preparer, X
        logger.info("preparing the table", extra={"stage": "preparing"})
        features = preparer.fit_transform(X)
        self.n_features_in_ = preparer.n_features_in_
        self.feature_names_in_ = preparer.feature_names_in_
        return np.ascontiguousarray(features)

    @property
    def _is_mixed(self) -> bool:
        """Whether samples are compared as rows of numbers and categories."""
        return self.graph_settings_ is not None and self.graph_settings_.kind == "mixed"

    @property
    def _feature_names(self) -> Any:
        """Names of the features that samples are compared by."""
        if self.preparation_ is not None:
            return self.preparation_.get_feature_names_out()
        return getattr(self, "feature_names_in_", None)

    @property
    def _width(self) -> int:
        """Number of features that samples are compared by."""
        if self.preparation_ is not None:
            return self.preparation_.get_feature_names_out().size
        return self.n_features_in_

    def _layout(
        self,
        X: Any,
        auto: GraphSettings | None,
        given: Constraints,
        blocks: Sequence[Block] | None,
    ) -> Layout | None:
        """Return how long tails are drawn in and features weighted, if X is a table."""
        if auto is None or not auto.is_table or sp.issparse(X):
            return None
        tails = self.preparation_ is None or self.preparation_.log is None
        layout = table_layout(X, auto.scale, given, blocks, tails)
        self.features_ = Features.of(layout, X.shape[1], self._feature_names)
        return layout

    def _seed(self) -> int:
        """Return the seed of everything random; None means 0, so results repeat."""
        state = 0 if self.random_state is None else self.random_state
        return int(check_random_state(state).randint(2**31 - 1))

    def _given_graph(self, X: Any) -> Affinity:
        """Return the graph where X, or a function of the user, gives it."""
        if self.affinity == "precomputed_distances":
            return self._distance_graph(X)
        given = self._called_graph(X) if callable(self.affinity) else self._own_graph(X)
        graph, factor = given.moderate()
        return Affinity(graph, GraphExtension(factor))

    def _called_graph(self, X: Any) -> Graph:
        """Return the graph that the user's function makes of X."""
        X = self._prepared(X)
        made = self.affinity(X)  # type: ignore[operator]
        if not isinstance(made, Graph) and not sp.issparse(made):
            raise TypeError(
                "affinity must return a sentree.Graph or a scipy sparse matrix, got "
                f"{type(made).__name__}"
            )
        graph = made if isinstance(made, Graph) else Graph.from_scipy(made)
        if graph.n != X.shape[0]:
            raise ValueError(
                f"affinity returned a graph of {graph.n} vertices for {X.shape[0]} samples"
            )
        return graph

    def _own_graph(self, X: Any) -> Graph:
        """Take X as the graph."""
        if not isinstance(X, Graph):
            return Graph.from_scipy(sp.csr_array(self._square(X)))
        if X.n < 2:
            raise ValueError(f"clustering needs at least 2 samples, got n_samples = {X.n}")
        self.n_features_in_ = X.n
        if hasattr(self, "feature_names_in_"):  # of an earlier fit
            del self.feature_names_in_
        return X

    def _distance_graph(self, X: Any) -> Affinity:
        """Return the graph of X as a matrix of distances."""
        X = self._square(X)
        p = None if self.n_neighbors == "auto" else int(self.n_neighbors)
        if not sp.issparse(X):
            p = auto_neighbors(X.shape[0], self.n_clusters) if p is None else p
            X = stored_distances(X)
        return distance_affinity(X, p)

    def _square(self, X: Any) -> Any:
        """Return X validated as a matrix of samples by samples."""
        X = self._validated(X)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"affinity={self.affinity!r} needs a square matrix, got {X.shape}")
        return X

    def _count_neighbors(self, n: int, wide: bool) -> Any:
        """Resolve n_neighbors="auto"; a neighbours transformer brings its own number."""
        if self.n_neighbors != "auto" or self.neighbors not in SEARCH_NAMES:
            return self.n_neighbors
        return auto_neighbors(n, self.n_clusters, wide)

    def _validated(self, X: Any, new: bool = False) -> Any:
        """Return X as a float array or CSR matrix, with errors that name the place."""
        infinite = self.affinity == "precomputed_distances"
        return validated(self, X, new=new, infinite=infinite)

    def _validated_new(self, X: Any) -> Any:
        """Return new samples, or their similarities or distances, validated."""
        if isinstance(X, Graph):
            raise TypeError(
                "predict takes a matrix of similarities (new samples x training samples), not a "
                "Graph, which has no training samples"
            )
        if self.preparation_ is not None:
            return np.ascontiguousarray(self.preparation_.transform(X))
        X = self._validated(X, new=True)
        if self.affinity == "precomputed_distances" and not sp.issparse(X):
            return stored_distances(X, new=True)
        return X

    @property
    def _repr_html_(self) -> Any:
        """How notebooks show the estimator: its clusters once fitted, and scikit-learn's diagram.

        As scikit-learn has it, a property that is missing where diagrams are turned off.
        """
        diagram = super()._repr_html_
        return lambda: self._shown() + diagram()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] = self._shown() + bundle["text/html"]
        return bundle

    def _shown(self) -> str:
        """Return the clusters as HTML, nothing before a fit."""
        if not hasattr(self, "labels_"):
            return ""
        import sentree  # loaded when asked for: reports stand on estimators, not the reverse

        return sentree.report.as_notebook(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity in _PRECOMPUTED
        return tags
