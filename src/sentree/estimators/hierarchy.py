"""SSEHierarchy: a tree over the samples of least structural entropy."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

from sentree._util.sklearn import Interval
from sentree._util.wording import Param, Text
from sentree.estimators.base import SSEEstimator
from sentree.search.clusters import FlatSearch, Problem
from sentree.search.objective import Objective, tree_objective
from sentree.search.trees import grown

__all__ = ["SSEHierarchy"]


class SSEHierarchy(SSEEstimator):
    """Grow a tree over the samples by structural entropy, with or without constraints.

    Samples are grouped, the groups are grouped, and the members of each group, at every level by
    the search of :class:`SSEPartition`; then samples and subtrees move to better parents. With
    labels of mixed depth (:meth:`Constraints.from_paths`) the coarsest are those of the clusters,
    as many as there are classes unless ``n_clusters`` says otherwise, and each cluster is divided
    by the finer labels inside it, into as many parts as they name.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters in ``labels_``; without it as in :class:`SSEPartition`.
    height : int, optional
        Height of ``tree_``: 1 is the star, 2 a partition, 3 a partition of partitions. Without it
        there are as many levels as gain, down to nodes of two children.
    leaf_penalty : bool, default=True
        Whether single samples, the leaves of the tree, pay for constraints too.
    penalty, affinity, n_neighbors, neighbors, hard, selection, n_jobs, random_state
        As in :class:`SSEPartition`.

    Attributes
    ----------
    tree_ : EncodingTree
        The tree.
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample, numbered by first appearance. Those of :class:`SSEPartition`, each
        of them a node of ``tree_``; but with ``height`` and without ``n_clusters``, labels, hard
        constraints or ``init`` the children of the root. ``tree_.labels_at`` and
        ``tree_.cut_to`` give other scales.
    n_clusters_ : int
        Number of clusters in ``labels_``.
    cluster_names_ : tuple
        The class of most labelled samples of each cluster; None for a cluster without any.
    membership_strength_ : float array of shape (n_samples,)
        How firmly the data hold each sample in its cluster of ``labels_``, from 0 to 1
        (:func:`sentree.estimators.membership.membership_strength`).
    entropy_ : float
        The structural entropy of ``tree_`` on ``graph_``, in bits.
    objective_ : float
        The same with the penalty that the search paid for constraints.
    trace_ : float array
        The objective at the start and after every step.
    graph_ : Graph
        The graph of the samples; where its weights were given and are out of reason (beyond
        2^100, or all below 2^-100), they are multiplied by a power of two.
    constraint_report_ : ConstraintReport
        Which constraints ``labels_`` keeps and which it breaks, and which triplets ``tree_``.
    selection_ : Selection or None
        The recipe that the constraints chose and the evidence; None where they were not asked.
    scale_ : NaturalScale or None
        Where the data chose the number of clusters: which numbers came into question, and how many
        of the answers speak for each (:class:`sentree.search.natural_number.NaturalScale`);
        None where ``n_clusters``, ``height``, labels or ``init`` set it.
    graph_settings_ : GraphSettings or None
        What ``affinity="auto"`` took the samples for, why, and how they are compared; None with
        any other affinity.
    features_, feature_weights_
        As in :class:`SSEPartition`.
    n_features_in_ : int
        Number of features seen by :meth:`fit`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sentree import SSEHierarchy
    >>> model = SSEHierarchy(n_clusters=3).fit(load_iris().data)
    >>> model.n_clusters_, model.tree_.n_leaves
    (3, 150)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SSEEstimator._parameter_constraints,
        "height": [Interval(Integral, 1, None, closed="left"), None],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "leaf_penalty": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        height: int | None = None,
        penalty: float = 1.0,
        leaf_penalty: bool = True,
        affinity: str | Callable[[Any], Any] = "auto",
        n_neighbors: int | str = "auto",
        neighbors: Any = "auto",
        hard: bool = False,
        selection: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.penalty = penalty
        self.leaf_penalty = leaf_penalty
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.hard = hard
        self.selection = selection
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def _reads_triplets(self) -> bool:
        return True

    def _search(self, problem: Problem) -> None:
        """Grow the tree around the clusters, or freely where only a height is given."""
        finer = problem.constraints.finer is not None
        wanted = self.n_clusters or problem.hard or problem.init is not None or finer
        if self.height == 1 and wanted:
            raise ValueError(
                Text(
                    "a tree of height 1 has no clusters: ",
                    Param("n_clusters"),
                    (", ", Param("init", of="sentree.SSEHierarchy.fit")),
                    ", finer labels and hard constraints need ",
                    Param("height"),
                    " >= 2",
                )
            )
        flat = FlatSearch(
            n_clusters=self.n_clusters,
            penalty=self._penalty(),
            n_jobs=self.n_jobs,
            seed=self._seed(),
            selection=self.selection,
        )
        self.selection_ = flat.select(problem)
        flat, problem = flat.follow(self.selection_, problem)
        self.graph_ = problem.graph
        found = grown(problem, flat, height=self.height, leaf_penalty=self.leaf_penalty)
        self.tree_, self.labels_ = found.tree, found.labels
        self.selection_ = found.selection or self.selection_
        self.scale_ = found.scale
        entropy = tree_objective(self.tree_).entropy
        self._store(Objective(entropy, found.objective.penalty), found.trace)
