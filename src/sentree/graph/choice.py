"""Which graph suits the samples: what the numbers in a table look like, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.graph import FloatArray
from sentree.graph.blocks import Block
from sentree.graph.kernels import LOCAL_RANK
from sentree.graph.large import is_large, moments
from sentree.graph.spaces import is_sparse

__all__ = ["GraphSettings", "choose"]

#: Above this many features samples are compared by the pattern of a row, not by its size: there
#: brightness, loudness or sequencing depth make most of the distance.
_MANY_FEATURES = 50
#: With many features, the rank of the neighbour whose distance is the local bandwidth. Distances
#: differ little there; a small bandwidth makes weights fall off steeply.
_STEEP_RANK = 2
#: The same for answers: a large bandwidth, since distances are whole numbers of steps.
_WIDE_RANK = 30
#: Most rows that are examined.
_ROWS = 2000
#: Most columns whose correlations are examined.
_COLUMNS = 200
#: Squares of numbers below this, or above its inverse, lose digits.
_SMALL = 1e-100
#: Rows have one length if their lengths differ by less than this share.
_SAME_LENGTH = 1e-3
#: Data are signed from this share of negative values on.
_SIGNED = 0.05
#: Text has at most this share of non-zero values.
_THIN = 0.2
#: Columns of a PCA have correlations below this, all rounding.
_EXACTLY = 1e-4
#: Columns count as uncorrelated below this mean correlation, beyond what chance gives.
_NEARLY = 0.06
#: Variances of components fall: their rank correlation with the order of columns is at most this.
_FALLING = -0.7
#: Fewer columns do not show whether they are uncorrelated other than by chance.
_ENOUGH_COLUMNS = 8
#: Columns of counts have variances whose standard deviation is at least this many times their mean.
_UNEQUAL = 2.0
#: A column of answers has at most this many different values.
_LEVELS = 10
#: Sparse samples are made dense up to this many numbers (256 MB).
_AS_DENSE = 1 << 25


@dataclass(frozen=True)
class GraphSettings:
    """How samples became a graph, and why.

    Attributes
    ----------
    kind : str
        What the samples were taken for: "table", "answers", "mixed" (numbers and categories of a
        table that was prepared), "components", "embedding", "text", "counts" or "profiles";
        "given" where the caller said how to compare.
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
    local_rank: int = LOCAL_RANK
    dense: bool = False
    n_neighbors: int | None = None

    @property
    def wide(self) -> bool:
        """Whether more neighbours than usual are needed."""
        return self.has_levels

    @property
    def is_table(self) -> bool:
        """Whether each column is a feature that may be transformed and weighed."""
        return self.kind == "table" or self.has_levels

    @property
    def has_levels(self) -> bool:
        """Whether many columns take few values: samples lie on a grid."""
        return self.kind in ("answers", "mixed")

    def arguments(self) -> dict[str, Any]:
        """Return arguments of :func:`sentree.knn_graph`."""
        return {name: getattr(self, name) for name in ("kernel", "metric", "scale", "local_rank")}

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain values."""
        return asdict(self)

    @property
    def scaling(self) -> str:
        """What was done to the features, in words."""
        words = {
            None: "as they are",
            "table": "scaled to variance 1",
            "minmax": "scaled to 0 to 1",
            "log-minmax": "as logarithms, scaled to 0 to 1",
            "centre": "centred",
        }
        if self.kind == "mixed":
            return "scaled to variance 1, levels of a category to a fixed distance"
        return words.get(self.scale, f"by {self.scale}")

    def __str__(self) -> str:
        two = " (those of two values to 0 and 1.6)" if self.kind in ("table", "answers") else ""
        return f"{self.kind} ({self.why}): features {self.scaling}{two}, distance {self.metric}"


def choose(X: Any, blocks: Sequence[Block] | None = None) -> GraphSettings:
    """Choose how to compare samples, by what their numbers look like.

    Sparse samples are treated like dense ones, except that the cosine replaces the correlation
    where they are too large to be made dense.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Finite samples.
    blocks : sequence of Block, optional
        Which features come from one column of a table that was prepared; it is a table then,
        however many features there are.

    Examples
    --------
    >>> import numpy as np
    >>> choose(np.random.default_rng(0).random((100, 4))).kind
    'table'
    """
    seen = _Seen.of(X)
    if blocks is not None:
        return _mixed(seen, blocks)
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
    """Return settings that keep the variance of each column, which says how much it matters."""
    return {"metric": "cosine", "scale": "centre", "dense": True} if many else {}


def _table(seen: _Seen) -> GraphSettings:
    """Compare rows of few features, each as important as the others."""
    dense = seen.n * seen.width <= _AS_DENSE
    if 2 * seen.levelled >= seen.width:
        why = f"{seen.levelled} of {seen.width} columns with few different values"
        return GraphSettings("answers", why, scale="table", local_rank=_WIDE_RANK, dense=dense)
    return GraphSettings("table", f"{seen.width} features", scale="table", dense=dense)


def _mixed(seen: _Seen, blocks: Sequence[Block]) -> GraphSettings:
    """Compare rows of a prepared table: two different levels are as far apart as two truths."""
    kinds = [block.kind for block in blocks if block.kind != "missing"]
    levels = sum(kind in ("category", "boolean") for kind in kinds)
    why = f"{len(kinds)} columns, {levels} of them categories"
    return replace(_table(seen), kind="mixed", why=why, local_rank=_WIDE_RANK)


def _pattern(seen: _Seen, kind: str, why: str) -> GraphSettings:
    """Compare rows of many features by what is high and low in them."""
    counts = kind == "counts"
    rank = LOCAL_RANK if counts else _STEEP_RANK
    small = seen.n * seen.width <= _AS_DENSE
    if seen.sparse and not small:
        # Subtracting the minimum of a column or the mean of a row would make them dense.
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
        """Return the share of all values, zeros included, that are marked."""
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
        """Whether values are counts: whole, not below 0, with a few columns of large variance."""
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
        """Whether columns have mean 0 and no correlation at all, which only a PCA gives."""
        large = is_large(self.whole)
        mean = moments(self.whole)[0] if large else np.asarray(self.whole.mean(axis=0)).ravel()
        centred = bool((np.abs(mean) <= _EXACTLY * np.sqrt(self.variance)).all())
        return centred and self._correlation(self.whole, chance=False) < _EXACTLY

    def _correlation(self, samples: Any, chance: bool = True) -> float:
        """Return how much columns are correlated, on average, beyond what chance would give."""
        columns = np.unique(np.linspace(0, self.width - 1, _COLUMNS).astype(int))
        if is_large(samples):
            covariance = moments(samples)[1][np.ix_(columns, columns)]
            size = np.sqrt(np.diag(covariance))
            table = covariance / np.outer(size, size)
        else:
            part = samples[:, columns]
            dense = np.asarray(part.toarray() if self.sparse else part, dtype=np.float64)
            table = np.atleast_2d(np.corrcoef(dense, rowvar=False))
        found = table[np.triu_indices(columns.size, 1)]
        expected = 1.0 / samples.shape[0] if chance else 0.0
        return float(np.sqrt(max(np.mean(found**2) - expected, 0.0)))

    @property
    def levelled(self) -> int:
        """Number of columns with few different values, about ten rows or more for each."""
        few = min(_LEVELS, self.rows.shape[0] // 10)
        table = self.rows.toarray() if self.sparse else np.asarray(self.rows)
        return sum(np.unique(column).size <= few for column in table.T)


def _rank_correlation(variance: NDArray[Any]) -> float:
    """Return the rank correlation between the variances of columns and their order."""
    d = variance.size
    rank = np.empty(d)
    rank[np.argsort(variance, kind="stable")] = np.arange(d)
    gap = rank - np.arange(d)
    return float(1 - 6 * (gap @ gap) / (d * (d * d - 1)))
