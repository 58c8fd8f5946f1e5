"""What is said about some of the samples alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.constraints.constraints import Constraints

__all__ = ["about"]


def about(given: Constraints, rows: NDArray[Any], n: int) -> Constraints:
    """Return the statements about the samples ``rows``, of n, renumbered 0, 1, … in that order.

    Statements that name any other sample are left out; groups lose their other members.

    Examples
    --------
    >>> given = Constraints.from_pairs(must_link=[(0, 3), (2, 3)], cannot_link=[(1, 2)])
    >>> about(given, np.array([1, 2, 3]), 4)
    Constraints(must_link=1, cannot_link=1)
    """
    place = np.full(n, -1)
    place[rows] = np.arange(len(rows))
    found: dict[str, Any] = {}
    for name, beside in (
        ("must_link", "must_weight"),
        ("cannot_link", "cannot_weight"),
        ("triplets", "triplet_weight"),
        ("label_index", "label_code"),
        ("negative_index", "negative_code"),
    ):
        samples = place[getattr(given, name)]
        kept = (samples >= 0) if samples.ndim == 1 else (samples >= 0).all(axis=1)
        found |= {name: samples[kept], beside: getattr(given, beside)[kept]}
    for name in ("together", "apart"):
        groups = (place[group] for group in getattr(given, name))
        found[name] = tuple(left for group in groups if (left := group[group >= 0]).size > 1)
    for name in ("hard", "finer"):
        part = getattr(given, name)
        found[name] = None if part is None else about(part, rows, n)
    return replace(given, **found)
