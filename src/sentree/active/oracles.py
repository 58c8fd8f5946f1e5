"""Whoever answers questions, where it is no person."""

from __future__ import annotations

from typing import Any

import numpy as np

from sentree.active.questions import NEW, UNSURE, Question, Reply
from sentree.constraints.parsing import is_unknown, label_column

__all__ = ["Truth"]


class Truth:
    """Answer questions from known classes, now and then wrongly if asked to.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The class of every sample; -1 and missing values (None, NaN, NA) are unknown, and questions
        about such samples get the reply "unsure".
    noise : float, default=0
        Share of wrong replies. A wrong reply to a pair is the opposite; to a choice it is another
        option or "new", each as likely. A question that comes again gets an independent reply.
    unsure : float, default=0
        Share of replies that are "unsure".
    random_state : int, optional
        Seed of wrong and unsure replies. None is the same as 0, so replies repeat.

    Examples
    --------
    >>> from sentree.active import Question, Truth
    >>> oracle = Truth(["cat", "dog", "cat", "cow", None])
    >>> oracle(Question(0, (1, 2))), oracle(Question(3, (1, 2))), oracle(Question(4, (1, 2)))
    (1, 'new', 'unsure')
    """

    def __init__(
        self, y: Any, noise: float = 0.0, unsure: float = 0.0, random_state: int | None = None
    ) -> None:
        for name, share in (("noise", noise), ("unsure", unsure)):
            if not 0 <= share <= 1:
                raise ValueError(f"{name} must be a share from 0 to 1, got {share!r}")
        values = label_column(y)
        self._code = np.full(values.size, -1)
        known = ~is_unknown(values, -1)
        codes: dict[Any, int] = {}
        self._code[known] = [codes.setdefault(value, len(codes)) for value in values[known]]
        self.noise, self.unsure = noise, unsure
        self._random = np.random.default_rng(random_state or 0)

    def __call__(self, question: Question) -> Reply:
        """Reply to a question."""
        if (last := max(question.point, *question.options)) >= self._code.size:
            raise ValueError(
                f"a question is about sample {last}, but y has {self._code.size} classes only: "
                "give one for every sample"
            )
        unsure, wrong, which = self._random.random(3)
        own, options = self._code[question.point], self._code[list(question.options)]
        if own < 0 or (options < 0).all() or unsure < self.unsure:
            return UNSURE
        same = np.flatnonzero(options == own)
        right: Reply = int(same[0]) if same.size else NEW
        if wrong >= self.noise:
            return right
        others: list[Reply] = [reply for reply in (*range(options.size), NEW) if reply != right]
        return others[int(which * len(others))]
