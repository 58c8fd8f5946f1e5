"""Seeded k-means: Lloyd's iteration from the means of labelled samples."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import pairwise_distances_argmin, pairwise_distances_argmin_min

from sentree._util.sklearn import Interval
from sentree.constraints import Constraints
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline, IntArray, class_columns, scaled
from sentree.paper.baselines.parts import means


@dataclass(eq=False, repr=False)
class SeededKMeans(Baseline):
    """K-means that starts from the means of labelled samples.

    The labels are used for the start only: a labelled sample may end in another cluster.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at least the number of classes.
    max_iter : int, default=100
        Most rounds of assigning samples and moving centres.
    tol : float, default=1e-6
        Stop when no coordinate of a centre moves by more.
    scale : {"minmax", "zscore", "unit"} or None, default="minmax"
        Bring features to [0, 1] or to variance 1, or rows to length 1.
    random_state : int, RandomState or None, default=None
        Draws the centres of clusters that no label names; None means 0.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample. Cluster q grew from class q in the order of the classes, unless
        clusters stayed empty: those are left out, and the others close up.
    cluster_centers_ : array of shape (number of clusters, n_features)
        The centres, in scaled features; fewer than `n_clusters`, with a warning, where there are
        fewer different samples.
    objective_ : list of float
        Sum of squared distances to the centres after each round; never rises.
    n_iter_ : int
        Number of rounds.

    Notes
    -----
    Clusters without a labelled sample start at unlabelled ones, drawn as in k-means++; the study's
    program fails there. It fails too where a cluster loses all its samples; here its centre moves
    to the sample farthest from its own centre, with a warning. Where neither happens both give the
    same clusters.

    References
    ----------
    S. Basu, A. Banerjee, R. Mooney. Semi-supervised clustering by seeding. ICML 2002.

    Examples
    --------
    >>> from sentree.paper.baselines import SeededKMeans
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> SeededKMeans(2).fit(X, y=[1, -1, 0, -1]).labels_.tolist()
    [1, 1, 0, 0]
    """

    n_clusters: int = 8
    _: KW_ONLY
    max_iter: int = 100
    tol: float = 1e-6
    scale: str | None = "minmax"
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }
    _reads = ("labels",)

    def _solve(self, X: FloatArray, given: Constraints, random: np.random.RandomState) -> None:
        X = scaled(X, self.scale)
        seeds = class_columns(given, len(X), self.n_clusters)
        centers = _start(X, seeds, self.n_clusters, random)
        self.objective_: list[float] = []
        while len(self.objective_) < self.max_iter:
            labels = pairwise_distances_argmin(X, centers)
            if _fill_empty(X, labels, centers):
                warnings.warn(
                    "a cluster lost all its samples; its centre moved to the sample farthest from "
                    "its own centre",
                    stacklevel=4,
                )
            moved = means(X, labels, self.n_clusters)
            moved = np.where(np.isnan(moved), centers, moved)
            self.objective_.append(float(np.sum((X - moved[labels]) ** 2)))
            change = np.abs(moved - centers).max()
            centers = moved
            if change <= self.tol:
                break
        self.n_iter_ = len(self.objective_)
        used, compact = np.unique(labels, return_inverse=True)
        if used.size < self.n_clusters:  # no sample was left to refill a cluster with
            warnings.warn(
                f"fewer different samples than n_clusters={self.n_clusters}: {used.size} clusters "
                "are left",
                stacklevel=4,
            )
        self.labels_, self.cluster_centers_ = compact.astype(np.int32), centers[used]


def _start(X: FloatArray, seeds: IntArray, k: int, random: np.random.RandomState) -> FloatArray:
    """Return the means of the seeds, and centres drawn as in k-means++ where there are none."""
    centers = means(X, seeds, k)
    has_seeds = np.isin(np.arange(k), seeds)
    free = X[seeds < 0] if (seeds < 0).any() else X
    gap = np.full(len(free), np.inf)  # squared distance to the nearest centre so far
    if has_seeds.any():
        gap = pairwise_distances_argmin_min(free, centers[has_seeds])[1] ** 2
    for q in np.flatnonzero(~has_seeds):
        chance = gap / gap.sum() if 0 < gap.sum() < np.inf else None
        centers[q] = free[random.choice(len(free), p=chance)]
        gap = np.minimum(gap, np.sum((free - centers[q]) ** 2, axis=1))
    return centers


def _fill_empty(X: FloatArray, labels: IntArray, centers: FloatArray) -> bool:
    """Give each empty cluster the sample farthest from its centre; tell whether any was moved."""
    size = np.bincount(labels, minlength=len(centers))
    empty = np.flatnonzero(size == 0)
    if empty.size == 0:
        return False
    distance = np.linalg.norm(X - centers[labels], axis=1)
    distance[distance <= 1e-9 * np.abs(X).max()] = 0  # at its centre but for rounding
    before = labels.copy()
    for q in empty:
        spare = np.where(size[labels] > 1, distance, 0.0)
        far = int(spare.argmax())
        if spare[far] == 0:
            break
        size[labels[far]] -= 1
        size[q] = 1
        labels[far], distance[far] = q, 0.0
    return not np.array_equal(before, labels)
