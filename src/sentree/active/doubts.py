"""What everything else says about a question that was answered."""

from __future__ import annotations

from typing import Any

from sentree.active.beliefs import Beliefs, Landscape
from sentree.active.questions import Question
from sentree.active.situation import Situation
from sentree.constraints import Constraints

__all__ = ["Doubts"]


class Doubts:
    """What is believed of samples, but for what was said about each itself."""

    def __init__(self, model: Any, known: Constraints) -> None:
        self._now = Situation.of(model, None, known, None)
        self._believed = Beliefs.of(Landscape.of(model), self._now, model.n_clusters)
        self._component = self._now.closure.component
        self._class = {
            int(self._component[samples[0]]): at
            for at, samples in enumerate(self._believed.classes)
        }

    def expected(self, question: Question) -> tuple[float, ...]:
        """Return the probability of each option, and last of none of them."""
        chance = self._believed.elsewhere[self._believed.units.unit[question.point]]
        options = [self._class.get(int(one)) for one in self._component[list(question.options)]]
        share = [0.0 if one is None else float(chance[one]) / options.count(one) for one in options]
        return (*share, max(1 - sum(share), 0.0))
