"""What an AnnData and its user say about the cells, as constraints."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.statements import is_missing, is_unknown, no_pairs
from sentree.tl.cells import column, did_you_mean, missing_key

if TYPE_CHECKING:
    from sentree.tl.cells import AnnData

IntArray = NDArray[np.int64]

__all__ = ["gather"]


def gather(
    adata: AnnData,
    inside: NDArray[np.bool_] | None,
    *,
    labels_key: str | None,
    unlabeled_category: Any,
    must_link: Any,
    cannot_link: Any,
    not_label: Any,
    groups_key: str | None,
    constraints: Constraints | None,
    from_values: Callable[..., Constraints] = Constraints.from_labels,
) -> Constraints:
    """Add up everything that was said, about the cells inside only.

    ``from_values`` makes constraints of the values of the column of labels.
    """
    if constraints is not None and not isinstance(constraints, Constraints):
        raise TypeError(
            f"constraints must be a sentree.Constraints, got {type(constraints).__name__}; pairs "
            "of cells go to must_link= and cannot_link=, classes to labels_key="
        )
    given = Constraints() if constraints is None else constraints
    must, must_weight = _pairs(adata, must_link, "must_link")
    cannot, cannot_weight = _pairs(adata, cannot_link, "cannot_link")
    given += Constraints(must, must_weight, cannot, cannot_weight)
    if not_label is not None:
        given += _not_labels(adata, not_label)
    given.check(adata.n_obs)
    if inside is not None:
        given = _among(given, inside)
    if groups_key is not None:
        given += Constraints.from_groups(_groups(adata, inside, groups_key, unlabeled_category))
    if labels_key is not None:
        values = _values(adata, inside, labels_key, "labels_key")
        _warn_of_labels(values, labels_key, unlabeled_category)
        given += from_values(values, unknown=unlabeled_category)
    return given


def _values(
    adata: AnnData, inside: NDArray[np.bool_] | None, key: str, what: str
) -> NDArray[np.object_]:
    """Return a column of obs as Python values."""
    values = np.asarray(column(adata, key, what).astype(object), dtype=object)
    return values if inside is None else values[inside]


def _groups(
    adata: AnnData, inside: NDArray[np.bool_] | None, key: str, unknown: Any
) -> list[IntArray]:
    """Return the cells of each group, without those that are in none."""
    values = _values(adata, inside, key, "groups_key")
    rows = np.flatnonzero(~is_unknown(values, unknown))
    group = np.unique(values[rows].astype(str), return_inverse=True)[1]
    order = np.argsort(group, kind="stable")
    return np.split(rows[order], np.cumsum(np.bincount(group))[:-1]) if rows.size else []


def _warn_of_labels(values: NDArray[np.object_], key: str, unknown: Any) -> None:
    """Warn where no label is known, or one looks like the mark of unknown ones."""
    names = {value for value in values.tolist() if isinstance(value, str) and value != unknown}
    if isinstance(unknown, str):
        by_lower = {name.strip().lower(): name for name in sorted(names)}
        for lower in difflib.get_close_matches(unknown.strip().lower(), by_lower, cutoff=0.85):
            name = by_lower[lower]
            warnings.warn(
                f"obs[{key!r}] holds {name!r}, which counts as a class: if it means unknown, "
                f"pass unlabeled_category={name!r}",
                stacklevel=4,
            )
    if is_unknown(values, unknown).all():
        warnings.warn(f"obs[{key!r}] holds no known label", stacklevel=4)


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
        stored = sp.csr_array(value, dtype=np.float64)
        upper = sp.triu(stored.maximum(stored.T), k=1, format="coo")
        upper.eliminate_zeros()
        return np.column_stack((upper.row, upper.col)).astype(np.int64), upper.data
    table = _two_columns(value, name, "two cells")
    return np.column_stack([_rows(adata, table[:, side], name) for side in (0, 1)]), None


def _not_labels(adata: AnnData, value: Any) -> Constraints:
    """Return what cells are not."""
    table = _two_columns(value, "not_label", "a cell and a class")
    rows = _rows(adata, table[:, 0], "not_label")
    return Constraints.from_negative_labels(list(zip(rows.tolist(), table[:, 1], strict=True)))


def _two_columns(value: Any, name: str, what: str) -> NDArray[np.object_]:
    """Return a table of two columns in which every value is still itself."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy(dtype=object)
    rows = list(value)
    table = np.empty((len(rows), 2), dtype=object)
    for k, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 2:
            raise ValueError(f"{name}: row {k} is {row!r}, expected {what}")
        table[k] = list(row)
    return table


def _rows(adata: AnnData, cells: NDArray[np.object_], name: str) -> IntArray:
    """Return the row number of each cell, given as one or as a name of obs."""
    rows = np.empty(cells.size, dtype=np.int64)
    named = np.array([isinstance(cell, str) for cell in cells.tolist()], dtype=np.bool_)
    for k in np.flatnonzero(~named).tolist():
        if is_missing(cells[k]) or not isinstance(cells[k], Integral):
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
        warnings.warn(
            f"{lost} of {len(given)} constraints are about cells outside restrict_to and do not "
            "count",
            stacklevel=5,
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
