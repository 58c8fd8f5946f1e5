"""Tables about samples that are not features: clusters, classes, parents of classes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.wording import own_remedies
from sentree.constraints.parsing import is_missing
from sentree.io import arrays, columns
from sentree.io.errors import InputError, Param, listed
from sentree.io.ids import candidates_of, check_ids, first_ids
from sentree.io.lines import parse_json
from sentree.io.names import Named
from sentree.io.samples import by_row, read_whole_table
from sentree.io.sources import TEXT, InputFile, open_source
from sentree.prepare.ids import named_like_ids

if TYPE_CHECKING:
    import pandas

__all__ = ["Columns", "read_columns", "read_parents"]


@dataclass(frozen=True, eq=False)
class Columns(Named):
    """Columns of text read from a file.

    Parameters
    ----------
    columns : dict of object arrays
        The columns by name, without the ids.
    ids : object array, optional
        One text per row, all different; without them rows are known by number, counted from 0.
    id_name : str, optional
        Name of the column that the ids come from.
    source : str
        Where they come from, for messages.
    """

    columns: dict[str, NDArray[Any]]
    ids: NDArray[Any] | None = None
    id_name: str | None = None
    source: str = "the table"

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of rows."""
        return len(next(iter(self.columns.values())))

    def only(self, name: str | None = None) -> NDArray[Any]:
        """Return the column of a name, or the only one there is."""
        if name is not None and name not in self.columns:
            columns.missing_column(name, list(self.columns), self.source)
        if name is None and len(self.columns) > 1:
            raise InputError(
                f"{self.source} has several columns ({listed(list(self.columns))}): say which one "
                "with ",
                Param("name", ...),
            )
        return self.columns[name or next(iter(self.columns))]


@own_remedies
def read_columns(source: str | Path, *, format: str | None = None) -> Columns:
    """Read a table of any content as text.

    Ids are the first column named like ids whose values are all different, else the first column
    if it holds such text.

    Parameters
    ----------
    source : path or "-"
        ``.csv``, ``.tsv``, ``.txt`` (each also with ``.gz``), ``.xlsx`` or ``.parquet``;
        ``.npy``, an array of one value per sample; ``.json``, an object of ids and values, a list
        of values, or a list of objects, one per row.
    format : str, optional
        The format, where the file name does not tell.

    Returns
    -------
    Columns
    """
    found = open_source(source, (*TEXT, "parquet", "npy", "json"), format)
    if found.format == "npy":
        return _from_array(found)
    if found.format == "json":
        return _from_json(found)
    return _with_ids(read_whole_table(found, as_text=True), found.name)


def _from_array(source: InputFile) -> Columns:
    """Take an array for a column that is called as the file is."""
    array = np.asarray(arrays.read_arrays(source)["X"])
    if array.size != len(array) or not array.size:
        raise InputError(
            f"{source.name} holds an array of shape {array.shape}, expected one value per sample"
        )
    return _one_column(array.ravel().tolist(), source)


def _from_json(source: InputFile) -> Columns:
    """Read ids and values, values, or rows."""
    import pandas as pd

    data = parse_json(source)
    values = list(data.values()) if isinstance(data, dict) else data
    if not isinstance(values, list) or not values:
        raise InputError(
            f"{source.name} holds {type(data).__name__}, expected an object of ids and values, or "
            "a list"
        )
    if isinstance(data, list) and all(isinstance(row, dict) for row in data):
        rows = pd.DataFrame(data).astype(object)
        return _with_ids(rows.where(rows.notna(), "").astype(str), source.name)
    if any(isinstance(value, (list, dict)) for value in values):
        raise InputError(f"{source.name} holds lists or objects where single values should be")
    ids = np.array(list(data), dtype=object) if isinstance(data, dict) else None
    return _one_column(values, source, ids)


def _one_column(values: list[Any], source: InputFile, ids: NDArray[Any] | None = None) -> Columns:
    """Make a column of values; missing ones are empty."""
    column = np.array(["" if is_missing(value) else str(value) for value in values], dtype=object)
    name = "X" if source.path is None else source.path.name.split(".")[0]
    return Columns({name: column}, ids, None if ids is None else "id", source.name)


def _with_ids(frame: pandas.DataFrame, source: str) -> Columns:
    """Tell the ids from the rest; rows that are numbered from 0 have no ids."""
    first = frame.columns[0]
    if frame.shape[1] > 1 and first == "row":
        rows = [str(row) for row in range(len(frame))]
        if frame["row"].astype(str).tolist() == rows:
            frame = frame.drop(columns="row")
    cells = {name: frame[name].to_numpy(dtype=object) for name in frame.columns}
    texts = columns.texts_of(frame.iloc[:, :1])  # text in other columns is what is read
    candidates = candidates_of(list(cells), texts) if len(cells) > 1 else ()
    id_name = first_ids(frame, candidates)
    if id_name is None and first in candidates and named_like_ids(first) and texts:
        id_name = first  # not all different: an error that names what is repeated
    if id_name is None:
        return Columns(cells, source=source)
    ids = check_ids(cells.pop(id_name), id_name, source, by_row, guessed=True)
    return Columns(cells, ids, id_name, source)


@own_remedies
def read_parents(source: str | Path) -> list[tuple[Any, Any]]:
    """Read which class is part of which: a table of two columns, child and parent.

    Returns
    -------
    list of (child, parent)
        Parent is None for a class at the top, whose cell is empty.
    """
    table = read_whole_table(open_source(source, (*TEXT, "parquet")), as_text=True)
    if table.shape[1] != 2:
        raise InputError(
            f"{source} has {table.shape[1]} columns, expected two: class and its parent"
        )
    cells = table.to_numpy(dtype=object).tolist()
    return [(child, None if is_missing(parent) else parent or None) for child, parent in cells]
