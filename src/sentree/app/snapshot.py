"""What the page shows at one moment: clusters with colours that last, and what moved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.app.data import Data
from sentree.app.replay import Replay, Step
from sentree.estimators.partition import SSEPartition
from sentree.graph import FloatArray
from sentree.plots.mapping import map_of

__all__ = ["Snapshot", "inherited"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A model and how it is shown.

    Parameters
    ----------
    version : int
        Of what was said.
    data : Data
        The rows.
    step : Step
        The statements that led here.
    model : SSEPartition
        The clusters.
    colours : int array of shape (n_clusters,)
        Slot of the colour of every cluster.
    changed : bool array of shape (n,)
        Which rows moved since the snapshot before.
    places : array of shape (n, 2)
        The map, and where it comes from.
    source : str
        "layout", "columns" or "X_umap".
    """

    version: int
    data: Data
    step: Step
    model: SSEPartition
    colours: NDArray[np.int32]
    changed: NDArray[np.bool_]
    places: FloatArray
    source: str

    @classmethod
    def of(
        cls, version: int, data: Data, replay: Replay, step: Step, before: Snapshot | None
    ) -> Snapshot:
        """Make the snapshot that follows another one."""
        model = replay.model(step)
        k = model.n_clusters_
        if before is None:
            places, source = _map(data, model)
            colours, changed = np.arange(k, dtype=np.int32), np.zeros(data.n, dtype=bool)
        else:
            places, source = before.places, before.source
            colours = inherited(model.labels_, before.model.labels_, before.colours)
            changed = colours[model.labels_] != before.colours[before.model.labels_]
        return cls(version, data, step, model, colours, changed, places, source)

    @property
    def labels(self) -> NDArray[np.int32]:
        """The cluster of each row."""
        return self.model.labels_

    @cached_property
    def strength(self) -> FloatArray:
        """How sure the cluster of each row is."""
        return self.model.membership_strength_

    @cached_property
    def typical(self) -> list[list[int]]:
        """A few typical rows of each cluster: those with most weight inside it."""
        graph, labels = self.model.graph_, self.labels
        row = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
        inside = labels[row] == labels[graph.indices]
        weight = np.bincount(row[inside], graph.weights[inside], graph.n)
        order = np.lexsort((-weight, labels))
        start = np.searchsorted(labels[order], np.arange(self.model.n_clusters_ + 1))
        return [order[a : min(a + 5, b)].tolist() for a, b in pairwise(start.tolist())]


def _map(data: Data, model: SSEPartition) -> tuple[FloatArray, str]:
    if data.umap is not None:
        return data.umap, "X_umap"
    places, laid_out = map_of(model)
    return places, "layout" if laid_out else "columns"


def inherited(
    labels: NDArray[Any], before: NDArray[Any], colours: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Give clusters the colours of those that they share most rows with; others get free ones."""
    k = int(labels.max()) + 1
    old = colours[before]
    pairs, count = np.unique(np.column_stack((labels, old)), axis=0, return_counts=True)
    found = np.full(k, -1, dtype=np.int32)
    taken: set[int] = set()
    for at in np.argsort(-count, kind="stable").tolist():
        cluster, colour = pairs[at].tolist()
        if found[cluster] < 0 and colour not in taken:
            found[cluster] = colour
            taken.add(colour)
    free = (slot for slot in range(2 * k + len(taken)) if slot not in taken)
    for cluster in np.flatnonzero(found < 0).tolist():
        found[cluster] = next(free)
    return found
