"""Colouring a graph with k colours: can hard cannot-links be kept with k clusters, and how?"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

__all__ = ["Uncolourable", "colour"]

IntArray = NDArray[np.int64]

#: Steps of the search before it gives up; only cores of degree k and more need many.
_MOST_STEPS = 200_000
#: Cores up to this size are made smaller before they are shown.
_LARGEST_SHRUNK = 60


class Uncolourable(ValueError):
    """No colouring was found.

    Attributes
    ----------
    core : list of int
        Vertices that cannot be coloured together.
    """

    def __init__(self, core: list[int]) -> None:
        self.core = core
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
    if not search.fill(core):
        raise Uncolourable(_shrunk(core, near, k, wish.tolist()))
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

    def put(self, v: int, c: int, sign: int = 1) -> None:
        """Give vertex v a colour, or with ``sign`` -1 take it back."""
        self.used[c] += sign
        self.votes[self.wish[v], c] += sign
        if sign > 0:
            self.found[v] = c
        else:
            del self.found[v]

    def taken(self, v: int) -> set[int]:
        """Return the colours of the neighbours of v."""
        return {self.found[u] for u in self.near[v] if u in self.found}

    def options(self, v: int) -> list[int]:
        """List the free colours of v: its wish first, then the rarest; one stands for all unused.

        Colours that nobody has are alike, so trying one of them is enough.
        """
        free = set(range(self.k)) - self.taken(v)
        unused = sorted(c for c in free if not self.used[c])
        free -= set(unused[1:])
        return sorted(free, key=lambda c: (-self.votes[self.wish[v], c], self.used[c], c))

    def fill(self, core: list[int]) -> bool:
        """Colour the vertex with fewest colours left first, and go back where none is left."""
        trail: list[tuple[int, list[int]]] = []
        for _ in range(_MOST_STEPS):
            left = [v for v in core if v not in self.found]
            if not left:
                return True
            v = min(left, key=lambda v: (-len(self.taken(v)), -len(self.near[v]), v))
            options = self.options(v)
            while not options:
                if not trail:
                    return False
                v, options = trail.pop()
                self.put(v, self.found[v], -1)
            self.put(v, options.pop(0))
            trail.append((v, options))
        return False


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
        if not _Colouring(near, k, wish).fill(rest):
            core = rest
    return core
