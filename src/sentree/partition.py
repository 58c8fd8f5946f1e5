"""SSEPartition: a partition of the samples of least structural entropy."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from sentree.constraints import Constraints
from sentree.entropy import partition_objective
from sentree.estimator import (
    Problem,
    SSEEstimator,
    gather_constraints,
    join_isolated,
    warn_if_too_many,
)
from sentree.graph import FloatArray
from sentree.hard import Hardened, harden
from sentree.optimise import PartitionResult, merge, move, multilevel, settle
from sentree.propagation import propagate
from sentree.scale import at_resolution, coarsen, to_number
from sentree.tree import EncodingTree, renumber
from sentree.weights import Anchored, anchor, cannot_share

__all__ = ["SSEPartition"]

#: Rounds of the multilevel search: later ones still lower the objective, but not the error.
_ROUNDS = 3
#: Sweeps that move single samples at the wanted scale, at most.
#: Labels a class needs on average before they are spread over the graph as the start.
_LABELS_TO_SPREAD = 3


class SSEPartition(SSEEstimator):
    """Partition samples by structural entropy, with or without constraints.

    A nearest-neighbour graph of the samples is cut into modules so that a random walk on it is
    described with the fewest bits; constraints add a penalty for every must-link that is cut and
    every cannot-link that is not. The number of clusters need not be given.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. Without it the data decide, at the scale that ``resolution`` sets.
    method : {"multilevel", "paper"}, default="multilevel"
        "multilevel" moves samples, contracts what has come together and repeats, with constraints
        weighed by degree and information; "paper" merges modules greedily, then moves single
        samples, with the weights of the paper (Zeng et al., SDM 2024).
    resolution : float, optional
        Modules are united while they are linked at least this many times more strongly than chance
        would have it; larger gives more clusters. Without it and ``n_clusters`` the scale is chosen
        from the data. "multilevel" only.
    penalty : float, optional
        Weight of the constraints against the graph; 1 by default, 2 for "paper".
    affinity : str or callable, default="auto"
        How the graph is made. "auto": Gaussian weights with a bandwidth of its own for every
        sample, on features scaled to [0, 1], by the correlation of two rows above 50 features and
        by their distance below. "gaussian", "cosine", "correlation", "binary": such weights on the
        features as they are. "paper-gaussian", "paper-cosine", "paper-hierarchy": the settings of
        the paper's experiments. "precomputed" takes a graph, "precomputed_distances" distances
        (sparse ones to neighbours, or dense); a callable gets X and returns a
        :class:`~sentree.Graph`.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample in the graph; "auto" is the square root of the number of samples,
        within bounds (:func:`sentree.affinity.auto_neighbors`).
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
        Cluster of each sample, numbered by first appearance.
    n_clusters_ : int
        Number of clusters found.
    membership_strength_ : float array of shape (n_samples,)
        How firmly the data hold each sample in its cluster, from 0 to 1; below 1/2 another cluster
        would suit it better (:func:`sentree.assign.membership_strength`).
    objective_, entropy_ : float
        The objective (entropy and penalty) and the structural entropy of the result, in bits.
    trace_ : float array
        The objective at the start and after every step.
    tree_ : EncodingTree
        The result as a tree of height 2.
    graph_ : Graph
        The graph of the samples.
    constraints_ : Constraints
        All that was said, in whatever form.
    constraint_report_ : ConstraintReport
        Which constraints are kept and which are broken.
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
        "moving": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        method: str = "multilevel",
        resolution: float | None = None,
        penalty: float | None = None,
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
        takes a small part of the time of :meth:`fit`. Clusters that last keep their number; their
        count stays unless ``n_clusters`` has changed or hard constraints split one.

        Parameters
        ----------
        y, must_link, cannot_link, constraints
            As in :meth:`fit`.
        keep : bool, default=True
            Whether the constraints of the last fit (``constraints_``) still hold; else only those
            that are given now do.
        locked : array-like, optional
            Samples (row numbers, or a mask) that stay in the clusters of ``labels_``.

        Returns
        -------
        self
            The estimator, fitted anew.
        """
        check_is_fitted(self)
        given = gather_constraints(y, must_link, cannot_link, constraints)
        if self.hard:
            given = given.hardened()
        before = self.constraints_
        if keep:
            given = before + given
        concerned = np.union1d(before.named, given.named)
        return self._solve(given, self.labels_, locked, concerned)

    def _search(self, problem: Problem) -> None:
        search = self._multilevel if self.method == "multilevel" else self._merge_and_move
        anchored, labels, trace = search(problem)
        self.labels_ = join_isolated(renumber(labels[: problem.graph.n]), problem)
        self.tree_ = EncodingTree.from_labels(self.labels_, problem.graph)
        objective = partition_objective(anchored.graph, labels, anchored.relation)
        # Where samples were one vertex, the search left out what they cost in any case.
        self._store(objective, trace + (objective.value - trace[-1]))

    def _merge_and_move(self, problem: Problem) -> tuple[Anchored, Any, FloatArray]:
        """Search as the paper does."""
        if self.resolution is not None or problem.init is not None:
            name = "resolution" if problem.init is None else "init"
            raise ValueError(f"{name} belongs to method='multilevel'")
        search = Anchored(problem.graph, self._paper_relation(problem), problem.graph.n)
        hardened = harden(search, problem.hard, self.n_clusters)
        working = hardened.problem
        graph, relation, _ = working
        result = merge(
            graph, relation, n_modules=self.n_clusters, must_link_first=self.must_link_first
        )
        trace = result.trace
        if problem.hard and self.n_clusters is not None:
            labels = to_number(working, result.labels, self.n_clusters)
            result = result._replace(labels=labels)
        if self.moving:
            reached = int(result.labels.max()) + 1 == self.n_clusters
            result = move(graph, result.labels, relation, keep_modules=reached)
            trace = np.concatenate((trace, result.trace[1:]))
        warn_if_too_many(int(result.labels.max()) + 1, self.n_clusters)
        return search, result.labels[hardened.vertex], trace

    def _multilevel(
        self, problem: Problem, search: Anchored | None = None
    ) -> tuple[Anchored, Any, FloatArray]:
        """Search on all levels, or from what is there; bring it to the scale; move once more."""
        search = self._constrained(problem) if search is None else search
        hardened = harden(search, problem.hard, self.n_clusters)
        working, vertex = hardened
        graph, relation, n = working
        concerned, trace = None, np.empty(0)
        if problem.init is not None:
            labels, concerned = self._resumed(problem, hardened)
        else:
            labels, trace = self._found(problem, hardened)
        # Left to itself the scale may be very unequal clusters, which moving would even out.
        wished = self.n_clusters is not None or self.resolution is not None or problem.constraints
        if not wished and problem.init is None:
            concerned = np.empty(0, dtype=np.int64)
        result = settle(graph, labels, relation, vertices=concerned, keep_modules=True)
        labels = result.labels
        if self.n_clusters is not None and np.unique(labels[:n]).size < self.n_clusters:
            labels = to_number(working, labels, self.n_clusters)  # only an anchor was left in one
        return search, labels[vertex], np.concatenate((trace, result.trace))

    def _found(self, problem: Problem, hardened: Hardened) -> tuple[NDArray[Any], FloatArray]:
        """Search for modules and bring them to the scale that was asked for."""
        working = hardened.problem
        spread = self._spread(problem)
        if spread is not None:
            assert self.n_clusters is not None
            return to_number(working, hardened.start(spread), self.n_clusters), np.empty(0)
        modules = self._modules(working)
        if self.n_clusters is not None:
            labels = to_number(working, modules.labels, self.n_clusters)
        elif self.resolution is not None:
            labels = at_resolution(working, modules.labels, self.resolution)
        else:
            labels = coarsen(working, modules.labels, problem.constraints, hardened.vertex)
        return labels, modules.trace

    def _modules(self, working: Anchored) -> PartitionResult:
        """Return the modules of least objective of several searches."""
        seeds = self._seed() + np.arange(self.n_init)

        def search(seed: int) -> PartitionResult:
            graph, relation, _ = working
            return multilevel(graph, relation, seed=int(seed), max_rounds=_ROUNDS)

        if self.n_init == 1:
            return search(seeds[0])
        with ThreadPoolExecutor(min(effective_n_jobs(self.n_jobs), self.n_init)) as pool:
            return min(pool.map(search, seeds), key=lambda found: found.objective)

    def _resumed(
        self, problem: Problem, hardened: Hardened
    ) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
        """Start from clusters there are; return them and the vertices that may have to move."""
        assert problem.init is not None
        working, vertex = hardened
        placed = np.flatnonzero(problem.init >= 0)
        samples = renumber(problem.init)
        if placed.size < samples.size:
            samples = propagate(problem.graph, placed, renumber(problem.init[placed]))
        labels = hardened.start(samples)
        if self.n_clusters is not None and int(labels.max()) + 1 != self.n_clusters:
            return to_number(working, labels, self.n_clusters), None
        if problem.concerned is None:
            return labels, None
        moved = np.flatnonzero(labels[vertex[: samples.size]] != renumber(samples))
        return labels, vertex[np.union1d(problem.concerned, moved)]

    def _constrained(self, problem: Problem) -> Anchored:
        """Return the graphs with the constraints weighed by degree and information."""
        given, graph = problem.constraints, problem.graph
        penalty = 1.0 if self.penalty is None else self.penalty
        if not given or penalty == 0:
            return Anchored(graph, None, graph.n)
        closure = given.closure(graph.n, n_classes=problem.n_classes)
        n_classes = self.n_clusters or (len(given.classes) if len(given.classes) > 1 else None)
        if n_classes:
            same = 1 / max(n_classes, 2)
        else:
            rough = multilevel(graph, seed=self._seed(), max_rounds=1).labels
            rough = coarsen(Anchored(graph, None, graph.n), rough)
            same = float(np.sum((np.bincount(rough) / graph.n) ** 2))
        anchored = anchor(graph, given, closure, cannot_share(same))
        return anchored._replace(relation=anchored.relation * penalty)

    def _spread(self, problem: Problem) -> NDArray[Any] | None:
        """Return the labels spread over the graph, where they are many for the clusters wanted."""
        given = problem.constraints
        if self.n_clusters is None or np.unique(given.label_code).size < 2:
            return None
        if given.label_index.size < _LABELS_TO_SPREAD * self.n_clusters:
            return None
        return propagate(problem.graph, given.label_index, given.label_code)
