"""What the page shows at one moment: clusters with colours that last, and what moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sentree.app.branches import Branches
from sentree.app.data import Data
from sentree.app.replay import Replay, Step
from sentree.estimators.partition import SSEPartition
from sentree.graph import FloatArray
from sentree.plots.mapping import map_of
from sentree.profiles.profile import Profile, profile

__all__ = ["Map", "Snapshot", "inherited"]

#: Typical rows of a cluster.
_TYPICAL = 5


@dataclass(frozen=True, eq=False)
class Map:
    """Where rows are drawn: the "layout" of the graph, two "columns", or an "X_umap"."""

    places: FloatArray
    source: str

    @classmethod
    def of(cls, data: Data, model: SSEPartition, stored: bytes | None = None) -> Map:
        """Return the map that came with the data, or one that was ``stored``, or make one."""
        if stored is not None and len(stored) == 8 * data.n:
            places = np.frombuffer(stored, "<f4").reshape(-1, 2).astype(np.float64)
            return cls(places, "layout")
        if data.umap is not None:
            return cls(data.umap, "X_umap")
        places, laid_out = map_of(model)
        return cls(np.asarray(places, dtype=np.float64), "layout" if laid_out else "columns")

    def to_bytes(self) -> bytes:
        """Return the places as they are stored."""
        return self.places.astype("<f4").tobytes()


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A model and how it is shown.

    Parameters
    ----------
    version : int
        Of what was said.
    data : Data
        The rows.
    map : Map
        Where they are drawn.
    step : Step
        The statements that led here.
    model : SSEPartition
        The clusters.
    colours : int array of shape (n_clusters,)
        Slot of the colour of every cluster.
    changed : bool array of shape (n,)
        Which rows moved since the snapshot before.
    by : int, optional
        The statement that moved them.
    """

    version: int
    data: Data
    map: Map
    step: Step
    model: SSEPartition
    colours: NDArray[np.int32]
    changed: NDArray[np.bool_]
    by: int | None = None

    @classmethod
    def of(
        cls,
        version: int,
        data: Data,
        map: Map,
        replay: Replay,
        step: Step,
        before: Snapshot | None,
        kept: Sequence[Sequence[int]] = (),
    ) -> Snapshot:
        """Make the snapshot that follows another one; the first has colours that were ``kept``."""
        model = replay.model(step)
        if before is None:
            colours = _recalled(model.labels_, kept)
            return cls(version, data, map, step, model, colours, np.zeros(data.n, dtype=bool))
        colours = inherited(model.labels_, before.model.labels_, before.colours)
        changed = colours[model.labels_] != before.colours[before.model.labels_]
        by = step.statement.id if step.before is before.step and step.statement else None
        return cls(version, data, map, step, model, colours, changed, by)

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
        ends = np.searchsorted(labels[order], np.arange(self.model.n_clusters_ + 1)).tolist()
        return [order[a : min(a + _TYPICAL, b)].tolist() for a, b in pairwise(ends)]

    @cached_property
    def names(self) -> list[str | None]:
        """What clusters are called: as they were named last, else the class of most labels."""
        found = [None if name is None else str(name) for name in self.model.cluster_names_]
        for row, name in self.step.names.items():
            found[int(self.labels[row])] = name
        return found

    @cached_property
    def profile(self) -> Profile:
        """What makes each cluster."""
        samples = self.data.samples
        return profile(samples.X, self.labels, strength=self.strength, features=self.data.features)

    @cached_property
    def branches(self) -> Branches:
        """The tree above and inside the clusters."""
        return Branches.of(self.model)

    @property
    def kept_colours(self) -> list[list[int]]:
        """A row of each cluster, and its colour, for when the project is opened again."""
        slots = self.colours.tolist()
        return [[rows[0], slot] for rows, slot in zip(self.typical, slots, strict=True)]

    def said(self) -> NDArray[Any]:
        """Return what was said of each row: its class or group, or that it differs."""
        found = np.full(self.data.n, None, dtype=object)
        given = self.step.said
        for rows in (np.unique(given.cannot_link), *given.apart):
            found[rows] = "differs from others"
        pairs = [np.asarray(given.must_link, dtype=np.int64).reshape(-1, 2)]
        pairs += [np.column_stack((rows[:-1], rows[1:])) for rows in given.together]
        tail, head = np.concatenate(pairs).T
        links = coo_array((np.ones(tail.size), (tail, head)), shape=(self.data.n,) * 2)
        group = connected_components(links, directed=False)[1]
        rows = np.union1d(tail, head)
        number = np.unique(group[rows], return_inverse=True)[1] + 1
        found[rows] = [f"group {one}" for one in number]
        for row, code in zip(given.label_index, given.label_code, strict=True):
            found[row] = str(given.classes[code])
        return found


def _recalled(labels: NDArray[Any], kept: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """Give clusters the colours of rows in them; others get free ones."""
    known = {int(labels[row]): slot for row, slot in reversed(kept)}
    free = (slot for slot in range(2 * len(labels)) if slot not in known.values())
    slots = [known[c] if c in known else next(free) for c in range(int(labels.max()) + 1)]
    return np.array(slots, dtype=np.int32)


def inherited(
    labels: NDArray[Any], before: NDArray[Any], colours: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Give clusters the colours of those that they share most rows with; others get free ones.

    Examples
    --------
    >>> inherited(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1]), np.array([5, 3])).tolist()
    [5, 3, 0]
    """
    k = int(labels.max()) + 1
    pairs, count = np.unique(np.column_stack((labels, colours[before])), axis=0, return_counts=True)
    found = np.full(k, -1, dtype=np.int32)
    taken: set[int] = set()
    for at in np.argsort(-count, kind="stable").tolist():
        cluster, colour = pairs[at].tolist()
        if found[cluster] < 0 and colour not in taken:
            found[cluster] = colour
            taken.add(colour)
    free = (slot for slot in range(k + len(taken)) if slot not in taken)
    for cluster in np.flatnonzero(found < 0).tolist():
        found[cluster] = next(free)
    return found
