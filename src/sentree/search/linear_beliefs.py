"""A second belief, from the features themselves: what a linear discriminant says of each sample.

Labels that are spread over a graph say nothing about directions in which classes differ a little
everywhere, as in embeddings and in many tables. A discriminant does, from the same labels: classes
are taken for normal clouds of one form, which the labelled samples tell, and all samples as far as
labels are few. What it is worth is for hidden labels to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import FloatArray
from sentree.search.beliefs import LEAST_BELIEF, KnownClasses

__all__ = ["LinearBeliefs"]

#: What the discriminant counts against the labels spread, as a power of its probability.
_SHARE = 0.5
#: Rows that the form of all samples is taken from, at most; least spread in any direction.
_ROWS, _LEAST_SPREAD = 5000, 1e-3
#: Classes that a sample may believe in, and samples that are looked at at a time.
_CLASSES, _CHUNK = 8, 1 << 14


@dataclass(frozen=True, eq=False)
class LinearBeliefs:
    """The features of vertices, ready to tell their classes.

    Parameters
    ----------
    samples : float array of shape (n, n_features)
        Features of the first n vertices.
    """

    samples: FloatArray

    def joined(self, believed: Any, known: KnownClasses) -> sp.csr_array:
        """Return beliefs of vertices by classes multiplied with what their features say."""
        n, k = self.samples.shape[0], known.n_classes
        at = known.points < n
        slope, offset = self._discriminant(known.points[at], known.code[at], k)
        chunks = (slice(i, min(i + _CHUNK, n)) for i in range(0, n, _CHUNK))  # anchors come after n
        rows = [_joined(believed[part], self.samples[part] @ slope + offset) for part in chunks]
        whole = sp.csr_array(sp.vstack([*rows, believed[n:]]))
        return _certain(whole, known)

    @cached_property
    def _spread(self) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the covariance of all samples."""
        n = self.samples.shape[0]
        step = max(n // _ROWS, 1)
        rows = self.samples[::step]
        return rows.mean(axis=0), np.atleast_2d(np.cov(rows, rowvar=False, bias=True))

    def _discriminant(
        self, points: NDArray[Any], code: NDArray[Any], k: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return the slopes and offsets of the logarithms of class probabilities."""
        mean, whole = self._spread
        width = mean.size
        count = np.bincount(code, minlength=k).astype(np.float64)
        member = sp.csr_array((np.ones(code.size), (code, np.arange(code.size))), (k, code.size))
        away = self.samples[points] - mean
        centre = (member @ away) / (count + 1)[:, None]  # drawn to the mean by one sample
        rest = away - centre[code]
        spare = max(code.size - k, 0)
        within = (rest.T @ rest + width * whole) / (spare + width)
        level = float(np.trace(within)) / width or 1.0
        within[np.diag_indices(width)] += _LEAST_SPREAD * level
        slope = np.linalg.solve(within, centre.T)
        return slope, -0.5 * np.sum(centre.T * slope, axis=0) - mean @ slope


def _joined(believed: Any, scores: FloatArray) -> sp.csr_array:
    """Multiply beliefs of some vertices with probabilities, given their logarithms up to a sum."""
    scores = scores - scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    least = np.log(LEAST_BELIEF)
    reached = np.diff(believed.indptr) > 0
    spread = np.log(np.maximum(believed.toarray(), LEAST_BELIEF))
    total = np.where(reached[:, None], spread, 0.0) + _SHARE * np.maximum(scores, least)
    n, k = total.shape
    most = min(_CLASSES, k)
    best = np.argpartition(-total, most - 1, axis=1)[:, :most]
    value = np.exp(np.take_along_axis(total, best, axis=1) - total.max(axis=1, keepdims=True))
    value /= value.sum(axis=1, keepdims=True)
    return sp.csr_array((value.ravel(), (np.repeat(np.arange(n), most), best.ravel())), (n, k))


def _certain(believed: sp.csr_array, known: KnownClasses) -> sp.csr_array:
    """Let labelled vertices believe their label, and excluded classes be out of the question."""
    n, k = believed.shape
    unknown = np.ones(n)
    unknown[known.points] = 0.0
    labels = sp.csr_array((np.ones(known.points.size), (known.points, known.code)), (n, k))
    believed = sp.diags_array(unknown) @ believed
    if known.excluded[0].size:
        wrong = sp.csr_array((np.ones(known.excluded[0].size), known.excluded), (n, k))
        believed = believed - believed.multiply(wrong > 0)
    return sp.csr_array(believed + labels)
