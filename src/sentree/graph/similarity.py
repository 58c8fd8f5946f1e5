"""What is asked of similarities between samples."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

__all__ = ["PairSimilarity"]


class PairSimilarity(Protocol):
    """Similarities between samples, asked for pair by pair."""

    def pairs(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the similarity of ``i[k]`` and ``j[k]`` for every k."""
        ...

    def extremes(self) -> tuple[float, float]:
        """Return (low, high) of the dense similarity matrix with zero diagonal."""
        ...
