"""Proofs about constraints: what is linked to what, and the chains that show contradictions."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph

from sentree._util.wording import Elsewhere, Text

if TYPE_CHECKING:
    from sentree.constraints.statements import Statements

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Sentences of a proof that are printed; longer proofs are shown by their two ends.
_PRINTED_SENTENCES = 20


@dataclass(frozen=True)
class Conflict:
    """One contradiction between given statements, with its proof.

    Attributes
    ----------
    kind : str
        The statement that cannot hold: "cannot_link", "negative_labels" or "apart"; "labels" where
        points that belong together have two labels; "classes" where no class is left for a point;
        "n_clusters" where hard constraints leave no room for so many or so few clusters.
    points : tuple of two ints
        The two ends of the chain; twice the same point where only one is concerned.
    chain : tuple of str
        Given statements, one sentence each, that cannot hold together.
    names : tuple of two str
        What the two points are called; empty where they were not named.
    """

    kind: str
    points: tuple[int, int]
    chain: tuple[str, ...]
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.text)

    @property
    def text(self) -> Text:
        """The contradiction and its proof, with the names of parameters in it as data."""
        a, b = self.names or self.points
        where = f"point {a}" if a == b else f"points {a} and {b}"
        hidden = len(self.chain) - _PRINTED_SENTENCES
        half = _PRINTED_SENTENCES // 2
        shown: Sequence[str] = self.chain
        if hidden > 0:
            shown = (*self.chain[:half], f"... {hidden} more ...", *self.chain[-half:])
        lines = (piece for line in shown for piece in ("\n  ", line))
        return Text(f"{where} cannot satisfy all of:", *lines)


class ConstraintConflict(ValueError):
    """The given constraints contradict one another.

    Attributes
    ----------
    conflicts : list of Conflict
        The first contradictions, with proofs; :meth:`Constraints.conflicts` lists all.
    n_conflicts : int
        How many there are in all.
    """

    def __init__(self, conflicts: list[Conflict], n_conflicts: int | None = None) -> None:
        self.conflicts = conflicts
        self.n_conflicts = len(conflicts) if n_conflicts is None else n_conflicts
        more = self.n_conflicts - 1
        seen = "see the attribute conflicts of this error"
        others = Elsewhere("sentree.Constraints.conflicts", seen)
        tail = (f"\n({more} more: ", others, ")") if more > 0 else ()
        super().__init__(Text("the constraints contradict one another: ", conflicts[0].text, *tail))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.conflicts, self.n_conflicts)


class Edges(NamedTuple):
    """Weighted undirected edges."""

    tail: IntArray
    head: IntArray
    weight: FloatArray

    def plus(self, other: Edges) -> Edges:
        """Return the edges of both."""
        return Edges(
            np.concatenate((self.tail, other.tail)),
            np.concatenate((self.head, other.head)),
            np.concatenate((self.weight, other.weight)),
        )


class Proof:
    """The statements as a graph: nodes are points, then together groups, then classes.

    A *block* is a component by must-links and groups alone. Unlike components, blocks do not merge
    when a single point has two labels, so one mistake does not affect two whole classes.
    """

    def __init__(self, given: Statements, n: int) -> None:
        self.given, self.n = given, n
        self.first_class = n + len(given.together)
        self.n_nodes = self.first_class + len(given.classes)
        member, group = flatten(given.together)
        pairs = Edges(given.must_link[:, 0], given.must_link[:, 1], given.must_weight)
        self.inner = pairs.plus(Edges(member, n + group, np.ones(member.size)))
        self.labels = Edges(
            given.label_index,
            self.first_class + given.label_code,
            np.ones(given.label_index.size),
        )
        self.block, self.n_blocks = _components(self.inner, self.n_nodes)

    @cached_property
    def anchor(self) -> IntArray:
        """First node of every block: a point wherever the block holds points."""
        return np.unique(self.block, return_index=True)[1].astype(np.int64, copy=False)

    def label_keys(self, point: IntArray, code: IntArray) -> IntArray:
        """Number the (block, class) of every point and class."""
        return self.block[point] * len(self.given.classes) + code

    @cached_property
    def block_labels(self) -> tuple[IntArray, IntArray]:
        """Return the distinct (block, class code) of the labels, sorted."""
        key = np.unique(self.label_keys(self.given.label_index, self.given.label_code))
        n_classes = max(len(self.given.classes), 1)
        return key // n_classes, key % n_classes

    @cached_property
    def places(self) -> Any:
        """Sparse block-by-place table: where a block is known to be, itself and its classes."""
        block, code = self.block_labels
        row = np.concatenate((np.arange(self.n_blocks), block))
        column = np.concatenate((np.arange(self.n_blocks), self.n_blocks + code))
        shape = (self.n_blocks, self.n_blocks + len(self.given.classes))
        return sp.coo_array((np.ones(row.size, dtype=np.int64), (row, column)), shape=shape).tocsr()


class _Clash(NamedTuple):
    """A contradiction without its proof; what the numbers mean depends on the kind."""

    kind: str
    at: int
    a: int = -1
    b: int = -1


def find_clashes(proof: Proof, elimination: _Elimination | None) -> list[_Clash]:
    """Find all contradictions, in linear time and without proofs."""
    clashes = [*_label_clashes(proof), *_cannot_clashes(proof)]
    clashes += [*_negative_clashes(proof), *_apart_clashes(proof)]
    if elimination is not None:
        clashes += [_Clash("classes", block) for block in elimination.dead]
    return clashes


def _label_clashes(proof: Proof) -> Iterator[_Clash]:
    """Find blocks with several labels: (block, lowest class, other class)."""
    block, code = proof.block_labels
    first = np.searchsorted(block, block)
    for k in np.flatnonzero(first < np.arange(block.size)).tolist():
        yield _Clash("labels", int(block[k]), int(code[first[k]]), int(code[k]))


def _cannot_clashes(proof: Proof) -> Iterator[_Clash]:
    """Find cannot-links whose ends share a block or a class."""
    i, j = proof.given.cannot_link.T
    if i.size:
        shared = proof.places[proof.block[i]].multiply(proof.places[proof.block[j]]).sum(axis=1)
        for k in np.flatnonzero(shared).tolist():
            yield _Clash("cannot_link", k)


def _negative_clashes(proof: Proof) -> Iterator[_Clash]:
    """Find negative labels whose block has that label."""
    given = proof.given
    positive = proof.label_keys(given.label_index, given.label_code)
    negative = proof.label_keys(given.negative_index, given.negative_code)
    for k in np.flatnonzero(np.isin(negative, positive)).tolist():
        yield _Clash("negative_labels", k)


def _apart_clashes(proof: Proof) -> Iterator[_Clash]:
    """Find members of apart groups that share a place with an earlier member of their group."""
    member, group = flatten(proof.given.apart)
    if not member.size:
        return
    places = proof.places[proof.block[member]]
    owner = np.repeat(np.arange(member.size), np.diff(places.indptr))
    key = group[owner] * places.shape[1] + places.indices
    rank = np.lexsort((owner, key))
    owner, key = owner[rank], key[rank]
    first = np.searchsorted(key, key)
    again = np.flatnonzero(first < np.arange(key.size))
    late, which = np.unique(owner[again], return_index=True)  # once, even with two places shared
    early = owner[first[again[which]]]
    for a, b in zip(early.tolist(), late.tolist(), strict=True):
        yield _Clash("apart", int(group[b]), int(member[a]), int(member[b]))


class _Reason(NamedTuple):
    """Why a block is not of a class: a statement on a point of it (and one of that class)."""

    kind: str
    at: int
    here: int
    there: int = -1


class _Elimination:
    """The k-1 rule run to its fixpoint: a block ruled out of all classes but one is of that one.

    A work list visits every statement a bounded number of times, so that the time is linear even
    for long chains of deductions. Blocks with contradictory labels take no part.
    """

    def __init__(self, proof: Proof) -> None:
        self._proof = proof
        self._n_classes = len(proof.given.classes)
        self.class_of: dict[int, int] = _single_labels(proof)
        self._labelled = frozenset(proof.block_labels[0].tolist())
        self.reasons: defaultdict[int, dict[int, _Reason]] = defaultdict(dict)
        self.derived: dict[int, int] = {}  # block -> turn at which its class was found
        self.dead: dict[int, None] = {}  # blocks without a class left, in order
        self._queue = deque(self.class_of)
        self._run()

    def _run(self) -> None:
        """Spread exclusions from the labels and negative labels until nothing follows."""
        proof, given = self._proof, self._proof.given
        block = proof.block.tolist()
        negatives = zip(given.negative_index.tolist(), given.negative_code.tolist(), strict=True)
        for k, (i, code) in enumerate(negatives):
            self._exclude(block[i], code, _Reason("negative_labels", k, i))
        links: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for k, (i, j) in enumerate(given.cannot_link.tolist()):
            links[block[i]].append((k, i, j))
            links[block[j]].append((k, j, i))
        seats: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for i, g in zip(*(column.tolist() for column in flatten(given.apart)), strict=True):
            seats[block[i]].append((g, i))
        told: set[tuple[int, int]] = set()  # a group learns of a class once
        while self._queue:
            u = self._queue.popleft()
            if u in self.dead:
                continue
            code = self.class_of[u]
            for k, here, there in links.get(u, ()):
                self._exclude(block[there], code, _Reason("cannot_link", k, there, here))
            for g, here in seats.get(u, ()):
                if (g, code) not in told:
                    told.add((g, code))
                    for i in given.apart[g].tolist():
                        if block[i] != u:
                            self._exclude(block[i], code, _Reason("apart", g, i, here))

    def _exclude(self, block: int, code: int, reason: _Reason) -> None:
        """Note that a block without a given label is not of a class, and what follows."""
        if block in self._labelled or code in self.reasons[block]:
            return
        known = self.reasons[block]
        known[code] = reason
        if len(known) == self._n_classes:
            self.dead[block] = None
        elif len(known) == self._n_classes - 1:
            every = self._n_classes * (self._n_classes - 1) // 2
            self.class_of[block] = every - sum(known)
            self.derived[block] = len(self.derived)
            self._queue.append(block)

    def edges(self) -> Edges:
        """Return the classes found as label edges of weight 1 from the first point of a block."""
        block = np.fromiter(self.derived, dtype=np.int64, count=len(self.derived))
        code = np.array([self.class_of[u] for u in self.derived], dtype=np.int64)
        head = self._proof.first_class + code
        return Edges(self._proof.anchor[block], head, np.ones(block.size))


def _single_labels(proof: Proof) -> dict[int, int]:
    """Map every block with exactly one label to its class."""
    block, code = proof.block_labels
    _, first, count = np.unique(block, return_index=True, return_counts=True)
    single = first[count == 1]
    return dict(zip(block[single].tolist(), code[single].tolist(), strict=True))


def eliminate(proof: Proof, n_classes: int | None) -> _Elimination | None:
    """Run the k-1 rule where the list of classes is known to be complete."""
    given = proof.given
    known = len(given.classes)
    if n_classes is not None and (n_classes < known or (given.declared and n_classes > known)):
        verb = "declare" if given.declared else "name"
        raise ValueError(f"n_classes={n_classes}, but the constraints {verb} {known} classes")
    complete = given.declared or n_classes == known
    rules_out = len(given.cannot_link) or len(given.negative_index) or len(given.apart)
    return _Elimination(proof) if complete and known and rules_out else None


class Witness:
    """Writes the proofs of contradictions: shortest paths in the proof graph, as sentences."""

    def __init__(
        self, proof: Proof, elimination: _Elimination | None, names: Sequence[Any] | None = None
    ) -> None:
        self._proof, self._given = proof, proof.given
        self._elimination = elimination
        self._names: Sequence[Any] = range(proof.n) if names is None else names
        inner, labels = proof.inner, proof.labels
        # Classes lead to points but not back: no path passes through a class on its way.
        row = np.concatenate((inner.tail, inner.head, labels.head))
        column = np.concatenate((inner.head, inner.tail, labels.tail))
        shape = (proof.n_nodes, proof.n_nodes)
        self._graph = sp.coo_array((np.ones(row.size), (row, column)), shape=shape).tocsr()
        self._search = lru_cache(maxsize=64)(self._search_from)

    def conflicts(self, clashes: Sequence[_Clash]) -> list[Conflict]:
        """Prove clashes, those with the same source after one another to share its search."""
        proved: dict[int, Conflict] = {}
        for k in sorted(range(len(clashes)), key=lambda k: self._source(clashes[k])):
            proved[k] = self._prove(clashes[k])
        return [proved[k] for k in range(len(clashes))]

    def _source(self, clash: _Clash) -> tuple[str, int]:
        """Return where the search for a clash starts."""
        if clash.kind == "cannot_link":
            return clash.kind, int(self._given.cannot_link[clash.at, 0])
        if clash.kind == "negative_labels":
            return clash.kind, int(self._given.negative_code[clash.at])
        return clash.kind, clash.a

    def _prove(self, clash: _Clash) -> Conflict:
        """Write the proof of one clash."""
        if clash.kind == "labels":
            return self._two_labels(clash)
        if clash.kind == "negative_labels":
            return self._negative(clash)
        if clash.kind == "classes":
            return self._no_class_left(clash)
        if clash.kind == "apart":
            i, j = clash.a, clash.b
        else:
            i, j = self._given.cannot_link[clash.at].tolist()
        chain = [*self._sentences(self._link(i, j)), self._cannot(clash.kind, clash.at, i, j)]
        return self._conflict(clash.kind, i, j, chain)

    def _conflict(self, kind: str, i: int, j: int, chain: Iterable[str]) -> Conflict:
        """Name the two ends."""
        named = () if isinstance(self._names, range) else (str(self._names[i]), str(self._names[j]))
        return Conflict(kind, (i, j), tuple(chain), named)

    def _two_labels(self, clash: _Clash) -> Conflict:
        """Prove a block of two classes, from the point nearest to one that has the other."""
        proof, source = self._proof, self._proof.first_class + clash.a
        key, rank = self._sorted_labels
        wanted = clash.at * len(self._given.classes) + clash.b
        low, high = np.searchsorted(key, [wanted, wanted + 1])
        points = self._given.label_index[rank[low:high]]
        _, turn = self._search(source)
        nearest = int(points[np.argmin(turn[points])])
        path = self._path(source, nearest)
        last = self._label(nearest, proof.first_class + clash.b)
        return self._conflict(clash.kind, path[1], nearest, (*self._sentences(path), last))

    @cached_property
    def _sorted_labels(self) -> tuple[IntArray, NDArray[np.intp]]:
        """The labels sorted by block and class: keys, and statement numbers."""
        key = self._proof.label_keys(self._given.label_index, self._given.label_code)
        rank = np.argsort(key, kind="stable")
        return key[rank], rank

    def _negative(self, clash: _Clash) -> Conflict:
        """Prove that a point is of the class it is said not to be of."""
        point = int(self._given.negative_index[clash.at])
        code = int(self._given.negative_code[clash.at])
        path = self._path(self._proof.first_class + code, point)
        last = self._cannot(clash.kind, clash.at, point, -1)
        return self._conflict(clash.kind, path[1], point, (*self._sentences(path), last))

    def _no_class_left(self, clash: _Clash) -> Conflict:
        """Prove every exclusion of a block, after those of the blocks the exclusions rest on."""
        assert self._elimination is not None
        derived, block = self._elimination.derived, self._proof.block
        needed, stack = {clash.at}, [clash.at]
        while stack:
            for _, reason in self._exclusions(stack.pop(), clash.at):
                base = int(block[reason.there]) if reason.there >= 0 else -1
                if base in derived and base not in needed:
                    needed.add(base)
                    stack.append(base)
        needed.discard(clash.at)
        chain: dict[str, None] = {}  # an ordered set
        for u in (*sorted(needed, key=derived.__getitem__), clash.at):
            for code, reason in self._exclusions(u, clash.at):
                chain.update(dict.fromkeys(self._explain(u, code, reason)))
        names = ", ".join(map(repr, self._given.classes))
        anchor = int(self._proof.anchor[clash.at])
        return self._conflict(
            clash.kind, anchor, anchor, (*chain, f"there is no class but {names}")
        )

    def _exclusions(self, block: int, dead: int) -> list[tuple[int, _Reason]]:
        """Return the exclusions that give a block its class, or leave the dead one without."""
        assert self._elimination is not None
        found = sorted(self._elimination.reasons[block].items())
        own = -1 if block == dead else self._elimination.class_of[block]
        return [(code, reason) for code, reason in found if code != own]

    def _explain(self, block: int, code: int, reason: _Reason) -> Iterator[str]:
        """State why a block is not of a class, all classes found before being known."""
        assert self._elimination is not None
        anchor = self._proof.anchor
        yield from self._sentences(self._path(int(anchor[block]), reason.here))
        if reason.there >= 0:
            base = int(self._proof.block[reason.there])
            found = base in self._elimination.derived
            source = int(anchor[base]) if found else self._proof.first_class + code
            yield from self._sentences(self._path(source, reason.there))
        yield self._cannot(reason.kind, reason.at, reason.here, reason.there)

    def _link(self, i: int, j: int) -> list[int]:
        """Return the shortest path between two points by must-links and at most one class."""
        proof = self._proof
        block, code = proof.block_labels
        routes = [self._path(i, j)] if proof.block[i] == proof.block[j] else []
        ends = (np.searchsorted(block, [b, b + 1]) for b in (proof.block[i], proof.block[j]))
        of_i, of_j = (code[low:high] for low, high in ends)
        for shared in np.intersect1d(of_i, of_j).tolist():
            node = proof.first_class + shared
            routes.append(self._path(node, i)[:0:-1] + self._path(node, j))
        return min(routes, key=len)

    def _search_from(self, source: int) -> tuple[NDArray[np.int32], IntArray]:
        """Search breadth-first: the predecessor of every node, and when it was reached."""
        order, before = csgraph.breadth_first_order(self._graph, source, directed=True)
        turn = np.full(self._proof.n_nodes, self._proof.n_nodes, dtype=np.int64)
        turn[order] = np.arange(order.size)
        return before, turn

    def _path(self, source: int, target: int) -> list[int]:
        """Return the nodes of a shortest path."""
        if source == target:
            return [source]
        before, _ = self._search(source)
        path = [target]
        while path[-1] != source:
            path.append(int(before[path[-1]]))
        return path[::-1]

    def _sentences(self, path: list[int]) -> Iterator[str]:
        """Say a path, one sentence for each given statement."""
        proof, name = self._proof, self._names
        for k, (a, b) in enumerate(pairwise(path)):
            if max(a, b) >= proof.first_class:
                yield self._label(min(a, b), max(a, b))
            elif a >= proof.n:
                first = name[path[k - 1]]
                yield f"{first} and {name[b]} belong together (together group {a - proof.n})"
            elif b < proof.n:
                number = self._must_number[min(a, b), max(a, b)]
                yield f"{name[a]} and {name[b]} must link (must-link {number})"

    def _label(self, point: int, node: int) -> str:
        """Say a label."""
        known = self._given.classes[node - self._proof.first_class]
        return f"{self._names[point]} is {known!r} (label)"

    def _cannot(self, kind: str, at: int, i: int, j: int) -> str:
        """Say the statement that keeps two points, or a point and a class, apart."""
        first = self._names[i]
        if kind == "cannot_link":
            return f"{first} and {self._names[j]} cannot link (cannot-link {at})"
        if kind == "apart":
            return f"{first} and {self._names[j]} are apart (apart group {at})"
        known = self._given.classes[int(self._given.negative_code[at])]
        return f"{first} is not {known!r} (negative label {at})"

    @cached_property
    def _must_number(self) -> dict[tuple[int, int], int]:
        """Map every must-linked pair to the number of its first statement."""
        pairs = np.sort(self._given.must_link, axis=1).tolist()
        return {(i, j): k for k, (i, j) in reversed(list(enumerate(pairs)))}


def find_conflicts(
    given: Statements, n: int, n_classes: int | None, names: Sequence[Any] | None = None
) -> list[Conflict]:
    """List all contradictions with their proofs."""
    proof = Proof(given, n)
    elimination = eliminate(proof, n_classes)
    clashes = find_clashes(proof, elimination)
    return Witness(proof, elimination, names).conflicts(clashes) if clashes else []


def cannot_edges(proof: Proof) -> Edges:
    """Return given cannot-links and negative labels as edges of the proof graph."""
    given = proof.given
    pairs = Edges(given.cannot_link[:, 0], given.cannot_link[:, 1], given.cannot_weight)
    index, node = given.negative_index, proof.first_class + given.negative_code
    return pairs.plus(Edges(index, node, np.ones(index.size)))


def _components(edges: Edges, n_nodes: int) -> tuple[IntArray, int]:
    """Number the connected components of a graph by first appearance."""
    nodes = np.arange(n_nodes, dtype=np.int64)
    if not edges.tail.size:
        return nodes, n_nodes
    ends = (edges.tail, edges.head)
    ones = np.ones(edges.tail.size, dtype=np.int8)
    graph = sp.coo_array((ones, ends), shape=(n_nodes, n_nodes)).tocsr()
    count, label = csgraph.connected_components(graph, directed=False)
    first = np.empty(count, dtype=np.int64)
    first[label[::-1]] = nodes[::-1]  # the last one written is the first
    rank = np.cumsum(first[label] == nodes) - 1  # of the components that have appeared
    return rank[first][label], int(count)


def point_components(edges: Edges, n: int, n_nodes: int) -> tuple[IntArray, int]:
    """Number the components that hold points; nodes of others get -1."""
    component, _ = _components(edges, n_nodes)
    # Points come before all other nodes, hence so do the components that hold points.
    count = int(component[:n].max()) + 1 if n else 0
    return np.where(component < count, component, -1), count


def flatten(groups: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Return the members of all groups in one array, and the number of each one's group."""
    if not groups:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    sizes = [len(group) for group in groups]
    return np.concatenate(groups), np.repeat(np.arange(len(groups), dtype=np.int64), sizes)
