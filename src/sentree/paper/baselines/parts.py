"""Parts of samples by k-means, means of parts, and small problems on one thread."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from sentree.graph import FloatArray
from sentree.paper.baselines.base import IntArray
from sentree.paper.baselines.symnmf import groups


def k_means_parts(
    X: FloatArray, k: int, random: np.random.RandomState, **options: Any
) -> list[NDArray[np.intp]]:
    """Return the samples of each part, in the order of scikit-learn's numbers; none is empty.

    There are fewer than k parts where fewer samples differ.
    """
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)  # duplicates: fewer parts than k
        labels = KMeans(k, random_state=random, **options).fit(X).labels_
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def means(X: FloatArray, labels: IntArray, k: int) -> FloatArray:
    """Return the mean of each of k clusters; NaN where it is empty. The label -1 counts nowhere."""
    membership = groups(labels, k)
    size = np.diff(membership.indptr).astype(np.float64)
    size[size == 0] = np.nan
    return np.asarray((membership @ X) / size[:, None])


def one_thread() -> Any:
    """Return a context in which scikit-learn and linear algebra run on one thread.

    Threads of many small problems mostly wait for one another, and the order of their sums differs.
    """
    return _controller().limit(limits=1)


@cache
def _controller() -> Any:
    # Looking for the thread pools takes longer than a small problem.
    return ThreadpoolController()
