"""How alike units are by their features: what answers say of units far away in the tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import FloatArray
from sentree.graph.extend import SampleExtension
from sentree.graph.scaling import check_samples

__all__ = ["Similarity", "Vote", "best_vote"]

#: How fast the local similarity falls with the squared distance, whose mean is 2.
_LOCALITY = 2.0
#: Above this many units only the tree decides.
_MOST_UNITS = 20_000
#: Ridges that are tried, relative to the mean squared length of rows.
_RIDGES = (0.03, 0.1, 0.3, 1.0)
#: Powers of the tree's beliefs, and factors of the features' votes, that are tried.
_POWERS = (0.25, 0.5, 1.0)
_FACTORS = (1.0, 2.0, 4.0, 8.0)
#: Log likelihood that each departure from the tree alone must gain.
_PRICE = 0.7
#: Answers about classes with two answers or more that a vote needs.
_FEWEST = 4
#: The least belief that counts.
_LEAST = 1e-3

IntArray = NDArray[np.int64]


class Similarity:
    """Similarities of all units to some, linear and local, remembered from call to call."""

    def __init__(self, rows: Any) -> None:
        if sp.issparse(rows):
            length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
            self._rows: Any = sp.csr_array(
                sp.diags_array(1 / np.where(length > 0, length, 1.0)) @ rows
            )
        else:
            centred = rows - rows.mean(axis=0)
            size = np.sqrt(np.mean(np.sum(centred**2, axis=1)))
            self._rows = centred / (size if size > 0 else 1.0)
        squares = self._rows.multiply(self._rows) if sp.issparse(rows) else self._rows**2
        self._squares = np.asarray(squares.sum(axis=1)).ravel()
        self._known: dict[int, tuple[FloatArray, FloatArray]] = {}

    @classmethod
    def of(cls, model: Any, typical: IntArray) -> Similarity | None:
        """Compare units by their typical samples; None where a model has no samples."""
        extension = model._extension
        if not isinstance(extension, SampleExtension) or typical.size > _MOST_UNITS:
            return None
        rows = extension.layout.scaled(check_samples(extension.samples[typical]))
        return cls(sp.csr_array(rows) if sp.issparse(rows) else np.asarray(rows, dtype=float))

    def columns(self, units: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the similarities of all units to these, linear and local."""
        for unit in units.tolist():
            if unit not in self._known:
                self._known[unit] = self._column(unit)
        linear, local = zip(*(self._known[unit] for unit in units.tolist()), strict=True)
        return np.column_stack(linear), np.column_stack(local)

    def nearest(self, unit: int, units: IntArray) -> float:
        """Return how near a unit is to the nearest of others: above 0, 1 at most."""
        return float(self.columns(units)[1][unit].max())

    def _column(self, unit: int) -> tuple[FloatArray, FloatArray]:
        one = self._rows[[unit]]
        product = self._rows @ one.T
        linear = np.asarray(product.todense() if sp.issparse(product) else product).ravel()
        distance = np.maximum(self._squares + self._squares[unit] - 2 * linear, 0.0)
        return linear + 1.0, np.exp(-_LOCALITY * distance)


class Vote(NamedTuple):
    """What features add to the beliefs of the tree: log beliefs times a power, plus votes."""

    power: float
    votes: FloatArray | None  # of shape (n_units, n_classes); None for none

    def joined(self, belief: FloatArray) -> FloatArray:
        """Return beliefs in the classes, given those of the tree; rows sum to 1."""
        score = self.power * np.log(np.maximum(belief, _LEAST))
        return _softmax(score if self.votes is None else score + self.votes)


def best_vote(
    similarity: Similarity | None, units: IntArray, code: IntArray, others: FloatArray
) -> Vote:
    """Find how much features say about classes, by hiding every answer in turn.

    A vote is a ridge regression on the known classes, whose predictions for hidden answers have a
    closed form. It must beat the tree alone.

    Parameters
    ----------
    units, code : int arrays
        Units whose class is known, and their classes.
    others : float array of shape (n_known, n_classes)
        What the tree believes of each of them if its own answer is hidden.
    """
    k = others.shape[1]
    if k < 2:
        return Vote(1.0, None)
    told = np.bincount(code, minlength=k)[code] > 1  # others of the class remain if it is hidden
    told &= np.count_nonzero(told) >= _FEWEST
    log_belief = np.log(np.maximum(others[told], _LEAST))
    right = np.arange(log_belief.shape[0]), code[told]

    def evidence(score: FloatArray, departures: float) -> float:
        return float(np.log(_softmax(score)[right]).sum() - _PRICE * departures)

    tried = [(evidence(power * log_belief, -np.log2(power)), power) for power in _POWERS]
    best: tuple[float, float, Any] = *max(tried), None
    if similarity is None or not told.any():
        return Vote(best[1], None)
    wanted = np.full((code.size, k), -1.0 / (k - 1))
    wanted[np.arange(code.size), code] = 1.0
    for columns in similarity.columns(units):
        values, vectors = np.linalg.eigh(columns[units])
        for ridge in _RIDGES:
            inverse = (vectors / (np.maximum(values, 0.0) + ridge)) @ vectors.T
            weights = inverse @ wanted
            hidden = (wanted - weights / np.diag(inverse)[:, None])[told]
            for power in _POWERS:
                for factor in _FACTORS:
                    gained = evidence(power * log_belief + factor * hidden, 1 - np.log2(power))
                    if gained > best[0]:
                        best = gained, power, (columns, factor * weights)
    return Vote(best[1], None if best[2] is None else best[2][0] @ best[2][1])


def _softmax(score: FloatArray) -> FloatArray:
    """Return exp of the scores, in rows that sum to 1."""
    raised = np.exp(score - score.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
