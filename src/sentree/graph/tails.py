"""Columns with long tails: detected, and taken as logarithms before features are scaled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.graph import FloatArray
from sentree.graph.large import is_large

__all__ = ["Tails", "find_tails"]

#: Number of quantiles that represent a column; single outliers are not among them.
_POINTS = 1000
#: Of larger samples, rows that are looked at.
_LOOKED_AT = 1 << 18
#: Columns of fewer samples are left as they are.
_FEWEST_SAMPLES = 50
#: Columns of fewer different values are left as they are.
_FEWEST_VALUES = 8
#: A tail is long if the ratio of its 99 % quantile to its third quartile, both as distances from
#: the median, is this many times that of a normal column.
_LONG = 1.4
#: That ratio in a normal column.
_NORMAL_RATIO = 3.449
#: A column is left as it is above this correlation with a normal one.
_NORMAL = 0.93
#: The same where both tails are long; discs in rings have such columns.
_NORMAL_BOTH = 0.8
#: With one long tail, the third quartile and the 90 % quantile are this many times farther from the
#: median on that side than on the other. A distant group alone moves neither.
_LOPSIDED = (1.3, 1.5)
#: The logarithm must leave at most this share of the misfit. It does not remove gaps.
_LEFT_OVER = 1 / 3
#: Scales of the logarithm that are tried: quantiles of the distance from its base.
_ONSETS = (0.02, 0.1, 0.25, 0.5)


class Tails(NamedTuple):
    """A signed logarithm of some columns: sign(x - base) * log(1 + |x - base| / onset)."""

    columns: NDArray[np.int64]
    base: FloatArray
    onset: FloatArray

    def __call__(self, samples: FloatArray) -> FloatArray:
        """Return a copy of the samples with the logarithm of these columns."""
        drawn = np.array(samples, dtype=np.float64)
        drawn[:, self.columns] = _log(drawn[:, self.columns], self.base, self.onset)
        return drawn


def find_tails(samples: FloatArray) -> Tails | None:
    """Return the columns of dense samples that have long tails; None where no column has.

    A column has one where the middle of the data, not only single outliers or a distant group, is
    stretched to one side (or both), and where a logarithm makes it almost normal. Columns with gaps
    between clusters stay as they are, since a logarithm does not make these normal.
    """
    n, width = samples.shape
    if n < _FEWEST_SAMPLES:
        return None
    if is_large(samples) and n > _LOOKED_AT:
        samples = samples[np.sort(np.random.default_rng(0).integers(0, n, _LOOKED_AT))]
    found = [(k, fit) for k in range(width) if (fit := _fit(samples[:, k])) is not None]
    if not found:
        return None
    columns, fits = zip(*found, strict=True)
    base, onset = np.array(fits).T
    return Tails(np.array(columns, dtype=np.int64), base, onset)


def _fit(column: FloatArray) -> tuple[float, float] | None:
    """Return the base and the scale of the logarithm of a column; None where it needs none."""
    points = _outline(np.sort(np.asarray(column, dtype=np.float64)))
    if np.unique(points).size < _FEWEST_VALUES:
        return None
    scores = _scores(points)
    before, (bases, normal) = _likeness(points, scores), _bases(points)
    if not bases or before > normal:
        return None
    tried = [
        (_likeness(_log(points, base, onset), scores), base, onset)
        for base in bases
        for onset in _onsets(points, base)
    ]
    after, base, onset = max(tried, key=lambda fit: fit[0])
    return (base, onset) if 1 - after <= _LEFT_OVER * (1 - before) else None


def _outline(ordered: FloatArray) -> FloatArray:
    """Return quantiles of a sorted column, each a value of it."""
    n = ordered.size
    if n <= _POINTS:
        return ordered
    return ordered[((np.arange(_POINTS) + 0.5) * n / _POINTS).astype(np.int64)]


def _scores(points: FloatArray) -> FloatArray:
    """Return the normal scores of sorted values; ties have their mean."""
    from scipy.special import ndtri

    n = points.size
    scores = ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    _, place, count = np.unique(points, return_inverse=True, return_counts=True)
    return np.asarray((np.bincount(place, scores) / count)[place])


def _likeness(points: FloatArray, scores: FloatArray) -> float:
    """Return the correlation of sorted values with their normal scores."""
    centred = points - points.mean()
    centred /= np.abs(centred).max() or 1.0  # squares do not overflow
    size = float(np.sqrt((centred**2).sum() * (scores**2).sum()))
    return float(centred @ scores) / size if size > 0 else 0.0


def _bases(points: FloatArray) -> tuple[list[float], float]:
    """Return possible bases of the logarithm, and the correlation above which it is not needed.

    The base is at the end opposite to a long tail, or at the median of two.
    """
    middle = float(np.median(points))
    up, down = _reach(points - middle), _reach(middle - points)
    if all(side[2] > _LONG * _NORMAL_RATIO * side[0] for side in (up, down)):
        return [middle], _NORMAL_BOTH
    if _is_long(up, down):
        return [float(points[0]), *([0.0] if points[0] >= 0 else [])], _NORMAL
    if _is_long(down, up):
        return [float(points[-1]), *([0.0] if points[-1] <= 0 else [])], _NORMAL
    return [], _NORMAL


def _reach(away: FloatArray) -> tuple[float, float, float]:
    """Return the third quartile, the 90 % and the 99 % quantile of distances."""
    quartile, tenth, percent = np.quantile(away, [0.75, 0.9, 0.99])
    return float(quartile), float(tenth), float(percent)


def _is_long(here: tuple[float, float, float], there: tuple[float, float, float]) -> bool:
    """Tell whether a column has its only long tail on this side."""
    lopsided = all(a >= ratio * b for a, b, ratio in zip(here, there, _LOPSIDED, strict=False))
    return lopsided and here[2] > _LONG * _NORMAL_RATIO * here[0]


def _onsets(points: FloatArray, base: float) -> list[float]:
    """Return scales of the logarithm to try: small to middling distances from its base."""
    away = np.abs(points - base)
    return np.unique(np.quantile(away[away > 0], _ONSETS)).tolist() if away.any() else []


def _log(values: FloatArray, base: FloatArray | float, onset: FloatArray | float) -> FloatArray:
    away = values - base
    return np.asarray(np.sign(away) * np.log1p(np.abs(away) / onset))
