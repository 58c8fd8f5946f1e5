"""OneStepPCP: relations of pairs propagated along similarities, which they refine in turn."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval, StrOptions
from sentree.constraints import Constraints
from sentree.paper.baselines.base import Baseline, nearest, scaled
from sentree.paper.baselines.eigen import leading
from sentree.paper.baselines.pair_propagation import KnownPairs, Schedule, propagate
from sentree.paper.baselines.pair_relation import signed_relation
from sentree.paper.baselines.soft_threshold import Matrix

__all__ = ["OneStepPCP", "local_graph", "refined"]


class OneStepPCP(Baseline):
    """Joint propagation of pairwise constraints and refinement of similarities.

    What is known about some pairs is spread to all pairs along the similarities of the samples, as
    a matrix of low rank; the result strengthens or weakens each similarity. After a few rounds the
    refined similarities are cut by spectral clustering.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, and of eigenvectors.
    affinity : {"nearest_neighbors", "precomputed"}, default="nearest_neighbors"
        Whether X holds samples, or a symmetric matrix of similarities, 0 to 1.
    n_neighbors : int or None, default=None
        Neighbours of a sample; None for log2(n_samples), rounded down.
    beta : float, default=1.0
        Weight of smoothness along the similarities against low rank.
    tau : float, default=1e-4
        Penalty of the alternating directions at the start; it grows by 1.1 a step.
    admm_max_iter : int, default=500
        Most steps of one propagation. Where these do not do, a warning says so, unless the
        relation is still 0.
    tol : float, default=1e-3
        A propagation ends when its copies of the relation differ by less, everywhere.
    n_rounds : int, default=1
        Rounds of propagation and refinement. More may make the result worse.
    row_normalize : bool, default=True
        Whether the rows of the eigenvectors are brought to length 1 before k-means.
    scale : {"minmax", "zscore", "unit"} or None, default="unit"
        How the features are brought to one scale; "unit" gives rows of length 1.
    random_state : int, RandomState or None, default=None
        Seed of k-means, and of the eigenvalue iterations, where it matters by rounding only.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of every sample.
    affinity_matrix_ : array or sparse array of shape (n_samples, n_samples)
        The refined similarities.
    objective_ : list of float
        What each propagation minimises, at its end: the trace norm of the relation plus `beta`
        times its roughness along the similarities.
    n_iter_ : int
        Number of steps of all propagations.

    Notes
    -----
    The published comparison ran 10 steps of each propagation. The relation is exactly 0 up to about
    step 50, so that constraints had no effect in it. ``admm_max_iter=10, row_normalize=False`` does
    the same: spectral clustering, in which the steps cost nothing.

    More rounds were not better: of 8 comparisons of one round with three, over 1 to 5 draws, one
    was ahead in 5 (Yale 31 against 29, 500 samples of human_kidney 50 against 46) and behind in 3
    (500 samples of OpticalDigits 84 against 87), at a third of the cost.

    A step needs the eigenvectors of a matrix of n_samples rows. Here only those that matter are
    found, from those of the last step, and above 500 samples in single precision; both change the
    relation by far less than `tol`. Memory is about a dozen n_samples x n_samples arrays. Labels
    and negative labels count as the pairs that they entail.

    References
    ----------
    Y. Jia, W. Wu, R. Wang, J. Hou, S. Kwong. Joint optimization for pairwise constraint
    propagation. IEEE TNNLS 32(7), 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from sentree.paper.baselines import OneStepPCP
    >>> X = np.array([[1, 0.1], [1, 0.2], [1, 0.3], [0.1, 1], [0.2, 1], [0.3, 1]])
    >>> labels = OneStepPCP(n_clusters=2).fit(X, must_link=[(0, 2)], cannot_link=[(2, 5)]).labels_
    >>> bool(labels[0] == labels[1] == labels[2] != labels[3] == labels[4] == labels[5])
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "affinity": [StrOptions({"nearest_neighbors", "precomputed"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "beta": [Interval(Real, 0, None, closed="left")],
        "tau": [Interval(Real, 0, None, closed="neither")],
        "admm_max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "row_normalize": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: str = "nearest_neighbors",
        n_neighbors: int | None = None,
        beta: float = 1.0,
        tau: float = 1e-4,
        admm_max_iter: int = 500,
        tol: float = 1e-3,
        n_rounds: int = 1,
        row_normalize: bool = True,
        scale: str | None = "unit",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.beta = beta
        self.tau = tau
        self.admm_max_iter = admm_max_iter
        self.tol = tol
        self.n_rounds = n_rounds
        self.row_normalize = row_normalize
        self.scale = scale
        self.random_state = random_state

    def _solve(self, X: Any, given: Constraints, random: np.random.RandomState) -> None:
        W = X if self._precomputed else local_graph(scaled(X, self.scale), self.n_neighbors)
        if (largest := W.max()) > 1 + 1e-9:
            raise ValueError(
                f"affinity='precomputed' needs similarities from 0 to 1, and the largest is "
                f"{largest:g}: divide by it"
            )
        relation = signed_relation(given, W.shape[0], self.n_clusters, negative_labels=True)
        known = KnownPairs(relation)
        schedule = Schedule(tau=float(self.tau), max_iter=self.admm_max_iter, tol=self.tol)
        self.objective_ = []
        self.n_iter_ = 0
        for _ in range(self.n_rounds if relation.nnz else 0):
            found = propagate(W, known, float(self.beta), schedule, random)
            self.n_iter_ += found.n_iter
            self.objective_.append(found.objective)
            if found.relation is None:
                break  # the next round would do the same
            if not found.converged:
                warnings.warn(
                    f"a propagation of OneStepPCP has not converged in "
                    f"admm_max_iter={self.admm_max_iter} steps: take more",
                    ConvergenceWarning,
                    stacklevel=4,
                )
            W = refined(W, found.relation)
        self.affinity_matrix_ = W
        self.labels_ = self._cut(W, random)

    def _cut(self, W: Any, random: np.random.RandomState) -> Any:
        """Cluster the leading eigenvectors of the normalised similarities."""
        degree = np.asarray(W.sum(axis=1), dtype=np.float64).ravel()
        root = sp.diags_array(1 / np.sqrt(np.where(degree > 0, degree, 1)))
        rows = leading(root @ W @ root, self.n_clusters, "LA", random)[1]
        if self.row_normalize:
            length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            rows = rows / np.where(length > 0, length, 1)[:, None]
        cluster = KMeans(self.n_clusters, n_init=20, random_state=random).fit_predict(rows)
        return renumber(cluster)


def local_graph(X: Any, n_neighbors: int | None) -> Any:
    """Return similarities of nearest neighbours, on the scale of their mean distance.

    A sample is similar to itself by 1.
    """
    n = len(X)
    distance, index = nearest(X, int(np.log2(n)) if n_neighbors is None else n_neighbors)
    width = distance.mean(axis=1, keepdims=True)
    similarity = np.exp(-((distance / np.where(width > 0, width, 1)) ** 2))
    owner = np.repeat(np.arange(n), index.shape[1])
    one_way = sp.csr_array((similarity.ravel(), (index.ravel(), owner)), shape=(n, n))
    return sp.csr_array((one_way + one_way.T) / 2 + sp.eye_array(n))


def refined(W: Any, relation: Matrix) -> Matrix:
    """Raise similarities of pairs that belong together towards 1, lower the others towards 0."""
    W = (W.toarray() if sp.issparse(W) else W).astype(relation.dtype)
    relation = np.clip(relation, -1, 1)
    better: Matrix = np.where(relation > 0, 1 - (1 - relation) * (1 - W), (1 + relation) * W)
    return (better + better.T) / 2
