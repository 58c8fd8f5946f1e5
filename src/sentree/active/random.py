"""Questions at random: what any other strategy has to beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sentree.active.questions import Question
from sentree.active.situation import FloatArray, Situation
from sentree.active.strategy import Strategy

__all__ = ["Random"]


@dataclass(frozen=True)
class Random(Strategy):
    """Ask about random samples.

    Parameters
    ----------
    form : {"choice", "pair"}, default="choice"
        "choice": which of the known classes a sample belongs to, or a new one. "pair": whether two
        samples belong together. Nothing is asked that follows from earlier answers.
    max_options : int, default=9
        Most classes that a choice shows: the likeliest.
    random_state : int, default=0
        Seed. The same knowledge gives the same questions.
    """

    random_state: int = 0

    def _questions(self, now: Situation, count: int) -> tuple[list[Question], FloatArray]:
        random = np.random.default_rng((self.random_state, now.n_statements))
        asked = self._choices if self.form == "choice" else self._pairs
        open_ = now.open if self.form == "choice" else now.allowed
        return asked(now, random, count), np.where(open_, 1.0, np.nan)

    def _choices(
        self, now: Situation, random: np.random.Generator, batch_size: int
    ) -> list[Question]:
        found: list[Question] = []
        for point in random.permutation(np.flatnonzero(now.open)).tolist():
            if len(found) == batch_size:
                break
            if (question := now.choice(point, self.max_options, 1.0)) is not None:
                found.append(question)
        return found

    def _pairs(
        self, now: Situation, random: np.random.Generator, batch_size: int
    ) -> list[Question]:
        component = now.closure.component
        settled = np.diff(now.apart.indptr) == now.closure.n_components - 1
        points = np.flatnonzero(now.allowed & ~settled[component])
        found: list[Question] = []
        for point in random.permutation(points)[:batch_size].tolist():
            ruled_out = np.zeros(now.closure.n_components, dtype=bool)
            ruled_out[now.neighbours(component[point])] = True
            ruled_out[component[point]] = True
            others = np.flatnonzero(~ruled_out[component])
            found.append(now.pair(point, int(random.choice(others)), 1.0))
        return found
