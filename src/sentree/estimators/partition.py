"""SSEPartition: a partition of the samples of least structural entropy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import metadata_routing
from sklearn.utils.validation import check_is_fitted

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval
from sentree._util.warnings import warn
from sentree.constraints import Constraints
from sentree.estimators.base import SSEEstimator
from sentree.estimators.inputs import check_length, gather_constraints
from sentree.relation.by_degree import Anchored
from sentree.search.clusters import FlatSearch, Found, Problem
from sentree.search.edits import (
    Edit,
    divided,
    moved,
    pairs_inside,
    row_numbers,
    united,
    without_broken,
)
from sentree.search.objective import Objective, partition_objective
from sentree.search.starts import keep_numbers
from sentree.tree import EncodingTree

__all__ = ["SSEPartition"]


class SSEPartition(SSEEstimator):
    """Partition samples by structural entropy, with or without constraints.

    A nearest-neighbour graph of the samples is cut into modules so that a random walk on it is
    described with the fewest bits; constraints add a penalty for every must-link that is cut and
    every cannot-link that is not. The number of clusters need not be given.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. Without it, ``resolution`` or the data decide. Labels ask for one
        cluster per class, and one for each cluster of the data that has no label; must-links and
        cannot-links count as evidence for and against uniting clusters.
    resolution : float, optional
        Unite clusters while the weight between them is at least so many times what is expected by
        chance; larger gives more clusters. Ignored with ``n_clusters``.
    penalty : float, default=1
        Weight of the constraints against the graph. More than 10 counts as 10, and so does the
        product with the weight of a pair: beyond, the penalty drowns what the data say. To enforce
        constraints use ``hard``.
    selection : {"auto", "on", "off"}, default="auto"
        Whether constraints choose how they are followed, by hiding some of them in turn. "auto":
        labels do, at little cost. "on": pairs do too, where there are both kinds; this takes some
        fifteen searches.
    affinity : str or callable, default="auto"
        How the graph is made. "auto": Gaussian weights with a bandwidth of its own for every
        sample; how features are scaled and rows compared follows from the numbers, and stands in
        ``graph_settings_`` (:func:`sentree.graph.choice.choose`): up to 50 features are brought to
        variance 1, columns of two values to a fixed distance; above, rows are compared by their
        correlation, counts after a logarithm, text by the cosine; components and embeddings keep
        the variance of their columns. Rows that repeat are one row in the search for neighbours.
        In tables of up to 50 features, columns with a long tail go in as a logarithm, and labels
        weigh the features by what they tell about the classes, where hidden labels confirm it
        (``features_``). "gaussian", "cosine", "correlation", "binary": such weights on the
        features as they are. "precomputed" takes a graph, "precomputed_distances" distances
        (sparse ones to neighbours, or dense); a callable gets X and returns a
        :class:`~sentree.Graph`.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample in the graph; "auto" is the square root of the number of samples,
        within bounds, and more where most columns have few different values
        (:func:`sentree.graph.build.auto_neighbors`).
    neighbors : str or scikit-learn neighbours transformer, default="auto"
        How neighbours are searched: "exact", "faiss", "sklearn", or a transformer such as
        ``KNeighborsTransformer``; "auto" is exact for small data.
    n_init : int, default=1
        Searches from different seeds, of which the one with the lowest objective counts.
    hard : bool, default=False
        Whether all constraints must hold in the result; :class:`~sentree.Constraints` can make
        single ones hard. A contradiction, or a number of clusters that leaves no room, is an error.
    n_jobs : int, optional
        Threads of the neighbour search and of several searches; the result is the same.
    random_state : int, RandomState or None, default=None
        Seed of the search and of approximate neighbours; None is the same as 0, so that results
        repeat.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample, numbered by first appearance, or as in ``init`` or before a refit.
        All numbers from 0 to ``n_clusters_`` - 1 are there.
    n_clusters_ : int
        Number of clusters found.
    cluster_names_ : tuple
        The class of most labelled samples of each cluster; None for a cluster without any.
    membership_strength_ : float array of shape (n_samples,)
        How firmly the data hold each sample in its cluster, from 0 to 1; below 1/2 another cluster
        would suit it better (:func:`sentree.estimators.membership.membership_strength`).
    entropy_ : float
        The structural entropy of the clusters on ``graph_``, in bits.
    objective_ : float
        The same with what constraints cost: the penalty of pairs, and what the labels near a
        sample say against its cluster.
    trace_ : float array
        The objective at the start and after every step.
    tree_ : EncodingTree
        The result as a tree of height 2.
    graph_ : Graph
        The graph of the samples; where its weights were given and are out of reason (beyond
        2^100, or all below 2^-100), they are multiplied by a power of two.
    constraints_ : Constraints
        All that was said, in whatever form.
    constraint_report_ : ConstraintReport
        Which constraints are kept and which are broken.
    selection_ : Selection or None
        The recipe that the constraints chose and the evidence; None where they were not asked.
    scale_ : NaturalScale or None
        Where the data chose the number of clusters: which numbers came into question, and how many
        of the answers speak for each (:class:`sentree.search.natural_number.NaturalScale`);
        None where ``n_clusters``, ``resolution``, labels or ``init`` set it.
    graph_settings_ : GraphSettings or None
        What ``affinity="auto"`` took the samples for, why, and how they are compared; None with
        any other affinity.
    features_ : Features or None
        Which features were weighed by labels, and which had long tails
        (:class:`sentree.relation.feature_weights.Features`); None where the graph is not made
        from a table.
    feature_weights_ : float array of shape (n_features,) or None
        How much each feature counted in distances, 1 on average; None where all did alike.
    n_features_in_ : int
        Number of features seen by :meth:`fit`.

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
    #: scikit-learn takes a method of this name for that of a cross-validator.
    __metadata_request__split: ClassVar[dict[str, str]] = {
        "cluster": metadata_routing.UNUSED,
        "into": metadata_routing.UNUSED,
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        resolution: float | None = None,
        penalty: float = 1.0,
        selection: str = "auto",
        affinity: str | Callable[[Any], Any] = "auto",
        n_neighbors: int | str = "auto",
        neighbors: Any = "auto",
        n_init: int = 1,
        hard: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.resolution = resolution
        self.penalty = penalty
        self.selection = selection
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.n_init = n_init
        self.hard = hard
        self.n_jobs = n_jobs
        self.random_state = random_state

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
        """Cluster the same samples again with other constraints, on the ground of the last fit.

        Neighbours, modules and natural clusters are those of that fit, so this takes a part of its
        time, and gives what a fresh fit with the same pairs would; clusters that last keep their
        number, unless that leaves gaps. Features stay weighed as they were. After a fit with
        ``init``, and with ``locked`` samples, it goes on from the clusters there are instead:
        samples move only where constraints concern them, and the count stays unless ``n_clusters``
        has changed or hard constraints split one.

        Parameters
        ----------
        y, must_link, cannot_link, constraints
            As in :meth:`fit`.
        keep : bool, default=True
            Whether the constraints of the last fit (``constraints_``) still hold; else only those
            that are given now do.
        locked : array-like, optional
            Samples (row numbers, or a mask) that stay in the clusters of ``labels_``, whatever soft
            constraints say.

        Returns
        -------
        self
            The estimator, fitted anew; as it was where this fails or is interrupted.
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
        with self._all_or_nothing():
            if not keep:
                self._forget_edits()
            # A loaded model has no more of its edits than the clusters.
            lost = self._edited and self._ground is None
            if locked is None and not self._resumes and not lost:
                return self._solve(given, self.labels_, None, anew=True)
            concerned = np.union1d(before.named, given.named)
            return self._solve(given, self.labels_, locked, concerned)

    def merge(self, *clusters: int) -> Self:
        """Unite clusters; all others stay as they are.

        The union has the number of its largest part, unless that would leave a gap in the numbers.

        This is remembered as hard must-links between typical samples of them, which later refits
        follow; ``n_clusters``, where it is given, counts as less by as many. A refit without these
        undoes it: ``model.refit(constraints=before, keep=False)``, with ``before`` the
        ``constraints_`` that there were.

        Parameters
        ----------
        *clusters : int
            Two or more numbers of clusters in ``labels_``.

        Returns
        -------
        self
            The estimator.

        Raises
        ------
        ConstraintConflict
            Where hard constraints keep them apart, but for those of an earlier edit, which this one
            takes back; nothing is changed then.

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
        return self._take(united(self.labels_, chosen, self.membership_strength_))

    def split(self, cluster: int, into: int = 2) -> Self:
        """Divide a cluster where the data, and pairs inside it, divide it best.

        The largest part keeps the number; all other clusters stay as they are. This is remembered
        as hard cannot-links between typical samples of the parts; see :meth:`merge`.

        Parameters
        ----------
        cluster : int
            Its number in ``labels_``.
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
        graph = Anchored(self.graph_, None, self.graph_.n).part(inside)[0]
        pairs = pairs_inside(self.constraints_, inside, self.graph_.n)
        widths = self._widths()
        if widths is not None and np.ndim(widths):
            widths = widths[inside]
        flat = replace(self._flat(), n_clusters=int(into), resolution=None)
        with catch_warnings():
            simplefilter("ignore")  # parts that do not touch are what is looked for
            found = flat.run(Problem(graph, pairs, widths=widths))
        parts = renumber(found.labels[: inside.size])
        return self._take(divided(self.labels_, number, parts, self.membership_strength_))

    def move(self, rows: ArrayLike, to: int | None = None) -> Self:
        """Move samples to a cluster, or to a new one of their own; all others stay.

        This is remembered as hard must-links to typical samples of that cluster, and hard
        cannot-links to those of the clusters that they were in; see :meth:`merge`.

        Parameters
        ----------
        rows : array-like
            Row numbers, or a mask.
        to : int, optional
            Number of a cluster in ``labels_``; without it they found one.

        Returns
        -------
        self
            The estimator.
        """
        check_is_fitted(self, "labels_")
        chosen = row_numbers(rows, self.graph_.n)
        if chosen.size == 0:
            raise ValueError("rows names no sample to move")
        target = None if to is None else self._cluster(to)
        if target is not None and (self.labels_[chosen] == target).all():
            return self
        return self._take(moved(self.labels_, chosen, target, self.membership_strength_))

    def _forget_edits(self) -> None:
        """Go back to what the data tell."""
        self._more_clusters, self._edited = 0, False
        if self._ground is not None:
            self._ground = replace(self._ground, edited=None)

    def _cluster(self, number: int) -> int:
        """Check the number of a cluster."""
        check_is_fitted(self, "labels_")
        if not isinstance(number, Integral) or not 0 <= number < self.n_clusters_:
            raise ValueError(
                f"there is no cluster {number!r}: they are numbered 0 to {self.n_clusters_ - 1}"
            )
        return int(number)

    def _take(self, edit: Edit) -> Self:
        """Take over clusters that were edited, and remember what that says."""
        given = without_broken(self.constraints_, edit.labels) + edit.said
        given.closure(self.graph_.n)  # contradictions are refused, with their chain
        with self._all_or_nothing():
            self._more_clusters += edit.change
            self._edited = True
            labels = keep_numbers(edit.labels, self.labels_, np.empty(0, dtype=np.int64))
            flat, problem = self._flat(), self._problem(given, given.hard)
            if not self._resumes:
                ground = flat.grounded(problem._replace(ground=self._ground)).ground
                assert ground is not None
                self._ground = replace(ground, edited=labels)
            search = flat.constrained(problem._replace(init=labels))
            self._keep(problem, Found(search, search.extended(labels), self.trace_))
            self.labels_ = labels
            self._conclude(given)
        return self

    def _search(self, problem: Problem) -> None:
        if self.n_clusters is not None and self.resolution is not None:
            warn("resolution does not count where n_clusters is given")
        flat = self._flat()
        if problem.concerned is None and not problem.again:
            self._resumes = problem.init is not None
            self.selection_ = flat.select(problem)
            flat, problem = flat.follow(self.selection_, problem)
            self.graph_ = problem.graph
        elif self.selection_ is not None and self.selection == "on":  # pairs chose the graph
            flat = replace(flat, recipe=self.selection_.chosen)
        problem = flat.grounded(problem)
        if problem.ground is not None:
            self._ground = problem.ground
        found = flat.run(problem)
        self.selection_ = found.selection or self.selection_
        self._keep(problem, found)

    def _keep(self, problem: Problem, found: Found) -> None:
        """Store clusters and their value."""
        search, labels, trace = found[:3]
        self.scale_ = found.scale
        self.labels_ = renumber(labels[: problem.graph.n])
        self.tree_ = EncodingTree.from_labels(self.labels_, problem.graph)
        entropy = partition_objective(problem.graph, self.labels_).entropy
        penalty = partition_objective(search.graph, labels, search.relation).penalty
        penalty += found.disbelief
        self._store(Objective(entropy, penalty), trace)

    def _flat(self) -> FlatSearch:
        """Return the search that the parameters ask for."""
        k = self.n_clusters
        return FlatSearch(
            n_clusters=None if k is None else max(k + self._more_clusters, 1),
            resolution=self.resolution,
            penalty=self._penalty(),
            n_init=self.n_init,
            n_jobs=self.n_jobs,
            seed=self._seed(),
            selection=self.selection,
        )
