"""Weights of features, learned from labels.

A feature that is unrelated to the classes only adds noise to the distances between samples. Labels
show which features are related to them: those that differ more between classes than within.
Combinations of features that separate classes may be added. Weights are used only where they help
on labels that are hidden in turn (cross-validation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.graph import FloatArray
from sentree.graph.blocks import Block
from sentree.graph.scaling import Layout, check_samples, weigh
from sentree.graph.tails import find_tails

__all__ = ["Features", "Weighing", "table_layout", "weigh_features"]

#: With this many labels beyond one per class, labels and equal weights count the same.
_HALF = 20
#: Most labels that are used; of more, a random choice.
_MOST_LABELS = 1000
#: Parts of the labels that are hidden in turn.
_FOLDS = 5
#: The mean gain on hidden labels must be above 0 by this many standard errors.
_ERRORS = 1.0
#: With this many labels per feature, beyond one per class, the covariance within classes and a
#: multiple of the identity count the same.
_SHRINKAGE = 4.0
#: Largest length of a direction.
_LENGTH = 3.0
#: Variances below this count as 0.
_LEAST_SPREAD = 1e-3
#: A feature of at least this weight is reported as weighed up.
_UP = 1.2
#: A feature of at most this weight is reported as weighed down.
_DOWN = 0.8
#: Most features that are named in a report line.
_NAMED = 5

#: Distance of two levels of a category, where other features have variance 1. Without labels
#: levels must not cut clusters that the numbers show; with labels weights see to that.
_APART, _APART_UNLABELLED = 1.6, 1.2
#: Samples that are examined to see whether labels cover all of the data.
_EXAMINED = 1000
#: Quantile of the distances from labelled samples to the next one of their class.
_MOST_OWN = 0.9
#: A sample is far from the labels if all are farther than this many times that quantile.
_FAR = 1.5
#: With a larger share of far samples, features are not weighed.
_MANY = 0.2

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Features:
    """What was done to the features of a table before samples were compared.

    Attributes
    ----------
    n_features : int
        Number of features.
    weights : float array of shape (n_features,) or None
        How much each counts in distances, 1 on average (of squares); None where all count alike.
    tamed : int array
        Features with long tails, of which a logarithm was taken.
    names : tuple of str or None
        What the features are called; None where they have numbers only.
    n_directions : int
        How many combinations of features that tell classes apart count beside them.
    """

    n_features: int
    weights: FloatArray | None
    tamed: IntArray
    names: tuple[str, ...] | None = None
    n_directions: int = 0

    @classmethod
    def of(cls, layout: Layout, n_features: int, names: Sequence[Any] | None = None) -> Features:
        """Read from a layout what it does."""
        tamed = np.empty(0, dtype=np.int64) if layout.tails is None else layout.tails.columns
        called = None if names is None else tuple(map(str, names))
        count = 0 if layout.directions is None else layout.directions.shape[1]
        return cls(n_features, layout.weights, tamed, called, count)

    def name(self, k: int) -> str:
        """Return what a feature is called."""
        return f"feature {k}" if self.names is None else self.names[k]

    @property
    def up(self) -> IntArray:
        """Features that count clearly more than others, those of most weight first."""
        if self.weights is None:
            return np.empty(0, dtype=np.int64)
        order = np.argsort(-self.weights, kind="stable")
        return order[self.weights[order] >= _UP]

    @property
    def down(self) -> IntArray:
        """Features that count clearly less than others, those of least weight first."""
        if self.weights is None:
            return np.empty(0, dtype=np.int64)
        order = np.argsort(self.weights, kind="stable")
        return order[self.weights[order] <= _DOWN]

    def __bool__(self) -> bool:
        """Tell whether anything was weighed or tamed."""
        return self.weights is not None or self.tamed.size > 0

    def __str__(self) -> str:
        parts = [
            f"{what}: {self._listed(which)}"
            for what, which in (
                ("weighed up", self.up),
                ("weighed down", self.down),
                ("tails tamed", self.tamed),
            )
            if which.size
        ]
        if not self.up.size and not self.down.size and self.weights is not None:
            parts.insert(0, "weighed about alike")
        if self.n_directions:
            plural = "s" if self.n_directions > 1 else ""
            parts.append(f"beside them {self.n_directions} combination{plural} of features")
        return "; ".join(parts) or "all count alike"

    def __repr__(self) -> str:
        return f"Features({self.n_features} features; {self})"

    def _listed(self, which: IntArray) -> str:
        more = ["…"] if which.size > _NAMED else []
        return ", ".join([*(self.name(k) for k in which[:_NAMED].tolist()), *more])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: names, weights, and the names or numbers of tamed features."""
        return {
            "n_features": self.n_features,
            "names": None if self.names is None else list(self.names),
            "weights": None if self.weights is None else self.weights.tolist(),
            "tamed": self.tamed.tolist(),
            "n_directions": self.n_directions,
        }


def table_layout(
    X: Any,
    scale: str | None,
    given: Constraints,
    blocks: Sequence[Block] | None = None,
    tails: bool = True,
) -> Layout:
    """Return how the samples of a table are compared: tails as logarithms, features weighed.

    Parameters
    ----------
    X : dense array of shape (n_samples, n_features)
        The samples.
    scale : str or None
        As in :func:`sentree.knn_graph`.
    given : Constraints
        What is known about them, of which the labels count here.
    blocks : sequence of Block, optional
        Which features come from one column of a table that was prepared.
    tails : bool
        Whether columns with long tails are taken as logarithms.
    """
    samples = check_samples(X)
    long = find_tails(samples) if tails else None
    index, code = _asked(given)
    known = (index >= 0) & (index < samples.shape[0])  # others are refused later
    apart = _APART_UNLABELLED if index.size == 0 else _APART
    layout = Layout.fit(samples, scale, "euclidean", long, blocks or (), apart)
    if not known.all() or index.size < 2:
        return layout
    labelled = np.asarray(layout.scaled(samples[index]), dtype=np.float64)
    if _many_far(layout.scaled(_drawn(samples)), labelled, code):
        return layout  # other classes may differ in other features
    found = weigh_features(labelled, code)
    return layout if found is None else layout.weighed(*found)


def _drawn(samples: FloatArray) -> FloatArray:
    """Return some of the samples."""
    if samples.shape[0] <= _EXAMINED:
        return samples
    return np.asarray(
        samples[np.random.default_rng(0).choice(samples.shape[0], _EXAMINED, replace=False)]
    )


def _many_far(samples: FloatArray, labelled: FloatArray, code: NDArray[Any]) -> bool:
    """Tell whether many samples are so far from all labels that they likely have other classes.

    Far is farther than labelled samples of one class usually are from one another.
    """
    from scipy.spatial.distance import cdist

    among = cdist(labelled, labelled)
    np.fill_diagonal(among, np.inf)
    own = np.where(code[:, None] == code[None], among, np.inf).min(axis=1)
    own = own[np.isfinite(own)]
    if own.size == 0:
        return False
    near = _FAR * np.quantile(own, _MOST_OWN)
    return bool(np.mean(cdist(samples, labelled).min(axis=1) > near) > _MANY)


def _asked(given: Constraints) -> tuple[IntArray, IntArray]:
    """Return labelled samples and their classes; of too many, a random choice."""
    index, first = np.unique(given.label_index, return_index=True)
    code = given.label_code[first]
    if index.size > _MOST_LABELS:
        drawn = np.random.default_rng(0).permutation(index.size)[:_MOST_LABELS]
        index, code = index[drawn], code[drawn]
    return index, code


class Weighing(NamedTuple):
    """Weights of features, and directions of the weighed ones."""

    weights: FloatArray  # squares are 1 on average
    directions: FloatArray | None = None  # features x directions


def weigh_features(samples: FloatArray, code: NDArray[Any]) -> Weighing | None:
    """Return weights of features, and perhaps directions; None where they do not help.

    Three ways are compared on labels that are hidden in turn: equal weights, weights, and weights
    with directions. The one that brings hidden samples nearest to their class is taken.

    Parameters
    ----------
    samples : float array of shape (n_labels, n_features)
        Labelled samples, scaled.
    code : int array of shape (n_labels,)
        Their classes.
    """
    if samples.shape[1] < 2 or (weights := _weights(samples, code)) is None:
        return None
    weighed, directed = _gains(samples, code)
    if max(weighed, directed) <= 0:
        return None
    return Weighing(weights, _directions(samples * weights, code) if directed > weighed else None)


def _weights(samples: FloatArray, code: NDArray[Any]) -> FloatArray | None:
    """Weigh features by how much they differ between classes; None where labels do not say.

    Ranks are compared, so that outliers and the shape of a distribution do not matter. With few
    labels per class the weights are shrunk towards 1.
    """
    _, classes = np.unique(code, return_inverse=True)
    spare = code.size - int(classes.max(initial=-1)) - 1
    if classes.max(initial=0) == 0 or spare < 1:
        return None
    evidence = np.log(np.maximum(_variance_ratio(_ranks(samples), classes), 1.0))
    if not evidence.any():
        return None
    say = spare / (spare + _HALF)
    weights = (1 - say) + say * evidence / evidence.max()
    return np.asarray(weights / np.sqrt((weights**2).mean()))


def _ranks(samples: FloatArray) -> FloatArray:
    """Return the rank of each value in its column; ties have their mean."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(samples, axis=0), dtype=np.float64)


def _variance_ratio(values: FloatArray, classes: IntArray) -> FloatArray:
    """Return the one-way F of each column: variance between classes over that within."""
    m, k = values.shape[0], int(classes.max()) + 1
    member = np.zeros((k, m))
    member[classes, np.arange(m)] = 1.0
    means = member @ values / member.sum(axis=1, keepdims=True)
    within = ((values - means[classes]) ** 2).sum(axis=0) / (m - k)
    between = ((means[classes] - values.mean(axis=0)) ** 2).sum(axis=0) / (k - 1)
    # The variance within classes is at least that of one rank in one sample.
    return np.asarray(between / np.maximum(within, 1.0 / m))


def _directions(samples: FloatArray, code: NDArray[Any]) -> FloatArray | None:
    """Return linear discriminants of weighed features, if any.

    The covariance within classes is shrunk towards a multiple of the identity, the more the fewer
    labels there are. Directions are short where labels are few, or where they separate little.
    """
    from scipy.linalg import eigh

    _, classes, count = np.unique(code, return_inverse=True, return_counts=True)
    (m, width), k = samples.shape, count.size
    spare = m - k
    member = np.zeros((k, m))
    member[classes, np.arange(m)] = 1.0
    means = member @ samples / count[:, None]
    rest, away = samples - means[classes], means[classes] - samples.mean(axis=0)
    within, trust = rest.T @ rest / spare, spare / (_SHRINKAGE * width + spare)
    level = max(float(np.trace(within)) / width, _LEAST_SPREAD)
    within = trust * within + (1 - trust + _LEAST_SPREAD) * level * np.eye(width)
    value, vector = eigh(away.T @ away / m - (k - 1) / m * within, within)
    clear = value > _LEAST_SPREAD
    if not clear.any():
        return None
    length = _LENGTH * spare / (spare + _HALF) * np.sqrt(value[clear] / (1 + value[clear]))
    return np.asarray(vector[:, clear] * length)


def _gains(samples: FloatArray, code: NDArray[Any]) -> tuple[float, float]:
    """Return how much nearer hidden labels are to their class with weights, and with directions.

    A fifth of the labels is hidden in turn, and features are weighed by the others. The result is
    the mean gain minus its standard error.
    """
    part = _parts(code)
    gains: list[FloatArray] = []
    for fold in range(_FOLDS):
        hidden, seen = part == fold, part != fold
        weights = _weights(samples[seen], code[seen])
        if not hidden.any() or weights is None:
            continue
        directions = _directions(samples[seen] * weights, code[seen])
        plain = _margins(samples, code, hidden)
        ways = (weigh(samples, weights, each) for each in (None, directions))
        gains.append(np.array([_margins(way, code, hidden) - plain for way in ways]))
    if not gains:
        return 0.0, 0.0
    gain = np.hstack(gains)
    clear = gain.mean(axis=1) - _ERRORS * gain.std(axis=1) / np.sqrt(gain.shape[1])
    return float(clear[0]), float(clear[1])


def _parts(code: NDArray[Any]) -> IntArray:
    """Assign labels to folds, class by class."""
    order = np.lexsort((np.random.default_rng(0).random(code.size), code))
    part = np.empty(code.size, dtype=np.int64)
    part[order] = np.arange(code.size) % _FOLDS
    return part


def _margins(samples: FloatArray, code: NDArray[Any], hidden: NDArray[np.bool_]) -> FloatArray:
    """Return for each hidden label how much nearer its class is than others, from -1 to 1."""
    from scipy.spatial.distance import cdist

    distance = cdist(samples[hidden], samples[~hidden])
    own = code[hidden][:, None] == code[~hidden][None]
    hit = np.where(own, distance, np.inf).min(axis=1)
    miss = np.where(own, np.inf, distance).min(axis=1)
    usable = np.isfinite(hit) & np.isfinite(miss) & (hit + miss > 0)
    margins = np.zeros(hit.size)
    margins[usable] = (miss - hit)[usable] / (miss + hit)[usable]
    return margins
