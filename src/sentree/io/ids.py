"""Which column of a table names its samples: its name and its values tell, or the user is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sentree.io.errors import Either, InputError, Param, Piece
from sentree.io.text import is_number, is_padded

if TYPE_CHECKING:
    import pandas

__all__ = ["Choice", "check_ids", "find_ids", "first_ids", "is_text", "may_be_ids"]

_WHO = (
    "sample|cell|gene|patient|customer|client|subject|person|user|passenger|student|employee"
    "|member|participant|respondent|donor|record|object|specimen|observation|product|row"
)
#: Names of columns of ids, whatever these look like.
_SURE = re.compile(
    rf"(.*[ _.#-])?(id|ids|idx|uuid|guid)|index|unnamed: 0|(obs|var|row)[ _.-]?names?|({_WHO})id",
    re.IGNORECASE,
)
_SURE_IN_CAPITALS = re.compile(r".*[a-z0-9]I[dD]")  # PassengerId, customerID; not acid, grid
#: Names of columns of whole numbers, all different, that are ids more often than not.
_LIKELY = re.compile(
    rf"({_WHO}|name|barcode|key)|(.*[ _.-])?(barcode|index)"
    rf"|({_WHO})[ _.-]?(number|no|nr|code|key|name)",
    re.IGNORECASE,
)
#: Names of columns of text that are ids if they are all different.
_TEXT = re.compile(
    rf"(.*[ _.-])?(names?|barcodes?|index|key|({_WHO})s?)|[a-z]+(id|name)", re.IGNORECASE
)


@dataclass(frozen=True)
class Choice:
    """What each column is used for."""

    id: str | None  # as it was named
    candidates: tuple[str, ...]  # columns that may be ids, which their values tell
    aside: tuple[str, ...]  # read, but no features
    features: tuple[str, ...]  # with the candidates among them, unless they were named
    exact: bool = False  # whether the features were named


def may_be_ids(name: str) -> bool:
    """Tell whether a column is named like ids."""
    return any(kind.fullmatch(name) for kind in (_SURE, _SURE_IN_CAPITALS, _LIKELY, _TEXT))


def find_ids(
    frame: pandas.DataFrame,
    choice: Choice,
    source: str,
    where: Callable[[int], str],
    decimal: str = ".",
) -> tuple[str | None, dict[str, pandas.Series[Any]]]:
    """Return the column of ids, None where there is none, and the candidates that hold numbers.

    Nothing is clustered by an id: whole numbers that may be ids and are not used as such are an
    error, which says how to go on.
    """
    if choice.exact:
        found = first_ids(frame, choice.candidates, decimal) if choice.id is None else choice.id
        return found, {}
    chosen, numbers = choice.id, {}
    doubtful: list[tuple[str, Callable[..., NoReturn]]] = []
    for name in choice.candidates:
        column = frame[name]
        sure = bool(_SURE.fullmatch(name) or _SURE_IN_CAPITALS.fullmatch(name))
        if chosen is None and sure and _are_digits(column) and column.is_unique:
            chosen = name  # the most usual case, told quickly
            continue
        read = _numbers(column, decimal)
        if read is None:
            if chosen is None and column.is_unique:
                chosen = name
        elif any(map(is_padded, column)):
            if chosen is None and column.is_unique:
                chosen = name
            else:
                doubtful.append((name, _padded))
        elif not bool((read == np.floor(read)).all()):
            numbers[name] = read
        elif column.is_unique and (sure or _LIKELY.fullmatch(name)):
            if chosen is None and (sure or _counts(read)):
                chosen = name
            else:
                doubtful.append((name, _perhaps))
        elif sure:
            doubtful.append((name, _repeated))
        else:
            numbers[name] = read
    for name, refuse in doubtful:
        refuse(name, frame[name], source, where, chosen)
    first = str(frame.columns[0])
    if chosen is None and first in choice.candidates and first not in numbers:
        chosen = first  # text, not all different: an error that names what is repeated
    return chosen, numbers


def first_ids(frame: pandas.DataFrame, candidates: Sequence[str], decimal: str = ".") -> str | None:
    """Return the first of some columns that holds ids: text or whole numbers, all different.

    This is for tables in which columns that are not ids do no harm.
    """
    for name in candidates:
        read = _numbers(frame[name], decimal)
        if frame[name].is_unique and (read is None or bool((read == np.floor(read)).all())):
            return name
    return None


def is_text(column: pandas.Series[Any], decimal: str = ".") -> bool:
    """Tell whether a column holds names: text, or whole numbers with zeros in front."""
    return _numbers(column, decimal) is None or any(map(is_padded, column))


def _are_digits(column: pandas.Series[Any]) -> bool:
    """Tell whether a column of text holds nothing but digits."""
    return all(isinstance(value, str) and value.isdecimal() for value in column.array)


def _numbers(column: pandas.Series[Any], decimal: str) -> pandas.Series[Any] | None:
    """Return the numbers that a column of text says, None where it says other things too."""
    import pandas as pd

    values = column.to_numpy(dtype=object)
    if decimal == ",":
        values = np.array([str(value).replace(",", ".", 1) for value in values], dtype=object)
    if isinstance(values[0], str) and not is_number(values[0]):
        return None
    numbers = pd.to_numeric(pd.Series(values, index=column.index), errors="coerce").astype(float)
    return numbers if all(is_number(str(value)) for value in values[numbers.isna()]) else None


def _counts(numbers: pandas.Series[Any]) -> bool:
    """Tell whether numbers count the rows, from 0 or from 1."""
    first = numbers.iloc[0]
    return first in (0, 1) and np.array_equal(numbers, first + np.arange(len(numbers)))


def _perhaps(
    name: str, column: Any, source: str, where: Callable[[int], str], chosen: str | None
) -> NoReturn:
    taken = "" if chosen is None else f" (the ids are those of {chosen!r})"
    raise InputError(
        f"{source}: column {name!r} holds whole numbers, all different, and is named like ids"
        f"{taken}: ",
        Either(
            (
                "if it names the samples, say ",
                Param("id_column", name),
                "; if it says nothing about them, leave it out with ",
                Param("drop", [name]),
            ),
            "leave it out",
        ),
        "; if it is a feature, give it a name that says so",
    )


def _repeated(
    name: str, column: Any, source: str, where: Callable[[int], str], chosen: str | None
) -> NoReturn:
    row = int(np.flatnonzero(column.duplicated())[0])
    raise InputError(
        f"{source}: column {name!r} is named like ids and holds whole numbers, but "
        f"{column.iloc[row]!r} in {where(row)} is there a second time, so that it does not name "
        "the samples: leave it out",
        (" with ", Param("drop", [name])),
        "; if it is a feature, give it a name that says so",
    )


def _padded(
    name: str, column: Any, source: str, where: Callable[[int], str], chosen: str | None
) -> NoReturn:
    row = next(k for k, value in enumerate(column) if is_padded(value))
    raise InputError(
        f"{source}: column {name!r} has {column.iloc[row]!r} in {where(row)}: zeros in front make "
        "names of numbers.",
        Either(
            (
                " If these name the samples, say ",
                Param("id_column", name),
                "; else leave them out with ",
                Param("drop", [name]),
                ", or write them without the zeros if they are features",
            ),
            " Leave them out, or write them without the zeros",
        ),
    )


def check_ids(
    values: NDArray[Any], name: str, source: str, where: Callable[[int], str], guessed: bool
) -> NDArray[Any]:
    """Return ids as text, all different and none empty."""
    import pandas as pd

    ids = pd.Series(values, dtype=object)
    if pd.api.types.infer_dtype(values, skipna=False) != "string":
        ids = ids.where(ids.notna(), "").map(str)
    different = set(ids)
    others: tuple[Piece, ...] = (
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
