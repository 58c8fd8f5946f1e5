"""What a method is told of a data set: nothing, the number of classes, labels or pairs.

A task draws from the true classes with a seed, so that every method gets the same draw. The draw
depends on the set and on the number of the draw alone: two tasks that label 5 % of the rows, one of
them with errors, label the same rows, and as many soft and hard pairs are the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

UNKNOWN = -1


class Given(NamedTuple):
    """Labels, -1 where there is none, or pairs; neither where nothing is told."""

    labels: np.ndarray | None = None
    must_link: np.ndarray | None = None
    cannot_link: np.ndarray | None = None

    def scored(self, n):
        """Rows that count: those without a label."""
        return np.ones(n, dtype=bool) if self.labels is None else self.labels == UNKNOWN


class Task(NamedTuple):
    """How constraints are drawn, and what is known of the number of clusters."""

    draw: Callable
    kind: str
    #: Whether methods that can do without are run without the number of clusters, and with it.
    without_k: bool = True
    with_k: bool = True
    #: Pairs that are told, and whether sentree must keep them all; peers cannot be told to.
    pairs: int = 0
    hard: bool = False


def nothing(y, rng):
    return Given()


def share_labelled(share, wrong=0.0):
    """Label a share of every class, one row at least; some of the labels name another class."""

    def draw(y, rng):
        sizes = np.bincount(y)
        labels = labelled(y, np.maximum(np.rint(share * sizes).astype(int), 1), rng)
        return Given(with_errors(labels, wrong, sizes.size, rng))

    return draw


def few_labelled(amount):
    """Label so many rows of every class."""
    return lambda y, rng: Given(labelled(y, np.full(y.max() + 1, amount), rng))


def random_labels(amount):
    """Label so many rows, whatever their class."""

    def draw(y, rng):
        labels = np.full(y.size, UNKNOWN)
        rows = rng.permutation(y.size)[:amount]
        labels[rows] = y[rows]
        return Given(labels)

    return draw


def true_pairs(amount):
    """Tell of so many random pairs of two rows whether they are of one class."""

    def draw(y, rng):
        first = rng.integers(y.size, size=amount)
        second = (first + rng.integers(1, y.size, size=amount)) % y.size
        pairs, same = np.column_stack((first, second)), y[first] == y[second]
        return Given(must_link=pairs[same], cannot_link=pairs[~same])

    return draw


def pair_task(amount, hard=False):
    return Task(true_pairs(amount), "pairs", pairs=amount, hard=hard)


def labelled(y, amounts, rng):
    """Label the first rows of a random order, so many of each class."""
    labels = np.full(y.size, UNKNOWN)
    order = rng.permutation(y.size)
    for one, amount in enumerate(amounts):
        rows = order[y[order] == one][:amount]
        labels[rows] = one
    return labels


def with_errors(labels, share, k, rng):
    """Let a share of the labels, one at least where there is a share, name another class."""
    if share == 0:
        return labels
    rows = np.flatnonzero(labels != UNKNOWN)
    rows = rng.choice(rows, max(round(share * rows.size), 1), replace=False)
    labels[rows] = (labels[rows] + rng.integers(1, k, size=rows.size)) % k
    return labels


TASKS = {
    "k-open": Task(nothing, "open", with_k=False),
    "k-given": Task(nothing, "k", without_k=False),
    "5%-labels": Task(share_labelled(0.05), "labels"),
    "3-a-class": Task(few_labelled(3), "labels"),
    "1-pairs": pair_task(1),
    "5-pairs": pair_task(5),
    "20-pairs": pair_task(20),
    "60-pairs": pair_task(60),
    "300-pairs": pair_task(300),
    "20-hard": pair_task(20, hard=True),
    "60-hard": pair_task(60, hard=True),
    "300-hard": pair_task(300, hard=True),
    "10%-wrong": Task(share_labelled(0.05, 0.1), "labels", without_k=False),
    "30%-wrong": Task(share_labelled(0.05, 0.3), "labels", without_k=False),
    "1-a-class": Task(few_labelled(1), "labels"),
    "half": Task(share_labelled(0.5), "labels"),
} | {
    f"{amount}-labels": Task(random_labels(amount), "labels")
    for amount in (50, 100, 199, 200, 500, 2_000)
}

#: Tasks that tell what sentree finds without pairs, k open and given.
WITHOUT_PAIRS = ("k-open", "k-given")


def draw(task, y, name, number):
    """Draw what a task tells of a set: the same for the same name and number."""
    return TASKS[task].draw(y, np.random.default_rng([number, *name.encode()]))
