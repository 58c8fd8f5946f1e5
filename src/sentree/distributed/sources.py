"""What can be clustered: dask arrays and data frames, files and AnnData, as blocks of rows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Blocks", "EdgeBlocks", "edge_blocks", "sample_blocks"]

#: Rows of a block, where these can be chosen.
_ROWS = 1 << 17
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


def sample_blocks(X: Any, client: Any) -> Blocks:
    """Return samples as blocks of rows, from any source that is known."""
    import dask.array as da

    names = None
    if isinstance(X, str | os.PathLike):
        X = _opened(Path(X))
    if hasattr(X, "obsm"):
        X = X.obsm["X_pca"] if "X_pca" in X.obsm else X.X  # noqa: SIM401 (X may be absent)
    if hasattr(X, "to_dask_array"):
        names = tuple(map(str, X.columns))
        _check_numbers(X)
        X = X.to_dask_array()
    if isinstance(X, Blocks):
        return X
    if not isinstance(X, da.Array):
        X = _from_memory(X)
    if X.ndim != 2:
        raise ValueError(f"X must be 2-D (samples by features), got shape {X.shape}")
    if X.dtype.kind not in "buif":
        raise ValueError(f"X must hold real numbers, got dtype {X.dtype}")
    width = X.shape[1]
    if np.isnan(width):
        raise ValueError("X has an unknown number of columns: give it a known one")
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    chunks = X.chunks[0]
    if np.isnan(sum(chunks)):
        import dask

        parts = X.to_delayed().ravel().tolist()
        lengths = client.compute([dask.delayed(len)(part) for part in parts])
        chunks = tuple(client.gather(lengths))
    elif X.shape[0]:
        parts = X.rechunk({0: min(_ROWS, X.shape[0])}).to_delayed().ravel().tolist()
    sizes = chunks if np.isnan(sum(X.chunks[0])) else _sizes(X.shape[0])
    n = int(sum(sizes))
    if n < 2:
        raise ValueError(f"clustering needs at least 2 samples, got n_samples = {n}")
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return Blocks(parts, starts, int(width), tuple(map(int, chunks)), names)


def edge_blocks(X: Any) -> EdgeBlocks:
    """Return an edge list as blocks: a dask data frame, or a Parquet file or folder."""
    if isinstance(X, str | os.PathLike):
        import dask.dataframe as dd

        X = dd.read_parquet(os.fspath(X))
    if not hasattr(X, "to_delayed") or not hasattr(X, "columns"):
        raise TypeError(
            "affinity='precomputed' takes an edge list: a dask data frame, or a Parquet file, with "
            f"the columns i, j and weight; got {type(X).__name__}"
        )
    have = set(map(str, X.columns))
    for columns in _EDGE_COLUMNS:
        if have.issuperset(columns[:2]):
            return EdgeBlocks([_edges(part, columns) for part in X.to_delayed()])
    raise ValueError(f"an edge list has the columns i, j and weight, but this has {sorted(have)}")


def _edges(part: Any, columns: tuple[str, ...]) -> Any:
    import dask

    return dask.delayed(_edge_arrays)(part, columns)


def _edge_arrays(frame: Any, columns: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """Return the ends and weights of edges, checked."""
    i, j = (frame[name].to_numpy() for name in columns[:2])
    if i.dtype.kind not in "iu" or j.dtype.kind not in "iu":
        raise ValueError(f"the ends of edges must be whole numbers, got {i.dtype} and {j.dtype}")
    weight = np.ones(i.size)
    if columns[2] in frame.columns:
        weight = frame[columns[2]].to_numpy(dtype=np.float64)
    for k in np.flatnonzero((i < 0) | (j < 0) | (i == j))[:1].tolist():
        raise ValueError(f"an edge joins {i[k]} and {j[k]}: ends are two different numbers >= 0")
    for k in np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))[:1].tolist():
        raise ValueError(f"the edge of {i[k]} and {j[k]} has weight {weight[k]}, not one >= 0")
    keep = weight > 0
    return i[keep].astype(np.int64), j[keep].astype(np.int64), weight[keep]


def _sizes(n: int) -> tuple[int, ...]:
    """Return the rows of blocks of equal size, and the rest."""
    whole, rest = divmod(n, _ROWS)
    return (_ROWS,) * whole + ((rest,) if rest else ())


def _opened(path: Path) -> Any:
    """Return the samples of a file that all workers can read."""
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}")
    if path.suffix == ".npy":
        return _from_npy(path)
    if path.suffix == ".zarr" or (path / ".zarray").exists() or (path / "zarr.json").exists():
        import dask.array as da

        return da.from_zarr(str(path))
    if path.suffix in (".parquet", ".pq") or path.is_dir():
        import dask.dataframe as dd

        return dd.read_parquet(str(path))
    raise ValueError(
        f"{path} is not a file that workers can read in parts: use Parquet, .npy or Zarr (see "
        "'sentree convert')"
    )


def _from_npy(path: Path) -> Blocks:
    """Return blocks that tasks map from a file."""
    import dask

    array = np.load(path, mmap_mode="r")
    if array.ndim != 2 or array.dtype.kind not in "buif":
        raise ValueError(
            f"{path} must hold a table of numbers, got {array.dtype} of shape {array.shape}"
        )
    sizes = _sizes(array.shape[0])
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    whole = str(path.absolute())
    parts = [
        dask.delayed(_mapped)(whole, a, b)
        for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]
    return Blocks(parts, starts, array.shape[1], sizes)


def _mapped(path: str, start: int, stop: int) -> NDArray[Any]:
    """Read rows of a file."""
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def _from_memory(X: Any) -> Any:
    """Return an array of this process as a dask array."""
    import dask.array as da

    if hasattr(X, "toarray"):
        raise TypeError("X is sparse: sentree.distributed takes dense samples")
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X must be 2-D (samples by features), got shape {array.shape}")
    return da.from_array(array, chunks=(_ROWS, -1))


def _check_numbers(frame: Any) -> None:
    """Refuse columns that are not numbers."""
    bad = [
        str(name)
        for name, kind in zip(frame.columns, frame.dtypes, strict=True)
        if getattr(kind, "kind", "O") not in "buif"
    ]
    if bad:
        raise ValueError(
            f"some columns are not numbers: {', '.join(map(repr, bad[:12]))}: leave them out, or "
            "encode them first (pass known classes as y)"
        )
