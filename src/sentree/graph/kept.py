"""Unfinished work on disk: an interrupted fit goes on from what it had finished.

Inside :func:`keep_work` a search for neighbours keeps its finished shards in a folder, and the
graph is kept there once it is made. Both have a mark of what they were made from: other samples or
settings find nothing to go on from, and replace it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree._util.files import replacing, write
from sentree.graph import FloatArray, Graph
from sentree.graph.cell_search import keep_shards
from sentree.graph.large import row_ranges
from sentree.graph.spaces import is_sparse

__all__ = ["GraphStore", "KeptGraph", "forget_work", "keep_work"]

logger = logging.getLogger(__name__)

#: What is kept in the folder: folders of these names, and no more.
_PARTS = ("neighbours", "graph")
#: Version of the files.
_FORMAT = 1

_folder: ContextVar[Path | None] = ContextVar("folder", default=None)


@contextmanager
def keep_work(folder: Path | None) -> Iterator[None]:
    """Keep finished parts of the fits inside in a folder, and go on from what is there."""
    token = _folder.set(folder)
    try:
        with keep_shards(folder):
            yield
    finally:
        _folder.reset(token)


def forget_work(folder: Path) -> None:
    """Remove what was kept in a folder, and the folder if nothing else is there."""
    for name in _PARTS:
        shutil.rmtree(folder / name, ignore_errors=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


class KeptGraph(NamedTuple):
    """A finished graph, and what it takes to join new samples to it."""

    graph: Graph
    widths: FloatArray
    silent: NDArray[np.bool_]
    row: NDArray[np.int64] | None  # distinct row of each sample, if rows repeat
    recall: float | None  # of the neighbour search


class GraphStore:
    """Where the graph of some samples is kept, by what it is made from."""

    def __init__(self, folder: Path, mark: str) -> None:
        self._folder, self._mark = folder / "graph", mark

    @classmethod
    def of(cls, samples: Any, layout: Any, settings: Mapping[str, Any]) -> GraphStore | None:
        """Return the place for a graph; None where nothing is to be kept."""
        folder = _folder.get()
        return None if folder is None else cls(folder, _mark(samples, layout, settings))

    def read(self) -> KeptGraph | None:
        """Return the graph, if it is there."""
        manifest = self._folder / "manifest.json"
        if not manifest.exists() or json.loads(manifest.read_text()) != self._written():
            return None
        parts = {path.stem: np.load(path) for path in self._folder.glob("*.npy")}
        graph = Graph(*(parts[name] for name in ("indptr", "indices", "weights", "degree")))
        logger.info("going on from the graph in %s", self._folder)
        recall = float(parts["recall"]) if "recall" in parts else None
        return KeptGraph(graph, parts["widths"], parts["silent"], parts.get("row"), recall)

    def write(self, kept: KeptGraph) -> None:
        """Keep a graph, in place of any other; without room on the disk, none."""
        graph = kept.graph
        arrays = {name: getattr(graph, name) for name in ("indptr", "indices", "weights", "degree")}
        arrays |= {"widths": kept.widths, "silent": kept.silent}
        arrays |= {
            name: np.asarray(getattr(kept, name))
            for name in ("row", "recall")
            if getattr(kept, name) is not None
        }
        shutil.rmtree(self._folder, ignore_errors=True)
        try:
            self._folder.mkdir(parents=True)
            for name, array in arrays.items():
                with replacing(self._folder / f"{name}.npy") as part, part.open("wb") as file:
                    np.save(file, array)
            write(self._folder / "manifest.json", json.dumps(self._written()))  # now it is whole
        except OSError as error:
            logger.info("the graph is not kept: %s", error)
            shutil.rmtree(self._folder, ignore_errors=True)

    def _written(self) -> dict[str, Any]:
        return {"format": _FORMAT, "mark": self._mark}


def _mark(samples: Any, layout: Any, settings: Mapping[str, Any]) -> str:
    """Return a fingerprint of samples and of how a graph is made from them."""
    rows = 0
    if is_sparse(samples):
        for part in (samples.indptr, samples.indices, samples.data):
            rows = zlib.crc32(np.ascontiguousarray(part), rows)
    else:
        for some in row_ranges(samples):
            rows = zlib.crc32(np.ascontiguousarray(samples[some]), rows)
    found = hashlib.sha256(repr((samples.shape, str(samples.dtype), rows)).encode())
    for name, value in sorted({**settings, **vars(layout)}.items()):
        parts = value if isinstance(value, tuple) else (value,)
        for part in parts:
            plain = part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
            found.update(f"{name}:".encode() + plain)
    return found.hexdigest()
