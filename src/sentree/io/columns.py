"""Which columns of a table are ids, features, or something else; and features as numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sentree.io.errors import Either, InputError, Param, did_you_mean, listed
from sentree.io.ids import Choice, candidates_of
from sentree.io.text import PREVIEW, holds_text, is_padded

if TYPE_CHECKING:
    import pandas

__all__ = ["choose", "feature_array", "missing_column", "objects", "text_columns", "texts_of"]


def choose(
    names: Sequence[str],
    source: str,
    id_column: str | None,
    take: Sequence[str],
    drop: Sequence[str],
    features: Sequence[str] | None = None,
    texts: Sequence[str] = (),
) -> Choice:
    """Tell what each column is used for; those in ``texts`` hold text.

    Where features are named, the columns that are not are dropped.
    """
    there, wanted = set(names), () if features is None else tuple(features)
    for name in (*take, *drop, *wanted, *(() if id_column is None else (id_column,))):
        if name not in there:
            missing_column(name, names, source)
    aside = tuple(dict.fromkeys((*take, *drop)))
    if id_column is not None and id_column in drop:
        raise InputError(f"{source}: column {id_column!r} cannot be the ids and be dropped")
    used = {*aside, *wanted, id_column}
    left = tuple(name for name in names if name not in used)
    candidates = candidates_of(left, texts)
    if features is not None:
        return Choice(id_column, candidates, (*aside, *left), wanted, True)
    return Choice(id_column, candidates, aside, left)


def missing_column(name: str, names: Sequence[str], source: str) -> NoReturn:
    """Raise for a column that is not there."""
    raise InputError(
        f"{source} has no column {name!r}{did_you_mean(name, names)} (its columns are: "
        f"{listed(names)})"
    )


def feature_array(
    frame: pandas.DataFrame,
    features: Sequence[str],
    source: str,
    where: Callable[[int], str],
) -> NDArray[np.float64]:
    """Return columns as an array of finite numbers, or name the first value that is none."""
    if not features:
        raise InputError(
            f"{source}: no column is left as a feature: {listed(list(frame.columns))} are ids, "
            "labels or dropped"
        )
    chosen = frame if list(features) == list(frame.columns) else frame[list(features)]
    wrong = [name for name, kind in zip(features, chosen.dtypes, strict=True) if not _is_real(kind)]
    if wrong:
        _no_numbers(frame[wrong[0]], wrong, source, where)
    array = np.ascontiguousarray(chosen.to_numpy(dtype=np.float64, na_value=np.nan))
    if not np.isfinite(array).all():
        _not_finite(array, features, source, where)
    return array


def text_columns(frame: pandas.DataFrame, names: Sequence[str]) -> list[str]:
    """Return the columns that hold text for the most part, or dates."""
    others = [name for name in names if not _is_real(frame[name].dtype)]
    return [
        name
        for name in others
        if frame[name].dtype.kind in "mM"
        or _no_number(frame[name]).sum() > frame[name].notna().sum() / 2
    ]


def texts_of(frame: pandas.DataFrame) -> list[str]:
    """Return the columns that hold text, by their first cells."""
    return [name for name in frame if holds_text(frame[name].head(PREVIEW))]


def _is_real(kind: Any) -> bool:
    """Tell whether the values of a type are real numbers, or true and false."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return kind.kind not in "cmM" and bool(is_numeric_dtype(kind) or is_bool_dtype(kind))


def _no_number(column: pandas.Series[Any]) -> NDArray[np.bool_]:
    """Mark the cells that are neither missing nor numbers."""
    import pandas as pd

    unread = pd.to_numeric(column, errors="coerce").isna() & column.notna()
    return np.asarray((unread | column.map(is_padded)).to_numpy(dtype=bool))


def _no_numbers(
    column: pandas.Series[Any], names: Sequence[str], source: str, where: Callable[[int], str]
) -> NoReturn:
    """Raise for the first of some columns with cells that are no numbers: all of them, or a few."""
    name = names[0]
    also = f" (the same holds for {listed(names[1:])})" if names[1:] else ""
    wrong = _no_number(column)
    if not wrong.any():
        raise InputError(
            f"{source}: column {name!r} holds values of type {column.dtype}, which are no "
            "numbers: leave it out",
            (" with ", Param("drop", [name])),
        )
    row = int(np.flatnonzero(wrong)[0])
    cell = column.iloc[row]
    place = f"{source}: column {name!r} has {cell!r} in {where(row)}"
    comma = isinstance(cell, str) and re.fullmatch(r"\s*-?[0-9.]*,[0-9]+\s*", cell)
    if comma:
        raise InputError(
            f"{place}: this may be a decimal comma, or thousands; write the numbers with a decimal "
            f"point and nothing else{also}"
        )
    if wrong.sum() > column.notna().sum() / 2:
        raise InputError(
            f"{place}, and features must be numbers{also}",
            (". If the column holds known classes, say ", Param("take", [name])),
            ("; if it names the samples, ", Param("id_column", name)),
            Either(("; else leave it out with ", Param("drop", [name])), "; leave it out"),
        )
    more = int(wrong.sum()) - 1
    others = f" (and {more} more like it)" if more else ""
    zeros = " but a name, since it has leading zeros" if is_padded(cell) else ""
    raise InputError(
        f"{place}{others}, which is no number{zeros}: correct the cell, or leave out the row "
        "or the column",
        (" with ", Param("drop", [name])),
    )


def _not_finite(
    array: NDArray[np.float64], features: Sequence[str], source: str, where: Callable[[int], str]
) -> NoReturn:
    """Raise for the first value that is missing or infinite."""
    bad = ~np.isfinite(array)
    row, column = (int(k) for k in np.argwhere(bad)[0])
    name, value = features[column], array[row, column]
    n_columns, n_rows = int(bad.any(axis=0).sum()), int(bad.any(axis=1).sum())
    if np.isnan(array[:, column]).all():
        raise InputError(
            f"{source}: column {name!r} is empty in every row: leave it out",
            (" with ", Param("drop", [name])),
        )
    what = "is missing" if np.isnan(value) else f"is {value}"
    raise InputError(
        f"{source}: the value in {where(row)}, column {name!r}, {what} (rows with such "
        f"values: {n_rows}, columns: {n_columns}): fill it in, leave out these rows, or leave out "
        "the column",
        (" with ", Param("drop", [name])),
    )


def objects(column: pandas.Series[Any]) -> NDArray[Any]:
    """Return a column as Python values, None where they are missing."""
    import pandas as pd

    values: NDArray[Any] = column.to_numpy(dtype=object)
    missing = pd.isna(values)
    return np.where(missing, None, values) if missing.any() else values  # type: ignore[call-overload]
