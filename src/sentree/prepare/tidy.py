"""Tables with the types that their values have."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sentree.prepare.dates import from_days
from sentree.prepare.frames import as_frame
from sentree.prepare.numbers import NumberFormat
from sentree.prepare.plan import plan
from sentree.prepare.reading import MISSING, read

__all__ = ["typed"]


def typed(frame: Any) -> pd.DataFrame:
    """Return a table with the types that its values have.

    Numbers and dates in text become numbers and dates, yes and no become truth values, text that
    repeats becomes a category, and words such as NA, ? and unknown become missing. Sentences, ids
    and other objects stay as they are.

    Parameters
    ----------
    frame : data frame or array
        The table, of pandas or polars.

    Returns
    -------
    pandas.DataFrame
        A new table with the same rows and columns. Its ``attrs["units"]`` has what stood before
        and after the numbers of a column, such as "€".

    Examples
    --------
    >>> import pandas as pd
    >>> raw = pd.DataFrame({"paid": ["€ 12", "€ 1,500.2"], "since": ["31/1/2020", "?"]})
    >>> typed(raw)
         paid      since
    0    12.0 2020-01-31
    1  1500.2        NaT
    """
    raw = as_frame(frame, fewest=1)
    units = dict(raw.attrs.get("units", {}))
    found = pd.DataFrame({name: _typed(raw[name], units) for name in raw}, index=raw.index)
    found.attrs["units"] = units
    return found


def _typed(column: pd.Series, units: dict[Any, tuple[str, str]]) -> pd.Series:
    """Return a column with the type of its values, and note the unit of numbers."""
    if column.dtype.kind in "biufM" or isinstance(column.dtype, pd.CategoricalDtype):
        return column
    cells = read(column)
    if isinstance(cells.format, NumberFormat) and cells.format.unit:
        units[column.name] = (cells.format.before, cells.format.after)
    values: Any = column
    if cells.kind == "number":
        values = cells.numbers
    elif cells.kind == "boolean":
        values = pd.array(cells.numbers, dtype="Float64").astype("boolean")
    elif cells.kind == "date":
        values = from_days(cells.held)
    elif cells.kind == "ordered" or plan("", cells)[0].kind in ("category", "constant"):
        ordered = cells.kind == "ordered"
        values = pd.Categorical.from_codes(cells.codes, list(cells.levels), ordered=ordered)
    elif cells.kind != "other":
        values = column.where(~column.isin(MISSING), None)
    return pd.Series(values, index=column.index, name=column.name)
