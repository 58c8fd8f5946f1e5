"""Parts of samples by k-means."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from sentree.graph import FloatArray

__all__ = ["k_means_parts"]


def k_means_parts(
    X: FloatArray, k: int, random: np.random.RandomState, **options: Any
) -> list[NDArray[np.intp]]:
    """Return the samples of each part, in the order of scikit-learn's numbers; none is empty.

    There are fewer than k parts where fewer samples differ.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # duplicates: fewer parts than k
        labels = KMeans(k, random_state=random, **options).fit(X).labels_
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
