"""Methods that ask questions, each as a generator of what it found after so many answers.

All of them are given the numbers of answers at which they are looked at, and yield a ``Step`` for
each. A truthful oracle knows the classes. One that errs lies about a share of the pairs: which ones
depends on the pair and the seed, so that the same question has the same answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sentree import SSEPartition
from sentree.active import ActiveSession, Truth
from sentree.paper.baselines import COBRA, COBRAS, NPU, ExploreConsolidate

#: Numbers of super-instances, which COBRA wants in advance.
SUPER_INSTANCES = (25, 50, 100)
#: NPU searches anew when its questions have grown by this share; as published it is 0.
NPU_REFIT = 0.25


class Step(NamedTuple):
    """What is found after so many answers."""

    answers: int
    labels: np.ndarray
    #: Rows that questions were about.
    asked: np.ndarray
    #: Seconds per question so far.
    seconds: float
    #: Answers after which the method ended by itself, if it did.
    stopped: int | None = None


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


class Method(NamedTuple):
    """How a method is run, what its questions are about, and whether it is told k."""

    run: Callable
    form: str = "pairs"
    told_k: bool = False
    #: It is followed to so many answers, even where areas and targets end before.
    beyond: int = 0


def timed(function, *arguments, **options):
    """Call, and return the result and its CPU seconds."""
    start = time.process_time()
    result = function(*arguments, **options)
    return result, time.process_time() - start


def rows(pairs):
    """Rows that pairs name."""
    return np.unique([row for i, j, *_ in pairs for row in (i, j)]).astype(int)


def links(pairs, same, n):
    """Return pairs as constraints; an answer that contradicts earlier ones does not count."""
    group, apart = np.arange(n), []
    kept = {True: [], False: []}
    for (i, j), together in zip(pairs, same, strict=True):
        refused = any({group[a], group[b]} == {group[i], group[j]} for a, b in apart)
        if (group[i] == group[j]) if not together else refused:
            continue
        kept[together].append((i, j))
        if together:
            group[group == group[j]] = group[i]
        else:
            apart.append((i, j))
    return {"must_link": kept[True] or None, "cannot_link": kept[False] or None}


def steps(problem, model, seconds, labels_after):
    """Look at one search that asked all questions."""
    total = model.n_queries_
    stopped = total if total < problem.grid[-1] else None
    for answers in problem.grid:
        asked = rows(model.queries_[:answers])
        yield Step(answers, labels_after(answers), asked, seconds / max(total, 1), stopped)


def from_history(problem, model, smaller=None):
    """Look at the labels that a model kept; ``smaller`` searches with fewer questions."""
    _, seconds = timed(model.fit, problem.X, oracle=problem.oracle)

    def labels_after(answers):
        known = [labels for asked, labels in model.history_ if asked <= answers]
        return known[-1] if known else smaller(answers)

    return steps(problem, model, seconds, labels_after)


def cobras(problem):
    def smaller(budget):
        model = COBRAS(budget, random_state=problem.seed)
        return model.fit(problem.X, oracle=problem.oracle).labels_

    return from_history(problem, COBRAS(problem.grid[-1], random_state=problem.seed), smaller)


def cobra(problem, parts):
    most = problem.grid[-1]
    return from_history(problem, COBRA(parts, max_queries=most, random_state=problem.seed))


def npu(problem):
    most, seed = problem.grid[-1], problem.seed
    model = NPU(problem.k, max_queries=most, refit=NPU_REFIT, random_state=seed)
    return from_history(problem, model)


def min_max(problem):
    """Its choice of questions needs no clusters, so these are found where one looks."""
    stopped = None
    for answers in problem.grid:
        model = ExploreConsolidate(problem.k, max_queries=answers, random_state=problem.seed)
        _, seconds = timed(model.fit, problem.X, oracle=problem.oracle)
        if stopped is None and model.n_queries_ < answers:
            stopped = model.n_queries_
        yield Step(answers, model.labels_, rows(model.queries_), seconds, stopped)


def random_pairs(problem):
    """Random pairs for sentree's own search, which is not told the number of clusters."""
    rng = np.random.default_rng([2, problem.seed])
    n, most = len(problem.y), problem.grid[-1]
    first = rng.integers(n, size=most)
    pairs = np.column_stack((first, (first + rng.integers(1, n, size=most)) % n)).tolist()
    same = [problem.oracle(i, j) for i, j in pairs]
    for answers in problem.grid:
        model = SSEPartition(random_state=problem.seed)
        told = links(pairs[:answers], same[:answers], n)
        _, seconds = timed(model.fit, problem.X, **told)
        yield Step(answers, model.labels_, rows(pairs[:answers]), seconds)


def session(problem, strategy, form):
    """A session of sentree's own, with the clusters after each answer."""
    model, seed = SSEPartition(random_state=problem.seed), problem.seed
    asking = ActiveSession(model, problem.X, strategy=strategy, form=form, random_state=seed)
    oracle = Truth(problem.y, noise=problem.noise, random_state=seed)
    spent, stopped = 0.0, None
    for wanted in problem.grid:
        while asking.n_answers < wanted and stopped is None:
            question, seconds = timed(asking.ask)
            spent += seconds
            if question is None:
                stopped = asking.n_answers
            else:
                spent += timed(asking.answer, oracle(question))[1]
        each = spent / max(asking.n_answers, 1)
        yield Step(wanted, asking.labels_.copy(), asking.asked, each, stopped)


def ours(strategy, form):
    return Method(lambda problem: session(problem, strategy, form), f"{form}s")


METHODS = {
    **{f"{strategy}-{form}s": ours(strategy, form)
       for strategy in ("structural", "uncertainty", "random") for form in ("choice", "pair")
       if (strategy, form) != ("random", "pair")},
    "random-pairs": Method(random_pairs),
    "COBRAS": Method(cobras, beyond=1_000),
    **{f"COBRA-{parts}": Method(lambda problem, parts=parts: cobra(problem, parts))
       for parts in SUPER_INSTANCES},
    "NPU": Method(npu, told_k=True),
    "min-max": Method(min_max, told_k=True),
}  # fmt: skip
