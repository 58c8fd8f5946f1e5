"""Typical and unusual rows of each cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.profiles.columns import Column, Table
from sentree.profiles.measures import Feature, Measures
from sentree.profiles.words import Units

__all__ = ["distances", "extremes"]


def distances(
    table: Table,
    features: list[Feature],
    measures: Measures,
    units: dict[int, Units],
    chosen: list[int],
    code: NDArray[Any],
) -> NDArray[np.float32]:
    """Say how far each row is from the typical values of its cluster, over some features.

    A number counts by its distance from the median of the cluster in parts of how far the column is
    spread, at most 1; a level or a truth value by the share of the cluster that has another one; a
    missing value counts one half.
    """
    far = np.zeros(code.size, dtype=np.float32)
    for f in chosen:
        if features[f].kind == "missing":
            continue
        column = table.column(features[f].column)
        far += _of_column(column, measures.inside[f], units[features[f].column], code)
    return far


def _of_column(
    column: Column, inside: NDArray[np.float64], units: Units, code: NDArray[Any]
) -> NDArray[np.float32]:
    """Return the distances in one column."""
    if column.kind == "amount":
        filled = np.zeros(code.size, dtype=bool)
        filled[column.rows] = column.values != 0
        away = np.where(filled, 1 - inside[code], inside[code])
        return np.asarray(away, dtype=np.float32)
    if column.kind == "category":
        known = column.values >= 0
        count = np.zeros((len(column.levels), inside.size))
        np.add.at(count, (column.values[known], code[known]), 1)
        share = count / np.maximum(count.sum(axis=0), 1)
        away = np.where(known, 1 - share[column.values, code], 0.5)
        return np.asarray(away, dtype=np.float32)
    away = np.abs(column.values - inside[code])
    if column.kind != "boolean":
        away = np.minimum(away / (units.spread or 1.0), 1)
    return np.asarray(np.nan_to_num(away, nan=0.5), dtype=np.float32)


def extremes(
    far: NDArray[Any], strength: NDArray[np.float64] | None, code: NDArray[Any], k: int, count: int
) -> tuple[list[list[int]], list[list[int]]]:
    """Return the most typical and the most unusual rows of each cluster.

    Unusual are those that are held least, or without strengths those farthest from what is typical.
    """
    near = np.lexsort((far, code))
    odd = near[::-1] if strength is None else np.lexsort((-far, strength, code))
    size = np.bincount(code, minlength=k)
    start = np.cumsum(size) - size
    typical = [near[a : a + min(count, m)].tolist() for a, m in zip(start, size, strict=True)]
    if strength is None:
        odd = odd[np.argsort(code[odd], kind="stable")]
    unusual = [
        odd[a : a + min(count, m - len(own))].tolist()
        for a, m, own in zip(start, size, typical, strict=True)
    ]
    return typical, unusual
