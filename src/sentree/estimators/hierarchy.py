"""SSEHierarchy: a tree over the samples of least structural entropy."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

from sentree._util.sklearn import Interval
from sentree._util.wording import Param, Text
from sentree.estimators.base import SSEEstimator
from sentree.search.clusters import ClusterSearch
from sentree.search.objective import Objective, tree_objective
from sentree.search.problem import Problem
from sentree.search.trees import grow_tree

__all__ = ["SSEHierarchy"]


class SSEHierarchy(SSEEstimator):
    """Grow a tree over the samples by structural entropy, with or without constraints.

    Samples are grouped, then the groups, and the members of each group, at every level by the
    search of :class:`SSEPartition`. Then samples and subtrees move to better parents.

    Labels may have several levels (:meth:`Constraints.from_paths`). Those of the coarsest level
    name the clusters, as many as there are classes unless ``n_clusters`` says otherwise. Each
    cluster is then divided by the finer labels inside it, into as many parts as they name.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters in ``labels_``; without it as in :class:`SSEPartition`.
    min_size, max_size, size_penalty
        Least and largest size of a cluster, as in :class:`SSEPartition`. They bound the clusters in
        ``labels_``; other nodes of the tree may have any size.
    height : int, optional
        Height of ``tree_``: 1 is a star (no clusters), 2 a partition, 3 a partition of partitions.
        Without it levels are added as long as they lower the objective, down to nodes of two
        children.
    leaf_penalty : bool, default=True
        Whether the penalty of constraints includes the leaves of the tree, which are the single
        samples.
    penalty, affinity, n_neighbors, neighbors, prepare, hard, selection, n_jobs
        As in :class:`SSEPartition`.
    random_state, verbose
        As in :class:`SSEPartition`.

    Attributes
    ----------
    tree_ : EncodingTree
        The tree. ``tree_.labels_at`` and ``tree_.cut_to`` cut it at any scale.
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample, numbered by first appearance. The clusters are those of
        :class:`SSEPartition`, and each is a node of ``tree_``. With ``height`` and without
        ``n_clusters``, sizes, labels, hard constraints or ``init`` they are the children of the
        root.
    n_clusters_ : int
        Number of clusters in ``labels_``.
    cluster_names_ : tuple
        The most frequent class among the labelled samples of each cluster; None for a cluster
        without labels.
    cluster_support_, membership_, membership_strength_
        As in :class:`SSEPartition`, of the clusters in ``labels_``.
    entropy_ : float
        The structural entropy of ``tree_`` on ``graph_``, in bits.
    objective_ : float
        ``entropy_`` plus the penalty of the constraints.
    trace_ : float array
        The objective at the start and after every step.
    graph_ : Graph
        The graph of the samples. Precomputed weights that are extreme (some above 2^100, or all
        below 2^-100) are multiplied by a power of two.
    constraints_ : Constraints
        All constraints that were given, in whatever form.
    constraint_report_ : ConstraintReport
        Which constraints ``labels_`` keeps and which it breaks; triplets are judged by ``tree_``.
    selection_ : Selection or None
        Which recipe the constraints chose, and the evidence for it; None where they chose nothing.
    scale_ : NaturalScale or None
        The numbers of clusters that the data speak for, and the support of each
        (:class:`sentree.search.natural_number.NaturalScale`). None where ``n_clusters``,
        ``height``, labels or ``init`` set the number.
    graph_settings_, features_, feature_weights_, preparation_, n_features_in_, feature_names_in_
        As in :class:`SSEPartition`.

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
        min_size: float | None = None,
        max_size: float | None = None,
        size_penalty: float | None = None,
        height: int | None = None,
        penalty: float = 1.0,
        leaf_penalty: bool = True,
        affinity: str | Callable[[Any], Any] = "auto",
        n_neighbors: int | str = "auto",
        neighbors: Any = "auto",
        prepare: Any = None,
        hard: bool = False,
        selection: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_size = min_size
        self.max_size = max_size
        self.size_penalty = size_penalty
        self.height = height
        self.penalty = penalty
        self.leaf_penalty = leaf_penalty
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.prepare = prepare
        self.hard = hard
        self.selection = selection
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def _reads_triplets(self) -> bool:
        return True

    def _search(self, problem: Problem) -> None:
        """Grow the tree around the clusters, or freely where only a height is given."""
        finer = problem.constraints.finer is not None
        wanted = self.n_clusters or problem.hard or problem.init is not None or finer
        wanted = wanted or problem.sizes is not None
        if self.height == 1 and wanted:
            raise ValueError(
                Text(
                    "a tree of height 1 has no clusters: ",
                    Param("n_clusters"),
                    ", ",
                    Param("min_size"),
                    ", ",
                    Param("max_size"),
                    (", ", Param("init", of="sentree.SSEHierarchy.fit")),
                    ", finer labels and hard constraints need ",
                    Param("height"),
                    " >= 2",
                )
            )
        search = ClusterSearch(
            n_clusters=self.n_clusters,
            penalty=self._penalty(),
            n_jobs=self.n_jobs,
            seed=self._seed(),
            selection=self.selection,
        )
        self.selection_ = search.select(problem)
        search, problem = search.follow(self.selection_, problem)
        self.graph_ = problem.graph
        found = grow_tree(problem, search, height=self.height, leaf_penalty=self.leaf_penalty)
        self.tree_, self.labels_ = found.tree, found.labels
        self.selection_ = found.selection or self.selection_
        self.scale_ = found.scale
        entropy = tree_objective(self.tree_).entropy
        penalty = found.objective.penalty + found.oversize
        self._store(Objective(entropy, penalty), found.trace)
