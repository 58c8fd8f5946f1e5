"""What a search for clusters starts from, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.graph import FloatArray, Graph
from sentree.relation.by_degree import SearchGraphs
from sentree.search.hard import HardenedGraphs, with_isolated
from sentree.search.kernels import PartitionResult, Steering, move, move_from_queue
from sentree.search.label_search import LabelPulls
from sentree.search.natural_number import NaturalClusters, NaturalScale
from sentree.search.objective import partition_objective
from sentree.search.pair_evidence import PairEvidence, clusters_by_pairs
from sentree.search.recipes import LABEL_RECIPES, MIXED_RECIPES, Recipe, Selection
from sentree.search.scale import Contacts, natural_clusters
from sentree.search.size_bounds import SizeBounds
from sentree.search.spacing import MeasuredSpacing, Spacing

__all__ = [
    "LARGE",
    "SHRINKAGE_IN_PLANE",
    "Problem",
    "SearchResult",
    "UnconstrainedResult",
    "moved",
]

#: Above this many vertices there is one round, and moves come from a queue instead of sweeps.
LARGE = 20_000
#: Shrinkage of volumes towards their mean while samples move, for data in a plane. It is close to
#: 1, so that clusters of unequal size stay so.
SHRINKAGE_IN_PLANE = 0.9
#: The same in more dimensions: above 0.8 a large cluster absorbs small ones, at 0.6 it is divided.
_SHRINKAGE = 0.8
#: What does not depend on edits.
_WITHOUT_EDITS = ("contacts", "_natural")


@dataclass(frozen=True, eq=False)
class UnconstrainedResult:
    """Modules and natural clusters without constraints, which constrained searches start from."""

    graphs: SearchGraphs  # samples that repeat are one vertex
    vertex: NDArray[np.int64]  # the vertex of each sample
    found: PartitionResult  # modules of the vertices
    spacing: Spacing | MeasuredSpacing | None
    edited: NDArray[np.int32] | None = None  # clusters of the samples, if users have edited them
    unedited: UnconstrainedResult | None = None  # the result before users edited it

    @property
    def modules(self) -> NDArray[np.int32]:
        """The module of every sample."""
        return self.found.labels[self.vertex]

    @property
    def shrinkage(self) -> float:
        """Shrinkage of volumes while samples move."""
        in_plane = self.spacing is not None and self.spacing.in_plane
        return SHRINKAGE_IN_PLANE if in_plane else _SHRINKAGE

    @cached_property
    def contacts(self) -> Contacts:
        """How modules are in contact."""
        return Contacts.of(self.graphs, self.found.labels)

    @cached_property
    def natural(self) -> NDArray[np.int32]:
        """The natural cluster of every sample, or the edited cluster."""
        if self.edited is not None:
            return self.edited
        return self._natural.labels[self.vertex]

    @property
    def scale(self) -> NaturalScale | None:
        """How the number of natural clusters was chosen; None where users have edited them."""
        return None if self.edited is not None else self._natural.scale

    @cached_property
    def _natural(self) -> NaturalClusters:
        found = natural_clusters(
            self.graphs, self.found.labels, self.spacing, lambda: self.contacts
        )
        if self.spacing is not None and self.spacing.in_plane:
            return found
        # Move samples at the borders, which are still those of modules (in the plane density has
        # placed them better).
        settled = moved(self.graphs, found.labels, Steering(None, _SHRINKAGE))
        return found._replace(labels=settled.labels)

    def with_edited(self, clusters: NDArray[np.int32] | None) -> UnconstrainedResult:
        """Return the same with edited clusters, or without; what was found already is kept."""
        if clusters is None and self.unedited is not None:
            return self.unedited
        unedited = None if clusters is None else self.unedited or self
        result = replace(self, edited=clusters, unedited=unedited)
        found = {name: value for name, value in vars(self).items() if name in _WITHOUT_EDITS}
        vars(result).update(found)
        return result

    def objective(self, clusters: NDArray[np.int32]) -> float:
        """Return the objective of clusters of the samples."""
        return partition_objective(self.graphs.graph, self.on_vertices(clusters)).value

    def on_vertices(self, clusters: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the cluster of every vertex, for clusters of the samples."""
        return HardenedGraphs(self.graphs, self.vertex).modules(clusters)

    def by_pairs(self, given: Constraints, strength: float) -> NDArray[np.int32]:
        """Return the cluster of every sample that the natural clusters and pairs give."""
        pairs = PairEvidence.of(given, self.vertex, strength)
        if not pairs.weight.any():
            return self.natural
        clusters = clusters_by_pairs(
            self.graphs.graph,
            self.found.labels,
            self.on_vertices(self.natural),
            pairs,
            self.spacing,
            self.contacts.powers,
        )
        return clusters[self.vertex]


class Problem(NamedTuple):
    """The input of a search for clusters."""

    graph: Graph
    constraints: Constraints
    n_classes: int | None = None  # number of classes, if labels name all of them
    hard: Constraints | None = None  # what must hold in the result
    init: NDArray[np.int32] | None = None  # clusters to start from
    concerned: NDArray[np.int64] | None = None  # samples that may have to move; None for all
    copies: NDArray[np.int64] | None = None  # number of the distinct row of each sample
    samples: FloatArray | None = None  # scaled features, if there are few
    widths: FloatArray | None = None  # bandwidths, if the weights are Gaussian
    unconstrained: UnconstrainedResult | None = None  # of an earlier search on the same graph
    again: bool = False  # whether this is a refit with other constraints
    mixed: bool = False  # whether samples have numbers and categories
    sizes: SizeBounds | None = None  # bounds on the sizes of clusters
    measured: MeasuredSpacing | None = None  # edge lengths, if vertices are parts of samples

    @property
    def label_recipes(self) -> tuple[Recipe, ...]:
        """The recipes that hidden labels choose from, the usual one first."""
        return MIXED_RECIPES if self.mixed and self.samples is not None else LABEL_RECIPES

    @property
    def copies_together(self) -> NDArray[np.int64] | None:
        """Group numbers of samples that are searched as one vertex; None if there are no groups.

        Equal samples share a number unless constraints separate them. A sample without neighbours
        shares that of a sample it is must-linked to.
        """
        n, joined = self.graph.n, self.constraints and self.graph.isolated.size
        if self.copies is None and not joined:
            return None
        closure = self.constraints.closure(n)
        groups = np.arange(n) if self.copies is None else closure.kept_together(self.copies)
        return with_isolated(groups, self.graph, closure)

    def spacing(self, vertex: NDArray[np.int64], n: int) -> Spacing | MeasuredSpacing | None:
        """Return the edge lengths between the n vertices, if the bandwidths are known."""
        if self.measured is not None:
            return self.measured
        if self.widths is None:
            return None
        return Spacing(self.graph, self.widths, vertex[: self.graph.n], n)


class SearchResult(NamedTuple):
    """Clusters, the graphs they were found on, and the trace of the objective."""

    graphs: SearchGraphs
    labels: NDArray[np.int32]  # clusters of the samples, then of the anchors
    trace: FloatArray
    disbelief: float = 0.0  # bits by which nearby labels speak against the clusters
    selection: Selection | None = None  # the recipe that labels chose, if they did
    scale: NaturalScale | None = None  # how the data chose the number of clusters, if they did
    pulls: LabelPulls | None = None  # how labels pulled samples and anchors, if they did
    oversize: float = 0.0  # bits for sizes outside of soft bounds


def moved(
    working: SearchGraphs,
    labels: NDArray[Any],
    steering: Steering,
    concerned: NDArray[np.int64] | None = None,
) -> PartitionResult:
    """Move single vertices (all, or those ``concerned``) with the number of modules fixed."""
    graph, relation = working.graph, working.relation
    if concerned is None and graph.n <= LARGE:
        return move(graph, labels, relation, steering=steering, keep_modules=True)
    return move_from_queue(
        graph, labels, relation, vertices=concerned, steering=steering, keep_modules=True
    )
