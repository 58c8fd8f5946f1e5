"""Neighbourhoods: samples known to belong together, one set for each cluster that was met."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.graph import FloatArray
from sentree.paper.baselines.base import IntArray
from sentree.paper.baselines.mpckmeans import MPCKMeans
from sentree.paper.baselines.queries import Answers


class Neighborhoods:
    """Sets of samples that belong together, known to be of different clusters.

    A new sample is compared with one member of each set in turn, until the answer is yes. Where no
    answer is, it begins a set of its own. ``of`` tells the set of every sample, -1 where it has
    none; ``tried`` the samples that questions were about. So whatever an oracle says, no two
    answers contradict each other.
    """

    def __init__(self, ask: Answers, most: int | None = None) -> None:
        self._ask = ask
        self._most = most
        self._first: list[int] = []
        self._must: list[tuple[int, int]] = []
        self._cannot: list[tuple[int, int]] = []
        self.of = np.full(ask.may_ask.size, -1)
        self.tried = np.zeros(ask.may_ask.size, dtype=bool)

    def __len__(self) -> int:
        return len(self._first)

    @property
    def open(self) -> NDArray[np.bool_]:
        """Samples that may be asked about, and were not."""
        return self._ask.may_ask & ~self.tried

    @property
    def complete(self) -> bool:
        """Whether there is a set for every cluster, as far as their number is known."""
        return len(self) == self._most

    def place(self, sample: int, order: Iterable[int]) -> None:
        """Ask which set a sample belongs to, trying them in this order."""
        self.tried[sample] = True
        for rank, number in enumerate(order):
            if self.complete and rank == len(self) - 1:
                if self._ask.known(sample, self._first[number]) is not False:
                    self._join(sample, number)  # no other is left
                return
            if self._ask.exhausted:
                return
            answer = self._ask(sample, self._first[number])
            if answer is None:
                return
            if answer:
                self._join(sample, number)
                return
            self._cannot.append((sample, self._first[number]))
        self.of[sample] = len(self)
        self._first.append(sample)

    def _join(self, sample: int, number: int) -> None:
        self.of[sample] = number
        self._must.append((sample, self._first[number]))

    def cluster(self, X: FloatArray, k: int, random: np.random.RandomState) -> NDArray[np.int32]:
        """Return the clusters of MPCK-means with what is given and all answers as constraints."""
        pairs = Constraints.from_pairs(self._must or None, self._cannot or None)
        model = MPCKMeans(k, scale=None, random_state=random)
        labels: NDArray[np.int32] = model.fit(X, constraints=self._ask.given + pairs).labels_
        return labels

    def members(self) -> IntArray:
        """Return the samples that have a set."""
        return np.flatnonzero(self.of >= 0)
