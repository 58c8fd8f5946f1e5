"""Which columns of a table are ids, features, or something else; and features as numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sentree.io.errors import Either, Elsewhere, InputError, Param, did_you_mean, listed
from sentree.io.ids import Choice, candidates_of
from sentree.io.text import PREVIEW, holds_text, is_padded

if TYPE_CHECKING:
    import pandas

__all__ = ["choose", "feature_array", "missing_column", "objects", "raw_features", "text_columns"]
__all__ += ["texts_of"]

#: Most columns that a message tells of.
_SHOWN = 8


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


def raw_features(
    frame: pandas.DataFrame,
    features: Sequence[str],
    source: str,
    where: Callable[[int], str] | None = None,
) -> pandas.DataFrame:
    """Return columns as they are, if there is any."""
    if not features:
        raise InputError(
            f"{source}: no column is left as a feature: {listed(list(frame.columns))} are ids, "
            "labels or dropped"
        )
    return frame if list(features) == list(frame.columns) else frame[list(features)]


def feature_array(
    frame: pandas.DataFrame,
    features: Sequence[str],
    source: str,
    where: Callable[[int], str],
) -> NDArray[np.float64]:
    """Return columns as an array of finite numbers, or name what is none in each column."""
    chosen = raw_features(frame, features, source)
    real = [_is_real(kind) for kind in chosen.dtypes]
    numbers = chosen if all(real) else chosen.loc[:, real]
    array = np.ascontiguousarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
    if not all(real) or not np.isfinite(array).all():
        _not_ready(chosen, source, where)
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


def _not_ready(frame: pandas.DataFrame, source: str, where: Callable[[int], str]) -> NoReturn:
    """Raise for all columns that are not finite numbers, each with its first wrong value."""
    wrong = {name: said for name in frame if (said := _wrong(frame[name], where))}
    texts = [name for name, said in wrong.items() if said.startswith("has ")]
    shown = [f"column {name!r} {said}" for name, said in list(wrong.items())[:_SHOWN]]
    more = f"; and {len(wrong) - _SHOWN} more columns" if len(wrong) > _SHOWN else ""
    names = list(wrong)[:_SHOWN]
    raise InputError(
        f"{source}: features must be finite numbers, but {'; '.join(shown)}{more}",
        (
            ". ",
            Elsewhere(
                "sentree.TablePreparer",
                "raw=True reads the table as it is, for prepare='auto' of the estimators",
            ),
        ),
        *(
            [
                (". If a column holds known classes, say ", Param("take", texts[:1])),
                ("; if it names the samples, ", Param("id_column", texts[0])),
            ]
            if texts
            else []
        ),
        Either(
            ("; else leave out with " if texts else ". Leave out with ", Param("drop", names)),
            "; leave it out",
        ),
    )


def _wrong(column: pandas.Series[Any], where: Callable[[int], str]) -> str:
    """Say what is wrong with the values of a column; nothing where they are finite numbers."""
    if not _is_real(column.dtype):
        wrong = _no_number(column)
        if not wrong.any():
            return f"holds values of type {column.dtype}"
        row = int(np.argmax(wrong))
        cell, count = column.iloc[row], int(wrong.sum())
        said = f"has {cell!r} in {where(row)}"
        if isinstance(cell, str) and re.fullmatch(r"\s*-?[0-9.]*,[0-9]+\s*", cell):
            return f"{said} (a decimal comma, or thousands?)"
        if count > column.notna().sum() / 2:
            return said
        others = f" (and {count - 1} more like it)" if count > 1 else ""
        zeros = " but a name, since it has leading zeros" if is_padded(cell) else ""
        return f"{said}{others}, which is no number{zeros}"
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    bad = ~np.isfinite(values)
    if not bad.any():
        return ""
    if np.isnan(values).all():
        return "is empty in every row"
    row, count = int(np.argmax(bad)), int(bad.sum()) - 1
    what = "missing" if np.isnan(values[row]) else str(values[row])
    others = f" and {count} more row{'s' * (count > 1)}" if count else ""
    return f"is {what} in {where(row)}{others}"


def objects(column: pandas.Series[Any]) -> NDArray[Any]:
    """Return a column as Python values, None where they are missing."""
    import pandas as pd

    values: NDArray[Any] = column.to_numpy(dtype=object)
    missing = pd.isna(values)
    return np.where(missing, None, values) if missing.any() else values  # type: ignore[call-overload]
