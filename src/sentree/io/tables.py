"""Tables into files: columns of equal length, with names."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sentree._util.files import write
from sentree.constraints.parsing import is_missing
from sentree.io.errors import InputError, optional
from sentree.io.sources import format_of
from sentree.io.spreadsheets import sheet_bytes

if TYPE_CHECKING:
    import pandas

__all__ = ["TABLE_FORMATS", "table_bytes", "write_bytes", "write_table"]

#: Formats that tables are written in.
TABLE_FORMATS = ("csv", "tsv", "txt", "json", "xlsx", "parquet", "npy")


def write_table(
    target: str | Path, columns: Mapping[str, Any], *, format: str | None = None
) -> None:
    """Write columns to a file, by the end of its name.

    Parameters
    ----------
    target : path or "-"
        ``.csv``, ``.tsv`` or ``.txt`` (tabs), each also with ``.gz``; ``.json`` (a list of
        objects); ``.xlsx``; ``.parquet``; ``.npy`` (numbers only, without names). "-" is standard
        output, as CSV. The file is written whole or not at all.
    columns : mapping of str to array-like of shape (n,)
        The columns by name; missing values (None, NaN) become empty cells.
    format : str, optional
        The format, where the file name does not tell.

    Raises
    ------
    InputError
        Where there is no such format or folder, or the columns differ in length.
    """
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) != 1:
        raise InputError(f"columns of a table must have the same length, got {lengths}")
    standard = str(target) == "-" and format is None
    kind = format_of(Path(target), TABLE_FORMATS, "csv" if standard else format)
    write_bytes(target, table_bytes(columns, kind))


def table_bytes(
    columns: Mapping[str, Any] | pandas.DataFrame,
    kind: str,
    separator: str | None = None,
    decimal: str = ".",
) -> bytes:
    """Return a table as the bytes of a file; text may have a separator and a decimal point."""
    import pandas as pd

    frame: Any = columns
    if not isinstance(columns, pd.DataFrame):
        frame = pd.DataFrame({name: np.asarray(values) for name, values in columns.items()})
    if kind == "npy":
        return _array(frame)
    if kind == "json":
        records = frame.astype(object).where(frame.notna(), None).to_dict("records")
        return (json.dumps(records, ensure_ascii=False, default=_plain) + "\n").encode("utf-8")
    if kind == "xlsx":
        return sheet_bytes(frame)
    buffer = io.BytesIO()
    if kind == "parquet":
        optional("pyarrow", "Parquet files")
        frame.to_parquet(buffer, engine="pyarrow", index=False)
    else:
        separator = separator or ("," if kind == "csv" else "\t")
        quoting = csv.QUOTE_NONNUMERIC if _has_returns(frame) else csv.QUOTE_MINIMAL
        frame.to_csv(
            buffer,
            index=False,
            sep=separator,
            decimal=decimal,
            lineterminator="\n",
            quoting=quoting,
        )
    return buffer.getvalue()


def _has_returns(frame: pandas.DataFrame) -> bool:
    """Tell whether a cell holds a carriage return, which the csv module does not quote."""
    texts = (frame[name] for name in frame if frame[name].dtype.kind == "O")
    cells = (cell for values in texts for cell in values.to_numpy())
    return any("\r" in cell for cell in chain(frame, cells) if isinstance(cell, str))


def write_bytes(target: str | Path, content: bytes) -> None:
    """Write bytes to a file, whole or not at all, or to standard output ("-")."""
    if str(target) == "-":
        if sys.stdout is None:
            raise InputError("standard output is closed: give the name of a file to write")
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    path = Path(target).expanduser()
    if path.is_dir():
        raise InputError(f"{path} is a folder, expected the name of a file to write")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to write {path.name} to: make it first")
    if path.suffix.lower() == ".gz":
        content = gzip.compress(content, 6, mtime=0)
    try:
        write(path, content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def _array(frame: pandas.DataFrame) -> bytes:
    """Return columns of numbers as an array; a single one has one dimension."""
    parts = [frame[name].to_numpy() for name in frame]
    for name, part in zip(frame, parts, strict=True):
        if part.dtype.kind not in "buif":
            raise InputError(f"column {name!r} holds no numbers, which .npy needs: write .csv")
    buffer = io.BytesIO()
    np.save(buffer, parts[0] if len(parts) == 1 else np.column_stack(parts), allow_pickle=False)
    return buffer.getvalue()


def _plain(value: Any) -> Any:
    """Return NumPy values as those of Python, for JSON."""
    return None if is_missing(value) else value.item() if hasattr(value, "item") else str(value)
