"""Trees: grown around clusters, and again inside each cluster by finer labels."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import follow, renumber
from sentree.constraints import Constraints
from sentree.graph import FloatArray, Graph
from sentree.relation.by_degree import SearchGraphs, triplet_weights, with_triplets
from sentree.relation.relation import Relation
from sentree.search.clusters import ClusterSearch
from sentree.search.kernels import grow
from sentree.search.natural_number import NaturalScale
from sentree.search.objective import Objective, tree_objective
from sentree.search.problem import Problem
from sentree.search.recipes import Selection
from sentree.tree import EncodingTree, TreeShape, first_leaves

__all__ = ["GrownTree", "grow_tree"]

logger = logging.getLogger(__name__)


class GrownTree(NamedTuple):
    """A tree over the samples, clusters that are nodes of it, its objective and the trace."""

    tree: EncodingTree
    labels: NDArray[np.int32]
    objective: Objective
    trace: FloatArray
    selection: Selection | None = None  # the recipe that labels chose, if they did
    scale: NaturalScale | None = None  # how the data chose their number, if they did
    oversize: float = 0.0  # bits for sizes of clusters outside of soft bounds


def grow_tree(
    problem: Problem, search: ClusterSearch, *, height: int | None, leaf_penalty: bool
) -> GrownTree:
    """Grow a tree around the clusters of a search, or freely if only a height is given.

    If the constraints have finer labels, there are as many clusters as classes, unless
    ``n_clusters`` is given. Each cluster is then searched and grown again with the labels of the
    next level inside it, then its parts with those of the level after, and so on.
    """
    if problem.constraints.finer is None:
        return _grow_level(problem, search, height, leaf_penalty)
    if search.n_clusters is None and problem.sizes is None:
        search = replace(search, n_clusters=np.unique(problem.constraints.label_code).size)
    coarse = _grow_level(problem, search, height, leaf_penalty)
    graph, parent, clusters = problem.graph, coarse.tree.parent, coarse.labels
    for level in problem.constraints.levels[1:]:
        inside = Problem(graph, level)
        parent, clusters = _refined(parent, clusters, inside, search, height, leaf_penalty)
    relation = search.constrained(problem).relation
    tree = _measured(parent, graph, relation).by_volume()
    objective = tree_objective(tree, leaf_penalty=leaf_penalty)
    trace = np.append(coarse.trace, objective.value)
    return coarse._replace(tree=tree, objective=objective, trace=trace, scale=None)


def _grow_level(
    problem: Problem, search: ClusterSearch, height: int | None, leaf_penalty: bool
) -> GrownTree:
    """Grow a tree with the labels of one level."""
    given, n = problem.constraints, problem.graph.n
    wants_clusters = (
        search.n_clusters is not None or given.label_index.size > 0 or problem.sizes is not None
    )
    free = height == 1 or (height is not None and not wants_clusters)
    if given or not free:
        problem = search.with_unconstrained(problem)
    graphs = search.constrained(problem)
    weight = triplet_weights(problem.graph, given)
    weight *= search.penalty
    clusters, selection, scale, oversize = None, None, None, 0.0
    if not free or problem.hard or problem.init is not None:
        run = search.run(problem, with_triplets(graphs, given, weight))
        selection, scale, oversize = run.selection, run.scale, run.oversize
        found = renumber(run.labels[:n])
        clusters = graphs.extended(found)
    logger.info("growing a tree over %d samples", n, extra={"stage": "tree"})
    result = grow(
        graphs.graph,
        graphs.relation,
        clusters=clusters,
        triplets=(given.triplets, weight) if len(given.triplets) else None,
        height=height,
        leaf_penalty=leaf_penalty,
        seed=search.seed,
    )
    tree = _without_anchors(result.tree, graphs, problem.graph)
    labels = tree.labels_at(1) if clusters is None else found
    objective = tree_objective(result.tree, leaf_penalty=leaf_penalty)
    return GrownTree(tree, labels, objective, result.trace, selection, scale, oversize)


def _refined(
    parent: NDArray[np.int32],
    clusters: NDArray[np.int32],
    problem: Problem,
    search: ClusterSearch,
    height: int | None,
    leaf_penalty: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Grow each cluster that holds labels again; return the tree and the parts of clusters."""
    shape = TreeShape(parent)
    depth = shape.depth()
    order = np.argsort(clusters, kind="stable")
    end = np.cumsum(np.bincount(clusters))
    start = np.append(0, end[:-1])
    tops = np.zeros(end.size, dtype=np.int64)
    np.maximum.at(tops, clusters, shape.lca(order[start][clusters], np.arange(shape.n_leaves)))
    weights = problem.graph.to_scipy()[order][:, order]  # clusters are blocks
    code = np.full(shape.n_leaves, -1)
    code[problem.constraints.label_index] = problem.constraints.label_code
    finer = clusters.astype(np.int64) * shape.n_leaves
    replaced: list[tuple[int, NDArray[np.intp], NDArray[np.int32]]] = []
    for top, block in zip(tops.tolist(), map(slice, start, end), strict=True):
        members = order[block]
        room = None if height is None else height - int(depth[top])
        known = np.flatnonzero(code[members] >= 0)
        if known.size < 2 or (room is not None and room < 2):
            continue
        graph = Graph.from_scipy(weights[block, block])
        if graph.volume == 0:
            continue
        named, number = np.unique(code[members[known]], return_inverse=True)
        classes = [problem.constraints.classes[c] for c in named.tolist()]
        given = Constraints(label_index=known, label_code=number, classes=tuple(classes))
        inner = replace(search, n_clusters=named.size if named.size > 1 else None, recipe=None)
        inside = problem._replace(graph=graph, constraints=given, unconstrained=None)
        found = _grow_level(inside, inner, room, leaf_penalty)
        finer[members] += found.labels
        replaced.append((top, members, found.tree.parent))
    return _with_subtrees(parent, replaced), renumber(finer)


def _with_subtrees(
    parent: NDArray[np.int32], replaced: list[tuple[int, NDArray[np.intp], NDArray[np.int32]]]
) -> NDArray[np.int32]:
    """Replace the subtrees below some nodes: (node, its leaves, parents of the new subtree)."""
    n, n_nodes = TreeShape(parent).n_leaves, parent.size
    above, size = [parent.copy()], [TreeShape(parent).sizes()]
    tops = np.array([top for top, _, _ in replaced], dtype=np.int64)
    for top, members, subtree in replaced:
        inner = subtree.size - 1 - members.size
        node = np.concatenate((members, n_nodes + np.arange(inner), [top]))
        above[0][members] = node[subtree[: members.size]]
        above.append(node[subtree[members.size : -1]])
        size.append(TreeShape(subtree).sizes()[members.size : -1])
        n_nodes += inner
    up = parent.copy()
    up[-1] = parent.size - 1
    up[tops] = tops
    gone = np.zeros(n_nodes, dtype=bool)
    gone[n : parent.size] = np.isin(follow(up), tops)[n:]
    gone[tops] = False
    inner_nodes = np.flatnonzero(~gone)[n:]
    # A node has more leaves than its children.
    by_size = inner_nodes[np.argsort(np.concatenate(size)[inner_nodes], kind="stable")]
    order = np.concatenate((np.arange(n), by_size))
    number = np.full(n_nodes + 1, -1, dtype=np.int32)  # the last entry is for the root's parent -1
    number[order] = np.arange(order.size, dtype=np.int32)
    return np.asarray(number[np.concatenate(above)[order]], dtype=np.int32)


def _without_anchors(tree: EncodingTree, graphs: SearchGraphs, graph: Graph) -> EncodingTree:
    """Return the tree over the samples alone."""
    if tree.n_leaves == graph.n:
        return tree
    return _measured(first_leaves(tree.parent, graph.n), graph, graphs.relation)


def _measured(parent: NDArray[np.int32], graph: Graph, relation: Relation | None) -> EncodingTree:
    """Return a tree over the samples, with volumes and cuts from the graphs."""
    among = None if relation is None else relation.matrix[: graph.n, : graph.n]
    return EncodingTree.from_parent(parent, graph, among)
