"""Cells: many samples divided into small overlapping parts, inside which neighbours are sought.

Cells are those of k-means on two levels, made from a sample of the rows. A row is a *member* of its
nearest cells, and is compared with the members of some more. The steps are functions of their
arguments alone, so that shards of the work may be done in any order, on any machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree import _kernels

__all__ = ["MEMBERSHIPS", "Cells", "exact_lists", "merge_lists", "search_cells"]

#: Cells that each row is a member of, the nearest ones.
MEMBERSHIPS = 3
#: Rows for each cell.
_PER_CELL = 250
#: Sampled rows for each cell that k-means is run on.
_SAMPLE = 16
#: Most sampled rows, however many cells there are.
_MOST_SAMPLE = 1 << 22
#: Iterations of k-means.
_ITERATIONS = 5
#: Coarse cells that are looked into for the nearest cells, beside a quarter of the number of these
#: (as a power of two, so that a few cells more or less do not matter).
_WIDE = 4
#: Members of the largest cell: equal rows, or nearly, would make it quadratic.
_MOST_MEMBERS = 8192
#: Rows that are assigned at a time, and members that are searched at a time by the exact search.
_BLOCK = 1 << 19

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Cells:
    """Centres of cells on two levels, ordered so that near ones have near numbers."""

    coarse: Floats
    fine: Floats
    parent: Ints  # the coarse cell of each

    @classmethod
    def fit(cls, sample: Floats, n: int, seed: int, threads: int = 1) -> Cells:
        """Divide the space of n rows, of which a sample is given in random order."""
        rng = np.random.default_rng(seed)
        number = max(1, min(n // _PER_CELL, len(sample) // 2))
        few = sample[: max(256 * math.isqrt(number), 1)]
        centres = few[: math.isqrt(number)]
        coarse = _k_means(few, np.zeros(len(few)), centres, np.zeros(len(centres)), threads)[0]
        coarse = coarse[_along(coarse)]
        group = _nearest(sample, coarse, 1, threads)[:, 0]
        # As many cells in each coarse one as its share of the sample.
        count = np.bincount(group, minlength=len(coarse))
        wanted = np.ceil(count * (number / len(sample))).astype(np.int64)
        order = np.argsort(group, kind="stable")
        place = np.arange(len(sample)) - np.repeat(np.cumsum(count) - count, count)
        first = rng.permutation(order[place < wanted[group[order]]])
        first = first[np.argsort(group[first], kind="stable")]
        fine, parent = _k_means(sample, group, sample[first], group[first], threads)
        return cls(coarse, fine, parent)

    @staticmethod
    def sample_size(n: int) -> int:
        """Return how many of n rows :meth:`fit` should be given."""
        return min(n, max(_SAMPLE * (n // _PER_CELL), 1024), _MOST_SAMPLE)

    @property
    def number(self) -> int:
        """Number of cells."""
        return len(self.fine)

    def assign(self, points: Floats, overlap: int, threads: int = 1) -> Ints:
        """Return the nearest cells of each row, nearest first; -1 where there are fewer."""
        wide = min(_WIDE + (1 << (overlap - 1).bit_length()) // 4, len(self.coarse))
        parts = [np.empty((0, overlap), dtype=np.int32)]
        for start in range(0, len(points), _BLOCK):
            part = points[start : start + _BLOCK]
            near = _nearest(part, self.coarse, wide, threads)
            fine = self.fine, self.parent, len(self.coarse)
            parts.append(_search(part, near, *fine, overlap, threads))
        return np.concatenate(parts)

    def borders(self, groups: int) -> NDArray[np.int64]:
        """Return the first cell of each of so many groups of cells, and the number of all."""
        return np.linspace(0, self.number, groups + 1).astype(np.int64)


def search_cells(
    points: Floats,
    cells: Ints,
    n_cells: int,
    p: int,
    threads: int = 1,
    progress: Any = None,
) -> tuple[Ints, Floats]:
    """Return the p nearest rows of each row, among the members of its cells.

    Parameters
    ----------
    points : float32 array of shape (n, n_features)
        The rows, in an order that does not depend on how work was divided.
    cells : int32 array of shape (n, overlap)
        The cells of each row, 0..n_cells-1, nearest first; -1 for cells that are not searched. Rows
        are members of the first :data:`MEMBERSHIPS`. All members of a cell must be there.
    n_cells, p : int
        Number of cells, and of neighbours.

    Returns
    -------
    ids : int32 array of shape (n, p)
        Rows, nearest first, ties by number; -1 where there are fewer.
    squared : float32 array of shape (n, p)
        Squared distances, the same for a pair from both sides; infinite where there is no row.
    """
    cells, n_cells = _divided(cells, n_cells)
    members = np.ascontiguousarray(cells[:, :MEMBERSHIPS])
    own = np.arange(len(points), dtype=np.int32)
    found = _kernels.nearest_in_cells(
        points, cells, points, members, own, n_cells, p, threads, progress
    )
    return found[0].reshape(-1, p), found[1].reshape(-1, p)


def merge_lists(
    ids: Ints,
    squared: Floats,
    rows: NDArray[np.int64],
    more_ids: Ints,
    more_squared: Floats,
    threads: int = 1,
) -> None:
    """Add lists of the nearest of some rows, as of :func:`search_cells`, to those of all, in place.

    The result does not depend on the order in which lists are added.
    """
    _kernels.merge_lists(ids, squared, rows, more_ids, more_squared, threads)


def exact_lists(
    points: Floats, rows: NDArray[np.int64], p: int, threads: int = 1
) -> tuple[Ints, Floats]:
    """Return the p nearest rows of some rows, among all."""
    ids = np.full((rows.size, p), -1, dtype=np.int32)
    squared = np.full((rows.size, p), np.inf, dtype=np.float32)
    queries = np.ascontiguousarray(points[rows])
    everyone = np.arange(rows.size)
    for start in range(0, len(points), _BLOCK):
        block = np.ascontiguousarray(points[start : start + _BLOCK])
        inside = (rows >= start) & (rows < start + len(block))
        own = np.where(inside, rows - start, -1).astype(np.int32)
        zero = np.zeros((len(block), 1), dtype=np.int32)
        found = _kernels.nearest_in_cells(
            queries,
            zero[: rows.size]
            if rows.size <= len(block)
            else np.zeros((rows.size, 1), dtype=np.int32),
            block,
            zero,
            own,
            1,
            p,
            threads,
            None,
        )
        near = found[0].reshape(-1, p)
        near[near >= 0] += start
        merge_lists(ids, squared, everyone, near, found[1].reshape(-1, p), threads)
    return ids, squared


def _search(
    queries: Floats,
    cells: NDArray[Any],
    members: Floats,
    member_cells: NDArray[Any],
    n_cells: int,
    p: int,
    threads: int,
) -> Ints:
    """Return the nearest members of the cells of each query."""
    none = np.empty(0, dtype=np.int32)
    found = _kernels.nearest_in_cells(
        np.ascontiguousarray(queries),
        np.ascontiguousarray(cells, dtype=np.int32),
        np.ascontiguousarray(members),
        np.ascontiguousarray(member_cells[:, None], dtype=np.int32),
        none,
        n_cells,
        p,
        threads,
        None,
    )[0]
    return found.reshape(len(queries), p)


def _nearest(queries: Floats, members: Floats, p: int, threads: int) -> Ints:
    """Return the nearest of a few members."""
    all_in_one = np.zeros((len(queries), 1), dtype=np.int32)
    return _search(queries, all_in_one, members, np.zeros(len(members)), 1, p, threads)


def _k_means(
    sample: Floats,
    group: NDArray[Any],
    centres: Floats,
    centre_group: NDArray[Any],
    threads: int,
) -> tuple[Floats, Ints]:
    """Improve centres by k-means inside groups of the sample; those without rows are dropped."""
    groups = int(group.max(initial=0)) + 1
    for _ in range(_ITERATIONS):
        near = _search(sample, group[:, None], centres, centre_group, groups, 1, threads)[:, 0]
        count = np.bincount(near, minlength=len(centres))
        sums = [np.bincount(near, column, len(centres)) for column in sample.T]
        some = count > 0
        centres = (np.stack(sums, axis=1)[some] / count[some, None]).astype(np.float32)
        centre_group = centre_group[some]
    return centres, centre_group.astype(np.int32)


def _along(centres: Floats) -> NDArray[np.intp]:
    """Return centres in an order in which near ones follow each other: halves of halves."""
    order, done = [np.arange(len(centres))], []
    while order:
        part = order.pop()
        if part.size <= 2:
            done.append(part)
            continue
        widest = int(np.argmax(np.ptp(centres[part], axis=0)))
        part = part[np.argsort(centres[part, widest], kind="stable")]
        order += [part[part.size // 2 :], part[: part.size // 2]]
    return np.concatenate(done) if done else np.empty(0, dtype=np.intp)


def _divided(cells: Ints, n_cells: int) -> tuple[Ints, int]:
    """Divide cells of too many members into parts, by the order of rows."""
    members = cells[:, :MEMBERSHIPS]
    count = np.bincount(members[members >= 0], minlength=n_cells)
    large = np.flatnonzero(count > _MOST_MEMBERS)
    if large.size:
        cells = cells.copy()
    for cell in large:
        parts = -(-int(count[cell]) // _MOST_MEMBERS)
        rows, columns = np.nonzero(cells == cell)
        inside = columns < MEMBERSHIPS
        part = np.empty(rows.size, dtype=np.int64)
        for some in (inside, ~inside):
            size = int(np.count_nonzero(some))
            part[some] = np.arange(size) * parts // max(size, 1)
        cells[rows, columns] = np.where(part == 0, cell, n_cells - 1 + part)
        n_cells += parts - 1
    return cells, n_cells
