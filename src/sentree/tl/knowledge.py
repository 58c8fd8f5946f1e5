"""What an AnnData and its user say about the cells, as constraints."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.suggestions import count_classes, did_you_mean, near_misses
from sentree._util.warnings import warn
from sentree.constraints import Constraints
from sentree.constraints.conflicts import ConstraintConflict
from sentree.constraints.parsing import (
    encode,
    is_missing,
    is_unknown,
    is_whole,
    looks_measured,
    no_pairs,
    plain_value,
    says_unknown,
)
from sentree.search.hard import check_room
from sentree.tl.adata import column, missing_key

if TYPE_CHECKING:
    from sentree.tl.adata import AnnData

IntArray = NDArray[np.int64]


class Said(NamedTuple):
    """What the user of :func:`sentree.tl.sse` says about the cells."""

    labels_key: str | None
    unlabeled_category: Any
    must_link: Any
    cannot_link: Any
    not_label: Any
    groups_key: str | None
    constraints: Constraints | None


def gather(
    adata: AnnData,
    inside: NDArray[np.bool_] | None,
    said: Said,
    nested: Callable[..., Constraints] | None = None,
) -> Constraints:
    """Add up all constraints on the cells inside.

    ``nested`` makes constraints of labels of mixed depth.
    """
    constraints, unlabeled = said.constraints, said.unlabeled_category
    if constraints is not None and not isinstance(constraints, Constraints):
        raise TypeError(
            f"constraints must be a sentree.Constraints, got {type(constraints).__name__}; pairs "
            "of cells go to must_link= and cannot_link=, classes to labels_key="
        )
    given = Constraints() if constraints is None else constraints
    must, must_weight = _pairs(adata, said.must_link, "must_link")
    cannot, cannot_weight = _pairs(adata, said.cannot_link, "cannot_link")
    given += Constraints(must, must_weight, cannot, cannot_weight)
    if said.not_label is not None:
        given += _not_labels(adata, said.not_label)
    given.check(adata.n_obs)
    if inside is not None:
        given = _among(given, inside)
    if (key := said.groups_key) is not None:
        values = _values(adata, inside, key, "groups_key", unlabeled)
        given += Constraints.from_groups(_groups(values))
    if (key := said.labels_key) is not None:
        values = _values(adata, inside, key, "labels_key", unlabeled)
        given += _labels(values, key) if nested is None else nested(values, unknown=None)
        _doubt_labels(values, key, unlabeled)
    _doubt_negative(given)
    return given


def with_names(
    conflict: ConstraintConflict,
    given: Constraints,
    names: Any,
    n_clusters: int | None,
    hard: bool,
) -> ConstraintConflict:
    """Return a contradiction that a fit has met, told with the names of the cells."""
    n = len(names)
    try:
        n_classes = n_clusters if n_clusters == len(given.classes) else None
        for level in given.levels:
            level.closure(n, n_classes=n_classes if level is given else None, names=names)
        strict = given.hardened().hard if hard else given.hard
        if strict and n_clusters is not None:
            check_room(strict.closure(n), n_clusters, names)
    except ConstraintConflict as named:
        return named
    return conflict


def _values(
    adata: AnnData, inside: NDArray[np.bool_] | None, key: str, what: str, unknown: Any
) -> NDArray[np.object_]:
    """Return a column of obs as Python values, None where they are unknown.

    Unknown are missing values, the number -1, and what reads like ``unknown``.
    """
    values = np.array(column(adata, key, what).astype(object), dtype=object)
    values = values if inside is None else values[inside]
    values[is_unknown(values, -1)] = None
    if not is_missing(unknown):
        values[[str(plain_value(value)) == str(plain_value(unknown)) for value in values]] = None
    return values


def _groups(values: NDArray[np.object_]) -> list[IntArray]:
    """Return the cells of each group, without those that are in none."""
    rows = np.flatnonzero(~is_unknown(values, None))
    group = np.unique(values[rows].astype(str), return_inverse=True)[1]
    order = np.argsort(group, kind="stable")
    return np.split(rows[order], np.cumsum(np.bincount(group))[:-1]) if rows.size else []


def _labels(values: NDArray[np.object_], key: str) -> Constraints:
    """Return the labels that are known."""
    rows = np.flatnonzero(~is_unknown(values, None))
    code, classes = encode(values[rows], None, lambda k: f"obs[{key!r}] in row {rows[k]}")
    return Constraints(label_index=rows.astype(np.int64), label_code=code, classes=classes)


def _doubt_labels(values: NDArray[np.object_], key: str, unknown: Any) -> None:
    """Warn where no label is known, or labels look like unknown, mistyped or measured values."""
    known = values[~is_unknown(values, None)]
    if known.size == 0:
        warn(f"obs[{key!r}] holds no known label")
    different = set(map(str, known.tolist()))
    if looks_measured(different, known.size):
        warn(
            f"obs[{key!r}] holds {len(different)} different numbers for {known.size} cells, which "
            "looks like a measurement and not like labels: name a column of classes"
        )
    counts = count_classes(value if isinstance(value, str) else None for value in values)
    names = sorted(counts)
    plain = [name.strip().lower() for name in names]
    near = difflib.get_close_matches(str(unknown).strip().lower(), plain, cutoff=0.85)
    for name, lower in zip(names, plain, strict=True):
        if says_unknown(name) or lower in near:
            warn(
                f"obs[{key!r}] holds {name!r}, which counts as a class: if it means unknown, pass "
                f"unlabeled_category={name!r}, or have NaN in its place"
            )
    for rare, count, row, likely in near_misses(counts):
        warn(
            f"obs[{key!r}] holds {rare!r} in row {row} ({count} in all), and {likely!r} "
            f"{counts[likely][0]} times: is it mistyped?"
        )


def _doubt_negative(given: Constraints) -> None:
    """Warn of classes that cells are said not to be of, though no cell is labelled with them."""
    labelled = {given.classes[code] for code in np.unique(given.label_code).tolist()}
    for code in np.unique(given.negative_code).tolist() if labelled else ():
        name = given.classes[code]
        if name not in labelled:
            warn(
                f"some cell is said not to be {name!r}, which is none of the classes that cells "
                f"are labelled with{did_you_mean(name, labelled)}"
            )


def _pairs(adata: AnnData, value: Any, name: str) -> tuple[IntArray, Any]:
    """Return pairs of row numbers and their weights, from pairs or a matrix."""
    if value is None:
        return no_pairs(), None
    if isinstance(value, str):
        if value not in adata.obsp:
            missing_key(f"{name}: adata.obsp", value, adata.obsp.keys())
        value = sp.csr_array(adata.obsp[value])
    if sp.issparse(value):
        if value.shape != (adata.n_obs, adata.n_obs):
            raise ValueError(f"{name} has shape {value.shape}, but there are {adata.n_obs} cells")
        return _stored_pairs(adata, sp.csr_array(value, dtype=np.float64), name)
    table = _two_columns(value, name, "two cells")
    return np.column_stack([_rows(adata, table[:, side], name) for side in (0, 1)]), None


def _stored_pairs(adata: AnnData, stored: Any, name: str) -> tuple[IntArray, Any]:
    """Return the pairs that a matrix stores in one of its halves or in both, and their weights."""
    entries = stored.tocoo()
    for k in np.flatnonzero(~(entries.data >= 0))[:1].tolist():
        a, b = (adata.obs_names[int(side[k])] for side in (entries.row, entries.col))
        raise ValueError(
            f"{name} holds {entries.data[k]:g} for cells {a!r} and {b!r}: weights must be > 0"
        )
    upper = sp.triu(stored.maximum(stored.T), k=1, format="coo")
    upper.eliminate_zeros()
    return np.column_stack((upper.row, upper.col)).astype(np.int64), upper.data


def _not_labels(adata: AnnData, value: Any) -> Constraints:
    """Return what cells are not."""
    table = _two_columns(value, "not_label", "a cell and a class")
    rows = _rows(adata, table[:, 0], "not_label")
    return Constraints.from_negative_labels(list(zip(rows.tolist(), table[:, 1], strict=True)))


def _two_columns(value: Any, name: str, what: str) -> NDArray[np.object_]:
    """Return a table of two columns in which every value is still itself."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy(dtype=object)
    if hasattr(value, "shape") and (len(value.shape) != 2 or value.shape[1] != 2):
        raise ValueError(
            f"{name} has shape {value.shape}, expected two columns, {what}; a matrix of pairs of "
            "cells must be sparse"
        )
    rows = list(value)
    table = np.empty((len(rows), 2), dtype=object)
    for k, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 2:
            raise ValueError(f"{name}: row {k} is {reprlib.repr(row)}, expected {what}")
        table[k] = list(row)
    return table


def _rows(adata: AnnData, cells: NDArray[np.object_], name: str) -> IntArray:
    """Return the row number of each cell, given as one or as a name of obs."""
    rows = np.empty(cells.size, dtype=np.int64)
    named = np.array([isinstance(cell, str) for cell in cells.tolist()], dtype=np.bool_)
    for k in np.flatnonzero(~named).tolist():
        if isinstance(cells[k], (bool, np.bool_)) or not is_whole(cells[k]):
            raise ValueError(
                f"{name}: row {k} has cell {cells[k]!r}, expected an obs name or a row number"
            )
    rows[~named] = cells[~named].astype(np.int64)
    if named.any():
        names = adata.obs_names
        if not names.is_unique:
            raise ValueError(
                f"{name} names cells, and the obs names are not unique: call "
                "adata.obs_names_make_unique() first, or give row numbers"
            )
        rows[named] = names.get_indexer(cells[named])
        for k in np.flatnonzero(named & (rows < 0))[:1].tolist():
            hint = did_you_mean(cells[k], names)
            raise ValueError(f"{name}: row {k} has cell {cells[k]!r}, not among obs names{hint}")
    return rows


def _among(given: Constraints, inside: NDArray[np.bool_]) -> Constraints:
    """Reduce constraints to the cells inside, and warn of those that do not count then."""
    place = np.where(inside, np.cumsum(inside) - 1, -1)
    reduced = _moved(given, place)
    lost = len(given) - len(reduced)
    if lost:
        warn(
            f"{lost} of {len(given)} constraints are about cells outside restrict_to and do not "
            "count"
        )
    return reduced


def _moved(given: Constraints, place: IntArray) -> Constraints:
    """Give cells the row numbers in ``place``; statements about cells that have -1 go."""
    changed: dict[str, Any] = {}
    kinds = {"must_link": "must_weight", "cannot_link": "cannot_weight"}
    for name, weight in {**kinds, "triplets": "triplet_weight"}.items():
        rows = place[getattr(given, name)]
        here = (rows >= 0).all(axis=1)
        changed |= {name: rows[here], weight: getattr(given, weight)[here]}
    for kind in ("label", "negative"):
        rows = place[getattr(given, f"{kind}_index")]
        here = rows >= 0
        code = getattr(given, f"{kind}_code")[here]
        changed |= {f"{kind}_index": rows[here], f"{kind}_code": code}
    for name in ("together", "apart"):
        members = (place[group] for group in getattr(given, name))
        changed[name] = tuple(group[group >= 0] for group in members)
    for name in ("hard", "finer"):
        part = getattr(given, name)
        changed[name] = None if part is None else _moved(part, place)
    return replace(given, **changed)
