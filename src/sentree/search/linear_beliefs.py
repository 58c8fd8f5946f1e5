"""Beliefs from the features themselves, by linear discriminant analysis or logistic regression.

Spreading labels over a graph misses directions in which classes differ slightly everywhere, as in
embeddings and many tables. A linear discriminant finds them from the same labels: classes are
modelled as normal distributions with one covariance, estimated from the labelled samples and, where
these are few, from all samples. Hidden labels decide whether it is used. Tables of numbers and
categories, whose columns of 0 and 1 are far from normal, have a logistic regression instead.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.threads import sharing
from sentree.graph import FloatArray, scaled_rows
from sentree.search.beliefs import LEAST_BELIEF, KnownClasses

__all__ = ["LinearBeliefs", "LogisticBeliefs"]

#: About the most labels that a logistic regression is fitted to.
_MOST_LABELS = 5000
#: The covariance of all samples is computed from about this many rows.
_ROWS = 5000
#: Least variance in any direction, relative to the mean variance.
_LEAST_SPREAD = 1e-3
#: A sample keeps beliefs in at most this many classes.
_CLASSES = 8
#: Probabilities that are computed at a time in each thread, to bound memory.
_CHUNK = 1 << 19
#: Most steps of a logistic regression.
_STEPS = 500
#: Logarithm of the probability of a class without labels.
_NEVER = -50.0


@dataclass(frozen=True, eq=False)
class LinearBeliefs:
    """A linear discriminant of the features of vertices."""

    samples: FloatArray  # features of the first n vertices
    #: Weight of the discriminant against spread labels: the power of its probability.
    share: ClassVar[float] = 0.5

    def joined(self, believed: Any, known: KnownClasses) -> sp.csr_array:
        """Return beliefs (vertices by classes) multiplied by the discriminant's probabilities."""
        n, k = self.samples.shape[0], known.n_classes
        at = known.points < n
        slope, offset = self._discriminant(known.points[at], known.code[at], k)
        step = max(_CHUNK // max(k, 1), 1)
        chunks = (slice(i, min(i + step, n)) for i in range(0, n, step))  # anchors come after n

        def rows_of(part: slice) -> sp.csr_array:
            return _joined(believed[part], self.samples[part] @ slope + offset, self.share)

        with ThreadPoolExecutor(sharing()[0]) as pool:
            rows = list(pool.map(rows_of, chunks))
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
        """Return slopes and offsets of the log probability of each class."""
        mean, whole = self._spread
        width = mean.size
        count = np.bincount(code, minlength=k).astype(np.float64)
        member = sp.csr_array((np.ones(code.size), (code, np.arange(code.size))), (k, code.size))
        away = self.samples[points] - mean
        centre = (member @ away) / (count + 1)[:, None]  # one prior sample at the mean
        rest = away - centre[code]
        spare = max(code.size - k, 0)
        within = (rest.T @ rest + width * whole) / (spare + width)
        level = float(np.trace(within)) / width or 1.0
        within[np.diag_indices(width)] += _LEAST_SPREAD * level
        slope = np.linalg.solve(within, centre.T)
        return slope, -0.5 * np.sum(centre.T * slope, axis=0) - mean @ slope


class LogisticBeliefs(LinearBeliefs):
    """A logistic regression of the features of vertices, which knows how frequent classes are."""

    share = 1.0

    def _discriminant(
        self, points: NDArray[Any], code: NDArray[Any], k: int
    ) -> tuple[FloatArray, FloatArray]:
        from sklearn.linear_model import LogisticRegression

        slope, offset = np.zeros((self.samples.shape[1], k)), np.full(k, _NEVER)
        there = np.unique(code)
        offset[there] = 0.0
        if there.size < 2:
            return slope, offset
        used = _thinned(code)
        model = LogisticRegression(max_iter=_STEPS).fit(self.samples[points[used]], code[used])
        # Of two classes scikit-learn tells the slope of the second alone.
        at = there[1:] if there.size == 2 else there
        slope[:, at], offset[at] = model.coef_.T, model.intercept_
        return slope, offset


def _thinned(code: NDArray[Any]) -> NDArray[Any]:
    """Return which labels to use: of too many, the same share of each class, and at least one."""
    step = -(-code.size // _MOST_LABELS)
    order = np.argsort(code, kind="stable")
    _, size = np.unique(code, return_counts=True)
    rank = np.arange(code.size) - np.repeat(np.cumsum(size) - size, size)
    return np.sort(order[rank % step == 0])


def _joined(believed: Any, scores: FloatArray, share: float) -> sp.csr_array:
    """Multiply beliefs of some vertices by probabilities, given as unnormalised logarithms."""
    scores = scores - scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    least = np.log(LEAST_BELIEF)
    reached = np.diff(believed.indptr) > 0
    spread = np.log(np.maximum(believed.toarray(), LEAST_BELIEF))
    total = np.where(reached[:, None], spread, 0.0) + share * np.maximum(scores, least)
    n, k = total.shape
    most = min(_CLASSES, k)
    best = np.argpartition(-total, most - 1, axis=1)[:, :most]
    value = np.exp(np.take_along_axis(total, best, axis=1) - total.max(axis=1, keepdims=True))
    value /= value.sum(axis=1, keepdims=True)
    return sp.csr_array((value.ravel(), (np.repeat(np.arange(n), most), best.ravel())), (n, k))


def _certain(believed: sp.csr_array, known: KnownClasses) -> sp.csr_array:
    """Set the beliefs of labelled vertices to their class, and those in excluded classes to 0."""
    n, k = believed.shape
    unknown = np.ones(n)
    unknown[known.points] = 0.0
    labels = sp.csr_array((np.ones(known.points.size), (known.points, known.code)), (n, k))
    believed = scaled_rows(believed, unknown)
    if known.excluded[0].size:
        wrong = sp.csr_array((np.ones(known.excluded[0].size), known.excluded), (n, k))
        believed = believed - believed.multiply(wrong > 0)
    return sp.csr_array(believed + labels)
