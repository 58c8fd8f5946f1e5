"""The objective in NumPy, computed from scratch: it checks the gains of the kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sentree._util.labels import renumber
from sentree.graph import FloatArray, Graph, module_cuts
from sentree.relation.relation import Relation
from sentree.tree import EncodingTree

__all__ = [
    "Objective",
    "partition_objective",
    "relation_penalty",
    "singles_objective",
    "steered_objective",
    "tree_objective",
    "vertex_entropy",
]


class Objective(NamedTuple):
    """The two parts of the objective, in bits."""

    entropy: float
    penalty: float

    @property
    def value(self) -> float:
        """L, the sum of both."""
        return self.entropy + self.penalty


def vertex_entropy(graph: Graph) -> float:
    """Return H1 = - sum_i d_i / V log2(d_i / V), the entropy of the star."""
    if graph.volume == 0:
        return 0.0
    share = graph.degree / graph.volume
    return float(-np.sum(share * _log2(share)))


def partition_objective(graph: Graph, labels: ArrayLike, relation: Any = None) -> Objective:
    """Return the two-dimensional objective of a partition.

    L = H1 + 1/V sum_X (V_X - g_X) log2(V_X / V) - 1/V sum_X g'_X log2(V_X / V), with V_X the
    volume of module X and g_X, g'_X the weight of the data and the relation graph that leaves it.
    Two vertices related by minus infinity must not share a module: if they do, the penalty is
    infinite, otherwise they add nothing.
    """
    return steered_objective(graph, renumber(labels), relation)


def steered_objective(
    graph: Graph,
    labels: ArrayLike,
    relation: Any = None,
    pull: Any = None,
    shrinkage: float = 0.0,
) -> Objective:
    """Return the objective of moves among k modules, with a pull and shrunk volumes.

    As :func:`partition_objective`, but with (1 - s) V_X + s V / k in place of the volume V_X in the
    logarithms, where s is the ``shrinkage`` and k is one more than the largest label. The pull of
    each vertex to its module, over V, is subtracted. ``pull`` is a sparse matrix of vertices by
    modules.
    """
    modules = np.asarray(labels)
    if modules.size != graph.n:
        raise ValueError(f"{modules.size} labels for a graph of {graph.n} vertices")
    total = graph.volume
    if total == 0:
        return Objective(0.0, 0.0)
    k = int(modules.max()) + 1
    volume = np.bincount(modules, graph.degree, k)
    if shrinkage:
        bits = _log2(np.where(volume > 0, (1 - shrinkage) * volume / total + shrinkage / k, 0.0))
    else:
        bits = _log2(volume / total)
    stays = volume - module_cuts(modules, k, graph.indptr, graph.indices, graph.weights)
    entropy = vertex_entropy(graph) + float(np.sum(stays * bits)) / total
    drawn = 0.0 if pull is None else float(pull[np.arange(graph.n), modules].sum()) / total
    if relation is None:
        return Objective(entropy, -drawn)
    return Objective(entropy, _penalty(relation, modules, bits, total) - drawn)


def relation_penalty(graph: Graph, labels: ArrayLike, relation: Any) -> float:
    """Return the penalty of :func:`partition_objective` alone: it needs no pass over the graph."""
    if relation is None or graph.volume == 0:
        return 0.0
    modules = renumber(labels)
    bits = _log2(np.bincount(modules, graph.degree) / graph.volume)
    return _penalty(relation, modules, bits, graph.volume)


def _penalty(relation: Any, modules: NDArray[Any], bits: FloatArray, total: float) -> float:
    """Return the penalty of a relation, for the log2 of the relative volumes of modules."""
    csr = Relation.checked(relation, modules.size).matrix
    weights, apart = csr.data, np.isneginf(csr.data)
    if apart.any():
        row = np.repeat(modules, np.diff(csr.indptr))[apart]
        if (row == modules[csr.indices[apart]]).any():
            return np.inf
        weights = np.where(apart, 0.0, weights)
    cut = module_cuts(modules, bits.size, csr.indptr, csr.indices, weights)
    return -float(np.sum(cut * bits)) / total


def singles_objective(graph: Graph, relation: Any = None) -> Objective:
    """Return the objective of the partition into single vertices, in time O(n)."""
    total = graph.volume
    if total == 0:
        return Objective(0.0, 0.0)
    bits = _log2(graph.degree / total)
    entropy = -float(np.sum(graph.strength * bits)) / total
    if relation is None:
        return Objective(entropy, 0.0)
    csr = Relation.checked(relation, graph.n).matrix
    finite = np.where(np.isneginf(csr.data), 0.0, csr.data)
    cut = sp.csr_array((finite, csr.indices, csr.indptr), shape=csr.shape).sum(axis=1)
    return Objective(entropy, -float(np.sum(cut * bits)) / total)


def tree_objective(tree: EncodingTree, *, leaf_penalty: bool = False) -> Objective:
    """Return the high-dimensional objective of an encoding tree.

    L = - sum_a c_a / V log2(V_a / V_parent(a)) over all nodes but the root, with c_a = g_a + g'_a,
    or c_a = g_a for a leaf unless ``leaf_penalty``.
    """
    total = float(tree.volume[-1])
    if total == 0:
        return Objective(0.0, 0.0)
    bits = _log2(tree.volume[:-1]) - _log2(tree.volume[tree.parent[:-1]])
    bits[tree.volume[:-1] == 0] = 0.0
    entropy = -float(np.sum(tree.cut[:-1] * bits)) / total
    first = 0 if leaf_penalty else tree.n_leaves
    penalty = -float(np.sum((tree.relation_cut[:-1] * bits)[first:])) / total
    return Objective(entropy, penalty)


def _log2(x: FloatArray) -> FloatArray:
    """Return log2, with 0 for 0: nothing without volume contributes."""
    out = np.zeros_like(x)
    np.log2(x, out=out, where=x > 0)
    return out
