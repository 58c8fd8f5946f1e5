"""The search with labels: one cluster for each class that labels name, and further clusters.

Every class owns the modules that its labels lie in. The modules of one class are united at the
start, those of different classes are never united, and all other modules are united with them or
with one another by linkage. Then samples move, by the objective and by the labels near them
(:mod:`sentree.search.beliefs`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.labels import renumber
from sentree.graph import largest_column, scaled_rows
from sentree.relation.by_degree import SearchGraphs
from sentree.relation.relation import apart_pairs
from sentree.search.beliefs import KnownClasses, belief_graph, beliefs, bits, disbelief
from sentree.search.kernels import PartitionResult, Steering
from sentree.search.linear_beliefs import LinearBeliefs
from sentree.search.scale import (
    Contacts,
    at_resolution,
    search_inside,
    split_modules,
    split_off,
    to_number,
    too_few,
)

__all__ = [
    "LabelOptions",
    "LabelPulls",
    "LabelSearch",
    "LabelSearchResult",
    "LabelStart",
    "hidden_accuracy",
]

#: A sample prefers the cluster of its module by this many bits over the squared number of labels
#: per class.
_MODULE_BITS = 15.0
#: The most bits by which a sample prefers the cluster of its module.
_MOST_BITS = 10.0
#: Belief below which the other labels contradict a label.
_CONTRADICTED = 0.1
#: Belief in another class that it takes to contradict a label.
_SURE = 0.6
#: Least share of hidden labels that must be contradicted before these are dropped.
_DOUBTED = 0.08
#: Least number of hidden labels that must be contradicted before these are dropped.
_FEWEST_DOUBTED = 5
#: Pull of a label on its own sample, relative to full belief in other samples.
_INSISTENCE = 2.0
#: Shrinkage of volumes towards their mean while samples move, where only borders touch.
_SHRINKAGE = 0.8
#: How much smaller the shrinkage is in clouds of many dimensions.
_LESS_IN_CLOUDS = 0.4
#: Folds of labels that are hidden in turn; only the first if there are many samples.
_FOLDS = 3

IntArray = NDArray[np.int64]
Move = Callable[[NDArray[Any], Steering], PartitionResult]


class LabelOptions(NamedTuple):
    """Settings of a search with labels, which hidden labels choose."""

    even: bool  # whether volumes count in full while samples move, which evens out clusters
    strength: float = 1.0  # factor for the pull of beliefs
    linear: bool = False  # whether a linear discriminant of the features is used
    home: float = 1.0  # factor for the pull of the cluster of a sample's module


class LabelStart(NamedTuple):
    """Clusters to start from, and the beliefs of vertices in them."""

    start: NDArray[np.int32]
    believed: Any  # matrix of vertices by clusters


class LabelPulls(NamedTuple):
    """How labels pulled vertices to clusters in the last moves."""

    beliefs: Any  # pull of beliefs, vertices by clusters
    steering: Steering  # with all other pulls
    strength: float  # of beliefs

    def with_clusters(self, number: NDArray[Any]) -> LabelPulls:
        """Return the pulls of clusters in another order; those without a pull have 0."""
        width = int(number.max()) + 1
        beliefs, pull = (
            sp.csr_array(Steering(rows).wide(width).pull)[:, number]
            for rows in (self.beliefs, self.steering.pull)
        )
        return self._replace(beliefs=beliefs, steering=self.steering._replace(pull=pull))


class LabelSearchResult(NamedTuple):
    """Clusters of the vertices: first those of the classes, in order, then the others."""

    result: PartitionResult
    disbelief: float  # bits by which nearby labels speak against the clusters
    pulls: LabelPulls


@dataclass(frozen=True, eq=False)
class LabelSearch:
    """A search for clusters that labels steer."""

    graphs: SearchGraphs
    modules: NDArray[np.int32]  # of the vertices, found without labels
    contacts: Contacts  # of the modules
    n_clusters: int | None  # None for one for each class and each of ``new``
    resolution: float | None  # without n_clusters: least linkage at which other modules are united
    strength: float  # of beliefs against the graph
    new: IntArray | None  # clusters 0, 1, … without a class that labels name; -1 elsewhere
    features: LinearBeliefs | None
    divisible: bool  # whether modules may be divided if they are few
    move: Move  # moves vertices

    def run(self, known: KnownClasses, options: LabelOptions) -> LabelSearchResult:
        """Find a cluster for each class, and further clusters."""
        return self.follow(known, options, self.start(known, options.linear))

    @cached_property
    def belief_graph(self) -> Any:
        """The graph that labels spread over."""
        return belief_graph(self.graphs)

    def start(self, known: KnownClasses, linear: bool, spread: Any = None) -> LabelStart:
        """Unite modules around the classes, by beliefs (those of ``spread``, if already known)."""
        graph, named, n = self.belief_graph, known.n_classes, self.graphs.graph.n
        quick = spread is not None

        def with_features(found: Any, known: KnownClasses) -> Any:
            if not linear or self.features is None:
                return found
            return self.features.joined(found, known)

        plain = beliefs(graph, n, known, named) if spread is None else spread
        believed = with_features(plain, known)
        start = self._united(known, believed)
        count = int(start.max()) + 1
        if count > named:
            others = np.setdiff1d(np.flatnonzero(start >= named), known.points)
            wider = known.with_classes(others, start[others].astype(np.int64), count)
            believed = with_features(beliefs(graph, n, wider, named, quick), wider)
        return LabelStart(start, believed)

    def follow(
        self, known: KnownClasses, options: LabelOptions, begin: LabelStart
    ) -> LabelSearchResult:
        """Move samples, from a start."""
        start, believed = begin
        strength = self._strength(known, options)
        if self.n_clusters is not None and believed.shape[1] > self.n_clusters:
            start, believed = self._fewer(*begin)
            drawn = pull = bits(believed, self.graphs.graph, strength)
        else:
            drawn = bits(believed, self.graphs.graph, strength)
            pull = self._insisting(drawn, known, strength)
            pull = self._at_home(start, pull, known, options.home)
            start = self._begun(start, pull, known)
        steering = Steering(pull, self._shrinkage(options))
        result = self.move(start, steering)
        pull = Steering(drawn).wide(int(result.labels.max()) + 1).pull
        against = disbelief(pull, result.labels, self.graphs.graph, strength)
        return LabelSearchResult(result, against, LabelPulls(pull, steering, strength))

    def _united(self, known: KnownClasses, believed: Any) -> NDArray[np.int32]:
        """Unite modules around the classes; return the clusters, those of classes first."""
        least = max(self.n_clusters or 0, known.n_classes)
        few = self.divisible and too_few(self.graphs, self.modules, least)
        parts = self._parts if few else renumber(self.modules)
        modules, owned = self._owned(_pieces(parts, known, believed), known)
        wanted = max(self.n_clusters or 0, owned)
        if np.unique(modules[: self.graphs.n]).size < wanted:
            parts = split_modules(self.graphs, modules, wanted)
            modules, owned = self._owned(parts, known)
        if np.unique(modules[: self.graphs.n]).size < wanted:
            return _classes_first(split_off(self.graphs, modules, wanted), known)
        owners = _owners_in_order(modules[: self.graphs.n], owned)
        if self.n_clusters is None and self.resolution is not None:
            united = at_resolution(self.graphs, modules, self.resolution, owners)
        else:
            exact = self.n_clusters is not None and self.n_clusters > owned
            united = to_number(self.graphs, modules, wanted, self.contacts, owners, exact, few)
        return _classes_first(united, known)

    def _owned(self, pieces: NDArray[np.int32], known: KnownClasses) -> tuple[IntArray, int]:
        """Unite the pieces of each class and of each new cluster to a module with an owner.

        Returns the modules, those with an owner first, and the number of owners.
        """
        owner = np.full(int(pieces.max()) + 1, -1, dtype=np.int64)
        owner[pieces[known.points]] = known.code
        if self.new is not None:
            further = np.full(owner.size, -1, dtype=np.int64)
            further[pieces] = self.new
            owner = np.where((owner < 0) & (further >= 0), known.n_classes + further, owner)
        owned = owner >= 0
        owner[owned] = np.unique(owner[owned], return_inverse=True)[1]
        count = int(owner.max(initial=-1)) + 1
        place = np.where(owned, owner, count + np.arange(owner.size))
        return place[pieces], count

    @cached_property
    def _parts(self) -> NDArray[np.int32]:
        """Smaller modules, for use where modules are few and a label should not own a whole one."""
        return search_inside(self.graphs, self.modules)

    def _insisting(self, pull: Any, known: KnownClasses, strength: float) -> Any:
        """Pull labelled vertices to their class by a strength that does not depend on beliefs."""
        factor = np.ones(pull.shape[0])
        factor[known.points] = _INSISTENCE * self.strength / strength
        return scaled_rows(pull, factor)

    def _at_home(
        self, start: NDArray[np.int32], pull: Any, known: KnownClasses, factor: float
    ) -> Any:
        """Add a pull of each vertex to the cluster of its module.

        It is stronger with fewer labels per class, since most vertices are then far from a label.
        """
        degree = self.graphs.graph.degree.copy()
        degree[known.points] = 0.0
        weight = degree * min(factor * _MODULE_BITS / known.per_class**2, _MOST_BITS)
        one_each = np.arange(start.size + 1, dtype=np.int32)
        home = sp.csr_array((weight, start, one_each), shape=pull.shape)
        return sp.csr_array(pull + home)

    def _begun(self, start: NDArray[np.int32], pull: Any, known: KnownClasses) -> NDArray[np.int32]:
        """Put vertices into the cluster that pulls them most, to start moves from there."""
        begun = largest_column(pull)
        begun = np.where(begun < 0, start, begun)
        begun[known.points] = known.code
        lost = ~np.isin(start, begun)  # no cluster becomes empty
        lost[known.points] = False
        begun[lost] = start[lost]
        apart = np.unique(np.concatenate(apart_pairs(self.graphs.relation)))
        begun[apart] = start[apart]  # hard constraints hold from the start
        return begun.astype(np.int32)

    def _strength(self, known: KnownClasses, options: LabelOptions) -> float:
        """Return the strength of beliefs: less where classes have only one or two labels."""
        return self.strength * options.strength * known.per_class / (known.per_class + 1)

    def _shrinkage(self, options: LabelOptions) -> float:
        """Return the shrinkage of volumes towards their mean while samples move."""
        return 0.0 if options.even else _SHRINKAGE - _LESS_IN_CLOUDS * self.contacts.cloudiness

    def _fewer(self, start: NDArray[np.int32], believed: Any) -> LabelStart:
        """Unite classes if fewer clusters are wanted than labels name."""
        assert self.n_clusters is not None
        united = to_number(self.graphs, start, self.n_clusters, self.contacts)
        k = believed.shape[1]
        place = np.zeros(k, dtype=np.int64)
        place[start] = united
        together = sp.csr_array((np.ones(k), (np.arange(k), place)))
        fewer = sp.csr_array(believed @ together)
        fewer.sort_indices()
        return LabelStart(united, fewer)


def _pieces(modules: NDArray[np.int32], known: KnownClasses, believed: Any) -> NDArray[np.int32]:
    """Split modules with labels of several classes by the beliefs of their members."""
    lowest = np.full(int(modules.max()) + 1, known.n_classes)
    highest = np.full(lowest.size, -1)
    np.minimum.at(lowest, modules[known.points], known.code)
    np.maximum.at(highest, modules[known.points], known.code)
    mixed = highest > lowest
    if not mixed.any():
        return modules
    held = sp.coo_array(
        (np.ones(known.points.size), (modules[known.points], known.code)),
        shape=(lowest.size, known.n_classes),
    ).tocsr()
    held.data[:] = 1.0
    inside = np.flatnonzero(mixed[modules])
    likely = largest_column(believed[inside].multiply(held[modules[inside]]).tocsr())
    pieces = modules.astype(np.int64)
    pieces[inside] = lowest.size + pieces[inside] * (known.n_classes + 1) + likely + 1
    code = known.code + 1
    at = mixed[modules[known.points]]
    home = modules[known.points[at]].astype(np.int64)
    pieces[known.points[at]] = lowest.size + home * (known.n_classes + 1) + code[at]
    return renumber(pieces)


def _owners_in_order(modules: NDArray[Any], n_owners: int) -> IntArray:
    """Return the owner of each module, by first appearance: its number if below n_owners, or -1."""
    value, first = np.unique(modules, return_index=True)
    in_order = value[np.argsort(first, kind="stable")]
    return np.where(in_order < n_owners, in_order, -1)


def _classes_first(clusters: NDArray[Any], known: KnownClasses) -> NDArray[np.int32]:
    """Number clusters so that those of the classes come first, in order.

    The cluster of a class is the one with most of its labels.
    """
    k = int(clusters.max()) + 1
    number = np.full(k, -1, dtype=np.int64)
    held = np.bincount(clusters[known.points].astype(np.int64) * known.n_classes + known.code)
    for cell in np.argsort(-held, kind="stable")[: np.count_nonzero(held)].tolist():
        cluster, code = divmod(cell, known.n_classes)
        if number[cluster] < 0 and code not in number:
            number[cluster] = code
    rest = np.flatnonzero(number < 0)
    number[rest] = known.n_classes + np.arange(rest.size)
    return np.asarray(number[clusters], dtype=np.int32)


def hidden_accuracy(
    search: LabelSearch, known: KnownClasses, tried: Sequence[LabelOptions], once: bool
) -> tuple[list[NDArray[np.float64]], NDArray[np.bool_]]:
    """Return for each setting which hidden labels it finds (1 or 0), and which labels to doubt.

    Each label is hidden once, or only the first fold if ``once``; labels that are the only one of
    their class are never hidden. Labels are doubted if the others contradict them, but only where
    that happens more often than with overlapping classes.
    """
    random = np.random.default_rng(0)
    order = np.lexsort((random.random(known.code.size), known.code))
    fold = np.empty(order.size, dtype=np.int64)
    fold[order] = np.arange(order.size) % _FOLDS
    fold[np.bincount(known.code)[known.code] < 2] = _FOLDS
    found: list[list[NDArray[np.float64]]] = [[] for _ in tried]
    doubted = np.zeros(known.points.size, dtype=bool)
    for part in range(1 if once else _FOLDS):
        hidden = fold == part
        if not hidden.any():
            continue
        visible = known.without(hidden)
        graph, n = search.belief_graph, search.graphs.graph.n
        spread = beliefs(graph, n, visible, known.n_classes, quick=True)
        others = spread[known.points[hidden]].toarray()
        own = others[np.arange(others.shape[0]), known.code[hidden]]
        doubted[hidden] = (own < _CONTRADICTED) & (others.max(axis=1) > _SURE)
        begins = {
            linear: search.start(visible, linear, spread)
            for linear in {options.linear for options in tried}
        }
        for options, right in zip(tried, found, strict=True):
            labels = search.follow(visible, options, begins[options.linear]).result.labels
            right.append((labels[known.points[hidden]] == known.code[hidden]).astype(np.float64))
    accuracy = [np.concatenate([np.empty(0), *right]) for right in found]
    return accuracy, _without_last(doubted, known, accuracy[0].size)


def _without_last(
    doubted: NDArray[np.bool_], known: KnownClasses, n_hidden: int
) -> NDArray[np.bool_]:
    """Doubt labels only if many are contradicted, and never all labels of a class."""
    if doubted.sum() < max(_DOUBTED * n_hidden, _FEWEST_DOUBTED):
        return np.zeros_like(doubted)
    left = np.bincount(known.code[~doubted], minlength=known.n_classes)
    return np.asarray(doubted & (left[known.code] > 0))
