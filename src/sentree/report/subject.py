"""What a report is about: a fitted model, and what its samples and clusters are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree.constraints.satisfaction import ConstraintReport
from sentree.estimators.membership import Rival, second_best
from sentree.graph import FloatArray
from sentree.plots.lettering import class_title, clean
from sentree.plots.mapping import map_of
from sentree.plots.scatter import cluster_colours
from sentree.plots.style import cluster_titles, shortened
from sentree.report.blocks import Span, counted

MISSING = "–"
#: Most letters of a name that are shown.
_LONGEST = 40
_LONG_WORD = re.compile(rf"\S{{{_LONGEST + 1},}}")


def brief(text: object) -> str:
    """Return a sentence with names of users in it, of which very long words are shortened."""
    return _LONG_WORD.sub(lambda word: shortened([word[0]], _LONGEST)[0], clean(text))


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

    def __init__(
        self, model: Any, ids: Sequence[Any] | None = None, places: ArrayLike | None = None
    ) -> None:
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
        self._places = None if places is None else np.asarray(places, dtype=np.float64)
        if self._places is not None and self._places.shape != (self.n, 2):
            raise ValueError(f"places has shape {self._places.shape}, expected ({self.n}, 2)")
        self.labels: NDArray[Any] = model.labels_
        self.k = int(self.labels.max()) + 1
        self.sizes: NDArray[np.int64] = np.bincount(self.labels, minlength=self.k)
        self.report: ConstraintReport = model.constraint_report_

    @cached_property
    def map(self) -> tuple[FloatArray, bool]:
        """The place of each sample on the map, and whether it was laid out here."""
        return map_of(self.model) if self._places is None else (self._places, False)

    @cached_property
    def colours(self) -> list[str]:
        """The colour of each cluster, the same in all pictures."""
        return cluster_colours(self.map[0], self.labels)

    @property
    def named_colours(self) -> dict[str, str]:
        """The same, by what clusters are called."""
        return dict(zip(self.cluster_names, self.colours, strict=True))

    @cached_property
    def order(self) -> list[int]:
        """The clusters that hold samples, the largest first."""
        return [k for k in np.argsort(-self.sizes, kind="stable").tolist() if self.sizes[k]]

    @property
    def samples(self) -> Any:
        """What the model was fitted to; None where it was a graph."""
        return getattr(getattr(self.model, "_extension", None), "samples", None)

    @property
    def noun(self) -> str:
        """What a sample is called."""
        return "sample" if self.samples is None else "row"

    def counted(self, number: int) -> str:
        """Write a number of samples."""
        return counted(int(number), self.noun)

    def dot(self, cluster: int) -> Span:
        """Name a cluster beside its colour."""
        return Span(self.cluster_names[cluster], "dot", self.colours[cluster])

    def title(self, cluster: int) -> Span:
        """Name a cluster in a sentence or heading: "cluster 3" if it has a number only."""
        name = self.cluster_names[cluster]
        return self.dot(cluster)._replace(text=f"cluster {name}" if name.isdigit() else name)

    @property
    def sample_heading(self) -> str:
        """What a column of samples is headed."""
        return f"{self.noun} (from 0)" if self._ids is None else "id"

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
        return cluster_titles(self.model.cluster_names_, self.k, _LONGEST)

    @cached_property
    def named_labels(self) -> NDArray[Any]:
        """The cluster of each sample by what it is called."""
        return np.asarray(np.array(self.cluster_names)[self.labels])

    @cached_property
    def strength(self) -> FloatArray:
        """The probability of its own cluster for each sample."""
        return np.asarray(self.model.membership_strength_)

    @cached_property
    def rival(self) -> Rival:
        """The likeliest other cluster of each sample."""
        return second_best(self.model.membership_, self.labels)

    @cached_property
    def is_likelier_elsewhere(self) -> NDArray[np.bool_]:
        """Whether the data speak more for another cluster than for a sample's own."""
        return self.rival.strength > self.strength

    def known_class(self, code: int) -> str:
        """Name a class of the constraints."""
        return class_title(shortened([clean(self.model.constraints_.classes[code])], _LONGEST)[0])
