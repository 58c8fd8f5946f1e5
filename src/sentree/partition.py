"""SSEPartition: a partition of the samples of least structural entropy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from sentree.entropy import partition_objective
from sentree.estimator import Problem, SSEEstimator
from sentree.graph import Graph
from sentree.optimise import merge, move
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
        Number of clusters. Without it the objective decides.
    method : {"paper"}, default="paper"
        "paper" merges modules greedily, then moves single samples (Zeng et al., SDM 2024).
    penalty : float, default=2.0
        Weight of the constraints against the graph.
    affinity : str or callable, default="gaussian"
        How the graph is made: "gaussian" (with a bandwidth of its own for every sample), "cosine",
        "correlation" or "binary" weights on the nearest neighbours; "paper-gaussian",
        "paper-cosine", "paper-hierarchy" are the settings of the paper's experiments;
        "precomputed" takes a graph, "precomputed_distances" sparse neighbour distances; a callable
        gets X and returns a :class:`~sentree.Graph`.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample in the graph.
    neighbors : str or scikit-learn neighbours transformer, default="auto"
        How neighbours are searched: "exact", "faiss", "sklearn", or a transformer such as
        ``KNeighborsTransformer``; "auto" is exact for small data.
    moving : bool, default=True
        Move single samples after merging.
    must_link_first : bool, default=False
        Merge must-linked modules before all others, as the paper does for RNA-seq data.
    n_jobs : int, optional
        Threads of the neighbour search.
    random_state : int, RandomState or None, default=None
        Only approximate neighbour searches are random.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample, numbered by first appearance.
    n_clusters_ : int
        Number of clusters found.
    objective_, entropy_ : float
        The objective (entropy and penalty) and the structural entropy of the result, in bits.
    trace_ : float array
        The objective at the start and after every step.
    tree_ : EncodingTree
        The result as a tree of height 2.
    graph_ : Graph
        The graph of the samples.
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
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SSEEstimator._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "method": [StrOptions({"paper"})],
        "moving": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        method: str = "paper",
        penalty: float = 2.0,
        affinity: str | Callable[[Any], Any] = "gaussian",
        n_neighbors: int | str = "auto",
        neighbors: Any = "auto",
        moving: bool = True,
        must_link_first: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.penalty = penalty
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.moving = moving
        self.must_link_first = must_link_first
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _search(self, problem: Problem) -> None:
        graph, relation, _ = problem
        result = merge(
            graph, relation, n_modules=self.n_clusters, must_link_first=self.must_link_first
        )
        _warn_if_too_many(int(result.labels.max()) + 1, self.n_clusters, graph)
        trace = result.trace
        if self.moving:
            result = move(graph, result.labels, relation, keep_modules=self.n_clusters is not None)
            trace = np.concatenate((trace, result.trace[1:]))
        self.labels_ = result.labels
        self.tree_ = EncodingTree.from_labels(result.labels, graph, relation)
        self._store(partition_objective(graph, result.labels, relation), trace)


def _warn_if_too_many(found: int, wanted: int | None, graph: Graph) -> None:
    """Say why fewer clusters could not be reached."""
    if wanted is not None and found > wanted:
        warnings.warn(
            f"the neighbour graph falls into {found} parts that do not touch, so there are {found} "
            f"clusters and not n_clusters={wanted}: use more neighbours",
            stacklevel=4,
        )
