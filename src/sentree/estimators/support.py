"""What speaks for the clusters: the labels behind their names, and clusters that no label names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import ramp
from sentree.constraints import Constraints
from sentree.constraints.satisfaction import cluster_names
from sentree.graph import FloatArray, Graph

__all__ = ["ClusterSupport", "NewCluster", "cluster_support"]


@dataclass(frozen=True)
class NewCluster:
    """Why a cluster without labels is taken for one of its own, while others have labels.

    Attributes
    ----------
    inside : float
        Share of the weight of its samples' edges that stays inside, from 0 to 1.
    expected_labels : float
        Labels that it would hold if they were spread as over the clusters that have some.
    chance : float
        Probability that it holds none by chance, if labels are a random sample.
    steps : float
        Edges from its typical sample to the nearest labelled one; infinite where no path leads to
        one.
    usual_steps : float
        The same for the samples of clusters with labels.
    """

    inside: float
    expected_labels: float
    chance: float
    steps: float
    usual_steps: float

    def __str__(self) -> str:
        chance = f"{self.chance:.0%}" if self.chance >= 0.01 else "less than 1%"
        if np.isinf(self.steps):
            far = "no path in the graph leads to a labelled one"
        else:
            steps = f"{self.steps:g} step{'s' * (self.steps != 1)}"
            far = f"a labelled one is typically {steps} away, elsewhere {self.usual_steps:g}"
        return (
            f"its samples are joined to one another by {self.inside:.0%} of the weight of their "
            f"edges, and {far}; about {self.expected_labels:.2g} of them would have labels if it "
            f"were part of a labelled class (none by chance: {chance})"
        ).replace("%", " %")


@dataclass(frozen=True)
class ClusterSupport:
    """The name of a cluster and the labels behind it.

    Attributes
    ----------
    cluster : int
        Number of the cluster.
    name : object
        The class of most of its labels; None where it has none.
    labels_for : int
        Labels of that class in the cluster.
    labels : int
        All labels in the cluster.
    size : int
        Samples in the cluster.
    new : NewCluster or None
        What speaks for the cluster if it has no label while others have; else None.

    Examples
    --------
    >>> print(ClusterSupport(0, "A", 12, 15, 118))
    A (12 of 15 labels, 118 samples)
    """

    cluster: int
    name: Any
    labels_for: int
    labels: int
    size: int
    new: NewCluster | None = None

    @property
    def share(self) -> float:
        """Share of the cluster's labels that are of its class; NaN where it has none."""
        return self.labels_for / self.labels if self.labels else float("nan")

    def __str__(self) -> str:
        samples = f"{self.size} sample{'s' * (self.size != 1)}"
        if self.labels:
            return f"{self.name} ({self.counts}, {samples})"
        told = f"cluster {self.cluster} ({samples}) has no label"
        return told if self.new is None else f"{told}: {self.new}"

    @property
    def counts(self) -> str:
        """The labels in words, such as "12 of 15 labels"."""
        return f"{self.labels_for} of {self.labels} label{'s' * (self.labels != 1)}"


def cluster_support(
    graph: Graph, labels: NDArray[Any], given: Constraints
) -> tuple[ClusterSupport, ...]:
    """Return the support of every cluster 0..k-1."""
    names = cluster_names(given, labels)
    k = len(names)
    size = np.bincount(labels, minlength=k)
    owner = labels[given.label_index]
    held = np.bincount(owner, minlength=k)
    code_of = {name: code for code, name in enumerate(given.classes)}
    named = np.array([code_of.get(name, -1) for name in names])
    agree = np.bincount(owner[given.label_code == named[owner]], minlength=k)
    new = _new_clusters(graph, labels, given) if held.any() and not held.all() else {}
    return tuple(
        ClusterSupport(c, names[c], int(agree[c]), int(held[c]), int(size[c]), new.get(c))
        for c in range(k)
    )


def _new_clusters(graph: Graph, labels: NDArray[Any], given: Constraints) -> dict[int, NewCluster]:
    """Return what speaks for the clusters that hold no label."""
    points = np.unique(given.label_index)
    k = int(labels.max()) + 1
    size = np.bincount(labels, minlength=k)
    held = np.bincount(labels[points], minlength=k) > 0
    rate = points.size / size[held].sum()
    inside = _inside(graph, labels, k)
    away = _steps_from(graph, points)
    usual = float(np.median(away[held[labels]]))
    return {
        int(c): NewCluster(
            float(inside[c]),
            float(rate * size[c]),
            float((1.0 - rate) ** size[c]),
            float(np.median(away[labels == c])),
            usual,
        )
        for c in np.flatnonzero(~held)
    }


def _steps_from(graph: Graph, points: NDArray[np.int64]) -> FloatArray:
    """Return the least number of edges between each sample and some, infinite without a path."""
    away = np.full(graph.n, np.inf)
    away[points] = 0.0
    steps = 0
    while points.size:
        steps += 1
        count = graph.indptr[points + 1] - graph.indptr[points]
        reached = graph.indices[np.repeat(graph.indptr[points], count) + ramp(count)]
        points = np.unique(reached[np.isinf(away[reached])])
        away[points] = steps
    return away


def _inside(graph: Graph, labels: NDArray[Any], k: int) -> FloatArray:
    """Return the share of the weight of edges that stays inside each cluster."""
    ends = np.repeat(labels, np.diff(graph.indptr))
    same = ends == labels[graph.indices]
    total = np.bincount(ends, graph.weights, k)
    kept = np.bincount(ends[same], graph.weights[same], k)
    return np.asarray(kept / np.where(total > 0, total, 1.0))
