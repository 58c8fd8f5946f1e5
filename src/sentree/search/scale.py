"""The scale of a partition: from many small modules to the number of clusters that is wanted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import follow, renumber
from sentree._util.warnings import warn
from sentree._util.wording import Param
from sentree.graph import FloatArray, Graph, components, module_cuts
from sentree.relation.by_degree import SearchGraphs
from sentree.relation.relation import apart_pairs
from sentree.search.hard import contract, unite_disconnected
from sentree.search.kernels import LinkResult, link, merge, multilevel
from sentree.search.natural_number import STRICTNESS, NaturalClusters, Vote, decide
from sentree.search.natural_parts import (
    PartsByContact,
    Unions,
    follow_neighbors,
    node_sums,
    peaks_of_density,
)
from sentree.search.spacing import MeasuredSpacing, Spacing

__all__ = [
    "Contacts",
    "at_resolution",
    "natural_clusters",
    "search_inside",
    "split_modules",
    "split_off",
    "to_number",
    "too_few",
]

#: Prior powers with which contacts grow with the lesser and the greater volume.
_USUAL_GROWTH = (0.7, 0.5)
#: Number of unions that these prior powers count as.
_PRIOR_UNIONS = 10
#: Sum of the two powers up to which only borders touch (shapes of few dimensions).
_BORDERS = 0.8
#: Sum of the two powers from which on everything touches (clouds of many dimensions).
_CLOUDS = 1.1
#: Powers of the lesser and the greater volume in the linkage of shapes; for clouds both are 1.
_SHAPE_POWERS = (0.7, 0.3)
#: Cloudiness below which the automatic scale looks for gaps.
_SHAPES = 0.5
#: With fewer modules than this many times the clusters wanted, they are merged by the objective,
#: which suits clusters that are not much larger than modules.
_NEAR = 2.0

#: Searches, beside the given one, from which the number of clusters is chosen.
_MORE_SEARCHES = 2
#: Above this many vertices there are no further searches.
_LARGE = 20_000
#: Smoothness of the density estimates in the plane, relative to the usual.
_SMOOTHNESS = (1.0, 0.75, 1.375)
#: Above this many vertices only the first density estimate is used.
_ONE_DENSITY = 10_000
#: The growth of contacts is fitted to modules that are linked this many times more than by chance.
_CHANCE = 1.25
#: In a graph without shapes or lengths, modules linked this many times what chance gives are one.
_LINKED = 0.9
#: Power of the strictness where unions end at chance level.
_EVENLY = 0.5
#: If no linkage is below this, all is one cluster.
_NOTHING_APART = 0.5
#: A wholeness up to this is surely a gap.
_SURE_GAP = 0.01
#: In shapes without a clear break, a wholeness below this is a gap.
_LIKELY_GAP = 0.2
#: A wholeness from this on is surely no gap.
_SURE_CONTACT = 0.6
#: In shapes, ratio of two consecutive values of wholeness that makes a clear break between them.
_CLEAR = 1.5
#: Ratio that makes a clear break where the growth of contacts does not show shapes.
_VERY_CLEAR = 15.0
#: Unions that are needed to fit the growth of contacts.
_UNIONS_TO_TELL = 15
#: Standard errors by which the power of growth must be below 1 in shapes.
_SURE = 1.0
#: Contact between the halves of a compact module, as a share of its inner weight.
_INNER_CONTACT = 1 / 8
#: Modules linked this many times more than by chance have no gap between them, however thin their
#: contact: among thousands of small modules some contacts are thin.
_NO_GAP = 10.0


class Contacts(NamedTuple):
    """How modules are in contact: everywhere, as in clouds, or only along borders, as in shapes."""

    cloudiness: float  # from 0 (shapes of few dimensions) to 1 (clouds of many)
    path: LinkResult  # unions by linkage with powers of 1, which tell it

    @classmethod
    def of(cls, graphs: SearchGraphs, labels: NDArray[Any]) -> Contacts:
        """Estimate it from unions of modules that are linked more than by chance.

        The weight between two parts of one cluster, with volumes v <= V, grows as v^a V^b. The
        powers are about 1/2 and 0 in the plane, where only borders touch, and nearly 1 in clouds of
        many dimensions, where everything does. They are fitted by least squares.
        """
        labels = graphs.extended(labels)
        path = link(graphs.graph, labels, graphs.relation)
        return cls.along(path, _volumes(graphs.graph, labels)[0])

    @classmethod
    def along(cls, path: LinkResult, volume: FloatArray) -> Contacts:
        """Estimate it from a path of unions, for modules with given volumes."""
        sides = _sides(path, volume)
        near = path.linkage >= _CHANCE
        n = int(near.sum())
        if n == 0:
            return cls(1.0, path)
        contact = path.linkage[near] * sides[near].prod(axis=1) / volume.sum()
        x = np.log(np.sort(sides[near], axis=1))
        x, y = x - x.mean(axis=0), np.log(contact) - np.log(contact).mean()
        fitted = np.linalg.solve(x.T @ x + 1e-3 * np.eye(2), x.T @ y)
        usual = np.array(_USUAL_GROWTH)
        growth = (fitted * n + usual * _PRIOR_UNIONS) / (n + _PRIOR_UNIONS)
        cloudiness = (growth.sum() - _BORDERS) / (_CLOUDS - _BORDERS)
        return cls(float(np.clip(cloudiness, 0.0, 1.0)), path)

    @property
    def powers(self) -> tuple[float, float]:
        """Return the powers of the lesser and the greater volume in the linkage."""
        lesser, greater = (p + (1 - p) * self.cloudiness for p in _SHAPE_POWERS)
        return lesser, greater


def to_number(
    graphs: SearchGraphs,
    labels: NDArray[Any],
    n_clusters: int,
    contacts: Contacts | None = None,
    owners: NDArray[Any] | None = None,
    exact: bool = True,
    by_gain: bool | None = None,
) -> NDArray[np.int32]:
    """Unite the most strongly linked modules until there are ``n_clusters``.

    If there are fewer modules than that, they are divided first. If there are not many more, they
    are merged by their gain in the objective, not by linkage. Modules that do not touch are united
    last, the smallest with the largest.

    The linkage depends on ``contacts``, which are estimated from the modules by default. Modules
    with an owner (>= 0; by first appearance in ``labels``) are never united with one another.
    ``exact`` is whether to warn of parts that do not touch, and to reach ``n_clusters`` even where
    hard constraints keep more modules apart. ``by_gain`` is whether to merge by gain first; by
    default if modules are :func:`too_few`.
    """
    labels = graphs.extended(labels)
    if contacts is None:
        contacts = Contacts.of(graphs, labels)
    owned = np.full(int(labels.max()) + 1, -1) if owners is None else np.asarray(owners)
    if labels.max() + 1 < n_clusters:
        parts = split_modules(graphs, labels, n_clusters)
        owned = _passed_on(owned, labels, parts, graphs)
        labels = parts
    if too_few(graphs, labels, n_clusters) if by_gain is None else by_gain:
        modules, related = contract(graphs.graph, graphs.relation, labels)
        merged = merge(modules, related, n_modules=n_clusters, owner=owned).labels
        owned, labels = _united_owners(owned, merged), renumber(merged[labels])
    found = link(
        graphs.graph,
        labels,
        graphs.relation,
        n_modules=n_clusters,
        powers=contacts.powers,
        owner=owned,
    )
    k = int(labels.max()) + 1
    owned = _united_owners(owned, found.after(len(found.unions), k))
    labels = found.labels
    count = int(labels.max()) + 1
    any_apart = apart_pairs(graphs.relation)[0].size > 0
    if not exact and any_apart:
        return labels
    if exact and count > n_clusters and not any_apart:
        warn(
            f"the graph falls into {count} parts that do not touch; the smallest were put into the "
            "largest to reach ",
            Param("n_clusters", n_clusters),
            ": more neighbours, or must-links, would connect them",
        )
    return unite_disconnected(graphs, labels, n_clusters, owned)


def too_few(graphs: SearchGraphs, labels: NDArray[Any], n_clusters: int) -> bool:
    """Tell whether modules are so few that merging by gain works best."""
    return bool(np.unique(labels[: graphs.n]).size < _NEAR * n_clusters)


def _united_owners(owners: NDArray[Any], united: NDArray[Any]) -> NDArray[np.int64]:
    """Return the owner of every union of modules."""
    result = np.full(int(united.max()) + 1, -1, dtype=np.int64)
    np.maximum.at(result, united, owners)
    return result


def _passed_on(
    owners: NDArray[Any], before: NDArray[Any], parts: NDArray[Any], graphs: SearchGraphs
) -> NDArray[np.int64]:
    """Give the owner of every module to its largest part."""
    volume = np.bincount(parts, graphs.graph.degree)
    whole = np.zeros(volume.size, dtype=np.int64)
    whole[parts] = before
    result = np.full(volume.size, -1, dtype=np.int64)
    order = np.argsort(volume, kind="stable")
    heir = np.full(owners.size, -1, dtype=np.int64)
    heir[whole[order]] = order
    owned = np.flatnonzero(owners >= 0)
    result[heir[owned]] = owners[owned]
    return result


def at_resolution(
    graphs: SearchGraphs,
    labels: NDArray[Any],
    resolution: float,
    owners: NDArray[Any] | None = None,
) -> NDArray[np.int32]:
    """Unite modules while they are linked at least ``resolution`` times more than by chance.

    Modules with an owner (see :func:`to_number`) are not united with one another.
    """
    labels = graphs.extended(labels)
    return link(graphs.graph, labels, graphs.relation, least=resolution, owner=owners).labels


def natural_clusters(
    graphs: SearchGraphs,
    labels: NDArray[Any],
    spacing: Spacing | MeasuredSpacing | None = None,
    contacts: Callable[[], Contacts] | None = None,
) -> NaturalClusters:
    """Choose the number of clusters from the data (:mod:`sentree.search.natural_number`).

    Where edge lengths are known, contacts are compared with those within one cloud, and on lines
    and in the plane clusters are peaks of density (:mod:`sentree.search.natural_parts`). Otherwise,
    and where hard constraints keep samples apart, the graph alone decides:

    Modules are united by linkage, strongest first. In clouds of many dimensions contacts are in
    proportion to volumes, and modules are united while they are linked about as much as by chance.
    In shapes of few dimensions only borders touch, and long or large clusters are chains of modules
    that are linked less than by chance. There unions end at gaps, where the contact is far thinner
    than within either side.

    ``contacts`` returns those of the given modules, if the caller keeps them.
    """
    any_apart = apart_pairs(graphs.relation)[0].size > 0  # which density does not consider
    in_space = spacing is not None and spacing.dimension is not None and not any_apart
    votes = []
    once = in_space and spacing is not None and spacing.in_plane
    for number, modules in enumerate(_searches(graphs, graphs.extended(labels), once)):
        if in_space:
            known = contacts() if contacts and number == 0 else Contacts.of(graphs, modules)
            ways = _in_space(graphs, modules, spacing, known)
        else:
            ways = [_by_graph(graphs, modules)]
        votes += [Vote(strictness, ask(strictness)) for ask in ways for strictness in STRICTNESS]
    found, scale = decide(votes)
    return NaturalClusters(graphs.extended(follow_neighbors(graphs.graph, found)), scale)


def _searches(
    graphs: SearchGraphs, labels: NDArray[np.int32], once: bool
) -> list[NDArray[np.int32]]:
    """Return these modules and those of further searches, unless ``once`` or on large graphs."""
    more = 0 if once or graphs.graph.n > _LARGE else _MORE_SEARCHES
    found = (
        multilevel(graphs.graph, graphs.relation, init=graphs.together, seed=s, max_rounds=1)
        for s in range(1, more + 1)
    )
    return [labels, *(graphs.extended(result.labels) for result in found)]


Ask = Callable[[float], NDArray[Any]]


def _in_space(
    graphs: SearchGraphs,
    labels: NDArray[np.int32],
    spacing: Spacing | MeasuredSpacing | None,
    contacts: Contacts,
) -> list[Ask]:
    """Return functions of the strictness that give clusters from edge lengths."""
    assert spacing is not None
    powers, path = contacts.powers, contacts.path
    if powers != (1.0, 1.0):
        path = link(graphs.graph, labels, graphs.relation, powers=powers)
    modules = contract(graphs.graph, None, labels)[0]
    size = spacing.counts(labels[: graphs.n], modules.n)
    unions = Unions.along(path, powers, modules.degree, size)
    if isinstance(spacing, MeasuredSpacing) or not spacing.in_plane:
        return [PartsByContact(labels, unions, modules, spacing)]
    component = components(graphs.graph)
    smoothness = _SMOOTHNESS[:1] if graphs.graph.n > _ONE_DENSITY else _SMOOTHNESS
    densities = [spacing.density(s) for s in smoothness]
    return [partial(peaks_of_density, component, unions, spacing, d) for d in densities]


def _by_graph(graphs: SearchGraphs, labels: NDArray[np.int32]) -> Ask:
    """Return a function of the strictness that gives clusters from the graph alone."""
    path = link(graphs.graph, labels, graphs.relation)
    linked = _Linked(path, *_volumes(graphs.graph, labels))

    def ask(strictness: float) -> NDArray[np.int32]:
        return linked.clusters(strictness)[labels]

    return ask


def _volumes(graph: Graph, labels: NDArray[np.int32]) -> tuple[FloatArray, FloatArray]:
    """Return the volume of every module, and how much of it is inside."""
    volume = np.bincount(labels, graph.degree).astype(np.float64)
    cut = module_cuts(labels, volume.size, graph.indptr, graph.indices, graph.weights)
    return volume, volume - cut


@dataclass(frozen=True, eq=False)
class _Linked:
    """Modules along a path of unions."""

    path: LinkResult
    volume: FloatArray
    inner: FloatArray  # how much of the volume is inside

    def clusters(self, strictness: float) -> NDArray[np.int32]:
        """Return the cluster of every module: unions end at chance level, or at gaps.

        A greater strictness allows more unions.
        """
        k, linkage = self.volume.size, self.path.linkage
        if linkage.size == k - 1 and (strictness * linkage >= _NOTHING_APART).all():
            return np.zeros(k, dtype=np.int32)
        wholeness, limit = self._gaps
        if limit:
            united = strictness * wholeness >= limit
        else:
            united = strictness**_EVENLY * linkage >= _LINKED
        up = np.arange(k + linkage.size, dtype=np.int32)
        made = k + np.flatnonzero(united).astype(np.int32)
        up[self.path.unions[united]] = made[:, None]
        return renumber(follow(up)[:k])

    @cached_property
    def _gaps(self) -> tuple[FloatArray, float]:
        """The wholeness of every union, and the limit below which it is a gap; 0 without gaps."""
        path, volume = self.path, self.volume
        sides = _sides(path, volume)
        contact, size = path.linkage * sides.prod(axis=1) / volume.sum(), sides.min(axis=1)
        above = path.linkage >= _CHANCE
        shapes = Contacts.along(path, volume).cloudiness < _SHAPES
        power = _growth(contact[above], size[above]) if shapes else None
        wholeness = _wholeness(path, contact, volume, self.inner, power or 0.0)
        gaps = np.concatenate((wholeness, np.zeros(_n_apart(path, volume)), [np.inf]))
        if power is None:
            return wholeness, _clearest_break(gaps, _VERY_CLEAR)
        return wholeness, _clearest_break(gaps, _CLEAR) or _LIKELY_GAP


def _sides(path: LinkResult, volume: FloatArray) -> FloatArray:
    """Return the volumes of the two sides of every union."""
    sides: FloatArray = node_sums(volume, path.unions)[path.unions]
    return sides


def _growth(contact: FloatArray, size: FloatArray) -> float | None:
    """Return the power of the volume that contacts grow with, if it is surely below 1; else None.

    It is below 1 where only borders touch: 0 in a chain, (d - 1) / d in d dimensions.
    """
    if size.size < _UNIONS_TO_TELL:
        return None
    x, y = np.log(size), np.log(contact)
    x, y = x - x.mean(), y - y.mean()
    spread = float(x @ x)
    if spread <= 0:
        return None
    power = float(x @ y) / spread
    error = np.sqrt(float(np.sum((y - power * x) ** 2)) / (x.size - 2) / spread)
    return max(power, 0.0) if power + _SURE * error < 1 else None


def _wholeness(
    path: LinkResult, contact: FloatArray, volume: FloatArray, inner: FloatArray, power: float
) -> FloatArray:
    """Return the wholeness of every union: the relative width of the thinnest contact in it.

    Contacts are scaled to equal size, and divided by the broadest contact within the side in which
    that is thinner.
    """
    per_size = np.maximum(volume, np.finfo(float).tiny) ** power
    volumes, broadest = volume.tolist(), (inner * _INNER_CONTACT / per_size).tolist()
    whole = [np.inf] * volume.size
    one, other = path.unions[:, 0].tolist(), path.unions[:, 1].tolist()
    steps = zip(one, other, contact.tolist(), path.linkage.tolist(), strict=True)
    for a, b, between, linkage in steps:
        between /= min(volumes[a], volumes[b]) ** power
        thinner = min(broadest[a], broadest[b])
        tells = thinner > 0 and linkage < _NO_GAP
        whole.append(min(whole[a], whole[b], between / thinner if tells else np.inf))
        volumes.append(volumes[a] + volumes[b])
        broadest.append(max(broadest[a], broadest[b], between))
    return np.array(whole[volume.size :])


def _n_apart(path: LinkResult, volume: FloatArray) -> int:
    """Count the gaps between components of the graph, without components of stray samples."""
    part = path.after(len(path.unions), volume.size)
    return max(int((np.bincount(part, volume) >= volume.mean()).sum()) - 1, 0)


def _clearest_break(wholeness: FloatArray, clear: float) -> float:
    """Return the limit between gaps and contacts; 0 if no break has a ratio of ``clear``."""
    values = np.sort(np.clip(wholeness, _SURE_GAP, _SURE_CONTACT))
    ratio = values[1:] / values[:-1]
    if ratio.size == 0 or ratio.max() < clear:
        return 0.0
    at = int(ratio.argmax())
    return float(np.sqrt(values[at] * values[at + 1]))


def split_modules(graphs: SearchGraphs, labels: NDArray[Any], n_clusters: int) -> NDArray[np.int32]:
    """Divide modules until there are enough, each by a search inside it."""
    labels = graphs.extended(labels)
    whole = np.zeros(int(labels.max()) + 1, dtype=bool)  # modules that a search does not divide
    while (found := int(labels.max()) + 1) < n_clusters:
        parts = search_inside(graphs, labels, whole)
        if parts.max() + 1 <= found:  # no module can be divided: split off single samples
            parts = _singled(graphs, labels, n_clusters)
        whole = _unchanged(labels, parts)
        labels = parts
    return labels


def _singled(graphs: SearchGraphs, labels: NDArray[np.int32], n_clusters: int) -> NDArray[np.int32]:
    """Divide the largest modules into single samples, until there are enough modules.

    With anchors only one module is divided at a time: they move, and modules may then split.
    """
    samples = labels[: graphs.n].astype(np.int64)
    size = np.bincount(samples)
    by_size = np.argsort(-size, kind="stable")
    enough = 1
    if graphs.graph.n == graphs.n:
        enough += int(np.searchsorted(np.cumsum(size[by_size] - 1), n_clusters - size.size))
    inside = np.flatnonzero(np.isin(samples, by_size[:enough]))
    samples[inside] = size.size + np.arange(inside.size)
    return graphs.extended(samples)


def _unchanged(before: NDArray[np.int32], after: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Tell which modules were there before, with the same vertices."""
    size = np.bincount(after)
    source = np.empty(size.size, dtype=np.int64)
    source[after] = before  # the module of any of its vertices
    shared = np.bincount(after, source[after] == before)
    return np.asarray((shared == size) & (np.bincount(before)[source] == size))


def split_off(graphs: SearchGraphs, labels: NDArray[Any], n_clusters: int) -> NDArray[np.int32]:
    """Split the largest cluster in two until there are enough; all others stay as they are."""
    labels = graphs.extended(labels).astype(np.int64)
    count = int(labels.max()) + 1
    if count >= n_clusters:
        return labels.astype(np.int32)
    samples = np.where(np.arange(labels.size) < graphs.n, labels, -1)
    # The largest cluster comes first, then the smaller number. The graph of a half is cut out of
    # its whole only when needed, which takes no longer than the search in it.
    clusters: list[tuple[int, int, NDArray[Any], SearchGraphs, NDArray[Any] | None]] = [
        (-inside.size, number, inside, SearchGraphs(graph, relation, inside.size), None)
        for number, (inside, graph, relation) in enumerate(graphs.parts(samples))
    ]
    heapify(clusters)
    for found in range(count, n_clusters):
        _, number, inside, whole, half = heappop(clusters)
        if half is not None:
            whole = SearchGraphs(*whole.part(half), half.size)
        modules = multilevel(whole.graph, whole.relation).labels
        parts = link(whole.graph, modules, whole.relation, n_modules=2).labels
        with suppress(ValueError):  # more than two modules are kept apart: one is split off
            parts = unite_disconnected(whole, parts, 2)
        if parts.max() == 0:
            parts = np.arange(inside.size) == inside.size - 1
        moved = parts == parts.max()
        labels[inside[moved]] = found
        for name, half in ((number, np.flatnonzero(~moved)), (found, np.flatnonzero(moved))):
            if half.size:
                heappush(clusters, (-half.size, name, inside[half], whole, half))
    return labels.astype(np.int32)


def search_inside(
    graphs: SearchGraphs, labels: NDArray[Any], whole: NDArray[np.bool_] | None = None
) -> NDArray[np.int32]:
    """Search inside every module, as a graph of its own, except those known to stay ``whole``."""
    labels = graphs.extended(labels)
    searched = np.bincount(labels) > 1
    if whole is not None:
        searched &= ~whole
    parts = labels.astype(np.int64)
    count = searched.size
    number = np.where(searched, np.cumsum(searched) - 1, -1)
    for inside, graph, relation in graphs.parts(number[labels]):
        found = multilevel(graph, relation).labels
        parts[inside] = count + found
        count += int(found.max()) + 1
    return graphs.extended(parts[: graphs.n])
