"""Intervals for differences between a cluster and the rest, on one scale from -1 to 1.

The effect of a number is Cliff's delta: how much more often a row of the cluster has the larger
value than a row outside has it, ``P(inside > outside) - P(inside < outside)``. For a share this is
the difference of the two shares. Both intervals stay within -1 and 1 and are fit for few rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["delta_interval", "quantile", "share_interval", "wilson"]

FloatArray = NDArray[np.float64]
Limits = tuple[FloatArray, FloatArray]
#: Halvings of an interval: to a billionth.
_HALVINGS = 30


def quantile(comparisons: int, confidence: float = 0.95) -> float:
    """Return how many standard errors hold for so many comparisons together (Bonferroni)."""
    from scipy.special import ndtri

    return float(ndtri(1 - (1 - confidence) / (2 * max(comparisons, 1))))


def wilson(count: Any, n: Any, z: float) -> Limits:
    """Return Wilson's score interval of a share; from 0 to 1 where n is 0."""
    count, n = np.asarray(count, dtype=np.float64), np.asarray(n, dtype=np.float64)
    size = np.maximum(n, 1)
    share = count / size
    middle = share + z * z / (2 * size)
    half = z * np.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    scale = 1 + z * z / size
    low, high = (middle - half) / scale, (middle + half) / scale
    low, high = np.clip(low, 0, share), np.clip(high, share, 1)
    return np.where(n > 0, low, 0.0), np.where(n > 0, high, 1.0)


def share_interval(inside: Any, m: Any, outside: Any, n: Any, z: float) -> Limits:
    """Return Newcombe's hybrid score interval of a difference of two shares, given by counts."""
    m, n = np.asarray(m, dtype=np.float64), np.asarray(n, dtype=np.float64)
    p, q = inside / np.maximum(m, 1), outside / np.maximum(n, 1)
    (p_low, p_high), (q_low, q_high) = wilson(inside, m, z), wilson(outside, n, z)
    low = p - q - np.hypot(p - p_low, q_high - q)
    high = p - q + np.hypot(p_high - p, q - q_low)
    some = (m > 0) & (n > 0)
    return np.where(some, np.maximum(low, -1), -1.0), np.where(some, np.minimum(high, 1), 1.0)


def delta_interval(delta: Any, m: Any, n: Any, z: float) -> Limits:
    """Return Newcombe's score interval (his method 5) of Cliff's delta of m and n values."""
    delta, m, n = (np.asarray(x, dtype=np.float64) for x in (delta, m, n))
    some = (m > 0) & (n > 0)
    area = np.where(some, (delta + 1) / 2, 0.5)
    pairs = np.maximum(m * n, 1)
    rows = np.maximum((m + n) / 2 - 1, 0)

    def below(area: FloatArray) -> FloatArray:
        low, high = np.zeros_like(area), area.copy()
        for _ in range(_HALVINGS):
            t = (low + high) / 2
            variance = t * (1 - t) * (1 + rows * ((1 - t) / (2 - t) + t / (1 + t))) / pairs
            far = area - t > z * np.sqrt(variance)
            low, high = np.where(far, t, low), np.where(far, high, t)
        return low

    low, high = 2 * below(area) - 1, 1 - 2 * below(1 - area)
    return np.where(some, low, -1.0), np.where(some, high, 1.0)
