"""Constraints out of files: pairs, classes that samples are not of, or everything in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.io import gathered, written
from sentree.io.errors import InputError
from sentree.io.gathered import Gathered
from sentree.io.labels import clean_labels
from sentree.io.lines import open_statements, parse_json, read_lines, read_rows
from sentree.io.names import By, Named
from sentree.io.sources import format_of
from sentree.io.tables import write_bytes, write_table

__all__ = ["Pairs", "read_constraints", "read_names", "read_not_labels", "read_pairs"]
__all__ += ["write_constraints"]


class Pairs(NamedTuple):
    """Pairs of rows, and their weights if they have any."""

    pairs: NDArray[np.int64]
    weights: NDArray[np.float64] | None


def read_pairs(
    source: str | Path,
    names: Named,
    what: str = "pairs",
    *,
    by: By = "auto",
    separator: str | None = None,
    format: str | None = None,
) -> Pairs:
    """Read pairs of samples.

    Parameters
    ----------
    source : path or "-"
        Lines of two samples, or of two samples and a weight, with or without names of columns; or
        JSON, a list of such pairs.
    names : Samples, GraphFile or Names
        The samples.
    what : str
        What the pairs are, for messages: "must-link", "cannot-link".
    by : {"auto", "id", "row"}
        How samples are named: by id where they have one, else by number, counted from 0.
    separator, format : str, optional
        As in :func:`~sentree.io.read_samples`.

    Returns
    -------
    Pairs
        ``pairs``, an int64 array of shape (m, 2) of row numbers, and ``weights``, a float64 array
        of shape (m,) or None.
    """
    found = open_statements(source, format)
    expected = "two samples, or two samples and a weight"
    rows, place = read_rows(found, separator, names, by, 2, (2, 3), expected)
    made = Gathered(names, by, found.name)
    apart = what == "cannot-link"
    for k, row in enumerate(rows):
        weight = row[2] if len(row) > 2 else None
        made.add("cannot-link" if apart else "must-link", row[:2], weight, place, k)
    built = made.constraints(f"{what} of {found.name}")
    pairs = built.cannot_link if apart else built.must_link
    weights = built.cannot_weight if apart else built.must_weight
    return Pairs(pairs, weights if any(len(row) > 2 for row in rows) else None)


def read_names(
    source: str | Path, names: Named, *, by: By = "auto", format: str | None = None
) -> NDArray[np.int64]:
    """Read a list of samples: lines, or a JSON list of lists, of one name each.

    Parameters are those of :func:`read_pairs`; the result is an array of row numbers.
    """
    found = open_statements(source, format)
    rows, place = read_rows(found, None, names, by, 1, (1,), "one, the sample")
    return names.rows([row[0] for row in rows], found.name, by=by, where=place.where)


def read_not_labels(
    source: str | Path,
    names: Named,
    *,
    by: By = "auto",
    separator: str | None = None,
    format: str | None = None,
) -> list[tuple[int, Any]]:
    """Read classes that samples are known not to be of: lines, or a JSON list, of sample and class.

    Parameters are those of :func:`read_pairs`; the result is a list of (row number, class).
    """
    found = open_statements(source, format)
    rows, place = read_rows(found, separator, names, by, 1, (2,), "two, sample and class")
    keys, values = [row[0] for row in rows], [row[1] for row in rows]
    numbers = names.rows(keys, found.name, by=by, where=place.where)
    classes = clean_labels(values)
    for k, value in enumerate(classes):
        if value is None:
            raise InputError(f"{place.where(k)}: the class {values[k]!r} means unknown")
    return list(zip(numbers.tolist(), classes.tolist(), strict=True))


def read_constraints(
    source: str | Path,
    names: Named,
    *,
    by: By = "auto",
    separator: str | None = None,
    format: str | None = None,
) -> Constraints:
    """Read constraints of all kinds from one file.

    Parameters
    ----------
    source : path or "-"
        JSON: an object with any of ``must_link`` and ``cannot_link`` (lists of pairs, also with a
        weight as third member), ``labels`` (an object of samples and classes, a list of one class
        per sample, or a list of pairs), ``not_labels`` (a list of sample and class), ``together``
        and ``apart`` (lists of lists), ``triplets`` (lists of three, also with a weight), ``paths``
        (an object of samples and paths, "T cell/CD4" or a list of steps), ``classes`` (the complete
        list), and ``hard`` (true, or an object of the same form with those that must hold). Or
        lines with the columns ``kind``, ``a``, ``b`` and, if need be, ``c``, ``weight`` and
        ``hard``: must-link, cannot-link (two samples); label, not-label (sample, class); together,
        apart (sample, name of the group); triplet (three samples); path (sample, path).
    names, by, separator, format
        As in :func:`~sentree.io.read_pairs`.

    Returns
    -------
    Constraints
    """
    found = open_statements(source, format)
    if found.format == "json":
        return gathered.from_json(parse_json(found), names, by, found.name)
    cells = read_lines(
        found, separator, lambda first, second: "kind" in [cell.lower() for cell in first]
    )
    return gathered.from_lines(cells, names, by)


def write_constraints(
    target: str | Path, constraints: Constraints, names: Named, *, format: str | None = None
) -> None:
    """Write constraints to a file that :func:`read_constraints` reads.

    Parameters
    ----------
    target : path or "-"
        ``.json``, or ``.csv``, ``.tsv``, ``.xlsx``; "-" is standard output, as JSON. The
        file is written whole or not at all.
    constraints : Constraints
        What to write.
    names : Samples, GraphFile or Names
        The samples, for their ids.
    format : str, optional
        The format, where the file name does not tell.
    """
    standard = str(target) == "-" and format is None
    kind = format_of(Path(target), ("json", "csv", "tsv", "xlsx"), "json" if standard else format)
    constraints.check(names.n)
    if kind == "json":
        write_bytes(target, written.to_json(constraints, names).encode("utf-8"))
    else:
        write_table(target, written.to_columns(constraints, names), format=kind)
