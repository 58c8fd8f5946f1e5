"""Constrained mean shift: modes that cannot-links keep from growing together."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components
from sklearn.metrics.pairwise import euclidean_distances

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval, StrOptions
from sentree.constraints import Constraints
from sentree.constraints.closure import Closure
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline, IntArray, scaled

#: Modes closer than this share of the bandwidth are one: they move alike from then on.
_SAME = 1e-9
#: Least reach of a cannot-link.
_LEAST_REACH = 0.001
#: Most cannot-links: each is worked on by itself in every step until its modes meet others.
_MOST_LINKS = 200_000
_UNIT = Interval(Real, 0, 1, closed="left")


@dataclass(eq=False, repr=False)
class ConstrainedMeanShift(Baseline):
    """Mean shift with a growing bandwidth, whose attraction is cut around cannot-links.

    Every sample sends out a mode, which moves to the weighted mean of the samples around it, again
    and again, while the bandwidth grows from the smallest to the largest distance. A cannot-link
    cuts the attraction between what is near its one end and what is near its other end. Modes that
    end at one place are a cluster: how many there are is an outcome.

    Parameters
    ----------
    n_clusters : None
        Not used: the number of clusters is an outcome. Here so that all compared methods can be
        called alike.
    max_iter : int, default=80
        Number of steps, over which the bandwidth grows.
    blurring : bool, default=False
        Whether the samples move along with the modes.
    kernel : {"gaussian", "ball"}, default="gaussian"
        How weight falls with distance d: as exp(-d²/h²), or 1 up to h and 0 beyond.
    trunc : float in [0, 1), default=0.2
        Weights of the Gaussian kernel below this are 0.
    c_scale : float, default=0.5
        Reach of a cannot-link, as a share of the distance between the modes of its two ends; never
        more than the bandwidth, nor less than 0.001.
    merge_k, merge_b : float in [0, 1), default=0.99 and 0.1
        Two samples are joined in the end if the kernel at the distance of their modes is above
        ``merge_k``, and the share of attraction the cannot-links left is above ``merge_b``.
    bandwidth : pair of float, optional
        First and last bandwidth; by default the smallest distance between two different samples
        and the largest one.
    early_stopping : bool, default=True
        Stop before ``max_iter`` when no mode moves and a larger bandwidth would not join any.
    scale : {"minmax", "zscore", "unit"} or None, default="minmax"
        Bring features to [0, 1] or to variance 1, or rows to length 1.
    random_state : int, RandomState or None
        Nothing is drawn; here so that all compared methods can be called alike.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample, numbered by first appearance.
    n_clusters_ : int
        Number of clusters found.
    modes_ : array of shape (n_samples, n_features)
        Where the mode of each sample ended, in scaled features.
    bandwidth_ : float
        The last bandwidth.
    bandwidth_range_ : tuple of float
        First and last bandwidth of the schedule.
    n_iter_ : int
        Number of steps done.

    Notes
    -----
    Cannot-links count together with all that follow from must-links and labels; a must-link alone
    does nothing. Without cannot-links everything ends in one cluster. The method shows its strength
    where cannot-links cover all pairs of classes (:func:`~sentree.datasets.sample_class_pairs`),
    which is how the study drew them. The study took the two distances from 1000 samples drawn at
    random where there are more; here all samples count. The settings of the authors' own program
    are ``max_iter=1000, blurring=True, trunc=0.02, merge_k=0.95``.

    A step takes time of the order of (number of different modes) x (number of samples) x (number of
    features), and a handful of arrays of n x n numbers. Modes that have met are moved as one, which
    changes nothing, and a cannot-link is worked on only where its kernel is not 0.

    References
    ----------
    M. Schier, C. Reinders, B. Rosenhahn. Constrained mean shift clustering. SDM 2022.

    Examples
    --------
    >>> from sentree.paper.baselines import ConstrainedMeanShift
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> ConstrainedMeanShift().fit(X, cannot_link=[(0, 2)]).labels_.tolist()
    [0, 0, 1, 1]
    """

    n_clusters: int | None = None
    _: KW_ONLY
    max_iter: int = 80
    blurring: bool = False
    kernel: str = "gaussian"
    trunc: float = 0.2
    c_scale: float = 0.5
    merge_k: float = 0.99
    merge_b: float = 0.1
    bandwidth: ArrayLike | None = None
    early_stopping: bool = True
    scale: str | None = "minmax"
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "blurring": ["boolean"],
        "kernel": [StrOptions({"gaussian", "ball"})],
        "trunc": [_UNIT],
        "c_scale": [Interval(Real, 0, None, closed="left")],
        "merge_k": [_UNIT],
        "merge_b": [_UNIT],
        "bandwidth": ["array-like", None],
        "early_stopping": ["boolean"],
        "scale": Baseline._parameter_constraints["scale"],
        "random_state": ["random_state"],
    }

    def _solve(self, X: FloatArray, given: Constraints, random: np.random.RandomState) -> None:
        X = scaled(X, self.scale)
        middle = X.mean(axis=0)
        X = X - middle  # distances lose fewer digits near the origin
        i, j = _cannot_links(given.closure(len(X)))
        if i.size == 0 and len(given):
            warnings.warn(
                "no cannot-link follows from the constraints, and nothing else counts in "
                "ConstrainedMeanShift",
                stacklevel=4,
            )
        low, high = self.bandwidth_range_ = self._schedule(X)
        if high == 0:  # all samples are equal
            i, j, low, high = i[:0], j[:0], 1.0, 1.0
        modes, place = X, np.arange(len(X))
        for step in range(self.max_iter):
            h = low + step / (self.max_iter - 1) * (high - low) if self.max_iter > 1 else high
            modes, place = _merged(modes, place, _SAME * h)
            links = _ModeLinks.between(place[i], place[j])
            apart = euclidean_distances(modes, squared=True)
            left = self._left(apart, links, h)
            near = self._weight(
                apart if self.blurring else euclidean_distances(modes, X, squared=True), h
            )
            moved = self._shift(modes, place, X, near, left)
            still = np.allclose(moved + middle, modes + middle, rtol=1e-4, atol=1e-6)
            modes = moved
            if self.early_stopping and still:
                cut = left if self.blurring else left[:, place]
                if low == high or np.all((cut < self.merge_b) | (near > self.merge_k)):
                    break
        self.n_iter_ = step + 1
        self.bandwidth_ = h
        self.modes_ = modes[place] + middle
        near = self._weight(euclidean_distances(modes, squared=True), h)
        joined = (near > self.merge_k) & (left > self.merge_b)
        self.labels_ = _components(joined, place)
        self.n_clusters_ = int(self.labels_.max()) + 1

    def _schedule(self, X: FloatArray) -> tuple[float, float]:
        """Return the first and the last bandwidth."""
        if self.bandwidth is None:
            return _distance_range(X)
        given = np.asarray(self.bandwidth, dtype=np.float64)
        if given.shape != (2,) or not 0 < given[0] <= given[1] < np.inf:
            raise ValueError(
                f"bandwidth must be a pair of finite numbers 0 < first <= last, got "
                f"{self.bandwidth!r}"
            )
        return float(given[0]), float(given[1])

    def _shift(
        self, modes: FloatArray, place: IntArray, X: FloatArray, near: FloatArray, left: FloatArray
    ) -> FloatArray:
        """Move all modes once to the mean of what attracts them."""
        if self.blurring:
            size = np.bincount(place)
            weight = near * left * size
            # A sample always counts for itself, but those at its place may be cut off.
            np.fill_diagonal(weight, 1 + (size - 1) * left.diagonal())
        else:
            weight = near * left[:, place]
        total = weight.sum(axis=1)[:, None]
        mean = weight @ (modes if self.blurring else X) / np.maximum(total, 1e-10)
        return np.where(total > 1e-10, mean, modes)

    def _left(self, apart: FloatArray, links: _ModeLinks, h: float) -> FloatArray:
        """Return the share of attraction between every two modes that the cannot-links leave."""
        reach = self.c_scale * np.sqrt(apart[links.x, links.y])
        reach = np.minimum(h, np.maximum(reach, _LEAST_REACH))
        left = np.ones_like(apart)
        for x, y, times, width in zip(*(part.tolist() for part in (*links, reach)), strict=True):
            here, there = self._weight(apart[x], width), self._weight(apart[y], width)
            a, c = np.flatnonzero(here), np.flatnonzero(there)
            left[a[:, None], c] *= (1 - here[a, None] * there[c]) ** times
        return left * left.T  # each link the other way round

    def _weight(self, squared: FloatArray, h: float) -> FloatArray:
        """Return the kernel of bandwidth h at squared distances."""
        if self.kernel == "ball":
            return np.asarray(squared <= h * h, dtype=np.float64)
        weight = np.exp(squared * (-1 / (h * h)))
        weight[weight < self.trunc] = 0
        return weight


def _cannot_links(closure: Closure) -> tuple[IntArray, IntArray]:
    """Return both ends of every cannot-link, or say that there are too many."""
    size = np.bincount(closure.component)
    within = int(size @ (size - 1)) // 2
    if (count := closure.count_pairs() - within) > _MOST_LINKS:
        raise ValueError(
            f"these constraints entail {count:,} cannot-links; ConstrainedMeanShift works on each "
            f"of them in every step, and takes {_MOST_LINKS:,} at the most: give fewer labels, or "
            "some cannot-links between the classes instead of all"
        )
    i, j, _ = closure.cannot_pairs()
    return i, j


class _ModeLinks(NamedTuple):
    """Cannot-links between modes: the two ends, and how many pairs of samples say so."""

    x: IntArray
    y: IntArray
    times: IntArray

    @classmethod
    def between(cls, first: IntArray, second: IntArray) -> _ModeLinks:
        """Count the links between the same two modes, in either order."""
        pairs = np.column_stack((np.minimum(first, second), np.maximum(first, second)))
        pairs, times = np.unique(pairs, axis=0, return_counts=True)
        return cls(pairs[:, 0], pairs[:, 1], times)


def _distance_range(X: FloatArray) -> tuple[float, float]:
    """Return the smallest distance of two samples that is not 0, and the largest."""
    distinct = np.unique(X, axis=0)
    squared = euclidean_distances(distinct, squared=True)
    row, column = np.unravel_index(squared.argmax(), squared.shape)
    high = float(np.linalg.norm(distinct[row] - distinct[column]))
    np.fill_diagonal(squared, np.inf)
    gaps = np.linalg.norm(distinct - distinct[squared.argmin(axis=1)], axis=1)
    return float(gaps[gaps > _SAME * high].min(initial=high)), high


def _merged(modes: FloatArray, place: IntArray, gap: float) -> tuple[FloatArray, IntArray]:
    """Make one of modes closer than the gap; place tells the mode of each sample.

    Modes that agree lie side by side when sorted along any direction, so neighbours are compared.
    """
    direction = np.random.RandomState(0).normal(size=modes.shape[1])
    order = np.argsort(modes @ direction, kind="stable")
    new = np.abs(np.diff(modes[order], axis=0)).max(axis=1) > gap
    number = np.empty(len(modes), dtype=np.int64)
    number[order] = np.concatenate(([0], np.cumsum(new)))
    _, first, renumbered = np.unique(number, return_index=True, return_inverse=True)
    return modes[first], renumbered[place]


def _components(joined: Any, place: IntArray) -> Any:
    """Number the connected sets of samples, given which modes are joined, a mode with itself too.

    Samples at one mode that is joined with none, not even itself, stay alone.
    """
    lonely = ~joined.any(axis=1)
    component = connected_components(joined, directed=False)[1].astype(np.int64)[place]
    alone = np.flatnonzero(lonely[place])
    component[alone] = len(place) + alone
    return renumber(component)
