"""Constraints in the file of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.estimators.stored import Arrays, Stored, get, put

__all__ = ["get_constraints", "put_constraints"]

_STATEMENTS = (
    *("must_link", "must_weight", "cannot_link", "cannot_weight", "triplets", "triplet_weight"),
    *("label_index", "label_code", "negative_index", "negative_code"),
)


def put_constraints(given: Constraints, prefix: str, arrays: Arrays) -> dict[str, Any]:
    """Add the arrays of constraints, and return their header entries."""
    put(arrays, prefix, given, _STATEMENTS)
    for name in ("together", "apart"):
        groups: tuple[NDArray[np.int64], ...] = getattr(given, name)
        sizes = [0, *(group.size for group in groups)]
        arrays[f"{prefix}.{name}.members"] = np.concatenate((np.empty(0, np.int64), *groups))
        arrays[f"{prefix}.{name}.starts"] = np.cumsum(sizes)
    return {
        "classes": [_put_class(value) for value in given.classes],
        "declared": given.declared,
        **{
            name: None if part is None else put_constraints(part, f"{prefix}.{name}", arrays)
            for name, part in (("hard", given.hard), ("finer", given.finer))
        },
    }


def _put_class(value: Any) -> Any:
    """Return a class value as a JSON value."""
    if isinstance(value, tuple):
        return [_put_class(part) for part in value]
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(
        f"the class {value!r} is of type {type(value).__name__} and cannot be stored: name classes "
        "by strings, numbers or tuples of these"
    )


def get_constraints(stored: Stored, prefix: str, arrays: Stored) -> Constraints:
    """Return constraints, which check themselves."""
    statements: dict[str, Any] = get(arrays, prefix, _STATEMENTS)
    parts: dict[str, Any] = {
        name: None if part is None else get_constraints(part, f"{prefix}.{name}", arrays)
        for name, part in (("hard", stored["hard"]), ("finer", stored.get("finer")))
    }
    return Constraints(
        **statements,
        together=_groups(arrays, f"{prefix}.together"),
        apart=_groups(arrays, f"{prefix}.apart"),
        classes=tuple(map(_class, stored["classes"])),
        declared=stored["declared"],
        **parts,
    )


def _class(value: Any) -> Any:
    return tuple(map(_class, value)) if isinstance(value, list) else value


def _groups(arrays: Stored, name: str) -> tuple[NDArray[np.int64], ...]:
    starts, members = arrays[f"{name}.starts"], arrays[f"{name}.members"]
    if starts.dtype.kind != "i" or starts[0] != 0 or starts[-1] != members.size:
        raise ValueError(f"{name}.starts does not fit {name}.members")
    return tuple(np.split(members, starts[1:-1])) if starts.size > 1 else ()
