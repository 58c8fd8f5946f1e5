"""SSEHierarchy: a tree over the samples of least structural entropy."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from sentree.entropy import tree_objective
from sentree.estimator import Problem, SSEEstimator, join_isolated, warn_if_too_many
from sentree.optimise import compress, stretch

__all__ = ["SSEHierarchy"]


class SSEHierarchy(SSEEstimator):
    """Grow a tree over the samples by structural entropy, with or without constraints.

    Pairs of subtrees are joined greedily to a binary tree, which is then compressed to the given
    height by removing the inner nodes that cost least (Zeng et al., SDM 2024).

    Parameters
    ----------
    height : int, default=2
        Height of ``tree_``: 1 is the star, 2 a partition, 3 a partition of partitions.
    n_clusters : int, optional
        Number of clusters in ``labels_``, by undoing the last joins of the binary tree, which may
        split off single samples; :class:`SSEPartition` finds better clusters of a given number.
        Without it the clusters are the children of the root of ``tree_``.
    method : {"paper"}, default="paper"
        "paper" stretches to a binary tree and compresses it.
    penalty : float, optional
        Weight of the constraints against the graph; 2 by default, as in the paper.
    leaf_penalty : bool, default=False
        Let the penalty include single samples. The paper's does not; including them makes the flat
        result steadier on some data.
    affinity, n_neighbors, neighbors, must_link_first, n_jobs, random_state
        As in :class:`SSEPartition`.

    Attributes
    ----------
    tree_ : EncodingTree
        The tree of the given height.
    binary_tree_ : EncodingTree
        The full binary tree (wider at the root when the graph is not connected).
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample, numbered by first appearance.
    n_clusters_ : int
        Number of clusters in ``labels_``.
    membership_strength_ : float array of shape (n_samples,)
        How firmly the data hold each sample in its cluster of ``labels_``, from 0 to 1
        (:func:`sentree.assign.membership_strength`).
    objective_, entropy_ : float
        The objective (entropy and penalty) and the structural entropy of ``tree_``, in bits.
    trace_ : float array
        The objective at the start and after every step.
    graph_ : Graph
        The graph of the samples.
    constraint_report_ : ConstraintReport
        Which constraints ``labels_`` keeps and which it breaks.
    n_features_in_ : int
        Number of features seen by :meth:`fit`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sentree import SSEHierarchy
    >>> model = SSEHierarchy(height=3).fit(load_iris().data)
    >>> model.tree_.height
    3
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SSEEstimator._parameter_constraints,
        "height": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "method": [StrOptions({"paper"})],
        "leaf_penalty": ["boolean"],
    }

    def __init__(
        self,
        height: int = 2,
        *,
        n_clusters: int | None = None,
        method: str = "paper",
        penalty: float | None = None,
        leaf_penalty: bool = False,
        affinity: str | Callable[[Any], Any] = "auto",
        n_neighbors: int | str = "auto",
        neighbors: Any = "auto",
        hard: bool = False,
        must_link_first: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.height = height
        self.n_clusters = n_clusters
        self.method = method
        self.penalty = penalty
        self.leaf_penalty = leaf_penalty
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.hard = hard
        self.must_link_first = must_link_first
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _search(self, problem: Problem) -> None:
        graph, relation = problem.graph, self._paper_relation(problem)
        binary = stretch(
            graph,
            relation,
            leaf_penalty=self.leaf_penalty,
            must_link_first=self.must_link_first,
        )
        result = compress(binary.tree, self.height, leaf_penalty=self.leaf_penalty)
        self.binary_tree_ = binary.tree
        self.tree_ = result.tree
        if self.n_clusters is None:
            self.labels_ = result.tree.labels_at(1)
        else:
            self.labels_ = binary.tree.cut_to(self.n_clusters)
            warn_if_too_many(int(self.labels_.max()) + 1, self.n_clusters)
        self.labels_ = join_isolated(self.labels_, problem)
        self._store(
            tree_objective(result.tree, leaf_penalty=self.leaf_penalty),
            np.concatenate((binary.trace, result.trace[1:])),
        )
