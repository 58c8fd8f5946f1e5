"""Columns with long tails: found, and drawn in by a logarithm before features are scaled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.graph import FloatArray

__all__ = ["Tails", "find_tails"]

#: Quantiles that stand for a column: enough for its shape, and single outliers are not among them.
_POINTS = 1000
#: Fewer samples, or fewer values, do not show a tail.
_FEWEST_SAMPLES, _FEWEST_VALUES = 50, 8
#: A tail is long where the farthest percent is so many times farther from the middle than in a
#: normal column, measured by its middle half.
_LONG = 1.4
#: Likeness to a normal column from which a column is left as it is, and the same where both tails
#: are long: rings and discs around a dense middle look like that.
_NORMAL, _NORMAL_BOTH = 0.93, 0.8
#: The middle half of a column with one long tail is so many times longer on that side, and the
#: middle four fifths: a far group alone stretches neither.
_LOPSIDED = (1.3, 1.5)
#: The logarithm must leave at most this share of the misfit, so that what it straightens is a tail
#: and not a gap between clusters.
_LEFT_OVER = 1 / 3
#: Where the logarithm sets in: quantiles of the distance from where it starts.
_ONSETS = (0.02, 0.1, 0.25, 0.5)
#: How many times farther than the third quartile the last percent of a normal column is.
_NORMAL_RATIO = 3.449


class Tails(NamedTuple):
    """A signed logarithm of some columns: sign(x - base) * log(1 + |x - base| / onset)."""

    columns: NDArray[np.int64]
    base: FloatArray
    onset: FloatArray

    def __call__(self, samples: FloatArray) -> FloatArray:
        """Return a copy of the samples with their long columns drawn in."""
        drawn = np.array(samples, dtype=np.float64)
        drawn[:, self.columns] = _log(drawn[:, self.columns], self.base, self.onset)
        return drawn


def find_tails(samples: FloatArray) -> Tails | None:
    """Return the columns of dense samples that have long tails; None where no column has.

    A column has one where the middle of the data, not only single outliers or a far group, is
    stretched to a side (or to both), and where a logarithm makes it almost normal. Columns with
    gaps between clusters stay as they are, since a logarithm does not straighten these.
    """
    n, width = samples.shape
    if n < _FEWEST_SAMPLES:
        return None
    found = [(k, fit) for k in range(width) if (fit := _fit(samples[:, k])) is not None]
    if not found:
        return None
    columns, fits = zip(*found, strict=True)
    base, onset = np.array(fits).T
    return Tails(np.array(columns, dtype=np.int64), base, onset)


def _fit(column: FloatArray) -> tuple[float, float] | None:
    """Return where the logarithm of a column starts and sets in; None where it needs none."""
    points = _outline(np.sort(column))
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
    """Return quantiles of a column in order, as values that occur."""
    n = ordered.size
    if n <= _POINTS:
        return ordered
    return ordered[((np.arange(_POINTS) + 0.5) * n / _POINTS).astype(np.int64)]


def _scores(points: FloatArray) -> FloatArray:
    """Return what values in order would be in a normal column; ties have their mean."""
    from scipy.special import ndtri

    n = points.size
    scores = ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    _, place, count = np.unique(points, return_inverse=True, return_counts=True)
    return np.asarray((np.bincount(place, scores) / count)[place])


def _likeness(points: FloatArray, scores: FloatArray) -> float:
    """Return the correlation of values with those of a normal column."""
    centred = points - points.mean()
    centred /= np.abs(centred).max() or 1.0  # squares stay within what numbers can hold
    size = float(np.sqrt((centred**2).sum() * (scores**2).sum()))
    return float(centred @ scores) / size if size > 0 else 0.0


def _bases(points: FloatArray) -> tuple[list[float], float]:
    """Return where a logarithm may start, and the likeness from which none is needed.

    It starts opposite to a long tail, and in the middle of two.
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
    """Return how far the third quartile, the last tenth and the last percent are away."""
    quartile, tenth, percent = np.quantile(away, [0.75, 0.9, 0.99])
    return float(quartile), float(tenth), float(percent)


def _is_long(here: tuple[float, float, float], there: tuple[float, float, float]) -> bool:
    """Tell whether a column has its only long tail on this side."""
    lopsided = all(a >= ratio * b for a, b, ratio in zip(here, there, _LOPSIDED, strict=False))
    return lopsided and here[2] > _LONG * _NORMAL_RATIO * here[0]


def _onsets(points: FloatArray, base: float) -> list[float]:
    """Return where a logarithm may set in: at small to middling distances from its start."""
    away = np.abs(points - base)
    return np.unique(np.quantile(away[away > 0], _ONSETS)).tolist() if away.any() else []


def _log(values: FloatArray, base: FloatArray | float, onset: FloatArray | float) -> FloatArray:
    away = values - base
    return np.asarray(np.sign(away) * np.log1p(np.abs(away) / onset))
