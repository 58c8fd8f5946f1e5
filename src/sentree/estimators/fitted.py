"""What a fitted model tells of its clusters, and where it places new samples."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sentree._util.progress import shown
from sentree.constraints import Constraints
from sentree.constraints.satisfaction import cluster_names
from sentree.estimators.graph_maker import PRECOMPUTED, GraphMaker
from sentree.estimators.membership import Memberships
from sentree.estimators.placement import Modules
from sentree.estimators.support import ClusterSupport, cluster_support
from sentree.graph import FloatArray, Graph
from sentree.graph.extend import Extension, Reach

if TYPE_CHECKING:
    from sentree.profiles.profile import Profile

__all__ = ["FittedClusters"]

logger = logging.getLogger(__name__)

#: New samples that are placed at a time, and most of their probabilities, to bound memory.
_CHUNK, _MOST_CELLS = 1 << 13, 1 << 24


def _can_predict(estimator: FittedClusters) -> bool:
    """Tell whether new samples can be joined to the graph; raise if they cannot."""
    if callable(estimator.affinity):
        raise AttributeError(
            "predict needs the weights between new samples and training samples, but affinity is a "
            "function that makes whole graphs: fit with affinity='precomputed' and that graph, and "
            "pass predict a matrix of similarities (new samples x training samples)"
        )
    return True


class FittedClusters(GraphMaker):
    """The part of an estimator that reads its clusters, once they are found."""

    graph_: Graph
    constraints_: Constraints
    verbose: int

    labels_: NDArray[np.int32]
    n_clusters_: int
    _extension: Extension
    _memberships: Memberships

    @property
    def membership_(self) -> Any:
        """Probability of every cluster for each sample, a CSR array; computed on demand."""
        check_is_fitted(self, "labels_")
        return self._memberships.of_samples

    @property
    def membership_strength_(self) -> FloatArray:
        """Probability of its own cluster for each sample, 0 where it has no neighbours."""
        check_is_fitted(self, "labels_")
        return self._memberships.strength.copy()

    @property
    def feature_weights_(self) -> FloatArray | None:
        """Weight of each feature in the distances, 1 on average; None where all weigh the same."""
        check_is_fitted(self, "labels_")
        return None if self.features_ is None else self.features_.weights

    @property
    def cluster_names_(self) -> tuple[Any, ...]:
        """The most frequent class among the labels of each cluster; None where it has none."""
        check_is_fitted(self, "labels_")
        return cluster_names(self.constraints_, self.labels_)

    @property
    def cluster_support_(self) -> tuple[ClusterSupport, ...]:
        """The name of each cluster, the labels behind it, and what speaks for one without labels.

        See :class:`sentree.estimators.support.ClusterSupport`.
        """
        check_is_fitted(self, "labels_")
        return cluster_support(self.graph_, self.labels_, self.constraints_)

    @available_if(_can_predict)  # type: ignore[untyped-decorator]
    def predict(self, X: Any, *, return_strength: bool = False) -> Any:
        """Place new samples in the clusters found, by the objective that found them.

        Each new sample is joined to its nearest training samples as these are to one another, and
        goes to the cluster with the lowest objective. It never makes a new cluster, and does not
        influence other new samples. A sample with no weight to any neighbour goes to the cluster
        of the nearest training sample, or to the largest cluster if none is nearest.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_new, n_features)
            New samples; with ``affinity="precomputed"`` a matrix of similarities (n_new,
            n_samples) to the training samples; with ``affinity="precomputed_distances"`` a matrix
            of distances, of which all stored ones count if it is sparse.
        return_strength : bool, default=False
            Whether to return also the probability of its cluster for each sample, as
            ``membership_strength_`` does for the training samples; 0 where it touches none.

        Returns
        -------
        labels : int32 array of shape (n_new,)
            Cluster of each new sample.
        strength : float64 array of shape (n_new,)
            Only with ``return_strength``.

        Notes
        -----
        The estimator keeps a reference to the training samples, not a copy: do not change them in
        place. The index of the neighbour search is built at the first call and kept.
        """
        labels, strengths = [], []
        for reach, placed in self._placed(X):
            labels.append(placed)
            if return_strength:
                found = self._memberships.of_new(reach, placed)[np.arange(placed.size), placed]
                strengths.append(np.where(np.diff(reach.weights.indptr) > 0, found, 0.0))
        found = np.concatenate(labels)
        return (found, np.concatenate(strengths)) if return_strength else found

    @available_if(_can_predict)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of every cluster for new samples.

        It is the probability of a random walk from the sample to end in the cluster (see
        :func:`sentree.estimators.membership.membership`), but none is above that of the cluster
        where :meth:`predict` places the sample. A sample that touches no training sample gets the
        shares of the clusters instead.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix
            New samples as in :meth:`predict`.

        Returns
        -------
        float64 array of shape (n_new, n_clusters)
            Rows sum to 1; the largest is in the column that :meth:`predict` gives.
        """
        return np.concatenate([self._memberships.of_new(*part) for part in self._placed(X)])

    def _placed(self, X: Any) -> Iterator[tuple[Reach, NDArray[np.int32]]]:
        """Yield how new samples are joined to the graph, and their clusters, some at a time."""
        check_is_fitted(self, "labels_")
        X = self._validated_new(X)
        modules = Modules.of(self.graph_, self.labels_)
        step = min(_CHUNK, max(_MOST_CELLS // self.n_clusters_, 1))
        if self.affinity in PRECOMPUTED:
            step = X.shape[0]
        with shown(self.verbose):
            logger.info("placing %d samples", X.shape[0], extra={"stage": "placing"})
            for start in range(0, X.shape[0], step):
                reach = self._extension.reach(X[start : start + step])
                yield reach, modules.assign(reach)
                end = min(start + step, X.shape[0])
                logger.info("%d are placed", end, extra={"share": end / X.shape[0]})

    def profile(self, X: Any = None) -> Profile:
        """Tell what makes each cluster: features that set it apart, typical rows, a short rule.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_columns), optional
            The table to describe the clusters with, its rows in the order of the training samples;
            any columns will do, also such as were not clustered. By default the training samples.

        Returns
        -------
        Profile
            As :func:`sentree.profile` has it.
        """
        from sentree.profiles.profile import profile

        check_is_fitted(self, "labels_")
        names = dict(enumerate(self.cluster_names_))
        table = self._own_table() if X is None else X
        return profile(table, self.labels_, strength=self.membership_strength_, names=names)

    def _own_table(self) -> Any:
        """Return the samples that the model was fitted to, with the names of their features."""
        if self._table is not None:
            return self._table
        samples = getattr(self._extension, "samples", None)
        if samples is None or self.preparation_ is not None:  # numbers alone say little
            raise ValueError(
                "this model has no table of its samples: it was fitted to a graph, or read "
                "from a file; give the table, as in model.profile(X)"
            )
        features = getattr(self, "feature_names_in_", None)
        if features is None or sp.issparse(samples):
            return samples
        import pandas as pd

        return pd.DataFrame(samples, columns=features, copy=False)

    def save(self, path: str | os.PathLike[str], *, with_samples: bool = True) -> Path:
        """Write the fitted estimator to a file; see :func:`sentree.save`."""
        from sentree.estimators.persistence import save

        return save(self, path, with_samples=with_samples)

    @property
    def _repr_html_(self) -> Any:
        """How notebooks show the estimator: its clusters once fitted, and scikit-learn's diagram.

        As scikit-learn has it, a property that is missing where diagrams are turned off.
        """
        diagram = super()._repr_html_
        return lambda: self._shown() + diagram()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] = self._shown() + bundle["text/html"]
        return bundle

    def _shown(self) -> str:
        """Return the clusters as HTML, nothing before a fit."""
        if not hasattr(self, "labels_"):
            return ""
        import sentree  # loaded when asked for: reports stand on estimators, not the reverse

        return sentree.report.as_notebook(self)
