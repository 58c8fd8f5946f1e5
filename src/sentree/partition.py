"""SSEPartition: a partition of the samples of least structural entropy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from sentree.constraints import Constraints
from sentree.entropy import Objective, partition_objective
from sentree.estimator import (
    SSEEstimator,
    check_length,
    gather_constraints,
    warn_if_too_many,
)
from sentree.flat import FlatSearch, Found, Problem
from sentree.hard import harden
from sentree.notices import warn
from sentree.optimise import merge, move
from sentree.scale import to_number
from sentree.tree import EncodingTree, renumber
from sentree.weights import Anchored

__all__ = ["SSEPartition"]


class SSEPartition(SSEEstimator):
    """Partition samples by structural entropy, with or without constraints.

    A nearest-neighbour graph of the samples is cut into modules so that a random walk on it is
    described with the fewest bits; constraints add a penalty for every must-link that is cut and
    every cannot-link that is not. The number of clusters need not be given.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. Without it the data decide, or the scale that ``resolution`` sets; with
        labels there is a cluster for each class named, and one for each cluster of the data that
        labels seem not to name; thirty must-links and cannot-links or more choose the number by
        what a search keeps of those that it was not shown.
    method : {"multilevel", "paper"}, default="multilevel"
        "multilevel" moves samples, contracts what has come together and repeats, with constraints
        weighed by degree and information; "paper" merges modules greedily, then moves single
        samples, with the weights of the paper (Zeng et al., SDM 2024).
    resolution : float, optional
        Modules are united while they are linked at least this many times more strongly than chance
        would have it; larger gives more clusters. Without it and ``n_clusters`` the scale is chosen
        from the data; with ``n_clusters`` it does not count. "multilevel" only.
    penalty : float, optional
        Weight of the constraints against the graph; 1 by default, 2 for the weights of the paper.
        More than 10 (100 for the weights of the paper) counts as 10 (100): beyond, the penalty
        drowns what the data say. To enforce constraints use ``hard``.
    weights : {"degree", "paper"}, default="degree"
        How "multilevel" weighs constraints: by the degree of a sample and by what a constraint
        tells, or by similarity as in the paper (the only way for "paper").
    selection : {"auto", "on", "off"}, default="auto"
        Whether constraints choose how they are followed. Labels do so at little cost: they are
        hidden in turn, and another way than the usual is taken where it finds clearly more of them.
        Pairs take some fifteen searches, and choose only with "on", where there are both kinds.
        "multilevel" with weights by degree only.
    affinity : str or callable, default="auto"
        How the graph is made. "auto": Gaussian weights with a bandwidth of its own for every
        sample; how features are scaled and rows compared follows from the numbers, and stands in
        ``graph_settings_`` (:func:`sentree.choice.choose`): up to 50 features are brought to
        variance 1, columns of two values to a fixed distance; above, rows are compared by their
        correlation, counts after a logarithm, text by the cosine; components and embeddings keep
        the variance of their columns. Rows that repeat are one row in the search for neighbours.
        In tables of up to 50 features, columns with a long tail go in as a logarithm, and labels
        weigh the features by what they tell about the classes, where hidden labels confirm it
        (``features_``). "gaussian", "cosine", "correlation", "binary": such weights on the
        features as they are. "paper-gaussian", "paper-cosine", "paper-hierarchy": the settings of
        the paper's experiments. "precomputed" takes a graph, "precomputed_distances" distances
        (sparse ones to neighbours, or dense); a callable gets X and returns a
        :class:`~sentree.Graph`.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample in the graph; "auto" is the square root of the number of samples,
        within bounds, and more where most columns have few different values
        (:func:`sentree.affinity.auto_neighbors`).
    neighbors : str or scikit-learn neighbours transformer, default="auto"
        How neighbours are searched: "exact", "faiss", "sklearn", or a transformer such as
        ``KNeighborsTransformer``; "auto" is exact for small data.
    n_init : int, default=1
        Searches from different seeds, of which the one with the lowest objective counts
        ("multilevel" only).
    hard : bool, default=False
        Whether all constraints must hold in the result; :class:`~sentree.Constraints` can make
        single ones hard. A contradiction, or a number of clusters that leaves no room, is an error.
    moving : bool, default=True
        Move single samples after merging ("paper" only).
    must_link_first : bool, default=False
        Merge must-linked modules before all others, as the paper does for RNA-seq data ("paper"
        only).
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
        would suit it better (:func:`sentree.assign.membership_strength`).
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
    graph_settings_ : GraphSettings or None
        What ``affinity="auto"`` took the samples for, why, and how they are compared; None with
        any other affinity.
    features_ : Features or None
        Which features were weighed by labels, and which had long tails
        (:class:`sentree.features.Features`); None where the graph is not made from a table.
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
        "method": [StrOptions({"multilevel", "paper"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "resolution": [Interval(Real, 0, None, closed="neither"), None],
        "weights": [StrOptions({"degree", "paper"})],
        "moving": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        method: str = "multilevel",
        resolution: float | None = None,
        penalty: float | None = None,
        weights: str = "degree",
        selection: str = "auto",
        affinity: str | Callable[[Any], Any] = "auto",
        n_neighbors: int | str = "auto",
        neighbors: Any = "auto",
        n_init: int = 1,
        hard: bool = False,
        moving: bool = True,
        must_link_first: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.resolution = resolution
        self.penalty = penalty
        self.weights = weights
        self.selection = selection
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.n_init = n_init
        self.hard = hard
        self.moving = moving
        self.must_link_first = must_link_first
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
        """Cluster the same samples again with other constraints, from where the last fit ended.

        No neighbours are searched, and samples move only where constraints concern them, so this
        takes a small part of the time of :meth:`fit`. Clusters that last keep their number, unless
        that leaves gaps; their count stays unless ``n_clusters`` has changed or hard constraints
        split one.

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
        if self.method == "paper":
            raise ValueError("refit belongs to method='multilevel'")
        given = gather_constraints(y, must_link, cannot_link, constraints)
        check_length(y, self.graph_.n)
        before = self.constraints_
        if keep:
            given = before + given
        if self.hard:
            given = given.hardened()
        concerned = np.union1d(before.named, given.named)
        with self._all_or_nothing():
            return self._solve(given, self.labels_, locked, concerned)

    def _search(self, problem: Problem) -> None:
        if self.n_clusters is not None and self.resolution is not None:
            warn("resolution does not count where n_clusters is given")
        if self.method == "multilevel":
            problem, found = self._multilevel(problem)
        else:
            found = self._merge_and_move(problem)
        search, labels, trace = found[:3]
        self.labels_ = renumber(labels[: problem.graph.n])
        self.tree_ = EncodingTree.from_labels(self.labels_, problem.graph)
        entropy = partition_objective(problem.graph, self.labels_).entropy
        penalty = partition_objective(search.graph, labels, search.relation).penalty
        penalty += found.disbelief
        self._store(Objective(entropy, penalty), trace)

    def _multilevel(self, problem: Problem) -> tuple[Problem, Found]:
        """Search on all levels, by the recipe that the constraints choose if they are asked."""
        flat = FlatSearch(
            n_clusters=self.n_clusters,
            resolution=self.resolution,
            penalty=self._penalty(),
            weights=self.weights,
            must_link_first=self.must_link_first,
            n_init=self.n_init,
            n_jobs=self.n_jobs,
            seed=self._seed(),
            selection=self.selection,
        )
        if problem.concerned is None:  # a refit keeps the recipe
            self.selection_ = flat.select(problem)
            flat, problem = flat.follow(self.selection_, problem)
            self.graph_ = problem.graph
        elif self.selection_ is not None:
            flat = replace(flat, recipe=self.selection_.chosen)
        found = flat.run(problem)
        self.selection_ = found.selection or self.selection_
        return problem, found

    def _merge_and_move(self, problem: Problem) -> Found:
        """Search as the paper does."""
        if self.resolution is not None or problem.init is not None:
            name = "resolution" if problem.init is None else "init"
            raise ValueError(f"{name} belongs to method='multilevel'")
        self.selection_ = None
        relation = self._paper_relation(problem)
        search = Anchored(problem.graph, relation, problem.graph.n)
        isolated = problem._replace(copies=None).copies_together
        working, vertex = harden(search, problem.hard, self.n_clusters, isolated)
        graph, relation = working.graph, working.relation
        result = merge(
            graph, relation, n_modules=self.n_clusters, must_link_first=self.must_link_first
        )
        trace = result.trace
        if problem.hard and self.n_clusters is not None:
            result = result._replace(labels=to_number(working, result.labels, self.n_clusters))
        if self.moving:
            reached = int(result.labels.max()) + 1 == self.n_clusters
            result = move(graph, result.labels, relation, keep_modules=reached)
            trace = np.concatenate((trace, result.trace[1:]))
        warn_if_too_many(int(result.labels.max()) + 1, self.n_clusters)
        return Found(search, result.labels[vertex], trace)
