"""Leading eigenvectors of a symmetric matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from sentree.graph import FloatArray

#: Up to this many rows all eigenvectors are found at once.
_FEW = 300
#: Up to _MANY rows all are found also where a few do not converge in _RESTARTS restarts: equal
#: eigenvalues, as those of many isolated pairs, would take thousands.
_MANY, _RESTARTS = 5000, 20


def leading(
    W: Any, k: int, which: str, random: np.random.RandomState
) -> tuple[FloatArray, FloatArray]:
    """Return k eigenvalues, falling, and their eigenvectors.

    ``which`` is "LM" for the k eigenvalues of largest magnitude, "LA" for the k largest.
    """
    n = W.shape[0]
    if n > _FEW and 2 * k < n:
        try:
            restarts = _RESTARTS if n <= _MANY else None
            start = random.uniform(-1, 1, n)
            value, vector = eigsh(W, k, which=which, v0=start, maxiter=restarts)
        except ArpackNoConvergence:
            pass  # find all of them
        else:
            order = np.argsort(-value, kind="stable")
            return value[order], vector[:, order]
    value, vector = scipy.linalg.eigh(W.toarray() if sp.issparse(W) else W, driver="evd")
    rank = -np.abs(value) if which == "LM" else -value
    best = np.argsort(rank, kind="stable")[:k]
    best = best[np.argsort(-value[best], kind="stable")]
    return value[best], vector[:, best]
