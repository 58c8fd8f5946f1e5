"""Metric pairwise constrained k-means (MPCK-means): k-means that learns to weigh features."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval
from sentree.constraints import Constraints
from sentree.constraints.closure import Closure
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline, IntArray, scaled
from sentree.paper.baselines.parts import means

#: Least spread of a feature, so that its weight is finite.
_LEAST_SPREAD = 1e-9
#: Numbers in one block of temporary memory.
_BLOCK = 1 << 21
#: Most pairs that are worked on: about 2 GB.
_MOST_PAIRS = 20_000_000
#: Rows whose distances are computed at once: few, since the first ones tell most others off.
_ROWS = 32


@dataclass(eq=False, repr=False)
class MPCKMeans(Baseline):
    """Metric pairwise constrained k-means: one weight per feature, learnt with the clusters.

    The base clusterings of :class:`SemiMultiCons`. Every round puts each sample where its distance
    to the centre and the constraints it would break cost least, then moves the centres and weighs
    the features anew. Clusters may end empty, which makes them fewer. ``metric_`` holds the weight
    of every scaled feature; ``objective_``, after every round, the squared distances, less n times
    the logarithm of the metric's determinant, plus what broken constraints cost. It need not fall.

    Notes
    -----
    Constraints count with what follows from them; weights of pairs do not count. A broken must-link
    costs the distance of its samples, a broken cannot-link what its samples are nearer than the
    farthest pair of their cluster; all distances are squared. The first centres are means of
    must-linked sets, far from one another, then samples at random; k-means++ without must-links.

    As in the program of the compared study, one metric serves all clusters, and the spread of a
    feature counts half of a broken must-link and the whole farthest pair for a broken cannot-link;
    the original paper subtracts the pair's own difference there, which can turn a spread negative.

    References
    ----------
    M. Bilenko, S. Basu, R. J. Mooney: Integrating constraints and metric learning in
    semi-supervised clustering. ICML 2004.

    Examples
    --------
    >>> from sentree.paper.baselines.mpckmeans import MPCKMeans
    >>> X = [[0, 0], [1, 5], [0, 9], [9, 0], [8, 5], [9, 9]]
    >>> MPCKMeans(2).fit_predict(X, must_link=[(0, 2), (3, 5)])
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    n_clusters: int = 8
    _: KW_ONLY
    max_iter: int = 10
    scale: str | None = "zscore"
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def _solve(self, X: FloatArray, given: Constraints, random: np.random.RandomState) -> None:
        X = scaled(X, self.scale)
        X = X - X.mean(axis=0)  # distances by products lose no digits to a common offset
        n, k = X.shape[0], self.n_clusters
        closure = given.closure(n)
        links = _Pairs.of(closure)
        centers, metric = _first_centers(X, closure.component, k, random), np.ones(X.shape[1])
        labels = _squares(X, centers, metric).argmin(axis=1)
        self.objective_: list[float] = []
        while len(self.objective_) < self.max_iter:
            before = labels
            square, length = _squares(X, centers, metric), links.squares(X, metric)
            widest = _widest(X, labels, k, metric) if links.apart.any() else np.zeros_like(centers)
            labels = _assign(square, links, length, widest @ metric, random)
            broken = links.broken(labels)
            cost = square[np.arange(n), labels].sum() - n * np.log(metric).sum()
            cost += links.penalty(length, (widest @ metric)[labels[links.i]])[broken].sum()
            self.objective_.append(float(cost))
            self.metric_ = metric
            if len(self.objective_) > 1 and links.i.size == 0 and np.array_equal(labels, before):
                break  # nothing is random, so nothing will change
            centers = means(X, labels, k)
            metric = _metric(X, labels, centers, links, broken, widest)
        self.n_iter_ = len(self.objective_)
        self.labels_ = renumber(labels)


class _Pairs(NamedTuple):
    """All pairs that belong together, and all that are apart."""

    i: IntArray
    j: IntArray
    apart: NDArray[np.bool_]

    @classmethod
    def of(cls, closure: Closure) -> _Pairs:
        """Expand what the constraints entail."""
        if (pairs := closure.count_pairs()) > _MOST_PAIRS:
            raise ValueError(
                f"these constraints entail {pairs:,} pairs, too many for MPCK-means, which needs "
                "each of them: give fewer labels"
            )
        must, cannot = closure.must_pairs(), closure.cannot_pairs()
        i, j = np.concatenate((must[:2], cannot[:2]), axis=1)
        return cls(i, j, np.arange(i.size) >= must[0].size)

    def squares(self, X: FloatArray, metric: FloatArray) -> FloatArray:
        """Return the squared distance of every pair."""
        found = np.empty(self.i.size)
        step = max(1, _BLOCK // X.shape[1])
        for start in range(0, found.size, step):
            part = slice(start, start + step)
            found[part] = (X[self.i[part]] - X[self.j[part]]) ** 2 @ metric
        return found

    def broken(self, labels: IntArray) -> NDArray[np.bool_]:
        """Tell which pairs these clusters break."""
        return np.asarray((labels[self.i] == labels[self.j]) == self.apart)

    def penalty(self, length: FloatArray, far: FloatArray) -> FloatArray:
        """Return what each pair costs when broken, ``far`` being the width of a cluster."""
        return np.where(self.apart, np.maximum(far - length, 0), length)


def _first_centers(
    X: FloatArray, component: IntArray, k: int, random: np.random.RandomState
) -> FloatArray:
    """Return means of must-linked sets, large and far from one another, then random samples."""
    size = np.bincount(component)
    if size.max() < 2:
        return np.asarray(kmeans_plusplus(X, k, random_state=random)[0])
    sets = size > 1
    centers, size = means(X, component, size.size)[sets], size[sets]
    chosen = [random.choice(np.flatnonzero(size == size.max()))]
    gap = np.full(size.size, np.inf)
    while len(chosen) < min(k, size.size):
        gap = np.minimum(gap, ((centers - centers[chosen[-1]]) ** 2).sum(axis=1))
        gap[chosen] = -1  # none is chosen twice
        chosen.append(int(np.argmax(size * gap)))
    others = random.choice(X.shape[0], k - len(chosen), replace=False)
    return np.concatenate((centers[chosen], X[others]))


def _squares(X: FloatArray, centers: FloatArray, metric: FloatArray) -> FloatArray:
    """Return squared distances to the centres; an empty cluster is infinitely far."""
    square = (X**2 @ metric)[:, None] - 2 * (X * metric) @ centers.T + centers**2 @ metric
    return np.where(np.isnan(square), np.inf, np.maximum(square, 0))


def _widest(X: FloatArray, labels: IntArray, k: int, metric: FloatArray) -> FloatArray:
    """Return the squared differences, by feature, of the farthest pair of every cluster."""
    Z = X * np.sqrt(metric)
    found = np.zeros((k, X.shape[1]))
    for cluster in range(k):
        members = np.flatnonzero(labels == cluster)
        if members.size > 1:
            a, b = members[list(farthest_pair(Z[members]))]
            found[cluster] = (X[a] - X[b]) ** 2
    return found


def farthest_pair(Z: FloatArray) -> tuple[int, int]:
    """Return the numbers of the two rows that are farthest apart.

    Two rows are no farther apart than their distances to the mean add up to. So rows are taken by
    falling distance to the mean, in blocks, until these cannot add up to more than what was found.
    """
    Z = Z - Z.mean(axis=0)
    square = np.einsum("ij,ij->i", Z, Z)
    order = np.argsort(-square, kind="stable")
    Z, square = Z[order], square[order]
    radius = np.sqrt(square)
    pair, best = (0, 0), -1.0
    start, step = 0, _ROWS
    while start < len(Z):
        stop = int(np.count_nonzero(radius > best - radius[start]))
        if stop <= start:
            break
        rows = slice(start, min(start + step, stop))
        apart = square[rows, None] - 2 * Z[rows] @ Z[start:stop].T + square[None, start:stop]
        row, column = divmod(int(apart.argmax()), stop - start)
        if apart[row, column] > best**2 or best < 0:
            pair, best = (start + row, start + column), float(np.sqrt(max(apart[row, column], 0)))
        start += step
    return int(order[pair[0]]), int(order[pair[1]])


def _assign(
    square: FloatArray,
    links: _Pairs,
    length: FloatArray,
    far: FloatArray,
    random: np.random.RandomState,
) -> IntArray:
    """Put every sample where it costs least; constrained ones at random, one after the other.

    A sample's broken constraints with those placed before count. What breaking a must-link costs
    in all clusters but one is taken off that one instead.
    """
    n, k = square.shape
    labels = square.argmin(axis=1)
    order = random.permutation(np.unique(np.concatenate((links.i, links.j))))
    rank = np.zeros(n, dtype=np.int64)
    rank[order] = np.arange(order.size)
    turned = rank[links.i] > rank[links.j]
    early, late = np.where(turned, (links.j, links.i), (links.i, links.j))
    by_turn = np.argsort(rank[late], kind="stable")
    early, apart, length = early[by_turn], links.apart[by_turn], length[by_turn]
    ends = np.cumsum(np.bincount(rank[late], minlength=order.size)).tolist()
    start = 0
    for point, end in zip(order.tolist(), ends, strict=True):
        if end > start:
            home, close = labels[early[start:end]], length[start:end]
            cost = np.where(apart[start:end], np.maximum(far[home] - close, 0), -close)
            labels[point] = np.argmin(square[point] + np.bincount(home, cost, k))
        start = end
    return np.asarray(labels)


def _metric(
    X: FloatArray,
    labels: IntArray,
    centers: FloatArray,
    links: _Pairs,
    broken: NDArray[np.bool_],
    widest: FloatArray,
) -> FloatArray:
    """Weigh each feature by the inverse of its spread, in clusters and over broken constraints."""
    spread = ((X - centers[labels]) ** 2).sum(axis=0)
    parted = np.flatnonzero(broken & ~links.apart)
    step = max(1, _BLOCK // X.shape[1])
    for start in range(0, parted.size, step):
        part = parted[start : start + step]
        spread += 0.5 * ((X[links.i[part]] - X[links.j[part]]) ** 2).sum(axis=0)
    shared = labels[links.i[broken & links.apart]]
    spread += np.bincount(shared, minlength=len(widest)) @ widest
    return np.asarray(X.shape[0] / np.maximum(spread, _LEAST_SPREAD))
