"""How each cluster differs from the rest in each feature, for all clusters at once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.profiles.columns import Column, Table
from sentree.profiles.intervals import delta_interval, quantile, share_interval

__all__ = ["Feature", "Measures", "measure"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
#: Levels of a category, and rows without a value, count from so many rows on.
_FEWEST = 5
#: Most levels of a category that are looked at, the most frequent.
_LEVELS = 1000
#: Share of a cluster that lies within the range that is told of it.
_RANGE = 0.8
#: A cluster of fewer rows has no range.
_RANGED = 10
#: A range is told where its effect is so much larger than that of being high or low.
_MARGIN = 0.1


class Feature(NamedTuple):
    """What is compared: a column, or whether it is missing."""

    column: int
    name: str
    kind: str
    levels: tuple[str, ...] = ()


@dataclass
class Measures:
    """Figures of each feature (rows) for each cluster (columns).

    ``way`` is 1 (high, or more often), -1 (low, or less often) or 0 (within a range).
    ``inside`` and ``outside`` are medians, of which ``_from`` and ``_to`` are quartiles; or shares.
    ``range_*`` are the range of most of the cluster and the shares inside and outside within it.
    """

    effect: FloatArray
    low: FloatArray
    high: FloatArray
    way: IntArray
    level: IntArray
    inside: FloatArray
    inside_from: FloatArray
    inside_to: FloatArray
    inside_mean: FloatArray
    outside: FloatArray
    outside_from: FloatArray
    outside_to: FloatArray
    outside_mean: FloatArray
    range_from: FloatArray
    range_to: FloatArray
    range_inside: FloatArray
    range_outside: FloatArray

    def of(self, feature: int, cluster: int) -> dict[str, Any]:
        """Return the figures of one feature and cluster."""
        return {one.name: getattr(self, one.name)[feature, cluster].item() for one in fields(self)}


def measure(table: Table, code: NDArray[Any], k: int) -> tuple[list[Feature], Measures]:
    """Compare the rows of every cluster with all others.

    Returns
    -------
    features : list of Feature
    measures : Measures
    """
    size = np.bincount(code, minlength=k).astype(np.float64)
    features: list[Feature] = []
    found: list[dict[str, FloatArray]] = []
    comparisons = 0
    narrow = code.astype(np.int16) if k < 2**15 else code  # such are sorted in linear time
    for number, column in table.columns():
        if column.kind == "category":
            figures, looked_at = _levels(column, code, size)
        elif column.kind == "amount":
            figures, looked_at = _amount(column, code, size)
        elif column.kind == "boolean":
            truth = np.bincount(code, column.values == 1, k)
            figures, looked_at = _shares(truth, size), 1
        else:
            figures, looked_at = _numbers(column.values, narrow, k), 2
        features.append(Feature(number, column.name, column.kind, column.levels))
        found.append(figures)
        comparisons += looked_at
        missing = column.missing
        if _FEWEST <= np.count_nonzero(missing) <= missing.size - _FEWEST:
            gaps = np.bincount(code[missing], minlength=k).astype(np.float64)
            features.append(Feature(number, f"{column.name} is missing", "missing"))
            found.append(_shares(gaps, size))
            comparisons += 1
    return features, _with_intervals(found, k, quantile(comparisons * k))


def _with_intervals(found: list[dict[str, FloatArray]], k: int, z: float) -> Measures:
    """Put the figures of all features together, with intervals that hold for all of them."""

    def all_of(name: str) -> FloatArray:
        blank = np.full(k, np.nan)
        return np.array([one.get(name, blank) for one in found]).reshape(len(found), k)

    effect, m, n = all_of("effect"), all_of("m"), all_of("n")
    with np.errstate(invalid="ignore"):
        ranked = delta_interval(np.nan_to_num(effect), m, n, z)
        shared = share_interval(all_of("in_count"), m, all_of("out_count"), n, z)
        within = share_interval(all_of("range_inside") * m, m, all_of("range_outside") * n, n, z)
        is_share = ~np.isnan(all_of("in_count"))
        low, high = (np.where(is_share, a, b) for a, b in zip(shared, ranked, strict=True))
        width = all_of("range_inside") - all_of("range_outside")
        in_range = (within[0] > 0) & (width > np.abs(effect) + _MARGIN) & (m >= _RANGED)
    own: dict[str, Any] = {
        "effect": np.where(in_range, width, effect),
        "low": np.where(in_range, within[0], low),
        "high": np.where(in_range, within[1], high),
        "way": np.where(in_range, 0, np.where(effect < 0, -1, 1)),
        "level": np.nan_to_num(all_of("level"), nan=-1).astype(np.int64),
    }
    own |= {one.name: all_of(one.name) for one in fields(Measures) if one.name not in own}
    return Measures(**own)


def _shares(count: Any, m: Any, others: Any = None) -> dict[str, FloatArray]:
    """Compare counts among the m rows of each cluster with those outside."""
    others = count.sum() - count if others is None else others
    n = m.sum() - m
    with np.errstate(invalid="ignore", divide="ignore"):
        inside, outside = count / m, others / n
    return {
        "effect": inside - outside,
        "m": m,
        "n": n,
        "in_count": count,
        "out_count": others,
        "inside": inside,
        "outside": outside,
    }


def _levels(
    column: Column, code: NDArray[Any], size: FloatArray
) -> tuple[dict[str, FloatArray], int]:
    """Compare the shares of levels, and keep for each cluster the one that differs most."""
    k = size.size
    known = ~column.missing
    cells = column.values[known].astype(np.int64) * k + code[known]
    count = np.bincount(cells, minlength=len(column.levels) * k).reshape(-1, k).astype(np.float64)
    total = count.sum(axis=1)
    looked_at = np.argsort(-total, kind="stable")[:_LEVELS]
    frequent = looked_at[total[looked_at] >= _FEWEST]
    looked_at = np.sort(frequent if frequent.size else looked_at[:1])
    count, others = count[looked_at], total[looked_at, None] - count[looked_at]
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = np.nan_to_num(count / size - others / (code.size - size))
    # Of two levels that differ as much, the one that is more frequent in the cluster tells more.
    best = np.argmax(np.abs(effect) + 1e-9 * (effect > 0), axis=0)
    each = np.arange(k)
    figures = _shares(count[best, each], size, others[best, each])
    figures["level"] = looked_at[best].astype(np.float64)
    return figures, looked_at.size


def _numbers(values: FloatArray, code: NDArray[Any], k: int) -> dict[str, FloatArray]:
    """Compare ranks, quartiles and ranges."""
    known = ~np.isnan(values)
    if not known.all():
        values, code = values[known], code[known]
    order = np.argsort(values)
    value, cluster = values[order], code[order]
    m = np.bincount(cluster, minlength=k)
    n = value.size - m
    rank = _midranks(value)
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = np.bincount(cluster, rank, k)
        effect = (2 * sums - m * (m + 1.0)) / (m * n.astype(np.float64)) - 1
    groups = _Groups.of(cluster, m)
    figures = {"effect": effect, "m": m.astype(np.float64), "n": n.astype(np.float64)}
    summed = np.bincount(cluster, value, k)
    with np.errstate(invalid="ignore", divide="ignore"):
        figures |= {"inside_mean": summed / m, "outside_mean": (summed.sum() - summed) / n}
    for name, share in (("", 0.5), ("_from", 0.25), ("_to", 0.75)):
        figures[f"inside{name}"] = _quantile(value, groups.members, m, share)
        figures[f"outside{name}"] = _quantile(value, groups.others, n, share)
    return figures | _ranges(value, groups, m, n)


def _midranks(value: FloatArray) -> FloatArray:
    """Return the ranks of sorted values from 1 on, the mean of those that are equal."""
    first = np.flatnonzero(np.concatenate(([True], value[1:] != value[:-1])))
    count = np.diff(np.append(first, value.size))
    return np.repeat(first + (count + 1) / 2, count)


class _Groups(NamedTuple):
    """Where the members of each cluster are among sorted values."""

    places: IntArray  # cluster by cluster, ascending
    start: IntArray  # of each cluster in ``places``
    keys: IntArray  # the same, to be searched for all clusters at once
    skipped: IntArray  # how many others stand before each member, likewise
    total: int

    @classmethod
    def of(cls, cluster: NDArray[Any], m: IntArray) -> _Groups:
        places = np.argsort(cluster, kind="stable")
        start = np.cumsum(m) - m
        base = np.repeat(np.arange(m.size, dtype=np.int64) * (cluster.size + 1), m)
        before = places - (np.arange(places.size) - np.repeat(start, m))
        return cls(places, start, base + places, base + before, cluster.size)

    def members(self, at: IntArray) -> IntArray:
        """Return the place of member number ``at`` of each cluster."""
        return np.asarray(self.places[np.minimum(self.start + at, self.total - 1)])

    def others(self, at: IntArray) -> IntArray:
        """Return the place of number ``at`` of those outside of each cluster."""
        base = np.arange(at.size, dtype=np.int64) * (self.total + 1)
        passed = np.searchsorted(self.skipped, base + at, side="right") - self.start
        return np.minimum(at + passed, self.total - 1)

    def below(self, place: IntArray) -> IntArray:
        """Count the members of each cluster before a place."""
        base = np.arange(place.size, dtype=np.int64) * (self.total + 1)
        return np.searchsorted(self.keys, base + place) - self.start


def _quantile(value: FloatArray, place: Any, count: IntArray, share: float) -> FloatArray:
    """Return a quantile of each cluster as NumPy has it; NaN where there are no values."""
    at = share * np.maximum(count - 1, 0)
    floor = np.floor(at).astype(np.int64)
    low, high = value[place(floor)], value[place(np.minimum(floor + 1, count - 1).clip(0))]
    return np.where(count > 0, low + (at - floor) * (high - low), np.nan)


def _ranges(value: FloatArray, groups: _Groups, m: IntArray, n: IntArray) -> dict[str, FloatArray]:
    """Say how many rows are in the range of most of each cluster, inside and outside.

    The ends of the range are values of the cluster itself. A further row would be between the
    lowest and the highest of m values with probability (m - 1) / (m + 1): the share inside is
    brought down by this, so that no cluster of a random choice of rows has a range of its own.
    """
    edge = ((1 - _RANGE) / 2 * m).astype(np.int64)
    low, high = value[groups.members(edge)], value[groups.members((m - 1 - edge).clip(0))]
    first, last = np.searchsorted(value, low), np.searchsorted(value, high, side="right")
    own = groups.below(last) - groups.below(first)
    with np.errstate(invalid="ignore", divide="ignore"):
        inside, outside = own / m * ((m - 1) / (m + 1)), (last - first - own) / n
    return {"range_from": low, "range_to": high, "range_inside": inside, "range_outside": outside}


def _amount(
    column: Column, code: NDArray[Any], size: FloatArray
) -> tuple[dict[str, FloatArray], int]:
    """Compare the ranks of amounts that are mostly 0; told are the shares that are not 0."""
    k, total = size.size, code.size
    order = np.argsort(column.values)
    value, cluster = column.values[order], code[column.rows][order]
    before = int(np.searchsorted(value, 0.0))
    filled = value != 0  # zeros may be stored
    zeros = total - int(np.count_nonzero(filled))
    value, cluster = value[filled], cluster[filled]
    rank = _midranks(value)
    rank[before:] += zeros
    some = np.bincount(cluster, minlength=k).astype(np.float64)
    sums = np.bincount(cluster, rank, k) + (size - some) * (before + (zeros + 1) / 2)
    figures = _shares(some, size)
    for name in ("in_count", "out_count"):
        del figures[name]  # the interval is that of ranks
    with np.errstate(invalid="ignore", divide="ignore"):
        figures["effect"] = (2 * sums - size * (size + 1)) / (size * (total - size)) - 1
    return figures, 1
