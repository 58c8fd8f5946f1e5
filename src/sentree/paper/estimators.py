"""The paper's method (Zeng et al., SDM 2024) as its authors' program runs it, and nothing else."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval, StrOptions
from sentree._util.warnings import warn
from sentree.constraints import Constraints
from sentree.constraints.satisfaction import ConstraintReport
from sentree.estimators.inputs import (
    capped_weights,
    check_edges,
)
from sentree.graph import FloatArray, Graph
from sentree.paper.baselines.base import Baseline
from sentree.paper.graphs import PRESETS, paper_graph, paper_neighbors
from sentree.paper.relation import check_pairs, relation_by_similarity
from sentree.paper.similarity import GraphSimilarity, PairSimilarity
from sentree.relation.relation import Relation
from sentree.search.kernels import compress, merge, move, stretch
from sentree.search.objective import Objective, partition_objective, tree_objective
from sentree.tree import EncodingTree

__all__ = ["PaperHierarchy", "PaperPartition"]

#: Pairs with a larger weight, times the penalty, count as this: beyond, numbers overflow.
_MOST_PENALTY = 100.0


class _PaperEstimator(Baseline):
    """From samples and constraints to the two graphs; a subclass searches."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "affinity": [StrOptions({*PRESETS, "precomputed"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "penalty": [Interval(Real, 0, _MOST_PENALTY, closed="both")],
        "must_link_first": ["boolean"],
    }
    random_state = None  # nothing is random

    n_clusters: int | None
    affinity: str
    n_neighbors: int | str
    penalty: float
    must_link_first: bool

    n_clusters_: int
    tree_: EncodingTree
    graph_: Graph
    entropy_: float
    objective_: float
    trace_: FloatArray
    constraints_: Constraints
    constraint_report_: ConstraintReport

    @property
    def _sparse(self) -> bool:  # type: ignore[override]
        return self.affinity != "hierarchy"  # which moves zeros

    def _validated(self, X: Any) -> Any:
        return super()._validated(X.to_scipy() if isinstance(X, Graph) else X)

    def _solve(self, X: Any, given: Constraints, random: Any) -> None:
        if given.hard is not None:
            raise ValueError(
                "the paper's method has no hard constraints: sentree.SSEPartition enforces them"
            )
        if given.finer is not None or (len(given.triplets) and len(given) > len(given.triplets)):
            warn("triplets and finer labels are ignored here: sentree.SSEHierarchy takes them")
        check_pairs(given.closure(X.shape[0]))  # before any long work
        similarity: PairSimilarity
        if self.affinity == "precomputed":
            self.graph_ = Graph.from_scipy(sp.csr_array(X))
            similarity = GraphSimilarity(self.graph_)
        else:
            p = self._count_neighbors(X.shape[0], given)
            self.graph_, similarity = paper_graph(X, p, self.affinity)
        check_edges(self.graph_)
        self._search(self._relation(given, similarity))
        self.n_clusters_ = int(self.labels_.max()) + 1
        if self.n_clusters is not None and self.n_clusters_ > self.n_clusters:
            warn(
                "the graph falls into parts that do not touch, so there are "
                f"{self.n_clusters_} clusters and not n_clusters={self.n_clusters}: more "
                "neighbours, or must-links, would connect them"
            )
        self.constraints_ = given
        self.constraint_report_ = given.satisfaction(self.labels_)

    def _count_neighbors(self, n: int, given: Constraints) -> int:
        if self.n_neighbors != "auto":
            return int(self.n_neighbors)
        if self.affinity == "hierarchy":
            return 5
        n_classes = self.n_clusters or len(given.classes)
        if not n_classes:
            raise ValueError(
                f"affinity={self.affinity!r} takes the number of neighbours from the number of "
                "classes, and neither n_clusters nor labels tell it: set n_neighbors, for example "
                "to sentree.paper.paper_neighbors(n_samples, n_classes)"
            )
        return paper_neighbors(n, n_classes)

    def _relation(self, given: Constraints, similarity: PairSimilarity) -> Relation | None:
        """Return the relation graph; None without constraints."""
        if not given:
            return None
        relation = relation_by_similarity(
            capped_weights(given, self.penalty, _MOST_PENALTY),
            self.graph_.n,
            similarity,
            penalty=self.penalty,
            n_classes=self.n_clusters if self.n_clusters == len(given.classes) else None,
        )
        return Relation.checked(relation, self.graph_.n)

    def _search(self, relation: Relation | None) -> None:
        raise AssertionError("subclasses search")

    def _store(self, objective: Objective, trace: FloatArray) -> None:
        self.objective_, self.entropy_ = objective.value, objective.entropy
        self.trace_ = trace + (objective.value - trace[-1])


class PaperPartition(_PaperEstimator):
    """The paper's partition: merge modules greedily, then move single samples.

    For work, use :class:`sentree.SSEPartition`.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters; without it merging stops when no union lowers the objective.
    affinity : {"gaussian", "cosine", "hierarchy", "precomputed"}, default="gaussian"
        The graph of the experiments on images and speech, on RNA-seq data, or on trees
        (:func:`sentree.paper.paper_graph`); or X is a symmetric matrix of weights.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample; "auto" is :func:`sentree.paper.paper_neighbors`, and 5 for
        "hierarchy".
    penalty : float, default=2
        Weight of the constraints, up to 100.
    moving : bool, default=True
        Move single samples after merging.
    must_link_first : bool, default=False
        Merge must-linked modules before all others, as the paper does for RNA-seq data.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample, numbered by first appearance.
    n_clusters_ : int
        Number of clusters found.
    tree_ : EncodingTree
        The clusters as a tree of height 2.
    graph_ : Graph
        The graph of the samples.
    entropy_, objective_ : float
        The structural entropy in bits, and the same with the penalty for constraints.
    trace_ : float array
        The objective at the start and after every step.
    constraints_, constraint_report_ : Constraints, ConstraintReport
        What was given, and which of it is kept and broken.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sentree.paper import PaperPartition
    >>> PaperPartition(n_clusters=3).fit(load_iris().data).n_clusters_
    3
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_PaperEstimator._parameter_constraints,
        "moving": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        affinity: str = "gaussian",
        n_neighbors: int | str = "auto",
        penalty: float = 2.0,
        moving: bool = True,
        must_link_first: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.penalty = penalty
        self.moving = moving
        self.must_link_first = must_link_first

    def _search(self, relation: Relation | None) -> None:
        graph, k = self.graph_, self.n_clusters
        result = merge(graph, relation, n_modules=k, must_link_first=self.must_link_first)
        trace = result.trace
        if self.moving:
            reached = int(result.labels.max()) + 1 == k
            result = move(graph, result.labels, relation, keep_modules=reached)
            trace = np.concatenate((trace, result.trace[1:]))
        self.labels_ = renumber(result.labels)
        self.tree_ = EncodingTree.from_labels(self.labels_, graph)
        self._store(partition_objective(graph, self.labels_, relation), trace)


class PaperHierarchy(_PaperEstimator):
    """The paper's tree: join subtrees greedily to a binary tree, then remove inner nodes.

    For work, use :class:`sentree.SSEHierarchy`.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters, by undoing the last joins of the binary tree, which may split off single
        samples; without it clusters are the children of the root.
    height : int, default=2
        Height of ``tree_``.
    affinity, n_neighbors, penalty, must_link_first
        As in :class:`PaperPartition`; ``affinity`` is "hierarchy" by default.
    leaf_penalty : bool, default=False
        Whether single samples, the leaves of the tree, pay for constraints too. Not so in the
        paper, although it makes clusters steadier on some data.

    Attributes
    ----------
    tree_ : EncodingTree
        The tree of ``height``.
    binary_tree_ : EncodingTree
        The full binary tree, wider at the root when the graph is not connected.
    labels_, n_clusters_, graph_, entropy_, objective_, trace_, constraints_, constraint_report_
        As in :class:`PaperPartition`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_PaperEstimator._parameter_constraints,
        "height": [Interval(Integral, 1, None, closed="left")],
        "leaf_penalty": ["boolean"],
    }

    binary_tree_: EncodingTree

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        height: int = 2,
        affinity: str = "hierarchy",
        n_neighbors: int | str = "auto",
        penalty: float = 2.0,
        leaf_penalty: bool = False,
        must_link_first: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.penalty = penalty
        self.leaf_penalty = leaf_penalty
        self.must_link_first = must_link_first

    def _search(self, relation: Relation | None) -> None:
        leaf_penalty = self.leaf_penalty
        binary = stretch(
            self.graph_, relation, leaf_penalty=leaf_penalty, must_link_first=self.must_link_first
        )
        result = compress(binary.tree, self.height, leaf_penalty=leaf_penalty)
        self.binary_tree_, self.tree_ = binary.tree, result.tree
        if self.n_clusters is None:
            self.labels_ = renumber(result.tree.labels_at(1))
        else:  # the root has a child for each part that the graph falls into
            parts = binary.tree.children(binary.tree.root).size
            wanted = max(self.n_clusters, parts) if self.n_clusters > 1 else 1
            self.labels_ = renumber(binary.tree.cut_to(wanted))
        trace = np.concatenate((binary.trace, result.trace[1:]))
        self._store(tree_objective(result.tree, leaf_penalty=leaf_penalty), trace)
