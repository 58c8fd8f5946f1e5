"""What kind of values a column holds, found by looking at them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sentree.prepare.dates import DateFormat, date_format, days
from sentree.prepare.frames import as_frame
from sentree.prepare.numbers import NumberFormat, number_format
from sentree.prepare.scales import in_order

__all__ = ["MISSING", "Cells", "read", "read_alike", "typed"]

#: Words that mean that there is no value, in any case.
MISSING = frozenset(
    (
        *("", "#n/a", "#n/a n/a", "#na", "-1.#ind", "-1.#qnan", "-nan", "1.#ind", "1.#qnan"),
        *("<na>", "n/a", "na", "null", "nan", "n.a.", "nil", "?", "-", "--", ".", "..", "…"),
        *("unknown", "missing", "not available", "not applicable", "#value!", "#ref!", "#div/0!"),
    )
)
#: Words for yes and no.
_PAIRS = (("yes", "no"), ("true", "false"), ("y", "n"), ("t", "f"), ("on", "off"))
_TRUTH = {word: truth for pair in _PAIRS for word, truth in zip(pair, (1.0, 0.0), strict=True)}
#: A column holds numbers or dates if at least this share of its values are such.
_MOST = 0.9
#: A column of text has cells of so many words, on average, most of them different.
_WORDS = 4

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cells:
    """The values of a column.

    ``kind`` is "number", "boolean", "date", "category", "ordered", "text", "empty" or "other"
    (objects that are no single values). The first three have ``numbers`` (NaN where missing), the
    next three ``codes`` (-1 where missing) of ``levels``.
    """

    kind: str
    numbers: FloatArray | None = None
    codes: IntArray | None = None
    levels: tuple[str, ...] = ()
    format: NumberFormat | DateFormat | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Where there is no value."""
        if self.numbers is not None:
            return np.isnan(self.numbers)
        assert self.codes is not None
        return self.codes < 0

    @property
    def counts(self) -> IntArray:
        """How often each level occurs."""
        assert self.codes is not None
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))


def read(column: pd.Series) -> Cells:
    """Find out what kind of values a column holds, and read them."""
    simple = _by_type(column)
    if simple is not None:
        return simple
    try:
        codes, levels, objects = _levels(column)
    except TypeError:
        return Cells("other", codes=np.zeros(len(column), dtype=np.int64), levels=("",))
    if not len(levels):
        return Cells("empty", codes=codes)
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    if objects is not None and len(objects):
        return Cells("date", numbers=_spread(objects, codes))
    words = {level.casefold() for level in levels}
    if any(words <= set(pair) for pair in _PAIRS):
        truths = np.array([_TRUTH[level.casefold()] for level in levels])
        return Cells("boolean", _spread(truths, codes))
    notes: list[str] = []
    for kind, find in (("number", _numbers), ("date", _dates)):
        found = find(levels)
        if isinstance(found, str):
            notes.append(found)
        elif found is not None:
            values, form, note = found
            wrong = np.isnan(values)
            if counts[~wrong].sum() >= _MOST * counts.sum():
                notes += [note] if note else []
                if wrong.any():
                    n, first = int(counts[wrong].sum()), levels[int(np.argmax(wrong))]
                    are = "cell is" if n == 1 else "cells are"
                    notes.append(f"{n} {are} no {kind} and so missing: {first[:30]!r}")
                return Cells(kind, _spread(values, codes), format=form, notes=tuple(notes))
    ordered = in_order(levels) if len(levels) <= 50 else None
    if ordered is not None:
        place = np.array([ordered.index(level) for level in levels], dtype=np.int64)
        codes = np.append(place, -1)[codes]
        return Cells("ordered", codes=codes, levels=tuple(ordered))
    kind = "text" if _is_text(levels, counts) else "category"
    return Cells(kind, codes=codes, levels=tuple(levels), notes=tuple(notes))


def read_alike(column: pd.Series, kind: str, levels: Sequence[str], form: Any) -> Cells:
    """Read a column as one of this kind; levels that are not known have codes beyond the known."""
    simple = _by_type(column)
    if kind in ("number", "boolean", "date"):
        if simple is not None and simple.numbers is not None:
            return simple
        codes, texts, objects = _levels(column)
        if objects is not None and len(objects):
            return Cells("date", _spread(objects, codes))
        if kind == "boolean":
            values = np.array([_TRUTH.get(text.casefold(), np.nan) for text in texts])
            plain = np.isnan(values)
            values[plain] = NumberFormat().read([t for t, p in zip(texts, plain, strict=True) if p])
        else:
            values = (form or NumberFormat()).read(texts)
        notes: tuple[str, ...] = ()
        if np.isnan(values).any():
            notes = (str(texts[int(np.flatnonzero(np.isnan(values))[0])]),)
        return Cells(kind, _spread(values, codes), notes=notes)
    codes, texts, _ = _levels(column)
    place = {level: k for k, level in enumerate(levels)}
    known = np.array([place.get(text, len(levels)) for text in texts], dtype=np.int64)
    return Cells(kind, codes=np.append(known, -1)[codes], levels=tuple(levels))


def typed(frame: Any) -> pd.DataFrame:
    """Return a table with the types that its values have.

    Numbers and dates in text become numbers and dates, yes and no become truth values, text of few
    different values becomes a category, and words such as NA, ? and unknown become missing. Text
    that is none of these, and columns of other objects, stay as they are.

    Parameters
    ----------
    frame : data frame or array
        The table, of pandas or polars.

    Returns
    -------
    pandas.DataFrame
        A new table with the same rows and columns.

    Examples
    --------
    >>> import pandas as pd
    >>> raw = pd.DataFrame({"paid": ["€ 12", "€ 1,500.2"], "since": ["31/1/2020", "?"]})
    >>> typed(raw)
         paid      since
    0    12.0 2020-01-31
    1  1500.2        NaT
    """
    raw = as_frame(frame)
    return pd.DataFrame({name: _typed(raw[name]) for name in raw}, index=raw.index)


def _typed(column: pd.Series) -> pd.Series:
    """Return a column with the type of its values."""
    if column.dtype.kind in "biufM" or isinstance(column.dtype, pd.CategoricalDtype):
        return column
    cells = read(column)
    values: Any = column
    if cells.kind == "number":
        values = cells.numbers
    elif cells.kind == "boolean":
        values = pd.array(cells.numbers, dtype="Float64").astype("boolean")
    elif cells.kind == "date":
        assert cells.numbers is not None
        micro = np.round(cells.numbers * 86_400_000_000)
        whole = np.where(np.isnan(micro), np.iinfo(np.int64).min, np.nan_to_num(micro))
        values = whole.astype(np.int64).astype("datetime64[us]").astype("datetime64[ns]")
    elif cells.kind in ("category", "ordered"):
        values = pd.Categorical.from_codes(
            cells.codes, list(cells.levels), ordered=cells.kind == "ordered"
        )
    elif cells.kind in ("text", "empty"):
        values = np.array([*cells.levels, None], dtype=object)[cells.codes]
    return pd.Series(values, index=column.index, name=column.name)


def _by_type(column: pd.Series) -> Cells | None:
    """Read a column whose type tells what it holds; None for objects and text."""
    kind = column.dtype.kind
    if isinstance(column.dtype, pd.CategoricalDtype):
        if not column.cat.ordered:
            return None
        levels = tuple(map(_text, column.cat.categories))
        return Cells("ordered", codes=column.cat.codes.to_numpy().astype(np.int64), levels=levels)
    if kind == "M" or isinstance(column.dtype, pd.PeriodDtype):
        return Cells("date", days(column if kind == "M" else column.dt.to_timestamp()))
    if kind == "m":
        return Cells("number", column.dt.total_seconds().to_numpy(np.float64) / 86400)
    if kind not in "biuf":
        return None
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    notes: tuple[str, ...] = ()
    if kind == "f" and (infinite := np.isinf(numbers)).any():
        numbers = np.where(infinite, np.nan, numbers)
        notes = (f"{int(infinite.sum())} infinite values count as missing",)
    return Cells("boolean" if kind == "b" else "number", numbers, notes=notes)


def _levels(column: pd.Series) -> tuple[IntArray, list[str], FloatArray | None]:
    """Return the code of each cell and the texts that codes stand for, -1 for missing ones.

    Where all values are dates, these are returned as days.
    """
    codes, found = pd.factorize(column)
    found = np.asarray(found, dtype=object)
    codes = codes.astype(np.int64)
    if pd.api.types.infer_dtype(found, skipna=False) != "string":
        if all(isinstance(value, (datetime.date, datetime.datetime)) for value in found):
            return codes, [], days(pd.to_datetime(pd.Series(found, dtype=object), utc=True))
        found = np.array([_text(value) for value in found], dtype=object)
    texts = [text.strip() for text in found]
    there = [None if text.casefold() in MISSING else text for text in texts]
    again, levels = pd.factorize(np.array(there, dtype=object))
    return np.append(again.astype(np.int64), -1)[codes], list(levels), None


def _text(value: Any) -> str:
    """Write a value as text; whole numbers without a point, whatever their type."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    if not np.isscalar(value) and not isinstance(value, (Number, datetime.date, datetime.time)):
        raise TypeError("no single value")
    return str(value)


def _spread(values: NDArray[Any], codes: IntArray) -> FloatArray:
    """Return the value of each cell."""
    return np.append(np.asarray(values, dtype=np.float64), np.nan)[codes]


def _numbers(levels: Sequence[str]) -> Any:
    """Return numbers, how they are written, and a word about it; or None, or only a word."""
    if any(text[:1] == "0" and text.isdigit() and len(text) > 1 for text in levels):
        return None  # codes with leading zeros
    form = number_format(levels)
    if form is None or isinstance(form, str):
        return form
    return form.read(levels), form, f"in {form.unit}" if form.unit else ""


def _dates(levels: Sequence[str]) -> Any:
    """Return dates, how they are written, and a word about it; or None."""
    found = date_format(levels)
    return None if found is None else (found[0].read(levels), *found)


def _is_text(levels: Sequence[str], counts: IntArray) -> bool:
    """Tell whether a column holds sentences, most of them different."""
    if 2 * len(levels) < counts.sum() or len(levels) < 10:
        return False
    seen = levels[:: max(len(levels) // 200, 1)]
    return sum(len(text.split()) for text in seen) > _WORDS * len(seen)
