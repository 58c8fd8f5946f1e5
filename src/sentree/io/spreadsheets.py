"""Tables in spreadsheets (XLSX), by openpyxl: typed cells of one sheet, or the same as text."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from sentree._util.warnings import warn
from sentree.io.errors import InputError, Param, did_you_mean, listed, optional

if TYPE_CHECKING:
    import pandas

__all__ = ["Sheet", "csv_bytes", "read_sheet", "sheet_bytes"]

#: What cells say whose formula went wrong.
_ERRORS = {"#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"}
#: What cells can hold besides nothing; all else is written as text.
_CELLS = (str, int, float, date, time, timedelta)
#: A sheet has at most so many rows and columns.
_ROWS, _COLUMNS = 1 << 20, 1 << 14


class Sheet(NamedTuple):
    """The rows of a sheet that are not empty, and where they stand."""

    rows: list[list[Any]]
    numbers: list[int]


def read_sheet(stream: IO[bytes], source: str, wanted: str | None = None) -> Sheet:
    """Return the cells of the sheet that is asked for, else of the first that is not empty."""
    openpyxl = optional("openpyxl", f"{source}: XLSX files")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and pictures that are passed over
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        shown = [one for one in book.worksheets if one.sheet_state == "visible"]
        if wanted is not None:
            shown = [_named(book, wanted, source)]
        filled = [one for one in shown if _is_filled(one)]
        found = _cells(filled[0]) if filled else None
    if found is None:
        where = "" if wanted is None else f" in sheet {wanted!r}"
        raise InputError(f"{source} has no cells{where}")
    if len(filled) > 1:
        titles = [one.title for one in filled]
        told = f"{source} has {len(titles)} sheets ({listed(titles)}): {titles[0]!r} is read"
        warn(told, ("; name another with ", Param("sheet", ...)))
    return found


def _named(book: Any, wanted: str, source: str) -> Any:
    """Return the sheet of a name."""
    there = [one.title for one in book.worksheets]
    if wanted not in there:
        raise InputError(
            f"{source} has no sheet {wanted!r}{did_you_mean(wanted, there)} (its sheets are: "
            f"{listed(there)})"
        )
    return book[wanted]


def _is_filled(sheet: Any) -> bool:
    """Tell whether a sheet has a cell that is not empty."""
    sheet.reset_dimensions()  # some programs store wrong ones
    return any(cell is not None for row in sheet.iter_rows(values_only=True) for cell in row)


def _cells(sheet: Any) -> Sheet:
    """Return the rows with a value in them, from the first column with a value to the last."""
    rows, numbers = [], []
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        row = [None if cell == "" or cell in _ERRORS else cell for cell in cells]
        while row and row[-1] is None:
            row.pop()
        if row:
            rows.append(row)
            numbers.append(number)
    first = min((next(k for k, c in enumerate(row) if c is not None) for row in rows), default=0)
    end = max(map(len, rows), default=0)
    rows = [[*row[first:], *[None] * (end - max(len(row), first))] for row in rows]
    return Sheet(rows, numbers)


def csv_bytes(rows: Sequence[Sequence[Any]]) -> bytes:
    """Return rows of typed cells as a text of CSV; a single cell on top, a title, stays alone."""
    lines = io.StringIO(newline="")
    first = [cell for cell in rows[0] if cell is not None]
    whole = [first if len(first) == 1 < len(rows[0]) else rows[0], *rows[1:]]
    csv.writer(lines, lineterminator="\n").writerows([map(_as_text, row) for row in whole])
    return lines.getvalue().encode("utf-8")


def _as_text(cell: Any) -> str:
    """Write a cell as text."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return str(cell.date() if cell.time() == time() else cell)
    return str(cell)


def sheet_bytes(frame: pandas.DataFrame) -> bytes:
    """Return a table as an XLSX file of one sheet; missing values are empty cells."""
    openpyxl = optional("openpyxl", "XLSX files")
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.utils.exceptions import IllegalCharacterError

    if len(frame) >= _ROWS or frame.shape[1] > _COLUMNS:
        raise InputError(
            f"a table of {len(frame)} rows and {frame.shape[1]} columns does not fit into a sheet "
            f"of XLSX ({_ROWS} rows, {_COLUMNS} columns): write .csv or .parquet"
        )
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("sentree")

    def cell(value: Any) -> Any:
        if isinstance(value, float) and value in (float("inf"), float("-inf")):
            return str(value)
        if isinstance(value, datetime) and value.tzinfo is not None:
            return str(value)
        if not isinstance(value, str) or value[:1] != "=":
            return value if value is None or isinstance(value, _CELLS) else str(value)
        made = WriteOnlyCell(sheet, value)
        made.data_type = "s"  # text, no formula
        return made

    plain = frame.astype(object).where(frame.notna(), None)
    try:
        sheet.append([cell(name) for name in frame.columns])
        for row in plain.itertuples(index=False, name=None):
            sheet.append([cell(value) for value in row])
    except IllegalCharacterError:
        raise InputError(
            "a cell holds control characters, which XLSX cannot hold: write .csv or .parquet"
        ) from None
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()
