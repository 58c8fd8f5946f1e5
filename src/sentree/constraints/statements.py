"""Statements about samples, as they were given: the fields of constraints, checked."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.constraints.parsing import (
    class_tuple,
    group_tuple,
    index_array,
    no_pairs,
    no_points,
    no_triplets,
    pair_array,
    triplet_array,
    weight_array,
)

__all__ = ["KINDS", "Statements"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: The kinds of statement, in the order in which they are reported.
KINDS = ("must_link", "cannot_link", "together", "apart", "labels", "negative_labels", "triplets")


@dataclass(frozen=True, eq=False, repr=False)
class Statements:
    """The fields of :class:`~sentree.Constraints`, which says what they are."""

    must_link: IntArray = field(default_factory=no_pairs)
    must_weight: FloatArray = None  # type: ignore[assignment]  # filled in __post_init__
    cannot_link: IntArray = field(default_factory=no_pairs)
    cannot_weight: FloatArray = None  # type: ignore[assignment]  # filled in __post_init__
    together: tuple[IntArray, ...] = ()
    apart: tuple[IntArray, ...] = ()
    label_index: IntArray = field(default_factory=no_points)
    label_code: IntArray = field(default_factory=no_points)
    negative_index: IntArray = field(default_factory=no_points)
    negative_code: IntArray = field(default_factory=no_points)
    classes: tuple[Any, ...] = ()
    declared: bool = False
    hard: Statements | None = None
    triplets: IntArray = field(default_factory=no_triplets)
    triplet_weight: FloatArray = None  # type: ignore[assignment]  # filled in __post_init__
    finer: Statements | None = None

    def __post_init__(self) -> None:
        if self.finer is not None and len(self.finer) > len(self.finer.label_index):
            raise ValueError("finer constraints may be labels only")
        classes = class_tuple(self.classes)
        must_link = pair_array(self.must_link, "must-link")
        cannot_link = pair_array(self.cannot_link, "cannot-link")
        triplets = triplet_array(self.triplets, "triplet")
        checked: dict[str, Any] = {
            "must_link": must_link,
            "must_weight": weight_array(self.must_weight, must_link, "must-link"),
            "cannot_link": cannot_link,
            "cannot_weight": weight_array(self.cannot_weight, cannot_link, "cannot-link"),
            "together": group_tuple(self.together, "together group", distinct=False),
            "apart": group_tuple(self.apart, "apart group", distinct=True),
            "classes": classes,
            "declared": bool(self.declared),
            "triplets": triplets,
            "triplet_weight": weight_array(self.triplet_weight, triplets, "triplet"),
        }
        for kind, name in (("label", "label"), ("negative", "negative label")):
            index = index_array(getattr(self, f"{kind}_index"), name)
            code = index_array(getattr(self, f"{kind}_code"), f"class code of {name}")
            if index.shape != code.shape:
                raise ValueError(f"{index.size} {name}s but {code.size} class codes")
            if code.size and code.max() >= len(classes):
                raise ValueError(f"class code {code.max()}, but there are {len(classes)} classes")
            checked |= {f"{kind}_index": index, f"{kind}_code": code}
        for name, value in checked.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))

    @property
    def counts(self) -> dict[str, int]:
        """Number of given statements of each kind."""
        pairs = len(self.must_link), len(self.cannot_link)
        groups = len(self.together), len(self.apart)
        labels = len(self.label_index), len(self.negative_index)
        return dict(zip(KINDS, (*pairs, *groups, *labels, len(self.triplets)), strict=True))

    def __len__(self) -> int:
        return sum(self.counts.values())

    @property
    def n_min(self) -> int:
        """Smallest number of samples these constraints can be about: 1 + the largest index."""
        pairs = (self.must_link, self.cannot_link, self.triplets)
        used = (*pairs, self.label_index, self.negative_index)
        largest = [int(array.max()) for array in (*used, *self.together, *self.apart) if array.size]
        finer = 0 if self.finer is None else self.finer.n_min
        return max(finer, 1 + max(largest, default=-1))

    @property
    def named(self) -> IntArray:
        """The samples that any statement names, in order."""
        pairs = self.must_link.ravel(), self.cannot_link.ravel()
        points = self.label_index, self.negative_index
        return np.unique(np.concatenate((*pairs, *points, *self.together, *self.apart)))
