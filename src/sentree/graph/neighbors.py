"""The nearest neighbours of samples: which search finds them, and the search ready to be asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sentree.graph.exact_search import exact_neighbors, row_blocks
from sentree.graph.index_search import cells_search, faiss_search, fork_safe, sklearn_search
from sentree.graph.queries import KeyArray, Neighbors, Queries, Search, neighbors_from_distances
from sentree.graph.spaces import (
    EuclideanSpace,
    IndexArray,
    Metric,
    MetricSpace,
    Space,
    canonical_metric,
    is_sparse,
    make_space,
)

__all__ = [
    "SEARCHES",
    "SEARCH_NAMES",
    "EuclideanSpace",
    "Metric",
    "MetricSpace",
    "NeighborSearch",
    "Neighbors",
    "Queries",
    "Space",
    "canonical_metric",
    "cells_search",
    "exact_neighbors",
    "faiss_search",
    "is_sparse",
    "make_space",
    "neighbors_from_distances",
    "row_blocks",
    "sklearn_search",
]

#: "auto" searches exactly up to this many samples.
EXACT_LIMIT = 5000
#: Above that, "auto" searches by KD-tree up to this many features.
KD_TREE_FEATURES = 3
#: From this many samples on, "auto" searches by cells.
CELLS_FROM = 100_000
SEARCH_NAMES = ("auto", "cells", "exact", "faiss", "sklearn")


def _search_large(space: Space, p: int, n_jobs: int | None, seed: int) -> Search:
    """Search many samples: by an inverted file, or by cells if they are very many.

    With scikit-learn where these do not apply.
    """
    sparse = is_sparse(space.points)
    tree = not sparse and space.points.shape[1] <= KD_TREE_FEATURES
    if isinstance(space, MetricSpace) or sparse or tree:
        return sklearn_search(space, p, n_jobs, seed)
    search = cells_search if space.n >= CELLS_FROM else faiss_search
    return search(space, p, n_jobs, seed)


#: Search strategies by name, beside the exact one.
SEARCHES: dict[str, Callable[[Space, int, int | None, int], Search]] = {
    "auto": _search_large,
    "cells": cells_search,
    "faiss": faiss_search,
    "sklearn": sklearn_search,
}


class NeighborSearch:
    """A search for the p nearest samples of a space, ready to be asked.

    Samples without direction are nobody's neighbours and have none.
    """

    def __init__(
        self,
        space: Space,
        p: int,
        search: str,
        n_jobs: int | None,
        seed: int,
        ties: bool = True,
        keys: KeyArray | None = None,
    ) -> None:
        self._members, self._inner = _with_direction(space)
        self._keys = None if keys is None else keys[self._members]
        self._n = space.n
        p = min(p, self._inner.n - 1)
        self._search: Search | None
        if p < 1:
            self._search = None
        elif search == "exact" or (search == "auto" and self._inner.n <= EXACT_LIMIT):
            self._search = partial(exact_neighbors, self._inner, p, ties=ties, keys=self._keys)
        else:
            with fork_safe():
                self._search = SEARCHES[search](self._inner, p, n_jobs, seed)

    def others(self) -> Neighbors:
        """Find the nearest others of every sample."""
        return self._ask(Queries.all_of(self._inner, self._keys), self._members, self._n)

    def of(self, samples: Space, keys: KeyArray | None = None) -> Neighbors:
        """Find the nearest samples of new ones, which are laid out as the space is."""
        rows, inner = _with_direction(samples)
        return self._ask(
            Queries(inner, None, None if keys is None else keys[rows]), rows, samples.n
        )

    def _ask(self, queries: Queries, rows: IndexArray, n: int) -> Neighbors:
        """Search for the neighbours of some of n rows; the others have none."""
        counts = np.zeros(n + 1, dtype=np.int64)
        if self._search is None or rows.size == 0:
            return Neighbors(counts, np.empty(0, np.int64), np.empty(0))
        with fork_safe():
            found = self._search(queries)
        if rows.size == n and self._members.size == self._n:
            return found
        counts[rows + 1] = np.diff(found.indptr)
        return found._replace(indptr=np.cumsum(counts), indices=self._members[found.indices])


def _with_direction(space: Space) -> tuple[NDArray[np.intp], Space]:
    """Return the samples that have a direction, and the space of them alone."""
    rows = np.flatnonzero(space.has_direction())
    return rows, space if rows.size == space.n else space.take(rows)
