"""What all strategies have in common: how they are asked for questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sentree.active.questions import Question
from sentree.active.situation import FloatArray, Situation
from sentree.constraints import Constraints

__all__ = ["Strategy"]


@dataclass(frozen=True)
class Strategy:
    """A way to choose questions."""

    form: str = "choice"
    max_options: int = 9

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
        if self.form not in ("choice", "pair"):
            raise ValueError(f'form must be "choice" or "pair", got {self.form!r}')
        for name, number in (("max_options", self.max_options), ("batch_size", batch_size)):
            if number < 1:
                raise ValueError(f"{name} must be at least 1, got {number}")
        now = Situation.of(X, y, constraints, candidates)
        questions, scores = self._questions(now, batch_size)
        if not return_utilities:
            return questions
        utilities = np.tile(scores, (len(questions), 1))
        for at, question in enumerate(questions):  # a sample is asked about once
            utilities[at + 1 :, question.point] = np.nan
        return questions, utilities

    def _questions(self, now: Situation, count: int) -> tuple[list[Question], FloatArray]:
        """Return up to so many questions, and what asking about each sample is worth."""
        raise NotImplementedError

    @property
    def _most(self) -> int:
        """Most options of a question."""
        return self.max_options if self.form == "choice" else 1
