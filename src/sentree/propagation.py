"""Labels spread over the graph: a start for the search where some classes are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import cg

from sentree.graph import Graph

__all__ = ["propagate"]

#: A start needs no more: relative residual, and steps of the solver.
_TOLERANCE = 1e-3
_MOST_STEPS = 200
#: Share of its degree that ties every vertex to "no class", so that the system is definite.
_LEAK = 1e-4


def propagate(
    graph: Graph,
    index: NDArray[Any],
    code: NDArray[Any],
    excluded: tuple[NDArray[Any], NDArray[Any]] | None = None,
    modules: NDArray[Any] | None = None,
) -> NDArray[np.int64]:
    """Return the class of every vertex by the harmonic function with class-mass normalisation.

    A vertex belongs to a class as much as the weighted mean of its neighbours does; labelled ones
    keep their class. The classes are then weighed so that their masses are as frequent as among the
    labels. A vertex that no label reaches gets the most frequent class.

    Parameters
    ----------
    graph : Graph
        The data graph.
    index, code : int arrays
        Labelled vertices and their classes 0..k-1.
    excluded : pair of int arrays, optional
        Vertices and classes that they are known not to be of.
    modules : int array, optional
        A partition whose modules take one class each, that of most belief in it: where labels are
        few, single vertices are too far from the next one.
    """
    belief = _harmonic(graph, index, code)
    if excluded is not None:
        named = excluded[1] < belief.shape[1]
        belief[excluded[0][named], excluded[1][named]] = 0.0
    frequency = np.bincount(code) / code.size
    mass = np.maximum(belief.sum(axis=0), np.finfo(float).tiny)
    belief *= np.where(frequency > 0, (frequency * code.size + 1.0) / mass, 0.0)
    if modules is not None:
        votes = sp.csr_array((np.ones(graph.n), (modules, np.arange(graph.n)))) @ belief
        belief = votes[modules]
    labels = np.where(belief.any(axis=1), belief.argmax(axis=1), frequency.argmax())
    if modules is None:
        labels[index] = code
    return np.asarray(labels, dtype=np.int64)


def _harmonic(graph: Graph, index: NDArray[Any], code: NDArray[Any]) -> NDArray[np.float64]:
    """Return how much each vertex belongs to each class, from its neighbours."""
    n, k = graph.n, int(code.max()) + 1
    belief = np.zeros((n, k))
    belief[index, code] = 1.0
    known = belief.any(axis=1)
    free = np.flatnonzero(~known)
    if free.size == 0:
        return belief
    weights = graph.to_scipy()[free]
    inside = weights[:, free]
    degree = np.maximum(graph.strength[free], np.finfo(float).tiny) * (1 + _LEAK)
    matrix = sp.diags_array(degree) - inside
    jacobi = sp.diags_array(1 / degree)
    sources = weights[:, index] @ belief[index]
    for c in np.unique(code):
        reached, _ = cg(matrix, sources[:, c], rtol=_TOLERANCE, maxiter=_MOST_STEPS, M=jacobi)
        belief[free, c] = np.maximum(reached, 0.0)
    return belief
