"""NPU: questions about the samples whose cluster is least sure (Xiong, Azimi, Fern 2014)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from sentree._util.sklearn import Interval
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline, IntArray
from sentree.paper.baselines.neighborhoods import Neighborhoods
from sentree.paper.baselines.parts import one_thread
from sentree.paper.baselines.queries import Answers, QueryBaseline


@dataclass(eq=False, repr=False)
class NPU(QueryBaseline):
    """Normalised point-based uncertainty: the sample that tells most per question is placed next.

    MPCK-means finds clusters with the answers so far, and a random forest learns them. Two samples
    are as similar as often they share a leaf. By its similarity to the samples that were placed,
    each other one has a chance of every cluster met so far. The sample with the largest ratio of
    the entropy of these chances to the expected number of questions is compared with a member of
    each cluster, the likeliest first, until the answer is yes.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters of MPCK-means.
    max_queries : int, default=100
        Most questions asked.
    refit : float, default=0
        Clusters and forest are found anew when the questions have grown by this share. 0, as
        published, is after every sample.
    n_trees : int, default=50
        Trees of the forest.
    scale : {"zscore", "minmax", "unit", None}, default="zscore"
        Features to variance 1 or to [0, 1], or rows to length 1, first.
    random_state : int, RandomState or None, default=None
        Seed of everything random; None is 0.

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
    history_ : list of (int, int32 array)
        Numbers of questions, rising, and the labels that so many questions gave.

    References
    ----------
    S. Xiong, J. Azimi, X. Z. Fern: Active learning of constraints for semi-supervised clustering.
    IEEE TKDE 26(1), 2014.

    Examples
    --------
    >>> from sentree.paper.baselines import NPU
    >>> model = NPU(2, max_queries=6).fit(
    ...     [[0.0], [0.1], [4.0], [4.1], [9.0], [9.1]], oracle=lambda i, j: (i < 4) == (j < 4)
    ... )
    >>> model.labels_.tolist()
    [0, 0, 0, 0, 1, 1]
    """

    n_clusters: int = 8
    _: KW_ONLY
    max_queries: int = 100
    refit: float = 0.0
    n_trees: int = 50
    scale: str | None = "zscore"
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "max_queries": [Interval(Integral, 0, None, closed="left")],
        "refit": [Interval(Real, 0, None, closed="left")],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
    }

    def _search(self, X: FloatArray, ask: Answers, random: np.random.RandomState) -> None:
        known = Neighborhoods(ask)
        known.place(int(random.choice(np.flatnonzero(ask.may_ask))), [])
        self.history_ = []
        while not ask.exhausted and known.open.any():
            asked = len(ask.queries)
            if not self.history_ or asked > self.history_[-1][0] * (1 + self.refit):
                self._learn(X, ask, known, random)
                leaves = shared_leaves(X, self.history_[-1][1], self.n_trees, random)
            sample, order = most_informative(leaves, known.of, known.open, random)
            known.place(sample, order)
        self._learn(X, ask, known, random)
        self.neighborhoods_ = known.of
        self.labels_ = self.history_[-1][1]

    def _learn(
        self, X: FloatArray, ask: Answers, known: Neighborhoods, random: np.random.RandomState
    ) -> None:
        labels = known.cluster(X, self.n_clusters, random)
        self.history_.append((len(ask.queries), labels))


def shared_leaves(
    X: FloatArray, labels: NDArray[np.int32], n_trees: int, random: np.random.RandomState
) -> sp.csr_array:
    """Return which leaves of a random forest hold each sample, 1 / n_trees each.

    Times its transpose and the number of trees it is how often two samples share a leaf.
    """
    forest = RandomForestClassifier(n_trees, random_state=random)
    with one_thread():
        leaf = forest.fit(X, labels).apply(X)
    start = np.cumsum([0, *(tree.tree_.node_count for tree in forest.estimators_)])
    n = X.shape[0]
    share = np.full(leaf.size, 1 / np.sqrt(n_trees))
    index = (leaf + start[:-1]).ravel()
    return sp.csr_array((share, index, np.arange(n + 1) * n_trees), shape=(n, int(start[-1])))


def most_informative(
    leaves: sp.csr_array,
    of: IntArray,
    open_: NDArray[np.bool_],
    random: np.random.RandomState,
) -> tuple[int, list[int]]:
    """Return the sample to ask about, and the neighbourhoods, the likeliest first.

    One of those with the largest entropy per expected question is drawn.
    """
    candidates, members = np.flatnonzero(open_), np.flatnonzero(of >= 0)
    size = np.bincount(of[members])
    mean = sp.csr_array((1 / size[of[members]], (of[members], members)), shape=(size.size, of.size))
    chance = (leaves[candidates] @ (mean @ leaves).T).toarray()
    total = chance.sum(axis=1, keepdims=True)
    chance = np.where(total > 0, chance / np.where(total > 0, total, 1), 1 / size.size)
    order = np.argsort(-chance, axis=1, kind="stable")
    falling = np.take_along_axis(chance, order, axis=1)
    entropy = -(falling * np.log2(np.where(falling > 0, falling, 1))).sum(axis=1)
    questions = falling @ np.arange(1, size.size + 1)
    worth = entropy / questions
    best = random.choice(np.flatnonzero(worth >= worth.max() - 1e-12))
    return int(candidates[best]), order[best].tolist()
