"""Dates in text: ISO, day or month first, with names of months."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["DateFormat", "date_format", "days", "from_days"]

_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_TIME = r"(?:[ T]\s*[0-9]{1,2}:[0-9]{2}.{0,22})?"
#: What dates look like.
_DATE = re.compile(
    rf"(?i)[0-9]{{4}}[-/.][0-9]{{1,2}}(?:[-/.][0-9]{{1,2}})?{_TIME}"
    rf"|[0-9]{{1,2}}([/.-])[0-9]{{1,2}}\1(?:[0-9]{{4}}|[0-9]{{2}}){_TIME}"
    rf"|[0-9]{{1,2}}\.?[ -](?:{_MONTHS})[a-z]*\.?,?[ -][0-9]{{2,4}}"
    rf"|(?:{_MONTHS})[a-z]*\.? [0-9]{{1,2}},? [0-9]{{4}}"
)
#: Formats with names of months, without commas, points and hyphens.
_NAMED = ("%d %b %Y", "%b %d %Y", "%d %B %Y", "%B %d %Y", "%d %b %y")
#: Distinct cells that are looked at to tell whether they are dates.
_LOOKED_AT = 200
#: Beginnings of dates in figures that say which comes first, day or month.
_DAY_FIRST = r"(?m)^(?:1[3-9]|2[0-9]|3[01])[/.-][0-9]{1,2}[/.-]"
_MONTH_FIRST = r"(?m)^[0-9]{1,2}[/.-](?:1[3-9]|2[0-9]|3[01])[/.-]"
_DAY = 86_400_000_000  # in microseconds


class DateFormat(NamedTuple):
    """How the dates of a column are written, where that is not plain from each of them."""

    day_first: bool

    def read(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return dates as days since 1970, NaN for what is none."""
        found = np.full(len(texts), np.nan)
        for _ in self._read(texts, found):
            pass
        return found

    def _read(self, texts: Sequence[str], found: NDArray[np.float64]) -> Iterator[int]:
        """Read dates of one shape after the other; yield how many there were of each."""
        for read in (_iso, self._figures, _named):
            left = np.flatnonzero(np.isnan(found))
            if left.size:
                cells = texts if left.size == len(texts) else [texts[k] for k in left.tolist()]
                found[left] = read("\n".join(cell.replace("\n", " ") for cell in cells))
            yield left.size - int(np.isnan(found[left]).sum())

    def _figures(self, joined: str) -> NDArray[np.float64]:
        """Read day, month and year in figures: by their order they become ISO dates."""
        order = r"-\2-\1" if self.day_first else r"-\1-\2"
        for year, century in (("[0-9]{4}", ""), ("[0-6][0-9]", "20"), ("[7-9][0-9]", "19")):
            date = rf"(?m)^([0-9]{{1,2}})[/.-]([0-9]{{1,2}})[/.-]({year})(?![0-9:])"
            joined = re.sub(date, rf"{century}\3{order}", joined)
        return _iso(joined)


def date_format(texts: Sequence[str]) -> tuple[NDArray[np.float64], DateFormat, str] | None:
    """Return dates as days since 1970, how they are written, and what is doubtful about them.

    None where the texts are no dates.
    """
    seen = texts[:: max(len(texts) // _LOOKED_AT, 1)]
    if 10 * sum(_DATE.fullmatch(text) is not None for text in seen) < 9 * len(seen):
        return None
    joined = "\n".join(texts)
    n_day, n_month = (len(re.findall(order, joined)) for order in (_DAY_FIRST, _MONTH_FIRST))
    in_figures = re.search(r"(?m)^[0-9]{1,2}([/.-])[0-9]{1,2}\1", joined)
    doubtful = in_figures is not None and not n_day and not n_month
    form = DateFormat(in_figures[1] != "/" if in_figures and doubtful else n_day >= n_month)
    found = np.full(len(texts), np.nan)
    shapes = sum(count > 0 for count in form._read(texts, found))
    notes = [f"dates in {shapes} formats"] if shapes > 1 else []
    order = ("day", "month") if form.day_first else ("month", "day")
    if in_figures and n_day and n_month:
        notes.append(f"most with the {order[0]} first, some with the {order[1]}")
    elif doubtful:
        notes.append(f"read with the {order[0]} first, though no date tells")
    return found, form, "; ".join(notes)


def days(dates: pd.Series) -> NDArray[np.float64]:
    """Return dates as days since 1970, NaN where they are missing."""
    if dates.dt.tz is not None:
        dates = dates.dt.tz_convert("UTC").dt.tz_localize(None)
    micro = dates.to_numpy().astype("datetime64[us]")
    return np.where(np.isnat(micro), np.nan, micro.astype(np.int64) / _DAY)


def from_days(numbers: NDArray[np.float64]) -> NDArray[np.datetime64]:
    """Return days since 1970 as dates."""
    dates = np.full(len(numbers), np.datetime64("NaT"), dtype="datetime64[us]")
    there = ~np.isnan(numbers)
    dates[there] = np.rint(numbers[there] * _DAY).astype(np.int64).astype("datetime64[us]")
    return dates.astype("datetime64[ns]")


def _iso(joined: str) -> NDArray[np.float64]:
    """Read dates with the year first."""
    if "/" in joined or "." in joined:
        joined = re.sub(r"(?m)^([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})", r"\1-\2-\3", joined)
    joined = re.sub(r"(?m)(?<=[ T])([0-9]:)", r"0\1", joined)  # pandas misreads hours of one figure
    cells = pd.Series(joined.split("\n"), dtype=object)
    found = days(pd.to_datetime(cells, format="ISO8601", errors="coerce", utc=True))
    if re.search(r"(?i)[0-9] ?[ap]m", joined):
        for form in ("%Y-%m-%d %I:%M %p", "%Y-%m-%d %I:%M:%S %p"):
            more = days(pd.to_datetime(cells, format=form, errors="coerce", utc=True))
            found = np.where(np.isnan(found), more, found)
    return found


def _named(joined: str) -> NDArray[np.float64]:
    """Read dates with names of months."""
    cells = pd.Series(re.sub(r"[ .,-]+", " ", joined.replace("\n", "\0")).split("\0"), dtype=object)
    found = np.full(len(cells), np.nan)
    for form in _NAMED:
        more = days(pd.to_datetime(cells, format=form, errors="coerce", utc=True))
        found = np.where(np.isnan(found), more, found)
    return found
