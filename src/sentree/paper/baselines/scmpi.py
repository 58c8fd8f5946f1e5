"""SC-MPI: spectral clustering of a kernel that constraints have corrected."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics.pairwise import euclidean_distances

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval, StrOptions
from sentree.constraints import Constraints
from sentree.graph import FloatArray
from sentree.paper.baselines.base import Baseline, scaled
from sentree.paper.baselines.eigen import leading
from sentree.paper.baselines.pair_relation import Relation, signed_relation


@dataclass(eq=False, repr=False)
class SCMPI(Baseline):
    """Spectral clustering with multiple kinds of pairwise information.

    A normalised Gaussian kernel is corrected where the relation of two samples is known: to its
    largest value where they belong together, to its smallest where they do not. The leading
    eigenvectors are cut into clusters by Ward's linkage. It takes pairs, labels and negative
    labels; the relations they give are added up, and only the sign of the sum counts.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, and of eigenvectors.
    affinity : {"rbf", "precomputed"}, default="rbf"
        Whether X holds samples, or a symmetric matrix of similarities.
    delta : float, default=0.01
        Divides the squared distance in the Gaussian kernel, ``exp(-d**2 / delta)``.
    alpha : float, default=1.0
        Share of the correction: 0 ignores the constraints, 1 makes related pairs equal to the
        largest or the smallest similarity.
    which : {"LM", "LA"}, default="LM"
        Eigenvectors of the eigenvalues of largest magnitude, or of the largest ones.
    use_negative_labels : bool, default=False
        Whether "not of class c" separates a sample from those known to be of class c.
    scale : {"minmax", "zscore", "unit"} or None, default="unit"
        How the features are brought to one scale; "unit" gives rows of length 1.
    random_state : int, RandomState or None, default=None
        Start vector of the eigenvalue iteration; the result depends on it by rounding only.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of every sample. Where many samples coincide there may be fewer than `n_clusters`.
    eigenvalues_ : array of shape (n_clusters,)
        Eigenvalues of the corrected kernel that were used, by falling value.
    objective_ : list of one float
        Their sum, which the eigenvectors maximise among all orthonormal ones for "LA".
    n_iter_ : int
        1: there is nothing to repeat.

    Notes
    -----
    The published program takes the eigenvalues of largest magnitude. Labels make some large
    negative ones, whose eigenvectors say little; ``which="LA"`` leaves these out. Negative labels
    stay unused in it unless they rule out all classes but one. Both are the defaults here as well.
    A square X is not taken for a kernel. The kernel needs n_samples x n_samples numbers.

    References
    ----------
    L. Bai, J. Liang, F. Cao. Semi-supervised clustering with constraints of different types from
    multiple information sources. IEEE TPAMI 43(9), 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from sentree.paper.baselines import SCMPI
    >>> X = np.array([[1, 0.1], [1, 0.2], [1, 0.3], [0.1, 1], [0.2, 1], [0.3, 1]])
    >>> labels = SCMPI(n_clusters=2).fit(X, must_link=[(0, 2)], cannot_link=[(2, 5)]).labels_
    >>> bool(labels[0] == labels[1] == labels[2] != labels[3] == labels[4] == labels[5])
    True
    """

    n_clusters: int = 8
    _: KW_ONLY
    affinity: str = "rbf"
    delta: float = 0.01
    alpha: float = 1.0
    which: str = "LM"
    use_negative_labels: bool = False
    scale: str | None = "unit"
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "affinity": [StrOptions({"rbf", "precomputed"})],
        "delta": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "which": [StrOptions({"LM", "LA"})],
        "use_negative_labels": ["boolean"],
    }

    def _solve(self, X: Any, given: Constraints, random: np.random.RandomState) -> None:
        kernel = normalised(self._kernel(X))
        relation = signed_relation(
            given, len(kernel), self.n_clusters, negative_labels=self.use_negative_labels
        )
        correct(kernel, relation, self.alpha)
        value, vector = leading(kernel, self.n_clusters, self.which, random)
        length = np.sqrt(np.einsum("ij,ij->i", vector, vector))
        rows = vector / (length + 1e-10)[:, None]
        cluster = fcluster(linkage(rows, "ward"), self.n_clusters, "maxclust")
        self.labels_ = renumber(cluster)
        self.eigenvalues_ = value
        self.objective_ = [float(value.sum())]
        self.n_iter_ = 1

    def _kernel(self, X: Any) -> FloatArray:
        """Return the similarities of all pairs as an array of its own."""
        kernel: FloatArray
        if self._precomputed:
            kernel = X.toarray() if sp.issparse(X) else X.copy()
        else:
            kernel = euclidean_distances(scaled(X, self.scale), squared=True)
            kernel /= -self.delta
            np.exp(kernel, out=kernel)
        return kernel


def normalised(W: FloatArray) -> FloatArray:
    """Divide similarities by the roots of the degrees, in place; the diagonal becomes 0."""
    np.fill_diagonal(W, 0.0)
    degree = W.sum(axis=1)
    root = np.sqrt(np.where(degree > 0, degree, 1e-10))
    W /= root[:, None] * root
    return W


def correct(W: FloatArray, relation: Relation, alpha: float) -> None:
    """Move similarities towards the largest or the smallest of all, where a relation is known."""
    high, low = W.max(), W.min()
    i, j = relation.nonzero()
    goal = np.where(relation.tocoo().data > 0, high, low)
    W[i, j] += alpha * (goal - W[i, j])
