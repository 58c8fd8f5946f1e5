"""What is believed about the class of every sample, given the answers so far.

Classes are passed on along a tree of units (:mod:`sentree.search.units`). How often they change on
the way is learnt from the answers, within natural clusters and between them. Features have a vote
where they foretell answers that are hidden (:mod:`sentree.active.similarity`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import follow
from sentree.active.similarity import Similarity, best_vote
from sentree.active.situation import Situation
from sentree.constraints import Constraints
from sentree.estimators.partition import SSEPartition
from sentree.graph import FloatArray
from sentree.search.kernels import TreeBeliefs
from sentree.search.problem import UnconstrainedResult
from sentree.search.units import Units

__all__ = ["Beliefs", "Landscape", "unconstrained_result"]

#: Changes of the log odds of cuts that are tried, within natural clusters and between them.
_WITHIN = (-1.5, 0.0, 1.5, 3.0)
_BETWEEN = (-2.0, 0.0, 2.0)
#: Standard deviations of these changes before answers are known.
_SPREAD, _SPREAD_BETWEEN = 1.0, 1.0
#: How likely a sample is of another class than it is said to be; and another sample of its unit.
_SLIP, _MIXED = 0.02, 0.05
#: How likely a further class is where all are known, and one that a sample is said not to be of.
_UNLIKELY = 1e-9
#: An open sample that is so surely of none of the known classes counts as a new one.
_SURELY_NEW = 0.5
#: Parts of clusters with fewer samples are no clusters of their own.
_SMALL_PART = 5
_TINY = 1e-300
#: The least likelihood of a class, however many answers speak against it.
_LEAST = 1e-100

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Landscape:
    """What a fitted model says about its samples before any answer."""

    units: Units
    similarity: Similarity | None

    n_clusters: int | None  # number of clusters that the model asks for
    last: dict[Constraints, Beliefs] = field(default_factory=dict)  # what was last believed

    @classmethod
    def of(cls, model: Any) -> Landscape:
        """Return that of a model, which is remembered."""
        if not isinstance(model, SSEPartition):
            raise TypeError(
                f"structural questions need an SSEPartition, got {type(model).__name__}. For a "
                "tree, ask about an SSEPartition, and fit SSEHierarchy with the answers"
            )
        result = unconstrained_result(model)
        wanted = model._cluster_search().n_clusters, model.resolution
        kept = _KNOWN.setdefault(result, {})
        if wanted not in kept:
            units = Units.of(_at_scale(model, result))
            kept[wanted] = cls(units, Similarity.of(model, units.typical), wanted[0])
        return kept[wanted]


_KNOWN: WeakKeyDictionary[UnconstrainedResult, dict[Any, Landscape]] = WeakKeyDictionary()


def unconstrained_result(model: SSEPartition) -> UnconstrainedResult:
    """Return the modules and natural clusters of a model, which a loaded one finds again."""
    if model._unconstrained is None:
        problem = model._problem(Constraints(), None)
        model._unconstrained = model._cluster_search().with_unconstrained(problem).unconstrained
    assert model._unconstrained is not None
    return model._unconstrained


def _at_scale(model: SSEPartition, result: UnconstrainedResult) -> UnconstrainedResult:
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
    def of(cls, now: Situation) -> Beliefs:
        """Return what to believe, which is remembered until something else is known."""
        landscape = Landscape.of(now.model)
        found = landscape.last.get(now.known)
        if found is None:
            found = cls._of(landscape, now)
            landscape.last.clear()
            landscape.last[now.known] = found
        return found

    @classmethod
    def _of(cls, landscape: Landscape, now: Situation) -> Beliefs:
        known = _known(landscape, now)
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
        # A small part of a cluster that was spoken of is of one of the known classes.
        size = np.bincount(top, self.units.size, n)
        part = np.zeros(n, dtype=bool)
        part[light[~self.units.edges.between]] = True
        small = new[part[new] & (size[new] < _SMALL_PART)]
        number[small] = self.probability[small, :k].argmax(axis=1)
        new = np.setdiff1d(new, small)
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


def _known(landscape: Landscape, now: Situation) -> _Known:
    """Return what answers say: groups that are apart from one another are classes."""
    units, members = landscape.units, now.members
    apart = now.classes.tolist()
    classes = tuple(members[one] for one in apart)
    if not classes:
        classes = (units.typical[[units.edges.root]],)
    pending = [
        _Open(samples, one, frozenset(now.neighbours(one).tolist()))
        for one, samples in members.items()
        if one not in set(apart)
    ]
    within = tuple(frozenset([one]) for one in apart or [-1])
    return _Known(units, classes, within, pending, landscape.n_clusters).with_groups()


@dataclass(frozen=True, eq=False)
class _Open:
    """Samples that are together, the number of their group, and those of groups apart from it."""

    samples: IntArray
    number: int
    apart: frozenset[int]

    def ruled_out(self, within: tuple[frozenset[int], ...]) -> list[int]:
        """Return the classes that the samples are not of, for the groups in each."""
        return [at for at, groups in enumerate(within) if groups & self.apart]


@dataclass(frozen=True, eq=False)
class _Known:
    """What answers say about units."""

    units: Units
    classes: tuple[IntArray, ...]
    within: tuple[frozenset[int], ...]  # numbers of the groups in each class
    pending: list[_Open]
    n_classes: int | None

    def with_groups(self) -> _Known:
        """Place every open group of several samples: it joins its likeliest class or is one."""
        known = self
        while groups := [group for group in known.pending if len(group.samples) > 1]:
            belief = known.tree(_cut(self.units, 0.0, 0.0)).belief
            log_belief = np.log(np.maximum(belief, _TINY))
            ranked = []
            for group in groups:
                score = log_belief[self.units.unit[group.samples]].mean(axis=0)
                score[group.ruled_out(known.within)] = -np.inf
                order = np.argsort(-score, kind="stable")
                ranked.append((float(score[order[1]] - score[order[0]]), int(order[0]), group))
            ranked.sort(key=lambda one: one[:2])
            k = len(known.classes)
            for _, best, group in ranked[: max(len(ranked) // 4, 1)]:
                if best == k:
                    known = known.with_class(group)
                elif not known.within[best] & group.apart:
                    known = known.with_class(group, best)
        return known

    @cached_property
    def labelled(self) -> tuple[IntArray, IntArray]:
        """Units with a known class, and their classes; units of several classes repeat."""
        unit = np.concatenate([self.units.unit[samples] for samples in self.classes])
        code = np.repeat(np.arange(len(self.classes)), [len(samples) for samples in self.classes])
        both = np.unique(np.column_stack((unit, code)), axis=0)
        return both[:, 0], both[:, 1]

    @cached_property
    def evidence(self) -> FloatArray:
        """The likelihood of every class for every unit, relative to the likeliest."""
        k = len(self.classes)
        n_against = np.zeros((self.units.size.size, k + 1))
        unit, code = self.labelled
        n_against += np.bincount(unit, minlength=n_against.shape[0])[:, None]
        n_against[unit, code] -= 1
        for group in self.pending:
            for unit_of in self.units.unit[group.samples]:
                n_against[unit_of, group.ruled_out(self.within)] += 1
        n_against -= n_against.min(axis=1, keepdims=True)
        slip = _SLIP if self.units.single else _MIXED
        return np.asarray(np.maximum(slip**n_against, _LEAST))

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
                unseen = _UNLIKELY
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

    def surely_new(self, tree: TreeBeliefs) -> _Open | None:
        """Return the open samples that are most surely of a new class; None if none are."""
        if self.n_classes is not None and len(self.classes) >= self.n_classes:
            return None
        chance = [tree.belief[self.units.unit[g.samples[0]], -1] for g in self.pending]
        if not chance or max(chance) < _SURELY_NEW:
            return None
        return self.pending[int(np.argmax(chance))]

    def with_class(self, group: _Open, number: int | None = None) -> _Known:
        """Return the same with an open group in a class, by default one of its own."""
        classes, within = list(self.classes), list(self.within)
        if number is None:
            classes.append(group.samples)
            within.append(frozenset([group.number]))
        else:
            classes[number] = np.append(classes[number], group.samples)
            within[number] |= {group.number}
        rest = [one for one in self.pending if one is not group]
        return _Known(self.units, tuple(classes), tuple(within), rest, self.n_classes)

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
        # What was said of a sample holds for itself, even where others are not to follow it.
        said = np.where(self.evidence < 1, _UNLIKELY, 1.0) if self.units.single else self.evidence
        probability = np.hstack((seen * (1 - new), new)) * said
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
