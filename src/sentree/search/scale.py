"""The scale of a partition: from the many small modules of the search to the clusters one wants."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from sentree._util.labels import follow, renumber
from sentree._util.warnings import warn
from sentree._util.wording import Param
from sentree.graph import FloatArray, Graph
from sentree.relation.by_degree import SearchGraphs
from sentree.relation.relation import apart_pairs
from sentree.search.hard import contract, unite_disconnected
from sentree.search.kernels import LinkResult, link, merge, multilevel
from sentree.search.natural_number import STRICTNESS, NaturalClusters, Vote, decide
from sentree.search.natural_parts import (
    Unions,
    follow_neighbors,
    parts_by_contact,
    peaks_of_density,
)
from sentree.search.spacing import Spacing

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

#: How contacts grow with volumes, before the data are looked at, and how many unions that counts.
_USUAL_GROWTH, _UNIONS_BEFOREHAND = (0.7, 0.5), 10
#: Sum of the two powers of growth up to which only borders touch, and from which on all does; and
#: the powers of volumes in the linkage of shapes. Those of clouds are 1 and 1.
_BORDERS, _CLOUDS, _SHAPE_POWERS = 0.8, 1.1, (0.7, 0.3)
#: Cloudiness below which the automatic scale looks for gaps.
_SHAPES = 0.5
#: With fewer modules than so many times the clusters wanted, the objective itself tells which to
#: merge: these are the sizes that it is made for.
_NEAR = 2.0

#: Searches beside the given one that tell the scale, and vertices above which there are none.
_MORE_SEARCHES, _LARGE = 2, 20_000
#: How smooth density is taken in the plane, against the usual; vertices above which only the first.
_SMOOTHNESS, _ONE_DENSITY = (1.0, 0.75, 1.375), 10_000
#: Contacts are looked at where modules are linked clearly more than chance would have it.
_CHANCE = 1.25
#: Where only a graph is known, and it is no shape, what is linked so many times as by chance is
#: one; and the part of the strictness that counts there.
_LINKED, _EVENLY = 0.9, 0.5
#: Where no linkage is weaker than this, nothing is apart, and all is one cluster.
_NOTHING_APART = 0.5
#: In shapes of few dimensions a gap is what lies below the clearest break between the first and the
#: last of these, if it is that clear; else what lies below the second.
_SURE_GAP, _LIKELY_GAP, _SURE_CONTACT, _CLEAR = 0.01, 0.2, 0.6, 1.5
#: Shapes are known by how contacts grow; so many unions are needed to tell, and so many standard
#: errors. Where they do not tell, a break must be this clear.
_UNIONS_TO_TELL, _SURE, _VERY_CLEAR = 15, 1.0, 15.0
#: A compact module cut in two is cut through about this share of its inner weight.
_INNER_CONTACT = 1 / 8
#: What is linked so many times more than by chance is no gap, however thin: among thousands of
#: small modules some touch thinly.
_NO_GAP = 10.0


class Contacts(NamedTuple):
    """How modules touch: in proportion to their volumes, as in clouds, or along borders only."""

    cloudiness: float  # from 0, shapes of few dimensions, to 1, clouds of many

    @classmethod
    def of(cls, graphs: SearchGraphs, labels: NDArray[Any]) -> Contacts:
        """Tell from the unions of modules that are linked more than by chance.

        Of two parts of one cluster, with volumes v <= V, the weight between them grows as
        v^a V^b: with powers of about 1/2 and 0 in the plane, where a border touches, and of nearly
        1 in clouds of many dimensions, where everything does. The powers are fitted by least
        squares.
        """
        labels = graphs.extended(labels)
        path = link(graphs.graph, labels, graphs.relation)
        return cls.along(path, _volumes(graphs.graph, labels)[0])

    @classmethod
    def along(cls, path: LinkResult, volume: FloatArray) -> Contacts:
        """Tell from the path of unions of modules with given volumes."""
        sides = _sides(path, volume)
        near = path.linkage >= _CHANCE
        n = int(near.sum())
        if n == 0:
            return cls(1.0)
        contact = path.linkage[near] * sides[near].prod(axis=1) / volume.sum()
        x = np.log(np.sort(sides[near], axis=1))
        x, y = x - x.mean(axis=0), np.log(contact) - np.log(contact).mean()
        fitted = np.linalg.solve(x.T @ x + 1e-3 * np.eye(2), x.T @ y)
        usual = np.array(_USUAL_GROWTH)
        growth = (fitted * n + usual * _UNIONS_BEFOREHAND) / (n + _UNIONS_BEFOREHAND)
        cloudiness = (growth.sum() - _BORDERS) / (_CLOUDS - _BORDERS)
        return cls(float(np.clip(cloudiness, 0.0, 1.0)))

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
    """Unite the most linked modules until there are ``n_clusters``.

    ``contacts`` says what counts as strongly linked; without it, the modules do. Where the modules
    are too few already, they are taken apart, and the parts merged again by their gain, so that
    what stays apart costs the objective least; likewise where they are hardly more than wanted.
    Parts that do not touch are united last, the smallest with the largest. Modules with an owner
    (>= 0; by first appearance in ``labels``) are never united with one another. Unless ``exact``,
    what hard constraints keep apart may stay more clusters, and nothing is said of parts that do
    not touch. ``by_gain`` says whether modules are merged by their gain; None for what
    :func:`too_few` says.
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
    """Tell whether modules are hardly more than clusters: merging by gain then serves best."""
    return bool(np.unique(labels[: graphs.n]).size < _NEAR * n_clusters)


def _united_owners(owners: NDArray[Any], united: NDArray[Any]) -> NDArray[np.int64]:
    """Return the owner of every union of modules."""
    result = np.full(int(united.max()) + 1, -1, dtype=np.int64)
    np.maximum.at(result, united, owners)
    return result


def _passed_on(
    owners: NDArray[Any], before: NDArray[Any], parts: NDArray[Any], graphs: SearchGraphs
) -> NDArray[np.int64]:
    """Let the largest part of every owned module keep its owner."""
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
    """Unite modules while they are linked ``resolution`` times more strongly than by chance.

    Those with an owner (see :func:`to_number`) stay apart.
    """
    labels = graphs.extended(labels)
    return link(graphs.graph, labels, graphs.relation, least=resolution, owner=owners).labels


def natural_clusters(
    graphs: SearchGraphs, labels: NDArray[Any], spacing: Spacing | None = None
) -> NaturalClusters:
    """Choose the scale from the data, asked in several ways (:mod:`sentree.search.natural_number`).

    Where it is known how samples lie in space, what touches is compared with what would touch in
    one cloud, and on lines and in the plane peaks of density are clusters (``natural_parts``).
    Else, and where hard constraints keep samples apart, the graph alone must tell:

    Modules are united along their linkages, strongest first. In clouds of many dimensions parts
    touch in proportion to their volumes, and unions end at chance level. In shapes of few
    dimensions only borders touch: long or large clusters are chains of modules that link less than
    chance would have it, and unions end at gaps instead, where the contact is far thinner than
    within either side.
    """
    parted = apart_pairs(graphs.relation)[0].size > 0  # which density knows nothing of
    in_space = spacing is not None and spacing.dimension is not None and not parted
    votes = []
    once = in_space and spacing is not None and spacing.in_plane
    for modules in _searches(graphs, graphs.extended(labels), once):
        ways = _in_space(graphs, modules, spacing) if in_space else [_by_graph(graphs, modules)]
        votes += [Vote(strictness, ask(strictness)) for ask in ways for strictness in STRICTNESS]
    found, scale = decide(votes)
    return NaturalClusters(graphs.extended(follow_neighbors(graphs.graph, found)), scale)


def _searches(
    graphs: SearchGraphs, labels: NDArray[np.int32], once: bool
) -> list[NDArray[np.int32]]:
    """Return these modules and those of other searches, where they count and that is quick."""
    more = 0 if once or graphs.graph.n > _LARGE else _MORE_SEARCHES
    found = (
        multilevel(graphs.graph, graphs.relation, init=graphs.together, seed=s, max_rounds=1)
        for s in range(1, more + 1)
    )
    return [labels, *(graphs.extended(result.labels) for result in found)]


Ask = Callable[[float], NDArray[Any]]


def _in_space(
    graphs: SearchGraphs, labels: NDArray[np.int32], spacing: Spacing | None
) -> list[Ask]:
    """Return how clusters follow from the way in which samples lie, at each strictness."""
    assert spacing is not None
    powers = Contacts.of(graphs, labels).powers
    path = link(graphs.graph, labels, graphs.relation, powers=powers)
    modules = contract(graphs.graph, None, labels)[0]
    size = np.bincount(labels[: graphs.n], minlength=modules.n)
    unions = Unions.along(path, powers, modules.degree, size)
    if not spacing.in_plane:
        return [partial(parts_by_contact, labels, unions, modules, spacing)]
    component = connected_components(graphs.graph.to_scipy(), directed=False)[1]
    smoothness = _SMOOTHNESS[:1] if graphs.graph.n > _ONE_DENSITY else _SMOOTHNESS
    densities = [spacing.density(s) for s in smoothness]
    return [partial(peaks_of_density, component, unions, spacing, d) for d in densities]


def _by_graph(graphs: SearchGraphs, labels: NDArray[np.int32]) -> Ask:
    """Return how clusters follow from the graph alone, at each strictness."""
    path = link(graphs.graph, labels, graphs.relation)
    volumes = _volumes(graphs.graph, labels)

    def ask(strictness: float) -> NDArray[np.int32]:
        return _natural(path, *volumes, strictness)[labels]

    return ask


def _volumes(graph: Graph, labels: NDArray[np.int32]) -> tuple[FloatArray, FloatArray]:
    """Return the volume of every module, and the part of it that stays inside."""
    ends = np.repeat(labels, np.diff(graph.indptr))
    out = ends != labels[graph.indices]
    volume = np.bincount(labels, graph.degree).astype(np.float64)
    return volume, volume - np.bincount(ends[out], graph.weights[out], volume.size)


def _natural(
    path: LinkResult, volume: FloatArray, inner: FloatArray, strictness: float = 1.0
) -> NDArray[np.int32]:
    """Return the cluster of every module: the unions that neither chance nor a gap forbids.

    A greater strictness lets more of them be.
    """
    k, linkage = volume.size, path.linkage
    if linkage.size == k - 1 and (strictness * linkage >= _NOTHING_APART).all():
        return np.zeros(k, dtype=np.int32)
    sides = _sides(path, volume)
    contact, size = path.linkage * sides.prod(axis=1) / volume.sum(), sides.min(axis=1)
    above = linkage >= _CHANCE
    shapes = Contacts.along(path, volume).cloudiness < _SHAPES
    power = _growth(contact[above], size[above]) if shapes else None
    wholeness = _wholeness(path, contact, volume, inner, power or 0.0)
    gaps = np.concatenate((wholeness, np.zeros(_n_apart(path, volume)), [np.inf]))
    if power is None:
        limit = _clearest_break(gaps, _VERY_CLEAR)
    else:
        limit = _clearest_break(gaps, _CLEAR) or _LIKELY_GAP
    if limit:
        united = strictness * wholeness >= limit
    else:
        united = strictness**_EVENLY * linkage >= _LINKED
    up = np.arange(k + linkage.size, dtype=np.int32)
    made = k + np.flatnonzero(united).astype(np.int32)
    up[path.unions[united]] = made[:, None]
    return renumber(follow(up)[:k])


def _sides(path: LinkResult, volume: FloatArray) -> FloatArray:
    """Return the volumes of the two sides of every union."""
    volumes = volume.tolist()
    for a, b in path.unions.tolist():
        volumes.append(volumes[a] + volumes[b])
    return np.array(volumes)[path.unions]


def _growth(contact: FloatArray, size: FloatArray) -> float | None:
    """Return the power of the volume that contacts grow with, where it is surely below 1.

    So they do where only borders touch: not at all in a chain, with a power of (d - 1) / d in d
    dimensions.
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
    """Return how whole the result of every union is: the thinnest contact in it.

    Contacts are taken at equal size, and each against the broadest on its thinner side.
    """
    per_size = np.maximum(volume, np.finfo(float).tiny) ** power
    volumes, broadest = volume.tolist(), (inner * _INNER_CONTACT / per_size).tolist()
    whole = [np.inf] * volume.size
    steps = zip(path.unions.tolist(), contact.tolist(), path.linkage.tolist(), strict=True)
    for (a, b), between, linkage in steps:
        between /= min(volumes[a], volumes[b]) ** power
        thinner = min(broadest[a], broadest[b])
        tells = thinner > 0 and linkage < _NO_GAP
        whole.append(min(whole[a], whole[b], between / thinner if tells else np.inf))
        volumes.append(volumes[a] + volumes[b])
        broadest.append(max(broadest[a], broadest[b], between))
    return np.array(whole[volume.size :])


def _n_apart(path: LinkResult, volume: FloatArray) -> int:
    """Count the gaps without any contact: between parts of the graph, stray samples left out."""
    part = path.after(len(path.unions), volume.size)
    return max(int((np.bincount(part, volume) >= volume.mean()).sum()) - 1, 0)


def _clearest_break(wholeness: FloatArray, clear: float) -> float:
    """Return what tells gaps from contacts; 0 where no two are so many times apart."""
    values = np.sort(np.clip(wholeness, _SURE_GAP, _SURE_CONTACT))
    ratio = values[1:] / values[:-1]
    if ratio.size == 0 or ratio.max() < clear:
        return 0.0
    at = int(ratio.argmax())
    return float(np.sqrt(values[at] * values[at + 1]))


def split_modules(graphs: SearchGraphs, labels: NDArray[Any], n_clusters: int) -> NDArray[np.int32]:
    """Take modules apart until there are enough, each by a search of its own inside."""
    labels = graphs.extended(labels)
    whole = np.zeros(int(labels.max()) + 1, dtype=bool)  # modules that a search leaves as they are
    while (found := int(labels.max()) + 1) < n_clusters:
        parts = search_inside(graphs, labels, whole)
        if parts.max() + 1 <= found:  # nothing splits by itself: single samples do
            parts = _singled(graphs, labels, n_clusters)
        whole = _unchanged(labels, parts)
        labels = parts
    return labels


def _singled(graphs: SearchGraphs, labels: NDArray[np.int32], n_clusters: int) -> NDArray[np.int32]:
    """Take the largest modules apart into single samples, until there are enough.

    Where there are anchors it is one module only: they move, and what they join may split.
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
    source[after] = before  # that of any vertex
    shared = np.bincount(after, source[after] == before)
    return np.asarray((shared == size) & (np.bincount(before)[source] == size))


def split_off(graphs: SearchGraphs, labels: NDArray[Any], n_clusters: int) -> NDArray[np.int32]:
    """Split the largest cluster in two until there are enough; all others stay as they are."""
    labels = graphs.extended(labels).astype(np.int64)
    count = int(labels.max()) + 1
    if count >= n_clusters:
        return labels.astype(np.int32)
    samples = np.where(np.arange(labels.size) < graphs.n, labels, -1)
    # The largest cluster first, then the smaller number. A half is cut out of its whole, which
    # takes no longer than the search in it.
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
        with suppress(ValueError):  # more than two are kept apart: one of them is split off
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
    """Search every module anew, as a graph of its own, but for those known to stay ``whole``."""
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
