"""Rows by what a person types: ids, a condition on a column, a cluster, or words."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sentree._util.suggestions import did_you_mean
from sentree.app.snapshot import Snapshot
from sentree.app.statements import Refused

__all__ = ["find"]

_CONDITION = re.compile(r"\s*(.+?)\s*(>=|<=|!=|=|>|<)\s*(.*?)\s*$")
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}


def find(now: Snapshot, text: str) -> dict[str, Any]:
    """Return the rows that a text means, and how it was read."""
    is_list = "\n" in text
    text = text.strip()
    if not text:
        return {"rows": [], "n": 0, "text": ""}
    for read in (_by_list,) if is_list else (_by_condition, _by_cluster, _by_ids):
        found = read(now, text)
        if found is not None:
            rows, how = found
            break
    else:
        rows, how = _by_words(now, text)
    return {"rows": rows.tolist(), "n": int(rows.size), "text": how}


def _by_condition(now: Snapshot, text: str) -> tuple[NDArray[Any], str] | None:
    """Read "age > 30" and "city = Paris"."""
    said = _CONDITION.match(text)
    if said is None:
        return None
    name, sign, value = said.groups()
    known = {one.casefold(): one for one in (*now.data.samples.columns, *now.data.features)}
    if name.casefold() in ("cluster", "strength"):
        column = pd.Series(now.labels if name.casefold() == "cluster" else now.strength)
        name = name.casefold()
    elif name.casefold() in known:
        name = known[name.casefold()]
        column = now.data.column(name)
    else:
        raise Refused(f"there is no column {name!r}{did_you_mean(name, known.values())}")
    return np.flatnonzero(_holds(column, sign, value, name)), f"{name} {sign} {value}"


def _holds(column: Any, sign: str, value: str, name: str) -> Any:
    """Tell for which rows a condition on a column holds; never where the value is missing."""
    there = column.notna().to_numpy()
    compared: Any
    if column.dtype.kind in "biuf":
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        try:
            compared = _COMPARE[sign](numbers, float(value.replace(",", "")))
        except ValueError:
            raise Refused(f"{name} holds numbers: {value!r} is none") from None
    elif column.dtype.kind == "M":
        try:
            compared = _COMPARE[sign](column, pd.Timestamp(value)).to_numpy()
        except ValueError:
            raise Refused(f"{name} holds dates: {value!r} is none") from None
    else:
        texts = column.astype(str).str.casefold().to_numpy()
        compared = _COMPARE[sign](texts, value.casefold())
    return compared & there


def _by_cluster(now: Snapshot, text: str) -> tuple[NDArray[Any], str] | None:
    """Read "cluster 3", and the name of a cluster."""
    number = re.fullmatch(r"cluster\s+(\d+)", text, re.IGNORECASE)
    chosen = [int(number[1])] if number else []
    plain = text.casefold()
    chosen += [c for c, name in enumerate(now.names) if name and name.casefold() == plain]
    rows = np.flatnonzero(np.isin(now.labels, chosen))
    return (rows, f"cluster {', '.join(map(str, chosen))}") if rows.size else None


def _by_list(now: Snapshot, text: str) -> tuple[NDArray[Any], str]:
    """Read lines with an id each; ids that no row has are left out and told."""
    samples = now.data.samples
    lines = list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    wanted = [line for line in lines if samples.has(line)]
    unknown = [line for line in lines if not samples.has(line)]
    how = f"{len(wanted)} of {len(lines)} ids"
    if unknown:
        told = ", ".join(unknown[:3])
        how += f"; no row is called {told}{' …' if len(unknown) > 3 else ''}"
    return np.unique(samples.rows(wanted)).astype(np.int64), how


def _by_ids(now: Snapshot, text: str) -> tuple[NDArray[Any], str] | None:
    """Read an id, or several with commas or spaces between."""
    samples = now.data.samples
    for names in ([text], re.split(r"\s*[,;\t]\s*", text), text.split()):
        wanted = [name.strip() for name in names if name.strip()]
        if wanted and all(samples.has(name) for name in wanted):
            rows = np.unique(samples.rows(wanted))
            what = f"{samples.id_name or 'row'} {wanted[0]}"
            return rows, what if rows.size == 1 else f"{rows.size} ids"
    return None


def _by_words(now: Snapshot, text: str) -> tuple[NDArray[Any], str]:
    """Look for a text in ids and columns of text, and for a number in those of numbers."""
    plain, data = text.casefold(), now.data
    number = float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else np.nan
    found = np.zeros(data.n, dtype=bool)
    if data.samples.ids is not None:
        found |= [plain in str(name).casefold() for name in data.samples.ids]
    for name in (*data.samples.columns, *data.features):
        column = data.column(name)
        if column.dtype.kind in "biuf":
            found |= column.to_numpy(dtype=np.float64, na_value=np.nan) == number
        elif column.dtype.kind != "M":
            cells = column.astype(str).str.casefold()
            found |= cells.str.contains(plain, regex=False).to_numpy() & column.notna().to_numpy()
    return np.flatnonzero(found), f"rows that contain {text!r}"
