"""Label propagation: classes for all vertices, from those of some."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import Graph, largest_column, scaled_columns
from sentree.search.kernels import spread_labels

__all__ = ["propagate"]


def propagate(
    graph: Graph,
    index: NDArray[Any],
    code: NDArray[Any],
    excluded: tuple[NDArray[Any], NDArray[Any]] | None = None,
) -> NDArray[np.int64]:
    """Return the class of every vertex, by label propagation with class-mass normalisation.

    The belief of a vertex is the weighted mean of its neighbours' beliefs; labelled vertices keep
    their class. The classes are then weighted so that their masses match their shares among the
    labels. A vertex that no label reaches gets the most frequent class.

    Parameters
    ----------
    graph : Graph
        The data graph.
    index, code : int arrays
        Labelled vertices and their classes 0..k-1.
    excluded : pair of int arrays, optional
        Vertices, and for each a class that it is known not to have.
    """
    belief = spread_labels(graph, index, code)
    if excluded is not None:
        named = excluded[1] < belief.shape[1]
        ruled_out = excluded[0][named], excluded[1][named]
        wrong = sp.csr_array((np.ones(ruled_out[0].size), ruled_out), shape=belief.shape)
        belief = belief - belief.multiply(wrong > 0)
    count = np.bincount(code)
    mass = np.maximum(np.asarray(belief.sum(axis=0)).ravel(), np.finfo(float).tiny)
    belief = scaled_columns(belief, np.where(count > 0, (count + 1.0) / mass, 0.0))
    labels = largest_column(belief)
    labels[labels < 0] = count.argmax()
    labels[index] = code
    return np.asarray(labels, dtype=np.int64)
