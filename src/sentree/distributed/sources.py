"""What can be clustered: dask arrays and data frames, files and AnnData, as blocks of rows."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Blocks", "EdgeBlocks", "edge_blocks", "sample_blocks"]

#: Rows of a chunk of the labels, for samples that come in none.
_ROWS = 1 << 17
#: Edges of a block, for those that come in none.
_EDGES = 1 << 22
#: What the folder of a Zarr array or group has.
_ZARR = (".zarray", ".zgroup", "zarr.json")
#: Names of the columns of an edge list.
_EDGE_COLUMNS = (("i", "j", "weight"), ("source", "target", "weight"))


class Blocks(NamedTuple):
    """Samples in blocks of rows, each of which a task reads."""

    parts: list[Any]  # delayed arrays
    starts: NDArray[np.int64]  # the first row of each, then the number of all rows
    width: int
    chunks: tuple[int, ...]  # rows of each chunk of the labels
    names: tuple[str, ...] | None = None  # of the columns

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.starts[-1])


class EdgeBlocks(NamedTuple):
    """Edges in blocks of an array with the columns i, j and weight."""

    parts: list[Any]


def sample_blocks(X: Any, client: Any, rows: Callable[[int, int], int]) -> Blocks:
    """Return samples as blocks of rows, from any source that is known.

    ``rows`` tells how many a block has, from the numbers of all rows and of columns.
    """
    names = None
    if isinstance(X, str | os.PathLike) or _are_paths(X):
        X = _opened(X)
    if hasattr(X, "obsm"):
        X = X.obsm["X_pca"] if "X_pca" in X.obsm else X.X  # noqa: SIM401 (X may be absent)
    if isinstance(X, _Mapped):
        return X.blocks(rows)
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        names = tuple(map(str, X.columns))
        X = _numbers(X)
    X = _checked(X)
    known = _with_known_chunks(X, client)
    n, width = known.shape
    if n < 2:
        raise ValueError(f"clustering needs at least 2 samples, got n_samples = {n}")
    parts = known.rechunk({0: rows(n, width), 1: -1}).to_delayed().ravel().tolist()
    return Blocks(parts, _starts(n, rows(n, width)), width, tuple(map(int, known.chunks[0])), names)


def _checked(X: Any) -> Any:
    """Return samples as a dask array; refuse what is none of numbers in two dimensions."""
    import dask.array as da

    if not isinstance(X, da.Array):
        X = _from_memory(X)
    if X.ndim != 2:
        raise ValueError(f"X must be 2-D (samples by features), got shape {X.shape}")
    if hasattr(X._meta, "toarray"):
        raise TypeError(
            "X is a dask array of sparse blocks: sentree.distributed takes dense samples, such as "
            "principal components (obsm['X_pca'] of an AnnData), or "
            "X.map_blocks(lambda block: block.toarray())"
        )
    if X.dtype.kind not in "buif":
        raise ValueError(f"X must hold real numbers, got dtype {X.dtype}")
    if np.isnan(X.shape[1]):
        raise ValueError(
            "X has an unknown number of columns: call X.compute_chunk_sizes() before, or make it "
            "with a known one"
        )
    if X.shape[1] == 0:
        raise ValueError("X has no columns: clustering needs at least 1 feature")
    return X


def _with_known_chunks(X: Any, client: Any) -> Any:
    """Return a dask array whose chunks are known: where they are not, their rows are counted."""
    import dask
    import dask.array as da

    if not np.isnan(sum(X.chunks[0])):
        return X
    counted = [dask.delayed(len)(row[0]) for row in X.to_delayed()]
    chunks = tuple(client.gather(client.compute(counted)))
    return da.Array(X.dask, X.name, (chunks, X.chunks[1]), dtype=X.dtype, meta=X._meta)


def _starts(n: int, rows: int) -> NDArray[np.int64]:
    """Return the first row of each block, then the number of all rows."""
    return np.append(np.arange(0, n, rows), n).astype(np.int64)


def edge_blocks(X: Any) -> EdgeBlocks:
    """Return an edge list as blocks: a data frame, or Parquet."""
    if isinstance(X, str | os.PathLike) or _are_paths(X):
        X = _read_parquet(X)
    if not hasattr(X, "columns"):
        raise TypeError(
            "affinity='precomputed' takes an edge list: a dask data frame, or Parquet files, with "
            f"the columns i, j and weight; got {type(X).__name__}"
        )
    if not hasattr(X, "to_delayed"):
        import dask.dataframe as dd

        X = dd.from_pandas(X, npartitions=-(-len(X) // _EDGES) or 1, sort=False)
    have = set(map(str, X.columns))
    for columns in _EDGE_COLUMNS:
        if have.issuperset(columns[:2]):
            return EdgeBlocks([_edges(part, columns) for part in X.to_delayed()])
    raise ValueError(
        "an edge list has the columns i and j (or source and target) and weight, but this has "
        f"{', '.join(map(repr, sorted(have)))}: rename its columns"
    )


def _edges(part: Any, columns: tuple[str, ...]) -> Any:
    import dask

    return dask.delayed(_edge_arrays)(part, columns)


def _edge_arrays(frame: Any, columns: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """Return the ends and weights of edges, checked."""
    i, j = (frame[name].to_numpy() for name in columns[:2])
    if i.dtype.kind not in "iu" or j.dtype.kind not in "iu":
        raise ValueError(
            f"the ends of edges must be whole numbers from 0 on, but {columns[0]} and {columns[1]} "
            f"are {i.dtype} and {j.dtype}"
        )
    weight = np.ones(i.size)
    if columns[2] in frame.columns:
        weight = frame[columns[2]].to_numpy(dtype=np.float64)
    for k in np.flatnonzero((i < 0) | (j < 0) | (i == j))[:1].tolist():
        raise ValueError(
            f"an edge joins {i[k]} and {j[k]}: ends are two different numbers >= 0; leave it out"
        )
    for k in np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))[:1].tolist():
        raise ValueError(
            f"the edge of {i[k]} and {j[k]} has weight {weight[k]}: weights must be finite and >= 0"
        )
    keep = weight > 0
    return i[keep].astype(np.int64), j[keep].astype(np.int64), weight[keep]


def _are_paths(X: Any) -> bool:
    """Tell whether this is a list of names of files."""
    return isinstance(X, list | tuple) and bool(X) and all(isinstance(x, str | Path) for x in X)


def _is_local(path: str) -> bool:
    """Tell whether a path is of a file here, not a pattern or an address such as s3://…"""
    return "://" not in path and not any(sign in path for sign in "*?[")


def _read_parquet(where: Any) -> Any:
    """Return Parquet files as a dask data frame: one, a folder, a pattern, or a list of them."""
    import dask.dataframe as dd

    paths = list(map(os.fspath, where if isinstance(where, list | tuple) else [where]))
    for path in paths:
        if _is_local(path) and not Path(path).exists():
            raise FileNotFoundError(f"there is no {path}")
    frame = dd.read_parquet(paths if len(paths) > 1 else paths[0])
    if not len(frame.columns):
        raise FileNotFoundError(f"there is no Parquet file {paths[0]}, or it has no columns")
    return frame


def _opened(where: Any) -> Any:
    """Return the samples of a file that all workers can read."""
    if isinstance(where, list | tuple):
        return _read_parquet(where)
    text, path = os.fspath(where), Path(where)
    if _is_local(text) and not path.exists():
        raise FileNotFoundError(f"there is no {path}")
    if path.suffix == ".npy":
        return _Mapped(path)
    if path.suffix == ".zarr" or any((path / name).exists() for name in _ZARR):
        return _from_zarr(text)
    if path.suffix in (".parquet", ".pq") or path.is_dir():
        return _read_parquet(text)
    raise ValueError(
        f"{path} is not a file that workers can read in parts: use Parquet, .npy or Zarr (see "
        "'sentree convert')"
    )


def _from_zarr(path: str) -> Any:
    """Return a Zarr array, or the samples of an AnnData that was written as Zarr."""
    import dask.array as da
    import zarr

    store = zarr.open(path if "://" in path else os.path.abspath(path), mode="r")
    if isinstance(store, zarr.Array):
        return da.from_zarr(store)
    for name in ("obsm/X_pca", "X"):
        if isinstance(found := store.get(name), zarr.Array):
            return da.from_zarr(found)
    if "X" in store:
        raise TypeError(
            f"{path} has a sparse X and no obsm['X_pca']: sentree.distributed takes dense samples, "
            "such as principal components"
        )
    raise ValueError(
        f"{path} is a Zarr group with {', '.join(sorted(store)) or 'nothing'}, not an array or an "
        "AnnData: name the array in it"
    )


class _Mapped:
    """The array of a .npy file, which tasks map."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.array = np.load(path, mmap_mode="r")
        if self.array.ndim != 2 or self.array.dtype.kind not in "buif" or not self.array.shape[1]:
            raise ValueError(
                f"{path} must hold a table of numbers, got {self.array.dtype} of shape "
                f"{self.array.shape}"
            )

    def blocks(self, rows: Callable[[int, int], int]) -> Blocks:
        """Return blocks that tasks read."""
        import dask

        n, width = self.array.shape
        if n < 2:
            raise ValueError(f"clustering needs at least 2 samples, got n_samples = {n}")
        starts = _starts(n, rows(n, width))
        whole = str(self.path.absolute())
        parts = [dask.delayed(_mapped)(whole, a, b) for a, b in pairwise(starts.tolist())]
        return Blocks(parts, starts, width, tuple(np.diff(starts).tolist()))


def _mapped(path: str, start: int, stop: int) -> NDArray[Any]:
    """Read rows of a file."""
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def _from_memory(X: Any) -> Any:
    """Return an array of this process as a dask array."""
    import dask.array as da

    if hasattr(X, "toarray"):
        raise TypeError(
            "X is sparse: sentree.distributed takes dense samples, such as principal components, "
            "or X.toarray()"
        )
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X must be 2-D (samples by features), got shape {array.shape}")
    return da.from_array(array, chunks=(_ROWS, -1))


def _numbers(frame: Any) -> Any:
    """Return the values of a data frame of Dask or pandas; refuse columns that are not numbers."""
    kinds = [getattr(kind, "kind", "O") for kind in frame.dtypes]
    bad = [str(name) for name, kind in zip(frame.columns, kinds, strict=True) if kind not in "buif"]
    if bad:
        raise ValueError(
            f"some columns are not numbers: {', '.join(map(repr, bad[:12]))}: leave them out, or "
            "encode them first (pass known classes as y)"
        )
    if not all(isinstance(kind, np.dtype) for kind in frame.dtypes):  # that may hold NA
        frame = frame.astype(np.float64)
    return frame.to_dask_array() if hasattr(frame, "to_dask_array") else frame.to_numpy()
