"""From answers to clusters: a warm refit with what is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import renumber
from sentree.active.beliefs import Beliefs, Landscape
from sentree.active.situation import Situation
from sentree.constraints import Constraints
from sentree.estimators.partition import SSEPartition
from sentree.relation.by_degree import SearchGraphs
from sentree.search.edits import without_broken, without_edits
from sentree.search.hard import contract
from sentree.search.scale import split_off, to_number

__all__ = ["prepare", "refit"]

#: Answers are scattered if they compare more than this share of the samples that they name with no
#: known class: at most 0.4 with questions about classes, and 0.67 or more with random pairs.
_SCATTERED = 0.5

IntArray = NDArray[np.int64]


def prepare(model: SSEPartition) -> None:
    """Find what all questions about a model start from; models copied from it need not do it."""
    Landscape.of(model)


def refit(model: SSEPartition, known: Constraints) -> SSEPartition:
    """Cluster again with what answers say, and nothing else.

    Clusters follow what the answers make likely, or are searched for where answers
    are scattered pairs that hardly tell classes, if the search breaks no more of them. Samples
    leave the beliefs only where hard constraints or bounds on sizes make them. Classes
    that are known to be apart stay so, even if they are more than the number of clusters that the
    model asks for.

    Clusters that were edited (:meth:`~sentree.SSEPartition.merge` and its like) are what beliefs
    start from, and stay as they are where nothing is said about them. What is said in ``known``
    takes back an edit that it contradicts.

    Parameters
    ----------
    model : fitted SSEPartition
        The model, which is changed; ``copy.copy(model)`` is cheap and safe to refit instead.
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

    Examples
    --------
    >>> from copy import copy
    >>> from sklearn.datasets import load_iris
    >>> from sentree import Constraints, SSEPartition
    >>> from sentree.active import refit
    >>> model = SSEPartition(random_state=0).fit(load_iris().data)
    >>> said = Constraints.from_groups(apart=[[0, 60, 120]])
    >>> refit(copy(model), model.constraints_ + said).n_clusters_, model.n_clusters_
    (3, 2)
    """
    said = without_edits(known)
    now = Situation.of(model, None, said, None)
    believed = Beliefs.of(now)
    labels = believed.of_samples()
    wanted = Landscape.of(model).n_clusters
    if wanted is not None:
        labels = _of_number(model, labels, believed.classes, wanted)
    labels = renumber(labels)
    if _is_scattered(now) and not model._edited:
        n_broken = known.satisfaction(labels).n_broken
        model.refit(constraints=known, keep=False)
        if model.constraint_report_.n_broken <= n_broken:
            return model
    if len(said) < len(known) and known.conflicts():
        known = without_broken(known, labels)
    return model._adopt(labels, known)


def _is_scattered(now: Situation) -> bool:
    """Whether answers compare most samples that they name with no known class."""
    known = set(now.classes.tolist())
    loose = [
        len(samples)
        for one, samples in now.members.items()
        if one not in known and known.isdisjoint(now.neighbours(one).tolist())
    ]
    return sum(loose) > _SCATTERED * sum(map(len, now.members.values()))


def _of_number(
    model: SSEPartition, labels: NDArray[np.int32], classes: tuple[IntArray, ...], wanted: int
) -> NDArray[np.int32]:
    """Unite or divide clusters to reach the number wanted; samples of known classes stay together.

    Clusters of different classes are not united.
    """
    if np.unique(labels).size == wanted:
        return labels
    vertex = np.arange(labels.size)
    for samples in classes:
        vertex[samples] = samples[0]
    first, vertex = np.unique(vertex, return_inverse=True)
    found = renumber(labels[first])
    graphs = SearchGraphs.plain(contract(model.graph_, None, vertex)[0])
    if int(found.max()) + 1 < wanted:
        return split_off(graphs, found, wanted)[vertex]
    number = labels[first][np.unique(found, return_index=True)[1]]
    owners = np.where(number < len(classes), number, -1)
    return to_number(graphs, found, wanted, owners=owners, exact=False)[vertex]
