"""Which graph suits the samples: what the numbers in a table look like, and what follows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.graph import FloatArray
from sentree.graph.neighbors import is_sparse

__all__ = ["GraphSettings", "choose"]

#: Above this many features samples are compared by the pattern of a row, not by its size: there
#: brightness, loudness or sequencing depth make most of the distance.
_MANY_FEATURES = 50
#: Local bandwidth: distance to this neighbour.
_LOCAL_RANK = 7
#: The same between many features, where distances differ little: so close that weights fall off
#: steeply, and a graph of many neighbours serves fine and coarse structure alike.
_STEEP_RANK = 2
#: The same between answers, where a distance is a number of steps: so far that one more is little.
_WIDE_RANK = 30
#: Rows and columns that are looked at, at most.
_ROWS, _COLUMNS = 2000, 200
#: Numbers below it, or above its inverse, have squares that lose digits.
_SMALL = 1e-100
#: Rows have length 1 if their lengths differ by less than this share.
_SAME_LENGTH = 1e-3
#: Share of values below 0 that makes data signed.
_SIGNED = 0.05
#: Share of values that are not 0, at most, in text.
_THIN = 0.2
#: Columns are uncorrelated by themselves below the first, and but for chance below the second;
#: then variances that fall with at least this rank correlation, and columns enough to tell.
_EXACTLY, _NEARLY, _FALLING, _ENOUGH_COLUMNS = 1e-4, 0.06, -0.7, 8
#: Variances of columns whose standard deviation is so many times their mean: those of counts.
_UNEQUAL = 2.0
#: A column of answers has at most so many different values.
_LEVELS = 10
#: Numbers that a sparse matrix may have as a dense one to be compared as that (256 MB).
_AS_DENSE = 1 << 25


@dataclass(frozen=True)
class GraphSettings:
    """How samples became a graph, and why.

    Attributes
    ----------
    kind : str
        What the samples were taken for: "table", "answers", "components", "embedding", "text",
        "counts" or "profiles"; "given" where the caller said how to compare.
    why : str
        What was seen in the data, in words.
    kernel, metric, scale, local_rank
        As in :func:`sentree.knn_graph`.
    dense : bool
        Whether sparse samples are compared as dense ones.
    n_neighbors : int or None
        Neighbours of a sample, as far as these are known.
    """

    kind: str
    why: str
    kernel: str = "gaussian"
    metric: str = "euclidean"
    scale: str | None = None
    local_rank: int = _LOCAL_RANK
    dense: bool = False
    n_neighbors: int | None = None

    @property
    def wide(self) -> bool:
        """Whether more neighbours than usual are needed."""
        return self.kind == "answers"

    @property
    def is_table(self) -> bool:
        """Whether columns are features of their own, which may be tamed and weighed."""
        return self.kind in ("table", "answers")

    def arguments(self) -> dict[str, Any]:
        """Return arguments of :func:`sentree.knn_graph`."""
        return {name: getattr(self, name) for name in ("kernel", "metric", "scale", "local_rank")}

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        scale = {
            None: "as they are",
            "table": "brought to variance 1 (those of two values to 0 and 1.6)",
            "minmax": "brought to 0 to 1",
            "log-minmax": "as logarithms, brought to 0 to 1",
            "centre": "less their mean",
        }.get(self.scale, f"by {self.scale}")
        return f"{self.kind} ({self.why}): features {scale}, distance {self.metric}"


def choose(X: Any) -> GraphSettings:
    """Say how samples are best compared, by what their numbers look like.

    Sparse samples are looked at as dense ones would be, and compared in the same way, except that
    the cosine stands for the correlation where they are too large to be made dense.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Finite samples.

    Examples
    --------
    >>> import numpy as np
    >>> choose(np.random.default_rng(0).random((100, 4))).kind
    'table'
    """
    seen = _Seen.of(X)
    many = seen.width > _MANY_FEATURES
    if seen.components:
        return GraphSettings("components", "columns uncorrelated, variances falling", **_left(many))
    if seen.unit and seen.signed:
        return GraphSettings("embedding", "rows of length 1, of both signs", **_left(many))
    if not many:
        return _table(seen)
    if seen.unit and seen.filled < _THIN:
        why = "rows of length 1, few values but 0, none below"
        return GraphSettings("text", why, metric="cosine")
    if seen.counts:
        return _pattern(seen, "counts", "whole numbers, columns of very unequal variance")
    return _pattern(seen, "profiles", f"{seen.width} features")


def _left(many: bool) -> dict[str, Any]:
    """Leave columns the variance that they have: it says how much they matter."""
    return {"metric": "cosine", "scale": "centre", "dense": True} if many else {}


def _table(seen: _Seen) -> GraphSettings:
    """Compare rows of few features, each as important as the others."""
    dense = seen.n * seen.width <= _AS_DENSE
    if 2 * seen.levelled >= seen.width:
        why = f"{seen.levelled} of {seen.width} columns with few different values"
        return GraphSettings("answers", why, scale="table", local_rank=_WIDE_RANK, dense=dense)
    return GraphSettings("table", f"{seen.width} features", scale="table", dense=dense)


def _pattern(seen: _Seen, kind: str, why: str) -> GraphSettings:
    """Compare rows of many features by what is high and low in them."""
    counts = kind == "counts"
    rank = _LOCAL_RANK if counts else _STEEP_RANK
    small = seen.n * seen.width <= _AS_DENSE
    if seen.sparse and not small:
        # Neither the smallest value of a column nor the mean of a row may be taken away.
        scale = "log-maxabs" if counts else "maxabs"
        why += ", sparse and large"
        return GraphSettings(kind, why, metric="cosine", scale=scale, local_rank=rank)
    scale = "log-minmax" if counts else "minmax"
    return GraphSettings(kind, why, "gaussian", "correlation", scale, rank, dense=True)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What the numbers of a table look like, from some of its rows."""

    n: int
    width: int
    sparse: bool
    whole: Any  # the samples
    rows: Any  # some of them

    @classmethod
    def of(cls, X: Any) -> _Seen:
        n, width = X.shape
        rows = X
        if n > _ROWS:
            rows = X[np.sort(np.random.default_rng(0).choice(n, _ROWS, replace=False))]
        largest = float(abs(rows).max())
        if largest and not _SMALL < largest < 1 / _SMALL:
            rows = rows / largest  # squares stay within what numbers can hold
        return cls(n, width, is_sparse(X), X, rows)

    @cached_property
    def values(self) -> FloatArray:
        """Values that are stored; zeros may be left out."""
        return np.asarray(self.rows.data if self.sparse else self.rows, dtype=np.float64).ravel()

    @property
    def filled(self) -> float:
        """Share of values that are not 0."""
        return self._share(self.values != 0)

    @property
    def signed(self) -> bool:
        """Whether a good part of the values is below 0."""
        return self._share(self.values < 0) >= _SIGNED

    def _share(self, found: NDArray[np.bool_]) -> float:
        """Return how many of all values some are."""
        return float(np.count_nonzero(found) / (self.rows.shape[0] * self.width))

    @property
    def unit(self) -> bool:
        """Whether all rows have the same length, which is not 0."""
        if self.width < 3:
            return False
        squares = self.rows.multiply(self.rows) if self.sparse else np.square(self.rows)
        length = np.sqrt(np.asarray(squares.sum(axis=1), dtype=np.float64)).ravel()
        return bool(length.min() > 0 and np.ptp(length) <= _SAME_LENGTH * length.min())

    @cached_property
    def variance(self) -> FloatArray:
        """Variance of every column."""
        if not self.sparse:
            return np.asarray(np.var(self.rows, axis=0, dtype=np.float64))
        mean = np.asarray(self.rows.mean(axis=0)).ravel()
        squares = np.asarray(self.rows.multiply(self.rows).mean(axis=0)).ravel()
        return np.asarray(np.maximum(squares - mean**2, 0.0))

    @property
    def counts(self) -> bool:
        """Whether the values count something: whole, not below 0, and some columns far ahead."""
        values = self.values
        if (values < 0).any() or (values != np.rint(values)).any():
            return False
        variance = self.variance[self.variance > 0]
        return bool(variance.size and variance.std() >= _UNEQUAL * variance.mean())

    @property
    def components(self) -> bool:
        """Whether the columns are components of the data, the first the most important."""
        variance = self.variance
        if self.width < 2 or not self.signed or not (variance > 0).all():
            return False
        falling = _rank_correlation(variance)
        if falling > _FALLING:
            return False
        if self.width >= _ENOUGH_COLUMNS and self._correlation(self.rows) < _NEARLY:
            return True
        return falling == -1 and self.width <= _MANY_FEATURES and self._exactly_uncorrelated()

    def _exactly_uncorrelated(self) -> bool:
        """Whether columns have mean 0 and no correlation at all, as only those of a PCA have."""
        mean = np.asarray(self.whole.mean(axis=0)).ravel()
        centred = bool((np.abs(mean) <= _EXACTLY * np.sqrt(self.variance)).all())
        return centred and self._correlation(self.whole, chance=False) < _EXACTLY

    def _correlation(self, samples: Any, chance: bool = True) -> float:
        """Return how much columns are correlated, on average, beyond what chance would give."""
        columns = np.unique(np.linspace(0, self.width - 1, _COLUMNS).astype(int))
        part = samples[:, columns]
        table = np.asarray(part.toarray() if self.sparse else part, dtype=np.float64)
        found = np.atleast_2d(np.corrcoef(table, rowvar=False))[np.triu_indices(columns.size, 1)]
        expected = 1.0 / table.shape[0] if chance else 0.0
        return float(np.sqrt(max(np.mean(found**2) - expected, 0.0)))

    @property
    def levelled(self) -> int:
        """Number of columns with few different values, each of which is there often."""
        few = min(_LEVELS, self.rows.shape[0] // 10)
        table = self.rows.toarray() if self.sparse else np.asarray(self.rows)
        return sum(np.unique(column).size <= few for column in table.T)


def _rank_correlation(variance: NDArray[Any]) -> float:
    """Return how the variances of columns go with the order of these, from -1 to 1."""
    d = variance.size
    rank = np.empty(d)
    rank[np.argsort(variance, kind="stable")] = np.arange(d)
    gap = rank - np.arange(d)
    return float(1 - 6 * (gap @ gap) / (d * (d * d - 1)))
