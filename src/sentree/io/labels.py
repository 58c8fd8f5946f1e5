"""Labels out of files: one class per sample, as far as it is known."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.suggestions import count_classes, near_misses
from sentree.constraints.parsing import distinct, is_missing, plain_value, says_unknown
from sentree.io import arrays, columns
from sentree.io.errors import InputError
from sentree.io.lines import (
    Lines,
    Statement,
    names_columns,
    open_statements,
    parse_json,
    read_lines,
)
from sentree.io.names import By, Named
from sentree.io.sources import InputFile

__all__ = ["clean_labels", "count_classes", "near_misses", "read_labels"]

#: Names of the column of classes, where there are several columns.
_CLASSES = ("label", "labels", "class", "classes", "cluster", "type", "cell_type", "celltype", "y")


def clean_labels(values: Iterable[Any], unknown: Collection[Any] = ()) -> NDArray[Any]:
    """Return labels as Python values, None where they are unknown.

    Unknown are missing values, empty text, -1, "?", "NA", "unknown", "unassigned" and the like in
    any case, and whatever is in ``unknown``. Where all other labels are numbers, or text that
    reads as numbers, they become whole numbers (fractions stay, and :class:`~sentree.Constraints`
    refuses them as classes).

    Examples
    --------
    >>> clean_labels(["1", "2.0", "", "unknown"]).tolist()
    [1, 2, None, None]
    >>> clean_labels(["B", "1", None]).tolist()
    ['B', '1', None]
    """
    given = values if isinstance(values, np.ndarray) else _column(list(values))
    many = distinct(given)
    each = given.tolist() if many is None else many[1]
    try:
        code_of = {value: None for value in each if not is_missing(value)}
    except TypeError as error:
        raise InputError(f"a label is no text or number: {error}") from None
    kept: dict[Any, Any] = {}
    for value in code_of:
        plain = plain_value(value)
        if not says_unknown(plain) and plain not in unknown:
            kept[value] = plain
    numbers = {value: _as_number(plain) for value, plain in kept.items()}
    if None not in numbers.values():
        kept = numbers
    cleaned = np.empty(len(each) + 1, dtype=object)
    cleaned[:-1] = [None if is_missing(value) else kept.get(value) for value in each]
    return cleaned[:-1] if many is None else cleaned[many[0]]


def _column(values: list[Any]) -> NDArray[Any]:
    """Return a list as an array of objects."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _as_number(value: Any) -> Any:
    """Return a number, also from text; None for anything else, and for leading zeros (007)."""
    if not isinstance(value, str):
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    if re.fullmatch(r"\s*-?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?\s*", value):
        return plain_value(float(value)) if re.search("[.eE]", value) else int(value)
    return None


def read_labels(
    source: str | Path,
    names: Named,
    *,
    by: By = "auto",
    column: str | None = None,
    unknown: Collection[Any] = (),
    separator: str | None = None,
    format: str | None = None,
) -> NDArray[Any]:
    """Read the known classes of samples.

    Parameters
    ----------
    source : path or "-"
        Lines of sample and class, with or without names of columns; or one class per line, as many
        as there are samples; or JSON, an object of samples and classes or a list of as many
        classes as there are samples; or such a list as ``.npy``.
    names : Samples, GraphFile or Names
        The samples.
    by : {"auto", "id", "row"}
        How samples are named: by id where they have one, else by number, counted from 0.
    column : str, optional
        The column of classes, in a table of more than two.
    unknown : collection, optional
        Labels that mean unknown, besides the usual ones of :func:`clean_labels`.
    separator, format : str, optional
        As in :func:`~sentree.io.read_samples`.

    Returns
    -------
    object array of shape (n,)
        The class of each sample, None where it is unknown.
    """
    found = open_statements(source, format, "npy")
    if found.format == "npy":
        array = arrays.read_arrays(found)["X"]
        return _all_of(np.asarray(array).ravel(), names, found.name, unknown)
    if found.format == "json":
        return _from_json(parse_json(found), names, by, found, unknown)

    def is_header(first: list[str], second: list[str] | None) -> bool:
        if len(first) == 1:
            return False
        return column is not None or names_columns(first[:1], names, by)

    cells = read_lines(found, separator, is_header, spaces=False)
    if len(cells.columns) == 1:
        values = cells.columns[0]
        return _all_of(values[len(values) == names.n + 1 :], names, found.name, unknown)
    key, label = _two_columns(cells, names, column)
    return _by_name(cells.columns[key], cells.columns[label], names, by, cells, unknown, found.name)


def _all_of(values: Any, names: Named, source: str, unknown: Collection[Any]) -> NDArray[Any]:
    """Return one label for each sample."""
    if len(values) != names.n:
        raise InputError(
            f"{source} holds {len(values)} labels, but {names.source} has {names.n} samples: give "
            "one for each ('?' where it is unknown), or two columns, sample and class"
        )
    return clean_labels(values, unknown)


def _two_columns(cells: Lines, names: Named, column: str | None) -> tuple[int, int]:
    """Return which column names samples, and which holds their classes."""
    there = cells.names
    if there is None:
        if len(cells.columns) > 2:
            raise InputError(
                f"{cells.source} has {len(cells.columns)} columns without names; expected two, "
                "sample and class"
            )
        return 0, 1
    key = cells.column((getattr(names, "id_name", None) or "id").lower(), "id", "row") or 0
    if column is not None:
        if column not in there:
            columns.missing_column(column, there, cells.source)
        return key, there.index(column)
    others = [k for k in range(len(there)) if k != key]
    label = others[0] if len(others) == 1 else cells.column(*_CLASSES)
    if label is None or label == key:
        raise InputError(
            f"{cells.source} has columns {', '.join(there)}: which holds the classes? Call it "
            "'label', or leave only two columns, sample and class"
        )
    return key, label


def _by_name(
    keys: Any,
    values: Any,
    names: Named,
    by: By,
    place: Lines | Statement,
    unknown: Collection[Any],
    source: str,
) -> NDArray[Any]:
    """Return the labels of the samples that are named; refuse two for one sample."""
    rows = names.rows(keys, source, by=by, where=place.where)
    cleaned = clean_labels(values, unknown)
    labels = np.full(names.n, None, dtype=object)
    first: dict[int, int] = {}
    for k, (row, value) in enumerate(zip(rows.tolist(), cleaned, strict=True)):
        if value is None:
            continue
        if labels[row] is not None and labels[row] != value:
            raise InputError(
                f"{place.where(k)}: {keys[k]!r} is {value!r}, but {labels[row]!r} before "
                f"({place.where(first[row])})"
            )
        first.setdefault(row, k)
        labels[row] = value
    return labels


def _from_json(
    data: Any, names: Named, by: By, source: InputFile, unknown: Collection[Any]
) -> NDArray[Any]:
    """Return labels out of an object or a list."""
    if isinstance(data, Mapping):
        if any(isinstance(value, (list, dict)) for value in data.values()):
            raise InputError(
                f"{source.name} holds lists or objects where classes should be; it looks like a "
                "file of constraints of all kinds, not of labels"
            )
        place = Statement(source.name)
        return _by_name(list(data), data.values(), names, by, place, unknown, source.name)
    if not isinstance(data, list):
        raise InputError(
            f"{source.name} holds {type(data).__name__}, expected an object of samples and "
            "classes, or a list of classes"
        )
    return _all_of(data, names, source.name, unknown)
