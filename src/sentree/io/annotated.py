"""AnnData in H5AD files and Zarr folders, of which only the parts that are needed are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sentree.io.errors import InputError, Param, did_you_mean, listed, optional
from sentree.io.sources import InputFile

if TYPE_CHECKING:
    import pandas

__all__ = ["is_annotated", "read_obsp", "read_parts"]


def read_parts(
    source: InputFile, layer: str | None
) -> tuple[Any, NDArray[Any], pandas.DataFrame, list[str] | None, str]:
    """Return a matrix, the names and the table of the cells, the names of features, its own name.

    The matrix is ``X``, one of ``layers`` or one of ``obsm``; by default ``obsm["X_pca"]`` if
    there is one, else ``X``.
    """
    with _Opened(source) as file:
        obs = file.part("obs")
        key = _find(file, layer)
        matrix = file.part(key)
        names = None if key.startswith("obsm/") else file.part("var").index.astype(str).tolist()
    if matrix is None:
        raise InputError(f"{source.name} has no matrix {key}; say which with ", Param("layer", ...))
    ids = np.array([str(name) for name in obs.index], dtype=object)
    return matrix, ids, obs, names, key.rpartition("/")[2]


def read_obsp(source: InputFile, key: str | None) -> tuple[Any, NDArray[Any], pandas.DataFrame]:
    """Return a graph of the cells, by default of neighbours, their names and their table."""
    with _Opened(source) as file:
        there = file.keys("obsp")
        wanted = key or ("connectivities" if "connectivities" in there else None)
        if wanted is None or wanted not in there:
            what = "no graph 'connectivities'" if key is None else f"no graph {key!r}"
            raise InputError(
                f"{source.name} has {what} in obsp{did_you_mean(key or '', there)} "
                + (f"(there are {listed(there)})" if there else "(obsp is empty)")
                + ": run scanpy.pp.neighbors first, or name one that is there with ",
                Param("layer", ...),
            )
        matrix = file.part(f"obsp/{wanted}")
        obs = file.part("obs")
    return matrix, np.array([str(name) for name in obs.index], dtype=object), obs


class _Opened:
    """An H5AD file of which parts are read."""

    def __init__(self, source: InputFile) -> None:
        self._read = optional("anndata.io", f"{source.name}: AnnData").read_elem
        self.source = source
        if source.format == "zarr":
            zarr = optional("zarr", f"{source.name}: Zarr arrays")
            self._file: Any = zarr.open_group(source.path, mode="r")
        else:
            self._file = _hdf5(source)
        if "obs" not in self._file:
            raise InputError(f"{source.name} is an HDF5 file but no H5AD: it has no obs")

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *error: object) -> None:
        if self.source.format != "zarr":
            self._file.close()

    def keys(self, group: str) -> list[str]:
        """Return what a group holds."""
        return list(self._file[group]) if group in self._file else []

    def part(self, key: str) -> Any:
        """Read a part, None where it is not there."""
        if key not in self._file:
            return None
        try:
            return self._read(self._file[key])
        except (OSError, KeyError, ValueError) as error:
            raise self.source.damaged(error) from None


def _hdf5(source: InputFile) -> Any:
    """Open an HDF5 file."""
    import h5py  # type: ignore[import-untyped, unused-ignore]

    try:
        return h5py.File(source.path if source.data is None else source.open(), "r")
    except OSError as error:
        raise source.damaged(error) from None


def is_annotated(source: InputFile) -> bool:
    """Tell whether a Zarr folder holds AnnData."""
    zarr = optional("zarr", f"{source.name}: Zarr arrays")
    try:
        opened = zarr.open(source.path, mode="r")
    except (OSError, ValueError) as error:
        raise source.damaged(error) from None
    return not hasattr(opened, "shape") and "obs" in opened


def _find(file: _Opened, layer: str | None) -> str:
    """Return the place of the wanted matrix in the file."""
    obsm, layers = file.keys("obsm"), file.keys("layers")
    if layer is None:
        return "obsm/X_pca" if "X_pca" in obsm else "X"
    known = {"X": "X"}
    known |= {name: f"layers/{name}" for name in layers} | {name: f"obsm/{name}" for name in obsm}
    known |= {place: place for place in tuple(known.values())}
    if layer not in known:
        names: Sequence[str] = ["X", *layers, *obsm]
        raise InputError(
            f"{file.source.name} has no layer or embedding {layer!r}{did_you_mean(layer, names)} "
            f"(there are {listed(names)})"
        )
    return known[layer]
