"""How good a partition or a tree is."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sentree._util.labels import renumber
from sentree.graph import Graph
from sentree.search.objective import partition_objective, tree_objective
from sentree.tree import EncodingTree, TreeShape, some_leaves
from sentree.tree.formats import linkage_parents

if TYPE_CHECKING:
    from sentree.constraints import Constraints

__all__ = [
    "constraint_satisfaction",
    "dasgupta_cost",
    "dendrogram_purity",
    "level_purity",
    "structural_entropy",
]

#: Numbers in a table of nodes and classes; more classes are counted in several tables.
_BLOCK = 4_000_000


def dendrogram_purity(tree: EncodingTree | ArrayLike, y: ArrayLike) -> float:
    """Return the dendrogram purity of a tree, exactly.

    Over all pairs of samples of one class, the mean share of that class among the leaves of their
    lowest common ancestor. Every pair counts the same. O(nodes x classes) time.

    Parameters
    ----------
    tree : EncodingTree or linkage matrix
        Any tree over the samples; a SciPy linkage matrix of shape (n - 1, 4) is read as one.
    y : array-like of shape (n,)
        The true classes.

    Returns
    -------
    float
        Between 0 and 1; NaN, with a warning, when no class has two members.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import linkage
    >>> from sentree.metrics import dendrogram_purity
    >>> dendrogram_purity(linkage([[0.0], [1.0], [9.0], [10.0]]), [0, 0, 1, 1])
    1.0
    """
    shape = _shape(tree)
    classes = renumber(y)
    if classes.size != shape.n_leaves:
        raise ValueError(f"{classes.size} classes for a tree of {shape.n_leaves} leaves")
    counts = np.bincount(classes)
    pairs = float(np.sum(counts * (counts - 1.0))) / 2
    if pairs == 0:
        warnings.warn("no class has two members: dendrogram purity is undefined", stacklevel=2)
        return float("nan")
    if shape.n_nodes == 1:
        return 1.0
    size = shape.subtree_sums(shape.on_leaves(np.ones(shape.n_leaves)))
    paired = np.flatnonzero(counts > 1)
    step = max(1, _BLOCK // shape.n_nodes)
    total = 0.0
    for block in np.split(paired, np.arange(step, paired.size, step)):
        members = (classes[:, None] == block[None, :]).astype(np.float64)
        count = shape.subtree_sums(shape.on_leaves(members))
        below = np.zeros_like(count)  # sum over the children of their squared counts
        np.add.at(below, shape.parent[:-1], count[:-1] ** 2)
        meeting = (count**2 - below) / 2  # pairs whose lowest common ancestor is this node
        inner = slice(shape.n_leaves, None)
        total += float(np.sum(meeting[inner] * count[inner] / size[inner, None]))
    return total / pairs


def level_purity(constraints: Constraints, tree: EncodingTree) -> list[float]:
    """Return how well a tree keeps labels of mixed depth: one number per level, coarse to fine.

    Each is the :func:`dendrogram_purity` of the tree over the samples with a label of that level;
    NaN where no two of them share one.

    Parameters
    ----------
    constraints : Constraints
        Labels, such as :meth:`sentree.Constraints.from_paths` makes.
    tree : EncodingTree
        A tree over the samples.

    Examples
    --------
    >>> from sentree import Constraints, EncodingTree
    >>> told = Constraints.from_paths(["a/x", "a/y", "a/x", "b", None])
    >>> level_purity(told, EncodingTree.from_newick("(((0,2),1),(3,4));"))
    [1.0, 1.0]
    """
    constraints.check(tree.n_leaves)
    found = []
    for level in constraints.levels:
        marked = np.zeros(tree.n_leaves, dtype=bool)
        marked[level.label_index] = True
        code = np.full(tree.n_leaves, -1)
        code[level.label_index] = level.label_code
        paired = np.bincount(code[marked], minlength=1).max() > 1
        over = EncodingTree.from_parent(some_leaves(tree.parent, marked)) if paired else None
        found.append(float("nan") if over is None else dendrogram_purity(over, code[marked]))
    return found


def dasgupta_cost(graph: Graph, tree: EncodingTree | ArrayLike) -> float:
    """Return Dasgupta's cost of a tree: sum over edges of weight times leaves of their ancestor.

    Lower is better; the weights are similarities, and a vertex's own weight does not count.
    """
    shape = _shape(tree)
    if shape.n_leaves != graph.n:
        raise ValueError(f"the tree has {shape.n_leaves} leaves, the graph {graph.n} vertices")
    i, j, weight = graph.edges()
    size = shape.subtree_sums(shape.on_leaves(np.ones(shape.n_leaves)))
    return float(np.sum(weight * size[shape.lca(i, j)]))


def structural_entropy(graph: Graph, labels_or_tree: ArrayLike | EncodingTree) -> float:
    """Return the structural entropy of a graph under a partition or an encoding tree, in bits.

    An encoding tree is taken as the tree over this graph that it is: its volumes and cuts are
    computed anew, so a tree found on another graph can be judged here.
    """
    if isinstance(labels_or_tree, EncodingTree):
        return tree_objective(EncodingTree.from_parent(labels_or_tree.parent, graph)).entropy
    return partition_objective(graph, labels_or_tree).entropy


def constraint_satisfaction(constraints: Constraints, labels: ArrayLike) -> float:
    """Return the share of the given constraints that a partition keeps; 1.0 when there are none.

    :meth:`sentree.Constraints.satisfaction` says which ones are broken.
    """
    return constraints.satisfaction(labels).share


def _shape(tree: EncodingTree | ArrayLike) -> TreeShape:
    """Return the parents of a tree or of a SciPy linkage matrix."""
    if isinstance(tree, EncodingTree):
        return TreeShape(tree.parent)
    linkage = np.asarray(tree, dtype=np.float64)
    if linkage.ndim != 2 or linkage.shape[1] not in (3, 4) or linkage.shape[0] < 1:
        raise ValueError(
            "expected an EncodingTree or a SciPy linkage matrix of shape (n - 1, 4), "
            f"got an array of shape {linkage.shape}"
        )
    return TreeShape(linkage_parents(linkage))
