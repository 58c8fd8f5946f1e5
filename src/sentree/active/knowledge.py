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

__all__ = ["refit"]


def refit(model: SSEPartition, known: Constraints) -> SSEPartition:
    """Cluster again with what answers say, and nothing else.

    Clusters follow the beliefs of :mod:`sentree.active.beliefs`. Where hard constraints must hold
    the search does it instead.
    """
    if known.hard or model.hard:
        return model.refit(constraints=known, keep=False)
    now = Situation.of(model, None, known, None)
    believed = Beliefs.of(Landscape.of(model), now, model.n_clusters)
    labels = believed.of_samples()
    if model.n_clusters is not None:
        labels = _of_number(model, labels, believed.n_classes)
    return model.adopt(renumber(labels), known)


def _of_number(model: SSEPartition, labels: NDArray[np.int32], n_classes: int) -> NDArray[np.int32]:
    """Unite or divide clusters that are not those of known classes, to reach the number wanted."""
    wanted = model.n_clusters
    assert wanted is not None
    found = renumber(labels)
    if int(found.max()) + 1 == wanted:
        return found
    first = np.unique(found, return_index=True)[1]
    owners = np.where(labels[first] < n_classes, labels[first], -1)
    graphs = SearchGraphs.plain(model.graph_)
    return to_number(graphs, found, wanted, owners=owners, exact=False)
