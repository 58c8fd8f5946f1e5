"""The scale of a partition: from the many small modules of the search to the clusters one wants."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.graph import FloatArray, Graph
from sentree.hard import apart_pairs, contract, fold
from sentree.optimise import LinkResult, link, merge, multilevel
from sentree.tree import renumber
from sentree.weights import Anchored

__all__ = ["at_resolution", "coarsen", "to_number"]

#: Without a wish, modules are united while they are linked more than chance would have it ...
_CHANCE = 1.0
#: ... or on to a clear break: where the next linkage is this many times weaker than the last.
_BREAK = 6.0
#: A linkage this weak is none.
_NO_LINKAGE = 1e-3
#: Pairs of either kind from which on constraints decide the scale; pairs drawn from labels; numbers
#: of clusters that are compared.
_ENOUGH_PAIRS, _LABEL_PAIRS, _TRIED = 30, 5000, 60


def to_number(problem: Anchored, labels: NDArray[Any], n_clusters: int) -> NDArray[np.int32]:
    """Unite the most linked modules until there are ``n_clusters``.

    Where the modules are too few already, they are taken apart, and the parts merged again by their
    gain, so that what stays apart costs the objective least. Parts that do not touch are united
    last, the smallest with the largest.
    """
    labels = problem.extended(labels)
    if labels.max() + 1 < n_clusters:
        labels = _finer(problem, labels, n_clusters)
        modules, related = contract(problem.graph, problem.relation, labels)
        labels = renumber(merge(modules, related, n_modules=n_clusters).labels[labels])
    labels = link(problem.graph, labels, problem.relation, n_modules=n_clusters).labels
    found = int(labels.max()) + 1
    if found > n_clusters and apart_pairs(problem.relation)[0].size == 0:
        warnings.warn(
            f"the graph falls into {found} parts that do not touch; the smallest were put into the "
            f"largest to reach n_clusters={n_clusters}: more neighbours, or must-links, would "
            "connect them",
            stacklevel=7,
        )
    return fold(problem, labels, n_clusters)


def at_resolution(problem: Anchored, labels: NDArray[Any], resolution: float) -> NDArray[np.int32]:
    """Unite modules while they are linked ``resolution`` times more strongly than by chance."""
    labels = problem.extended(labels)
    return link(problem.graph, labels, problem.relation, least=resolution).labels


def coarsen(
    problem: Anchored,
    labels: NDArray[Any],
    given: Constraints | None = None,
    vertex: NDArray[Any] | None = None,
) -> NDArray[np.int32]:
    """Choose the scale from the data.

    Modules are united along their linkages, strongest first. The path ends at chance level, unless
    a clear break comes later: long or ring-shaped clusters are chains of modules that each link
    less than chance would have it, and still far more than two clusters do. Where constraints are
    many, it ends where it keeps most of them; ``vertex`` is what each sample is part of.
    """
    labels = problem.extended(labels)
    n_modules = int(labels.max()) + 1
    path = link(problem.graph, labels, problem.relation)
    unions = _natural_end(path.linkage, connected=path.linkage.size == n_modules - 1)
    must, cannot = _sampled_pairs(given)
    if min(len(must), len(cannot)) >= _ENOUGH_PAIRS:
        of = labels if vertex is None else labels[vertex]
        unions = _kept_best(path, n_modules, of[must], of[cannot], unions)
    return renumber(path.after(unions, n_modules)[labels])


def _natural_end(linkage: FloatArray, connected: bool) -> int:
    """Return the number of unions down to chance level, or on to a clear break."""
    after = np.append(linkage[1:], np.nan if connected else 0.0)
    drop = np.where(after < _CHANCE, linkage / np.maximum(after, _NO_LINKAGE), 0.0)
    unions = int((linkage >= _CHANCE).sum())
    if drop.size and drop.max() > _BREAK:
        unions = max(unions, int(drop.argmax()) + 1)
    return unions


def _sampled_pairs(given: Constraints | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of samples that belong together and that do not, as far as is said."""
    if given is None:
        return np.empty((0, 2), dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    random = np.random.default_rng(0)
    m = given.label_index.size
    drawn = random.integers(0, max(m, 1), size=(_LABEL_PAIRS if m > 1 else 0, 2))
    drawn = drawn[drawn[:, 0] != drawn[:, 1]]
    same = given.label_code[drawn[:, 0]] == given.label_code[drawn[:, 1]]
    points = given.label_index[drawn]
    return (
        np.concatenate((given.must_link, points[same])),
        np.concatenate((given.cannot_link, points[~same])),
    )


def _kept_best(
    path: LinkResult,
    n_modules: int,
    must: NDArray[np.int32],
    cannot: NDArray[np.int32],
    natural: int,
) -> int:
    """Return the number of unions that keeps the largest shares of must- and cannot-links.

    Of numbers that keep about as much, the one nearest to the natural end.
    """
    last = len(path.unions)
    tried = np.unique(np.append(last - np.geomspace(1, last + 1, _TRIED).astype(int) + 1, natural))
    kept = []
    for unions in tried:
        at = path.after(int(unions), n_modules)
        together = np.mean(at[must[:, 0]] == at[must[:, 1]])
        apart = np.mean(at[cannot[:, 0]] != at[cannot[:, 1]])
        kept.append(together + apart)
    good = tried[np.array(kept) >= max(kept) - 0.01]
    return int(good[np.argmin(np.abs(good - natural))])


def _finer(problem: Anchored, labels: NDArray[np.int32], n_clusters: int) -> NDArray[np.int32]:
    """Take modules apart until there are enough, each by a search of its own inside."""
    while (found := int(labels.max()) + 1) < n_clusters:
        parts = problem.extended(_split_all(problem, labels))
        if parts.max() + 1 <= found:  # nothing splits by itself: single samples do
            samples = labels[: problem.n].astype(np.int64)
            largest = np.flatnonzero(samples == np.bincount(samples).argmax())
            samples[largest] = found + np.arange(largest.size)
            parts = problem.extended(samples)
        labels = parts
    return labels


def _split_all(problem: Anchored, labels: NDArray[np.int32]) -> NDArray[np.int64]:
    """Search every module anew, as a graph of its own."""
    weights = problem.graph.to_scipy()
    parts = np.zeros(labels.size, dtype=np.int64)
    for module in range(int(labels.max()) + 1):
        inside = np.flatnonzero(labels == module)
        part = Graph.from_scipy(weights[inside][:, inside])
        related = None if problem.relation is None else problem.relation[inside][:, inside]
        parts[inside] = parts.max() + 1 + multilevel(part, related).labels
    return parts[: problem.n]
