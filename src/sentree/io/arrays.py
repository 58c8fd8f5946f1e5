"""Arrays in files of numbers: NPY, NPZ, Matrix Market and MATLAB."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph.large import is_finite, is_large
from sentree.io.errors import Elsewhere, InputError, Param, listed, optional
from sentree.io.sources import InputFile

__all__ = ["as_column", "check_matrix", "matrix_bytes", "read_arrays", "the_matrix"]

#: Larger NPY files are mapped to memory instead of being read.
_MAPPED = 1 << 26
#: Names of the samples among the arrays of a file, in order of preference.
_SAMPLES = ("X", "fea", "data")


def read_arrays(source: InputFile) -> dict[str, Any]:
    """Return the arrays of a file by name; a single one is called X."""
    read = {"npy": _read_npy, "mtx": _read_mtx, "npz": _read_npz, "mat": _read_mat}
    try:
        if source.format == "zarr":
            return _read_zarr(source)
        if source.format == "npy" and source.is_uncompressed and source.size > _MAPPED:
            return {"X": np.load(source.path, mmap_mode="r", allow_pickle=False)}  # type: ignore[arg-type]
        with source.open() as stream:
            return read[source.format](stream, source.name)
    except (InputError, MemoryError):
        raise
    except ValueError as error:
        if "allow_pickle" in str(error):
            raise InputError(
                f"{source.name} holds Python objects, not numbers: save the array with a number "
                "type, for example np.save(file, array.astype(float))"
            ) from None
        raise source.damaged(error) from None
    except Exception as error:  # zipfile, zlib and SciPy raise a dozen kinds for damaged files
        raise source.damaged(error) from None


def the_matrix(arrays: Mapping[str, Any], source: InputFile, key: str | None = None) -> Any:
    """Return the array of the samples: named, or the only one of two dimensions."""
    if key is not None:
        if key not in arrays:
            raise InputError(f"{source.name} has no array {key!r}: it holds {_shapes(arrays)}")
        return arrays[key]
    for name in _SAMPLES:
        if name in arrays:
            return arrays[name]
    tables = [array for array in arrays.values() if len(array.shape) == 2 and min(array.shape) > 1]
    if len(tables) == 1:
        return tables[0]
    if len(arrays) == 1:
        return next(iter(arrays.values()))
    raise InputError(
        f"{source.name} holds {_shapes(arrays)}: call the samples X",
        (", or name the array with ", Param("layer", ...)),
    )


def check_matrix(matrix: Any, source: str, gaps: bool = False) -> Any:
    """Return samples as a float64 array in row order or CSR array of finite numbers.

    A large array of floats is returned as it is, of single precision too, and mapped or not. With
    ``gaps``, a dense array may have values that are not finite.
    """
    shape, kind = matrix.shape, matrix.dtype.kind
    if len(shape) != 2:
        more = "; make it a column with array.reshape(-1, 1)" if len(shape) == 1 else ""
        raise InputError(
            f"{source} holds an array of shape {shape}, expected samples in rows and features in "
            f"columns{more}"
        )
    if kind not in "buif":
        what = {"c": "complex numbers", "O": "Python objects"}.get(kind, f"type {matrix.dtype}")
        raise InputError(f"{source} holds {what}, expected real numbers")
    if sp.issparse(matrix):
        matrix = sp.csr_array(matrix, dtype=np.float64)
        matrix.sum_duplicates()
        bad = np.flatnonzero(~np.isfinite(matrix.data))
        if bad.size:
            row = int(np.searchsorted(matrix.indptr, bad[0], side="right") - 1)
            _refuse(source, row, int(matrix.indices[bad[0]]), matrix.data[bad[0]])
        return matrix
    native = matrix.dtype in (np.float32, np.float64)
    array = matrix
    if not native or not is_large(matrix) or not matrix.flags.c_contiguous:
        array = np.ascontiguousarray(matrix, dtype=np.float64)
    if not gaps and not is_finite(array):
        row, column = (int(k) for k in np.argwhere(~np.isfinite(array))[0])
        _refuse(source, row, column, array[row, column])
    return array


def _refuse(source: str, row: int, column: int, value: float) -> None:
    raise InputError(
        f"{source}: the value in row {row}, column {column} (counted from 0), is {value}: values "
        "must be finite; fill it in, or leave out the row or column"
    )


def _read_npy(stream: IO[bytes], name: str) -> dict[str, Any]:
    return {"X": np.load(stream, allow_pickle=False)}


def _read_zarr(source: InputFile) -> dict[str, Any]:
    """Return an array, or the arrays of a group by name."""
    zarr = optional("zarr", f"{source.name}: Zarr arrays")
    opened = zarr.open(source.path, mode="r")
    if hasattr(opened, "shape"):
        return {"X": opened[...]}
    return {name: array[...] for name, array in opened.arrays()}


def _read_mtx(stream: IO[bytes], name: str) -> dict[str, Any]:
    from scipy.io import mmread

    return {"X": mmread(stream)}


def _read_npz(stream: IO[bytes], name: str) -> dict[str, Any]:
    with np.load(stream, allow_pickle=False) as file:
        stored = set(file.files)
        if {"header", "labels"} <= stored and file["header"].dtype.kind == "S":
            raise InputError(
                f"{name} is a model of sentree.save, not data: it is for ",
                Elsewhere("sentree.load"),
            )
        if not {"format", "shape", "data"} <= stored:
            return {key: file[key] for key in file.files}
    stream.seek(0)
    return {"X": sp.load_npz(stream)}  # type: ignore[arg-type, unused-ignore]


def _read_mat(stream: IO[bytes], name: str) -> dict[str, Any]:
    from scipy.io import loadmat

    if stream.read(4) == b"\x89HDF":
        raise InputError(
            f"{name} is a MATLAB 7.3 file: save it with save(..., '-v7') and read that"
        )
    stream.seek(0)
    stored = loadmat(stream)  # type: ignore[arg-type, unused-ignore]
    return {key: value for key, value in stored.items() if not key.startswith("__")}


def _shapes(arrays: Mapping[str, Any]) -> str:
    shown: Sequence[str] = [f"{name} {array.shape}" for name, array in arrays.items()]
    return listed(shown) or "no array"


def as_column(value: Any, n: int) -> NDArray[Any] | None:
    """Return an array of n values as a column of objects, None if it has another shape."""
    if sp.issparse(value) or np.size(value) != n:
        return None
    column = np.empty(n, dtype=object)
    column[:] = np.asarray(value).ravel().tolist()
    return column


def matrix_bytes(matrix: Any, kind: str) -> bytes:
    """Return a dense or sparse matrix as the bytes of an NPY, NPZ, MTX or MAT file."""
    from scipy.io import mmwrite, savemat

    buffer = io.BytesIO()
    if kind == "mtx":
        mmwrite(buffer, sp.coo_array(matrix))
    elif kind == "mat":
        savemat(buffer, {"X": matrix}, do_compression=True)
    elif kind == "npz" and sp.issparse(matrix):
        sp.save_npz(buffer, matrix)
    elif kind == "npz":
        np.savez_compressed(buffer, X=matrix)
    elif sp.issparse(matrix):
        raise InputError("a sparse matrix does not go into .npy: write .npz or .mtx")
    else:
        np.save(buffer, matrix, allow_pickle=False)
    return buffer.getvalue()
