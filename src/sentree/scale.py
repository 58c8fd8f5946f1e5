"""The scale of a partition: from the many small modules of the search to the clusters one wants."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.graph import Graph
from sentree.optimise import link, multilevel
from sentree.tree import renumber

__all__ = ["coarsen", "to_number"]

#: Without a wish, modules are united while they are linked more than chance would have it.
_CHANCE = 1.0


def to_number(
    graph: Graph, relation: Any, labels: NDArray[Any], n_clusters: int, n: int
) -> NDArray[np.int32]:
    """Unite the most linked modules until the first n vertices are in ``n_clusters`` clusters.

    Too few modules are first taken apart; parts that do not touch are united last, the smallest
    with the largest.
    """
    if np.unique(labels[:n]).size < n_clusters:
        labels = _finer(graph, relation, labels, n_clusters, n)
    united = link(graph, labels, relation, n_modules=n_clusters).labels
    if np.unique(united[:n]).size > n_clusters:
        warnings.warn(
            f"the graph falls into {np.unique(united[:n]).size} parts that do not touch; the "
            f"smallest were put into the largest to reach n_clusters={n_clusters}: more "
            "neighbours, or must-links, would connect them",
            stacklevel=7,
        )
    return _exactly(graph, united, n_clusters, n)


def coarsen(graph: Graph, relation: Any, labels: NDArray[Any], n: int) -> NDArray[np.int32]:
    """Choose the scale from the data."""
    return link(graph, labels, relation, least=_CHANCE).labels


def _finer(
    graph: Graph, relation: Any, labels: NDArray[Any], n_clusters: int, n: int
) -> NDArray[np.int32]:
    """Take modules apart until there are enough, each by a search of its own inside."""
    labels = renumber(labels)
    while (found := np.unique(labels[:n]).size) < n_clusters:
        parts = _split_all(graph, relation, labels)
        if np.unique(parts[:n]).size == found:  # nothing splits by itself: single samples do
            parts = labels.copy()
            largest = np.flatnonzero(labels[:n] == np.bincount(labels[:n]).argmax())
            parts[largest] = labels.max() + 1 + np.arange(largest.size)
        labels = renumber(parts)
    return labels


def _split_all(graph: Graph, relation: Any, labels: NDArray[Any]) -> NDArray[Any]:
    """Search every module anew, as a graph of its own."""
    weights = graph.to_scipy()
    parts = np.zeros(labels.size, dtype=np.int64)
    for module in range(int(labels.max()) + 1):
        inside = np.flatnonzero(labels == module)
        part = Graph.from_scipy(weights[inside][:, inside])
        related = None if relation is None else relation[inside][:, inside]
        parts[inside] = parts.max() + 1 + multilevel(part, related).labels
    return parts


def _exactly(graph: Graph, labels: NDArray[Any], n_clusters: int, n: int) -> NDArray[np.int32]:
    """Give clusters without samples away, and unite what does not touch, smallest into largest."""
    labels = renumber(labels)
    volume = np.bincount(labels, graph.degree)
    held = np.bincount(labels[:n], minlength=volume.size) > 0
    by_volume = np.flatnonzero(held)[np.argsort(volume[held], kind="stable")]
    target = np.arange(volume.size)
    target[by_volume[:-n_clusters]] = by_volume[-1]
    target[~held] = by_volume[-1]
    return renumber(target[labels])
