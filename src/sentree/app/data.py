"""The data of a project: a file that is read as ``sentree cluster`` reads it, or an example."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from sentree import io
from sentree.datasets import load_embedded
from sentree.graph import FloatArray
from sentree.prepare import TablePreparer
from sentree.profiles.images import Square, square_images
from sentree.profiles.shown import Rows

__all__ = [
    "READING",
    "Called",
    "Data",
    "digest",
    "digest_of",
    "example",
    "of_samples",
    "preparation",
    "read",
]

#: Options of a project that say how its file is read.
READING = ("id_column", "drop", "layer", "header", "separator", "format", "sheet")
#: Options that say how its table is prepared, besides ``prepare``, which may be "none".
PREPARING = ("encode", "impute", "log", "drop_text")


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

    @cached_property
    def rows(self) -> Rows:
        """The rows as people read them."""
        return Rows(self.samples.X, self.samples.ids, self.samples.features)

    @property
    def features(self) -> list[str]:
        """Names of the features."""
        return self.rows.names

    @cached_property
    def image(self) -> Square | None:
        """What rows are like where they are images."""
        return square_images(self.rows.matrix)

    def called(self, row: int) -> str:
        """Return what a row is called: its id, or "row" and its number."""
        return self.rows.title(row)

    def column(self, name: str) -> Any:
        """Return a feature, or another column, as a series; None where there is none."""
        import pandas as pd

        if name in self.samples.columns:
            return pd.Series(self.samples.columns[name]).infer_objects()
        if name in self.features:
            return self.rows.column(self.features.index(name))
        return None


class Called:
    """What all rows are called, without a list of them."""

    def __init__(self, data: Data) -> None:
        self._data = data

    def __len__(self) -> int:
        return self._data.n

    def __getitem__(self, row: int) -> str:
        return self._data.called(row)


def read(path: Path, options: Mapping[str, Any] | None = None, name: str | None = None) -> Data:
    """Read a file; ``labels`` of the options names a column that is no feature."""
    options = dict(options or {})
    given = {key: options[key] for key in READING if options.get(key) is not None}
    known = [options["labels"]] if options.get("labels") else []
    annotated = str(given.get("format") or path.suffix).lower().endswith("h5ad")
    raw = options.get("prepare") != "none"
    samples = io.read_samples(path, take=known, raw=raw, text_aside=annotated, **given)
    umap = None
    if annotated:
        try:
            umap = np.asarray(io.read_samples(path, layer="X_umap").X, dtype=np.float64)[:, :2]
        except io.InputError:
            umap = None  # it has no map of its own
    return Data(samples, name or path.name, umap)


def preparation(options: Mapping[str, Any]) -> str | TablePreparer | None:
    """Return what an estimator is given as ``prepare``."""
    if options.get("prepare") == "none":
        return None
    given = {key: options[key] for key in PREPARING if key in options}
    return TablePreparer(**given) if given else "auto"


def example(name: str) -> Data:
    """Return an embedded set, with its classes as a column."""
    X, y = load_embedded(name)
    column = np.array([str(value) for value in y], dtype=object)
    return Data(io.Samples(X, columns={"class": column}, source=name), name)


def of_samples(samples: Any, name: str = "data") -> Data:
    """Return data that are in memory: samples as read, a data frame or an array."""
    if not isinstance(samples, io.Samples):
        named = getattr(samples, "columns", None)
        features = None if named is None else [str(one) for one in named]
        ids: NDArray[Any] | None = None
        index = getattr(samples, "index", None)
        if index is not None and index.dtype == object and index.is_unique:
            ids = np.array([str(one) for one in index], dtype=object)
        X = np.asarray(samples, dtype=np.float64) if isinstance(samples, list) else samples
        samples = io.Samples(X, ids, source=name, features=features)
    return Data(samples, name)


def digest(path: Path) -> str:
    """Return what tells whether a file is the same as before."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest_of(data: Data) -> str:
    """Return what tells whether data in memory are the same as before."""
    return str(joblib.hash((data.samples.X, data.samples.ids), hash_name="sha1"))
