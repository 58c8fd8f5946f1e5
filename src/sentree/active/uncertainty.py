"""Questions about the samples that the clusters are least sure of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sentree.active.questions import Question
from sentree.active.situation import FloatArray, Situation
from sentree.active.strategy import Strategy

__all__ = ["Uncertainty"]


@dataclass(frozen=True)
class Uncertainty(Strategy):
    """Ask about the samples whose cluster is least certain.

    The utility of a sample is the entropy of its ``membership_``, in bits. Questions of one batch
    are not about neighbours in the graph.

    Parameters
    ----------
    form : {"choice", "pair"}, default="choice"
        "choice": which of the known classes a sample belongs to, or a new one. "pair": whether it
        belongs to the likeliest group that earlier answers leave open.
    max_options : int, default=9
        Most classes that a choice shows: the likeliest.
    """

    def _questions(self, now: Situation, count: int) -> tuple[list[Question], FloatArray]:
        scores = np.where(now.open, _entropy(now.model.membership_), np.nan)
        order = np.argsort(-scores, kind="stable")[: np.count_nonzero(now.open)]
        edges = now.model.graph_.to_scipy().tocsr()
        near = np.zeros(scores.size, dtype=bool)
        questions: list[Question] = []
        for point in order:
            if len(questions) == count:
                break
            if near[point]:
                continue
            question = now.choice(point, self._most, scores[point])
            if question is not None:
                questions.append(question)
                near[point] = True
                near[edges.indices[edges.indptr[point] : edges.indptr[point + 1]]] = True
        return questions, scores


def _entropy(membership: Any) -> FloatArray:
    """Return the entropy of every row of probabilities, in bits."""
    row = np.repeat(np.arange(membership.shape[0]), np.diff(membership.indptr))
    bits = -membership.data * np.log2(membership.data)
    return np.asarray(np.bincount(row, bits, membership.shape[0]), dtype=np.float64)
