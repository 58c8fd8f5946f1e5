"""The number of clusters that the data choose, and its alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["STRICTNESS", "NaturalClusters", "NaturalScale", "Vote", "decide"]

#: How clearly clusters must be separated, relative to the usual rule. A number of clusters that is
#: found at most of these is reliable.
STRICTNESS: tuple[float, ...] = tuple(2.0 ** (step / 4) for step in range(-3, 4))
#: Numbers of clusters that differ by at most this share count as the same answer.
_SAME = 0.1
#: Another number is reported if it has at least this share of the support of the best.
_WORTH_A_WORD = 0.5


@dataclass(frozen=True)
class NaturalScale:
    """The number of clusters that the data chose, and its alternatives.

    The number is determined several times, by searches from different seeds and by rules that are
    stricter or less strict than usual. Numbers within a tenth of one another count as one answer.

    Attributes
    ----------
    candidates : tuple of int
        Numbers of clusters that were found, the chosen one first, then by support.
    support : tuple of float
        The share of estimates for each candidate, from 0 to 1.
    reason : str
        Why the first candidate was chosen.
    """

    candidates: tuple[int, ...]
    support: tuple[float, ...]
    reason: str

    @property
    def chosen(self) -> int:
        """The number of clusters that was chosen."""
        return self.candidates[0]

    @property
    def alternatives(self) -> tuple[int, ...]:
        """Other numbers with at least half the support of the best."""
        least = _WORTH_A_WORD * max(self.support)
        pairs = zip(self.candidates[1:], self.support[1:], strict=True)
        return tuple(number for number, share in pairs if share >= least)

    def after(self, number: int, n_statements: int, sizes: bool = False) -> NaturalScale:
        """Return the same after constraints, or bounds on sizes, have led to another number."""
        if number == self.chosen:
            return self
        share = dict(zip(self.candidates, self.support, strict=True))
        first = share.pop(number, 0.0)
        told = [f"{n_statements} constraint{'s' * (n_statements != 1)}"] * (n_statements > 0)
        told += ["the bounds on sizes"] * sizes
        speak = "speaks" if n_statements == 1 and not sizes else "speak"
        reason = f"{' and '.join(told)} {speak} for it, the data alone for {self.chosen}"
        return NaturalScale((number, *share), (first, *share.values()), reason)

    def to_dict(self) -> dict[str, Any]:
        """Return numbers, support and reason as plain values."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> NaturalScale:
        """Return what :meth:`to_dict` wrote."""
        numbers, support = map(int, stored["candidates"]), map(float, stored["support"])
        return cls(tuple(numbers), tuple(support), str(stored["reason"]))

    def __str__(self) -> str:
        number = f"{self.chosen} cluster{'s' * (self.chosen != 1)}"
        if self.alternatives:
            number += f", or perhaps {' or '.join(map(str, self.alternatives))}"
        return f"{number} ({self.reason})"


class Vote(NamedTuple):
    """The clusters of one search at one strictness."""

    strictness: float
    labels: NDArray[np.int64]  # -1 for vertices that follow their neighbours

    @property
    def number(self) -> int:
        """Number of clusters."""
        return max(int(np.count_nonzero(np.bincount(self.labels[self.labels >= 0]))), 1)


class NaturalClusters(NamedTuple):
    """Clusters, and how their number was chosen."""

    labels: NDArray[np.int32]
    scale: NaturalScale


def decide(votes: Iterable[Vote]) -> tuple[NDArray[np.int64], NaturalScale]:
    """Return the clusters of the best supported number, and how it was chosen.

    A majority first decides whether there is more than one cluster. Of numbers with equal support
    the one found nearest to the usual strictness wins, and of its clusters those nearest to the
    usual strictness, from the first search.
    """
    votes = sorted(votes, key=lambda vote: abs(np.log(vote.strictness)))
    numbers = [vote.number for vote in votes]
    supported = list(_supported(np.array(numbers)))
    several = 2 * numbers.count(1) <= len(votes)
    supported.sort(key=lambda pair: (pair[0] == 1) == several)
    candidates, support = zip(*supported, strict=True)
    share = f"{support[0]:.0%}".replace("%", " %")
    reason = f"supported by {share} of {len(votes)} estimates"
    scale = NaturalScale(candidates, support, reason)
    return votes[numbers.index(scale.chosen)].labels, scale


def _supported(numbers: NDArray[np.int64]) -> Iterator[tuple[int, float]]:
    """Yield the number with most votes for it or near it, then the same without these votes."""
    left = numbers
    while left.size:
        first = left[
            np.sort(np.unique(left, return_index=True)[1])
        ]  # nearest to the usual strictness first
        near = np.abs(first[:, None] - left) <= _SAME * np.maximum(first[:, None], left)
        exact = (first[:, None] == left).sum(axis=1)
        best = int(np.argmax(near.sum(axis=1) + exact / (left.size + 1)))
        yield int(first[best]), float(near[best].sum() / numbers.size)
        left = left[~near[best]]
