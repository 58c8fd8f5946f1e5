"""Questions about groups of samples, along the tree of the data: each answer places many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import follow
from sentree.active.beliefs import Beliefs
from sentree.active.questions import Question
from sentree.active.situation import FloatArray, Remaining, Situation
from sentree.active.strategy import Strategy
from sentree.constraints import Constraints

__all__ = ["Structural"]

#: Seconds that a person needs for a question, and for each doubling of the groups shown.
_SECONDS, _MORE_SECONDS = 2.0, 1.0
#: Nothing more is asked when so large a share of the samples is expected to be right.
_SURE = 0.998
#: How many typical samples stand for a group.
_TYPICAL = 5
#: Edges count as cut with at most this probability when answers are spread out evenly.
_MOST_CUT = 0.98
#: The least probability of a reply.
_LEAST = 1e-3
#: An answer to a question about a sample that some groups are ruled out for is worth more.
_BEGUN = 3.0

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Structural(Strategy):
    """Ask where a group of samples belongs, the question first that settles most.

    A question is about a typical sample of a group: a natural cluster, part of one, or at last a
    single sample. Its utility is the expected bits about the classes of all samples that follow
    the answer, per second of a person's time. The number of classes is not needed. Questions end
    when the clusters are sure.

    Parameters
    ----------
    form : {"choice", "pair"}, default="choice"
        "choice": which of the known groups a sample belongs to, or a new one. "pair": whether it
        belongs to the likeliest of them.
    max_options : int, default=9
        Most groups that a choice shows: the likeliest.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sentree import SSEPartition
    >>> from sentree.active import Structural
    >>> model = SSEPartition(random_state=0).fit(load_iris().data)
    >>> [question] = Structural().query(model)
    >>> question.n_settled > 10
    True
    """

    def _questions(self, now: Situation, count: int) -> tuple[list[Question], FloatArray]:
        believed = Beliefs.of(now)
        if believed.certainty >= _SURE:
            return [], np.full(now.allowed.size, np.nan)
        return _Search(now, believed, self._most).questions(count)

    def estimate(self, model: Any, constraints: Constraints | None = None) -> Remaining:
        """Return how many answers are still needed, and how sure the clusters are."""
        believed = Beliefs.of(Situation.of(model, None, constraints, None))
        certainty = believed.certainty
        if certainty >= _SURE:
            return Remaining(0, certainty)
        units = believed.units
        wrong = units.size * (1 - believed.probability.max(axis=1))
        # An answer settles the samples that follow the same unit.
        joined = believed.cut < 0.5
        heavy, light = units.edges[:2]
        up = np.arange(units.size.size, dtype=np.int32)
        up[light[joined]] = heavy[joined]
        doubt = np.sort(np.bincount(follow(up), wrong))[::-1]
        left = wrong.sum() - np.cumsum(doubt)
        enough = left <= (1 - _SURE) * units.size.sum()
        n = int(np.argmax(enough)) + 1
        return Remaining(n * (1 if self.form == "choice" else 2), certainty)


class _Search:
    """The search for the most useful questions."""

    def __init__(self, now: Situation, believed: Beliefs, most: int) -> None:
        self.now, self.believed, self.most = now, believed, most
        self.units = believed.units
        component = now.closure.component
        self.own = [np.unique(component[samples]) for samples in believed.classes]
        self.seconds = _SECONDS + _MORE_SECONDS * np.log2(max(min(most, believed.n_classes), 1))
        self.kept = 1 - believed.cut
        self.even = 1 - np.minimum(1 / (1 + np.exp(-self.units.logit)), _MOST_CUT)
        self.asked = np.zeros(self.units.size.size)
        for samples in believed.classes:
            self.asked[self.units.unit[samples]] = 1.0
        named = np.concatenate(list(now.members.values())) if now.members else np.empty(0, int)
        self.begun = np.setdiff1d(self.units.unit[named], np.flatnonzero(self.asked))
        # One row for each unit: the sample of it that a question would be about, or -1.
        self.point = self._points()

    def _points(self) -> IntArray:
        """Return the sample of every unit that may be asked about, the typical one if it may."""
        open_ = self.now.allowed.copy()
        for samples in self.believed.classes:
            open_[samples] = False
        self.open = open_
        typical, unit = self.units.typical, self.units.unit
        point = np.where(open_[typical], typical, -1)
        rows = np.flatnonzero(open_ & (point < 0)[unit])
        rows = rows[np.argsort(-self.now.model.graph_.degree[rows], kind="stable")][::-1]
        point[unit[rows]] = rows
        return point

    def _scores(self) -> FloatArray:
        """Return the utility of asking about each unit; NaN where that is not possible."""
        believed, units = self.believed, self.units
        covered = units.edges.nearest(self.even, self.asked)
        unsure = units.size * believed.entropy * (1 - covered)
        reach = units.edges.reached(self.kept, unsure)
        bits = believed.entropy
        if self.most == 1:
            p = np.clip(believed.probability[:, :-1].max(axis=1), 1e-12, 1 - 1e-12)
            bits = -p * np.log2(p) - (1 - p) * np.log2(1 - p)
        scale = np.log2(believed.n_classes + 1)
        worth = bits * reach / scale / self.seconds
        worth[self.begun] *= _BEGUN
        return np.where(self.point >= 0, worth, np.nan)

    def questions(self, count: int) -> tuple[list[Question], FloatArray]:
        """Return the best questions, and the utility of every sample."""
        found: list[Question] = []
        first: FloatArray | None = None
        while len(found) < count:
            scores = self._scores()
            if first is None:
                first = scores
            pair = self._best_union() if not found else None
            best = -np.inf if np.isnan(scores).all() else np.nanmax(scores)
            if pair is not None and pair[0] > best:
                found.append(pair[1])
                break
            if not best > 0:
                break
            unit = int(np.nanargmax(scores))
            question = self._question(unit, float(best))
            if question is not None:
                found.append(question)
                self.asked[unit] = 1.0
            self.point[unit] = -1
        if first is None:
            first = self._scores()
        return found, np.where(self.open, first[self.units.unit], np.nan)

    def _best_union(self) -> tuple[float, Question] | None:
        """Return the best question about classes that may be one, and its utility."""
        k = self.believed.n_classes
        if k < 2:
            return None
        chance = np.maximum(self.believed.mistaken, self.believed.mistaken.T)
        for at, own in enumerate(self.own):
            for one in own.tolist():
                apart = self.now.neighbours(one)
                chance[at, [bool(np.isin(other, apart).any()) for other in self.own]] = 0.0
        chance = np.minimum(chance, chance.T)
        np.fill_diagonal(chance, 0.0)
        mass = self.units.size @ self.believed.probability[:, :-1]
        p = np.minimum(chance, 0.5)
        p = np.where(p < _LEAST, 1.0, p)
        bits = -p * np.log2(p) - (1 - p) * np.log2(np.maximum(1 - p, _LEAST))
        worth = bits * np.minimum(mass[:, None], mass)
        if not worth.any():
            return None
        a, b = divmod(int(np.argmax(worth)), k)
        utility = float(worth[a, b] / np.log2(k + 1) / self.seconds)
        if mass[a] > mass[b]:
            a, b = b, a
        order = np.argsort(-chance[a], kind="stable")
        order = order[chance[a, order] > 0][: self.most]
        groups = self._groups([a, *order.tolist()])
        likely = np.append(chance[a, order], max(1 - chance[a, order].sum(), _LEAST))
        return utility, Question(
            groups[0][0],
            tuple(group[0] for group in groups[1:]),
            kind="merge",
            group=groups[0],
            groups=groups[1:],
            probabilities=tuple(np.round(likely / likely.sum(), 4).tolist()),
            utility=utility,
            n_settled=max(round(float(mass[a])), 1),
        )

    def _question(self, unit: int, utility: float) -> Question | None:
        """Make the question about a unit."""
        believed, point = self.believed, int(self.point[unit])
        chance = believed.probability[unit]
        ruled_out = self.now.neighbours(int(self.now.closure.component[point]))
        can = [at for at, groups in enumerate(self.own) if not np.isin(groups, ruled_out).any()]
        if not can:
            return None
        order = believed.likeliest(unit, can)[: self.most]
        p = np.maximum(chance[order], 1e-3)
        rest = max(1 - p.sum(), 1e-3)
        p = np.append(p, rest) / (p.sum() + rest)
        follows = self.units.edges.nearest(self.kept, np.eye(1, self.asked.size, unit)[0])
        settled = float(self.units.size @ follows)
        near = np.argsort(-follows * (self.asked == 0), kind="stable")[1:_TYPICAL]
        near = near[(follows[near] > 0.5)]
        typical = (point, *self.units.typical[near].tolist())
        groups = self._groups(order, typical)
        known = {sample for group in groups for sample in group}
        leads = np.isin(unit, self.units.edges.light[self.units.edges.between])
        kind = "merge" if leads or unit == self.units.edges.root else "purity"
        return Question(
            point,
            tuple(group[0] for group in groups),
            kind=kind if settled >= 2 else "point",
            group=tuple(one for one in typical if one not in known),
            groups=groups,
            probabilities=tuple(np.round(p, 4).tolist()),
            utility=utility,
            n_settled=max(round(settled), 1),
        )

    def _groups(
        self, classes: list[int], asked: tuple[int, ...] = ()
    ) -> tuple[tuple[int, ...], ...]:
        """Return typical samples of classes, those that are known to be of them first.

        Samples of what the question is about are not shown as samples of its options.
        """
        found = []
        mass = self.units.edges.reached(self.kept, self.units.size)
        likeliest = self.believed.probability.argmax(axis=1)
        for number in classes:
            samples = self.believed.classes[number]
            samples = samples[np.argsort(-mass[self.units.unit[samples]], kind="stable")]
            chosen = samples[:_TYPICAL].tolist()
            sure = self.believed.probability[:, number] * mass * (likeliest == number)
            for unit in np.argsort(-sure, kind="stable")[: 2 * _TYPICAL].tolist():
                sample = int(self.units.typical[unit])
                if len(chosen) < _TYPICAL and sure[unit] and sample not in (*chosen, *asked):
                    chosen.append(sample)
            found.append(tuple(int(one) for one in chosen))
        return tuple(found)
