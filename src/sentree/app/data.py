"""The data of a project: a file that is read as ``sentree cluster`` reads it, or an example."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentree import io
from sentree.datasets import EMBEDDED_SETS, load_embedded
from sentree.graph import FloatArray

__all__ = ["Data", "digest", "example", "examples", "read"]

#: Options of a project that say how its file is read.
READING = ("id_column", "drop", "layer", "header", "separator", "format", "sheet")


@dataclass(frozen=True, eq=False)
class Data:
    """The rows of a project.

    Parameters
    ----------
    samples : io.Samples
        As they were read; ``columns`` are no features.
    name : str
        What the data are called.
    umap : array of shape (n, 2), optional
        Places on a map that came with the data.
    """

    samples: io.Samples
    name: str
    umap: FloatArray | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.samples.n

    def called(self, row: int) -> str:
        """Return what a row is called: its id, or "row" and its number."""
        ids = self.samples.ids
        return f"row {row}" if ids is None else str(ids[row])


def read(path: Path, options: Mapping[str, Any] | None = None, name: str | None = None) -> Data:
    """Read a file; ``labels`` of the options names a column that is no feature."""
    options = dict(options or {})
    given = {key: options[key] for key in READING if options.get(key) is not None}
    known = [options["labels"]] if options.get("labels") else []
    annotated = str(given.get("format") or path.suffix).lower().endswith("h5ad")
    samples = io.read_samples(path, take=known, raw=True, text_aside=annotated, **given)
    umap = None
    if annotated:
        try:
            umap = np.asarray(io.read_samples(path, layer="X_umap").X, dtype=np.float64)[:, :2]
        except io.InputError:
            umap = None  # it has no map of its own
    return Data(samples, name or path.name, umap)


def example(name: str) -> Data:
    """Return an embedded set, with its classes as a column."""
    X, y = load_embedded(name)
    column = np.array([str(value) for value in y], dtype=object)
    return Data(io.Samples(X, columns={"class": column}, source=name), name)


def examples() -> tuple[str, ...]:
    """Return the names of the embedded sets."""
    return EMBEDDED_SETS


def digest(path: Path) -> str:
    """Return what tells whether a file is the same as before."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
