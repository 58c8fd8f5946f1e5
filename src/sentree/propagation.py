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


def propagate(graph: Graph, index: NDArray[Any], code: NDArray[Any]) -> NDArray[np.int64]:
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
    """
    n, k = graph.n, int(code.max()) + 1
    known = np.zeros(n, dtype=bool)
    known[index] = True
    free = np.flatnonzero(~known)
    labels = np.empty(n, dtype=np.int64)
    labels[index] = code
    if free.size == 0:
        return labels
    weights = graph.to_scipy()
    inside = weights[free][:, free]
    degree = np.maximum(graph.strength[free], np.finfo(float).tiny) * (1 + _LEAK)
    matrix = sp.diags_array(degree) - inside
    jacobi = sp.diags_array(1 / degree)
    indicator = sp.csr_array((np.ones(index.size), (index, code)), shape=(n, k))
    sources = (weights[free] @ indicator).toarray()
    belief = np.empty((free.size, k))
    for c in range(k):
        belief[:, c], _ = cg(matrix, sources[:, c], rtol=_TOLERANCE, maxiter=_MOST_STEPS, M=jacobi)
    frequency = (np.bincount(code, minlength=k) + 1.0) / (code.size + k)
    belief = np.maximum(belief, 0.0)
    belief *= frequency / np.maximum(belief.sum(axis=0), np.finfo(float).tiny)
    reached = belief.any(axis=1)
    labels[free] = np.where(reached, belief.argmax(axis=1), frequency.argmax())
    return labels
