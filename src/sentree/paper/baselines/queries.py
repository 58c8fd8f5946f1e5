"""What the methods that ask questions share: answers, super-instances, and merging by questions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from sentree._util.labels import renumber
from sentree.constraints import Constraints
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline, scaled
from sentree.paper.baselines.trees import TreeBuilder
from sentree.tree import EncodingTree

Oracle = Callable[[int, int], bool | None]
Cluster = list["SuperInstance"]


class Answers:
    """Answers to "do i and j belong together?": from what is given, else from an oracle.

    Each question is put once and remembered. ``queries`` lists the questions that count, with
    i < j, and their answers: all without an oracle; with one, those it was asked. ``may_ask`` marks
    the samples that questions may be about: all with an oracle, else those the constraints name.
    """

    def __init__(
        self, given: Constraints, n: int, oracle: Oracle | None, limit: int | None
    ) -> None:
        self.given = given
        self._oracle = oracle
        self._limit = limit
        self._memory: dict[tuple[int, int], bool | None] = {}
        self.queries: list[tuple[int, int, bool | None]] = []
        closure = given.closure(n)
        self._component = closure.component.tolist()
        self._apart = set(map(tuple, closure.direct.tolist()))
        self._exclusive: dict[int, set[int]] = {}
        for number, members in enumerate(closure.exclusive):
            for component in members.tolist():
                self._exclusive.setdefault(component, set()).add(number)
        named = given.named
        nobody = oracle is None and named.size == 0
        if nobody:
            self._limit = 0
        self.may_ask = np.full(n, nobody or oracle is not None)
        self.may_ask[named] = True

    @property
    def exhausted(self) -> bool:
        """Whether no further question may be asked."""
        return self._limit is not None and len(self.queries) >= self._limit

    @property
    def refused(self) -> list[tuple[int, int]]:
        """The pairs that do not belong together, as far as asked."""
        return [pair for pair, answer in self._memory.items() if answer is False]

    def __call__(self, i: int, j: int) -> bool | None:
        """Return whether two different samples belong together; None where nobody knows."""
        pair = min(i, j), max(i, j)
        if pair not in self._memory:
            answer = self.known(*pair)
            if answer is None and self._oracle is not None:
                answer = _checked(self._oracle(*pair), pair)
                self.queries.append((*pair, answer))
            elif self._oracle is None:
                self.queries.append((*pair, answer))
            self._memory[pair] = answer
        return self._memory[pair]

    def known(self, i: int, j: int) -> bool | None:
        """Return what the constraints say of two samples; None where they say nothing."""
        u, v = sorted((self._component[i], self._component[j]))
        if u == v:
            return True
        one, two = self._exclusive.get(u, set()), self._exclusive.get(v, set())
        return False if (u, v) in self._apart or one & two else None


def _checked(answer: Any, pair: tuple[int, int]) -> bool | None:
    if answer is None:
        return None
    if not isinstance(answer, bool | np.bool_):
        raise TypeError(
            f"oracle{pair} returned {answer!r}; it must return True (together), False (apart) or "
            "None (unknown)"
        )
    return bool(answer)


@dataclass(frozen=True, eq=False)
class SuperInstance:
    """Samples that stay together while clusters of them are merged."""

    points: NDArray[np.intp]
    centroid: FloatArray
    representative: int

    def plus(self, points: NDArray[np.intp]) -> SuperInstance:
        """Return it with more samples; centroid and representative stay."""
        joined = np.concatenate((self.points, points))
        return SuperInstance(joined, self.centroid, self.representative)


class Merge(NamedTuple):
    """The numbers of a cluster that grew and of the one it took in, after so many questions."""

    into: int
    taken: int
    n_queries: int


def history(
    clusters: Sequence[Cluster], merges: Sequence[Merge], start: int
) -> list[tuple[int, NDArray[np.int32]]]:
    """Return the labels before the merges, when ``start`` questions were asked, and after each."""
    label = np.empty(sum(s.points.size for cluster in clusters for s in cluster), dtype=np.int32)
    for number, cluster in enumerate(clusters):
        for instance in cluster:
            label[instance.points] = number
    found = [(start, renumber(label))]
    for merge in merges:
        label[label == merge.taken] = merge.into
        found.append((merge.n_queries, renumber(label)))
    return found


def representative(X: FloatArray, among: NDArray[np.intp], centroid: FloatArray) -> int:
    """Return the sample that is nearest to a centroid."""
    return int(among[np.argmin(((X[among] - centroid) ** 2).sum(axis=1))])


def merge_by_questions(
    clusters: list[Cluster], ask: Answers, about: Literal["closest", "first"]
) -> tuple[list[Cluster], list[Merge], bool]:
    """Merge clusters of super-instances, the closest first, where an answer says so.

    The distance of two clusters is that of their closest centroids. Questions are about the
    representatives of the two closest, or of the first, super-instances of two clusters. A pair
    refused between any representatives of two clusters keeps these apart; a pair nobody knows
    about is skipped. Returns the clusters that remain, the merges, and whether nothing was left to
    ask.
    """
    instances = [instance for cluster in clusters for instance in cluster]
    owner = np.repeat(np.arange(len(clusters)), [len(cluster) for cluster in clusters])
    centroids = np.array([instance.centroid for instance in instances])
    distance = cdist(centroids, centroids)
    start = np.flatnonzero(np.diff(owner, prepend=-1))
    gap = np.minimum.reduceat(np.minimum.reduceat(distance, start, axis=0), start, axis=1)
    apart = np.eye(len(clusters), dtype=bool)
    owner_of = {instance.representative: c for instance, c in zip(instances, owner, strict=True)}
    for i, j in ask.refused:
        if i in owner_of and j in owner_of:
            c, d = owner_of[i], owner_of[j]
            apart[c, d] = apart[d, c] = True
    members: list[list[int]] = [np.flatnonzero(owner == c).tolist() for c in range(len(clusters))]
    # Distances of the pairs that may still be asked about; the smaller number is the row.
    waiting = np.where(apart | np.tri(len(clusters), dtype=bool), np.inf, gap)
    merges: list[Merge] = []
    while True:
        a, b = divmod(int(np.argmin(waiting)), len(clusters))
        if np.isinf(waiting[a, b]) or ask.exhausted:
            break
        p, q = members[a][0], members[b][0]
        if about == "closest":
            between = distance[np.ix_(members[a], members[b])]
            row, column = divmod(int(np.argmin(between)), len(members[b]))
            p, q = members[a][row], members[b][column]
        answer = ask(instances[p].representative, instances[q].representative)
        waiting[a, b] = np.inf
        if answer is False:
            apart[a, b] = apart[b, a] = True
        if answer is not True:
            continue
        merges.append(Merge(a, b, len(ask.queries)))
        members[a] += members[b]
        members[b] = []
        gap[a] = gap[:, a] = np.minimum(gap[a], gap[b])
        apart[a] = apart[:, a] = apart[a] | apart[b]
        apart[b] = apart[:, b] = True
        waiting[b] = waiting[:, b] = np.inf
        open_row = np.where(apart[a], np.inf, gap[a])
        waiting[a, a + 1 :], waiting[:a, a] = open_row[a + 1 :], open_row[:a]
    merged = [[instances[s] for s in inside] for inside in members if inside]
    return merged, merges, bool(np.isinf(waiting[a, b]))


class QueryBaseline(Baseline):
    """Base of the methods that ask whether two samples belong together.

    A subclass gives ``_search(X, ask, random)``, which hands tree and clusters to ``_store``.
    """

    max_queries: int | None
    scale: str | None
    labels_: NDArray[np.int32]
    super_instances_: NDArray[np.int32]
    n_clusters_: int
    tree_: EncodingTree
    queries_: list[tuple[int, int, bool | None]]
    n_queries_: int
    history_: list[tuple[int, NDArray[np.int32]]]
    _oracle: Oracle | None = None

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        constraints: Constraints | None = None,
        oracle: Oracle | None = None,
    ) -> Self:
        """Cluster the samples, asking about some pairs of them.

        Parameters
        ----------
        X, y, must_link, cannot_link, constraints
            As for all compared methods. The constraints, and what they entail, answer questions;
            the classes of all samples as y answer every question.
        oracle : callable, optional
            ``oracle(i, j)``, with row numbers i < j, returns True where the two belong together,
            False where they do not, None where it does not know. It is asked what is not given.
            Without it, questions are about samples only that y or the pairs name.

        Returns
        -------
        self
            The fitted estimator.
        """
        if oracle is not None and not callable(oracle):
            raise TypeError(f"oracle must be callable, got {type(oracle).__name__}")
        self._oracle = oracle
        try:
            super().fit(X, y, must_link=must_link, cannot_link=cannot_link, constraints=constraints)
        finally:
            del self._oracle
        return self

    def _solve(self, X: FloatArray, given: Constraints, random: np.random.RandomState) -> None:
        if self._oracle is None and given.named.size == 0:
            warnings.warn(
                f"{type(self).__name__} has nobody to ask: give oracle=, classes (y) or pairs",
                stacklevel=5,
            )
        ask = Answers(given, X.shape[0], self._oracle, self.max_queries)
        self._search(scaled(X, self.scale), ask, random)
        self.queries_ = ask.queries
        self.n_queries_ = len(ask.queries)

    def _search(self, X: FloatArray, ask: Answers, random: np.random.RandomState) -> None:
        raise AssertionError("subclasses search")

    def _store(self, builder: TreeBuilder, clusters: Sequence[Cluster]) -> None:
        """Keep clusters and the tree that the builder holds."""
        self.tree_ = EncodingTree.from_parent(builder.parent())
        label, part = np.empty((2, self.tree_.n_leaves), dtype=np.int32)
        instances = [(c, s) for c, cluster in enumerate(clusters) for s in cluster]
        for number, (c, instance) in enumerate(instances):
            label[instance.points] = c
            part[instance.points] = number
        self.labels_ = renumber(label)
        self.super_instances_ = renumber(part)
        self.n_clusters_ = len(clusters)
