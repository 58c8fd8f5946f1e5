"""Semi-MultiCons: a tree out of the consensus of several constrained clusterings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval, StrOptions
from sentree.constraints import Constraints
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline, scaled
from sentree.paper.baselines.mpckmeans import MPCKMeans
from sentree.paper.baselines.multicons import consensus_levels
from sentree.paper.baselines.trees import meets, nested_parents
from sentree.tree import EncodingTree


@dataclass(eq=False, repr=False)
class SemiMultiCons(Baseline):
    """Consensus of several clusterings and pairwise constraints, as a tree.

    The samples are clustered several times with constraints (``MPCKMeans``). Sets of samples
    that t of the clusterings hold together are then united or parted where they overlap, as the
    constraints, or else the overlap, say; that gives one partition for every t. The tree has the
    partition of t = 1 on top; below, each partition cuts the blocks of those above.

    Parameters
    ----------
    base_clusters : sequence of int, default=(2, 3, 4, 5, 6)
        Number of clusters of each base clustering; those above the number of samples do not count.
    merging_threshold : float, default=0.5
        Overlapping sets without constraints are united where they share this part of one of them.
    base : {"mpckmeans", "kmeans"}, default="mpckmeans"
        How to make the base clusterings: with constraints, or without (then they count in the
        consensus only).
    base_iterations : int, default=10
        Rounds of each base clustering.
    dominant : float, default=0.9
        Base clusterings with a cluster of this share of the samples are dropped, unless all are.
    scale : {"minmax", "zscore", "unit"} or None, default="zscore"
        How features are scaled first.
    random_state : int, RandomState or None, default=None
        Seed of the base clusterings; None is 0.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of every sample: the partition of t = 1, and the children of the root.
    n_clusters_ : int
        Number of clusters; the method finds it.
    tree_ : EncodingTree
        The tree. It stands on no graph.
    levels_ : int32 array of shape (n_levels, n_samples)
        The partition for t = 1, 2, …; the last holds apart what any base clustering does. They
        need not be inside one another.
    base_labels_ : int32 array of shape (n_levels, n_samples)
        The base clusterings that were kept.

    Notes
    -----
    The program of the method ships no tree; how the compared study made one of the partitions,
    which are not nested, is not known. It divides by the standard deviation with n - 1, which
    multiplies all distances by one factor and changes nothing here.

    References
    ----------
    T. Yang, N. Pasquier, F. Precioso: Semi-supervised consensus clustering based on closed
    patterns. Knowledge-Based Systems 235, 2022.

    Examples
    --------
    >>> from sentree.paper.baselines import SemiMultiCons
    >>> X = [[0, 0], [0, 1], [1, 0], [8, 8], [8, 9], [9, 8]]
    >>> model = SemiMultiCons(base_clusters=(2, 3)).fit(X, must_link=[(0, 1), (3, 5)])
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    base_clusters: Sequence[int] = (2, 3, 4, 5, 6)
    _: KW_ONLY
    merging_threshold: float = 0.5
    base: str = "mpckmeans"
    base_iterations: int = 10
    dominant: float = 0.9
    scale: str | None = "zscore"
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "base_clusters": ["array-like"],
        "merging_threshold": [Interval(Real, 0, 1, closed="right")],
        "base": [StrOptions({"mpckmeans", "kmeans"})],
        "base_iterations": [Interval(Integral, 1, None, closed="left")],
        "dominant": [Interval(Real, 0, 1, closed="right")],
        "scale": Baseline._parameter_constraints["scale"],
        "random_state": ["random_state"],
    }

    def _solve(self, X: FloatArray, given: Constraints, random: np.random.RandomState) -> None:
        X = scaled(X, self.scale)
        n = X.shape[0]
        base = np.stack([self._base(X, k, given, random) for k in self._sizes(n)])
        largest = np.array([np.bincount(labels).max() for labels in base])
        kept = largest < self.dominant * n
        self.base_labels_ = base[kept] if kept.any() else base
        self.levels_ = consensus_levels(self.base_labels_, given.closure(n), self.merging_threshold)
        self.labels_ = self.levels_[0]
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.tree_ = EncodingTree.from_parent(nested_parents(meets(self.levels_)))

    def _sizes(self, n: int) -> list[int]:
        """Return the wanted numbers of clusters that n samples have room for."""
        wanted, given = np.asarray(self.base_clusters), f"base_clusters={self.base_clusters!r}"
        if wanted.ndim != 1 or wanted.dtype.kind not in "iu" or wanted.min(initial=2) < 2:
            raise ValueError(f"{given} must be a list of whole numbers >= 2")
        sizes = [int(k) for k in wanted if k <= n]
        if not sizes:
            raise ValueError(f"{given} has no number up to n_samples={n}")
        return sizes

    def _base(
        self, X: FloatArray, k: int, given: Constraints, random: np.random.RandomState
    ) -> NDArray[np.int32]:
        """Cluster the scaled samples once."""
        if self.base == "kmeans":
            model = KMeans(k, n_init=1, max_iter=self.base_iterations, random_state=random)
            return renumber(model.fit(X).labels_)
        mpck = MPCKMeans(k, max_iter=self.base_iterations, scale=None, random_state=random)
        return np.asarray(mpck.fit(X, constraints=given).labels_)
