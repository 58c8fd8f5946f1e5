"""What is believed about the class of every sample, given the answers so far.

Classes are passed on along a tree of units (:mod:`sentree.search.units`). How often they change on
the way is learnt from the answers, within natural clusters and between them. Features have a vote
where they foretell answers that are hidden (:mod:`sentree.active.similarity`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import follow
from sentree.active.similarity import Similarity, best_vote
from sentree.active.situation import Situation
from sentree.constraints import Constraints
from sentree.graph import FloatArray
from sentree.search.clusters import UnconstrainedResult
from sentree.search.kernels import TreeBeliefs
from sentree.search.units import Units

__all__ = ["Beliefs", "Landscape"]

#: Changes of the log odds of cuts that are tried, within natural clusters and between them.
_WITHIN = (-1.5, 0.0, 1.5, 3.0)
_BETWEEN = (-2.0, 0.0, 2.0)
#: Standard deviations of these changes before answers are known.
_SPREAD, _SPREAD_BETWEEN = 1.0, 1.0
#: How likely a sample is of another class than it is said to be; and another sample of its unit.
_SLIP, _MIXED = 1e-9, 0.05
#: An open sample that is so surely of none of the known classes counts as a new one.
_SURELY_NEW = 0.5
_TINY = 1e-300

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Landscape:
    """What a fitted model says about its samples before any answer."""

    units: Units
    similarity: Similarity | None

    @classmethod
    def of(cls, model: Any) -> Landscape:
        """Return that of a model, which is remembered."""
        result = _unconstrained(model)
        found = _KNOWN.get(result)
        if found is None:
            units = Units.of(_at_scale(model, result))
            found = _KNOWN[result] = cls(units, Similarity.of(model, units.typical))
        return found


_KNOWN: WeakKeyDictionary[UnconstrainedResult, Landscape] = WeakKeyDictionary()


def _unconstrained(model: Any) -> UnconstrainedResult:
    """Return the modules and natural clusters of a model, which a loaded one finds again."""
    if model._unconstrained is None:
        problem = model._problem(Constraints(), None)
        model._unconstrained = model._cluster_search().with_unconstrained(problem).unconstrained
    found: UnconstrainedResult = model._unconstrained
    return found


def _at_scale(model: Any, result: UnconstrainedResult) -> UnconstrainedResult:
    """Return the result with clusters of the number or resolution that the model asks for."""
    if model.n_clusters is None and model.resolution is None:
        return result
    problem = model._problem(Constraints(), None)._replace(unconstrained=result)
    clusters = model._cluster_search().run(problem).labels[: model.graph_.n]
    return replace(result, edited=clusters)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The probability of every class for every unit."""

    units: Units
    classes: tuple[IntArray, ...]  # samples that are known to be of each class
    probability: FloatArray  # of shape (n_units, n_classes + 1): the last is "none of them"
    elsewhere: FloatArray  # the same on the tree, but for what was said of the unit itself
    cut: FloatArray  # probability that each edge of the tree is a cut
    similarity: Similarity | None
    mistaken: FloatArray  # how much the rest believes that answers on one class are of another

    @classmethod
    def of(cls, landscape: Landscape, now: Situation, n_classes: int | None) -> Beliefs:
        """Find what to believe; ``n_classes`` is the number of classes, if known."""
        units = landscape.units
        classes, pending = _classes(units, now)
        known = _Known(units, classes, pending, n_classes)
        cut = known.likely_cuts()
        tree = known.tree(cut)
        while (new := known.surely_new(tree)) is not None:
            known = known.with_class(new)
            tree = known.tree(cut)
        return known.beliefs(tree, landscape.similarity)

    @property
    def n_classes(self) -> int:
        """Number of known classes."""
        return len(self.classes)

    @cached_property
    def labels(self) -> IntArray:
        """The cluster of every unit: those of the classes first, then clusters nobody spoke of."""
        n, k = self.units.size.size, self.n_classes
        best = self.probability.argmax(axis=1)
        up = np.arange(n)
        heavy, light = self.units.edges[:2]
        # What nobody spoke of stays with its natural cluster.
        together = (self.cut < 0.5) | (~self.units.edges.between & (best[heavy] == k))
        joined = (best[light] == k) & together
        up[light[joined]] = heavy[joined]
        top = follow(up.astype(np.int32))
        new = np.unique(top[best[top] == k])
        number = best.copy()
        number[new] = k + np.arange(new.size)
        return np.asarray(number[top], dtype=np.int64)

    @cached_property
    def entropy(self) -> FloatArray:
        """The entropy of the class of every unit, in bits."""
        p = np.maximum(self.probability, 1e-12)
        return np.asarray(-np.sum(p * np.log2(p), axis=1))

    @property
    def certainty(self) -> float:
        """The share of the samples whose class is expected to be right."""
        best = self.probability.max(axis=1)
        return float(self.units.size @ best / self.units.size.sum())

    def likeliest(self, unit: int, classes: list[int]) -> list[int]:
        """Order classes by how likely a unit is of them; if equally, by the nearest known unit."""
        chance = np.round(self.probability[unit], 3)

        def key(number: int) -> tuple[float, float, int]:
            known = self.units.unit[self.classes[number]]
            near = 0.0 if self.similarity is None else self.similarity.nearest(unit, known)
            return -chance[number], -near, number

        return sorted(classes, key=key)

    def of_samples(self) -> NDArray[np.int32]:
        """Return the cluster of every sample."""
        labels = self.labels[self.units.unit]
        for number, samples in enumerate(self.classes):
            labels[samples] = number
        return labels.astype(np.int32)


def _classes(units: Units, now: Situation) -> tuple[tuple[IntArray, ...], list[_Open]]:
    """Return the samples of known classes, and the groups of samples that are still open."""
    members = now.members
    apart = now.classes.tolist()
    more = [one for one in members if len(members[one]) > 1 and one not in set(apart)]
    if not apart and not more:
        return (units.typical[[units.edges.root]],), []
    number = {one: at for at, one in enumerate([*apart, *more])}
    pending = []
    for one, samples in members.items():
        if one not in number:
            ruled_out = [number[c] for c in now.neighbours(one).tolist() if c in number]
            pending.append(_Open(samples, tuple(ruled_out)))
    return tuple(members[one] for one in number), pending


@dataclass(frozen=True)
class _Open:
    """Samples that are together, and numbers of the classes that they are not of."""

    samples: IntArray
    ruled_out: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Known:
    """What answers say about units."""

    units: Units
    classes: tuple[IntArray, ...]
    pending: list[_Open]
    n_classes: int | None

    @cached_property
    def labelled(self) -> tuple[IntArray, IntArray]:
        """Units with a known class, and their classes; units of several classes repeat."""
        unit = np.concatenate([self.units.unit[samples] for samples in self.classes])
        code = np.repeat(np.arange(len(self.classes)), [len(samples) for samples in self.classes])
        both = np.unique(np.column_stack((unit, code)), axis=0)
        return both[:, 0], both[:, 1]

    @cached_property
    def evidence(self) -> FloatArray:
        """The likelihood of every class for every unit."""
        slip = _SLIP if self.units.single else _MIXED
        k = len(self.classes)
        found = np.ones((self.units.size.size, k + 1))
        unit, code = self.labelled
        likely = np.full((unit.size, k + 1), slip)
        likely[np.arange(unit.size), code] = 1.0
        np.multiply.at(found, unit, likely)
        for group in self.pending:
            for unit_of in self.units.unit[group.samples]:
                found[unit_of, list(group.ruled_out)] *= slip
        return found

    @cached_property
    def share(self) -> FloatArray:
        """The chance of each class where classes change, and last that of an unseen one.

        There is a row for changes within natural clusters, and one for those between. Classes that
        were met once speak for further classes (after Good and Turing). Between clusters, each
        counts once: that many samples of a cluster have its class says nothing about others.
        """
        k = len(self.classes)
        unit, code = self.labelled
        clusters = np.unique(np.column_stack((self.units.cluster[unit], code)), axis=0)[:, 1]
        found = []
        for met in (code, clusters):
            once = np.count_nonzero(np.bincount(met, minlength=k) == 1)
            unseen = float((once + 1) / (met.size + 2))
            if self.n_classes is not None and k >= self.n_classes:
                unseen = _SLIP
            found.append(np.append(np.full(k, (1 - unseen) / k), unseen))
        return np.array(found)

    def likely_cuts(self) -> FloatArray:
        """Return the probabilities of cuts that suit the answers best."""
        tried, fit = [], []
        for within in _WITHIN:
            for between in _BETWEEN:
                cut = _cut(self.units, within, between)
                tried.append(cut)
                told = self.units.edges.log_likelihood(cut, self.share, self.evidence)
                fit.append(told - ((within / _SPREAD) ** 2 + (between / _SPREAD_BETWEEN) ** 2) / 2)
        return tried[int(np.argmax(fit))]

    def tree(self, cut: FloatArray) -> TreeBeliefs:
        """Return what the tree says."""
        return self.units.edges.beliefs(cut, self.share, self.evidence)

    def surely_new(self, tree: TreeBeliefs) -> IntArray | None:
        """Return the open samples that are most surely of a new class; None if none are."""
        if self.n_classes is not None and len(self.classes) >= self.n_classes:
            return None
        chance = [tree.belief[self.units.unit[g.samples[0]], -1] for g in self.pending]
        if not chance or max(chance) < _SURELY_NEW:
            return None
        return self.pending[int(np.argmax(chance))].samples

    def with_class(self, samples: IntArray) -> _Known:
        """Return the same with open samples as a class of their own."""
        rest = [group for group in self.pending if group.samples is not samples]
        return _Known(self.units, (*self.classes, samples), rest, self.n_classes)

    def beliefs(self, tree: TreeBeliefs, similarity: Similarity | None) -> Beliefs:
        """Return what to believe, with the votes of features."""
        k = len(self.classes)
        unit, code = self.labelled
        belief = tree.belief
        others = belief[unit] / self.evidence[unit]
        mistaken = np.zeros((k, k))
        np.add.at(mistaken, code, others[:, :k] / np.maximum(others.sum(axis=1)[:, None], _TINY))
        mistaken /= np.bincount(code, minlength=k)[:, None]
        others = others[:, :k] / np.maximum(others[:, :k].sum(axis=1, keepdims=True), _TINY)
        vote = best_vote(similarity, unit, code, others)
        new = belief[:, k:]
        seen = vote.joined(belief[:, :k] / np.maximum(1 - new, _TINY))
        probability = np.hstack((seen * (1 - new), new)) * self.evidence
        probability /= probability.sum(axis=1, keepdims=True)
        elsewhere = belief / self.evidence
        elsewhere /= np.maximum(elsewhere.sum(axis=1, keepdims=True), _TINY)
        return Beliefs(
            self.units, self.classes, probability, elsewhere, tree.cut, similarity, mistaken
        )


def _cut(units: Units, within: float, between: float) -> FloatArray:
    """Return the probability that each edge is a cut, with changes to the log odds."""
    logit = units.logit + np.where(units.edges.between, between, within)
    return np.asarray(1 / (1 + np.exp(-logit)))
