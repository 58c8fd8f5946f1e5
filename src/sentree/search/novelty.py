"""Novelty detection: which natural clusters hold a class that no label names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import bdtr

from sentree.graph import Graph, components, largest_column

__all__ = ["new_clusters"]

#: Prior probability that a class is one that nobody would have labelled.
_NEVER_LABELLED = 0.01
#: Share of the volume of a cluster that stray edges to clusters with labels may have. With more, it
#: is taken for part of a named class, not for a class that labels missed by chance.
_STRAY = 0.02
#: Vertices whose edges are looked at together.
_ROWS = 50_000


def new_clusters(
    graph: Graph, clusters: NDArray[Any], index: NDArray[Any], code: NDArray[Any]
) -> NDArray[np.bool_]:
    """Tell which clusters hold samples of a class that no label names.

    A cluster is a class of its own, or one of several parts of a class. How often it is one of
    several is estimated from the clusters with labels. A cluster of s samples that is part of a
    named class has no label with probability (1 - rate)^s. A cluster of a class that nobody labels
    never has one. A cluster of a class that labels missed by chance has none with the same
    probability (1 - rate)^s, but clusters that touch one with labels are not considered missed. The
    likelier explanation counts. A new cluster may hold a few stray labels, but not half of those of
    a class. Clusters that no path of the graph connects to a label are always new.

    Parameters
    ----------
    graph : Graph
        The data graph.
    clusters : int array of shape (n,)
        The clusters 0..k-1 of the samples as found without labels.
    index, code : int arrays
        Labelled samples, each of them once, and their classes.
    """
    size = np.bincount(clusters)
    shape = size.size, int(code.max()) + 1
    votes = sp.coo_array((np.ones(index.size), (clusters[index], code)), shape=shape).tocsr()
    labels = np.bincount(clusters[index], minlength=size.size)
    known = labels > 0
    around = size[known].sum()
    classes = np.unique(largest_column(votes)[known]).size
    further = (known.sum() - classes + 1) / (known.sum() + 2)
    by_chance = bdtr(labels, size, index.size / around)
    missed = np.where(known | _touching(graph, clusters, known), 0.0, by_chance)
    own = _NEVER_LABELLED + (1 - _NEVER_LABELLED) * missed
    new = (further * by_chance < (1 - further) * own) & ~_homes(votes)
    part = components(graph)
    unreached = np.ones(size.size, dtype=bool)
    unreached[clusters[np.isin(part, part[index])]] = False
    return np.asarray(new | unreached)


def _touching(graph: Graph, clusters: NDArray[Any], known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which clusters have more than stray edges to clusters that hold labels."""
    cut = np.zeros(known.size)
    for start in range(0, graph.n, _ROWS):  # some at a time, to bound memory
        ends = graph.indptr[start : start + _ROWS + 1]
        part = slice(int(ends[0]), int(ends[-1]))
        home = np.repeat(clusters[start : start + ends.size - 1], np.diff(ends))
        others = clusters[graph.indices[part]]
        across = (home != others) & known[others]
        cut += np.bincount(home[across], graph.weights[part][across], known.size)
    volume = np.bincount(clusters, graph.degree, known.size)
    return np.asarray(cut > _STRAY * volume)


def _homes(votes: Any) -> NDArray[np.bool_]:
    """Tell which clusters hold at least half of the labels of a class."""
    cells = votes.tocoo()
    total = np.bincount(cells.col, cells.data)
    home = np.zeros(votes.shape[0], dtype=bool)
    home[cells.row[2 * cells.data >= total[cells.col]]] = True
    return home
