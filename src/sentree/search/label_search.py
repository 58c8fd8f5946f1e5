"""Clusters that labels name: from modules and labels to one cluster for each class, and others.

Every class that labels name owns the modules that its labels lie in. The modules of one class are
one from the start, those of two classes never come together, and all others are united with them,
or with one another, along their linkages. The samples then move, by the objective and by what the
labels near them say (:mod:`sentree.search.beliefs`).
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
from sentree.graph import largest_column
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

__all__ = ["LabelOptions", "LabelSearch", "LabelSearchResult", "LabelStart", "hidden_accuracy"]

#: Bits by which a sample prefers the cluster of its module, over the square of the labels a class;
#: and the most.
_MODULE_BITS, _MOST_BITS = 15.0, 10.0
#: A label is contradicted where the others believe in its class less than this, and in another more
#: than that. From this share of contradicted labels on, and so many, they are taken for wrong.
_CONTRADICTED, _SURE, _DOUBTED, _FEWEST_DOUBTED = 0.1, 0.6, 0.08, 5
#: How many times more a label counts for its own sample than full belief does for others.
_INSISTENCE = 2.0
#: Shrinkage of volumes to their mean while samples move, in shapes, and how much less in clouds.
_SHRINKAGE, _LESS_IN_CLOUDS = 0.8, 0.4
#: Parts that labels are hidden in, in turn; one of them where samples are many.
_FOLDS = 3

IntArray = NDArray[np.int64]
Move = Callable[[NDArray[Any], Steering], PartitionResult]


class LabelOptions(NamedTuple):
    """What a search with labels leaves open, for hidden labels to tell."""

    even: bool  # whether volumes count in full while samples move, which evens out clusters
    strength: float = 1.0  # of beliefs
    linear: bool = False  # whether features say what they think of classes, too


class LabelStart(NamedTuple):
    """What labels tell: clusters to start from, and what vertices believe of them."""

    start: NDArray[np.int32]
    believed: Any  # vertices by clusters


class LabelSearchResult(NamedTuple):
    """Clusters of the vertices: those of the classes first, in their order, then the others."""

    result: PartitionResult
    disbelief: float  # bits that the labels nearby say against it


@dataclass(frozen=True, eq=False)
class LabelSearch:
    """A search for clusters around labels.

    Parameters
    ----------
    graphs : SearchGraphs
        The graphs.
    modules : int array
        Modules of the vertices as found without labels.
    contacts : Contacts
        How these touch.
    n_clusters : int or None
        Clusters that are wanted; without it one for each class and each of ``new``.
    resolution : float or None
        Without a number, the linkage that further clusters must have to be united.
    strength : float
        Of the beliefs against the graph.
    new : int array or None
        Further clusters that are of no class, 0, 1, …, and -1 for all other vertices.
    features : LinearBeliefs or None
        What features say of classes.
    divisible : bool
        Whether modules may be taken apart where they are few.
    move : callable
        ``move(labels, steering)`` moves vertices.
    """

    graphs: SearchGraphs
    modules: NDArray[np.int32]
    contacts: Contacts
    n_clusters: int | None
    resolution: float | None
    strength: float
    new: IntArray | None
    features: LinearBeliefs | None
    divisible: bool
    move: Move

    def run(self, known: KnownClasses, options: LabelOptions) -> LabelSearchResult:
        """Find a cluster for each class, and what else there is."""
        return self.follow(known, options, self.start(known, options.linear))

    @cached_property
    def belief_graph(self) -> Any:
        """The graph that labels spread over."""
        return belief_graph(self.graphs)

    def start(self, known: KnownClasses, linear: bool, spread: Any = None) -> LabelStart:
        """Unite modules around what labels say once they are spread, or as ``spread`` has it."""
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
        self, known: KnownClasses, options: LabelOptions, told: LabelStart
    ) -> LabelSearchResult:
        """Let samples move."""
        start, believed = told
        strength = self._strength(known, options)
        if self.n_clusters is not None and believed.shape[1] > self.n_clusters:
            start, believed = self._fewer(*told)
            drawn = pull = bits(believed, self.graphs.graph, strength)
        else:
            drawn = bits(believed, self.graphs.graph, strength)
            pull = self._at_home(start, self._insisting(drawn, known, strength), known)
            start = self._begun(start, pull, known)
        result = self.move(start, Steering(pull, self._shrinkage(options)))
        pull = Steering(drawn).wide(int(result.labels.max()) + 1).pull
        against = disbelief(pull, result.labels, self.graphs.graph, strength)
        return LabelSearchResult(result, against)

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
        """Unite the pieces of each class, and of each new cluster; return modules and owners.

        The modules that are owned come first.
        """
        owner = _owners(pieces, known)
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
        """Parts of the modules: where these are few, a label speaks for less than all of one."""
        return search_inside(self.graphs, self.modules)

    def _insisting(self, pull: Any, known: KnownClasses, strength: float) -> Any:
        """Let labelled vertices be drawn to their class whatever beliefs in general count."""
        factor = np.ones(pull.shape[0])
        factor[known.points] = _INSISTENCE * self.strength / strength
        return sp.csr_array(sp.diags_array(factor) @ pull)

    def _at_home(self, start: NDArray[np.int32], pull: Any, known: KnownClasses) -> Any:
        """Add to what draws vertices that they prefer the cluster of their module.

        The fewer labels a class has, the more: single vertices are too far from the next label.
        """
        degree = self.graphs.graph.degree.copy()
        degree[known.points] = 0.0
        weight = degree * min(_MODULE_BITS / known.per_class**2, _MOST_BITS)
        home = sp.csr_array((weight, (np.arange(start.size), start)), shape=pull.shape)
        return sp.csr_array(pull + home)

    def _begun(self, start: NDArray[np.int32], pull: Any, known: KnownClasses) -> NDArray[np.int32]:
        """Let vertices begin where they are drawn most."""
        begun = largest_column(pull)
        begun = np.where(begun < 0, start, begun)
        begun[known.points] = known.code
        lost = ~np.isin(start, begun)  # no cluster is given up
        lost[known.points] = False
        begun[lost] = start[lost]
        apart = np.unique(np.concatenate(apart_pairs(self.graphs.relation)))
        begun[apart] = start[apart]  # hard constraints hold from the start
        return begun.astype(np.int32)

    def _strength(self, known: KnownClasses, options: LabelOptions) -> float:
        """Return how much beliefs count: less where a class has only one label or two."""
        return self.strength * options.strength * known.per_class / (known.per_class + 1)

    def _shrinkage(self, options: LabelOptions) -> float:
        """Return how much volumes shrink to their mean while samples move."""
        return 0.0 if options.even else _SHRINKAGE - _LESS_IN_CLOUDS * self.contacts.cloudiness

    def _fewer(self, start: NDArray[np.int32], believed: Any) -> LabelStart:
        """Unite classes where fewer clusters are wanted than are named."""
        assert self.n_clusters is not None
        united = to_number(self.graphs, start, self.n_clusters, self.contacts)
        k = believed.shape[1]
        place = np.zeros(k, dtype=np.int64)
        place[start] = united
        together = sp.csr_array((np.ones(k), (np.arange(k), place)))
        return LabelStart(united, sp.csr_array(believed @ together))


def _pieces(modules: NDArray[np.int32], known: KnownClasses, believed: Any) -> NDArray[np.int32]:
    """Split the modules that hold labels of several classes by what their members believe."""
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
    pieces[inside] = lowest.size + modules[inside] * (known.n_classes + 1) + likely + 1
    code = known.code + 1
    at = mixed[modules[known.points]]
    pieces[known.points[at]] = (
        lowest.size + modules[known.points[at]] * (known.n_classes + 1) + code[at]
    )
    return renumber(pieces)


def _owners_in_order(modules: NDArray[Any], n_owners: int) -> IntArray:
    """Return the owner of each module by first appearance: its number, or -1 from n_owners on."""
    value, first = np.unique(modules, return_index=True)
    in_order = value[np.argsort(first, kind="stable")]
    return np.where(in_order < n_owners, in_order, -1)


def _owners(pieces: NDArray[np.int32], known: KnownClasses) -> IntArray:
    """Return the class of each piece that has labels, -1 for the others."""
    owner = np.full(int(pieces.max()) + 1, -1, dtype=np.int64)
    owner[pieces[known.points]] = known.code
    return owner


def _classes_first(clusters: NDArray[Any], known: KnownClasses) -> NDArray[np.int32]:
    """Number clusters so that those of classes come first, in their order.

    The cluster of a class is the one with most of its labels.
    """
    k = int(clusters.max()) + 1
    number = np.full(k, -1, dtype=np.int64)
    held = np.bincount(clusters[known.points] * known.n_classes + known.code)
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
    """Tell for each options which labels it finds that were hidden from it: 1 or 0 each.

    A label is hidden once; those of classes with a single label never are. Returned, too, is which
    labels the others contradict: none where that is no more than classes that overlap would give.
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
        told = {
            linear: search.start(visible, linear, spread)
            for linear in {options.linear for options in tried}
        }
        for options, right in zip(tried, found, strict=True):
            labels = search.follow(visible, options, told[options.linear]).result.labels
            right.append((labels[known.points[hidden]] == known.code[hidden]).astype(np.float64))
    accuracy = [np.concatenate([np.empty(0), *right]) for right in found]
    return accuracy, _without_last(doubted, known, accuracy[0].size)


def _without_last(
    doubted: NDArray[np.bool_], known: KnownClasses, n_hidden: int
) -> NDArray[np.bool_]:
    """Doubt labels only where many are contradicted, and never all of a class."""
    if doubted.sum() < max(_DOUBTED * n_hidden, _FEWEST_DOUBTED):
        return np.zeros_like(doubted)
    left = np.bincount(known.code[~doubted], minlength=known.n_classes)
    return np.asarray(doubted & (left[known.code] > 0))
