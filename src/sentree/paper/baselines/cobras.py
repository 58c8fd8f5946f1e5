"""COBRAS: split and merge clusters by questions, within a budget (Van Craenendonck et al. 2018)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sentree._util.sklearn import Interval
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline
from sentree.paper.baselines.parts import k_means_parts
from sentree.paper.baselines.queries import (
    Answers,
    Cluster,
    QueryBaseline,
    SuperInstance,
    history,
    merge_by_questions,
    representative,
)
from sentree.paper.baselines.trees import TreeBuilder


@dataclass(eq=False, repr=False)
class COBRAS(QueryBaseline):
    """Active clustering that splits super-instances and merges clusters in turn.

    The largest super-instance is cut by k-means, into as many parts as questions about halves of
    it advise; then clusters are merged as in :class:`COBRA`; until the questions are used up.

    Parameters
    ----------
    max_queries : int, default=100
        Most questions asked.
    scale : {"zscore", "minmax", "unit", None}, default="zscore"
        Features to variance 1 or to [0, 1], or rows to length 1, first.
    n_init : int, default=10
        Starts of each k-means.
    random_state : int, RandomState or None, default=None
        Seed of k-means; None is 0.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Clusters 0, 1, … by first appearance. Their number is found, not given.
    n_clusters_ : int
        Number of clusters.
    tree_ : EncodingTree
        Root, clusters, super-instances, samples.
    super_instances_ : int32 array of shape (n_samples,)
        Super-instance of every sample.
    queries_ : list of (int, int, bool or None)
        The questions in order, with their answers.
    n_queries_ : int
        Number of questions; those without an answer count too.
    history_ : list of (int, int32 array)
        Numbers of questions, rising, and the labels that so many questions gave. With fewer than
        the first number there would be fewer parts at the start.
    n_iter_ : int
        Number of super-instances that were split.

    Notes
    -----
    The result is that of the last merging that ended within the budget. Answers are remembered: no
    question is put twice. One that nobody can answer ends the search for the number of parts, and
    merges nothing; pairs alone decide few questions and leave many small clusters.

    References
    ----------
    T. Van Craenendonck, S. Dumančić, E. Van Wolputte, H. Blockeel: COBRAS: interactive clustering
    with pairwise queries. IDA 2018.

    Examples
    --------
    >>> from sentree.paper.baselines import COBRAS
    >>> model = COBRAS(max_queries=10).fit(
    ...     [[0.0], [0.1], [4.0], [4.1], [9.0], [9.1]], oracle=lambda i, j: (i < 4) == (j < 4)
    ... )
    >>> model.labels_.tolist()
    [0, 0, 0, 0, 1, 1]
    """

    max_queries: int = 100
    _: KW_ONLY
    scale: str | None = "zscore"
    n_init: int = 10
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_queries": [Interval(Integral, 0, None, closed="left")],
        "scale": Baseline._parameter_constraints["scale"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def _search(self, X: FloatArray, ask: Answers, random: np.random.RandomState) -> None:
        cutter = _Cutter(X, ask, random, self.n_init)
        everything = np.arange(X.shape[0])
        clusters = [[part] for part in cutter.cut(everything, cutter.advised(everything))]
        parts, asked = clusters, len(ask.queries)
        clusters, merges, _ = merge_by_questions(parts, ask, "first")
        self.history_ = history(parts, merges, asked)
        finished = clusters
        whole: set[SuperInstance] = set()  # those that would not be cut
        self.n_iter_ = 1
        while not ask.exhausted:
            chosen = cutter.largest(clusters, whole)
            if chosen is None:
                break
            pieces = cutter.cut(chosen.points, cutter.advised(chosen.points))
            if len(pieces) == 1:
                whole.add(chosen)
                continue
            rest = [[s for s in cluster if s is not chosen] for cluster in clusters]
            clusters = [cluster for cluster in rest if cluster] + [[piece] for piece in pieces]
            clusters, _, complete = merge_by_questions(clusters, ask, "first")
            if complete:
                finished = clusters
                self.history_ += history(clusters, [], len(ask.queries))
            self.n_iter_ += 1
        builder = TreeBuilder(X.shape[0])
        nodes = [[builder.join(s.points.tolist()) for s in cluster] for cluster in finished]
        builder.join([builder.join(cluster) for cluster in nodes])
        self._store(builder, finished)


class _Cutter:
    """Cuts super-instances, and asks how fine to cut."""

    def __init__(
        self, X: FloatArray, ask: Answers, random: np.random.RandomState, n_init: int
    ) -> None:
        self._X, self._ask, self._random, self._n_init = X, ask, random, n_init

    def _askable(self, points: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.extract(self._ask.may_ask[points], points)

    def largest(self, clusters: list[Cluster], whole: set[SuperInstance]) -> SuperInstance | None:
        """Return the largest super-instance that may be cut."""
        able = [
            instance
            for cluster in clusters
            for instance in cluster
            if instance not in whole and self._askable(instance.points).size > 1
        ]
        return max(able, key=lambda instance: instance.points.size, default=None)

    def cut(self, points: NDArray[np.intp], k: int) -> list[SuperInstance]:
        """Cut samples into at most k parts; one that no question may be about joins another."""
        if k >= points.size:
            pieces = list(points[:, None])
        else:
            inside = k_means_parts(self._X[points], k, self._random, n_init=self._n_init)
            pieces = [points[part] for part in inside]
        parts, rest = [], []
        for piece in pieces:
            known, centroid = self._askable(piece), self._X[piece].mean(axis=0)
            if known.size == 0:
                rest.append((piece, centroid))
                continue
            middle = representative(self._X, known, centroid)
            parts.append(SuperInstance(piece, centroid, middle))
        middles = np.array([part.representative for part in parts])
        for piece, centroid in rest:
            receiver = int(np.argmin(((self._X[middles] - centroid) ** 2).sum(axis=1)))
            parts[receiver] = parts[receiver].plus(piece)
        return parts

    def advised(self, points: NDArray[np.intp]) -> int:
        """Return a number of parts: 2 to the number of halvings that put samples apart."""
        halvings, inside = 0, points
        while not self._ask.exhausted:
            halves = self.cut(inside, 2)
            if len(halves) == 1:
                break
            if self._ask(halves[0].representative, halves[1].representative) is not False:
                break
            halvings += 1
            halves = [half for half in halves if self._askable(half.points).size > 1]
            if not halves:
                break
            inside = min(halves, key=lambda half: half.points.size).points
        return min(points.size, int(2 ** max(halvings, 1)))
