"""What both estimators share: a fit, from samples and constraints to clusters."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin

from sentree._util.progress import shown
from sentree._util.sklearn import Interval, StrOptions, fit_context, num_samples
from sentree._util.threads import use_threads
from sentree._util.warnings import warn
from sentree._util.wording import Elsewhere, Param, Text
from sentree.constraints import Constraints
from sentree.constraints.satisfaction import broken_classes, lost_classes
from sentree.estimators.fitted import FittedClusters
from sentree.estimators.graph_maker import PRECOMPUTED
from sentree.estimators.inputs import capped_weights, check_length, gather_constraints
from sentree.estimators.membership import Hidden, Memberships
from sentree.graph import FloatArray, Graph
from sentree.graph.build import KERNELS
from sentree.graph.extend import SampleExtension
from sentree.graph.large import is_large
from sentree.graph.neighbors import SEARCH_NAMES
from sentree.graph.scaling import Scaled, check_samples
from sentree.search.natural_number import NaturalScale
from sentree.search.objective import Objective
from sentree.search.problem import Problem, UnconstrainedResult
from sentree.search.recipes import Selection
from sentree.search.size_bounds import SizeBounds, check_sizes, size_bounds, size_weights
from sentree.search.starts import keep_numbers, lock, locked_points, start_labels
from sentree.tree import EncodingTree

__all__ = ["SSEEstimator"]

logger = logging.getLogger(__name__)

#: The estimator that takes triplets and finer labels.
_HIERARCHY = Elsewhere("sentree.SSEHierarchy", "SSEHierarchy")
#: Larger penalties count as this one: beyond it they drown the data.
_MOST_PENALTY = 10.0
#: Labels may use a linear discriminant of the features up to this many features.
_MOST_LINEAR = 300


class SSEEstimator(ClusterMixin, FittedClusters):  # type: ignore[misc]
    """Base of the estimators: validate, build the graphs, search, store.

    A subclass implements ``_search(problem)``, which stores ``labels_`` and the other results.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "penalty": [Interval(Real, 0, None, closed="left")],
        "affinity": [StrOptions({"auto", *KERNELS, *PRECOMPUTED}), callable],
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

    min_size: float | None
    max_size: float | None
    size_penalty: float | None
    penalty: float
    hard: bool
    selection: str

    tree_: EncodingTree
    objective_: float
    entropy_: float
    selection_: Selection | None
    scale_: NaturalScale | None
    neighbor_recall_: float | None = None
    _copies: NDArray[np.int64] | None
    _size_weight: FloatArray | None = None  # of each sample in the size of its cluster
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

    def _hidden(self) -> Hidden | None:
        """Return what hidden labels tell; None where none were hidden."""
        selection = self.selection_
        if selection is None or not self.constraints_.label_index.size or self.penalty == 0:
            return None
        found = next(c.score for c in selection.candidates if c.recipe == selection.chosen)
        return Hidden(selection.n_hidden, found)

    def fit_predict(self, X: Any, y: ArrayLike | None = None, **constraints: Any) -> Any:
        """Cluster the samples and return ``labels_``; takes what :meth:`fit` takes."""
        return self.fit(X, y, **constraints).labels_

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity in PRECOMPUTED
        return tags
