"""What a report is about: a fitted model, and what its samples and clusters are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.constraints.satisfaction import ConstraintReport
from sentree.graph import FloatArray
from sentree.plots.lettering import class_title, with_class
from sentree.plots.style import shortened

MISSING = "–"
#: Most letters of a name that are shown.
_LONGEST = 40
#: Characters that XML does not allow, or that change the direction of text.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def clean(value: object) -> str:
    """Return text of users in one line, without control characters."""
    return _UNFIT.sub("\ufffd", " ".join(str(value).split()))


def percent(share: float) -> str:
    """Write a share; only all is 100 %, and only nothing 0 %."""
    text = f"{100 * share:.1f} %"
    if text == "100.0 %" and share < 1:
        return "> 99.9 %"
    if text == "0.0 %" and share > 0:
        return "< 0.1 %"
    return f"{share:.0%}".replace("%", " %") if share in (0, 1) else text


class Subject:
    """A fitted model with names for its samples (row numbers without ``ids``) and clusters."""

    def __init__(self, model: Any, ids: Sequence[Any] | None = None) -> None:
        if not hasattr(model, "labels_") or not hasattr(model, "graph_"):
            raise TypeError(
                f"expected a fitted SSEPartition or SSEHierarchy, got {type(model).__name__}"
                f"{' before fit' if hasattr(model, 'fit') else ''}"
            )
        self.model = model
        self.is_tree = hasattr(model, "height")  # a parameter of SSEHierarchy
        self.n = int(model.labels_.size)
        if ids is not None and len(ids) != self.n:
            raise ValueError(f"{len(ids)} ids for {self.n} samples: give one for each")
        self._ids = None if ids is None else list(ids)
        self.labels: NDArray[Any] = model.labels_
        self.k = int(self.labels.max()) + 1
        self.sizes: NDArray[np.int64] = np.bincount(self.labels, minlength=self.k)
        self.report: ConstraintReport = model.constraint_report_

    @property
    def sample_heading(self) -> str:
        """What a column of samples is headed."""
        return "row (from 0)" if self._ids is None else "sample"

    def sample(self, row: int) -> str:
        """Return what a sample is called."""
        return str(row) if self._ids is None else shortened([clean(self._ids[row])], _LONGEST)[0]

    @cached_property
    def sample_names(self) -> list[str] | None:
        """What all samples are called; None where they have numbers only."""
        return None if self._ids is None else [self.sample(row) for row in range(self.n)]

    @cached_property
    def class_names(self) -> list[str]:
        """The class that names each cluster; "" where none does."""
        names = self.model.cluster_names_
        found = ["" if name is None else shortened([clean(name)], _LONGEST)[0] for name in names]
        return found + [""] * (self.k - len(found))

    @cached_property
    def cluster_names(self) -> list[str]:
        """What each cluster is called: its number, and its class where it has one."""
        return [with_class(k, name) if name else str(k) for k, name in enumerate(self.class_names)]

    @cached_property
    def named_labels(self) -> NDArray[Any]:
        """The cluster of each sample by what it is called."""
        return np.asarray(np.array(self.cluster_names)[self.labels])

    @cached_property
    def strength(self) -> FloatArray:
        """How firmly each sample is held."""
        return np.asarray(self.model.membership_strength_)

    def known_class(self, code: int) -> str:
        """Name a class of the constraints."""
        return class_title(shortened([clean(self.model.constraints_.classes[code])], _LONGEST)[0])
