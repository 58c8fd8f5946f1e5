"""Square rows as images: recognised by pixels that are like those above them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Square", "square_images"]

#: The smallest side of an image.
_SIDE = 6
#: In images, pixels above each other are alike, at least so much more than any two pixels.
_ALIKE = 0.3


class Square(NamedTuple):
    """Rows that are images: pixels in a row of one, and the values that are black and white."""

    side: int
    low: float
    high: float

    def levels(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return pixels from 0, black, to 1, white."""
        level = (values - self.low) / (self.high - self.low)
        return np.asarray(np.nan_to_num(level).clip(0, 1))


def square_images(values: NDArray[np.float64] | None, wanted: bool | None = None) -> Square | None:
    """Tell whether rows of numbers are images; ``wanted`` says so where the user knows."""
    if values is None or wanted is False:
        return None
    side = int(np.sqrt(values.shape[1]))
    if side * side != values.shape[1] or not side:
        return None
    low, high = np.nanmin(values), np.nanmax(values)
    if not low < high or not (wanted or (side >= _SIDE and _looks_like(values, side))):
        return None
    return Square(side, float(low), float(high))


def _looks_like(values: NDArray[np.float64], side: int) -> bool:
    """Tell whether columns have a common range, and those above each other are alike."""
    spread = np.ptp(values, axis=0)
    if np.isnan(values).any() or np.median(spread) < np.ptp(values) / 4:
        return False
    varied = spread > 0
    z = np.zeros_like(values)
    z[:, varied] = (values - values.mean(axis=0))[:, varied] / values.std(axis=0)[varied]
    above = np.abs((z[:, :-side] * z[:, side:]).mean(axis=0))[varied[:-side] & varied[side:]]
    shuffled = np.random.default_rng(0).permutation(np.flatnonzero(varied))
    any_two = np.abs((z[:, shuffled] * z[:, np.roll(shuffled, 1)]).mean(axis=0))
    return bool(above.mean() > any_two.mean() + _ALIKE)
