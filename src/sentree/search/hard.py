"""Hard constraints: samples that must share a cluster become one vertex, others are kept apart.

The search then cannot break them: it never divides a vertex, and it never puts two vertices that
are related by minus infinity into one module.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components

from sentree._util.labels import follow, renumber
from sentree._util.wording import Param, Text
from sentree.constraints import Closure, Constraints
from sentree.constraints.colouring import Uncolourable, colour
from sentree.constraints.conflicts import Conflict, ConstraintConflict
from sentree.graph import FloatArray, Graph, largest_column
from sentree.relation.by_degree import SearchGraphs
from sentree.relation.relation import Relation, apart_pairs
from sentree.search.kernels import contracted
from sentree.search.label_spreading import propagate

__all__ = [
    "HardenedGraphs",
    "check_room",
    "contract",
    "harden",
    "separated",
    "unite_disconnected",
    "with_isolated",
]

IntArray = NDArray[np.int64]

#: Most pairs that a hard apart group may have: about 1 GB.
_MOST_APART = 20_000_000
#: Larger graphs are contracted by a kernel: products of sparse matrices would copy them.
_LARGE = 50_000
_TINY = np.finfo(float).tiny


class HardenedGraphs(NamedTuple):
    """Graphs in which a search cannot break hard constraints."""

    graphs: SearchGraphs
    vertex: IntArray  # the vertex of each sample, then of each anchor

    def modules(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        """Return the modules of all vertices: a vertex has the cluster of most of its samples."""
        samples = renumber(labels)
        if self.graphs.n == samples.size:
            return self.graphs.extended(samples)
        votes = sp.coo_array(
            (np.ones(samples.size), (self.vertex[: samples.size], samples)),
            shape=(self.graphs.n, int(samples.max()) + 1),
        ).tocsr()
        return self.graphs.extended(largest_column(votes))


def separated(
    graphs: SearchGraphs, labels: NDArray[np.int32], n_clusters: int | None = None
) -> NDArray[np.int32]:
    """Move vertices so that none shares a module with a vertex that it is kept apart from.

    Only connected groups of cannot-links with a broken one are reassigned. Modules keep their
    numbers. New modules are added where a vertex fits into none of the old ones, unless
    ``n_clusters`` is given.
    """
    i, j = apart_pairs(graphs.relation)
    if not (labels[i] == labels[j]).any():
        return labels
    return _Separation(graphs.graph, labels, i, j).run(n_clusters).astype(np.int32)


class _Separation:
    """Reassigns vertices that are kept apart but share a module."""

    def __init__(self, graph: Graph, modules: NDArray[np.int32], i: IntArray, j: IntArray) -> None:
        self.modules = modules.astype(np.int64)
        self.count = int(modules.max()) + 1
        shape = (graph.n, graph.n)
        apart = sp.coo_array((np.ones(i.size), (i, j)), shape=shape).tocsr()
        self.apart = (apart + apart.T).tocsr()
        member = sp.csr_array(
            (np.ones(graph.n), (np.arange(graph.n), modules)), shape=(graph.n, self.count)
        )
        # How much a vertex prefers a cluster: the weight to it, plus its degree for its own.
        self.drawn = (graph.to_scipy() @ member + sp.diags_array(graph.degree) @ member).tocsr()
        self.by_volume = np.argsort(-np.bincount(modules, graph.degree), kind="stable").tolist()
        self.broken = np.unique(i[modules[i] == modules[j]])

    def run(self, n_clusters: int | None) -> NDArray[np.int64]:
        """Reassign every connected group of cannot-links in which one is broken."""
        block = connected_components(self.apart, directed=False)[1]
        inside = np.flatnonzero(np.isin(block, block[self.broken]))
        order = inside[np.argsort(block[inside], kind="stable")]
        for vertices in np.split(order, np.flatnonzero(np.diff(block[order])) + 1):
            self._reassign(vertices, n_clusters)
        return self.modules

    def _reassign(self, vertices: NDArray[Any], n_clusters: int | None) -> None:
        """Reassign vertices greedily, or by a graph colouring where that fails."""
        found = self._greedy(vertices, new=n_clusters is None)
        if found is None:
            assert n_clusters is not None
            try:
                found = self._coloured(vertices, n_clusters)
            except Uncolourable:
                raise _no_way(self.apart[vertices].nnz // 2, n_clusters) from None
        self.modules[vertices] = found
        self.count = max(self.count, int(max(found)) + 1)

    def _preferred(self, vertex: int) -> list[int]:
        """List the clusters that a vertex has edges to, the most preferred first."""
        row = slice(self.drawn.indptr[vertex], self.drawn.indptr[vertex + 1])
        best = np.argsort(-self.drawn.data[row], kind="stable")
        preferred: list[int] = self.drawn.indices[row][best].tolist()
        return preferred

    def _margin(self, vertices: NDArray[Any]) -> FloatArray:
        """Return by how much each prefers its first cluster to its second, as a share of all."""
        rows = self.drawn[vertices].tocsr()
        share = np.zeros(vertices.size)
        for k in range(vertices.size):
            weights = np.sort(rows.data[rows.indptr[k] : rows.indptr[k + 1]])
            if weights.size:
                share[k] = (weights[-1] - weights[-2:-1].sum()) / max(weights.sum(), _TINY)
        return share

    def _greedy(self, vertices: NDArray[Any], new: bool) -> list[int] | None:
        """Give each vertex the best cluster left to it, those with the clearest choice first.

        With ``new``, a vertex only joins clusters that it touches, or new ones; new clusters are
        shared by the vertices that leave the same cluster. Otherwise it may join any cluster, and
        None is returned if none is left for some vertex.
        """
        chosen: dict[int, int] = {}
        founded: dict[int, list[int]] = {}
        count = self.count
        for v in vertices[np.argsort(-self._margin(vertices), kind="stable")].tolist():
            others = self.apart.indices[self.apart.indptr[v] : self.apart.indptr[v + 1]].tolist()
            taken = {chosen[u] for u in others if u in chosen}
            more = founded.setdefault(int(self.modules[v]), []) if new else self.by_volume
            free = (c for c in chain(self._preferred(v), more) if c not in taken)
            place = next(free, None)
            if place is None and new:
                more.append(place := count)
                count += 1
            if place is None:
                return None
            chosen[v] = place
        return [chosen[v] for v in vertices.tolist()]

    def _coloured(self, vertices: NDArray[Any], k: int) -> list[int]:
        """Colour the vertices with k colours, and match colours to preferred clusters."""
        edges = sp.triu(self.apart[vertices][:, vertices], 1).tocoo()
        pairs = np.column_stack((edges.row, edges.col)).astype(np.int64)
        found = colour(vertices.size, pairs, k, self.modules[vertices].astype(np.int32))
        member = sp.csr_array(
            (np.ones(found.size), (found, np.arange(found.size))), shape=(k, found.size)
        )
        preference = np.zeros((k, max(k, self.count)))
        preference[:, : self.count] = (member @ self.drawn[vertices]).toarray()
        cluster = linear_sum_assignment(-preference)[1]
        clusters: list[int] = cluster[found].tolist()
        return clusters


def harden(
    graphs: SearchGraphs,
    hard: Constraints | None,
    n_clusters: int | None = None,
    copies: IntArray | None = None,
) -> HardenedGraphs:
    """Build hard constraints into the graphs, and unite samples that are copies of one another.

    Parameters
    ----------
    graphs : SearchGraphs
        The graphs.
    hard : Constraints or None
        The hard constraints.
    n_clusters : int, optional
        The number of clusters that is wanted.
    copies : int array, optional
        Samples with the same number become one vertex, unless hard constraints keep some of them
        apart or ``n_clusters`` needs more vertices.

    Raises
    ------
    ConstraintConflict
        If hard constraints contradict one another, or cannot hold with ``n_clusters`` clusters.
    """
    n, total = graphs.n, graphs.graph.n
    if not hard and copies is None:
        return HardenedGraphs(graphs, np.arange(total))
    closure = (hard or Constraints()).closure(n)
    _check_size(closure)
    if hard and n_clusters is not None:
        check_room(closure, n_clusters)
    whole, cannot = closure.component, closure.cannot
    if copies is not None:
        whole, cannot = _with_copies(closure, closure.kept_together(copies))
        if n_clusters is not None and whole.max() + 1 < n_clusters:
            whole, cannot = closure.component, closure.cannot  # copies must stay separate
    k = int(whole.max()) + 1
    vertex = np.concatenate((whole, k + np.arange(total - n)))
    graph, relation = contract(graphs.graph, graphs.relation, vertex)
    relation = _kept_apart(relation, cannot, graph.n)
    together = None
    if graphs.together is not None:
        together = np.zeros(graph.n, dtype=np.int32)
        together[vertex] = graphs.together
    return HardenedGraphs(SearchGraphs(graph, relation, k, together), vertex)


def _with_copies(closure: Closure, copies: IntArray) -> tuple[IntArray, IntArray]:
    """Unite components with copies of one sample; return them and the pairs kept apart.

    Components stay as they are where this would unite two that are kept apart.
    """
    n, k = closure.component.size, closure.n_components
    links = sp.coo_array(
        (np.ones(n), (closure.component, copies)), shape=(k, int(copies.max()) + 1)
    )
    both = sp.block_array([[None, links], [links.T, None]])
    part = connected_components(both, directed=False)[1][:k]
    ends = part[closure.cannot]
    broken = np.unique(ends[ends[:, 0] == ends[:, 1], 0])
    stays = np.isin(part, broken)
    part = np.where(stays, part.size + np.arange(k), part)
    vertex = renumber(part[closure.component]).astype(np.int64)  # of each sample
    number = np.empty(k, dtype=np.int64)
    number[closure.component] = vertex
    return vertex, np.unique(np.sort(number[closure.cannot], axis=1), axis=0)


def with_isolated(groups: IntArray, graph: Graph, closure: Closure) -> IntArray:
    """Put samples without neighbours into the group of a sample that they are must-linked to.

    The graph does not tell where they belong, and soft constraints have no edges to be weighed
    against. Of several must-linked samples the one with the largest edge weights counts.
    """
    order = np.argsort(graph.strength, kind="stable")
    leader = np.empty(closure.n_components, dtype=np.int64)
    leader[closure.component[order]] = order  # the last one written is the strongest
    groups = groups.copy()
    groups[graph.isolated] = groups[leader[closure.component[graph.isolated]]]
    return groups


def contract(
    graph: Graph, relation: Relation | None, labels: NDArray[Any]
) -> tuple[Graph, Relation | None]:
    """Return the graphs of modules; weight inside a module adds to its degree only."""
    n, k = labels.size, int(labels.max()) + 1
    member = sp.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, k))

    def between(matrix: Any) -> Any:
        joined = (member.T @ matrix @ member).tocoo()
        off = joined.row != joined.col
        return sp.csr_array((joined.data[off], (joined.row[off], joined.col[off])), shape=(k, k))

    weights = between(graph.to_scipy()) if n <= _LARGE else contracted(graph, labels)
    weights = (weights + weights.T) * 0.5
    weights.sort_indices()
    inside = np.bincount(labels, graph.degree, k)
    degree = np.maximum(inside, np.asarray(weights.sum(axis=1)).ravel())
    modules = Graph(weights.indptr, weights.indices, weights.data, degree)
    return modules, None if relation is None else Relation(between(relation.matrix))


def unite_disconnected(
    graphs: SearchGraphs,
    labels: NDArray[np.int32],
    n_clusters: int,
    owners: NDArray[Any] | None = None,
) -> NDArray[np.int32]:
    """Unite modules that do not touch until there are ``n_clusters``, small ones with large ones.

    Modules with an owner (>= 0) stay as they are. Where modules that are kept apart prevent this,
    the vertices that are kept apart are assigned again.
    """
    found = int(labels.max()) + 1
    if found <= n_clusters:
        return labels
    i, j = apart_pairs(graphs.relation)
    by_volume = np.argsort(np.bincount(labels, graphs.graph.degree), kind="stable")
    if i.size == 0:
        target = np.arange(found)
        loose = by_volume if owners is None else by_volume[owners[by_volume] < 0]
        loose = loose[loose != by_volume[-1]]
        target[loose[: found - n_clusters]] = by_volume[-1]
        return renumber(target[labels])
    target = _unite_small(labels[i], labels[j], by_volume.tolist(), n_clusters)
    if np.unique(target).size <= n_clusters:
        return renumber(target[labels])
    return _recoloured(graphs, labels, n_clusters)


def _unite_small(
    i: NDArray[Any], j: NDArray[Any], by_volume: list[int], k: int
) -> NDArray[np.int64]:
    """Put each of the smallest modules into the largest that it is not kept apart from."""
    apart: dict[int, set[int]] = {u: set() for u in by_volume}
    for u, v in zip(i.tolist(), j.tolist(), strict=True):
        apart[u].add(v)
        apart[v].add(u)
    target = np.arange(len(by_volume))
    left = len(by_volume)
    for place, u in enumerate(by_volume):
        if left <= k:
            break
        larger = map(by_volume.__getitem__, range(len(by_volume) - 1, place, -1))
        into = next((v for v in larger if v not in apart[u]), None)
        if into is None:
            continue
        target[u] = into
        left -= 1
        apart[into] |= apart[u]
        for v in apart[u]:
            apart[v].add(into)
    return follow(target).astype(np.int64)


def _recoloured(graphs: SearchGraphs, labels: NDArray[np.int32], k: int) -> NDArray[np.int32]:
    """Colour the vertices that are kept apart with k clusters; the others follow neighbours."""
    i, j = apart_pairs(graphs.relation)
    concerned = np.unique(np.concatenate((i, j)))
    edges = np.searchsorted(concerned, np.column_stack((i, j)))
    try:
        found = colour(concerned.size, edges, k, labels[concerned])
    except Uncolourable:  # it may still succeed without preferences, as in check_room
        try:
            found = colour(concerned.size, edges, k, np.zeros(concerned.size, dtype=np.int32))
        except Uncolourable:
            raise _no_way(len(edges), k) from None
    spread = propagate(graphs.graph, concerned, found)[: graphs.n]
    missing = np.setdiff1d(np.arange(k), spread).tolist()
    if missing:
        size = np.bincount(spread)
        members = np.split(np.argsort(spread, kind="stable"), np.cumsum(size)[:-1])
        crowded = [
            (-len(inside), u, inside.tolist()) for u, inside in enumerate(members) if len(inside)
        ]
        heapify(crowded)
        for number in missing:
            fewer, u, inside = heappop(crowded)
            last = inside.pop()
            spread[last] = number  # leaving a cluster breaks no cannot-link
            if inside:
                heappush(crowded, (fewer + 1, u, inside))
            heappush(crowded, (-1, number, [last]))
    return graphs.extended(spread)


def _no_way(n_links: int, n_clusters: int) -> ValueError:
    """Return the error that no assignment was found."""
    return ValueError(
        Text(
            f"no way was found to keep {n_links} hard cannot-links with ",
            Param("n_clusters", n_clusters),
            ", which may or may not be possible: allow more clusters, add must-links or labels, or "
            "make some cannot-links soft",
        )
    )


def _kept_apart(relation: Relation | None, pairs: IntArray, n: int) -> Relation | None:
    """Relate pairs by minus infinity: they are kept apart, whatever other weights there are."""
    if pairs.size == 0:
        return relation
    rows, columns = pairs.T
    never = np.full(rows.size, -np.inf)
    if relation is None:
        return Relation.from_pairs(rows, columns, never, n)
    return relation.with_weights(rows, columns, never)


def check_room(closure: Closure, n_clusters: int, names: Sequence[Any] | None = None) -> None:
    """Refuse a number of clusters with which the constraints cannot hold."""
    called = range(closure.component.size) if names is None else names
    wanted = Text(Param("n_clusters", n_clusters))
    if closure.n_components < n_clusters:
        sizes = np.bincount(closure.component)
        largest = np.flatnonzero(closure.component == sizes.argmax())
        raise _no_room(
            largest[[0, -1]],
            names,
            f"hard must-links, groups or labels leave {closure.n_components} sets of samples",
            Text(wanted, " needs at least as many"),
        )
    first = np.unique(closure.component, return_index=True)[1]
    for components in closure.exclusive:
        if components.size > n_clusters:
            shown = ", ".join(str(called[k]) for k in first[components[:8]].tolist())
            more = ", …" if components.size > 8 else ""
            raise _no_room(
                first[components[:2]],
                names,
                f"samples {shown}{more} are of {components.size} classes, or members of one group, "
                "that are pairwise apart",
                wanted,
            )
    concerned, edges = np.unique(closure.cannot, return_inverse=True)
    edges = edges.reshape(-1, 2)
    try:
        colour(concerned.size, edges, n_clusters, np.zeros(concerned.size, dtype=np.int32))
    except Uncolourable as error:
        if not error.proved:
            return  # the search may still find a way
        pairs = first[concerned[edges[np.isin(edges, error.core).all(axis=1)]]]
        apart = (f"{called[a]} and {called[b]} are apart" for a, b in pairs.tolist())
        ends = pairs.ravel()[[0, -1]]
        raise _no_room(ends, names, *apart, wanted) from None


def _check_size(closure: Closure) -> None:
    """Refuse groups with so many pairs that memory would run out."""
    largest = max((c.size for c in closure.exclusive), default=0)
    if largest * (largest - 1) // 2 > _MOST_APART:
        raise ValueError(
            f"a hard apart group of {largest} samples has more than {_MOST_APART:,} pairs: make it "
            "soft, or leave out members"
        )


def _no_room(points: NDArray[Any], names: Sequence[Any] | None, *chain: str) -> ConstraintConflict:
    """Return the error that names samples which do not fit into the clusters."""
    a, b = points.tolist()
    named = () if names is None else (str(names[a]), str(names[b]))
    return ConstraintConflict([Conflict("n_clusters", (a, b), chain, named)])
