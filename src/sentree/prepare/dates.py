"""Dates in text: ISO, day or month first, with names of months."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["DateFormat", "date_format", "days"]

#: A date in figures: day and month in some order, then the year, then perhaps a time.
_FIGURES = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?:[ T](.+))?")
_ISO = re.compile(
    r"[0-9]{4}([-/.])[0-9]{1,2}(?:\1[0-9]{1,2})?(?:[ T][0-9:.,]+ ?(?:Z|[+-][0-9:]+)?)?"
)
_NAMED = re.compile(
    r"(?i)[0-9]{1,2}\.?[ -](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[ -][0-9]{2,4}"
    r"|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? [0-9]{1,2},? [0-9]{4}"
)
_SHAPES = {"iso": _ISO, "figures": _FIGURES, "named": _NAMED}
#: Distinct cells that are looked at to tell whether they are dates.
_LOOKED_AT = 200


class DateFormat(NamedTuple):
    """How the dates of a column are written."""

    shapes: tuple[str, ...]  # of _SHAPES
    day_first: bool = True  # in figures

    def read(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return dates as days since 1970, NaN for what is none."""
        cells = pd.Series(list(texts), dtype=object)
        found = np.full(len(cells), np.nan)
        for shape in self.shapes:
            left = np.flatnonzero(np.isnan(found))
            fits = left[[_fits(shape, text) for text in cells.iloc[left]]]
            if fits.size:
                found[fits] = _read(shape, cells.iloc[fits], self.day_first)
        return found


def days(dates: pd.Series) -> NDArray[np.float64]:
    """Return dates as days since 1970, NaN where they are missing."""
    if dates.dt.tz is not None:
        dates = dates.dt.tz_convert("UTC").dt.tz_localize(None)
    micro = dates.to_numpy().astype("datetime64[us]")
    numbers = micro.astype(np.int64) / 86_400_000_000
    numbers[np.isnat(micro)] = np.nan
    return np.asarray(numbers, dtype=np.float64)


def date_format(texts: Sequence[str]) -> tuple[DateFormat, str] | None:
    """Return how dates are written, with a word on what is doubtful; None for other texts."""
    step = max(len(texts) // _LOOKED_AT, 1)
    seen = texts[::step]
    fitting = [next((s for s in _SHAPES if _fits(s, text)), None) for text in seen]
    if 10 * sum(shape is not None for shape in fitting) < 9 * len(seen):
        return None
    all_fitting = {next((s for s in _SHAPES if _fits(s, text)), None) for text in texts}
    shapes = tuple(s for s in _SHAPES if s in all_fitting)
    notes = [f"dates in {len(shapes)} formats"] if len(shapes) > 1 else []
    day_first = True
    if "figures" in shapes:
        found = [match for text in texts if (match := _FIGURES.fullmatch(text))]
        first = any(int(match[1]) > 12 for match in found)
        second = any(int(match[3]) > 12 for match in found)
        day_first = not second if first != second else found[0][2] != "/"
        if first and second:
            notes.append("some dates have the day first, others the month")
        elif not first and not second:
            notes.append(
                f"read with the {'day' if day_first else 'month'} first, which no date tells"
            )
    return DateFormat(shapes, day_first), "; ".join(notes)


def _fits(shape: str, text: str) -> bool:
    return _SHAPES[shape].fullmatch(text) is not None


def _read(shape: str, cells: pd.Series, day_first: bool) -> NDArray[np.float64]:
    """Read dates of one shape."""
    if shape == "iso":
        plain = cells.str.replace(r"^(\d{4})[/.](\d+)[/.](\d+)", r"\1-\2-\3", regex=True)
        return days(pd.to_datetime(plain, format="ISO8601", errors="coerce", utc=True))
    kinds = {"dayfirst": day_first} if shape == "figures" else {}
    return days(pd.to_datetime(cells, format="mixed", errors="coerce", utc=True, **kinds))
