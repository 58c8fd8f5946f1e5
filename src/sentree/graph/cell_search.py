"""Neighbours of many samples on one machine, by cells; finished shards may be kept on disk."""

from __future__ import annotations

import hashlib
import json
import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree._util.files import replacing, write
from sentree._util.stopping import check
from sentree.graph.cells import MEMBERSHIPS, Cells, exact_lists, merge_lists, search_cells

__all__ = ["CellNeighbors", "cell_neighbors", "enough_cells", "keep_shards"]

logger = logging.getLogger(__name__)

#: Recall that sampled rows must reach, so that it is 0.95 on all.
_RECALL = 0.965
#: Number of sampled rows.
_QUERIES = 512
#: Rows of one shard; those of cells around it come in addition.
_SHARD = 1 << 19
#: Rows whose squared distances are checked at a time.
_CHUNK = 1 << 24

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_folder: ContextVar[Path | None] = ContextVar("folder", default=None)


class CellNeighbors(NamedTuple):
    """The nearest rows of every row."""

    ids: Ints  # n x p, nearest first
    squared: Floats  # their squared distances
    recall: float  # share of the true ones among those of sampled rows


@contextmanager
def keep_shards(folder: Path | None) -> Iterator[None]:
    """Keep finished shards of neighbour searches in a folder.

    A later search of the same rows with the same settings goes on from there.
    """
    token = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(token)


def cell_neighbors(points: Floats, p: int, seed: int, threads: int = 1) -> CellNeighbors:
    """Find the p nearest rows of every row, with a recall of at least 0.95.

    Parameters
    ----------
    points : float32 array of shape (n, n_features)
        The rows, about their mean; may be a memory map.
    p : int
        Number of neighbours, less than n.
    seed : int
        Seed of the cells.
    threads : int
        The result does not depend on it.
    """
    n = len(points)
    logger.info("dividing %d samples into cells", n)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(n)[: Cells.sample_size(n)]
    cells = Cells.fit(points[rows], n, seed, threads)
    sampled = np.sort(rng.choice(n, min(n, _QUERIES), replace=False))
    truth = exact_lists(points, sampled, p, threads)
    overlap = enough_cells(cells, points[sampled], points[truth[0]], threads)
    logger.info("%d cells, each sample in the %d nearest", cells.number, overlap)
    groups = -(-n // _SHARD)
    shards = _Shards.of(points, cells, overlap, p, groups, threads)
    ids = np.full((n, p), -1, dtype=np.int32)
    squared = np.full((n, p), np.inf, dtype=np.float32)
    for k in range(groups):
        merge_lists(ids, squared, *shards.found(k), threads)
        logger.info(
            "%d of %d shards are searched", k + 1, groups, extra={"share": (k + 1) / groups}
        )
    short = np.flatnonzero(ids[:, -1] < 0)
    if short.size:
        ids[short], squared[short] = exact_lists(points, short, p, threads)
    hits = squared[sampled] <= truth[1][:, -1:]
    return CellNeighbors(ids, squared, float(hits.mean()))


def enough_cells(cells: Cells, queries: Floats, nearest: Floats, threads: int = 1) -> int:
    """Return how many cells a row must be compared with, for a sufficient recall.

    Parameters
    ----------
    cells : Cells
        The cells.
    queries : float32 array of shape (m, n_features)
        Sampled rows.
    nearest : float32 array of shape (m, p, n_features)
        Their true nearest rows.
    """
    m, p, width = nearest.shape
    flat = np.ascontiguousarray(nearest.reshape(-1, width))
    overlap = MEMBERSHIPS
    while True:
        overlap = min(2 * overlap, cells.number)
        asked = cells.assign(queries, overlap, threads)
        members = cells.assign(flat, overlap, threads)[:, :MEMBERSHIPS].reshape(m, p, 1, -1)
        shared = (asked[:, None, :, None] == members).any(axis=3)
        recall = np.logical_or.accumulate(shared, axis=2).mean(axis=(0, 1))
        if recall[-1] >= _RECALL or overlap == cells.number:
            enough = int(np.argmax(recall >= min(_RECALL, recall[-1]))) + 1
            return max(enough, MEMBERSHIPS, overlap // 2 + 1)


class _Shards:
    """The work in shards: a shard is a range of cells and the rows that are compared there."""

    def __init__(
        self,
        points: Floats,
        assigned: Ints,
        cells: Cells,
        p: int,
        groups: int,
        threads: int,
        folder: Path | None,
    ) -> None:
        self.points, self.assigned, self.cells = points, assigned, cells
        self.p, self.threads, self.folder = p, threads, folder
        self.borders = cells.borders(groups)

    @classmethod
    def of(
        cls, points: Floats, cells: Cells, overlap: int, p: int, groups: int, threads: int
    ) -> _Shards:
        """Assign rows to cells, unless that is done already."""
        folder = _folder.get()
        if folder is None:
            assigned = cells.assign(points, overlap, threads)
            return cls(points, assigned, cells, p, groups, threads, None)
        mark = _fingerprint(points, cells, overlap, p, groups)
        folder = folder / "neighbours"
        manifest = folder / "manifest.json"
        if not manifest.exists() or json.loads(manifest.read_text()) != mark:
            for old in folder.glob("*"):
                old.unlink()
            folder.mkdir(parents=True, exist_ok=True)
            _save(folder / "cells.npy", cells.assign(points, overlap, threads))
            write(manifest, json.dumps(mark, indent=1))
        assigned = np.load(folder / "cells.npy", mmap_mode="r")
        return cls(points, assigned, cells, p, groups, threads, folder)

    def found(self, k: int) -> tuple[NDArray[np.int64], Ints, Floats]:
        """Return the rows of a shard, and their nearest rows there, with squared distances."""
        paths = [] if self.folder is None else self._paths(k)
        if paths and all(path.exists() for path in paths):
            rows, ids, squared = (np.load(path) for path in paths)
            return rows, ids, squared
        found = self._search(k)
        if paths:
            _save(paths[0], found[0])
            _save(paths[1], found[1])
            _save(paths[2], found[2])
        return found

    def _paths(self, k: int) -> list[Path]:
        assert self.folder is not None
        return [self.folder / f"shard-{k:05d}-{name}.npy" for name in ("rows", "ids", "squared")]

    def _search(self, k: int) -> tuple[NDArray[np.int64], Ints, Floats]:
        check()
        first, last = self.borders[k], self.borders[k + 1]
        if self.borders.size == 2:
            rows, local = np.arange(len(self.points)), np.asarray(self.assigned)
        else:
            inside = np.zeros(len(self.points), dtype=bool)
            step = max(1, _CHUNK // self.assigned.shape[1])
            for start in range(0, len(self.points), step):
                part = self.assigned[start : start + step]
                inside[start : start + step] = ((part >= first) & (part < last)).any(axis=1)
            rows = np.flatnonzero(inside)
            local = np.asarray(self.assigned[rows])
            local = np.where((local >= first) & (local < last), local - np.int32(first), -1)
        points = (
            np.ascontiguousarray(self.points[rows]) if rows.size < len(self.points) else self.points
        )
        groups = self.borders.size - 1

        def tell(share: float) -> None:
            logger.info("searching shard %d", k + 1, extra={"share": (k + share) / groups})

        ids, squared = search_cells(
            points, local.astype(np.int32), int(last - first), self.p, self.threads, tell
        )
        return rows, _renamed(ids, rows), squared


def _renamed(ids: Ints, rows: NDArray[np.int64]) -> Ints:
    """Return the numbers among all rows, for numbers among some; -1 stays."""
    if rows.size and rows[-1] == rows.size - 1:
        return ids
    number = np.append(rows, -1).astype(np.int32)
    return number[ids]


def _save(path: Path, array: NDArray[Any]) -> None:
    """Write an array in one step."""
    with replacing(path) as part, part.open("wb") as file:
        np.save(file, array)


def _fingerprint(points: Floats, cells: Cells, overlap: int, p: int, groups: int) -> dict[str, Any]:
    """Return what must be the same for shards to be used again."""
    rows = 0
    step = max(1, _CHUNK // points.shape[1])
    for start in range(0, len(points), step):
        rows = zlib.crc32(np.ascontiguousarray(points[start : start + step]), rows)
    centres = hashlib.sha256(cells.fine.tobytes()).hexdigest()
    return {
        "format": 1,
        "shape": list(points.shape),
        "rows": rows,
        "cells": centres,
        "overlap": overlap,
        "neighbours": p,
        "shards": groups,
    }
