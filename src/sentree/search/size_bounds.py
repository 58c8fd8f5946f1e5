"""Bounds on the sizes of clusters: what users say, in numbers, and what is impossible."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree._util.labels import renumber
from sentree._util.wording import Param, Text
from sentree.constraints import Closure, Constraints
from sentree.graph import FloatArray

__all__ = ["ROUNDING", "SizeBounds", "check_sizes", "size_bounds", "size_weights"]

#: Sums of weights may differ from the bounds by this share of the total: it is rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class SizeBounds:
    """The least and the largest size of a cluster, and how much each sample counts."""

    least: float
    most: float
    weight: FloatArray
    price: float = math.inf  # bits for each unit outside the bounds; infinite if they must hold
    given: tuple[Any, Any] = (None, None)  # the bounds as users said them
    counts: bool = True  # whether sizes are numbers of samples

    @property
    def total(self) -> float:
        """Size of all samples together."""
        return float(self.weight.sum())

    @property
    def low(self) -> Param:
        """The lower bound as users said it."""
        return Param("min_size", self.given[0])

    @property
    def high(self) -> Param:
        """The upper bound as users said it."""
        return Param("max_size", self.given[1])

    @property
    def hard(self) -> bool:
        """Whether the bounds must hold."""
        return math.isinf(self.price)

    def outside(self, size: FloatArray) -> float:
        """Return by how much the sizes of clusters are outside the bounds, in all."""
        over = np.maximum(np.maximum(self.least - size, size - self.most), 0.0)
        return float(over[over > ROUNDING * self.total].sum())

    def violation(self, labels: NDArray[Any]) -> float:
        """Return by how much the clusters of the samples are outside the bounds."""
        return self.outside(self._sizes(labels))

    def numbers(self) -> range:
        """Return the numbers of clusters that the bounds allow."""
        slack = ROUNDING * self.total
        fewest = max(math.ceil(self.total / self.most - ROUNDING), 1)
        most = self.weight.size if self.least <= slack else int((self.total + slack) / self.least)
        return range(fewest, min(most, self.weight.size) + 1)

    def on(self, vertex: NDArray[Any], n: int) -> FloatArray:
        """Return the sizes of n vertices that the samples, and anchors after them, belong to."""
        return np.bincount(vertex[: self.weight.size], self.weight, n).astype(np.float64)

    def of(self, rows: NDArray[Any]) -> SizeBounds:
        """Return the same bounds for some of the samples."""
        return replace(self, weight=self.weight[rows])

    def check(self, labels: NDArray[Any], what: str) -> None:
        """Refuse clusters that break hard bounds; ``what`` tells how they would come about."""
        if not self.hard:
            return
        size = self._sizes(labels)
        slack = ROUNDING * self.total
        least, most = float(size.min()), float(size.max())
        if least < self.least - slack:
            told = f"{what} a cluster of {self._amount(least)}, less than "
            raise ValueError(Text(told, self.low))
        if most > self.most + slack:
            told = f"{what} a cluster of {self._amount(most)}, more than "
            raise ValueError(Text(told, self.high))

    def _sizes(self, labels: NDArray[Any]) -> FloatArray:
        """Return the sizes of the clusters; their numbers may have gaps."""
        return np.bincount(renumber(labels), self.weight).astype(np.float64)

    def _amount(self, size: float) -> str:
        """Say a size."""
        if not self.counts:
            return f"size {size:.6g}"
        return f"{round(size)} sample{'s' * (round(size) != 1)}"


def size_weights(size_weight: ArrayLike | None, n: int) -> FloatArray | None:
    """Check how much each sample counts in the size of its cluster."""
    if size_weight is None:
        return None
    weight = np.asarray(size_weight, dtype=np.float64)
    if weight.shape != (n,):
        raise ValueError(
            f"size_weight has shape {weight.shape}, expected one weight for {n} samples"
        )
    bad = ~np.isfinite(weight) | (weight < 0)
    for k in np.flatnonzero(bad)[:1].tolist():
        raise ValueError(
            f"size_weight must hold numbers from 0 on, but that of sample {k} is {weight[k]}"
        )
    if not weight.any():
        raise ValueError("size_weight is 0 for all samples: then clusters have no size")
    return weight


def size_bounds(
    min_size: float | None,
    max_size: float | None,
    penalty: float | None,
    weight: FloatArray | None,
    n: int,
) -> SizeBounds | None:
    """Return the bounds in numbers; None where there are none.

    A whole number counts samples, or is a sum of weights; a number between 0 and 1 is a share of
    all; with weights other numbers above 1 are sums of them.
    """
    if min_size is None and max_size is None:
        return None
    counts = weight is None
    if weight is None:
        weight = np.ones(n)
    total = float(weight.sum())
    least = 0.0 if min_size is None else _size(Param("min_size", min_size), total, counts)
    most = total if max_size is None else _size(Param("max_size", max_size), total, counts)
    if counts:
        least, most = math.ceil(least - ROUNDING * n), math.floor(most + ROUNDING * n)
        least = max(least, 1)
        if most < 1:
            raise ValueError(
                Text(Param("max_size", max_size), f" of {n} samples is less than one sample")
            )
    price = math.inf if penalty is None else penalty / total
    return SizeBounds(least, min(most, total), weight, price, (min_size, max_size), counts)


def _size(bound: Param, total: float, counts: bool) -> float:
    """Return a bound as a size."""
    value: float = bound.value
    if not isinstance(value, bool):  # True is a whole number to Python
        if isinstance(value, Integral) or (value > 1 and not counts):
            return float(value)
        if 0 < value < 1:
            return value * total
    more = "" if counts else ", or a sum of weights above 1"
    what = "samples" if counts else "units"
    raise ValueError(
        Text(
            bound,
            f" must be a whole number of {what}, or a share of all between 0 and 1{more}",
        )
    )


def check_sizes(
    bounds: SizeBounds, n_clusters: int | None, hard: Constraints | None = None
) -> None:
    """Refuse hard bounds that cannot hold, with the arithmetic; ``hard`` constraints hold, too."""
    least, most, total = bounds.least, bounds.most, bounds.total
    low, high = bounds.low, bounds.high
    if least > most * (1 + ROUNDING) and bounds.given[1] is not None:
        raise ValueError(Text(low, " is more than ", high))
    if least > total * (1 + ROUNDING):
        raise ValueError(Text(low, f" is more than {_all(bounds)}"))
    if not bounds.hard:
        return
    numbers = bounds.numbers()
    if n_clusters is not None and n_clusters not in numbers:
        few = n_clusters < numbers.start
        told = _arithmetic(bounds, n_clusters, few)
        bound = Text(" is too few for ", high) if few else Text(" is too many for ", low)
        raise ValueError(Text(Param("n_clusters", n_clusters), bound, f": {told}"))
    if not numbers:
        fewer = numbers.start - 1
        raise ValueError(
            Text(
                low,
                " and ",
                high,
                f" cannot hold: {_arithmetic(bounds, fewer, True)}, and "
                f"{_arithmetic(bounds, fewer + 1, False)}",
            )
        )
    largest = int(bounds.weight.argmax())
    if bounds.weight[largest] > most * (1 + ROUNDING):
        size = f"sample {largest} alone has size {bounds.weight[largest]:.6g}"
        raise ValueError(Text(f"{size}, more than ", high))
    if hard:
        _check_components(bounds, hard.closure(bounds.weight.size))


def _all(bounds: SizeBounds) -> str:
    """Say how much there is."""
    if bounds.counts:
        return f"all {bounds.weight.size} samples"
    return f"the size of all samples, {bounds.total:.6g}"


def _arithmetic(bounds: SizeBounds, k: int, few: bool) -> str:
    """Say that k clusters hold too little, or need too much."""
    each = bounds.most if few else bounds.least
    unit = " samples" if bounds.counts else ""
    there = f"there are {bounds.total:.10g}" if bounds.counts else f"all have {bounds.total:.10g}"
    word, does = ("most", "hold" + "s" * (k == 1)) if few else ("least", "need" + "s" * (k == 1))
    of = "samples" if bounds.counts else "size"
    clusters = f"{k} cluster{'s' * (k != 1)}"
    if bounds.counts:
        return f"{clusters} of at {word} {each:.10g} {of} {does} {k * each:.10g}{unit}, but {there}"
    return f"{clusters} of a size of at {word} {each:.10g} {does} {k * each:.10g}, but {there}"


def _check_components(bounds: SizeBounds, closure: Closure) -> None:
    """Refuse sets that must stay together but are too large, and too many that are kept apart."""
    size = np.bincount(closure.component, bounds.weight)
    largest = int(size.argmax())
    if size[largest] > bounds.most * (1 + ROUNDING):
        inside = np.flatnonzero(closure.component == largest)
        shown = ", ".join(map(str, inside[:5].tolist())) + (", …" if inside.size > 5 else "")
        of = "" if bounds.counts else f" of size {size[largest]:.6g}"
        raise ValueError(
            Text(
                f"hard constraints keep {inside.size} samples{of} together (samples {shown}), more "
                "than ",
                bounds.high,
            )
        )
    most = bounds.numbers().stop - 1
    apart = max(closure.exclusive, key=len, default=np.empty(0, dtype=np.int64))
    if apart.size > most:
        first = np.unique(closure.component, return_index=True)[1][apart[:5]]
        shown = ", ".join(map(str, first.tolist())) + (", …" if apart.size > 5 else "")
        raise ValueError(
            Text(
                f"hard constraints keep samples {shown} in {apart.size} clusters, and with ",
                bounds.low,
                f" {_arithmetic(bounds, apart.size, False)}",
            )
        )
