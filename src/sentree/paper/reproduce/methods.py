"""How each method is called, and what it is told, under either protocol.

``"same"``: every method gets the same draws and runs with its own defaults. ``"paper"``: every
method gets what the published study gave it, with the settings of that study.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.datasets import (
    PAPER_SETS,
    sample_class_pairs,
    sample_labels,
    sample_pairs,
    sample_seeds,
)
from sentree.paper.graphs import paper_neighbors

__all__ = ["METHODS", "PROTOCOLS", "Method", "Result", "Task"]

PROTOCOLS = ("same", "paper")
Labels = NDArray[np.int32]


class Task(NamedTuple):
    """A cell with its data: all that a method may see, and the classes that its draws come from."""

    dataset: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    constraint: str
    amount: float
    seed: int
    protocol: str

    @property
    def k(self) -> int:
        """Number of classes, which every method that takes it is given."""
        return PAPER_SETS[self.dataset].k

    @property
    def published(self) -> bool:
        """Whether to do as the published study did."""
        return self.protocol == "paper"

    def drawn(self) -> Constraints | None:
        """Draw the constraints that all methods get."""
        share = self.amount / 2
        if self.constraint == "pairs":
            return sample_pairs(self.y, share, share, self.seed)
        if self.constraint == "labels":
            return sample_labels(self.y, share, share, self.seed)
        return None


class Result(NamedTuple):
    """What is scored: a partition (of several the mean score counts), and a tree, if any."""

    labels: list[Labels]
    tree: Any = None


class Method(NamedTuple):
    """One row of the tables."""

    run: Callable[[Task, Constraints | None], Result]
    seconds: float
    """CPU time on 2,100 samples, roughly: for the estimate of the remaining time only."""
    draw: Callable[[Task], Constraints | None] = Task.drawn
    """Draws the constraints; not part of the time that is measured."""


def _fitted(model: Any, task: Task, given: Constraints | None) -> Result:
    model.fit(task.X, constraints=given)
    return Result([model.labels_], getattr(model, "tree_", None))


def _is_tree(task: Task) -> bool:
    return PAPER_SETS[task.dataset].kind == "hierarchical"


def _paper_search(task: Task, given: Constraints | None, **options: Any) -> Result:
    """Run the paper's own search on the paper's own graph."""
    from sentree.paper.estimators import PaperHierarchy, PaperPartition

    record = PAPER_SETS[task.dataset]
    if _is_tree(task):
        tree = PaperHierarchy().fit(task.X, constraints=given)
        return Result([tree.labels_], tree.binary_tree_)
    rna = record.kind == "rna"
    model = PaperPartition(
        affinity="cosine" if rna else "gaussian",
        n_neighbors=paper_neighbors(record.n, record.k),
        must_link_first=rna,
        **options,
    )
    return _fitted(model, task, given)


def _se(task: Task, given: Constraints | None) -> Result:
    return _paper_search(task, given, **({} if _is_tree(task) else {"moving": False}))


def _sentree(task: Task, given: Constraints | None) -> Result:
    from sentree import SSEHierarchy, SSEPartition

    estimator = SSEHierarchy if _is_tree(task) else SSEPartition
    return _fitted(estimator(n_clusters=task.k, random_state=task.seed), task, given)


def _pcpsnmf(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import PCPSNMF

    return _fitted(PCPSNMF(task.k, random_state=task.seed), task, given)


def _onesteppcp(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import OneStepPCP

    study: dict[str, Any] = {"admm_max_iter": 10, "row_normalize": False} if task.published else {}
    return _fitted(OneStepPCP(task.k, random_state=task.seed, **study), task, given)


def _cms(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import ConstrainedMeanShift

    return _fitted(ConstrainedMeanShift(random_state=task.seed), task, given)


def _cms_pairs(task: Task) -> Constraints | None:
    if not task.published:
        return task.drawn()
    return sample_class_pairs(task.y, int(task.amount * len(task.y)), random_state=task.seed)


def _scmpi(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import SCMPI

    return _fitted(SCMPI(task.k, random_state=task.seed), task, given)


def _seeded_kmeans(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import SeededKMeans

    return _fitted(SeededKMeans(task.k, random_state=task.seed), task, given)


def _seeds(task: Task) -> Constraints | None:
    if not task.published:
        return task.drawn()
    return sample_seeds(task.y, task.amount / 2, random_state=task.seed)


def _positive_labels(task: Task) -> Constraints | None:
    if not task.published:
        return task.drawn()
    return sample_labels(task.y, task.amount / 2, 0, task.seed)


def _s4nmf(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import S4NMF

    model = S4NMF(task.k, random_state=task.seed).fit(task.X, constraints=given)
    return Result(list(model.member_labels_) if task.published else [model.labels_])


def _lpcnmf(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import LpCNMF

    study: dict[str, Any] = {"assign": "kmeans", "normalize": "published"} if task.published else {}
    model = LpCNMF(task.k, shift=True, random_state=task.seed, **study)
    return _fitted(model, task, given)


def _specwrsc(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import SpecWRSC

    study: dict[str, Any] = (
        {"degree": "published", "sparsest_cut": "last"} if task.published else {}
    )
    return _fitted(SpecWRSC(task.k, random_state=task.seed, **study), task, given)


def _questions(task: Task) -> int:
    """Count the questions that are allowed: as many as there are constraints for the others."""
    return int(task.amount * len(task.y))


def _cobra(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import COBRA

    allowed = None if task.published else _questions(task)
    return _fitted(COBRA(max_queries=allowed, random_state=task.seed), task, given)


def _cobras(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import COBRAS

    return _fitted(COBRAS(_questions(task), random_state=task.seed), task, given)


def _answers(task: Task) -> Constraints:
    """Let any two samples be asked about."""
    return Constraints.from_labels(task.y)


def _cobra_answers(task: Task) -> Constraints:
    """Let the samples of the study be asked about: so few that it makes about 0.2 n pairs."""
    if not task.published:
        return _answers(task)
    size = isqrt(int(task.amount * len(task.y))) + 1
    asked = np.random.default_rng(task.seed).integers(len(task.y), size=size)
    known = np.full(len(task.y), -1)
    known[asked] = task.y[asked]
    return Constraints.from_labels(known)


def _semimulticons(task: Task, given: Constraints | None) -> Result:
    from sentree.paper.baselines import SemiMultiCons

    return _fitted(SemiMultiCons(random_state=task.seed), task, given)


#: The methods by the names the paper gives them, and ours.
METHODS = {
    "PCPSNMF": Method(_pcpsnmf, 3),
    "OneStepPCP": Method(_onesteppcp, 70),
    "CMS": Method(_cms, 30, _cms_pairs),
    "SC-MPI": Method(_scmpi, 1),
    "Seeded-KMeans": Method(_seeded_kmeans, 1, _seeds),
    "S4NMF": Method(_s4nmf, 60, _positive_labels),
    "LpCNMF": Method(_lpcnmf, 4, _positive_labels),
    "SpecWRSC": Method(_specwrsc, 2),
    "COBRA": Method(_cobra, 5, _cobra_answers),
    "COBRAS": Method(_cobras, 30, _answers),
    "Semi-MultiCons": Method(_semimulticons, 8),
    "SE": Method(_se, 1),
    "SSE": Method(_paper_search, 1),
    "sentree": Method(_sentree, 2),
}
