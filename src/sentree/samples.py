"""Samples as they come: checked, scaled and laid out for a metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from sentree.graph import FloatArray
from sentree.neighbors import EuclideanSpace, Metric, Space, is_sparse, make_space
from sentree.tails import Tails

__all__ = ["Layout", "check_samples", "check_squares", "weigh"]

#: Squares of larger values overflow.
_LARGEST = 1e150
#: Squares of smaller values are 0, or have lost digits.
_SMALLEST = 1e-140


class Scale(NamedTuple):
    """Features less an offset, over a spread; infinite for constant ones, which so become 0."""

    offset: FloatArray
    spread: FloatArray

    def __call__(self, samples: FloatArray) -> FloatArray:
        """Return scaled samples; new ones far outside of the old stay in the range of squares."""
        scaled = samples - self.offset
        with np.errstate(over="ignore"):
            scaled /= self.spread
        return np.clip(scaled, -_LARGEST, _LARGEST, out=scaled)


def _minmax(samples: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bring each feature to [0, 1]."""
    low = samples.min(axis=0)
    return low, samples.max(axis=0) - low


def _zscore(samples: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bring each feature to mean 0 and variance 1."""
    from sklearn.preprocessing import StandardScaler

    # A power of two changes no digit, and squares stay within what numbers can hold.
    _, power = np.frexp(np.abs(samples).max(axis=0))
    unit = np.ldexp(1.0, power)
    scaler = StandardScaler().fit(samples / unit)
    return scaler.mean_ * unit, scaler.scale_ * unit


_SCALES: dict[str, Callable[[FloatArray], tuple[FloatArray, FloatArray]]] = {
    "minmax": _minmax,
    "zscore": _zscore,
}


@dataclass(frozen=True, eq=False)
class Layout:
    """How samples are scaled and compared: fitted once, the same for new ones.

    Long tails are drawn in first, then features are scaled, then weighed; directions, combinations
    of weighed features that tell classes apart, go in beside them.
    """

    metric: Metric
    scale: Scale | None
    tails: Tails | None = None
    weights: FloatArray | None = None
    directions: FloatArray | None = None  # features x directions, only with weights

    @classmethod
    def fit(
        cls, samples: Any, scale: str | None, metric: Metric, tails: Tails | None = None
    ) -> Layout:
        """Take the scale from samples that were checked."""
        if scale is None:
            return cls(metric, None)
        if scale not in _SCALES:
            raise ValueError(f"unknown scale {scale!r}; choose from {[None, *_SCALES]}")
        if is_sparse(samples):
            raise ValueError(
                f"scale={scale!r} moves zeros, which makes sparse data dense: scale before (with "
                "sklearn.preprocessing.MaxAbsScaler, say), or pass X.toarray()"
            )
        drawn = samples if tails is None else tails(samples)
        offset, spread = _SCALES[scale](drawn)
        constant = np.ptp(drawn, axis=0) == 0
        return cls(metric, Scale(offset, np.where(constant, np.inf, spread)), tails)

    def weighed(self, weights: FloatArray | None, directions: FloatArray | None = None) -> Layout:
        """Return the layout with other weights of the features, and directions of theirs."""
        return replace(self, weights=weights, directions=directions)

    def scaled(self, samples: Any) -> Any:
        """Return checked samples with their features drawn in, scaled and weighed."""
        if self.tails is not None:
            samples = self.tails(samples)
        if self.scale is not None:
            samples = self.scale(samples)
        return samples if self.weights is None else weigh(samples, self.weights, self.directions)

    def space(self, X: Any) -> Space:
        """Return samples, one or more, laid out for the search."""
        return make_space(self.scaled(check_samples(X, fewest=1)), self.metric)


def weigh(samples: FloatArray, weights: FloatArray, directions: FloatArray | None) -> FloatArray:
    """Return scaled samples with their features weighed, and directions of these beside them."""
    weighed = np.clip(samples * weights, -_LARGEST, _LARGEST)
    if directions is None:
        return weighed
    return np.hstack((weighed, np.clip(weighed @ directions, -_LARGEST, _LARGEST)))


def check_samples(X: Any, fewest: int = 2) -> Any:
    """Return X as a float64 array or canonical CSR array of finite values."""
    samples = _float_csr(X) if is_sparse(X) else _float_array(X)
    if samples.ndim != 2:
        raise ValueError(f"X must be 2-D (samples by features), got shape {samples.shape}")
    if samples.shape[0] < fewest or samples.shape[1] < 1:
        raise ValueError(
            f"X needs at least {fewest} samples and 1 feature, got shape {samples.shape}"
        )
    _check_range(samples)
    return samples


def _float_csr(X: Any) -> Any:
    """Return a CSR copy, so that putting it in order does not touch X."""
    samples = sp.csr_array(X, dtype=np.float64, copy=True)
    samples.sum_duplicates()
    return samples


def _float_array(X: Any) -> Any:
    """Return X as a row-major float64 array."""
    samples = np.asarray(X)
    if samples.dtype.kind == "c":
        raise ValueError(f"X must hold real numbers, got dtype {samples.dtype}")
    try:
        return np.asarray(samples, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"X must hold real numbers, got dtype {samples.dtype}") from error


def _check_range(samples: Any) -> None:
    """Name the first value that is not finite or whose square would not be."""
    values = samples.data if is_sparse(samples) else samples
    good = np.abs(values) <= _LARGEST
    if good.all():
        return
    if is_sparse(samples):
        k = int(np.flatnonzero(~good)[0])
        row = int(np.searchsorted(samples.indptr, k, side="right") - 1)
        column = int(samples.indices[k])
    else:
        row, column = (int(k) for k in np.argwhere(~good)[0])
    raise ValueError(
        f"X has {samples[row, column]} in row {row}, column {column}; values must be finite and at "
        f"most {_LARGEST:g}"
    )


def check_squares(space: Space) -> None:
    """Refuse samples so small that their distances vanish."""
    if not isinstance(space, EuclideanSpace) or space.unit:
        return
    largest = float(abs(space.points).max())
    if 0 < largest < _SMALLEST:
        raise ValueError(
            f"the largest value of X is {largest:.3g}, and squares of such values vanish: multiply "
            "X by a constant, or scale its features"
        )
