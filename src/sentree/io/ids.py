"""Which column of a table names its samples.

The ids are the first column named like ids whose values are all different, else the first text
column whose values are all different, else rows are numbered. Numbers with fractions are no ids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sentree.io.errors import InputError, Param, Piece
from sentree.io.text import MISSING
from sentree.prepare.ids import named_like_ids

if TYPE_CHECKING:
    import pandas

__all__ = ["Choice", "candidates_of", "check_ids", "first_ids"]

#: Values that are looked at to tell whether they name rows.
_LOOKED_AT = 500


@dataclass(frozen=True)
class Choice:
    """What each column is used for."""

    id: str | None  # as the user named it
    candidates: tuple[str, ...]  # columns that may be ids
    aside: tuple[str, ...]  # read, but no features
    features: tuple[str, ...]  # with the candidates among them, unless the user named the features
    exact: bool = False  # whether the user named the features


def candidates_of(names: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that may be ids: those named so first, then those of text."""
    named = [name for name in names if named_like_ids(name)]
    return tuple(dict.fromkeys([*named, *(name for name in names if name in texts)]))


def first_ids(frame: pandas.DataFrame, candidates: Sequence[str]) -> str | None:
    """Return the first of some columns whose values are all different and name the rows."""
    found = (name for name in candidates if frame[name].is_unique)
    return next((name for name in found if not _says_something(frame[name])), None)


def _says_something(column: pandas.Series[Any]) -> bool:
    """Tell whether values that are all different describe the rows: fractions, prices, dates."""
    if _has_fractions(column):
        return True
    from sentree.prepare.reading import NUMERIC, read

    return not named_like_ids(str(column.name)) and read(column[:_LOOKED_AT]).kind in NUMERIC


def _has_fractions(column: pandas.Series[Any]) -> bool:
    """Tell whether a column holds numbers that are not all whole."""
    import pandas as pd

    numbers = pd.to_numeric(column[~column.isin(MISSING)], errors="coerce")
    return bool(numbers.notna().all() and (numbers % 1 != 0).any())


def check_ids(
    values: NDArray[Any],
    name: str,
    source: str,
    where: Callable[[int], str],
    *,
    guessed: bool = False,
    in_table: bool = True,
) -> NDArray[Any]:
    """Return ids as text, all different and none empty; those outside of a table have no column."""
    import pandas as pd

    ids = pd.Series(values, dtype=object)
    if pd.api.types.infer_dtype(values, skipna=False) != "string":
        ids = ids.where(ids.notna(), "").map(str)
    different = set(ids)
    others: tuple[Piece, ...] = (("or name another id column with ", Param("id_column", ...)),)
    if in_table:
        others = (
            ("name another id column with ", Param("id_column", ...), ", "),
            "or leave this one out",
            (" with ", Param("drop", [name])),
        )
    if "" in different:
        row = int(np.flatnonzero(ids == "")[0])
        raise InputError(
            f"{source}: the id in {where(row)}, column {name!r}, is empty: fill it in, ",
            *others,
        )
    if len(different) < len(ids):
        twice = ids.duplicated()
        second = int(np.flatnonzero(twice)[0])
        value = ids.iloc[second]
        first = int(np.flatnonzero(ids == value)[0])
        looks = "looks like ids" if guessed else "has the ids"
        raise InputError(
            f"{source}: column {name!r} {looks}, but {value!r} is in {where(first)} and in "
            f"{where(second)} ({int(twice.sum())} repeated in all): make them different, ",
            *others,
        )
    return np.asarray(ids.to_numpy(dtype=object))
