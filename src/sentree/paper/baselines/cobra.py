"""COBRA: merge many small clusters by asking about their middles (Van Craenendonck et al. 2017)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import pairwise_distances_argmin_min

from sentree._util.sklearn import Interval
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline
from sentree.paper.baselines.parts import k_means_parts, one_thread
from sentree.paper.baselines.queries import (
    Answers,
    QueryBaseline,
    SuperInstance,
    history,
    merge_by_questions,
    representative,
)
from sentree.paper.baselines.trees import TreeBuilder


@dataclass(eq=False, repr=False)
class COBRA(QueryBaseline):
    """Constraint-based repeated aggregation: k-means parts, merged by questions.

    The samples are cut into many parts by k-means, the super-instances. Then the closest two
    clusters are merged whenever the answer to a question about their middle samples is yes, until
    every two clusters are known to be apart.

    Parameters
    ----------
    n_super_instances : int, default=50
        Number of k-means parts; at most the number of samples count.
    max_queries : int, optional
        Most questions asked; the clusters reached then are the result. Without it, about 1.3 times
        ``n_super_instances`` are.
    scale : {"zscore", "minmax", "unit", None}, default="zscore"
        Features to variance 1 or to [0, 1], or rows to length 1, first.
    random_state : int, RandomState or None, default=None
        Seed of k-means; None is 0.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Clusters 0, 1, … by first appearance. Their number is found, not given.
    n_clusters_ : int
        Number of clusters.
    tree_ : EncodingTree
        Samples below super-instances, super-instances joined in pairs as they were merged, and
        the clusters below the root.
    super_instances_ : int32 array of shape (n_samples,)
        Super-instance of every sample.
    queries_ : list of (int, int, bool or None)
        The questions in order, with their answers.
    n_queries_ : int
        Number of questions; those without an answer count too.
    history_ : list of (int, int32 array)
        Numbers of questions, rising, and the labels that so many questions gave.
    n_iter_ : int
        Number of merges.

    Notes
    -----
    Without an oracle, questions are about samples only that ``y`` or the pairs name; the middle of
    a super-instance is then the mean of such samples, and super-instances without any join the one
    that has the nearest sample. Questions that what is given does not decide are skipped, so pairs
    alone, which decide few questions, lead to few merges.

    The published comparison on trees does not say how many questions it allowed; with the classes
    of all samples as ``y``, the defaults ask 52 to 64 there.

    References
    ----------
    T. Van Craenendonck, S. Dumančić, H. Blockeel: COBRA: a fast and simple method for active
    clustering with pairwise constraints. IJCAI 2017.

    Examples
    --------
    >>> from sentree.paper.baselines import COBRA
    >>> model = COBRA(n_super_instances=3).fit(
    ...     [[0.0], [0.1], [4.0], [4.1], [9.0], [9.1]], oracle=lambda i, j: (i < 4) == (j < 4)
    ... )
    >>> model.labels_.tolist(), model.n_queries_
    ([0, 0, 0, 0, 1, 1], 2)
    """

    n_super_instances: int = 50
    _: KW_ONLY
    max_queries: int | None = None
    scale: str | None = "zscore"
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_super_instances": [Interval(Integral, 1, None, closed="left")],
        "max_queries": [Interval(Integral, 0, None, closed="left"), None],
        "scale": Baseline._parameter_constraints["scale"],
        "random_state": ["random_state"],
    }

    def _search(self, X: FloatArray, ask: Answers, random: np.random.RandomState) -> None:
        instances = self._super_instances(X, ask.may_ask, random)
        parts = [[instance] for instance in instances]
        clusters, merges, _ = merge_by_questions(parts, ask, "closest")
        self.history_ = history(parts, merges, 0)
        builder = TreeBuilder(X.shape[0])
        node = [builder.join(instance.points.tolist()) for instance in instances]
        for into, taken, _ in merges:
            node[into] = builder.join((node[into], node[taken]))
            node[taken] = -1
        builder.join([top for top in node if top >= 0])
        self._store(builder, clusters)
        self.n_iter_ = len(merges)

    def _super_instances(
        self, X: FloatArray, may_ask: Any, random: np.random.RandomState
    ) -> list[SuperInstance]:
        """Cut the samples into parts; those that no question may be about join the nearest one."""
        k = min(self.n_super_instances, X.shape[0])
        instances, rest = [], []
        for part in k_means_parts(X, k, random, n_init=10):
            known = part[may_ask[part]]
            if known.size == 0:
                rest.append(part)
                continue
            centroid = X[known].mean(axis=0)
            instances.append(SuperInstance(part, centroid, representative(X, known, centroid)))
        for part in rest:
            points = np.concatenate([instance.points for instance in instances])
            owner = np.repeat(np.arange(len(instances)), [s.points.size for s in instances])
            with one_thread():
                nearest, distance = pairwise_distances_argmin_min(X[part], X[points])
            receiver = owner[nearest[np.argmin(distance)]]
            instances[receiver] = instances[receiver].plus(part)
        return instances
