"""How sure it is: the probability of every cluster for a sample, by random walks on the graph.

The probability of a cluster is that of a random walk from the sample to end there. Long walks see
far, so their length says how much clusters overlap. It is chosen by what is known:

- Without labels, walks are so long that the usual one spreads over 0.3 of a cluster.
- With labels, the search has hidden some in turn and knows the share that it finds. Walks are so
  long that the mean probability of the samples' own clusters is that share; the usual length
  counts as 20 further labels. Where even one step is too far, probabilities are raised to a power.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import FloatArray, Graph, largest_column
from sentree.graph.extend import Reach

__all__ = ["Certainty", "Hidden", "Memberships", "Rival", "membership", "second_best"]

#: Share of its cluster that the usual walk spreads over without labels.
_REACH = 0.3
#: Walks that are followed to find the usual length, and their steps: beyond, spread is a power of
#: the length.
_FOLLOWED, _WALKED = 32, 8
#: The usual length counts as much as this many hidden labels.
_PRIOR_LABELS = 20
#: Most steps of a walk, and most steps times stored edges.
_MOST_STEPS, _MOST_WORK = 64, 2e8
#: Highest power of the probabilities, and how often its range is halved to find the right one.
_MOST_POWER, _HALVINGS = 10.0, 12
#: Stored edges whose steps are worked on at a time.
_WHOLE = 1 << 24
#: About the most samples whose probabilities are looked at to find the right power.
_SEEN = 1 << 20
#: Smaller probabilities are left out.
_LEAST = 1e-3
#: How much smaller than that of its own cluster the probability of another one is at least.
_BELOW = 1 - 1e-9


class Hidden(NamedTuple):
    """What hidden labels tell."""

    labels: int  # how many were hidden
    found: float  # the share that was found


class Rival(NamedTuple):
    """The likeliest other cluster of each sample, -1 for none, and its probability."""

    labels: NDArray[np.int32]
    strength: FloatArray


@dataclass(frozen=True, eq=False)
class Certainty:
    """Random walks from samples, old and new, to clusters.

    Attributes
    ----------
    steps : float
        Length of the walks, at least 1. A fraction mixes walks of two lengths.
    power : float
        Power that probabilities are raised to, at least 1; it is 1 if there are several steps.
    ends : CSR array of shape (n_samples, n_clusters)
        Where walks end that are one step shorter.
    """

    steps: float
    power: float
    ends: Any

    @classmethod
    def of(cls, graph: Graph, labels: NDArray[Any], hidden: Hidden | None = None) -> Certainty:
        """Choose the length of walks for clusters 0..k-1."""
        walks = _Walks(graph, labels)
        most = int(np.clip(_MOST_WORK // max(graph.indices.size, 1), 1, _MOST_STEPS))
        steps: float = walks.usual_steps(most)
        power = 1.0
        if hidden is not None and hidden.labels:
            steps, power = walks.matching(int(steps), most, hidden)
        return cls(steps, power, walks.after(steps - 1))

    def of_samples(self, graph: Graph) -> Any:
        """Return the probabilities of the samples of the graph, in CSR."""
        return _stacked([found for _, found in self.in_ranges(graph)])

    def in_ranges(self, graph: Graph) -> Iterator[tuple[slice, Any]]:
        """Yield ranges of the samples of the graph with their probabilities, in CSR."""
        for rows, steps in _steps(graph):
            yield rows, _raised(_tidy(steps @ self.ends), self.power)

    def of_new(self, reach: Reach, placed: NDArray[Any], sizes: NDArray[Any]) -> FloatArray:
        """Return the probabilities of new samples, none above that of where they were placed.

        What touches no sample gets the shares of the clusters in all samples instead.
        """
        ends = self.ends
        if reach.copies is not None:
            n = reach.copies.size
            which = sp.csr_array((np.ones(n), (reach.copies, np.arange(n))))
            ends = which @ ends
        found = _raised(_tidy(reach.weights @ ends), self.power).toarray()
        found[np.diff(reach.weights.indptr) == 0] = sizes / sizes.sum()
        rows = np.arange(placed.size)
        own = np.maximum(found[rows, placed], _LEAST)
        np.minimum(found, own[:, None] * _BELOW, out=found)
        found[rows, placed] = own
        return np.asarray(found / found.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Memberships:
    """The clusters of a model and how sure they are, computed on demand and kept."""

    graph: Graph
    labels: NDArray[Any]
    hidden: Hidden | None

    @cached_property
    def certainty(self) -> Certainty:
        """The walks that probabilities come from."""
        return Certainty.of(self.graph, self.labels, self.hidden)

    @cached_property
    def of_samples(self) -> Any:
        """The probabilities of the samples, in CSR."""
        return self.certainty.of_samples(self.graph)

    @cached_property
    def strength(self) -> FloatArray:
        """The probability of its own cluster for each sample, 0 where it has no neighbours."""
        strength = np.zeros(self.graph.n)
        known = "of_samples" in self.__dict__
        every = [(slice(0, self.graph.n), self.of_samples)] if known else None
        for rows, found in every or self.certainty.in_ranges(self.graph):
            strength[rows] = _own(found, self.labels[rows])
        strength[self.graph.isolated] = 0.0
        return strength

    def of_new(self, reach: Reach, placed: NDArray[Any]) -> FloatArray:
        """Return the probabilities of new samples."""
        return self.certainty.of_new(reach, placed, np.bincount(self.labels))


class _Walks:
    """Walks from the samples of a graph, all at once."""

    def __init__(self, graph: Graph, labels: NDArray[Any]) -> None:
        self.labels = labels
        self.alone = graph.isolated
        self.graph = graph
        self.home = _at_home(labels, int(labels.max()) + 1)
        self.first = self._step(self.home)

    @cached_property
    def step(self) -> Any:
        """The probabilities of steps, if there are not too many."""
        return _tidy(next(_steps(self.graph))[1], least=0.0)

    @property
    def _is_large(self) -> bool:
        return self.graph.indices.size > _WHOLE

    def _step(self, ends: Any) -> Any:
        """Return where walks end that are one step longer."""
        if not self._is_large:
            return self.step @ ends
        parts = []
        for rows, weights in _steps(self.graph):
            part = weights @ ends
            part.data /= np.repeat(self._total[rows], np.diff(part.indptr))
            parts.append(part)
        return _stacked(parts)

    def _moved(self, place: Any) -> Any:
        """Return where a few walks are that go one step from where they are."""
        if not self._is_large:
            return place @ self.step
        alone = np.isin(place.indices, self.alone)
        stay, place = place.copy(), place.copy()
        stay.data[~alone] = 0.0
        place.data /= self._total[place.indices]
        parts = (self.graph.weights, self.graph.indices, self.graph.indptr)
        return place @ sp.csr_array(parts, shape=(self.graph.n, self.graph.n)) + stay

    @cached_property
    def _total(self) -> FloatArray:
        """The weight of the steps from each vertex."""
        total = np.array(self.graph.strength, dtype=np.float64)
        total[self.alone] = 1.0
        return total

    def __iter__(self) -> Iterator[Any]:
        """Yield where walks of 0, 1, 2, … steps end, as probabilities of clusters.

        Only samples that some walk leads away from their cluster cost anything.
        """
        ends = self.home
        while True:
            yield ends
            away = (ends - self.home).tocsr()
            away.eliminate_zeros()
            ends = _tidy(self.first + self._step(away))

    def usual_steps(self, most: int) -> int:
        """Return the length at which the usual walk spreads over the right share of its cluster."""
        n = self.labels.size
        rows = np.unique(np.linspace(0, n - 1, _FOLLOWED).astype(np.int64))
        size = np.bincount(self.labels)[self.labels[rows]]
        place = sp.csr_array((np.ones(rows.size), (np.arange(rows.size), rows)), (rows.size, n))
        share = [0.0]
        for steps in range(1, _WALKED + 1):
            place = self._moved(place)
            spread = 1.0 / np.asarray(place.multiply(place).sum(axis=1)).ravel()
            share.append(float(np.median(spread / size)))
            if share[-1] >= _REACH:
                return min(steps, most)
        growth = np.log2(share[-1] / share[_WALKED // 2])
        if growth <= 0:  # there is no more to reach
            return most
        return int(min(np.rint(_WALKED * (_REACH / share[-1]) ** (1 / growth)), most))

    def matching(self, usual: int, most: int, hidden: Hidden) -> tuple[float, float]:
        """Return length and power at which the mean probability is the share of labels found."""
        walks = islice(self, 1, None)
        mean = [self._mean_at_home(ends) for ends in islice(walks, usual)]
        labels = hidden.labels + _PRIOR_LABELS
        wanted = (hidden.labels * hidden.found + _PRIOR_LABELS * mean[-1]) / labels
        while mean[-1] > wanted and len(mean) < most:
            mean.append(self._mean_at_home(next(walks)))
        if mean[-1] > wanted:
            return most, 1.0
        at = int(np.argmax(np.array(mean) <= wanted))
        if at == 0:
            return 1.0, self._matching_power(wanted)
        shorter, longer = mean[at - 1 : at + 1]
        return at + (shorter - wanted) / (shorter - longer), 1.0

    def _matching_power(self, wanted: float) -> float:
        """Return the power of probabilities after one step at which their mean is as wanted."""
        ends = self.after(1)
        if ends.shape[0] > _SEEN:
            few = slice(None, None, -(-ends.shape[0] // _SEEN))
            return self._of(few)._power(ends[few], wanted)
        return self._power(ends, wanted)

    def _of(self, rows: slice) -> _Walks:
        """Return some samples, of which means are wanted."""
        some = copy(self)
        some.home = self.home[rows]
        some.alone = np.flatnonzero(np.isin(np.arange(self.labels.size)[rows], self.alone))
        return some

    def _power(self, ends: Any, wanted: float) -> float:
        low, high = 1.0, _MOST_POWER
        for _ in range(_HALVINGS):
            power = np.sqrt(low * high)
            enough = self._mean_at_home(_raised(ends, power)) >= wanted
            low, high = (low, power) if enough else (power, high)
        return float(high)

    def after(self, steps: float) -> Any:
        """Return where walks of a length end."""
        whole = int(steps)
        walks = islice(self, whole, None)
        ends = next(walks)
        if steps == whole:
            return ends
        return ((whole + 1 - steps) * ends + (steps - whole) * next(walks)).tocsr()

    def _mean_at_home(self, ends: Any) -> float:
        """Return the mean probability of walks to end in the cluster that they start from."""
        at_home = np.asarray(ends.multiply(self.home).sum(axis=1)).ravel()
        at_home[self.alone] = np.nan
        return float(np.nanmean(at_home))


def membership(graph: Graph, labels: NDArray[Any], steps: float) -> Any:
    """Return the probability of each module for each vertex, by walks of so many steps.

    A walk goes along edges with probabilities in proportion to their weights, and ends in the
    module of its last vertex. Walks from a vertex without neighbours stay there. A fraction mixes
    walks of two lengths. Probabilities below 0.001 are left out.

    Parameters
    ----------
    graph : Graph
        The data graph. Constraints play no part.
    labels : int array of shape (n,)
        Module of every vertex, numbered from 0.
    steps : float
        Length of the walks.

    Returns
    -------
    CSR array of shape (n, n_modules)

    Examples
    --------
    >>> from sentree import Graph
    >>> two_pairs = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> membership(two_pairs, np.array([0, 0, 1, 1]), steps=1).toarray().tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.5, 0.5], [0.0, 1.0]]
    """
    return _Walks(graph, labels).after(steps)


def second_best(found: Any, labels: NDArray[Any]) -> Rival:
    """Return the likeliest cluster of each sample but its own; on a tie the smaller number.

    Parameters
    ----------
    found : CSR array of shape (n, n_clusters)
        Probabilities, such as ``membership_``.
    labels : int array of shape (n,)
        Cluster of every sample.
    """
    others = (found - found.multiply(_at_home(labels, found.shape[1]))).tocsr()
    others.eliminate_zeros()
    return Rival(largest_column(others).astype(np.int32), others.max(axis=1).toarray().ravel())


def _steps(graph: Graph) -> Iterator[tuple[slice, Any]]:
    """Yield ranges of vertices and the weights of steps from there, of a small graph all at once.

    Walks from vertices without neighbours stay there.
    """
    n, lonely = graph.n, graph.isolated
    pieces = max(-(-graph.indices.size // _WHOLE), 1)
    bounds = np.linspace(0, n, pieces + 1).astype(np.int64).tolist()
    for start, stop in pairwise(bounds):
        at = graph.indptr[start : stop + 1]
        inside = slice(int(at[0]), int(at[-1]))
        values = np.asarray(graph.weights[inside], dtype=np.float64)
        parts = values, graph.indices[inside], at - at[0]
        weights = sp.csr_array(parts, shape=(stop - start, n))
        alone = lonely[(lonely >= start) & (lonely < stop)]
        if alone.size:
            stay = (np.ones(alone.size), (alone - start, alone))
            weights = (weights + sp.csr_array(stay, shape=weights.shape)).tocsr()
        yield slice(start, stop), weights


def _stacked(parts: list[Any]) -> Any:
    """Return rows of several matrices as one."""
    return parts[0] if len(parts) == 1 else sp.vstack(parts, format="csr")


def _own(found: Any, labels: NDArray[Any]) -> FloatArray:
    """Return the probability of its own cluster for each row."""
    row = np.repeat(np.arange(labels.size), np.diff(found.indptr))
    at_home = found.indices == labels[row]
    own = np.zeros(labels.size)
    own[row[at_home]] = found.data[at_home]
    return own


def _at_home(labels: NDArray[Any], k: int) -> Any:
    """Return probability 1 for the own cluster of each sample."""
    n = labels.size
    return sp.csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, k))


def _raised(found: Any, power: float) -> Any:
    """Return rows of probabilities raised to a power, with sum 1."""
    if power == 1:
        return found
    raised = found.copy()
    raised.data **= power
    return _tidy(raised)


def _tidy(found: Any, least: float = _LEAST) -> Any:
    """Return rows that sum to 1, without small entries."""
    total = np.asarray(found.sum(axis=1)).ravel()
    found = sp.csr_array(found)
    size = np.diff(found.indptr)
    found.data = found.data / np.repeat(total, size)
    if least == 0 or not (small := found.data < least).any():
        return found
    found.data[small] = 0.0
    found.eliminate_zeros()
    return _tidy(found, least=0.0)
