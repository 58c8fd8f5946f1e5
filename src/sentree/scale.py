"""The scale of a partition: from the many small modules of the search to the clusters one wants."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import Graph
from sentree.optimise import link, merge, multilevel
from sentree.tree import renumber
from sentree.weights import Anchored

__all__ = ["at_resolution", "coarsen", "to_number"]

#: Without a wish, modules are united while they are linked more than chance would have it.
_CHANCE = 1.0


def to_number(problem: Anchored, labels: NDArray[Any], n_clusters: int) -> NDArray[np.int32]:
    """Unite the most linked modules until there are ``n_clusters``.

    Where the modules are too few already, they are taken apart, and the parts merged again by their
    gain, so that what stays apart costs the objective least. Parts that do not touch are united
    last, the smallest with the largest.
    """
    labels = problem.extended(labels)
    if labels.max() + 1 < n_clusters:
        labels = _finer(problem, labels, n_clusters)
        modules, related = _contracted(problem, labels)
        labels = renumber(merge(modules, related, n_modules=n_clusters).labels[labels])
    labels = link(problem.graph, labels, problem.relation, n_modules=n_clusters).labels
    found = int(labels.max()) + 1
    if found > n_clusters:
        warnings.warn(
            f"the graph falls into {found} parts that do not touch; the smallest were put into the "
            f"largest to reach n_clusters={n_clusters}: more neighbours, or must-links, would "
            "connect them",
            stacklevel=7,
        )
        by_volume = np.argsort(np.bincount(labels, problem.graph.degree), kind="stable")
        target = np.arange(found)
        target[by_volume[:-n_clusters]] = by_volume[-1]
        labels = renumber(target[labels])
    return labels


def at_resolution(problem: Anchored, labels: NDArray[Any], resolution: float) -> NDArray[np.int32]:
    """Unite modules while they are linked ``resolution`` times more strongly than by chance."""
    labels = problem.extended(labels)
    return link(problem.graph, labels, problem.relation, least=resolution).labels


def coarsen(problem: Anchored, labels: NDArray[Any]) -> NDArray[np.int32]:
    """Choose the scale from the data."""
    return at_resolution(problem, labels, _CHANCE)


def _finer(problem: Anchored, labels: NDArray[np.int32], n_clusters: int) -> NDArray[np.int32]:
    """Take modules apart until there are enough, each by a search of its own inside."""
    while (found := int(labels.max()) + 1) < n_clusters:
        parts = problem.extended(_split_all(problem, labels))
        if parts.max() + 1 <= found:  # nothing splits by itself: single samples do
            samples = labels[: problem.n].astype(np.int64)
            largest = np.flatnonzero(samples == np.bincount(samples).argmax())
            samples[largest] = found + np.arange(largest.size)
            parts = problem.extended(samples)
        labels = parts
    return labels


def _split_all(problem: Anchored, labels: NDArray[np.int32]) -> NDArray[np.int64]:
    """Search every module anew, as a graph of its own."""
    weights = problem.graph.to_scipy()
    parts = np.zeros(labels.size, dtype=np.int64)
    for module in range(int(labels.max()) + 1):
        inside = np.flatnonzero(labels == module)
        part = Graph.from_scipy(weights[inside][:, inside])
        related = None if problem.relation is None else problem.relation[inside][:, inside]
        parts[inside] = parts.max() + 1 + multilevel(part, related).labels
    return parts[: problem.n]


def _contracted(problem: Anchored, labels: NDArray[np.int32]) -> tuple[Graph, Any]:
    """Return the graphs of the modules; what is inside one is weight of its own."""
    n, k = labels.size, int(labels.max()) + 1
    member = sp.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, k))

    def between(matrix: Any) -> Any:
        joined = (member.T @ matrix @ member).tocoo()
        off = joined.row != joined.col
        return sp.csr_array((joined.data[off], (joined.row[off], joined.col[off])), shape=(k, k))

    weights = between(problem.graph.to_scipy())
    weights = (weights + weights.T) * 0.5
    weights.sort_indices()
    inside = np.bincount(labels, problem.graph.degree, k)
    degree = np.maximum(inside, np.asarray(weights.sum(axis=1)).ravel())
    modules = Graph(weights.indptr, weights.indices, weights.data, degree)
    return modules, None if problem.relation is None else between(problem.relation)
