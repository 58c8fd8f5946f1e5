"""SSEPartition: a partition of the samples of least structural entropy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import metadata_routing
from sklearn.utils.validation import check_is_fitted

from sentree._util.labels import renumber
from sentree._util.progress import shown
from sentree._util.sklearn import Interval
from sentree._util.warnings import warn
from sentree.constraints import Constraints
from sentree.estimators.base import SSEEstimator
from sentree.estimators.inputs import check_length, gather_constraints
from sentree.relation.by_degree import SearchGraphs
from sentree.search.clusters import ClusterSearch
from sentree.search.edits import (
    Edit,
    divided,
    moved,
    pairs_inside,
    row_numbers,
    united,
    without_broken,
)
from sentree.search.objective import Objective, partition_objective, relation_penalty
from sentree.search.problem import Problem, SearchResult
from sentree.search.starts import keep_numbers
from sentree.tree import EncodingTree

__all__ = ["SSEPartition"]


class SSEPartition(SSEEstimator):
    """Partition samples by structural entropy, with or without constraints.

    The samples become the vertices of a nearest-neighbour graph. The search looks for the clusters
    that describe a random walk on this graph in the fewest bits. Pairs add a penalty for every
    must-link between clusters and every cannot-link inside one. Labels draw samples to the cluster
    of the class that their neighbours have. The number of clusters need not be given.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. Without it the data choose, and ``scale_`` tells how sure the choice
        is. Labels then ask for one cluster per class, and for one more wherever the data have a
        cluster that no label names; must-links and cannot-links count as evidence for and against
        uniting clusters.
    min_size, max_size : int or float, optional
        Least and largest size of a cluster: a number of samples (int), or a share of all samples
        (float below 1). With ``size_weight`` in :meth:`fit` sizes are sums of weights. The bounds
        hold in the result together with all hard constraints; what is impossible is an error that
        shows the arithmetic. If all clusters are within the bounds anyway, they stay as they are.
    size_penalty : float, optional
        Makes the bounds soft: samples that clusters have too many or too few cost this many bits
        each, over the number of all. 1 moves samples at borders, 10 nearly all. Without it the
        bounds are hard.
    resolution : float, optional
        Unite clusters while the weight between them is at least this many times what is expected
        by chance. Larger values give more clusters. Ignored with ``n_clusters``.
    penalty : float, default=1
        Weight of the soft constraints against the graph. Lower it if many of them are wrong; 0
        leaves them out of the search. Values above 10 count as 10, and so does the product with
        the weight of a pair: beyond that the penalty drowns the data. To enforce constraints use
        ``hard``.
    selection : {"auto", "on", "off"}, default="auto"
        Whether the constraints choose how they are followed: some of them are hidden in turn, and
        the recipe that keeps most of the hidden ones is used (``selection_``). "auto": only labels
        choose, at little cost. "on": pairs choose too, if there are both must-links and
        cannot-links; this takes about fifteen searches. "off": the usual recipe is used.
    affinity : str or callable, default="auto"
        How the graph is made.

        - "auto": Gaussian weights with a bandwidth for each sample. How features are scaled and
          rows are compared depends on the data, and is reported in ``graph_settings_``
          (:func:`sentree.graph.choice.choose`). Tables of up to 50 features are scaled to variance
          1, columns of two values to a fixed distance; columns with a long tail are
          log-transformed, and labels weight the features by what they tell about the classes, if
          hidden labels confirm it (``features_``). With more features, rows are compared by their
          correlation, counts after a logarithm, text by the cosine; components and embeddings keep
          the variance of their columns. Rows that repeat are searched as one row.
        - "gaussian", "cosine", "correlation", "binary": weights of this kind on the features as
          they are.
        - "precomputed": X is a :class:`~sentree.Graph` or a matrix of similarities.
        - "precomputed_distances": X is a matrix of distances, dense, or sparse with the distances
          to the neighbours.
        - A callable gets X and returns a :class:`~sentree.Graph` or a sparse matrix.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample in the graph. "auto" is the square root of the number of samples,
        within bounds, and more where most columns have few different values
        (:func:`sentree.graph.build.auto_neighbors`). More neighbours connect a graph that falls
        apart; fewer keep small clusters apart.
    neighbors : str or scikit-learn neighbours transformer, default="auto"
        How neighbours are searched: "exact", "faiss", "cells", "sklearn", or a transformer such as
        ``KNeighborsTransformer``. "auto" is exact for small data.
    prepare : "auto" or TablePreparer, optional
        How a table with text, dates or gaps becomes numbers: "auto" as
        :class:`~sentree.TablePreparer` does it by default; ``preparation_`` tells what was done.
        New samples are prepared alike. Without it all columns must be numbers without gaps.
    n_init : int, default=1
        Number of searches from different seeds; the one with the lowest objective counts. Raise
        it if the clusters depend on ``random_state``.
    hard : bool, default=False
        Whether all constraints must hold in the result. :class:`~sentree.Constraints` can make
        single ones hard. Constraints that contradict one another, or need more clusters than
        ``n_clusters``, are an error.
    n_jobs : int, optional
        Threads, with scikit-learn's meaning: None is 1 unless a ``joblib.parallel_config`` says
        otherwise, -1 is as many as there are cores. (For None the libraries that search for
        neighbours keep their own default.) The result does not depend on it. Below 50,000 samples
        one thread searches.
    random_state : int, RandomState or None, default=None
        Seed of the search and of approximate neighbours. None is the same as 0, so results repeat.
    verbose : int, default=0
        What is said on standard error: 0 nothing, 1 a line for each stage with the seconds since
        the start, 2 also details and choices. On a terminal a bar shows the present stage.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample, from 0 to ``n_clusters_`` - 1. Clusters are numbered by first
        appearance, or keep the numbers of ``init`` or of the clusters before a refit.
    n_clusters_ : int
        Number of clusters found.
    cluster_names_ : tuple
        The most frequent class among the labelled samples of each cluster; None for a cluster
        without labels.
    cluster_support_ : tuple of ClusterSupport
        The same with the labels behind each name, and with what speaks for a cluster without
        labels (:class:`sentree.estimators.support.ClusterSupport`).
    membership_ : CSR array of shape (n_samples, n_clusters)
        Probability of every cluster for each sample, by random walks on the graph
        (:func:`sentree.estimators.membership.membership`); those below 0.001 are left out.
    membership_strength_ : float array of shape (n_samples,)
        Probability of its own cluster for each sample, and 0 for one without neighbours. Below 1/2
        another cluster may suit it better.
    entropy_ : float
        The structural entropy of the clusters on ``graph_``, in bits.
    objective_ : float
        ``entropy_`` plus the cost of the constraints: the penalty of pairs, the bits by which
        nearby labels speak against the clusters of samples, and those of soft bounds on sizes.
    trace_ : float array
        The objective at the start and after every step.
    tree_ : EncodingTree
        The clusters as a tree of height 2.
    graph_ : Graph
        The graph of the samples. Precomputed weights that are extreme (some above 2^100, or all
        below 2^-100) are multiplied by a power of two.
    constraints_ : Constraints
        All constraints that were given, in whatever form.
    constraint_report_ : ConstraintReport
        Which constraints the clusters keep and which they break.
    selection_ : Selection or None
        Which recipe the constraints chose, and the evidence for it; None where they chose nothing.
    scale_ : NaturalScale or None
        The numbers of clusters that the data speak for, and the support of each
        (:class:`sentree.search.natural_number.NaturalScale`). None where ``n_clusters``,
        ``resolution``, labels or ``init`` set the number.
    neighbor_recall_ : float or None
        Share of the true neighbours that the search for neighbours found, on a sample; None where
        it was exact.
    graph_settings_ : GraphSettings or None
        The kind of data that ``affinity="auto"`` recognised, why, and how samples are compared;
        None with any other affinity.
    features_ : Features or None
        Which features were weighted by labels, and which had long tails
        (:class:`sentree.relation.feature_weights.Features`); None where the graph is not made from
        a table.
    preparation_ : TablePreparer or None
        What was done to which columns, with ``prepare``.
    feature_weights_ : float array of shape (n_features,) or None
        Weight of each feature in the distances, 1 on average; None where all weigh the same.
    n_features_in_ : int
        Number of features seen by :meth:`fit`.
    feature_names_in_ : array of shape (n_features,)
        Names of the features, where X had names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sentree import SSEPartition
    >>> X = load_iris().data
    >>> model = SSEPartition(n_clusters=3).fit(X, must_link=[(70, 77)], cannot_link=[(0, 149)])
    >>> model.n_clusters_
    3
    >>> model.constraint_report_.share
    1.0
    >>> new = [[5.0, 3.4, 1.5, 0.2]]
    >>> bool(model.predict(new)[0] == model.labels_[0])
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SSEEstimator._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "resolution": [Interval(Real, 0, None, closed="neither"), None],
    }
    #: scikit-learn takes a method named ``split`` for that of a cross-validator.
    __metadata_request__split: ClassVar[dict[str, str]] = {
        "cluster": metadata_routing.UNUSED,
        "into": metadata_routing.UNUSED,
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        min_size: float | None = None,
        max_size: float | None = None,
        size_penalty: float | None = None,
        resolution: float | None = None,
        penalty: float = 1.0,
        selection: str = "auto",
        affinity: str | Callable[[Any], Any] = "auto",
        n_neighbors: int | str = "auto",
        neighbors: Any = "auto",
        prepare: Any = None,
        n_init: int = 1,
        hard: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_size = min_size
        self.max_size = max_size
        self.size_penalty = size_penalty
        self.resolution = resolution
        self.penalty = penalty
        self.selection = selection
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.prepare = prepare
        self.n_init = n_init
        self.hard = hard
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def refit(
        self,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        constraints: Constraints | None = None,
        keep: bool = True,
        locked: ArrayLike | None = None,
    ) -> Self:
        """Cluster the same samples again with other constraints.

        The graph, its modules and its natural clusters are those of the last fit. So a refit is
        faster than a fit, and gives what a new fit with the same pairs would give. Clusters keep
        their numbers where they persist, unless that leaves gaps. The weights of features stay as
        they were.

        After a fit with ``init``, and with ``locked`` samples, the search continues from the
        present clusters instead: only samples that constraints concern move, and the number of
        clusters stays the same unless ``n_clusters`` has changed or hard constraints split one.

        Parameters
        ----------
        y, must_link, cannot_link, constraints
            As in :meth:`fit`.
        keep : bool, default=True
            Whether the constraints of the last fit (``constraints_``) are kept. Otherwise only
            those given now count.
        locked : array-like, optional
            Samples (row numbers, or a mask) that stay in the clusters of ``labels_``, whatever soft
            constraints say.

        Returns
        -------
        self
            The refitted estimator. If the refit fails or is interrupted, nothing changes.
        """
        check_is_fitted(self, "labels_")
        self._validate_params()
        given = gather_constraints(y, must_link, cannot_link, constraints)
        check_length(y, self.graph_.n)
        before = self.constraints_
        if keep:
            given = before + given
        if self.hard:
            given = given.hardened()
        with self._all_or_nothing(), shown(self.verbose):
            if not keep:
                self._forget_edits()
            # A loaded model knows only the clusters after its edits, not those before.
            lost = self._edited and self._unconstrained is None
            if locked is None and not self._resumes and not lost:
                return self._solve(given, self.labels_, None, anew=True)
            concerned = np.union1d(before.named, given.named)
            return self._solve(given, self.labels_, locked, concerned)

    def merge(self, *clusters: int) -> Self:
        """Unite clusters; all others stay as they are.

        The union keeps the number of its largest part, unless that would leave a gap in the
        numbers.

        The edit is remembered as hard must-links between typical samples of the clusters, which
        later refits follow. Where ``n_clusters`` is given, they ask for as many clusters fewer. To
        undo the edit, refit with the ``constraints_`` from before it:
        ``model.refit(constraints=before, keep=False)``.

        Parameters
        ----------
        *clusters : int
            The numbers of two or more clusters in ``labels_``.

        Returns
        -------
        self
            The estimator.

        Raises
        ------
        ConstraintConflict
            If hard constraints keep the clusters apart; nothing is changed then. Cannot-links of
            an earlier edit do not: this edit takes them back.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sentree import SSEPartition
        >>> model = SSEPartition(n_clusters=4).fit(load_iris().data)
        >>> model.merge(1, 3).n_clusters_
        3
        >>> model.split(0).n_clusters_
        4
        >>> model.move([0, 1], to=1).labels_[:2].tolist()
        [1, 1]
        """
        chosen = [self._cluster(c) for c in clusters]
        if len(set(chosen)) < max(len(chosen), 2):
            raise ValueError(f"merge needs two different clusters or more, got {clusters}")
        return self._apply(united(self.labels_, chosen, self.membership_strength_))

    def split(self, cluster: int, into: int = 2) -> Self:
        """Divide a cluster where the data, and the pairs inside it, divide it best.

        The largest part keeps the number; all other clusters stay as they are. The edit is
        remembered as hard cannot-links between typical samples of the parts; see :meth:`merge`.

        Parameters
        ----------
        cluster : int
            The number of the cluster in ``labels_``.
        into : int, default=2
            Number of parts.

        Returns
        -------
        self
            The estimator.
        """
        number = self._cluster(cluster)
        inside = np.flatnonzero(self.labels_ == number)
        if not isinstance(into, Integral) or not 2 <= into <= inside.size:
            raise ValueError(
                f"into must be a whole number from 2 to the {inside.size} samples of cluster "
                f"{cluster}, got {into!r}"
            )
        graph = SearchGraphs.plain(self.graph_).part(inside)[0]
        pairs = pairs_inside(self.constraints_, inside, self.graph_.n)
        widths = self._widths()
        if widths is not None and np.ndim(widths):
            widths = widths[inside]
        search = replace(self._cluster_search(), n_clusters=int(into), resolution=None)
        sizes = self._sizes()
        sizes = None if sizes is None else sizes.of(inside)
        with catch_warnings():
            simplefilter("ignore")  # parts that do not touch are what is looked for
            found = search.run(Problem(graph, pairs, widths=widths, sizes=sizes))
        parts = renumber(found.labels[: inside.size])
        return self._apply(divided(self.labels_, number, parts, self.membership_strength_))

    def move(self, rows: ArrayLike, to: int | None = None) -> Self:
        """Move samples to a cluster, or to a new one of their own; all other samples stay.

        The edit is remembered as hard must-links to typical samples of that cluster, and hard
        cannot-links to typical samples of the clusters that they leave; see :meth:`merge`.

        Parameters
        ----------
        rows : array-like
            Row numbers, or a mask.
        to : int, optional
            The number of a cluster in ``labels_``; without it the samples get a new cluster.

        Returns
        -------
        self
            The estimator.
        """
        check_is_fitted(self, "labels_")
        chosen = row_numbers(rows, self.graph_.n)
        if chosen.size == 0:
            raise ValueError("rows is empty: it names no sample to move")
        target = None if to is None else self._cluster(to)
        if target is not None and (self.labels_[chosen] == target).all():
            return self
        return self._apply(moved(self.labels_, chosen, target, self.membership_strength_))

    def _adopt(self, labels: NDArray[np.int32], given: Constraints) -> Self:
        """Take over clusters that were found elsewhere with these constraints.

        Samples move only where hard constraints or bounds on sizes make them. Clusters keep their
        numbers where they persist, unless that leaves gaps. A later refit searches again.
        """
        if self.hard:
            given = given.hardened()
        with self._all_or_nothing():
            problem = self._problem(given, given.hard)._replace(unconstrained=self._unconstrained)
            labels = self._cluster_search().allowed(problem, labels)
            self._keep(problem, keep_numbers(labels, self.labels_, np.empty(0, dtype=np.int64)))
            self._finish(given)
        return self

    def _keep(self, problem: Problem, labels: NDArray[np.int32]) -> None:
        """Store clusters without a search."""
        graphs = self._cluster_search().constrained(problem._replace(init=labels))
        self._store_clusters(problem, SearchResult(graphs, graphs.extended(labels), self.trace_))
        self.labels_ = labels

    def _forget_edits(self) -> None:
        """Go back to the natural clusters and to ``n_clusters``."""
        self._more_clusters, self._edited = 0, False
        if self._unconstrained is not None and self._unconstrained.edited is not None:
            self._unconstrained = self._unconstrained.with_edited(None)

    def _cluster(self, number: int) -> int:
        """Check the number of a cluster."""
        check_is_fitted(self, "labels_")
        if not isinstance(number, Integral) or not 0 <= number < self.n_clusters_:
            raise ValueError(
                f"there is no cluster {number!r}: they are numbered 0 to {self.n_clusters_ - 1}"
            )
        return int(number)

    def _apply(self, edit: Edit) -> Self:
        """Store edited clusters, and the constraints that remember the edit."""
        given = without_broken(self.constraints_, edit.labels) + edit.constraints
        given.closure(self.graph_.n)  # contradictions are refused, with their chain
        if (sizes := self._sizes()) is not None:
            sizes.check(edit.labels, "this edit would make")
        with self._all_or_nothing():
            self._more_clusters = self._more() + edit.change
            self._counted_from, self._edited = self.n_clusters, True
            labels = keep_numbers(edit.labels, self.labels_, np.empty(0, dtype=np.int64))
            search, problem = self._cluster_search(), self._problem(given, given.hard)
            if not self._resumes:
                known = problem._replace(unconstrained=self._unconstrained)
                unconstrained = search.with_unconstrained(known).unconstrained
                assert unconstrained is not None
                self._unconstrained = unconstrained.with_edited(labels)
            self._keep(problem, labels)
            self._finish(given)
        return self

    def _search(self, problem: Problem) -> None:
        if self.n_clusters is not None and self.resolution is not None:
            warn("resolution is ignored because n_clusters is given")
        search = self._cluster_search()
        if problem.concerned is None and not problem.again:
            self._resumes = problem.init is not None
            self.selection_ = search.select(problem)
            search, problem = search.follow(self.selection_, problem)
            self.graph_ = problem.graph
        elif self.selection_ is not None and self.selection == "on":  # pairs chose the graph
            search = replace(search, recipe=self.selection_.chosen)
        problem = search.with_unconstrained(problem)
        if problem.unconstrained is not None:
            self._unconstrained = problem.unconstrained
        found = search.run(problem)
        self.selection_ = found.selection or self.selection_
        self._store_clusters(problem, found)

    def _store_clusters(self, problem: Problem, found: SearchResult) -> None:
        """Store clusters and their objective."""
        graphs, labels, trace = found[:3]
        self.scale_ = found.scale
        self.labels_ = renumber(labels[: problem.graph.n])
        self.tree_ = EncodingTree.from_labels(self.labels_, problem.graph)
        entropy = partition_objective(problem.graph, self.labels_).entropy
        penalty = relation_penalty(graphs.graph, labels, graphs.relation)
        penalty += found.disbelief + found.oversize
        self._store(Objective(entropy, penalty), trace)

    def _cluster_search(self) -> ClusterSearch:
        """Return the search that the parameters ask for."""
        return ClusterSearch(
            n_clusters=self._wanted(),
            resolution=self.resolution,
            penalty=self._penalty(),
            n_init=self.n_init,
            n_jobs=self.n_jobs,
            seed=self._seed(),
            selection=self.selection,
        )
