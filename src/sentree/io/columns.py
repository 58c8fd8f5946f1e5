"""Which columns of a table are ids, features, or something else; and features as numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sentree.io.errors import InputError, did_you_mean, listed
from sentree.io.text import is_number

if TYPE_CHECKING:
    import pandas

__all__ = ["Choice", "check_ids", "choose", "feature_array", "missing_column"]

#: Names of a first column that holds ids if it holds text; the second, if it holds whole numbers.
_TEXT_IDS = re.compile(
    r"(.*[ _.-])?(id|ids|idx|index|name|names|sample|samples|cell|cells|barcode|barcodes|gene|genes"
    r"|key|row|rowname|rownames)|[a-z]+(id|name)|unnamed: 0",
    re.IGNORECASE,
)
_WHOLE_IDS = re.compile(
    r"(.*[ _.-])?(id|ids|idx|index)|unnamed: 0|rownames?"
    r"|(sample|cell|gene|row|subject|patient|record|object)id",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Choice:
    """What each column is used for."""

    id: str | None
    guessed: bool  # whether the id column was not named but looks like one
    aside: tuple[str, ...]  # read, but no features
    features: tuple[str, ...]
    exact: bool = False  # whether the features were named


def choose(
    names: Sequence[str],
    source: str,
    id_column: str | None,
    take: Sequence[str],
    drop: Sequence[str],
    features: Sequence[str] | None = None,
) -> Choice:
    """Tell what each column is used for; ids that are guessed are confirmed by their values.

    Where features are named, the columns that are not are dropped.
    """
    there, wanted = set(names), () if features is None else tuple(features)
    for name in (*take, *drop, *wanted, *(() if id_column is None else (id_column,))):
        if name not in there:
            missing_column(name, names, source)
    aside = tuple(dict.fromkeys((*take, *drop)))
    if id_column is not None and id_column in drop:
        raise InputError(f"{source}: column {id_column!r} cannot be the ids and be dropped")
    guessed = id_column is None and names[0] not in aside and bool(_TEXT_IDS.fullmatch(names[0]))
    guessed = guessed and names[0] not in wanted
    chosen = names[0] if guessed else id_column
    if features is not None:
        used = {*wanted, chosen}
        others = (name for name in names if name not in used)
        return Choice(chosen, guessed, tuple(dict.fromkeys((*aside, *others))), wanted, True)
    other = {*aside, chosen}
    return Choice(chosen, guessed, aside, tuple(name for name in names if name not in other))


def missing_column(name: str, names: Sequence[str], source: str) -> NoReturn:
    """Raise for a column that is not there."""
    raise InputError(
        f"{source} has no column {name!r}{did_you_mean(name, names)} (its columns are: "
        f"{listed(names)})"
    )


def holds_ids(name: str, values: NDArray[Any]) -> bool:
    """Tell whether a first column that is named like ids holds ids: text, or whole numbers."""
    import pandas as pd

    if isinstance(values[0], str) and not is_number(values[0]):
        return True
    numbers = pd.to_numeric(pd.Series(values), errors="coerce")
    if not all(is_number(str(value)) for value in values[numbers.isna()]):
        return True
    whole = bool((numbers == np.floor(numbers)).all())
    return whole and bool(_WHOLE_IDS.fullmatch(name)) and bool(numbers.is_unique)


def check_ids(
    values: NDArray[Any], name: str, source: str, where: Callable[[int], str], guessed: bool
) -> NDArray[Any]:
    """Return ids as text, all different and none empty."""
    import pandas as pd

    ids = pd.Series(values, dtype=object)
    if pd.api.types.infer_dtype(values, skipna=False) != "string":
        ids = ids.where(ids.notna(), "").map(str)
    different = set(ids)
    fix = "fill it in, or " if not guessed else ""
    if "" in different:
        row = int(np.flatnonzero(ids == "")[0])
        raise InputError(
            f"{source}: the id in {where(row)}, column {name!r}, is empty: {fix}name another id "
            f"column with --id COLUMN, or leave this one out with --drop {quoted(name)}"
        )
    if len(different) < len(ids):
        twice = ids.duplicated()
        second = int(np.flatnonzero(twice)[0])
        value = ids.iloc[second]
        first = int(np.flatnonzero(ids == value)[0])
        looks = "looks like ids" if guessed else "has the ids"
        raise InputError(
            f"{source}: column {name!r} {looks}, but {value!r} is in {where(first)} and in "
            f"{where(second)} ({int(twice.sum())} repeated in all): make them different, name "
            f"another id column with --id COLUMN, or leave this one out with --drop {quoted(name)}"
        )
    return np.asarray(ids.to_numpy(dtype=object))


def feature_array(
    frame: pandas.DataFrame,
    features: Sequence[str],
    source: str,
    where: Callable[[int], str],
) -> NDArray[np.float64]:
    """Return columns as numbers in row order, all finite, or name the first that is none."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if not features:
        raise InputError(
            f"{source}: no column is left as a feature: {listed(list(frame.columns))} are ids, "
            "labels or dropped"
        )
    chosen = frame if list(features) == list(frame.columns) else frame[list(features)]
    wrong = [
        name
        for name, kind in zip(features, chosen.dtypes, strict=True)
        if kind.kind in "cmM" or not (is_numeric_dtype(kind) or is_bool_dtype(kind))
    ]
    if wrong:
        _no_numbers(frame[wrong[0]], wrong, source, where)
    array = np.ascontiguousarray(chosen.to_numpy(dtype=np.float64, na_value=np.nan))
    if not np.isfinite(array).all():
        _not_finite(array, features, source, where)
    return array


def _no_numbers(
    column: pandas.Series[Any], names: Sequence[str], source: str, where: Callable[[int], str]
) -> NoReturn:
    """Raise for the first of some columns with cells that are no numbers: all of them, or a few."""
    import pandas as pd

    name = names[0]
    also = f" (the same holds for {listed(names[1:])})" if names[1:] else ""
    wrong = (pd.to_numeric(column, errors="coerce").isna() & column.notna()).to_numpy()
    if not wrong.any():
        raise InputError(
            f"{source}: column {name!r} holds values of type {column.dtype}, which are no "
            f"numbers: leave it out with --drop {quoted(name)}"
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
        shown = quoted(name)
        raise InputError(
            f"{place}, and features must be numbers{also}. If the column holds known classes, say "
            f"--labels {shown}; if it names the samples, --id {shown}; else leave it out with "
            f"--drop {shown}"
        )
    more = int(wrong.sum()) - 1
    others = f" (and {more} more like it)" if more else ""
    raise InputError(
        f"{place}{others}, which is no number: correct the cell, leave out the row, or leave out "
        f"the column with --drop {quoted(name)}"
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
            f"{source}: column {name!r} is empty in every row: leave it out with --drop "
            f"{quoted(name)}"
        )
    what = "is missing" if np.isnan(value) else f"is {value}"
    raise InputError(
        f"{source}: the value in {where(row)}, column {name!r}, {what} (rows with such "
        f"values: {n_rows}, columns: {n_columns}): fill it in, leave out these rows, or leave out "
        f"the column with --drop {quoted(name)}"
    )


def quoted(name: str) -> str:
    """Return a name as one writes it on a command line."""
    import shlex

    return shlex.quote(name)
