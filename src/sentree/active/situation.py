"""Where matters stand when a question is sought: a model, what is known, who may be asked about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sentree.active.questions import Question
from sentree.constraints import Constraints
from sentree.constraints.closure import Closure
from sentree.estimators.base import SSEEstimator
from sentree.estimators.partition import SSEPartition
from sentree.search.edits import row_numbers

__all__ = ["Remaining", "Situation", "chances"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: The least probability of a reply: nothing is certain before it is answered.
_LEAST = 1e-3


@dataclass(frozen=True)
class Remaining:
    """What is still unsure.

    Attributes
    ----------
    answers : int or None
        About how many more answers are needed; None where nobody knows.
    certainty : float
        How sure the clusters are, from 0 to 1.
    """

    answers: int | None
    certainty: float

    def __str__(self) -> str:
        sure = f"{self.certainty:.0%} sure".replace("%", " %")
        if self.answers is None:
            return sure
        if self.answers == 0:
            return f"done: {sure}"
        return f"about {self.answers} more answer{'s' * (self.answers != 1)}, {sure}"


@lru_cache(maxsize=1)
def _closure(known: Constraints, n: int) -> Closure:
    """Return what follows from what is known; the same question comes several times in a row."""
    return known.closure(n)


@dataclass(frozen=True, eq=False)
class Situation:
    """A fitted model, what follows from the answers, and the rows that may be asked about."""

    model: Any
    known: Constraints
    closure: Closure
    allowed: NDArray[np.bool_]

    @classmethod
    def of(
        cls, X: Any, y: Any, constraints: Constraints | None, candidates: ArrayLike | None
    ) -> Situation:
        """Read what a strategy was given: samples or a fitted model, and what is known."""
        is_model = isinstance(X, SSEEstimator)
        if is_model:
            check_is_fitted(X)
        if constraints is None:
            constraints = X.constraints_ if is_model else Constraints()
        known = constraints if y is None else Constraints.from_labels(y) + constraints
        model: Any = X if is_model else SSEPartition().fit(X, constraints=known)
        n = model.graph_.n
        allowed = np.ones(n, dtype=bool)
        if (
            isinstance(candidates, np.ndarray)
            and candidates.dtype == bool
            and candidates.shape == (n,)
        ):
            allowed = candidates
        elif candidates is not None:
            allowed[:] = False
            allowed[row_numbers(candidates, n, "candidates")] = True
        return cls(model, known, _closure(known, n), allowed)

    @property
    def n_statements(self) -> int:
        """A number that changes with what is known."""
        closure = self.closure
        return closure.component.size - closure.n_components + len(closure.direct)

    @cached_property
    def apart(self) -> sp.csr_array:
        """Which components are known to be apart, both ways."""
        u, v = self.closure.cannot.T
        k = self.closure.n_components
        ones = np.ones(2 * u.size, dtype=bool)
        return sp.csr_array((ones, (np.r_[u, v], np.r_[v, u])), shape=(k, k))

    @cached_property
    def sizes(self) -> IntArray:
        """The number of samples in every component."""
        return np.bincount(self.closure.component, minlength=self.closure.n_components)

    @cached_property
    def members(self) -> dict[int, IntArray]:
        """The samples of every component that something is known about, by its number."""
        named = self.sizes > 1
        named[self.closure.cannot.ravel()] = True
        named[self.closure.class_component[self.closure.class_component >= 0]] = True
        rows = np.flatnonzero(named[self.closure.component])
        rows = rows[np.argsort(self.closure.component[rows], kind="stable")]
        number, start = np.unique(self.closure.component[rows], return_index=True)
        return dict(zip(number.tolist(), np.split(rows, start)[1:], strict=True))

    @cached_property
    def classes(self) -> IntArray:
        """Components that are known to be apart from one another: large ones first."""
        labelled = self.closure.class_component
        degree = np.diff(self.apart.indptr)
        named = np.flatnonzero((self.sizes > 1) | (degree > 0))
        first = labelled[labelled >= 0]
        others = np.setdiff1d(named, first)
        found: list[int] = first.tolist()
        for one in others[np.lexsort((others, -degree[others], -self.sizes[others]))].tolist():
            if degree[one] >= len(found) and np.isin(found, self.neighbours(one)).all():
                found.append(one)
        return np.array(found, dtype=np.int64)

    def neighbours(self, component: int) -> NDArray[Any]:
        """Return the components that one is known to be apart from."""
        ends = self.apart.indptr
        found: NDArray[Any] = self.apart.indices[ends[component] : ends[component + 1]]
        return found

    @cached_property
    def inner_weight(self) -> FloatArray:
        """The weight of every sample's edges inside its own cluster."""
        graph, labels = self.model.graph_, self.model.labels_
        edges = graph.to_scipy().tocsr()
        row = np.repeat(np.arange(graph.n), np.diff(edges.indptr))
        inside = labels[row] == labels[edges.indices]
        return np.asarray(np.bincount(row[inside], edges.data[inside], graph.n), dtype=np.float64)

    @cached_property
    def typical(self) -> IntArray:
        """The most typical sample of every component: that with most weight inside its cluster."""
        order = np.lexsort((-self.inner_weight, self.closure.component))
        first = np.unique(self.closure.component[order], return_index=True)[1]
        return np.asarray(order[first])

    @cached_property
    def open(self) -> NDArray[np.bool_]:
        """Which samples may be asked about and belong to no known class yet."""
        settled = np.zeros(self.closure.n_components, dtype=bool)
        settled[self.classes] = True
        return self.allowed & ~settled[self.closure.component]

    def choice(self, point: int, max_options: int, utility: float = 0.0) -> Question | None:
        """Ask which known class a sample belongs to, likeliest first; None if that is known.

        Where no class is known, ask whether it belongs to the most typical sample of its cluster.
        """
        component = int(self.closure.component[point])
        ruled_out = np.append(self.neighbours(component), component)
        options = self.typical[self.classes[~np.isin(self.classes, ruled_out)]]
        if not self.classes.size:
            options = self._peers(point)
        if not options.size:
            return None
        chance = np.array(chances(self.model, point, options)[:-1])
        options = options[np.argsort(-chance, kind="stable")[:max_options]]
        return self._question(point, options, utility)

    def pair(self, point: int, other: int, utility: float = 0.0) -> Question:
        """Ask whether two samples belong together."""
        return self._question(point, np.array([other]), utility)

    def _question(self, point: int, options: IntArray, utility: float) -> Question:
        """Make a question, with the probabilities of the replies."""
        return Question(
            int(point),
            tuple(options.tolist()),
            probabilities=chances(self.model, point, options),
            utility=round(float(utility), 4),
        )

    def _peers(self, point: int) -> IntArray:
        """Return the most typical sample of a sample's cluster other than itself."""
        labels = self.model.labels_
        weight = np.where(labels == labels[point], self.inner_weight, -1.0)
        weight[point] = -2.0
        return np.array([np.argmax(weight)]) if weight.size > 1 else np.empty(0, dtype=np.int64)

    def alike(self, point: int) -> int:
        """Return the most typical other sample that is known to belong to a sample, or itself."""
        members = np.flatnonzero(self.closure.component == self.closure.component[point])
        others = members[members != point]
        return int(others[np.argmax(self.inner_weight[others])]) if others.size else point


def chances(model: Any, point: int, options: ArrayLike) -> tuple[float, ...]:
    """Return the probability that a sample belongs to each option, and last to none of them.

    It is that of the option's cluster. Options in one cluster share its probability.
    """
    found = model.membership_
    row = slice(*found.indptr[point : point + 2])
    chance = np.zeros(found.shape[1])
    chance[found.indices[row]] = found.data[row]
    cluster = model.labels_[np.asarray(options)]
    share = chance[cluster] / np.bincount(cluster, minlength=chance.size)[cluster]
    every = np.maximum(np.append(share, 1 - share.sum()), _LEAST)
    return tuple(np.round(every / every.sum(), 4).tolist())
