"""Which column of a table names its samples.

The ids are the first column named like ids whose values are all different, else the first such
column of text; without one, rows are numbered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sentree.io.errors import Either, InputError, Param, Piece

if TYPE_CHECKING:
    import pandas

__all__ = ["Choice", "candidates_of", "check_ids", "find_ids", "first_ids", "named_like_ids"]

#: Names of columns of ids: sample_id, PassengerId, patient, index, and none at all.
_NAMES = re.compile(
    r"(?i:(.*[ _.#-])?id|(sample|cell|patient|subject|customer|user)(id)?|barcode|name|index"
    r"|unnamed: 0)|.*[a-z0-9]I[dD]"
)


@dataclass(frozen=True)
class Choice:
    """What each column is used for."""

    id: str | None  # as the user named it
    candidates: tuple[str, ...]  # columns that may be ids
    aside: tuple[str, ...]  # read, but no features
    features: tuple[str, ...]  # with the candidates among them, unless the user named the features
    exact: bool = False  # whether the user named the features


def named_like_ids(name: str) -> bool:
    """Tell whether a column is named like ids."""
    return bool(_NAMES.fullmatch(name))


def candidates_of(names: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that may be ids: those named so first, then those of text."""
    named = [name for name in names if named_like_ids(name)]
    return tuple(dict.fromkeys([*named, *(name for name in names if name in texts)]))


def first_ids(frame: pandas.DataFrame, candidates: Sequence[str]) -> str | None:
    """Return the first of some columns whose values are all different."""
    return next((name for name in candidates if frame[name].is_unique), None)


def find_ids(
    frame: pandas.DataFrame, choice: Choice, source: str, where: Callable[[int], str]
) -> str | None:
    """Return the column of ids, None where there is none.

    A column named like ids that is not used as such is an error, since ids are no features.
    """
    chosen = first_ids(frame, choice.candidates) if choice.id is None else choice.id
    for name in () if choice.exact else choice.candidates:
        if name == chosen or not named_like_ids(name):
            continue
        if chosen is None:  # an error that says what is repeated
            check_ids(frame[name].to_numpy(dtype=object), name, source, where, guessed=True)
        raise InputError(
            f"{source}: column {name!r} is named like ids, but the ids are those of {chosen!r}: ",
            Either(
                (
                    "if it names the samples, say ",
                    Param("id_column", name),
                    "; else leave it out with ",
                    Param("drop", [name]),
                ),
                "leave it out",
            ),
            "; if it is a feature, give it a name that says so",
        )
    return chosen


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
