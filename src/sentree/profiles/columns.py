"""The columns of a table, one at a time: numbers, dates, ordered levels, truth, categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["Column", "Kind", "Table"]

#: An amount is a number that is mostly 0, as in sparse matrices: words, genes.
Kind = Literal["number", "date", "ordered", "boolean", "category", "amount"]
#: Text with more different values than this share of the rows names rows rather than kinds.
_MOST_LEVELS = 0.5
_SECOND = 1e6  # microseconds


@dataclass(frozen=True, eq=False)
class Column:
    """One column.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        What it holds.
    values : array
        Floats, NaN where missing (dates in seconds since 1970, truth as 0 and 1, ordered levels by
        their number); codes of levels, -1 where missing, of a category; of an amount the values
        that are not 0.
    levels : tuple of str
        Of a category, or of ordered levels.
    rows : array, optional
        The rows of the values of an amount.
    unit : (str, str)
        What is written before and after its numbers.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    levels: tuple[str, ...] = ()
    rows: NDArray[Any] | None = None
    unit: tuple[str, str] = ("", "")

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing."""
        if self.kind == "amount":
            return np.zeros(0, dtype=bool)
        return np.asarray(self.values < 0 if self.kind == "category" else np.isnan(self.values))


class Table:
    """A data frame, array or sparse matrix, read column by column.

    Columns that say nothing are set aside with the reason: see :attr:`aside`.
    """

    def __init__(self, X: Any, features: Sequence[Any] | None = None) -> None:
        self._X: Any
        if sp.issparse(X):
            self._X = sp.csc_array(X)
        else:
            from sentree.prepare import typed
            from sentree.prepare.frames import as_frame

            frame = as_frame(X)
            # Reading text would copy the table, which numbers alone have no need of.
            self._X = frame if all(x.kind in "biufM" for x in frame.dtypes) else typed(frame)
        if features is None:
            named = hasattr(X, "columns")
            features = X.columns if named else [f"x{k}" for k in range(self._X.shape[1])]
        self.names = [str(name) for name in features]
        if len(self.names) != self._X.shape[1]:
            raise ValueError(
                f"features are {len(self.names)} for {self._X.shape[1]} columns: give one for each"
            )
        self.aside: dict[str, str] = {}

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self._X.shape[0])

    def columns(self) -> Iterator[tuple[int, Column]]:
        """Go through the columns that say something."""
        for k, name in enumerate(self.names):
            found = self.column(k)
            reason = _says_nothing(found, self.n)
            if reason:
                self.aside[name] = reason
            else:
                yield k, found

    def column(self, k: int) -> Column:
        """Return a column by its number."""
        name = self.names[k]
        if sp.issparse(self._X):
            start, end = self._X.indptr[k : k + 2]
            values = np.asarray(self._X.data[start:end], dtype=np.float64)
            return Column(name, "amount", values, rows=self._X.indices[start:end])
        series = self._X.iloc[:, k]
        unit = self._X.attrs.get("units", {}).get(series.name, ("", ""))
        return replace(_of_series(name, series), unit=unit)

    def part(self, rows: NDArray[np.int64]) -> Table:
        """Return some rows."""
        chosen = self._X[rows] if sp.issparse(self._X) else self._X.iloc[rows]
        return Table(chosen, self.names)

    def cell(self, row: int, k: int) -> Any:
        """Return one value as it is."""
        return self._X[row, k] if sp.issparse(self._X) else self._X.iat[row, k]


def _of_series(name: str, series: Any) -> Column:
    """Tell what a column of a data frame holds."""
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        levels = tuple(map(str, kind.categories))
        codes = series.cat.codes.to_numpy()
        if kind.ordered:
            return Column(name, "ordered", np.where(codes < 0, np.nan, codes), levels)
        return Column(name, "category", codes.astype(np.int32), levels)
    if pd.api.types.is_datetime64_any_dtype(kind):
        if getattr(kind, "tz", None) is not None:
            series = series.dt.tz_localize(None)
        stamps = series.to_numpy().astype("datetime64[us]")
        seconds = stamps.view(np.int64).astype(np.float64) / _SECOND
        return Column(name, "date", np.where(np.isnat(stamps), np.nan, seconds))
    if pd.api.types.is_bool_dtype(kind) or pd.api.types.is_numeric_dtype(kind):
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        infinite = np.isinf(values)
        if infinite.any():
            values = np.where(infinite, np.nan, values)
        truth = pd.api.types.is_bool_dtype(kind) or _is_truth(values)
        return Column(name, "boolean" if truth else "number", values)
    texts = series.map(str, na_action="ignore")
    codes, found = pd.factorize(texts, sort=True)
    return Column(name, "category", codes.astype(np.int32), tuple(found))


def _is_truth(values: NDArray[np.float64]) -> bool:
    """Tell whether numbers are 0 and 1 only."""
    few = values[:100]
    few = few[~np.isnan(few)]
    if ((few != 0) & (few != 1)).any():
        return False
    return bool(((values == 0) | (values == 1) | np.isnan(values)).all())


def _says_nothing(column: Column, n: int) -> str:
    """Say why a column is of no use; "" where it is."""
    if column.kind == "amount":
        full = column.values.size == n
        if not column.values.any() or (full and np.ptp(column.values) == 0):
            return "one value only"
        return ""
    missing = column.missing
    known = column.values[~missing]
    if not known.size:
        return "all values are missing"
    if known.min() == known.max():
        return "" if missing.any() else "one value only"
    if column.kind == "category":
        levels = np.unique(known).size
        if levels > max(_MOST_LEVELS * known.size, 2):
            return "nearly every value is different"
    return ""
