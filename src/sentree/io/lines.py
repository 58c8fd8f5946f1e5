"""Files of statements, in lines with or without names of columns, or in JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sentree.io import text
from sentree.io.errors import InputError, did_you_mean
from sentree.io.names import By, Named
from sentree.io.sources import TEXT, InputFile, open_source

__all__ = ["Lines", "Statement", "listed", "listed_rows", "names_columns", "open_statements"]
__all__ += ["parse_json", "read_lines", "read_rows"]

#: What columns that name samples are called.
_HEADS = {
    *("id", "ids", "sample", "samples", "cell", "cells", "barcode", "name", "index", "row", "node"),
    *("a", "b", "i", "j", "u", "v", "source", "target", "from", "to", "first", "second", "kind"),
    *("id1", "id2", "sample1", "sample2", "cell1", "cell2", "sample_id", "cell_id"),
    *("left", "right"),
    *("id_a", "id_b", "id_1", "id_2", "sample_a", "sample_b", "sample_1", "sample_2", "unnamed: 0"),
}


@dataclass(frozen=True)
class Lines:
    """The lines of a file: their cells, column by column."""

    dialect: text.Dialect
    names: tuple[str, ...] | None
    columns: list[NDArray[Any]]

    @property
    def source(self) -> str:
        """Name of the file."""
        return self.dialect.source.name

    def __len__(self) -> int:
        return len(self.columns[0])

    def where(self, k: int) -> str:
        """Say where row k stands."""
        return f"{self.source}, line {self.dialect.line(k + (self.names is not None))}"

    def column(self, *wanted: str) -> int | None:
        """Return the number of the first column of one of these names."""
        for name in wanted:
            for k, there in enumerate(self.names or ()):
                if there.strip().lower() == name:
                    return k
        return None


@dataclass(frozen=True)
class Statement:
    """Says where statement k of a JSON file stands."""

    what: str

    def where(self, k: int) -> str:
        """Say where row k stands."""
        return f"{self.what}, entry {k} (counted from 0)"


def open_statements(source: str | Path, format: str | None, *more: str) -> InputFile:
    """Find a file of statements."""
    return open_source(source, (*TEXT, "json", *more), format)


def read_lines(
    source: InputFile,
    separator: str | None,
    is_header: Callable[[list[str], list[str] | None], bool],
    *,
    spaces: bool = True,
) -> Lines:
    """Read all cells as text; ``is_header`` is asked about the first line, given the second too."""
    dialect = text.sniff(source, header=False, separator=separator, spaces=spaces)
    frame = text.parse(dialect, dialect.names)
    columns = [frame[name].to_numpy(dtype=object) for name in dialect.names]
    first = [str(column[0]).strip() for column in columns]
    second = [str(column[1]).strip() for column in columns] if len(frame) > 1 else None
    if not is_header(first, second):
        return Lines(dialect, None, columns)
    return Lines(dialect, tuple(first), [column[1:] for column in columns])


def read_rows(
    source: InputFile,
    separator: str | None,
    names: Named,
    by: By,
    n_samples: int,
    lengths: tuple[int, ...],
    expected: str,
) -> tuple[list[list[Any]], Lines | Statement]:
    """Read statements of the same form, which begin with samples; say where each stands."""
    if source.format == "json":
        return listed_rows(parse_json(source), source.name, lengths), Statement(source.name)
    lines = read_lines(
        source, separator, lambda first, second: names_columns(first[:n_samples], names, by)
    )
    if len(lines.columns) not in lengths:
        raise InputError(f"{source.name} has {len(lines.columns)} columns, expected {expected}")
    return [list(row) for row in zip(*lines.columns, strict=True)], lines


def listed(value: Any, what: str) -> list[Any]:
    """Return a list, or say that it is none."""
    if not isinstance(value, list):
        raise InputError(f"{what} is a {type(value).__name__}, expected a list")
    return value


def listed_rows(value: Any, what: str, lengths: tuple[int, ...]) -> list[list[Any]]:
    """Return a list of lists of one of some lengths, or say which is not."""
    for k, row in enumerate(listed(value, what)):
        if not isinstance(row, list) or len(row) not in lengths:
            wanted = " or ".join(map(str, lengths))
            raise InputError(f"{what}, entry {k} is {row!r}, expected a list of {wanted}")
    return list(value)


def names_columns(cells: list[str], names: Named, by: By) -> bool:
    """Tell whether cells that should name samples are names of columns instead.

    They are if none of them names a sample, and each is a usual heading or unlike any id.
    """
    if any(names.has(cell, by) for cell in cells):
        return False
    numbers = by == "row" or names.ids is None
    known: Any = () if numbers else names.ids
    return all(
        cell.lower() in _HEADS or (not text.is_number(cell) and not did_you_mean(cell, known))
        for cell in cells
    )


def parse_json(source: InputFile) -> Any:
    """Read JSON, in which no key of an object may occur twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise InputError(f"{source.name}: {key!r} occurs twice in one object")
            found[key] = value
        return found

    try:
        return json.loads(source.text(), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{source.name}, line {error.lineno}, column {error.colno}, is not JSON: {error.msg}"
        ) from None
