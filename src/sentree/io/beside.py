"""Tables about samples that are not features: clusters, classes, parents of classes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from sentree.io import columns
from sentree.io.errors import InputError, listed
from sentree.io.names import Named
from sentree.io.samples import read_whole_table
from sentree.io.sources import TEXT, open_source

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

    def only(self, name: str | None = None, option: str = "--column") -> NDArray[Any]:
        """Return the column of a name, or the only one there is."""
        if name is not None and name not in self.columns:
            columns.missing_column(name, list(self.columns), self.source)
        if name is None and len(self.columns) > 1:
            raise InputError(
                f"{self.source} has several columns ({listed(list(self.columns))}): say which one "
                f"with {option}"
            )
        return self.columns[name or next(iter(self.columns))]


def read_columns(source: str | Path, *, format: str | None = None) -> Columns:
    """Read a table of any content as text; a first column that is named like ids holds the ids.

    Parameters
    ----------
    source : path or "-"
        ``.csv``, ``.tsv``, ``.txt`` (each also with ``.gz``) or ``.parquet``.
    format : str, optional
        The format, where the file name does not tell.

    Returns
    -------
    Columns
    """
    found = open_source(source, (*TEXT, "parquet"), format)
    return _with_ids(read_whole_table(found, as_text=True), found.name)


def _with_ids(frame: pandas.DataFrame, source: str) -> Columns:
    """Tell the ids from the rest; rows that are numbered from 0 have no ids."""
    cells = {name: frame[name].to_numpy(dtype=object) for name in frame.columns}
    first = next(iter(cells))
    if len(cells) > 1 and first == "row" and cells[first].astype(str).tolist() == _numbers(frame):
        del cells[first]
    choice = columns.choose(list(cells), source, None, (), ())
    if choice.id is None or len(cells) == 1 or not columns.holds_ids(choice.id, cells[choice.id]):
        return Columns(cells, source=source)
    ids = columns.check_ids(
        cells.pop(choice.id), choice.id, source, lambda row: f"row {row} (counted from 0)", True
    )
    return Columns(cells, ids, choice.id, source)


def _numbers(frame: pandas.DataFrame) -> list[str]:
    """Return the numbers of the rows as text."""
    return [str(row) for row in range(len(frame))]


def read_parents(source: str | Path) -> list[tuple[Any, Any]]:
    """Read which class is part of which: a table of two columns, child and parent.

    Returns
    -------
    list of (child, parent)
        Parent is None for a class at the top, whose cell is empty.
    """
    table = read_columns(source)
    cells = [*([] if table.ids is None else [table.ids]), *table.columns.values()]
    if len(cells) != 2:
        raise InputError(f"{source} has {len(cells)} columns, expected two: class and its parent")
    return [(child, parent or None) for child, parent in zip(*cells, strict=True)]
