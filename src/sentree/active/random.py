"""Questions at random: what any other strategy has to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sentree.active.questions import Question
from sentree.active.situation import Situation, check_asked, with_utilities
from sentree.constraints import Constraints

__all__ = ["Random"]


@dataclass(frozen=True)
class Random:
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

    form: str = "choice"
    max_options: int = 9
    random_state: int = 0

    def query(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        constraints: Constraints | None = None,
        candidates: ArrayLike | None = None,
        batch_size: int = 1,
        return_utilities: bool = False,
    ) -> Any:
        """Return the next questions; see :class:`~sentree.ActiveSession`.

        Parameters
        ----------
        X : samples or fitted model
            What questions are about.
        y : array-like, optional
            Known classes of samples, -1 or missing where unknown.
        constraints : Constraints, optional
            What is known. By default the constraints of the model.
        candidates : array-like, optional
            Samples (row numbers, or a mask) that may be asked about.
        batch_size : int, default=1
            Number of questions.
        return_utilities : bool, default=False
            Whether to return also the utilities.

        Returns
        -------
        questions : list of Question
            Fewer than ``batch_size``, or none, if there is no more to ask.
        utilities : float array of shape (n_questions, n_samples)
            Only with ``return_utilities``: what asking about each sample is worth, and NaN for
            samples that are no candidates.
        """
        check_asked(self.form, self.max_options, batch_size)
        now = Situation.of(X, y, constraints, candidates)
        random = np.random.default_rng((self.random_state, now.n_statements))
        asked = self._choices if self.form == "choice" else self._pairs
        questions = asked(now, random, batch_size)
        open_ = now.open if self.form == "choice" else now.allowed
        return with_utilities(questions, np.where(open_, 1.0, np.nan), return_utilities)

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
