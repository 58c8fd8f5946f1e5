"""Methods that ask questions, each as a generator of what it found after so many answers.

All of them are given the numbers of answers at which they are looked at, and yield a ``Step`` for
each. Rivals ask about pairs. An oracle knows the classes, and lies about a share of the pairs:
which ones depends on the pair and the seed, so that the same question has the same answer.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from sentree import SSEPartition
from sentree.paper.baselines import COBRA, COBRAS

#: Numbers of super-instances, which COBRA wants in advance.
SUPER_INSTANCES = (25, 50, 100)


class Step(NamedTuple):
    """Labels after so many answers, the rows that questions were about, seconds since the start."""

    answers: int
    labels: np.ndarray
    asked: np.ndarray
    seconds: float


class Problem(NamedTuple):
    """Rows, their classes (for the oracle and those that are told k), and how to ask."""

    X: np.ndarray
    y: np.ndarray
    noise: float
    seed: int
    #: Numbers of answers, rising, at which a method is looked at.
    grid: list[int]

    @property
    def k(self):
        """Number of classes."""
        return int(self.y.max()) + 1

    def oracle(self, i, j):
        """Tell whether two rows are of one class, and lie about a share of the pairs."""
        draw = np.random.default_rng([self.seed, min(i, j), max(i, j)]).random()
        return bool((self.y[i] == self.y[j]) != (draw < self.noise))


def timed(function):
    start = time.perf_counter()
    return function(), time.perf_counter() - start


def rows(queries, answers):
    """Rows that the first questions were about."""
    return np.unique([row for i, j, _ in queries[:answers] for row in (i, j)]).astype(int)


def from_history(problem, model, smaller):
    """Look at a fitted model's history; ``smaller`` searches with fewer questions than its first.

    Seconds are shared out over the questions alike.
    """
    _, seconds = timed(lambda: model.fit(problem.X, oracle=problem.oracle))
    each = seconds / max(model.n_queries_, 1)
    for answers in problem.grid:
        known = [labels for asked, labels in model.history_ if asked <= answers]
        labels = known[-1] if known else smaller(answers)
        asked = min(answers, model.n_queries_)
        yield Step(answers, labels, rows(model.queries_, answers), asked * each)


def cobras(problem):
    def search(budget):
        return COBRAS(budget, random_state=problem.seed)

    def smaller(budget):
        return search(budget).fit(problem.X, oracle=problem.oracle).labels_

    return from_history(problem, search(problem.grid[-1]), smaller)


def cobra(parts):
    def run(problem):
        model = COBRA(parts, max_queries=problem.grid[-1], random_state=problem.seed)
        return from_history(problem, model, None)

    return run


def random_pairs(problem):
    """Random pairs for sentree's own search, without the number of clusters."""
    rng = np.random.default_rng([2, problem.seed])
    n, most = len(problem.y), problem.grid[-1]
    first = rng.integers(n, size=most)
    pairs = np.column_stack((first, (first + rng.integers(1, n, size=most)) % n))
    same = np.array([problem.oracle(i, j) for i, j in pairs.tolist()])
    for answers in problem.grid:
        now, together = pairs[:answers], same[:answers]
        model = SSEPartition(random_state=problem.seed)
        fit, links = model.fit, {"must_link": now[together], "cannot_link": now[~together]}
        _, seconds = timed(lambda fit=fit, links=links: fit(problem.X, **links))
        yield Step(answers, model.labels_, np.unique(now), seconds)


METHODS = {
    "random pairs": random_pairs,
    "COBRAS": cobras,
    **{f"COBRA-{parts}": cobra(parts) for parts in SUPER_INSTANCES},
}
