"""Samples too many to be copied: they are worked on in ranges of rows.

Up to :data:`LARGE` numbers samples are one range, so that results do not depend on all this. More
are read range by range, wherever they are: in memory or in a file that is mapped to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.stopping import check

__all__ = ["LARGE", "is_finite", "is_large", "moments", "ranges", "row_ranges"]

#: Most numbers (256 MB of them) that are copied as a whole, and compared in double precision.
LARGE = 1 << 25
#: Numbers in one range of rows of larger samples.
_RANGE = 1 << 18


def is_large(samples: Any) -> bool:
    """Tell whether dense samples are too many to be copied."""
    return not sp.issparse(samples) and samples.size > LARGE


def row_ranges(samples: Any) -> Iterator[slice]:
    """Yield ranges that have all rows of dense samples; one if these are not large."""
    n, width = samples.shape
    step = max(_RANGE // max(width, 1), 1) if is_large(samples) else max(n, 1)
    for start in range(0, n, step):
        check()
        yield slice(start, min(start + step, n))


def ranges(samples: Any) -> Iterator[NDArray[np.float64]]:
    """Yield dense samples range by range, in double precision."""
    for rows in row_ranges(samples):
        yield np.asarray(samples[rows], dtype=np.float64)


def is_finite(samples: Any) -> bool:
    """Tell whether all values of dense samples are finite."""
    return all(bool(np.isfinite(samples[rows]).all()) for rows in row_ranges(samples))


def moments(samples: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the covariance of dense samples."""
    n, width = samples.shape
    near = np.asarray(samples[:: max(n // 1000, 1)], dtype=np.float64).mean(axis=0)
    total, squares = np.zeros(width), np.zeros((width, width))
    for part in ranges(samples):
        part = part - near
        total += part.sum(axis=0)
        squares += part.T @ part
    shift = total / n
    return near + shift, squares / n - np.outer(shift, shift)
