"""Colouring a graph with k colours, which tells whether k clusters can keep hard cannot-links."""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

__all__ = ["Uncolourable", "colour"]

IntArray = NDArray[np.int64]

#: The exhaustive search gives up after this many steps.
_MOST_STEPS = 50_000
#: The tabu search gives up after this many steps.
_MOST_REPAIRS = 100_000
#: A search that tries to leave out a vertex of a core gives up after this many steps.
_STEPS_TO_SHRINK = 2_000
#: Cores up to this size are shrunk before they are shown.
_LARGEST_SHRUNK = 60


class Uncolourable(ValueError):
    """No colouring was found.

    Attributes
    ----------
    core : list of int
        Vertices that cannot be coloured together.
    proved : bool
        Whether that is proved; else the searches gave up.
    """

    def __init__(self, core: list[int], proved: bool) -> None:
        self.core = core
        self.proved = proved
        super().__init__(f"{len(core)} vertices cannot be coloured")


def colour(n: int, edges: IntArray, k: int, wish: NDArray[np.int32]) -> IntArray:
    """Colour the vertices 0..n-1 with 0..k-1 so that no edge has two ends of one colour.

    Vertices of one ``wish`` get one colour where that is possible. Raises :class:`Uncolourable`
    where no colouring is found.
    """
    near: list[set[int]] = [set() for _ in range(n)]
    for a, b in edges.tolist():
        near[a].add(b)
        near[b].add(a)
    peeled = _peel(near, k)
    core = sorted(set(range(n)) - set(peeled))
    search = _Colouring(near, k, wish.tolist())
    filled = search.fill(core, _MOST_STEPS)
    if filled is None:
        search = _Colouring(near, k, wish.tolist())
        filled = search.take(core, _repaired(core, near, k, wish))
    if not filled:
        proved = filled is False
        raise Uncolourable(_shrunk(core, near, k, wish.tolist()) if proved else core, proved)
    for v in reversed(peeled):  # a vertex with fewer than k coloured neighbours has a free colour
        search.put(v, search.options(v)[0])
    return np.array([search.found[v] for v in range(n)], dtype=np.int64)


class _Colouring:
    """A colouring in the making."""

    def __init__(self, near: list[set[int]], k: int, wish: list[int]) -> None:
        self.near, self.k, self.wish = near, k, wish
        self.found: dict[int, int] = {}
        self.used: Counter[int] = Counter()
        self.votes: Counter[tuple[int, int]] = Counter()  # by wish and colour
        self.taken: list[Counter[int]] = [Counter() for _ in near]  # colours of the neighbours

    def put(self, v: int, c: int, sign: int = 1) -> None:
        """Give vertex v a colour, or with ``sign`` -1 take it back."""
        self.used[c] += sign
        self.votes[self.wish[v], c] += sign
        for u in self.near[v]:
            self.taken[u][c] += sign
            if not self.taken[u][c]:
                del self.taken[u][c]
        if sign > 0:
            self.found[v] = c
        else:
            del self.found[v]

    def options(self, v: int) -> list[int]:
        """List the free colours of v: its wish first, then the rarest; one stands for all unused.

        Colours that nobody has are alike, so trying one of them is enough.
        """
        free = set(range(self.k)) - self.taken[v].keys()
        unused = sorted(c for c in free if not self.used[c])
        free -= set(unused[1:])
        return sorted(free, key=lambda c: (-self.votes[self.wish[v], c], self.used[c], c))

    def fill(self, core: list[int], most_steps: int) -> bool | None:
        """Colour the vertex with fewest free colours first, and backtrack where none is left.

        Returns False where there is no colouring, None where the search gave up.
        """
        trail: list[tuple[int, list[int]]] = []
        inside = set(core)
        queue = [self._urgency(v) for v in core]  # entries that are out of date are skipped
        heapify(queue)

        def put(v: int, c: int, sign: int = 1) -> None:
            self.put(v, c, sign)
            for u in (self.near[v] & inside) | {v}:
                if u not in self.found:
                    heappush(queue, self._urgency(u))

        for _ in range(most_steps):
            while queue and (queue[0][2] in self.found or queue[0] != self._urgency(queue[0][2])):
                heappop(queue)
            if not queue:
                return True
            v = queue[0][2]
            options = self.options(v)
            while not options:
                if not trail:
                    return False
                v, options = trail.pop()
                put(v, self.found[v], -1)
            put(v, options.pop(0))
            trail.append((v, options))
        return None

    def _urgency(self, v: int) -> tuple[int, int, int]:
        """Return a sort key: fewest free colours first, then most neighbours."""
        return -len(self.taken[v]), -len(self.near[v]), v

    def take(self, core: list[int], colours: IntArray | None) -> bool | None:
        """Take over a colouring, if there is one."""
        if colours is None:
            return None
        for v, c in zip(core, colours.tolist(), strict=True):
            self.put(v, c)
        return True


def _repaired(
    core: list[int], near: list[set[int]], k: int, wish: NDArray[np.int32]
) -> IntArray | None:
    """Start from the k most frequent wishes and change one colour at a time, the best first.

    No vertex gets its former colour back at once. This tabu search (Hertz & de Werra 1987) finds
    colourings of large cores; where it finds none, that proves nothing.
    """
    place = {v: p for p, v in enumerate(core)}
    beside = [np.array([place[u] for u in near[v] if u in place], dtype=np.int64) for v in core]
    random = np.random.default_rng(0)
    colours = random.integers(0, k, len(core))
    wishes, wished, frequency = np.unique(wish[core], return_inverse=True, return_counts=True)
    if wishes.size > 1:
        rank = np.argsort(np.argsort(-frequency, kind="stable"))[wished]
        colours = np.where(rank < k, rank, colours)
    count = np.zeros((len(core), k), dtype=np.int64)  # neighbours of each colour
    for v, others in enumerate(beside):
        np.add.at(count[v], colours[others], 1)
    blocked = np.zeros_like(count)  # until which step
    for step in range(_MOST_REPAIRS):
        clash = np.flatnonzero(count[np.arange(len(core)), colours])
        if clash.size == 0:
            return np.asarray(colours, dtype=np.int64)
        change = (count[clash] - count[clash, colours[clash]][:, None]).astype(np.float64)
        change[np.arange(clash.size), colours[clash]] = np.inf
        change[blocked[clash] > step] += len(core)  # taken only if all are blocked
        best = np.flatnonzero(change.ravel() == change.min())
        row, c = divmod(int(random.choice(best)), k)
        v = int(clash[row])
        old = int(colours[v])
        blocked[v, old] = step + int(0.6 * clash.size) + int(random.integers(10))
        colours[v] = c
        count[beside[v], old] -= 1
        count[beside[v], c] += 1
    return None


def _peel(near: list[set[int]], k: int) -> list[int]:
    """Remove vertices with fewer than k neighbours again and again; return them in that order."""
    degree = [len(s) for s in near]
    peeled = [v for v, d in enumerate(degree) if d < k]
    gone = set(peeled)
    for v in peeled:  # grows while it is walked
        for u in near[v]:
            degree[u] -= 1
            if degree[u] < k and u not in gone:
                gone.add(u)
                peeled.append(u)
    return peeled


def _shrunk(core: list[int], near: list[set[int]], k: int, wish: list[int]) -> list[int]:
    """Leave out vertices while the rest still cannot be coloured."""
    if len(core) > _LARGEST_SHRUNK:
        return core
    for v in list(core):
        rest = [u for u in core if u != v]
        if _Colouring(near, k, wish).fill(rest, _STEPS_TO_SHRINK) is False:
            core = rest
    return core
