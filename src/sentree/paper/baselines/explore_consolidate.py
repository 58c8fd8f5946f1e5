"""Explore and consolidate: questions about samples far from one another (Basu et al. 2004)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from sentree._util.sklearn import Interval, StrOptions
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline
from sentree.paper.baselines.neighborhoods import Neighborhoods
from sentree.paper.baselines.queries import Answers, QueryBaseline


@dataclass(eq=False, repr=False)
class ExploreConsolidate(QueryBaseline):
    """Questions that find a sample of each cluster, then place others; MPCK-means uses the answers.

    Exploring, the sample farthest from all samples asked about is compared with a member of each
    cluster met so far, until there are ``n_clusters``. Consolidating, further samples are placed
    alike, the likeliest cluster first.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    max_queries : int, default=100
        Most questions asked.
    consolidate : {"min-max", "random"}, default="min-max"
        Which samples are placed after exploring: those least similar to the most similar one that
        was asked about (Mallapragada et al.), or random ones (Basu et al.).
    scale : {"zscore", "minmax", "unit", None}, default="zscore"
        Features to variance 1 or to [0, 1], or rows to length 1, first.
    random_state : int, RandomState or None, default=None
        Seed of the first sample, of random ones and of MPCK-means; None is 0.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Clusters 0, 1, … by first appearance.
    neighborhoods_ : int array of shape (n_samples,)
        Which samples are known to belong together; -1 for those that no answer placed.
    queries_ : list of (int, int, bool or None)
        The questions in order, with their answers.
    n_queries_ : int
        Number of questions; those without an answer count too.

    Notes
    -----
    Any similarity that falls with the distance selects the same samples, so the width of the
    published Gaussian kernel does not count. With a sample of every cluster known, one that does
    not belong to all but one of them belongs to that one, and this is not asked.

    References
    ----------
    S. Basu, A. Banerjee, R. J. Mooney: Active semi-supervision for pairwise constrained clustering.
    SDM 2004. P. K. Mallapragada, R. Jin, A. K. Jain: Active query selection for semi-supervised
    clustering. ICPR 2008.

    Examples
    --------
    >>> from sentree.paper.baselines import ExploreConsolidate
    >>> model = ExploreConsolidate(2, max_queries=4).fit(
    ...     [[0.0], [0.1], [4.0], [4.1], [9.0], [9.1]], oracle=lambda i, j: (i < 4) == (j < 4)
    ... )
    >>> model.labels_.tolist(), model.n_queries_
    ([0, 0, 0, 0, 1, 1], 4)
    """

    n_clusters: int = 8
    _: KW_ONLY
    max_queries: int = 100
    consolidate: str = "min-max"
    scale: str | None = "zscore"
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "max_queries": [Interval(Integral, 0, None, closed="left")],
        "consolidate": [StrOptions({"min-max", "random"})],
    }

    def _search(self, X: FloatArray, ask: Answers, random: np.random.RandomState) -> None:
        known = Neighborhoods(ask, self.n_clusters)
        gap = np.full(X.shape[0], np.inf)  # to the nearest sample that was asked about
        sample = int(random.choice(np.flatnonzero(ask.may_ask)))
        while True:
            known.place(sample, self._order(X, known, sample))
            gap = np.minimum(gap, ((X - X[sample]) ** 2).sum(axis=1))
            if ask.exhausted or not known.open.any():
                break
            if known.complete and self.consolidate == "random":
                sample = int(random.choice(np.flatnonzero(known.open)))
            else:
                sample = int(np.argmax(np.where(known.open, gap, -1)))
        self.neighborhoods_ = known.of
        self.labels_ = known.cluster(X, self.n_clusters, random)

    def _order(self, X: FloatArray, known: Neighborhoods, sample: int) -> list[int]:
        """Neighbourhoods by the distance of their nearest member, or of their mean."""
        members = known.members()
        owner = known.of[members]
        if self.consolidate == "random":
            means = [X[members[owner == number]].mean(axis=0) for number in range(len(known))]
            return list(np.argsort([((mean - X[sample]) ** 2).sum() for mean in means]))
        distance = ((X[members] - X[sample]) ** 2).sum(axis=1)
        return list(dict.fromkeys(owner[np.argsort(distance, kind="stable")].tolist()))
