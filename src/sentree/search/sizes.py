"""Clusters within bounds on their sizes.

The ordinary search comes first. Clusters that are within the bounds stay as they are. Else clusters
that are too large are divided by a search inside them, and those that are too small are united with
others (:mod:`sentree.search.size_unions`). Then samples move: first as it costs least until all
bounds hold, then as it lowers the objective within them (:func:`sentree.search.kernels.balance`).
Where hard constraints leave no cheap way, an integer program looks for any
(:mod:`sentree.search.packing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.wording import Text
from sentree.graph import FloatArray
from sentree.relation.by_degree import SearchGraphs
from sentree.relation.relation import apart_pairs
from sentree.search.kernels import Steering, balance
from sentree.search.objective import steered_objective
from sentree.search.packing import Packing
from sentree.search.scale import search_inside, split_off
from sentree.search.size_bounds import ROUNDING, SizeBounds
from sentree.search.size_unions import SLIGHTLY, Unions

__all__ = ["SizedSearch"]

IntArray = NDArray[np.int64]

#: Numbers of clusters that are tried where it is open and hard constraints leave no way.
_MOST_NUMBERS = 8


class _Sized(NamedTuple):
    """Clusters with what they cost: the objective, and sizes outside the bounds."""

    labels: NDArray[np.int32]
    objective: float
    outside: float


@dataclass(frozen=True, eq=False)
class SizedSearch:
    """Brings clusters of vertices within bounds on their sizes."""

    graphs: SearchGraphs  # with hard constraints, if any
    size: FloatArray  # of the vertices, 0 for anchors
    bounds: SizeBounds
    pull: Any = None  # of labels, vertices by clusters
    shrinkage: float = 0.0
    owner: IntArray | None = None  # class of each vertex, -1 if it has no label

    def run(self, labels: NDArray[np.int32], n_clusters: int | None) -> NDArray[np.int32]:
        """Return clusters within the bounds, or those that cost least if they are soft.

        ``labels`` are of all vertices, 0..k-1. Without ``n_clusters`` their number may change.

        Raises
        ------
        ValueError
            If there are no such clusters, or none were found.
        """
        if self._outside(labels) == 0 and n_clusters in (None, _count(labels)):
            return labels
        starts = [self._resized(labels, n_clusters)]
        if _count(labels) == _count(starts[0]) or not self.bounds.hard:
            starts.insert(0, labels)
        found = [self._balanced(labels, start) for start in starts]
        best = min(found, key=lambda one: (self._price(one.outside) + one.objective, one.outside))
        if best.outside == 0 or not self.bounds.hard:
            return best.labels
        return self._packed(labels, best.labels, n_clusters)

    def _price(self, outside: float) -> float:
        return outside * self.bounds.price if outside else 0.0

    def _outside(self, labels: NDArray[Any]) -> float:
        return self.bounds.outside(np.bincount(labels, self.size).astype(np.float64))

    def _balanced(self, before: NDArray[np.int32], start: NDArray[np.int32]) -> _Sized:
        """Move vertices from a start; the pull is that of the clusters before."""
        graph, relation = self.graphs.graph, self.graphs.relation
        pull = None if self.pull is None else self.followed(self.pull, before, start)
        steering = Steering(pull, self.shrinkage)
        slack = ROUNDING * self.bounds.total / 2
        result = balance(
            graph,
            start,
            self.size,
            relation,
            least=self.bounds.least - slack,
            most=self.bounds.most + slack,
            price=self.bounds.price,
            n_samples=self.graphs.n,
            steering=steering,
        )
        value = steered_objective(graph, result.labels, relation, *steering).value
        return _Sized(result.labels, value, self._outside(result.labels))

    def followed(self, pull: Any, before: NDArray[np.int32], after: NDArray[np.int32]) -> Any:
        """Return the pull of clusters after a change: parts pull as the whole, unions as both."""
        if np.array_equal(before, after):
            return pull
        n = self.graphs.n
        shape = (pull.shape[1], _count(after))
        shared = sp.coo_array((np.ones(n), (before[:n], after[:n])), shape=shape).toarray()
        less = np.minimum(shared.sum(axis=1)[:, None], shared.sum(axis=0)[None, :])
        return sp.csr_array(pull @ sp.csr_array((2 * shared > less) * 1.0))

    def _resized(self, labels: NDArray[np.int32], n_clusters: int | None) -> NDArray[np.int32]:
        """Divide large clusters and unite small ones, to the number that is wanted."""
        pieces = self._divided(labels)
        united = Unions(self.graphs, self.size, self.bounds, labels, pieces, self.owner)
        for slightly in (1 + ROUNDING, SLIGHTLY):
            united.within_clusters(slightly)
        if self.bounds.given[0] is not None:
            united.small_ones()
        fewest, most = (n_clusters, n_clusters) if n_clusters else self._numbers()
        united.to_number(most)
        found = self.graphs.extended(united.labels[: self.graphs.n])
        if _count(found) < fewest:
            found = split_off(self.graphs, found, fewest)
        return found

    def _numbers(self) -> tuple[int, int]:
        """Return the fewest and the most clusters."""
        numbers = self.bounds.numbers()
        if not numbers:  # soft bounds that contradict one another
            return 1, self.graphs.n
        return numbers.start, numbers.stop - 1

    def _divided(self, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """Divide clusters that are far too large by searches inside, as long as that does it."""
        while True:
            small = np.bincount(labels, self.size) <= SLIGHTLY * self.bounds.most
            if small.all():
                return labels
            parts = search_inside(self.graphs, labels, small)
            if _count(parts) == _count(labels):
                return labels
            labels = parts

    def _packed(
        self, before: NDArray[np.int32], best: NDArray[np.int32], n_clusters: int | None
    ) -> NDArray[np.int32]:
        """Look for clusters within hard bounds by an integer program, near those that are given."""
        numbers = [n_clusters] if n_clusters else _nearest(self.bounds.numbers(), _count(best))
        proved = True
        for k in numbers:
            start = best
            if _count(best) != k:
                start = self._resized(before, k)
            apart = np.column_stack(apart_pairs(self.graphs.relation))
            n = self.graphs.n
            answers = Packing(start[:n], self.size[:n], self.bounds, apart, k).run()
            if isinstance(answers, bool):
                proved &= answers
                continue
            proved = False
            for answer in answers:
                found = self._balanced(before, self.graphs.extended(answer))
                if found.outside == 0 and _count(found.labels) == k:
                    return found.labels
        proved &= n_clusters is not None or len(numbers) == len(self.bounds.numbers())
        raise self._no_way(numbers, proved)

    def _no_way(self, numbers: list[int], proved: bool) -> ValueError:
        """Return the error that no clusters were found."""
        both = self.bounds.low, self.bounds.high
        asked = [Text(bound) for bound in both if bound.value is not None]
        bounds = Text(asked[0], *(Text(" and ", other) for other in asked[1:]))
        tried = f"{min(numbers)} to {max(numbers)} clusters"
        if len(numbers) == 1:
            tried = f"{numbers[0]} cluster{'s' * (numbers[0] != 1)}"
        if proved:
            told = f" cannot hold: an integer program shows that there is no way with {tried}"
        else:
            told = (
                " could not be reached, which may or may not be possible: moves of samples and an "
                f"integer program were tried with {tried}"
            )
        return ValueError(Text(bounds, f"{told}. Widen the bounds, or make hard constraints soft"))


def _count(labels: NDArray[Any]) -> int:
    return int(labels.max()) + 1


def _nearest(numbers: range, k: int) -> list[int]:
    """Return the numbers nearest to k."""
    near = sorted(
        range(max(numbers.start, k - _MOST_NUMBERS), min(numbers.stop, k + _MOST_NUMBERS)),
        key=lambda number: (abs(number - k), number),
    )
    return near[:_MOST_NUMBERS] or [numbers.start]
