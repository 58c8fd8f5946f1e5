"""New columns beside those of a table, whose cells stay as they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sentree.io import text
from sentree.io.errors import InputError
from sentree.io.samples import read_whole_table
from sentree.io.sources import TEXT, InputFile, format_of, open_source
from sentree.io.tables import TABLE_FORMATS, table_bytes, write_bytes

__all__ = ["WHOLE_TABLES", "append_columns"]

#: Formats of tables that columns can be added to.
WHOLE_TABLES = (*TEXT, "xlsx", "parquet")
#: Kinds of columns that are numbers, as pandas calls them.
_NUMBERS = ("integer", "floating", "mixed-integer-float")


def append_columns(
    source: str | Path | InputFile,
    target: str | Path,
    columns: Mapping[str, Any],
    *,
    header: text.Header = "auto",
    separator: str | None = None,
    format: str | None = None,
    sheet: str | None = None,
) -> dict[str, str]:
    """Write a table again with more columns.

    From text to text all cells stay as they are written, and so do the separator and the decimal
    point if both are of one format. Into XLSX, Parquet and JSON numbers go as numbers.

    Parameters
    ----------
    source : path or "-"
        A table: ``.csv``, ``.tsv``, ``.txt``, ``.xlsx`` or ``.parquet``.
    target : path or "-"
        As in :func:`~sentree.io.write_table`; "-" is standard output, as CSV.
    columns : mapping of str to array-like
        The new columns, with None where a cell is to stay empty. A name that the table has gets a
        number, such as ``cluster_2``.
    header, separator, format, sheet
        How the table is read, as in :func:`~sentree.io.read_samples`.

    Returns
    -------
    dict of str to str
        What each new column is called in the file.
    """
    import pandas as pd

    found = open_source(source, WHOLE_TABLES, format, sheet=sheet)
    into = "csv" if str(target) == "-" else format_of(Path(target), TABLE_FORMATS)
    frame = read_whole_table(found, separator, as_text=into in TEXT, header=header)
    called: dict[str, str] = {}
    for name, values in columns.items():
        called[name] = _free(name, [*frame.columns, *called.values()])
        new = pd.Series(np.asarray(values))
        if len(new) != len(frame):
            raise InputError(f"{found.name} has {len(frame)} rows, but {len(new)} are to be added")
        numbers = new.dtype == object and pd.api.types.infer_dtype(new, skipna=True) in _NUMBERS
        frame[called[name]] = pd.to_numeric(new).convert_dtypes() if numbers else new.to_numpy()
    written = {}
    if found.format == into and into in TEXT:
        dialect = text.sniff(found, header=header, separator=separator)
        if dialect.separator != " ":
            written = {"separator": dialect.separator, "decimal": dialect.decimal}
    write_bytes(target, table_bytes(frame, into, **written))
    return called


def _free(name: str, taken: Collection[str]) -> str:
    """Return a name that no column has."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
