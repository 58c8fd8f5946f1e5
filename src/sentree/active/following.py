"""Clusters follow what is said about some samples, and stay where nothing is said.

Answers to well chosen questions tell about the whole of the data, so that much can be learnt from
them (:mod:`sentree.active.beliefs`). What a person says of their own accord may concern one corner
of the data, and is no reason to unite or divide clusters elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import renumber
from sentree.active.beliefs import unconstrained_result
from sentree.active.situation import Situation
from sentree.constraints import Constraints
from sentree.estimators.partition import SSEPartition
from sentree.graph import FloatArray
from sentree.search.edits import without_broken, without_edits
from sentree.search.units import Units
from sentree.tree import EncodingTree

__all__ = ["follow", "prepare_to_follow"]

#: The chance that a whole cluster is of a class that some of its samples are said to be of, and
#: that a part of it is where classes change inside.
_WHOLE, _PART = 0.05, 0.5
#: How likely a sample is of another class than it is said to be; and another sample of its unit.
_SLIP, _MIXED = 1e-9, 0.05
#: The least likelihood of a class, however much is said against it.
_LEAST = 1e-100

IntArray = NDArray[np.int64]


def follow(model: SSEPartition, known: Constraints) -> SSEPartition:
    """Let clusters follow what is known about some samples; others stay as they are.

    Samples that belong together go to the cluster that most of them are in, and take along what
    hangs on them in the graph: a few neighbours, or all of their clusters if much is said.
    Samples that are apart get clusters of their own where they were in one. Clusters that nothing
    is said about stay, and so do edits (:meth:`~sentree.SSEPartition.merge` and its like). All
    that is said is kept.

    Parameters
    ----------
    model : fitted SSEPartition
        The model, which is changed; ``copy.copy(model)`` is cheap and safe to change instead.
    known : Constraints
        All that is known, such as ``model.constraints_ + more``.

    Returns
    -------
    SSEPartition
        The same model.

    Raises
    ------
    ConstraintConflict
        If what is known contradicts itself; nothing is changed then.

    See Also
    --------
    refit : for answers to the questions of a strategy, which tell about all of the data.

    Examples
    --------
    >>> from copy import copy
    >>> from sklearn.datasets import load_iris
    >>> from sentree import Constraints, SSEPartition
    >>> from sentree.active import follow
    >>> model = SSEPartition(random_state=0).fit(load_iris().data)
    >>> said = Constraints.from_groups(apart=[[0, 60, 120]])
    >>> follow(copy(model), model.constraints_ + said).n_clusters_, model.n_clusters_
    (3, 2)
    """
    now = Situation.of(model, None, without_edits(known), None)
    classes = _classes(now, model.labels_)
    labels = model.labels_
    if not _is_settled(classes, labels):
        labels = _following(_units(model), labels, classes)
    return model._adopt(renumber(labels), without_broken(known, labels))


@dataclass(eq=False)
class _Class:
    """Samples that go to one cluster."""

    samples: IntArray
    home: int  # the cluster that most of them are in
    components: set[int]


def _classes(now: Situation, labels: NDArray[np.int32]) -> list[_Class]:
    """Gather samples that are known to be together, those at home in one cluster as one class."""
    found: list[_Class] = []
    for one, samples in sorted(now.members.items(), key=lambda pair: -len(pair[1])):
        home = int(np.bincount(labels[samples]).argmax())
        apart = set(now.neighbours(one).tolist())
        same = (c for c in found if c.home == home and not apart & c.components)
        if (joined := next(same, None)) is None:
            found.append(_Class(samples, home, {one}))
        else:
            joined.samples = np.append(joined.samples, samples)
            joined.components.add(one)
    return found


def _is_settled(classes: list[_Class], labels: NDArray[np.int32]) -> bool:
    """Tell whether every class is in a cluster of its own already."""
    homes = {one.home for one in classes}
    return len(homes) == len(classes) and all(
        (labels[one.samples] == one.home).all() for one in classes
    )


def _following(units: Units, labels: NDArray[np.int32], classes: list[_Class]) -> NDArray[np.int32]:
    """Return the clusters after samples of classes, and what hangs on them, have gone there."""
    k = len(classes)
    evidence = _evidence(units, classes)
    between = units.edges.between
    cut = np.where(between, 1 - _SLIP, 1 / (1 + np.exp(-units.logit)))
    share = [np.append(np.full(k, chance / k), 1 - chance) for chance in (1 - _PART, _WHOLE)]
    best = units.edges.beliefs(cut, np.array(share), evidence).belief.argmax(axis=1)
    number = np.arange(k + 1) + int(labels.max()) + 1
    for at in reversed(range(k)):  # the first class at home in a cluster, the largest, keeps it
        if classes[at].home not in [one.home for one in classes[:at]]:
            number[at] = classes[at].home
    of_unit = best[units.unit]
    result = np.where(of_unit == k, labels, number[of_unit]).astype(np.int32)
    for at, one in enumerate(classes):
        result[one.samples] = number[at]
    return result


def _evidence(units: Units, classes: list[_Class]) -> FloatArray:
    """Return the likelihood of every class, and last of none, for every unit."""
    unit = np.concatenate([units.unit[one.samples] for one in classes])
    code = np.repeat(np.arange(len(classes)), [one.samples.size for one in classes])
    unit, code = np.unique(np.column_stack((unit, code)), axis=0).T
    against = np.zeros((units.size.size, len(classes) + 1))
    against += np.bincount(unit, minlength=units.size.size)[:, None]
    against[unit, code] -= 1
    against -= against.min(axis=1, keepdims=True)
    slip = _SLIP if units.single else _MIXED
    return np.asarray(np.maximum(slip**against, _LEAST))


_KNOWN: WeakKeyDictionary[EncodingTree, Units] = WeakKeyDictionary()


def prepare_to_follow(model: SSEPartition) -> None:
    """Find what the next :func:`follow` of a model, or a copy, starts from."""
    _units(model)


def _units(model: SSEPartition) -> Units:
    """Return the units of a model inside its present clusters, which are remembered."""
    if model.tree_ not in _KNOWN:
        result = unconstrained_result(model)
        if not np.array_equal(renumber(model.labels_), renumber(result.natural)):
            result = result.with_edited(model.labels_)
        _KNOWN[model.tree_] = Units.of(result)
    return _KNOWN[model.tree_]
