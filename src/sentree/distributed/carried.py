"""Constraints on samples as constraints on parts of samples, exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints

__all__ = ["carried", "kinds_apart"]

IntArray = NDArray[np.int64]


def kinds_apart(
    given: Constraints,
    hard: Constraints | None,
    init: NDArray[np.int32] | None,
    locked: IntArray,
    n: int,
) -> IntArray | None:
    """Number samples so that those with different numbers must not share a part; None if all may.

    Samples that pairs, groups, negative labels or triplets name are alone. Others share a number
    if they have the same label, or none, and the same cluster to start from.
    """
    if not len(given) and not hard and init is None:
        return None
    columns = []
    code = np.full(n, -1, dtype=np.int64)
    alone = np.zeros(n, dtype=bool)
    for one in (given, hard):
        if one is None:
            continue
        code[one.label_index] = one.label_code
        alone[_named_alone(one)] = True
    columns.append(code)
    if init is not None:
        columns.append(init.astype(np.int64))
        is_locked = np.zeros(n, dtype=np.int64)
        is_locked[locked] = 1
        columns.append(is_locked)
    _, kind = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    kind = kind.ravel().astype(np.int64)
    kind[alone] = kind.max(initial=0) + 1 + np.arange(int(alone.sum()))
    return kind


def _named_alone(given: Constraints) -> IntArray:
    """Return the samples that statements other than labels name."""
    pairs = given.must_link.ravel(), given.cannot_link.ravel(), given.triplets.ravel()
    return np.unique(np.concatenate((*pairs, given.negative_index, *given.together, *given.apart)))


def carried(given: Constraints, part: NDArray[Any]) -> Constraints:
    """Return the same constraints on the parts 0, 1, … of the samples."""

    def place(array: IntArray) -> IntArray:
        return part[array].astype(np.int64)

    index, code = place(given.label_index), given.label_code
    if index.size:
        index, code = np.unique(np.column_stack((index, code)), axis=0).T
    hard = None if given.hard is None else carried(given.hard, part)
    return replace(
        given,
        must_link=place(given.must_link),
        cannot_link=place(given.cannot_link),
        together=tuple(map(place, given.together)),
        apart=tuple(map(place, given.apart)),
        label_index=np.ascontiguousarray(index),
        label_code=np.ascontiguousarray(code),
        negative_index=place(given.negative_index),
        triplets=place(given.triplets),
        hard=hard,
        finer=None,
    )
