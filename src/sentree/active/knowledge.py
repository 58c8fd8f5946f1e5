"""From answers to clusters: a warm refit with what is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import renumber
from sentree.active.beliefs import Beliefs, Landscape
from sentree.active.situation import Situation
from sentree.constraints import Constraints
from sentree.estimators.partition import SSEPartition
from sentree.relation.by_degree import SearchGraphs
from sentree.search.scale import to_number

__all__ = ["prepare", "refit"]


def prepare(model: SSEPartition) -> None:
    """Find what all questions about a model start from; models copied from it need not do it."""
    Landscape.of(model)


def refit(model: SSEPartition, known: Constraints) -> SSEPartition:
    """Cluster again with what answers say, and nothing else.

    Clusters follow the beliefs of :mod:`sentree.active.beliefs`. Samples leave them only where
    hard constraints or bounds on sizes make them. Classes that are known to be apart stay so, even
    if they are more than the number of clusters that the model asks for.
    """
    believed = Beliefs.of(Situation.of(model, None, known, None))
    labels = believed.of_samples()
    wanted = Landscape.of(model).n_clusters
    if wanted is not None:
        labels = _of_number(model, labels, believed.n_classes, wanted)
    return model._adopt(renumber(labels), known)


def _of_number(
    model: SSEPartition, labels: NDArray[np.int32], n_classes: int, wanted: int
) -> NDArray[np.int32]:
    """Unite or divide clusters that are not those of known classes, to reach the number wanted."""
    found = renumber(labels)
    if int(found.max()) + 1 == wanted:
        return found
    first = np.unique(found, return_index=True)[1]
    owners = np.where(labels[first] < n_classes, labels[first], -1)
    graphs = SearchGraphs.plain(model.graph_)
    return to_number(graphs, found, wanted, owners=owners, exact=False)
