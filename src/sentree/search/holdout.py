"""Constraints that are hidden in turn, to judge a search by those it has not seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.graph import FloatArray

IntArray = NDArray[np.int64]

__all__ = ["FOLDS", "Folds"]

#: Number of parts that are hidden in turn.
FOLDS = 3
#: A set of must-linked samples is hidden as a whole unless it has more than this share of all
#: must-links.
_LARGEST_WHOLE = 0.2


class Folds:
    """The folds of constraints: which are hidden together.

    A set of must-linked samples is hidden as a whole, so that the visible links imply nothing about
    it. In a set too large for that, links are hidden with their first sample. Cannot-links between
    the same two sets are hidden together. Labels are stratified by class.
    """

    def __init__(self, n: int, given: Constraints) -> None:
        self._given = given
        random = np.random.default_rng(0)
        linked = Constraints.from_pairs(given.must_link).closure(n)
        of_set = random.integers(0, FOLDS, linked.n_components)
        of_sample = random.integers(0, FOLDS, n)
        first = given.must_link[:, 0]
        held = np.bincount(linked.component[first], minlength=linked.n_components)
        whole = held <= _LARGEST_WHOLE * max(first.size, 1)
        sets = linked.component[first]
        self._must = np.where(whole[sets], of_set[sets], of_sample[first])
        ends = np.sort(linked.component[given.cannot_link], axis=1)
        _, pair = np.unique(ends, axis=0, return_inverse=True)
        self._cannot = random.integers(0, FOLDS, pair.size)[pair.ravel()]
        order = np.lexsort((random.random(given.label_code.size), given.label_code))
        self._label = np.empty(order.size, dtype=np.int64)
        self._label[order] = np.arange(order.size) % FOLDS

    def visible(self, fold: int) -> Constraints:
        """Return the constraints without those of a fold."""
        given = self._given
        must, cannot, label = (part != fold for part in (self._must, self._cannot, self._label))
        return replace(
            given,
            must_link=given.must_link[must],
            must_weight=given.must_weight[must],
            cannot_link=given.cannot_link[cannot],
            cannot_weight=given.cannot_weight[cannot],
            label_index=given.label_index[label],
            label_code=given.label_code[label],
        )

    def kept(self, fold: int, labels: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Return how well clusters keep the hidden must-links and cannot-links, 0 to 1 for each."""
        must = labels[self._given.must_link[self._must == fold]]
        cannot = labels[self._given.cannot_link[self._cannot == fold]]
        together, apart = self._labels_kept(fold, labels)
        return (
            np.concatenate((must[:, 0] == must[:, 1], together)).astype(np.float64),
            np.concatenate((cannot[:, 0] != cannot[:, 1], apart)).astype(np.float64),
        )

    def _labels_kept(self, fold: int, labels: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Return for each hidden label the shares of its class inside and of others outside."""
        code, cluster = self._given.label_code, labels[self._given.label_index]
        if code.size == 0:
            return np.empty(0), np.empty(0)
        in_both, in_class, in_cluster = (
            _frequency(key)[self._label == fold]
            for key in (code * (int(cluster.max()) + 1) + cluster, code, cluster)
        )
        fellows, others = in_class - 1, code.size - in_class
        together = (in_both - 1)[fellows > 0] / fellows[fellows > 0]
        apart = 1.0 - (in_cluster - in_both)[others > 0] / others[others > 0]
        return together, apart


def _frequency(values: NDArray[Any]) -> IntArray:
    """Return how often each value occurs."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(count[place], dtype=np.int64)
