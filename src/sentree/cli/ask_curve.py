"""How good clusters become with simulated answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sentree.profiles.words import percent

if TYPE_CHECKING:
    from sentree.active import ActiveSession
    from sentree.cli.console import Console

__all__ = ["Curve"]

#: A line is printed after so many answers, and from the last of them on after every so many.
_FIRST, _EVERY = (0, 1, 2, 3, 5), 5


class Curve:
    """Agreement with the truth (ARI) on rows that no question was about, by number of answers."""

    def __init__(self, truth: Any, console: Console) -> None:
        self.points: list[dict[str, Any]] = []
        self._known = np.array([value is not None for value in truth])
        self._truth = np.array([str(value) for value in truth])
        self._console, self._told = console, -1

    def add(self, session: ActiveSession) -> None:
        """Add where a session stands."""
        from sklearn.metrics import adjusted_rand_score

        left = self._known.copy()
        left[session.asked] = False
        labels = session.labels_
        point: dict[str, Any] = {
            "answers": session.n_answers,
            "clusters": int(labels.max()) + 1,
            "certainty": round(session.remaining.certainty, 4),
            "ari": round(float(adjusted_rand_score(self._truth[left], labels[left])), 4)
            if left.any()
            else None,
        }
        self.points.append(point)
        if len(self.points) == 1:
            self._console.say("  answers  clusters    sure     ARI  (on rows never asked about)")
        if point["answers"] in _FIRST or point["answers"] % _EVERY == 0:
            self._tell()

    def end(self) -> None:
        """Tell the last point, if it is not told yet."""
        if self._told != len(self.points):
            self._tell()

    def _tell(self) -> None:
        last = self.points[-1]
        ari = "–" if last["ari"] is None else f"{last['ari']:.3f}"
        sure = percent(last["certainty"])
        self._console.say(f"  {last['answers']:>7}  {last['clusters']:>8}  {sure:>6}  {ari:>6}")
        self._told = len(self.points)
